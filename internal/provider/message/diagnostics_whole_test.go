package message_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// aboutWhole is the subject of the diagnostics here: a ConfigMap with data.
func aboutWhole(op terms.Operation, changes ...func(*message.Subject)) message.Subject {
	s := message.Subject{
		ID: terms.EntryID{Ref: testRef}, Noun: "ConfigMap", Op: op, Value: path.Root("data"),
		ImportID: func(ref eval.Ref, _ []string) string { return ref.String() },
		Keys: map[string]message.KeyPaths{
			"foo": {Value: path.Root("data").AtMapKey("foo")}, eval.LabelKey("app"): {Value: path.Root("labels").AtMapKey("app")},
			eval.ImmutableKey: {Value: path.Root("immutable")},
		},
		Ways: message.Ways{Missing: "It comes back.", Immutable: "It is replaced.", Changed: "Leave it out.", Grant: "all verbs"},
	}
	for _, change := range changes {
		change(&s)
	}
	return s
}

func managed(s *message.Subject) { s.Manager = "another-writer" }

func wholeDiagnosticTests(seen, unmanaged *eval.Snapshot) map[string]diagnosticTest {
	const (
		head    = "\n\n  ConfigMap:  shop/settings\n"
		wide    = "\n\n  ConfigMap:        shop/settings\n"
		differs = "  Key:              foo\n" + wideFoo + wideBy + "  Label:            app\n  Expected:         \"shop\"\n  Found:            (absent)\n"
		unknown = "The write was sent, but its outcome is unknown. The ConfigMap may have changed, or may change yet."
		exists  = "The ConfigMap already exists. Nothing was written."
		taken   = "\nIf this resource is tainted, run terraform untaint with the address above. Otherwise import it, set " +
			"expected_resource_version_wo = \"42\" to take it over, or choose another name; with create_before_destroy, use generate_name."
	)
	planned := eval.Version{UID: seen.Version().UID, ResourceVersion: "7"}
	ofObject := func(at eval.Version) error {
		return &eval.ConflictError{Reason: eval.ReasonObject, Ref: testRef, At: at, Live: seen, Keys: []eval.KeyConflict{
			{Key: "foo", Expected: eval.Text("1")}, {Key: eval.LabelKey("app"), Expected: eval.Text("shop")}, {Key: eval.ImmutableKey},
		}}
	}
	one := func(diags diag.Diagnostics) diag.Diagnostic { return diags[0] }
	return map[string]diagnosticTest{
		"whole: changed": {
			of: aboutWhole(terms.OpUpdate).Diagnose(ofObject(planned)), summary: "Compare-And-Swap Conflict",
			detail: "foo and label app changed after this plan was made. Nothing was written." + wide + differs + widePlanned + again,
		},
		"whole: changed, in a plan, hidden": {
			of: aboutWhole(terms.OpDelete, planning, hidden).Diagnose(ofObject(planned)), summary: "Compare-And-Swap Conflict",
			detail: "foo and label app changed after Terraform last read them. Nothing was removed." + wide +
				"  Key:              foo\n" + wideHidden + wideBy +
				"  Label:            app\n  Expected:         (hidden, 4 bytes, sha256:" + digestOf("shop") + ")\n  Found:            (absent)\n" + wideRead + refresh,
		},
		"whole: made again": {
			of: aboutWhole(terms.OpUpdate).Diagnose(&eval.ConflictError{
				Reason: eval.ReasonObject, Ref: testRef, At: eval.Version{UID: "other", ResourceVersion: "7"}, Live: seen,
			}),
			summary: "Compare-And-Swap Conflict",
			detail: "The ConfigMap was deleted and created again after this plan was made. Nothing was written." + wide + wideBy +
				"  uid:              other when planned, u-1 now\n" + widePlanned + again,
		},
		"whole: a key": {
			of: aboutWhole(terms.OpUpdate).Diagnose(conflictOf(eval.ReasonKey, seen, eval.Version{})), summary: "Compare-And-Swap Conflict",
			detail: "foo changed after this plan was made. Nothing was written." + wide + "  Key:              foo\n" + wideFoo + wideBy + wideNow +
				"\nLeave it out.",
		},
		"whole: a key that exists": {
			of: aboutWhole(terms.OpUpdate, planning).Diagnose(&eval.ConflictError{
				Reason: eval.ReasonKey, Ref: testRef, Live: seen, Keys: []eval.KeyConflict{{Key: "foo", Reason: eval.ReasonKey, New: eval.Text("2")}},
			}),
			path: "data[\"foo\"]", summary: "Key Already Exists",
			detail: "foo already exists with another value. Nothing was written." + wide +
				"  Key:              foo\n  Expected:         (absent)\n  Found:            \"live\"\n" + wideBy + wideNow +
				"\nTo keep it, set \"foo\" = \"live\" in data. To replace it, set expected_resource_version_wo = \"42\"." + ofWhole,
		},
		"whole: a key in the other map": {
			of: aboutWhole(terms.OpUpdate, planning, func(s *message.Subject) {
				s.Keys["foo"] = message.KeyPaths{Value: path.Root("binary_data").AtMapKey("foo")}
			}).Diagnose(&eval.ConflictError{
				Reason: eval.ReasonKey, Ref: testRef, Live: seen, Keys: []eval.KeyConflict{{Key: "foo", Reason: eval.ReasonKey, New: eval.Binary([]byte{1})}},
			}),
			path: "binary_data[\"foo\"]", summary: "Key Already Exists",
			detail: "foo already exists with another value. Nothing was written." + wide +
				"  Key:              foo\n  Expected:         (absent)\n  Found:            \"live\"\n" + wideBy + wideNow +
				"\nTo keep it, remove it from binary_data. To replace it, set expected_resource_version_wo = \"42\"." + ofWhole,
		},
		"whole: a key that the configuration lacks": {
			of: aboutWhole(terms.OpUpdate, planning).Diagnose(&eval.ConflictError{
				Reason: eval.ReasonKey, Ref: testRef, Live: seen, Keys: []eval.KeyConflict{{Key: "foo", Reason: eval.ReasonKey}},
			}),
			path: "data[\"foo\"]", summary: "Key Already Exists",
			detail: "foo already exists, and the configuration lacks it. Nothing was written." + wide +
				"  Key:              foo\n  Expected:         (absent)\n  Found:            \"live\"\n" + wideBy + wideNow +
				"\nTo keep it, set \"foo\" = \"live\" in data. To replace it, set expected_resource_version_wo = \"42\"." + ofWhole,
		},
		"whole: another type": {
			of: aboutWhole(terms.OpCreate, planning).Diagnose(&eval.ConflictError{
				Reason: eval.ReasonKey, Ref: testRef, Live: seen, Keys: []eval.KeyConflict{{Key: eval.TypeKey, Expected: eval.Text("Opaque")}},
			}),
			path: "type", summary: "ConfigMap Already Exists",
			detail: "The ConfigMap already exists with another type, which cannot be changed. Nothing was written." + head + "  Type:       \n" +
				"\nSet type = \"\", or choose another name.",
		},
		"whole: exists": {
			of:   aboutWhole(terms.OpCreate).Diagnose(&eval.ExistsError{Ref: testRef, Live: seen}),
			path: "name", summary: "ConfigMap Already Exists",
			detail: exists + wide + wideBy + wideNow + "  Import id:        shop/settings\n" + taken,
		},
		"whole: exists, in a plan, and nobody is known to have written it": {
			of:   aboutWhole(terms.OpCreate, planning).Diagnose(&eval.ExistsError{Ref: testRef, Live: unmanaged}),
			path: "name", summary: "ConfigMap Already Exists",
			detail: exists + wide +
				"  resourceVersion:  " + unmanaged.Version().ResourceVersion + "\n  Import id:        shop/settings\n" + taken,
		},
		"whole: no namespace": {
			of: aboutWhole(terms.OpCreate).Diagnose(&eval.NoNamespaceError{Ref: testRef}), path: "namespace", summary: "Namespace Not Found",
			detail: "The namespace does not exist. Nothing was written." + head + "\nCreate the namespace first, and let this resource depend on it.",
		},
		"whole: no namespace, in a plan": {
			of:       aboutWhole(terms.OpCreate, planning).Diagnose(&eval.NoNamespaceError{Ref: testRef}),
			severity: diag.SeverityWarning, path: "namespace", summary: "Namespace Does Not Exist Yet",
			detail: "The namespace does not exist yet, so the plan could not check the ConfigMap. The apply checks it." + head +
				"\nIf this run creates the namespace, let this resource depend on it. Otherwise create it first.",
		},
		"whole: gone": {
			of: aboutWhole(terms.OpUpdate, planning).Diagnose(&eval.NotFoundError{Ref: testRef}), path: "name", summary: "ConfigMap Not Found",
			detail: "The ConfigMap does not exist. Nothing was written." + head + "\nIt comes back." + ofWhole,
		},
		"whole: immutable": {
			of: aboutWhole(terms.OpUpdate).Diagnose(&eval.ImmutableError{Ref: testRef}), summary: "ConfigMap Is Immutable",
			detail: "The ConfigMap is immutable. Nothing was written." + head + "\nIt is replaced.",
		},
		"whole: immutable, and taken over": {
			of: aboutWhole(terms.OpCreate).Diagnose(&eval.ImmutableError{Ref: testRef}), summary: "ConfigMap Is Immutable",
			detail: "The ConfigMap is immutable. Nothing was written." + head +
				"\nTo take it over, set immutable = true, and data to what the ConfigMap holds. Otherwise choose another name.",
		},
		"whole: immutable, and the plan did not know the change": {
			of: aboutWhole(terms.OpUpdate).ChangesImmutable("data"), path: "data", summary: "ConfigMap Is Immutable",
			detail: "The ConfigMap is immutable. The plan did not know that data changes. Nothing was written." + head + "\nIt is replaced.",
		},
		"whole: being deleted": beingDeleted(aboutWhole(terms.OpUpdate), servedObject),
		"whole: keys of others": {
			of:      aboutWhole(terms.OpDelete).Diagnose(&message.OtherKeysError{Others: decide.Others{Keys: []string{"foo", "gone"}, IsDrift: true}, Live: seen}),
			summary: "ConfigMap Has Other Keys",
			detail: "The ConfigMap contains keys with values that this resource did not write. deletion_policy = \"release\" does not delete them. Nothing was removed." + head +
				"  Key:        foo (field manager \"another-writer\")\n  Key:        gone\n\n" +
				"If this configuration owns the keys, let their resources depend on this resource, and destroy again. " +
				"Let other owners remove their keys first. Counters and pools leave their keys. " +
				"To delete the ConfigMap with these keys, first apply deletion_policy = \"delete\" and on_drift = \"overwrite\" alone. " +
				"To leave the ConfigMap in place, run terraform state rm with the address of this resource.",
		},
		"whole: keys of others, after a taint": {
			of:      aboutWhole(terms.OpDelete).Diagnose(&message.OtherKeysError{Others: decide.Others{Keys: []string{"foo"}, NotKnown: true}, Live: seen}),
			summary: "ConfigMap Has Other Keys",
			detail: "The ConfigMap contains keys that this resource may not have written. deletion_policy = \"release\" does not delete them. Nothing was removed." + head +
				"  Key:        foo (field manager \"another-writer\")\n\n" +
				"If this resource is tainted, run terraform untaint with its address. " +
				"To delete the ConfigMap with these keys, first apply deletion_policy = \"delete\" alone. " +
				"To leave the ConfigMap in place, first apply deletion_policy = \"abandon\".",
		},
		"whole: replaces itself": {
			of: aboutWhole(terms.OpDelete).ReplacesAbandoned(), summary: "Replacement Would Fail",
			detail: "deletion_policy leaves the ConfigMap in place, so the new resource would find its name taken. Nothing was removed." + head +
				"\nChange the name as well, or first apply deletion_policy = \"release\" alone.",
		},
		"whole: keys of this field manager": {
			of:       aboutWhole(terms.OpDelete, planning, managed).KeysOfOthers(&message.OtherKeysError{Others: decide.Others{Keys: []string{"foo"}}, Live: seen})[0],
			severity: diag.SeverityWarning, summary: "ConfigMap Has Other Keys",
			detail: "The ConfigMap contains keys with values that this resource did not write. The apply deletes the ConfigMap only if other resources remove them first." + head +
				"  Key:        foo (field manager \"another-writer\")\n\n" +
				"If this configuration owns the keys, let their resources depend on this resource, so that they are destroyed first. " +
				"Counters and pools leave their keys.",
		},
		"whole: keys of another field manager": {
			of:      aboutWhole(terms.OpDelete, planning).KeysOfOthers(&message.OtherKeysError{Others: decide.Others{Keys: []string{"foo"}}, Live: seen})[0],
			summary: "ConfigMap Has Other Keys",
			detail: "The ConfigMap contains keys with values that this resource did not write. deletion_policy = \"release\" does not delete them. Nothing was removed." + head +
				"  Key:        foo (field manager \"another-writer\")\n\n" +
				"Let the owners remove their keys first: destroy or change their configuration. " +
				"To delete the ConfigMap with these keys, first apply deletion_policy = \"delete\" alone. " +
				"To leave the ConfigMap in place, first apply deletion_policy = \"abandon\".",
		},
		"whole: deleted with keys of others": {
			of: aboutWhole(terms.OpDelete, planning).KeysOfOthers(
				&message.OtherKeysError{Others: decide.Others{Keys: []string{"foo"}, IsDeleted: true}, Live: seen})[0],
			severity: diag.SeverityWarning, summary: "ConfigMap Has Other Keys",
			detail: "The ConfigMap contains keys with values that this resource did not write. " +
				"The apply deletes them with the ConfigMap, because deletion_policy is \"delete\"." + head +
				"  Key:        foo (field manager \"another-writer\")\n\n" +
				"To keep them, apply deletion_policy = \"abandon\" instead: it leaves the ConfigMap in place.",
		},
		"whole: too large": {
			of:   aboutWhole(terms.OpUpdate, planning).Diagnose(&eval.TooLargeError{Ref: testRef, New: 10, Others: eval.MaxSize}),
			path: "data", summary: "ConfigMap Too Large",
			detail: "The ConfigMap would be too large. Nothing was written.\n\n  ConfigMap:     shop/settings\n" +
				sizes(10, 1048576) + ofWhole,
		},
		"whole: not permitted":            notPermitted(aboutWhole(terms.OpDelete), "delete", servedObject, "all verbs"),
		"whole: unreachable, as of a key": unreachable(aboutWhole(terms.OpRead), head),
		"whole: unknown, on create": {
			of:      aboutWhole(terms.OpCreate).Diagnose(&eval.UnknownError{Ref: testRef, Err: errors.Join(lostAnswer("Post"), lostAnswer("Get"), lostAnswer("Get"))}),
			summary: "Write Outcome Unknown",
			detail: unknown + head + "  Cause:      POST https://api.test: the server's own words; GET https://api.test: the server's own words\n  Import id:  shop/settings\n\n" +
				"Run terraform plan again. If it says that the ConfigMap already exists, import it.",
		},
		"whole: unknown, on update": {
			of:      aboutWhole(terms.OpUpdate).Diagnose(&eval.UnknownError{Ref: testRef, Base: planned, Err: errServer}),
			summary: "Write Outcome Unknown",
			detail: unknown + wide + "  Cause:            the server's own words\n  resourceVersion:  7 before the write\n" +
				"\nRun terraform plan again: it shows what is left to do.",
		},
		"whole: unknown, on delete": {
			of:      aboutWhole(terms.OpDelete).Diagnose(&eval.UnknownError{Ref: testRef, Base: planned, Err: errServer}),
			summary: "Write Outcome Unknown",
			detail: unknown + wide + "  Cause:            the server's own words\n  resourceVersion:  7 before the write\n" +
				"\nRun terraform plan, or terraform plan -destroy, again: it shows what is left to remove.",
		},
		"whole: anything else": unexpected(aboutWhole(terms.OpUpdate), "updating the ConfigMap", head),
		"whole: finalizers after its deletion": {
			of: one(aboutWhole(terms.OpDelete).StillExists(eval.NewSnapshot(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
				DeletionTimestamp: &metav1.Time{Time: time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)}, Finalizers: []string{"acme.io/a", "acme.io/b"},
			}}, time.Time{}))),
			severity: diag.SeverityWarning, summary: "ConfigMap Still Exists",
			detail: "The ConfigMap is being deleted, and its finalizers still hold it.\n\n  ConfigMap:   shop/settings\n" +
				"  Deleted at:  2026-07-01T12:00:00Z\n  Finalizers:  acme.io/a, acme.io/b\n\nThe controllers of the finalizers remove them. " +
				"If a controller does not run any more, remove its finalizer: kubectl edit configmap settings --namespace shop.",
		},
		"whole: created twice": {
			of: aboutWhole(terms.OpCreate, planning).CreatedTwice(), path: "name", summary: "ConfigMap Created Twice",
			detail: "Another resource creates this ConfigMap in the same run. Nothing was written." + head +
				"\nRemove one of the two, or give it another name.",
		},
		"whole: moves between instances": {
			of: aboutWhole(terms.OpCreate, planning).ObjectMoves(), path: "name", summary: "ConfigMap Moves Between Instances",
			detail: "One instance deletes this ConfigMap, and another one has it in the same run. Nothing was written." + head +
				"\nIf the resource has a new address, add a moved block. If the state has both, run terraform state rm with the address of the instance that the plan destroys." + deposed,
		},
		"whole: replaced at a version": {
			of: aboutWhole(terms.OpUpdate, planning).Replaces([]decide.Drift{
				{Key: "foo", Found: eval.Text("1"), ToWrite: eval.Text("2")}, {Key: eval.LabelKey("app"), Found: eval.Text("a"), ToWrite: eval.Text("b")},
			}),
			severity: diag.SeverityWarning, summary: "Unmanaged Keys Will Change",
			detail: "foo and label app exist, and expected_resource_version_wo permits to replace them." + head +
				"  Key:        foo\n  Found:      \"1\"\n  Planned:    \"2\"\n  Label:      app\n  Found:      \"a\"\n  Planned:    \"b\"\n" +
				"\nReview these changes before you apply: the plan does not show them.",
		},
		"whole: a key that another manager applies": {
			of:       aboutWhole(terms.OpUpdate, planning).Applied(map[string]eval.Applier{"foo": {Manager: "helm", APIVersion: "v1"}}),
			severity: diag.SeverityWarning, summary: "Key Applied By Another Manager",
			detail: "Another manager applies the key server-side. Its next apply will conflict with this write, or undo it.\n\n" +
				"  ConfigMap:   shop/settings\n  Key:         foo\n  Applied by:  helm\n" +
				"\nLeave the key out of the manifests of that manager, or let the manager ignore differences of the key.",
		},
		"whole: keys that stay": {
			of:       aboutWhole(terms.OpUpdate, planning).Stays(decide.KeepOmitted, decide.Removals{{Key: "foo", Live: eval.Text("1")}}, nil),
			severity: diag.SeverityWarning, summary: "Key Stays In Place",
			detail: "The configuration does not set foo any more, so it stays as it is." + head + "  Key:        foo\n  Found:      \"1\"\n" +
				"  To remove:  kubectl patch configmap settings --namespace shop --type merge --patch '{\"data\":{\"foo\":null}}'\n" +
				"\nTo manage it, set data to what the ConfigMap holds. After the apply, use kubectl as shown.",
		},
	}
}

