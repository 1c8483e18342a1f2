package kinds

import (
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// Given a whole ConfigMap with data, and a resource of a key that data lacks; then the plan refuses the two, whichever it
// plans first. A counter and a pool are keys as well. Without data, both can be.
func TestDataAndAnotherResourceOfAKeyOfIt(t *testing.T) {
	t.Parallel()
	const beside, first = `name = cas_configmap.it.name`, `name = "testmap"`
	for name, test := range map[string]struct{ of, whole string }{
		"entry":               {fixture.EntryBlock("bar", beside, `key = "bar"`, `value = "2"`), ""},
		"entry planned first": {fixture.EntryBlock("bar", first, `key = "bar"`, `value = "2"`), "depends_on = [cas_configmap_entry.bar]"},
		"data":                {fixture.DataBlock("bar", beside, `data = { bar = "2" }`), ""},
		"counter":             {fixture.CounterBlock("bar", beside, `key = "bar"`), ""},
		"allocation":          {fixture.BlockOf("cas_configmap_allocation", "bar", []string{beside, `key = "bar"`, `names = ["a"]`}), ""},
	} {
		t.Run(name, func(t *testing.T) {
			fixture.OnEachProfile(t, func(p *fixture.Pipeline) {
				refused := []string{twiceRefused, "Another resource has bar in the same configuration.", "omit the map there", "Key: bar"}
				p.Write(fixture.WholeBlock("it", `data = { foo = "1" }`, test.whole) + test.of)
				p.PlanRefused(refused)
				p.Planned(fixture.WholeBlock("it")) // as is advised
				p.Planned(fixture.WholeBlock("it") + test.of)
				p.PlanNothing()
				if name == "entry" || name == "data" { // with the value of data
					p.Write(fixture.WholeBlock("it", `data = { bar = "2" }`, test.whole) + test.of)
					p.PlanRefused(refused[:1])
				}
			})
		})
	}
}

// Given a ConfigMap with data; when an entry of bytes is added, which are in another map; then both can be.
func TestDataBesideAnEntryOfBytes(t *testing.T) {
	p := fixture.NewPipeline(t)
	bytes := fixture.EntryBlock("bar", `name = cas_configmap.it.name`, `key = "bar"`, `value_base64 = "/w=="`)
	p.Planned(fixture.WholeBlock("it", `data = { foo = "1" }`) + bytes)
	p.PlanNothing()
	p.Planned(fixture.WholeBlock("it", `data = { foo = "2" }`) + bytes)
	p.PlanNothing()
	p.Write(fixture.WholeBlock("it", `data = { foo = "2" }`, `binary_data = {}`) + bytes)
	p.PlanRefused([]string{"Error: Key Already Exists", "Key: bar"})
}

// Given a ConfigMap with labels, and fields of another label of it; then neither changes nor reports what the other has.
func TestLabelsBesideFieldsOfAnotherLabel(t *testing.T) {
	fixture.OnEachProfile(t, func(p *fixture.Pipeline) {
		write := func(whole, field string) {
			p.Write(fixture.WholeBlock("it", `labels = { a = "`+whole+`" }`) + "resource \"cas_object_fields\" \"b\" {\n" + strings.Join([]string{
				`api_version = "v1"`, `kind = "ConfigMap"`, `namespace = cas_configmap.it.namespace`, `name = cas_configmap.it.name`,
				`fields = { "metadata.labels.b" = "` + field + `" }`, "}\n",
			}, "\n"))
		}
		for _, values := range [][2]string{{"1", "1"}, {"2", "1"}, {"2", "2"}, {"3", "3"}} {
			write(values[0], values[1])
			p.PlanApply()
			p.WantWhole("testmap", fixture.Whole{Labels: fixture.Data{"a": values[0], "b": values[1]}})
			p.PlanNothing()
		}
	})
}
