package acceptance_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

const (
	wholeConflict = "Error: Compare-And-Swap Conflict"
	wholeExists   = "Error: ConfigMap Already Exists"
)

func TestConfigMapThatExistsIsNotCreated(t *testing.T) {
	t.Parallel()
	wants := []string{
		wholeExists, "with cas_configmap.all", "The ConfigMap already exists. Nothing was written.",
		"Changed by: another-writer (last write ", "run terraform untaint with the address above.",
	}
	t.Run("at plan", func(t *testing.T) {
		p := newPipeline(t)
		before := p.create("testmap", data{"foo": "1"})
		p.write(wholeBlock("all", `data = { foo = "1" }`))
		p.planRefused(append(wants, p.text("Import id: NAMESPACE/testmap "), "Otherwise import it, or choose another name; with create_before_destroy, use generate_name.", planCheckAdvice))
		p.wantUnchanged(before)
		p.wantState()
	})
	for _, check := range []string{"error", "warning", "off"} {
		t.Run("at apply, with plan_check "+check, func(t *testing.T) {
			p := newPipeline(t)
			p.setenv("CAS_PLAN_CHECK", check)
			p.write(wholeBlock("all", `data = { foo = "1" }`))
			if check != "error" {
				p.create("testmap", data{"foo": "theirs"})
			}
			out := p.plan()
			if strings.Contains(out, "Warning: ConfigMap Already Exists") != (check == "warning") {
				t.Errorf("the plan with plan_check %s:\n%s", check, out)
			}
			if check == "error" {
				p.create("testmap", data{"foo": "theirs"})
			}
			p.applyRefused(append(wants, p.text("Import id: NAMESPACE/testmap "))...)
			p.wantLive("testmap", data{"foo": "theirs"})
			p.wantState() // and nothing is tainted
			p.remove("testmap")
			p.planned(wholeBlock("all", `data = { foo = "1" }`))
			p.wantLive("testmap", data{"foo": "1"})
		})
	}
}

// wholeWrites are what others may do to a ConfigMap { foo = "1" } between a plan and its apply, and what is said of it.
var wholeWrites = map[string]struct {
	write foreignWrite
	told  []string
}{
	"a value": {sameKeyWritten, []string{`Key: foo Expected: "1" Found: "foreign"`}},
	"a key":   {otherKeyWritten, []string{`Key: bar Expected: (absent) Found: "foreign"`}},
	"a label": {
		func(f *fixture, name string) {
			f.change(name, func(cm *corev1.ConfigMap) { cm.Labels["app"] = "theirs" })
		},
		[]string{`Label: app Expected: "shop" Found: "theirs"`},
	},
	"what is not managed": {
		func(f *fixture, name string) {
			f.change(name, func(cm *corev1.ConfigMap) { cm.BinaryData = map[string][]byte{"raw": {1}} })
		},
		nil,
	},
	"a change that was undone": {
		func(f *fixture, name string) { f.set(name, "foo", "x"); f.set(name, "foo", "1") }, nil,
	},
	"immutability": {
		func(f *fixture, name string) { f.change(name, freeze) }, []string{"immutable: false expected, true found"},
	},
	"all of it": {
		func(f *fixture, name string) {
			f.remove(name)
			f.makeWhole(name, whole{Labels: data{"app": "shop"}, Data: data{"foo": "1"}})
		},
		[]string{"The ConfigMap was deleted and created again after ", "uid: "},
	},
}

func TestConfigMapForeignWriteBetweenPlanAndApply(t *testing.T) {
	t.Parallel()
	const before = `data = { foo = "1" }`
	for what, foreign := range wholeWrites {
		for op, after := range map[string]string{"update": wholeBlock("all", `labels = { app = "shop" }`, `data = { foo = "2" }`), "delete": ""} {
			t.Run(op+" after "+what, func(t *testing.T) {
				p := newPipeline(t)
				p.planned(wholeBlock("all", `labels = { app = "shop" }`, before))
				p.write(after)
				p.plan()
				planned := p.live("testmap").ResourceVersion
				foreign.write(p.fixture, "testmap")
				live := p.live("testmap")
				past := map[string]string{"update": "written", "delete": "removed"}[op]
				out := p.applyRefused(append([]string{
					wholeConflict, " after ", "Nothing was " + past + ".",
					"resourceVersion: " + planned + " when ", ", " + live.ResourceVersion + " now", "Changed by: another-writer (last write ",
				}, foreign.told...)...)
				if foreign.told == nil && strings.Contains(out, "Expected") {
					t.Errorf("told of a difference that is none:\n%s", out)
				}
				p.wantUnchanged(live)
				p.wantState("all")
				if op == "delete" {
					p.planApply()
					p.wantNone("testmap")
				}
			})
		}
	}
}

func TestConfigMapConflictHidesAsTold(t *testing.T) {
	p := newPipeline(t)
	p.planned(wholeBlock("all", `data = { foo = "secret" }`, `hide_values = true`))
	p.write(wholeBlock("all", `data = { foo = "secret too" }`, `hide_values = true`))
	p.plan()
	p.set("testmap", "foo", "their secret")
	p.applyRefused(wholeConflict, "Key: foo Expected: (hidden, 6 bytes, sha256:"+digestOf("secret")+") Found: (hidden, 12 bytes, sha256:"+
		digestOf("their secret")+")", "!\"secret", "!their secret")
}

