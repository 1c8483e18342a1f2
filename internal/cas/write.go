package cas

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/wire"
)

// write is one conditional request, and what tells what became of it.
type write interface {
	callers() []*task
	verb() string
	isDry() bool
	// values are what the request holds. isAll reports whether the API server sees no other values of the object.
	values() (all []Entry, isAll bool)
	// hides reports whether error texts must not quote values.
	hides() bool
	// isSigned reports whether the object shows whose write it was.
	isSigned() bool
	send(context.Context) (*Observation, wire.Outcome, error)
	// canRepeat reports whether at most one can land of several that were sent, so that one in doubt can be sent again.
	canRepeat() bool
	// overtaken decides where the condition was refused. now is the object after that. It is pending where the write may have landed nevertheless.
	overtaken(now *Observation, refusal error) result
	// settle decides where an answer got lost. now is the object after that. An error says why it cannot tell. With an error and isLater,
	// the write has landed, and it is not known which version it made: asking again may tell, and otherwise this is the result.
	settle(ctx context.Context, now *Observation) (result, error)
	// landed answers the callers.
	landed(result)
}

// result is what became of a write.
type result struct {
	outcome wire.Outcome
	err     error        // why, unless it landed
	after   *Observation // landed: the object as the write left it
	now     *Observation // the object as it was found afterwards, where it was read
	isLater bool         // after is not just as the write left it: others may have written since
	// isAnyones: it is done, by us or by another.
	isAnyones bool
}

// telling is how long before the end of the grace finding out stops, so that callers receive the reason.
const telling = 500 * time.Millisecond

// doubt describes a write of which an answer got lost.
type doubt struct {
	backoff     wait.Backoff
	until       time.Time // until when siblings wait for it
	isFailing   bool      // sending it again is of no use, as the last answer to it says
	first, last error
	proven      *result // it has landed, though it is not known which version it made
}

// newDoubt is that of a write of tasks. It begins with theirs, if there was one.
func newDoubt(tasks []*task) doubt {
	d := doubt{backoff: wire.NewBackoff(20*time.Millisecond, time.Second)}
	for _, t := range tasks {
		d.first = cmp.Or(d.first, t.doubt)
	}
	return d
}

// add takes note of an answer.
func (d *doubt) add(err error, out wire.Outcome) {
	d.isFailing = apierrors.IsInternalError(err) || out != wire.InDoubt && out != wire.Passing
	if d.first == nil {
		d.first = err
	} else {
		d.last = err
	}
}

// unknown is the result where it cannot be found out what became of the write.
func (d *doubt) unknown(err error) result {
	if d.proven != nil {
		return *d.proven
	}
	if errors.Is(d.last, err) { // the read failed because the time was over
		err = nil
	}
	return result{outcome: wire.InDoubt, err: errors.Join(d.first, d.last, err)}
}

// perform sends a write until it is known what became of it, or until it cannot be found out (inDoubt), or until others have waited long
// enough (pending). Only a lost answer makes it look at the object.
func (c *committer) perform(w write) result {
	tasks := w.callers()
	callers, left := anyCaller(tasks)
	defer left()
	ctx, cancel := lingering(context.Background(), callers, c.engine.limits.grace-telling)
	defer cancel()
	d := newDoubt(tasks)
	wasAside := slices.ContainsFunc(tasks, (*task).wasAside) // so others have waited once: they need not wait as long again
	if wasAside {
		d.until = c.patiently()
	}
	for {
		for _, t := range tasks {
			t.attempts.Add(1)
			t.company.Store(int64(len(tasks)))
		}
		lasting, done := lingering(ctx, callers, c.engine.limits.grace-telling-c.engine.limits.looking)
		once, end := c.unlessOthersWait(lasting, w, d.until)
		after, out, err := w.send(once)
		if (out == wire.InDoubt || out == wire.Unsent) && once.Err() != nil && lasting.Err() == nil {
			out, err = wire.InDoubt, errNoAnswer
		}
		end()
		done()
		if out != wire.Stale || d.first != nil { // a first 409 is not told: it only says that the version was another
			c.withhold(err, w)
		}
		switch {
		case out == wire.Landed:
			return result{outcome: wire.Landed, after: after}
		case out == wire.InDoubt && w.isDry(): // nothing was to be stored
			return result{outcome: wire.Unsent, err: c.client.Explain(err, c.ref, w.verb())}
		case out == wire.Stale && d.first == nil:
			if !w.isSigned() { // a signed one may have landed, if something on the way sent it twice
				c.release(tasks)
			}
			if c.retry != nil { // from the second conflict in a row on; before the read, so that it is young when it is written on
				wire.Pause(callers, c.retry, err)
			}
			once, done := lingering(ctx, callers, c.engine.limits.looking)
			defer done()
			now, lost := c.client.GetPatiently(once, c.ref)
			switch {
			case lost != nil && w.isSigned() && !w.isDry():
				c.withhold(err, w)
				return result{outcome: wire.InDoubt, err: errors.Join(err, lost)}
			case lost != nil:
				return result{outcome: wire.Unsent, err: lost}
			}
			if r := w.overtaken(now, err); r.outcome != wire.Pending {
				c.withhold(r.err, w)
				return r
			}
			c.withhold(err, w)
		case out != wire.InDoubt && d.first == nil:
			return result{outcome: out, err: err}
		}
		d.add(err, out)
		if d.until.IsZero() {
			d.until = c.patiently()
		}
		r := c.settle(ctx, callers, w, &d, err)
		switch isFailing := d.isFailing && len(tasks) == 1; {
		case r.outcome != wire.Pending:
			return r
		case !wasAside && time.Now().Before(d.until):
		case len(tasks) == 1 && c.shutsOut(w):
			return d.unknown(nil)
		case !isFailing && c.othersWait(w):
			return result{outcome: wire.Pending, now: r.now, err: errors.Join(d.first, d.last)}
		case d.isFailing:
			return d.unknown(nil)
		}
	}
}

