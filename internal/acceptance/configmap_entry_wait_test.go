package acceptance_test

import (
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// waiter is an entry foo = "2" that waits for "1"; lines come in place of its own, and besides.
func waiter(lines ...string) string {
	own := slices.DeleteFunc([]string{`value = "2"`, `expected_value = "1"`, `conflict_scope = "key"`, `wait_for_match = "10m"`}, func(line string) bool {
		argument, _, _ := strings.Cut(line, "=")
		return slices.ContainsFunc(lines, func(other string) bool { return strings.HasPrefix(other, argument+"=") })
	})
	return entryBlock("foo", append(own, lines...)...)
}

// isWatch reports whether the request is a watch, other than one that reads and learns the horizon.
func isWatch(query url.Values) bool { return query.Has("watch") && !query.Has("timeoutSeconds") }

// watched is what happens to a watch that the API server has begun and the provider has not heard of yet.
func watched(do func()) testcluster.Fault {
	return testcluster.Fault{Answered: func(*http.Response) { do() }}
}

// onWatches has happen to the n-th watch what faults[n] does, which is called when it arrives. No watch is to come after them.
func (f *fixture) onWatches(p *testcluster.Proxy, faults ...func() testcluster.Fault) {
	f.afterWatch(p, func(*fixture) {}, faults...)
}

// afterWatch is onWatches, and does something once, before the first read that comes after a watch is forwarded.
func (f *fixture) afterWatch(p *testcluster.Proxy, do func(*fixture), faults ...func() testcluster.Fault) {
	var mu sync.Mutex
	n := 0
	var once sync.Once
	p.SetHook(func(r *http.Request) testcluster.Fault {
		mu.Lock()
		if isWatch(r.URL.Query()) {
			n++
		}
		this := n
		mu.Unlock()
		if !isWatch(r.URL.Query()) {
			if this > 0 {
				once.Do(func() { do(f) })
			}
			return testcluster.Fault{}
		}
		if this > len(faults) {
			f.Errorf("watch %d: %v", this, r.URL)
			return testcluster.Fault{}
		}
		return faults[this-1]()
	})
}

// requestCounts are of those to a proxy since it was reset.
type requestCounts struct{ Gets, Watches, Patches int }

func countsOf(p *testcluster.Proxy) (n requestCounts) {
	for _, r := range p.Requests() {
		switch {
		case isWatch(r.Query):
			n.Watches++
		case r.Method == http.MethodGet:
			n.Gets++
		case r.Method == http.MethodPatch:
			n.Patches++
		}
	}
	return n
}

// waitStory is what happens between the plan of a resource that waits and the end of its apply.
type waitStory struct {
	before  data   // nil: no ConfigMap
	applied string // a resource that was applied before; "" for none
	waits   string
	between func(f *fixture) // plan and apply
	watches func(f *fixture) []func() testcluster.Fault
	reads   func(f *fixture) // with the first read after a watch was begun, which sees it
	silent  bool             // the plan warns of nothing
	refused []string         // nil: it is applied
	after   data             // nil: no ConfigMap
	counts  requestCounts    // of the apply
}

// then is a watch during which another writer does something.
func then(do func(f *fixture)) func(f *fixture) []func() testcluster.Fault {
	return func(f *fixture) []func() testcluster.Fault {
		return []func() testcluster.Fault{func() testcluster.Fault { return watched(func() { do(f) }) }}
	}
}

func sets(value string) func(*fixture) { return func(f *fixture) { f.set("testmap", "foo", value) } }

// One read is of the plan that the apply makes, one is told from when it refuses, and one is what the swap goes by.
var (
	waitedOnce  = requestCounts{Gets: 3, Watches: 1, Patches: 1}
	refusedThen = requestCounts{Gets: 3, Watches: 1}
)

var waitStories = map[string]waitStory{
	"another sets what is expected": {
		before: data{"foo": "0"}, waits: waiter(), watches: then(sets("1")),
		after: data{"foo": "2"}, counts: waitedOnce,
	},
	"after many writes of others": {
		before: data{"foo": "0"}, waits: waiter(), after: data{"foo": "2", "other": "19"}, counts: waitedOnce,
		watches: then(func(f *fixture) {
			for i := range 20 {
				f.set("testmap", "foo", fmt.Sprint("not ", i))
				f.set("testmap", "other", fmt.Sprint(i))
			}
			f.set("testmap", "foo", "1")
		}),
	},
	"the ConfigMap is made": {
		waits: waiter(), after: data{"foo": "2"}, counts: waitedOnce,
		watches: then(func(f *fixture) { f.create("testmap", data{"foo": "1"}) }),
	},
	"the ConfigMap is made, and later what is expected": {
		waits: waiter(), after: data{"foo": "2"}, counts: waitedOnce,
		watches: then(func(f *fixture) {
			f.create("testmap", nil)
			f.set("testmap", "foo", "0")
			f.set("testmap", "foo", "1")
		}),
	},
	"the ConfigMap is deleted and made again": {
		before: data{"foo": "0"}, waits: waiter(), after: data{"foo": "2"}, counts: waitedOnce,
		watches: then(func(f *fixture) {
			f.remove("testmap")
			f.create("testmap", data{"foo": "1"})
		}),
	},
	"what it saw is gone when it looks": {
		before: data{"foo": "0"}, waits: waiter(), reads: sets("9"), after: data{"foo": "2"},
		counts: requestCounts{Gets: 4, Watches: 2, Patches: 1},
		watches: func(f *fixture) []func() testcluster.Fault {
			again := func() testcluster.Fault { return watched(func() { f.set("testmap", "foo", "1") }) }
			return []func() testcluster.Fault{again, again}
		},
	},
	"without an expected value, the key goes": {
		before: data{"foo": "held"}, after: data{"foo": "2"}, counts: waitedOnce,
		waits:   entryBlock("foo", `value = "2"`, `conflict_scope = "key"`, `wait_for_match = "10m"`),
		watches: then(func(f *fixture) { f.unset("testmap", "foo") }),
	},
	"what is to be adopted comes": {
		before: data{"foo": "0"}, waits: waiter(`adopt_existing = true`), watches: then(sets("2")),
		after: data{"foo": "2"}, counts: requestCounts{Gets: 3, Watches: 1},
	},
	"an update, of what the state says": {
		before: data{}, applied: entryBlock("foo", `value = "1"`, `conflict_scope = "key"`), silent: true,
		waits:   entryBlock("foo", `value = "2"`, `conflict_scope = "key"`, `wait_for_match = "10m"`),
		between: sets("9"), watches: then(sets("1")), after: data{"foo": "2"}, counts: waitedOnce,
	},
	"an update, of what is expected": {
		before: data{}, applied: entryBlock("foo", `value = "0"`, `conflict_scope = "key"`),
		waits: waiter(), watches: then(sets("1")), after: data{"foo": "2"}, counts: waitedOnce,
	},
	"an update, and the ConfigMap is gone": {
		before: data{}, applied: entryBlock("foo", `value = "1"`, `conflict_scope = "key"`), silent: true,
		waits:   entryBlock("foo", `value = "2"`, `conflict_scope = "key"`, `wait_for_match = "10m"`),
		between: func(f *fixture) { f.remove("testmap") }, after: data{"foo": "2"}, counts: waitedOnce,
		watches: then(func(f *fixture) { f.create("testmap", data{"foo": "1"}) }),
	},
	"the operation's timeout counts for itself": {
		before: data{"foo": "0"}, waits: waiter(`timeouts = { create = "1ms" }`), watches: then(sets("1")),
		after: data{"foo": "2"}, counts: waitedOnce,
	},
	"it holds already": {
		before: data{"foo": "1"}, waits: waiter(), silent: true,
		after: data{"foo": "2"}, counts: requestCounts{Gets: 1, Patches: 1},
	},

	"another writes the new value": {
		before: data{"foo": "0"}, waits: waiter(), watches: then(sets("2")), counts: refusedThen,
		refused: []string{"Error: Key Already Holds The Value"}, after: data{"foo": "2"},
	},
	"it turns immutable": {
		before: data{"foo": "0"}, waits: waiter(), counts: refusedThen,
		watches: then(func(f *fixture) {
			f.change("testmap", func(cm *corev1.ConfigMap) { cm.Data["foo"], cm.Immutable = "1", new(true) })
		}),
		refused: []string{"Error: ConfigMap Is Immutable"}, after: data{"foo": "1"},
	},
	"the time passes": {
		before: data{"foo": "0"}, waits: waiter(`wait_for_match = "3s"`), watches: then(sets("3")),
		refused: []string{
			"Error: Wait Ended Without A Match", "with cas_configmap_entry.foo", "wait_for_match = ", "The expected state was not reached within wait_for_match. Nothing was written.",
			`Expected: "1"`, ` resourceVersion: `, "Changed by: another-writer (last write ", "Waited: ", "Then run terraform apply again, or raise wait_for_match.",
		},
		after: data{"foo": "3"}, counts: requestCounts{Gets: 2, Watches: 1},
	},
	"the time passes without a ConfigMap": {
		waits: waiter(`wait_for_match = "3s"`), watches: then(func(*fixture) {}), counts: requestCounts{Gets: 2, Watches: 1},
		refused: []string{"Error: Wait Ended Without A Match", "Found: (no ConfigMap)", "Waited: "},
	},
}

func TestWaitForMatch(t *testing.T) {
	t.Parallel()
	for name, story := range waitStories {
		t.Run(name, story.run)
	}
}

func (story waitStory) run(t *testing.T) {
	t.Helper()
	p := newPipeline(t)
	if story.before != nil {
		p.create("testmap", story.before)
	}
	proxy := p.proxied()
	if story.applied != "" {
		p.planned(story.applied)
	}
	p.write(story.waits)
	const warns = "Warning: Expectation Does Not Hold Yet"
	if output := p.plan(); story.silent {
		p.wants(output, "!"+warns)
	} else {
		p.wants(output, warns, "The expected state has not been reached yet. The apply waits for it for up to ", "ConfigMap: "+p.namespace+"/testmap", "!Error:")
	}
	state := p.state()
	if story.between != nil {
		story.between(p.fixture)
	}
	var faults []func() testcluster.Fault
	if story.watches != nil {
		faults = story.watches(p.fixture)
	}
	reads := story.reads
	if reads == nil {
		reads = func(*fixture) {}
	}
	p.afterWatch(proxy, reads, faults...)
	proxy.Reset()
	if story.refused == nil {
		p.wants(p.apply(), "!Error:")
		p.planNothing()
	} else {
		p.applyRefused(story.refused...)
		p.wantState(keysOf(state)...)
	}
	if story.after != nil {
		p.wantLive("testmap", story.after)
	} else {
		p.wantNone("testmap")
	}
	counts := countsOf(proxy)
	if story.refused == nil {
		counts.Gets-- // of planNothing
	}
	if counts != story.counts {
		t.Errorf("%+v, want %+v: %v", counts, story.counts, proxy.Requests())
	}
}

func keysOf(state map[string]tracked) (names []string) {
	for name := range state {
		names = append(names, name)
	}
	return names
}
