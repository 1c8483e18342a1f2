package secret

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

func TestSecretEntryBasic(t *testing.T) {
	p := fixture.NewPipeline(t)
	made := p.CreateSecret("database", fixture.Data{"user": "kept"})

	p.Planned(fixture.SecretEntry(`value_wo = "first-value"`, `value_wo_version = 1`))
	p.WantSecret("database", fixture.Data{"user": "kept", "password": "first-value"})
	got := p.State()["it"].Attributes
	want := map[string]any{
		"id": p.Namespace + "/database/password", "uid": string(made.UID), "resource_version": p.LiveSecret("database").ResourceVersion,
		"value_wo": nil, "value_base64_wo": nil, "expected_value_wo": nil, "value_wo_version": 1.0,
	}
	for attribute, v := range want {
		if diff := cmp.Diff(v, got[attribute]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", attribute, diff)
		}
	}
	p.PlanNothing()

	// Another value without another version is no change.
	p.Write(fixture.SecretEntry(`value_wo = "second-value"`, `value_wo_version = 1`))
	p.PlanNothing()

	p.Planned(fixture.SecretEntry(`value_wo = "second-value"`, `value_wo_version = 2`))
	p.WantSecret("database", fixture.Data{"user": "kept", "password": "second-value"})
	p.PlanNothing()

	p.Destroy()
	p.WantSecret("database", fixture.Data{"user": "kept"})
}

func TestSecretEntryConflicts(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.CreateSecret("database", fixture.Data{"password": "old", "user": "u"})

	p.Write(fixture.SecretEntry(fixture.Deletes, `value_wo = "new"`))
	p.PlanRefused([]string{"Key Already Exists", "password already exists with another value", "Secret:", "set expected_value_wo to what password holds"})
	p.Write(fixture.SecretEntry(fixture.Deletes, `value_wo = "new"`, `expected_value_wo = "wrong"`))
	p.PlanRefused([]string{
		"Expected Value Mismatch", "password does not hold what expected_value_wo says", "Expected: (sensitive)", "Found: (sensitive)",
		"Changed by: another-writer",
	})
	p.Write(fixture.SecretEntry(fixture.Deletes, `value_wo = "new"`, `expected_value_wo = "old"`))
	p.Plan()
	p.Rotate("database", "password", "rotated")
	p.ApplyRefused("Expected Value Mismatch")
	p.WantSecret("database", fixture.Data{"password": "rotated", "user": "u"})

	// An update compares the version of the Secret with the plan.
	p.Planned(fixture.SecretEntry(fixture.Deletes, `value_wo = "new"`, `expected_value_wo = "rotated"`))
	p.Write(fixture.SecretEntry(fixture.Deletes, `value_wo = "newer"`, `value_wo_version = 2`))
	p.Plan()
	p.Rotate("database", "user", "v")
	p.ApplyRefused("Compare-And-Swap Conflict", "The Secret changed after", "Nothing was written.")
	p.WantSecret("database", fixture.Data{"password": "new", "user": "v"})

	// By key it needs an expectation.
	p.Write(fixture.SecretEntry(fixture.Deletes, `value_wo = "newer"`, `value_wo_version = 2`, `conflict_scope = "key"`))
	p.PlanRefused([]string{"Expected Value Missing", `With conflict_scope = "key", an update needs the expected value of password.`})
	p.Write(fixture.SecretEntry(fixture.Deletes, `value_wo = "newer"`, `value_wo_version = 2`, `conflict_scope = "key"`, `expected_value_wo = "new"`))
	p.Plan()
	p.Rotate("database", "user", "w")
	p.Apply()
	p.WantSecret("database", fixture.Data{"password": "newer", "user": "w"})
	p.PlanNothing()

	// A delete compares the version with its plan, in both scopes.
	p.Plan("-destroy")
	p.Rotate("database", "user", "x")
	p.ApplyRefused("Compare-And-Swap Conflict", "The Secret changed after this plan was made. Nothing was removed.")
	p.Destroy()
	p.WantSecret("database", fixture.Data{"user": "x"})
}

func TestSecretEntryDrift(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.CreateSecret("database", nil)
	p.Planned(fixture.SecretEntry(`value_wo = "mine"`))

	// Somebody else changes the key: each plan says so, and leaves it alone until the version changes.
	p.Rotate("database", "password", "theirs")
	p.Wants(p.PlanNothing(), "Warning: Value Changed Since Last Apply", "Somebody else changed password after the last apply. This plan leaves it as it is, unless it replaces the resource.",
		"Changed by: another-writer")
	p.Planned(fixture.SecretEntry(`value_wo = "mine"`, `on_drift = "overwrite"`))
	p.WantSecret("database", fixture.Data{"password": "theirs"})
	p.Write(fixture.SecretEntry(`value_wo = "mine"`, `value_wo_version = 2`))
	p.PlanRefused([]string{"Value Changed Since Last Apply", `on_drift = "error" protects it.`})
	p.Write(fixture.SecretEntry(`value_wo = "mine"`, `value_wo_version = 2`, fixture.Overwrites))
	p.Wants(p.Plan(), "Value Changed Since Last Apply", "This update overwrites it.")
	p.Apply()
	p.WantSecret("database", fixture.Data{"password": "mine"})
	p.PlanNothing()

	// To accept what is there moves the baseline and writes nothing.
	p.Rotate("database", "password", "theirs")
	version := p.LiveSecret("database").ResourceVersion
	p.Planned(fixture.SecretEntry(`value_wo = "theirs"`, `value_wo_version = 2`))
	if now := p.LiveSecret("database").ResourceVersion; now != version {
		t.Errorf("wrote: from version %s to %s", version, now)
	}
	if out := p.PlanNothing(); out != "" {
		p.Wants(out, "No changes")
	}

	// A vanished key is created again.
	p.ChangeSecret("database", func(s *corev1.Secret) { s.Data = nil })
	p.PlanApply()
	p.WantSecret("database", fixture.Data{"password": "theirs"})
}

