package provider

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// aboutSeveral is the subject of a resource that writes a, b and foo, expects foo to hold "1" and guards c.
func aboutSeveral(op terms.Operation, changes ...func(*diagnose.Subject)) diagnose.Subject {
	s := diagnose.Subject{
		ID: terms.EntryID{Ref: testRef}, Op: op, Limit: op, Expected: path.Empty(), Value: path.Root("data"),
		Several: map[string]diagnose.KeyAttributes{
			"a": {Value: "data"}, "b": {Value: "binary_data"}, "foo": {Value: "data", Expected: "expected_data", Want: cas.Text("1")},
			"c": {Expected: "expected_binary_data", Want: cas.Binary([]byte("1"))},
		},
	}
	for _, change := range changes {
		change(&s)
	}
	return s
}

// severalDiagnosticTests are of resources of several keys, where they read otherwise than those of one. The object that was seen holds foo.
func severalDiagnosticTests(seen *cas.Observation) map[string]diagnosticTest {
	const (
		object = "\n\nConfigMap: shop/settings\n"
		live   = "Live resourceVersion: VERSION\n" + lastLine
		foo    = "Key: foo\nExpected: \"1\"\nLive: \"live\"\n"
		taint  = " If the resource is tainted, `terraform untaint` keeps it: a tainted resource cannot be told from a new one."
	)
	conflict := func(reason cas.Reason, keys ...cas.KeyConflict) *cas.ConflictError {
		e := &cas.ConflictError{Reason: reason, Ref: testRef, Keys: keys, Live: seen}
		if reason > cas.ReasonHeld {
			e.At = cas.Version{UID: seen.Version().UID, ResourceVersion: "7"}
		}
		return e
	}
	key := func(name string, reason cas.Reason, expected cas.Entry) cas.KeyConflict {
		return cas.KeyConflict{Key: name, Reason: reason, Expected: expected, New: cas.Text("2")}
	}
	one, binary := cas.Text("1"), cas.Binary([]byte("1"))
	const gone = "Live: (absent)\n"
	return map[string]diagnosticTest{
		"several: one mismatch": {
			of:   aboutSeveral(terms.OpUpdate).Diagnose(conflict(cas.ReasonKey, key("foo", cas.ReasonKey, one))),
			path: `expected_data["foo"]`, summary: "Expected Value Mismatch",
			detail: "The key does not hold what expected_data says it must. Nothing was written." + object + foo + live +
				"\nSet expected_data to what the key holds if that is what the write may replace.",
		},
		"several: mismatches in both maps": {
			of:   aboutSeveral(terms.OpCreate, planning).Diagnose(conflict(cas.ReasonKey, key("c", cas.ReasonKey, binary), key("foo", cas.ReasonKey, one))),
			path: `expected_binary_data["c"]`, summary: "Expected Value Mismatch",
			detail: "The keys do not hold what expected_binary_data and expected_data say they must. Nothing was written." + object +
				"Key: c\nExpected: base64 \"MQ==\"\n" + gone + foo + live +
				"\nSet expected_binary_data and expected_data to what the keys hold if that is what the write may replace." + planEnd,
		},
		"several: held": {
			of:   aboutSeveral(terms.OpCreate).Diagnose(conflict(cas.ReasonHeld, key("b", cas.ReasonHeld, one), key("foo", cas.ReasonHeld, one))),
			path: `binary_data["b"]`, summary: "Key Already Holds The Value",
			detail: "The keys already hold their values, and this state does not know where from. Nothing was written." + object +
				"Key: b\n" + gone + "Key: foo\nLive: \"live\"\n" + live +
				"\nImport them with the id \"shop/settings:b,foo\", or set adopt_existing = true to take them over." + taint,
		},
		"several: held, of a key that an update adds": {
			of:   aboutSeveral(terms.OpUpdate).Diagnose(conflict(cas.ReasonHeld, key("a", cas.ReasonHeld, cas.Entry{}))),
			path: `data["a"]`, summary: "Key Already Holds The Value",
			detail: "The key already holds the value, and this state does not know where from. Nothing was written." + object +
				"Key: a\n" + gone + live + "\nSet adopt_existing = true to take it over.",
		},
		"several: exist": {
			of:   aboutSeveral(terms.OpCreate).Diagnose(conflict(cas.ReasonKey, key("a", cas.ReasonKey, cas.Entry{}), key("b", cas.ReasonKey, cas.Entry{}))),
			path: `data["a"]`, summary: "Key Already Exists",
			detail: "The keys exist with other values, and without expected_data only an absent key is written. Nothing was written." + object +
				"Key: a\nExpected: (absent)\n" + gone + "Key: b\nExpected: (absent)\n" + gone + live +
				"\nSet expected_data to what the write may replace, or import the keys with the id \"shop/settings:a,b\".",
		},
		"several: all faults": {
			of: aboutSeveral(terms.OpUpdate).Diagnose(conflict(cas.ReasonKey, key("a", cas.ReasonHeld, cas.Entry{}), key("b", cas.ReasonKey, cas.Entry{}),
				key("c", cas.ReasonKey, one), key("foo", cas.ReasonKey, one))),
			path: `expected_data["foo"]`, summary: "Compare-And-Swap Conflict",
			detail: "The key foo does not hold what expected_data says it must. The key a already holds the value, and this state does not know where from. " +
				"The key b exists with another value, and without expected_data only an absent key is written. " +
				"Another writer changed the key c since it was observed. Nothing was written." + object +
				"Key: a\n" + gone + "Key: b\nExpected: (absent)\n" + gone + "Key: c\nExpected: \"1\"\n" + gone + foo + live +
				"\nSet expected_data to what the key holds if that is what the write may replace. Set adopt_existing = true to take it over. " +
				"Set expected_data to what the write may replace. " + again,
		},
		"several: changed, on delete, whatever was expected once": {
			of:      aboutSeveral(terms.OpDelete, hidden).Diagnose(conflict(cas.ReasonKey, key("a", cas.ReasonKey, one), key("foo", cas.ReasonKey, one))),
			summary: "Compare-And-Swap Conflict",
			detail: "Another writer changed the keys since they were observed. Nothing was removed." + object +
				"Key: a\nExpected: (hidden, 1 bytes, sha256:" + digestOf("1") + ")\n" + gone + "Key: foo\nExpected: (hidden, 1 bytes, sha256:" + digestOf("1") +
				")\nLive: (hidden, 4 bytes, sha256:" + digestOf("live") + ")\n" + live + "\n" + again,
		},
		"several: object changed, and one of the keys": {
			of:      aboutSeveral(terms.OpUpdate).Diagnose(conflict(cas.ReasonObject, key("a", cas.ReasonObject, cas.Entry{}), key("foo", cas.ReasonObject, one))),
			summary: "Compare-And-Swap Conflict",
			detail: "Another writer changed the ConfigMap since it was observed. Nothing was written." + object + foo +
				"Planned resourceVersion: 7\n" + live + "\n" + again,
		},
		"several: object changed, and no key": {
			of:      aboutSeveral(terms.OpUpdate).Diagnose(conflict(cas.ReasonObject, key("a", cas.ReasonObject, cas.Entry{}))),
			summary: "Compare-And-Swap Conflict",
			detail: "Another writer changed the ConfigMap since it was observed. Nothing was written." + object + "Planned resourceVersion: 7\n" + live + "\n" + again +
				` Where changes of other keys do not matter, set conflict_scope = "key". Another provider, and another alias of this one, is another writer.`,
		},
		"several: own write": {
			of:      aboutSeveral(terms.OpDelete).Diagnose(conflict(cas.ReasonOwn, key("a", cas.ReasonOwn, one), key("foo", cas.ReasonOwn, one))),
			summary: "Compare-And-Swap Conflict",
			detail: "This run itself wrote the keys, later than what the removal goes by. Nothing was removed." + object +
				"Key: a\nExpected: \"1\"\n" + gone + foo + "Planned resourceVersion: 7\n" + live + "\nKey the instances of a resource by ConfigMap key, or use a `moved` block.",
		},
		"several: no ConfigMap": {
			of: aboutSeveral(terms.OpUpdate).Diagnose(&cas.NotFoundError{Ref: testRef}), path: "name", summary: "ConfigMap Not Found",
			detail: "The ConfigMap does not exist. Nothing was written." + object +
				"\nMake it first, and let the resource depend on what makes it: it does not make its ConfigMap.",
		},
		"several: no ConfigMap, in the plan of a create": {
			of:       aboutSeveral(terms.OpCreate, planning).Diagnose(&cas.NotFoundError{Ref: testRef}),
			severity: diag.SeverityWarning, path: "name", summary: "ConfigMap Does Not Exist Yet",
			detail: "The ConfigMap does not exist, so that nothing could be checked. It may be made in this apply; the check is made then." + object +
				"\nLet the resource depend on what makes the ConfigMap.",
		},
		"several: being deleted": {
			of:      aboutSeveral(terms.OpUpdate).Diagnose(&cas.TerminatingError{Ref: testRef, Since: time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)}),
			summary: "ConfigMap Is Being Deleted",
			detail: "The ConfigMap is being deleted, so nothing was written: the keys would be lost with it." + object +
				"Deleted at: 2026-07-01T12:00:00Z\n\nWait until it is gone, make it again, then plan again.",
		},
		"several: immutable, on delete": {
			of: aboutSeveral(terms.OpDelete).Diagnose(&cas.ImmutableError{Ref: testRef}), summary: "ConfigMap Is Immutable",
			detail: "The ConfigMap is immutable, so the keys cannot be removed." + object +
				"\nSet deletion_policy = \"abandon\" and apply that, to leave the keys as they are.",
		},
		"several: too large as it is planned": {
			of:       aboutSeveral(terms.OpUpdate, planning).Diagnose(&cas.TooLargeError{Ref: testRef, New: 10, Others: cas.MaxSize}),
			severity: diag.SeverityWarning, path: "data", summary: "ConfigMap Too Large",
			detail: "With these values the ConfigMap would be too large as it is now. Another resource may free space in this apply." + object +
				"Values: 10 bytes\nAll other values: 1048576 bytes\nLimit: 1048576 bytes for all values together",
		},
		"several: canceled": {
			of:      aboutSeveral(terms.OpUpdate).Diagnose(&cas.CanceledError{Ref: testRef, Host: "https://api.test", Err: context.Canceled}),
			summary: "Operation Canceled", detail: "The operation was canceled. Nothing was written." + object + "Host: https://api.test",
		},
		"several: unknown, on create": {
			of:      aboutSeveral(terms.OpCreate).Diagnose(&cas.UnknownError{Ref: testRef, Base: cas.Version{ResourceVersion: "7"}, Err: errServer}),
			summary: "Write Outcome Unknown",
			detail: "The write was sent, and it could not be found out whether the keys were changed. All of them may be changed yet, while the write is on " +
				"its way; or none." + object + "Sent for resourceVersion: 7\nCause: the server's own words\n\n" +
				"The state has nothing of it. If the keys hold the values, import them with the id \"shop/settings:a,b,foo\", or set adopt_existing = true " +
				"to take them over. If they do not, plan again." + ` Where the verb "watch" on the ConfigMap is permitted, a lost answer can be settled.`,
		},
		"several: anything else": {
			of: aboutSeveral(terms.OpUpdate).Diagnose(errServer), summary: "Unexpected Error",
			detail: "To update the keys failed in a way that the provider does not know." + object + "Cause: the server's own words",
		},
		"several: admission": {
			of: aboutSeveral(terms.OpCreate).ChangedByAdmission([]diagnose.KeyChange{
				{Key: "a", Sent: cas.Text("2"), Stored: cas.Text("3")}, {Key: "foo", Sent: cas.Text("4"), Stored: cas.Entry{}},
			}),
			severity: diag.SeverityWarning, path: `data["a"]`, summary: "Value Changed By Admission",
			detail: "The values were written, and the cluster's admission changed them on their way in. The next refresh shows it as drift." + object +
				"Key: a\nSent: \"2\"\nStored: \"3\"\nKey: foo\nSent: \"4\"\nStored: (absent)",
		},
		"several: restore of what changed": {
			of: aboutSeveral(terms.OpDelete).ChangedSinceApply([]diagnose.KeyValue{{Key: "a", Live: cas.Text("x")}, {Key: "b", Live: cas.Text("y")}}, terms.PolicyRestore), summary: "Value Changed Since Last Apply",
			detail: "The keys do not hold what this resource last wrote, so that restoring would undo another's write." + object +
				"Key: a\nLive: \"x\"\nKey: b\nLive: \"y\"\n\n" +
				`To leave the keys as they are, apply deletion_policy = "abandon" with what the keys hold as data; to remove them, apply ` +
				`deletion_policy = "delete". Then destroy.`,
		},
		"several: delete of what changed": {
			of:       aboutSeveral(terms.OpDelete, planning).ChangedSinceApply([]diagnose.KeyValue{{Key: "a", Live: cas.Text("x")}, {Key: "b", Live: cas.Text("y")}}, terms.PolicyDelete),
			severity: diag.SeverityWarning, summary: "Value Changed Since Last Apply",
			detail: "The keys do not hold what this resource last wrote. They will be removed if they still hold these values then." + object +
				"Key: a\nLive: \"x\"\nKey: b\nLive: \"y\"",
		},
		"several: moves": {
			of: aboutSeveral(terms.OpCreate).KeyMoves([]string{"a", "b"}), path: `data["a"]`, summary: "Key Moves Between Instances",
			detail: "One resource instance is to remove the key and another one to write it in the same run, in an order that nothing fixes." + object +
				"Key: a\nKey: b\n\n" + `Apply deletion_policy = "abandon" to the one that gives the key up first, and let the other one take it over with ` +
				"adopt_existing = true or expected_data.",
		},
		"several: replaces itself": {
			of: aboutSeveral(terms.OpCreate).ReplacesItself("Because."), summary: "Replacement Would Fail",
			detail: "The resource is to be replaced by one of the same keys. Because. Nothing was removed." + object +
				"\nChange data to write the keys, instead of replacing the resource.",
		},
		"several: a tainted one replaces itself": {
			of: aboutSeveral(terms.OpDelete).TaintedReplacesItself(), summary: "Replacement Would Fail",
			detail: "A tainted resource is to be replaced by one of the same keys, whose expectations could not hold once the keys are removed. " +
				"Nothing was removed." + object + "\n`terraform untaint` the resource and plan again.",
		},
		"several: may replace itself": {
			of: aboutSeveral(terms.OpDelete).MayReplaceItself(), severity: diag.SeverityWarning, summary: "Replacement May Fail",
			detail: "The resource is to be replaced by one whose namespace or name is known only when that is applied. If it turns out to be the " +
				"same ConfigMap, the keys are removed first, and the new resource is refused: what it expects, or is to adopt, is gone then, or its place is " +
				"taken." + object + "\nMake the namespace and name known at plan, or change data to write the keys.",
		},
		"several: nothing to restore": {
			of: aboutSeveral(terms.OpDelete).NothingToRestore([]string{"a", "b"}), path: "deletion_policy", summary: "Nothing Known To Restore",
			detail: "What the keys held before is not known here, as in the replacement of a tainted resource or after a move from another provider. " +
				"Nothing was removed." + object + "Key: a\nKey: b\n" +
				"\n`terraform untaint` the resource and plan again, or apply another deletion_policy first.",
		},
		"several: no version": {
			of: aboutSeveral(terms.OpUpdate, planning).VersionNotKnown(), summary: "ConfigMap Version Not Known",
			detail: "The state does not know the version of the ConfigMap, as after a move from another provider until the first refresh. " +
				"Nothing was written." + object + "\nPlan again with a refresh." + planEnd,
		},
		"several: an import of keys that are not there": {
			of: aboutSeveral(terms.OpRead).NotImported([]string{"a"}), path: "data", summary: "Key Not Found",
			detail: "A key that the import names does not exist. Nothing was imported." + object + "Key: a\n" +
				"\nLeave out of the import what is to be written first, and give it in the configuration: the next apply writes it.",
		},
		"several: an import of nothing": {
			of: aboutSeveral(terms.OpRead).NotImported(nil), path: "data", summary: "Nothing To Import",
			detail: "The ConfigMap holds no key, and the resource must have one.\n\nConfigMap: shop/settings",
		},
	}
}
