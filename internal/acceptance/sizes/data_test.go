package sizes

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

func TestConfigMapDataTooLarge(t *testing.T) {
	f := fixture.New(t)
	other, otherValue := fixture.KiB(200, "a")
	half, halfValue := fixture.KiB(450, "b")
	f.Create("testmap", fixture.Data{"other": otherValue})
	planned := false
	block := "data = { a = " + half + ", b = " + half + " }"
	f.RunRefused(func(got fixture.Failures) {
		got.Want(f, "it", "Error: ConfigMap Too Large", "The ConfigMap would be too large. Nothing was written.",
			"New values: 921600 bytes Other values: 204800 bytes Limit: 1048576 bytes for all values together", "Shorten a value")
		f.WantLive("testmap", fixture.Data{"other": otherValue})
	},
		resource.TestStep{Config: f.Config(fixture.DataBlock("it", block)), ConfigPlanChecks: fixture.Between(func() { planned = true })},
		resource.TestStep{ // what frees the space may come in the same apply
			Config: f.Config(fixture.DataBlock("it", block, "depends_on = [cas_configmap_entry.other]") +
				fixture.Entry("other", "testmap", "other", `value = "small"`, "expected_value = "+other)),
			Check: fixture.Checked(func() { f.WantLive("testmap", fixture.Data{"other": "small", "a": halfValue, "b": halfValue}) }),
		})
	if !planned {
		f.Error("refused at plan, where a sibling might free the space")
	}
}
