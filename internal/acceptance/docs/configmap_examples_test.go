package docs

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcli"
	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

// wholeExamples are the examples of cas_configmap. They are applied as they stand, to the ConfigMap settings in the namespace
// shop that they name, where there is one to begin with.
const wholeExamples = "../../../examples/resources/cas_configmap"

// wholeExample has the objects before a file of wholeExamples is applied, and the expected result.
type wholeExample struct {
	before   *fixture.Whole // nil: there is none
	noChange bool
	after    fixture.Whole
	versions []tfversion.TerraformVersionCheck
}

var wholeExampleTests = map[string]wholeExample{
	"resource.tf": {
		after: fixture.Whole{Labels: fixture.Data{"app.kubernetes.io/name": "shop"}, Data: fixture.Data{"log_level": "debug", "replicas": "3"}},
	},
	"data.tf":                {after: fixture.Whole{Data: fixture.Data{"foo": "1", "bar": "2"}}},
	"generate_name.tf":       {after: fixture.Whole{Data: fixture.Data{"version": "42"}, Immutable: true}},
	"import-by-string-id.tf": {before: &fixture.Whole{Data: fixture.Data{"foo": "1"}}, noChange: true, after: fixture.Whole{Data: fixture.Data{"foo": "1"}}},
	"import-by-identity.tf": {
		before: &fixture.Whole{Data: fixture.Data{"foo": "1"}}, noChange: true, after: fixture.Whole{Data: fixture.Data{"foo": "1"}}, versions: identityImport,
	},
	"moved.tf": {
		before: &fixture.Whole{Data: fixture.Data{"foo": "1"}}, noChange: true, after: fixture.Whole{Data: fixture.Data{"foo": "1"}},
		versions: []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_8_0)},
	},
}

func TestConfigMapExamples(t *testing.T) {
	t.Parallel()
	for name, example := range wholeExampleTests {
		t.Run(name, func(t *testing.T) {
			text := toolchain.Text(t, wholeExamples, name)
			f, before := shop(t, nil)
			f.Remove("settings")
			if example.before != nil {
				before = f.MakeWhole("settings", *example.before)
			}
			config := f.Config(text)
			if settings, found := strings.CutPrefix(text, "provider \"cas\" {\n"); found {
				config = "provider \"cas\" {\n  config_path = " + fixture.Quoted(f.Kubeconfig) + "\n" + settings
			}
			step := resource.TestStep{Config: config}
			live := "settings"
			if name == "generate_name.tf" {
				step.Check = func(s *terraform.State) error {
					live, _ = s.RootModule().Outputs["name"].Value.(string)
					return nil
				}
			}
			step.PostApplyFunc = func() {
				if name == "data.tf" { // whose bytes are others with another zlib
					f.Change("settings", func(cm *corev1.ConfigMap) {
						if got := unzipped(t, cm.BinaryData["prices"]); got != "{}" {
							t.Errorf("prices is %q", got)
						}
						delete(cm.BinaryData, "prices")
					})
				}
				f.WantWhole(live, example.after)
			}
			if example.noChange {
				step.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{
					plancheck.ExpectResourceAction("cas_configmap.settings", plancheck.ResourceActionNoop),
				}
			}
			steps := []resource.TestStep{step, {Config: f.Config("")}} // for the framework, resources with for_each must be destroyed first
			if name == "moved.tf" {
				steps = append([]resource.TestStep{{Config: "resource \"kubernetes_config_map_v1\" \"settings\" {\n  metadata {\n    name = \"settings\"\n  }\n}\n"}}, steps...)
			}
			fixture.RunCLISteps(t, &fixture.KubernetesStandIn{Made: before}, resource.TestCase{TerraformVersionChecks: example.versions, Steps: steps})
			left, err := f.Cluster.Client().CoreV1().ConfigMaps(f.Namespace).List(t.Context(), metav1.ListOptions{})
			if err != nil || len(left.Items) > 0 {
				t.Errorf("left after destroy: %v (%v)", left.Items, err)
			}
		})
	}
	t.Run("import.sh", func(t *testing.T) {
		f, _ := shop(t, fixture.Data{"foo": "1"})
		_, command, found := strings.Cut(toolchain.Text(t, wholeExamples, "import.sh"), "\nterraform ")
		if !found {
			t.Fatal("it does not run terraform")
		}
		w := testcli.New(t)
		w.Write("main.tf", fixture.TerraformSource+f.Config(`
resource "cas_configmap" "settings" {
  namespace = NAMESPACE
  name      = "settings"
  data      = { foo = "1" }
}`))
		if r := w.Run(strings.Fields(command)...); r.ExitCode != 0 {
			t.Fatal(r.All())
		}
		if r := w.Plan("p"); r.ExitCode != 0 {
			t.Errorf("the plan after the import has changes:\n%s", r.All())
		}
	})
}
