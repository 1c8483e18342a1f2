package acceptance_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// Given plan_dry_run; then a plan sends the very write, which an admission policy refuses in words that quote the value: none of it is shown.
func TestSecretRehearsal(t *testing.T) {
	t.Parallel()
	const first, second = "11111111", "22222222" // long enough to be found
	for form, block := range secretForms {
		t.Run(form, func(t *testing.T) {
			p := newPipeline(t)
			if form != "whole" {
				p.createSecret("database", data{"other": "kept"})
			}
			proxy := p.proxied()
			rehearses := func(config, what string) {
				p.writeRehearsed(config)
				proxy.Reset()
				p.plan()
				p.wantWrites(proxy, what, 1, 0)
			}
			rehearses(block(first), "a create")
			p.apply()
			p.planNothing()
			rehearses(block(second), "an update")
			if got := p.password(); got == nil || *got != first {
				t.Errorf("the password is %v", got)
			}
			rehearses("", "a removal")

			p.createSecretIfNone()
			p.quoteSecrets()
			p.writeRehearsed(block(second))
			said := p.planRefused([]string{"Request Refused", "withheld", "Request: a dry run of the write"})
			for _, value := range []string{first, second} {
				if names := (secrets{value: value}).in(said); len(names) > 0 {
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
			between func(p *pipeline)
			lines   []string
			isHeld  bool
		}{
			"1, 9, 1": {func(p *pipeline) { p.rotated("9"); p.rotated("1") }, []string{expected}, true},
			"a label": {func(p *pipeline) {
				p.changeSecret("database", func(s *corev1.Secret) { s.Labels = map[string]string{"a": "b"} })
			}, []string{expected}, true},
			"another key":    {func(p *pipeline) { p.rotate("database", "other", "theirs") }, []string{expected}, true},
			"1, 9, 1 by key": {func(p *pipeline) { p.rotated("9"); p.rotated("1") }, []string{expected, `conflict_scope = "key"`}, false},
		} {
			t.Run(form+"/"+name, func(t *testing.T) {
				onEach(t, func(p *pipeline, stores bool) {
					p.createSecret("database", data{"password": "1", "other": "kept"})
					p.write(secretForms[form]("2", test.lines...))
					p.plan()
					test.between(p)
					if test.isHeld && stores {
						p.applyRefused("Compare-And-Swap Conflict", "The Secret changed after this plan was made. Nothing was written.")
						if got := p.password(); *got != "1" {
							p.Errorf("the password is %q", *got)
						}
						p.plan()
					}
					p.apply()
					if got := p.password(); *got != "2" {
						p.Errorf("the password is %q", *got)
					}
					p.planNothing()
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
		onEach(t, func(p *pipeline, stores bool) {
			p.createSecret("database", data{"other": "kept"})
			block := func(key string) string {
				return strings.Replace(secretEntry(`value_wo = "1"`, createFirst), `key = "password"`, "key = "+quoted(key), 1)
			}
			p.planned(block("a"))
			p.write(block("b"))
			p.plan()
			p.rotate("database", "b", "theirs")
			p.applyRefused("Error: ", "Nothing was written.")
			p.wantSecret("database", data{"a": "1", "b": "theirs", "other": "kept"})
			if stores {
				p.wantState("it")
			} else {
				p.wantState("deposed it")
			}
			p.changeSecret("database", func(s *corev1.Secret) { delete(s.Data, "b") })
			p.planApply()
			p.wantSecret("database", data{"b": "1", "other": "kept"})
			p.wantState("it")
			p.planNothing()
		})
	})
	t.Run("whole", func(t *testing.T) {
		onEach(t, func(p *pipeline, _ bool) {
			proxy := p.proxied()
			block := func(number string) string {
				return strings.Replace(secretForms["whole"](number, createFirst, "immutable = true"), `name = "database"`, `generate_name = "tls-"`, 1)
			}
			p.planned(block("1"))
			p.write(block("2"))
			p.plan()
			proxy.Reset()
			p.apply()
			var order []string
			for _, r := range proxy.Requests() {
				if r.Method == http.MethodPost || r.Method == http.MethodDelete {
					order = append(order, r.Method)
				}
			}
			if got := strings.Join(order, ", "); got != "POST, DELETE" {
				p.Errorf("the writes were %s", got)
			}
			all := p.secrets()
			for name, s := range all {
				if len(all) != 1 || string(s.Data["password"]) != "2" {
					p.Errorf("%s holds %q", name, s.Data)
				}
			}
			p.planNothing()
		})
	})
}

// Given all that fits into a Secret, and one byte more.
func TestSecretLargeValue(t *testing.T) {
	t.Parallel()
	for form, block := range map[string]func(value string, number int) string{
		"entry": func(value string, number int) string {
			return secretEntry(fmt.Sprintf("value_wo = %s", value), fmt.Sprintf("value_wo_version = %d", number))
		},
		"data": func(value string, number int) string {
			return secretData(fmt.Sprintf("data_wo = { password = %s }", value), fmt.Sprintf("data_wo_version = %d", number))
		},
		"whole": func(value string, number int) string {
			return secretBlock(fmt.Sprintf("data_wo = { password = %s }", value), fmt.Sprintf("data_wo_version = %d", number))
		},
	} {
		t.Run(form, func(t *testing.T) {
			p := newPipeline(t)
			if form != "whole" {
				p.createSecret("database", nil)
			}
			const oneMiB = 1 << 20
			times := func(character string) string { // a literal of that length takes long to parse
				return `join("", [for _ in range(1024) : ` + quoted(strings.Repeat(character, 1024)) + `])`
			}
			p.planned(block(times("x"), 1))
			p.planned(block(times("y"), 2))
			if got := p.password(); got == nil || *got != strings.Repeat("y", oneMiB) {
				t.Error("the Secret does not hold the value")
			}
			p.planNothing()
			p.write(block(`"x${`+times("x")+`}"`, 3))
			p.planRefused([]string{"Too Large", "at most 1048576 bytes", "!xxxx"})
			p.planned("")
		})
	}
}

// Given a Secret of kubernetes.io/tls; then the API server refuses one without its keys, and a key that its type needs cannot go.
func TestSecretOfATypeWithKeys(t *testing.T) {
	p := newPipeline(t)
	block := func(lines ...string) string { return secretBlock(append(lines, `type = "kubernetes.io/tls"`)...) }
	p.write(block(`data_wo = { "tls.crt" = "planted-certificate" }`))
	p.plan()
	p.wants(p.applyRefused("Request Refused", "Status: 422", "Nothing was written."), "!planted-")
	p.planned(block(`data_wo = { "tls.crt" = "planted-certificate", "tls.key" = "planted-key" }`))
	p.planNothing()
	p.write(block(`data_wo = { "tls.crt" = "planted-certificate" }`))
	p.plan()
	p.wants(p.applyRefused("Request Refused", "Status: 422", "Nothing was written."), "!planted-")
	p.wantSecret("database", data{"tls.crt": "planted-certificate", "tls.key": "planted-key"})
	p.planned("")
	if _, there := p.secrets()["database"]; there {
		t.Error("the Secret is still there")
	}
}

// createSecretIfNone makes the Secret database where there is none.
func (p *pipeline) createSecretIfNone() {
	p.Helper()
	if _, there := p.secrets()["database"]; !there {
		p.createSecret("database", nil)
	}
}
