package acceptance_test

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	corev1 "k8s.io/api/core/v1"
)

const (
	driftWarned  = "Warning: Value Changed Since Last Apply"
	driftRefused = "Error: Value Changed Since Last Apply"
)

// driftKinds are the resources that keep values: each block has foo hold a value, and the ConfigMap is there before where that is needed.
var driftKinds = map[string]struct {
	block   func(value string, lines ...string) string
	isWhole bool
}{
	"entry": {block: func(value string, lines ...string) string {
		return entryBlock("it", append(lines, `key = "foo"`, fmt.Sprintf("value = %q", value))...)
	}},
	"data": {block: func(value string, lines ...string) string {
		return dataBlock("it", append(lines, fmt.Sprintf("data = { foo = %q }", value))...)
	}},
	"configmap": {isWhole: true, block: func(value string, lines ...string) string {
		return wholeBlock("it", append(lines, fmt.Sprintf("data = { foo = %q }", value))...)
	}},
}

// drifting has each resource that keeps values hold "1", applied.
func drifting(t *testing.T, lines []string, test func(p *pipeline, block func(value string, lines ...string) string)) {
	t.Helper()
	for name, kind := range driftKinds {
		t.Run(name, func(t *testing.T) {
			p := newPipeline(t)
			if !kind.isWhole {
				p.testmap(contents{})
			}
			p.planned(kind.block("1", lines...))
			test(p, kind.block)
		})
	}
}

func TestDriftWarnsThatAnUpdateOverwrites(t *testing.T) {
	t.Parallel()
	drifting(t, nil, func(p *pipeline, block func(string, ...string) string) {
		p.set("testmap", "foo", "9")
		p.wants(p.plan(), driftWarned, `"9"`, `"1"`, "!Error:")
		p.apply()
		p.wantLive("testmap", data{"foo": "1"})
		p.planNothing()

		p.write(block("2")) // nothing drifted since
		p.wants(p.plan(), "!"+driftWarned)
		p.apply()
		p.wantLive("testmap", data{"foo": "2"})
	})
}

func TestDriftOffSaysNothing(t *testing.T) {
	t.Parallel()
	drifting(t, []string{`on_drift = "off"`}, func(p *pipeline, block func(string, ...string) string) {
		p.set("testmap", "foo", "9")
		p.wants(p.plan(), "!"+driftWarned)
		p.apply()
		p.wantLive("testmap", data{"foo": "1"})

		p.set("testmap", "foo", "2")
		p.write(block("2", `on_drift = "off"`))
		p.planNothing()
	})
}

func TestDriftRefused(t *testing.T) {
	t.Parallel()
	refuses := `on_drift = "error"`
	drifting(t, []string{refuses}, func(p *pipeline, block func(string, ...string) string) {
		p.set("testmap", "foo", "9")
		p.planRefused([]string{driftRefused, `"9"`, `"1"`})
		p.write(block("2", refuses))
		p.planRefused([]string{driftRefused, `"9"`, `"2"`})

		// A softened check does not let the apply overwrite the change.
		p.setenv("CAS_PLAN_CHECK", "warning")
		p.wants(p.plan(), driftWarned, "!Nothing was written")
		p.applyRefused(driftRefused, "Nothing was written")
		p.setenv("CAS_PLAN_CHECK", "off")
		p.wants(p.plan(), "!"+driftWarned)
		p.applyRefused(driftRefused, "Nothing was written")
		p.wantLive("testmap", data{"foo": "9"})

		// One apply may.
		p.setenv("CAS_PLAN_CHECK", "")
		p.write(block("2", `on_drift = "warning"`))
		p.wants(p.plan(), driftWarned)
		p.apply()
		p.wantLive("testmap", data{"foo": "2"})
		p.planned(block("3", refuses))
		p.wantLive("testmap", data{"foo": "3"})
	})
}

