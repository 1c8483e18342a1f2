package docs

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/provider"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

// secretExample describes a Secret before and after one example.
type secretExample struct {
	before    fixture.Data // of the Secret database; nil: there is none
	first     string       // a configuration that is applied before it
	env       []string
	after     map[string]fixture.Data // of all Secrets
	destroyed map[string]fixture.Data
	unwritten bool // the Secret database stays at its version
}

const (
	thePassword  = "TF_VAR_password=s3cret"
	kubernetesOf = "  metadata {\n    name = \"database\"\n    namespace = \"shop\"\n  }\n"
)

var (
	userOnly = fixture.Data{"user": "shop"}
	userPass = fixture.Data{"user": "shop", "password": "s3cret"}
)

func database(holds fixture.Data) map[string]fixture.Data {
	return map[string]fixture.Data{"database": holds}
}

// secretExampleTests are by the path under examples/.
var secretExampleTests = map[string]secretExample{
	"resources/cas_secret_entry/resource.tf": {before: userOnly, after: database(userPass), destroyed: database(userOnly)},
	"resources/cas_secret_entry/expected.tf": {
		before: fixture.Data{"password": "old", "user": "shop"}, env: []string{"TF_VAR_old_password=old", "TF_VAR_new_password=s3cret"},
		after: database(userPass), destroyed: database(userPass),
	},
	"resources/cas_secret_entry/import-by-string-id.tf": {before: userPass, after: database(userPass), destroyed: database(userPass), unwritten: true},
	"resources/cas_secret_entry/import-by-identity.tf":  {before: userPass, after: database(userPass), destroyed: database(userPass), unwritten: true},
	"resources/cas_secret_data/resource.tf":             {before: fixture.Data{}, after: database(userPass), destroyed: database(map[string]string{})},
	"resources/cas_secret_data/guard.tf":                {before: userOnly, after: database(userPass), destroyed: database(userOnly)},
	"resources/cas_secret_data/import-by-string-id.tf":  {before: userPass, after: database(userPass), destroyed: database(userPass), unwritten: true},
	"resources/cas_secret_data/import-by-identity.tf":   {before: userPass, after: database(userPass), destroyed: database(userPass), unwritten: true},
	"resources/cas_secret_data/moved.tf": {
		before: userPass, after: database(userPass), destroyed: database(userPass), unwritten: true,
		first: "resource \"kubernetes_secret_v1_data\" \"database\" {\n" + kubernetesOf + "  data = { user = \"shop\", password = \"s3cret\" }\n}\n",
	},
	"resources/cas_secret/resource.tf":            {after: database(userPass)},
	"resources/cas_secret/import-by-string-id.tf": {before: userPass, after: database(userPass), unwritten: true},
	"resources/cas_secret/import-by-identity.tf":  {before: userPass, after: database(userPass), unwritten: true},
	"resources/cas_secret/moved.tf": {
		before: userPass, after: database(userPass), unwritten: true,
		first: "resource \"kubernetes_secret_v1\" \"database\" {\n" + kubernetesOf + "}\n",
	},
	"ephemeral-resources/cas_secret_entry/ephemeral-resource.tf": {
		before: userPass, first: "resource \"cas_secret\" \"reports\" {\n  namespace = \"shop\"\n  name = \"reports\"\n  deletion_policy = \"delete\"\n}\n",
		after:     map[string]fixture.Data{"database": userPass, "reports": {"database_password": "s3cret"}},
		destroyed: database(userPass),
	},
	"ephemeral-resources/cas_secret/ephemeral-resource.tf": {
		before: userPass, after: map[string]fixture.Data{"database": userPass, "reports": userPass}, destroyed: database(userPass),
	},
}

// secretShop is a pipeline in the namespace shop, with the Secret database where before is not nil. No Secret is there when the test ends.
func secretShop(t *testing.T, before fixture.Data) (*fixture.Pipeline, *corev1.Secret) {
	t.Helper()
	f, _ := shop(t, nil)
	p := f.CLIPipeline()
	clear := func() {
		err := f.Cluster.Client().CoreV1().Secrets(f.Namespace).DeleteCollection(context.Background(), metav1.DeleteOptions{}, metav1.ListOptions{})
		if err != nil {
			t.Error(err)
		}
	}
	clear()
	t.Cleanup(clear)
	if before == nil {
		return p, nil
	}
	return p, p.CreateSecret("database", before)
}

