package claim

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
)

// PlanTake checks whether a number can be taken.
func (r *Run) PlanTake(ctx context.Context, counter cas.Counter, limits timeouts.Value, about diagnose.Subject) diag.Diagnostics {
	diags := r.planKeys(ctx, counter.Ref, []string{counter.Key}, nil, token{text: "counters"}, about) // several counters may share a key
	if diags.HasError() || isReplanned(ctx) {                                                         // Take judges
		return diags
	}
	return append(diags, r.Check(ctx, about, limits, func(ctx context.Context) error {
		return r.Engine.CheckTake(ctx, counter, r.CheckMode(ctx))
	})...)
}

// Take takes a number, which nobody else gets.
func (r *Run) Take(ctx context.Context, counter cas.Counter, timeout time.Duration, about diagnose.Subject) (int64, diag.Diagnostics) {
	if !r.Configured() {
		return 0, diag.Diagnostics{NotConfigured()}
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	taken, err := r.Engine.Take(ctx, counter)
	switch {
	case err != nil:
		return 0, diag.Diagnostics{about.Diagnose(r.located(ctx, err))}
	case taken.Stored != taken.Sent:
		return 0, diag.Diagnostics{about.NumberNotKept(taken)}
	default:
		return taken.Number, nil
	}
}
