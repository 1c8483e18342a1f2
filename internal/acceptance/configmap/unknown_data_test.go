package configmap

import (
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver"
	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// later returns a resource whose output is unknown in a plan that changes the text.
func later(text string) string {
	return "resource \"terraform_data\" \"later\" {\n  input = " + fixture.Quoted(text) + "\n}\n"
}

// Given an immutable ConfigMap; when a plan does not know its content, and the apply finds the content unchanged; then the
// ConfigMap stays. When the apply finds other content; then the apply refuses it, and the next plan replaces the ConfigMap.
func TestImmutableConfigMapWhoseContentOnlyTheApplyKnows(t *testing.T) {
	t.Parallel()
	const text = `terraform_data.later.output`
	for what, lines := range map[string][]string{
		"data":        {`data = { foo = split("-", ` + text + `)[0] }`, `immutable = true`},
		"all of data": {`data = { for key in [split("-", ` + text + `)[0]] : "key" => key }`, `immutable = true`},
		"binary_data": {`binary_data = { foo = base64encode(split("-", ` + text + `)[0]) }`, `immutable = true`},
		"immutable":   {`data = { foo = "1" }`, `immutable = split("-", ` + text + `)[0] == "a"`},
	} {
		t.Run(what, func(t *testing.T) {
			block := fixture.WholeBlock("all", lines...)
			test := func(p *fixture.Pipeline, isTofu bool) {
				p.Planned(later("a-1") + block)
				uid := p.Live("testmap").UID
				p.Write(later("a-2") + block)
				p.Wants(p.Plan(), "0 to add, 2 to change, 0 to destroy")
				p.Apply()
				if p.Live("testmap").UID != uid {
					t.Error("the ConfigMap was replaced")
				}
				p.PlanNothing()

				p.Write(later("b") + block)
				p.Wants(p.Plan(), "0 to add, 2 to change, 0 to destroy")
				if isTofu { // it does not distinguish a plan from an apply
					p.ApplyRefused("Provider produced inconsistent final plan")
				} else {
					attribute := what[strings.LastIndex(what, " ")+1:]
					p.ApplyRefused("Error: ConfigMap Is Immutable", "The plan did not know that "+attribute+" changes. Nothing was written", "Run terraform plan again: it plans to replace the ConfigMap.")
				}
				if p.Live("testmap").UID != uid {
					t.Error("the ConfigMap was replaced")
				}
				p.Wants(p.Plan(), "1 to add, 0 to change, 1 to destroy")
				p.Apply()
				p.PlanNothing()
			}
			for _, profile := range []driver.Profile{driver.Terraform111, driver.OpenTofu, driver.Terraform116} {
				t.Run(profile.Name, func(t *testing.T) { test(fixture.NewPipelineOf(t, profile), profile == driver.OpenTofu) })
			}
		})
	}
}

// Given an immutable ConfigMap; when a plan knows one change, and does not know the rest; then it replaces the ConfigMap.
func TestImmutableConfigMapOfWhichThePlanKnowsAChange(t *testing.T) {
	t.Parallel()
	for what, lines := range map[string][]string{
		"another value":       {`data = { foo = terraform_data.later.output, bar = "2" }`, `immutable = true`},
		"a key less":          {`data = { foo = terraform_data.later.output }`, `immutable = true`},
		"an unknown key more": {`data = { foo = "1", bar = "1", more = terraform_data.later.output }`, `immutable = true`},
		"the mark":            {`data = { foo = terraform_data.later.output, bar = "1" }`},
	} {
		t.Run(what, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Planned(later("1") + fixture.WholeBlock("all", `data = { foo = terraform_data.later.output, bar = "1" }`, `immutable = true`))
			p.Write(later("2") + fixture.WholeBlock("all", lines...))
			p.Wants(p.Plan(), "1 to add, 1 to change, 1 to destroy")
			p.Apply()
			p.PlanNothing()
		})
	}
}
