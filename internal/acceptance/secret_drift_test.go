package acceptance_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Given a value that somebody else changed; when another argument of the Secret changes; then the value stays drift.
func TestSecretUpdateKeepsDriftOfOtherValues(t *testing.T) {
	for name, change := range map[string]string{"on_drift": `on_drift = "error"`, "labels": `labels = { a = "b" }`, "timeouts": `timeouts = { read = "30s" }`} {
		t.Run(name, func(t *testing.T) {
			p := newPipeline(t)
			p.planned(secretBlock(`data_wo = { a = "1" }`))
			p.rotate("database", "a", "theirs")
			p.write(secretBlock(`data_wo = { a = "1" }`, change))
			p.wants(p.plan(), "Value Changed Since Last Apply", "Somebody else changed a after the last apply. This plan leaves it as it is, unless it replaces the resource.")
			p.apply()
			p.wantSecret("database", data{"a": "theirs"})
			p.wants(p.planNothing(), "Value Changed Since Last Apply", "This plan leaves it as it is, unless it replaces the resource.")

			// To accept it ends that.
			p.planned(secretBlock(`data_wo = { a = "theirs" }`, change))
			p.wants(p.planNothing(), "!Value Changed Since Last Apply")
		})
	}
}

// Given an expectation that no plan has checked, since it writes nothing; when somebody else changes the value; then each plan says so.
func TestSecretExpectationLeftBehindSilencesNoDrift(t *testing.T) {
	for name, body := range map[string]string{
		"entry": secretEntry(`value_wo = "new"`, `expected_value_wo = "old"`),
		"data":  secretData(`data_wo = { password = "new" }`, `expected_data_wo = { password = "old" }`),
	} {
		t.Run(name, func(t *testing.T) {
			p := newPipeline(t)
			p.createSecret("database", data{"password": "old"})
			p.planned(body)
			p.wants(p.planNothing(), "!Value Changed Since Last Apply")
			p.rotate("database", "password", "theirs")
			p.wants(p.planNothing(), "Value Changed Since Last Apply", "This plan leaves it as it is, unless it replaces the resource.")
			p.write(strings.ReplaceAll(body, `"old"`, `"theirs"`))
			p.wants(p.planNothing(), "!Value Changed Since Last Apply")
		})
	}
}

// Given keys that a Secret's resource left to others; when it takes them over; then the plan says what that changes, and all values are written.
func TestSecretTakesOverValuesThatItLeftToOthers(t *testing.T) {
	imported := "import {\n  to = cas_secret.it\n  id = \"${NAMESPACE}/database\"\n}\n"
	for name, make := range map[string]func(p *pipeline){
		"made": func(p *pipeline) {
			p.planned(secretBlock())
			p.changeSecret("database", func(s *corev1.Secret) { s.Data = bytesOf(map[string]string{"password": "theirs", "other": "o"}) })
		},
		"imported": func(p *pipeline) {
			p.createSecret("database", data{"password": "theirs", "other": "o"})
			p.planned(imported + secretBlock())
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPipeline(t)
			make(p)
			p.planNothing()
			p.write(secretBlock(`data_wo = { password = "mine" }`))
			p.wants(p.plan(), "Unmanaged Keys Will Change", "Key: other Found: (sensitive) Planned: (absent)",
				"Key: password Found: (sensitive) Planned: (sensitive)")
			p.apply()
			p.wantSecret("database", data{"password": "mine"})
			p.planNothing()
		})
	}
}

// Given plan_check = "off"; then a plan without changes shows none, and an apply protects drift.
func TestSecretWithoutPlanChecks(t *testing.T) {
	p := newPipeline(t)
	write := func(lines ...string) {
		p.writeFor(p.kubeconfig, `plan_check = "off"`, secretBlock(append(lines, `on_drift = "error"`)...))
	}
	write(`data_wo = { a = "1" }`)
	p.planApply()
	p.planNothing()
	write(`data_wo = { a = "2", b = "x" }`)
	p.planApply()
	p.wantSecret("database", data{"a": "1", "b": "x"})
	p.planNothing()
	p.rotate("database", "a", "theirs")
	p.planNothing()
	p.plan("-replace=cas_secret.it")
	p.applyRefused("Value Changed Since Last Apply", `on_drift = "error" protects it. Nothing was removed.`)
	p.wantSecret("database", data{"a": "theirs", "b": "x"})
}

