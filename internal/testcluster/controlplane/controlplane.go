// Package controlplane runs the etcd and kube-apiserver of a [testcluster.Cluster], through controller-runtime's envtest.
// The demo uses it, package lend, which lends one control plane to all tests, and tests that kill and freeze processes.
//
// No process outlives the process that started it. A watchdog holds the read end of a pipe, and kills etcd and
// kube-apiserver when the other end closes, which also happens after a panic, a test timeout and a SIGKILL.
//
// The package must not know what the cluster is used for: neither the engine nor the provider.
package controlplane

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
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

// componentTimeout bounds the start and the stop of one component. A start takes 5 s on two idle cores; builds may run
// beside it.
const componentTimeout = 2 * time.Minute

// Cluster is a control plane that runs, and can be stopped. Its methods may be called concurrently.
type Cluster struct {
	*testcluster.Cluster // nil before it runs

	env   *envtest.Environment
	dog   *watchdog
	dir   string
	ports net.Listener // keeps the cluster's ports from other clusters
	token string       // the administrator's
	lent  func() error // ends what Lend began; nil before

	certificates sync.Mutex // envtest's certificate authority counts serial numbers without one
}

// Option changes how a control plane is started.
type Option func(*envtest.ControlPlane)

// WithRoom makes room for many more writes than tests send. etcd may grow to 16 GiB instead of 2. The API server drops
// history after 10 to 20 seconds instead of 5 to 10 minutes, and keeps no history of ConfigMaps in memory: thousands of
// writes of large ConfigMaps would fill it. No watch can begin at a version that was dropped.
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
	lock, ports, err := reservePorts(ctx)
	if err != nil {
		return err
	}
	c.ports = lock
	c.env.ControlPlane.Etcd.URL = &url.URL{Scheme: "http", Host: loopback(ports[0])}
	c.env.ControlPlane.Etcd.Configure().Set("listen-peer-urls", "http://"+loopback(ports[1]))
	c.env.ControlPlane.GetAPIServer().ListenAddr = envtest.ListenAddr{
		Address: "127.0.0.1", Port: strconv.Itoa(ports[2]),
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
	// A token is cheaper: verifying a certificate again takes a tenth of the time of a small request.
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
		ControlPlaneStartTimeout: componentTimeout,
		ControlPlaneStopTimeout:  componentTimeout,
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
	env.ControlPlane.Etcd.Configure().Set("unsafe-no-fsync", "true") // envtest sets it only if it knows that the flag exists
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
	if c.ports != nil {
		errs = append(errs, c.ports.Close())
		c.ports = nil
	}
	return errors.Join(append(errs, os.RemoveAll(c.dir))...)
}
