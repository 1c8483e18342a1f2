package judging_test

import (
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
	"github.com/terraform-cas/terraform-provider-cas/internal/judgingtest"
)

// told is a history that says what it was told to.
type told struct {
	leads map[judging.Version]bool
	own   bool
}

func (h told) LeadsFrom(v judging.Version) bool { return h.leads[v] }

func (h told) WroteSince(string, judging.Version) bool { return h.own }

// observedWith is what was seen of a ConfigMap that has a filler of some size beside its entries.
func observedWith(entries map[string]judging.Entry, filled int, immutable, deleting bool) *judging.Observation {
	cm := judgingtest.ConfigMapOf(entries)
	if cm.BinaryData == nil {
		cm.BinaryData = map[string][]byte{}
	}
	cm.BinaryData["filler"] = judgingtest.Filler(filled)
	if immutable {
		cm.Immutable = new(true)
	}
	if deleting {
		cm.DeletionTimestamp = new(metav1.Now())
	}
	return judging.Observed(cm, time.Now())
}

// FuzzJudge holds judge against DESIGN.md: "What must hold for a write", the table of situations at apply, and the order
// in which what stands against a write is told.
func FuzzJudge(f *testing.F) {
	judgingtest.Seeds(f, 5000)
	// Entries by what they count as: those of one line are the same after NFC.
	domain := [][]judging.Entry{
		{{}},
		{judging.Text("")},
		{judging.Text("1")},
		{judging.Text("caf\u00e9"), judging.Text("cafe\u0301")},
		{judging.Binary([]byte("1"))},
		{judging.Binary(nil)},
		{judging.Binary([]byte("cafe\u0301"))},
	}
	f.Fuzz(func(t *testing.T, bytes []byte) {
		c := judgingtest.Choices(bytes)
		any := func() (judging.Entry, int) {
			class := c.Pick(len(domain))
			return domain[class][c.Pick(len(domain[class]))], class
		}
		live, liveClass := any()
		expect, expectClass := any()
		wish, newClass := any()
		const isAbsent = 0

		s := judgingtest.Swap{Key: "foo", Expect: expect, New: wish, Held: judging.Held(c.Pick(3)), GoneIsDone: c.Coin()}
		h := told{leads: map[judging.Version]bool{}, own: c.Coin()}
		for range c.Pick(3) {
			v := judging.Version{UID: []string{"", "u"}[c.Pick(2)], ResourceVersion: []string{"1", "2", "3"}[c.Pick(3)]}
			s.At = append(s.At, v)
			h.leads[v] = c.Coin()
		}
		exists, immutable, deleting := c.Pick(8) > 0, c.Pick(4) == 0, c.Pick(4) == 0
		others := []int{0, judging.MaxSize - 5, judging.MaxSize - 1, judging.MaxSize, judging.MaxSize + 1}[c.Pick(5)]
		o := &judging.Observation{}
		if exists {
			entries := map[string]judging.Entry{}
			if !live.IsAbsent() {
				entries["foo"] = live
			}
			o = observedWith(entries, others, immutable, deleting)
		} else {
			live, liveClass = judging.Entry{}, isAbsent
		}

		// What stands against the swap, in the order in which it is told. A removal does not mind what became of a
		// ConfigMap that is being deleted, and so is told nothing of it.
		var version, object bool
		for _, v := range s.At {
			if h.leads[v] {
				continue
			}
			version, object = v.UID == "", v.UID != ""
			break
		}
		goes := exists && s.GoneIsDone && deleting
		against := []struct {
			is   bool
			says func(error) bool
		}{
			{!exists, sameTypeAs(&judging.NotFoundError{})},
			{!goes && s.GoneIsDone && h.own && liveClass != isAbsent, conflictOver(judging.ReasonOwn)},
			{!goes && version, conflictOver(judging.ReasonVersion)},
			{!goes && object, conflictOver(judging.ReasonObject)},
			{!goes && s.Held == judging.HeldIsRefused && liveClass == newClass, conflictOver(judging.ReasonHeld)},
			{liveClass != expectClass, conflictOver(judging.ReasonKey)},
			{immutable, sameTypeAs(&judging.ImmutableError{})},
			{!goes && deleting, sameTypeAs(&judging.TerminatingError{})},
			{!goes && others+wish.Size() > judging.MaxSize && wish.Size() > live.Size(), sameTypeAs(&judging.TooLargeError{})},
		}
		first := slices.IndexFunc(against, func(a struct {
			is   bool
			says func(error) bool
		},
		) bool {
			return a.is
		})
		const heldAlready = 4 // what is told before it stands against taking over as well
		takenOver := s.Held == judging.HeldIsDone && liveClass == newClass && (first < 0 || first > heldAlready)
		var want judging.Decision
		switch {
		case s.GoneIsDone && liveClass == isAbsent && (!exists || deleting || expectClass != isAbsent || newClass == isAbsent): // gone already
			want = judging.DecideDone
		case goes: // with its ConfigMap, if not by our hand
			want = judging.DecideDone
			if first < 0 {
				want = judging.DecideWrite
			}
		case takenOver:
			want = judging.DecideDone
		case first >= 0:
			want = judging.DecideRefuse
		case live == wish: // there is nothing to write
			want = judging.DecideDone
		default:
			want = judging.DecideWrite
		}

		j := judging.Judge(s.Txn(), o, h)
		got, err := j.Decision, j.Err
		if got != want {
			t.Fatalf("%+v on %#v (there %t, immutable %t, deleting %t, %d other bytes) with %+v: decision %d (%v), want %d",
				s, live, exists, immutable, deleting, others, h, got, err, want)
		}
		if want != judging.DecideRefuse {
			if err != nil {
				t.Errorf("decision %d with %v", got, err)
			}
			return
		}
		if !against[first].says(err) {
			t.Errorf("%+v on %#v with %+v is refused with %#v, want what is told %dth", s, live, h, err, first)
		}
		var conflict *judging.ConflictError
		if errors.As(err, &conflict) && (conflict.Live != o ||
			!slices.Equal(conflict.Keys, []judging.KeyConflict{{Key: s.Key, Reason: conflict.Reason, Expected: s.Expect, New: s.New}})) {
			t.Errorf("%+v does not tell what was asked for", conflict)
		}
	})
}

func sameTypeAs(want error) func(error) bool {
	return func(err error) bool { return sameType(err, want) }
}

func conflictOver(reason judging.Reason) func(error) bool {
	return func(err error) bool {
		var conflict *judging.ConflictError
		return errors.As(err, &conflict) && conflict.Reason == reason
	}
}

func sameType(a, b error) bool { return reflect.TypeOf(a) == reflect.TypeOf(b) }
