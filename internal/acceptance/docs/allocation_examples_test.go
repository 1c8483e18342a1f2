package docs

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

// allocationBlock is the only allocation of key foo in the ConfigMap testmap.
func allocationBlock(lines ...string) string {
	return fixture.BlockOf("cas_configmap_allocation", "it", append([]string{`numbers = { from = 1, to = 1 }`}, lines...))
}

// allocationExample describes the ConfigMap pools of the namespace shop before and after an example.
type allocationExample struct {
	before      fixture.Data
	outputs     string              // as `output -json` gives the values, by name
	taken, left map[string][]string // the values in each pool, after the apply and after the destroy
}

const ofAnother = `{"30000": {"claimant": "another", "id": "A", "since": "2025-07-01T00:00:00Z"}, "30007": {"claimant": "lost", "id": "B"}}`

// allocationExampleTests is by the path under examples/.
var allocationExampleTests = map[string]allocationExample{
	"resources/cas_configmap_allocation/resource.tf": {
		outputs: `{"port":30000}`, taken: map[string][]string{"ports": {"30000"}}, left: map[string][]string{"ports": nil},
	},
	"resources/cas_configmap_allocation/cidr.tf": { // which network is which is not fixed
		before: fixture.Data{"networks": `{"10.0.0.0/23": {}}`}, taken: map[string][]string{"networks": {"10.0.0.0/23", "10.0.2.0/24", "10.0.3.0/24"}},
		left: map[string][]string{"networks": {"10.0.0.0/23"}},
	},
	"resources/cas_configmap_allocation/semaphore.tf": {
		before: fixture.Data{"migrations": `{"a": {}}`}, taken: map[string][]string{"migrations": {"a", "b"}}, left: map[string][]string{"migrations": {"a"}},
	},
	"resources/cas_configmap_allocation/prefer.tf": {
		before: fixture.Data{"ports": ofAnother}, taken: map[string][]string{"ports": {"30000", "30007", "30443"}},
		left: map[string][]string{"ports": {"30000", "30007"}},
	},
	"resources/cas_configmap_allocation/import-by-string-id.tf": {
		before: fixture.Data{"ports": ofAnother}, taken: map[string][]string{"ports": {"30000", "30007"}}, left: map[string][]string{"ports": {"30000"}},
	},
	"data-sources/cas_configmap_allocations/data-source.tf": {
		before: fixture.Data{"ports": ofAnother}, outputs: `{"free_ports":997,"ports_of_each_team":{"another":["30000"],"lost":["30007"]}}`,
		taken: map[string][]string{"ports": {"30000", "30007"}}, left: map[string][]string{"ports": {"30000", "30007"}},
	},
	"resources/cas_configmap_allocation/import.sh": {
		before: fixture.Data{"ports": ofAnother}, taken: map[string][]string{"ports": {"30000", "30007"}}, left: map[string][]string{"ports": {"30000"}},
	},
	"guides/allocations/orphans.tf": {
		before: fixture.Data{"ports": ofAnother}, outputs: `{"old":{"30000":"A","30007":"B"}}`,
		taken: map[string][]string{"ports": {"30000", "30007"}}, left: map[string][]string{"ports": {"30000", "30007"}},
	},
	"guides/allocations/release.tf": {
		before: fixture.Data{"ports": `{"30003": {"claimant": "lost", "id": "B"}}`}, taken: map[string][]string{"ports": {"30003"}},
		left: map[string][]string{"ports": nil},
	},
}

func TestAllocationExamples(t *testing.T) {
	t.Parallel() // beside other tests; its own parts share a ConfigMap
	for _, path := range slices.Sorted(maps.Keys(allocationExampleTests)) {
		example := allocationExampleTests[path]
		t.Run(path, func(t *testing.T) {
			f, _ := shopWith(t, "pools", example.before)
			p := f.CLIPipeline()
			if text := toolchain.Text(t, "../../../examples", path); strings.HasSuffix(path, ".sh") {
				p.Write(toolchain.Text(t, "../../../examples/resources/cas_configmap_allocation/resource.tf"))
				p.Do(strings.Fields(text)[slices.Index(strings.Fields(text), "terraform")+1:]...)
				p.PlanApply()
			} else {
				p.Planned(text)
			}
			wantPools(p, example.taken)
			if example.outputs != "" {
				if diff := cmp.Diff(example.outputs, p.Outputs()); diff != "" {
					t.Errorf("outputs (-want +got):\n%s", diff)
				}
			}
			p.PlanNothing()
			p.Destroy()
			wantPools(p, example.left)
		})
	}
}

func wantPools(p *fixture.Pipeline, want map[string][]string) {
	p.Helper()
	got := map[string][]string{}
	for key, text := range p.Live("pools").Data {
		members := map[string]any{}
		if err := json.Unmarshal([]byte(text), &members); err != nil {
			p.Fatal(err)
		}
		got[key] = slices.Sorted(maps.Keys(members))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		p.Errorf("taken (-want +got):\n%s", diff)
	}
}