// withhold keeps values out of the error of a write: those that its request holds, and those that the object is known to hold.
func (c *committer) withhold(err error, w write) {
	if !w.hides() {
		return
	}
	c.client.Withhold(err, c.ref, func() (values []Entry, isAll bool) {
		values, isAll = w.values()
		if c.head != nil && c.head.APIVersion() == "" {
			isAll = true
			for _, e := range c.head.Entries() {
				values = append(values, e)
			}
		}
		return values, isAll
	})
}

// settle looks at the object until it tells what became of a write in doubt. The result is pending where the object is as it was,
// and the write can be sent again.
func (c *committer) settle(ctx, callers context.Context, w write, d *doubt, err error) result {
	until := c.patiently()
	for wire.Pause(ctx, &d.backoff, err) {
		r, now, lost := c.look(ctx, callers, w)
		switch err = lost; {
		case lost == nil && r.outcome == wire.InDoubt:
			unknown := d.unknown(r.err)
			unknown.now = now
			return unknown
		case lost == nil && (r.outcome != wire.Pending || w.canRepeat()):
			return r
		case lost != nil && r.isLater:
			d.proven, err = &r, nil // nobody waits for a Retry-After to learn more of what has landed
		}
		if lost != nil {
			d.last = lost
		}
		switch {
		case now == nil && !apierrors.IsInternalError(lost):
			until = c.patiently() // the API server cannot be asked, by siblings neither
			d.until = until
		case time.Now().After(until):
			return d.unknown(nil)
		}
	}
	return d.unknown(context.Cause(ctx))
}

// look reads the object once, and has the write say what that tells of it. now is nil where it could not be read.
func (c *committer) look(ctx, callers context.Context, w write) (r result, now *Observation, err error) {
	once, done := lingering(ctx, callers, c.engine.limits.looking)
	defer done()
	if now, err = c.client.Get(once, c.ref); err == nil {
		r, err = w.settle(once, now)
	}
	if err != nil && !wire.IsPassing(err) {
		return result{outcome: wire.InDoubt, err: err}, now, nil
	}
	return r, now, err
}

// finish answers the tasks that a result decides. The others are judged again.
func (c *committer) finish(w write, r result) {
	tasks := w.callers()
	retry := c.retry
	c.retry = nil
	switch r.outcome {
	case wire.Landed:
		w.landed(r)
		if !w.isDry() {
			c.fenced()
		}
		return
	case wire.Unsent:
		for _, t := range tasks {
			t.answer(r.err)
		}
		return
	case wire.InDoubt:
		b, isBatch := w.(*batch)
		if isBatch && r.now != nil && c.found(r.now) {
			break // it was one that had been set aside
		}
		c.forget()
		for _, t := range tasks {
			t.answer(t.unknown(r.err))
		}
		if isBatch {
			c.doubts(b)
		}
		_, isCreation := w.(*creating)
		c.lostCreation = c.lostCreation || isCreation
		return
	case wire.Refused:
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
	case wire.Stale:
		c.found(r.now) // they are judged again, on what overtook them
		c.retry = cmp.Or(retry, new(wire.NewBackoff(5*time.Millisecond, 100*time.Millisecond)))
		retry = nil // perform has paused
	case wire.Passing:
		c.retry = cmp.Or(retry, new(wire.NewBackoff(20*time.Millisecond, time.Second)))
		retry = c.retry
	case wire.Pending:
		if b, isBatch := w.(*batch); isBatch {
			c.setAside(b, r)
		}
		return
	}
	if tasks = c.release(tasks); retry != nil && len(tasks) > 0 {
		callers, left := anyCaller(tasks)
		defer left()
		wire.Pause(callers, retry, r.err)
	}
}

// release lets callers give up again: nothing of theirs was written or is on its way. It returns the tasks of those who stay.
func (c *committer) release(tasks []*task) []*task {
	for _, t := range tasks {
		t.release()
	}
	return c.dropEnded(tasks)
}
