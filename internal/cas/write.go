package cas

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
)

// write is one conditional request, and what tells what became of it.
type write interface {
	callers() []*task
	verb() string
	isDry() bool
	// values are what the request holds. isAll reports whether the API server sees no other values of the object.
	values() (all []Entry, isAll bool)
	// isSigned reports whether the object shows whose write it was.
	isSigned() bool
	send(context.Context) (*Observation, outcome, error)
	// canRepeat reports whether at most one can land of several that were sent, so that one in doubt can be sent again.
	canRepeat() bool
	// overtaken decides where the condition was refused. now is the object after that.
	overtaken(now *Observation, refusal error) result
	// settle decides where an answer got lost. now is the object after that. An error says why it cannot tell. With an error and isLater,
	// the write has landed, and it is not known which version it made: asking again may tell, and otherwise this is the result.
	settle(ctx context.Context, now *Observation) (result, error)
	// landed answers the callers.
	landed(result)
}

// result is what became of a write.
type result struct {
	outcome outcome
	err     error        // why, unless it landed
	after   *Observation // landed: the object as the write left it
	now     *Observation // the object as it was found afterwards, where it was read
	isLater bool         // after is not just as the write left it: others may have written since
}

const (
	// requestTimeout bounds one write, at the API server too, so that an answer that got lost leaves time to find out.
	requestTimeout = 15 * time.Second
	// telling is how long before the end of Grace finding out stops, so that callers are told why.
	telling = 500 * time.Millisecond
	// looking is how long one look may take once all callers have gone. A write ends that much earlier, to leave time for it.
	looking = time.Second
	// holdUp is how long siblings wait for a write in doubt that cannot be sent again, or that the API server answers with an
	// error.
	holdUp = 4 * time.Second
	// maxRepeats is how often a write is sent again that the API server answers with an error.
	maxRepeats = 3
	// maxRetryAfter bounds how long the API server can ask to wait.
	maxRetryAfter = 5 * time.Second
)

// doubt describes a write of which an answer got lost.
type doubt struct {
	backoff     wait.Backoff
	failures    int // answers that were an error of the API server's own, and watches that showed nothing
	first, last error
}

func (d *doubt) add(err error) {
	if apierrors.IsInternalError(err) {
		d.failures++
	}
	if d.first == nil {
		d.first = err
	} else {
		d.last = err
	}
}

// unknown is the result where it cannot be found out what became of the write.
func (d *doubt) unknown(err error) result {
	if errors.Is(d.last, err) { // the read failed because the time was over
		err = nil
	}
	return result{outcome: inDoubt, err: errors.Join(d.first, d.last, err)}
}

// perform sends a write until it is known what became of it, or until it cannot be found out (inDoubt). Doubt is dealt with here
// alone. Only a lost answer makes it look at the object.
func (c *committer) perform(w write) result {
	tasks := w.callers()
	callers, left := anyCaller(tasks)
	defer left()
	limited, limit := context.WithCancelCause(context.Background())
	defer limit(nil)
	ctx, cancel := lingering(limited, callers, Grace-telling)
	defer cancel()
	d, isLimited := doubt{backoff: newBackoff(20*time.Millisecond, time.Second)}, false
	for {
		for _, t := range tasks {
			t.attempts.Add(1)
			t.company.Store(int64(len(tasks)))
		}
		once, done := lingering(ctx, callers, Grace-telling-looking)
		after, out, err := w.send(once)
		done()
		if out != stale || d.first != nil { // else it is told only where the condition was not what was refused
			c.withhold(err, w)
		}
		switch {
		case out == landed:
			return result{outcome: landed, after: after}
		case out == inDoubt && w.isDry(): // nothing was to be stored
			return result{outcome: unsent, err: c.client.explain(err, c.ref, w.verb())}
		case out == stale && d.first == nil:
			if !w.isSigned() { // a signed one may have landed, if something on the way sent it twice
				c.release(tasks)
			}
			if c.retry != nil { // of conflicts in a row, not the first; before the read, or that is old when it is written on
				pause(callers, c.retry, err)
			}
			once, done := lingering(ctx, callers, looking)
			defer done()
			now, lost := c.client.getPatiently(once, c.ref, nil)
			switch {
			case lost != nil && w.isSigned() && !w.isDry():
				c.withhold(err, w)
				return result{outcome: inDoubt, err: errors.Join(err, lost)}
			case lost != nil:
				return result{outcome: unsent, err: lost}
			}
			r := w.overtaken(now, err)
			c.withhold(r.err, w)
			return r
		case out != inDoubt && d.first == nil:
			return result{outcome: out, err: err}
		}
		d.add(err)
		if !isLimited && (d.failures > 0 || out != inDoubt || !w.canRepeat()) {
			isLimited = true
			defer time.AfterFunc(holdUp, func() { limit(errNoAnswer) }).Stop()
		}
		if r := c.settle(ctx, callers, w, &d, err); r.outcome != pending {
			return r
		}
	}
}

