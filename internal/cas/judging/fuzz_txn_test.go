package judging_test

import (
	"errors"
	"maps"
	"slices"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
	"github.com/terraform-cas/terraform-provider-cas/internal/judgingtest"
)

// FuzzJudgeTxn compares the evaluation of a transaction with a model, which checks the object first, then all keys, and
// then the rules of the API server.
func FuzzJudgeTxn(f *testing.F) {
	judgingtest.Seeds(f, 1500)
	keys := []string{"a", "b", "c"}
	f.Fuzz(func(t *testing.T, bytes []byte) {
		c := judgingtest.Choices(bytes)
		entries := c.Held(keys)
		txn := c.Txn(keys, entries)
		unlocks := false
		if c.Pick(4) == 0 && !txn.GoneIsDone {
			to := c.Pick(2) == 0
			unlocks = !to
			txn.Keys = append(txn.Keys, judging.KeySwap{Key: judging.ImmutableKey, Expect: judging.Anything(), New: judging.Bool(to)})
		}
		exists, immutable, deleting, leads, own := c.Pick(8) > 0, c.Pick(4) == 0, c.Pick(4) == 0, c.Pick(4) > 0, c.Pick(4) == 0
		v := judging.Version{UID: []string{"", "u"}[c.Pick(2)], ResourceVersion: "7"}
		txn.At = []judging.Version{v}
		filled := []int{0, judging.MaxSize - 3, judging.MaxSize}[c.Pick(3)]
		o := &judging.Observation{}
		if exists {
			o = observedWith(entries, filled, immutable, deleting)
		} else {
			entries = map[string]judging.Entry{}
		}

		if exists && immutable {
			entries[judging.ImmutableKey] = judging.Bool(true)
		}
		model := &judgingtest.Serial{Entries: maps.Clone(entries), Own: map[string]bool{}}
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
		goes := exists && txn.GoneIsDone && deleting
		if goes || !leads {
			model.Own = map[string]bool{} // another refusal comes first, or none
		}
		want := model.Do(txn)
		for _, k := range txn.Keys {
			before, after := entries[k.Key], model.Entries[k.Key]
			if !judging.IsEntry(k.Key) {
				names = true
				continue
			}
			grows += after.Size() - before.Size()
			isHeld := !goes && k.Held == judging.HeldIsDone && k.Next == nil && judgingtest.Same(before, k.New)
			if !k.IsGuard && !isHeld && (!txn.GoneIsDone || !before.IsAbsent()) {
				writes++
			}
		}

		setsImmutable := slices.ContainsFunc(txn.Keys, func(k judging.KeySwap) bool { return k.Key == judging.ImmutableKey })
		isLabelOnly := writes == 0 && !setsImmutable // metadata of an object that is being deleted can be written

		isOwn := txn.GoneIsDone && own && !goes && left > 0
		got := judging.Judge(txn, o, told{leads: map[judging.Version]bool{v: leads}, own: own})
		decided := func(d judging.Decision, says func(error) bool) {
			if got.Decision != d || says != nil && !says(got.Err) || says == nil && got.Err != nil {
				t.Errorf("%+v on %v (there %t, immutable %t, deleting %t, leads %t, own %t, %d other bytes): decision %d (%v)",
					txn, entries, exists, immutable, deleting, leads, own, filled, got.Decision, got.Err)
			}
		}
		over := func(reason judging.Reason, keys ...string) func(error) bool {
			return func(err error) bool {
				var conflict *judging.ConflictError
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
		version := judging.ReasonObject
		if v.UID == "" {
			version = judging.ReasonVersion
		}
		var failed []string
		for _, key := range named {
			if _, fails := want.Failed[key]; fails {
				failed = append(failed, key)
			}
		}
		switch {
		case txn.GoneIsDone && (!exists || left == 0):
			decided(judging.DecideDone, nil)
		case !exists:
			decided(judging.DecideRefuse, sameTypeAs(&judging.NotFoundError{}))
		case isOwn:
			var owned []string
			for _, k := range txn.Keys {
				if !k.IsGuard && !entries[k.Key].IsAbsent() {
					owned = append(owned, k.Key)
				}
			}
			decided(judging.DecideRefuse, over(judging.ReasonOwn, owned...))
		case !goes && !leads:
			decided(judging.DecideRefuse, over(version, named...))
		case goes && (len(failed) > 0 || immutable):
			decided(judging.DecideDone, nil)
		case want.Computed:
			decided(judging.DecideRefuse, func(err error) bool { return errors.Is(err, judgingtest.ErrNext) })
		case len(failed) > 0:
			decided(judging.DecideRefuse, over(want.Failed[failed[0]], failed...))
		case writes == 0 && !names:
			decided(judging.DecideDone, nil)
		case !goes && immutable && (writes > 0 || unlocks):
			decided(judging.DecideRefuse, sameTypeAs(&judging.ImmutableError{}))
		case !goes && deleting && !isLabelOnly:
			decided(judging.DecideRefuse, sameTypeAs(&judging.TerminatingError{}))
		case !goes && grows > 0 && o.Size()+grows > judging.MaxSize:
			decided(judging.DecideRefuse, sameTypeAs(&judging.TooLargeError{}))
		case !goes && !want.Wrote:
			decided(judging.DecideDone, nil)
		default:
			decided(judging.DecideWrite, nil)
			for _, ch := range got.Changes {
				if ch.From != entries[ch.Key] || ch.To != model.Entries[ch.Key] {
					t.Errorf("%+v on %v changes %+v", txn, entries, ch)
				}
			}
		}
	})
}
