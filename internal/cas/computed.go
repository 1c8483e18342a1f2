package cas

import (
	"context"
	"time"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// Computed is a key whose new value is computed from its value at the time of the write, such as a counter,
// or a pool from which a member is taken.
type Computed struct {
	Ref eval.Ref
	Key string
	// Next returns the new value. No write is needed if it is the same value. Next is called for each version that the
	// write is evaluated on, and must return the same for the same value. Compute returns its error to the caller.
	Next func(live eval.Value) (eval.Value, error)
	// FieldManager is the manager that managedFields name for the write. Required.
	FieldManager string
	// Wait is how long Compute waits at most, as CommitWithin does, while Next returns a *NotYetError or the object is
	// missing; 0 for not at all.
	Wait time.Duration
}

// Step is the result of Compute.
type Step struct {
	// Previous is the value before this step, and Stored the value after this step alone: the result of Next, unless
	// admission changed it.
	Previous, Stored eval.Value
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

func (c Computed) txn() *eval.Txn {
	return &eval.Txn{Ref: c.Ref, Keys: []eval.KeySwap{{Key: c.Key, Next: c.Next}}, FieldManager: c.FieldManager}
}
