package configmap

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
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
		p := fixture.NewPipeline(t)
		before := p.Create("testmap", fixture.Data{"foo": "1"})
		p.Write(fixture.WholeBlock("all", `data = { foo = "1" }`))
		p.PlanRefused(append(wants, p.Text("Import id: NAMESPACE/testmap "), "Otherwise import it, set expected_resource_version_wo = ",
			"to take it over, or choose another name; with create_before_destroy, use generate_name.", "!"+fixture.PlanCheckAdvice))
		p.WantUnchanged(before)
		p.WantState()
	})
	for _, check := range []string{"error", "warning", "off"} {
		t.Run("at apply, with plan_check "+check, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Export("CAS_PLAN_CHECK", check)
			p.Write(fixture.WholeBlock("all", `data = { foo = "1" }`))
			if check != "error" {
				p.Create("testmap", fixture.Data{"foo": "theirs"})
			}
			out := p.Plan()
			if strings.Contains(out, "Warning: ConfigMap Already Exists") != (check == "warning") {
				t.Errorf("the plan with plan_check %s:\n%s", check, out)
			}
			if check == "error" {
				p.Create("testmap", fixture.Data{"foo": "theirs"})
			}
			p.ApplyRefused(append(wants, p.Text("Import id: NAMESPACE/testmap "))...)
			p.WantLive("testmap", fixture.Data{"foo": "theirs"})
			p.WantState() // and nothing is tainted
			p.Remove("testmap")
			p.Planned(fixture.WholeBlock("all", `data = { foo = "1" }`))
			p.WantLive("testmap", fixture.Data{"foo": "1"})
		})
	}
}

// wholeWrites has changes of a ConfigMap { foo = "1" } between a plan and its apply, and the texts of the refusal.
var wholeWrites = map[string]struct {
	write fixture.ForeignWrite
	told  []string
}{
	"a value": {fixture.SameKeyWritten, []string{`Key: foo Expected: "1" Found: "foreign"`}},
	"a key":   {fixture.OtherKeyWritten, []string{`Key: bar Expected: (absent) Found: "foreign"`}},
	"a label": {
		func(f *fixture.Fixture, name string) {
			f.Change(name, func(cm *corev1.ConfigMap) { cm.Labels["app"] = "theirs" })
		},
		[]string{`Label: app Expected: "shop" Found: "theirs"`},
	},
	"what is not managed": {
		func(f *fixture.Fixture, name string) {
			f.Change(name, func(cm *corev1.ConfigMap) { cm.BinaryData = map[string][]byte{"raw": {1}} })
		},
		nil,
	},
	"a change that was undone": {
		func(f *fixture.Fixture, name string) { f.Set(name, "foo", "x"); f.Set(name, "foo", "1") }, nil,
	},
	"immutability": {
		func(f *fixture.Fixture, name string) { f.Change(name, fixture.Freeze) }, []string{"Attribute: immutable Expected: (absent) Found: true"},
	},
	"all of it": {
		func(f *fixture.Fixture, name string) {
			f.Remove(name)
			f.MakeWhole(name, fixture.Whole{Labels: fixture.Data{"app": "shop"}, Data: fixture.Data{"foo": "1"}})
		},
		[]string{"The ConfigMap was deleted and created again after ", "uid: "},
	},
}

func TestConfigMapForeignWriteBetweenPlanAndApply(t *testing.T) {
	t.Parallel()
	const before = `data = { foo = "1" }`
	deletes := map[string]string{"delete": fixture.Deletes}
	for what, foreign := range wholeWrites {
		for op, after := range map[string]string{"update": fixture.WholeBlock("all", `labels = { app = "shop" }`, `data = { foo = "2" }`), "delete": ""} {
			t.Run(op+" after "+what, func(t *testing.T) {
				p := fixture.NewPipeline(t)
				p.Planned(fixture.WholeBlock("all", `labels = { app = "shop" }`, before, deletes[op]))
				p.Write(after)
				p.Plan()
				planned := p.Live("testmap").ResourceVersion
				foreign.write(p.Fixture, "testmap")
				live := p.Live("testmap")
				past := map[string]string{"update": "written", "delete": "removed"}[op]
				out := p.ApplyRefused(append([]string{
					wholeConflict, " after ", "Nothing was " + past + ".",
					"resourceVersion: " + planned + " when ", ", " + live.ResourceVersion + " now", "Changed by: another-writer (last write ",
				}, foreign.told...)...)
				if foreign.told == nil && strings.Contains(out, "Expected") {
					t.Errorf("told of a difference that is none:\n%s", out)
				}
				p.WantUnchanged(live)
				p.WantState("all")
				if op == "delete" {
					p.PlanApply()
					p.WantNone("testmap")
				}
			})
		}
	}
}

func TestConfigMapConflictHidesAsTold(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Planned(fixture.WholeBlock("all", `data = { foo = "secret" }`, `hide_values = true`))
	p.Write(fixture.WholeBlock("all", `data = { foo = "secret too" }`, `hide_values = true`))
	p.Plan()
	p.Set("testmap", "foo", "their secret")
	p.ApplyRefused(wholeConflict, "Key: foo Expected: (hidden, 6 bytes, sha256:"+digestOf("secret")+") Found: (hidden, 12 bytes, sha256:"+
		digestOf("their secret")+")", "!\"secret", "!their secret")
}

