package cas

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/wire"
)

// lookApart is the least time between two reads of a wait. It matters if a watch shows a state in which every
// expectation holds, and the next read does not: an API server that cannot begin a watch with the present
// state begins it with a state from its cache.
const lookApart = 100 * time.Millisecond

// CommitWithin is Commit that waits while keys do not contain what is expected, or the object is missing. It
// watches the object, for which it needs the verb watch, and writes once every expectation holds. After wait
// it returns a *WaitError; with 0 it does not wait. The write itself may take until ctx ends. The Txn must
// not require versions.
func (e *Engine) CommitWithin(ctx context.Context, t *eval.Txn, wait time.Duration) (TxnResult, error) {
	if wait <= 0 {
		return e.Commit(ctx, t)
	}
	begun, looked := time.Now(), time.Time{}
	t = t.Stored()
	within, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for {
		result, err := e.Commit(ctx, t)
		if err == nil || !MayYetHold(err) {
			return result, err
		}
		wire.Sleep(within, lookApart-time.Since(looked))
		looked = time.Now()
		if err := e.call(within, t.Ref, func(ctx context.Context) error { return e.await(ctx, t, err) }); err != nil {
			var ended *eval.WaitError
			if errors.As(err, &ended) {
				ended.Waited = time.Since(begun)
			}
			return TxnResult{}, err
		}
	}
}

// MayYetHold reports whether other writers can make a refused Txn succeed, so that CommitWithin waits: a key
// contains something else or cannot be computed yet, or the object is missing or being deleted. It is false
// if a key already contains the new value, and if the object is immutable.
func MayYetHold(err error) bool {
	var conflict *eval.ConflictError
	var notFound *eval.NotFoundError
	var terminating *eval.TerminatingError
	var notYet *eval.NotYetError
	if eval.VerdictOf(err) == eval.Unknown {
		return false
	}
	if errors.As(err, &conflict) {
		isOther := func(k eval.KeyConflict) bool { return k.Reason != eval.ReasonKey }
		return !slices.ContainsFunc(conflict.Keys, isOther) && !conflict.Live.Immutable()
	}
	return errors.As(err, &notYet) || errors.As(err, &notFound) || errors.As(err, &terminating)
}

// await watches until every expectation holds, or the Txn is refused for a reason that a wait does not
// change. The next Commit returns that reason.
func (e *Engine) await(ctx context.Context, t *eval.Txn, last error) error {
	// The watch shows each version after the refused one, in order. If the object was missing, or the API server
	// no longer has its version, the watch begins with the present state.
	since := ""
	var conflict *eval.ConflictError
	if errors.As(last, &conflict) {
		since = conflict.Live.Version().ResourceVersion
	}
	backoff := wire.NewBackoff(20*time.Millisecond, time.Second)
	for {
		holds := false
		err := e.client.As(t.Ref, t.APIVersion).Follow(ctx, t.Ref, since, func(o *eval.Snapshot) bool {
			backoff = wire.NewBackoff(20*time.Millisecond, time.Second)
			if o == nil {
				o = &eval.Snapshot{Begun: e.client.Now()}
			} else {
				since = o.Version().ResourceVersion
			}
			if err := eval.Evaluate(t, o, nil, &eval.Chain{}).Err; err != nil && MayYetHold(err) {
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
			return &eval.WaitError{Ref: t.Ref, Last: last, Err: context.Cause(ctx)}
		case wire.IsExpired(err):
			since = ""
		case err != nil && !wire.IsPassing(err):
			return &eval.WaitError{Ref: t.Ref, Last: last, Err: err}
		}
		wire.Pause(ctx, &backoff, err)
	}
}
