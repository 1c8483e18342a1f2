package eval_test

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/evaltest"
)

// FuzzJudgeTxn compares the evaluation of a transaction with a model, which checks the object first, then all keys, and
// then the rules of the API server.
func FuzzJudgeTxn(f *testing.F) {
	evaltest.Seeds(f, 1500)
	keys := []string{"a", "b", "c"}
	f.Fuzz(func(t *testing.T, bytes []byte) {
		c := evaltest.Choices(bytes)
		entries := c.Drawn(keys)
		txn := c.Txn(keys, entries)
		unlocks := false
		if c.Pick(4) == 0 && !txn.IgnoreMissing {
			to := c.Pick(2) == 0
			unlocks = !to
			txn.Keys = append(txn.Keys, eval.KeySwap{Key: eval.ImmutableKey, Expect: eval.Anything(), New: eval.Bool(to)})
		}
		exists, immutable, deleting, leads, own := c.Pick(8) > 0, c.Pick(4) == 0, c.Pick(4) == 0, c.Pick(4) > 0, c.Pick(4) == 0
		v := eval.Version{UID: []string{"", "u"}[c.Pick(2)], ResourceVersion: "7"}
		txn.RequireVersions = []eval.Version{v}
		filled := []int{0, eval.MaxSize - 3, eval.MaxSize}[c.Pick(3)]
		o := &eval.Snapshot{}
		if exists {
			o = observedWith(entries, filled, immutable, deleting)
		} else {
			entries = map[string]eval.Value{}
		}

		if exists && immutable {
			entries[eval.ImmutableKey] = eval.Bool(true)
		}
		model := &evaltest.Serial{Entries: maps.Clone(entries), Own: map[string]bool{}}
		left, named := 0, slices.Collect(func(yield func(string) bool) {
			for _, k := range txn.Keys {
				if !yield(k.Key) {
					return
				}
			}
		})
		grows, writes, names := 0, 0, false
		for _, k := range txn.Keys {
			if !k.IsGuard && !entries[k.Key].IsAbsent() {
				left++
				model.Own[k.Key] = own
			}
		}
		goes := exists && txn.IgnoreMissing && deleting
		if goes || !leads {
			model.Own = map[string]bool{} // another refusal comes first, or none
		}
		want := model.Do(txn)
		for _, k := range txn.Keys {
			before, after := entries[k.Key], model.Entries[k.Key]
			if !eval.IsEntry(k.Key) {
				names = true
				continue
			}
			grows += after.Size() - before.Size()
			isHeld := !goes && k.IfEqual == eval.Adopt && k.Next == nil && evaltest.Same(before, k.New)
			if !k.IsGuard && !isHeld && (!txn.IgnoreMissing || !before.IsAbsent()) {
				writes++
			}
		}

		setsImmutable := slices.ContainsFunc(txn.Keys, func(k eval.KeySwap) bool { return k.Key == eval.ImmutableKey })
		isLabelOnly := writes == 0 && !setsImmutable // metadata of an object that is being deleted can be written

		isOwn := txn.IgnoreMissing && own && !goes && left > 0
		got := eval.Evaluate(txn, o, nil, fixedHistory{leads: map[eval.Version]bool{v: leads}, own: own})
		decided := func(d eval.Action, says func(error) bool) {
			if got.Action != d || says != nil && !says(got.Err) || says == nil && got.Err != nil {
				t.Errorf("%+v on %v (there %t, immutable %t, deleting %t, leads %t, own %t, %d other bytes): decision %d (%v)",
					txn, entries, exists, immutable, deleting, leads, own, filled, got.Action, got.Err)
			}
		}
		over := func(reason eval.Reason, keys ...string) func(error) bool {
			return func(err error) bool {
				var conflict *eval.ConflictError
				if !errors.As(err, &conflict) || conflict.Reason != reason || conflict.Live != o {
					return false
				}
				var all []string
				for _, k := range conflict.Keys {
					all = append(all, k.Key)
				}
				return slices.Equal(all, keys)
			}
		}
		version := eval.ReasonObject
		if v.UID == "" {
			version = eval.ReasonVersion
		}
		var failed []string
		for _, key := range named {
			if _, fails := want.Failed[key]; fails {
				failed = append(failed, key)
			}
		}
		switch {
		case txn.IgnoreMissing && (!exists || left == 0):
			decided(eval.NoOp, nil)
		case !exists:
			decided(eval.Refuse, sameTypeAs(&eval.NotFoundError{}))
		case isOwn:
			var owned []string
			for _, k := range txn.Keys {
				if !k.IsGuard && !entries[k.Key].IsAbsent() {
					owned = append(owned, k.Key)
				}
			}
			decided(eval.Refuse, over(eval.ReasonOwn, owned...))
		case !goes && !leads:
			decided(eval.Refuse, over(version, named...))
		case goes && (len(failed) > 0 || immutable):
			decided(eval.NoOp, nil)
		case want.Computed:
			decided(eval.Refuse, func(err error) bool { return errors.Is(err, evaltest.ErrNext) })
		case len(failed) > 0:
			decided(eval.Refuse, over(want.Failed[failed[0]], failed...))
		case writes == 0 && !names:
			decided(eval.NoOp, nil)
		case !goes && immutable && (writes > 0 || unlocks):
			decided(eval.Refuse, sameTypeAs(&eval.ImmutableError{}))
		case !goes && deleting && !isLabelOnly:
			decided(eval.Refuse, sameTypeAs(&eval.TerminatingError{}))
		case !goes && grows > 0 && o.Size()+grows > eval.MaxSize:
			decided(eval.Refuse, sameTypeAs(&eval.TooLargeError{}))
		case !goes && !want.Wrote:
			decided(eval.NoOp, nil)
		default:
			decided(eval.Write, nil)
			for _, ch := range got.Changes {
				if ch.From != entries[ch.Key] || ch.To != model.Entries[ch.Key] {
					t.Errorf("%+v on %v changes %+v", txn, entries, ch)
				}
			}
		}
	})
}
