package kinds

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver"
	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// Terraform from 1.16 hands what the first plan left in private state to the plan of the apply. So a create is held to what its plan saw.
// On any other client it goes by value.

var heldCreates = map[string]struct {
	live    fixture.Data // before the plan; nil: there is no ConfigMap
	config  string
	between fixture.OfTestmap
	refused []string // what the refusal says where the create is held to its plan; none: it is never refused
	after   string   // of foo, where it is not refused
}{
	"1, 9, 1": {
		fixture.Data{"foo": "1", "bar": "kept"},
		fixture.EntryBlock("foo", `value = "2"`, `expected_value = "1"`), fixture.SetsFoo("9", "1"),
		[]string{"The ConfigMap changed after this plan was made. Nothing was written.", `set conflict_scope = "key" to ignore other keys.`},
		"2",
	},
	"an absent key that came and went": {
		fixture.Data{"bar": "kept"},
		fixture.EntryBlock("foo", `value = "2"`), func(p *fixture.Pipeline) { fixture.SetsFoo("9")(p); p.Unset("testmap", "foo") },
		[]string{"The ConfigMap changed after this plan was made."},
		"2",
	},
	"another key": {fixture.Data{"bar": "kept"}, fixture.EntryBlock("foo", `value = "2"`), fixture.SetsOther, []string{"The ConfigMap changed after this plan was made."}, "2"},
	"a label": {
		fixture.Data{"bar": "kept"},
		fixture.EntryBlock("foo", `value = "2"`),
		func(p *fixture.Pipeline) {
			p.Change("testmap", func(cm *corev1.ConfigMap) { cm.Labels = map[string]string{"a": "b"} })
		},
		[]string{"The ConfigMap changed after this plan was made."},
		"2",
	},
	"made again": {
		fixture.Data{"foo": "1"},
		fixture.EntryBlock("foo", `value = "2"`, `expected_value = "1"`),
		func(p *fixture.Pipeline) { p.Remove("testmap"); p.Create("testmap", fixture.Data{"foo": "1"}) },
		[]string{"The ConfigMap was deleted and created again after this plan was made.", "uid: "},
		"2",
	},
	"adoption": {
		fixture.Data{"foo": "2"},
		fixture.EntryBlock("foo", `value = "2"`, "adopt_existing = true"), fixture.SetsOther,
		[]string{"The ConfigMap changed after this plan was made."},
		"2",
	},
	"a value that is known when it is applied": {
		fixture.Data{"bar": "kept"},
		"resource \"terraform_data\" \"it\" {\n  input = \"2\"\n}\n" + fixture.EntryBlock("foo", "value = terraform_data.it.output"), fixture.SetsOther,
		[]string{"The ConfigMap changed after this plan was made."},
		"2",
	},
	"several keys": {
		fixture.Data{"foo": "1", "guard": "up"},
		fixture.DataBlock("it", `data = { foo = "2" }`, `expected_data = { foo = "1", guard = "up" }`), fixture.SetsFoo("9", "1"),
		[]string{"The ConfigMap changed after this plan was made."},
		"2",
	},
	"key scope: 1, 9, 1": {
		fixture.Data{"foo": "1"}, fixture.EntryBlock("foo", `value = "2"`, `expected_value = "1"`, `conflict_scope = "key"`), fixture.SetsFoo("9", "1"), nil, "2",
	},
	"key scope: another key": {fixture.Data{"bar": "kept"}, fixture.EntryBlock("foo", `value = "2"`, `conflict_scope = "key"`), fixture.SetsOther, nil, "2"},
	"key scope: what was to be taken over has gone": {
		fixture.Data{"foo": "2"},
		fixture.EntryBlock("foo", `value = "2"`, "adopt_existing = true", `conflict_scope = "key"`),
		func(p *fixture.Pipeline) { p.Unset("testmap", "foo") },
		[]string{"foo changed after this plan was made."},
		"2",
	},
	"several keys in key scope: what was to be taken over has gone": {
		fixture.Data{"foo": "2"},
		fixture.DataBlock("it", `data = { foo = "2" }`, "adopt_existing = true", `conflict_scope = "key"`),
		func(p *fixture.Pipeline) { p.Unset("testmap", "foo") },
		[]string{"foo changed after this plan was made."},
		"2",
	},
	"no ConfigMap yet": {nil, fixture.EntryBlock("foo", `value = "2"`), func(p *fixture.Pipeline) { p.Create("testmap", fixture.Data{"bar": "kept"}) }, nil, "2"},
	"a plan that says the apply will fail": {
		fixture.Data{"foo": "1"}, fixture.EntryBlock("foo", `value = "2"`), func(p *fixture.Pipeline) { p.Unset("testmap", "foo") }, nil, "2",
	},
	"unknown key": {
		fixture.Data{"bar": "kept"},
		"resource \"terraform_data\" \"it\" {\n  input = \"foo\"\n}\n" + fixture.EntryBlock("foo", "key = terraform_data.it.output", `value = "2"`),
		fixture.SetsOther, nil, "2",
	},
}