func TestDriftAccepted(t *testing.T) {
	t.Parallel()
	refuses := `on_drift = "error"`
	drifting(t, []string{refuses}, func(p *pipeline, block func(string, ...string) string) {
		p.set("testmap", "foo", "9")
		before := p.live("testmap")
		p.write(block("9", refuses))
		p.wants(p.plan(), "0 to add, 1 to change, 0 to destroy", "!"+driftWarned)
		p.apply()
		p.wantUnchanged(before)
		if got := p.state()["it"].Attributes["resource_version"]; got != before.ResourceVersion {
			p.Errorf("resource_version is %v in the state, want %s", got, before.ResourceVersion)
		}
		p.planNothing()
		p.planned(block("10", refuses))
		p.wantLive("testmap", data{"foo": "10"})
		p.set("testmap", "foo", "11")
		p.write(block("12", refuses))
		p.planRefused([]string{driftRefused, `"11"`})
	})
}

// Somebody writes between the plan and the apply: that is a conflict, or in key scope a conflict of the key, and no drift.
func TestDriftAfterThePlanIsAConflict(t *testing.T) {
	t.Parallel()
	drifting(t, []string{`on_drift = "error"`}, func(p *pipeline, block func(string, ...string) string) {
		p.write(block("2", `on_drift = "error"`))
		p.plan()
		p.set("testmap", "foo", "9")
		p.applyRefused("Error: Compare-And-Swap Conflict", "!"+driftRefused)
		p.wantLive("testmap", data{"foo": "9"})
	})
}

func TestDriftOfARemoval(t *testing.T) {
	t.Parallel()
	drifting(t, []string{`on_drift = "error"`}, func(p *pipeline, block func(string, ...string) string) {
		p.set("testmap", "foo", "9")
		p.write("")
		p.planRefused([]string{driftRefused, `"9"`})
		for _, check := range []string{"warning", "off"} {
			p.setenv("CAS_PLAN_CHECK", check)
			p.plan()
			p.applyRefused(driftRefused)
			p.wantLive("testmap", data{"foo": "9"})
		}
		p.setenv("CAS_PLAN_CHECK", "")
		p.planned(block("9", `on_drift = "error"`))
		p.planned("")
		p.wantState()
	})
}

// The README's third example: a flag that was switched back by hand in an emergency, to the very value that the configuration expects.
func TestDriftOfAFlagSwitchedBackByHand(t *testing.T) {
	t.Parallel()
	for name, scope := range map[string]string{"object": `conflict_scope = "object"`, "key": `conflict_scope = "key"`} {
		t.Run(name, func(t *testing.T) {
			p := newPipeline(t)
			p.create("testmap", data{"flag": "off"})
			flag := func(value, expected, onDrift string) string {
				return entryBlock("flag", `key = "flag"`, scope, `value = "`+value+`"`, `expected_value = "`+expected+`"`, `on_drift = "`+onDrift+`"`)
			}
			p.planned(flag("on", "off", "warning"))
			p.set("testmap", "flag", "off") // the emergency

			p.wants(p.do("apply", "-auto-approve"), driftWarned, `"off"`, `"on"`)
			p.wantLive("testmap", data{"flag": "on"})

			p.planned(flag("on", "off", "error"))
			p.set("testmap", "flag", "off")
			p.planRefused([]string{driftRefused})
			p.wantLive("testmap", data{"flag": "off"})

			p.planned(flag("off", "on", "error")) // the way on: to accept it
			p.wantLive("testmap", data{"flag": "off"})
			p.planned(flag("on", "off", "error")) // and later to switch it on again
			p.wantLive("testmap", data{"flag": "on"})
		})
	}
}

