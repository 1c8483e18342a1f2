package acceptance_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

// dataWaiter writes foo and bar over "1", waiting for both and for the guard to say "open".
func dataWaiter(lines ...string) string {
	return dataBlock("it", append(lines, `data = { foo = "2", bar = "2" }`, `expected_data = { foo = "1", bar = "1", guard = "open" }`,
		`conflict_scope = "key"`, `wait_for_match = "10m"`)...)
}

// oneByOne is another writer that sets keys in an order, each in a write of its own.
func oneByOne(keys ...string) func(*fixture) {
	return func(f *fixture) {
		for _, pair := range keys {
			key, value, _ := strings.Cut(pair, "=")
			f.set("testmap", key, value)
		}
	}
}

var dataWaitStories = map[string]waitStory{
	"another sets what is expected, key by key": {
		before: data{"foo": "0", "bar": "0", "guard": "shut"}, waits: dataWaiter(), watches: then(oneByOne("foo=1", "bar=1", "guard=open")),
		after: data{"foo": "2", "bar": "2", "guard": "open"}, counts: waitedOnce,
	},
	"only the guard is missing": {
		before: data{"foo": "1", "bar": "1"}, waits: dataWaiter(), watches: then(oneByOne("guard=shut", "guard=open")),
		after: data{"foo": "2", "bar": "2", "guard": "open"}, counts: waitedOnce,
	},
	"what held goes before the rest comes": {
		before: data{"foo": "1", "bar": "0", "guard": "open"}, waits: dataWaiter(),
		watches: then(oneByOne("foo=9", "bar=1", "guard=shut", "foo=1", "guard=open")),
		after:   data{"foo": "2", "bar": "2", "guard": "open"}, counts: waitedOnce,
	},
	"the ConfigMap is made": {
		waits: dataWaiter(), after: data{"foo": "2", "bar": "2", "guard": "open"}, counts: waitedOnce,
		watches: then(func(f *fixture) { f.create("testmap", data{"foo": "1", "bar": "1", "guard": "open"}) }),
	},
	"the ConfigMap is made, and later what is expected": {
		waits: dataWaiter(), after: data{"foo": "2", "bar": "2", "guard": "open"}, counts: waitedOnce,
		watches: then(func(f *fixture) {
			f.create("testmap", data{"bar": "0", "foo": "1"})
			oneByOne("guard=open", "bar=1")(f)
		}),
	},
	"without expected values, until all keys are gone": {
		before: data{"foo": "held", "bar": "held"}, after: data{"foo": "2", "bar": "2"}, counts: waitedOnce,
		waits: dataBlock("it", `data = { foo = "2", bar = "2" }`, `conflict_scope = "key"`, `wait_for_match = "10m"`),
		watches: then(func(f *fixture) {
			f.unset("testmap", "foo")
			f.unset("testmap", "bar")
		}),
	},
	"what is to be adopted comes": {
		before: data{"foo": "0", "bar": "0", "guard": "shut"}, waits: dataWaiter(`adopt_existing = true`), watches: then(oneByOne("foo=2", "guard=open", "bar=2")),
		after: data{"foo": "2", "bar": "2", "guard": "open"}, counts: requestCounts{Gets: 3, Watches: 1},
	},
	"an update, of what the state says of a key that changes, and of one that stays": {
		before: data{}, applied: dataBlock("it", `data = { foo = "1", bar = "1" }`, `conflict_scope = "key"`), silent: true,
		waits:   dataBlock("it", `data = { foo = "2", bar = "1" }`, `conflict_scope = "key"`, `wait_for_match = "10m"`),
		between: oneByOne("foo=9", "bar=9"), watches: then(oneByOne("foo=1", "bar=1")), after: data{"foo": "2", "bar": "1"}, counts: waitedOnce,
	},
	"an update, of a key that comes, and one goes": {
		before: data{"new": "0"}, applied: dataBlock("it", `data = { foo = "1", bar = "1" }`, `conflict_scope = "key"`),
		waits: dataBlock("it", `data = { foo = "2", new = "2" }`, `expected_data = { new = "1" }`, `conflict_scope = "key"`,
			`wait_for_match = "10m"`),
		watches: then(oneByOne("new=1")), after: data{"foo": "2", "new": "2"}, counts: waitedOnce,
	},
	"it holds already": {
		before: data{"foo": "1", "bar": "1", "guard": "open"}, waits: dataWaiter(), silent: true,
		after: data{"foo": "2", "bar": "2", "guard": "open"}, counts: requestCounts{Gets: 1, Patches: 1},
	},

	"another writes one of the values": {
		before: data{"foo": "1", "bar": "0", "guard": "shut"}, waits: dataWaiter(), watches: then(oneByOne("guard=open", "bar=2")), counts: refusedThen,
		refused: []string{"Error: Key Already Holds The Value", `Key: bar Found: "2"`, "!Key: foo"}, after: data{"foo": "1", "bar": "2", "guard": "open"},
	},
	"it turns immutable": {
		before: data{"foo": "0", "bar": "0"}, waits: dataWaiter(), counts: refusedThen,
		watches: then(func(f *fixture) {
			f.change("testmap", func(cm *corev1.ConfigMap) {
				cm.Data, cm.Immutable = data{"foo": "1", "bar": "1", "guard": "open"}, new(true)
			})
		}),
		refused: []string{"Error: ConfigMap Is Immutable", "The ConfigMap is immutable. Nothing was written."}, after: data{"foo": "1", "bar": "1", "guard": "open"},
	},
	"it turns immutable, and does not hold": {
		before: data{"foo": "0", "bar": "0"}, waits: dataWaiter(), counts: refusedThen,
		watches: then(func(f *fixture) { f.change("testmap", freeze) }),
		refused: []string{"Error: Expected Value Mismatch", `Key: bar Expected: "1" Found: "0"`}, after: data{"foo": "0", "bar": "0"},
	},
	"the time passes": {
		before: data{"foo": "0", "bar": "1", "guard": "shut"}, watches: then(oneByOne("bar=3", "foo=1", "raw=x")), counts: requestCounts{Gets: 2, Watches: 1},
		waits: dataBlock("it", `data = { foo = "2", bar = "2" }`, `expected_data = { foo = "1", bar = "1", gone = "1", guard = "open", raw = null }`,
			`conflict_scope = "key"`, `wait_for_match = "3s"`),
		refused: []string{
			"Error: Wait Ended Without A Match", "with cas_configmap_data.it", "wait_for_match = ", "The expected state was not reached within wait_for_match. Nothing was written.",
			`Key: bar Expected: "1" Found: "3" Changed by: another-writer (last write `,
			`Key: gone Expected: "1" Found: (absent) Existing keys: foo, bar, guard, raw Key: guard Expected: "open" Found: "shut" Changed by: another-writer (last write `,
			`Key: raw Expected: (absent) Found: "x" Changed by: another-writer (last write `, " resourceVersion: ", " Waited: ",
			"Find out why the other writer is late. Then run terraform apply again, or raise wait_for_match.",
		},
		after: data{"foo": "1", "bar": "3", "guard": "shut", "raw": "x"},
	},
	"the time passes without a ConfigMap": {
		waits:   dataBlock("it", `data = { foo = "2" }`, `conflict_scope = "key"`, `wait_for_match = "3s"`),
		watches: then(func(*fixture) {}), counts: requestCounts{Gets: 2, Watches: 1},
		refused: []string{"Error: Wait Ended Without A Match", "Found: (no ConfigMap)", "Waited: "},
	},
}

