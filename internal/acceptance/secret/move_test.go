package secret

import (
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// Given the state of a kubernetes_secret_v1_data; when it is moved; then no value comes along, and the first write needs an expectation.
func TestSecretDataMovedFromKubernetes(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.CreateSecret("database", fixture.Data{"a": "value-of-a", "b": "value-of-b", "other": "kept"})
	const moved = "moved {\nfrom = kubernetes_secret_v1_data.it\nto = cas_secret_data.it\n}\n"
	p.Write("resource \"kubernetes_secret_v1_data\" \"it\" {\nmetadata {\nname = \"database\"\nnamespace = NAMESPACE\n}\n" +
		"data = { a = \"value-of-a\", b = \"value-of-b\" }\n}\n")
	p.PlanApply()
	p.Write(moved + fixture.SecretData(`data_wo = { a = "mine", b = "value-of-b" }`))
	p.PlanRefused([]string{"a and b do not hold what this resource expects.", `to replace it, set expected_data_wo["a"]`, "it already holds the value to write"})
	p.Write(moved + fixture.SecretData(`data_wo = { a = "mine", b = "value-of-b" }`, `expected_data_wo = { a = "value-of-a" }`, `adopt_existing = true`))
	p.Plan()
	p.Rotate("database", "other", "changed")
	p.ApplyRefused("Compare-And-Swap Conflict")
	p.PlanApply()
	p.WantSecret("database", fixture.Data{"a": "mine", "b": "value-of-b", "other": "changed"})
	p.PlanNothing()
	state := fixture.JSONOf(t, p.State()["it"])
	if strings.Contains(state, "value-of") || strings.Contains(state, "mine") || strings.Contains(state, fixture.Base64Of("value-of-b")) {
		t.Errorf("a value in the state: %s", state)
	}
}