// Given an update that writes no value; when somebody else adds a key after its plan; then the apply refuses, whatever is checked at plan.
func TestSecretChangedAfterAPlanThatWritesNothing(t *testing.T) {
	for _, check := range []string{"error", "warning", "off"} {
		t.Run(check, func(t *testing.T) {
			p := newPipeline(t)
			write := func(lines ...string) { p.writeFor(p.kubeconfig, `plan_check = "`+check+`"`, secretBlock(lines...)) }
			write(`data_wo = { a = "1" }`)
			p.planApply()
			write(`data_wo = { a = "1" }`, `on_drift = "off"`)
			p.plan()
			p.rotate("database", "b", "theirs")
			p.applyRefused("Compare-And-Swap Conflict", "The Secret changed after this plan was made. Nothing was written.")
			p.wantSecret("database", data{"a": "1", "b": "theirs"})
		})
	}
}

// Given a Secret that somebody else made again with another type; then the plan shows it.
func TestSecretOfAnotherTypeIsReplaced(t *testing.T) {
	p := newPipeline(t)
	p.planned(secretBlock(`data_wo = { a = "1" }`))
	if err := p.cluster.Client().CoreV1().Secrets(p.namespace).Delete(t.Context(), "database", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	p.createSecret("database", data{"a": "1"}, func(s *corev1.Secret) { s.Type = "example.com/x" })
	p.wants(p.plan(), "must be replaced", `type = "example.com/x" -> "Opaque"`)
	p.apply()
	if live := p.liveSecret("database"); live.Type != corev1.SecretTypeOpaque {
		t.Errorf("the type is %s", live.Type)
	}
	p.planNothing()
}

// Given a key that vanished; when the configuration no longer names it either; then the resource forgets it.
func TestSecretDataForgetsAVanishedKey(t *testing.T) {
	p := newPipeline(t)
	p.createSecret("database", nil)
	p.planned(secretData(`data_wo = { a = "1", b = "2" }`))
	p.changeSecret("database", func(s *corev1.Secret) { delete(s.Data, "b") })
	p.planned(secretData(`data_wo = { a = "1" }`))
	if diff := cmp.Diff(any(p.namespace+"/database:a"), p.state()["it"].Attributes["id"]); diff != "" {
		t.Errorf("id (-want +got):\n%s", diff)
	}
	p.planNothing()
}

// Given values or keys that only the apply knows; when another argument changes, and drift is found to be accepted or keys to differ; then the
// plan of the apply agrees with the first one.
func TestSecretValuesThatOnlyTheApplyKnows(t *testing.T) {
	later := func(value string) string {
		return "resource \"terraform_data\" \"later\" {\n  input = \"" + value + "\"\n}\n"
	}
	for name, test := range map[string]struct {
		block         func(...string) string
		before, after string
		drifts        map[string]string
		want          data
	}{
		"entry": {
			secretEntry, `value_wo = terraform_data.later.output`, `value_wo = terraform_data.later.output`,
			map[string]string{"password": "two"},
			map[string]string{"password": "two"},
		},
		"data": {
			secretData, `data_wo = { a = terraform_data.later.output }`, `data_wo = { a = terraform_data.later.output }`,
			map[string]string{"a": "two"},
			map[string]string{"a": "two"},
		},
		"names of keys": {
			secretData, `data_wo = { one = "x" }`, `data_wo = { for key in [terraform_data.later.output] : key => "x" }`,
			map[string]string{"one": "x"},
			map[string]string{"two": "x"},
		},
		"a further key of a Secret": {
			secretBlock, `data_wo = { a = terraform_data.later.output }`, `data_wo = { a = terraform_data.later.output, b = "x" }`,
			map[string]string{"a": "one"},
			map[string]string{"a": "one", "b": "x"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPipeline(t)
			if name != "a further key of a Secret" {
				p.createSecret("database", nil)
			}
			p.planned(later("one") + test.block(test.before))
			p.changeSecret("database", func(s *corev1.Secret) { s.Data = bytesOf(test.drifts) })
			lines := []string{test.after}
			if name != "a further key of a Secret" {
				lines = append(lines, `on_drift = "error"`)
			}
			p.planned(later("two") + test.block(lines...))
			p.wantSecret("database", test.want)
			p.planNothing()
		})
	}
}

// Given values that somebody else changed; when the resource leaves its values to others; then it no longer protects them.
func TestSecretLeavesItsValuesToOthers(t *testing.T) {
	p := newPipeline(t)
	p.planned(secretBlock(`data_wo = { a = "1" }`, `on_drift = "error"`))
	p.planned(secretBlock(`on_drift = "error"`))
	p.wantSecret("database", data{"a": "1"})
	p.planNothing()
	p.rotate("database", "a", "theirs")
	p.planNothing()
	p.write(secretBlock(`data_wo = { a = "2" }`, `on_drift = "error"`))
	p.wants(p.plan(), "Unmanaged Keys Will Change", "!Value Changed Since Last Apply")
	p.write(secretBlock(`on_drift = "error"`))
	p.destroy()
	if _, there := p.secrets()["database"]; there {
		t.Error("the Secret is still there")
	}
}

// Given a value that somebody else changed; when -replace replaces the resource; then no message says that it stays.
func TestSecretReplacedOverDrift(t *testing.T) {
	for name, test := range map[string]struct{ address, body string }{
		"entry": {"cas_secret_entry.it", secretEntry(`value_wo = "1"`)},
		"data":  {"cas_secret_data.it", secretData(`data_wo = { password = "1" }`)},
		"whole": {"cas_secret.it", secretBlock(`data_wo = { password = "1" }`)},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPipeline(t)
			if name != "whole" {
				p.createSecret("database", nil)
			}
			p.planned(test.body)
			p.rotate("database", "password", "theirs")
			p.wants(p.plan("-replace="+test.address), "This plan leaves it as it is, unless it replaces the resource.")
			p.apply()
			p.wantSecret("database", data{"password": "1"})
		})
	}
}

