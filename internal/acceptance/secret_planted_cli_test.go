package acceptance_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// opens reads a planted value out of the Secret vault, for a run alone.
func opens(key string) string {
	return fmt.Sprintf("ephemeral \"cas_secret_entry\" %q {\n  namespace = NAMESPACE\n  name = \"vault\"\n  key = %q\n}\n", key, key)
}

// openedValue is a value of the vault.
func openedValue(key string) string { return "ephemeral.cas_secret_entry." + key + ".value" }

// Given values that come from an ephemeral resource; when they are written, changed, refused for each reason, drift and are imported; then
// none of them is in a state, a plan, a log or in anything that is printed.
func TestNoValueOfASecretIsWrittenAnywhere(t *testing.T) {
	s := newSecretive(t)
	values := map[string]string{}
	for _, key := range []string{"first", "second", "third", "foreign", "wrong", "raw"} {
		values[key] = s.plant(key, key+`-p"w/+ä &%planted-`+strings.Repeat(key, 3))
	}
	s.createSecret("vault", values)
	s.createSecret("database", data{"user": values["foreign"]})
	all := opens("first") + opens("second") + opens("third") + opens("wrong") + opens("raw") +
		"ephemeral \"cas_secret\" \"vault\" {\n  namespace = NAMESPACE\n  name = \"vault\"\n}\n"
	write := func(body string) { s.write(all + body) }
	kept := func(lines ...string) string {
		return secretData(append([]string{`data_wo = { a = ` + openedValue("first") + `, b = ephemeral.cas_secret.vault.data["second"] }`}, lines...)...)
	}

	write(secretEntry(`value_wo = `+openedValue("first")) + strings.Replace(kept(), `name = "database"`, `name = "vault"`, 1))
	s.ran(2, "Plan: 2 to add", "plan", "-no-color", "-input=false", "-detailed-exitcode", "-out=saved.tfplan")
	s.ran(0, "Apply complete", "apply", "-no-color", "-input=false", "saved.tfplan")
	s.wantSecret("database", data{"user": values["foreign"], "password": values["first"]})
	s.ran(0, "password", "show", "-no-color", "-json")
	vault := strings.Replace(kept(), `name = "database"`, `name = "vault"`, 1)

	// Refused: the expectation, the version, drift, admission.
	write(secretEntry(`value_wo = `+openedValue("second"), `expected_value_wo = `+openedValue("wrong"), `value_wo_version = 2`) + vault)
	s.ran(1, "Expected Value Mismatch", "plan", "-no-color", "-input=false")
	write(secretEntry(`value_wo = `+openedValue("second"), `expected_value_wo = `+openedValue("first"), `value_wo_version = 2`) + vault)
	s.ran(2, "1 to change", "plan", "-no-color", "-input=false", "-detailed-exitcode", "-out=saved.tfplan")
	s.rotate("database", "user", values["third"])
	s.ran(1, "Compare-And-Swap Conflict", "apply", "-no-color", "-input=false", "saved.tfplan")
	s.rotate("database", "password", values["third"])
	write(secretEntry(`value_wo = `+openedValue("first")) + vault)
	s.ran(0, "This plan leaves it as it is", "plan", "-no-color", "-input=false")
	write(secretEntry(`value_wo = `+openedValue("second"), `value_wo_version = 2`, `on_drift = "error"`) + vault)
	s.ran(1, `on_drift = "error" protects it`, "plan", "-no-color", "-input=false")
	s.quoteSecrets()
	write(secretEntry(`value_wo = `+openedValue("second"), `value_wo_version = 2`) + vault)
	s.ran(1, "Request Refused", "apply", "-no-color", "-input=false", "-auto-approve")
	s.wantSecret("database", data{"user": values["third"], "password": values["third"]})
	if found := s.found(); len(found) > 0 {
		t.Errorf("found: %v", found)
	}
}

