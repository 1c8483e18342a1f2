package message_test

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

func diagnosticTests(seen, unmanaged, long *eval.Snapshot) map[string]diagnosticTest {
	const (
		held     = "foo already holds the value to write. Nothing was written." + wide + "  Found:            \"live\"\n" + wideBy + wideNow
		heldWay  = "\nIf this resource is tainted, run terraform untaint with the address above. Otherwise import it, or set adopt_existing = true."
		importID = "  Import id:        shop/settings/foo\n"
		unknown  = "The write was sent, but its outcome is unknown. The ConfigMap may have changed, or may change yet."
		version  = "  resourceVersion:  7 before the write\n"
		adopts   = "; to keep it, set value = \"live\" and adopt_existing = true."
	)
	planned := eval.Version{UID: seen.Version().UID, ResourceVersion: "7"}
	unchanged := conflictOf(eval.ReasonObject, seen, planned)
	unchanged.Keys[0].Expected = eval.Text("live")
	absent := conflictOf(eval.ReasonKey, unmanaged, eval.Version{})
	create := conflictOf(eval.ReasonKey, seen, eval.Version{})
	create.Keys[0].Expected = eval.Value{}
	encoded := conflictOf(eval.ReasonKey, seen, planned)
	encoded.Keys[0].Expected = eval.Binary([]byte("1"))
	longer := conflictOf(eval.ReasonKey, long, eval.Version{})
	longer.Keys[0].Expected = eval.Text(strings.Repeat("x", 300) + "1")
	changed := []decide.KeyChange{{Key: "foo", Sent: eval.Text("2"), Stored: eval.Text("3")}}
	live := []decide.Drift{{Key: "foo", Found: eval.Text("live")}}

	return map[string]diagnosticTest{
		"held": {
			of: aboutFoo(terms.OpCreate).Diagnose(conflictOf(eval.ReasonEqual, seen, eval.Version{})), path: "value", summary: "Key Already Holds The Value",
			detail: held + importID + heldWay + inPlace,
		},
		"held, in a plan": {
			of:   aboutFoo(terms.OpCreate, planning, binaryValue).Diagnose(conflictOf(eval.ReasonEqual, seen, eval.Version{})),
			path: "value_base64", summary: "Key Already Holds The Value", detail: held + importID + heldWay,
		},
		"pinned version": {
			of:   aboutFoo(terms.OpUpdate).Diagnose(conflictOf(eval.ReasonVersion, seen, eval.Version{ResourceVersion: "7"})),
			path: "expected_resource_version_wo", summary: "Compare-And-Swap Conflict",
			detail: "The ConfigMap is not at resourceVersion 7, which expected_resource_version_wo names. Nothing was written." + wide + wideFoo + wideBy +
				"  resourceVersion:  7 expected, 42 now\n" +
				"\nRun terraform plan again with expected_resource_version_wo from a data source, or with the version that you have reviewed.",
		},
		"own write": {
			of: aboutFoo(terms.OpDelete).Diagnose(conflictOf(eval.ReasonOwn, seen, planned)), summary: "Compare-And-Swap Conflict",
			detail: "Another resource of this run wrote or adopted foo after the removal was planned. Nothing was removed." + wide + wideFoo + wideBy + widePlanned +
				"\nThe next apply removes it. To keep it, first run terraform state rm with the address of the removed resource. " +
				"If a resource with that address is still in the configuration, import it again.",
		},
		"object changed, the key too": {
			of: aboutFoo(terms.OpUpdate).Diagnose(conflictOf(eval.ReasonObject, seen, planned)), summary: "Compare-And-Swap Conflict",
			detail: "foo changed after this plan was made. Nothing was written." + wide + wideFoo + wideBy + widePlanned + again,
		},
		"object changed, the key too, in a plan": {
			of: aboutFoo(terms.OpUpdate, planning).Diagnose(conflictOf(eval.ReasonObject, seen, planned)), summary: "Compare-And-Swap Conflict",
			detail: "foo changed after Terraform last read it. Nothing was written." + wide + wideFoo + wideBy + wideRead + refresh + ofFoo,
		},
		"object changed, the key too, in the plan that an apply makes again": {
			of: aboutFoo(terms.OpUpdate, replanned).Diagnose(conflictOf(eval.ReasonObject, seen, planned)), summary: "Compare-And-Swap Conflict",
			detail: "foo changed after this plan was made. Nothing was written." + wide + wideFoo + wideBy + widePlanned + again,
		},
		"object changed, the key not": {
			of: aboutFoo(terms.OpDelete).Diagnose(unchanged), summary: "Compare-And-Swap Conflict",
			detail: "foo is unchanged (\"live\"), but the ConfigMap changed. Nothing was removed." + wide + wideBy + widePlanned +
				"\nRun terraform plan again, or first apply ignore other keys.",
		},
		"object changed, the key not, in a plan": {
			of: aboutFoo(terms.OpUpdate, planning).Diagnose(unchanged), summary: "Compare-And-Swap Conflict",
			detail: "foo is unchanged (\"live\"), but the ConfigMap changed. Nothing was written." + wide + wideBy + wideRead +
				"\nRun terraform plan again with a refresh, or ignore other keys." + ofFoo,
		},
		"object changed, the key not, hidden": {
			of: aboutFoo(terms.OpUpdate, hidden).Diagnose(unchanged), summary: "Compare-And-Swap Conflict",
			detail: "foo is unchanged, but the ConfigMap changed. Nothing was written." + wide + wideBy + widePlanned +
				"\nRun terraform plan again, or ignore other keys.",
		},
		"object made again": {
			of:      aboutFoo(terms.OpUpdate, planning).Diagnose(conflictOf(eval.ReasonObject, seen, eval.Version{UID: "other", ResourceVersion: "7"})),
			summary: "Compare-And-Swap Conflict",
			detail: "The ConfigMap was deleted and created again after Terraform last read it. Nothing was written." + wide + wideFoo + wideBy +
				"  uid:              other when last read, u-1 now\n" + wideRead + refresh + ofFoo,
		},
		"expected_value": {
			of:   aboutFoo(terms.OpUpdate, expecting("expected_value")).Diagnose(conflictOf(eval.ReasonKey, seen, eval.Version{})),
			path: "expected_value", summary: "Expected Value Mismatch",
			detail: "expected_value is \"1\", but foo holds \"live\". Nothing was written." + wide + wideFoo + wideBy + wideNow +
				"\nTo replace \"live\", set expected_value = \"live\"; to keep it, set value = \"live\".",
		},
		"expected_value, on create": {
			of:   aboutFoo(terms.OpCreate, expecting("expected_value")).Diagnose(conflictOf(eval.ReasonKey, seen, eval.Version{})),
			path: "expected_value", summary: "Expected Value Mismatch",
			detail: "expected_value is \"1\", but foo holds \"live\". Nothing was written." + wide + wideFoo + wideBy + wideNow +
				"\nTo replace \"live\", set expected_value = \"live\"" + adopts,
		},
		"expected_value, hidden": {
			of:   aboutFoo(terms.OpUpdate, expecting("expected_value"), hidden).Diagnose(conflictOf(eval.ReasonKey, seen, eval.Version{})),
			path: "expected_value", summary: "Expected Value Mismatch",
			detail: "foo does not hold what expected_value says. Nothing was written." + wide +
				wideHidden +
				wideBy + wideNow + "\nTo replace it, set expected_value to what foo holds; to keep it, set value to what foo holds.",
		},
		"expected_value_base64, in a plan": {
			of:   aboutFoo(terms.OpUpdate, binaryValue, expectingEntry("expected_value_base64", eval.Binary([]byte("1"))), planning).Diagnose(encoded),
			path: "expected_value_base64", summary: "Expected Value Mismatch",
			detail: "foo does not hold what expected_value_base64 says. Nothing was written." + wide +
				"  Expected:         base64 \"MQ==\"\n  Found:            \"live\"\n" + wideBy + wideRead +
				"\nTo replace \"live\", set expected_value = \"live\"; to keep it, set value = \"live\"." + ofFoo,
		},
		"expected_value of an absent key": {
			of:   aboutFoo(terms.OpCreate, expecting("expected_value")).Diagnose(absent),
			path: "expected_value", summary: "Expected Value Mismatch",
			detail: "The ConfigMap has no key \"foo\". Nothing was written." + wide +
				"  Expected:         \"1\"\n  Found:            (absent)\n  Existing keys:    (none)\n  resourceVersion:  " + unmanaged.Version().ResourceVersion +
				"\n\nTo create foo, remove expected_value.",
		},
		"key exists": {
			of: aboutFoo(terms.OpCreate).Diagnose(create), path: "key", summary: "Key Already Exists",
			detail: "foo already exists with another value. Nothing was written." + wide + "  Expected:         (absent)\n  Found:            \"live\"\n" +
				wideBy + wideNow + importID + "\nTo replace it, set expected_value = \"live\"; to keep it, set value = \"live\", then import it.",
		},
		"key exists, hidden": {
			of: aboutFoo(terms.OpCreate, hidden).Diagnose(create), path: "key", summary: "Key Already Exists",
			detail: "foo already exists with another value. Nothing was written." + wide + "  Expected:         (absent)\n" +
				"  Found:            (hidden, 4 bytes, sha256:" + digestOf("live") + ")\n" + wideBy + wideNow + importID +
				"\nTo replace it, set expected_value to what foo holds; to keep it, set value to what foo holds, then import it.",
		},
		"key changed, on update": {
			of: aboutFoo(terms.OpUpdate).Diagnose(conflictOf(eval.ReasonKey, seen, eval.Version{})), summary: "Compare-And-Swap Conflict",
			detail: "foo changed after this plan was made. Nothing was written." + wide + wideFoo + wideBy + wideNow + again,
		},
		"key changed, on delete, whatever was expected once": {
			of:      aboutFoo(terms.OpDelete, expecting("expected_value"), hidden).Diagnose(conflictOf(eval.ReasonKey, seen, planned)),
			summary: "Compare-And-Swap Conflict",
			detail: "foo changed after this plan was made. Nothing was removed." + wide +
				wideHidden + wideBy + widePlanned + again,
		},
		"key changed, long values": {
			of: aboutFoo(terms.OpUpdate).Diagnose(longer), summary: "Compare-And-Swap Conflict",
			detail: "foo changed after this plan was made. Nothing was written." + wide +
				fmt.Sprintf("  Expected:         …\"%s1\" (301 bytes, sha256:%s)\n", strings.Repeat("x", 40), digestOf(strings.Repeat("x", 300)+"1")) +
				fmt.Sprintf("  Found:            …\"%slive\" (304 bytes, sha256:%s)\n", strings.Repeat("x", 40), digestOf(strings.Repeat("x", 300)+"live")) +
				wideBy + wideNow + again,
		},

		"no ConfigMap": noConfigMap(aboutFoo(terms.OpCreate), head),
		"no ConfigMap, in the plan of an update": {
			of: aboutFoo(terms.OpUpdate, planning).Diagnose(&eval.NotFoundError{Ref: testRef}), path: "name", summary: "ConfigMap Not Found",
			detail: "The ConfigMap does not exist. Nothing was written." + head + "\nCreate the ConfigMap first, and let this resource depend on it." + ofFoo,
		},
		"no ConfigMap, in the plan of a create": noConfigMapYet(aboutFoo(terms.OpCreate, planning), head),
		"immutable": {
			of: aboutFoo(terms.OpUpdate).Diagnose(&eval.ImmutableError{Ref: testRef}), summary: "ConfigMap Is Immutable",
			detail: "The ConfigMap is immutable. Nothing was written." + head +
				"\nUse a ConfigMap with another name, or delete this one and create it again.",
		},
		"immutable, on delete, in a plan": {
			of: aboutFoo(terms.OpDelete, planning).Diagnose(&eval.ImmutableError{Ref: testRef}), summary: "ConfigMap Is Immutable",
			detail: "The ConfigMap is immutable. Nothing was removed." + head +
				"\nTo leave the ConfigMap as it is, apply deletion_policy = \"abandon\", then destroy.",
		},
		"being deleted": beingDeleted(aboutFoo(terms.OpCreate), served),
		"too large": {
			of:   aboutFoo(terms.OpUpdate, binaryValue).Diagnose(&eval.TooLargeError{Ref: testRef, New: 10, Others: eval.MaxSize}),
			path: "value_base64", summary: "ConfigMap Too Large",
			detail: "The ConfigMap would be too large. Nothing was written.\n\n  ConfigMap:     shop/settings\n  Key:           foo\n" +
				sizes(10, 1048576),
		},
		"too large as it is planned": {
			of:       aboutFoo(terms.OpUpdate, planning).Diagnose(&eval.TooLargeError{Ref: testRef, New: 10, Others: eval.MaxSize}),
			severity: diag.SeverityWarning, path: "value", summary: "ConfigMap Too Large",
			detail: "The ConfigMap would be too large, unless another resource frees space in it in the same apply.\n\n" +
				"  ConfigMap:     shop/settings\n  Key:           foo\n" +
				sizes(10, 1048576),
		},
		"too large by itself, in a plan": {
			of:   aboutFoo(terms.OpUpdate, planning).Diagnose(&eval.TooLargeError{Ref: testRef, New: eval.MaxSize + 1}),
			path: "value", summary: "ConfigMap Too Large",
			detail: "The ConfigMap would be too large. Nothing was written.\n\n  ConfigMap:     shop/settings\n  Key:           foo\n" +
				sizes(1048577, 0) + ofFoo,
		},

		"not permitted": notPermitted(aboutFoo(terms.OpDelete), "patch", served, "get and patch"),
		"unreachable":   unreachable(aboutFoo(terms.OpRead), head),
		"refused": {
			of: aboutFoo(terms.OpCreate).Diagnose(&eval.RefusedError{Ref: testRef, Verb: "patch", Code: 422, Err: errServer}), summary: "Request Refused",
			detail: "The API server refused to patch the ConfigMap. Nothing was written." + served +
				"  Status:      422\n  API server:  the server's own words\n\nCorrect what the API server names, then run terraform plan again.",
		},
		"refused, with old credentials": {
			of: aboutFoo(terms.OpRead).Diagnose(&eval.RefusedError{Ref: testRef, Verb: "get", Code: 401, Err: errServer}), summary: "Request Refused",
			detail: "The API server refused to get the ConfigMap. Nothing was read." + served +
				"  Status:      401\n  API server:  the server's own words\n\nRenew your credentials, then run terraform plan again.",
		},
		"timed out": {
			of: aboutFoo(terms.OpUpdate).Diagnose(&eval.CanceledError{Ref: testRef, Host: "https://api.test", Err: errDeadline}), summary: "Operation Timed Out",
			detail: "The API server did not answer in time. Nothing was written." + head +
				"  Host:       https://api.test\n\nRun terraform again, or raise timeouts.update.",
		},
		"timed out, since others were faster": {
			of:      aboutFoo(terms.OpUpdate).Diagnose(&eval.CanceledError{Ref: testRef, Host: "https://api.test", Err: errDeadline, Retried: true}),
			summary: "Operation Timed Out",
			detail: "The write was not applied in time: other writers changed the ConfigMap before each attempt, or the API server was too busy. " +
				"Nothing was written." + head + "  Host:       https://api.test\n\nRun terraform again, or raise timeouts.update.",
		},
		"timed out, in a plan, where the timeout for reads counts": {
			of:      aboutFoo(terms.OpUpdate, planning).Diagnose(&eval.CanceledError{Ref: testRef, Host: "https://api.test", Err: errDeadline}),
			summary: "Operation Timed Out",
			detail: "The API server did not answer in time. Nothing was written." + head +
				"  Host:       https://api.test\n\nRun terraform again, or raise timeouts.read.",
		},
		"canceled": {
			of:      aboutFoo(terms.OpDelete).Diagnose(&eval.CanceledError{Ref: testRef, Host: "https://api.test", Err: context.Canceled}),
			summary: "Operation Canceled",
			detail:  "The operation was canceled. Nothing was removed." + head + "  Host:       https://api.test",
		},
		"unknown": {
			of: aboutFoo(terms.OpUpdate).Diagnose(&eval.UnknownError{
				Ref: testRef, Base: eval.Version{ResourceVersion: "7"},
				Err: errors.Join(errServer, &eval.ForbiddenError{Ref: testRef, Verb: "watch", Err: errServer}), // which says that nothing was written
			}),
			summary: "Write Outcome Unknown",
			detail: unknown + wide + "  Cause:            the server's own words; not permitted to watch configmap shop/settings: the server's own words\n" +
				version + "\nRun terraform plan again: it shows what is left to do.",
		},
		"unknown, on create": {
			of:      aboutFoo(terms.OpCreate).Diagnose(&eval.UnknownError{Ref: testRef, Base: eval.Version{ResourceVersion: "7"}, Err: errServer}),
			summary: "Write Outcome Unknown",
			detail: unknown + wide + "  Cause:            the server's own words\n" + version + importID +
				"\nRun terraform plan again. If it says that foo already holds the value, import it, or set adopt_existing = true.",
		},
		"anything else": unexpected(aboutFoo(terms.OpUpdate), "updating the entry", head),

		"admission": {
			of:       aboutFoo(terms.OpCreate, binaryValue).NotStoredAsSent(changed),
			severity: diag.SeverityWarning, path: "value_base64", summary: "Value Not Stored As Sent",
			detail: "The API server did not store foo as it was sent." + head + "  Sent:       \"2\"\n  Stored:     \"3\"\n\n" +
				"An admission policy or webhook changed the value. Change the policy, or set value = \"3\".",
		},
		"admission, hidden": {
			of:       aboutFoo(terms.OpCreate, hidden).NotStoredAsSent(changed),
			severity: diag.SeverityWarning, path: "value", summary: "Value Not Stored As Sent",
			detail: "The API server did not store foo as it was sent." + head +
				"  Sent:       (hidden, 1 bytes, sha256:" + digestOf("2") + ")\n  Stored:     (hidden, 1 bytes, sha256:" + digestOf("3") + ")\n\n" +
				"An admission policy or webhook changed the value. Change the policy, or set value to what foo holds.",
		},
		"delete of what changed": {
			of:       aboutFoo(terms.OpDelete, planning).RemovesChanged(live, nil),
			severity: diag.SeverityWarning, summary: "Value Changed Since Last Apply",
			detail: "foo does not hold what this resource last wrote. The apply removes it if it still holds what the plan found." + head +
				"  Found:      \"live\"\n\nTo keep it, set value = \"live\" and deletion_policy = \"abandon\", apply, then destroy.",
		},
		"moves": {
			of: aboutFoo(terms.OpCreate).KeyMoves([]string{"foo"}, false), path: "key", summary: "Key Moves Between Instances",
			detail: "One instance removes foo and another one writes it in the same run, in no fixed order. Nothing was written." + head + "\nLet each instance keep its key." + deposed,
		},
		"removed under another one": {
			of: aboutFoo(terms.OpUpdate).KeyMoves([]string{"foo"}, true), path: "key", summary: "Key Moves Between Instances",
			detail: "One instance removes foo and another one keeps it in the same run, in no fixed order. Nothing was written." + head +
				"\nTo keep it, run terraform state rm with the address of the resource that the plan destroys. Let each instance keep its key." + deposed,
		},
		"a plugin that hangs": {
			of: aboutFoo(terms.OpRead).Diagnose(&eval.CanceledError{Ref: testRef, Host: "https://api.test", Plugin: "/bin/plugin", Err: errDeadline}), summary: "Operation Timed Out",
			detail: "The exec plugin that gives the credentials did not answer in time. Nothing was read." + head + "  Host:       https://api.test\n  Command:    /bin/plugin\n" +
				"\nRun the command in a shell to see what it waits for, such as a login. Run terraform again, or raise timeouts.read.",
		},
		"written by another one of this run": {
			of: aboutFoo(terms.OpCreate).Diagnose(&message.WrittenTwiceError{Keys: []string{"foo"}}), path: "key", summary: "Key Written Twice",
			detail: "Another resource of this run has written foo, or taken it over. Nothing was written." + head + "\nLeave it to one of the two.",
		},
		"planned beside a whole one, with data": {
			of: aboutFoo(terms.OpCreate, planning).KeyWrittenTwice([]string{"foo"}, true), path: "key", summary: "Key Written Twice",
			detail: "Another resource has foo in the same configuration. Nothing was written." + head + "\nLeave it to one of the two. A cas_configmap with data has all " +
				"keys with text, and one with binary_data all others: omit the map there to leave them to others.",
		},
		"planned twice": {
			of: aboutFoo(terms.OpCreate, planning).KeyWrittenTwice([]string{"foo"}, false), path: "key", summary: "Key Written Twice",
			detail: "Another resource has foo in the same configuration. Nothing was written." + head +
				"\nLeave it to one of the two. If one replaces the other, delete the old block and add a moved block.",
		},
		"replaces itself": {
			of: aboutFoo(terms.OpCreate).ReplacesItself(decide.FindReplacesExpected), summary: "Replacement Would Fail",
			detail: "The removal comes first, so what is expected would be gone. Nothing was removed." + head +
				"\nChange value instead of replacing the resource.",
		},
		"a tainted one replaces itself": taintedReplacesItself(aboutFoo(terms.OpDelete), head),
		"may replace itself":            mayReplaceItself(aboutFoo(terms.OpDelete), "namespace, name and key", "value", head),
		"put back, hidden": {
			of:       aboutFoo(terms.OpDelete, planning, hidden).PutsBack(decide.Removals{{Key: "foo", Live: eval.Text("1"), First: new(eval.Text("0"))}}),
			severity: diag.SeverityWarning, summary: "Value Will Be Put Back",
			detail: "The apply puts back what foo held before this resource wrote it.\n\n  ConfigMap:  shop/settings\n  Key:        foo\n" +
				"  Found:      (hidden, 1 bytes, sha256:" + digestOf("1") + ")\n  Put back:   (hidden, 1 bytes, sha256:" + digestOf("0") + ")\n" +
				"\nTo leave it as it is, apply deletion_policy = \"abandon\" before the destroy.",
		},
		"put back, by an update": {
			of:       aboutFoo(terms.OpUpdate, planning).PutsBack(decide.Removals{{Key: "foo", Live: eval.Text("1"), First: new(eval.Text("0"))}}),
			severity: diag.SeverityWarning, summary: "Value Will Be Put Back",
			detail: "The apply puts back what foo held before this resource wrote it.\n\n  ConfigMap:  shop/settings\n  Key:        foo\n  Found:      \"1\"\n  Put back:   \"0\"\n" +
				"\nTo leave it as it is, set deletion_policy = \"abandon\".",
		},
	}
}
