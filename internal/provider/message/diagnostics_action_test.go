package message_test

import (
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// swapping makes a subject that of an action, which imports nothing and keeps nothing.
func swapping(s *message.Subject) {
	one := eval.Text("1")
	s.ID.Key, s.Noun, s.ImportID, s.Ways = "", "swap", nil, message.Ways{Missing: "Create it before the action."}
	s.Keys["foo"] = message.KeyPaths{Value: path.Root("data").AtMapKey("foo"), Expected: path.Root("expected_data").AtMapKey("foo"), Want: &one}
}

// listing changes a subject to describe a list.
func listing(s *message.Subject) {
	*s = message.Subject{ID: terms.EntryID{Ref: eval.Ref{Namespace: "shop"}}, Noun: "ConfigMaps", Ways: message.Ways{Grant: "list"}, Op: s.Op}
}

func actionDiagnosticTests(seen *eval.Snapshot) map[string]diagnosticTest {
	const place = "\n\n  ConfigMap:  shop/settings\n"
	pinned := conflictOf(eval.ReasonVersion, seen, eval.Version{ResourceVersion: "7"})
	gone := conflictOf(eval.ReasonKey, seen, eval.Version{})
	gone.Keys[0].Key, gone.Keys[0].New = "gone", eval.Value{}
	without := func(s *message.Subject) {
		swapping(s)
		s.Keys["gone"] = message.KeyPaths{
			Value: path.Root("data").AtMapKey("gone"), Expected: path.Root("expected_data").AtMapKey("gone"), Want: s.Keys["foo"].Want,
		}
	}
	return map[string]diagnosticTest{
		"a swap, another value": {
			of:      aboutFoo(terms.OpInvoke, swapping).Diagnose(conflictOf(eval.ReasonKey, seen, eval.Version{})),
			summary: "Expected Value Mismatch", path: `expected_data["foo"]`,
			detail: `expected_data["foo"] is "1", but foo holds "live". Nothing was written.` + wide + wideFoo + wideBy + wideNow +
				"\nTo replace \"live\", set \"foo\" = \"live\" in expected_data.",
		},
		"a swap that removes what is gone": {
			of: aboutFoo(terms.OpInvoke, without).Diagnose(gone), summary: "Expected Value Mismatch", path: `expected_data["gone"]`,
			detail: `The ConfigMap has no key "gone". Nothing was written.` +
				"\n\n  ConfigMap:        shop/settings\n  Key:              gone\n  Expected:         \"1\"\n  Found:            (absent)\n  Existing keys:    foo\n" +
				wideNow + "\ngone is not there. Remove it from data and from expected_data.",
		},
		"a swap, pinned": {
			of: aboutFoo(terms.OpInvoke, swapping).Diagnose(pinned), summary: "Compare-And-Swap Conflict", path: "expected_resource_version",
			detail: "The ConfigMap is not at resourceVersion 7, which expected_resource_version names. Nothing was written." + wide + wideFoo + wideBy +
				"  resourceVersion:  7 expected, 42 now\n\nRun terraform plan again with expected_resource_version from a data source, or with the version that you have reviewed.",
		},
		"a swap, not there yet": {
			of:       aboutFoo(terms.OpInvoke, swapping, planning).Diagnose(&eval.NotFoundError{Ref: testRef}),
			severity: diag.SeverityWarning, summary: "ConfigMap Does Not Exist Yet", path: "name",
			detail: "The ConfigMap does not exist yet, so the plan could not check it. The apply checks it." + place + "\nCreate it before the action.",
		},
		"a swap, not there": {
			of:      aboutFoo(terms.OpInvoke, swapping).Diagnose(&eval.NotFoundError{Ref: testRef}),
			summary: "ConfigMap Not Found", path: "name", detail: "The ConfigMap does not exist. Nothing was written." + place + "\nCreate it before the action.",
		},
		"a swap, in a plan": { // which no destroy begins with
			of:      aboutFoo(terms.OpInvoke, swapping, planning).Immutable(),
			summary: "ConfigMap Is Immutable",
			detail: "The ConfigMap is immutable. Nothing was written." + place +
				"\nUse a ConfigMap with another name, or delete this one and create it again.",
		},
		"a swap, unknown": {
			of:      aboutFoo(terms.OpInvoke, swapping).Diagnose(&eval.UnknownError{Ref: testRef, Base: eval.Version{UID: "u", ResourceVersion: "7"}, Err: errServer}),
			summary: "Write Outcome Unknown",
			detail: "The write was sent, but its outcome is unknown. The ConfigMap may have changed, or may change yet." +
				"\n\n  ConfigMap:        shop/settings\n  Cause:            the server's own words\n  resourceVersion:  7 before the write\n" +
				"\nSee what the ConfigMap holds before you invoke the action again.",
		},
		"a list, unauthorized": {
			of:      aboutFoo(terms.OpList, listing).Diagnose(&eval.RefusedError{Verb: "list", Code: 401, Err: errServer}),
			summary: "Request Refused",
			detail: "The API server refused to list ConfigMaps. Nothing was listed." +
				"\n\n  Namespace:   shop\n  Status:      401\n  API server:  the server's own words\n\nRenew your credentials, then run terraform query again.",
		},
		"a list, forbidden": {
			of:      aboutFoo(terms.OpList, listing).Diagnose(&eval.ForbiddenError{Verb: "list", Err: errServer}),
			summary: "Not Permitted",
			detail: "You do not have permission to list ConfigMaps. Nothing was listed." +
				"\n\n  Namespace:   shop\n  API server:  the server's own words\n\nGrant list on configmaps in this namespace.",
		},
	}
}
