package message_test

import (
	"fmt"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/pool"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

func ofAllocation(s *message.Subject) {
	of := message.Allocating(s.Op)
	s.Noun, s.Keys, s.ImportID, s.Ways, s.Value, s.Members = of.Noun, nil, nil, of.Ways, path.Root("key"), func() int64 { return 11900 }
}

func allocationDiagnosticTests() map[string]diagnosticTest {
	const (
		free     = "\nWiden the range, release what is not needed, or set wait_for_free."
		released = "\nPrefer another value, or omit prefer to take the lowest free one."

		threeTaken = "  Taken:      3\n  Claimants:  \"b\\n\" (2), no claimant (1)\n"
		inVain     = "Nothing could be taken within wait_for_free. Nothing was written."
	)
	var many []pool.Member
	for i := range 24 {
		many = append(many, pool.Member{Value: fmt.Sprint(i), Claimant: fmt.Sprintf("team-%02d", i/2)})
	}
	ours := pool.Member{Value: "7", Claimant: "shop/web", ID: "A"}
	full := &eval.NotYetError{Err: &pool.FullError{Holds: true, Holders: []pool.Member{{Value: "1"}, {Value: "2", Claimant: "b\n"}, {Value: "3", Claimant: "b\n"}}}}
	crowded := &eval.NotYetError{Err: &pool.FullError{Holds: true, Holders: many}}
	taken := &pool.TakenError{Value: "10.0.7.0/24", By: pool.Member{Value: "10.0.0.0/16", Claimant: "shop/web"}}
	outside := &pool.OutsideError{Value: "9"}
	create := aboutFoo(terms.OpCreate, ofAllocation)
	plan := aboutFoo(terms.OpCreate, ofAllocation, planning, waiting)
	read := aboutFoo(terms.OpRead, ofAllocation)
	waited := func(last, err error) diag.Diagnostic {
		return aboutFoo(terms.OpCreate, ofAllocation, waiting).Diagnose(&eval.WaitError{Ref: testRef, Last: last, Err: err, Waited: 2 * time.Minute})
	}
	return map[string]diagnosticTest{
		"not a pool": {
			of: create.Diagnose(&pool.FormatError{Problem: "the text is no JSON object"}), path: "key", summary: "Not A Pool",
			detail: "foo holds no pool: the text is no JSON object. Nothing was written." + head +
				"\nIf it was one, correct the text: with {}, or without the key, all its values are free for others. To keep what is there, use another key.",
		},
		"a member that is no allocation": {
			of: create.Diagnose(&pool.FormatError{Problem: "a member is no JSON object", Member: &many[0].Value}), path: "key", summary: "Not A Pool",
			detail: "foo holds no pool: a member is no JSON object. Nothing was written." + head + "  Member:     \"0\"\n" +
				"\nIf it was one, correct the text: with {}, or without the key, all its values are free for others. To keep what is there, use another key.",
		},
		"a member that is no allocation, hidden": {
			of:   aboutFoo(terms.OpCreate, ofAllocation, hidden).Diagnose(&pool.FormatError{Problem: "a member is no JSON object", Member: &many[0].Value}),
			path: "key", summary: "Not A Pool",
			detail: "foo holds no pool: a member is no JSON object. Nothing was written." + head +
				"  Member:     (hidden, 1 bytes, sha256:5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9)\n" +
				"\nIf it was one, correct the text: with {}, or without the key, all its values are free for others. To keep what is there, use another key.",
		},
		"a pool that is one no more": {
			of: read.Diagnose(&pool.FormatError{Problem: "the text is no JSON object"}), path: "key", summary: "Not A Pool",
			detail: "foo holds no pool: the text is no JSON object. Nothing was read." + head +
				"\nIf it was one, correct the text: with {}, or without the key, all its values are free for others. " +
				"To keep what is there, run terraform state rm with the address of this resource.",
		},
		"nothing to take yet": {
			of: plan.NotYet(full), severity: diag.SeverityWarning, path: "wait_for_free", summary: "Nothing To Take Yet",
			detail: strings.TrimSuffix("Nothing can be taken yet. The apply waits for something to be free for up to 2m."+head+threeTaken, "\n"),
		},
		"nothing to take yet, and how long is unknown": {
			of:       aboutFoo(terms.OpCreate, ofAllocation, planning, func(s *message.Subject) { s.Wait = types.StringUnknown() }).NotYet(&eval.NotFoundError{Ref: testRef}),
			severity: diag.SeverityWarning, path: "wait_for_free", summary: "Nothing To Take Yet",
			detail: "Nothing can be taken yet. The apply waits for something to be free for as long as wait_for_free says." + head + "  Found:      (no ConfigMap)",
		},
		"waited in vain for something to be free": {
			of: waited(full, errDeadline), path: "wait_for_free", summary: "Wait Ended Without A Value",
			detail: inVain + head + threeTaken + "  Waited:     2m0s\n\nFind out which claimants still use what they have, and release the rest. Then run terraform apply again, or raise " +
				"wait_for_free. To wait longer for what this configuration keeps is in vain.",
		},
		"waited in vain for a ConfigMap with a pool": {
			of: waited(&eval.NotFoundError{Ref: testRef}, errDeadline), path: "wait_for_free", summary: "Wait Ended Without A Value",
			detail: inVain + head + "  Found:      (no ConfigMap)\n  Waited:     2m0s\n\nCreate the ConfigMap. Then run terraform apply again, or raise wait_for_free.",
		},
		"cannot watch a pool any longer": {
			of: waited(full, &eval.RefusedError{Ref: testRef, Verb: "watch", Code: 401, Err: errServer}), path: "wait_for_free", summary: "Wait Failed",
			detail: "The watch of the ConfigMap failed before something could be taken. Nothing was written." + head + threeTaken + "  Waited:     2m0s\n" +
				"  Cause:      watch configmap shop/settings: HTTP 401: the server's own words\n\nRemove the cause, then run terraform apply again.",
		},
		"full": {
			of: create.Diagnose(full), summary: "Pool Is Full",
			detail: "Everything in the range is taken. Nothing was written." + head + "  Taken:      3\n  Claimants:  \"b\\n\" (2), no claimant (1)\n" + free,
		},
		"full, of many": {
			of: create.Diagnose(crowded), summary: "Pool Is Full",
			detail: "Everything in the range is taken. Nothing was written." + head + "  Taken:      24\n  Claimants:  team-00 (2), team-01 (2), team-02 (2), team-03 (2), " +
				"team-04 (2), team-05 (2), team-06 (2), team-07 (2), team-08 (2), team-09 (2) and 2 more\n" + free,
		},
		"full, hidden": {
			of: aboutFoo(terms.OpCreate, ofAllocation, hidden).Diagnose(full), summary: "Pool Is Full",
			detail: "Everything in the range is taken. Nothing was written." + head + "  Taken:      3\n" + free,
		},
		"full, in a plan": {
			of: plan.Diagnose(full), severity: diag.SeverityWarning, summary: "Pool Is Full",
			detail: "Everything in the range is taken. The apply will fail unless something is released before." + head +
				"  Taken:      3\n  Claimants:  \"b\\n\" (2), no claimant (1)\n" + free,
		},
		"full of this apply": {
			of: create.Diagnose(&message.HeldHereError{Full: &pool.FullError{Holders: []pool.Member{ours}}}), path: "wait_for_free", summary: "Pool Is Full",
			detail: "Allocations of this configuration have all that there is, so that waiting would not end. Nothing was written." + head +
				"  Taken:      1\n  Claimants:  shop/web (1)\n\nWiden the range, or have fewer allocations in one configuration.",
		},
		"full of what this plan leaves": {
			of: plan.Diagnose(&message.HeldHereError{Full: &pool.FullError{Holders: []pool.Member{ours}}}), severity: diag.SeverityWarning, summary: "Pool Is Full",
			detail: "Allocations of this configuration have all that there is, and another one would wait for it. The wait ends only if the apply replaces one of them." + head +
				"  Taken:      1\n  Claimants:  shop/web (1)\n\nWiden the range, or have fewer allocations in one configuration.",
		},
		"nothing that could be taken": {
			of: create.Diagnose(&pool.FullError{}), summary: "Pool Is Full",
			detail: "The range has nothing that could be taken. Nothing was written." + head + "\nWiden the range.",
		},
		"a taken value": {
			of: create.Diagnose(taken), path: "prefer", summary: "Value Is Taken",
			detail: "The preferred value is taken. Nothing was written." + head +
				"  Wanted:     \"10.0.7.0/24\"\n  Taken:      \"10.0.0.0/16\"\n  Claimant:   shop/web\n" + released,
		},
		"a taken value, in a plan": {
			of: plan.Diagnose(taken), severity: diag.SeverityWarning, path: "prefer", summary: "Value Is Taken",
			detail: "The preferred value is taken. The apply will fail unless it is released before." + head +
				"  Wanted:     \"10.0.7.0/24\"\n  Taken:      \"10.0.0.0/16\"\n  Claimant:   shop/web\n" + released,
		},
		"a preferred value outside of the range": {
			of: create.Diagnose(outside), path: "prefer", summary: "Value Outside The Range",
			detail: "The preferred value is not in the range. Nothing was written." + head + "  Wanted:     \"9\"\n" +
				"\nPrefer a value of the range, in the form in which the pool holds it, or omit prefer.",
		},
		"an allocation outside of the range": {
			of: aboutFoo(terms.OpUpdate, ofAllocation).OutsideRange("7"), severity: diag.SeverityWarning, summary: "Value Outside The Range",
			detail: "The allocation is outside of the range. It stays valid." + head + "  Value:      \"7\"\n" +
				"\nTo take a value of the range, run terraform apply -replace with the address of this resource.",
		},
		"an allocation that becomes one of another sort": {
			of: aboutFoo(terms.OpUpdate, ofAllocation).KnownTooLate("numbers"), path: "numbers", summary: "Invalid Allocation",
			detail: "The plan did not know yet that numbers is null. Nothing was written." + head + "\nRun terraform plan again: it replaces the allocation.",
		},
		"an allocation that is gone, on update": {
			of: aboutFoo(terms.OpUpdate, ofAllocation).Diagnose(&message.AllocationGoneError{Value: "7"}), summary: "Allocation Gone",
			detail: "The allocation is not in the pool any more. Nothing was written." + head + "  Value:      \"7\"\n" +
				"\nRun terraform plan again: it plans to take another value.",
		},
		"an allocation that is gone": {
			of: read.AllocationLost("7"), severity: diag.SeverityWarning, summary: "Allocation Gone",
			detail: "The allocation is not in the pool any more, so the state drops it." + head + "  Value:      \"7\"\n" +
				"\nWhoever uses the value should stop: another may take it. The next apply takes a new one.",
		},
		"an allocation that is another's": {
			of: read.AllocationTakenOver(ours, "It stays with that claimant."), severity: diag.SeverityWarning, summary: "Allocation Taken Over",
			detail: "Another has the value by now. It stays with that claimant." + head + "  Value:      \"7\"\n  Claimant:   shop/web\n" +
				"\nFind out who changed the pool by hand, or which other state had the same allocation.",
		},
		"an allocation without an id": {
			of: read.WithoutID(ours), summary: "Allocation Without An ID",
			detail: "The allocation has no id of its own, by which it could be released. Nothing was imported." + head +
				"  Value:      \"7\"\n  Claimant:   shop/web\n\nGive it an id that no other allocation has, with kubectl, then import again.",
		},
		"an import from a pool that is not there": {
			of: read.NothingThere(observed(map[string]string{"fooo": "{}"}), message.Missing{}), summary: "Key Not Found",
			detail: "The ConfigMap has no key \"foo\". Nothing was imported.\n\n  ConfigMap:      shop/settings\n  Key:            foo\n  Existing keys:  fooo\n" +
				"\nDid you mean fooo? Correct the import, whose id is namespace/name/key/value. To create it, remove the import.",
		},
		"an import from a pool whose ConfigMap is not there": {
			of: read.NothingThere(new(eval.Snapshot), message.Missing{}), summary: "ConfigMap Not Found",
			detail: "The ConfigMap does not exist. Nothing was imported." + head + "\nCorrect the import, whose id is namespace/name/key/value.",
		},
		"no allocation to import": {
			of: read.NoAllocation("7"), summary: "Nothing To Import",
			detail: "The pool has no allocation of this value. Nothing was imported." + head + "  Value:      \"7\"\n" +
				"\nCorrect the import, or remove it: the next apply takes a value.",
		},
		"an allocation that admission changed": {
			of: create.AllocationNotKept(eval.Text("{}")), path: "key", summary: "Allocation Changed By Admission",
			detail: "The API server stored another pool than the one that was sent, without the allocation." + head + "  Stored:     \"{}\"\n" +
				"\nFind the admission webhook or policy that changes this key, and exempt it. The next apply releases what is left, and takes a value again.",
		},
		"a pool that is too large": {
			of: create.Diagnose(&eval.TooLargeError{Ref: testRef, New: eval.MaxSize + 80}), path: "key", summary: "ConfigMap Too Large",
			detail: "The ConfigMap would be too large. Nothing was written.\n\n  ConfigMap:     shop/settings\n  Key:           foo\n" +
				"  New values:    1048656 bytes\n  Other values:  0 bytes\n  Limit:         1048576 bytes for all values together\n" +
				"  Fit:           11900 allocations, and all of them are taken\n\nShorten a value, or use another ConfigMap.",
		},
		"an allocation of unknown outcome": {
			of:      create.Diagnose(&eval.UnknownError{Ref: testRef, Base: eval.Version{ResourceVersion: "7"}, Err: errServer}),
			summary: "Write Outcome Unknown",
			detail: "The write was sent, but its outcome is unknown. The ConfigMap may have changed, or may change yet." + wide +
				"  Cause:            the server's own words\n  resourceVersion:  7 before the write\n" +
				"\nRun terraform apply again: it releases what this one may have taken, and takes a value again. A destroy only releases.",
		},
		"an immutable ConfigMap, on destroy": {
			of: aboutFoo(terms.OpDelete, ofAllocation).Diagnose(&eval.ImmutableError{Ref: testRef}), summary: "ConfigMap Is Immutable",
			detail: "The ConfigMap is immutable. Nothing was removed." + head +
				"\nTo leave the ConfigMap as it is, run terraform state rm with the address of this resource. The value stays taken.",
		},
	}
}
