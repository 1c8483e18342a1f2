package cas

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/apimachinery/pkg/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/wire"
)

var errNext = errors.New("cannot be computed")

// next is what a computed key becomes: its text twice, where it has any.
func next(live Entry) (Entry, error) {
	if v, ok := live.Text(); ok {
		return Text(v + v), nil
	}
	return Entry{}, errNext
}

// txnEntries are few, so that expectations hold as often as not; two of them are the same after NFC.
var txnEntries = []Entry{{}, Text("1"), Text("2"), Text("caf\u00e9"), Text("cafe\u0301"), Binary([]byte("1"))}

// held draws what each of the keys holds. Some hold nothing.
func (c *choices) held(keys []string) map[string]Entry {
	entries := map[string]Entry{}
	for _, key := range keys {
		if e := txnEntries[c.pick(len(txnEntries))]; !e.IsAbsent() {
			entries[key] = e
		}
	}
	return entries
}

// txn is about up to four keys. A removal takes nothing over.
func (c *choices) txn(keys []string, was map[string]Entry) *Txn {
	t := &Txn{FieldManager: []string{"engine", "engine", "engine", "other"}[c.pick(4)], GoneIsDone: c.pick(4) == 0}
	for _, key := range keys {
		if c.coin() {
			continue
		}
		k := KeySwap{Key: key, Expect: was[key]} // which holds, where nothing came first
		if c.pick(3) == 0 {
			k.Expect = txnEntries[c.pick(len(txnEntries))]
		}
		switch kind := c.pick(8); {
		case kind < 3:
			k.IsGuard = true
		case t.GoneIsDone:
		case kind == 3:
			k.Next = next
		default:
			k.New, k.Held = txnEntries[c.pick(len(txnEntries))], Held(c.pick(3))
		}
		t.Keys = append(t.Keys, k)
	}
	if c.pick(8) == 0 {
		t.Meta = &Meta{Labels: map[string]*string{"l": new(strconv.Itoa(c.pick(3)))}}
	}
	return t
}

// same reports whether two entries count as the same.
func same(a, b Entry) bool { return a.Digest() == b.Digest() }

// serial is a model of one object that transactions come to one after the other, written from what doc.go and txn.go say.
type serial struct {
	entries map[string]Entry
	label   string
	own     map[string]bool // keys that this process wrote or took over
}

// outcome is what a Txn comes to.
type outcomeOf struct {
	failed   map[string]Reason
	computed bool // an error of Next
	previous map[string]Entry
	wrote    bool
}

func (s *serial) do(t *Txn) (o outcomeOf) {
	there, left := map[string]bool{}, 0 // what is to be removed and is there
	for _, k := range t.Keys {
		there[k.Key] = !s.entries[k.Key].IsAbsent()
		if !k.IsGuard && there[k.Key] {
			left++
		}
	}
	o.failed, o.previous = map[string]Reason{}, map[string]Entry{}
	for _, k := range t.Keys {
		o.previous[k.Key] = s.entries[k.Key]
	}
	if t.GoneIsDone && left == 0 && t.Meta == nil {
		return o
	}
	for _, k := range t.Keys {
		if t.GoneIsDone && !k.IsGuard && there[k.Key] && s.own[k.Key] {
			o.failed[k.Key] = ReasonOwn
		}
	}
	if len(o.failed) > 0 {
		return o
	}
	becomes := map[string]Entry{}
	var taken []string
	for _, k := range t.Keys {
		is := s.entries[k.Key]
		if k.Next != nil {
			to, err := next(is)
			becomes[k.Key], o.computed = to, o.computed || err != nil
			continue
		}
		holdsNew, holdsExpected := !k.IsGuard && same(is, k.New), same(is, k.Expect)
		switch {
		case k.IsGuard && holdsExpected, t.GoneIsDone && !k.IsGuard && !there[k.Key]:
		case k.IsGuard:
			o.failed[k.Key] = ReasonKey
		case holdsNew && k.Held == HeldIsDone:
			taken = append(taken, k.Key)
		case holdsNew && k.Held == HeldIsRefused:
			o.failed[k.Key] = ReasonHeld
		case !holdsExpected:
			o.failed[k.Key] = ReasonKey
		default:
			becomes[k.Key] = k.New
		}
	}
	if o.computed || len(o.failed) > 0 {
		return o
	}
	for _, key := range taken {
		s.own[key] = true
	}
	for key, to := range becomes {
		s.own[key] = true
		o.wrote = o.wrote || to != s.entries[key]
		delete(s.entries, key)
		if !to.IsAbsent() {
			s.entries[key] = to
		}
	}
	if t.Meta != nil {
		o.wrote = o.wrote || s.label != *t.Meta.Labels["l"]
		s.label = *t.Meta.Labels["l"]
	}
	return o
}

