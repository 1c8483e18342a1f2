package commandlines

import (
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// TestDestroyListsWhatStays: the plan of a destroy lists the keys that it leaves as they are, and the apply removes the others alone.
func TestDestroyListsWhatStays(t *testing.T) {
	p := fixture.NewCLIPipeline(t)
	p.Create("testmap", fixture.Data{"bar": "0", "foo": "1"})
	p.Planned(fixture.DataBlock("it", `data = { bar = "1", changed = "1", foo = "2", new = "1" }`, `expected_data = { bar = "0", foo = "1" }`))
	p.Set("testmap", "changed", "9")
	p.Export("CAS_PLAN_CHECK", "warning") // terraform plan -destroy first makes an ordinary plan, which drift would stop
	p.Wants(p.Plan("-destroy"),
		"Warning: Key Stays In Place", "bar and foo existed before this resource wrote them, so they stay as they are.", `Key: bar Found: "1" Held first: "0" Key: foo Found: "2" Held first: "1"`,
		`To put back what they held first, apply deletion_policy = "restore" before the destroy. To remove them, apply deletion_policy = "delete" before the destroy.`,
		"Warning: Key Stays In Place: changed", "changed does not hold what this resource last wrote, so it stays as it is.", `Key: changed Found: "9"`, "!Key: new")
	p.Apply()
	p.WantLive("testmap", fixture.Data{"bar": "1", "changed": "9", "foo": "2"})
	p.WantState()
}

// TestWhatStaysIsPutBack takes the way that the plan of a destroy shows.
func TestWhatStaysIsPutBack(t *testing.T) {
	p := fixture.NewCLIPipeline(t)
	p.Create("testmap", fixture.Data{"foo": "1"})
	entry := func(lines ...string) string {
		return fixture.EntryBlock("it", append(lines, `value = "2"`, `expected_value = "1"`)...)
	}
	p.Planned(entry())
	p.Wants(p.Plan("-destroy"), `To put back what it held first, apply deletion_policy = "restore" before the destroy.`)
	p.Planned(entry(`deletion_policy = "restore"`))
	p.Destroy()
	p.WantLive("testmap", fixture.Data{"foo": "1"})
}

// TestUpdateListsWhatStays: so does the plan of an update that names them no longer, also where it sends nothing.
func TestUpdateListsWhatStays(t *testing.T) {
	p := fixture.NewCLIPipeline(t)
	p.Create("testmap", fixture.Data{"foo": "1"})
	p.Planned(fixture.DataBlock("it", `data = { foo = "2", new = "1" }`, `expected_data = { foo = "1" }`))
	p.Write(fixture.DataBlock("it", `data = { new = "1" }`))
	p.Wants(p.Plan(), "0 to add, 1 to change, 0 to destroy", "Warning: Key Stays In Place", "foo existed before this resource wrote it, so it stays as it is.",
		`To put back what it held first, set deletion_policy = "restore". To remove it, set deletion_policy = "delete".`)
	before := p.Live("testmap")
	p.Apply()
	p.WantUnchanged(before)
	p.PlanNothing()
}
