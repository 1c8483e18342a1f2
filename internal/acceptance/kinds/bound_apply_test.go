package kinds

import (
	"testing"

	"k8s.io/client-go/rest"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver"
	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// A client that stores planned private data tells the plan of an apply from a plan. So what is written is judged once, by the write.

func TestWhatACreateRefusesLeavesNothingDeposed(t *testing.T) {
	fixture.OnEachProfile(t, func(p *fixture.Pipeline, stores bool) {
		p.Made(fixture.CreateFirst, `conflict_scope = "key"`)
		p.Write(fixture.EntryBlock("foo", `key = "baz"`, `value = "2"`, fixture.CreateFirst, `conflict_scope = "key"`))
		p.Plan()
		p.Set("testmap", "baz", "foreign")
		p.ApplyRefused("Error: Key Already Exists")
		p.WantLive("testmap", fixture.Data{"foo": "1", "bar": "kept", "baz": "foreign"})
		if stores {
			p.WantState("foo")
		} else {
			p.WantState("deposed foo")
		}
	})
}

// Given an update that another writer got ahead of after the plan; then the apply tells the conflict in one error, and in no warning before it.
func TestConflictIsToldOnceWhereTheClientTellsThePlanOfAnApply(t *testing.T) {
	for name, kind := range driftKinds {
		if kind.isWhole {
			continue
		}
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipelineOf(t, driver.Terraform116)
			p.Testmap(fixture.Contents{})
			p.Export("CAS_PLAN_CHECK", "warning")
			p.Planned(kind.block("1"))
			p.Write(kind.block("2"))
			p.Plan()
			p.Set("testmap", "foo", "9")
			p.ApplyRefused("Error: Compare-And-Swap Conflict", "!Warning")
			p.WantLive("testmap", fixture.Data{"foo": "9"})
		})
	}
}

func TestAnApplyThatIsToldSendsNoDryRun(t *testing.T) {
	for name, config := range map[string]func(value string) string{
		"entry": func(value string) string { return fixture.EntryBlock("foo", "value = "+fixture.Quoted(value)) },
		"configmap": func(value string) string {
			return fixture.WholeBlock("it", `name = "other"`, "data = { foo = "+fixture.Quoted(value)+" }")
		},
		"counter": func(value string) string {
			return fixture.CounterBlock("it", "triggers = { a = "+fixture.Quoted(value)+" }")
		},
	} {
		t.Run(name, func(t *testing.T) {
			fixture.OnEachProfile(t, func(p *fixture.Pipeline, stores bool) {
				p.Create("testmap", fixture.Data{})
				proxy := p.Proxied()
				for _, value := range []string{"1", "2"} { // a create and an update
					p.WriteRehearsed(config(value))
					p.Plan()
					proxy.Reset()
					p.Apply()
					want := 1
					if stores {
						want = 0
					}
					p.WantWrites(proxy, "value "+value, want, 1)
				}
			})
		})
	}
}

func TestStateKeepsNothingOfAPlan(t *testing.T) {
	for name, config := range map[string]func(value string) string{
		"entry": func(value string) string { return fixture.EntryBlock("foo", "value = "+fixture.Quoted(value)) },
		"data": func(value string) string {
			return fixture.DataBlock("it", "data = { foo = "+fixture.Quoted(value)+" }")
		},
		"configmap": func(value string) string {
			return fixture.WholeBlock("it", `name = "other"`, "data = { foo = "+fixture.Quoted(value)+" }")
		},
		"counter": func(value string) string {
			return fixture.CounterBlock("it", "triggers = { a = "+fixture.Quoted(value)+" }")
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipelineOf(t, driver.Terraform116)
			p.Create("testmap", fixture.Data{})
			for _, value := range []string{"1", "2"} { // a create and an update
				p.Planned(config(value))
				p.State()
			}
			proxy := p.Refusing()
			p.Write("")
			if name == "counter" {
				return // nothing is removed
			}
			p.Plan()
			p.ApplyRefused()
			p.State()
			proxy.SetHook(nil)
		})
	}
}

func TestUnreachableServerIsAnErrorWithoutARefresh(t *testing.T) {
	p := fixture.NewPipelineOf(t, driver.Terraform116)
	p.Made()
	p.Write(fixture.EntryBlock("foo", `value = "2"`))
	p.LeadTo(&rest.Config{Host: fixture.RefusedAddress})
	p.PlanRefused([]string{"Error: API Server Unreachable"}, "-refresh=false")
}