// Without a refresh the state is old: object scope fails closed.
func TestConfigMapWithoutRefreshFailsClosed(t *testing.T) {
	p := newPipeline(t)
	p.planned(wholeBlock("all", `data = { foo = "1" }`))
	p.set("testmap", "foo", "foreign")
	p.write(wholeBlock("all", `data = { foo = "2" }`))
	p.planRefused([]string{wholeConflict, `Key: foo Expected: "1" Found: "foreign"`, planCheckAdvice}, "-refresh=false")
	p.wants(p.plan(), `"foreign" -> "2"`)
	p.apply()
	p.wantLive("testmap", data{"foo": "2"})

	// A delete goes by what the plan itself saw.
	p.set("testmap", "foo", "foreign")
	p.plan("-destroy", "-refresh=false")
	p.set("testmap", "foo", "foreign again")
	p.applyRefused(wholeConflict, "Nothing was removed.")
	p.planApply("-destroy", "-refresh=false")
	p.wantState()
}

func TestConfigMapDestroyOfWhatIsGoneAlreadySucceeds(t *testing.T) {
	p := newPipeline(t)
	p.planned(wholeBlock("all", `data = { foo = "1" }`))
	p.plan("-destroy")
	p.remove("testmap")
	p.apply()
	p.wantState()

	// The plan saw none, and another one was made since: it is not this resource's.
	p.planned(wholeBlock("all", `data = { foo = "1" }`))
	p.remove("testmap")
	p.plan("-destroy", "-refresh=false")
	p.create("testmap", data{"foo": "theirs"})
	p.applyRefused(wholeConflict, "deleted and created again")
	p.wantLive("testmap", data{"foo": "theirs"})
	p.remove("testmap")
	p.destroy("-refresh=false")
	p.wantState()
}

func TestConfigMapTooLargeWithWhatOthersOwn(t *testing.T) {
	p := newPipeline(t)
	p.planned(wholeBlock("all", `data = { foo = "1" }`))
	p.change("testmap", func(cm *corev1.ConfigMap) { cm.BinaryData = map[string][]byte{"raw": make([]byte, 1<<20-10)} })
	p.write(wholeBlock("all", `data = { foo = "12345678901" }`))
	wants := []string{
		"Error: ConfigMap Too Large", "New values: 11 bytes", "Other values: 1048566 bytes", "Limit: 1048576 bytes for all values together",
	}
	p.planRefused(append(wants, planCheckAdvice))
	p.setenv("CAS_PLAN_CHECK", "off")
	p.plan()
	p.applyRefused(wants...)
	p.planned(wholeBlock("all", `data = { foo = "1234567890" }`))
}

func TestWholeConfigMapThatIsBeingDeleted(t *testing.T) {
	t.Parallel()
	const deleted = "Error: ConfigMap Is Being Deleted"
	finalized := func(p *pipeline) {
		p.change("testmap", func(cm *corev1.ConfigMap) { cm.Finalizers = []string{"example.com/hold"} })
		p.Cleanup(func() {
			if p.exists("testmap") {
				p.change("testmap", func(cm *corev1.ConfigMap) { cm.Finalizers = nil })
			}
		})
		p.remove("testmap")
	}
	t.Run("update", func(t *testing.T) {
		p := newPipeline(t)
		p.planned(wholeBlock("all", `data = { foo = "1" }`))
		finalized(p)
		p.write(wholeBlock("all", `data = { foo = "2" }`))
		p.planRefused([]string{deleted, "The ConfigMap is being deleted. Nothing was written.", planCheckAdvice})
		p.setenv("CAS_PLAN_CHECK", "off")
		p.plan()
		p.applyRefused(deleted)
		p.wantLive("testmap", data{"foo": "1"})
	})
	t.Run("create", func(t *testing.T) {
		p := newPipeline(t)
		p.create("testmap", data{"foo": "1"})
		finalized(p)
		p.write(wholeBlock("all"))
		p.planRefused([]string{deleted, "!Already Exists"})
		p.setenv("CAS_PLAN_CHECK", "off")
		p.plan()
		p.applyRefused(deleted)
		p.wantState()
	})
	t.Run("destroy", func(t *testing.T) {
		p := newPipeline(t)
		p.planned(wholeBlock("all", `data = { foo = "1" }`))
		finalized(p)
		p.planApply("-destroy")
		p.wantState()
		if !p.exists("testmap") {
			t.Error("the ConfigMap is gone, whatever held it")
		}
	})
	t.Run("destroy that it comes between", func(t *testing.T) {
		p := newPipeline(t)
		p.planned(wholeBlock("all", `data = { foo = "1" }`))
		p.plan("-destroy")
		finalized(p)
		p.apply()
		p.wantState()
	})
}

func TestConfigMapInANamespaceThatIsNotThere(t *testing.T) {
	p := newPipeline(t)
	p.on.Write("main.tf", terraformSource+strings.ReplaceAll(p.config(wholeBlock("all")), quoted(p.namespace), `"no-such-namespace"`))
	p.plan()
	p.applyRefused("Error: Namespace Not Found", "with cas_configmap.all", "The namespace does not exist. Nothing was written.",
		"ConfigMap: no-such-namespace/testmap")
	p.wantState()
}
