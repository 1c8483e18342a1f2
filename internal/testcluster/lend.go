package testcluster

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

// EnvLent is the environment variable that names the Unix socket at which another process lends its cluster. [Shared] borrows that one.
const EnvLent = "TESTCLUSTER_LENT"

// Lend serves kubeconfigs of the cluster at a Unix socket, for [Shared] in other processes, until the cluster stops: one of the
// administrator, and of each user that is asked for. The path is the same in each run of a checkout, so that go test can reuse its
// results, unless another run is under way there.
func (c *Cluster) Lend() (path string, err error) {
	socket := filepath.Join(c.dir, "lent.sock") // in a folder that nobody else may enter
	listener, err := net.Listen("unix", socket) //nolint:noctx // it listens at once, or not
	if err != nil {
		return "", err
	}
	server := &http.Server{Handler: http.HandlerFunc(c.serveKubeconfig), ReadHeaderTimeout: time.Minute}
	go func() { _ = server.Serve(listener) }() // until it is closed
	link, unlink, err := linkTo(socket)
	if err != nil { // of another run, or of another user
		link, unlink = socket, func() error { return nil }
	}
	c.lent = func() error { return errors.Join(unlink(), server.Close()) }
	return link, nil
}

// linkTo makes the link to the socket that has the same path in each run of a checkout. A lock, which ends with its process, tells whose it is.
func linkTo(socket string) (link string, unlink func() error, err error) {
	root, err := toolchain.Root()
	if err != nil {
		return "", nil, err
	}
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(root)) // never fails
	link = filepath.Join(os.TempDir(), fmt.Sprintf("terraform-provider-cas-%x.sock", hash.Sum64()))
	lock, err := os.OpenFile(link+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return "", nil, err
	}
	err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		_ = os.Remove(link) // left by a run that was killed
		err = os.Symlink(socket, link)
	}
	if err != nil {
		return "", nil, errors.Join(err, lock.Close())
	}
	return link, func() error { return errors.Join(os.Remove(link), lock.Close()) }, nil
}

// serveKubeconfig answers with the administrator's kubeconfig, or with that of the user whom the query names.
func (c *Cluster) serveKubeconfig(w http.ResponseWriter, r *http.Request) {
	cfg, err := c.Config, error(nil)
	if name := r.URL.Query().Get("user"); name != "" {
		cfg, err = c.signUser(name)
	}
	var raw []byte
	if err == nil {
		raw, err = clientcmd.Write(*kubeconfig("testcluster", cfg))
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = w.Write(raw)
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

// borrow is the cluster that is lent at a Unix socket. The borrower must neither stop it nor kill its processes.
func borrow(path string) (*Cluster, error) {
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", path)
		},
	}}
	ask := func(user string) (*rest.Config, error) {
		resp, err := client.Get("http://testcluster/?user=" + url.QueryEscape(user)) //nolint:noctx // the client has a timeout
		if err != nil {
			return nil, fmt.Errorf("borrowing the control plane that %s names: %w", EnvLent, err)
		}
		defer func() { _ = resp.Body.Close() }()
		raw, err := io.ReadAll(resp.Body)
		if err == nil && resp.StatusCode != http.StatusOK {
			err = fmt.Errorf("borrowing the control plane that %s names: %s: %s", EnvLent, resp.Status, raw)
		}
		if err != nil {
			return nil, err
		}
		cfg, err := clientcmd.RESTConfigFromKubeConfig(raw)
		if err == nil {
			unthrottle(cfg)
		}
		return cfg, err
	}
	cfg, err := ask("")
	if err != nil {
		return nil, err
	}
	c := &Cluster{Config: cfg, user: ask}
	return c, c.connect()
}

func unthrottle(cfg *rest.Config) { cfg.QPS, cfg.Burst = -1, 0 }
