package kinds

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// driftKinds are the resources that keep values: each block has foo hold a value, and the ConfigMap is there before where that is needed.
var driftKinds = map[string]struct {
	block   func(value string, lines ...string) string
	isWhole bool
}{
	"entry": {block: func(value string, lines ...string) string {
		return fixture.EntryBlock("it", append(lines, `key = "foo"`, fmt.Sprintf("value = %q", value))...)
	}},
	"data": {block: func(value string, lines ...string) string {
		return fixture.DataBlock("it", append(lines, fmt.Sprintf("data = { foo = %q }", value))...)
	}},
	"configmap": {isWhole: true, block: func(value string, lines ...string) string {
		return fixture.WholeBlock("it", append(lines, fmt.Sprintf("data = { foo = %q }", value))...)
	}},
}

// drifting has each resource that keeps values hold "1", applied.
func drifting(t *testing.T, lines []string, test func(p *fixture.Pipeline, block func(value string, lines ...string) string)) {
	t.Helper()
	for name, kind := range driftKinds {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			if !kind.isWhole {
				p.Testmap(fixture.Contents{})
			}
			p.Planned(kind.block("1", lines...))
			test(p, kind.block)
		})
	}
}

func TestDriftWarnsThatAnUpdateOverwrites(t *testing.T) {
	t.Parallel()
	overwrites := `on_drift = "overwrite"`
	drifting(t, []string{overwrites}, func(p *fixture.Pipeline, block func(string, ...string) string) {
		p.Set("testmap", "foo", "9")
		p.Wants(p.Plan(), fixture.DriftWarned, `"9"`, `"1"`, "!Error:")
		p.Apply()
		p.WantLive("testmap", fixture.Data{"foo": "1"})
		p.PlanNothing()

		p.Write(block("2", overwrites)) // nothing drifted since
		p.Wants(p.Plan(), "!"+fixture.DriftWarned)
		p.Apply()
		p.WantLive("testmap", fixture.Data{"foo": "2"})
	})
}

func TestDriftRefused(t *testing.T) {
	t.Parallel()
	drifting(t, nil, func(p *fixture.Pipeline, block func(string, ...string) string) {
		p.Set("testmap", "foo", "9")
		p.PlanRefused([]string{fixture.DriftRefused, `Last written: "1" Found: "9" To write: "1"`})
		p.PlanApply("-refresh-only") // replaces the written value in the state
		p.Write(block("2"))
		p.PlanRefused([]string{fixture.DriftRefused, `Last written: "1" Found: "9" To write: "2"`})

		// A softened check does not let the apply overwrite the change.
		p.Export("CAS_PLAN_CHECK", "warning")
		p.Wants(p.Plan(), fixture.DriftWarned, "!Nothing was written")
		p.ApplyRefused(fixture.DriftRefused, "Nothing was written")
		p.Export("CAS_PLAN_CHECK", "off")
		p.Wants(p.Plan(), "!"+fixture.DriftWarned)
		p.ApplyRefused(fixture.DriftRefused, "Nothing was written")
		p.WantLive("testmap", fixture.Data{"foo": "9"})

		// One apply may.
		p.Export("CAS_PLAN_CHECK", "")
		p.Write(block("2", `on_drift = "overwrite"`))
		p.Wants(p.Plan(), fixture.DriftWarned)
		p.Apply()
		p.WantLive("testmap", fixture.Data{"foo": "2"})
		p.Planned(block("3"))
		p.WantLive("testmap", fixture.Data{"foo": "3"})
	})
}

func TestDriftAccepted(t *testing.T) {
	t.Parallel()
	drifting(t, nil, func(p *fixture.Pipeline, block func(string, ...string) string) {
		p.Set("testmap", "foo", "9")
		before := p.Live("testmap")
		p.Write(block("9"))
		p.Wants(p.Plan(), "0 to add, 1 to change, 0 to destroy", "!"+fixture.DriftWarned)
		p.Apply()
		p.WantUnchanged(before)
		if got := p.State()["it"].Attributes["resource_version"]; got != before.ResourceVersion {
			p.Errorf("resource_version is %v in the state, want %s", got, before.ResourceVersion)
		}
		p.PlanNothing()
		p.Planned(block("10"))
		p.WantLive("testmap", fixture.Data{"foo": "10"})
		p.Set("testmap", "foo", "11")
		p.Write(block("12"))
		p.PlanRefused([]string{fixture.DriftRefused, `"11"`})
	})
}