// If an apply has written something else, the message names the object that it did not write. A plan writes nothing.
func TestWhatNothingWasWrittenFor(t *testing.T) {
	t.Parallel()
	many := func(s *message.Subject) { s.Writes = func() int64 { return 2 } }
	alone := func(s *message.Subject) { s.Writes = func() int64 { return 1 } }
	for want, about := range map[string]message.Subject{
		"Nothing was written for this resource.": aboutFoo(terms.OpUpdate, many),
		"Nothing was written for this action.":   aboutFoo(terms.OpInvoke, many),
		"Nothing was removed.":                   aboutFoo(terms.OpDelete, many),
		"Nothing was written.":                   aboutFoo(terms.OpUpdate, alone),
	} {
		if got := about.Diagnose(&eval.ImmutableError{Ref: about.ID.Ref}).Detail(); !strings.Contains(got, " "+want+"\n") {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if got := aboutFoo(terms.OpUpdate, replanned, alone).Diagnose(&eval.ImmutableError{Ref: testRef}).Detail(); !strings.Contains(got, "Nothing was written for this resource.\n") {
		t.Errorf("of the plan that an apply makes, which has written something:\n%s", got)
	}
	if got := aboutFoo(terms.OpUpdate, planning, many).Diagnose(&eval.ImmutableError{Ref: testRef}).Detail(); !strings.Contains(got, "Nothing was written.\n") {
		t.Errorf("of a plan:\n%s", got)
	}
}

// lostAnswer is the error of a request whose answer did not come.
func lostAnswer(verb string) error {
	return &url.Error{Op: verb, URL: "https://api.test/api/v1/namespaces/shop/configmaps/settings?timeout=15s", Err: errServer}
}