// Without a refresh the state is old: object scope fails closed.
func TestConfigMapWithoutRefreshFailsClosed(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Planned(fixture.WholeBlock("all", `data = { foo = "1" }`, fixture.Overwrites))
	p.Set("testmap", "foo", "foreign")
	p.Write(fixture.WholeBlock("all", `data = { foo = "2" }`, fixture.Overwrites))
	p.PlanRefused([]string{wholeConflict, `Key: foo Expected: "1" Found: "foreign"`, fixture.PlanCheckAdvice}, "-refresh=false")
	p.Wants(p.Plan(), `"foreign" -> "2"`)
	p.Apply()
	p.WantLive("testmap", fixture.Data{"foo": "2"})

	// A delete compares with the read of its own plan.
	p.Planned(fixture.WholeBlock("all", fixture.Deletes, `data = { foo = "2" }`))
	p.Set("testmap", "foo", "foreign")
	p.Plan("-destroy", "-refresh=false")
	p.Set("testmap", "foo", "foreign again")
	p.ApplyRefused(wholeConflict, "Nothing was removed.")
	p.PlanApply("-destroy", "-refresh=false")
	p.WantState()
}

func TestConfigMapDestroyOfWhatIsGoneAlreadySucceeds(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Planned(fixture.WholeBlock("all", `data = { foo = "1" }`))
	p.Plan("-destroy")
	p.Remove("testmap")
	p.Apply()
	p.WantState()

	// The plan saw none, and another one was made since: it is not this resource's.
	p.Planned(fixture.WholeBlock("all", `data = { foo = "1" }`))
	p.Remove("testmap")
	p.Plan("-destroy", "-refresh=false")
	p.Create("testmap", fixture.Data{"foo": "theirs"})
	p.ApplyRefused(wholeConflict, "deleted and created again")
	p.WantLive("testmap", fixture.Data{"foo": "theirs"})
	p.Remove("testmap")
	p.Destroy("-refresh=false")
	p.WantState()
}

func TestWholeConfigMapThatIsBeingDeleted(t *testing.T) {
	t.Parallel()
	const deleted = "Error: ConfigMap Is Being Deleted"
	finalized := func(p *fixture.Pipeline) {
		p.Change("testmap", func(cm *corev1.ConfigMap) { cm.Finalizers = []string{"example.com/hold"} })
		p.Cleanup(func() {
			if p.Exists("testmap") {
				p.Change("testmap", func(cm *corev1.ConfigMap) { cm.Finalizers = nil })
			}
		})
		p.Remove("testmap")
	}
	t.Run("update", func(t *testing.T) {
		p := fixture.NewPipeline(t)
		p.Planned(fixture.WholeBlock("all", `data = { foo = "1" }`))
		finalized(p)
		p.Write(fixture.WholeBlock("all", `data = { foo = "2" }`))
		p.PlanRefused([]string{deleted, "The ConfigMap is being deleted. Nothing was written.", fixture.PlanCheckAdvice})
		p.Export("CAS_PLAN_CHECK", "off")
		p.Plan()
		p.ApplyRefused(deleted)
		p.WantLive("testmap", fixture.Data{"foo": "1"})
	})
	t.Run("create", func(t *testing.T) {
		p := fixture.NewPipeline(t)
		p.Create("testmap", fixture.Data{"foo": "1"})
		finalized(p)
		p.Write(fixture.WholeBlock("all"))
		p.PlanRefused([]string{deleted, "!Already Exists"})
		p.Export("CAS_PLAN_CHECK", "off")
		p.Plan()
		p.ApplyRefused(deleted)
		p.WantState()
	})
	t.Run("destroy", func(t *testing.T) {
		p := fixture.NewPipeline(t)
		p.Planned(fixture.WholeBlock("all", `data = { foo = "1" }`))
		finalized(p)
		p.Plan("-destroy")
		p.Wants(p.Apply(), "Warning: ConfigMap Still Exists", "Finalizers: example.com/hold")
		p.WantState()
		if !p.Exists("testmap") {
			t.Error("the ConfigMap is gone, whatever held it")
		}
	})
	t.Run("destroy that it comes between", func(t *testing.T) {
		p := fixture.NewPipeline(t)
		p.Planned(fixture.WholeBlock("all", `data = { foo = "1" }`))
		p.Plan("-destroy")
		finalized(p)
		p.Wants(p.Apply(), "Warning: ConfigMap Still Exists", "Finalizers: example.com/hold")
		p.WantState()
	})
	t.Run("destroy of an object with a finalizer", func(t *testing.T) {
		p := fixture.NewPipeline(t)
		p.Planned(fixture.WholeBlock("all", `data = { foo = "1" }`))
		p.Change("testmap", func(cm *corev1.ConfigMap) { cm.Finalizers = []string{"example.com/hold"} })
		p.Plan("-destroy")
		p.Wants(p.Apply(), "Warning: ConfigMap Still Exists", "Finalizers: example.com/hold")
		p.WantState()
		p.Change("testmap", func(cm *corev1.ConfigMap) { cm.Finalizers = nil })
		p.WantNone("testmap")
	})
}

func TestConfigMapInANamespaceThatIsNotThere(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.On.Write("main.tf", fixture.TerraformSource+strings.ReplaceAll(p.Config(fixture.WholeBlock("all")), fixture.Quoted(p.Namespace), `"no-such-namespace"`))
	p.Plan()
	p.ApplyRefused("Error: Namespace Not Found", "with cas_configmap.all", "The namespace does not exist. Nothing was written.",
		"ConfigMap: no-such-namespace/testmap")
	p.WantState()
}
