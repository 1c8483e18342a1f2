package cas

import (
	"errors"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
)

// told is a history that says what it was told to.
type told struct {
	leads map[Version]bool
	own   bool
}

func (h told) LeadsFrom(v Version) bool { return h.leads[v] }

func (h told) WroteSince(string, Version) bool { return h.own }

// filler is cut to make a ConfigMap of any size.
var filler = make([]byte, MaxSize+2)

// observedWith is what was seen of a ConfigMap that has a filler of some size beside its entries.
func observedWith(entries map[string]Entry, filled int, immutable, deleting bool) *Observation {
	cm := configMapOf(entries)
	if cm.BinaryData == nil {
		cm.BinaryData = map[string][]byte{}
	}
	cm.BinaryData["filler"] = filler[:filled]
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
	seeds(f, 5000)
	// Entries by what they count as: those of one line are the same after NFC.
	domain := [][]Entry{
		{{}},
		{Text("")},
		{Text("1")},
		{Text("caf\u00e9"), Text("cafe\u0301")},
		{Binary([]byte("1"))},
		{Binary(nil)},
		{Binary([]byte("cafe\u0301"))},
	}
	f.Fuzz(func(t *testing.T, bytes []byte) {
		c := choices(bytes)
		any := func() (Entry, int) {
			class := c.pick(len(domain))
			return domain[class][c.pick(len(domain[class]))], class
		}
		live, liveClass := any()
		expect, expectClass := any()
		wish, newClass := any()
		const isAbsent = 0

		s := Swap{Key: "foo", Expect: expect, New: wish, Held: Held(c.pick(3)), GoneIsDone: c.coin()}
		h := told{leads: map[Version]bool{}, own: c.coin()}
		for range c.pick(3) {
			v := Version{UID: []string{"", "u"}[c.pick(2)], ResourceVersion: []string{"1", "2", "3"}[c.pick(3)]}
			s.At = append(s.At, v)
			h.leads[v] = c.coin()
		}
		exists, immutable, deleting := c.pick(8) > 0, c.pick(4) == 0, c.pick(4) == 0
		others := []int{0, MaxSize - 5, MaxSize - 1, MaxSize, MaxSize + 1}[c.pick(5)]
		o := &Observation{}
		if exists {
			entries := map[string]Entry{}
			if !live.IsAbsent() {
				entries["foo"] = live
			}
			o = observedWith(entries, others, immutable, deleting)
		} else {
			live, liveClass = Entry{}, isAbsent
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
			{!exists, sameTypeAs(&NotFoundError{})},
			{!goes && s.GoneIsDone && h.own, conflictOver(ReasonOwn)},
			{!goes && version, conflictOver(ReasonVersion)},
			{!goes && object, conflictOver(ReasonObject)},
			{!goes && s.Held == HeldIsRefused && liveClass == newClass, conflictOver(ReasonHeld)},
			{liveClass != expectClass, conflictOver(ReasonKey)},
			{immutable, sameTypeAs(&ImmutableError{})},
			{!goes && deleting, sameTypeAs(&TerminatingError{})},
			{!goes && others+wish.Size() > MaxSize && wish.Size() > live.Size(), sameTypeAs(&TooLargeError{})},
		}
		first := slices.IndexFunc(against, func(a struct {
			is   bool
			says func(error) bool
		},
		) bool {
			return a.is
		})
		const heldAlready = 4 // what is told before it stands against taking over as well
		takenOver := s.Held == HeldIsDone && liveClass == newClass && (first < 0 || first > heldAlready)
		var want judging.Decision
		switch {
		case s.GoneIsDone && liveClass == isAbsent: // gone already
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
		var conflict *ConflictError
		if errors.As(err, &conflict) && (conflict.Live != o ||
			!slices.Equal(conflict.Keys, []KeyConflict{{Key: s.Key, Reason: conflict.Reason, Expected: s.Expect, New: s.New}})) {
			t.Errorf("%+v does not tell what was asked for", conflict)
		}
	})
}

func sameTypeAs(want error) func(error) bool {
	return func(err error) bool { return sameType(err, want) }
}

func conflictOver(reason Reason) func(error) bool {
	return func(err error) bool {
		var conflict *ConflictError
		return errors.As(err, &conflict) && conflict.Reason == reason
	}
}
