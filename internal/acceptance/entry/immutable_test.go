package entry

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// createRefused plans the creation of an entry in an empty ConfigMap, then has something happen to that. The apply and the next plan must be refused.
func createRefused(p *fixture.Pipeline, happens func(), wants ...string) {
	p.Helper()
	p.Write(fixture.EntryBlock("foo", `value = "2"`))
	p.Plan()
	happens()
	p.ApplyRefused(wants...)
	p.PlanRefused(wants)
	p.WantContents(fixture.Contents{})
	p.WantState()
}

func TestImmutableConfigMap(t *testing.T) {
	t.Parallel()
	const refused = "Error: ConfigMap Is Immutable"
	written := []string{refused, "The ConfigMap is immutable. Nothing was written.", "Use a ConfigMap with another name"}
	removed := []string{refused, "The ConfigMap is immutable. Nothing was removed.", `apply deletion_policy = "abandon", then destroy.`}

	t.Run("create", func(t *testing.T) {
		p := fixture.NewPipeline(t)
		p.Testmap(fixture.Contents{})
		createRefused(p, func() { p.Change("testmap", fixture.Freeze) }, written...)
	})
	t.Run("update and destroy", func(t *testing.T) {
		p := fixture.NewPipeline(t)
		p.Testmap(fixture.Contents{})
		p.Planned(fixture.EntryBlock("foo", `value = "2"`, `conflict_scope = "key"`))
		p.Write(fixture.EntryBlock("foo", `value = "3"`, `conflict_scope = "key"`))
		p.Plan()
		p.Change("testmap", fixture.Freeze)
		p.ApplyRefused(written...)
		p.PlanRefused(written)
		if got := p.WantState("foo")["foo"].Attributes["value"]; got != "2" {
			t.Errorf("the state holds value %q", got)
		}
		p.Write(fixture.EntryBlock("foo", `value = "2"`, `conflict_scope = "key"`)) // a plan of a destroy plans what is configured first
		p.PlanRefused(removed, "-destroy")
		p.Export("CAS_PLAN_CHECK", "off")
		p.DestroyRefused(removed)
		p.WantLive("testmap", fixture.Data{"foo": "2"})
		p.WantState("foo")

		p.Planned(fixture.EntryBlock("foo", `value = "2"`, `conflict_scope = "key"`, `deletion_policy = "abandon"`))
		p.Destroy()
		p.WantLive("testmap", fixture.Data{"foo": "2"})
		p.WantState()
	})
	t.Run("nothing to write", func(t *testing.T) {
		p := fixture.NewPipeline(t)
		p.Create("testmap", fixture.Data{"foo": "2"})
		p.Change("testmap", fixture.Freeze)
		p.Planned(fixture.EntryBlock("foo", `value = "2"`, `adopt_existing = true`))
		p.PlanNothing()
		p.WantState("foo")
	})
}

func TestConfigMapThatIsBeingDeleted(t *testing.T) {
	t.Parallel()
	const refused = "Error: ConfigMap Is Being Deleted"
	wants := []string{refused, "The ConfigMap is being deleted. Nothing was written.", "Deleted at: 20"}
	held := func(p *fixture.Pipeline, holds fixture.Data) {
		p.CreateObject(&corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: "testmap", Finalizers: []string{"example.com/held"}}, Data: holds,
		})
	}
	t.Run("create", func(t *testing.T) {
		p := fixture.NewPipeline(t)
		held(p, nil)
		createRefused(p, func() { p.Remove("testmap") }, wants...)
	})
	t.Run("update, and destroy goes ahead", func(t *testing.T) {
		p := fixture.NewPipeline(t)
		held(p, fixture.Data{"bar": "kept"})
		p.Planned(fixture.EntryBlock("foo", `value = "2"`, `conflict_scope = "key"`))
		p.Write(fixture.EntryBlock("foo", `value = "3"`, `conflict_scope = "key"`))
		p.Plan()
		p.Remove("testmap")
		p.ApplyRefused(wants...)
		p.PlanRefused(wants)
		p.WantState("foo")
		p.Write(fixture.EntryBlock("foo", `value = "2"`, `conflict_scope = "key"`)) // a plan of a destroy plans what is configured first
		p.PlanApply("-destroy")
		p.WantLive("testmap", fixture.Data{"bar": "kept"})
		p.WantState()
	})
	for name, foreign := range map[string]fixture.ForeignWrite{
		"quiet":               nobodyWrites,
		"the key was written": fixture.SameKeyWritten,
		"another key too":     fixture.OtherKeyWritten,
		"immutable besides":   func(f *fixture.Fixture, name string) { f.Change(name, fixture.Freeze) },
	} {
		t.Run("destroy of what began to be deleted after the plan/"+name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			held(p, nil)
			p.Planned(fixture.EntryBlock("foo", `value = "2"`))
			p.Plan("-destroy")
			p.Remove("testmap")
			foreign(p.Fixture, "testmap")
			p.Apply()
			p.WantState()
		})
	}
	t.Run("removal of another's value that was to be restored", func(t *testing.T) {
		p := fixture.NewPipeline(t)
		held(p, nil)
		p.Planned(fixture.EntryBlock("foo", `value = "2"`, `deletion_policy = "restore"`))
		p.Set("testmap", "foo", "foreign")
		p.Remove("testmap")
		p.Write("") // without a block, no plan of the entry comes first
		p.PlanApply()
		p.WantState()
	})
	t.Run("destroy of another's value that was to be restored", func(t *testing.T) {
		p := fixture.NewPipeline(t)
		held(p, nil)
		p.Export("CAS_PLAN_CHECK", "off")
		p.Planned(fixture.EntryBlock("foo", `value = "2"`, `deletion_policy = "restore"`))
		p.Set("testmap", "foo", "foreign")
		p.Remove("testmap")
		p.PlanApply("-destroy")
		p.WantState()
	})
}

func TestRestoreOfWhatIsThereNeedsNoChangeOfAnImmutableConfigMap(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{"foo": "2"})
	p.Change("testmap", func(cm *corev1.ConfigMap) {
		yes := true
		cm.Immutable = &yes
	})
	p.Planned(fixture.EntryBlock("foo", `value = "2"`, `adopt_existing = true`, `deletion_policy = "restore"`))
	p.Destroy()
	p.WantLive("testmap", fixture.Data{"foo": "2"})
}
