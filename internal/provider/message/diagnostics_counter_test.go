package message_test

import (
	"math"

	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

func ofCounter(s *message.Subject) {
	counting := message.Counting()
	s.Noun, s.Keys, s.ImportID, s.Ways, s.Value = counting.Noun, nil, nil, counting.Ways, path.Root("key")
}

func counterDiagnosticTests() map[string]diagnosticTest {
	const (
		ranged = "  Range:      -9223372036854775808 to 9223372036854775807\n"
		have   = "\nTo keep what it holds, use another key. If it was a counter, set it to the next free number, such as 42, without spaces or leading zeros."
	)
	word := &cas.NotANumberError{Ref: testRef, Key: "foo", Live: eval.Text("eight")}
	taken := cas.Taken{Number: 7, Sent: eval.Text("8"), Stored: eval.Text("7")}
	return map[string]diagnosticTest{
		"not a counter": {
			of: aboutFoo(terms.OpCreate, ofCounter).Diagnose(word), path: "key", summary: "Not A Counter",
			detail: "foo does not hold a whole number. Nothing was written." + head + "  Found:      \"eight\"\n" + ranged + have,
		},
		"not a counter, in a plan, hidden": {
			of: aboutFoo(terms.OpCreate, ofCounter, planning, hidden).Diagnose(word), path: "key", summary: "Not A Counter",
			detail: "foo does not hold a whole number. Nothing was written." + head +
				"  Found:      (hidden, 5 bytes, sha256:" + digestOf("eight") + ")\n" + ranged + have,
		},
		"overflow": {
			of:   aboutFoo(terms.OpUpdate, ofCounter).Diagnose(&cas.OverflowError{Ref: testRef, Key: "foo", Number: math.MaxInt64, Step: 2}),
			path: "step", summary: "Counter Would Overflow",
			detail: "Taking the next number would raise the counter out of its range. Nothing was written." + head +
				"  Found:      (absent)\n  Number:     \"9223372036854775807\"\n  Step:       2\n" + ranged +
				"\nSet the key to a free number that is further from the limit, or use another key.",
		},
		"no ConfigMap for a counter":            noConfigMap(aboutFoo(terms.OpUpdate, ofCounter), head),
		"no ConfigMap for a counter, in a plan": noConfigMapYet(aboutFoo(terms.OpCreate, ofCounter, planning), head),
		"a number of unknown outcome": {
			of: aboutFoo(terms.OpCreate, ofCounter).Diagnose(
				&eval.UnknownError{Ref: testRef, Base: eval.Version{ResourceVersion: "7"}, Err: errServer}),
			summary: "Write Outcome Unknown",
			detail: "The write was sent, but its outcome is unknown. The ConfigMap may have changed, or may change yet." + wide +
				"  Cause:            the server's own words\n  resourceVersion:  7 before the write\n" +
				"\nRun terraform apply again: it takes another number. A number may stay unused.",
		},
		"number that admission changed": {
			of: aboutFoo(terms.OpCreate, ofCounter).NumberNotKept(taken), path: "key", summary: "Number Changed By Admission",
			detail: "Admission changed foo while a number was taken, so another resource may get the same number. It is not used." + head +
				"  Number:     \"7\"\n  Sent:       \"8\"\n  Stored:     \"7\"\n\n" +
				"Exclude the key from the admission policy, set it to a free number, then apply again.",
		},
		"a counter whose ConfigMap is being deleted": beingDeleted(aboutFoo(terms.OpUpdate, ofCounter), served),
		"a counter that no longer fits": {
			of: aboutFoo(terms.OpUpdate, ofCounter).Diagnose(&eval.TooLargeError{Ref: testRef, New: 1, Others: eval.MaxSize}), path: "key", summary: "ConfigMap Too Large",
			detail: "The ConfigMap would be too large. Nothing was written.\n\n  ConfigMap:     shop/settings\n  Key:           foo\n" +
				sizes(1, 1048576),
		},
		"what nobody knows of a counter": unexpected(aboutFoo(terms.OpCreate, ofCounter), "creating the counter", head),
		"what an entry may meet as well": {
			of: aboutFoo(terms.OpCreate, ofCounter).Diagnose(&eval.ImmutableError{Ref: testRef}), summary: "ConfigMap Is Immutable",
			detail: "The ConfigMap is immutable. Nothing was written." + head +
				"\nUse a ConfigMap with another name, or delete this one and create it again.",
		},
	}
}
