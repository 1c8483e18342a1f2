package cas

import (
	"context"
	"slices"
	"strings"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/wire"
)

// maxTasks is how many transactions go into one request.
const maxTasks = 1000

// maxChanges is how many keys go into one request with others: a JSON Patch may have 10,000 operations, three a key.
const maxChanges = 3000

// batch is the transactions that go into one patch.
type batch struct {
	c     *committer
	base  Version
	from  *Observation // nil: written without a read
	tasks []*task
	of    [][]judging.Change // what each task does, on what those before it leave
	// changes is what the request does, keys that are only compared included. A key that several compare is in it more than once.
	changes   []judging.Change
	left      map[string]Entry // what computed keys hold after it
	dry       bool             // a dry run: nothing is stored
	byKey     bool             // by JSON Patch
	most      int              // how many tasks it may have: the smallest limit of its tasks
	grows     int              // by how many bytes, together
	digest    string           // of the base, where it was not read
	signature signature        // which takes the Engine's place in signed field managers
	earlier   []judging.Doubt  // that can land on the same base
	normal    *Observation     // what the API server makes of fields that it changes, where that was asked
}

// newBatch is a batch on a base, without tasks.
func (c *committer) newBatch(base Version) *batch {
	b := &batch{c: c, base: base, signature: c.signature}
	for _, d := range c.lost {
		if d.Base == base || d.ByKey {
			b.earlier = append(b.earlier, d)
		}
	}
	return b
}

// blindBatch is the removals that can be sent without a read. The others wait.
func (c *committer) blindBatch(tasks []*task) *batch {
	var b *batch
	ahead := keySet{}
	for _, t := range tasks {
		if t.kind != writeTask {
			continue
		}
		blocked := ahead.blocks(t.txn)
		ahead.add(t.txn)
		if blocked || t.mustRead || !t.txn.CanGoBlind(&c.lineage) {
			continue
		}
		var changes []judging.Change
		differs := false // else a write would make no version, and could not be found out about
		for _, k := range t.txn.Keys {
			switch {
			case k.IsGuard:
				changes = append(changes, judging.Change{Key: k.Key, From: k.Expect, To: k.Expect, IsGuard: true})
			case !k.Expect.IsAbsent(): // else it is gone already
				changes = append(changes, judging.Change{Key: k.Key, From: k.Expect})
				differs = true
			}
		}
		if !differs {
			continue
		}
		if b == nil {
			b = c.newBatch(t.txn.Seen.Version)
			b.digest = t.txn.Seen.Digest
		}
		if t.txn.Seen == (judging.Basis{Version: b.base, Digest: b.digest}) && b.fits(t, changes) {
			b.add(t, changes)
		}
	}
	return b
}

// reads takes note of what the base holds, where that was not read before the batch was sent.
func (b *batch) reads(base *Observation) {
	if b.from != nil {
		return
	}
	b.from = base
	for i, c := range b.changes {
		if !c.IsGuard {
			b.changes[i].From = base.Entry(c.Key)
		}
	}
}

// keySet is the keys that tasks ahead are about to write (true) or to compare.
type keySet map[string]bool

// blocks reports whether a Txn has to wait for tasks ahead: it is to be judged on what they leave. Any number may compare a key
// together.
func (s keySet) blocks(t *Txn) bool {
	return s[judging.ImmutableKey] || slices.ContainsFunc(t.Keys, func(k KeySwap) bool {
		isWritten, isThere := s[k.Key]
		if t.APIVersion != "" {
			for key, writes := range s { // one field may be a part of another
				if judging.Overlap(key, k.Key) {
					isWritten, isThere = isWritten || writes, true
				}
			}
		}
		return isThere && (isWritten || !k.IsGuard)
	})
}

// seals reports whether a Txn may be the last that the object takes. It waits for those ahead, and those behind wait for it.
func seals(t *Txn) bool {
	return slices.ContainsFunc(t.Keys, func(k KeySwap) bool { return k.Key == judging.ImmutableKey && !k.IsGuard })
}

func (s keySet) add(t *Txn) {
	for _, k := range t.Keys {
		s[k.Key] = s[k.Key] || !k.IsGuard
	}
}

// continues reports whether the task computes a key of what the batch leaves it.
func (b *batch) continues(t *task) bool {
	if !t.txn.IsTake() {
		return false
	}
	_, isLeft := b.left[t.txn.Keys[0].Key]
	return isLeft
}

// ends takes note that a task that does not go along comes next for its keys.
func (b *batch) ends(t *Txn) {
	for _, k := range t.Keys {
		delete(b.left, k.Key)
	}
}

// fits reports whether the task can go into the same request as those before it: under one field manager, and within the
// size that the API server allows.
func (b *batch) fits(t *task, changes []judging.Change) bool {
	if len(b.tasks) == 0 {
		return true
	}
	if b.tasks[0].txn.FieldManager != t.txn.FieldManager || len(b.tasks) >= min(b.most, t.most) ||
		len(b.changes)+len(changes) > maxChanges {
		return false
	}
	return b.from == nil || b.from.Size()+b.grows+growth(changes) <= MaxSize
}

// growth is by how many bytes the changes make an object larger.
func growth(changes []judging.Change) (n int) {
	for _, c := range changes {
		if !judging.IsMeta(c.Key) {
			n += c.To.Size() - c.From.Size()
		}
	}
	return n
}