// Somebody writes between the plan and the apply: that is a conflict, or in key scope a conflict of the key, and no drift.
func TestDriftAfterThePlanIsAConflict(t *testing.T) {
	t.Parallel()
	drifting(t, nil, func(p *fixture.Pipeline, block func(string, ...string) string) {
		p.Write(block("2"))
		p.Plan()
		p.Set("testmap", "foo", "9")
		p.ApplyRefused("Error: Compare-And-Swap Conflict", "!"+fixture.DriftRefused)
		p.WantLive("testmap", fixture.Data{"foo": "9"})
	})
}

func TestDriftOfARemoval(t *testing.T) {
	t.Parallel()
	drifting(t, nil, func(p *fixture.Pipeline, block func(string, ...string) string) {
		if strings.Contains(block("1"), `"cas_configmap"`) {
			return // the policy of a whole object has its own tests
		}
		p.Planned(block("1", fixture.Deletes))
		p.Set("testmap", "foo", "9")
		p.Write("")
		p.PlanRefused([]string{fixture.DriftRefused, `"9"`})
		for _, check := range []string{"warning", "off"} {
			p.Export("CAS_PLAN_CHECK", check)
			p.Plan()
			p.ApplyRefused(fixture.DriftRefused)
			p.WantLive("testmap", fixture.Data{"foo": "9"})
		}
		p.Export("CAS_PLAN_CHECK", "")
		p.Planned(block("9"))
		p.Planned("")
		p.WantState()
	})
}

// The README's third example: a flag that was switched back by hand in an emergency, to the very value that the configuration expects.
func TestDriftOfAFlagSwitchedBackByHand(t *testing.T) {
	t.Parallel()
	for name, scope := range map[string]string{"object": `conflict_scope = "object"`, "key": `conflict_scope = "key"`} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Create("testmap", fixture.Data{"flag": "off"})
			flag := func(value, expected, onDrift string) string {
				return fixture.EntryBlock("flag", `key = "flag"`, scope, `value = "`+value+`"`, `expected_value = "`+expected+`"`, `on_drift = "`+onDrift+`"`)
			}
			p.Planned(flag("on", "off", "overwrite"))
			p.Set("testmap", "flag", "off") // the emergency

			p.Wants(p.Do("apply", "-auto-approve"), fixture.DriftWarned, `"off"`, `"on"`)
			p.WantLive("testmap", fixture.Data{"flag": "on"})

			p.Planned(flag("on", "off", "error"))
			p.Set("testmap", "flag", "off")
			p.PlanRefused([]string{fixture.DriftRefused})
			p.WantLive("testmap", fixture.Data{"flag": "off"})

			p.Planned(flag("off", "on", "error")) // the way on: to accept it
			p.WantLive("testmap", fixture.Data{"flag": "off"})
			p.Planned(flag("on", "off", "error")) // and later to switch it on again
			p.WantLive("testmap", fixture.Data{"flag": "on"})
		})
	}
}

func TestDriftAcknowledgedByAnExpectation(t *testing.T) {
	t.Parallel()
	kinds := map[string]func(value, expected string) string{
		"entry": func(value, expected string) string {
			return fixture.EntryBlock("it", `value = "`+value+`"`, `expected_value = "`+expected+`"`)
		},
		"data": func(value, expected string) string {
			return fixture.DataBlock("it", `data = { foo = "`+value+`" }`, `expected_data = { foo = "`+expected+`" }`)
		},
	}
	for name, block := range kinds {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Create("testmap", fixture.Data{"foo": "1"})
			p.Planned(block("2", "1"))
			p.Set("testmap", "foo", "9")
			p.Write(block("3", "1")) // left over, and it does not hold
			p.PlanRefused([]string{"Error: Expected Value Mismatch", "!" + fixture.DriftRefused})
			p.Set("testmap", "foo", "1")
			p.PlanRefused([]string{fixture.DriftRefused}) // left over, and it holds by chance
			p.Set("testmap", "foo", "9")
			p.Write(block("3", "8"))
			p.PlanRefused([]string{"Error: Expected Value Mismatch"})
			p.Write(block("3", "9"))
			p.Wants(p.Plan(), "!"+fixture.DriftWarned)
			p.Apply()
			p.WantLive("testmap", fixture.Data{"foo": "3"})
		})
	}
}

