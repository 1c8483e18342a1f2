package cas

import (
	"context"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/evaltest"
)

// Swap is a Txn of one key.
type Swap = evaltest.Swap

// Result describes a swap that was applied.
type Result struct {
	// Version of the object after it: of the write's own answer, or of the read that showed that none was needed.
	Version eval.Version
	// Previous has the replaced value or, if nothing was written, the present one.
	Previous eval.Value
	// Stored has the value after the swap. Admission may have changed it.
	Stored eval.Value
	// Wrote is false where no write was needed.
	Wrote bool
}

// Of returns the result for one key.
func (r TxnResult) Of(key string) Result {
	return Result{Version: r.After.Version(), Previous: r.Previous[key], Stored: r.Stored[key], Wrote: r.Wrote}
}

// Swap is Commit of a single key.
func (e *Engine) Swap(ctx context.Context, s Swap) (Result, error) {
	r, err := e.Commit(ctx, s.Txn())
	if err != nil {
		return Result{}, err
	}
	return r.Of(s.Key), nil
}
