package commandlines

import (
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// TestDataAndAnEntryOfAnotherKey has a ConfigMap with data, and an entry of a key that data lacks: each undoes the other.
// The plan that creates them warns, the next plan refuses, and the advised step ends the conflict. No message names
// another writer.
func TestDataAndAnEntryOfAnotherKey(t *testing.T) {
	const undoes = "Data Undoes Another Resource"
	const says = "This configuration has a cas_configmap whose data lacks bar, and another resource that writes it: each undoes what the other does."
	whole := func(lines ...string) string { return fixture.WholeBlock("it", lines...) }
	const foo, ignores = `data = { foo = "1" }`, "lifecycle {\n    ignore_changes = [data]\n  }"
	for name, test := range map[string]struct {
		before string // what is there already
		name   string // of the entry's ConfigMap
		mended string
	}{
		"both are made":             {"", "cas_configmap.it.name", whole(fixture.Deletes)},
		"the entry is made":         {whole(foo), `"testmap"`, whole(fixture.Deletes)},
		"the entry is made, at its": {whole(foo), "cas_configmap.it.name", whole(foo, ignores)},
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewCLIPipeline(t)
			entry := fixture.EntryBlock("bar", "name = "+test.name, `key = "bar"`, `value = "2"`)
			if test.before != "" {
				p.Planned(test.before)
			}
			p.Write(whole(foo) + entry)
			p.Wants(p.Plan(), "Warning: "+undoes+": bar in ConfigMap "+p.Namespace+"/testmap", says, "ignore_changes = [data]")
			p.Apply()
			p.WantLive("testmap", fixture.Data{"foo": "1", "bar": "2"})
			// Whether the plan of the ConfigMap already knows of the entry depends on their order.
			p.Wants(p.PlanRefused([]string{"Nothing was written."}), "!Somebody else")
			p.WantLive("testmap", fixture.Data{"foo": "1", "bar": "2"})
			p.Planned(test.mended + entry)
			p.PlanNothing()
			p.Destroy()
			p.WantState()
		})
	}
}
