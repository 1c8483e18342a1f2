package cas

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/wire"
)

// One key's trouble does not hold up others. A merge patch that is in doubt, and whose base is the present version, is set aside when others
// have waited for it long enough: it is halved or, if it is of one task, set apart, and others go on. It may land yet, until the next version
// comes. That version tells what became of it.

// patiently is until when siblings wait for a write in doubt that they begin to wait for now.
func (c *committer) patiently() time.Time { return time.Now().Add(c.engine.limits.patience) }

// unlessOthersWait is a context that ends with parent and, from a moment on, when the write holds others up. The zero moment never comes.
func (c *committer) unlessOthersWait(parent context.Context, w write, from time.Time) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(parent)
	if from.IsZero() || w.isDry() || !w.canRepeat() {
		return ctx, cancel
	}
	var watch sync.WaitGroup
	watch.Go(func() {
		for wire.Sleep(ctx, time.Until(from)); ctx.Err() == nil; {
			if c.othersWait(w) {
				cancel()
			}
			select {
			case <-ctx.Done():
			case <-c.arrived:
			}
		}
	})
	return ctx, func() {
		cancel()
		watch.Wait()
	}
}

// othersWait reports whether a batch holds up a task that could go without the first of its own, also one that is set apart. Those behind one that waits for
// all ahead of it wait for that.
func (c *committer) othersWait(w write) bool {
	b, isBatch := w.(*batch)
	if !isBatch {
		return false
	}
	tasks := c.underWay()
	if i := slices.IndexFunc(tasks, (*task).waitsForAll); i >= 0 {
		tasks = tasks[:i]
	}
	ahead := keySet{}
	ahead.add(b.tasks[0].txn)
	return slices.ContainsFunc(slices.Concat(b.tasks, tasks), func(t *task) bool {
		return t != b.tasks[0] && t.kind != observeTask && !t.answered && (t.kind != writeTask || !ahead.blocks(t.txn))
	})
}

// shutsOut reports whether a batch holds up a task that cannot go ahead of it: one that waits for all ahead of it, or that is about the object in
// another shape.
func (c *committer) shutsOut(w write) bool {
	b, isBatch := w.(*batch)
	return isBatch && slices.ContainsFunc(c.underWay(), func(t *task) bool {
		return t.kind != observeTask && !t.answered && t != b.tasks[0] && (t.waitsForAll() || t.client.APIVersion != b.tasks[0].client.APIVersion)
	})
}

// underWay is the tasks in hand and in the queue.
func (c *committer) underWay() []*task {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Concat(c.inHand, c.queue)
}

// setAside takes note of a batch whose base is still the present version, and lets others go on.
func (c *committer) setAside(b *batch, r result) {
	if !slices.Contains(c.aside, b) {
		c.aside = append(c.aside, b)
		b.reads(r.now)
		c.doubts(b)
	}
	for _, t := range b.tasks {
		t.doubt, t.aside, t.isApart, t.most = r.err, time.Now(), len(b.tasks) == 1, max(1, len(b.tasks)/2)
	}
	c.observed(r.now)
}

// doubts takes note that a batch may have landed, or may yet land.
func (c *committer) doubts(b *batch) {
	c.lost = append(c.lost, judging.Doubt{Base: b.base, Manager: b.manager(), Changes: b.changes, ByKey: b.byKey})
	if b.isSigned() {
		c.signature = newSignature()
	}
}

// again is the batch of a task that was set apart: the one that was set aside or, where its base was left, another.
func (c *committer) again(t *task, changes []judging.Change) *batch {
	b := c.newBatch(c.head.Version())
	b.add(t, changes)
	if i := slices.IndexFunc(c.aside, func(b *batch) bool { return len(b.tasks) == 1 && b.tasks[0] == t }); i >= 0 {
		b = c.aside[i]
	}
	b.from = c.head
	return b
}

// isFenced reports whether an object at this version takes none of what was set aside any more.
func (c *committer) isFenced(at Version) bool { return len(c.aside) > 0 && c.aside[0].base != at }

// fenced ends the doubts about what was set aside, where the head has left its base: what has not landed never will. (A write of which admission
// leaves nothing makes no version.) Callers who have their answer are not released: they could leave and say that nothing was written.
func (c *committer) fenced() {
	if !c.isFenced(c.head.Version()) {
		return
	}
	for _, b := range c.aside {
		for _, t := range unanswered(b.tasks) {
			t.doubt = nil
			t.release()
		}
	}
	c.aside = nil
}

// found takes note of what a read found. Where that is another version than the base of what was set aside, the first version after that base
// tells what became of it: at most one of them made it. It reports whether one did.
func (c *committer) found(now *Observation) (hasLanded bool) {
	if !c.isFenced(now.Version()) {
		c.observed(now)
		return false
	}
	unknown := map[*task]error{}
	for _, b := range c.aside {
		tasks := unanswered(b.tasks)
		if len(tasks) == 0 {
			continue
		}
		if c.head != nil {
			b.from = c.head // the same, and its horizon is later
		}
		callers, left := anyCaller(tasks)
		ctx, cancel := lingering(context.Background(), callers, c.engine.limits.grace-telling)
		d := newDoubt(tasks)
		r := c.settle(ctx, callers, b, &d, nil)
		cancel()
		left()
		if r.outcome == wire.Landed {
			c.contended = 0 // nobody else was busy
			b.landed(r)
			c.fenced()
			return true
		}
		if r.outcome == wire.InDoubt {
			for _, t := range tasks {
				unknown[t] = r.err
			}
		}
	}
	for t, err := range unknown {
		t.answer(t.unknown(err))
	}
	c.observed(now)
	c.fenced()
	return false
}

// rest waits until what was set apart is to be tried again, or another task comes, or a caller leaves.
func (c *committer) rest(tasks []*task) {
	ctx, cancel := context.WithDeadline(context.Background(), c.due)
	defer cancel()
	for _, t := range tasks {
		defer context.AfterFunc(t.ctx, cancel)()
	}
	select {
	case <-ctx.Done():
	case <-c.arrived:
	}
}
