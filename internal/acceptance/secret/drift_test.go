package secret

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// Given a value that somebody else changed; when another argument of the Secret changes; then the value stays drift.
func TestSecretUpdateKeepsDriftOfOtherValues(t *testing.T) {
	for name, change := range map[string]string{"on_drift": fixture.Overwrites, "labels": `labels = { a = "b" }`, "timeouts": `timeouts = { read = "30s" }`} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Planned(fixture.SecretBlock(`data_wo = { a = "1" }`))
			p.Rotate("database", "a", "theirs")
			p.Write(fixture.SecretBlock(`data_wo = { a = "1" }`, change))
			p.Wants(p.Plan(), "Value Changed Since Last Apply", "Somebody else changed a after the last apply. This plan leaves it as it is, unless it replaces the resource.")
			p.Apply()
			p.WantSecret("database", fixture.Data{"a": "theirs"})
			p.Wants(p.PlanNothing(), "Value Changed Since Last Apply", "This plan leaves it as it is, unless it replaces the resource.")

			// To accept it ends that.
			p.Planned(fixture.SecretBlock(`data_wo = { a = "theirs" }`, change))
			p.Wants(p.PlanNothing(), "!Value Changed Since Last Apply")
		})
	}
}

// Given an expectation that no plan has checked, since it writes nothing; when somebody else changes the value; then each plan says so.
func TestSecretExpectationLeftBehindSilencesNoDrift(t *testing.T) {
	for name, body := range map[string]string{
		"entry": fixture.SecretEntry(`value_wo = "new"`, `expected_value_wo = "old"`),
		"data":  fixture.SecretData(`data_wo = { password = "new" }`, `expected_data_wo = { password = "old" }`),
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.CreateSecret("database", fixture.Data{"password": "old"})
			p.Planned(body)
			p.Wants(p.PlanNothing(), "!Value Changed Since Last Apply")
			p.Rotate("database", "password", "theirs")
			p.Wants(p.PlanNothing(), "Value Changed Since Last Apply", "This plan leaves it as it is, unless it replaces the resource.")
			p.Write(strings.ReplaceAll(body, `"old"`, `"theirs"`))
			p.Wants(p.PlanNothing(), "!Value Changed Since Last Apply")
		})
	}
}

// Given keys that a Secret's resource left to others; when it takes them over; then the plan says what that changes, and all values are written.
func TestSecretTakesOverValuesThatItLeftToOthers(t *testing.T) {
	imported := "import {\n  to = cas_secret.it\n  id = \"${NAMESPACE}/database\"\n}\n"
	for name, make := range map[string]func(p *fixture.Pipeline){
		"made": func(p *fixture.Pipeline) {
			p.Planned(fixture.SecretBlock())
			p.ChangeSecret("database", func(s *corev1.Secret) {
				s.Data = fixture.BytesOf(map[string]string{"password": "theirs", "other": "o"})
			})
		},
		"imported": func(p *fixture.Pipeline) {
			p.CreateSecret("database", fixture.Data{"password": "theirs", "other": "o"})
			p.Planned(imported + fixture.SecretBlock())
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			make(p)
			p.PlanNothing()
			p.Write(fixture.SecretBlock(`data_wo = { password = "mine" }`))
			version := p.LiveSecret("database").ResourceVersion
			p.PlanRefused([]string{
				"Error: Key Already Exists", "Key: other", "Key: password", "Found: (sensitive)",
				"set expected_resource_version_wo = " + fixture.Quoted(version),
			})
			p.Write(fixture.SecretBlock(`data_wo = { password = "mine" }`, `expected_resource_version_wo = `+fixture.Quoted(version)))
			p.PlanApply()
			p.Write(fixture.SecretBlock(`data_wo = { password = "mine" }`))
			p.WantSecret("database", fixture.Data{"password": "mine"})
			p.PlanNothing()
		})
	}
}

// Given plan_check = "off"; then a plan without changes shows none, and an apply protects drift.
func TestSecretWithoutPlanChecks(t *testing.T) {
	p := fixture.NewPipeline(t)
	write := func(lines ...string) {
		p.WriteFor(p.Kubeconfig, `plan_check = "off"`, fixture.SecretBlock(lines...))
	}
	write(`data_wo = { a = "1" }`)
	p.PlanApply()
	p.PlanNothing()
	write(`data_wo = { a = "2", b = "x" }`)
	p.PlanApply()
	p.WantSecret("database", fixture.Data{"a": "1", "b": "x"})
	p.PlanNothing()
	p.Rotate("database", "a", "theirs")
	p.PlanNothing()
	p.Plan("-replace=cas_secret.it")
	p.ApplyRefused("Error: Secret Has Other Keys", "Key: a (field manager", "Nothing was removed.")
	write(`data_wo = { a = "2", b = "x" }`, `data_wo_version = 2`)
	p.Plan()
	p.ApplyRefused("Value Changed Since Last Apply", "Nothing was written.")
	p.WantSecret("database", fixture.Data{"a": "theirs", "b": "x"})
}

