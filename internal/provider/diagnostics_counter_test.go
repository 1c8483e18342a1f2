package provider

import (
	"math"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

func ofCounter(s *diagnose.Subject) { s.IsCounter = true }

func counterDiagnosticTests() map[string]diagnosticTest {
	const (
		ranged  = "Range: -9223372036854775808 to 9223372036854775807\n"
		noOther = "The key holds something else than a whole number, so that no number can be taken. Nothing was written."
		have    = "\nHave the key hold the next free number as decimal text, without spaces, plus sign or leading zeros. Without the key, the " +
			"counter begins at initial."
		unknown = "The write was sent, and it could not be found out whether the number was taken. It may be taken yet, while the write is on its way."
		anew    = " The next apply takes a number anew. If this one was taken, nobody else gets it, and it stays unused. " +
			"Where the verb \"watch\" on the ConfigMap is permitted, a lost answer can be settled."
	)
	since := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	word := &cas.NotANumberError{Ref: testRef, Key: "foo", Live: cas.Text("eight")}
	lost := &cas.UnknownNumberError{Number: 7, Err: &cas.UnknownError{Ref: testRef, Base: cas.Version{ResourceVersion: "7"}, Err: errServer}}
	taken := cas.Taken{Number: 7, Sent: cas.Text("8"), Stored: cas.Text("7")}
	return map[string]diagnosticTest{
		"not a counter": {
			of: aboutFoo(terms.OpCreate, ofCounter).Diagnose(word), path: "key", summary: "Not A Counter",
			detail: noOther + head + "Live: \"eight\"\n" + ranged + have,
		},
		"not a counter, in a plan, hidden": {
			of: aboutFoo(terms.OpCreate, ofCounter, planning, hidden).Diagnose(word), path: "key", summary: "Not A Counter",
			detail: noOther + head + "Live: (hidden, 5 bytes, sha256:" + digestOf("eight") + ")\n" + ranged + have + planEnd,
		},
		"overflow": {
			of:   aboutFoo(terms.OpUpdate, ofCounter).Diagnose(&cas.OverflowError{Ref: testRef, Key: "foo", Number: math.MaxInt64, Step: 2}),
			path: "step", summary: "Counter Would Overflow",
			detail: "The number after the next one would be out of range, so that none can be taken. Nothing was written." + head +
				"Live: (absent)\nNumber: \"9223372036854775807\"\nStep: 2\n" + ranged +
				"\nHave the key hold a number that is free and in range with step, or use another key.",
		},
		"no ConfigMap for a counter": {
			of: aboutFoo(terms.OpUpdate, ofCounter).Diagnose(&cas.NotFoundError{Ref: testRef}), path: "name", summary: "ConfigMap Not Found",
			detail: "The ConfigMap does not exist. Nothing was written." + head +
				"\nMake it first, and let the counter depend on what makes it: a counter does not make its ConfigMap.",
		},
		"no ConfigMap for a counter, in a plan": {
			of:       aboutFoo(terms.OpCreate, ofCounter, planning).Diagnose(&cas.NotFoundError{Ref: testRef}),
			severity: diag.SeverityWarning, path: "name", summary: "ConfigMap Does Not Exist Yet",
			detail: "The ConfigMap does not exist, so that nothing could be checked. It may be made in this apply; the check is made then." + head +
				"\nLet the counter depend on what makes the ConfigMap.",
		},
		"unknown number": {
			of: aboutFoo(terms.OpCreate, ofCounter).Diagnose(lost), summary: "Write Outcome Unknown",
			detail: unknown + head + "Number: \"7\"\nSent for resourceVersion: 7\nCause: the server's own words\n\nThe state has nothing of it." + anew,
		},
		"unknown number, on update, hidden": {
			of: aboutFoo(terms.OpUpdate, ofCounter, hidden).Diagnose(lost), summary: "Write Outcome Unknown",
			detail: unknown + head + "Number: (hidden, 1 bytes, sha256:" + digestOf("7") + ")\nSent for resourceVersion: 7\n" +
				"Cause: the server's own words\n\nThe state keeps the number that it has." + anew,
		},
		"number that admission changed": {
			of: aboutFoo(terms.OpCreate, ofCounter).NumberNotKept(taken), path: "key", summary: "Number Changed By Admission",
			detail: "The number was taken, and the cluster's admission changed what the key holds on its way in, so that another may get the " +
				"same number. It is not used." + head + "Number: \"7\"\nSent: \"8\"\nStored: \"7\"\n\n" +
				"Have the policy leave the key alone, see that the key holds a free number, then apply again.",
		},
		"a counter whose ConfigMap is being deleted": {
			of: aboutFoo(terms.OpUpdate, ofCounter).Diagnose(&cas.TerminatingError{Ref: testRef, Since: since}), summary: "ConfigMap Is Being Deleted",
			detail: "The ConfigMap is being deleted, so nothing was written: the counter would be lost with it." + head +
				"Deleted at: 2026-07-01T12:00:00Z\n\nWait until it is gone, make it again, then plan again.",
		},
		"a counter that no longer fits": {
			of: aboutFoo(terms.OpUpdate, ofCounter).Diagnose(&cas.TooLargeError{Ref: testRef, New: 1, Others: cas.MaxSize}), path: "value", summary: "ConfigMap Too Large",
			detail: "With this value the ConfigMap would be too large. Nothing was written." + head +
				"Value: 1 bytes\nAll other values: 1048576 bytes\nLimit: 1048576 bytes for all values together\n\n" +
				"Shorten another one, or use another ConfigMap.",
		},
		"what nobody knows of a counter": {
			of: aboutFoo(terms.OpCreate, ofCounter).Diagnose(errServer), summary: "Unexpected Error",
			detail: "To create the counter failed in a way that the provider does not know." + head + "Cause: the server's own words",
		},
		"what an entry may meet as well": {
			of: aboutFoo(terms.OpCreate, ofCounter).Diagnose(&cas.ImmutableError{Ref: testRef}), summary: "ConfigMap Is Immutable",
			detail: "The ConfigMap is immutable, so the key cannot be written." + head +
				"\nMake a ConfigMap with another name, or delete this one and make it again.",
		},
	}
}
