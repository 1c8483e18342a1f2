package acceptance_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
)

func TestSecretEntryBasic(t *testing.T) {
	p := newPipeline(t)
	made := p.createSecret("database", data{"user": "kept"})

	p.planned(secretEntry(`value_wo = "first-value"`, `value_wo_version = 1`))
	p.wantSecret("database", data{"user": "kept", "password": "first-value"})
	got := p.state()["it"].Attributes
	want := map[string]any{
		"id": p.namespace + "/database/password", "uid": string(made.UID), "resource_version": p.liveSecret("database").ResourceVersion,
		"value_wo": nil, "value_base64_wo": nil, "expected_value_wo": nil, "value_wo_version": 1.0,
	}
	for attribute, v := range want {
		if diff := cmp.Diff(v, got[attribute]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", attribute, diff)
		}
	}
	p.planNothing()

	// Another value without another version is no change.
	p.write(secretEntry(`value_wo = "second-value"`, `value_wo_version = 1`))
	p.planNothing()

	p.planned(secretEntry(`value_wo = "second-value"`, `value_wo_version = 2`))
	p.wantSecret("database", data{"user": "kept", "password": "second-value"})
	p.planNothing()

	p.destroy()
	p.wantSecret("database", data{"user": "kept"})
}

func TestSecretEntryConflicts(t *testing.T) {
	p := newPipeline(t)
	p.createSecret("database", data{"password": "old", "user": "u"})

	p.write(secretEntry(`value_wo = "new"`))
	p.planRefused([]string{"Key Already Exists", "password already exists with another value", "Secret:", "set expected_value_wo to what password holds"})
	p.write(secretEntry(`value_wo = "new"`, `expected_value_wo = "wrong"`))
	p.planRefused([]string{
		"Expected Value Mismatch", "password does not hold what expected_value_wo says", "Expected: (sensitive)", "Found: (sensitive)",
		"Changed by: another-writer",
	})
	p.write(secretEntry(`value_wo = "new"`, `expected_value_wo = "old"`))
	p.plan()
	p.rotate("database", "password", "rotated")
	p.applyRefused("Expected Value Mismatch")
	p.wantSecret("database", data{"password": "rotated", "user": "u"})

	// An update goes by the version of the Secret that the plan saw.
	p.planned(secretEntry(`value_wo = "new"`, `expected_value_wo = "rotated"`))
	p.write(secretEntry(`value_wo = "newer"`, `value_wo_version = 2`))
	p.plan()
	p.rotate("database", "user", "v")
	p.applyRefused("Compare-And-Swap Conflict", "The Secret changed after", "Nothing was written.")
	p.wantSecret("database", data{"password": "new", "user": "v"})

	// By key it needs an expectation.
	p.write(secretEntry(`value_wo = "newer"`, `value_wo_version = 2`, `conflict_scope = "key"`))
	p.planRefused([]string{"Expected Value Missing", `With conflict_scope = "key", an update needs the expected value of password.`})
	p.write(secretEntry(`value_wo = "newer"`, `value_wo_version = 2`, `conflict_scope = "key"`, `expected_value_wo = "new"`))
	p.plan()
	p.rotate("database", "user", "w")
	p.apply()
	p.wantSecret("database", data{"password": "newer", "user": "w"})
	p.planNothing()

	// A delete goes by the version that its plan saw, whatever the scope.
	p.plan("-destroy")
	p.rotate("database", "user", "x")
	p.applyRefused("Compare-And-Swap Conflict", "The Secret changed after this plan was made. Nothing was removed.")
	p.destroy()
	p.wantSecret("database", data{"user": "x"})
}

