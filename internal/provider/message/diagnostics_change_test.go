package message_test

import (
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// changeDiagnosticTests are of who changed what, of keys that are missing, and of values of several lines.
func changeDiagnosticTests() map[string]diagnosticTest {
	owned := observed(map[string]string{"foo": "live", "bar": "2"}, // and gone was there, which key-writer removed
		written("another-writer", writtenAt.Add(-time.Hour)), written("key-writer", writtenAt.Add(-time.Minute), "foo"), written("object-writer", writtenAt, "bar"))
	three := seenOf(map[string]string{"zoo": "secret", "foo": "secret", "bar": "secret"})
	many := map[string]string{}
	for i := range 12 {
		many[fmt.Sprintf("k%02d", i)] = "secret"
	}
	twelve := seenOf(many)
	lines := seenOf(map[string]string{"foo": "a: 1\nb: 2\nc: 3\nd: 4\ne: 5\nf: 6\n"})
	planned := func(seen *eval.Snapshot) eval.Version {
		return eval.Version{UID: seen.Version().UID, ResourceVersion: "7"}
	}
	expects := func(reason eval.Reason, key string, e eval.Value, seen *eval.Snapshot) *eval.ConflictError {
		return &eval.ConflictError{
			Reason: reason, Ref: testRef, At: planned(seen), Live: seen, Keys: []eval.KeyConflict{{Key: key, Reason: reason, Expected: e, New: eval.Text("2")}},
		}
	}
	const (
		multiline = "a: 1\nb: 2\nc: 3\nd: 0\ne: 5\nf: 6\n"
		diff      = "  Difference:       - expected, + found\n    @@ -1,7 +1,7 @@\n     a: 1\n     b: 2\n     c: 3\n    -d: 0\n    +d: 4\n     e: 5\n     f: 6\n     \n"
	)
	missing := func(op terms.Operation, key string, changes ...func(*message.Subject)) message.Subject {
		s := aboutFoo(op, append([]func(*message.Subject){expecting("expected_value")}, changes...)...)
		s.ID.Key, s.Keys = key, map[string]message.KeyPaths{key: s.Keys["foo"]}
		return s
	}
	return map[string]diagnosticTest{
		"changed by: the owner of the key that changed": {
			of: aboutFoo(terms.OpUpdate).Diagnose(expects(eval.ReasonObject, "foo", eval.Text("1"), owned)), summary: "Compare-And-Swap Conflict",
			detail: "foo changed after this plan was made. Nothing was written." + wide + wideFoo +
				"  Changed by:       key-writer (last write 2026-07-01T11:58:00Z)\n" + widePlanned + again,
		},
		"changed by: the last writer of an object whose key did not change": {
			of: aboutFoo(terms.OpUpdate).Diagnose(expects(eval.ReasonObject, "foo", eval.Text("live"), owned)), summary: "Compare-And-Swap Conflict",
			detail: "foo is unchanged (\"live\"), but the ConfigMap changed. Nothing was written." + wide +
				"  Changed by:       object-writer (last write 2026-07-01T11:59:00Z)\n" + widePlanned +
				"\nRun terraform plan again, or ignore other keys.",
		},
		"changed by: nobody is known of a key that was removed": {
			of: missing(terms.OpDelete, "gone").Diagnose(expects(eval.ReasonKey, "gone", eval.Text("1"), owned)), summary: "Compare-And-Swap Conflict",
			detail: "gone changed after this plan was made. Nothing was removed.\n\n  ConfigMap:        shop/settings\n  Key:              gone\n" +
				"  Expected:         \"1\"\n  Found:            (absent)\n  Existing keys:    foo, bar\n" + widePlanned + again,
		},
		"missing key: of three": {
			of:   missing(terms.OpCreate, "fooo").Diagnose(expects(eval.ReasonKey, "fooo", eval.Text("1"), three)),
			path: "expected_value", summary: "Expected Value Mismatch",
			detail: "The ConfigMap has no key \"fooo\". Nothing was written.\n\n  ConfigMap:        shop/settings\n  Key:              fooo\n" +
				"  Expected:         \"1\"\n  Found:            (absent)\n  Existing keys:    foo, zoo, bar\n" + widePlanned +
				"\nDid you mean foo? To create fooo, remove expected_value.",
		},
		"missing key: of twelve, hidden": {
			of:   missing(terms.OpCreate, "k11x", hidden).Diagnose(expects(eval.ReasonKey, "k11x", eval.Text("1"), twelve)),
			path: "expected_value", summary: "Expected Value Mismatch",
			detail: "The ConfigMap has no key \"k11x\". Nothing was written.\n\n  ConfigMap:        shop/settings\n  Key:              k11x\n" +
				"  Expected:         (hidden, 1 bytes, sha256:" + digestOf("1") + ")\n  Found:            (absent)\n" +
				"  Existing keys:    k11, k01, k10, k00, k02, k03, k04, k05, k06, k07 and 2 more\n" + widePlanned +
				"\nDid you mean k11? To create k11x, remove expected_value.",
		},
		"several lines: changed": {
			of: aboutFoo(terms.OpUpdate).Diagnose(expects(eval.ReasonKey, "foo", eval.Text(multiline), lines)), summary: "Compare-And-Swap Conflict",
			detail: "foo changed after this plan was made. Nothing was written." + wide + diff + wideBy + widePlanned + again,
		},
		"several lines: not as expected": {
			of: aboutFoo(terms.OpUpdate, expectingEntry("expected_value", eval.Text(multiline))).Diagnose(
				expects(eval.ReasonKey, "foo", eval.Text(multiline), lines)),
			path: "expected_value", summary: "Expected Value Mismatch",
			detail: "foo does not hold what expected_value says. Nothing was written." + wide + diff + wideBy + widePlanned +
				"\nTo replace it, set expected_value to what foo holds; to keep it, set value to what foo holds.",
		},
		"several lines: hidden": {
			of: aboutFoo(terms.OpUpdate, expectingEntry("expected_value", eval.Text(multiline)), hidden).Diagnose(
				expects(eval.ReasonKey, "foo", eval.Text(multiline), lines)),
			path: "expected_value", summary: "Expected Value Mismatch",
			detail: "foo does not hold what expected_value says. Nothing was written." + wide +
				"  Expected:         (hidden, 30 bytes, sha256:" + digestOf(multiline) + ")\n" +
				"  Found:            (hidden, 30 bytes, sha256:" + digestOf("a: 1\nb: 2\nc: 3\nd: 4\ne: 5\nf: 6\n") + ")\n" + wideBy + widePlanned +
				"\nTo replace it, set expected_value to what foo holds; to keep it, set value to what foo holds.",
		},
	}
}

// warnedDiagnosticTests are of plans whose plan_check is "warning": nothing is refused there.
func warnedDiagnosticTests(seen *eval.Snapshot) map[string]diagnosticTest {
	const fails = " The apply will fail unless this changes."
	planned := eval.Version{UID: seen.Version().UID, ResourceVersion: "7"}
	return map[string]diagnosticTest{
		"warned: changed": {
			of:       aboutFoo(terms.OpUpdate, warned).Diagnose(conflictOf(eval.ReasonObject, seen, planned)),
			severity: diag.SeverityWarning, summary: "Compare-And-Swap Conflict",
			detail: "foo changed after Terraform last read it." + fails + wide + wideFoo + wideBy + wideRead + refresh,
		},
		"warned: not as expected": {
			of:       aboutFoo(terms.OpUpdate, expecting("expected_value"), warned).Diagnose(conflictOf(eval.ReasonKey, seen, eval.Version{})),
			severity: diag.SeverityWarning, path: "expected_value", summary: "Expected Value Mismatch",
			detail: "expected_value is \"1\", but foo holds \"live\"." + fails + wide + wideFoo + wideBy + wideNow +
				"\nTo replace \"live\", set expected_value = \"live\"; to keep it, set value = \"live\".",
		},
		"warned: not permitted": {
			of:       aboutFoo(terms.OpCreate, warned).Diagnose(&eval.ForbiddenError{Ref: testRef, Verb: "get", Err: errServer}),
			severity: diag.SeverityWarning, summary: "Not Permitted",
			detail: "You do not have permission to get this ConfigMap." + fails + served +
				"  API server:  the server's own words\n\nGrant get and patch on configmaps in this namespace.",
		},
		"warned: no ConfigMap yet": noConfigMapYet(aboutFoo(terms.OpCreate, warned), head),
		"warned: no version": {
			of:       aboutFoo(terms.OpUpdate, warned).VersionNotKnown(),
			severity: diag.SeverityWarning, summary: "ConfigMap Version Not Known",
			detail: "The state does not have the version of the ConfigMap yet." + fails + head + "\nRun terraform plan again without -refresh=false.",
		},
	}
}
