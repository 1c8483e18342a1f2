package counter

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcli"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// takesOne takes a number of foo as another process, which uses no proxy.
func takesOne(f *fixture.Fixture) {
	s := fixture.NewSession(f)
	s.Write("main.tf", f.ConfigFor(f.Cluster.Kubeconfig(f, f.Cluster.Config), "", fixture.CounterBlock("other")))
	if r := s.Run("apply"); r.ExitCode != 0 {
		f.Error(r.All())
	}
}

// After a lost response, a counter takes a number that nobody else has. It may skip one.
func TestCounterAfterALostResponse(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault  func(*fixture.Pipeline) testcluster.Fault
		number float64
		live   string
	}{
		"the write was applied": {
			fault:  func(*fixture.Pipeline) testcluster.Fault { return testcluster.Fault{DropAfter: true} },
			number: 6, live: "7",
		},
		"the write was applied, and another process took the next number": {
			fault: func(p *fixture.Pipeline) testcluster.Fault {
				return testcluster.Fault{Answered: func(*http.Response) { takesOne(p.Fixture) }, DropAfter: true}
			},
			number: 7, live: "8",
		},
		"another process took the number": {
			fault: func(p *fixture.Pipeline) testcluster.Fault {
				takesOne(p.Fixture)
				return testcluster.Fault{DropBefore: true}
			},
			number: 6, live: "7",
		},
		"the write was not applied": {
			fault:  func(*fixture.Pipeline) testcluster.Fault { return testcluster.Fault{DropBefore: true} },
			number: 5, live: "6",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Create("testmap", fixture.Data{"foo": "5"})
			proxy := p.Proxied()
			p.Write(fixture.CounterBlock("n"))
			p.Plan()
			var met atomic.Bool
			proxy.SetHook(func(r *http.Request) testcluster.Fault {
				if r.Method != http.MethodPatch || !met.CompareAndSwap(false, true) {
					return testcluster.Fault{}
				}
				return test.fault(p)
			})
			p.Apply()
			if !met.Load() {
				t.Error("no write met the fault")
			}
			if got := p.WantState("n")["n"].Attributes["value"]; got != test.number {
				t.Errorf("the state holds %v, want %v", got, test.number)
			}
			p.WantLive("testmap", fixture.Data{"foo": test.live})
		})
	}
}

// Given a lost response, after which the key no longer contains a number; then the outcome is unknown, and the next
// apply takes another number.
func TestCounterOfUnknownOutcome(t *testing.T) {
	p := fixture.NewPipeline(t)
	proxy := p.Proxied()
	p.Create("testmap", fixture.Data{"foo": "5"})
	lost := func() {
		p.Plan()
		proxy.SetHook(fixture.OnceFor(t, http.MethodPatch, testcluster.Fault{
			Answered: func(*http.Response) { p.Set("testmap", "foo", "none") }, DropAfter: true,
		}))
		p.ApplyRefused("Error: Write Outcome Unknown", "The ConfigMap may have changed, or may change yet.", "Cause: ", "does not hold a whole number",
			"resourceVersion: ", " before the write", "Run terraform apply again: it takes another number. A number may stay unused.")
		proxy.SetHook(nil)
	}
	number := func(want float64) {
		t.Helper()
		if got := p.WantState("n")["n"].Attributes["value"]; got != want {
			t.Errorf("the state holds %v, want %v", got, want)
		}
	}

	p.Write(fixture.CounterBlock("n"))
	lost()
	p.WantState()
	p.Set("testmap", "foo", "7")
	p.PlanApply()
	number(7)

	p.Write(fixture.CounterBlock("n", `triggers = { a = "1" }`))
	lost()
	number(7)
	p.Set("testmap", "foo", "10")
	p.PlanApply() // the state has the old triggers
	number(10)
	p.WantLive("testmap", fixture.Data{"foo": "11"})
}

func TestCountersOfOneKeyInOneConfigurationAreAllDifferent(t *testing.T) {
	const n = 20
	p := fixture.NewPipeline(t)
	p.Create("testmap", nil)
	proxy := p.Proxied()
	p.Write(fixture.CounterBlock("n", fmt.Sprintf("count = %d", n)))
	p.Plan()
	proxy.Reset()
	p.Apply()
	patches, got := proxy.Count(http.MethodPatch), []int64{}
	for _, each := range p.State() {
		v, _ := each.Attributes["value"].(float64)
		got = append(got, int64(v))
	}
	slices.Sort(got)
	if len(slices.Compact(slices.Clone(got))) != n || got[0] != 0 || got[len(got)-1] != n-1 {
		t.Errorf("took %v, want 0 to %d", got, n-1)
	}
	if patches == 0 || patches > n/2 { // several go into one
		t.Errorf("%d patches for %d numbers", patches, n)
	}
	p.WantLive("testmap", fixture.Data{"foo": strconv.Itoa(n)})
}