// Given a Secret that somebody else made again with another type; then the plan shows it.
func TestSecretOfAnotherTypeIsReplaced(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Planned(fixture.SecretBlock(`data_wo = { a = "1" }`))
	if err := p.Cluster.Client().CoreV1().Secrets(p.Namespace).Delete(t.Context(), "database", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	p.CreateSecret("database", fixture.Data{"a": "1"}, func(s *corev1.Secret) { s.Type = "example.com/x" })
	p.Wants(p.Plan(), "must be replaced", `type = "example.com/x" -> "Opaque"`)
	p.Apply()
	if live := p.LiveSecret("database"); live.Type != corev1.SecretTypeOpaque {
		t.Errorf("the type is %s", live.Type)
	}
	p.PlanNothing()
}

// Given a key that vanished; when the configuration no longer names it either; then the resource forgets it.
func TestSecretDataForgetsAVanishedKey(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.CreateSecret("database", nil)
	p.Planned(fixture.SecretData(`data_wo = { a = "1", b = "2" }`))
	p.ChangeSecret("database", func(s *corev1.Secret) { delete(s.Data, "b") })
	p.Planned(fixture.SecretData(`data_wo = { a = "1" }`))
	if diff := cmp.Diff(any(p.Namespace+"/database:a"), p.State()["it"].Attributes["id"]); diff != "" {
		t.Errorf("id (-want +got):\n%s", diff)
	}
	p.PlanNothing()
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
		want          fixture.Data
	}{
		"entry": {
			fixture.SecretEntry, `value_wo = terraform_data.later.output`, `value_wo = terraform_data.later.output`,
			map[string]string{"password": "two"},
			map[string]string{"password": "two"},
		},
		"data": {
			fixture.SecretData, `data_wo = { a = terraform_data.later.output }`, `data_wo = { a = terraform_data.later.output }`,
			map[string]string{"a": "two"},
			map[string]string{"a": "two"},
		},
		"names of keys": {
			fixture.SecretData, `data_wo = { one = "x" }`, `data_wo = { for key in [terraform_data.later.output] : key => "x" }`,
			map[string]string{"one": "x"},
			map[string]string{"two": "x"},
		},
		"a further key of a Secret": {
			fixture.SecretBlock, `data_wo = { a = terraform_data.later.output }`, `data_wo = { a = terraform_data.later.output, b = "x" }`,
			map[string]string{"a": "one"},
			map[string]string{"a": "one", "b": "x"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			if name != "a further key of a Secret" {
				p.CreateSecret("database", nil)
			}
			p.Planned(later("one") + test.block(test.before))
			p.ChangeSecret("database", func(s *corev1.Secret) { s.Data = fixture.BytesOf(test.drifts) })
			lines := []string{test.after}
			if name != "a further key of a Secret" {
				lines = append(lines, fixture.Overwrites)
			}
			p.Planned(later("two") + test.block(lines...))
			p.WantSecret("database", test.want)
			p.PlanNothing()
		})
	}
}

// Given values that somebody else changed; when the resource leaves its values to others; then it no longer protects them.
func TestSecretLeavesItsValuesToOthers(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Planned(fixture.SecretBlock(`data_wo = { a = "1" }`))
	p.Planned(fixture.SecretBlock())
	p.WantSecret("database", fixture.Data{"a": "1"})
	p.PlanNothing()
	p.Rotate("database", "a", "theirs")
	p.PlanNothing()
	p.Write(fixture.SecretBlock(`data_wo = { a = "2" }`))
	p.PlanRefused([]string{"Error: Key Already Exists", "!Value Changed Since Last Apply"})
	p.Planned(fixture.SecretBlock(fixture.Deletes))
	p.Destroy()
	if _, there := p.Secrets()["database"]; there {
		t.Error("the Secret is still there")
	}
}

