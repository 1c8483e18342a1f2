package cas

import (
	"context"
	"errors"
	"slices"
	"time"
)

// CommitWithin is Commit that waits where keys do not hold what they must, or where there is no ConfigMap yet, until they
// do: it watches, for which it needs to be permitted to, and writes as soon as everything holds. It waits for so long
// at most, and ends with a *WaitError then. The write itself has until ctx ends. The Txn must not name versions.
func (e *Engine) CommitWithin(ctx context.Context, t *Txn, wait time.Duration) (TxnResult, error) {
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for {
		result, err := e.Commit(ctx, t)
		if err == nil || !mayYetHold(err) {
			return result, err
		}
		if err := e.await(waiting, t, err); err != nil {
			return TxnResult{}, err
		}
	}
}

// mayYetHold tells whether waiting is for what others do to make a refused Txn hold: not where one of its keys is refused for more
// than for what it holds.
func mayYetHold(err error) bool {
	var conflict *ConflictError
	var notFound *NotFoundError
	var terminating *TerminatingError
	if errors.As(err, &conflict) {
		return !slices.ContainsFunc(conflict.Keys, func(k KeyConflict) bool { return k.Reason != ReasonKey })
	}
	return errors.As(err, &notFound) || errors.As(err, &terminating)
}

// await returns without an error when the Txn was seen to hold, or to be refused for something that waiting does not mend.
func (e *Engine) await(ctx context.Context, t *Txn, last error) error {
	if !e.enter() {
		return &CanceledError{Ref: t.Ref, Host: e.client.host, Err: ErrClosed}
	}
	defer e.work.Done()
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	defer context.AfterFunc(e.closing, func() { end(ErrClosed) })()

	for pause := firstPause; ; pause = min(2*pause, maxPause) {
		// Without a version it begins with what is there, so that nothing is missed between two watches.
		holds := false
		err := e.client.replay(ctx, t.Ref, Version{}, func(o *Observation) bool {
			pause = firstPause
			if o == nil {
				o = &Observation{begun: time.Now()}
			}
			if err := judge(t, o, noHistory{}).err; err != nil && mayYetHold(err) {
				last = err
				return true
			}
			holds = true
			return false
		})
		switch {
		case holds:
			return nil
		case ctx.Err() != nil:
			return &WaitError{Ref: t.Ref, Last: last, Err: context.Cause(ctx)}
		case err != nil && !isPassing(err) && !isExpired(err):
			return &WaitError{Ref: t.Ref, Last: last, Err: err}
		}
		sleep(ctx, pause)
	}
}

// noHistory is that of a process that has written nothing.
type noHistory struct{}

func (noHistory) leadsFrom(Version) bool          { return true }
func (noHistory) wroteSince(string, Version) bool { return false }
