package kinds

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver"
	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// A create compares values. A value that changed and changed back, and another key, are no conflict.
func TestCreateComparesValues(t *testing.T) {
	for name, test := range map[string]struct {
		config  string
		between fixture.OfTestmap
	}{
		"1, 9, 1": {
			fixture.EntryBlock("foo", `value = "2"`, `expected_value = "1"`), fixture.SetsFoo("9", "1"),
		},
		"another key": {
			fixture.EntryBlock("foo", `value = "2"`, `expected_value = "1"`), fixture.SetsOther,
		},
		"several keys": {
			fixture.DataBlock("it", `data = { foo = "2" }`, `expected_data = { foo = "1" }`), fixture.SetsOther,
		},
	} {
		t.Run(name, func(t *testing.T) {
			fixture.OnEachProfile(t, func(p *fixture.Pipeline) {
				p.Create("testmap", fixture.Data{"foo": "1", "bar": "kept"})
				p.Write(test.config)
				p.Plan()
				test.between(p)
				p.Apply()
				if got := p.Live("testmap").Data["foo"]; got != "2" {
					p.Errorf("foo holds %q, want 2", got)
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

// Given create_before_destroy of a whole object; when another writer creates an object of the new name after the plan; then
// the apply refuses, and the state keeps the old object. The next apply succeeds once the name is free.
func TestRefusedCreationOfAWholeObject(t *testing.T) {
	for kind, of := range wholes {
		t.Run(kind, func(t *testing.T) {
			fixture.OnEachProfile(t, func(p *fixture.Pipeline) {
				p.Planned(of.block("old", "1", fixture.CreateFirst))
				p.Write(of.block("new", "1", fixture.CreateFirst))
				p.Plan()
				of.create(p, "new")
				p.ApplyRefused(of.alreadyExists, "Nothing was written.", "!Warning: ")
				if state := p.State(); len(state) != 1 { // OpenTofu leaves it deposed
					t.Errorf("the state tracks %v", state)
				}
				of.remove(p, "new")
				p.PlanApply()
				p.WantState("it")
				p.PlanNothing()
			})
		})
	}
}

// Given an update of a whole object; when another writer changes the object after the plan; then the apply reports one
// conflict.
func TestConflictOfAWholeObjectIsReportedOnce(t *testing.T) {
	for kind, of := range wholes {
		for what, lines := range map[string][]string{"values": nil, "values with on_drift": {`on_drift = "error"`}} {
			t.Run(kind+"/"+what, func(t *testing.T) {
				fixture.OnEachProfile(t, func(p *fixture.Pipeline) {
					p.Planned(of.block("testmap", "1", `labels = { a = "a" }`))
					p.Write(of.block("testmap", "2", append(lines, `labels = { a = "a" }`)...))
					p.Plan()
					foreign := fixture.Object{Fixture: p.Fixture, Kind: fixture.ObjectKinds[0]}
					if kind == "Secret" {
						foreign.Kind = fixture.ObjectKinds[1]
					}
					foreign.Set("foo", "theirs")
					out := p.ApplyRefused("Error: Compare-And-Swap Conflict", "Nothing was written.", "!Warning: ")
					if n := strings.Count(out, "Compare-And-Swap Conflict"); n != 1 {
						t.Errorf("the conflict is reported %d times:\n%s", n, out)
					}
					if live := foreign.Live().Data["foo"]; live != "theirs" {
						t.Errorf("foo holds %q", live)
					}
				})
			})
		}
	}
}
