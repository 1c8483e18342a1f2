package testcluster

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

// EnvLent is the environment variable that names the Unix socket at which another process lends its cluster. [Shared] borrows that one.
const EnvLent = "TESTCLUSTER_LENT"

// ServeHTTP implements [http.Handler] for who lends the cluster: it answers with the administrator's kubeconfig, or with the kubeconfig of the
// user whom the query names.
func (c *Cluster) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	cfg, err := c.Config, error(nil)
	if name := r.URL.Query().Get("user"); name != "" {
		cfg, err = c.user(name)
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

// borrow is the cluster that is lent at a Unix socket.
func borrow(path string) (*Cluster, error) {
	client := &http.Client{Timeout: time.Minute, Transport: &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", path)
		},
	}}
	ask := func(user string) (*rest.Config, error) {
		resp, err := client.Get("http://testcluster/?user=" + url.QueryEscape(user)) //nolint:noctx,gosec // the client has a timeout, and asks nobody but the socket
		if err != nil {
			return nil, fmt.Errorf("borrowing the control plane at %s: %w", path, err)
		}
		defer func() { _ = resp.Body.Close() }()
		raw, err := io.ReadAll(resp.Body)
		if err == nil && resp.StatusCode != http.StatusOK {
			err = fmt.Errorf("borrowing the control plane at %s: %s: %s", path, resp.Status, raw)
		}
		if err != nil {
			return nil, err
		}
		cfg, err := clientcmd.RESTConfigFromKubeConfig(raw)
		if err == nil {
			cfg.QPS = -1
		}
		return cfg, err
	}
	cfg, err := ask("")
	if err != nil {
		return nil, err
	}
	return New(cfg, ask)
}

// startLender runs package lend beside this process, which says where it lends a cluster, and ends with its input: at the latest when this process ends.
func startLender() (path string, stop func() error, err error) {
	root, err := toolchain.Root()
	if err != nil {
		return "", nil, err
	}
	cmd := exec.Command("go", "run", "./internal/testcluster/lend") //nolint:noctx // it outlives the test that happens to come first
	cmd.Dir, cmd.Stderr, cmd.SysProcAttr = root, os.Stderr, toolchain.OwnGroup()
	in, err := cmd.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := cmd.Start(); err != nil {
		return "", nil, err
	}
	stop = func() error { return errors.Join(in.Close(), cmd.Wait()) }
	path, err = bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return "", nil, errors.Join(errors.New("package lend lends no control plane"), stop())
	}
	return strings.TrimSpace(path), stop, nil
}