// FuzzBatch has a committer bring a batch of transactions to its end, with the patches applied as the API server does. All of it
// must come out as if they had come one after the other, whatever went into one request.
func FuzzBatch(f *testing.F) {
	seeds(f, 1500)
	keys := []string{"a", "b", "c", "d"}
	f.Fuzz(func(t *testing.T, bytes []byte) {
		c := choices(bytes)
		was := c.held(keys)
		model := &serial{entries: maps.Clone(was), own: map[string]bool{}}
		live := configMapOf(was)
		live.Labels = nil
		later := time.Now().Add(time.Hour) // than all that is asked for
		committer := &committer{client: &wire.Client{Now: time.Now}}
		committer.observed(judging.Observed(live, later))
		if c.coin() {
			committer.contended = calmAfter
		}
		var batch []*task
		for len(batch) < 6 {
			batch = append(batch, txnTask(t, c.txn(keys, was)))
		}
		all := slices.Clone(batch)
		requests, byKey := 0, 0
		for len(batch) > 0 {
			g, _, mustRead := committer.judgeAll(batch)
			if mustRead {
				t.Fatal("a read is asked for, and there was one")
			}
			if g == nil {
				batch = unanswered(batch)
				if g, _, _ = committer.judgeAll(batch); g == nil && len(unanswered(batch)) > 0 {
					t.Fatal("nothing goes on")
				}
				if g == nil {
					break
				}
			}
			requests++
			raw := marshal(t, committer.head.Object())
			r, err := judging.MergePatch(ConfigMap, g.base, g.changes, g.meta(), g.firstOwner())
			if err != nil {
				t.Fatal(err)
			}
			after, err := jsonpatch.MergePatch(raw, r.Body)
			if g.byKey {
				byKey++
				if r, err = judging.JsonPatch(g.from, g.changes); err != nil {
					t.Fatal(err)
				}
				patch, err := jsonpatch.DecodePatch(r.Body)
				if err != nil {
					t.Fatal(err)
				}
				if after, err = patch.Apply(raw); err != nil {
					t.Fatalf("%s of %s: %v", r.Body, raw, err)
				}
			}
			if err != nil || (r.Kind == types.JSONPatchType) != g.byKey {
				t.Fatalf("%s: %v", r.Body, err)
			}
			cm := unmarshal(t, after)
			cm.UID, cm.ResourceVersion = live.UID, strconv.Itoa(100+requests)
			if !g.claim() {
				t.Fatal("nobody is left")
			}
			g.landed(result{outcome: wire.Landed, after: judging.Observed(cm, later)})
			batch = unanswered(batch)
		}
		for i, task := range all {
			want := model.do(task.txn)
			var conflict *ConflictError
			switch {
			case want.computed:
				if !errors.Is(task.err, errNext) {
					t.Errorf("transaction %d: %v, want what Next says", i, task.err)
				}
			case len(want.failed) > 0:
				got := map[string]Reason{}
				if errors.As(task.err, &conflict) {
					for _, k := range conflict.Keys {
						got[k.Key] = k.Reason
					}
				}
				if diff := cmp.Diff(want.failed, got); diff != "" {
					t.Errorf("transaction %d, %+v: %v (-want +got):\n%s", i, task.txn, task.err, diff)
				}
			default:
				maps.DeleteFunc(task.result.Previous, func(_ string, e Entry) bool { return e.IsAbsent() })
				maps.DeleteFunc(want.previous, func(_ string, e Entry) bool { return e.IsAbsent() })
				if task.err != nil || task.result.Wrote != want.wrote || !maps.Equal(task.result.Previous, want.previous) {
					t.Errorf("transaction %d, %+v: %+v (%v), want %+v", i, task.txn, task.result, task.err, want)
				}
			}
		}
		if diff := cmp.Diff(configMapOf(model.entries).Data, committer.head.Object().Data, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("after %d requests (%d by key) (-want +got):\n%s", requests, byKey, diff)
		}
		if diff := cmp.Diff(configMapOf(model.entries).BinaryData, committer.head.Object().BinaryData, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("after %d requests (%d by key) (-want +got):\n%s", requests, byKey, diff)
		}
		if got := committer.head.Labels()["l"]; got != model.label {
			t.Errorf("label %q, want %q", got, model.label)
		}
	})
}

