package claim

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Written is the result of a write.
type Written struct {
	Ref      eval.Ref
	Previous map[string]eval.Value // the former values of the keys that the write changed; nil if it changed none
	After    *eval.Snapshot        // nil if no request was sent
}

// ApplyCreate writes fields that the state does not have, or creates a whole object. A conflict has written nothing.
func (ch *Change) ApplyCreate(ctx context.Context) (Written, diag.Diagnostics) {
	timeout, diags := ch.Plan.Timeouts.Create(ctx, terms.DefaultTimeout)
	if !ch.Run.Configured() {
		diags.Append(NotConfigured())
	}
	if diags.HasError() {
		return Written{}, diags
	}
	about, t, ref := ch.about(terms.OpCreate), decide.Create(&ch.Plan.Claim, nil).Txn, ch.Plan.Ref
	var result cas.TxnResult
	var err error
	isNew := ch.Plan.Required.Version == "" || ch.Run.registry.isDeleted(ref)
	if ch.Plan.Whole != nil && isNew {
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		ref, result, err = ch.Run.createObject(ctx, ch.Plan)
		about.ID.Ref = ref
	} else if result, err = ch.Run.commit(ctx, t, about, timeout); err == nil && ch.Plan.Whole != nil {
		ch.Run.registry.take(ref, []string{objectPath}, "")
	}
	written, more := ch.record(ref, t, result, err, about)
	return written, append(diags, more...)
}

// ApplyUpdate writes the difference between the state and the plan. A conflict has written nothing.
func (ch *Change) ApplyUpdate(ctx context.Context) (Written, diag.Diagnostics) {
	timeout, diags := ch.Plan.Timeouts.Update(ctx, terms.DefaultTimeout)
	ch.Memory.Plan = decide.Notes{}
	about, t := ch.about(terms.OpUpdate), ch.Update.Txn
	if (t != nil || ch.changesVersion()) && !ch.Run.Configured() {
		diags.Append(NotConfigured())
	}
	if diags.HasError() {
		return Written{}, diags
	}
	checked, done := context.WithTimeout(ctx, timeout)
	defer done()
	if err := ch.checkVersion(checked); err != nil {
		return Written{}, append(diags, about.Diagnose(err))
	}
	if t == nil {
		ch.remember(&eval.Txn{}, cas.TxnResult{})
		return Written{}, diags
	}
	if diags.Append(findings(ch.Update.Findings, ch.Prior.APIVersion, about)...); diags.HasError() {
		return Written{}, diags
	}
	diags.Append(refused(ch.Update.Released, nil, about)...) // in case plan_check let the plan pass
	if diags.Append(ch.overwrites(ctx, about)...); diags.HasError() {
		return Written{}, diags
	}
	result, err := ch.Run.commit(ctx, t, about, timeout)
	written, more := ch.record(ch.Plan.Ref, t, result, err, about)
	return written, append(diags, more...)
}

// record records and reports the result of a write.
func (ch *Change) record(
	ref eval.Ref, t *eval.Txn, result cas.TxnResult, err error, about diagnose.Subject,
) (Written, diag.Diagnostics) {
	diags := report(t, result, err, about)
	if err != nil {
		return Written{}, diags
	}
	ch.remember(t, result)
	return Written{ref, decide.Replaced(t, decide.Result(result)), result.After}, diags
}

// remember records a write in the memory.
func (ch *Change) remember(t *eval.Txn, result cas.TxnResult) {
	ch.Memory.Memory = decide.Record(&ch.Plan.Claim, ch.prior(), ch.Memory.Memory, t, decide.Result(result))
}

// commit sends a transaction within the timeout. wait_for_match adds to the timeout: commit then waits until every
// expectation holds.
func (r *Run) commit(
	ctx context.Context, t *eval.Txn, about diagnose.Subject, timeout time.Duration,
) (result cas.TxnResult, err error) {
	r.writes.Add(1)
	wait := waitFor(about.Wait)
	ctx, cancel := context.WithTimeout(ctx, timeout+wait)
	defer cancel()
	result, err = r.Once(t, about.Op, func() (cas.TxnResult, error) { return r.Engine.CommitWithin(ctx, t, wait) })
	return result, r.located(ctx, about.APIVersion, err)
}

// waitFor returns the duration of wait_for_match, or 0 without it.
func waitFor(configured types.String) time.Duration {
	d, err := time.ParseDuration(configured.ValueString())
	if err != nil {
		return 0 // null; the schema has validated it
	}
	return d
}