func TestCreateIsHeldToItsPlan(t *testing.T) {
	for name, test := range heldCreates {
		t.Run(name, func(t *testing.T) {
			fixture.OnEachProfile(t, func(p *fixture.Pipeline, stores bool) {
				if test.live != nil {
					p.Create("testmap", test.live)
				}
				if strings.HasPrefix(name, "a plan that says") {
					p.Export("CAS_PLAN_CHECK", "warning")
				}
				p.Write(test.config)
				p.Plan()
				planned := ""
				if test.live != nil {
					planned = p.Live("testmap").ResourceVersion
				}
				test.between(p)
				before := p.Live("testmap")
				if !stores || test.refused == nil {
					p.Apply()
					if got := p.Live("testmap").Data["foo"]; got != test.after {
						p.Errorf("foo holds %q, want %q", got, test.after)
					}
					return
				}
				out := p.ApplyRefused(append(test.refused, "Error: Compare-And-Swap Conflict")...)
				if !strings.Contains(test.refused[0], "foo changed") { // by value; and nobody is known to have removed a key
					p.Wants(out, fmt.Sprintf("%s when planned, %s now", planned, before.ResourceVersion), "Changed by: another-writer")
				}
				p.WantUnchanged(before)
				p.Plan()
				p.Apply() // the next plan has seen it
			})
		})
	}
}

// TestPlanThatCannotNoteWhatItSawIsRefused: a create that was to be held to its plan would go by value, and nobody would know.
func TestPlanThatCannotNoteWhatItSawIsRefused(t *testing.T) {
	p := fixture.NewPipelineOf(t, driver.Terraform116)
	p.Create("testmap", fixture.Data{"bar": "kept"})
	p.Proxied().SetHook(fixture.OnceFor(t, http.MethodGet, testcluster.Fault{Answer: &testcluster.Answer{Status: http.StatusForbidden, Body: "no\n"}}))
	p.Write("resource \"terraform_data\" \"it\" {\n  input = \"2\"\n}\n" + fixture.EntryBlock("foo", "value = terraform_data.it.output"))
	p.PlanRefused([]string{"Error: Not Permitted", "Nothing was written."})
	p.Plan()
	fixture.SetsOther(p)
	p.ApplyRefused("Error: Compare-And-Swap Conflict", "The ConfigMap changed after this plan was made.")
}

func TestPlanWithoutChecksHoldsNoCreate(t *testing.T) {
	p := fixture.NewPipelineOf(t, driver.Terraform116)
	p.Create("testmap", fixture.Data{"bar": "kept"})
	p.Export("CAS_PLAN_CHECK", "off")
	p.Write(fixture.EntryBlock("foo", `value = "2"`))
	p.Plan()
	fixture.SetsOther(p)
	p.Apply()
	p.WantLive("testmap", fixture.Data{"foo": "2", "bar": "other"})
}

