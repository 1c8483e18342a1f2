package commandlines

import (
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// Given create_before_destroy, also inherited; when a resource is replaced in place; then the create is refused. Terraform
// puts the old object back, and the next plan has no changes. OpenTofu leaves the object deposed, and the step in the message
// of the next plan works. No value is lost.
func TestReplacementInPlaceWithCreateBeforeDestroy(t *testing.T) {
	t.Parallel()
	const inherits = "resource \"terraform_data\" \"first\" {\n  input = cas_configmap_entry.it.id\n  lifecycle {\n    create_before_destroy = true\n  }\n}\n"
	const fields = "resource \"cas_object_fields\" \"it\" {\n  api_version = \"v1\"\n  kind = \"ConfigMap\"\n  namespace = NAMESPACE\n" +
		"  name = \"testmap\"\n  fields = { \"metadata.labels.app\" = \"shop\" }\n  " + fixture.CreateFirst + "\n}\n"
	for what, test := range map[string]struct {
		address, body, id string
		isWhole           bool
	}{
		"an entry":            {address: "cas_configmap_entry.it", body: fixture.Entry("it", "testmap", "foo", `value = "1"`, fixture.CreateFirst), id: "NS/testmap/foo"},
		"an entry, inherited": {address: "cas_configmap_entry.it", body: fixture.Entry("it", "testmap", "foo", `value = "1"`) + inherits, id: "NS/testmap/foo"},
		"data":                {address: "cas_configmap_data.it", body: fixture.DataBlock("it", `data = { foo = "1" }`, fixture.CreateFirst), id: "NS/testmap:foo"},
		"fields":              {address: "cas_object_fields.it", body: fields, id: "v1/ConfigMap/NS/testmap/metadata.labels.app"},
		"a ConfigMap":         {address: "cas_configmap.it", body: fixture.WholeBlock("it", `data = { foo = "1" }`, fixture.CreateFirst), id: "NS/testmap", isWhole: true},
	} {
		t.Run(what, func(t *testing.T) {
			p := fixture.NewCLIPipeline(t)
			if !test.isWhole {
				p.Create("testmap", nil)
			}
			p.Planned(test.body)
			version := p.Live("testmap").ResourceVersion
			p.Plan("-replace=" + test.address)
			if test.isWhole {
				p.ApplyRefused("Error: ConfigMap Already Exists", "Nothing was written.", "with create_before_destroy, use generate_name.")
			} else {
				p.ApplyRefused(" Already Holds The Value", "Nothing was written.")
			}
			if strings.Contains(p.CLI.CLI, "tofu") {
				p.WantState("deposed it")
				p.PlanRefused([]string{
					"Moves Between Instances",
					"If the plan destroys a deposed object, run terraform state rm with the address above, then import the resource.",
				})
				p.Do("state", "rm", test.address)
				p.Do("import", test.address, strings.Replace(test.id, "NS", p.Namespace, 1))
			}
			p.WantState("it")
			p.PlanNothing()
			if now := p.Live("testmap").ResourceVersion; now != version {
				t.Errorf("the ConfigMap was written: resourceVersion %s, was %s", now, version)
			}
		})
	}
}
