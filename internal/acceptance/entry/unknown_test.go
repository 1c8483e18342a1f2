package entry

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

func TestProviderConfigurationUnknownAtPlan(t *testing.T) {
	t.Parallel()
	t.Run("create is checked at apply", func(t *testing.T) {
		p := fixture.NewPipeline(t)
		p.Create("testmap", fixture.Data{"foo": "1"})
		p.WriteUnknown(1, fixture.EntryBlock("foo", `value = "2"`, `expected_value = "wrong"`))
		p.Plan()
		p.ApplyRefused("Error: Expected Value Mismatch", `Found: "1"`)
		p.WantLive("testmap", fixture.Data{"foo": "1"})
		p.WantState()
		p.WriteUnknown(2, fixture.EntryBlock("foo", `value = "2"`, `expected_value = "1"`))
		p.PlanApply()
		p.WantLive("testmap", fixture.Data{"foo": "2"})
		p.PlanNothing()
	})
	for name, test := range map[string]struct {
		after   string
		foreign fixture.ForeignWrite
		refused []string
		live    fixture.Data
	}{
		"update": {
			after: fixture.EntryBlock("foo", `value = "3"`), foreign: nobodyWrites, live: fixture.Data{"foo": "3", "bar": "kept"},
		},
		"update of what was written before the plan": {
			after: fixture.EntryBlock("foo", `value = "3"`), foreign: fixture.OtherKeyWritten,
			refused: []string{"Error: Compare-And-Swap Conflict", aboutObject, "Nothing was written."},
			live:    fixture.Data{"foo": "2", "bar": "foreign"},
		},
		"delete": {
			foreign: nobodyWrites, live: fixture.Data{"bar": "kept"},
		},
		"delete of what was written before the plan": {
			foreign: fixture.SameKeyWritten,
			refused: []string{"Error: Compare-And-Swap Conflict", aboutKey, `Expected: "2"`, `Found: "foreign"`, "Nothing was removed."},
			live:    fixture.Data{"foo": "foreign", "bar": "kept"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Create("testmap", fixture.Data{"bar": "kept"})
			p.WriteUnknown(1, fixture.EntryBlock("foo", `value = "2"`))
			p.PlanApply()
			test.foreign(p.Fixture, "testmap")
			p.WriteUnknown(2, test.after)
			p.Wants(p.Plan(), "!foreign", "!Objects have changed outside") // Read gives the prior state
			if test.refused == nil {
				p.Apply()
				p.WantLive("testmap", test.live)
				return
			}
			before := p.State()["foo"].Attributes["value"]
			p.ApplyRefused(test.refused...)
			p.WantLive("testmap", test.live)
			if got := p.WantState("foo")["foo"].Attributes["value"]; got != before {
				t.Errorf("the state holds %v, held %v", got, before)
			}

			// The configuration is known now: the next plan sees what there is.
			p.PlanApply()
		})
	}
}

func TestUnknownHideValueHides(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{"foo": "secret-live"})
	p.Write("resource \"terraform_data\" \"hide\" {\n  input = true\n}\n" +
		fixture.EntryBlock("foo", `value = "secret-new"`, `expected_value = "secret-expected"`, `hide_values = terraform_data.hide.output`))
	p.PlanRefused([]string{"Found: (hidden", "Expected: (hidden", `!Found: "secret-live"`, `!Expected: "secret-expected"`})
}

func TestReplacementWhoseNameMayTurnOutTheSameIsWarnedAbout(t *testing.T) {
	mayTurnOutTheSame(t, "testmap/foo", `expected_value = "1"`, func(lines ...string) string {
		return fixture.EntryBlock("foo", append(lines, fixture.Deletes, `value = "2"`)...)
	})
}

func TestReplacementOfKeysWhoseNameMayTurnOutTheSameIsWarnedAbout(t *testing.T) {
	mayTurnOutTheSame(t, "testmap", `expected_data = { foo = "1" }`, func(lines ...string) string {
		return fixture.DataBlock("foo", append(lines, fixture.Deletes, `data = { foo = "2" }`)...)
	})
}

// mayTurnOutTheSame replaces the resource that gives the name: what is expected would not be there for the replacement.
func mayTurnOutTheSame(t *testing.T, id, expected string, block func(lines ...string) string) {
	t.Helper()
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{"foo": "1"})
	named := func(trigger string, lines ...string) string {
		return "resource \"terraform_data\" \"name\" {\n  input = \"testmap\"\n  triggers_replace = " + trigger + "\n}\n" +
			block(append(lines, `name = terraform_data.name.output`)...)
	}
	p.Planned(named("1", expected))
	p.Write(named("2", expected))
	p.Wants(p.Plan(), "Replacement May Fail", p.Namespace+"/"+id)
	p.Write(named("2"))
	p.Wants(p.Plan(), "!Replacement May Fail")
}

func TestProviderConfiguredByAResource(t *testing.T) {
	f := fixture.New(t)
	f.Create("testmap", fixture.Data{"foo": "1"})
	body := func(expected string) string {
		return `
resource "terraform_data" "cluster" {
  input = "` + f.Kubeconfig + `"
}

provider "cas" {
  config_path = terraform_data.cluster.output
}

resource "cas_configmap_entry" "foo" {
  namespace      = "` + f.Namespace + `"
  name           = "testmap"
  key            = "foo"
  value          = "2"
  expected_value = "` + expected + `"
}`
	}
	f.RunSteps(
		// The plan cannot know that this is wrong; the apply does.
		resource.TestStep{Config: body("3"), ExpectError: regexp.MustCompile(`(?s)Error: Expected Value Mismatch`)},
		resource.TestStep{
			PreConfig: func() { f.WantLive("testmap", fixture.Data{"foo": "1"}) },
			Config:    body("1"),
			Check: func(*terraform.State) error {
				f.WantLive("testmap", fixture.Data{"foo": "2"})
				return nil
			},
		},
	)
}
