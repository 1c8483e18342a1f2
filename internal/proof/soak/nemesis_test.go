package soak

import (
	"bytes"
	"context"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"

	"k8s.io/client-go/rest"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster/controlplane"
)

// breath is for how many answers the nemesis lets the workers do as they please.
const breath = 60

// hold is for how many requests it keeps a fault up. Answers are not waited for: there may be none before a fault is over. Few
// requests come while nothing gets through, since engines wait longer and longer.
const hold = 20

// spoilt has a toxic do its work for a while. Connections that it has stalled are closed at the end: they would stay so.
func spoilt(toxic func(*rand.Rand) controlplane.Toxic) func(*field) {
	return func(f *field) {
		f.must(f.tcp.Spoil(toxic(f.draw)))
		f.sent(hold)
		f.tcp.Heal()
		f.tcp.Down()
		f.must(f.tcp.Up())
	}
}

// latency has each response come late.
func latency(f *field) {
	attributes := map[string]int{"latency": 5 + f.draw.IntN(20), "jitter": 5}
	f.must(f.tcp.Spoil(controlplane.Toxic{Type: "latency", Stream: "downstream", Attributes: attributes}))
	f.answers(breath)
	f.tcp.Heal()
}

// reset breaks each connection with the first byte that the client sends: the API server sees nothing of it.
func reset(*rand.Rand) controlplane.Toxic {
	return controlplane.Toxic{Type: "reset_peer", Stream: "upstream"}
}

// cut ends each connection after a number of bytes from the API server, in the middle of a response.
func cut(draw *rand.Rand) controlplane.Toxic {
	return controlplane.Toxic{Type: "limit_data", Stream: "downstream", Attributes: map[string]int{"bytes": 2500 + draw.IntN(4000)}}
}

// refused has all connections closed, and new ones refused.
func refused(f *field) {
	f.tcp.Down()
	f.sent(hold)
	f.must(f.tcp.Up())
}

// struck has some of the requests that write meet with a fault.
func struck(share int, fault func(*rand.Rand, *http.Request) testcluster.Fault) func(*field) {
	return func(f *field) {
		var mu sync.Mutex
		draw := rand.New(rand.NewPCG(f.draw.Uint64(), 0))
		f.http.SetHook(func(r *http.Request) testcluster.Fault {
			mu.Lock()
			defer mu.Unlock()
			if r.Method == http.MethodGet || draw.IntN(100) >= share {
				return testcluster.Fault{}
			}
			return fault(draw, r)
		})
		f.answers(breath)
		f.http.SetHook(nil)
	}
}

func dropBefore(*rand.Rand, *http.Request) testcluster.Fault {
	return testcluster.Fault{DropBefore: true}
}

func dropAfter(*rand.Rand, *http.Request) testcluster.Fault {
	return testcluster.Fault{DropAfter: true}
}

// overload answers 429 or 503 with Retry-After, before the API server sees the request or after it has done it.
func overload(draw *rand.Rand, _ *http.Request) testcluster.Fault {
	status := []int{http.StatusTooManyRequests, http.StatusServiceUnavailable}[draw.IntN(2)]
	if draw.IntN(2) == 0 {
		return testcluster.Fault{Answer: &testcluster.Answer{Status: status, Header: http.Header{"Retry-After": {"1"}}, Body: "too busy"}}
	}
	return testcluster.Fault{Answered: func(r *http.Response) {
		_ = r.Body.Close()
		r.StatusCode, r.ContentLength = status, -1
		r.Header = http.Header{"Retry-After": {"1"}, "Content-Type": {"text/plain"}}
		r.Body = io.NopCloser(strings.NewReader("too busy"))
	}}
}

// late drops the connections of some writes, and delivers these to the API server when others have come after them.
func late(f *field) {
	transport, err := rest.TransportFor(f.cluster.Config)
	f.must(err)
	var mu sync.Mutex
	var queue []*http.Request
	var delivering sync.WaitGroup
	deliver := func(r *http.Request) {
		delivering.Go(func() {
			response, err := transport.RoundTrip(r)
			if err == nil {
				_ = response.Body.Close() // nobody waits for it
			}
		})
	}
	struck(20, func(draw *rand.Rand, r *http.Request) testcluster.Fault {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return testcluster.Fault{DropBefore: true}
		}
		again, err := http.NewRequestWithContext(context.Background(), r.Method, f.cluster.Config.Host+r.URL.RequestURI(), bytes.NewReader(body))
		if err != nil {
			f.Error(err)
			return testcluster.Fault{}
		}
		again.Header = r.Header.Clone()
		mu.Lock()
		defer mu.Unlock()
		queue = append(queue, again)
		if len(queue) > 2 {
			i := draw.IntN(len(queue))
			deliver(queue[i])
			queue = slices.Delete(queue, i, i+1)
		}
		return testcluster.Fault{DropBefore: true}
	})(f)
	mu.Lock()
	defer mu.Unlock()
	for _, r := range queue {
		deliver(r)
	}
	queue = nil
	delivering.Wait()
}

// held blocks all writes until takes end with an unknown outcome, and others were sent on the same base. Then it delivers all
// of them at once.
func held(f *field) {
	until := make(chan struct{})
	f.http.SetHook(func(r *http.Request) testcluster.Fault {
		if r.Method == http.MethodGet {
			return testcluster.Fault{}
		}
		return testcluster.Fault{HoldBefore: until}
	})
	f.await(4, func() (n int) {
		for _, o := range f.history {
			if o.Kind == takeOp && o.Verdict == eval.Unknown {
				n++
			}
		}
		return n
	})
	f.sent(hold)
	f.http.SetHook(nil)
	close(until)
}

// killedAPIServer is away for so long that some swaps find nobody there.
func killedAPIServer(f *field) {
	f.must(f.cluster.KillAPIServer())
	f.sent(hold)
	f.must(f.cluster.StartAPIServer())
}

func killedEtcd(f *field) {
	f.must(f.cluster.KillEtcd())
	f.must(f.cluster.StartEtcd())
}

// frozenEtcd is frozen for so long that all that was under way has run into its deadline.
func frozenEtcd(f *field) {
	f.must(f.cluster.FreezeEtcd())
	f.answers(breath / 4)
	f.must(f.cluster.ThawEtcd())
}

// killedWorker is the oldest one, and is replaced by another.
func killedWorker(f *field) {
	w := f.workers[slices.IndexFunc(f.workers, func(w *process) bool { return !w.dead })]
	f.kill(w)
	f.start(plan{Role: w.Role, Goroutines: w.Goroutines, Number: w.Number, Workers: w.Workers, Deadline: w.Deadline}, f.http.Config)
}

func (f *field) must(err error) {
	f.Helper()
	if err != nil {
		f.Fatal(err)
	}
}

// together holds each patch until another has arrived: both write what they evaluated before either was applied.
func (f *field) together() (apart func()) {
	var mu sync.Mutex
	var first chan struct{}
	f.http.SetHook(func(r *http.Request) testcluster.Fault {
		mu.Lock()
		defer mu.Unlock()
		if r.Method != http.MethodPatch {
			return testcluster.Fault{}
		}
		if first == nil {
			first = make(chan struct{})
			return testcluster.Fault{HoldBefore: first}
		}
		close(first)
		first = nil
		return testcluster.Fault{}
	})
	return func() {
		f.http.SetHook(nil)
		mu.Lock()
		defer mu.Unlock()
		if first != nil {
			close(first)
		}
	}
}