// add takes a task in. Only a computed key may be written by several, each of what the one before it leaves; otherwise no key
// that one writes is named by another.
func (b *batch) add(t *task, changes []judging.Change) {
	if len(b.tasks) == 0 {
		b.most = t.most
	}
	b.most = min(b.most, t.most)
	b.grows += growth(changes)
	b.tasks, b.of = append(b.tasks, t), append(b.of, changes)
	if b.continues(t) {
		i := slices.IndexFunc(b.changes, func(c judging.Change) bool { return c.Key == changes[0].Key })
		b.changes[i].To = changes[0].To
	} else {
		b.changes = append(b.changes, changes...)
	}
	if t.txn.IsTake() {
		if b.left == nil {
			b.left = map[string]Entry{}
		}
		b.left[changes[0].Key] = changes[0].To
	}
}

// canGoByKey reports whether the batch can be a JSON Patch: nothing in it is held to a version, since what it changes is
// not known to follow any; and the maps that its paths go through are there.
func (b *batch) canGoByKey() bool {
	for _, t := range b.tasks {
		if t.txn.IsHeld() || t.txn.Computes() {
			return false
		}
	}
	_, can := judging.JSONPatch(b.from, b.changes)
	return can && b.from.SurvivesJSON()
}

func (b *batch) manager() string {
	manager := b.tasks[0].txn.FieldManager
	if name, isSigned := strings.CutSuffix(manager, string(b.c.engine.signature)); isSigned {
		return name + string(b.signature)
	}
	return manager
}

// claim reports whether the batch may be sent: all of its callers are still there. Where one has left, what was made of its
// result is to be made anew. The caller of a dry run may leave at any time.
func (b *batch) claim() bool {
	if b.dry {
		return true
	}
	for i, t := range b.tasks {
		if !t.claim(sent{base: b.base, changes: b.of[i], byKey: b.byKey}) {
			for _, claimed := range b.tasks[:i] {
				claimed.release()
			}
			return false
		}
	}
	return true
}

func (b *batch) callers() []*task { return b.tasks }
func (b *batch) verb() string     { return "patch" }
func (b *batch) isDry() bool      { return b.dry }

// canRepeat implements write. A merge patch can land once, on its base. A JSON Patch that was delayed could land after the value
// came back.
func (b *batch) canRepeat() bool { return !b.byKey }

func (b *batch) send(ctx context.Context) (*Observation, wire.Outcome, error) {
	body, err := b.request()
	if err != nil {
		return nil, wire.Refused, err
	}
	after, out, err := b.c.client.Patch(ctx, b.c.ref, body, b.manager(), b.dry)
	if after != nil && b.from != nil && after.Version() == b.base { // it made no version, and so is as old
		after.Since = b.from.Since
	}
	return after, out, err
}

func (b *batch) request() (judging.Request, error) {
	switch {
	case b.byKey:
		request, _ := judging.JSONPatch(b.from, b.changes) // canGoByKey has made one
		return request, nil
	case b.from != nil && b.from.APIVersion() != "":
		return judging.FieldsPatch(b.from, b.changes, b.firstOwner())
	default:
		return judging.MergePatch(b.c.ref.Kind, b.base, b.changes, b.firstOwner())
	}
}

// overtaken implements write. Where nothing came in between, the refusal was about something else, as that of a webhook that
// answers 409, and would be the same the next time. (That the object is just what the write was to make of it proves nothing:
// another may have swapped the same values.)
func (b *batch) overtaken(now *Observation, refusal error) result {
	switch {
	case b.isProven(now): // something between here and there may have sent it twice, and passed on the second answer
		return result{outcome: wire.Pending, now: now}
	case now.Version() == b.base && !b.byKey:
		return result{outcome: wire.Refused, err: b.c.client.Explain(refusal, b.c.ref, "patch")}
	}
	switch {
	case b.dry, b.from == nil: // a base that was not read now is old, which tells of nobody who is busy
	case b.byKey:
		b.c.contended = 0 // it may have been something else than a test; a merge patch gets a clear answer
	default:
		b.c.contended = calmAfter // others are busy with the object
	}
	return result{outcome: wire.Stale, now: now}
}

func (b *batch) landed(r result) {
	if b.dry {
		for _, t := range b.tasks {
			t.observed = b.from
			t.answer(nil)
		}
		return
	}
	keys := make([]string, 0, len(b.changes))
	leaves := make(map[string]Entry, len(b.changes))
	for _, c := range b.changes {
		leaves[c.Key] = c.To
		if !c.IsGuard {
			keys = append(keys, c.Key)
		}
	}
	if b.byKey {
		b.c.contended--
	}
	base := b.base
	if b.byKey || r.isLater {
		base = r.after.Version() // what it really followed is not known, or what has come about since
	}
	b.c.wrote(base, r.after, r.now, keys, r.isAnyones)
	for i, t := range b.tasks {
		t.result = TxnResult{After: r.after, Previous: map[string]Entry{}, Stored: map[string]Entry{}, Wrote: true}
		if b.from != nil && !r.isLater {
			t.result.Made = b.from.Makes(b.of[i], b.changes, r.after)
		}
		for _, c := range b.of[i] {
			t.result.Previous[c.Key], t.result.Stored[c.Key] = c.From, r.after.Entry(c.Key)
			if r.after.Entry(c.Key) == leaves[c.Key] {
				t.result.Stored[c.Key] = c.To // of a computed key, which others have computed further
			}
			if c.IsGuard && !t.txn.IsGuard(c.Key) {
				b.c.adopted(c.Key)
			}
		}
		t.answer(nil)
	}
}

func (b *batch) values() (all []Entry, isAll bool) {
	for _, c := range b.changes {
		if _, isField := judging.FieldPath(c.Key); isField || !judging.IsMeta(c.Key) {
			all = append(all, c.From.Parts()...)
			all = append(all, c.To.Parts()...)
		}
	}
	return all, b.c.ref.Kind != Secret // of another kind no other values are hidden
}

func (b *batch) hides() bool {
	return b.c.ref.Kind.Hides() || slices.ContainsFunc(b.tasks, func(t *task) bool { return t.txn.Hides })
}
