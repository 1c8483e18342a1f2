package message_test

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

var secretRef = eval.Ref{Kind: eval.Secret, Namespace: "shop", Name: "database"}

// aboutPassword is the subject of an entry of a Secret; the changes are to it.
func aboutPassword(op terms.Operation, changes ...func(*message.Subject)) message.Subject {
	s := message.Subject{
		ID: terms.EntryID{Ref: secretRef, Key: "foo"}, Noun: "entry", Place: "namespace, name and key", Op: op, Hide: message.ShowNothing,
		Value: path.Root("value_wo"), Revision: "value_wo_version",
		Keys:     map[string]message.KeyPaths{"foo": {Value: path.Root("value_wo"), Expected: path.Root("expected_value_wo")}},
		ImportID: func(ref eval.Ref, _ []string) string { return ref.String() + "/foo" },
		Ways:     message.Ways{OtherKeys: "set conflict_scope = \"key\".", Move: "Let each instance keep its key."},
	}
	for _, change := range changes {
		change(&s)
	}
	return s
}

// aboutPasswords is the subject of two keys of a Secret.
func aboutPasswords(op terms.Operation, changes ...func(*message.Subject)) message.Subject {
	s := aboutPassword(op)
	s.ID.Key, s.Noun, s.Value, s.Revision, s.Keys = "", "keys", path.Root("data_wo"), "data_wo_version", map[string]message.KeyPaths{}
	for _, key := range []string{"a", "foo"} {
		s.Keys[key] = message.KeyPaths{Value: path.Root("data_wo").AtMapKey(key), Expected: path.Root("expected_data_wo").AtMapKey(key)}
	}
	for _, change := range changes {
		change(&s)
	}
	return s
}

// expectingSecret has the configuration expect "one" of foo.
func expectingSecret(s *message.Subject) {
	one := eval.Binary([]byte("one"))
	s.Keys["foo"] = message.KeyPaths{Value: s.Keys["foo"].Value, Expected: path.Root("expected_value_wo"), Want: &one}
}

