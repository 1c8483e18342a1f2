package acceptance_test

import (
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
)

// dataExamples are the examples of cas_configmap_data, applied as those of cas_configmap_entry are.
const dataExamples = "../../examples/resources/cas_configmap_data"

var released = data{"color": "green", "version": "1", "other": "kept"}

var dataExampleTests = map[string]entryExample{
	"resource.tf": {
		before: released, after: data{"color": "blue", "version": "2", "other": "kept"}, destroyed: data{"other": "kept"},
	},
	"guard.tf": {
		before: data{"color": "green", "maintenance": "off"}, after: data{"color": "blue", "maintenance": "off"},
		destroyed: data{"maintenance": "off"},
	},
	"key_scope.tf": {
		before: data{"color": "blue"}, after: data{"color": "blue", "version": "2"},
	},
	"wait_for_match.tf": { // where there is nothing to wait for; the other case is in TestExamples
		before:    data{"color": "green", "version": "1", "schema": "43", "images": "pulled"},
		after:     data{"color": "blue", "version": "2", "schema": "43", "images": "pulled"},
		destroyed: data{"schema": "43", "images": "pulled"},
	},
	"binary.tf": {
		bytes: map[string][]byte{"prices": []byte("old")}, after: data{"currency": "EUR"}, binary: wantPrices,
	},
	"restore.tf": {
		before: data{"open": "yes"}, after: data{"open": "no", "banner": "Closed on Monday"},
		destroyed: data{"open": "yes"},
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
		destroyed: data{"other": "kept"},
	},
	"import-by-string-id.tf": {
		before: released, action: plancheck.ResourceActionNoop, address: "cas_configmap_data.release", after: released,
		destroyed: data{"other": "kept"},
	},
	"import-by-identity.tf": {
		before: released, action: plancheck.ResourceActionNoop, address: "cas_configmap_data.release", after: released,
		destroyed: data{"other": "kept"}, versions: identityImport,
	},
}
