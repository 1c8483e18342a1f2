package acceptance_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

// pipelineExample is what an example starts from and what comes of it, where it is applied by the command line: to a ConfigMap of the
// namespace shop that the examples of one kind share.
type pipelineExample struct {
	configMap string
	before    data
	outputs   string // as `output -json` gives the values, by name
	after     data
	destroyed data
}

// pipelineExampleTests is by the path under examples/.
var pipelineExampleTests = map[string]pipelineExample{
	"resources/cas_configmap_counter/resource.tf": {
		configMap: "numbers", outputs: `{"port":30000}`, after: data{"next_port": "30001"}, destroyed: data{"next_port": "30001"},
	},
	"resources/cas_configmap_counter/triggers.tf": {
		configMap: "numbers", before: data{"next_build": "17"}, outputs: `{}`,
		after: data{"next_build": "18"}, destroyed: data{"next_build": "18"},
	},
	"resources/cas_configmap_counter/blocks.tf": {
		configMap: "numbers", after: data{"next_vlan": "120"}, destroyed: data{"next_vlan": "120"}, // whose block is which is not fixed
	},
	"data-sources/cas_configmap_entry/data-source.tf": {
		configMap: "release", before: data{"replicas": "5"}, outputs: `{"replicas":5}`,
		after: data{"replicas": "5"}, destroyed: data{"replicas": "5"},
	},
	"data-sources/cas_configmap_entry/resource_version.tf": {
		configMap: "release", before: data{"candidate": "8"}, outputs: `{}`,
		after: data{"candidate": "8", "version": "8"}, destroyed: data{"candidate": "8"},
	},
	"data-sources/cas_configmap/data-source.tf": {
		configMap: "release", before: data{"a": "1", "b": "2"}, outputs: `{"keys":["a","b"]}`,
		after: data{"a": "1", "b": "2"}, destroyed: data{"a": "1", "b": "2"},
	},
	"data-sources/cas_configmap/resource_version.tf": {
		configMap: "release", before: data{"a": "1", "b": "2"}, outputs: `{}`,
		after: data{"a": "1", "b": "2", "summary": "a=1,b=2"}, destroyed: data{"a": "1", "b": "2"},
	},
	"functions/entry_id/function.tf": {
		configMap: "release", before: data{"version": "7"}, outputs: `{}`, after: data{"version": "7"}, destroyed: data{},
	},
	"functions/parse_entry_id/function.tf": {
		configMap: "release", before: data{"version": "7"}, outputs: `{"version":"7"}`,
		after: data{"version": "7"}, destroyed: data{"version": "7"},
	},
}

func TestPipelineExamples(t *testing.T) {
	t.Parallel() // beside other tests; its own parts share ConfigMaps
	for _, path := range slices.Sorted(maps.Keys(pipelineExampleTests)) {
		example := pipelineExampleTests[path]
		t.Run(path, func(t *testing.T) {
			f, _ := shopWith(t, example.configMap, example.before)
			p := f.cliPipeline()
			p.planned(toolchain.Text(t, "../../examples", path))
			p.wantLive(example.configMap, example.after)
			if example.outputs != "" {
				if diff := cmp.Diff(example.outputs, p.outputs()); diff != "" {
					t.Errorf("outputs (-want +got):\n%s", diff)
				}
			}
			p.planNothing()
			p.destroy()
			p.wantLive(example.configMap, example.destroyed)
		})
	}
}
