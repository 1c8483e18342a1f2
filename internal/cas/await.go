package cas

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/wire"
)

// lookApart is the least time between two reads of a wait. It matters where a watch showed a state that holds and the read after it
// does not: an API server that cannot begin a watch with the present state begins it with one from its cache.
const lookApart = 100 * time.Millisecond

// CommitWithin is Commit that waits where keys do not hold what they must, or where there is no ConfigMap yet, until they
// do: it watches, for which it needs to be permitted to, and writes as soon as everything holds. It waits for so long
// at most, and ends with a *WaitError then; for 0, not at all. The write itself has until ctx ends. The Txn must not name versions.
func (e *Engine) CommitWithin(ctx context.Context, t *Txn, wait time.Duration) (TxnResult, error) {
	if wait <= 0 {
		return e.Commit(ctx, t)
	}
	begun, looked := time.Now(), time.Time{}
	t = t.Stored()
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	for {
		result, err := e.Commit(ctx, t)
		if err == nil || !MayYetHold(err) {
			return result, err
		}
		wire.Sleep(waiting, lookApart-time.Since(looked))
		looked = time.Now()
		if err := e.call(waiting, t.Ref, func(ctx context.Context) error { return e.await(ctx, t, err) }); err != nil {
			var ended *WaitError
			if errors.As(err, &ended) {
				ended.Waited = time.Since(begun)
			}
			return TxnResult{}, err
		}
	}
}

// MayYetHold reports whether what others do can make a refused Txn hold, so that CommitWithin waits: keys hold something else,
// or cannot be computed yet, or there is no ConfigMap, or it is on its way out. That a key holds the new entry already is not waited on, and neither is a
// ConfigMap that is immutable.
func MayYetHold(err error) bool {
	var conflict *ConflictError
	var notFound *NotFoundError
	var terminating *TerminatingError
	var notYet *NotYetError
	if VerdictOf(err) == Unknown {
		return false
	}
	if errors.As(err, &conflict) {
		return !conflict.Live.Immutable() && !slices.ContainsFunc(conflict.Keys, func(k KeyConflict) bool { return k.Reason != ReasonKey })
	}
	return errors.As(err, &notYet) || errors.As(err, &notFound) || errors.As(err, &terminating)
}

// await watches until the Txn holds, or is refused for a reason that waiting does not mend. Commit tells then.
func (e *Engine) await(ctx context.Context, t *Txn, last error) error {
	// The watch shows each version after the refused one, in order. Where there was no ConfigMap, or the API server has forgotten its
	// version, it begins with the present state.
	since := ""
	var conflict *ConflictError
	if errors.As(last, &conflict) {
		since = conflict.Live.Version().ResourceVersion
	}
	backoff := wire.NewBackoff(20*time.Millisecond, time.Second)
	for {
		holds := false
		err := e.client.As(t.APIVersion).Follow(ctx, t.Ref, since, func(o *Observation) bool {
			backoff = wire.NewBackoff(20*time.Millisecond, time.Second)
			if o == nil {
				o = &Observation{Begun: e.client.Now()}
			} else {
				since = o.Version().ResourceVersion
			}
			if err := judging.Judge(t, o, &judging.Lineage{}).Err; err != nil && MayYetHold(err) {
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
		case wire.IsExpired(err):
			since = ""
		case err != nil && !wire.IsPassing(err):
			return &WaitError{Ref: t.Ref, Last: last, Err: err}
		}
		wire.Pause(ctx, &backoff, err)
	}
}
