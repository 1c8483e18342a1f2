package cas

import (
	"cmp"
	"context"
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/wire"
)

// write is one conditional request.
type write interface {
	callers() []*task
	verb() string
	isDry() bool
	send(context.Context) (*Observation, wire.Outcome, error)
	// overtaken decides after the precondition failed and no response was lost. now was read afterwards.
	overtaken(now *Observation, refusal error) result
	// settle decides after a response was lost. now was read afterwards.
	settle(now *Observation) result
	// applied answers the callers.
	applied(result)
}

// result is the outcome of a write.
type result struct {
	outcome wire.Outcome
	err     error        // why the write was not applied, or why the outcome is unknown
	after   *Observation // Applied: the object after the write
	now     *Observation // the object in a later read; nil if there was none
	// isChained: after is the version that the write made of its base, so that the chain goes on.
	isChained bool
	// lost, with PreconditionFailed: why it is unknown whether an earlier request was applied.
	lost error
}

// telling is how long before the end of the grace the search for the outcome stops, so that callers receive
// the reason.
const telling = 500 * time.Millisecond

// loss records what is known about a write since its first response was lost. The zero value means that no response
// was lost.
type loss struct {
	backoff     wait.Backoff
	first, last error
	asOf        time.Time     // the first loss, or the last read
	elapsed     time.Duration // since the first loss, without the time in which reads failed
}

func (l *loss) add(err error) {
	if l.first == nil {
		l.first, l.asOf, l.backoff = err, time.Now(), wire.NewBackoff(20*time.Millisecond, time.Second)
		return
	}
	l.last = err
}

// read records that a read ended.
func (l *loss) read(err error) {
	if err == nil {
		l.elapsed += time.Since(l.asOf)
	}
	l.asOf = time.Now()
	l.last = cmp.Or(err, l.last)
}

func (l *loss) unknown(reason error) result {
	if errors.Is(l.last, reason) { // the last request failed because the time was over
		reason = nil
	}
	return result{outcome: wire.Ambiguous, err: errors.Join(l.first, l.last, reason)}
}

// perform sends a write until its outcome is known, or unknown for good. It sends the same request again only
// while the object is still at the version that the request is conditional on, so that at most one of the
// requests is applied. A creation is sent again while the object is missing.
func (c *committer) perform(w write) result {
	tasks := w.callers()
	callers, left := anyCaller(tasks)
	defer left()
	ctx, cancel := lingering(context.Background(), callers, c.engine.limits.grace-telling)
	defer cancel()
	var l loss
	for {
		for _, t := range tasks {
			t.attempts.Add(1)
			t.company.Store(int64(len(tasks)))
		}
		once, done := lingering(ctx, callers, c.engine.limits.grace-telling-c.engine.limits.looking)
		if l.first != nil {
			time.AfterFunc(c.engine.limits.patience-l.elapsed, done)
		}
		after, outcome, err := w.send(once)
		done()
		if c.ref.Kind.Hides() {
			wire.Withhold(err)
		}
		switch {
		case outcome == wire.Applied:
			return result{outcome: outcome, after: after, isChained: true}
		case l.first != nil: // an earlier request may have been applied: only a read can show that
		case outcome == wire.PreconditionFailed:
			return c.overtaken(ctx, callers, w, err)
		case outcome == wire.Ambiguous && w.isDry(): // a dry run stores nothing
			return result{outcome: wire.NotSent, err: c.client.Explain(err, c.ref, w.verb())}
		case outcome != wire.Ambiguous:
			return result{outcome: outcome, err: err}
		}
		l.add(err)
		if r := c.settle(ctx, callers, w, &l, err); r.outcome != wire.Unresolved {
			return r
		}
	}
}

// overtaken reads the object after the API server refused the precondition of a write: nothing was written.
func (c *committer) overtaken(ctx, callers context.Context, w write, refusal error) result {
	for _, t := range w.callers() {
		t.release()
	}
	if c.retry != nil { // the second conflict in a row; a pause before the read leaves less time between read and write
		wire.Pause(callers, c.retry, refusal)
	}
	once, done := lingering(ctx, callers, c.engine.limits.looking)
	defer done()
	now, err := c.client.GetPatiently(once, c.ref)
	if err != nil {
		return result{outcome: wire.NotSent, err: err}
	}
	return w.overtaken(now, refusal)
}

// settle reads the object after a lost response until a read shows the outcome. Unresolved means that the
// object has not changed.
func (c *committer) settle(ctx, callers context.Context, w write, l *loss, err error) result {
	for wire.Pause(ctx, &l.backoff, err) {
		once, done := lingering(ctx, callers, c.engine.limits.looking)
		now, failure := c.client.Get(once, c.ref)
		done()
		l.read(failure)
		err = failure
		switch {
		case failure != nil && !wire.IsPassing(failure):
			return l.unknown(nil)
		case failure != nil:
			continue // until the callers' time is over
		}
		r := w.settle(now)
		switch {
		case r.outcome == wire.Unresolved && l.elapsed >= c.engine.limits.patience:
			return l.unknown(nil)
		case r.outcome == wire.Ambiguous:
			r.err = l.unknown(r.err).err
		case r.lost != nil:
			r.lost = l.unknown(r.lost).err
		}
		return r
	}
	return l.unknown(context.Cause(ctx))
}

// finish answers the tasks whose outcome the result decides. The other tasks are evaluated again.
func (c *committer) finish(w write, r result) {
	tasks := w.callers()
	retry := c.retry
	c.retry = nil
	switch r.outcome {
	case wire.Applied:
		w.applied(r)
		return
	case wire.NotSent:
		for _, t := range c.dropEnded(tasks) {
			t.answer(r.err)
		}
		return
	case wire.Ambiguous:
		c.unknown(tasks, r)
		return
	case wire.Refused:
		for _, t := range tasks {
			if t.most = len(tasks) / 2; t.most == 0 { // one invalid transaction must not fail the others
				t.answer(r.err)
			}
		}
	case wire.PreconditionFailed:
		c.observed(r.now)
		for _, t := range tasks {
			t.lost = cmp.Or(t.lost, r.lost)
		}
		c.retry = cmp.Or(retry, new(wire.NewBackoff(5*time.Millisecond, 100*time.Millisecond)))
		retry = nil // perform has paused
	case wire.Throttled:
		c.retry = cmp.Or(retry, new(wire.NewBackoff(20*time.Millisecond, time.Second)))
		retry = c.retry
	case wire.Unresolved: // perform goes on
	}
	for _, t := range tasks {
		t.release()
	}
	if tasks = c.dropEnded(tasks); retry != nil && len(tasks) > 0 {
		callers, left := anyCaller(tasks)
		defer left()
		wire.Pause(callers, retry, r.err)
	}
}

// unknown answers tasks whose outcome is unknown. A removal that ignores missing keys is done if the keys are
// missing, no matter who removed them.
func (c *committer) unknown(tasks []*task, r result) {
	c.unknownBase = &tasks[0].sent.Load().base
	c.forget()
	for _, t := range tasks {
		isRemoval := r.now != nil && t.txn != nil && t.txn.GoneIsDone
		if isRemoval && t.judge(r.now, &judging.Lineage{}).Decision == judging.DecideDone {
			t.result = TxnResult{After: r.now, Previous: map[string]Entry{}, Stored: map[string]Entry{}, Wrote: true, IsShared: true}
			for _, change := range t.sent.Load().changes {
				t.result.Previous[change.Key], t.result.Stored[change.Key] = change.From, r.now.Entry(change.Key)
			}
			t.answer(nil)
			continue
		}
		t.answer(t.unknown(r.err))
	}
}
