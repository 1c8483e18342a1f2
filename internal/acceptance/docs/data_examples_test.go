package docs

import (
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// dataExamples are the examples of cas_configmap_data, applied as those of cas_configmap_entry are.
const dataExamples = "../../../examples/resources/cas_configmap_data"

var released = fixture.Data{"color": "green", "version": "1", "other": "kept"}

var dataExampleTests = map[string]entryExample{
	"resource.tf": {
		before: released, after: fixture.Data{"color": "blue", "version": "2", "other": "kept"},
	},
	"guard.tf": {
		before: fixture.Data{"color": "green", "maintenance": "off"}, after: fixture.Data{"color": "blue", "maintenance": "off"},
	},
	"key_scope.tf": {
		before: fixture.Data{"color": "blue"}, after: fixture.Data{"color": "blue", "version": "2"},
	},
	"wait_for_match.tf": { // where there is nothing to wait for; the other case is in TestExamples
		before: fixture.Data{"color": "green", "version": "1", "schema": "43", "images": "pulled"},
		after:  fixture.Data{"color": "blue", "version": "2", "schema": "43", "images": "pulled"},
	},
	"binary.tf": {
		bytes: map[string][]byte{"prices": []byte("old")}, after: fixture.Data{"currency": "EUR"}, binary: wantPrices,
	},
	"text.tf": {
		after: fixture.Data{
			"replicas": "2", "ratio": "1", "mode": "0644", "debug": "true", "limits": `{"cpu":2}`, "banner": "Closed on Monday\nOpen on Tuesday",
		},
	},
	"restore.tf": {
		before: fixture.Data{"open": "yes"}, after: fixture.Data{"open": "no", "banner": "Closed on Monday"},
		destroyed: fixture.Data{"open": "yes"},
	},
	"moved.tf": {
		first: []resource.TestStep{{Config: `
resource "kubernetes_config_map_v1_data" "release" {
  metadata {
    namespace = "shop"
    name      = "settings"
  }
  data = { color = "green", version = "1" }
}`}},
		before: released, action: plancheck.ResourceActionNoop, address: "cas_configmap_data.release", after: released,
	},
	"import-by-string-id.tf": {
		before: released, action: plancheck.ResourceActionNoop, address: "cas_configmap_data.release", after: released,
	},
	"import-by-identity.tf": {
		before: released, action: plancheck.ResourceActionNoop, address: "cas_configmap_data.release", after: released,
		versions: identityImport,
	},
}