func TestDriftAcknowledgedByAnExpectation(t *testing.T) {
	t.Parallel()
	kinds := map[string]func(value, expected string) string{
		"entry": func(value, expected string) string {
			return entryBlock("it", `value = "`+value+`"`, `expected_value = "`+expected+`"`, `on_drift = "error"`)
		},
		"data": func(value, expected string) string {
			return dataBlock("it", `data = { foo = "`+value+`" }`, `expected_data = { foo = "`+expected+`" }`, `on_drift = "error"`)
		},
	}
	for name, block := range kinds {
		t.Run(name, func(t *testing.T) {
			p := newPipeline(t)
			p.create("testmap", data{"foo": "1"})
			p.planned(block("2", "1"))
			p.set("testmap", "foo", "9")
			p.write(block("3", "1")) // left over, and it does not hold
			p.planRefused([]string{"Error: Expected Value Mismatch", "!" + driftRefused})
			p.set("testmap", "foo", "1")
			p.planRefused([]string{driftRefused}) // left over, and it holds by chance
			p.set("testmap", "foo", "9")
			p.write(block("3", "8"))
			p.planRefused([]string{"Error: Expected Value Mismatch"})
			p.write(block("3", "9"))
			p.wants(p.plan(), "!"+driftWarned)
			p.apply()
			p.wantLive("testmap", data{"foo": "3"})
		})
	}
}

func TestDriftOfSeveralKeys(t *testing.T) {
	p := newPipeline(t)
	p.create("testmap", data{"guard": "1"})
	block := func(values, lines string) string {
		return dataBlock("it", `data = { `+values+` }`, `expected_data = { guard = "1" }`, `on_drift = "error"`, lines)
	}
	p.planned(block(`a = "1", b = "1", c = "1"`, ""))
	p.change("testmap", func(cm *corev1.ConfigMap) {
		cm.Data["a"], cm.Data["new"] = "9", "8"
		delete(cm.Data, "b") // absent counts
	})
	p.write(block(`a = "2", b = "2", c = "2"`, ""))
	out := p.planRefused([]string{driftRefused, `"9"`, "(absent)", "!guard"})
	p.wants(out, `!"8"`)

	p.change("testmap", func(cm *corev1.ConfigMap) { cm.Data["a"], cm.Data["b"] = "1", "1" })
	p.planned(block(`a = "2", b = "1", c = "1"`, ""))
	p.set("testmap", "b", "9")
	p.write(block(`a = "2", c = "1"`, "")) // a dropped key is removed
	p.planRefused([]string{driftRefused, `"9"`})
	p.setenv("CAS_PLAN_CHECK", "warning")
	p.plan()
	p.applyRefused(driftRefused)
	p.wantLive("testmap", data{"a": "2", "b": "9", "c": "1", "guard": "1", "new": "8"})
	p.planned(block(`a = "2", c = "1"`, `deletion_policy = "abandon"`))
	p.wantLive("testmap", data{"a": "2", "b": "9", "c": "1", "guard": "1", "new": "8"})
}

func TestDriftOfAWholeConfigMap(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		block   []string
		change  func(*corev1.ConfigMap)
		drifted string // empty: no drift
	}{
		"a key added":             {[]string{`data = { a = "1" }`}, func(cm *corev1.ConfigMap) { cm.Data["b"] = "9" }, `"9"`},
		"a key removed":           {[]string{`data = { a = "1" }`}, func(cm *corev1.ConfigMap) { delete(cm.Data, "a") }, "(absent)"},
		"bytes":                   {[]string{`binary_data = { a = "AA==" }`}, func(cm *corev1.ConfigMap) { cm.BinaryData["a"] = []byte{1} }, `"AQ=="`},
		"a label":                 {[]string{`labels = { a = "1" }`}, func(cm *corev1.ConfigMap) { cm.Labels["a"] = "9" }, `"9"`},
		"an annotation added":     {[]string{`annotations = { a = "1" }`}, func(cm *corev1.ConfigMap) { cm.Annotations["b"] = "9" }, `"9"`},
		"immutable":               {[]string{`data = { a = "1" }`}, freeze, `"true"`},
		"a part that is left out": {[]string{`labels = { a = "1" }`}, func(cm *corev1.ConfigMap) { cm.Data = data{"b": "9"} }, ""},
		"a label of an ignored key": {
			[]string{`labels = { a = "1" }`}, func(cm *corev1.ConfigMap) { cm.Labels["ignored"] = "9" }, "",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := newPipeline(t)
			write := func(lines ...string) {
				p.writeFor(p.kubeconfig, `  ignore_labels = ["ignored"]`, wholeBlock("it", append(lines, test.block...)...))
			}
			write(`on_drift = "error"`)
			p.planApply()
			p.change("testmap", test.change)
			if test.drifted == "" {
				p.planNothing()
				return
			}
			p.planRefused([]string{driftRefused, test.drifted})
			p.setenv("CAS_PLAN_CHECK", "warning")
			p.plan()
			p.applyRefused(driftRefused)
			p.setenv("CAS_PLAN_CHECK", "")
			write()
			p.wants(p.plan(), driftWarned, test.drifted)
		})
	}
}

