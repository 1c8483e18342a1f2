package cas

import (
	"context"
	"time"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
)

// Computed is a key whose new value is made of what it holds at the time of the write: a counter, or a pool of which something is taken.
type Computed struct {
	Ref Ref
	Key string
	// Next gives the new value; what the key holds already needs no write. It is called for each version that the write is judged on, and must give the
	// same for the same. An error refuses, and Compute gives it to its caller.
	Next func(live Entry) (Entry, error)
	// FieldManager is a name, of which one is made that is this Engine's alone. Required.
	FieldManager string
	// Wait is for how long at most it is waited where Next refuses with a *NotYetError, as in CommitWithin; 0 for not at all.
	Wait time.Duration
}

// Step is what became of a key that was computed.
type Step struct {
	// Previous is what the key held, and Stored what it holds after this step alone. That is what Next gave, unless admission changed it.
	Previous, Stored Entry
}

// Compute writes what Next makes of the key, in one atomic request, which others that compute the same key may share, each on what the one before it
// leaves. It is judged anew for as long as others come first, until ctx ends. Its verdicts are those of Commit, but it is never a conflict.
func (e *Engine) Compute(ctx context.Context, c Computed) (Step, error) {
	r, err := e.CommitWithin(ctx, c.txn(), c.Wait)
	return Step{Previous: r.Previous[c.Key], Stored: r.Stored[c.Key]}, err
}

// CheckCompute reports whether Compute would be refused, as Check does.
func (e *Engine) CheckCompute(ctx context.Context, c Computed, how CheckMode) error {
	_, err := e.Check(ctx, c.txn(), how)
	return err
}

func (c Computed) txn() *Txn {
	return &Txn{Ref: c.Ref, Keys: []judging.KeySwap{{Key: c.Key, Next: c.Next}}, FieldManager: c.FieldManager}
}
