package commandlines

import (
	"fmt"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

func TestSecretMovedFromKubernetes(t *testing.T) {
	f := fixture.New(t)
	live := f.CreateSecret("database", fixture.Data{"a": "1"}, func(s *corev1.Secret) { s.Type = "example.com/x" })
	const moved = "moved {\nfrom = kubernetes_secret_v1.it\nto = cas_secret.it\n}\n"
	config := fixture.SecretBlock(`type = "example.com/x"`, `data_wo = { a = "1" }`)
	fixture.RunCLISteps(t, &fixture.KubernetesStandIn{Secret: live}, resource.TestCase{
		Steps: []resource.TestStep{
			{Config: f.Config("resource \"kubernetes_secret_v1\" \"it\" {\n  metadata {\n    name = \"database\"\n    namespace = NAMESPACE\n  }\n}\n")},
			{
				Config: f.Config(moved + config),
				Check: resource.ComposeAggregateTestCheckFunc(
					resource.TestCheckResourceAttr("cas_secret.it", "uid", string(live.UID)),
					resource.TestCheckResourceAttr("cas_secret.it", "type", "example.com/x"),
					resource.TestCheckResourceAttr("cas_secret.it", "keys.0", "a"),
					resource.TestCheckNoResourceAttr("cas_secret.it", "data_wo.a"),
					fixture.Checked(func() { f.WantSecret("database", fixture.Data{"a": "1"}) }),
				),
			},
			{Config: f.Config(config), PlanOnly: true},
		},
	})
}

// Given a moved block between two types of this provider; when the plan refuses it; then the step in its message works, and
// writes nothing.
func TestMovedBetweenTypesOfThisProvider(t *testing.T) {
	t.Parallel()
	for what, test := range map[string]struct {
		from, to, fromBlock, toBlock, form, id string
	}{
		"an entry to data": {
			from: "cas_configmap_entry", fromBlock: fixture.Entry("it", "testmap", "foo", `value = "1"`),
			to: "cas_configmap_data", toBlock: fixture.DataBlock("it", `data = { foo = "1" }`),
			form: "namespace/name:key1,key2", id: "testmap:foo",
		},
		"data to a ConfigMap": {
			from: "cas_configmap_data", fromBlock: fixture.DataBlock("it", `data = { foo = "1" }`),
			to: "cas_configmap", toBlock: fixture.WholeBlock("it", `data = { foo = "1" }`),
			form: "namespace/name", id: "testmap",
		},
		"an entry to an entry of a Secret": {
			from: "cas_configmap_entry", fromBlock: fixture.Entry("it", "testmap", "foo", `value = "1"`),
			to: "cas_secret_entry", toBlock: fixture.SecretEntry(`value_wo = "1"`, "adopt_existing = true"),
			form: "namespace/name/key", id: "database/password",
		},
	} {
		t.Run(what, func(t *testing.T) {
			p := fixture.NewCLIPipeline(t)
			p.CreateSecret("database", fixture.Data{"password": "1"})
			p.Create("testmap", nil)
			p.Planned(test.fromBlock)
			version := p.Live("testmap").ResourceVersion
			from, to := test.from+".it", test.to+".it"
			p.Write(fmt.Sprintf("moved {\n  from = %s\n  to = %s\n}\n", from, to) + test.toBlock)
			p.PlanRefused([]string{
				"Error: State Cannot Be Moved", fmt.Sprintf("A moved block cannot turn a %s into a %s. Nothing was moved.", test.from, test.to),
				"Replace the moved block by a removed block with destroy = false. Then import the new resource with the id " + test.form + ".",
			})
			p.Write(fmt.Sprintf("removed {\n  from = %s\n  lifecycle {\n    destroy = false\n  }\n}\nimport {\n  to = %s\n  id = \"${%s}/%s\"\n}\n",
				from, to, "NAMESPACE", test.id) + test.toBlock)
			p.Wants(p.Plan(), "1 to import, 0 to add", "0 to destroy")
			p.Apply()
			if now := p.Live("testmap").ResourceVersion; now != version {
				t.Errorf("the ConfigMap was written: resourceVersion %s, was %s", now, version)
			}
			p.PlanNothing()
		})
	}
}
