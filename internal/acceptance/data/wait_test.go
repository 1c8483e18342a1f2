package data

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/behavior"
	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// dataWaiter writes foo and bar over "1", waiting for both and for the guard to say "open".
func dataWaiter(lines ...string) string {
	return fixture.DataBlock("it", append(lines, `data = { foo = "2", bar = "2" }`, `expected_data = { foo = "1", bar = "1", guard = "open" }`,
		`conflict_scope = "key"`, `wait_for_match = "10m"`)...)
}

// oneByOne is another writer that sets keys in an order, each in a write of its own.
func oneByOne(keys ...string) func(*fixture.Fixture) {
	return func(f *fixture.Fixture) {
		for _, pair := range keys {
			key, value, _ := strings.Cut(pair, "=")
			f.Set("testmap", key, value)
		}
	}
}

var dataWaitStories = map[string]behavior.Wait{
	"another sets what is expected, key by key": {
		Before: fixture.Data{"foo": "0", "bar": "0", "guard": "shut"}, Waits: dataWaiter(), Watches: behavior.Then(oneByOne("foo=1", "bar=1", "guard=open")),
		After: fixture.Data{"foo": "2", "bar": "2", "guard": "open"}, Counts: behavior.WaitedOnce,
	},
	"only the guard is missing": {
		Before: fixture.Data{"foo": "1", "bar": "1"}, Waits: dataWaiter(), Watches: behavior.Then(oneByOne("guard=shut", "guard=open")),
		After: fixture.Data{"foo": "2", "bar": "2", "guard": "open"}, Counts: behavior.WaitedOnce,
	},
	"what held goes before the rest comes": {
		Before: fixture.Data{"foo": "1", "bar": "0", "guard": "open"}, Waits: dataWaiter(),
		Watches: behavior.Then(oneByOne("foo=9", "bar=1", "guard=shut", "foo=1", "guard=open")),
		After:   fixture.Data{"foo": "2", "bar": "2", "guard": "open"}, Counts: behavior.WaitedOnce,
	},
	"the ConfigMap is made": {
		Waits: dataWaiter(), After: fixture.Data{"foo": "2", "bar": "2", "guard": "open"}, Counts: behavior.WaitedOnce,
		Watches: behavior.Then(func(f *fixture.Fixture) { f.Create("testmap", fixture.Data{"foo": "1", "bar": "1", "guard": "open"}) }),
	},
	"the ConfigMap is made, and later what is expected": {
		Waits: dataWaiter(), After: fixture.Data{"foo": "2", "bar": "2", "guard": "open"}, Counts: behavior.WaitedOnce,
		Watches: behavior.Then(func(f *fixture.Fixture) {
			f.Create("testmap", fixture.Data{"bar": "0", "foo": "1"})
			oneByOne("guard=open", "bar=1")(f)
		}),
	},
	"without expected values, until all keys are gone": {
		Before: fixture.Data{"foo": "held", "bar": "held"}, After: fixture.Data{"foo": "2", "bar": "2"}, Counts: behavior.WaitedOnce,
		Waits: fixture.DataBlock("it", `data = { foo = "2", bar = "2" }`, `conflict_scope = "key"`, `wait_for_match = "10m"`),
		Watches: behavior.Then(func(f *fixture.Fixture) {
			f.Unset("testmap", "foo")
			f.Unset("testmap", "bar")
		}),
	},
	"what is to be adopted comes": {
		Before: fixture.Data{"foo": "0", "bar": "0", "guard": "shut"}, Waits: dataWaiter(`adopt_existing = true`), Watches: behavior.Then(oneByOne("foo=2", "guard=open", "bar=2")),
		After: fixture.Data{"foo": "2", "bar": "2", "guard": "open"}, Counts: fixture.RequestCounts{Gets: 2, Watches: 1},
	},
	"an update, of what the state says of a key that changes, and of one that stays": {
		Before: fixture.Data{}, Applied: fixture.DataBlock("it", `data = { foo = "1", bar = "1" }`, `conflict_scope = "key"`), Silent: true,
		Waits:   fixture.DataBlock("it", `data = { foo = "2", bar = "1" }`, `conflict_scope = "key"`, `wait_for_match = "10m"`),
		Between: oneByOne("foo=9", "bar=9"), Watches: behavior.Then(oneByOne("foo=1", "bar=1")), After: fixture.Data{"foo": "2", "bar": "1"}, Counts: behavior.UpdatedOnce,
	},
	"an update, of a key that comes, and one goes": {
		Before: fixture.Data{"new": "0"}, Applied: fixture.DataBlock("it", `data = { foo = "1", bar = "1" }`, `conflict_scope = "key"`),
		Waits: fixture.DataBlock("it", `data = { foo = "2", new = "2" }`, `expected_data = { new = "1" }`, `conflict_scope = "key"`,
			`wait_for_match = "10m"`),
		Watches: behavior.Then(oneByOne("new=1")), After: fixture.Data{"foo": "2", "new": "2"}, Counts: behavior.UpdatedOnce,
	},
	"it holds already": {
		Before: fixture.Data{"foo": "1", "bar": "1", "guard": "open"}, Waits: dataWaiter(), Silent: true,
		After: fixture.Data{"foo": "2", "bar": "2", "guard": "open"}, Counts: fixture.RequestCounts{Gets: 1, Patches: 1},
	},

	"another writes one of the values": {
		Before: fixture.Data{"foo": "1", "bar": "0", "guard": "shut"}, Waits: dataWaiter(), Watches: behavior.Then(oneByOne("guard=open", "bar=2")), Counts: behavior.RefusedThen,
		Refused: []string{"Error: Key Already Holds The Value", `Key: bar Found: "2"`, "!Key: foo"}, After: fixture.Data{"foo": "1", "bar": "2", "guard": "open"},
	},
	"it turns immutable": {
		Before: fixture.Data{"foo": "0", "bar": "0"}, Waits: dataWaiter(), Counts: behavior.RefusedThen,
		Watches: behavior.Then(func(f *fixture.Fixture) {
			f.Change("testmap", func(cm *corev1.ConfigMap) {
				cm.Data, cm.Immutable = fixture.Data{"foo": "1", "bar": "1", "guard": "open"}, new(true)
			})
		}),
		Refused: []string{"Error: ConfigMap Is Immutable", "The ConfigMap is immutable. Nothing was written."}, After: fixture.Data{"foo": "1", "bar": "1", "guard": "open"},
	},
	"it turns immutable, and does not hold": {
		Before: fixture.Data{"foo": "0", "bar": "0"}, Waits: dataWaiter(), Counts: behavior.RefusedThen,
		Watches: behavior.Then(func(f *fixture.Fixture) { f.Change("testmap", fixture.Freeze) }),
		Refused: []string{"Error: Expected Value Mismatch", `Key: bar Expected: "1" Found: "0"`}, After: fixture.Data{"foo": "0", "bar": "0"},
	},
	"the time passes": {
		Before: fixture.Data{"foo": "0", "bar": "1", "guard": "shut"}, Between: oneByOne("bar=3", "foo=1", "raw=x"),
		Ends: true, Counts: fixture.RequestCounts{Gets: 1, Watches: 1},
		Waits: fixture.DataBlock("it", `data = { foo = "2", bar = "2" }`, `expected_data = { foo = "1", bar = "1", gone = "1", guard = "open", raw = null }`,
			`conflict_scope = "key"`, `wait_for_match = "10m"`),
		Refused: []string{
			"Error: Wait Ended Without A Match", "with cas_configmap_data.it", "wait_for_match = ", "The expected state was not reached within wait_for_match. Nothing was written.",
			`Key: bar Expected: "1" Found: "3" Changed by: another-writer (last write `,
			`Key: gone Expected: "1" Found: (absent) Existing keys: foo, bar, guard, raw More keys: guard, raw resourceVersion: `, " Waited: ",
			"Find out why the other writer is late. Then run terraform apply again, or raise wait_for_match.",
		},
		After: fixture.Data{"foo": "1", "bar": "3", "guard": "shut", "raw": "x"},
	},
	"the time passes without a ConfigMap": {
		Waits: fixture.DataBlock("it", `data = { foo = "2" }`, `conflict_scope = "key"`, `wait_for_match = "10m"`),
		Ends:  true, Counts: fixture.RequestCounts{Gets: 1, Watches: 1},
		Refused: []string{"Error: Wait Ended Without A Match", "Found: (no ConfigMap)", "Waited: "},
	},
}

