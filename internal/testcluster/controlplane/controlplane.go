// Package controlplane runs the etcd and kube-apiserver of a [testcluster.Cluster], through controller-runtime's envtest: for the demo, for
// package lend, which lends one to all tests, and for tests that kill and freeze what they run on.
//
// No process outlives the one that started it, however that one ends: a watchdog holds the read end of a
// pipe and kills etcd and kube-apiserver when the other end closes, which a panic, a test timeout and a
// SIGKILL do too.
//
// It must not know what the cluster is used for: neither the engine nor the provider.
package controlplane

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// startTimeout is for one component. A healthy one takes 5 s on two idle cores; builds may run beside it.
const startTimeout = 2 * time.Minute

// Cluster is a control plane that runs, and can be stopped. Its methods may be called concurrently.
type Cluster struct {
	*testcluster.Cluster // nil before it runs

	env   *envtest.Environment
	dog   *watchdog
	dir   string
	token string       // the administrator's
	lent  func() error // ends what Lend began; nil before

	certificates sync.Mutex // envtest's certificate authority counts serial numbers without one
}

// Option changes how a control plane is started.
type Option func(*envtest.ControlPlane)

// WithRoom lets etcd grow to 16 GiB instead of 2, and has the API server drop history after 10 to 20 seconds instead of 5 to
// 10 minutes, and keep none of that of ConfigMaps in memory, where thousands of writes of large ones take all that there is:
// for much more writing than tests do. What was dropped cannot be watched from.
func WithRoom() Option {
	return func(c *envtest.ControlPlane) {
		c.Etcd.Configure().Set("quota-backend-bytes", strconv.Itoa(16<<30))
		c.GetAPIServer().Configure().Set("etcd-compaction-interval", "10s").Set("watch-cache-sizes", "configmaps#0")
	}
}

// Start starts a control plane and returns when it answers. When ctx ends earlier, what had been started is
// stopped and the error is ctx's. The caller must Stop the cluster.
func Start(ctx context.Context, options ...Option) (*Cluster, error) {
	etcd, apiserver, err := testcluster.Binaries(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "terraform-provider-cas-cluster-")
	if err != nil {
		return nil, err
	}
	c := &Cluster{dir: dir, token: rand.Text()}
	if err := c.start(ctx, etcd, apiserver, options); err != nil {
		return nil, errors.Join(err, c.Stop())
	}
	return c, nil
}

func (c *Cluster) start(ctx context.Context, etcd, apiserver string, options []Option) error {
	var err error
	if c.dog, err = unleash(c.dir); err != nil {
		return err
	}
	if c.env, err = environment(c.dir, c.token, c.dog, etcd, apiserver); err != nil {
		return err
	}
	for _, option := range options {
		option(&c.env.ControlPlane)
	}

	started := make(chan error, 1)
	go func() {
		_, err := c.env.Start()
		started <- err
	}()
	select {
	case err = <-started:
	case <-ctx.Done():
		// envtest knows no context: what it has started is killed, and what it would start refuses to.
		stopErr := c.dog.kill()
		<-started //nolint:errcheck // it was made to fail
		return errors.Join(ctx.Err(), stopErr)
	}
	if err != nil {
		return fmt.Errorf("starting the control plane: %w\n%s", err, lastLines(c.dir, 20))
	}

	cfg := rest.AnonymousClientConfig(c.env.Config)
	cfg.QPS = -1
	// With a token: a certificate is verified again at each request, which is a tenth of what the API server does for a small one.
	cfg.BearerToken = c.token
	c.Cluster, err = testcluster.New(cfg, c.signUser)
	return err
}

// signUser makes a client certificate for a user.
func (c *Cluster) signUser(name string) (*rest.Config, error) {
	c.certificates.Lock()
	defer c.certificates.Unlock()
	user, err := c.env.AddUser(envtest.User{Name: name}, &rest.Config{QPS: -1})
	if err != nil {
		return nil, err
	}
	return user.Config(), nil
}

// environment is the control plane of envtest with everything it writes under dir, and with its processes
// known to the watchdog. The token is an administrator's.
func environment(dir, token string, dog *watchdog, etcd, apiserver string) (*envtest.Environment, error) {
	existing := false
	env := &envtest.Environment{
		UseExistingCluster:       &existing,
		ControlPlaneStartTimeout: startTimeout,
		ControlPlaneStopTimeout:  20 * time.Second,
	}
	server := env.ControlPlane.GetAPIServer()
	env.ControlPlane.Etcd = &envtest.Etcd{}
	var err error
	if env.ControlPlane.Etcd.Path, err = dog.leash(etcd); err != nil {
		return nil, err
	}
	if server.Path, err = dog.leash(apiserver); err != nil {
		return nil, err
	}
	env.ControlPlane.Etcd.DataDir = filepath.Join(dir, "etcd")
	env.ControlPlane.Etcd.Configure().Set("unsafe-no-fsync", "true") // as envtest does where it is told that there is such a flag
	server.CertDir = filepath.Join(dir, "kube-apiserver")
	for _, d := range []string{env.ControlPlane.Etcd.DataDir, server.CertDir} {
		if err := os.Mkdir(d, 0o700); err != nil {
			return nil, err
		}
	}
	// Without these, the server looks for the address of a network interface, and a machine that is
	// offline has none.
	server.Configure().Set("advertise-address", "127.0.0.1").Set("endpoint-reconciler-type", "none")
	tokens := filepath.Join(dir, "tokens.csv")
	if err := os.WriteFile(tokens, []byte(token+",admin,admin,system:masters\n"), 0o600); err != nil {
		return nil, err
	}
	server.Configure().Set("token-auth-file", tokens)
	if version := os.Getenv(testcluster.EnvVersion); strings.HasPrefix(version, "v1.34.") || strings.HasPrefix(version, "v1.35.") {
		// Tests want mutating admission policies, which were still to be asked for.
		server.Configure().Set("feature-gates", "MutatingAdmissionPolicy=true").
			Set("runtime-config", "admissionregistration.k8s.io/v1beta1=true")
	}
	return env, nil
}

// Stop stops the control plane and removes what it wrote. Stopping twice is no error.
func (c *Cluster) Stop() error {
	var errs []error
	if c.lent != nil {
		errs = append(errs, c.lent())
		c.lent = nil
	}
	if c.Cluster != nil {
		_ = c.ThawEtcd() // frozen, it would not stop when asked to; that it was killed is no error here
		err := c.env.Stop()
		if errors.Is(err, syscall.ESRCH) { // killed just now: the next look finds it gone
			err = c.env.Stop()
		}
		if err == nil {
			err = c.dog.stopped()
		}
		errs = append(errs, err)
		c.Cluster = nil
	}
	if c.dog != nil {
		errs = append(errs, c.dog.kill())
	}
	return errors.Join(append(errs, os.RemoveAll(c.dir))...)
}
