package testcluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

var shared struct {
	once    sync.Once
	cluster *Cluster
	err     error
}

// Shared is the cluster that all tests share: the one that [EnvLent] names, else one of this test binary, started by the first test that
// asks and stopped by [Main]. Without binaries the test is skipped, and fails where CI=true.
func Shared(t testing.TB) *Cluster {
	t.Helper()
	shared.once.Do(func() {
		if path := os.Getenv(EnvLent); path != "" {
			// Which binaries run is part of what a result depends on: go test notes what this reads, and reuses no result of others.
			if _, _, shared.err = binaries(context.Background()); shared.err == nil {
				shared.cluster, shared.err = borrow(path)
			}
			return
		}
		shared.cluster, shared.err = Start(context.Background()) // outlives the test that happens to come first
	})
	mustStart(t, shared.err)
	return shared.cluster
}

// Own is a cluster that this test alone uses, and whose processes it may kill. It is stopped when the test ends. Without binaries it is
// as with [Shared].
func Own(t testing.TB, options ...Option) *Cluster {
	t.Helper()
	c, err := Start(t.Context(), options...)
	mustStart(t, err)
	t.Cleanup(func() {
		if err := c.Stop(); err != nil {
			t.Error(err)
		}
	})
	return c
}

func mustStart(t testing.TB, err error) {
	t.Helper()
	if errors.Is(err, ErrNoBinaries) {
		toolchain.Unavailable(t, err)
	}
	if err != nil {
		t.Fatal("no API server:", err) // make rules looks for these words
	}
}

// Main is a package's TestMain: it runs the tests in an environment that the shell does not leak into, stops the
// shared cluster, runs the cleanups, and exits.
func Main(m *testing.M, cleanups ...func() error) {
	os.Exit(run(m, cleanups))
}

func run(m *testing.M, cleanups []func() error) (code int) {
	defer func() {
		if shared.cluster != nil && shared.cluster.env != nil { // not borrowed
			cleanups = append(cleanups, shared.cluster.Stop)
		}
		for _, cleanup := range cleanups {
			if err := cleanup(); err != nil {
				fmt.Fprintln(os.Stderr, err)
				code = max(code, 1)
			}
		}
	}()
	if err := isolate(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

// isolate removes from the environment what would configure the provider or the command line under test, and
// gives the latter an empty configuration: the user's may install providers from elsewhere, and one that does not
// exist breaks terraform-plugin-testing. What the latter is told through TF_ACC* and TF_LOG* stays.
func isolate() error {
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if !Leaks(name) {
			continue
		}
		if err := os.Unsetenv(name); err != nil {
			return err
		}
	}
	return errors.Join(os.Setenv("TF_CLI_CONFIG_FILE", os.DevNull), os.Setenv("CHECKPOINT_DISABLE", "1"))
}

// Leaks reports whether an environment variable could change what a test or the demo does: the configuration of
// a Kubernetes client, of Terraform, or of the provider.
func Leaks(name string) bool {
	for _, prefix := range []string{"TF_ACC", "TF_LOG"} {
		if strings.HasPrefix(name, prefix) {
			return false
		}
	}
	for _, prefix := range []string{"KUBE_", "KUBERNETES_", "TF_", "CAS_", "TEST_ASSET_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return name == "KUBECONFIG" || name == "USE_EXISTING_CLUSTER"
}
