package acceptance_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

func TestSecretDataBasic(t *testing.T) {
	p := newPipeline(t)
	p.createSecret("database", data{"user": "kept", "guard": "g"})
	wantKeys := func(keys ...any) {
		t.Helper()
		if diff := cmp.Diff(any(keys), p.state()["it"].Attributes["keys"]); diff != "" {
			t.Errorf("keys (-want +got):\n%s", diff)
		}
	}

	p.planned(secretData(`data_wo = { a = "one", b = "two" }`, `binary_data_wo = { raw = "/w==" }`, `expected_data_wo = { guard = "g", gone = null }`))
	p.wantSecret("database", data{"user": "kept", "guard": "g", "a": "one", "b": "two", "raw": "\xff"})
	wantKeys("a", "b", "raw")
	p.planNothing()

	// Without another version a key that is new or dropped is a change, another value is none.
	p.write(secretData(`data_wo = { a = "changed", b = "two" }`, `binary_data_wo = { raw = "/w==" }`))
	p.planNothing()
	p.planned(secretData(`data_wo = { a = "changed", c = "three" }`, `binary_data_wo = { raw = "/w==" }`))
	p.wantSecret("database", data{"user": "kept", "guard": "g", "a": "one", "c": "three", "raw": "\xff"})
	wantKeys("a", "c", "raw")
	p.planNothing()

	// With another version all are written, in one request, or none.
	p.write(secretData(`data_wo = { a = "changed", c = "3" }`, `data_wo_version = 2`, `expected_data_wo = { a = "one", guard = "g" }`))
	p.plan()
	p.rotate("database", "user", "other")
	p.applyRefused("Compare-And-Swap Conflict", "The Secret changed after", "Nothing was written.")
	p.wantSecret("database", data{"user": "other", "guard": "g", "a": "one", "c": "three", "raw": "\xff"})
	p.planApply()
	p.wantSecret("database", data{"user": "other", "guard": "g", "a": "changed", "c": "3"})
	wantKeys("a", "c")

	// A key that vanished comes back; the others stay as they are.
	p.rotate("database", "a", "theirs")
	p.changeSecret("database", func(s *corev1.Secret) { delete(s.Data, "c") })
	p.wants(p.plan(), "Value Changed Since Last Apply")
	p.apply()
	p.wantSecret("database", data{"user": "other", "guard": "g", "a": "theirs", "c": "3"})
	wantKeys("a", "c")

	p.destroy()
	p.wantSecret("database", data{"user": "other", "guard": "g"})
}

func TestSecretDataByKey(t *testing.T) {
	p := newPipeline(t)
	p.createSecret("database", nil)
	p.planned(secretData(`data_wo = { a = "1", b = "2" }`, `conflict_scope = "key"`))
	p.write(secretData(`data_wo = { a = "3", b = "4" }`, `data_wo_version = 2`, `conflict_scope = "key"`, `expected_data_wo = { a = "1" }`))
	p.planRefused([]string{"Expected Value Missing", "an update needs the expected value of b", "Set expected_data_wo"})
	p.write(secretData(`data_wo = { a = "3", b = "4" }`, `data_wo_version = 2`, `conflict_scope = "key"`, `expected_data_wo = { a = "1", b = "2" }`))
	p.plan()
	p.rotate("database", "other", "x")
	p.apply()
	p.wantSecret("database", data{"a": "3", "b": "4", "other": "x"})
	p.planNothing()
	p.write(secretData(`data_wo = { a = "5", b = "6" }`, `data_wo_version = 3`, `conflict_scope = "key"`, `expected_data_wo = { a = "3", b = "4" }`))
	p.plan()
	p.rotate("database", "b", "rotated")
	p.applyRefused("Expected Value Mismatch", "b does not hold what expected_data_wo")
	p.wantSecret("database", data{"a": "3", "b": "rotated", "other": "x"})

	// A removal goes by the version, whatever the scope.
	p.write(secretData(`data_wo = { a = "3" }`, `data_wo_version = 2`, `conflict_scope = "key"`))
	p.plan()
	p.rotate("database", "other", "y")
	p.applyRefused("Compare-And-Swap Conflict")
	p.wantSecret("database", data{"a": "3", "b": "rotated", "other": "y"})
}

func TestSecretDataImportAndMove(t *testing.T) {
	p := newPipeline(t)
	p.createSecret("database", data{"a": "1", "b": "2", "c": "3"})
	imported := "import {\n  to = cas_secret_data.it\n  id = \"${NAMESPACE}/database:a,b\"\n}\n"
	p.write(imported + secretData(`data_wo = { a = "1", b = "other" }`, `adopt_existing = true`))
	p.planRefused([]string{"Key Already Exists", "b already exists with another value"})
	p.planned(imported + secretData(`data_wo = { a = "1", b = "other" }`, `adopt_existing = true`, `expected_data_wo = { b = "2" }`))
	p.wantSecret("database", data{"a": "1", "b": "other", "c": "3"})
	p.planNothing()
	p.wants(p.plan("-destroy"), "Key Existed Before Terraform", "a and b existed before this resource wrote them")
}
