package acceptance_test

import (
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

func TestSecretSituations(t *testing.T) {
	t.Parallel()
	large, _ := kib(200, "y")
	for name, test := range map[string]struct {
		live    data
		change  func(*corev1.Secret)
		body    []string
		refused []string
	}{
		"immutable": {
			live: data{"a": "1"}, change: func(s *corev1.Secret) { s.Immutable = new(true) },
			body: []string{`value_wo = "2"`}, refused: []string{"Secret Is Immutable", "The Secret is immutable. Nothing was written.", "Use a Secret with another name"},
		},
		"too large": {
			live: data{"a": strings.Repeat("x", 900<<10)}, body: []string{"value_wo = " + large},
			refused: []string{"Secret Too Large", "Limit: 1048576 bytes for all values together"},
		},
		"of a certificate that its type needs": {
			live: data{"tls.crt": "c", "tls.key": "k"}, change: func(s *corev1.Secret) { s.Type = corev1.SecretTypeTLS },
			body: []string{`key = "tls.crt"`, `value_wo = "d"`, `expected_value_wo = "c"`},
		},
		"a value that is no text": {
			live: data{"a": "\xff\x00"}, body: []string{`key = "a"`, `value_base64_wo = "AP8="`, `expected_value_base64_wo = "/wA="`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPipeline(t)
			change := test.change
			if change == nil {
				change = func(*corev1.Secret) {}
			}
			p.createSecret("database", test.live, change)
			body := secretEntry(test.body...)
			if strings.HasPrefix(test.body[0], "key") {
				body = strings.Replace(body, "  key = \"password\"\n", "", 1)
			}
			p.write(body)
			if test.refused == nil {
				p.planApply()
				p.planNothing()
				return
			}
			if name == "too large" { // a sibling may free space in the same apply
				p.wants(p.plan(), "Secret Too Large")
				p.wants(p.applyRefused(test.refused...), "!New values", "!Other values", "!bytes,")
				return
			}
			p.planRefused(test.refused)
		})
	}
}

// A key that the type of a Secret needs cannot be removed, and the API server says so.
func TestSecretEntryThatItsTypeNeeds(t *testing.T) {
	p := newPipeline(t)
	p.createSecret("database", data{"tls.crt": "c", "tls.key": "k"}, func(s *corev1.Secret) { s.Type = corev1.SecretTypeTLS })
	p.planned(secretData(`data_wo = { "tls.crt" = "d" }`, `expected_data_wo = { "tls.crt" = "c" }`))
	p.destroyRefused([]string{"Request Refused", "The API server refused to patch the Secret. Nothing was removed.", "Status: 422"})
	p.wantSecret("database", data{"tls.crt": "d", "tls.key": "k"})
}

// An operator rotates another key of the Secret before each write of an apply: by key, the apply goes through, and else an update is a conflict.
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
			p := newPipeline(t)
			proxy := p.proxied()
			if test.isCreate {
				p.createSecret("database", data{"password": "1", "other": "0"})
			} else {
				p.createSecret("database", data{"other": "0"})
				p.planned(secretEntry(`value_wo = "1"`, "value_wo_version = 1"))
			}
			p.write(secretEntry(`value_wo = "2"`, "value_wo_version = 2", `expected_value_wo = "1"`, "conflict_scope = "+quoted(test.scope)))
			p.plan()
			var rotations atomic.Int32
			proxy.SetHook(func(r *http.Request) testcluster.Fault {
				if r.Method == http.MethodPatch {
					p.rotatedKey("other", strconv.Itoa(int(rotations.Add(1))))
				}
				return testcluster.Fault{}
			})
			password := "2"
			if test.refused == nil {
				p.apply()
			} else {
				password = "1"
				p.applyRefused(test.refused...)
			}
			n := rotations.Load()
			if n == 0 {
				t.Error("no write met the operator")
			}
			p.wantSecret("database", data{"password": password, "other": strconv.Itoa(int(n))})
		})
	}
}

func TestSecretThatIsNotThere(t *testing.T) {
	p := newPipeline(t)
	p.write(secretEntry(`value_wo = "1"`))
	p.wants(p.plan(), "Warning: Secret Does Not Exist Yet", "If this run creates the Secret, let this resource depend on it.")
	p.applyRefused("Secret Not Found", "The Secret does not exist. Nothing was written.")

	// In one run with what creates it, and a ConfigMap of the same name and key.
	p.write(secretBlock() + strings.Replace(secretEntry(`value_wo = "1"`, `depends_on = [cas_secret.it]`), `"it"`, `"entry"`, 1) +
		"resource \"cas_configmap\" \"it\" {\n  namespace = NAMESPACE\n  name = \"database\"\n}\n" +
		"resource \"cas_configmap_entry\" \"it\" {\n  namespace = NAMESPACE\n  name = cas_configmap.it.name\n  key = \"password\"\n  value = \"2\"\n}\n")
	p.planApply()
	p.wantSecret("database", data{"password": "1"})
	p.wantLive("database", data{"password": "2"})
	p.planNothing()
	p.destroy()
	if _, there := p.secrets()["database"]; there {
		t.Error("the Secret is still there")
	}
}

// No configuration error points at, or quotes, a write-only value.
func TestSecretConfigurationErrors(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		body string
		want []string
	}{
		"no value":     {secretEntry(), []string{"Invalid Attribute Combination", "set either value_wo or value_base64_wo"}},
		"both values":  {secretEntry(`value_wo = "plant-a"`, `value_base64_wo = "plant-b"`), []string{"Invalid Attribute Combination", "value_wo"}},
		"no base64":    {secretEntry(`value_base64_wo = "plant-c"`), []string{"Invalid Base64", "value_base64_wo", "must be canonical standard base64"}},
		"no keys":      {secretData(`data_wo = {}`), []string{"Missing Keys", "data_wo"}},
		"a null value": {secretData(`data_wo = { a = null, b = "plant-d" }`), []string{"Missing Value", `data_wo["a"]`}},
		"a bad key":    {secretData(`data_wo = { "a/b" = "plant-e" }`), []string{"Invalid Secret Key", `data_wo["a/b"]`}},
		"in both maps": {
			secretData(`data_wo = { a = "plant-f" }`, `binary_data_wo = { a = "AA==" }`),
			[]string{"Key In Both Maps", `binary_data_wo["a"]`, "must not be in data_wo as well"},
		},
		"restore":     {secretEntry(`value_wo = "plant-g"`, `deletion_policy = "restore"`), []string{"deletion_policy", `"delete" "abandon"`}},
		"a bad name":  {strings.Replace(secretEntry(`value_wo = "plant-h"`), `"database"`, `"Database"`, 1), []string{"Invalid Secret Name", "name"}},
		"bad timeout": {"ephemeral \"cas_secret\" \"it\" {\n  name = \"x\"\n  timeouts = { open = \"soon\" }\n}\n", []string{"Invalid Timeout", "timeouts.open"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newCLIPipeline(t)
			p.write(test.body)
			if out := p.planRefused(test.want); strings.Contains(out, "plant-") {
				t.Errorf("a value is shown:\n%s", out)
			}
		})
	}
}
