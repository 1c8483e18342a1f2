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

// Given Terraform from 1.16; then a create is held to the Secret that its plan saw: a value that changed and changed back is a conflict. On other
// clients it goes by value.
func TestSecretCreateIsHeldToItsPlan(t *testing.T) {
	t.Parallel()
	expects := map[string]string{"entry": `expected_value_wo = "1"`, "data": `expected_data_wo = { password = "1" }`}
	for form, expected := range expects {
		for name, test := range map[string]struct {
			between func(p *fixture.Pipeline)
			lines   []string
			isHeld  bool
		}{
			"1, 9, 1": {func(p *fixture.Pipeline) { p.Rotated("9"); p.Rotated("1") }, []string{expected}, true},
			"a label": {func(p *fixture.Pipeline) {
				p.ChangeSecret("database", func(s *corev1.Secret) { s.Labels = map[string]string{"a": "b"} })
			}, []string{expected}, true},
			"another key":    {func(p *fixture.Pipeline) { p.Rotate("database", "other", "theirs") }, []string{expected}, true},
			"1, 9, 1 by key": {func(p *fixture.Pipeline) { p.Rotated("9"); p.Rotated("1") }, []string{expected, `conflict_scope = "key"`}, false},
		} {
			t.Run(form+"/"+name, func(t *testing.T) {
				fixture.OnEachProfile(t, func(p *fixture.Pipeline, stores bool) {
					p.CreateSecret("database", fixture.Data{"password": "1", "other": "kept"})
					p.Write(secretForms[form]("2", test.lines...))
					p.Plan()
					test.between(p)
					if test.isHeld && stores {
						p.ApplyRefused("Compare-And-Swap Conflict", "The Secret changed after this plan was made. Nothing was written.")
						if got := p.Password(); *got != "1" {
							p.Errorf("the password is %q", *got)
						}
						p.Plan()
					}
					p.Apply()
					if got := p.Password(); *got != "2" {
						p.Errorf("the password is %q", *got)
					}
					p.PlanNothing()
				})
			})
		}
	}
}

// Given create_before_destroy; then the new key, or Secret, is there before the old one goes. A create that is refused leaves the old one deposed,
// but from Terraform 1.16, and the next apply ends it.
func TestSecretCreatedBeforeTheOldOneGoes(t *testing.T) {
	t.Parallel()
	t.Run("entry", func(t *testing.T) {
		fixture.OnEachProfile(t, func(p *fixture.Pipeline, stores bool) {
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
			if stores {
				p.WantState("it")
			} else {
				p.WantState("deposed it")
			}
			p.ChangeSecret("database", func(s *corev1.Secret) { delete(s.Data, "b") })
			p.PlanApply()
			p.WantSecret("database", fixture.Data{"b": "1", "other": "kept"})
			p.WantState("it")
			p.PlanNothing()
		})
	})
	t.Run("whole", func(t *testing.T) {
		fixture.OnEachProfile(t, func(p *fixture.Pipeline, _ bool) {
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
