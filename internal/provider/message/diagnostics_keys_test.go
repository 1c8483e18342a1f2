package message_test

import (
	"context"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// aboutSeveral is the subject of a resource that writes a, b and foo, expects foo to hold "1" and guards c.
func aboutSeveral(op terms.Operation, changes ...func(*message.Subject)) message.Subject {
	at := func(attribute, key string) path.Path { return path.Root(attribute).AtMapKey(key) }
	one, encoded := eval.Text("1"), eval.Binary([]byte("1"))
	s := message.Subject{
		ID: terms.EntryID{Ref: testRef}, Noun: "keys", Place: "namespace and name", Op: op, Value: path.Root("data"),
		Keys: map[string]message.KeyPaths{
			"a":   {Value: at("data", "a"), Expected: at("expected_data", "a")},
			"b":   {Value: at("binary_data", "b"), Expected: at("expected_binary_data", "b")},
			"foo": {Value: at("data", "foo"), Expected: at("expected_data", "foo"), Want: &one},
			"c":   {Expected: at("expected_binary_data", "c"), Want: &encoded},
		},
		ImportID: func(ref eval.Ref, keys []string) string { return ref.String() + ":" + strings.Join(keys, ",") },
		Ways:     message.Ways{OtherKeys: "ignore other keys.", Move: "Give it up first."},
	}
	for _, change := range changes {
		change(&s)
	}
	return s
}

// kept returns keys that stay in place with the value "1".
func kept(keys ...string) (all decide.Removals) {
	for _, key := range keys {
		all = append(all, decide.Removal{Key: key, Live: eval.Text("1"), First: new(eval.Text("it's 0"))})
	}
	return all
}

// severalDiagnosticTests are of resources of several keys, where they read otherwise than those of one. The object that was seen holds foo.
func severalDiagnosticTests(seen *eval.Snapshot) map[string]diagnosticTest {
	const (
		object = "\n\n  ConfigMap:  shop/settings\n"
		stays  = "\n\n  ConfigMap:    shop/settings\n" +
			"  Key:          a\n  Found:        \"1\"\n  Held first:   \"it's 0\"\n" +
			"  Key:          b\n  Found:        \"1\"\n  Held first:   \"it's 0\"\n" +
			"  To remove:    kubectl patch configmap settings --namespace shop --type merge --patch '{\"data\":{\"a\":null,\"b\":null}}'\n" +
			"  To put back:  kubectl patch configmap settings --namespace shop --type merge --patch '{\"data\":{\"a\":\"it\\u0027s 0\",\"b\":\"it\\u0027s 0\"}}'\n\n"
		staysGone = "\n\n  ConfigMap:    shop/settings\n  Key:          gone\n  Found:        \"1\"\n  Held first:   \"it's 0\"\n" +
			"  To remove:    kubectl patch configmap settings --namespace shop --type merge --patch '{\"data\":{\"gone\":null}}'\n" +
			"  To put back:  kubectl patch configmap settings --namespace shop --type merge --patch '{\"data\":{\"gone\":\"it\\u0027s 0\"}}'\n\n"
		wide    = "\n\n  ConfigMap:        shop/settings\n"
		foo     = "  Key:              foo\n" + wideFoo + wideBy
		gone    = "  Found:            (absent)\n"
		missing = gone + "  Existing keys:    foo\n"
		keyA    = "  Key:              a\n"
	)
	conflict := func(reason eval.Reason, keys ...eval.KeyConflict) *eval.ConflictError {
		e := &eval.ConflictError{Reason: reason, Ref: testRef, Keys: keys, Live: seen}
		if reason > eval.ReasonEqual {
			e.At = eval.Version{UID: seen.Version().UID, ResourceVersion: "7"}
		}
		return e
	}
	key := func(name string, reason eval.Reason, expected eval.Value) eval.KeyConflict {
		return eval.KeyConflict{Key: name, Reason: reason, Expected: expected, New: eval.Text("2")}
	}
	one, binary := eval.Text("1"), eval.Binary([]byte("1"))
	guarding := func(s *message.Subject) {
		s.Keys["foo"] = message.KeyPaths{Expected: path.Root("expected_data").AtMapKey("foo"), Want: &eval.Value{}}
	}
	return map[string]diagnosticTest{
		"several: one mismatch": {
			of:   aboutSeveral(terms.OpUpdate).Diagnose(conflict(eval.ReasonKey, key("foo", eval.ReasonKey, one))),
			path: `expected_data["foo"]`, summary: "Expected Value Mismatch",
			detail: `expected_data["foo"] is "1", but foo holds "live". Nothing was written.` + wide + foo + wideNow +
				"\n" + `To replace "live", set "foo" = "live" in expected_data; to keep it, set "foo" = "live" in data.`,
		},
		"several: a guard that is missing": {
			of:   aboutSeveral(terms.OpUpdate).Diagnose(conflict(eval.ReasonKey, key("c", eval.ReasonKey, binary))),
			path: `expected_binary_data["c"]`, summary: "Expected Value Mismatch",
			detail: `The ConfigMap has no key "c". Nothing was written.` + wide +
				"  Key:              c\n  Expected:         base64 \"MQ==\"\n" + missing + wideNow +
				"\n" + `Run terraform plan again when c is as expected, or change expected_binary_data["c"].`,
		},
		"several: a guard that must be absent": {
			of:   aboutSeveral(terms.OpUpdate, guarding).Diagnose(conflict(eval.ReasonKey, key("foo", eval.ReasonKey, eval.Value{}))),
			path: `expected_data["foo"]`, summary: "Expected Value Mismatch",
			detail: `expected_data["foo"] says that foo is absent, but it holds "live". Nothing was written.` + wide +
				"  Key:              foo\n  Expected:         (absent)\n  Found:            \"live\"\n" + wideBy + wideNow +
				"\n" + `Run terraform plan again when foo is as expected, or change expected_data["foo"].`,
		},
		"several: a guard that must be absent, hidden": {
			of:   aboutSeveral(terms.OpUpdate, guarding, hidden).Diagnose(conflict(eval.ReasonKey, key("foo", eval.ReasonKey, eval.Value{}))),
			path: `expected_data["foo"]`, summary: "Expected Value Mismatch",
			detail: `expected_data["foo"] says that foo is absent, but it exists. Nothing was written.` + wide +
				"  Key:              foo\n  Expected:         (absent)\n  Found:            (hidden, 4 bytes, sha256:" + digestOf("live") + ")\n" + wideBy + wideNow +
				"\n" + `Run terraform plan again when foo is as expected, or change expected_data["foo"].`,
		},
		"several: mismatches in both maps": {
			of:   aboutSeveral(terms.OpCreate, planning).Diagnose(conflict(eval.ReasonKey, key("c", eval.ReasonKey, binary), key("foo", eval.ReasonKey, one))),
			path: `expected_binary_data["c"]`, summary: "Expected Value Mismatch",
			detail: "c and foo do not hold what expected_binary_data and expected_data say. Nothing was written." + wide +
				"  Key:              c\n  Expected:         base64 \"MQ==\"\n" + missing + foo + wideNow +
				"\nTo replace these values, copy them to expected_binary_data and expected_data; to keep them, copy them to data and set adopt_existing = true.",
		},
		"several: held": {
			of:   aboutSeveral(terms.OpCreate).Diagnose(conflict(eval.ReasonEqual, key("b", eval.ReasonEqual, eval.Value{}), key("foo", eval.ReasonEqual, one))),
			path: `binary_data["b"]`, summary: "Key Already Holds The Value",
			detail: "b and foo already hold the values to write. Nothing was written." + wide +
				"  Key:              b\n" + gone + "  Key:              foo\n  Found:            \"live\"\n" + wideBy + wideNow +
				"  Import id:        shop/settings:b,foo\n" +
				"\nIf this resource is tainted, run terraform untaint with the address above. Otherwise import them, or set adopt_existing = true." + inPlace,
		},
		"several: held, of a key that an update adds": {
			of:   aboutSeveral(terms.OpUpdate).Diagnose(conflict(eval.ReasonEqual, key("a", eval.ReasonEqual, eval.Value{}))),
			path: `data["a"]`, summary: "Key Already Holds The Value",
			detail: "a already holds the value to write. Nothing was written." + wide + keyA + gone + wideNow +
				"\nSet adopt_existing = true to take it over.",
		},
		"several: exist": {
			of:   aboutSeveral(terms.OpCreate).Diagnose(conflict(eval.ReasonKey, key("a", eval.ReasonKey, eval.Value{}), key("b", eval.ReasonKey, eval.Value{}))),
			path: `data["a"]`, summary: "Key Already Exists",
			detail: "a and b already exist with other values. Nothing was written." + wide +
				keyA + "  Expected:         (absent)\n" + gone + "  Key:              b\n  Expected:         (absent)\n" + gone + wideNow +
				"  Import id:        shop/settings:a,b\n" +
				"\nTo replace these values, copy them to expected_binary_data and expected_data; to keep them, set data to what the keys hold, then import them.",
		},
		"several: all faults": {
			of: aboutSeveral(terms.OpUpdate).Diagnose(conflict(eval.ReasonKey, key("a", eval.ReasonEqual, eval.Value{}), key("b", eval.ReasonKey, eval.Value{}),
				key("c", eval.ReasonKey, one), key("foo", eval.ReasonKey, one))),
			path: `expected_data["foo"]`, summary: "Compare-And-Swap Conflict",
			detail: "4 keys do not hold what this resource expects. Nothing was written." + wide +
				foo + "  Problem:          expected_data[\"foo\"] does not match\n" +
				keyA + gone + "  Problem:          it already holds the value to write; adopt_existing = true takes it over\n" +
				"  Key:              b\n  Expected:         (absent)\n" + gone +
				"  Problem:          it already exists; to replace it, set expected_binary_data[\"b\"]\n" +
				"  More keys:        c\n" + wideNow +
				"\nResolve the problem of each key, then run terraform plan again.",
		},
		"several: changed, on delete, whatever was expected once": {
			of:      aboutSeveral(terms.OpDelete, hidden).Diagnose(conflict(eval.ReasonKey, key("a", eval.ReasonKey, one), key("foo", eval.ReasonKey, one))),
			summary: "Compare-And-Swap Conflict",
			detail: "a and foo changed after this plan was made. Nothing was removed." + wide +
				keyA + "  Expected:         (hidden, 1 bytes, sha256:" + digestOf("1") + ")\n" + missing +
				"  Key:              foo\n" + wideHidden + wideBy + wideNow + again,
		},
		"several: changed, in a plan": {
			of:      aboutSeveral(terms.OpDelete, planning).Diagnose(conflict(eval.ReasonKey, key("a", eval.ReasonKey, one), key("foo", eval.ReasonKey, one))),
			summary: "Compare-And-Swap Conflict",
			detail: "a and foo changed after Terraform last read them. Nothing was removed." + wide +
				keyA + "  Expected:         \"1\"\n" + missing + foo + wideNow + refresh,
		},
		"several: object changed, and one of the keys": {
			of:      aboutSeveral(terms.OpUpdate).Diagnose(conflict(eval.ReasonObject, key("a", eval.ReasonObject, eval.Value{}), key("foo", eval.ReasonObject, one))),
			summary: "Compare-And-Swap Conflict",
			detail:  "foo changed after this plan was made. Nothing was written." + wide + foo + widePlanned + again,
		},
		"several: object changed, and no key": {
			of:      aboutSeveral(terms.OpUpdate).Diagnose(conflict(eval.ReasonObject, key("a", eval.ReasonObject, eval.Value{}))),
			summary: "Compare-And-Swap Conflict",
			detail: "The keys of this resource are unchanged, but the ConfigMap changed. Nothing was written." + wide + wideBy + widePlanned +
				"\nRun terraform plan again, or ignore other keys.",
		},
		"several: own write": {
			of:      aboutSeveral(terms.OpDelete).Diagnose(conflict(eval.ReasonOwn, key("a", eval.ReasonOwn, one), key("foo", eval.ReasonOwn, one))),
			summary: "Compare-And-Swap Conflict",
			detail: "Another resource of this run wrote or adopted a and foo after the removal was planned. Nothing was removed." + wide +
				keyA + "  Expected:         \"1\"\n" + missing + foo + widePlanned + "\nThe next apply removes them. To keep them, first run terraform state rm with " +
				"the address of the removed resource. If a resource with that address is still in the configuration, import it again.",
		},
		"several: no ConfigMap":                          noConfigMap(aboutSeveral(terms.OpUpdate), object),
		"several: no ConfigMap, in the plan of a create": noConfigMapYet(aboutSeveral(terms.OpCreate, planning), object),
		"several: being deleted":                         beingDeleted(aboutSeveral(terms.OpUpdate), servedObject),
		"several: immutable, on delete": {
			of: aboutSeveral(terms.OpDelete).Diagnose(&eval.ImmutableError{Ref: testRef}), summary: "ConfigMap Is Immutable",
			detail: "The ConfigMap is immutable. Nothing was removed." + object +
				"\nTo leave the ConfigMap as it is, apply deletion_policy = \"abandon\", then destroy.",
		},
		"several: too large as it is planned": {
			of:       aboutSeveral(terms.OpUpdate, planning).Diagnose(&eval.TooLargeError{Ref: testRef, New: 10, Others: eval.MaxSize}),
			severity: diag.SeverityWarning, path: "data", summary: "ConfigMap Too Large",
			detail: "The ConfigMap would be too large, unless another resource frees space in it in the same apply.\n\n  ConfigMap:     shop/settings\n" +
				sizes(10, 1048576),
		},
		"several: canceled": {
			of:      aboutSeveral(terms.OpUpdate).Diagnose(&eval.CanceledError{Ref: testRef, Host: "https://api.test", Err: context.Canceled}),
			summary: "Operation Canceled", detail: "The operation was canceled. Nothing was written." + object + "  Host:       https://api.test",
		},
		"several: unknown, on create": {
			of:      aboutSeveral(terms.OpCreate).Diagnose(&eval.UnknownError{Ref: testRef, Base: eval.Version{ResourceVersion: "7"}, Err: errServer}),
			summary: "Write Outcome Unknown",
			detail: "The write was sent, but its outcome is unknown. The ConfigMap may have changed, or may change yet." + wide +
				"  Cause:            the server's own words\n  resourceVersion:  7 before the write\n  Import id:        shop/settings:a,b,foo\n" +
				"\nRun terraform plan again. If it says that a, b and foo already hold the values, import them, or set adopt_existing = true.",
		},
		"several: anything else": unexpected(aboutSeveral(terms.OpUpdate), "updating the keys", object),
		"several: admission": {
			of: aboutSeveral(terms.OpCreate).NotStoredAsSent([]decide.KeyChange{
				{Key: "a", Sent: eval.Text("2"), Stored: eval.Text("3")}, {Key: "foo", Sent: eval.Text("4"), Stored: eval.Value{}},
			}),
			severity: diag.SeverityWarning, path: `data["a"]`, summary: "Value Not Stored As Sent",
			detail: "The API server did not store a and foo as they were sent." + object +
				"  Key:        a\n  Sent:       \"2\"\n  Stored:     \"3\"\n  Key:        foo\n  Sent:       \"4\"\n  Stored:     (absent)\n\n" +
				"An admission policy or webhook changed the value. Change the policy, or set data to what it stores.",
		},
		"several: delete of what changed": {
			of: aboutSeveral(terms.OpDelete, planning).RemovesChanged(
				[]decide.Drift{{Key: "a", Found: eval.Text("x")}, {Key: "b", Found: eval.Text("y")}}, nil),
			severity: diag.SeverityWarning, summary: "Value Changed Since Last Apply",
			detail: "a and b do not hold what this resource last wrote. The apply removes them if they still hold what the plan found." + object +
				"  Key:        a\n  Found:      \"x\"\n  Key:        b\n  Found:      \"y\"\n\n" +
				`To keep them, set data to what they hold and deletion_policy = "abandon", apply, then destroy.`,
		},
		"several: what changed stays": {
			of:       aboutSeveral(terms.OpDelete, planning).Stays(decide.KeepChanged, kept("a", "b"), nil),
			severity: diag.SeverityWarning, summary: "Key Stays In Place",
			detail: "a and b do not hold what this resource last wrote, so they stay as they are." + stays +
				`To remove them, apply deletion_policy = "delete" and on_drift = "overwrite" before the destroy. After the destroy, use kubectl as shown.`,
		},
		"several: keys stay": {
			of:       aboutSeveral(terms.OpDelete, planning).Stays(decide.KeepExisting, kept("a", "b"), nil),
			severity: diag.SeverityWarning, summary: "Key Stays In Place",
			detail: "a and b existed before this resource wrote them, so they stay as they are." + stays +
				`To put back what they held first, apply deletion_policy = "restore" before the destroy. ` +
				`To remove them, apply deletion_policy = "delete" before the destroy. After the destroy, use kubectl as shown.`,
		},
		"several: keys stay after the destroy": {
			of:       aboutSeveral(terms.OpDelete).Stays(decide.KeepExisting, kept("a", "b"), nil),
			severity: diag.SeverityWarning, summary: "Key Stays In Place",
			detail: "a and b existed before this resource wrote them, so they stay as they are." + stays +
				"Terraform does not manage them any more.",
		},
		"several: an expected key that changed stays": {
			of: aboutSeveral(terms.OpDelete, planning, func(s *message.Subject) {
				s.Keys["foo"] = message.KeyPaths{Expected: path.Root("expected_data").AtMapKey("foo"), Want: new(eval.Text("0"))}
			}).Stays(decide.KeepChanged, decide.Removals{{Key: "foo", Live: eval.Text("1"), First: &eval.Value{}}}, nil),
			severity: diag.SeverityWarning, summary: "Key Stays In Place",
			detail: "foo does not hold what this resource last wrote, so it stays as it is.\n\n  ConfigMap:  shop/settings\n" +
				"  Key:        foo\n  Found:      \"1\"\n" +
				"  To remove:  kubectl patch configmap settings --namespace shop --type merge --patch '{\"data\":{\"foo\":null}}'\n\n" +
				`To remove it, apply deletion_policy = "delete" and on_drift = "overwrite" without expected_data before the destroy. ` +
				"After the destroy, use kubectl as shown.",
		},
		"several: adopted keys stay": {
			of: aboutSeveral(terms.OpUpdate, replanned).Stays(decide.KeepExisting,
				decide.Removals{{Key: "a", Live: eval.Text("1"), First: new(eval.Text("1"))}}, nil),
			severity: diag.SeverityWarning, summary: "Key Stays In Place",
			detail: "a existed before this resource wrote it, so it stays as it is.\n\n  ConfigMap:  shop/settings\n" +
				"  Key:        a\n  Found:      \"1\"\n" +
				"  To remove:  kubectl patch configmap settings --namespace shop --type merge --patch '{\"data\":{\"a\":null}}'\n\n" +
				"Terraform does not manage it any more.",
		},
		"several: a changed key that the configuration gives up stays": {
			of:       aboutSeveral(terms.OpUpdate, planning).Stays(decide.KeepChanged, kept("gone"), nil),
			severity: diag.SeverityWarning, summary: "Key Stays In Place",
			detail: "gone does not hold what this resource last wrote, so it stays as it is." + staysGone +
				`To remove it, set deletion_policy = "delete" and on_drift = "overwrite". After the apply, use kubectl as shown.`,
		},
		"several: a key that the configuration gives up stays": {
			of:       aboutSeveral(terms.OpUpdate, planning).Stays(decide.KeepUnknown, kept("gone"), nil),
			severity: diag.SeverityWarning, summary: "Key Stays In Place",
			detail: "It is not known what gone held before this resource wrote it, so it stays as it is." + staysGone +
				`To remove it, set deletion_policy = "delete". After the apply, use kubectl as shown.`,
		},
		"several: moves": {
			of: aboutSeveral(terms.OpCreate).KeyMoves([]string{"a", "b"}, false), path: `data["a"]`, summary: "Key Moves Between Instances",
			detail: "One instance removes a and b and another one writes them in the same run, in no fixed order. Nothing was written." + object +
				"  Key:        a\n  Key:        b\n\nGive it up first." + deposed,
		},
		"several: replaces itself": {
			of: aboutSeveral(terms.OpCreate).ReplacesItself(decide.FindReplacesKept), summary: "Replacement Would Fail",
			detail: "deletion_policy leaves the key in place, so the new resource would find it taken. Nothing was removed." + object +
				"\nChange data instead of replacing the resource.",
		},
		"several: a tainted one replaces itself": taintedReplacesItself(aboutSeveral(terms.OpDelete), object),
		"several: may replace itself":            mayReplaceItself(aboutSeveral(terms.OpDelete), "namespace and name", "data", object),
		"several: put back": {
			of: aboutSeveral(terms.OpDelete, planning).PutsBack(decide.Removals{
				{Key: "a", Live: eval.Text("1"), First: new(eval.Text("0"))}, {Key: "b", Live: eval.Text("2"), First: new(eval.Value{})},
			}),
			severity: diag.SeverityWarning, summary: "Value Will Be Put Back",
			detail: "The apply puts back what a and b held before this resource wrote them.\n\n  ConfigMap:  shop/settings\n  Key:        a\n  Found:      \"1\"\n  Put back:   \"0\"\n" +
				"  Key:        b\n  Found:      \"2\"\n  Put back:   (absent)\n\nTo leave them as they are, apply deletion_policy = \"abandon\" before the destroy.",
		},
		"several: a refused removal": {
			of: aboutSeveral(terms.OpDelete).Diagnose(&eval.RefusedError{Ref: testRef, Verb: "patch", Code: 422, Err: errServer}), summary: "Request Refused",
			detail: "The API server refused to patch the ConfigMap. Nothing was removed.\n\n  ConfigMap:   shop/settings\n  Status:      422\n  API server:  the server's own words\n" +
				"\nCorrect what the API server names, then run terraform plan again. To leave the ConfigMap as it is, apply deletion_policy = \"abandon\", then destroy.",
		},
		"several: no version": {
			of: aboutSeveral(terms.OpUpdate, planning).VersionNotKnown(), summary: "ConfigMap Version Not Known",
			detail: "The state does not have the version of the ConfigMap yet. Nothing was written." + object +
				"\nRun terraform plan again without -refresh=false." + planEnd + " deletion_policy says what becomes of a, b and foo.",
		},
		"several: an import of a key that is not there": {
			of: aboutSeveral(terms.OpRead).NotImported([]string{"a"}, seen), path: "data", summary: "Key Not Found",
			detail: "The ConfigMap has no key \"a\". Nothing was imported.\n\n  ConfigMap:      shop/settings\n  Key:            a\n  Existing keys:  foo\n" +
				"\nCorrect the names in the import, or leave out the keys that do not exist yet: the next apply writes them.",
		},
		"several: an import of a key whose name is misspelt": {
			of: aboutSeveral(terms.OpRead).NotImported([]string{"Fo"}, seen), path: "data", summary: "Key Not Found",
			detail: "The ConfigMap has no key \"Fo\". Nothing was imported.\n\n  ConfigMap:      shop/settings\n  Key:            Fo\n  Existing keys:  foo\n" +
				"\nDid you mean foo? Correct the names in the import, or leave out the keys that do not exist yet: the next apply writes them.",
		},
		"several: an import of keys that are not there": {
			of: aboutSeveral(terms.OpRead).NotImported([]string{"a", "b"}, seen), path: "data", summary: "Key Not Found",
			detail: "The ConfigMap does not have the keys a and b. Nothing was imported.\n\n  ConfigMap:      shop/settings\n  Key:            a\n" +
				"  Key:            b\n  Existing keys:  foo\n\nCorrect the names in the import, or leave out the keys that do not exist yet: the next apply writes them.",
		},
		"several: an import from what does not exist": {
			of: aboutSeveral(terms.OpRead).NothingThere(nil, message.Missing{}), summary: "ConfigMap Not Found",
			detail: "The ConfigMap does not exist. Nothing was imported." + object + "\nCorrect the import, whose id is namespace/name:key1,key2.",
		},
		"an import of one key that is not there": {
			of: aboutFoo(terms.OpRead).NothingThere(observed(map[string]string{"fooo": "1"}), message.Missing{}), summary: "Key Not Found",
			detail: "The ConfigMap has no key \"foo\". Nothing was imported.\n\n  ConfigMap:      shop/settings\n  Key:            foo\n  Existing keys:  fooo\n" +
				"\nDid you mean fooo? Correct the import, whose id is namespace/name/key. To create it, remove the import.",
		},
		"several: an import of nothing": {
			of: aboutSeveral(terms.OpRead).NotImported(nil, seen), path: "data", summary: "Nothing To Import",
			detail: "The ConfigMap has no keys to import. Nothing was imported." + object +
				"\nRemove the import: the next apply writes the keys of the configuration.",
		},
	}
}