func TestConfigMapDataWaitForMatch(t *testing.T) {
	t.Parallel()
	for name, story := range dataWaitStories {
		t.Run(name, story.run)
	}
}

// The plan tells each key that does not hold, as a warning, whatever plan_check says but off.
func TestConfigMapDataWaitForMatchInPlans(t *testing.T) {
	t.Parallel()
	toldOfWaits(t, data{"foo": "0", "bar": "1", "guard": "shut"}, dataWaiter(), "The expected state has not been reached yet. The apply waits for it for up to 10m.",
		`Key: foo Expected: "1" Found: "0" Changed by: `, `Key: guard Expected: "open" Found: "shut" Changed by: `, " resourceVersion: ", "!Key: bar")
	t.Run("unknown", func(t *testing.T) {
		waitsForUnknown(t, dataBlock("it", `data = { foo = "2" }`, `expected_data = { foo = "1" }`, `conflict_scope = "key"`,
			`wait_for_match = terraform_data.limit.output`))
	})
}

// What is refused in any case is not waited for, and neither is a removal; wait_for_match alone is nothing to write.
func TestConfigMapDataWaitForMatchOnlyWaitsForWrites(t *testing.T) {
	p := newPipeline(t)
	p.create("testmap", data{"foo": "1", "bar": "2", "guard": "shut"})
	proxy := p.proxied()
	p.write(dataWaiter())
	p.planRefused([]string{"Error: Compare-And-Swap Conflict", "Problem: it already holds the value to write", `Key: guard Expected: "open" Found: "shut"`})
	p.set("testmap", "bar", "1")
	p.set("testmap", "guard", "open")
	p.planned(dataWaiter())
	if diff := cmp.Diff(map[string]any{"foo": "1", "bar": "1"}, p.state()["it"].Attributes["previous_data"]); diff != "" {
		t.Errorf("previous_data (-want +got):\n%s", diff)
	}
	p.set("testmap", "guard", "shut")
	before := p.live("testmap")
	p.write(dataBlock("it", `data = { foo = "2", bar = "2" }`, `conflict_scope = "key"`, `wait_for_match = "1h"`))
	p.wants(p.plan(), "0 to add, 1 to change, 0 to destroy", "!Expectation Does Not Hold Yet")
	p.apply()
	p.wantUnchanged(before)
	p.plan("-destroy")
	p.set("testmap", "foo", "foreign")
	p.applyRefused("Error: Compare-And-Swap Conflict", `Key: foo Expected: "2" Found: "foreign"`)
	if n := countsOf(proxy); n.Patches == 0 || n.Watches > 0 {
		t.Errorf("%+v: %v", n, proxy.Requests())
	}
}