// Given a key that somebody else changed; when an update writes another key; then the changed one stays, and the plan says so, whatever on_drift is.
func TestSecretDataUpdateLeavesDriftOfOtherKeys(t *testing.T) {
	for _, onDrift := range []string{"warning", "error"} {
		t.Run(onDrift, func(t *testing.T) {
			p := newPipeline(t)
			p.createSecret("database", nil)
			p.planned(secretData(`data_wo = { a = "1" }`, `on_drift = "`+onDrift+`"`))
			p.rotate("database", "a", "theirs")
			p.write(secretData(`data_wo = { a = "1", b = "2" }`, `on_drift = "`+onDrift+`"`))
			p.wants(p.plan(), "Value Changed Since Last Apply", "This plan leaves it as it is", "Key: a", "!This update overwrites it.")
			p.apply()
			p.wantSecret("database", data{"a": "theirs", "b": "2"})
			p.wants(p.planNothing(), "Value Changed Since Last Apply", "This plan leaves it as it is")
		})
	}
}

// Labels and annotations are no secrets, and the state has them.
func TestSecretShowsLabels(t *testing.T) {
	p := newPipeline(t)
	set := func(value string) {
		p.changeSecret("database", func(s *corev1.Secret) {
			s.Labels, s.Annotations = map[string]string{"app": value}, map[string]string{"note": value}
		})
	}
	p.planned(secretBlock(`data_wo = { a = "1" }`))
	set("before")
	p.write(secretBlock(`data_wo = { a = "1" }`, `labels = { app = "shop" }`, `annotations = { note = "mine" }`))
	p.wants(p.plan(), "Unmanaged Keys Will Change", `Label: app Found: "before" Planned: "shop"`, `Annotation: note Found: "before" Planned: "mine"`, "!Key: a")
	p.apply()
	p.planNothing()
	set("theirs")
	p.wants(p.plan(), "Value Changed Since Last Apply", `Label: app Found: "theirs" To write: "shop"`, `Annotation: note Found: "theirs" To write: "mine"`, "!Key: a")
	set("later")
	p.applyRefused("Compare-And-Swap Conflict", `Label: app Expected: "theirs" Found: "later"`)
}

// Given a Secret that holds what a new version is to write; when somebody else changes it after the plan; then the plan of the apply agrees with the
// first one, and the apply refuses.
func TestSecretChangedAfterAPlanThatFoundItsValuesThere(t *testing.T) {
	for _, check := range []string{"error", "warning", "off"} {
		t.Run(check, func(t *testing.T) {
			onEach(t, func(p *pipeline, _ bool) {
				write := func(lines ...string) { p.writeFor(p.kubeconfig, `plan_check = "`+check+`"`, secretBlock(lines...)) }
				write(`data_wo = { a = "1" }`)
				p.planApply()
				p.rotate("database", "a", "2")
				write(`data_wo = { a = "2" }`, `data_wo_version = 2`)
				p.plan()
				p.rotate("database", "a", "theirs")
				p.applyRefused("Compare-And-Swap Conflict", "!inconsistent")
				p.wantSecret("database", data{"a": "theirs"})
			})
		})
	}
}

// Given values that the resource left to others, and that are as it would write them; when it takes them over; then it protects them.
func TestSecretTakesOverValuesThatAreThere(t *testing.T) {
	p := newPipeline(t)
	p.planned(secretBlock())
	p.rotate("database", "a", "1")
	p.planned(secretBlock(`data_wo = { a = "1" }`))
	p.planNothing()
	p.rotate("database", "a", "theirs")
	p.wants(p.planNothing(), "Value Changed Since Last Apply")
}
