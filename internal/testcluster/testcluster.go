// Package testcluster runs a real etcd and kube-apiserver on loopback for tests and the demo, through
// controller-runtime's envtest, and puts faults between a client and the server on demand.
//
// It never uses a cluster that is there already, nor reads a kubeconfig: neither KUBECONFIG nor
// USE_EXISTING_CLUSTER has an effect. There are no controllers: a deleted namespace stays Terminating,
// and nothing is scheduled. RBAC is on.
//
// No process outlives the one that started it, however that one ends: a watchdog holds the read end of a
// pipe and kills etcd and kube-apiserver when the other end closes, which a panic, a test timeout and a
// SIGKILL do too.
package testcluster

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

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

// ErrNoBinaries is what Start returns, wrapped, where there is no etcd or no kube-apiserver to run, and KUBEBUILDER_ASSETS names none.
var ErrNoBinaries = errors.New("no control plane to run")

// startTimeout is for one component. A healthy one takes 5 s on two idle cores; builds may run beside it.
const startTimeout = 2 * time.Minute

// Cluster is a running control plane. Its methods may be called concurrently.
type Cluster struct {
	// Config is that of an administrator, and does not throttle. Copy before changing it.
	Config *rest.Config

	client kubernetes.Interface
	env    *envtest.Environment
	dog    *watchdog
	dir    string
	token  string       // the administrator's
	lent   func() error // ends what Lend began; nil before

	user         func(name string) (*rest.Config, error) // makes a client certificate
	certificates sync.Mutex                              // envtest's certificate authority counts serial numbers without one
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
	etcd, apiserver, err := binaries(ctx)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "terraform-provider-cas-cluster-")
	if err != nil {
		return nil, err
	}
	c := &Cluster{dir: dir, token: rand.Text()}
	c.user = c.signUser
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

	c.Config = rest.AnonymousClientConfig(c.env.Config)
	unthrottle(c.Config)
	// With a token: a certificate is verified again at each request, which is a tenth of what the API server does for a small one.
	c.Config.BearerToken = c.token
	return c.connect()
}

// connect makes the client. Its objects go as protobuf, which takes less of a processor than JSON at both ends.
func (c *Cluster) connect() (err error) {
	cfg := rest.CopyConfig(c.Config)
	cfg.ContentType = runtime.ContentTypeProtobuf
	c.client, err = kubernetes.NewForConfig(cfg)
	return err
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
	if version := os.Getenv(envVersion); strings.HasPrefix(version, "v1.34.") || strings.HasPrefix(version, "v1.35.") {
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
	if c.Config != nil {
		_ = c.ThawEtcd() // frozen, it would not stop when asked to; that it was killed is no error here
		err := c.env.Stop()
		if errors.Is(err, syscall.ESRCH) { // killed just now: the next look finds it gone
			err = c.env.Stop()
		}
		if err == nil {
			err = c.dog.stopped()
		}
		errs = append(errs, err)
		c.Config = nil
	}
	if c.dog != nil {
		errs = append(errs, c.dog.kill())
	}
	return errors.Join(append(errs, os.RemoveAll(c.dir))...)
}

// Client is a typed client that is independent of the provider, for setting live objects up and checking them.
func (c *Cluster) Client() kubernetes.Interface { return c.client }

// envVersion names the Kubernetes version to run where that is not the pinned one. tools/build.sh reads it too.
const envVersion = "K8S_VERSION"

// binaries finds etcd and kube-apiserver: of K8S_VERSION in the cache that tools/build.sh fills, where that is set; else in
// KUBEBUILDER_ASSETS, where that is; else in bin/ of the repository, or those that are pinned in the cache.
func binaries(ctx context.Context) (etcd, apiserver string, err error) {
	if assets := os.Getenv("KUBEBUILDER_ASSETS"); assets != "" && os.Getenv(envVersion) == "" {
		etcd, apiserver = filepath.Join(assets, "etcd"), filepath.Join(assets, "kube-apiserver")
		if !toolchain.Executable(etcd) || !toolchain.Executable(apiserver) {
			return "", "", fmt.Errorf("KUBEBUILDER_ASSETS names %s, which lacks etcd or kube-apiserver", assets) // which somebody asked for
		}
		return etcd, apiserver, nil
	}
	if etcd, err = binary(ctx, "etcd"); err != nil {
		return "", "", err
	}
	if apiserver, err = binary(ctx, "kube-apiserver"); err != nil {
		return "", "", err
	}
	return etcd, apiserver, nil
}

func binary(ctx context.Context, name string) (string, error) {
	root, err := toolchain.Root()
	if err != nil {
		return "", err
	}
	if path := filepath.Join(root, "bin", name); os.Getenv(envVersion) == "" && toolchain.Executable(path) {
		return path, nil
	}
	path, err := toolchain.Path(ctx, name)
	if err != nil {
		return "", err
	}
	if !toolchain.Executable(path) {
		if version := os.Getenv(envVersion); version != "" {
			return "", fmt.Errorf("%w: %s of K8S_VERSION=%s is not built: run `make controlplane K8S_VERSION=%[3]s`", ErrNoBinaries, name, version)
		}
		return "", fmt.Errorf("%w: %s is not built: run `make controlplane`, or set KUBEBUILDER_ASSETS", ErrNoBinaries, name)
	}
	return path, nil
}
