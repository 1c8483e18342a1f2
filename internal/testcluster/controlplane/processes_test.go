package controlplane_test

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster/controlplane"
)

// get reads a namespace once.
func get(ctx context.Context, c testcluster.Client, namespace string) error {
	_, err := c.CoreV1().Namespaces().Get(ctx, namespace, metav1.GetOptions{})
	return err
}

// wantThere waits until a namespace that was made can be read.
func wantThere(t *testing.T, c testcluster.Client, namespace string) {
	t.Helper()
	err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		err := get(ctx, c, namespace)
		if apierrors.IsNotFound(err) {
			return false, err
		}
		return err == nil, nil // kube-apiserver finds an etcd that is there again by itself
	})
	if err != nil {
		t.Error(err)
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
		wantThere(t, c.Client(), namespace)
		user, err := testcluster.NewClient(c.User(t, "borrower", namespace, rbacv1.PolicyRule{
			APIGroups: []string{""}, Resources: []string{"namespaces"}, Verbs: []string{"get"},
		}))
		if err != nil {
			t.Fatal(err)
		}
		wantThere(t, user, namespace)
		return
	}
	c := controlplane.Own(t)
	namespace := c.Namespace(t)
	path := lent(t, c, namespace)

	if err := c.KillAPIServer(); err != nil {
		t.Fatal(err)
	}
	if err := get(t.Context(), c.Client(), namespace); err == nil || apierrors.ReasonForError(err) != metav1.StatusReasonUnknown {
		t.Errorf("a killed API server answers: %v", err)
	}
	if err := c.KillAPIServer(); err == nil {
		t.Error("what does not run was killed")
	}
	if err := c.StartAPIServer(); err != nil {
		t.Fatal(err)
	}
	wantThere(t, c.Client(), namespace)

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
		// A busy process may answer once more before the signal reaches all of its threads.
		for deadline := time.Now().Add(time.Minute); ; {
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			err := get(ctx, c.Client(), namespace)
			cancel()
			if err != nil {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("a %s etcd answers", etcd.is)
			}
		}
		if err := etcd.comes(); err != nil {
			t.Fatal(err)
		}
		wantThere(t, c.Client(), namespace)
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

// lent has another process read the namespace as a user of the cluster, which is its shared one.
func lent(t *testing.T, c *controlplane.Cluster, namespace string) (path string) {
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
	proxy := controlplane.NewTCPProxy(t, shared.Config)
	// Each request has a connection of its own: Heal does not undo what a toxic did to a connection.
	get := func(timeout time.Duration) error {
		cfg := rest.CopyConfig(proxy.Config)
		cfg.Timeout = timeout
		cfg.Dial = new(net.Dialer).DialContext // configurations that dial alike share connections
		client, err := rest.HTTPClientFor(cfg)
		if err != nil {
			t.Fatal(err)
		}
		defer client.CloseIdleConnections()
		response, err := client.Get(cfg.Host + "/version")
		if err != nil {
			return err
		}
		return response.Body.Close()
	}
	for _, toxic := range []controlplane.Toxic{
		{Type: "latency", Stream: "downstream", Attributes: map[string]int{"latency": 5000}},
		{Type: "reset_peer", Stream: "upstream"},
		{Type: "timeout", Stream: "downstream"},
		{Type: "limit_data", Stream: "downstream", Attributes: map[string]int{"bytes": 100}},
	} {
		if err := get(time.Minute); err != nil {
			t.Errorf("before %s: %v", toxic.Type, err)
		}
		if err := proxy.Spoil(toxic); err != nil {
			t.Fatal(err)
		}
		if err := get(time.Second); err == nil { // no toxic lets it succeed within a second
			t.Errorf("%s has no effect", toxic.Type)
		}
		proxy.Heal()
	}
	proxy.Down()
	if err := get(time.Minute); err == nil {
		t.Error("it is down, and passes requests on")
	}
	if err := proxy.Up(); err != nil {
		t.Fatal(err)
	}
	if err := get(time.Minute); err != nil {
		t.Errorf("it is up again: %v", err)
	}
}
