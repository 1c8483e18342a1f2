package docs

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

// pipelineExample has the objects before an example is applied on the command line, and the expected result. The
// examples of one kind share the namespace shop.
type pipelineExample struct {
	configMap string
	before    fixture.Data
	outputs   string // as `output -json` gives the values, by name
	after     fixture.Data
	destroyed fixture.Data
}

// pipelineExampleTests is by the path under examples/.
var pipelineExampleTests = map[string]pipelineExample{
	"resources/cas_configmap_counter/resource.tf": {
		configMap: "numbers", outputs: `{"port":30000}`, after: fixture.Data{"next_port": "30001"}, destroyed: fixture.Data{"next_port": "30001"},
	},
	"resources/cas_configmap_counter/triggers.tf": {
		configMap: "numbers", before: fixture.Data{"next_build": "17"}, outputs: `{}`,
		after: fixture.Data{"next_build": "18"}, destroyed: fixture.Data{"next_build": "18"},
	},
	"resources/cas_configmap_counter/blocks.tf": {
		configMap: "numbers", after: fixture.Data{"next_vlan": "120"}, destroyed: fixture.Data{"next_vlan": "120"}, // whose block is which is not fixed
	},
	"data-sources/cas_configmap_entry/data-source.tf": {
		configMap: "release", before: fixture.Data{"replicas": "5"}, outputs: `{"replicas":5}`,
		after: fixture.Data{"replicas": "5"}, destroyed: fixture.Data{"replicas": "5"},
	},
	"data-sources/cas_configmap_entry/resource_version.tf": {
		configMap: "release", before: fixture.Data{"candidate": "8"}, outputs: `{}`,
		after: fixture.Data{"candidate": "8", "version": "8"}, destroyed: fixture.Data{"candidate": "8"},
	},
	"data-sources/cas_configmap/data-source.tf": {
		configMap: "release", before: fixture.Data{"a": "1", "b": "2"}, outputs: `{"keys":["a","b"]}`,
		after: fixture.Data{"a": "1", "b": "2"}, destroyed: fixture.Data{"a": "1", "b": "2"},
	},
	"data-sources/cas_configmap/resource_version.tf": {
		configMap: "release", before: fixture.Data{"a": "1", "b": "2"}, outputs: `{}`,
		after: fixture.Data{"a": "1", "b": "2", "summary": "a=1,b=2"}, destroyed: fixture.Data{"a": "1", "b": "2"},
	},
}

func TestPipelineExamples(t *testing.T) {
	t.Parallel() // beside other tests; its own parts share ConfigMaps
	for _, path := range slices.Sorted(maps.Keys(pipelineExampleTests)) {
		example := pipelineExampleTests[path]
		t.Run(path, func(t *testing.T) {
			f, _ := shopWith(t, example.configMap, example.before)
			p := f.CLIPipeline()
			p.Planned(toolchain.Text(t, "../../../examples", path))
			p.WantLive(example.configMap, example.after)
			if example.outputs != "" {
				if diff := cmp.Diff(example.outputs, p.Outputs()); diff != "" {
					t.Errorf("outputs (-want +got):\n%s", diff)
				}
			}
			p.PlanNothing()
			p.Destroy()
			p.WantLive(example.configMap, example.destroyed)
		})
	}
}
