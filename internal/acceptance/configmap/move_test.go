package configmap

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

func TestConfigMapMovedFromHashicorpKubernetes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		live   fixture.Whole
		prefix string
		lines  []string
	}{
		"all of it": {
			live: fixture.Whole{
				Labels: fixture.Data{"app": "shop"}, Annotations: fixture.Data{"note": "a"}, Data: fixture.Data{"foo": "1"}, Bytes: map[string][]byte{"raw": {0xff}},
				Immutable: true,
			},
			lines: []string{`labels = { app = "shop" }`, `annotations = { note = "a" }`, `data = { foo = "1" }`, `binary_data = { raw = "/w==" }`, `immutable = true`},
		},
		"nothing":        {},
		"generated name": {prefix: "app-", live: fixture.Whole{Data: fixture.Data{"foo": "1"}}, lines: []string{`data = { foo = "1" }`, `generate_name = "app-"`}},
	} {
		for _, from := range []string{"kubernetes_config_map_v1", "kubernetes_config_map"} {
			run := func(t *testing.T, runs func(*testing.T, *fixture.KubernetesStandIn, resource.TestCase)) {
				t.Helper()
				f := fixture.New(t)
				proxy := f.Proxied()
				cm := &corev1.ConfigMap{Data: test.live.Data, BinaryData: test.live.Bytes}
				cm.Labels, cm.Annotations, cm.GenerateName = test.live.Labels, test.live.Annotations, test.prefix
				if test.prefix == "" {
					cm.Name = "testmap"
				}
				if test.live.Immutable {
					fixture.Freeze(cm)
				}
				made := f.CreateObject(cm)
				moved := f.Config(fmt.Sprintf("moved {\n  from = %s.all\n  to   = cas_configmap.all\n}\n", from) + fixture.WholeBlock("all", test.lines...))
				runs(t, &fixture.KubernetesStandIn{Made: made}, resource.TestCase{
					TerraformVersionChecks: fixture.MovesSince,
					Steps: []resource.TestStep{
						{Config: fmt.Sprintf("resource %q \"all\" {\n  metadata {\n    name = %q\n  }\n}\n", from, made.Name)},
						{
							Config: moved, ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
								plancheck.ExpectEmptyPlan(), plancheck.ExpectResourceAction("cas_configmap.all", plancheck.ResourceActionNoop),
							}},
							Check: fixture.Checked(func() {
								f.WantUnchanged(made)
								if n := proxy.Count("GET"); n != proxy.Count() {
									f.Errorf("requests: %v", proxy.Requests())
								}
							}),
						},
						{Config: f.Config(fixture.WholeBlock("all", append(test.lines, `hide_values = true`)...)), Check: fixture.Checked(func() {
							if f.Live(made.Name).UID != made.UID {
								f.Error("the ConfigMap was replaced")
							}
						})},
					},
				})
				if n := proxy.Count("DELETE"); n != 1 {
					t.Errorf("%d deletes, want that of the end", n)
				}
			}
			t.Run(name+"/"+from, func(t *testing.T) { run(t, fixture.Drive) })
			if name == "all of it" && from == "kubernetes_config_map" {
				t.Run(name+"/"+from+", on the command line", func(t *testing.T) { run(t, fixture.RunCLISteps) })
			}
		}
	}
}
