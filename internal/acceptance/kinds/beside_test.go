package kinds

import (
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// A whole ConfigMap that declares its data, and an entry of another key of it, undo each other. The plan says so where it knows both, and the next one in any
// case; nobody speaks of somebody else.
func TestDataAndAnEntryOfAnotherKeyUndoEachOther(t *testing.T) {
	const undoes = "Data Undoes Another Resource"
	says := []string{undoes, "This configuration has a cas_configmap whose data lacks bar, and another resource that writes it", "Omit data", "ignore_changes = [data]"}
	for name, entry := range map[string]string{
		"entry":                       fixture.EntryBlock("bar", `name = cas_configmap.it.name`, `key = "bar"`, `value = "2"`),
		"data":                        fixture.DataBlock("bar", `name = cas_configmap.it.name`, `data = { bar = "2" }`),
		"entry that is planned first": fixture.EntryBlock("bar", `key = "bar"`, `value = "2"`),
	} {
		t.Run(name, func(t *testing.T) {
			fixture.OnEachProfile(t, func(p *fixture.Pipeline) {
				whole := func(lines ...string) string {
					return fixture.WholeBlock("it", append(lines, `data = { foo = "1" }`, fixture.Overwrites)...)
				}
				if name == "entry that is planned first" {
					p.Planned(fixture.WholeBlock("it"))
					p.Planned(fixture.WholeBlock("it") + entry)
					p.Write(whole("depends_on = [cas_configmap_entry.bar]") + entry)
					p.Wants(p.PlanRefused(append(says, "Error: "+undoes)), "!Somebody else")
					return
				}
				p.Write(whole() + entry)
				p.Wants(p.Plan(), append(says, "Warning: "+undoes)...)
				p.Apply()
				p.Write(whole() + entry)
				p.Wants(p.PlanRefused(append(says, "Error: "+undoes)), "!Somebody else")
				p.WantLive("testmap", fixture.Data{"foo": "1", "bar": "2"})

				// As is advised. With ignore_changes, the configuration says what is there.
				p.Write(fixture.WholeBlock("it", `data = { foo = "1", bar = "2" }`) + entry)
				p.Wants(p.On.Plan(fixture.PlanFile).All(), "!"+undoes, "!Somebody else", "!Error")
				p.Planned(fixture.WholeBlock("it") + entry)
				p.WantLive("testmap", fixture.Data{"foo": "1", "bar": "2"})
				p.PlanNothing()
			})
		})
	}
}

// A counter and a pool are keys as well: without them, numbers and values would be given out again.
func TestDataAndAComputedKeyUndoEachOther(t *testing.T) {
	const undoes = "Data Undoes Another Resource"
	for name, block := range map[string]string{
		"counter":    fixture.CounterBlock("bar", `name = cas_configmap.it.name`, `key = "bar"`),
		"allocation": fixture.BlockOf("cas_configmap_allocation", "bar", []string{`name = cas_configmap.it.name`, `key = "bar"`, `names = ["a"]`}),
	} {
		t.Run(name, func(t *testing.T) {
			fixture.OnEachProfile(t, func(p *fixture.Pipeline) {
				whole := fixture.WholeBlock("it", `data = { foo = "1" }`, fixture.Overwrites)
				p.Write(whole + block)
				p.Wants(p.Plan(), "Warning: "+undoes, "This configuration has a cas_configmap whose data lacks bar, and another resource that writes it", "Omit data")
				p.Apply()
				taken := p.Live("testmap").Data["bar"]
				p.PlanRefused([]string{"Error: " + undoes})
				p.Planned(fixture.WholeBlock("it") + block) // as is advised
				p.WantLive("testmap", fixture.Data{"foo": "1", "bar": taken})
				p.PlanNothing()
			})
		})
	}
}

// Given a ConfigMap whose data is declared, and does not change; when a resource of keys takes up another key of it; then the plan says so, whichever of the two it
// plans first.
func TestAKeyThatIsTakenUpBesideDeclaredData(t *testing.T) {
	for name, data := range map[string]func(lines string) string{
		"planned last":  func(lines string) string { return fixture.DataBlock("b", "depends_on = [cas_configmap.it]", lines) },
		"planned first": func(lines string) string { return fixture.DataBlock("b", lines) },
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			whole := fixture.WholeBlock("it", `data = { foo = "1" }`, fixture.Overwrites)
			if name == "planned first" {
				whole = fixture.WholeBlock("it", `data = { foo = "1" }`, fixture.Overwrites, "depends_on = [cas_configmap_data.b]")
			}
			p.Planned(fixture.WholeBlock("it", `data = { foo = "1" }`))
			p.Planned(whole + data("adopt_existing = true\n  data = { foo = \"1\" }"))
			p.Write(whole + data(`data = { foo = "1", bar = "2" }`))
			p.Wants(p.Plan(), "Warning: Data Undoes Another Resource: bar in ConfigMap "+p.Namespace+"/testmap", "whose data lacks bar")
			p.Apply()
			p.Wants(p.PlanRefused([]string{"Error: Data Undoes Another Resource"}), "!Warning: Data Undoes", "!Somebody else")
		})
	}
}

// A new entry in a ConfigMap whose data is declared, and does not change.
func TestANewEntryBesideDeclaredData(t *testing.T) {
	p := fixture.NewPipeline(t)
	whole := fixture.WholeBlock("it", `data = { foo = "1" }`)
	p.Planned(whole)
	p.Write(whole + fixture.EntryBlock("bar", `name = cas_configmap.it.name`, `key = "bar"`, `value_base64 = "/w=="`))
	p.Wants(p.Plan(), "!Undoes Another Resource") // binaryData is left to others
	p.Write(whole + fixture.EntryBlock("bar", `name = cas_configmap.it.name`, `key = "bar"`, `value = "2"`))
	p.Wants(p.Plan(), "Warning: Data Undoes Another Resource")
}
