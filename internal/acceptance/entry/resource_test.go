package entry

import (
	"regexp"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

func TestConfigMapEntrySwapsFooFromOneToTwo(t *testing.T) {
	f := fixture.New(t)
	f.Create("testmap", fixture.Data{"foo": "1", "bar": "kept"})
	swap := f.Config(`
resource "cas_configmap_entry" "foo" {
  namespace      = NAMESPACE
  name           = "testmap"
  key            = "foo"
  value          = "2"
  expected_value = "1"
}`)
	f.RunSteps(
		resource.TestStep{
			Config: swap,
			Check: resource.ComposeAggregateTestCheckFunc(
				resource.TestCheckResourceAttr("cas_configmap_entry.foo", "previous_value", "1"),
				resource.TestCheckResourceAttr("cas_configmap_entry.foo", "id", f.Namespace+"/testmap/foo"),
				resource.TestCheckResourceAttrSet("cas_configmap_entry.foo", "resource_version"),
				func(*terraform.State) error {
					f.WantLive("testmap", fixture.Data{"foo": "2", "bar": "kept"})
					return nil
				},
			),
		},
		resource.TestStep{
			Config:           swap,
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
		},
	)
	f.WantLive("testmap", fixture.Data{"foo": "2", "bar": "kept"}) // it was there before
}

func TestConfigMapEntryForeignWriteBetweenPlanAndApply(t *testing.T) {
	f := fixture.New(t)
	f.Create("testmap", fixture.Data{"foo": "1"})
	entry := func(value string) string {
		return f.Config(`
resource "cas_configmap_entry" "foo" {
  namespace      = NAMESPACE
  name           = "testmap"
  key            = "foo"
  value          = "` + value + `"
  adopt_existing = true
}`)
	}
	f.RunSteps(
		resource.TestStep{Config: entry("1")},
		resource.TestStep{
			Config:           entry("2"),
			ConfigPlanChecks: fixture.Between(func() { f.Set("testmap", "bar", "foreign") }),
			ExpectError:      regexp.MustCompile(`Compare-And-Swap Conflict`),
		},
		resource.TestStep{
			Config: entry("2"),
			Check: func(*terraform.State) error {
				f.WantLive("testmap", fixture.Data{"foo": "2", "bar": "foreign"})
				return nil
			},
		},
	)
}
