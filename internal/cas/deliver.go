package cas

import (
	"cmp"
	"context"
	"errors"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/wire"
)

// deliver sends a request until its outcome is known, or unknown for good. It sends the same request again
// only while the object is still at the version that the request is conditional on, so that at most one of the
// requests is applied. A creation is sent again while the object is missing.
func (c *committer) deliver(callers context.Context, r *request, conflictPause *wait.Backoff) result {
	limits := c.engine.limits
	ctx, cancel := withGrace(context.Background(), callers, limits.grace-reportTime)
	defer cancel()
	var l lostResponse
	for {
		for _, t := range r.tasks {
			t.attempts.Add(1)
			t.batchSize.Store(int64(len(r.tasks)))
		}
		once, done := withGrace(ctx, callers, limits.grace-reportTime-limits.read)
		if l.first != nil {
			time.AfterFunc(limits.settle-l.elapsed, done)
		}
		after, outcome, err := r.send(once)
		done()
		if c.ref.Kind.Hides() {
			wire.Withhold(err)
		}
		switch {
		case outcome == wire.Applied:
			return result{outcome: outcome, after: after, isChained: true}
		case l.first != nil: // an earlier request may have been applied: only a read can show that
		case outcome == wire.PreconditionFailed:
			return c.readAfterConflict(ctx, callers, r, conflictPause, err)
		case outcome != wire.Ambiguous:
			return result{outcome: outcome, err: err}
		}
		l.add(err)
		if settled := c.settle(ctx, callers, r, &l, err); settled.outcome != wire.Unresolved {
			return settled
		}
	}
}

// readAfterConflict reads the object after the API server refused the precondition of a request: nothing was written.
func (c *committer) readAfterConflict(
	ctx, callers context.Context, r *request, pause *wait.Backoff, refusal error,
) result {
	for _, t := range r.tasks {
		t.wasRefused.Store(true)
		t.release()
	}
	if pause != nil { // the second conflict in a row; a pause before the read leaves less time between read and write
		wire.Pause(callers, pause, refusal)
	}
	once, done := withGrace(ctx, callers, c.engine.limits.read)
	defer done()
	now, err := r.client.GetPatiently(once, c.ref)
	if err != nil {
		return result{outcome: wire.NotSent, err: err}
	}
	return r.afterConflict(now, refusal)
}

// settle reads the object after a lost response until a read shows the outcome. Unresolved means that the
// object has not changed.
func (c *committer) settle(ctx, callers context.Context, r *request, l *lostResponse, err error) result {
	for wire.Pause(ctx, &l.backoff, err) {
		once, done := withGrace(ctx, callers, c.engine.limits.read)
		now, failure := r.client.Get(once, c.ref)
		done()
		l.read(failure)
		err = failure
		switch {
		case failure != nil && !wire.IsPassing(failure):
			return l.unknown(nil)
		case failure != nil:
			continue // until the callers' time is over
		}
		settled := r.outcome(now, c.unknownBase)
		switch {
		case settled.outcome == wire.Unresolved && l.elapsed >= c.engine.limits.settle:
			return l.unknown(nil)
		case settled.outcome == wire.Ambiguous:
			settled.err = l.unknown(settled.err).err
		case settled.unknownEarlier != nil:
			settled.unknownEarlier = l.unknown(settled.unknownEarlier).err
		}
		return settled
	}
	return l.unknown(context.Cause(ctx))
}

// reportTime is how long before the end of the grace the search for the outcome stops, so that callers receive
// the reason.
const reportTime = 500 * time.Millisecond

// lostResponse records what is known about a request since its first response was lost. The zero value means that no
// response was lost.
type lostResponse struct {
	backoff     wait.Backoff
	first, last error
	asOf        time.Time     // the first loss, or the last read
	elapsed     time.Duration // since the first loss, without the time in which reads failed
}

func (l *lostResponse) add(err error) {
	if l.first == nil {
		l.first, l.asOf, l.backoff = err, time.Now(), wire.NewBackoff(20*time.Millisecond, time.Second)
		return
	}
	l.last = err
}

// read records that a read ended.
func (l *lostResponse) read(err error) {
	if err == nil {
		l.elapsed += time.Since(l.asOf)
	}
	l.asOf = time.Now()
	l.last = cmp.Or(err, l.last)
}

func (l *lostResponse) unknown(reason error) result {
	if errors.Is(l.last, reason) { // the last request failed because the time was over
		reason = nil
	}
	return result{outcome: wire.Ambiguous, err: errors.Join(l.first, l.last, reason)}
}