// secretDiagnosticTests cover Secrets. No message shows a value, its length or its digest. The observation contains foo.
func secretDiagnosticTests(seen *eval.Snapshot) map[string]diagnosticTest {
	const (
		object = "\n\n  Secret:  shop/database\n"
		head   = object + "  Key:     foo\n"
		wide   = "\n\n  Secret:           shop/database\n  Key:              foo\n"
		values = "  Expected:         (sensitive)\n  Found:            (sensitive)\n"
		at     = "value_wo_version"
	)
	one, two, live := eval.Binary([]byte("one")), eval.Binary([]byte("two")), seen.Value("foo")
	conflict := func(reason eval.Reason, expected eval.Value) *eval.ConflictError {
		e := &eval.ConflictError{
			Reason: reason, Ref: secretRef, Live: seen, Keys: []eval.KeyConflict{{Key: "foo", Reason: reason, Expected: expected, New: two}},
		}
		if reason > eval.ReasonEqual {
			e.At = eval.Version{UID: seen.Version().UID, ResourceVersion: "7"}
		}
		return e
	}
	drift := []decide.Drift{{Key: "foo", Found: live, ToWrite: two}}
	both := []decide.Drift{{Key: "a", Found: two, ToWrite: two}, {Key: "foo", Found: live, ToWrite: two}}
	return map[string]diagnosticTest{
		"Secret: another version": {
			of:   aboutPassword(terms.OpUpdate).Diagnose(conflict(eval.ReasonVersion, live)),
			path: "expected_resource_version_wo", summary: "Compare-And-Swap Conflict",
			detail: "The Secret is not at resourceVersion 7, which expected_resource_version_wo names. Nothing was written." + wide + wideBy +
				"  resourceVersion:  7 expected, 42 now\n\nRun terraform plan again with expected_resource_version_wo from a data source, or with the version that you have reviewed.",
		},
		"Secret: changed after the plan": {
			of: aboutPassword(terms.OpUpdate).Diagnose(conflict(eval.ReasonObject, eval.Anything())), summary: "Compare-And-Swap Conflict",
			detail: "The Secret changed after this plan was made. Nothing was written." + wide + wideBy + widePlanned + again,
		},
		"Secret: mismatch": {
			of:      aboutPassword(terms.OpUpdate, expectingSecret).Diagnose(conflict(eval.ReasonKey, one)),
			summary: "Expected Value Mismatch", path: at,
			detail: "foo does not hold what expected_value_wo says. Nothing was written." + wide + values + wideBy + wideNow +
				"\nTo replace it, set expected_value_wo to what foo holds; to keep it, set value_wo to what foo holds.",
		},
		"Secret: exists": {
			of: aboutPassword(terms.OpCreate).Diagnose(conflict(eval.ReasonKey, eval.Value{})), summary: "Key Already Exists", path: "key",
			detail: "foo already exists with another value. Nothing was written." + wide +
				"  Expected:         (absent)\n  Found:            (sensitive)\n" + wideBy + wideNow +
				"\nTo replace it, set expected_value_wo to what foo holds, or set expected_resource_version_wo = \"42\"; to keep it, set value_wo to what foo holds and adopt_existing = true.",
		},
		"Secret: held": {
			of: aboutPassword(terms.OpCreate).Diagnose(conflict(eval.ReasonEqual, eval.Value{})), summary: "Key Already Holds The Value", path: at,
			detail: "foo already holds the value to write. Nothing was written." + wide + "  Found:            (sensitive)\n" + wideBy + wideNow +
				"\nIf this resource is tainted, run terraform untaint with the address above. Otherwise set adopt_existing = true." + inPlace,
		},
		"Secret: an update by key that expects nothing": {
			of: aboutPassword(terms.OpUpdate, planning).ExpectationMissing([]string{"foo"}), summary: "Expected Value Missing", path: at,
			detail: `With conflict_scope = "key", an update needs the expected value of foo. Nothing was written.` + head +
				"\n" + `Set expected_value_wo or expected_resource_version_wo, or conflict_scope = "object".` + ofFoo,
		},
		"Secret: updates by key that expect nothing, warned": {
			of:       aboutPasswords(terms.OpUpdate, warned).ExpectationMissing([]string{"a", "foo"}),
			severity: diag.SeverityWarning, summary: "Expected Value Missing", path: "data_wo_version",
			detail: `With conflict_scope = "key", an update needs the expected value of a and foo. The apply will fail unless this changes.` + object +
				"  Key:     a\n  Key:     foo\n\n" + `Set expected_data_wo or expected_resource_version_wo, or conflict_scope = "object".`,
		},
		"Secret: drift that is kept": {
			of:       aboutPassword(terms.OpUpdate, planning).DriftKept(drift, seen),
			severity: diag.SeverityWarning, summary: "Value Changed Since Last Apply",
			detail: "Somebody else changed foo after the last apply. This plan leaves it as it is, unless it replaces the resource.\n\n  Secret:      shop/database\n  Key:         foo\n" +
				"  Found:       (sensitive)\n  To write:    (sensitive)\n  Changed by:  another-writer (last write 2026-07-01T11:59:00Z)\n\n" +
				`To keep what is there, set value_wo to it. To write value_wo again, set on_drift = "overwrite" and change value_wo_version.`,
		},
		"Secret: drift of several keys that is kept": {
			of:       aboutPasswords(terms.OpUpdate, planning).DriftKept(both, nil),
			severity: diag.SeverityWarning, summary: "Value Changed Since Last Apply",
			detail: "Somebody else changed a and foo after the last apply. This plan leaves them as they are, unless it replaces the resource.\n\n  Secret:    shop/database\n" +
				"  Key:       a\n  Found:     (sensitive)\n  To write:  (sensitive)\n  Key:       foo\n  Found:     (sensitive)\n  To write:  (sensitive)\n\n" +
				`To keep what is there, set data_wo to it. To write data_wo again, set on_drift = "overwrite" and change data_wo_version.`,
		},
		"Secret: drift that is refused": {
			of: aboutPassword(terms.OpUpdate).DriftRefused(drift, nil), summary: "Value Changed Since Last Apply",
			detail: "Somebody else changed foo after the last apply. on_drift = \"error\" protects it. Nothing was written.\n\n  Secret:    shop/database\n" +
				"  Key:       foo\n  Found:     (sensitive)\n  To write:  (sensitive)\n\n" +
				"To keep it, set value_wo to what foo holds; to overwrite it, set expected_value_wo to what foo holds, or set on_drift = \"overwrite\" for one apply.",
		},
		"Secret: too large": {
			of: aboutPassword(terms.OpUpdate).Diagnose(&eval.TooLargeError{Ref: secretRef, New: 10, Others: eval.MaxSize}), summary: "Secret Too Large", path: at,
			detail: "The Secret would be too large. Nothing was written." + head + "  Limit:   1048576 bytes for all values together\n" +
				"\nShorten a value, or use another Secret.",
		},
		"Secret: not found": {
			of: aboutPassword(terms.OpUpdate).Diagnose(&eval.NotFoundError{Ref: secretRef}), summary: "Secret Not Found", path: "name",
			detail: "The Secret does not exist. Nothing was written." + head + "\nCreate the Secret first, and let this resource depend on it.",
		},
		"Secret: not permitted": {
			of: aboutPassword(terms.OpUpdate).Diagnose(&eval.ForbiddenError{Ref: secretRef, Verb: "get", Err: errServer}), summary: "Not Permitted",
			detail: "You do not have permission to get this Secret. Nothing was written.\n\n  Secret:      shop/database\n  Key:         foo\n" +
				"  API server:  the server's own words\n\nGrant get and patch on secrets in this namespace.",
		},
		"Secret: existed before": {
			of: aboutPassword(terms.OpDelete, planning).ExistedBefore([]string{"foo"}), severity: diag.SeverityWarning, summary: "Key Existed Before Terraform",
			detail: "foo existed before this resource wrote it. This plan deletes it." + head +
				"\n" + `To leave it in place, apply deletion_policy = "abandon" before the destroy.`,
		},
		"Secret: several existed before": {
			of:       aboutPasswords(terms.OpDelete, planning).ExistedBefore([]string{"a", "foo"}),
			severity: diag.SeverityWarning, summary: "Key Existed Before Terraform",
			detail: "a and foo existed before this resource wrote them. This plan deletes them." + object + "  Key:     a\n  Key:     foo\n" +
				"\n" + `To leave them in place, apply deletion_policy = "abandon" before the destroy.`,
		},
	}
}