func TestConfigMapDataWaitForMatch(t *testing.T) {
	t.Parallel()
	for name, story := range dataWaitStories {
		t.Run(name, story.Run)
	}
}

// The plan tells each key that does not hold, as a warning, whatever plan_check says but off.
func TestConfigMapDataWaitForMatchInPlans(t *testing.T) {
	t.Parallel()
	behavior.ToldOfWaits(t, fixture.Data{"foo": "0", "bar": "1", "guard": "shut"}, dataWaiter(), "The expected state has not been reached yet. The apply waits for it for up to 10m.",
		`Key: foo Expected: "1" Found: "0" Changed by: `, `Key: guard Expected: "open" Found: "shut" Changed by: `, " resourceVersion: ", "!Key: bar")
	t.Run("unknown", func(t *testing.T) {
		behavior.WaitsForUnknown(t, fixture.DataBlock("it", `data = { foo = "2" }`, `expected_data = { foo = "1" }`, `conflict_scope = "key"`,
			`wait_for_match = terraform_data.limit.output`))
	})
}

// A write that is refused in any case does not wait, and a removal does not either. A change of wait_for_match alone writes nothing.
func TestConfigMapDataWaitForMatchOnlyWaitsForWrites(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{"foo": "1", "bar": "2", "guard": "shut"})
	proxy := p.Proxied()
	p.Write(dataWaiter(fixture.Deletes))
	p.PlanRefused([]string{"Error: Compare-And-Swap Conflict", "Problem: it already holds the value to write", `Key: guard Expected: "open" Found: "shut"`})
	p.Set("testmap", "bar", "1")
	p.Set("testmap", "guard", "open")
	p.Planned(dataWaiter(fixture.Deletes))
	if diff := cmp.Diff(map[string]any{"foo": "1", "bar": "1"}, p.State()["it"].Attributes["previous_data"]); diff != "" {
		t.Errorf("previous_data (-want +got):\n%s", diff)
	}
	p.Set("testmap", "guard", "shut")
	before := p.Live("testmap")
	p.Write(fixture.DataBlock("it", fixture.Deletes, `data = { foo = "2", bar = "2" }`, `conflict_scope = "key"`, `wait_for_match = "1h"`))
	p.Wants(p.Plan(), "0 to add, 1 to change, 0 to destroy", "!Expectation Does Not Hold Yet")
	p.Apply()
	p.WantUnchanged(before)
	p.Plan("-destroy")
	p.Set("testmap", "foo", "foreign")
	p.ApplyRefused("Error: Compare-And-Swap Conflict", `Key: foo Expected: "2" Found: "foreign"`)
	if n := fixture.CountsOf(proxy); n.Patches == 0 || n.Watches > 0 {
		t.Errorf("%+v: %v", n, proxy.Requests())
	}
}
