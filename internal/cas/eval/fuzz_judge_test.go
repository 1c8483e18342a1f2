package eval_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/evaltest"
)

// fixedHistory is a history with given answers.
type fixedHistory struct {
	leads map[eval.Version]bool
	own   bool
}

func (h fixedHistory) LeadsFrom(v eval.Version) bool { return h.leads[v] }

func (h fixedHistory) WroteSince(string, eval.Version) bool { return h.own }

// observedWith returns the snapshot of a ConfigMap that has a filler of some size beside its entries.
func observedWith(entries map[string]eval.Value, filled int, immutable, deleting bool) *eval.Snapshot {
	cm := evaltest.ConfigMapOf(entries)
	if cm.BinaryData == nil {
		cm.BinaryData = map[string][]byte{}
	}
	cm.BinaryData["filler"] = evaltest.Filler(filled)
	if immutable {
		cm.Immutable = new(true)
	}
	if deleting {
		cm.DeletionTimestamp = new(metav1.Now())
	}
	return eval.NewSnapshot(cm, time.Now())
}

// FuzzJudge compares the evaluation with DESIGN.md: "What must hold for a write", the table of situations at apply, and
// the order of refusals.
func FuzzJudge(f *testing.F) {
	evaltest.Seeds(f, 5000)
	// Values of one line are the same after NFC.
	domain := [][]eval.Value{
		{{}},
		{eval.Text("")},
		{eval.Text("1")},
		{eval.Text("caf\u00e9"), eval.Text("cafe\u0301")},
		{eval.Binary([]byte("1"))},
		{eval.Binary(nil)},
		{eval.Binary([]byte("cafe\u0301"))},
	}
	f.Fuzz(func(t *testing.T, bytes []byte) {
		c := evaltest.Choices(bytes)
		any := func() (eval.Value, int) {
			class := c.Pick(len(domain))
			return domain[class][c.Pick(len(domain[class]))], class
		}
		live, liveClass := any()
		expect, expectClass := any()
		wish, newClass := any()
		const isAbsent = 0

		s := evaltest.Swap{Key: "foo", Expect: expect, New: wish, IfEqual: eval.IfEqual(c.Pick(3)), IgnoreMissing: c.Coin()}
		h := fixedHistory{leads: map[eval.Version]bool{}, own: c.Coin()}
		for range c.Pick(3) {
			v := eval.Version{UID: []string{"", "u"}[c.Pick(2)], ResourceVersion: []string{"1", "2", "3"}[c.Pick(3)]}
			s.RequireVersions = append(s.RequireVersions, v)
			h.leads[v] = c.Coin()
		}
		exists, immutable, deleting := c.Pick(8) > 0, c.Pick(4) == 0, c.Pick(4) == 0
		others := []int{0, eval.MaxSize - 5, eval.MaxSize - 1, eval.MaxSize, eval.MaxSize + 1}[c.Pick(5)]
		o := &eval.Snapshot{}
		if exists {
			entries := map[string]eval.Value{}
			if !live.IsAbsent() {
				entries["foo"] = live
			}
			o = observedWith(entries, others, immutable, deleting)
		} else {
			live, liveClass = eval.Value{}, isAbsent
		}

		// The refusals of the swap, in their order. A removal does not depend on the state of a ConfigMap that is being
		// deleted.
		var version, object bool
		for _, v := range s.RequireVersions {
			if h.leads[v] {
				continue
			}
			version, object = v.UID == "", v.UID != ""
			break
		}
		goes := exists && s.IgnoreMissing && deleting
		against := []struct {
			is   bool
			says func(error) bool
		}{
			{!exists, sameTypeAs(&eval.NotFoundError{})},
			{!goes && s.IgnoreMissing && h.own && liveClass != isAbsent, conflictOver(eval.ReasonOwn)},
			{!goes && version, conflictOver(eval.ReasonVersion)},
			{!goes && object, conflictOver(eval.ReasonObject)},
			{!goes && s.IfEqual == eval.Reject && liveClass == newClass, conflictOver(eval.ReasonEqual)},
			{liveClass != expectClass, conflictOver(eval.ReasonKey)},
			{immutable, sameTypeAs(&eval.ImmutableError{})},
			{!goes && deleting, sameTypeAs(&eval.TerminatingError{})},
			{!goes && others+wish.Size() > eval.MaxSize && wish.Size() > live.Size(), sameTypeAs(&eval.TooLargeError{})},
		}
		first := slices.IndexFunc(against, func(a struct {
			is   bool
			says func(error) bool
		},
		) bool {
			return a.is
		})
		const heldAlready = 4 // earlier refusals refuse an adoption as well
		takenOver := s.IfEqual == eval.Adopt && liveClass == newClass && (first < 0 || first > heldAlready)
		var want eval.Action
		switch {
		case s.IgnoreMissing && liveClass == isAbsent && (!exists || deleting || expectClass != isAbsent || newClass == isAbsent): // gone already
			want = eval.NoOp
		case goes: // with its ConfigMap, if not by our hand
			want = eval.NoOp
			if first < 0 {
				want = eval.Write
			}
		case takenOver:
			want = eval.NoOp
		case first >= 0:
			want = eval.Refuse
		case live == wish: // there is nothing to write
			want = eval.NoOp
		default:
			want = eval.Write
		}

		j := eval.Evaluate(s.Txn(), o, nil, h)
		got, err := j.Action, j.Err
		if got != want {
			t.Fatalf("%+v on %#v (there %t, immutable %t, deleting %t, %d other bytes) with %+v: decision %d (%v), want %d",
				s, live, exists, immutable, deleting, others, h, got, err, want)
		}
		if want != eval.Refuse {
			if err != nil {
				t.Errorf("decision %d with %v", got, err)
			}
			return
		}
		if !against[first].says(err) {
			t.Errorf("%+v on %#v with %+v is refused with %#v, want what is told %dth", s, live, h, err, first)
		}
		var conflict *eval.ConflictError
		if errors.As(err, &conflict) && (conflict.Live != o ||
			!slices.Equal(conflict.Keys, []eval.KeyConflict{{Key: s.Key, Reason: conflict.Reason, Expected: s.Expect, New: s.New}})) {
			t.Errorf("%+v does not tell what was asked for", conflict)
		}
	})
}

func sameTypeAs(want error) func(error) bool {
	return func(err error) bool { return sameType(err, want) }
}

func conflictOver(reason eval.Reason) func(error) bool {
	return func(err error) bool {
		var conflict *eval.ConflictError
		return errors.As(err, &conflict) && conflict.Reason == reason
	}
}

func sameType(a, b error) bool { return reflect.TypeOf(a) == reflect.TypeOf(b) }
