package kinds

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
		"allocation": func(value string) string {
			return fixture.BlockOf("cas_configmap_allocation", "it", []string{`names = ["a"]`, "claimant = " + fixture.Quoted(value)})
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

// wholes are blocks of whole objects of both kinds, by name, with a value.
var wholes = map[string]struct {
	block         func(name, value string, lines ...string) string
	create        func(p *fixture.Pipeline, name string)
	remove        func(p *fixture.Pipeline, name string)
	alreadyExists string
}{
	"ConfigMap": {
		func(name, value string, lines ...string) string {
			return fixture.WholeBlock("it", append(lines, "name = "+fixture.Quoted(name), "data = { foo = "+fixture.Quoted(value)+" }")...)
		},
		func(p *fixture.Pipeline, name string) { p.Create(name, fixture.Data{"foo": "theirs"}) },
		func(p *fixture.Pipeline, name string) { p.Remove(name) },
		"Error: ConfigMap Already Exists",
	},
	"Secret": {
		func(name, value string, lines ...string) string {
			return fixture.SecretBlock(append(lines, "name = "+fixture.Quoted(name), "data_wo = { foo = "+fixture.Quoted(value)+" }", "data_wo_version = "+value)...)
		},
		func(p *fixture.Pipeline, name string) { p.CreateSecret(name, fixture.Data{"foo": "theirs"}) },
		func(p *fixture.Pipeline, name string) {
			if err := p.Cluster.Client().CoreV1().Secrets(p.Namespace).Delete(p.Context(), name, metav1.DeleteOptions{}); err != nil {
				p.Fatal(err)
			}
		},
		"Error: Secret Already Exists",
	},
}

// Given create_before_destroy of a whole object; when another makes one of the new name after the plan; then the apply refuses, and where the client
// tells a plan from an apply the old object is not deposed. The next apply succeeds once the name is free.
func TestWhatACreationOfAWholeObjectRefusesLeavesNothingDeposed(t *testing.T) {
	for kind, of := range wholes {
		t.Run(kind, func(t *testing.T) {
			fixture.OnEachProfile(t, func(p *fixture.Pipeline, stores bool) {
				p.Planned(of.block("old", "1", fixture.CreateFirst))
				p.Write(of.block("new", "1", fixture.CreateFirst))
				p.Plan()
				of.create(p, "new")
				p.ApplyRefused(of.alreadyExists, "Nothing was written.", "!Warning: ")
				if stores {
					p.WantState("it")
				} else {
					p.WantState("deposed it")
				}
				of.remove(p, "new")
				p.PlanApply()
				p.WantState("it")
				p.PlanNothing()
			})
		})
	}
}

// Given an update of a whole object; when another writes to it after the plan; then the apply says once that it is a conflict.
func TestConflictOfAWholeObjectIsToldOnce(t *testing.T) {
	for kind, of := range wholes {
		for what, lines := range map[string][]string{"values": nil, "values that drift is judged of": {`on_drift = "error"`}} {
			t.Run(kind+"/"+what, func(t *testing.T) {
				fixture.OnEachProfile(t, func(p *fixture.Pipeline, _ bool) {
					p.Planned(of.block("testmap", "1", `labels = { a = "a" }`))
					p.Write(of.block("testmap", "2", append(lines, `labels = { a = "a" }`)...))
					p.Plan()
					foreign := fixture.Object{Fixture: p.Fixture, Kind: fixture.ObjectKinds[0]}
					if kind == "Secret" {
						foreign.Kind = fixture.ObjectKinds[1]
					}
					foreign.Set("foo", "theirs")
					out := p.ApplyRefused("Error: Compare-And-Swap Conflict", "Nothing was written.", "!Warning: ")
					if told := strings.Count(out, "Compare-And-Swap Conflict"); told != 1 {
						t.Errorf("it is told %d times:\n%s", told, out)
					}
					if live := foreign.Live().Data["foo"]; live != "theirs" {
						t.Errorf("foo holds %q", live)
					}
				})
			})
		}
	}
}