// Given a provider that hangs in a write; when it crashes, and prints the stacks of all goroutines; then no value is in what it prints.
func TestNoValueOfASecretIsInACrash(t *testing.T) {
	s := newSecretive(t)
	values := map[string]string{}
	for _, key := range []string{"first", "second"} {
		values[key] = s.plant(key, key+`-p"w/+ä &%planted-`+strings.Repeat(key, 3))
	}
	s.createSecret("vault", values)
	s.createSecret("database", data{"password": values["second"]})
	proxy := s.proxied()
	s.write(opens("first") + opens("second") +
		secretEntry(`value_wo = `+openedValue("first"), `expected_value_wo = `+openedValue("second")) +
		secretData(`data_wo = { a = `+openedValue("first")+` }`) +
		strings.Replace(secretBlock(`data_wo = { a = `+openedValue("second")+` }`), `name = "database"`, `name = "whole"`, 1))
	s.ran(2, "Plan: 3 to add", "plan", "-no-color", "-input=false", "-detailed-exitcode", "-out=saved.tfplan")
	reached, ended := make(chan struct{}, 10), make(chan struct{})
	proxy.SetHook(func(r *http.Request) testcluster.Fault {
		if r.Method == http.MethodGet {
			return testcluster.Fault{}
		}
		reached <- struct{}{}
		return testcluster.Fault{HoldBefore: ended, DropBefore: true}
	})
	running := s.cli.Start("apply", "-input=false", "saved.tfplan")
	<-reached
	if err := running.SignalProviders(syscall.SIGQUIT); err != nil {
		t.Fatal(err)
	}
	result := running.Wait()
	close(ended)
	s.seen["what the apply printed"] = result.All()
	if log := s.written()["log"]; result.ExitCode != 1 || !strings.Contains(log, "SIGQUIT: quit") || !strings.Contains(log, "goroutine 1 ") {
		t.Errorf("ended with %d, and the log has no stacks:\n%s", result.ExitCode, result.All())
	}
	if found := s.found(); len(found) > 0 {
		t.Errorf("found: %v", found)
	}
}

// quoteSecrets has admission refuse writes of the Secret database, in words that quote all that is written.
func (f *fixture) quoteSecrets() {
	f.Helper()
	match := f.writesHere()
	match.ResourceRules[0].Resources = []string{"secrets"}
	match.ResourceRules[0].APIGroups = []string{""}
	admission := f.cluster.Client().AdmissionregistrationV1()
	meta := metav1.ObjectMeta{Name: f.namespace}
	_, err := admission.ValidatingAdmissionPolicies().Create(f.Context(), &admissionv1.ValidatingAdmissionPolicy{
		ObjectMeta: meta,
		Spec: admissionv1.ValidatingAdmissionPolicySpec{MatchConstraints: match, Validations: []admissionv1.Validation{{
			Expression: `object.metadata.name != "database"`, MessageExpression: `"refused: " + string(object.data["password"]) + " after " + string(oldObject.data["password"])`,
		}}},
	}, metav1.CreateOptions{})
	if err != nil {
		f.Fatal(err)
	}
	_, err = admission.ValidatingAdmissionPolicyBindings().Create(f.Context(), &admissionv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: meta,
		Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName: f.namespace, ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() {
		_ = admission.ValidatingAdmissionPolicyBindings().Delete(context.Background(), f.namespace, metav1.DeleteOptions{})
		_ = admission.ValidatingAdmissionPolicies().Delete(context.Background(), f.namespace, metav1.DeleteOptions{})
	})
	err = wait.PollUntilContextTimeout(f.Context(), 50*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		_, err := f.cluster.Client().CoreV1().Secrets(f.namespace).Update(ctx, f.liveSecret("database"), metav1.UpdateOptions{DryRun: []string{metav1.DryRunAll}})
		return err != nil && strings.Contains(err.Error(), "refused: "), nil
	})
	if err != nil {
		f.Fatal(err)
	}
}
