package acceptance_test

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	corev1 "k8s.io/api/core/v1"
)

// Given the state of a kubernetes_secret_v1_data; when it is moved; then no value comes along, and the first write needs an expectation.
func TestSecretDataMovedFromKubernetes(t *testing.T) {
	p := newPipeline(t)
	p.createSecret("database", data{"a": "value-of-a", "b": "value-of-b", "other": "kept"})
	const moved = "moved {\nfrom = kubernetes_secret_v1_data.it\nto = cas_secret_data.it\n}\n"
	p.write("resource \"kubernetes_secret_v1_data\" \"it\" {\nmetadata {\nname = \"database\"\nnamespace = NAMESPACE\n}\n" +
		"data = { a = \"value-of-a\", b = \"value-of-b\" }\n}\n")
	p.planApply()
	p.write(moved + secretData(`data_wo = { a = "mine", b = "value-of-b" }`))
	p.planRefused([]string{"a and b do not hold what this resource expects.", `to replace it, set expected_data_wo["a"]`, "it already holds the value to write"})
	p.write(moved + secretData(`data_wo = { a = "mine", b = "value-of-b" }`, `expected_data_wo = { a = "value-of-a" }`, `adopt_existing = true`))
	p.plan()
	p.rotate("database", "other", "changed")
	p.applyRefused("Compare-And-Swap Conflict")
	p.planApply()
	p.wantSecret("database", data{"a": "mine", "b": "value-of-b", "other": "changed"})
	p.planNothing()
	state := jsonOf(t, p.state()["it"])
	if strings.Contains(state, "value-of") || strings.Contains(state, "mine") || strings.Contains(state, base64Of("value-of-b")) {
		t.Errorf("a value in the state: %s", state)
	}
}

func TestSecretMovedFromKubernetes(t *testing.T) {
	f := newFixture(t)
	live := f.createSecret("database", data{"a": "1"}, func(s *corev1.Secret) { s.Type = "example.com/x" })
	const moved = "moved {\nfrom = kubernetes_secret_v1.it\nto = cas_secret.it\n}\n"
	config := secretBlock(`type = "example.com/x"`, `data_wo = { a = "1" }`)
	runCLISteps(t, &kubernetesStandIn{secret: live}, resource.TestCase{
		Steps: []resource.TestStep{
			{Config: f.config("resource \"kubernetes_secret_v1\" \"it\" {\n  metadata {\n    name = \"database\"\n    namespace = NAMESPACE\n  }\n}\n")},
			{
				Config: f.config(moved + config),
				Check: resource.ComposeAggregateTestCheckFunc(
					resource.TestCheckResourceAttr("cas_secret.it", "uid", string(live.UID)),
					resource.TestCheckResourceAttr("cas_secret.it", "type", "example.com/x"),
					resource.TestCheckResourceAttr("cas_secret.it", "keys.0", "a"),
					resource.TestCheckNoResourceAttr("cas_secret.it", "data_wo.a"),
					checked(func() { f.wantSecret("database", data{"a": "1"}) }),
				),
			},
			{Config: f.config(config), PlanOnly: true},
		},
	})
}
