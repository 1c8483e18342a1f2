package secret

import (
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// Given plan_dry_run; then a plan sends the very write, which an admission policy refuses in words that quote the value: none of it is shown.
func TestSecretRehearsal(t *testing.T) {
	t.Parallel()
	const first, second = "11111111", "22222222" // long enough to be found
	for form, block := range secretForms {
		t.Run(form, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			if form != "whole" {
				p.CreateSecret("database", fixture.Data{"other": "kept"})
			}
			proxy := p.Proxied()
			rehearses := func(config, what string) {
				p.WriteRehearsed(config)
				proxy.Reset()
				p.Plan()
				p.WantWrites(proxy, what, 1, 0)
			}
			rehearses(block(first), "a create")
			p.Apply()
			p.PlanNothing()
			rehearses(block(second), "an update")
			if got := p.Password(); got == nil || *got != first {
				t.Errorf("the password is %v", got)
			}
			rehearses("", "a removal")

			createSecretIfNone(p)
			p.QuoteSecrets()
			p.WriteRehearsed(block(second))
			said := p.PlanRefused([]string{"Request Refused", "withheld", "Request: a dry run of the write"})
			for _, value := range []string{first, second} {
				if names := (fixture.Planted{value: value}).In(said); len(names) > 0 {
					t.Errorf("the output has %s:\n%s", value, said)
				}
			}
		})
	}
}

// Given create_before_destroy; then the new key, or Secret, exists before the old one is removed. If the create is refused,
// Terraform puts the old one back, and OpenTofu leaves it deposed. The next apply removes it.
func TestSecretCreatedBeforeTheOldOneGoes(t *testing.T) {
	t.Parallel()
	t.Run("entry", func(t *testing.T) {
		fixture.OnEachProfile(t, func(p *fixture.Pipeline) {
			p.CreateSecret("database", fixture.Data{"other": "kept"})
			block := func(key string) string {
				return strings.Replace(fixture.SecretEntry(`value_wo = "1"`, fixture.CreateFirst), `key = "password"`, "key = "+fixture.Quoted(key), 1)
			}
			p.Planned(block("a"))
			p.Write(block("b"))
			p.Plan()
			p.Rotate("database", "b", "theirs")
			p.ApplyRefused("Error: ", "Nothing was written.")
			p.WantSecret("database", fixture.Data{"a": "1", "b": "theirs", "other": "kept"})
			if state := p.State(); len(state) != 1 {
				t.Errorf("the state tracks %v", state)
			}
			p.ChangeSecret("database", func(s *corev1.Secret) { delete(s.Data, "b") })
			p.PlanApply()
			p.WantSecret("database", fixture.Data{"b": "1", "other": "kept"})
			p.WantState("it")
			p.PlanNothing()
		})
	})
	t.Run("whole", func(t *testing.T) {
		fixture.OnEachProfile(t, func(p *fixture.Pipeline) {
			proxy := p.Proxied()
			block := func(number string) string {
				return strings.Replace(secretForms["whole"](number, fixture.CreateFirst, "immutable = true"), `name = "database"`, `generate_name = "tls-"`, 1)
			}
			p.Planned(block("1"))
			p.Write(block("2"))
			p.Plan()
			proxy.Reset()
			p.Apply()
			var order []string
			for _, r := range proxy.Requests() {
				if r.Method == http.MethodPost || r.Method == http.MethodDelete {
					order = append(order, r.Method)
				}
			}
			if got := strings.Join(order, ", "); got != "POST, DELETE" {
				p.Errorf("the writes were %s", got)
			}
			all := p.Secrets()
			for name, s := range all {
				if len(all) != 1 || string(s.Data["password"]) != "2" {
					p.Errorf("%s holds %q", name, s.Data)
				}
			}
			p.PlanNothing()
		})
	})
}

// Given a Secret of kubernetes.io/tls; then the API server refuses one without its keys, and a key that its type needs cannot go.
func TestSecretOfATypeWithKeys(t *testing.T) {
	p := fixture.NewPipeline(t)
	block := func(lines ...string) string {
		return fixture.SecretBlock(append(lines, `type = "kubernetes.io/tls"`)...)
	}
	p.Write(block(`data_wo = { "tls.crt" = "planted-certificate" }`))
	p.Plan()
	p.Wants(p.ApplyRefused("Request Refused", "Status: 422", "Nothing was written."), "!planted-")
	p.Planned(block(`data_wo = { "tls.crt" = "planted-certificate", "tls.key" = "planted-key" }`))
	p.PlanNothing()
	p.Write(block(`data_wo = { "tls.crt" = "planted-certificate" }`))
	p.Plan()
	p.Wants(p.ApplyRefused("Request Refused", "Status: 422", "Nothing was written."), "!planted-")
	p.WantSecret("database", fixture.Data{"tls.crt": "planted-certificate", "tls.key": "planted-key"})
	p.Planned("")
	if _, there := p.Secrets()["database"]; there {
		t.Error("the Secret is still there")
	}
}

// createSecretIfNone makes the Secret database where there is none.
func createSecretIfNone(p *fixture.Pipeline) {
	p.Helper()
	if _, there := p.Secrets()["database"]; !there {
		p.CreateSecret("database", nil)
	}
}
