package cas

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/wire"
)

// whole handles a creation or a deletion: it reads, sends, or answers.
func (c *committer) whole(t *task) {
	if c.head == nil {
		c.read([]*task{t})
		return
	}
	j := t.judge(c.head, &c.lineage)
	// A creation needs a read that began after the call, so that an object that existed before never counts as its
	// result.
	isFresh := t.asked.Before(c.head.Begun)
	mayWrite := t.kind == rehearseTask || t.kind == writeTask && (t.create == nil || isFresh)
	switch {
	case j.Decision == judging.DecideWrite && mayWrite:
	case !c.isCurrent(t, j.Decision):
		c.read([]*task{t})
		return
	default:
		t.observed, t.result = c.head, TxnResult{After: c.head}
		t.answer(j.Err)
		return
	}
	base := c.head.Version()
	if t.kind == writeTask && !t.claim(sent{base: base}) {
		return
	}
	var w write = &removing{single{c, t}, base}
	if t.create != nil {
		w = &creating{single{c, t}}
	}
	c.finish(w, c.perform(w))
}

// single is the write of one task. A creation and a deletion share it.
type single struct {
	c *committer
	t *task
}

func (s single) callers() []*task { return []*task{s.t} }
func (s single) isDry() bool      { return s.t.kind == rehearseTask }

// creating is the write of a Creation. A read that began after the call found no object.
type creating struct{ single }

func (w *creating) verb() string { return "create" }

func (w *creating) send(ctx context.Context) (*Observation, wire.Outcome, error) {
	return w.c.client.Create(ctx, w.t.create, w.isDry())
}

// overtaken implements write. An object that exists is evaluated. If reads find none twice, the API server
// refused for another reason, such as a webhook.
func (w *creating) overtaken(now *Observation, refusal error) result {
	if !now.Exists() && w.t.overtaken {
		return result{outcome: wire.Refused, err: w.c.client.Explain(refusal, w.c.ref, "create")}
	}
	w.t.overtaken = !now.Exists()
	return result{outcome: wire.PreconditionFailed, now: now}
}

// settle implements write. An earlier creation of this process whose outcome is unknown may have made the
// object.
func (w *creating) settle(now *Observation) result {
	base := w.c.unknownBase // the zero Version if the unknown write was a creation
	switch {
	case !now.Exists():
		return result{outcome: wire.Unresolved}
	case (base == nil || *base != Version{}) && w.t.create.IsCreated(now):
		return result{outcome: wire.Applied, after: now}
	}
	return result{
		outcome: wire.Ambiguous,
		err:     fmt.Errorf("a %s of this name exists, and another writer may have created it", w.c.ref.Kind),
	}
}

func (w *creating) applied(r result) {
	if w.isDry() {
		w.t.observed = &Observation{Begun: w.t.asked}
	} else {
		w.c.wrote(r.after.Version(), r.after, slices.Collect(maps.Keys(w.t.create.Entries)))
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

// overtaken implements write. Another version or another object of the name is evaluated again.
func (w *removing) overtaken(now *Observation, refusal error) result {
	switch {
	case !now.Exists(), now.Terminating():
		return result{outcome: wire.Applied, after: now, now: now}
	case now.Version() == w.base: // the refusal was not about the version
		return result{outcome: wire.Refused, err: w.c.client.Explain(refusal, w.c.ref, "delete")}
	}
	return result{outcome: wire.PreconditionFailed, now: now}
}

// settle implements write. The request can delete only the version that it is conditional on. So an object
// that has the uid of the base and another version was not deleted.
func (w *removing) settle(now *Observation) result {
	switch {
	case !now.Exists(), now.Terminating(), now.Version().UID != w.base.UID:
		return result{outcome: wire.Applied, after: now, now: now}
	case now.Version() == w.base:
		return result{outcome: wire.Unresolved}
	}
	return result{outcome: wire.PreconditionFailed, now: now}
}

// applied implements write. The object may still exist, being deleted. Wrote is false if another writer may
// have deleted it.
func (w *removing) applied(r result) {
	if w.isDry() && r.now == nil {
		w.t.observed = w.c.head
	} else {
		w.c.observed(r.after)
		w.t.observed = r.after
	}
	w.t.result = TxnResult{After: r.after, Wrote: r.now == nil}
	w.t.answer(nil)
}
