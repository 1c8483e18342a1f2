package controlplane_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster/controlplane"
)

func TestCancelledStartLeavesNothing(t *testing.T) {
	testcluster.Shared(t) // skips the test without binaries
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		awaitFile(t.Context(), filepath.Join(tmp, "*", "kube-apiserver.log")) // half started
	}()
	cluster, err := controlplane.Start(ctx)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("got %v and %v, want the context's error", cluster, err)
	}
	if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}
}

// ofChild is the environment variable that tells a process which cluster to run.
const ofChild = "TESTCLUSTER_CHILD"

// TestKilledProcessLeavesNoControlPlane kills a process that has started a control plane, in the one way that
// gives it no chance to clean up.
func TestKilledProcessLeavesNoControlPlane(t *testing.T) {
	if of := os.Getenv(ofChild); of != "" {
		var c *testcluster.Cluster
		if of == "own" {
			c = controlplane.Own(t).Cluster
		} else {
			c = testcluster.Shared(t)
		}
		fmt.Printf("up %s\n", c.Config.Host)
		_, _ = io.Copy(io.Discard, os.Stdin) // until it is killed, or its parent is
		t.Fatal("not killed")
	}
	testcluster.Shared(t)
	for _, of := range []string{"own", "shared"} {
		t.Run(of, func(t *testing.T) {
			t.Parallel()
			leavesNothing(t, of)
		})
	}
}

func leavesNothing(t *testing.T, of string) {
	t.Helper()
	tmp, err := os.MkdirTemp("", "") //nolint:usetesting // a socket's path must be short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(tmp) })
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestKilledProcessLeavesNoControlPlane$")
	child.Env = append(os.Environ(), ofChild+"="+of, testcluster.EnvLent+"=", "TMPDIR="+tmp)
	child.Stderr = os.Stderr
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := child.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	var host string
	for lines := bufio.NewScanner(out); host == "" && lines.Scan(); {
		if address, isUp := strings.CutPrefix(lines.Text(), "up https://"); isUp {
			host = strings.TrimSuffix(address, "/")
		}
	}
	if host == "" {
		t.Fatal("the child did not start a control plane")
	}
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = child.Wait() // it was killed

	for deadline := time.Now().Add(2 * time.Minute); ; {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", host)
		left, _ := filepath.Glob(filepath.Join(tmp, "terraform-provider-cas-cluster-*"))
		if err != nil && len(left) == 0 {
			return
		}
		if err == nil {
			_ = conn.Close()
		}
		if time.Now().After(deadline) {
			t.Fatalf("the API server at %s still listens (%v), or %v is left", host, err, left)
		}
		time.Sleep(20 * time.Millisecond) // another process's end can only be polled for
	}
}

func awaitFile(ctx context.Context, pattern string) {
	for ctx.Err() == nil {
		if found, _ := filepath.Glob(pattern); len(found) > 0 {
			return
		}
		time.Sleep(10 * time.Millisecond) // another process makes it
	}
}
