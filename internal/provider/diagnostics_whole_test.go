package provider

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// aboutWhole is the subject of the diagnostics here: a ConfigMap whose state says data = { foo = "1" }.
func aboutWhole(op terms.Operation, changes ...func(*diagnose.Subject)) diagnose.Subject {
	s := aboutFoo(op, changes...)
	s.ID.Key, s.Value = "", path.Root("data")
	s.Whole = &diagnose.WholeConfigMap{Live: contentOf}
	if op != terms.OpCreate {
		s.Whole.State = &diagnose.Content{Data: entriesOf(map[string]string{"foo": "1"}), Labels: entriesOf(map[string]string{"app": "shop"})}
	}
	return s
}

func entriesOf(texts map[string]string) map[string]cas.Entry {
	entries := map[string]cas.Entry{}
	for key, text := range texts {
		entries[key] = cas.Text(text)
	}
	return entries
}

// contentOf is a ConfigMap of text.
func contentOf(o *cas.Observation) diagnose.Content {
	return diagnose.Content{
		Data: o.Entries(), BinaryData: map[string]cas.Entry{}, Labels: entriesOf(o.Labels()), Annotations: entriesOf(o.Annotations()),
		Immutable: o.Immutable(),
	}
}

func wholeDiagnosticTests(seen, unmanaged *cas.Observation) map[string]diagnosticTest {
	const (
		head      = "\n\nConfigMap: shop/settings\n"
		another   = " Another provider, and another alias of this one, is another writer."
		version   = "Live resourceVersion: VERSION\n" + lastLine
		differs   = "Key: foo\nExpected: \"1\"\nLive: \"live\"\nLabel: app\nExpected: \"shop\"\nLive: (absent)\n"
		existsWay = "\nImport it with the id \"shop/settings\", or choose another name. If the resource is tainted, `terraform untaint` keeps it: a tainted " +
			"resource cannot be told from a new one. With create_before_destroy, use generate_name: two ConfigMaps cannot have one name."
		existsFact = "The ConfigMap exists already, and this state does not know where from. Nothing was written."
		unknown    = "The write was sent, and it could not be found out whether the ConfigMap was %s. It may be yet, while the write is on its way."
		watchEnd   = ` Where the verb "watch" on the ConfigMap is permitted, a lost answer can be settled.`
		stateKeeps = "\nThe state keeps the ConfigMap as it was. The next plan reads it, and shows what is left to be done." + watchEnd
	)
	planned := cas.Version{UID: seen.Version().UID, ResourceVersion: "7"}
	since := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	ofObject := func(at cas.Version) error {
		return &cas.ConflictError{Reason: cas.ReasonObject, Ref: testRef, At: at, Live: seen}
	}
	manyMore := aboutWhole(terms.OpUpdate)
	manyMore.Whole.State = &diagnose.Content{Data: entriesOf(map[string]string{"foo": "live"}), Annotations: entriesOf(map[string]string{})}
	several := map[string]string{}
	lines := ""
	for i := range 12 {
		key := fmt.Sprintf("k%02d", i)
		several[key] = "1"
		if i < 10 {
			lines += "Key: " + key + "\nExpected: \"1\"\nLive: (absent)\n"
		}
	}
	many := aboutWhole(terms.OpUpdate)
	many.Whole.State = &diagnose.Content{Data: entriesOf(several), Immutable: true}
	plan := diagnose.Content{Data: entriesOf(map[string]string{"foo": "2", "new": "1"}), Labels: entriesOf(map[string]string{}), BinaryData: map[string]cas.Entry{"raw": cas.Binary([]byte{1})}}
	unmanagedState, was := diagnose.Content{Labels: entriesOf(map[string]string{})}, diagnose.Content{
		Data: entriesOf(map[string]string{"foo": "1", "theirs": "1"}), Labels: entriesOf(map[string]string{}), BinaryData: entriesOf(map[string]string{}),
	}
	one := func(diags diag.Diagnostics) diag.Diagnostic { return diags[0] }
	return map[string]diagnosticTest{
		"whole: changed": {
			of: aboutWhole(terms.OpUpdate).Diagnose(ofObject(planned)), summary: "Compare-And-Swap Conflict",
			detail: "Another writer changed the ConfigMap since it was observed. Nothing was written." + head + differs +
				"Planned resourceVersion: 7\n" + version + "\n" + again + another,
		},
		"whole: changed, in a plan, hidden": {
			of: aboutWhole(terms.OpDelete, planning, hidden).Diagnose(ofObject(planned)), summary: "Compare-And-Swap Conflict",
			detail: "Another writer changed the ConfigMap since it was observed. Nothing was removed." + head +
				"Key: foo\nExpected: (hidden, 1 bytes, sha256:" + digestOf("1") + ")\nLive: (hidden, 4 bytes, sha256:" + digestOf("live") +
				")\nLabel: app\nExpected: (hidden, 4 bytes, sha256:" + digestOf("shop") + ")\nLive: (absent)\n" +
				"Planned resourceVersion: 7\n" + version + "\n" + again + another + planEnd,
		},
		"whole: made again": {
			of:      manyMore.Diagnose(ofObject(cas.Version{UID: "other", ResourceVersion: "7"})),
			summary: "Compare-And-Swap Conflict",
			detail: "Another writer changed the ConfigMap since it was observed. Nothing was written." + head +
				"Planned resourceVersion: 7\nLive resourceVersion: VERSION\nPlanned uid: other\nLive uid: UID (the ConfigMap was deleted and made again)\n" +
				lastLine + "\n" + again + another,
		},
		"whole: changed in more than is shown, and immutable": {
			of: many.Diagnose(ofObject(planned)), summary: "Compare-And-Swap Conflict",
			detail: "Another writer changed the ConfigMap since it was observed. Nothing was written." + head +
				"Key: foo\nExpected: (absent)\nLive: \"live\"\n" + strings.TrimSuffix(lines, "Key: k09\nExpected: \"1\"\nLive: (absent)\n") +
				"And 3 more.\nExpected immutable: true\nLive immutable: false\nPlanned resourceVersion: 7\n" + version + "\n" + again + another,
		},
		"whole: a key": {
			of: aboutWhole(terms.OpUpdate).Diagnose(conflictOf(cas.ReasonKey, seen, cas.Version{})), summary: "Compare-And-Swap Conflict",
			detail: "Keys do not hold what the state says. Nothing was written." + head + "Key: foo\n" + liveFoo + version + "\n" + again +
				" A key that cas_configmap_entry owns must not be in data or binary_data: leave them out where entries own the keys.",
		},
		"whole: exists": {
			of:   aboutWhole(terms.OpCreate).Diagnose(&cas.ExistsError{Ref: testRef, Live: seen}),
			path: "name", summary: "ConfigMap Already Exists", detail: existsFact + head + version + existsWay,
		},
		"whole: exists, in a plan, and nobody is known to have written it": {
			of:   aboutWhole(terms.OpCreate, planning).Diagnose(&cas.ExistsError{Ref: testRef, Live: unmanaged}),
			path: "name", summary: "ConfigMap Already Exists",
			detail: existsFact + head + "Live resourceVersion: " + unmanaged.Version().ResourceVersion + "\n" + existsWay + planEnd,
		},
		"whole: no namespace": {
			of: aboutWhole(terms.OpCreate).Diagnose(&cas.NoNamespaceError{Ref: testRef}), path: "namespace", summary: "Namespace Not Found",
			detail: "The namespace does not exist. Nothing was written." + head + "\nMake it first, and let the ConfigMap depend on what makes it.",
		},
		"whole: no namespace, in a plan": {
			of:       aboutWhole(terms.OpCreate, planning).Diagnose(&cas.NoNamespaceError{Ref: testRef}),
			severity: diag.SeverityWarning, path: "namespace", summary: "Namespace Does Not Exist Yet",
			detail: "The namespace does not exist, so that nothing could be checked. It may be made in this apply; the check is made then." + head +
				"\nLet the ConfigMap depend on what makes the namespace.",
		},
		"whole: gone": {
			of: aboutWhole(terms.OpUpdate, planning).Diagnose(&cas.NotFoundError{Ref: testRef}), summary: "ConfigMap Not Found",
			detail: "The ConfigMap does not exist any more. Nothing was written." + head +
				"\nPlan again: the refresh drops it from the state, and the plan makes it anew." + planEnd,
		},
		"whole: immutable": {
			of: aboutWhole(terms.OpUpdate).Diagnose(&cas.ImmutableError{Ref: testRef}), summary: "ConfigMap Is Immutable",
			detail: "The ConfigMap is immutable, and the state does not say so. Nothing was written." + head +
				"\nPlan again: once the state says so, the plan replaces the ConfigMap.",
		},
		"whole: being deleted": {
			of: aboutWhole(terms.OpUpdate).Diagnose(&cas.TerminatingError{Ref: testRef, Since: since}), summary: "ConfigMap Is Being Deleted",
			detail: "The ConfigMap is being deleted, so nothing was written." + head + "Deleted at: 2026-07-01T12:00:00Z\n\n" +
				"Wait until it is gone, then plan again.",
		},
		"whole: too large": {
			of:   aboutWhole(terms.OpUpdate, planning).Diagnose(&cas.TooLargeError{Ref: testRef, New: 10, Others: cas.MaxSize}),
			path: "data", summary: "ConfigMap Too Large",
			detail: "With these values the ConfigMap would be too large. Nothing was written." + head +
				"Values: 10 bytes\nAll other values: 1048576 bytes\nLimit: 1048576 bytes for all values together\n\n" +
				"Shorten them, or use another ConfigMap." + planEnd,
		},
		"whole: not permitted": {
			of: aboutWhole(terms.OpDelete).Diagnose(&cas.ForbiddenError{Ref: testRef, Verb: "delete", Err: errServer}), summary: "Not Permitted",
			detail: "The API server does not permit to delete the ConfigMap, so nothing was removed." + head +
				"Verb: delete\nResource: configmaps\nNamespace: shop\nName: settings\nAnswer: the server's own words\n\n" +
				`Planning needs the verb "get" on the ConfigMap, applying "create", "patch" and "delete" as well.`,
		},
		"whole: unreachable, as of a key": {
			of: aboutWhole(terms.OpRead).Diagnose(&cas.UnreachableError{Host: "https://api.test", Err: errServer}), summary: "API Server Unreachable",
			detail: "The API server could not be reached, so nothing was read." + head +
				"Host: https://api.test\nCause: the server's own words\n\nCheck the provider's configuration and the network between here and the cluster.",
		},
		"whole: unknown, on create": {
			of:      aboutWhole(terms.OpCreate).Diagnose(&cas.UnknownError{Ref: testRef, Err: errors.Join(errServer, errServer)}),
			summary: "Write Outcome Unknown",
			detail: fmt.Sprintf(unknown, "created") + head + "Cause: the server's own words; the server's own words\n\nThe state has nothing of it. If the " +
				"ConfigMap is there and yours, import it with the id \"shop/settings\". If it is not there, plan again." + watchEnd,
		},
		"whole: unknown, on update": {
			of:      aboutWhole(terms.OpUpdate).Diagnose(&cas.UnknownError{Ref: testRef, Base: planned, Err: errServer}),
			summary: "Write Outcome Unknown",
			detail:  fmt.Sprintf(unknown, "changed") + head + "Sent for resourceVersion: 7\nCause: the server's own words\n" + stateKeeps,
		},
		"whole: unknown, on delete": {
			of:      aboutWhole(terms.OpDelete).Diagnose(&cas.UnknownError{Ref: testRef, Base: planned, Err: errServer}),
			summary: "Write Outcome Unknown",
			detail:  fmt.Sprintf(unknown, "deleted") + head + "Sent for resourceVersion: 7\nCause: the server's own words\n" + stateKeeps,
		},
		"whole: anything else": {
			of: aboutWhole(terms.OpUpdate).Diagnose(errServer), summary: "Unexpected Error",
			detail: "To update the ConfigMap failed in a way that the provider does not know." + head + "Cause: the server's own words",
		},
		"whole: admission": {
			of:       one(aboutWhole(terms.OpUpdate).Admitted(diagnose.Content{Data: entriesOf(map[string]string{"foo": "2"})}, contentOf(seen))),
			severity: diag.SeverityWarning, summary: "ConfigMap Changed By Admission",
			detail: "The ConfigMap was written, and the cluster's admission changed it on its way in. The next refresh shows it as drift." + head +
				"Key: foo\nSent: \"2\"\nStored: \"live\"\n\n" +
				"What admission adds to labels and annotations can be left to it by the provider's ignore_labels and ignore_annotations.",
		},
		"whole: taken over": {
			of:       one(aboutWhole(terms.OpUpdate, planning).TakenOver(plan, unmanagedState, was)),
			severity: diag.SeverityWarning, summary: "Unmanaged Keys Will Change",
			detail: "The configuration manages what it has left to others so far. The plan does not show what that changes." + head +
				"Key: foo\nLive: \"1\"\nPlanned: \"2\"\nKey: new\nLive: (absent)\nPlanned: \"1\"\nKey: theirs\nLive: \"1\"\nPlanned: (absent)\n" +
				"Key: raw\nLive: (absent)\nPlanned: base64 \"AQ==\"",
		},
	}
}