// settle looks at the object until it tells what became of a write in doubt. The result is pending where the object is as it was,
// and the write can be sent again.
func (c *committer) settle(ctx, callers context.Context, w write, d *doubt, err error) result {
	var proven result
	proofs := 0
	unknown := func(why error) result {
		if proofs > 0 {
			return proven
		}
		return d.unknown(why)
	}
	for pause(ctx, &d.backoff, err) {
		var r result
		if r, err = c.look(ctx, callers, w); err != nil {
			d.last = err
			if r.isLater {
				if proven, proofs = r, proofs+1; proofs > maxRepeats {
					return proven
				}
				err = nil // nobody waits for a Retry-After to learn more of what has landed
				continue
			}
			if errors.Is(err, errSilent) {
				d.failures++
			}
			if d.failures > maxRepeats {
				return unknown(nil)
			}
			continue
		}
		switch {
		case r.outcome == inDoubt:
			return unknown(r.err)
		case r.outcome != pending:
			return r
		case d.failures > maxRepeats:
			return unknown(nil)
		case w.canRepeat():
			return r
		}
	}
	return unknown(context.Cause(ctx))
}

// look reads the object once, and has the write say what that tells of it.
func (c *committer) look(ctx, callers context.Context, w write) (result, error) {
	once, done := lingering(ctx, callers, looking)
	defer done()
	var r result
	now, err := c.client.get(once, c.ref)
	if err == nil {
		r, err = w.settle(once, now)
	}
	if err != nil && !isPassing(err) {
		return result{outcome: inDoubt, err: err}, nil
	}
	return r, err
}

// finish answers the tasks that a result decides. The others are judged again.
func (c *committer) finish(w write, r result) {
	tasks := w.callers()
	retry := c.retry
	c.retry = nil
	switch r.outcome {
	case landed:
		w.landed(r)
		return
	case unsent:
		for _, t := range tasks {
			t.answer(r.err)
		}
		return
	case inDoubt:
		c.forget()
		for _, t := range tasks {
			t.answer(t.unknown(r.err))
		}
		if b, isBatch := w.(*batch); isBatch {
			c.lost = append(slices.Clone(b.earlier), lost{b.base, b.changes, b.byKey})
			if b.isSigned() {
				c.signature = newSignature()
			}
		}
		_, isCreation := w.(*creating)
		c.lostCreation = c.lostCreation || isCreation
		return
	case refused:
		b, isBatch := w.(*batch)
		for _, t := range tasks {
			switch {
			case isBatch && b.from == nil:
				t.mustRead = true // a read may tell more than the refusal
			case len(tasks) > 1:
				t.most = len(tasks) / 2 // one bad entry must not fail its siblings
			default:
				t.answer(r.err)
			}
		}
	case stale:
		c.observed(r.now) // they are judged again, on what overtook them
		c.retry = cmp.Or(retry, new(newBackoff(5*time.Millisecond, 100*time.Millisecond)))
		retry = nil // perform has paused
	case passing:
		c.retry = cmp.Or(retry, new(newBackoff(20*time.Millisecond, time.Second)))
		retry = c.retry
	case pending: // settle goes on until it is something else
	}
	if tasks = c.release(tasks); retry != nil && len(tasks) > 0 {
		callers, left := anyCaller(tasks)
		defer left()
		pause(callers, retry, r.err)
	}
}

// release lets callers give up again: nothing of theirs was written or is on its way. It returns the tasks of those who stay.
func (c *committer) release(tasks []*task) []*task {
	for _, t := range tasks {
		t.release()
	}
	return c.dropEnded(tasks)
}

// newBackoff is that of everything that is tried again.
func newBackoff(first, most time.Duration) wait.Backoff {
	return wait.Backoff{Duration: first, Factor: 2, Jitter: 0.5, Steps: 100, Cap: most}
}

// pause waits until it is time to try again after err, and reports whether ctx goes on.
func pause(ctx context.Context, backoff *wait.Backoff, err error) bool {
	d := backoff.Step()
	if seconds, ok := apierrors.SuggestsClientDelay(err); ok {
		d = max(d, min(time.Duration(seconds)*time.Second, maxRetryAfter))
	}
	sleep(ctx, d)
	return ctx.Err() == nil
}

// sleep ends early where the context does.
func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

// isPassing reports whether asking again may be answered.
func isPassing(err error) bool {
	var forbidden *ForbiddenError
	var refused *RefusedError
	switch {
	case errors.As(err, &forbidden), isExpired(err):
		return false
	case errors.As(err, &refused):
		return refused.Code >= http.StatusInternalServerError || refused.Code == http.StatusTooManyRequests
	}
	return true
}

// isUnanswered reports whether the API server could not be asked, and asking again may be answered.
func isUnanswered(err error) bool {
	var refused *RefusedError
	var unreachable *UnreachableError
	return isPassing(err) && (errors.As(err, &refused) || errors.As(err, &unreachable))
}

// isExpired reports whether the API server does not remember any more what came after a version.
func isExpired(err error) bool { return apierrors.IsGone(err) || apierrors.IsResourceExpired(err) }
