package secret

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

func TestSecretDataBasic(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.CreateSecret("database", fixture.Data{"user": "kept", "guard": "g"})
	wantKeys := func(keys ...any) {
		t.Helper()
		if diff := cmp.Diff(any(keys), p.State()["it"].Attributes["keys"]); diff != "" {
			t.Errorf("keys (-want +got):\n%s", diff)
		}
	}

	p.Planned(fixture.SecretData(fixture.Deletes, `data_wo = { a = "one", b = "two" }`, `binary_data_wo = { raw = "/w==" }`, `expected_data_wo = { guard = "g", gone = null }`))
	p.WantSecret("database", fixture.Data{"user": "kept", "guard": "g", "a": "one", "b": "two", "raw": "\xff"})
	wantKeys("a", "b", "raw")
	p.PlanNothing()

	// Without another version a key that is new or dropped is a change, another value is none.
	p.Write(fixture.SecretData(fixture.Deletes, `data_wo = { a = "changed", b = "two" }`, `binary_data_wo = { raw = "/w==" }`))
	p.PlanNothing()
	p.Planned(fixture.SecretData(fixture.Deletes, `data_wo = { a = "changed", c = "three" }`, `binary_data_wo = { raw = "/w==" }`))
	p.WantSecret("database", fixture.Data{"user": "kept", "guard": "g", "a": "one", "c": "three", "raw": "\xff"})
	wantKeys("a", "c", "raw")
	p.PlanNothing()

	// With another version all are written, in one request, or none.
	p.Write(fixture.SecretData(fixture.Deletes, fixture.Overwrites, `data_wo = { a = "changed", c = "3" }`, `data_wo_version = 2`, `expected_data_wo = { a = "one", guard = "g" }`))
	p.Plan()
	p.Rotate("database", "user", "other")
	p.ApplyRefused("Compare-And-Swap Conflict", "The Secret changed after", "Nothing was written.")
	p.WantSecret("database", fixture.Data{"user": "other", "guard": "g", "a": "one", "c": "three", "raw": "\xff"})
	p.PlanApply()
	p.WantSecret("database", fixture.Data{"user": "other", "guard": "g", "a": "changed", "c": "3"})
	wantKeys("a", "c")

	// A key that vanished comes back; the others stay as they are.
	p.Rotate("database", "a", "theirs")
	p.ChangeSecret("database", func(s *corev1.Secret) { delete(s.Data, "c") })
	p.Wants(p.Plan(), "Value Changed Since Last Apply")
	p.Apply()
	p.WantSecret("database", fixture.Data{"user": "other", "guard": "g", "a": "theirs", "c": "3"})
	wantKeys("a", "c")

	p.Destroy()
	p.WantSecret("database", fixture.Data{"user": "other", "guard": "g"})
}

func TestSecretDataByKey(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.CreateSecret("database", nil)
	p.Planned(fixture.SecretData(fixture.Deletes, `data_wo = { a = "1", b = "2" }`, `conflict_scope = "key"`))
	p.Write(fixture.SecretData(fixture.Deletes, `data_wo = { a = "3", b = "4" }`, `data_wo_version = 2`, `conflict_scope = "key"`, `expected_data_wo = { a = "1" }`))
	p.PlanRefused([]string{"Expected Value Missing", "an update needs the expected value of b", "Set expected_data_wo"})
	p.Write(fixture.SecretData(fixture.Deletes, `data_wo = { a = "3", b = "4" }`, `data_wo_version = 2`, `conflict_scope = "key"`, `expected_data_wo = { a = "1", b = "2" }`))
	p.Plan()
	p.Rotate("database", "other", "x")
	p.Apply()
	p.WantSecret("database", fixture.Data{"a": "3", "b": "4", "other": "x"})
	p.PlanNothing()
	p.Write(fixture.SecretData(fixture.Deletes, `data_wo = { a = "5", b = "6" }`, `data_wo_version = 3`, `conflict_scope = "key"`, `expected_data_wo = { a = "3", b = "4" }`))
	p.Plan()
	p.Rotate("database", "b", "rotated")
	p.ApplyRefused("Expected Value Mismatch", "b does not hold what expected_data_wo")
	p.WantSecret("database", fixture.Data{"a": "3", "b": "rotated", "other": "x"})

	// A removal compares the version in both scopes.
	p.Write(fixture.SecretData(fixture.Deletes, fixture.Overwrites, `data_wo = { a = "3" }`, `data_wo_version = 2`, `conflict_scope = "key"`))
	p.Plan()
	p.Rotate("database", "other", "y")
	p.ApplyRefused("Compare-And-Swap Conflict")
	p.WantSecret("database", fixture.Data{"a": "3", "b": "rotated", "other": "y"})
}

func TestSecretDataImportAndMove(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.CreateSecret("database", fixture.Data{"a": "1", "b": "2", "c": "3"})
	imported := "import {\n  to = cas_secret_data.it\n  id = \"${NAMESPACE}/database:a,b\"\n}\n"
	p.Write(imported + fixture.SecretData(fixture.Deletes, `data_wo = { a = "1", b = "other" }`, `adopt_existing = true`))
	p.PlanRefused([]string{"Key Already Exists", "b already exists with another value"})
	p.Planned(imported + fixture.SecretData(fixture.Deletes, `data_wo = { a = "1", b = "other" }`, `adopt_existing = true`, `expected_data_wo = { b = "2" }`))
	p.WantSecret("database", fixture.Data{"a": "1", "b": "other", "c": "3"})
	p.PlanNothing()
	p.Wants(p.Plan("-destroy"), "Key Existed Before Terraform", "a and b existed before this resource wrote them")
}

// One message is about an import that names a missing key.
func TestSecretDataImportOfAMissingKey(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.CreateSecret("database", fixture.Data{"a": "1"})
	imported := func(keys string) string {
		return "import {\n  to = cas_secret_data.it\n  id = \"${NAMESPACE}/database:" + keys + "\"\n}\n"
	}
	p.Write(imported("a,gone") + fixture.SecretData(`data_wo = { a = "1" }`))
	p.PlanRefused([]string{"Error: Key Not Found", `The Secret has no key "gone". Nothing was imported.`, "Key: gone Existing keys: a ", "!Key: gone Key: gone"})
	p.Write(imported("gone,a,lost") + fixture.SecretData(`data_wo = { a = "1" }`))
	p.PlanRefused([]string{"The Secret does not have the keys gone and lost. Nothing was imported.", "Key: gone Key: lost Existing keys: a "})
	p.Write(imported("a") + fixture.SecretData(`data_wo = { a = "1" }`, "adopt_existing = true")) // the way on
	p.PlanApply()
	p.PlanNothing()
}