func TestSecretEntryDrift(t *testing.T) {
	p := newPipeline(t)
	p.createSecret("database", nil)
	p.planned(secretEntry(`value_wo = "mine"`))

	// Somebody else changes the key: each plan says so, and leaves it alone until the version changes.
	p.rotate("database", "password", "theirs")
	p.wants(p.planNothing(), "Warning: Value Changed Since Last Apply", "Somebody else changed password after the last apply. This plan leaves it as it is, unless it replaces the resource.",
		"Changed by: another-writer")
	p.planned(secretEntry(`value_wo = "mine"`, `on_drift = "off"`))
	p.wantSecret("database", data{"password": "theirs"})
	p.write(secretEntry(`value_wo = "mine"`, `value_wo_version = 2`, `on_drift = "error"`))
	p.planRefused([]string{"Value Changed Since Last Apply", `on_drift = "error" protects it.`})
	p.write(secretEntry(`value_wo = "mine"`, `value_wo_version = 2`))
	p.wants(p.plan(), "Value Changed Since Last Apply", "This update overwrites it.")
	p.apply()
	p.wantSecret("database", data{"password": "mine"})
	p.planNothing()

	// To accept what is there moves the baseline and writes nothing.
	p.rotate("database", "password", "theirs")
	version := p.liveSecret("database").ResourceVersion
	p.planned(secretEntry(`value_wo = "theirs"`, `value_wo_version = 2`))
	if now := p.liveSecret("database").ResourceVersion; now != version {
		t.Errorf("wrote: from version %s to %s", version, now)
	}
	if out := p.planNothing(); out != "" {
		p.wants(out, "No changes")
	}

	// A vanished key is created again.
	p.changeSecret("database", func(s *corev1.Secret) { s.Data = nil })
	p.planApply()
	p.wantSecret("database", data{"password": "theirs"})
}

func TestSecretEntryImport(t *testing.T) {
	p := newPipeline(t)
	p.createSecret("database", data{"password": "there"})
	imported := "import {\n  to = cas_secret_entry.it\n  id = \"${NAMESPACE}/database/password\"\n}\n"
	p.write(imported + secretEntry(`value_wo = "mine"`))
	p.planRefused([]string{"Key Already Exists"})
	p.write(imported + secretEntry(`value_wo = "there"`, `adopt_existing = true`))
	version := p.liveSecret("database").ResourceVersion
	p.planApply()
	if now := p.liveSecret("database").ResourceVersion; now != version {
		t.Errorf("wrote: from version %s to %s", version, now)
	}
	p.planNothing()
	p.wants(p.plan("-destroy"), "Key Existed Before Terraform", `To leave it in place, apply deletion_policy = "abandon", then plan this again.`, "!restore")
}

func TestSecretEntryInvalidValues(t *testing.T) {
	p := newPipeline(t)
	for lines, want := range map[string]string{
		`value_base64_wo = "planted?"`:                                "Attribute value_base64_wo: must be canonical standard base64",
		"value_wo = \"v\"\n  expected_value_base64_wo = \"planted?\"": "Attribute expected_value_base64_wo: must be canonical standard base64",
		"value_wo = \"planted?\"\n  value_base64_wo = \"djE=\"":       "Attribute value_wo: must not be set together with value_base64_wo.",
	} {
		p.write(secretEntry(lines))
		p.planRefused([]string{want, "!planted"})
	}
}

// Given many keys of one Secret; when one apply writes, changes or removes them all; then none is in the way of another.
func TestSecretEntriesOfOneSecret(t *testing.T) {
	p := newPipeline(t)
	p.createSecret("database", nil)
	const count = 20
	write := func(value string, version int) (want data) {
		var all strings.Builder
		want = data{}
		for i := range count {
			fmt.Fprintf(&all, "resource \"cas_secret_entry\" \"e%d\" {\n  namespace = NAMESPACE\n  name = \"database\"\n  key = \"k%d\"\n  value_wo = %q\n"+
				"  value_wo_version = %d\n}\n", i, i, value, version)
			want[fmt.Sprintf("k%d", i)] = value
		}
		p.write(all.String())
		return want
	}
	for version, value := range []string{"first", "second"} {
		want := write(value, version)
		p.planApply()
		p.wantSecret("database", want)
		p.planNothing()
	}
	p.planApply("-destroy")
	p.wantSecret("database", data{})
}
