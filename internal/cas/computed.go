package cas

import (
	"context"
	"time"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
)

// Computed is a key whose new entry is computed from its entry at the time of the write, such as a counter,
// or a pool from which a member is taken.
type Computed struct {
	Ref Ref
	Key string
	// Next returns the new entry. No write is needed if it is the same entry. Next is called for each version that the
	// write is evaluated on, and must return the same for the same entry. Compute returns its error to the caller.
	Next func(live Entry) (Entry, error)
	// FieldManager is the manager that managedFields name for the write. Required.
	FieldManager string
	// Wait is how long Compute waits at most, as CommitWithin does, while Next returns a *NotYetError or the object is
	// missing; 0 for not at all.
	Wait time.Duration
}

// Step is the result of Compute.
type Step struct {
	// Previous is the entry before this step, and Stored the entry after this step alone: the result of Next, unless
	// admission changed it.
	Previous, Stored Entry
}

// Compute writes the result of Next in one atomic request. Calls that compute the same key may share a
// request, each computed from the result of the one before it. While other writers come first, the key is
// computed again, until ctx ends. It is also computed again after a lost response if the object has changed,
// so that no result is given out twice and a counter may skip a number. The verdicts are those of Commit, but
// never a conflict.
func (e *Engine) Compute(ctx context.Context, c Computed) (Step, error) {
	r, err := e.CommitWithin(ctx, c.txn(), c.Wait)
	return Step{Previous: r.Previous[c.Key], Stored: r.Stored[c.Key]}, err
}

// CheckCompute is Check for Compute.
func (e *Engine) CheckCompute(ctx context.Context, c Computed, how CheckMode) error {
	_, err := e.Check(ctx, c.txn(), how)
	return err
}

func (c Computed) txn() *Txn {
	return &Txn{Ref: c.Ref, Keys: []judging.KeySwap{{Key: c.Key, Next: c.Next}}, FieldManager: c.FieldManager}
}
