package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	toxiproxy "github.com/Shopify/toxiproxy/v2"
	"github.com/rs/zerolog"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster/controlplane"
	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

// place is where the API server is seen from.
type place struct {
	name       string
	config     *rest.Config
	kubeconfig string
}

const (
	loopback = "loopback"
	far      = "20 ms away"
)

// placeNames are the names of places in arguments, in their order.
var placeNames = []string{"near", "far"}

// options is how much is measured.
type options struct {
	rounds int

	cases, from []string // of the command line: names of cases, and of placeNames
	entries     []int    // instead of those that the cases name
	beside      string   // another build of the provider
	reference   bool     // whether what the multiples are of is measured

	swaps, kib, parallel []int         // of the engine
	limit                time.Duration // of one writer in one cell
	distant              struct{ swaps, parallel int }

	processes []int
	writes    int // of each process
	starts    int
}

// wholeRun produces the documented results.
func wholeRun() options {
	o := options{
		rounds: 5, cases: caseNames(), from: placeNames, reference: true,
		swaps: []int{1, 100, 1000}, kib: []int{1, 900}, parallel: []int{1, 10, 100}, limit: 8 * time.Second,
		processes: []int{1, 4, 16}, writes: 50, starts: 20,
	}
	o.distant.swaps, o.distant.parallel = 100, 10
	return o
}

// stage serves all measurements: one control plane, seen from near and from far.
type stage struct {
	dir       string // removed at the end
	client    testcluster.Client
	near, far place
	subjects  map[string]*cliSubject // of the command line, once they are open
	options

	// undo has the steps of tearDown, which begins with the last one.
	undo []func() error
}

func (s *stage) places() []place { return []place{s.near, s.far} }

// setUp returns a stage with everything that tearDown must undo, also beside an error.
func setUp(ctx context.Context, o options) (*stage, error) {
	s := &stage{options: o}
	var err error
	if s.dir, err = os.MkdirTemp("", "terraform-provider-cas-bench-"); err != nil {
		return s, err
	}
	s.undo = append(s.undo, func() error { return os.RemoveAll(s.dir) })

	say("starting etcd and kube-apiserver on loopback")
	cluster, err := controlplane.Start(ctx, controlplane.WithRoom())
	if err != nil {
		return s, err
	}
	s.undo = append(s.undo, cluster.Stop)
	s.client = cluster.Client()
	if s.near, err = s.place(loopback, cluster.Config); err != nil {
		return s, err
	}
	config, proxy, err := distant(cluster.Config)
	if err != nil {
		return s, err
	}
	s.undo = append(s.undo, func() error { proxy.Stop(); return nil })
	s.far, err = s.place(far, config)
	return s, err
}

func (s *stage) place(name string, config *rest.Config) (place, error) {
	p := place{name: name, config: config, kubeconfig: filepath.Join(s.dir, name+".kubeconfig")}
	return p, testcluster.WriteKubeconfig(p.kubeconfig, config)
}

func (s *stage) tearDown() error {
	var errs []error
	for i := len(s.undo) - 1; i >= 0; i-- {
		errs = append(errs, s.undo[i]())
	}
	return errors.Join(errs...)
}

// namespace makes a namespace that nothing else uses.
func (s *stage) namespace(ctx context.Context) (string, error) {
	ns, err := s.client.CoreV1().Namespaces().Create(ctx,
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "bench-"}}, metav1.CreateOptions{})
	if err != nil {
		return "", err
	}
	return ns.Name, nil
}

// The programs that are built, by the folder of the repository that they are in.
const (
	providerProgram = ""
	floorProgram    = "internal/proof/bench/floor"
	peakProgram     = "internal/proof/bench/peak"
)

// builds builds programs as a release is built, each alone in a folder, and returns their paths.
func (s *stage) builds(ctx context.Context, dirs ...string) (paths []string, err error) {
	for _, dir := range dirs {
		path, err := s.build(ctx, dir)
		if err != nil {
			return nil, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

func (s *stage) build(ctx context.Context, dir string) (string, error) {
	root, err := toolchain.Root()
	if err != nil {
		return "", err
	}
	name := filepath.Base(cmp.Or(dir, "provider"))
	path := filepath.Join(s.dir, name, "terraform-provider-cas")
	if toolchain.Executable(path) {
		return path, nil
	}
	say("building %s", name)
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, ".")
	cmd.Dir, cmd.Env = filepath.Join(root, dir), append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("building %s: %w\n%s", name, err, bytes.TrimSpace(out))
	}
	return path, nil
}

func say(format string, args ...any) { fmt.Printf(format+"\n", args...) }

// roundTrip is how far away the distant API server is, in milliseconds.
const roundTrip = 20

// distant is the API server of config with a round trip more to it: a TCP proxy that holds each segment for half of it,
// either way. TLS passes through. The caller stops the proxy.
func distant(config *rest.Config) (*rest.Config, *toxiproxy.Proxy, error) {
	host := config.Host
	if !strings.Contains(host, "://") {
		host = "https://" + host
	}
	server, err := url.Parse(host)
	if err != nil {
		return nil, nil, err
	}
	proxy := toxiproxy.NewProxy(toxiproxy.NewServer(toxiproxy.NewMetricsContainer(nil), zerolog.Nop()), "distance", "127.0.0.1:0", server.Host)
	if err := proxy.Start(); err != nil {
		return nil, nil, err
	}
	for _, stream := range []string{"upstream", "downstream"} {
		toxic := fmt.Sprintf(`{"type":"latency","stream":%q,"attributes":{"latency":%d}}`, stream, roundTrip/2)
		if _, err := proxy.Toxics.AddToxicJson(strings.NewReader(toxic)); err != nil {
			proxy.Stop()
			return nil, nil, err
		}
	}
	far := rest.CopyConfig(config)
	far.Host = "https://" + proxy.Listen
	return far, proxy, nil
}
