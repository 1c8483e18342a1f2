package session

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Plan is one call of Terraform that plans a change. Terraform plans a change again when it applies it.
type Plan struct {
	*Session
	isHinted bool
}

// Planning returns the plan of a call. No call says whether it is repeated for an apply, but deferrals are a hint: only
// an apply of Terraform accepts them, unless the user allows them in a plan. OpenTofu gives no hint. The hint decides
// about texts, about warnings and checks that the write makes as well, and about the error of an apply that would
// replace an object although its plan did not, which Terraform itself refuses. If the create of a replacement refuses,
// and not its plan, Terraform restores the object that create_before_destroy deposed.
func (s *Session) Planning(allowsDeferral bool) Plan { return Plan{s, allowsDeferral} }

// IsApply reports whether the plan seems to be repeated for an apply.
func (p Plan) IsApply() bool { return p.isHinted || p.IsApplying() }

// CheckMode says whether a check sends a dry run. A check while applying does not: the write itself follows.
func (p Plan) CheckMode() cas.CheckMode {
	if p.IsApplying() {
		return cas.ReadOnly
	}
	return p.Rehearsal
}

// Reports reports whether the plan has warnings, and errors that the apply would report as well.
func (p Plan) Reports() bool { return p.Checks() && !p.IsApply() }

// Check makes a check within the read timeout. ask asks the engine.
func (p Plan) Check(
	ctx context.Context, about message.Subject, limits timeouts.Value, ask func(context.Context) error,
) diag.Diagnostics {
	timeout, diags := limits.Read(ctx, terms.DefaultTimeout)
	if diags.HasError() || !p.Checks() {
		return diags
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return append(diags, p.report(ctx, ask(ctx), about)...)
}

// CheckTxn checks within the read timeout the transaction that the apply sends. It returns the object that the
// transaction was evaluated on; nil if nothing was checked, or if the check failed.
func (p Plan) CheckTxn(
	ctx context.Context, t *eval.Txn, about message.Subject, limits timeouts.Value,
) (*eval.Snapshot, diag.Diagnostics) {
	timeout, diags := limits.Read(ctx, terms.DefaultTimeout)
	if diags.HasError() || !p.Checks() {
		return nil, diags
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	live, err := p.Engine.Check(ctx, t, p.CheckMode())
	return live, append(diags, p.report(ctx, err, about.Of(t))...)
}

// report returns the diagnostics about the error of a check; none without an error.
func (p Plan) report(ctx context.Context, err error, about message.Subject) (diags diag.Diagnostics) {
	notFound, isMissing := errors.AsType[*eval.NotFoundError](err)
	switch {
	case err == nil:
	case isMissing && about.Op == terms.OpCreate && p.Registry.IsCreated(notFound.Ref): // the same run creates the object
	case !about.Wait.IsNull() && cas.MayYetHold(err):
		diags.Append(about.NotYet(err))
	default:
		diags.Append(p.At(about).Diagnose(p.located(ctx, about.APIVersion, err)))
	}
	return diags
}

// CheckSwap makes the checks of an action within the timeout, except for keys that this plan itself changes before the
// action. Nothing is checked if isKnown is false: a part of the configuration is unknown.
func (p Plan) CheckSwap(
	ctx context.Context, t *eval.Txn, isKnown bool, timeout time.Duration, about message.Subject,
) diag.Diagnostics {
	p.Registry.PlanSwap(t)
	if !isKnown || !p.Checks() || p.Registry.IsCreated(t.Ref) || len(t.Keys) == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	_, err := p.Engine.Check(ctx, t, p.CheckMode())
	return p.report(ctx, err, about.Of(t))
}

// At returns the subject of diagnostics about the checks of the plan.
func (p Plan) At(about message.Subject) message.Subject {
	about.Plan, about.Writes = p.PlanCheck, p.Writes
	about.Replanned = p.IsApply()
	about.Rehearsed = p.CheckMode() == cas.DryRun
	return about
}

// Use records which paths an instance uses, and refuses a contradiction to the plan of another instance.
func (p Plan) Use(ctx context.Context, ref eval.Ref, u Use, by Token, about message.Subject) diag.Diagnostics {
	isCreation := slices.Contains(u.Writes, ObjectPath)
	if p.IsApply() && !isCreation {
		return nil
	}
	var seen *eval.Snapshot // read, outside the lock of the registry, if only the object shows whether two paths overlap
	mustRead := false
	areOne := func(a, b string) bool {
		mustRead = mustRead || eval.MayOverlap(a, b) && !eval.Overlap(a, b) && p.Configured()
		return eval.Overlap(a, b) || seen != nil && seen.Exists() && seen.Overlap(a, b)
	}
	c := p.Registry.recordPlan(ref, by, u, areOne)
	if mustRead {
		ctx, cancel := context.WithTimeout(ctx, terms.DefaultTimeout)
		defer cancel()
		if live, err := p.Engine.Observe(ctx, ref, about.APIVersion, cas.Fresh); err == nil {
			seen = live
			c = p.Registry.recordPlan(ref, by, u, areOne)
		}
	}
	about = p.At(about)
	switch {
	case p.IsApply(), p.PlanCheck == terms.PlanCheckOff:
		return nil
	case slices.Contains(c.moving, ObjectPath):
		return diag.Diagnostics{about.ObjectMoves()}
	case slices.Contains(c.twice, ObjectPath):
		return diag.Diagnostics{about.CreatedTwice()}
	case len(c.moving) > 0:
		return diag.Diagnostics{about.KeyMoves(c.moving, c.stays)}
	case len(c.twice) > 0:
		return diag.Diagnostics{about.KeyWrittenTwice(c.twice, c.ofMap)}
	}
	return nil
}
