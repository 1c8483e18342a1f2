package histories

import (
	"maps"
	"net/http"
	"slices"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver"
	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// What random histories found, step by step.

// Given a plan that adds a key to a whole Secret, and another who adds the same key with the same value before the apply; then the apply is a
// conflict, and says so once. Terraform from 1.16 was told it as a warning, and took the key.
func TestHistoryOfASecretThatAnotherCompletes(t *testing.T) {
	t.Parallel()
	fixture.OnEachProfile(t, func(p *fixture.Pipeline, _ bool) {
		p.Applied(fixture.SecretBlock(`data_wo = {}`, `data_wo_version = 1`))
		p.Write(fixture.SecretBlock(`data_wo = { password = "2" }`, `data_wo_version = 1`))
		p.Plan()
		p.Rotated("2")
		p.ApplyRefused("Error: Compare-And-Swap Conflict", "!Warning: ")
	})
}

// Given drift that an earlier refresh has put into the state, and a plan that did not look again; then the apply refuses it for the drift, which
// the state tells, whatever else has changed since.
func TestHistoryOfDriftInAStateThatIsOld(t *testing.T) {
	p := fixture.NewPipelineOf(t, driver.Terraform116)
	p.Made()
	p.Set("testmap", "foo", "9")
	p.Do("refresh")
	fixture.SetsOther(p)
	p.Write(fixture.EntryBlock("foo", `value = "2"`, `on_drift = "error"`))
	p.Wants(p.Plan("-refresh=false"), "Warning: Compare-And-Swap Conflict", "!Value Changed Since Last Apply")
	p.ApplyRefused("Error: Value Changed Since Last Apply", "!Compare-And-Swap Conflict")
	p.WantLive("testmap", fixture.Data{"foo": "9", "bar": "other"})
}

// Given a number whose answer is lost, and an entry of the same ConfigMap that is created after it; then a watch tells which version the number
// made, and so that the entry's plan leads there. Who may not watch gets the number, which its signature tells, and a conflict for the entry.
func TestHistoryOfANumberWhoseVersionIsNotKnown(t *testing.T) {
	t.Parallel()
	for name, verbs := range map[string][]string{"may watch": {"get", "patch", "watch"}, "may not watch": {"get", "patch"}} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipelineOf(t, driver.Terraform116)
			p.Create("testmap", fixture.Data{"foo": "5"})
			proxy := p.ProxiedAs(p.User("after-a-number", "configmaps", verbs...))
			p.Write(fixture.CounterBlock("n") + fixture.EntryBlock("after", `key = "after"`, `value = "1"`, `depends_on = [cas_configmap_counter.n]`))
			p.Plan()
			proxy.SetHook(fixture.OnceFor(t, http.MethodPatch, testcluster.Fault{DropAfter: true}))
			if name == "may watch" {
				p.Apply()
				p.WantLive("testmap", fixture.Data{"foo": "6", "after": "1"})
				return
			}
			p.ApplyRefused("Error: Compare-And-Swap Conflict", "with cas_configmap_entry.after")
			p.WantLive("testmap", fixture.Data{"foo": "6"})
			p.PlanApply()
		})
	}
}

