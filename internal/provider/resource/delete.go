package resource

import (
	"context"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-log/tflog"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/session"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// planDelete reads the object and records the content that the removal compares with. The prior state is not enough:
// Terraform before 1.12.2 plans the removal of a dropped block before it refreshes. While applying it records nothing,
// since a write of another writer would pass for the content that the plan read; the removal then compares with the
// prior state. If notes is true, the keys count as removed in this run.
func (o *operation) planDelete(ctx context.Context, p session.Plan, notes bool) (diags diag.Diagnostics) {
	prior, m := o.prior, o.memory
	m.Plan = decide.Notes{}
	if p.IsApplying() || o.isTakenOver() {
		return nil
	}
	about := p.At(o.about(terms.OpDelete))
	if prior.Whole != nil {
		return o.planDeleteWhole(ctx, p, about)
	}
	if notes {
		uses := session.Use{Removes: decide.Removable(&prior.Claim, m.Memory)}
		diags = p.Use(ctx, prior.Ref, uses, m.Token(), about)
	}
	if diags.HasError() || !p.Checks() {
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
	seen, err := p.Observe(ctx, prior.Ref, prior.APIVersion, []time.Duration{cas.Fresh, 0},
		func(seen *eval.Snapshot) bool {
			plan = decide.PlanRemove(&prior.Claim, m.Memory, seen)
			return plan.DependsOnOthers // as on a field that cannot be read
		})
	if err == nil && !plan.IsDeleted {
		err = readError(prior.Ref, prior.Keys(), seen)
	}
	if err != nil {
		return append(diags, about.Diagnose(err))
	}
	m.Memory = plan.Memory
	switch {
	case plan.IsDeleted:
	case plan.IsImmutable:
		diags.Append(about.Immutable())
	default:
		diags.Append(diagnoseRemovals(plan.Removals, seen, about)...)
	}
	if p.CheckMode() == cas.DryRun && !plan.IsRefused() {
		diags.Append(o.rehearseRemoval(ctx, p)...)
	}
	return diags
}

// isTakenOver reports whether another instance adopted keys or the object of the state in the same apply, as the new
// resource does with create_before_destroy.
func (o *operation) isTakenOver() bool {
	paths := o.prior.Keys()
	if o.prior.Whole != nil {
		paths = []string{session.ObjectPath}
	}
	return slices.ContainsFunc(paths, o.isTaken)
}

// isTaken reports whether another instance wrote or adopted a key in the same apply.
func (o *operation) isTaken(key string) bool { return o.session.Registry.HasWritten(o.prior.Ref, key) }

// remove returns the decision about the removal of the keys.
func (o *operation) remove() decide.RemoveDecision {
	isNotTaken := func(key string) bool { return !o.isTaken(key) }
	return decide.Remove(&o.prior.Claim, o.memory.Memory, slices.DeleteFunc(o.prior.Keys(), isNotTaken))
}

// rehearseRemoval sends the planned removal as a dry run. A removal that cannot be built is refused at apply.
func (o *operation) rehearseRemoval(ctx context.Context, p session.Plan) diag.Diagnostics {
	remove := o.remove()
	if len(remove.Findings) > 0 || len(remove.Txn.Keys) == 0 {
		return nil
	}
	_, diags := p.CheckTxn(ctx, remove.Txn, o.prior.about(o.session, terms.OpDelete), o.prior.Timeouts)
	return diags
}

// applyDelete deletes or restores the keys, as deletion_policy says, or deletes the whole object. A conflict has
// removed nothing.
func (o *operation) applyDelete(ctx context.Context) diag.Diagnostics {
	prior := o.prior
	timeout, diags := prior.Timeouts.Delete(ctx, terms.DefaultTimeout)
	isLeft := prior.Whole != nil && (prior.Policy == terms.PolicyAbandon || o.isTakenOver())
	if diags.HasError() || len(prior.Values) == 0 {
		return diags
	}
	if isLeft {
		o.handBack(ctx, timeout)
		return diags
	}
	about, remove := o.about(terms.OpDelete), o.remove()
	if !o.session.Configured() && (prior.Whole != nil || len(remove.Removals.Writes()) > 0) {
		diags.Append(session.NotConfigured())
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	switch {
	case diags.HasError():
	case prior.Whole != nil:
		diags.Append(o.deleteWhole(ctx, remove.Version, about)...)
	default:
		if diags.Append(o.deleteKeys(ctx, remove, about, timeout)...); !diags.HasError() {
			o.handBack(ctx, timeout)
		}
	}
	if diags.HasError() {
		o.memory.Plan = decide.Notes{}
	}
	return diags
}

// handBack returns the ownership of the keys that the resource releases to the managers that applied them before the
// resource wrote them: otherwise their next apply would conflict. It comes after the write, because in the same request
// the API server would give the keys to the field manager again. It is best effort: a failure is no error of the apply.
func (o *operation) handBack(ctx context.Context, timeout time.Duration) {
	after := new(decide.Claim)
	if o.plan != nil {
		after = &o.plan.Claim
	}
	released := o.memory.HandsBack(&o.prior.Claim, after, o.isTaken)
	if len(released) == 0 || !o.session.Configured() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err := o.session.Engine.HandBack(ctx, &eval.HandBack{
		Ref: o.prior.Ref, APIVersion: o.prior.APIVersion, FieldManager: o.prior.FieldManager, Keys: released,
	})
	if err != nil {
		tflog.Debug(ctx, "ownership was not handed back", map[string]any{"object": o.prior.Ref.String()})
	}
}

// deleteKeys removes or restores the keys, except for those that stay. If all stay, it sends nothing.
func (o *operation) deleteKeys(
	ctx context.Context, remove decide.RemoveDecision, about message.Subject, timeout time.Duration,
) diag.Diagnostics {
	diags := diagnoseFindings(remove.Findings, "", about)
	if !diags.HasError() && len(remove.Removals.With(decide.Refuse)) > 0 {
		diags.Append(o.checkRemoval(ctx, about)...)
	}
	if !remove.IsReported {
		diags.Append(diagnoseKept(remove.Removals, nil, about)...)
	}
	if diags.HasError() || len(remove.Txn.Keys) == 0 {
		return diags
	}
	result, err := o.session.Commit(ctx, remove.Txn, about, timeout)
	return append(diags, diagnoseWrite(remove.Txn, result, err, about)...)
}

// checkRemoval refuses a removal that the plan should have refused, in case plan_check let it pass.
func (o *operation) checkRemoval(ctx context.Context, about message.Subject) diag.Diagnostics {
	seen, err := o.session.Engine.Observe(ctx, o.prior.Ref, o.prior.APIVersion, 0)
	if err != nil {
		return diag.Diagnostics{about.Diagnose(err)}
	}
	plan := decide.PlanRemove(&o.prior.Claim, o.memory.Memory, seen)
	if plan.IsDeleted {
		return nil
	}
	if err := readError(o.prior.Ref, o.prior.Keys(), seen); err != nil {
		return diag.Diagnostics{about.Diagnose(err)}
	}
	return diagnoseRefused(plan.Removals, seen, about)
}
