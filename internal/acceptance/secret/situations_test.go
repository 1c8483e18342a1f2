package secret

import (
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

func TestSecretSituations(t *testing.T) {
	t.Parallel()
	large, _ := fixture.KiB(200, "y")
	for name, test := range map[string]struct {
		live    fixture.Data
		change  func(*corev1.Secret)
		body    []string
		refused []string
	}{
		"immutable": {
			live: fixture.Data{"a": "1"}, change: func(s *corev1.Secret) { s.Immutable = new(true) },
			body: []string{`value_wo = "2"`}, refused: []string{"Secret Is Immutable", "The Secret is immutable. Nothing was written.", "Use a Secret with another name"},
		},
		"too large": {
			live: fixture.Data{"a": strings.Repeat("x", 900<<10)}, body: []string{"value_wo = " + large},
			refused: []string{"Secret Too Large", "Limit: 1048576 bytes for all values together"},
		},
		"of a certificate that its type needs": {
			live: fixture.Data{"tls.crt": "c", "tls.key": "k"}, change: func(s *corev1.Secret) { s.Type = corev1.SecretTypeTLS },
			body: []string{`key = "tls.crt"`, `value_wo = "d"`, `expected_value_wo = "c"`},
		},
		"a value that is no text": {
			live: fixture.Data{"a": "\xff\x00"}, body: []string{`key = "a"`, `value_base64_wo = "AP8="`, `expected_value_base64_wo = "/wA="`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			change := test.change
			if change == nil {
				change = func(*corev1.Secret) {}
			}
			p.CreateSecret("database", test.live, change)
			body := fixture.SecretEntry(test.body...)
			if strings.HasPrefix(test.body[0], "key") {
				body = strings.Replace(body, "  key = \"password\"\n", "", 1)
			}
			p.Write(body)
			if test.refused == nil {
				p.PlanApply()
				p.PlanNothing()
				return
			}
			if name == "too large" { // another resource may free space in the same apply
				p.Wants(p.Plan(), "Secret Too Large")
				p.Wants(p.ApplyRefused(test.refused...), "!New values", "!Other values", "!bytes,")
				return
			}
			p.PlanRefused(test.refused)
		})
	}
}

// A key that the type of a Secret needs cannot be removed, and the API server says so.
func TestSecretEntryThatItsTypeNeeds(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.CreateSecret("database", fixture.Data{"tls.crt": "c", "tls.key": "k"}, func(s *corev1.Secret) { s.Type = corev1.SecretTypeTLS })
	p.Planned(fixture.SecretData(fixture.Deletes, `data_wo = { "tls.crt" = "d" }`, `expected_data_wo = { "tls.crt" = "c" }`))
	p.DestroyRefused([]string{"Request Refused", "The API server refused to patch the Secret. Nothing was removed.", "Status: 422"})
	p.WantSecret("database", fixture.Data{"tls.crt": "d", "tls.key": "k"})
}

// An operator rotates another key of the Secret before the first three writes of an apply: with the scope key, the
// apply retries until it passes; otherwise an update is a conflict.
func TestSecretEntryBesideAnOperator(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		scope    string
		isCreate bool
		refused  []string
	}{
		"create by key":    {scope: "key", isCreate: true},
		"update by key":    {scope: "key"},
		"update by object": {scope: "object", refused: []string{"Compare-And-Swap Conflict", "The Secret changed after this plan was made. Nothing was written."}},
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			proxy := p.Proxied()
			if test.isCreate {
				p.CreateSecret("database", fixture.Data{"password": "1", "other": "0"})
			} else {
				p.CreateSecret("database", fixture.Data{"other": "0"})
				p.Planned(fixture.SecretEntry(`value_wo = "1"`, "value_wo_version = 1"))
			}
			p.Write(fixture.SecretEntry(`value_wo = "2"`, "value_wo_version = 2", `expected_value_wo = "1"`, "conflict_scope = "+fixture.Quoted(test.scope)))
			p.Plan()
			var rotations atomic.Int32
			proxy.SetHook(func(r *http.Request) testcluster.Fault {
				if r.Method == http.MethodPatch && rotations.Load() < 3 {
					p.RotatedKey("other", strconv.Itoa(int(rotations.Add(1))))
				}
				return testcluster.Fault{}
			})
			password := "2"
			if test.refused == nil {
				p.Apply()
			} else {
				password = "1"
				p.ApplyRefused(test.refused...)
			}
			n := rotations.Load()
			if n == 0 {
				t.Error("no write met the operator")
			}
			p.WantSecret("database", fixture.Data{"password": password, "other": strconv.Itoa(int(n))})
		})
	}
}

// An operator rotates another key before every write of an update until the timeout passes: the message gives the cause.
func TestSecretEntryThatOthersOvertake(t *testing.T) {
	p := fixture.NewPipeline(t)
	proxy := p.Proxied()
	p.CreateSecret("database", fixture.Data{"other": "0"})
	block := func(value, version string) string {
		return fixture.SecretEntry("value_wo = "+fixture.Quoted(value), "value_wo_version = "+version, `expected_value_wo = "1"`, "adopt_existing = true",
			`conflict_scope = "key"`)
	}
	p.Planned(strings.Replace(block("1", "1"), `expected_value_wo = "1"`, "", 1))
	p.Write(block("2", "2"))
	p.Plan()
	var rotations atomic.Int32
	proxy.SetHook(func(r *http.Request) testcluster.Fault {
		if r.Method == http.MethodPatch {
			n := rotations.Add(1)
			p.RotatedKey("other", strconv.Itoa(int(n)))
			if n == 3 {
				p.PassDeadlines()
			}
		}
		return testcluster.Fault{}
	})
	p.ApplyRefused("Operation Timed Out", "other writers changed the Secret before each attempt", "Nothing was written", "raise timeouts.update")
	proxy.SetHook(nil)
	if got := p.Password(); *got != "1" {
		t.Errorf("the password is %q", *got)
	}
	p.PlanApply()
}

func TestSecretThatIsNotThere(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Write(fixture.SecretEntry(`value_wo = "1"`))
	p.Wants(p.Plan(), "Warning: Secret Does Not Exist Yet", "If this run creates the Secret, let this resource depend on it.")
	p.ApplyRefused("Secret Not Found", "The Secret does not exist. Nothing was written.")

	// In one run with what creates it, and a ConfigMap of the same name and key.
	p.Write(fixture.SecretBlock() + strings.Replace(fixture.SecretEntry(`value_wo = "1"`, `depends_on = [cas_secret.it]`), `"it"`, `"entry"`, 1) +
		"resource \"cas_configmap\" \"it\" {\n  namespace = NAMESPACE\n  name = \"database\"\n}\n" +
		"resource \"cas_configmap_entry\" \"it\" {\n  namespace = NAMESPACE\n  name = cas_configmap.it.name\n  key = \"password\"\n  value = \"2\"\n}\n")
	p.PlanApply()
	p.WantSecret("database", fixture.Data{"password": "1"})
	p.WantLive("database", fixture.Data{"password": "2"})
	p.PlanNothing()
	p.Destroy()
	if _, there := p.Secrets()["database"]; there {
		t.Error("the Secret is still there")
	}
}
