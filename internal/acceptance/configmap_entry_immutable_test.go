package acceptance_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func freeze(cm *corev1.ConfigMap) { cm.Immutable = new(true) }

// createRefused plans the creation of an entry in an empty ConfigMap, then has something happen to that. The apply and the next plan must be refused.
func (p *pipeline) createRefused(happens func(), wants ...string) {
	p.Helper()
	p.write(entryBlock("foo", `value = "2"`))
	p.plan()
	happens()
	p.applyRefused(wants...)
	p.planRefused(wants)
	p.wantContents(contents{})
	p.wantState()
}

func TestImmutableConfigMap(t *testing.T) {
	t.Parallel()
	const refused = "Error: ConfigMap Is Immutable"
	written := []string{refused, "The ConfigMap is immutable. Nothing was written.", "Use a ConfigMap with another name"}
	removed := []string{refused, "The ConfigMap is immutable. Nothing was removed.", `apply deletion_policy = "abandon", then destroy.`}

	t.Run("create", func(t *testing.T) {
		p := newPipeline(t)
		p.testmap(contents{})
		p.createRefused(func() { p.change("testmap", freeze) }, written...)
	})
	t.Run("update and destroy", func(t *testing.T) {
		p := newPipeline(t)
		p.testmap(contents{})
		p.planned(entryBlock("foo", `value = "2"`, `conflict_scope = "key"`))
		p.write(entryBlock("foo", `value = "3"`, `conflict_scope = "key"`))
		p.plan()
		p.change("testmap", freeze)
		p.applyRefused(written...)
		p.planRefused(written)
		if got := p.wantState("foo")["foo"].Attributes["value"]; got != "2" {
			t.Errorf("the state holds value %q", got)
		}
		p.write(entryBlock("foo", `value = "2"`, `conflict_scope = "key"`)) // a plan of a destroy plans what is configured first
		p.planRefused(removed, "-destroy")
		p.setenv("CAS_PLAN_CHECK", "off")
		p.destroyRefused(removed)
		p.wantLive("testmap", data{"foo": "2"})
		p.wantState("foo")

		p.planned(entryBlock("foo", `value = "2"`, `conflict_scope = "key"`, `deletion_policy = "abandon"`))
		p.destroy()
		p.wantLive("testmap", data{"foo": "2"})
		p.wantState()
	})
	t.Run("nothing to write", func(t *testing.T) {
		p := newPipeline(t)
		p.create("testmap", data{"foo": "2"})
		p.change("testmap", freeze)
		p.planned(entryBlock("foo", `value = "2"`, `adopt_existing = true`))
		p.planNothing()
		p.wantState("foo")
	})
}

func TestConfigMapThatIsBeingDeleted(t *testing.T) {
	t.Parallel()
	const refused = "Error: ConfigMap Is Being Deleted"
	wants := []string{refused, "The ConfigMap is being deleted. Nothing was written.", "Deleted at: 20"}
	held := func(p *pipeline, holds data) {
		p.createObject(&corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: "testmap", Finalizers: []string{"example.com/held"}}, Data: holds,
		})
	}
	t.Run("create", func(t *testing.T) {
		p := newPipeline(t)
		held(p, nil)
		p.createRefused(func() { p.remove("testmap") }, wants...)
	})
	t.Run("update, and destroy goes ahead", func(t *testing.T) {
		p := newPipeline(t)
		held(p, data{"bar": "kept"})
		p.planned(entryBlock("foo", `value = "2"`, `conflict_scope = "key"`))
		p.write(entryBlock("foo", `value = "3"`, `conflict_scope = "key"`))
		p.plan()
		p.remove("testmap")
		p.applyRefused(wants...)
		p.planRefused(wants)
		p.wantState("foo")
		p.write(entryBlock("foo", `value = "2"`, `conflict_scope = "key"`)) // a plan of a destroy plans what is configured first
		p.planApply("-destroy")
		p.wantLive("testmap", data{"bar": "kept"})
		p.wantState()
	})
	for name, foreign := range map[string]foreignWrite{
		"quiet":               nobodyWrites,
		"the key was written": sameKeyWritten,
		"another key too":     otherKeyWritten,
		"immutable besides":   func(f *fixture, name string) { f.change(name, freeze) },
	} {
		t.Run("destroy of what began to be deleted after the plan/"+name, func(t *testing.T) {
			p := newPipeline(t)
			held(p, nil)
			p.planned(entryBlock("foo", `value = "2"`))
			p.plan("-destroy")
			p.remove("testmap")
			foreign(p.fixture, "testmap")
			p.apply()
			p.wantState()
		})
	}
	t.Run("removal of another's value that was to be restored", func(t *testing.T) {
		p := newPipeline(t)
		held(p, nil)
		p.planned(entryBlock("foo", `value = "2"`, `deletion_policy = "restore"`))
		p.set("testmap", "foo", "foreign")
		p.remove("testmap")
		p.write("") // no plan of what is configured comes first
		p.planApply()
		p.wantState()
	})
	t.Run("destroy of another's value that was to be restored", func(t *testing.T) {
		p := newPipeline(t)
		held(p, nil)
		p.setenv("CAS_PLAN_CHECK", "off")
		p.planned(entryBlock("foo", `value = "2"`, `deletion_policy = "restore"`))
		p.set("testmap", "foo", "foreign")
		p.remove("testmap")
		p.planApply("-destroy")
		p.wantState()
	})
}

func TestRestoreOfWhatIsThereNeedsNoChangeOfAnImmutableConfigMap(t *testing.T) {
	p := newPipeline(t)
	p.create("testmap", data{"foo": "2"})
	p.change("testmap", func(cm *corev1.ConfigMap) {
		yes := true
		cm.Immutable = &yes
	})
	p.planned(entryBlock("foo", `value = "2"`, `adopt_existing = true`, `deletion_policy = "restore"`))
	p.destroy()
	p.wantLive("testmap", data{"foo": "2"})
}
