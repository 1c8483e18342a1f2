package secrecy

import (
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// opens reads a planted value out of the Secret vault, for a run alone.
func opens(key string) string {
	return fmt.Sprintf("ephemeral \"cas_secret_entry\" %q {\n  namespace = NAMESPACE\n  name = \"vault\"\n  key = %q\n}\n", key, key)
}

// openedValue is a value of the vault.
func openedValue(key string) string { return "ephemeral.cas_secret_entry." + key + ".value" }

// Values come from an ephemeral resource. They are written, changed, refused for each reason, imported, and they drift.
// No value is in a state, a plan, a log or the output.
func TestNoValueOfASecretIsWrittenAnywhere(t *testing.T) {
	s := newSecretive(t)
	values := map[string]string{}
	for _, key := range []string{"first", "second", "third", "foreign", "wrong", "raw"} {
		values[key] = s.plant(key, key+`-p"w/+ä &%planted-`+strings.Repeat(key, 3))
	}
	s.CreateSecret("vault", values)
	s.CreateSecret("database", fixture.Data{"user": values["foreign"]})
	all := opens("first") + opens("second") + opens("third") + opens("wrong") + opens("raw") +
		"ephemeral \"cas_secret\" \"vault\" {\n  namespace = NAMESPACE\n  name = \"vault\"\n}\n"
	write := func(body string) { s.Write(all + body) }
	kept := func(lines ...string) string {
		return fixture.SecretData(append([]string{`data_wo = { a = ` + openedValue("first") + `, b = ephemeral.cas_secret.vault.data["second"] }`}, lines...)...)
	}

	write(fixture.SecretEntry(`value_wo = `+openedValue("first")) + strings.Replace(kept(), `name = "database"`, `name = "vault"`, 1))
	s.ran(2, "Plan: 2 to add", "plan", "-no-color", "-input=false", "-detailed-exitcode", "-out=saved.tfplan")
	s.ran(0, "Apply complete", "apply", "-no-color", "-input=false", "saved.tfplan")
	s.WantSecret("database", fixture.Data{"user": values["foreign"], "password": values["first"]})
	s.ran(0, "password", "show", "-no-color", "-json")
	vault := strings.Replace(kept(), `name = "database"`, `name = "vault"`, 1)

	// Refused: the expectation, the version, drift, admission.
	write(fixture.SecretEntry(`value_wo = `+openedValue("second"), `expected_value_wo = `+openedValue("wrong"), `value_wo_version = 2`) + vault)
	s.ran(1, "Expected Value Mismatch", "plan", "-no-color", "-input=false")
	write(fixture.SecretEntry(`value_wo = `+openedValue("second"), `expected_value_wo = `+openedValue("first"), `value_wo_version = 2`) + vault)
	s.ran(2, "1 to change", "plan", "-no-color", "-input=false", "-detailed-exitcode", "-out=saved.tfplan")
	s.Rotate("database", "user", values["third"])
	s.ran(1, "Compare-And-Swap Conflict", "apply", "-no-color", "-input=false", "saved.tfplan")
	s.Rotate("database", "password", values["third"])
	write(fixture.SecretEntry(`value_wo = `+openedValue("first")) + vault)
	s.ran(0, "This plan leaves it as it is", "plan", "-no-color", "-input=false")
	write(fixture.SecretEntry(`value_wo = `+openedValue("second"), `value_wo_version = 2`) + vault)
	s.ran(1, `on_drift = "error" protects it`, "plan", "-no-color", "-input=false")
	s.QuoteSecrets()
	write(fixture.SecretEntry(`value_wo = `+openedValue("second"), `value_wo_version = 2`, fixture.Overwrites) + vault)
	s.ran(1, "Request Refused", "apply", "-no-color", "-input=false", "-auto-approve")
	s.WantSecret("database", fixture.Data{"user": values["third"], "password": values["third"]})
	if found := s.found(); len(found) > 0 {
		t.Errorf("found: %v", found)
	}
}

// A provider that hangs in a write crashes, and prints the stacks of all goroutines. The output contains no value.
func TestNoValueOfASecretIsInACrash(t *testing.T) {
	s := newSecretive(t)
	values := map[string]string{}
	for _, key := range []string{"first", "second"} {
		values[key] = s.plant(key, key+`-p"w/+ä &%planted-`+strings.Repeat(key, 3))
	}
	s.CreateSecret("vault", values)
	s.CreateSecret("database", fixture.Data{"password": values["second"]})
	proxy := s.Proxied()
	s.Write(opens("first") + opens("second") +
		fixture.SecretEntry(`value_wo = `+openedValue("first"), `expected_value_wo = `+openedValue("second")) +
		fixture.SecretData(`data_wo = { a = `+openedValue("first")+` }`) +
		strings.Replace(fixture.SecretBlock(`data_wo = { a = `+openedValue("second")+` }`), `name = "database"`, `name = "whole"`, 1))
	s.ran(2, "Plan: 3 to add", "plan", "-no-color", "-input=false", "-detailed-exitcode", "-out=saved.tfplan")
	reached, ended := make(chan struct{}, 10), make(chan struct{})
	proxy.SetHook(func(r *http.Request) testcluster.Fault {
		if r.Method == http.MethodGet {
			return testcluster.Fault{}
		}
		reached <- struct{}{}
		return testcluster.Fault{HoldBefore: ended, DropBefore: true}
	})
	s.CLI.NoteProviders()
	running := s.CLI.Start("apply", "-input=false", "saved.tfplan")
	<-reached
	if err := running.SignalProvider(syscall.SIGQUIT); err != nil {
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
