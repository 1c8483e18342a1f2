package allocation

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

func pools(lines string) string {
	return "data \"cas_configmap_allocations\" \"foo\" {\n  namespace = NAMESPACE\n  name = \"testmap\"\n  key = \"foo\"\n  " + lines + "\n}\n" +
		"output \"foo\" {\n  value = jsonencode({ for k in [\"exists\", \"taken\", \"free\", \"claimants\"] : k => data.cas_configmap_allocations.foo[k] })\n}\n"
}

func TestAllocationsAreListed(t *testing.T) {
	for name, row := range map[string]struct {
		holds fixture.Data
		lines string
		want  string
	}{
		"no key": {nil, ofFive, `{"exists": false, "taken": [], "free": 5, "claimants": {}}`},
		"no range": {hand("30001"), "", `{"exists": true, "free": null, "claimants": {"hand": ["30001"]},
			"taken": [{"value": "30001", "claimant": "hand", "id": null, "since": null}]}`},
		"some": {fixture.Data{"foo": `{"30002": {"claimant": "b", "id": "B", "since": "then"}, "30000": {"claimant": "b"}, "9": {}}`}, ofFive, `{"exists": true, "free": 3,
			"claimants": {"": ["9"], "b": ["30000", "30002"]}, "taken": [{"value": "9", "claimant": null, "id": null, "since": null},
			{"value": "30000", "claimant": "b", "id": null, "since": null}, {"value": "30002", "claimant": "b", "id": "B", "since": "then"}]}`},
		"prefixes": {hand("10.0.0.0/9"), `cidr = { within = ["10.0.0.0/8"], prefix = 24 }`, `{"exists": true, "free": 32768, "claimants": {"hand": ["10.0.0.0/9"]},
			"taken": [{"value": "10.0.0.0/9", "claimant": "hand", "id": null, "since": null}]}`},
		"names": {hand("b"), `names = ["a", "b"]`, `{"exists": true, "free": 1, "claimants": {"hand": ["b"]},
			"taken": [{"value": "b", "claimant": "hand", "id": null, "since": null}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Create("testmap", row.holds)
			p.Applied(pools(row.lines))
			var outputs map[string]struct{ Value string }
			var got, want any
			if err := json.Unmarshal([]byte(p.On.Run("output", "-json").Stdout), &outputs); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(outputs["foo"].Value), &got); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal([]byte(row.want), &want); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestWhatIsNoPoolIsNotListed(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{"foo": "30000"})
	p.Write(pools(""))
	p.PlanRefused([]string{"Error: Not A Pool", "foo holds no pool: the text is no JSON object."})
	p.Write(pools(`numbers = { from = 2, to = 1 }`))
	p.Set("testmap", "foo", "{}")
	p.PlanRefused([]string{"Error: Invalid Allocation", "from (2) must not be above to (1)"})
}

// The names of members are a part of the key's content.
func TestWhatIsNoPoolIsNotQuotedWhereValuesAreHidden(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{"foo": `{"s3cr3t": 5}`})
	for _, config := range []string{block("a", ofFive), pools("")} {
		p.WriteFor(p.Kubeconfig, "hide_values = true", config)
		p.PlanRefused([]string{"Error: Not A Pool", "foo holds no pool: a member is no JSON object.", "Member: (hidden, 6 bytes, ", "!s3cr3t"})
		p.Write(config)
		p.PlanRefused([]string{`Member: "s3cr3t"`})
	}
}