// someFaults decides, with a fixed seed, which fault a request meets.
type someFaults struct {
	mu     sync.Mutex
	random *rand.Rand
	counts map[string]int
}

const dropped, late, unavailable = "response dropped", "delayed, response dropped", "answered with 503 after the write"

// meets returns the fault of one request. Almost half of all writes meet one.
func (f *someFaults) meets(r *http.Request) testcluster.Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	met := func(name string, fault testcluster.Fault) testcluster.Fault {
		f.counts[name]++
		return fault
	}
	delay := func() <-chan struct{} {
		held := make(chan struct{})
		time.AfterFunc(time.Duration(f.random.IntN(50))*time.Millisecond, func() { close(held) })
		return held
	}
	n := f.random.IntN(100)
	switch {
	case r.Method == http.MethodPatch && n < 25:
		return met(dropped, testcluster.Fault{DropAfter: true})
	case r.Method == http.MethodPatch && n < 35:
		return met("request dropped", testcluster.Fault{DropBefore: true})
	case r.Method == http.MethodPatch && n < 40:
		return met(unavailable, testcluster.Fault{Answered: testcluster.BusyAfter(http.StatusServiceUnavailable)})
	case r.Method == http.MethodPatch && n < 45:
		return met(late, testcluster.Fault{HoldBefore: delay(), DropAfter: true})
	case n < 70:
		return met("delayed", testcluster.Fault{HoldBefore: delay()})
	}
	return testcluster.Fault{}
}

// Processes take numbers at the same time, and responses are lost. Each process gets a number, no number is given
// twice, and at most as many numbers are skipped as responses were lost.
func TestCounterInProcessesUnderFaults(t *testing.T) {
	const processes = 20
	f := &someFaults{random: rand.New(rand.NewPCG(4, 1)), counts: map[string]int{}}
	p := fixture.NewPipeline(t)
	p.Create("testmap", nil)
	sessions := make([]*fixture.Session, processes)
	var arrived atomic.Int32
	all := make(chan struct{})
	var hooks []func()
	for i := range sessions {
		proxy := p.Cluster.Proxy(t)
		w := fixture.NewSession(t)
		sessions[i] = w
		(&fixture.Pipeline{Fixture: p.Fixture, On: w}).WriteFor(p.Cluster.Kubeconfig(t, proxy.Config), "",
			fixture.CounterBlock("n", `timeouts = { create = "5m" }`)) // also if the machine is busy
		if r := w.Plan(fixture.PlanFile); r.ExitCode != 2 {
			t.Fatal(r.All())
		}
		var once sync.Once
		hooks = append(hooks, func() {
			proxy.SetHook(func(r *http.Request) testcluster.Fault {
				isFirst := false
				once.Do(func() { isFirst = true })
				if !isFirst {
					return f.meets(r)
				}
				if int(arrived.Add(1)) == processes {
					close(all) // now all of them are applying
				}
				return testcluster.Fault{HoldBefore: all}
			})
		})
	}
	results := make([]testcli.Result, processes)
	var running sync.WaitGroup
	for i, w := range sessions {
		hooks[i]()
		running.Go(func() { results[i] = w.Apply(fixture.PlanFile) })
	}
	running.Wait()

	took := map[int]int{}
	for i, result := range results {
		n, isInState := sessions[i].State()["n"]
		if result.ExitCode != 0 || !isInState {
			t.Errorf("process %d ended with %d, in the state: %v\n%s", i, result.ExitCode, isInState, testcli.Flat(result.All()))
			continue
		}
		number, _ := n.Attributes["value"].(float64)
		took[int(number)]++
	}
	next, err := strconv.Atoi(p.Live("testmap").Data["foo"])
	if err != nil {
		t.Fatal(err)
	}
	for n, times := range took {
		if times > 1 || n < 0 || n >= next {
			t.Errorf("%d processes took %d, and the counter is at %d", times, n, next)
		}
	}
	skipped, lost := next-len(took), f.counts[dropped]+f.counts[late]+f.counts[unavailable]
	if skipped > lost || lost == 0 {
		t.Errorf("%d numbers were skipped, and %d responses were lost", skipped, lost)
	}
	t.Logf("%d processes, %d numbers skipped, the counter is at %d; faults: %v", processes, skipped, next, f.counts)
}
