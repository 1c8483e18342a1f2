package provider

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

func diagnosticTests(seen, unmanaged, long *cas.Observation) map[string]diagnosticTest {
	const (
		held = "Import it with the id \"shop/settings/foo\", or set adopt_existing = true to take it over. " +
			"If the resource is tainted, `terraform untaint` keeps it: a tainted resource cannot be told from a new one."
		createWay = `Set expected_value to what the write may replace, or import the key with the id "shop/settings/foo".`
		exists    = "The key exists with another value, and without expected_value only an absent key is written. Nothing was written."
		onlyKey   = ` Where changes of other keys do not matter, set conflict_scope = "key". Another provider, and another alias of this one, is another writer.`
	)
	const (
		unknown = "The write was sent, and it could not be found out whether the key was changed. It may be changed yet, while the write is on its way."

		watchEnd = ` Where the verb "watch" on the ConfigMap is permitted, a lost answer can be settled.`
	)
	planned := cas.Version{UID: seen.Version().UID, ResourceVersion: "7"}
	unchanged := conflictOf(cas.ReasonObject, seen, planned)
	unchanged.Keys[0].Expected = cas.Text("live")
	absent := conflictOf(cas.ReasonKey, unmanaged, cas.Version{})
	create := conflictOf(cas.ReasonKey, seen, cas.Version{})
	create.Keys[0].Expected = cas.Entry{}
	longer := conflictOf(cas.ReasonKey, long, cas.Version{})
	longer.Keys[0].Expected = cas.Text(strings.Repeat("x", 300) + "1")
	longVersion := long.Version().ResourceVersion
	since := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	changed := []diagnose.KeyChange{{Key: "foo", Sent: cas.Text("2"), Stored: cas.Text("3")}}
	live := []diagnose.KeyValue{{Key: "foo", Live: cas.Text("live")}}

	return map[string]diagnosticTest{
		"held": {
			of: aboutFoo(terms.OpCreate).Diagnose(conflictOf(cas.ReasonHeld, seen, cas.Version{})), path: "value", summary: "Key Already Holds The Value",
			detail: "The key already holds the value, and this state does not know where from. Nothing was written." + head +
				"Live: \"live\"\nLive resourceVersion: VERSION\n" + lastLine + "\n" + held,
		},
		"held, in a plan": {
			of:   aboutFoo(terms.OpCreate, planning, binaryValue).Diagnose(conflictOf(cas.ReasonHeld, seen, cas.Version{})),
			path: "value_base64", summary: "Key Already Holds The Value",
			detail: "The key already holds the value, and this state does not know where from. Nothing was written." + head +
				"Live: \"live\"\nLive resourceVersion: VERSION\n" + lastLine + "\n" + held + planEnd,
		},
		"pinned version": {
			of:   aboutFoo(terms.OpUpdate).Diagnose(conflictOf(cas.ReasonVersion, seen, cas.Version{ResourceVersion: "7"})),
			path: "expected_resource_version_wo", summary: "Resource Version Mismatch",
			detail: "The ConfigMap is not at the version that expected_resource_version_wo names. Nothing was written." + head + liveFoo +
				"Planned resourceVersion: 7\nLive resourceVersion: VERSION\n" + lastLine +
				"\nTake the version from where you decide about the write, in the same run.",
		},
		"own write": {
			of: aboutFoo(terms.OpDelete).Diagnose(conflictOf(cas.ReasonOwn, seen, planned)), summary: "Compare-And-Swap Conflict",
			detail: "This run itself wrote the key, later than what the removal goes by. Nothing was removed." + head + liveFoo +
				"Planned resourceVersion: 7\nLive resourceVersion: VERSION\n" + lastLine +
				"\nKey the instances of a resource by ConfigMap key, or use a `moved` block.",
		},
		"object changed, the key too": {
			of: aboutFoo(terms.OpUpdate).Diagnose(conflictOf(cas.ReasonObject, seen, planned)), summary: "Compare-And-Swap Conflict",
			detail: "Another writer changed the ConfigMap since it was observed. Nothing was written." + head + liveFoo +
				"Planned resourceVersion: 7\nLive resourceVersion: VERSION\n" + lastLine + "\n" + again,
		},
		"object changed, the key not": {
			of: aboutFoo(terms.OpDelete).Diagnose(unchanged), summary: "Compare-And-Swap Conflict",
			detail: "Another writer changed the ConfigMap since it was observed. Nothing was removed." + head +
				"Expected: \"live\"\nLive: \"live\"\nPlanned resourceVersion: 7\nLive resourceVersion: VERSION\n" + lastLine + "\n" + again + onlyKey,
		},
		"object made again": {
			of:      aboutFoo(terms.OpUpdate, planning).Diagnose(conflictOf(cas.ReasonObject, seen, cas.Version{UID: "other", ResourceVersion: "7"})),
			summary: "Compare-And-Swap Conflict",
			detail: "Another writer changed the ConfigMap since it was observed. Nothing was written." + head + liveFoo +
				"Planned resourceVersion: 7\nLive resourceVersion: VERSION\nPlanned uid: other\nLive uid: UID (the ConfigMap was deleted and made again)\n" +
				lastLine + "\n" + again + planEnd,
		},
		"expected_value": {
			of:   aboutFoo(terms.OpCreate, expecting("expected_value")).Diagnose(conflictOf(cas.ReasonKey, seen, cas.Version{})),
			path: "expected_value", summary: "Expected Value Mismatch",
			detail: "The key does not hold what expected_value says it must. Nothing was written." + head + liveFoo +
				"Live resourceVersion: VERSION\n" + lastLine + "\nSet expected_value to what the key holds if that is what the write may replace.",
		},
		"expected_value_base64, in a plan": {
			of:   aboutFoo(terms.OpUpdate, expecting("expected_value_base64"), planning).Diagnose(conflictOf(cas.ReasonKey, seen, planned)),
			path: "expected_value_base64", summary: "Expected Value Mismatch",
			detail: "The key does not hold what expected_value_base64 says it must. Nothing was written." + head + liveFoo +
				"Planned resourceVersion: 7\nLive resourceVersion: VERSION\n" + lastLine +
				"\nSet expected_value_base64 to what the key holds if that is what the write may replace." + planEnd,
		},
		"expected_value of an absent key that nobody is known to have written": {
			of:   aboutFoo(terms.OpCreate, expecting("expected_value")).Diagnose(absent),
			path: "expected_value", summary: "Expected Value Mismatch",
			detail: "The key does not hold what expected_value says it must. Nothing was written." + head +
				"Expected: \"1\"\nLive: (absent)\nLive resourceVersion: " + unmanaged.Version().ResourceVersion +
				"\n\nSet expected_value to what the key holds if that is what the write may replace.",
		},
		"key exists": {
			of: aboutFoo(terms.OpCreate).Diagnose(create), path: "key", summary: "Key Already Exists",
			detail: exists + head + "Expected: (absent)\nLive: \"live\"\nLive resourceVersion: VERSION\n" + lastLine + "\n" + createWay,
		},
		"key exists, hidden": {
			of: aboutFoo(terms.OpCreate, hidden).Diagnose(create), path: "key", summary: "Key Already Exists",
			detail: exists + head + "Expected: (absent)\nLive: (hidden, 4 bytes, sha256:" + digestOf("live") +
				")\nLive resourceVersion: VERSION\n" + lastLine + "\n" + createWay,
		},
		"key changed, on update": {
			of: aboutFoo(terms.OpUpdate).Diagnose(conflictOf(cas.ReasonKey, seen, cas.Version{})), summary: "Compare-And-Swap Conflict",
			detail: "Another writer changed the key since it was observed. Nothing was written." + head + liveFoo +
				"Live resourceVersion: VERSION\n" + lastLine + "\n" + again,
		},
		"key changed, on delete, whatever was expected once": {
			of:      aboutFoo(terms.OpDelete, expecting("expected_value"), hidden).Diagnose(conflictOf(cas.ReasonKey, seen, planned)),
			summary: "Compare-And-Swap Conflict",
			detail: "Another writer changed the key since it was observed. Nothing was removed." + head +
				"Expected: (hidden, 1 bytes, sha256:" + digestOf("1") + ")\nLive: (hidden, 4 bytes, sha256:" + digestOf("live") +
				")\nPlanned resourceVersion: 7\nLive resourceVersion: VERSION\n" + lastLine + "\n" + again,
		},
		"key changed, long values": {
			of: aboutFoo(terms.OpUpdate).Diagnose(longer), summary: "Compare-And-Swap Conflict",
			detail: "Another writer changed the key since it was observed. Nothing was written." + head +
				fmt.Sprintf("Expected: …\"%s1\" (301 bytes, sha256:%s)\n", strings.Repeat("x", 40), digestOf(strings.Repeat("x", 300)+"1")) +
				fmt.Sprintf("Live: …\"%slive\" (304 bytes, sha256:%s)\n", strings.Repeat("x", 40), digestOf(strings.Repeat("x", 300)+"live")) +
				"Live resourceVersion: " + longVersion + "\n" + lastLineOf(long) + "\n" + again,
		},

		"no ConfigMap": {
			of: aboutFoo(terms.OpCreate).Diagnose(&cas.NotFoundError{Ref: testRef}), path: "name", summary: "ConfigMap Not Found",
			detail: "The ConfigMap does not exist. Nothing was written." + head +
				"\nMake it first, and let the entry depend on what makes it: an entry does not make its ConfigMap.",
		},
		"no ConfigMap, in the plan of an update": {
			of: aboutFoo(terms.OpUpdate, planning).Diagnose(&cas.NotFoundError{Ref: testRef}), path: "name", summary: "ConfigMap Not Found",
			detail: "The ConfigMap does not exist. Nothing was written." + head +
				"\nMake it first, and let the entry depend on what makes it: an entry does not make its ConfigMap." + planEnd,
		},
		"no ConfigMap, in the plan of a create": {
			of:       aboutFoo(terms.OpCreate, planning).Diagnose(&cas.NotFoundError{Ref: testRef}),
			severity: diag.SeverityWarning, path: "name", summary: "ConfigMap Does Not Exist Yet",
			detail: "The ConfigMap does not exist, so that nothing could be checked. It may be made in this apply; the check is made then." + head +
				"\nLet the entry depend on what makes the ConfigMap.",
		},
		"immutable": {
			of: aboutFoo(terms.OpUpdate).Diagnose(&cas.ImmutableError{Ref: testRef}), summary: "ConfigMap Is Immutable",
			detail: "The ConfigMap is immutable, so the key cannot be written." + head +
				"\nMake a ConfigMap with another name, or delete this one and make it again.",
		},
		"immutable, on delete, in a plan": {
			of: aboutFoo(terms.OpDelete, planning).Diagnose(&cas.ImmutableError{Ref: testRef}), summary: "ConfigMap Is Immutable",
			detail: "The ConfigMap is immutable, so the key cannot be removed." + head +
				"\nSet deletion_policy = \"abandon\" and apply that, to leave the key as it is." + planEnd,
		},
		"being deleted": {
			of: aboutFoo(terms.OpCreate).Diagnose(&cas.TerminatingError{Ref: testRef, Since: since}), summary: "ConfigMap Is Being Deleted",
			detail: "The ConfigMap is being deleted, so nothing was written: the entry would be lost with it." + head +
				"Deleted at: 2026-07-01T12:00:00Z\n\nWait until it is gone, make it again, then plan again.",
		},
		"too large": {
			of:   aboutFoo(terms.OpUpdate, binaryValue).Diagnose(&cas.TooLargeError{Ref: testRef, New: 10, Others: cas.MaxSize}),
			path: "value_base64", summary: "ConfigMap Too Large",
			detail: "With this value the ConfigMap would be too large. Nothing was written." + head +
				"Value: 10 bytes\nAll other values: 1048576 bytes\nLimit: 1048576 bytes for all values together\n\nShorten it, or use another ConfigMap.",
		},
		"too large as it is planned": {
			of:       aboutFoo(terms.OpUpdate, planning).Diagnose(&cas.TooLargeError{Ref: testRef, New: 10, Others: cas.MaxSize}),
			severity: diag.SeverityWarning, path: "value", summary: "ConfigMap Too Large",
			detail: "With this value the ConfigMap would be too large as it is now. Another resource may free space in this apply." + head +
				"Value: 10 bytes\nAll other values: 1048576 bytes\nLimit: 1048576 bytes for all values together",
		},
		"too large by itself, in a plan": {
			of:   aboutFoo(terms.OpUpdate, planning).Diagnose(&cas.TooLargeError{Ref: testRef, New: cas.MaxSize + 1}),
			path: "value", summary: "ConfigMap Too Large",
			detail: "With this value the ConfigMap would be too large. Nothing was written." + head +
				"Value: 1048577 bytes\nAll other values: 0 bytes\nLimit: 1048576 bytes for all values together\n\n" +
				"Shorten it, or use another ConfigMap." + planEnd,
		},

		"not permitted": {
			of: aboutFoo(terms.OpDelete).Diagnose(&cas.ForbiddenError{Ref: testRef, Verb: "patch", Err: errServer}), summary: "Not Permitted",
			detail: "The API server does not permit to patch the ConfigMap, so nothing was removed." + head +
				"Verb: patch\nResource: configmaps\nNamespace: shop\nName: settings\nAnswer: the server's own words\n\n" +
				`Planning needs the verb "get" on the ConfigMap, applying "patch" as well.`,
		},
		"unreachable": {
			of: aboutFoo(terms.OpRead).Diagnose(&cas.UnreachableError{Host: "https://api.test", Err: errServer}), summary: "API Server Unreachable",
			detail: "The API server could not be reached, so nothing was read." + head +
				"Host: https://api.test\nCause: the server's own words\n\nCheck the provider's configuration and the network between here and the cluster.",
		},
		"refused": {
			of: aboutFoo(terms.OpCreate).Diagnose(&cas.RefusedError{Ref: testRef, Verb: "patch", Code: 422, Err: errServer}), summary: "Request Refused",
			detail: "The API server refused to patch the ConfigMap, so nothing was written." + head +
				"Status: 422\nAnswer: the server's own words\n\n" +
				"The answer tells whether the object, a policy of the cluster or the provider's configuration is at fault.",
		},
		"timed out": {
			of: aboutFoo(terms.OpUpdate).Diagnose(&cas.CanceledError{Ref: testRef, Host: "https://api.test", Err: errDeadline}), summary: "Operation Timed Out",
			detail: "The API server did not answer in time. Nothing was written." + head +
				"Host: https://api.test\n\nTry again, or raise timeouts.update.",
		},
		"timed out, in a plan, where the timeout for reads counts": {
			of:      aboutFoo(terms.OpUpdate, planning).Diagnose(&cas.CanceledError{Ref: testRef, Host: "https://api.test", Err: errDeadline}),
			summary: "Operation Timed Out",
			detail: "The API server did not answer in time. Nothing was written." + head +
				"Host: https://api.test\n\nTry again, or raise timeouts.read." + planEnd,
		},
		"canceled": {
			of:      aboutFoo(terms.OpDelete).Diagnose(&cas.CanceledError{Ref: testRef, Host: "https://api.test", Err: context.Canceled}),
			summary: "Operation Canceled",
			detail:  "The operation was canceled. Nothing was removed." + head + "Host: https://api.test",
		},
		"unknown": {
			of: aboutFoo(terms.OpUpdate).Diagnose(&cas.UnknownError{
				Ref: testRef, Base: cas.Version{ResourceVersion: "7"},
				Err: errors.Join(errServer, &cas.ForbiddenError{Ref: testRef, Verb: "watch", Err: errServer}), // which says that nothing was written
			}),
			summary: "Write Outcome Unknown",
			detail: unknown + head +
				"Sent for resourceVersion: 7\nCause: the server's own words; not permitted to watch configmap shop/settings: the server's own words\n\n" +
				"The state keeps the entry as it was. The next plan reads the key, and shows what is left to be done." + watchEnd,
		},
		"unknown, on create": {
			of:      aboutFoo(terms.OpCreate).Diagnose(&cas.UnknownError{Ref: testRef, Base: cas.Version{ResourceVersion: "7"}, Err: errServer}),
			summary: "Write Outcome Unknown",
			detail: unknown + head + "Sent for resourceVersion: 7\nCause: the server's own words\n\n" +
				"The state has nothing of it. If the key holds the value, import it with the id \"shop/settings/foo\", or set " +
				"adopt_existing = true to take it over. If it does not, plan again." + watchEnd,
		},
		"anything else": {
			of: aboutFoo(terms.OpUpdate).Diagnose(errServer), summary: "Unexpected Error",
			detail: "To update the entry failed in a way that the provider does not know." + head + "Cause: the server's own words",
		},

		"admission": {
			of:       aboutFoo(terms.OpCreate, binaryValue).ChangedByAdmission(changed),
			severity: diag.SeverityWarning, path: "value_base64", summary: "Value Changed By Admission",
			detail: "The value was written, and the cluster's admission changed it on its way in. The next refresh shows it as drift." + head +
				"Sent: \"2\"\nStored: \"3\"",
		},
		"admission, hidden": {
			of:       aboutFoo(terms.OpCreate, hidden).ChangedByAdmission(changed),
			severity: diag.SeverityWarning, path: "value", summary: "Value Changed By Admission",
			detail: "The value was written, and the cluster's admission changed it on its way in. The next refresh shows it as drift." + head +
				"Sent: (hidden, 1 bytes, sha256:" + digestOf("2") + ")\nStored: (hidden, 1 bytes, sha256:" + digestOf("3") + ")",
		},
		"delete of what changed": {
			of:       aboutFoo(terms.OpDelete, planning).ChangedSinceApply(live, terms.PolicyDelete),
			severity: diag.SeverityWarning, summary: "Value Changed Since Last Apply",
			detail: "The key does not hold what this resource last wrote. It will be removed if it still holds this value then." + head +
				"Live: \"live\"",
		},
		"restore of what changed": {
			of: aboutFoo(terms.OpDelete, planning, hidden).ChangedSinceApply(live, terms.PolicyRestore), summary: "Value Changed Since Last Apply",
			detail: "The key does not hold what this resource last wrote, so that restoring would undo another's write." + head +
				"Live: (hidden, 4 bytes, sha256:" + digestOf("live") + ")\n\n" +
				`To leave the key as it is, apply deletion_policy = "abandon" with what the key holds as value; to remove it, apply ` +
				`deletion_policy = "delete". Then destroy.` + planEnd,
		},
		"moves": {
			of: aboutFoo(terms.OpCreate).KeyMoves([]string{"foo"}), path: "key", summary: "Key Moves Between Instances",
			detail: "One resource instance is to remove the key and another one to write it in the same run, in an order that nothing fixes." + head +
				"\nKey the instances by ConfigMap key (for_each over the keys), so that each keeps its own, or use a `moved` block.",
		},
		"replaces itself": {
			of: aboutFoo(terms.OpCreate).ReplacesItself("Because."), summary: "Replacement Would Fail",
			detail: "The resource is to be replaced by one of the same key. Because. Nothing was removed." + head +
				"\nChange value to write the key, instead of replacing the resource.",
		},
		"a tainted one replaces itself": {
			of: aboutFoo(terms.OpDelete).TaintedReplacesItself(), summary: "Replacement Would Fail",
			detail: "A tainted resource is to be replaced by one of the same key, whose expectation could not hold once the key is removed. " +
				"Nothing was removed." + head + "\n`terraform untaint` the resource and plan again.",
		},
		"may replace itself": {
			of: aboutFoo(terms.OpDelete).MayReplaceItself(), severity: diag.SeverityWarning, summary: "Replacement May Fail",
			detail: "The entry is to be replaced by one whose namespace, name or key is known only when that is applied. If it turns out to be the " +
				"same key, that is removed first, and the new resource is refused: what it expects, or is to adopt, is gone then, or its place is " +
				"taken." + head + "\nMake the namespace, name and key known at plan, or change value to write the key.",
		},
		"nothing to restore": {
			of: aboutFoo(terms.OpDelete).NothingToRestore([]string{"foo"}), path: "deletion_policy", summary: "Nothing Known To Restore",
			detail: "What the key held before is not known here, as in the replacement of a tainted resource. Nothing was removed." + head +
				"\n`terraform untaint` the resource and plan again, or apply another deletion_policy first.",
		},
	}
}
