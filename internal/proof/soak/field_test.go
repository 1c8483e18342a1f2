package soak

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster/controlplane"
)

// field is where one part of the soak is fought: ConfigMaps of its own, two ways to the API server that can be spoiled, the
// workers, and what they and the watch say.
type field struct {
	*testing.T
	cluster *controlplane.Cluster
	tcp     *controlplane.TCPProxy // TLS and HTTP/2, to the API server
	http    *testcluster.Proxy     // plain HTTP/1.1, whose requests can be struck one by one
	record  *record
	seed    uint64
	draw    *rand.Rand

	namespace  string
	configMaps []string
	keys       []string
	initial    map[string]string

	workers []*process
	started int

	mu       sync.Mutex
	history  history       // answered operations
	answered int           // of them, those of other workers than takers
	requests int           // sent by all workers
	takers   int           // sent by those who take numbers and do nothing else
	progress chan struct{} // of capacity 1
}

// newField makes the ConfigMaps with their first content. added, where it is not nil, receives each version.
func newField(t *testing.T, c *controlplane.Cluster, configMaps, keys []string, initial map[string]string, added func(string, state)) *field {
	t.Helper()
	seed := testcluster.Seed(t)
	f := &field{
		T: t, cluster: c, tcp: controlplane.NewTCPProxy(t, c.Config), http: c.Proxy(t), seed: seed, draw: rand.New(rand.NewPCG(seed, 0)),
		namespace: c.Namespace(t), configMaps: configMaps, keys: keys, initial: initial,
		progress: make(chan struct{}, 1),
	}
	for _, name := range configMaps {
		cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: initial}
		p := plan{Secrets: *secrets}
		err := c.Client().CoreV1().RESTClient().Post().Namespace(f.namespace).Resource(p.resource()).Body(p.object(cm)).Do(t.Context()).Error()
		if err != nil {
			t.Fatal(err)
		}
	}
	f.record = newRecord(t, c.Client(), f.namespace, added)
	return f
}

// process is a worker.
type process struct {
	plan
	cmd   *exec.Cmd
	stdin io.Closer
	ended chan error
	dead  bool // was killed
}

// start starts a worker, by one of the two ways. Names and numbers are given in the order of starting.
func (f *field) start(p plan, config *rest.Config) *process {
	f.Helper()
	p.Name = fmt.Sprintf("%s-%d", p.Role, f.started)
	f.started++
	p.Seed, p.Namespace, p.Secrets, p.ConfigMaps, p.Keys = f.seed, f.namespace, *secrets, f.configMaps, f.keys
	p.Host, p.Token, p.TLS = config.Host, config.BearerToken, config.TLSClientConfig
	if p.Deadline == 0 {
		p.Deadline = 30 * time.Second
	}
	line, err := json.Marshal(p)
	if err != nil {
		f.Fatal(err)
	}
	w := &process{plan: p, cmd: exec.Command(os.Args[0]), ended: make(chan error, 1)}
	w.cmd.Env = append(os.Environ(), workerEnv+"="+p.Name)
	w.cmd.Stderr = os.Stderr
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		f.Fatal(err)
	}
	in, err := w.cmd.StdinPipe() // closed when this process ends, however it does
	if err != nil {
		f.Fatal(err)
	}
	w.stdin = in
	if err := w.cmd.Start(); err != nil {
		f.Fatal(err)
	}
	if _, err := in.Write(append(line, '\n')); err != nil {
		f.Fatal(err)
	}
	go func() {
		f.collect(p.Role, out)
		w.ended <- w.cmd.Wait()
	}()
	f.workers = append(f.workers, w)
	f.Cleanup(func() {
		_ = w.cmd.Process.Kill() // has ended, if all went well
	})
	return w
}

// collect reads a worker's lines until its end. A line that was cut short is that of one that was killed.
func (f *field) collect(by role, out io.Reader) {
	under := map[int]*op{}
	for lines := bufio.NewReader(out); ; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		o := &op{}
		if err := json.Unmarshal(line, o); err != nil {
			f.Errorf("%s: %v", line, err)
			break
		}
		if o.Kind == request {
			f.add(by, o)
			continue
		}
		if *secrets {
			o.asText()
		}
		under[o.ID] = o
		if o.Return != 0 {
			delete(under, o.ID)
			f.add(by, o)
		}
	}
	for _, o := range under { // nobody knows what became of it
		o.Verdict = eval.Unknown
		if o.Kind == readOp {
			o.Verdict = eval.Rejected
		}
		o.Lost = true
		f.add(by, o)
	}
}

func (f *field) add(by role, o *op) {
	f.mu.Lock()
	if o.Kind == request {
		f.requests++
		if by == taker {
			f.takers++
		}
	} else {
		f.history = append(f.history, o)
		if by != taker {
			f.answered++
		}
	}
	f.mu.Unlock()
	select {
	case f.progress <- struct{}{}:
	default:
	}
}

// answers waits for that many more answers.
func (f *field) answers(n int) {
	f.Helper()
	f.await(n, func() int { return f.answered })
}

// sent waits for that many more requests to be sent.
func (f *field) sent(n int) {
	f.Helper()
	f.await(n, func() int { return f.requests })
}

func (f *field) await(n int, count func() int) {
	f.Helper()
	f.mu.Lock()
	until := count() + n
	f.mu.Unlock()
	for {
		f.mu.Lock()
		there := count() >= until
		f.mu.Unlock()
		if there {
			return
		}
		select {
		case <-f.progress:
		case <-time.After(2 * time.Minute):
			f.Fatal("no worker has sent a request or received a response for 2 minutes")
		}
	}
}

// kill kills a worker with SIGKILL. The outcome of its operations is unknown.
func (f *field) kill(w *process) {
	f.Helper()
	if err := w.cmd.Process.Kill(); err != nil {
		f.Fatal(err)
	}
	w.dead = true
}

// finish has all workers end what they began, and waits for that.
func (f *field) finish() {
	f.Helper()
	for _, w := range f.workers {
		_ = w.stdin.Close() // a worker that was killed has closed it
	}
	for _, w := range f.workers {
		select {
		case err := <-w.ended:
			if err != nil && !w.dead {
				f.Errorf("%s: %v", w.Name, err)
			}
		case <-time.After(2 * time.Minute):
			f.Fatalf("%s does not end", w.Name)
		}
	}
	f.workers = nil
}
