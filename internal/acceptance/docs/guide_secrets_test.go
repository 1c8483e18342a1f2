package docs

import (
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// As the service account of the guide, which may get and patch one Secret and nothing else: the guide's configuration is planned, applied,
// rotated and destroyed, and no request is refused.
func TestGuideSecrets(t *testing.T) {
	t.Parallel()
	p, _ := secretShop(t, fixture.Data{"user": "shop"})
	text := guideFile(t, "secrets/role.yaml")
	p.CLI.Write("role.yaml", text)
	runs(p, "kubectl apply --filename role.yaml")
	roles := manifest(t, text)
	if len(roles) != 1 || len(roles[0].Rules) != 1 || !slices.Equal(roles[0].Rules[0].Verbs, []string{"get", "patch"}) ||
		!slices.Equal(roles[0].Rules[0].ResourceNames, []string{"database"}) || !slices.Equal(roles[0].Rules[0].Resources, []string{"secrets"}) {
		t.Fatalf("the roles are %v", roles)
	}
	p.Cluster.User(t, "later-"+p.LiveSecret("database").ResourceVersion, p.Namespace, roles[0].Rules...) // once its grant is known, the account's is, too
	account := rest.AnonymousClientConfig(p.Cluster.Config)
	account.BearerToken = strings.TrimSpace(runs(p, "kubectl create token terraform-secrets --namespace shop"))
	proxy := p.Cluster.ProxyFor(p, account)
	p.CLI.Write("main.tf", guideFile(t, "secrets/main.tf"))
	p.CLI.Env = append(p.CLI.Env, "KUBE_CONFIG_PATH="+p.Cluster.Kubeconfig(t, proxy.Config), "TF_VAR_password=first")

	p.Do("apply", "-auto-approve")
	p.WantSecret("database", fixture.Data{"user": "shop", "password": "first"})
	p.PlanNothing()
	runs(p, guideFile(t, "secrets/rotate.sh"))
	wantShown(p, "secrets", p.CLI.Run("plan", "-no-color").Stdout)
	p.CLI.Env = append(p.CLI.Env, "TF_VAR_password=second", "TF_VAR_password_version=2")
	p.PlanRefused([]string{"Error: Value Changed Since Last Apply", `or set on_drift = "overwrite" for one apply.`})
	main := guideFile(t, "secrets/main.tf")
	p.CLI.Write("main.tf", strings.Replace(main, "  value_wo  ", "  on_drift = \"overwrite\"\n  value_wo  ", 1))
	p.Wants(p.Plan(), "This update overwrites it.")
	p.Do("apply", "-auto-approve")
	p.WantSecret("database", fixture.Data{"user": "shop", "password": "second"})
	p.Destroy()
	p.WantSecret("database", fixture.Data{"user": "shop"})

	asked := map[string]bool{}
	for _, r := range proxy.Requests() {
		asked[r.Method] = true
		if path.Dir(r.Path) != "/api/v1/namespaces/shop/secrets" || r.Status == http.StatusForbidden {
			t.Errorf("asked for %s", r)
		}
	}
	if got := slices.Sorted(maps.Keys(asked)); !slices.Equal(got, []string{"GET", "PATCH"}) {
		t.Errorf("asked for %q", got)
	}
}

// The guide takes over a Secret of unknown value in one apply, and a write after the plan is a conflict.
func TestGuideAdoptTakesOverASecret(t *testing.T) {
	t.Parallel()
	p, _ := secretShop(t, fixture.Data{"user": "shop", "password": "unknown"})
	p.CLI.Write("main.tf", guideFile(t, "adopt/secret.tf"))
	p.CLI.Env = append(p.CLI.Env, "KUBE_CONFIG_PATH="+p.Kubeconfig, "TF_VAR_password=new")
	p.Plan()
	p.Rotate("database", "password", "rotated")
	p.ApplyRefused(conflicted, "Nothing was written.")
	p.WantSecret("database", fixture.Data{"user": "shop", "password": "rotated"})
	p.PlanApply()
	p.WantSecret("database", fixture.Data{"user": "shop", "password": "new"})
	p.PlanNothing()
	p.Destroy()
	p.WantSecret("database", fixture.Data{"user": "shop", "password": "new"})
}

// The guide warns of an expectation that is read again at apply: it expects the value of that moment. An expectation
// from elsewhere does not.
func TestGuideSecretsExpectationReadAgain(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ expected, holds string }{
		"from the ephemeral resource": {"ephemeral.cas_secret_entry.old.value", "mine"},
		"from elsewhere":              {`"old"`, "theirs"},
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewCLIPipeline(t)
			p.CreateSecret("database", fixture.Data{"password": "old"})
			p.Write("ephemeral \"cas_secret_entry\" \"old\" {\n  namespace = NAMESPACE\n  name = \"database\"\n  key = \"password\"\n}\n" +
				fixture.SecretEntry(`value_wo = "mine"`, "expected_value_wo = "+test.expected))
			p.Plan()
			p.Rotate("database", "password", "theirs")
			p.On.Apply(fixture.PlanFile)
			p.WantSecret("database", fixture.Data{"password": test.holds})
		})
	}
}

// The guide appends to a value that it reads in the apply: a line that somebody adds after the plan stays.
func TestGuideSecretsValueFromTheSameRead(t *testing.T) {
	t.Parallel()
	p, _ := secretShop(t, fixture.Data{"users": "jane\n"})
	p.CLI.Write("main.tf", fixture.TerraformSource+guideFile(t, "secrets/append.tf"))
	p.CLI.Env = append(p.CLI.Env, "KUBE_CONFIG_PATH="+p.Kubeconfig, "TF_VAR_line=deployer")
	p.Plan()
	p.Rotate("database", "users", "jane\njoe\n")
	p.Apply()
	p.WantSecret("database", fixture.Data{"users": "jane\njoe\ndeployer\n"})
	p.PlanNothing()
}
