package acceptance_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
)

// writeUnknown is write with a provider whose configuration is unknown in the plan that follows: revision must be a new one.
func (p *pipeline) writeUnknown(revision int, body string) {
	p.on.Write("main.tf", fmt.Sprintf(`
terraform {
  required_providers {
    cas = { source = "terraform-cas/cas" }
  }
}
resource "terraform_data" "cluster" {
  input = { config_path = %s, revision = %d }
}
provider "cas" {
  config_path = terraform_data.cluster.output.config_path
}
`, quoted(p.kubeconfig), revision)+strings.ReplaceAll(body, "NAMESPACE", quoted(p.namespace)))
}

func TestProviderConfigurationUnknownAtPlan(t *testing.T) {
	t.Parallel()
	t.Run("create is checked at apply", func(t *testing.T) {
		p := newPipeline(t)
		p.create("testmap", data{"foo": "1"})
		p.writeUnknown(1, entryBlock("foo", `value = "2"`, `expected_value = "wrong"`))
		p.plan()
		p.applyRefused("Error: Expected Value Mismatch", `Found: "1"`)
		p.wantLive("testmap", data{"foo": "1"})
		p.wantState()
		p.writeUnknown(2, entryBlock("foo", `value = "2"`, `expected_value = "1"`))
		p.planApply()
		p.wantLive("testmap", data{"foo": "2"})
		p.planNothing()
	})
	for name, test := range map[string]struct {
		after   string
		foreign foreignWrite
		refused []string
		live    data
	}{
		"update": {
			after: entryBlock("foo", `value = "3"`), foreign: nobodyWrites, live: data{"foo": "3", "bar": "kept"},
		},
		"update of what was written before the plan": {
			after: entryBlock("foo", `value = "3"`), foreign: otherKeyWritten,
			refused: []string{"Error: Compare-And-Swap Conflict", aboutObject, "Nothing was written."},
			live:    data{"foo": "2", "bar": "foreign"},
		},
		"delete": {
			foreign: nobodyWrites, live: data{"bar": "kept"},
		},
		"delete of what was written before the plan": {
			foreign: sameKeyWritten,
			refused: []string{"Error: Compare-And-Swap Conflict", aboutKey, `Expected: "2"`, `Found: "foreign"`, "Nothing was removed."},
			live:    data{"foo": "foreign", "bar": "kept"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPipeline(t)
			p.create("testmap", data{"bar": "kept"})
			p.writeUnknown(1, entryBlock("foo", `value = "2"`))
			p.planApply()
			test.foreign(p.fixture, "testmap")
			p.writeUnknown(2, test.after)
			p.wants(p.plan(), "!foreign", "!Objects have changed outside") // Read gives the prior state
			if test.refused == nil {
				p.apply()
				p.wantLive("testmap", test.live)
				return
			}
			before := p.state()["foo"].Attributes["value"]
			p.applyRefused(test.refused...)
			p.wantLive("testmap", test.live)
			if got := p.wantState("foo")["foo"].Attributes["value"]; got != before {
				t.Errorf("the state holds %v, held %v", got, before)
			}

			// The configuration is known now: the next plan sees what there is.
			p.planApply()
		})
	}
}

func TestUnknownHideValueHides(t *testing.T) {
	p := newPipeline(t)
	p.create("testmap", data{"foo": "secret-live"})
	p.write("resource \"terraform_data\" \"hide\" {\n  input = true\n}\n" +
		entryBlock("foo", `value = "secret-new"`, `expected_value = "secret-expected"`, `hide_value = terraform_data.hide.output`))
	p.planRefused([]string{"Found: (hidden", "Expected: (hidden", `!Found: "secret-live"`, `!Expected: "secret-expected"`})
}

func TestReplacementWhoseNameMayTurnOutTheSameIsWarnedAbout(t *testing.T) {
	mayTurnOutTheSame(t, "testmap/foo", `expected_value = "1"`, func(lines ...string) string {
		return entryBlock("foo", append(lines, `value = "2"`)...)
	})
}

func TestReplacementOfKeysWhoseNameMayTurnOutTheSameIsWarnedAbout(t *testing.T) {
	mayTurnOutTheSame(t, "testmap", `expected_data = { foo = "1" }`, func(lines ...string) string {
		return dataBlock("foo", append(lines, `data = { foo = "2" }`)...)
	})
}

// mayTurnOutTheSame replaces the resource that gives the name: what is expected would not be there for the replacement.
func mayTurnOutTheSame(t *testing.T, id, expected string, block func(lines ...string) string) {
	t.Helper()
	p := newPipeline(t)
	p.create("testmap", data{"foo": "1"})
	named := func(trigger string, lines ...string) string {
		return "resource \"terraform_data\" \"name\" {\n  input = \"testmap\"\n  triggers_replace = " + trigger + "\n}\n" +
			block(append(lines, `name = terraform_data.name.output`)...)
	}
	p.planned(named("1", expected))
	p.write(named("2", expected))
	p.wants(p.plan(), "Replacement May Fail", p.namespace+"/"+id)
	p.write(named("2"))
	p.wants(p.plan(), "!Replacement May Fail")
}

func TestProviderConfiguredByAResource(t *testing.T) {
	f := newFixture(t)
	f.create("testmap", data{"foo": "1"})
	body := func(expected string) string {
		return `
resource "terraform_data" "cluster" {
  input = "` + f.kubeconfig + `"
}

provider "cas" {
  config_path = terraform_data.cluster.output
}

resource "cas_configmap_entry" "foo" {
  namespace      = "` + f.namespace + `"
  name           = "testmap"
  key            = "foo"
  value          = "2"
  expected_value = "` + expected + `"
}`
	}
	f.run(
		// The plan cannot know that this is wrong; the apply does.
		resource.TestStep{Config: body("3"), ExpectError: regexp.MustCompile(`(?s)Error: Expected Value Mismatch`)},
		resource.TestStep{
			PreConfig: func() { f.wantLive("testmap", data{"foo": "1"}) },
			Config:    body("1"),
			Check: func(*terraform.State) error {
				f.wantLive("testmap", data{"foo": "2"})
				return nil
			},
		},
	)
}
