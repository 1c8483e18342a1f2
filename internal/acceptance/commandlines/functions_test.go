package commandlines

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

func TestFunctionsInAConfiguration(t *testing.T) {
	p := fixture.NewCLIPipeline(t)
	p.Write(`
output "id" {
  value = provider::cas::entry_id("shop", "settings", "foo")
}
output "parts" {
  value = provider::cas::parse_entry_id(provider::cas::entry_id("shop", "settings", "foo"))
}`)
	p.PlanApply()
	if diff := cmp.Diff(`{"id":"shop/settings/foo","parts":{"key":"foo","name":"settings","namespace":"shop"}}`, p.Outputs()); diff != "" {
		t.Errorf("outputs (-want +got):\n%s", diff)
	}
	p.Write(`
output "id" {
  value = provider::cas::entry_id("shop", "settings", "a/b")
}
output "parts" {
  value = provider::cas::parse_entry_id("shop/settings")
}`)
	p.PlanRefused([]string{
		`"key" parameter: The key "a/b" is not valid: `, `"id" parameter: The id "shop/settings" is not of the form namespace/name/key.`, "!key..",
	})
}
