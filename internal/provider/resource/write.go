package resource

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/session"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Written is the result of a write.
type Written struct {
	Ref      eval.Ref
	Previous map[string]eval.Value // the former values of the keys that the write changed; nil if it changed none
	After    *eval.Snapshot        // nil if no request was sent
}

// applyCreate writes fields that the state does not have, or creates a whole object. A conflict has written nothing.
func (o *operation) applyCreate(ctx context.Context) (Written, diag.Diagnostics) {
	timeout, diags := o.plan.Timeouts.Create(ctx, terms.DefaultTimeout)
	if !o.session.Configured() {
		diags.Append(session.NotConfigured())
	}
	if diags.HasError() {
		return Written{}, diags
	}
	about, t, ref := o.about(terms.OpCreate), decide.Create(&o.plan.Claim, nil).Txn, o.plan.Ref
	var result cas.TxnResult
	var err error
	isNew := o.plan.Required.Version == "" || o.session.Registry.IsDeleted(ref)
	if o.plan.Whole != nil && isNew {
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		ref, result, err = createObject(ctx, o.session, o.plan)
		about.ID.Ref = ref
		if err == nil {
			o.session.Registry.Take(ref, o.plan.Keys(), "")
		}
	} else if result, err = o.session.Commit(ctx, t, about, timeout); err == nil && o.plan.Whole != nil {
		o.session.Registry.Take(ref, []string{session.ObjectPath}, "")
	}
	written, more := o.record(ref, t, result, err, about)
	return written, append(diags, more...)
}

// applyUpdate writes the difference between the state and the plan. A conflict has written nothing.
func (o *operation) applyUpdate(ctx context.Context) (Written, diag.Diagnostics) {
	timeout, diags := o.plan.Timeouts.Update(ctx, terms.DefaultTimeout)
	o.memory.Plan = decide.Notes{}
	about, t := o.about(terms.OpUpdate), o.update.Txn
	if (t != nil || o.changesVersion()) && !o.session.Configured() {
		diags.Append(session.NotConfigured())
	}
	if diags.HasError() {
		return Written{}, diags
	}
	checked, done := context.WithTimeout(ctx, timeout)
	defer done()
	if err := o.checkVersion(checked); err != nil {
		return Written{}, append(diags, about.Diagnose(err))
	}
	if !o.session.Checks() { // otherwise the plan reported them
		diags.Append(diagnoseKept(o.update.Released, nil, about)...)
	}
	if t == nil {
		o.handBack(ctx, timeout)
		o.remember(&eval.Txn{}, cas.TxnResult{})
		return Written{}, diags
	}
	if diags.Append(diagnoseFindings(o.update.Findings, o.prior.APIVersion, about)...); diags.HasError() {
		return Written{}, diags
	}
	diags.Append(diagnoseRefused(o.update.Released, nil, about)...) // in case plan_check let the plan pass
	if diags.Append(o.overwrites(ctx, about)...); diags.HasError() {
		return Written{}, diags
	}
	result, err := o.session.Commit(ctx, t, about, timeout)
	if err == nil {
		o.handBack(ctx, timeout)
	}
	written, more := o.record(o.plan.Ref, t, result, err, about)
	return written, append(diags, more...)
}

// record records and reports the result of a write.
func (o *operation) record(
	ref eval.Ref, t *eval.Txn, result cas.TxnResult, err error, about message.Subject,
) (Written, diag.Diagnostics) {
	diags := diagnoseWrite(t, result, err, about)
	if err != nil {
		return Written{}, diags
	}
	o.remember(t, result)
	return Written{ref, decide.Replaced(t, decide.Result(result)), result.After}, diags
}

// remember records a write in the memory.
func (o *operation) remember(t *eval.Txn, result cas.TxnResult) {
	o.memory.Memory = decide.Record(&o.plan.Claim, o.priorClaim(), o.memory.Memory, t, decide.Result(result))
}
