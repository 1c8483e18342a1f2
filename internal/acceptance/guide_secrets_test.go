package acceptance_test

import (
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
)

// As the service account of the guide, which may get and patch one Secret and nothing else: the guide's configuration is planned, applied,
// rotated and destroyed, and a list is never asked for.
func TestGuideSecrets(t *testing.T) {
	t.Parallel()
	p, _ := secretShop(t, data{"user": "shop"})
	text := guideFile(t, "secrets/role.yaml")
	p.cli.Write("role.yaml", text)
	p.runs("kubectl apply --filename role.yaml")
	roles := manifest(t, text)
	if len(roles) != 1 || len(roles[0].Rules) != 1 || !slices.Equal(roles[0].Rules[0].Verbs, []string{"get", "patch"}) ||
		!slices.Equal(roles[0].Rules[0].ResourceNames, []string{"database"}) || !slices.Equal(roles[0].Rules[0].Resources, []string{"secrets"}) {
		t.Fatalf("the roles are %v", roles)
	}
	p.cluster.User(t, "later-"+p.liveSecret("database").ResourceVersion, p.namespace, roles[0].Rules...) // once its grant is known, the account's is, too
	account := rest.AnonymousClientConfig(p.cluster.Config)
	account.BearerToken = strings.TrimSpace(p.runs("kubectl create token terraform-secrets --namespace shop"))
	proxy := p.cluster.ProxyFor(p, account)
	p.cli.Write("main.tf", guideFile(t, "secrets/main.tf"))
	p.cli.Env = append(p.cli.Env, "KUBE_CONFIG_PATH="+p.cluster.Kubeconfig(t, proxy.Config), "TF_VAR_password=first")

	p.do("apply", "-auto-approve")
	p.wantSecret("database", data{"user": "shop", "password": "first"})
	p.planNothing()
	p.runs(guideFile(t, "secrets/rotate.sh"))
	p.wantShown("secrets", p.cli.Run("plan", "-no-color").Stdout)
	p.cli.Env = append(p.cli.Env, "TF_VAR_password=second", "TF_VAR_password_version=2")
	p.wants(p.plan(), "This update overwrites it.")
	p.do("apply", "-auto-approve")
	p.wantSecret("database", data{"user": "shop", "password": "second"})
	p.destroy()
	p.wantSecret("database", data{"user": "shop"})

	asked := map[string]bool{}
	for _, r := range proxy.Requests() {
		switch {
		case path.Dir(r.Path) == "/api/v1/namespaces/shop/secrets" && (r.Method == http.MethodGet || r.Method == http.MethodPatch):
			asked[r.Method] = true
		case strings.HasSuffix(r.Path, "/shop/secrets") && r.Query.Get("watch") != "" && r.Query.Get("fieldSelector") == "metadata.name=database": // is refused
		default:
			t.Errorf("asked for %s", r)
		}
	}
	if got := slices.Sorted(maps.Keys(asked)); !slices.Equal(got, []string{"GET", "PATCH"}) {
		t.Errorf("asked for %q", got)
	}
}

// What the guide warns of: an expectation that is read again at apply expects whatever is there. One that comes from elsewhere does not.
func TestGuideSecretsExpectationReadAgain(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ expected, holds string }{
		"from the ephemeral resource": {"ephemeral.cas_secret_entry.old.value", "mine"},
		"from elsewhere":              {`"old"`, "theirs"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newCLIPipeline(t)
			p.createSecret("database", data{"password": "old"})
			p.write("ephemeral \"cas_secret_entry\" \"old\" {\n  namespace = NAMESPACE\n  name = \"database\"\n  key = \"password\"\n}\n" +
				secretEntry(`value_wo = "mine"`, "expected_value_wo = "+test.expected))
			p.plan()
			p.rotate("database", "password", "theirs")
			p.on.Apply(planFile)
			p.wantSecret("database", data{"password": test.holds})
		})
	}
}
