package commandlines

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

// The configuration that Terraform generates for an import is valid, and its apply writes nothing. A value of a Secret is
// write-only: one error names the attribute, and with the value the configuration is valid. An import of a whole object
// sets name, and no generate_name beside it.
func TestGeneratedConfigurationChangesNothing(t *testing.T) {
	t.Parallel()
	const pool = `{"30000": {"id": "x", "claimant": "web"}, "10.0.3.0/24": {"id": "y"}, "fd00::/64": {"id": "z"}, "b": {"id": "v"}, "007": {"id": "w"}}`
	for what, test := range map[string]struct {
		of, id  string
		changes int    // a change of the state alone
		lacks   string // the error about a value that no configuration has
		add     [2]string
		want    string // in the configuration
	}{
		"an entry":                 {of: "cas_configmap_entry", id: "NS/NAME/foo", want: `value = "1"`},
		"an entry of bytes":        {of: "cas_configmap_entry", id: "NS/NAME/raw", want: `value_base64 = "AQ=="`},
		"data":                     {of: "cas_configmap_data", id: "NS/NAME:foo,raw", want: `foo = "1"`},
		"fields":                   {of: "cas_object_fields", id: "v1/ConfigMap/NS/NAME/metadata.labels.app", want: `"metadata.labels.app" = "shop"`},
		"a ConfigMap":              {of: "cas_configmap", id: "NS/NAME", want: `name = "NAME"`},
		"a number":                 {of: "cas_configmap_allocation", id: "NS/NAME/pool/30000", want: `numbers = { except = null from = 30000 to = 30000 }`},
		"a prefix":                 {of: "cas_configmap_allocation", id: "NS/NAME/pool/10.0.3.0/24", want: `cidr = { except = null prefix = 24 within = ["10.0.3.0/24"] }`},
		"a prefix of IPv6":         {of: "cas_configmap_allocation", id: "NS/NAME/pool/fd00::/64", want: `cidr = { except = null prefix = 64 within = ["fd00::/64"] }`},
		"a name":                   {of: "cas_configmap_allocation", id: "NS/NAME/pool/b", want: `names = ["b"]`},
		"a name of digits":         {of: "cas_configmap_allocation", id: "NS/NAME/pool/007", want: `names = ["007"]`},
		"a Secret, left to others": {of: "cas_secret", id: "NS/NAME", changes: 1, want: `name = "NAME"`},
		"an entry of a Secret": {
			of: "cas_secret_entry", id: "NS/NAME/foo", changes: 1,
			lacks: "Attribute value_wo: set value_wo or value_base64_wo; no state has the value, so a generated configuration lacks it.", add: [2]string{"value_wo", `"1"`},
		},
		"data of a Secret": {
			of: "cas_secret_data", id: "NS/NAME:foo", changes: 1,
			lacks: "Attribute data_wo: set at least one key in data_wo or binary_data_wo; no state has the value, so a generated configuration lacks it.", add: [2]string{"data_wo", `{ foo = "1" }`},
		},
	} {
		t.Run(what, func(t *testing.T) {
			p := fixture.NewCLIPipeline(t)
			meta := metav1.ObjectMeta{GenerateName: "app-", Labels: fixture.Data{"app": "shop"}}
			var name string
			var version func() string
			if strings.HasPrefix(test.of, "cas_secret") {
				made, err := p.Cluster.Client().CoreV1().Secrets(p.Namespace).Create(t.Context(),
					&corev1.Secret{ObjectMeta: meta, StringData: fixture.Data{"foo": "1"}}, metav1.CreateOptions{})
				if err != nil {
					t.Fatal(err)
				}
				name, version = made.Name, func() string { return p.LiveSecret(name).ResourceVersion }
			} else {
				name = p.CreateObject(&corev1.ConfigMap{
					ObjectMeta: meta, Data: fixture.Data{"foo": "1", "pool": pool}, BinaryData: map[string][]byte{"raw": {1}},
				}).Name
				version = func() string { return p.Live(name).ResourceVersion }
			}
			before := version()
			named := strings.NewReplacer("NS", p.Namespace, "NAME", name).Replace
			imports := fmt.Sprintf("import {\n  to = %s.it\n  id = %q\n", test.of, named(test.id))
			p.Write(imports + "  provider = cas\n}\n") // which Terraform 1.16 needs, and only while it generates
			plan := fmt.Sprintf("1 to import, 0 to add, %d to change, 0 to destroy", test.changes)
			if test.lacks == "" {
				p.Wants(p.Plan("-generate-config-out=generated.tf"), plan)
			} else {
				out := p.PlanRefused([]string{test.lacks}, "-generate-config-out=generated.tf")
				if n := strings.Count(out, "Error: "); n != 1 {
					t.Errorf("%d errors:\n%s", n, out)
				}
			}
			generated := toolchain.Text(t, p.CLI.Dir, "generated.tf")
			flat := strings.Join(strings.Fields(generated), " ")
			if !strings.Contains(flat, named(test.want)) {
				t.Errorf("%s is not in\n%s", named(test.want), generated)
			}
			p.Write(imports + "}\n")
			if test.lacks != "" {
				generated = regexp.MustCompile(`(?m)^(  `+test.add[0]+` +=) null.*$`).ReplaceAllString(generated, "$1 "+test.add[1])
				p.CLI.Write("generated.tf", generated)
				p.PlanRefused([]string{"Key Already Holds The Value", "Set adopt_existing = true to take it over."})
				p.CLI.Write("generated.tf", regexp.MustCompile(`(adopt_existing +=) false`).ReplaceAllString(generated, "$1 true"))
			}
			p.Wants(p.Plan(), plan)
			p.Apply()
			p.PlanNothing()
			if after := version(); after != before {
				t.Errorf("the import wrote: resourceVersion %s, was %s", after, before)
			}
		})
	}
}