// FuzzJudgeTxn holds judge against what is told of a transaction as a whole: first of the object, then of all its keys, then of what
// the API server would refuse.
func FuzzJudgeTxn(f *testing.F) {
	seeds(f, 1500)
	keys := []string{"a", "b", "c"}
	f.Fuzz(func(t *testing.T, bytes []byte) {
		c := choices(bytes)
		entries := c.held(keys)
		txn := c.txn(keys, entries)
		if txn.Meta != nil && c.coin() {
			txn.Meta.Immutable = new(c.coin())
		}
		exists, immutable, deleting, leads, own := c.pick(8) > 0, c.pick(4) == 0, c.pick(4) == 0, c.pick(4) > 0, c.pick(4) == 0
		v := Version{UID: []string{"", "u"}[c.pick(2)], ResourceVersion: "7"}
		txn.At = []Version{v}
		filled := []int{0, MaxSize - 3, MaxSize}[c.pick(3)]
		o := &Observation{}
		if exists {
			o = observedWith(entries, filled, immutable, deleting)
		} else {
			entries = map[string]Entry{}
		}

		model := &serial{entries: maps.Clone(entries), own: map[string]bool{}}
		left, named := 0, slices.Collect(func(yield func(string) bool) {
			for _, k := range txn.Keys {
				if !yield(k.Key) {
					return
				}
			}
		})
		grows, writes := 0, 0
		for _, k := range txn.Keys {
			if !k.IsGuard && !entries[k.Key].IsAbsent() {
				left++
				model.own[k.Key] = own
			}
		}
		goes := exists && txn.GoneIsDone && deleting
		if goes || !leads {
			model.own = map[string]bool{} // what is told before it, or not at all
		}
		want := model.do(txn)
		for _, k := range txn.Keys {
			before, after := entries[k.Key], model.entries[k.Key]
			grows += after.Size() - before.Size()
			isHeld := !goes && k.Held == HeldIsDone && k.Next == nil && same(before, k.New)
			if !k.IsGuard && !isHeld && (!txn.GoneIsDone || !before.IsAbsent()) {
				writes++
			}
		}

		isOwn := txn.GoneIsDone && own && !goes && left > 0
		got := judging.Judge(txn, o, told{leads: map[Version]bool{v: leads}, own: own})
		decided := func(d judging.Decision, says func(error) bool) {
			if got.Decision != d || says != nil && !says(got.Err) || says == nil && got.Err != nil {
				t.Errorf("%+v on %v (there %t, immutable %t, deleting %t, leads %t, own %t, %d other bytes): decision %d (%v)",
					txn, entries, exists, immutable, deleting, leads, own, filled, got.Decision, got.Err)
			}
		}
		over := func(reason Reason, keys ...string) func(error) bool {
			return func(err error) bool {
				var conflict *ConflictError
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
		version := ReasonObject
		if v.UID == "" {
			version = ReasonVersion
		}
		var failed []string
		for _, key := range named {
			if _, fails := want.failed[key]; fails {
				failed = append(failed, key)
			}
		}
		switch {
		case txn.GoneIsDone && (!exists || left == 0 && txn.Meta == nil):
			decided(judging.DecideDone, nil)
		case !exists:
			decided(judging.DecideRefuse, sameTypeAs(&NotFoundError{}))
		case isOwn:
			var owned []string
			for _, k := range txn.Keys {
				if !k.IsGuard && !entries[k.Key].IsAbsent() {
					owned = append(owned, k.Key)
				}
			}
			decided(judging.DecideRefuse, over(ReasonOwn, owned...))
		case !goes && !leads:
			decided(judging.DecideRefuse, over(version, named...))
		case goes && (len(failed) > 0 || immutable):
			decided(judging.DecideDone, nil)
		case want.computed:
			decided(judging.DecideRefuse, func(err error) bool { return errors.Is(err, errNext) })
		case len(failed) > 0:
			decided(judging.DecideRefuse, over(want.failed[failed[0]], failed...))
		case writes == 0 && txn.Meta == nil:
			decided(judging.DecideDone, nil)
		case !goes && immutable && (writes > 0 || txn.Meta.Immutable != nil && !*txn.Meta.Immutable):
			decided(judging.DecideRefuse, sameTypeAs(&ImmutableError{}))
		case !goes && deleting:
			decided(judging.DecideRefuse, sameTypeAs(&TerminatingError{}))
		case !goes && grows > 0 && o.Size()+grows > MaxSize:
			decided(judging.DecideRefuse, sameTypeAs(&TooLargeError{}))
		case !goes && !want.wrote && (txn.Meta == nil || txn.Meta.Immutable == nil || immutable && *txn.Meta.Immutable):
			decided(judging.DecideDone, nil)
		default:
			decided(judging.DecideWrite, nil)
			for _, ch := range got.Changes {
				if ch.From != entries[ch.Key] || ch.To != model.entries[ch.Key] {
					t.Errorf("%+v on %v changes %+v", txn, entries, ch)
				}
			}
		}
	})
}
