package sizes

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

func TestConfigMapTooLargeWithWhatOthersOwn(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Planned(fixture.WholeBlock("all", `data = { foo = "1" }`))
	p.Change("testmap", func(cm *corev1.ConfigMap) { cm.BinaryData = map[string][]byte{"raw": make([]byte, 1<<20-10)} })
	p.Write(fixture.WholeBlock("all", `data = { foo = "12345678901" }`))
	wants := []string{
		"Error: ConfigMap Too Large", "New values: 11 bytes", "Other values: 1048566 bytes", "Limit: 1048576 bytes for all values together",
	}
	p.PlanRefused(append(wants, fixture.PlanCheckAdvice))
	p.Export("CAS_PLAN_CHECK", "off")
	p.Plan()
	p.ApplyRefused(wants...)
	p.Planned(fixture.WholeBlock("all", `data = { foo = "1234567890" }`))
}

// TestConfigMapValidExtremes has what the rules just allow.
func TestConfigMapValidExtremes(t *testing.T) {
	f := fixture.New(t)
	large, value := fixture.KiB(1024, "a")
	f.RunSteps(resource.TestStep{
		Config: f.Config(fixture.WholeBlock("all", "name = "+fixture.Quoted(strings.Repeat("n", 249)+".map"), "data = { "+strings.Repeat("k", 253)+" = "+large+", none = \"\" }",
			"labels = { \"a.b/"+strings.Repeat("l", 63)+"\" = "+fixture.Quoted(strings.Repeat("v", 63))+" }", `annotations = { "Example.COM/A" = "any\ntext: {}" }`)),
		Check: fixture.Checked(func() {
			if got := f.Live(strings.Repeat("n", 249) + ".map").Data[strings.Repeat("k", 253)]; got != value {
				f.Errorf("%d bytes", len(got))
			}
		}),
	}, resource.TestStep{
		Config: f.Config(fixture.WholeBlock("all", "name = "+fixture.Quoted(strings.Repeat("n", 249)+".map"), "data = { "+strings.Repeat("k", 253)+" = "+large+", none = \"\" }",
			"labels = { \"a.b/"+strings.Repeat("l", 63)+"\" = "+fixture.Quoted(strings.Repeat("v", 63))+" }", `annotations = { "Example.COM/A" = "any\ntext: {}" }`)),
		ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
	})
}
