package cas

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"time"
)

const (
	// requestTimeout bounds one write, at the API server too, so that an answer that got lost leaves time to find out.
	requestTimeout = 15 * time.Second
	// firstPause is the wait before a second look, doubled up to maxPause.
	firstPause = 20 * time.Millisecond
	maxPause   = time.Second
	// maxGroup is how many swaps go into one request.
	maxGroup = 1000
)

// write sends the group's request and answers those of its tasks that it decides. The others are judged again.
func (c *committer) write(g *group) {
	if !g.claim() {
		return
	}
	w := c.commit(g)
	switch w.outcome {
	case landed:
		c.landed(g, w)
	case stale:
		c.head = nil // a foreign write is proved; look before judging again
		c.contended = calmAfter
		if g.byKey {
			c.contended = 0 // it may have been something else than a test; a merge patch gets a clear answer
		}
		for _, t := range g.tasks {
			t.mustRead = true
		}
	case refused:
		for _, t := range g.tasks {
			switch {
			case g.from == nil:
				t.mustRead = true // a look may tell more than the refusal
			case len(g.tasks) > 1:
				t.most = len(g.tasks) / 2 // one bad entry must not fail its siblings
			default:
				t.answer(w.err)
			}
		}
	case unsent:
		for _, t := range g.tasks {
			t.answer(w.err)
		}
	case inDoubt:
		c.head = nil
		for _, t := range g.tasks {
			t.answer(&UnknownError{Ref: c.ref, Key: t.swap.Key, Base: g.base, Err: w.err})
		}
	}
}

// claim drops the tasks whose callers gave up before anything was sent.
func (g *group) claim() bool {
	kept := g.tasks[:0]
	var changes []change
	for i, t := range g.tasks {
		if t.claim(g.base) {
			kept, changes = append(kept, t), append(changes, g.changes[i])
		}
	}
	g.tasks, g.changes = kept, changes
	return len(kept) > 0
}

// landed answers the swaps of a group whose write landed.
func (c *committer) landed(g *group, w written) {
	keys := make([]string, 0, len(g.tasks))
	for _, t := range g.tasks {
		keys = append(keys, t.swap.Key)
	}
	if g.byKey {
		c.contended--
		g.base = w.after.Version() // what it really followed is not known
	}
	c.lineage.wrote(g.base, w.after.Version(), keys...)
	if g.from == nil && w.now != nil {
		c.lineage.cut() // nobody saw the whole of the base: another's write could look the same
	}
	c.head = w.after
	if w.now != nil {
		c.observed(w.now)
	}
	for i, t := range g.tasks {
		t.result = Result{
			Version:  w.after.Version(),
			Previous: g.changes[i].from,
			Stored:   w.after.Entry(t.swap.Key),
			Wrote:    true,
		}
		t.answer(nil)
	}
}

// written is what became of a group's request.
type written struct {
	outcome outcome
	err     error
	after   *Observation // landed: the object as the write left it
	now     *Observation // landed, and found out by looking: the object as it was then
}

// commit sends the group's request until it is known what became of it, or until it cannot be found out (inDoubt).
// Only an answer that was lost is looked into; then the object tells: still at the base, the request is sent again, and
// at most one of the two can land; past it, the write that ended the base decides.
func (c *committer) commit(g *group) written {
	r, err := mergePatch(g.base, g.changes)
	if g.byKey {
		r, err = jsonPatch(g.changes)
	}
	if err != nil {
		return written{outcome: refused, err: err}
	}
	ctx, cancel := anyCaller(g.tasks, Grace)
	defer cancel()
	var doubt error
	pause := firstPause
	for {
		for _, t := range g.tasks {
			t.attempts.Add(1)
			t.company.Store(int32(len(g.tasks))) //nolint:gosec // at most maxGroup
		}
		after, out, err := c.client.patch(ctx, c.ref, r, g.tasks[0].swap.FieldManager, requestTimeout)
		switch {
		case out == landed:
			return written{outcome: landed, after: after}
		case out != inDoubt && doubt == nil:
			return written{outcome: out, err: err}
		case out == inDoubt:
			doubt = err
		}
		for {
			if !sleep(ctx, max(pause, retryAfter(err))) {
				return written{outcome: inDoubt, err: errors.Join(doubt, context.Cause(ctx))}
			}
			pause = min(2*pause, maxPause)
			var now *Observation
			if now, err = c.client.get(ctx, c.ref); err != nil {
				continue // the doubt is about a write: it is worth all of the callers' time
			}
			if now.Version() == g.base {
				if g.byKey {
					continue // never sent again: a delayed original could land after the value came back
				}
				break
			}
			w := c.settle(ctx, g, now)
			if w.outcome == inDoubt {
				w.err = errors.Join(doubt, w.err)
			}
			return w
		}
	}
}

// settle finds out whether the group's write is among those that came after its base. That now shows other values proves
// nothing: ours may have landed before them. A merge patch can only be the first of them; a JSON Patch any, or one that is
// yet to come.
func (c *committer) settle(ctx context.Context, g *group, now *Observation) written {
	w := written{outcome: stale}
	if g.byKey {
		w = written{outcome: inDoubt, err: errors.New("it was conditional on the keys alone, and may be on its way still")}
	}
	before := g.from
	err := c.client.replay(ctx, c.ref, g.base, func(next *Observation) bool {
		if next == nil {
			return false
		}
		switch g.made(before, next) {
		case yes:
			w = written{outcome: landed, after: next, now: now}
			return false
		case maybe:
			w = written{outcome: inDoubt, err: errors.New("admission changed what was written, so that it cannot be told from another writer's")}
			return false
		default:
			before = next
			return g.byKey && next.Version() != now.Version()
		}
	})
	if err != nil {
		return written{outcome: inDoubt, err: err}
	}
	return w
}

type answer uint8

const (
	no answer = iota
	yes
	maybe
)

// made tells whether the group's write led from one state to the next. A nil before is one that nobody saw.
func (g *group) made(before, next *Observation) answer {
	if before == nil {
		for _, c := range g.changes {
			if next.Entry(c.key) != c.to {
				return no
			}
		}
		return yes
	}
	want := before.entries()
	touched := false
	for _, c := range g.changes {
		if before.Entry(c.key) != c.from {
			return no
		}
		touched = touched || next.Entry(c.key) != c.from
		if c.to.IsAbsent() {
			delete(want, c.key)
		} else {
			want[c.key] = c.to
		}
	}
	switch {
	case maps.Equal(want, next.entries()):
		return yes
	case touched && g.mayBeOurs(before, next):
		return maybe // ours, changed by admission, or that of another who uses the same name
	default:
		return no
	}
}

// mayBeOurs tells whether managedFields leave it open that our field manager led from one state to the next. They rule it
// out only where another manager's changed and ours did not: times are in seconds, and an object may have none at all.
func (g *group) mayBeOurs(before, next *Observation) bool {
	manager := g.tasks[0].swap.FieldManager
	ours, others := before.managed(manager)
	nextOurs, nextOthers := next.managed(manager)
	return !reflect.DeepEqual(ours, nextOurs) || reflect.DeepEqual(others, nextOthers)
}

func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return true
	}
}
