package commandlines

import (
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// TestDataAndAnEntryOfAnotherKey has a ConfigMap with data, and an entry of a key that data lacks. The plan refuses them,
// whichever of the two Terraform plans first, and the advised step works.
func TestDataAndAnEntryOfAnotherKey(t *testing.T) {
	for name, test := range map[string]struct{ before, name string }{
		"both are made":     {"", "cas_configmap.it.name"},
		"the entry is made": {fixture.WholeBlock("it", `data = { foo = "1" }`), `"testmap"`},
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewCLIPipeline(t)
			entry := fixture.EntryBlock("bar", "name = "+test.name, `key = "bar"`, `value = "2"`)
			if test.before != "" {
				p.Planned(test.before)
			}
			p.Write(fixture.WholeBlock("it", `data = { foo = "1" }`) + entry)
			p.PlanRefused([]string{"Error: Key Written Twice", "Another resource has bar", "omit the map there to leave them to others", "Nothing was written."})
			p.Planned(fixture.WholeBlock("it", fixture.Deletes) + entry)
			p.PlanNothing()
			p.Destroy()
			p.WantState()
		})
	}
}
