package soak

import (
	"slices"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster/controlplane"
)

// bound is how many swaps at most may be unknown.
type bound uint8

const (
	// noBound: the API server was away, or its answers came too late.
	noBound bound = iota
	// noneAtAll: nothing stood between a swap and its answer.
	noneAtAll
	// noMergePatch: the API server could be asked what became of a write. That tells it of a merge patch, which is conditional
	// on a version. A JSON Patch is not: that it is not among the versions that came since may mean that it was refused, or that
	// it is still on its way.
	noMergePatch
)

// admits tells whether the operation may be unknown. A swap that writes what is there makes no version of its own to be told by,
// where another comes first. A take is a merge patch, of a version of its own.
func (b bound) admits(o *op) bool {
	switch b {
	case noneAtAll:
		return false
	case noMergePatch:
		return o.Kind != takeOp && (o.ByKey || !o.changes())
	case noBound:
	}
	return true
}

// part is one kind of fault.
type part struct {
	name     string
	strike   func(*field)
	overTCP  bool // the workers go over TLS, past the HTTP proxy
	deadline time.Duration
	cancel   bool
	repeats  bool // few keys, to which the same values come again and again
	noWatch  bool // the workers may do all but watch
	bound    bound
}

var faults = []part{
	{name: "nothing", strike: func(f *field) { f.answers(breath) }, overTCP: true, bound: noneAtAll},
	{name: "latency", strike: latency, overTCP: true, bound: noneAtAll},
	{name: "connection reset before the send", strike: spoilt(reset), overTCP: true},
	{name: "connection refused", strike: refused, overTCP: true},
	{name: "response cut", strike: spoilt(cut), overTCP: true},
	{name: "request dropped", strike: struck(20, dropBefore), bound: noMergePatch},
	{name: "response dropped", strike: struck(20, dropAfter), bound: noMergePatch},
	{name: "response dropped, without the verb watch", strike: struck(20, dropAfter), noWatch: true},
	{name: "request delivered late", strike: late, bound: noMergePatch, repeats: true},
	{name: "requests held until nobody waits", strike: held, deadline: time.Second},
	{name: "429 and 503", strike: struck(10, overload), bound: noMergePatch},
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

// twoMaps is what the ConfigMaps hold at first, and the keys that are swapped. The last is also written blindly.
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
	mayBeUnknown := p.bound
	if f.noWatch = p.noWatch || *unwatched; f.noWatch {
		user := c.User(t, "no-watch", f.namespace, rbacv1.PolicyRule{
			APIGroups: []string{""}, Resources: []string{"configmaps", "secrets"}, Verbs: []string{"get", "list", "create", "update", "patch", "delete"},
		})
		f.http, f.tcp = c.ProxyFor(t, user), controlplane.NewTCPProxy(t, user)
		if mayBeUnknown == noMergePatch { // what a list leads back to is not always the first version after the base
			mayBeUnknown = noBound
		}
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
	f.check(mayBeUnknown, rounds)
}

// check judges what all workers were told, and prints figures.
func (f *field) check(b bound, rounds int) {
	f.Helper()
	states := f.record.complete(f.T)
	for _, err := range f.verify(states, b) {
		f.Error(err)
	}
	n := count(f.history)
	for _, o := range f.history {
		if (o.isEngines() || o.Kind == takeOp) && o.Verdict == cas.Unknown && !o.leavesNoTrace() && !b.admits(o) {
			f.Errorf("%s: it could have been found out", o)
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

// verify is both checks.
func (f *field) verify(states map[string][]state, b bound) []error {
	errs := linearizable(f.history, f.initially)
	for _, name := range f.configMaps {
		h := f.history.in(name)
		if b == noBound {
			h = made(h, states[name])
		}
		errs = append(errs, accounted(h, states[name])...)
	}
	return errs
}

// made gives each swap that is told with a later version than the one that it made its own: the first of those that hold all that it wrote, in a row
// up to the one told. Where nothing tells what came after the base, the object as it is now proves a write, and others may have written since.
func made(h history, states []state) history {
	h = slices.Clone(h)
	for i, o := range h {
		if !o.wroteKey() || o.Kind != swapOp {
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

// initially is what a key holds at first.
func (f *field) initially(_, key string) cas.Entry {
	if v, ok := f.initial[key]; ok {
		return cas.Text(v)
	}
	return cas.Entry{}
}
