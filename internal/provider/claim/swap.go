package claim

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// PlanSwap makes the checks that Swap makes, unless this plan itself changes what the swap compares before the swap is made.
func (r *Run) PlanSwap(ctx context.Context, c *Claim, timeout time.Duration) diag.Diagnostics {
	t := r.swapTxn(c)
	if !r.Checks() || r.creations.has(c.Ref) || r.keys.touches(t) {
		return nil
	}
	return r.checkWithin(ctx, c.About(terms.OpInvoke).Of(t), timeout, func(ctx context.Context) error {
		_, err := r.Engine.Check(ctx, t, r.CheckMode(ctx))
		return err
	})
}

// Swap writes the keys of a claim, of which no state knows anything. A conflict has written nothing.
func (r *Run) Swap(ctx context.Context, c *Claim, timeout time.Duration) (Written, diag.Diagnostics) {
	if !r.Configured() {
		return Written{}, diag.Diagnostics{NotConfigured()}
	}
	t := r.swapTxn(c)
	result, diags, err := r.commit(ctx, t, c.About(terms.OpInvoke), timeout)
	if err != nil {
		return Written{}, diags
	}
	return written(t, result), diags
}

// swapTxn builds the transaction of a swap. A key without an expectation must be absent, or hold its value already: a swap overwrites only
// what its configuration names.
func (r *Run) swapTxn(c *Claim) *cas.Txn {
	t := &cas.Txn{Ref: c.Ref, FieldManager: r.FieldManagerOr(c.FieldManager), At: c.pinned(nil)}
	for _, key := range sortedKeys(c.Values, c.Expected) {
		value, writes := c.Values[key]
		want, named := c.Expected[key]
		switch {
		case !writes:
			t.Keys = append(t.Keys, cas.KeySwap{Key: key, Expect: want, IsGuard: true})
		case named:
			t.Keys = append(t.Keys, cas.KeySwap{Key: key, Expect: want, New: value})
		default:
			t.Keys = append(t.Keys, cas.KeySwap{Key: key, New: value, Held: cas.HeldIsDone})
		}
	}
	return t
}

// touches reports whether the plan writes or removes a key of a transaction.
func (p *plannedKeys) touches(t *cas.Txn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, k := range t.Keys {
		if _, planned := p.keys[terms.EntryID{Ref: t.Ref, Key: k.Key}]; planned {
			return true
		}
	}
	return false
}
