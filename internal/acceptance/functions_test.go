package acceptance_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// outputs is a JSON object of all outputs.
func (p *pipeline) outputs() string {
	p.Helper()
	var outputs map[string]struct{ Value json.RawMessage }
	if err := json.Unmarshal([]byte(p.on.Run("output", "-json").Stdout), &outputs); err != nil {
		p.Fatal(err)
	}
	values := map[string]json.RawMessage{}
	for name, output := range outputs {
		values[name] = output.Value
	}
	all, err := json.Marshal(values)
	if err != nil {
		p.Fatal(err)
	}
	return string(all)
}

func TestFunctionsInAConfiguration(t *testing.T) {
	p := newCLIPipeline(t)
	p.write(`
output "id" {
  value = provider::cas::entry_id("shop", "settings", "foo")
}
output "parts" {
  value = provider::cas::parse_entry_id(provider::cas::entry_id("shop", "settings", "foo"))
}`)
	p.planApply()
	if diff := cmp.Diff(`{"id":"shop/settings/foo","parts":{"key":"foo","name":"settings","namespace":"shop"}}`, p.outputs()); diff != "" {
		t.Errorf("outputs (-want +got):\n%s", diff)
	}
	p.write(`
output "id" {
  value = provider::cas::entry_id("shop", "settings", "a/b")
}
output "parts" {
  value = provider::cas::parse_entry_id("shop/settings")
}`)
	p.planRefused([]string{
		`"key" parameter: The key "a/b" is not valid: `, `"id" parameter: The id "shop/settings" is not of the form namespace/name/key.`, "!key..",
	})
}
