package commandlines

import (
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
