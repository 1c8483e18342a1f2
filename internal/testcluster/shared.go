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
	stop    func() error // nil where the cluster ends without us
	err     error
}

// Shared is the cluster that all tests share: the one that [EnvLent] names, else one of this test binary, started by the first test that
// asks and stopped by [Main]. Nobody may stop it or kill its processes. Without binaries the test is skipped, and fails where CI=true.
func Shared(t testing.TB) *Cluster {
	t.Helper()
	shared.once.Do(func() {
		// A result depends on the binaries that run: go test records the reads here, and reuses no result of other binaries.
		if _, _, shared.err = Binaries(context.Background()); shared.err != nil {
			return
		}
		path := os.Getenv(EnvLent)
		if path == "" {
			path, shared.stop, shared.err = startLender()
		}
		if shared.err == nil {
			shared.cluster, shared.err = borrow(path)
		}
	})
	MustRun(t, shared.err)
	return shared.cluster
}

// MustRun ends a test whose cluster does not run, for the reason that err gives.
func MustRun(t testing.TB, err error) {
	t.Helper()
	if errors.Is(err, ErrNoBinaries) {
		toolchain.Unavailable(t, err)
	}
	if err != nil {
		t.Fatal("no API server:", err)
	}
}

// Main is a package's TestMain: it runs the tests in an environment that the shell does not leak into, stops the
// shared cluster, runs the cleanups, and exits.
func Main(m *testing.M, cleanups ...func() error) {
	os.Exit(run(m, cleanups))
}

func run(m *testing.M, cleanups []func() error) (code int) {
	defer func() {
		if shared.stop != nil {
			cleanups = append(cleanups, shared.stop)
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
// exist breaks terraform-plugin-testing. TF_ACC* and TF_LOG*, which configure the latter, stay.
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
