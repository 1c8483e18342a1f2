package cas

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/wire"
)

// whole brings a creation or a deletion forward: it reads, sends, or answers.
func (c *committer) whole(t *task) {
	var base Version
	switch {
	case c.head != nil:
		j := t.judge(c.head, &c.lineage)
		isCurrent := c.isCurrent(t, j.Decision)
		mayWrite := t.kind == rehearseTask || t.kind == writeTask && (t.create == nil || t.asked.Before(c.head.Begun)) // so that what was there before is never taken for ours
		switch {
		case j.Decision == judging.DecideWrite && mayWrite:
			base = c.head.Version()
		case !isCurrent:
			c.read([]*task{t})
			return
		default:
			t.observed, t.result = c.head, TxnResult{After: c.head}
			t.answer(j.Err)
			return
		}
	case t.kind == rehearseTask && t.create != nil && t.create.TooLarge() == nil: // what is there already is found out by trying
	case t.kind == writeTask && t.remove != nil && len(t.remove.At) == 1 && t.remove.At[0].UID != "" && t.remove.At[0].Valid():
		base = t.remove.At[0]
	default:
		c.read([]*task{t})
		return
	}
	if t.kind == writeTask && !t.claim(sent{base: base}) {
		return
	}
	var w write = &removing{single{c, t}, base}
	if t.create != nil {
		w = &creating{single{c, t}}
	}
	c.finish(w, c.perform(w))
}

// single is what a creation and a deletion share as writes: one caller.
type single struct {
	c *committer
	t *task
}

func (s single) callers() []*task { return []*task{s.t} }
func (s single) isSigned() bool   { return false }
func (s single) isDry() bool      { return s.t.kind == rehearseTask }
func (s single) hides() bool      { return s.c.ref.Kind.Hides() }

// canRepeat: of several creations one can be there, and of several deletions one has its version to delete.
func (s single) canRepeat() bool { return true }

// creating is the write of a Creation. A read that began after the call was made has found nothing.
type creating struct{ single }

func (w *creating) verb() string { return "create" }

func (w *creating) send(ctx context.Context) (*Observation, wire.Outcome, error) {
	return w.c.client.Create(ctx, w.t.create, w.isDry())
}

// overtaken implements write. What exists is judged.
func (w *creating) overtaken(now *Observation, refusal error) result {
	if !now.Exists() && w.t.overtaken { // the refusal is about something else, as a webhook's
		return result{outcome: wire.Refused, err: w.c.client.Explain(refusal, w.c.ref, "create")}
	}
	w.t.overtaken = !now.Exists()
	return result{outcome: wire.Stale, now: now}
}

// settle implements write. Where the name is taken, what has it reports whether it is ours.
func (w *creating) settle(_ context.Context, now *Observation) (result, error) {
	switch {
	case !now.Exists():
		return result{outcome: wire.Pending, now: now}, nil
	case !w.c.lostCreation && w.t.create.Made(now):
		return result{outcome: wire.Landed, after: now}, nil
	}
	return result{outcome: wire.InDoubt, err: fmt.Errorf("a %s of this name is there, and may be another's", w.c.ref.Kind)}, nil
}

func (w *creating) values() (all []Entry, isAll bool) {
	for _, e := range w.t.create.Entries {
		all = append(all, e)
	}
	return all, true
}

func (w *creating) landed(r result) {
	if w.isDry() {
		w.t.observed = &Observation{Begun: w.t.asked}
	} else {
		w.c.wrote(r.after.Version(), r.after, nil, slices.Collect(maps.Keys(w.t.create.Entries)), false)
		w.t.result = TxnResult{After: r.after, Wrote: true}
	}
	w.t.answer(nil)
}

// removing is the write of a Removal.
type removing struct {
	single
	base Version
}

func (w *removing) verb() string { return "delete" }

func (w *removing) send(ctx context.Context) (*Observation, wire.Outcome, error) {
	return w.c.client.Remove(ctx, w.c.ref, w.base, w.isDry())
}

func (w *removing) overtaken(now *Observation, refusal error) result {
	r := w.judge(now)
	if r.outcome == wire.Pending { // the refusal was not about the version
		return result{outcome: wire.Refused, err: w.c.client.Explain(refusal, w.c.ref, "delete")}
	}
	return r
}

// settle implements write. Only the version that it is conditional on can be deleted by it, so that a read tells; or, where there is another
// object by then, what came first after that version.
func (w *removing) settle(ctx context.Context, now *Observation) (result, error) {
	if !now.Exists() || now.Version().UID == w.base.UID {
		return w.judge(now), nil
	}
	since := w.base.ResourceVersion
	if head := w.c.head; head != nil && head.Version() == w.base {
		since = head.Since.Version
	}
	ctx, cancel := context.WithTimeoutCause(ctx, wire.Watching, wire.ErrSilent)
	defer cancel()
	r := result{outcome: wire.Stale, now: now}
	err := w.c.client.Follow(ctx, w.c.ref, since, func(next *Observation) bool {
		if next == nil || next.Terminating() {
			r = result{outcome: wire.Landed, after: now, now: now}
		}
		return next != nil && next.Version() == w.base
	})
	return r, err
}

func (w *removing) judge(now *Observation) result {
	switch {
	case !now.Exists(), now.Terminating():
		return result{outcome: wire.Landed, after: now, now: now}
	case now.Version() == w.base:
		return result{outcome: wire.Pending, now: now}
	}
	return result{outcome: wire.Stale, now: now} // it has not landed, and never will: it is judged again
}

// landed implements write. What a deletion leaves may be there still, being deleted.
func (w *removing) landed(r result) {
	switch {
	case w.isDry() && r.now == nil:
		w.t.observed = w.c.head
	default:
		w.c.observed(r.after)
		w.t.observed = r.after
	}
	w.t.result = TxnResult{After: r.after, Wrote: r.now == nil}
	w.t.answer(nil)
}

func (w *removing) values() (all []Entry, isAll bool) { return nil, false }
