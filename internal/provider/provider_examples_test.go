//go:build docs

package provider

import (
	"encoding/base64"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

const examples = "../../examples/provider"

// exampleRole is the role that the documentation gives: what the provider is allowed in these tests, and no more.
func exampleRole(t *testing.T) rbacv1.PolicyRule {
	t.Helper()
	file, err := os.Open(filepath.Join(examples, "role.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	var role rbacv1.Role
	if err := utilyaml.NewYAMLOrJSONDecoder(file, 1024).Decode(&role); err != nil {
		t.Fatal(err)
	}
	if len(role.Rules) != 1 {
		t.Fatalf("the role has %d rules, want 1", len(role.Rules))
	}
	return role.Rules[0]
}

// homeWithStaging is a home directory whose .kube/config has a context staging that leads to the cluster as user,
// and is not the current one. The first file decides,
// so .kube/staging.yaml does not count.
func homeWithStaging(t *testing.T, user *rest.Config) string {
	t.Helper()
	home := t.TempDir()
	if err := os.Mkdir(filepath.Join(home, ".kube"), 0o700); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(home, ".kube", "config")
	if err := testcluster.WriteKubeconfig(path, user); err != nil {
		t.Fatal(err)
	}
	kubeconfig, err := clientcmd.LoadFromFile(path)
	if err != nil {
		t.Fatal(err)
	}
	kubeconfig.Contexts["staging"] = kubeconfig.Contexts["testcluster"]
	kubeconfig.CurrentContext = "nowhere"
	if err := clientcmd.WriteToFile(*kubeconfig, path); err != nil {
		t.Fatal(err)
	}
	other := `{clusters: [{name: testcluster, cluster: {server: "https://127.0.0.1:1"}}]}`
	if err := os.WriteFile(filepath.Join(home, ".kube", "staging.yaml"), []byte(other), 0o600); err != nil {
		t.Fatal(err)
	}
	return home
}

var (
	terraformBlock = regexp.MustCompile(`(?s)^terraform \{.*?\n\}\n`) // would have the provider installed
	resourceBlock  = regexp.MustCompile(`(?s)\nresource .*`)
	variable       = regexp.MustCompile(`\bvar\.(\w+)`)
)

// exampleConfig is the provider block of the example, the variables that it uses, and the swap of foo from 1 to 2.
func exampleConfig(t *testing.T, example, namespace string) string {
	t.Helper()
	content, err := os.ReadFile(example)
	if err != nil {
		t.Fatal(err)
	}
	text := resourceBlock.ReplaceAllString(terraformBlock.ReplaceAllString(string(content), ""), "")
	declared := map[string]bool{}
	for _, match := range variable.FindAllStringSubmatch(text, -1) {
		declared[match[1]] = true
	}
	for _, name := range slices.Sorted(maps.Keys(declared)) {
		text += "\nvariable \"" + name + "\" {\n  type = string\n}\n"
	}
	return text + `
resource "cas_configmap_entry" "foo" {
  namespace       = "` + namespace + `"
  name            = "testmap"
  key             = "foo"
  value           = "2"
  expected_value  = "1"
  deletion_policy = "restore"
}
`
}

// Every example of a way to authenticate swaps foo from 1 to 2 on the real control plane, and puts it back.
func TestProviderExamples(t *testing.T) {
	cluster := testcluster.Shared(t)
	ref := testmap(t, cluster)
	role := exampleRole(t)
	user := cluster.User(t, ref.Namespace+"-user", ref.Namespace, role)
	token := testcluster.ServiceAccount(t, cluster, ref.Namespace, "terraform", role)
	home := homeWithStaging(t, user)
	proxy, proxied := testcluster.ForwardProxy(t)

	plugin := filepath.Join(t.TempDir(), "aws")
	script := "#!/bin/sh\ntest \"$*\" = \"eks get-token --cluster-name blue\" && test \"$AWS_PROFILE\" = staging || exit 1\n" +
		`echo '{"apiVersion": "client.authentication.k8s.io/v1beta1", "kind": "ExecCredential", "status": {"token": "` + token + "\"}}'\n"
	if err := os.WriteFile(plugin, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", filepath.Dir(plugin)+string(os.PathListSeparator)+os.Getenv("PATH"))

	text := func(value string) config.Variable { return config.StringVariable(value) }
	encoded := func(value []byte) config.Variable {
		return config.StringVariable(base64.StdEncoding.EncodeToString(value))
	}
	host, authority := text(user.Host), encoded(user.CAData)
	variables := map[string]config.Variables{
		"provider.tf":     {},
		"kubeconfigs.tf":  {},
		"plan_dry_run.tf": {},
		"defaults.tf":     {},
		"in_cluster.tf":   {},
		"token.tf":        {"host": host, "cluster_ca_certificate": authority, "token": text(token)},
		"client_certificate.tf": {
			"host": host, "cluster_ca_certificate": authority,
			"client_certificate": encoded(user.CertData), "client_key": encoded(user.KeyData),
		},
		"exec.tf":  {"host": host, "cluster_ca_certificate": authority, "cluster_name": text("blue")},
		"proxy.tf": {"proxy_url": text(proxy)},
	}

	files, err := filepath.Glob(filepath.Join(examples, "*.tf"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(variables) {
		t.Errorf("there are %d examples, and %d are tested", len(files), len(variables))
	}
	for _, file := range files {
		name := filepath.Base(file)
		t.Run(name, func(t *testing.T) {
			env := emptyEnvironment(nil)
			env.HomeDir = func() (string, error) { return home, nil }
			if name == "in_cluster.tf" {
				env = emptyEnvironment(map[string]string{"KUBERNETES_SERVICE_HOST": "127.0.0.1"})
				env.InCluster = func() (*rest.Config, error) {
					ca := filepath.Join(write(t, map[string]string{"ca.crt": string(user.CAData)}), "ca.crt")
					return &rest.Config{Host: user.Host, BearerToken: token, TLSClientConfig: rest.TLSClientConfig{CAFile: ca}}, nil
				}
			}
			wantLive := func(want map[string]string) {
				live, err := cluster.Client().CoreV1().ConfigMaps(ref.Namespace).Get(t.Context(), "testmap", metav1.GetOptions{})
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, live.Data); diff != "" {
					t.Errorf("the live object (-want +got):\n%s", diff)
				}
			}
			runWith(t, env, resource.TestCase{Steps: []resource.TestStep{{
				Config:          exampleConfig(t, file, ref.Namespace),
				ConfigVariables: variables[name],
				Check: func(*terraform.State) error {
					wantLive(map[string]string{"foo": "2"})
					return nil
				},
			}}})
			wantLive(map[string]string{"foo": "1"})
		})
	}
	if len(proxied()) == 0 {
		t.Error("the examples of a proxy went past it")
	}
}