// A configuration that gives up data leaves it to others, with what they changed.
func TestDriftOfAPartThatIsLeftToOthersFromNowOn(t *testing.T) {
	p := newPipeline(t)
	p.planned(wholeBlock("it", `data = { a = "1" }`, `labels = { l = "1" }`, `on_drift = "error"`))
	p.set("testmap", "a", "9")
	p.planned(wholeBlock("it", `labels = { l = "2" }`, `on_drift = "error"`))
	p.wantWhole("testmap", whole{Labels: data{"l": "2"}, Data: data{"a": "9"}})
}

// What an import, an adoption and a moved state found is what drift is measured by.
func TestDriftBaselines(t *testing.T) {
	t.Parallel()
	imports := map[string]struct{ address, id, block string }{
		"an imported entry":     {"cas_configmap_entry.it", "/testmap/foo", entryBlock("it", `value = "2"`, `on_drift = "error"`)},
		"imported keys":         {"cas_configmap_data.it", "/testmap:foo", dataBlock("it", `data = { foo = "2" }`, `on_drift = "error"`)},
		"an imported ConfigMap": {"cas_configmap.it", "/testmap", wholeBlock("it", `data = { foo = "2" }`, `on_drift = "error"`)},
	}
	for name, test := range imports {
		t.Run(name, func(t *testing.T) {
			p := newPipeline(t)
			p.create("testmap", data{"foo": "1"})
			p.write(test.block)
			p.do("import", test.address, p.namespace+test.id)
			p.set("testmap", "foo", "9")
			p.planRefused([]string{driftRefused, `"9"`})
			p.set("testmap", "foo", "1")
			p.planApply()
			p.wantLive("testmap", data{"foo": "2"})
		})
	}
	t.Run("keys that were moved from another provider", func(t *testing.T) {
		f := newFixture(t)
		f.create("testmap", data{"foo": "1"})
		f.runRefused(func(got failures) {
			got.want(f, "it", driftRefused, `"9"`)
			f.wantLive("testmap", data{"foo": "9"})
		},
			resource.TestStep{Config: f.config(kubernetesBlock(`data = { foo = "1" }`))},
			resource.TestStep{
				PreConfig: func() { f.set("testmap", "foo", "9") },
				Config:    f.config(dataBlock("it", `data = { foo = "2" }`, `on_drift = "error"`) + movedBlock),
			},
		)
	})
	t.Run("adoption", func(t *testing.T) {
		p := newPipeline(t)
		p.create("testmap", data{"foo": "1"})
		p.planned(entryBlock("it", `value = "1"`, `adopt_existing = true`, `on_drift = "error"`))
		p.set("testmap", "foo", "9")
		p.planRefused([]string{driftRefused})
	})
}

func TestDriftAndWaiting(t *testing.T) {
	p := newPipeline(t)
	p.create("testmap", data{"foo": "1"})
	wait := func(value string, lines ...string) string {
		return entryBlock("it", append(lines, `value = "`+value+`"`, `expected_value = "1"`, `conflict_scope = "key"`, `wait_for_match = "1m"`)...)
	}
	p.write(wait("2", `on_drift = "error"`))
	p.planRefused([]string{"Error: Invalid Attribute Combination", `on_drift must not be "error"`})
	p.planned(wait("2"))
	p.set("testmap", "foo", "1") // what it expects
	p.wants(p.plan(), "!"+driftWarned)
	p.apply()
	p.wantLive("testmap", data{"foo": "2"})
}