func TestDriftOfSeveralKeys(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{"guard": "1"})
	block := func(values, lines string) string {
		return fixture.DataBlock("it", `data = { `+values+` }`, `expected_data = { guard = "1" }`, lines)
	}
	p.Planned(block(`a = "1", b = "1", c = "1"`, ""))
	p.Change("testmap", func(cm *corev1.ConfigMap) {
		cm.Data["a"], cm.Data["new"] = "9", "8"
		delete(cm.Data, "b") // the next update creates it again
	})
	p.Write(block(`a = "2", b = "2", c = "2"`, ""))
	out := p.PlanRefused([]string{fixture.DriftRefused, `"9"`, "!Key: b", "!guard"})
	p.Wants(out, `!"8"`)

	p.Change("testmap", func(cm *corev1.ConfigMap) { cm.Data["a"], cm.Data["b"] = "1", "1" })
	p.Planned(block(`a = "2", b = "1", c = "1"`, ""))
	p.Set("testmap", "b", "9")
	p.Write(block(`a = "2", c = "1"`, fixture.Deletes)) // a dropped key is removed
	p.PlanRefused([]string{fixture.DriftRefused, `"9"`})
	p.Export("CAS_PLAN_CHECK", "warning")
	p.Plan()
	p.ApplyRefused(fixture.DriftRefused)
	p.WantLive("testmap", fixture.Data{"a": "2", "b": "9", "c": "1", "guard": "1", "new": "8"})
	p.Planned(block(`a = "2", c = "1"`, `deletion_policy = "abandon"`))
	p.WantLive("testmap", fixture.Data{"a": "2", "b": "9", "c": "1", "guard": "1", "new": "8"})
}

func TestDriftOfAWholeConfigMap(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		block   []string
		change  func(*corev1.ConfigMap)
		drifted string // empty: no drift
	}{
		"a key added":             {[]string{`data = { a = "1" }`}, func(cm *corev1.ConfigMap) { cm.Data["b"] = "9" }, `"9"`},
		"bytes":                   {[]string{`binary_data = { a = "AA==" }`}, func(cm *corev1.ConfigMap) { cm.BinaryData["a"] = []byte{1} }, `"AQ=="`},
		"a label":                 {[]string{`labels = { a = "1" }`}, func(cm *corev1.ConfigMap) { cm.Labels["a"] = "9" }, `"9"`},
		"an annotation added":     {[]string{`annotations = { a = "1" }`}, func(cm *corev1.ConfigMap) { cm.Annotations["b"] = "9" }, ""},
		"a part that is left out": {[]string{`labels = { a = "1" }`}, func(cm *corev1.ConfigMap) { cm.Data = fixture.Data{"b": "9"} }, ""},
		"a label of the cluster": {
			[]string{`labels = { a = "1" }`}, func(cm *corev1.ConfigMap) { cm.Labels["node.kubernetes.io/z"] = "9" }, "",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			write := func(lines ...string) {
				p.Write(fixture.WholeBlock("it", append(lines, test.block...)...))
			}
			write()
			p.PlanApply()
			p.Change("testmap", test.change)
			if test.drifted == "" {
				p.PlanNothing()
				return
			}
			p.PlanRefused([]string{fixture.DriftRefused, test.drifted})
			if name != "immutable" { // the plan replaces that object
				p.Export("CAS_PLAN_CHECK", "warning")
				p.Plan()
				p.ApplyRefused(fixture.DriftRefused)
				p.Export("CAS_PLAN_CHECK", "")
			}
			write(`on_drift = "overwrite"`)
			p.Wants(p.Plan(), fixture.DriftWarned, test.drifted)
		})
	}
}