// TestReplaceIsHeldToItsPlan has the removal go by value, so that only the create can be refused.
func TestReplaceIsHeldToItsPlan(t *testing.T) {
	inKeyScope := `conflict_scope = "key"`
	for name, test := range map[string]struct {
		made, replaced []string
		flags          []string
		isTainted      bool
		between        fixture.OfTestmap
		kept           fixture.Data // where the create is refused
		state          []string
	}{
		"another key": {
			made: []string{inKeyScope}, replaced: []string{`key = "baz"`, `value = "2"`}, between: fixture.SetsOther, kept: fixture.Data{"bar": "other"},
		},
		"create_before_destroy": {
			made: []string{inKeyScope, fixture.CreateFirst}, replaced: []string{`key = "baz"`, `value = "2"`, fixture.CreateFirst}, between: fixture.SetsOther,
			kept: fixture.Data{"foo": "1", "bar": "other"}, state: []string{"foo"},
		},
		"tainted": {
			made: []string{inKeyScope, fixture.Deletes}, replaced: []string{`key = "baz"`, `value = "2"`, fixture.Deletes}, isTainted: true, between: fixture.SetsOther, kept: fixture.Data{"bar": "other"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			fixture.OnEachProfile(t, func(p *fixture.Pipeline, stores bool) {
				p.Made(test.made...)
				if test.isTainted {
					p.Do("taint", fixture.EntryAddress)
				}
				p.Write(fixture.EntryBlock("foo", test.replaced...))
				p.Plan(test.flags...)
				test.between(p)
				if !stores {
					p.Apply()
					p.WantLive("testmap", fixture.Data{"baz": "2", "bar": "other"})
					return
				}
				p.ApplyRefused("The ConfigMap changed after this plan was made.")
				p.WantLive("testmap", test.kept)
				p.WantState(test.state...)
				p.PlanApply()
				p.WantLive("testmap", fixture.Data{"baz": "2", "bar": "other"})
			})
		})
	}
}

// TestUnchangedReplaceIsNoConflict: each half makes a version, and the other is not held up by it.
func TestUnchangedReplaceIsNoConflict(t *testing.T) {
	for name, lines := range map[string][]string{"removed first": {fixture.Deletes}, "created first": {fixture.Deletes, fixture.CreateFirst}} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipelineOf(t, driver.Terraform116)
			p.Made(lines...)
			planApplyOf(p, lines, `key = "baz"`, `value = "2"`)
			p.WantLive("testmap", fixture.Data{"bar": "kept", "baz": "2"})
			if name == "removed first" {
				p.PlanApply("-replace=" + fixture.EntryAddress)
			}
			p.Do("taint", fixture.EntryAddress)
			planApplyOf(p, lines, `key = "foo"`, `value = "3"`)
			p.WantLive("testmap", fixture.Data{"bar": "kept", "foo": "3"})
		})
	}
}

func planApplyOf(p *fixture.Pipeline, lines []string, more ...string) {
	p.Helper()
	p.Planned(fixture.EntryBlock("foo", append(more, lines...)...))
}

// TestSiblingsThatAreHeldToOnePlanDoNotConflict counts what 100 creates take, with and without planned private data.
func TestSiblingsThatAreHeldToOnePlanDoNotConflict(t *testing.T) {
	const many = 100
	for _, profile := range []driver.Profile{driver.Terraform111, driver.Terraform116} {
		t.Run(profile.Name, func(t *testing.T) {
			p := fixture.NewPipelineOf(t, profile)
			proxy := p.Proxied()
			p.Create("testmap", fixture.Data{"other": "kept"})
			body, want := fixture.Entries(many, "1", "object")
			want["other"] = "kept"
			p.Write(body)
			proxy.Reset()
			p.Plan()
			planned := fixture.RequestsOf(proxy)
			proxy.Reset()
			p.Apply()
			applied := fixture.RequestsOf(proxy)
			p.WantLive("testmap", want)
			t.Logf("%d requests for the plan and %d for the apply of %d entries", planned, applied, many)
			if planned > many/10 || applied == 0 || applied > many/2 {
				t.Errorf("%d requests for the plan and %d for the apply of %d entries", planned, applied, many)
			}
			for _, r := range proxy.Requests() {
				if r.Status != http.StatusOK {
					t.Error(r)
				}
			}
		})
	}
}

// TestCreateInAConfigMapOfTheSameRunIsNotHeld: the plan sees another ConfigMap than the apply, or none.
func TestCreateInAConfigMapOfTheSameRunIsNotHeld(t *testing.T) {
	after := "depends_on = [cas_configmap.it]"
	p := fixture.NewPipelineOf(t, driver.Terraform116)
	p.Planned(fixture.WholeBlock("it", "data = { a = \"2\" }"))
	p.Planned(fixture.WholeBlock("it", "data = { a = \"2\" }")+fixture.EntryBlock("foo", `value = "2"`, after), "-replace=cas_configmap.it")
	p.WantLive("testmap", fixture.Data{"a": "2", "foo": "2"})
	p.Planned(fixture.WholeBlock("it", fixture.Deletes, "labels = { a = \"b\" }") + fixture.EntryBlock("foo", `value = "2"`, after) + fixture.EntryBlock("b", `key = "b"`, `value = "2"`, after))
	p.WantLive("testmap", fixture.Data{"a": "2", "foo": "2", "b": "2"})
	p.Destroy()
}