// Given a planned removal of one key whose answer is lost, and an update of another key of the same object after it, in the same run. A ConfigMap's plan
// has a digest of the whole, which shows that this run alone has written. A Secret's has none: the update is a conflict, and the next run makes it.
func TestHistoryOfARemovalThatLeavesNoTrace(t *testing.T) {
	t.Parallel()
	lost := func(t *testing.T, p *fixture.Pipeline, both, after string) {
		t.Helper()
		proxy := p.Proxied()
		p.Applied(both)
		p.Write(after)
		p.Plan()
		proxy.SetHook(fixture.OnceFor(t, http.MethodPatch, testcluster.Fault{DropAfter: true}))
	}
	t.Run("of a ConfigMap", func(t *testing.T) {
		fixture.OnEachProfile(t, func(p *fixture.Pipeline, _ bool) {
			p.Create("testmap", fixture.Data{"other": "kept"})
			gone := fixture.EntryBlock("gone", `key = "gone"`, `value = "1"`, `depends_on = [cas_configmap_data.it]`)
			lost(p.T, p, gone+fixture.DataBlock("it", `data = { foo = "1" }`), fixture.DataBlock("it", `data = { foo = "2" }`))
			p.Apply()
			p.WantLive("testmap", fixture.Data{"other": "kept", "foo": "2"})
		})
	})
	t.Run("of a Secret", func(t *testing.T) {
		fixture.OnEachProfile(t, func(p *fixture.Pipeline, _ bool) {
			p.CreateSecret("database", fixture.Data{"other": "kept"})
			gone := fixture.SecretEntry(`key = "gone"`, `value_wo = "1"`, `value_wo_version = 1`, `depends_on = [cas_secret_data.it]`)
			lost(p.T, p, gone+fixture.SecretData(`data_wo = { foo = "1" }`, `data_wo_version = 1`), fixture.SecretData(`data_wo = { foo = "2" }`, `data_wo_version = 2`))
			p.ApplyRefused("Error: Compare-And-Swap Conflict", "with cas_secret_data.it")
			p.WantSecret("database", fixture.Data{"other": "kept", "foo": "1"})
			p.PlanApply()
			p.WantSecret("database", fixture.Data{"other": "kept", "foo": "2"})
		})
	})
}

// What the model allows after a removal that leaves no trace, and nothing else: a conflict for a sibling with object.
func TestModelOfARemovalThatLeavesNoTrace(t *testing.T) {
	t.Parallel()
	type given struct {
		isConfigMap bool
		fault       string
		second      bool // of the process's writes to the object
		unplanned   bool // the plan did not see what it removes
		scope       string
	}
	for name, c := range map[string]struct {
		given
		leavesNoTrace bool
		conflict      bool
	}{
		"of a Secret": {given{fault: "lose after"}, true, true},
		"of a Secret, and the sibling goes by key": {given{fault: "lose after", scope: "key"}, true, false},
		"of a Secret, which did not land at first": {given{fault: "lose before"}, false, false},
		"of a Secret, after another of this run":   {given{fault: "lose after", second: true}, false, false},
		"of a Secret, by its state":                {given{fault: "lose after", unplanned: true}, false, false},
		"of a ConfigMap":                           {given{fault: "lose after", isConfigMap: true}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cm, seen := "s", version{1, 2}
			if c.isConfigMap {
				cm = "a"
			}
			m := &model{live: map[string]*liveMap{cm: {seen, map[string]string{"gone": "1", "first": "1", "foo": "1"}, nil}}, bound: map[int]string{}, last: 2}
			of := func(kind, key, value string, revision int) *block {
				b := &block{kind: kind, label: key, secret: !c.isConfigMap, cm: cm, values: map[string]string{key: value}, scope: "object", policy: "delete", revision: revision}
				if key == "foo" && c.scope != "" {
					b.scope = c.scope
				}
				return b
			}
			state, changes := map[string]*tracking{}, map[string]change{}
			w := &workspace{blocks: []*block{of("data", "foo", "2", 2), of("entry", "gone", "1", 1), of("entry", "first", "1", 1)}, used: 1, state: state}
			for _, b := range w.blocks {
				was := &tracking{block: *b, version: seen, first: map[string]string{}, written: map[string]string{b.onlyKey(): "1"}}
				was.values, was.revision = map[string]string{b.onlyKey(): "1"}, 1
				state[b.address()] = was
				saw := &sight{version: seen, values: was.values}
				if c.unplanned {
					saw = nil
				}
				changes[b.address()] = change{action: "delete", saw: saw}
			}
			at := 1
			if c.second {
				at = 2
			} else {
				delete(changes, "entry.first")
			}
			changes["data.foo"] = change{action: "update", to: w.blocks[0]}
			w.blocks[0].expected, w.blocks[0].adopt = map[string]string{"foo": "1"}, false
			errs, p := m.apply(w, &modelPlan{state: maps.Clone(state), changes: changes}, fault{kind: c.fault, at: at, world: "no trace"})
			var want []string
			if c.conflict {
				want = []string{titleConflict}
			}
			if !p.fired || p.leftNoTrace != c.leavesNoTrace || !slices.Equal(errs, want) {
				t.Errorf("the fault strikes: %t, no trace is left: %t, want %t; errors %q, want %q", p.fired, p.leftNoTrace, c.leavesNoTrace, errs, want)
			}
		})
	}
}