// A configuration that gives up data leaves it to others, with what they changed.
func TestDriftOfAPartThatIsLeftToOthersFromNowOn(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Planned(fixture.WholeBlock("it", `data = { a = "1" }`, `labels = { l = "1" }`))
	p.Set("testmap", "a", "9")
	p.Planned(fixture.WholeBlock("it", `labels = { l = "2" }`))
	p.WantWhole("testmap", fixture.Whole{Labels: fixture.Data{"l": "2"}, Data: fixture.Data{"a": "9"}})
}

// The baseline of drift is the value that an import, an adoption or a moved state found.
func TestDriftBaselines(t *testing.T) {
	t.Parallel()
	imports := map[string]struct{ address, id, block string }{
		"an imported entry":     {"cas_configmap_entry.it", "/testmap/foo", fixture.EntryBlock("it", `value = "2"`)},
		"imported keys":         {"cas_configmap_data.it", "/testmap:foo", fixture.DataBlock("it", `data = { foo = "2" }`)},
		"an imported ConfigMap": {"cas_configmap.it", "/testmap", fixture.WholeBlock("it", `data = { foo = "2" }`)},
	}
	for name, test := range imports {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Create("testmap", fixture.Data{"foo": "1"})
			p.Write(test.block)
			p.Do("import", test.address, p.Namespace+test.id)
			p.Set("testmap", "foo", "9")
			p.PlanRefused([]string{fixture.DriftRefused, `"9"`})
			p.Set("testmap", "foo", "1")
			p.PlanApply()
			p.WantLive("testmap", fixture.Data{"foo": "2"})
		})
	}
	t.Run("keys that were moved from another provider", func(t *testing.T) {
		f := fixture.New(t)
		f.Create("testmap", fixture.Data{"foo": "1"})
		f.RunRefused(func(got fixture.Failures) {
			got.Want(f, "it", fixture.DriftRefused, `"9"`)
			f.WantLive("testmap", fixture.Data{"foo": "9"})
		},
			resource.TestStep{Config: f.Config(fixture.KubernetesBlock(`data = { foo = "1" }`))},
			resource.TestStep{
				PreConfig: func() { f.Set("testmap", "foo", "9") },
				Config:    f.Config(fixture.DataBlock("it", `data = { foo = "2" }`) + fixture.MovedBlock),
			},
		)
	})
	t.Run("adoption", func(t *testing.T) {
		p := fixture.NewPipeline(t)
		p.Create("testmap", fixture.Data{"foo": "1"})
		p.Planned(fixture.EntryBlock("it", `value = "1"`, `adopt_existing = true`))
		p.Set("testmap", "foo", "9")
		p.PlanRefused([]string{fixture.DriftRefused})
	})
}

func TestDriftAndWaiting(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{"foo": "1"})
	wait := func(value string, lines ...string) string {
		return fixture.EntryBlock("it", append(lines, `value = "`+value+`"`, `expected_value = "1"`, `conflict_scope = "key"`, `wait_for_match = "1m"`)...)
	}
	p.Planned(wait("2"))
	p.Set("testmap", "foo", "1") // what it expects
	p.Wants(p.Plan(), "!"+fixture.DriftWarned)
	p.Apply()
	p.WantLive("testmap", fixture.Data{"foo": "2"})
}

// Given the lock of the examples, whose holder A was killed. An administrator removes the key, and B acquires the lock.
// Then the next apply of A waits for B, and does not overwrite its value.
func TestALockIsNotStolen(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{})
	lock := func(run, wait string) string {
		return fixture.EntryBlock("lock", fmt.Sprintf("value = %q", run), `conflict_scope = "key"`, fmt.Sprintf("wait_for_match = %q", wait))
	}
	p.Planned(lock("a", "1s"))
	p.Unset("testmap", "foo")
	p.Set("testmap", "foo", "b")
	for _, run := range []string{"a", "another run of a"} {
		p.Write(lock(run, "1s"))
		p.Wants(p.Plan(), "Warning: Expectation Does Not Hold Yet", `"b"`)
		p.ApplyRefused("Error: Wait Ended Without A Match", `Found: "b"`)
		p.WantLive("testmap", fixture.Data{"foo": "b"})
	}
	p.Write(lock("a", "1m"))
	p.Plan()
	p.Unset("testmap", "foo") // B releases the lock
	p.Apply()
	p.WantLive("testmap", fixture.Data{"foo": "a"})
	p.PlanNothing()
}