// Given a value that somebody else changed; when -replace replaces the resource; then no message says that it stays.
func TestSecretReplacedOverDrift(t *testing.T) {
	for name, test := range map[string]struct{ address, body string }{
		"entry": {"cas_secret_entry.it", fixture.SecretEntry(fixture.Deletes, fixture.Overwrites, `value_wo = "1"`)},
		"data":  {"cas_secret_data.it", fixture.SecretData(fixture.Deletes, fixture.Overwrites, `data_wo = { password = "1" }`)},
		"whole": {"cas_secret.it", fixture.SecretBlock(fixture.Deletes, `data_wo = { password = "1" }`)},
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			if name != "whole" {
				p.CreateSecret("database", nil)
			}
			p.Planned(test.body)
			p.Rotate("database", "password", "theirs")
			p.Wants(p.Plan("-replace="+test.address), "This plan leaves it as it is, unless it replaces the resource.")
			p.Apply()
			p.WantSecret("database", fixture.Data{"password": "1"})
		})
	}
}

// Given a key that somebody else changed; when an update writes another key; then the changed one stays, and the plan says so, whatever on_drift is.
func TestSecretDataUpdateLeavesDriftOfOtherKeys(t *testing.T) {
	for _, onDrift := range []string{"error", "overwrite"} {
		t.Run(onDrift, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.CreateSecret("database", nil)
			p.Planned(fixture.SecretData(`data_wo = { a = "1" }`, `on_drift = "`+onDrift+`"`))
			p.Rotate("database", "a", "theirs")
			p.Write(fixture.SecretData(`data_wo = { a = "1", b = "2" }`, `on_drift = "`+onDrift+`"`))
			p.Wants(p.Plan(), "Value Changed Since Last Apply", "This plan leaves it as it is", "Key: a", "!This update overwrites it.")
			p.Apply()
			p.WantSecret("database", fixture.Data{"a": "theirs", "b": "2"})
			p.Wants(p.PlanNothing(), "Value Changed Since Last Apply", "This plan leaves it as it is")
		})
	}
}

// Labels and annotations are no secrets, and the state has them.
func TestSecretShowsLabels(t *testing.T) {
	p := fixture.NewPipeline(t)
	set := func(value string) {
		p.ChangeSecret("database", func(s *corev1.Secret) {
			s.Labels, s.Annotations = map[string]string{"app": value}, map[string]string{"note": value}
		})
	}
	p.Planned(fixture.SecretBlock(`data_wo = { a = "1" }`))
	set("before")
	p.Write(fixture.SecretBlock(`data_wo = { a = "1" }`, `labels = { app = "shop" }`, `annotations = { note = "mine" }`, fixture.Overwrites))
	p.PlanRefused([]string{
		"Error: Key Already Exists", `Label: app Expected: (absent) Found: "before"`, `Annotation: note Expected: (absent) Found: "before"`, "!Key: a",
	})
	set("shop")
	p.ChangeSecret("database", func(s *corev1.Secret) { s.Annotations = nil })
	p.PlanApply()
	p.PlanNothing()
	set("theirs")
	p.Wants(p.Plan(), "Value Changed Since Last Apply", `Label: app Last written: "shop" Found: "theirs" To write: "shop" Changed by: `,
		`Annotation: note Last written: "mine" Found: "theirs" To write: "mine" Changed by: `, "!Key: a")
	set("later")
	p.ApplyRefused("Compare-And-Swap Conflict", `Label: app Expected: "theirs" Found: "later"`)
}

// Given a Secret that holds what a new version is to write; when somebody else changes it after the plan; then the plan of the apply agrees with the
// first one, and the apply refuses.
func TestSecretChangedAfterAPlanThatFoundItsValuesThere(t *testing.T) {
	for _, check := range []string{"error", "warning", "off"} {
		t.Run(check, func(t *testing.T) {
			fixture.OnEachProfile(t, func(p *fixture.Pipeline) {
				write := func(lines ...string) {
					p.WriteFor(p.Kubeconfig, `plan_check = "`+check+`"`, fixture.SecretBlock(lines...))
				}
				write(`data_wo = { a = "1" }`)
				p.PlanApply()
				p.Rotate("database", "a", "2")
				write(`data_wo = { a = "2" }`, `data_wo_version = 2`)
				p.Plan()
				p.Rotate("database", "a", "theirs")
				p.ApplyRefused("Error: Compare-And-Swap Conflict", "!inconsistent", "!Value Changed Since Last Apply")
				p.WantSecret("database", fixture.Data{"a": "theirs"})
			})
		})
	}
}

// Given values that the resource left to others, and that are as it would write them; when it takes them over; then it protects them.
func TestSecretTakesOverValuesThatAreThere(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Planned(fixture.SecretBlock())
	p.Rotate("database", "a", "1")
	p.Planned(fixture.SecretBlock(`data_wo = { a = "1" }`))
	p.PlanNothing()
	p.Rotate("database", "a", "theirs")
	p.Wants(p.PlanNothing(), "Value Changed Since Last Apply")
}
