package commandlines

import (
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// No configuration error points at, or quotes, a write-only value.
func TestSecretConfigurationErrors(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		body string
		want []string
	}{
		"no value":     {fixture.SecretEntry(), []string{"Missing Value", "Attribute value_wo: set value_wo or value_base64_wo; no state has the value"}},
		"both values":  {fixture.SecretEntry(`value_wo = "plant-a"`, `value_base64_wo = "plant-b"`), []string{"Invalid Attribute Combination", "value_wo"}},
		"no base64":    {fixture.SecretEntry(`value_base64_wo = "plant-c"`), []string{"Invalid Base64", "value_base64_wo", "must be canonical standard base64"}},
		"no keys":      {fixture.SecretData(`data_wo = {}`), []string{"Missing Keys", "data_wo"}},
		"a null value": {fixture.SecretData(`data_wo = { a = null, b = "plant-d" }`), []string{"Missing Value", `data_wo["a"]`}},
		"a bad key":    {fixture.SecretData(`data_wo = { "a/b" = "plant-e" }`), []string{"Invalid Secret Key", `data_wo["a/b"]`}},
		"in both maps": {
			fixture.SecretData(`data_wo = { a = "plant-f" }`, `binary_data_wo = { a = "AA==" }`),
			[]string{"Key In Both Maps", `binary_data_wo["a"]`, "must not be in data_wo as well"},
		},
		"restore":     {fixture.SecretEntry(`value_wo = "plant-g"`, `deletion_policy = "restore"`), []string{"deletion_policy", `"delete" "abandon"`}},
		"a bad name":  {strings.Replace(fixture.SecretEntry(`value_wo = "plant-h"`), `"database"`, `"Database"`, 1), []string{"Invalid Secret Name", "name"}},
		"bad timeout": {"ephemeral \"cas_secret\" \"it\" {\n  name = \"x\"\n  timeouts = { open = \"soon\" }\n}\n", []string{"Invalid Timeout", "timeouts.open"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewCLIPipeline(t)
			p.Write(test.body)
			if out := p.PlanRefused(test.want); strings.Contains(out, "plant-") {
				t.Errorf("a value is shown:\n%s", out)
			}
		})
	}
}

// TestValuesOfASecretThatAreIgnored: an apply is given the write-only values that ignore_changes keeps from its plan. Keys that the plan leaves to others stay.
func TestValuesOfASecretThatAreIgnored(t *testing.T) {
	p := fixture.NewCLIPipeline(t)
	whole := func(team string) string {
		return fixture.SecretBlock(`labels = { team = "`+team+`" }`, `data_wo = { user = "u" }`, `lifecycle {`, `  ignore_changes = [data_wo]`, `}`)
	}
	p.Planned(whole("a"))
	p.Write(whole("a") + fixture.SecretEntry(`value_wo = "1"`))
	p.Wants(p.Plan(), "Key Stays In Place")
	p.Apply()
	want := fixture.Data{"user": "u", "password": "1"}
	p.WantSecret("database", want)
	p.Planned(whole("b") + fixture.SecretEntry(`value_wo = "1"`))
	p.WantSecret("database", want)
	p.PlanNothing()
	p.Planned(whole("b") + fixture.SecretEntry(`value_wo = "1"`, `deletion_policy = "abandon"`))
	p.Planned(fixture.SecretBlock(`labels = { team = "b" }`, `data_wo = { user = "u", password = "1" }`))
	p.WantSecret("database", want)
}
