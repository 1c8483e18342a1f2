package cas

import (
	"context"

	"github.com/terraform-cas/terraform-provider-cas/internal/judgingtest"
)

// Swap is a Txn of one key.
type Swap = judgingtest.Swap

// Result is what became of a swap that was applied.
type Result struct {
	// Version of the object after it: of the write's own answer, or of the read that showed that none was needed.
	Version Version
	// Previous is what the write replaced; where nothing was written, what the key holds.
	Previous Entry
	// Stored is what the key holds after it. It differs from what was asked for where admission changed it.
	Stored Entry
	// Wrote is false where no write was needed.
	Wrote bool
}

// Of is what became of one of the keys.
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