// wantSecrets fails the test unless these are all Secrets of the namespace, and what they hold.
func wantSecrets(f *fixture.Fixture, want map[string]fixture.Data) {
	f.Helper()
	if got, wanted := slices.Sorted(maps.Keys(f.Secrets())), slices.Sorted(maps.Keys(want)); !slices.Equal(got, wanted) {
		f.Errorf("Secrets %q, want %q", got, wanted)
		return
	}
	for name, holds := range want {
		f.WantSecret(name, holds)
	}
}

func TestSecretExamples(t *testing.T) {
	t.Parallel() // beside other tests; its own parts share a namespace
	for path, example := range secretExampleTests {
		t.Run(path, func(t *testing.T) {
			p, before := secretShop(t, example.before)
			if line, _, _ := strings.Cut(p.CLI.Run("version").Stdout, "\n"); strings.HasSuffix(path, "import-by-identity.tf") && strings.Contains(line, " v1.11.") {
				t.Skipf("imports by identity need 1.12, and this is %s", line)
			}
			attach(p, map[string]provider.Provider{"hashicorp/kubernetes": &fixture.KubernetesStandIn{Secret: before}})
			p.CLI.Env = append(p.CLI.Env, append(example.env, thePassword)...)
			text := toolchain.Text(t, "../../../examples", path)
			if example.first != "" {
				p.Write(example.first)
				p.Do("apply", "-auto-approve")
				if strings.Contains(example.first, "cas_secret") { // it goes with the example, which is about other things
					text += example.first
				}
			}
			p.Write(text)
			p.Do("apply", "-auto-approve")
			wantSecrets(p.Fixture, example.after)
			if example.unwritten && p.LiveSecret("database").ResourceVersion != before.ResourceVersion {
				t.Error("it wrote")
			}
			p.PlanNothing()
			if state, err := os.ReadFile(filepath.Join(p.CLI.Dir, "terraform.tfstate")); err != nil || bytes.Contains(state, []byte("s3cret")) {
				t.Errorf("the state has the password (%v)", err)
			}
			p.Destroy()
			wantSecrets(p.Fixture, example.destroyed)
		})
	}
	t.Run("resources/cas_secret/tls.tf", func(t *testing.T) {
		p, _ := secretShop(t, nil)
		p.Write(toolchain.Text(t, "../../../examples/resources/cas_secret/tls.tf"))
		for i, pair := range [][2]string{{"c1", "k1"}, {"c2", "k2"}} {
			p.CLI.Env = append(p.CLI.Env, "TF_VAR_certificate="+pair[0], "TF_VAR_private_key="+pair[1], fmt.Sprintf("TF_VAR_serial=%d", i+1))
			p.Do("apply", "-auto-approve")
			name := strings.TrimSpace(p.CLI.Run("output", "-raw", "name").Stdout)
			wantSecrets(p.Fixture, map[string]fixture.Data{name: {"tls.crt": pair[0], "tls.key": pair[1]}})
			if s := p.LiveSecret(name); s.Type != corev1.SecretTypeTLS || s.Immutable == nil || !*s.Immutable {
				t.Errorf("type %s, immutable %v", s.Type, s.Immutable)
			}
		}
	})
	for kind, address := range map[string]string{"cas_secret_entry": "password", "cas_secret_data": "database", "cas_secret": "database"} {
		t.Run("resources/"+kind+"/import.sh", func(t *testing.T) {
			p, before := secretShop(t, userPass)
			p.CLI.Env = append(p.CLI.Env, thePassword)
			text := toolchain.Text(t, "../../../examples/resources", kind, "import-by-string-id.tf")
			variable, rest, _ := strings.Cut(text, "import {")
			_, block, _ := strings.Cut(rest, "\n}\n")
			p.Write(variable + block)
			_, command, _ := strings.Cut(toolchain.Text(t, "../../../examples/resources", kind, "import.sh"), "\nterraform ")
			p.Do(strings.Fields(command)...)
			if got := p.State()[address].Attributes["resource_version"]; got != before.ResourceVersion {
				t.Errorf("resource_version %v, want %s", got, before.ResourceVersion)
			}
			p.Do("apply", "-auto-approve")
			p.PlanNothing()
		})
	}
}

// secretExampleFiles are the examples that TestSecretExamples applies.
func secretExampleFiles() []string {
	return append(slices.Collect(maps.Keys(secretExampleTests)), "resources/cas_secret/tls.tf",
		"resources/cas_secret/import.sh", "resources/cas_secret_entry/import.sh", "resources/cas_secret_data/import.sh")
}