// Terraform prints the line of the configuration that a diagnostic points at. The line of a write-only value may contain
// the value.
func TestNoDiagnosticPointsAtAWriteOnlyValue(t *testing.T) {
	t.Parallel()
	seen := seenOf(map[string]string{"foo": "live"})
	for _, attribute := range []string{"value_wo", "value_base64_wo", "expected_value_wo", "expected_value_base64_wo", "data_wo", "binary_data_wo"} {
		one := eval.Binary([]byte("one"))
		for _, about := range []message.Subject{
			aboutPassword(terms.OpUpdate, func(s *message.Subject) {
				s.Value, s.Keys["foo"] = path.Root(attribute), message.KeyPaths{Value: path.Root(attribute), Expected: path.Root(attribute), Want: &one}
			}),
			aboutPasswords(terms.OpUpdate, func(s *message.Subject) {
				at := path.Root(attribute).AtMapKey("foo")
				s.Value, s.Keys["foo"] = path.Root(attribute), message.KeyPaths{Value: at, Expected: at, Want: &one}
			}),
		} {
			for name, told := range map[string]diag.Diagnostic{
				"mismatch": about.Diagnose(&eval.ConflictError{
					Reason: eval.ReasonKey, Ref: secretRef, Live: seen, Keys: []eval.KeyConflict{{Key: "foo", Reason: eval.ReasonKey, Expected: one}},
				}),
				"too large": about.Diagnose(&eval.TooLargeError{Ref: secretRef, New: 1, Others: eval.MaxSize}), "missing": about.ExpectationMissing([]string{"foo"}),
				"written twice": about.KeyWrittenTwice([]string{"foo"}, false), "moves": about.KeyMoves([]string{"foo"}, false),
				"admission": about.NotStoredAsSent([]decide.KeyChange{{Key: "foo", Sent: one}}),
			} {
				if at, ok := told.(diag.DiagnosticWithPath); ok && at.Path().Steps()[0].String() == attribute {
					t.Errorf("%s of %s points at %s", name, attribute, at.Path())
				}
			}
		}
	}
}
