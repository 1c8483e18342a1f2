package secret

import (
	"fmt"
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// later is a resource whose output a plan does not know where the text is another one.
func later(text string) string {
	return "resource \"terraform_data\" \"later\" {\n  input = " + fixture.Quoted(text) + "\n}\n"
}

// onEachProfileAndTheCommandLine runs a test with each profile of the driver, and once with the real command line.
func onEachProfileAndTheCommandLine(t *testing.T, test func(p *fixture.Pipeline)) {
	t.Helper()
	fixture.OnEachProfile(t, test)
	t.Run("command line", func(t *testing.T) { test(fixture.NewCLIPipeline(t)) })
}

// Given an immutable Secret; when its values are unknown in the plan, and their version is the written one; then the plan
// changes nothing, as for a mutable Secret, and the Secret stays.
func TestImmutableSecretWhoseValuesOnlyTheApplyKnows(t *testing.T) {
	for what, written := range map[string]string{
		"a value":    `data_wo = { password = terraform_data.later.output }`,
		"all values": `data_wo = { for text in [terraform_data.later.output] : (text == "never" ? "other" : "password") => text }`,
		"bytes":      `binary_data_wo = { password = base64encode(terraform_data.later.output) }`,
	} {
		for _, immutable := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, immutable %t", what, immutable), func(t *testing.T) {
				t.Parallel()
				onEachProfileAndTheCommandLine(t, func(p *fixture.Pipeline) {
					block := fixture.SecretBlock(written, fmt.Sprintf("immutable = %t", immutable))
					p.Planned(later("one") + block)
					uid := p.LiveSecret("database").UID
					p.Write(later("two") + block)
					p.Wants(p.Plan(), "0 to add, 1 to change, 0 to destroy", "!cas_secret.it will be", "!cas_secret.it must be")
					p.Apply()
					p.WantSecret("database", fixture.Data{"password": "one"})
					if now := p.LiveSecret("database").UID; now != uid {
						t.Errorf("the Secret was made anew: uid %s, then %s", uid, now)
					}
					p.PlanNothing()
				})
			})
		}
	}
}

// Given an immutable Secret whose values are not known in the plan; when it must change all the same; then the plan replaces it.
func TestImmutableSecretOfUnknownValuesThatMustChange(t *testing.T) {
	for what, test := range map[string]struct {
		lines []string
		want  fixture.Data
	}{
		"another version": {
			[]string{`data_wo = { password = terraform_data.later.output }`, `data_wo_version = 2`}, fixture.Data{"password": "two"},
		},
		"a further key": {
			[]string{`data_wo = { password = terraform_data.later.output, user = "u" }`}, fixture.Data{"password": "two", "user": "u"},
		},
		"a further key that is not known": {
			[]string{`data_wo = { password = "two", user = terraform_data.later.output }`}, fixture.Data{"password": "two", "user": "two"},
		},
		"a key less": {[]string{`data_wo = { user = terraform_data.later.output }`}, fixture.Data{"user": "two"}},
	} {
		t.Run(what, func(t *testing.T) {
			fixture.OnEachProfile(t, func(p *fixture.Pipeline) {
				p.Planned(later("one") + fixture.SecretBlock(`data_wo = { password = terraform_data.later.output }`, "immutable = true"))
				p.Write(later("two") + fixture.SecretBlock(append(test.lines, "immutable = true")...))
				p.Wants(p.Plan(), "must be replaced")
				p.Apply()
				p.WantSecret("database", test.want)
				p.PlanNothing()
			})
		})
	}
}

// Given an immutable Secret; when a plan does not know its keys, or whether it stays immutable, and the apply finds a
// change; then the apply refuses the change, and the next plan replaces the Secret.
func TestImmutableSecretWhoseChangeOnlyTheApplyKnows(t *testing.T) {
	for attribute, lines := range map[string][]string{
		"data_wo":   {`data_wo = { for key in split("-", terraform_data.later.output) : key => "1" }`, `labels = { a = terraform_data.later.output }`, "immutable = true"},
		"immutable": {`data_wo = { a = "1" }`, `immutable = terraform_data.later.output == "a"`},
	} {
		t.Run(attribute, func(t *testing.T) {
			onEachProfileAndTheCommandLine(t, func(p *fixture.Pipeline) {
				block := fixture.SecretBlock(lines...)
				p.Planned(later("a") + block)
				uid := p.LiveSecret("database").UID
				p.Write(later("a-b") + block)
				p.Wants(p.Plan(), "0 to add, 2 to change, 0 to destroy")
				out := p.Ended(p.On.Apply(fixture.PlanFile), 1, "apply")
				if !strings.Contains(out, "Provider produced inconsistent final plan") { // as OpenTofu reports
					p.Wants(out, "Error: Secret Is Immutable", "The plan did not know that "+attribute+" changes. Nothing was written",
						"Run terraform plan again: it plans to replace the Secret.")
				}
				if p.LiveSecret("database").UID != uid {
					t.Error("the Secret was replaced")
				}
				p.Wants(p.Plan(), "1 to add, 0 to change, 1 to destroy")
				p.Apply()
				p.PlanNothing()
			})
		})
	}
}
