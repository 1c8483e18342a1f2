package soak

import (
	"slices"
	"testing"
	"time"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster/controlplane"
)

// part is one kind of fault.
type part struct {
	name     string
	strike   func(*field)
	overTCP  bool // the workers go over TLS, past the HTTP proxy
	deadline time.Duration
	cancel   bool
	repeats  bool // few keys, to which the same values come again and again
	quiet    bool // no response is lost
}

var faults = []part{
	{name: "nothing", strike: func(f *field) { f.answers(breath) }, overTCP: true, quiet: true},
	{name: "latency", strike: latency, overTCP: true, quiet: true},
	{name: "connection reset before the send", strike: spoilt(reset), overTCP: true},
	{name: "connection refused", strike: refused, overTCP: true},
	{name: "response cut", strike: spoilt(cut), overTCP: true},
	{name: "request dropped", strike: struck(20, dropBefore)},
	{name: "response dropped", strike: struck(20, dropAfter)},
	{name: "request delivered late", strike: late, repeats: true},
	{name: "requests held until nobody waits", strike: held, deadline: time.Second},
	{name: "429 and 503", strike: struck(10, overload)},
	{name: "contexts cancelled", strike: func(f *field) { f.answers(2 * breath) }, cancel: true},
	{name: "worker killed", strike: func(f *field) { killedWorker(f); f.answers(breath); killedWorker(f) }},
	{name: "kube-apiserver killed", strike: killedAPIServer, overTCP: true},
	{name: "etcd killed", strike: killedEtcd, overTCP: true},
	{name: "etcd frozen", strike: frozenEtcd, overTCP: true, deadline: 2 * time.Second},
}

func TestEngineUnderFire(t *testing.T) {
	c := controlplane.Own(t)
	for _, part := range faults {
		t.Run(part.name, func(t *testing.T) { part.run(t, c) })
	}
	t.Run("writer that ignores the version", func(t *testing.T) { testBrokenWriter(t, c) })
	t.Run("transactions that are none", func(t *testing.T) { testBrokenTxns(t, c) })
	t.Run("ConfigMaps that come and go", func(t *testing.T) { testComingsAndGoings(t, c) })
	t.Run("conserved sum", func(t *testing.T) { testConservedSum(t, c) })
	if !*secrets { // no Secret holds a pool
		t.Run("pool", func(t *testing.T) { testPool(t, c) })
	}
}

// The checks must not pass a writer that compares and then writes whatever the version is by then.
func testBrokenWriter(t *testing.T, c *controlplane.Cluster) {
	t.Helper()
	f := newField(t, c, []string{"one"}, []string{"a"}, initial, nil)
	apart := f.together()
	for range 2 {
		f.start(plan{Role: broken, Goroutines: 1}, f.http.Config)
	}
	f.wantObjections(apart)
}

// wantObjections has the workers go on for a while, and fails the test unless both checks object to what they did.
func (f *field) wantObjections(apart func()) {
	f.Helper()
	f.answers(breath)
	apart()
	f.finish()
	illegal := linearizable(f.history, f.initially)
	unaccounted := accounted(f.history, f.record.complete(f.T)["one"])
	if len(illegal) == 0 || len(unaccounted) == 0 {
		f.Errorf("linearizability: %v; versions: %v; want both to object", illegal, unaccounted)
	}
	f.Logf("%d operations, %d complaints, the first: %v, %v", len(f.history), len(illegal)+len(unaccounted), illegal, unaccounted[:min(1, len(unaccounted))])
}

// The ConfigMaps, the keys that are swapped, and the initial values. The last key is also written blindly.
var (
	twoMaps = []string{"one", "two"}
	keys    = []string{"a", "b", "c", "d", "e"}
	initial = map[string]string{"a": "initial", "b": "initial", "e": "initial"}
)

func (p *part) run(t *testing.T, c *controlplane.Cluster) {
	t.Helper()
	f := newField(t, c, twoMaps, keys, initial, nil)
	if p.repeats {
		f.configMaps, f.keys = twoMaps[:1], keys[:2]
	}
	config := f.http.Config
	if p.overTCP {
		config = f.tcp.Config
	}
	const swappers = 3
	for i := range swappers {
		f.start(plan{
			Role: swapper, Number: i, Workers: swappers, Goroutines: 2, Deadline: p.deadline, Cancel: p.cancel, Repeats: p.repeats,
		}, config)
		if i == 0 { // so that it is the second to be killed
			f.start(plan{Role: taker, Number: swappers, Goroutines: 4, Deadline: p.deadline, Cancel: p.cancel}, config)
		}
	}
	f.start(plan{Role: plain, Goroutines: 1, Deadline: p.deadline}, config)

	f.answers(breath)
	rounds := 0
	for begun := time.Now(); rounds == 0 || again(begun); rounds++ {
		p.strike(f)
		f.answers(breath)
	}
	f.finish()
	f.check(p.quiet, rounds)
}

// check checks the verdicts of all workers, and prints figures. quiet: no response was lost.
func (f *field) check(quiet bool, rounds int) {
	f.Helper()
	states := f.record.complete(f.T)
	for _, name := range f.configMaps {
		f.history = append(f.history, skipped(f.history.in(name), states[name])...)
	}
	for _, err := range f.verify(states) {
		f.Error(err)
	}
	n := count(f.history)
	for _, o := range f.history {
		if (o.isEngines() || o.Kind == takeOp) && o.Verdict == eval.Unknown && (quiet || !o.Lost) {
			f.Errorf("%s: no response was lost", o)
		}
	}
	versions := 0
	for _, s := range states {
		versions += len(s) - 1
	}
	f.Logf("%d rounds: %s; %d requests, %d versions, of which %d were not watched", rounds, n, f.requests, versions, f.record.filled)
	if taken := countTakes(f.history, states); taken.all > 0 {
		f.Logf("%s; %.2f requests a number of the takers", taken, float64(f.takers)/float64(max(taken.takers, 1)))
	}
}

// verify runs both checks.
func (f *field) verify(states map[string][]state) []error {
	errs := linearizable(f.history, f.initially)
	for _, name := range f.configMaps {
		errs = append(errs, accounted(made(f.history.in(name), states[name]), states[name])...)
	}
	return errs
}

// made gives each swap whose response was lost the version that it made: the first of the versions in a row, up to the one that the
// verdict names, that contain all that the swap wrote. Other writers may have made the later ones.
func made(h history, states []state) history {
	h = slices.Clone(h)
	for i, o := range h {
		if !o.wroteKey() || o.Kind != swapOp || !o.Lost {
			continue
		}
		holds := func(s state) bool {
			return !slices.ContainsFunc(o.parts(), func(p keyPart) bool { return p.writes(o, p.Previous) && s.entries[p.Key] != p.New })
		}
		told := slices.IndexFunc(states, func(s state) bool { return s.version == o.Version })
		at := told
		for at > 0 && holds(states[at]) && holds(states[at-1]) {
			at--
		}
		if at > 0 && at < told {
			h[i] = o.madeAt(states[told], states[at])
		}
	}
	return h
}

// initially returns the initial value of a key.
func (f *field) initially(_, key string) eval.Value {
	if v, ok := f.initial[key]; ok {
		return eval.Text(v)
	}
	return eval.Value{}
}
