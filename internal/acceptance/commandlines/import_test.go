package commandlines

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

// What Terraform generates of an import has a name, and no generate_name beside it. The version of a Secret's values, null after an import,
// becomes 1 in the state alone.
func TestCommandLineGeneratesAConfigurationThatChangesNothing(t *testing.T) {
	t.Parallel()
	versionOf := map[string]func(f *fixture.Fixture, name string) string{
		"cas_configmap": func(f *fixture.Fixture, name string) string { return f.Live(name).ResourceVersion },
		"cas_secret": func(f *fixture.Fixture, name string) string {
			live, err := f.Cluster.Client().CoreV1().Secrets(f.Namespace).Get(t.Context(), name, metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			return live.ResourceVersion
		},
	}
	plans := map[string]string{
		"cas_configmap": "1 to import, 0 to add, 0 to change, 0 to destroy",
		"cas_secret":    "1 to import, 0 to add, 1 to change, 0 to destroy",
	}
	for kind, make := range map[string]func(*fixture.Fixture) string{
		"cas_configmap": func(f *fixture.Fixture) string {
			return f.CreateObject(&corev1.ConfigMap{
				ObjectMeta: metav1.ObjectMeta{GenerateName: "app-", Labels: fixture.Data{"app": "shop"}}, Data: fixture.Data{"foo": "1"},
			}).Name
		},
		"cas_secret": func(f *fixture.Fixture) string {
			secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{GenerateName: "app-"}, StringData: fixture.Data{"foo": "1"}}
			made, err := f.Cluster.Client().CoreV1().Secrets(f.Namespace).Create(t.Context(), secret, metav1.CreateOptions{})
			if err != nil {
				t.Fatal(err)
			}
			return made.Name
		},
	} {
		t.Run(kind, func(t *testing.T) {
			p := fixture.NewCLIPipeline(t)
			name := make(p.Fixture)
			imports := fmt.Sprintf("import {\n  to = %s.it\n  id = %q\n", kind, p.Namespace+"/"+name)
			p.Write(imports + "  provider = cas\n}\n") // which Terraform 1.16 needs, and only while it generates
			p.Wants(p.Plan("-generate-config-out=generated.tf"), plans[kind])
			if generated := toolchain.Text(t, p.CLI.Dir, "generated.tf"); !strings.Contains(generated, fmt.Sprintf("= %q", name)) {
				t.Errorf("the name %s is not in\n%s", name, generated)
			}
			p.Write(imports + "}\n")
			p.Wants(p.Plan(), plans[kind])
			before := versionOf[kind](p.Fixture, name)
			p.Apply()
			p.PlanNothing()
			if after := versionOf[kind](p.Fixture, name); after != before {
				t.Errorf("the import wrote: resourceVersion %s, was %s", after, before)
			}
		})
	}
}
