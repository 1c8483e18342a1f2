package testcluster_test

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// foo is what the ConfigMap that configMap made holds, asked for once.
func foo(ctx context.Context, c kubernetes.Interface, namespace string) (string, error) {
	cm, err := c.CoreV1().ConfigMaps(namespace).Get(ctx, "testmap", metav1.GetOptions{})
	if err != nil {
		return "", err
	}
	return cm.Data["foo"], nil
}

// wantFoo waits until the ConfigMap can be read, and holds it against what was written.
func wantFoo(t *testing.T, c kubernetes.Interface, namespace string) {
	t.Helper()
	var got string
	err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		value, err := foo(ctx, c, namespace)
		got = value
		return err == nil, nil // kube-apiserver finds an etcd that is there again by itself
	})
	if err != nil || got != "1" {
		t.Errorf("foo is %q (%v), want 1", got, err)
	}
}

// borrowed is the environment variable that tells a process the namespace to read in the cluster that it is lent.
const borrowed = "TESTCLUSTER_BORROWED"

// A cluster of one's own can be lent, its processes can be killed, frozen and started again, and it is stopped at once where they are not there, or
// do not run.
func TestProcessesAreKilledFrozenAndStartedAgain(t *testing.T) {
	t.Parallel()
	if namespace := os.Getenv(borrowed); namespace != "" { // in the process that lent starts
		c := testcluster.Shared(t)
		wantFoo(t, c.Client(), namespace)
		wantFoo(t, client(t, c.User(t, "borrower", namespace, getConfigMaps)), namespace)
		return
	}
	c := testcluster.Own(t)
	namespace := configMap(t, c)
	path := lent(t, c, namespace)

	if err := c.KillAPIServer(); err != nil {
		t.Fatal(err)
	}
	if _, err := foo(t.Context(), c.Client(), namespace); err == nil || apierrors.ReasonForError(err) != metav1.StatusReasonUnknown {
		t.Errorf("a killed API server answers: %v", err)
	}
	if err := c.KillAPIServer(); err == nil {
		t.Error("what does not run was killed")
	}
	if err := c.StartAPIServer(); err != nil {
		t.Fatal(err)
	}
	wantFoo(t, c.Client(), namespace)

	for _, etcd := range []struct {
		is          string
		goes, comes func() error
	}{
		{"frozen", c.FreezeEtcd, c.ThawEtcd},
		{"killed", c.KillEtcd, c.StartEtcd},
	} {
		if err := etcd.goes(); err != nil {
			t.Fatal(err)
		}
		for deadline := time.Now().Add(10 * time.Second); ; { // a busy process may answer once more before the signal reaches all of its threads
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			value, err := foo(ctx, c.Client(), namespace)
			cancel()
			if err != nil {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("a %s etcd gives %q", etcd.is, value)
			}
		}
		if err := etcd.comes(); err != nil {
			t.Fatal(err)
		}
		wantFoo(t, c.Client(), namespace)
	}

	if err := errors.Join(c.KillAPIServer(), c.FreezeEtcd()); err != nil {
		t.Fatal(err)
	}
	if err := c.Stop(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a stopped cluster still lends at %s (%v)", path, err)
	}
}

// lent has another process read testmap as a user of the cluster, which is its shared one.
func lent(t *testing.T, c *testcluster.Cluster, namespace string) (path string) {
	t.Helper()
	path, err := c.Lend()
	if err != nil {
		t.Fatal(err)
	}
	other := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+t.Name()+"$")
	other.Env = append(os.Environ(), testcluster.EnvLent+"="+path, borrowed+"="+namespace)
	if out, err := other.CombinedOutput(); err != nil {
		t.Errorf("another process cannot borrow the cluster: %v\n%s", err, out)
	}
	return path
}

func TestTCPProxySpoilsConnections(t *testing.T) {
	t.Parallel()
	shared := testcluster.Shared(t)
	namespace := configMap(t, shared)
	proxy := shared.TCPProxy(t, shared.Config)
	// A connection of its own for each: what a toxic did to one is not undone when it is healed.
	get := func() error {
		cfg := rest.CopyConfig(proxy.Config)
		cfg.Timeout = 2 * time.Second
		cfg.Dial = new(net.Dialer).DialContext // configurations that dial alike share connections
		transport, err := rest.HTTPClientFor(cfg)
		if err != nil {
			t.Fatal(err)
		}
		defer transport.CloseIdleConnections()
		c, err := kubernetes.NewForConfigAndClient(cfg, transport)
		if err != nil {
			t.Fatal(err)
		}
		_, err = foo(t.Context(), c, namespace)
		return err
	}
	for _, toxic := range []testcluster.Toxic{
		{Type: "latency", Stream: "downstream", Attributes: map[string]int{"latency": 5000}},
		{Type: "reset_peer", Stream: "upstream"},
		{Type: "timeout", Stream: "downstream"},
		{Type: "limit_data", Stream: "downstream", Attributes: map[string]int{"bytes": 100}},
	} {
		if err := get(); err != nil {
			t.Errorf("before %s: %v", toxic.Type, err)
		}
		if err := proxy.Spoil(toxic); err != nil {
			t.Fatal(err)
		}
		if err := get(); err == nil {
			t.Errorf("%s has no effect", toxic.Type)
		}
		proxy.Heal()
	}
	proxy.Down()
	if err := get(); err == nil {
		t.Error("it is down, and passes requests on")
	}
	if err := proxy.Up(); err != nil {
		t.Fatal(err)
	}
	if err := get(); err != nil {
		t.Errorf("it is up again: %v", err)
	}
}
