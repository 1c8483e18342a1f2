package soak

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/session"
)

// workerEnv makes a worker of the test binary.
const workerEnv = "SOAK_WORKER"

// role selects the work of a worker.
type role string

const (
	swapper role = "swapper" // an engine, and all shapes of swaps
	plain   role = "plain"   // client-go: get, compare, update; and blind writes to a key
	broken  role = "broken"  // a swapper that compares and then writes whatever the version is
	mover   role = "mover"   // an engine, and transfers between keys
	maker   role = "maker"   // an engine, and ConfigMaps that come and go
	taker   role = "taker"   // an engine, and numbers of a counter
	tenant  role = "tenant"  // an engine, and allocations of a pool

	unguarded role = "unguarded" // transactions that do not compare their guards when they write
	piecemeal role = "piecemeal" // transactions that write their keys one by one
)

// plan is the configuration of a worker, in the first line of its input. The worker stops at the end of its input.
type plan struct {
	Name       string
	Role       role
	Number     int
	Workers    int
	Seed       uint64
	Host       string
	TLS        rest.TLSClientConfig
	Token      string
	Namespace  string
	Secrets    bool // what is called a ConfigMap is a Secret
	ConfigMaps []string
	Keys       []string
	Goroutines int
	Deadline   time.Duration // of each swap
	Cancel     bool          // contexts end at random moments
	Repeats    bool          // each of its two values is written again and again
}

func (p *plan) config() *rest.Config {
	return &rest.Config{Host: p.Host, QPS: -1, BearerToken: p.Token, TLSClientConfig: p.TLS}
}

// worker contains what all roles share.
type worker struct {
	plan
	journal journal
	wire    wire
	config  *rest.Config
	stop    context.Context // ends when the worker is to begin nothing more
}

// work is the life of a worker process.
func work(in io.Reader, out io.Writer) int {
	klog.SetSlogLogger(slog.New(slog.DiscardHandler)) // connections break on purpose
	if err := workOn(bufio.NewReader(in), out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func workOn(in *bufio.Reader, out io.Writer) error {
	line, err := in.ReadBytes('\n')
	if err != nil {
		return err
	}
	w := &worker{journal: journal{w: out}}
	if err := json.Unmarshal(line, &w.plan); err != nil {
		return err
	}
	stop, end := context.WithCancel(context.Background())
	go func() {
		_, _ = io.Copy(io.Discard, in) // it ends when the test says so, or is no more
		end()
	}()
	w.stop = stop
	w.config = w.plan.config()
	w.wire.sent = w.journal.sent
	w.config.Wrap(func(next http.RoundTripper) http.RoundTripper { return &tap{next, &w.wire} })
	loop, done, err := w.loop()
	if err != nil {
		return err
	}
	var all sync.WaitGroup
	for i := range w.Goroutines {
		all.Go(func() { loop(i, rand.New(rand.NewPCG(w.Seed, uint64(100*w.Number+i)))) })
	}
	all.Wait()
	done()
	return w.journal.err
}

// loop returns the function that each goroutine runs until the worker stops, and a function to call after that.
func (w *worker) loop() (loop func(int, *rand.Rand), done func(), err error) {
	if slices.Contains([]role{plain, broken, unguarded, piecemeal}, w.Role) {
		return newPlainWriter(w)
	}
	engine, err := cas.New(w.config, nil)
	if err != nil {
		return nil, nil, err
	}
	done = engine.Close
	switch w.Role {
	case swapper:
		loop = (&engineSwapper{worker: w, engine: engine, views: map[string]view{}}).loop
	case mover:
		loop = (&engineMover{worker: w, engine: engine}).loop
	case maker:
		loop = (&engineMaker{worker: w, engine: engine, made: map[string]view{}}).loop
	case taker:
		loop = (&engineTaker{worker: w, engine: engine}).loop
	case tenant:
		loop = (&engineTenant{worker: w, run: &session.Session{Engine: engine}}).loop
	default:
		err = errors.New("no such role: " + string(w.Role))
	}
	return loop, done, err
}

// begin writes down that an operation is asked for.
func (w *worker) begin(o *op) {
	o.Worker = w.Name
	w.wire.watch(o)
	w.journal.call(o)
}

// end writes down what it was answered.
func (w *worker) end(o *op) {
	o.Lost = w.wire.unwatch(o).lost
	w.journal.answered(o)
}

// pause keeps a worker that is refused from asking as fast as it can.
func (w *worker) pause() {
	select {
	case <-w.stop.Done():
	case <-time.After(10 * time.Millisecond):
	}
}

// wire reports each request of a worker, and records during which operations a response was lost.
type wire struct {
	sent func()

	mu    sync.Mutex
	under map[*op]*underWay // the operations that are
}

// tap has a wire see what one engine sends: a worker may have several.
type tap struct {
	next http.RoundTripper
	wire *wire
}

// underWay identifies the requests of an operation. Only the goroutine of an operation uses the fields of the op.
type underWay struct {
	configMap string
	lost      bool // a response about the ConfigMap was lost
}

func (w *wire) watch(o *op) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.under == nil {
		w.under = map[*op]*underWay{}
	}
	w.under[o] = &underWay{configMap: "/" + o.ConfigMap}
}

func (w *wire) unwatch(o *op) *underWay {
	w.mu.Lock()
	defer w.mu.Unlock()
	u := w.under[o]
	delete(w.under, o)
	return u
}

// RoundTrip implements [http.RoundTripper].
func (t *tap) RoundTrip(r *http.Request) (*http.Response, error) {
	t.wire.sent()
	response, err := t.next.RoundTrip(r)
	if err != nil || response.StatusCode >= http.StatusInternalServerError ||
		response.StatusCode == http.StatusTooManyRequests || response.StatusCode == http.StatusRequestTimeout {
		t.wire.lose(r)
		return response, err
	}
	response.Body = &tapped{response.Body, func() { t.wire.lose(r) }}
	return response, nil
}

// tapped is the body of a response. It calls lose if the body cannot be read to its end.
type tapped struct {
	io.ReadCloser

	lose func()
}

func (b *tapped) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		b.lose()
	}
	return n, err
}

// lose records that the response to a request was lost.
func (w *wire) lose(r *http.Request) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, u := range w.under {
		u.lost = u.lost || r.Method == http.MethodPost || strings.HasSuffix(r.URL.Path, u.configMap)
	}
}
