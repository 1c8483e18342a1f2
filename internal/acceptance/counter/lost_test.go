package counter

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcli"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// twin takes a number of foo as another process would, past every proxy.
func twin(f *fixture.Fixture) {
	s := fixture.NewSession(f)
	s.Write("main.tf", f.ConfigFor(f.Cluster.Kubeconfig(f, f.Cluster.Config), "", fixture.CounterBlock("twin")))
	if r := s.Run("apply"); r.ExitCode != 0 {
		f.Error(r.All())
	}
}

func TestCounterFindsOutWhoseNumberItIs(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		fault  func(*fixture.Pipeline) testcluster.Fault
		number float64
		live   string
	}{
		"the answer was lost": {
			fault:  func(*fixture.Pipeline) testcluster.Fault { return testcluster.Fault{DropAfter: true} },
			number: 5, live: "6",
		},
		"the answer was lost, and a twin took the next": {
			fault: func(p *fixture.Pipeline) testcluster.Fault {
				return testcluster.Fault{Answered: func(*http.Response) { twin(p.Fixture) }, DropAfter: true}
			},
			number: 5, live: "7",
		},
		"a twin took it instead, writing the same": {
			fault: func(p *fixture.Pipeline) testcluster.Fault {
				twin(p.Fixture)
				return testcluster.Fault{DropBefore: true}
			},
			number: 6, live: "7",
		},
		"it never arrived": {
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

func TestCounterWithoutWatch(t *testing.T) {
	p := fixture.NewPipeline(t)
	proxy := p.ProxiedAs(p.User("counter-cannot-watch", "configmaps", "patch", "get"))
	p.Create("testmap", fixture.Data{"foo": "5"})
	unknown := func(number, state string) []string {
		return []string{
			"Error: Write Outcome Unknown", "The number may have been taken, or may be taken yet.", "Number: " + fixture.Quoted(number), "State: " + state,
			"resourceVersion: ", " before the write", "cannot watch resource", "Run terraform apply again: it takes another number.",
		}
	}
	lost := func(then func()) {
		proxy.SetHook(fixture.OnceFor(t, http.MethodPatch, testcluster.Fault{Answered: func(*http.Response) { then() }, DropAfter: true}))
	}
	holds := func(number float64) {
		t.Helper()
		if got := p.WantState("n")["n"].Attributes["value"]; got != number {
			t.Errorf("the state holds %v, want %v", got, number)
		}
	}

	p.Write(fixture.CounterBlock("n"))
	p.Plan()
	lost(func() { twin(p.Fixture) })
	p.ApplyRefused(unknown("5", "has nothing of this resource")...)
	p.WantState()

	p.Plan()
	lost(func() { p.Set("testmap", "bar", "1") }) // the key is ours still, which a read shows
	p.Apply()
	holds(7)
	p.WantLive("testmap", fixture.Data{"foo": "8", "bar": "1"})

	p.Write(fixture.CounterBlock("n", `triggers = { a = "1" }`))
	p.Plan()
	lost(func() { twin(p.Fixture) })
	p.ApplyRefused(unknown("8", "keeps the number that it has")...)
	holds(7)

	p.Plan() // the triggers are still to be applied
	proxy.SetHook(nil)
	p.Apply()
	holds(10)
	p.WantLive("testmap", fixture.Data{"foo": "11", "bar": "1"})
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

// someFaults decides, with a fixed seed, what becomes of requests.
type someFaults struct {
	refusesWatches bool // so that what is lost cannot be found out

	mu     sync.Mutex
	random *rand.Rand
	counts map[string]int
}

// meets is the fault of one request. Half of all writes meet one.
func (f *someFaults) meets(r *http.Request) testcluster.Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	met := func(name string, fault testcluster.Fault) testcluster.Fault {
		f.counts[name]++
		return fault
	}
	late := func() <-chan struct{} {
		held := make(chan struct{})
		time.AfterFunc(time.Duration(f.random.IntN(50))*time.Millisecond, func() { close(held) })
		return held
	}
	n := f.random.IntN(100)
	switch {
	case r.Method == http.MethodPatch && n < 25:
		return met("answer of a write dropped", testcluster.Fault{DropAfter: true})
	case r.Method == http.MethodPatch && n < 35:
		return met("write reset", testcluster.Fault{DropBefore: true})
	case r.Method == http.MethodPatch && n < 40:
		return met("write answered with 503 after it landed", testcluster.Fault{Answered: testcluster.BusyAfter(http.StatusServiceUnavailable)})
	case r.Method == http.MethodPatch && n < 45:
		return met("write late, its answer dropped", testcluster.Fault{HoldBefore: late(), DropAfter: true})
	case r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, "/configmaps") && f.refusesWatches && n < 60:
		return met("watch refused", testcluster.Fault{Answer: &testcluster.Answer{
			Status: http.StatusGone, Header: http.Header{"Content-Type": {"application/json"}},
			Body: `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410,"message":"too old"}`,
		}})
	case n < 70:
		return met("late", testcluster.Fault{HoldBefore: late()})
	}
	return testcluster.Fault{}
}

var numberLine = regexp.MustCompile(`Number: "(-?\d+)"`)

// TestCounterInProcessesUnderFaults has processes of their own apply at the same time. No number is given twice, and none is
// skipped but with an error that names it: none at all, where lost answers can be found out.
func TestCounterInProcessesUnderFaults(t *testing.T) {
	t.Run("that can be got over", func(t *testing.T) {
		counterUnderFaults(t, 20, &someFaults{random: rand.New(rand.NewPCG(4, 1)), counts: map[string]int{}})
	})
	t.Run("that cannot", func(t *testing.T) {
		counterUnderFaults(t, 12, &someFaults{random: rand.New(rand.NewPCG(4, 2)), counts: map[string]int{}, refusesWatches: true})
	})
}

func counterUnderFaults(t *testing.T, processes int, f *someFaults) {
	t.Helper()
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
			fixture.CounterBlock("n", `timeouts = { create = "5m" }`)) // also where the machine is busy
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

	took, inDoubt, refused := map[int]int{}, map[int]bool{}, 0
	for i, result := range results {
		value, inState := 0, false
		if n, ok := sessions[i].State()["n"]; ok {
			number, _ := n.Attributes["value"].(float64)
			value, inState = int(number), true
		}
		output := testcli.Flat(result.All())
		switch {
		case result.ExitCode == 0 && inState:
			took[value]++
		case result.ExitCode == 0 || inState:
			t.Errorf("process %d ended with %d, in the state: %v\n%s", i, result.ExitCode, inState, output)
		default:
			refused++
			number := numberLine.FindStringSubmatch(output)
			if !strings.Contains(output, "Error: Write Outcome Unknown") || number == nil {
				t.Errorf("process %d says\n%s", i, output)
				continue
			}
			n, err := strconv.Atoi(number[1])
			if err != nil {
				t.Error(err)
			}
			inDoubt[n] = true
		}
	}
	next, err := strconv.Atoi(cmp.Or(p.Live("testmap").Data["foo"], "0"))
	if err != nil {
		t.Fatal(err)
	}
	skipped := 0
	for n := range next {
		switch {
		case took[n] > 1:
			t.Errorf("%d processes took %d", took[n], n)
		case took[n] == 0 && !inDoubt[n]:
			t.Errorf("nobody took %d, and no error told of it", n)
		case took[n] == 0:
			skipped++
		}
		delete(took, n)
	}
	if len(took) > 0 {
		t.Errorf("numbers that the counter does not know: %v", took)
	}
	if !f.refusesWatches && refused > 0 {
		t.Errorf("%d of %d processes got no number", refused, processes)
	}
	if refused == processes || f.counts["answer of a write dropped"] == 0 {
		t.Errorf("%d of %d processes were refused, faults: %v: this tests nothing", refused, processes, f.counts)
	}
	t.Logf("%d processes, %d were told that it is unknown, %d numbers left out, all of them told; the counter is at %d; faults: %v",
		processes, refused, skipped, next, f.counts)
}
