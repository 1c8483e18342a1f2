package claim

import (
	"context"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// PlanDelete reads the object and records the content that the removal compares with. The prior state is not enough:
// Terraform before 1.12.2 plans the removal of a dropped block before it refreshes. While applying it records nothing,
// since a write of another writer would pass for the content that the plan read; the removal then compares with the
// prior state. If notes is true, the keys count as removed in this run.
func (ch *Change) PlanDelete(ctx context.Context, notes bool) (diags diag.Diagnostics) {
	prior, m := ch.Prior, ch.Memory
	m.Plan = decide.Notes{}
	if ch.Run.applying() || ch.isTakenOver() {
		return nil
	}
	about := ch.Run.atPlan(ctx, ch.about(terms.OpDelete))
	if prior.Whole != nil {
		return ch.planDeleteWhole(ctx, about)
	}
	if notes {
		uses := use{removes: decide.Removable(&prior.Claim, m.Memory)}
		diags = ch.Run.planUse(ctx, prior.Ref, uses, m.token(), about)
	}
	if diags.HasError() || !ch.Run.Checks() {
		return diags
	}
	if prior.Policy == terms.PolicyAbandon {
		m.Memory = decide.PlanRemove(&prior.Claim, m.Memory, nil).Memory
		return diags
	}
	timeout, more := prior.Timeouts.Read(ctx, terms.DefaultTimeout)
	diags.Append(more...)
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	var plan decide.RemovalPlan
	seen, err := ch.Run.observe(ctx, &prior.Claim, []time.Duration{cas.Fresh, 0}, func(seen *eval.Snapshot) bool {
		plan = decide.PlanRemove(&prior.Claim, m.Memory, seen)
		return plan.DependsOnOthers
	})
	if err != nil {
		return append(diags, about.Diagnose(err))
	}
	m.Memory = plan.Memory
	switch {
	case plan.IsDeleted:
	case plan.IsImmutable:
		diags.Append(about.Immutable())
	default:
		diags.Append(removals(plan.Removals, seen, about)...)
	}
	if ch.Run.CheckMode() == cas.DryRun && !plan.IsRefused() {
		diags.Append(ch.rehearseRemoval(ctx)...)
	}
	return diags
}

// isTakenOver reports whether another instance adopted keys or the object of the state in the same apply, as the new
// resource does with create_before_destroy.
func (ch *Change) isTakenOver() bool {
	paths := ch.Prior.Keys()
	if ch.Prior.Whole != nil {
		paths = []string{objectPath}
	}
	return slices.ContainsFunc(paths, ch.isTaken)
}

// isTaken reports whether another instance wrote or adopted a key in the same apply.
func (ch *Change) isTaken(key string) bool { return ch.Run.registry.hasWritten(ch.Prior.Ref, key) }

// remove returns the decision about the removal of the keys.
func (ch *Change) remove() decide.RemoveDecision {
	isNotTaken := func(key string) bool { return !ch.isTaken(key) }
	return decide.Remove(&ch.Prior.Claim, ch.Memory.Memory, slices.DeleteFunc(ch.Prior.Keys(), isNotTaken))
}

// rehearseRemoval sends the planned removal as a dry run. A removal that cannot be built is refused at apply.
func (ch *Change) rehearseRemoval(ctx context.Context) diag.Diagnostics {
	remove := ch.remove()
	if len(remove.Findings) > 0 || len(remove.Txn.Keys) == 0 {
		return nil
	}
	return ch.Run.checkTxn(ctx, ch.Prior, remove.Txn, ch.Run.about(ch.Prior, terms.OpDelete))
}

// ApplyDelete deletes or restores the keys, as deletion_policy says, or deletes the whole object. A conflict has
// removed nothing.
func (ch *Change) ApplyDelete(ctx context.Context) diag.Diagnostics {
	prior := ch.Prior
	timeout, diags := prior.Timeouts.Delete(ctx, terms.DefaultTimeout)
	isLeft := prior.Whole != nil && (prior.Policy == terms.PolicyAbandon || ch.isTakenOver())
	if diags.HasError() || len(prior.Values) == 0 || isLeft {
		return diags
	}
	about, remove := ch.about(terms.OpDelete), ch.remove()
	if !ch.Run.Configured() && (prior.Whole != nil || len(remove.Removals.Writes()) > 0) {
		diags.Append(NotConfigured())
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	switch {
	case diags.HasError():
	case prior.Whole != nil:
		diags.Append(ch.deleteWhole(ctx, remove.Version, about)...)
	default:
		diags.Append(ch.deleteKeys(ctx, remove, about, timeout)...)
	}
	if diags.HasError() {
		ch.Memory.Plan = decide.Notes{}
	}
	return diags
}

// deleteKeys removes or restores the keys, except for those that stay. If all stay, it sends nothing.
func (ch *Change) deleteKeys(
	ctx context.Context, remove decide.RemoveDecision, about diagnose.Subject, timeout time.Duration,
) diag.Diagnostics {
	diags := findings(remove.Findings, "", about)
	if !diags.HasError() && len(remove.Removals.With(decide.Refuse)) > 0 {
		diags.Append(ch.checkRemoval(ctx, about)...)
	}
	if !remove.IsReported {
		diags.Append(kept(remove.Removals, nil, about)...)
	}
	if diags.HasError() || len(remove.Txn.Keys) == 0 {
		return diags
	}
	result, err := ch.Run.commit(ctx, remove.Txn, about, timeout)
	return append(diags, report(remove.Txn, result, err, about)...)
}

// checkRemoval refuses a removal that the plan should have refused, in case plan_check let it pass.
func (ch *Change) checkRemoval(ctx context.Context, about diagnose.Subject) diag.Diagnostics {
	seen, err := ch.Run.Engine.Observe(ctx, ch.Prior.Ref, ch.Prior.APIVersion, 0)
	if err != nil {
		return diag.Diagnostics{about.Diagnose(err)}
	}
	plan := decide.PlanRemove(&ch.Prior.Claim, ch.Memory.Memory, seen)
	if plan.IsDeleted {
		return nil
	}
	return refused(plan.Removals, seen, about)
}