func TestSecretEntryImport(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.CreateSecret("database", fixture.Data{"password": "there"})
	imported := "import {\n  to = cas_secret_entry.it\n  id = \"${NAMESPACE}/database/password\"\n}\n"
	p.Write(imported + fixture.SecretEntry(fixture.Deletes, `value_wo = "mine"`))
	p.PlanRefused([]string{"Key Already Exists"})
	p.Write(imported + fixture.SecretEntry(fixture.Deletes, `value_wo = "there"`, `adopt_existing = true`))
	version := p.LiveSecret("database").ResourceVersion
	p.PlanApply()
	if now := p.LiveSecret("database").ResourceVersion; now != version {
		t.Errorf("wrote: from version %s to %s", version, now)
	}
	p.PlanNothing()
	p.Wants(p.Plan("-destroy"), "Key Existed Before Terraform", `To leave it in place, apply deletion_policy = "abandon" before the destroy.`, "!restore")
}

func TestSecretEntryInvalidValues(t *testing.T) {
	p := fixture.NewPipeline(t)
	for lines, want := range map[string]string{
		`value_base64_wo = "planted?"`:                                "Attribute value_base64_wo: must be canonical standard base64",
		"value_wo = \"v\"\n  expected_value_base64_wo = \"planted?\"": "Attribute expected_value_base64_wo: must be canonical standard base64",
		"value_wo = \"planted?\"\n  value_base64_wo = \"djE=\"":       "Attribute value_wo: must not be set together with value_base64_wo.",
	} {
		p.Write(fixture.SecretEntry(lines))
		p.PlanRefused([]string{want, "!planted"})
	}
}

// Only one of two attributes may be set, and only the apply knows both. The apply writes if one is null, and refuses both.
func TestSecretEntryWhosePairIsKnownAtApply(t *testing.T) {
	const later = "resource \"terraform_data\" \"later\" {\n  input = %q\n}\nlocals {\n  later = terraform_data.later.output\n}\n"
	for name, test := range map[string]struct {
		is    string
		lines []string
		live  string // what the key holds first; absent where it is empty
		want  string // empty where it is refused
	}{
		"a text":                    {"v2", []string{`value_wo = local.later == "" ? null : local.later`, `value_base64_wo = local.later == "" ? "djE=" : null`}, "", "v2"},
		"bytes":                     {"", []string{`value_wo = local.later == "" ? null : local.later`, `value_base64_wo = local.later == "" ? "djE=" : null`}, "", "v1"},
		"bytes, the text not known": {"", []string{`value_wo = local.later == "" ? null : local.later`, `value_base64_wo = "djE="`}, "", "v1"},
		"both":                      {"v2", []string{`value_wo = local.later`, `value_base64_wo = base64encode(local.later)`}, "", ""},
		"an expectation": {
			"", []string{`value_wo = "v2"`, `expected_value_wo = local.later == "" ? "v1" : null`, `expected_value_base64_wo = local.later == "" ? null : "djE="`}, "v1", "v2",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			data := fixture.Data{}
			if test.live != "" {
				data["password"] = test.live
			}
			p.CreateSecret("database", data)
			p.Write(fmt.Sprintf(later, test.is) + fixture.SecretEntry(test.lines...))
			p.Plan()
			if test.want == "" {
				p.ApplyRefused("Attribute value_wo: must not be set together with value_base64_wo.")
				p.WantSecret("database", data)
				return
			}
			p.Apply()
			p.WantSecret("database", fixture.Data{"password": test.want})
			p.PlanNothing()
		})
	}
}

// Given many keys of one Secret; when one apply writes, changes or removes them all; then none is in the way of another.
func TestSecretEntriesOfOneSecret(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.CreateSecret("database", nil)
	const count = 20
	write := func(value string, version int) (want fixture.Data) {
		var all strings.Builder
		want = fixture.Data{}
		for i := range count {
			fmt.Fprintf(&all, "resource \"cas_secret_entry\" \"e%d\" {\n  namespace = NAMESPACE\n  name = \"database\"\n  key = \"k%d\"\n  value_wo = %q\n"+
				"  value_wo_version = %d\n}\n", i, i, value, version)
			want[fmt.Sprintf("k%d", i)] = value
		}
		p.Write(all.String())
		return want
	}
	for version, value := range []string{"first", "second"} {
		want := write(value, version)
		p.PlanApply()
		p.WantSecret("database", want)
		p.PlanNothing()
	}
	p.PlanApply("-destroy")
	p.WantSecret("database", fixture.Data{})
}
