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

// diagnoseFindings returns the diagnostics of reasons to refuse a write. apiVersion is the API version of the state.
func diagnoseFindings(all []decide.Finding, apiVersion string, about message.Subject) (diags diag.Diagnostics) {
	for _, finding := range all {
		switch finding.Kind {
		case decide.FindVersionUnknown:
			diags.Append(about.VersionNotKnown())
		case decide.FindExpectationMissing:
			diags.Append(about.ExpectationMissing(finding.Keys))
		case decide.FindTangled:
			diags.Append(about.Tangled(finding.Keys, apiVersion))
		case decide.FindTainted:
			diags.Append(about.TaintedReplacesItself())
		default:
			diags.Append(about.ReplacesItself(finding.Kind))
		}
	}
	return diags
}

// overwrites reports drift that an update would overwrite, at plan and again at apply. With wait_for_match, the update
// waits for drift to change, and never overwrites it.
func (o *operation) overwrites(ctx context.Context, about message.Subject) diag.Diagnostics {
	drift := o.update.Overwrites
	switch {
	case o.plan.Waits, len(drift) == 0, o.plan.OnDrift == "": // on_drift is not known yet: the apply decides
		return nil
	case o.plan.OnDrift == terms.DriftOverwrite:
		return diag.Diagnostics{about.DriftOverwritten(drift, o.session.LastWriters(ctx, about))}
	default:
		return diag.Diagnostics{about.DriftRefused(drift, o.session.LastWriters(ctx, about))}
	}
}

// leaves warns of drift in a Secret that a plan leaves as it is: no plan shows its values.
func (o *operation) leaves(ctx context.Context, p session.Plan, about message.Subject) diag.Diagnostics {
	drift := o.update.Leaves
	if !o.plan.IsSecret() || !p.Reports() || len(drift) == 0 {
		return nil
	}
	return diag.Diagnostics{about.DriftKept(drift, p.LastWriters(ctx, about))}
}

// diagnoseRemovals returns the diagnostics of a plan about its removals: why they are refused, or what they write and
// keep. seen is the read that found the live values; nil if the live values come from the state.
func diagnoseRemovals(r decide.Removals, seen *eval.Snapshot, about message.Subject) (diags diag.Diagnostics) {
	if refused := diagnoseRefused(r, seen, about); len(refused) > 0 {
		return refused
	}
	if changed := r.With(decide.RemoveChanged); len(changed) > 0 {
		diags.Append(about.RemovesChanged(changed.Drift(), seen))
	}
	if existing := r.With(decide.RemoveExisting); len(existing) > 0 {
		diags.Append(about.ExistedBefore(existing.Keys()))
	}
	if restores := r.Restores(); len(restores) > 0 {
		diags.Append(about.PutsBack(restores))
	}
	return append(diags, diagnoseKept(r, seen, about)...)
}

// diagnoseKept returns the warnings about paths that stay in place. An apply without a checked plan reports them as
// well.
func diagnoseKept(r decide.Removals, seen *eval.Snapshot, about message.Subject) (diags diag.Diagnostics) {
	for _, reason := range []decide.Action{
		decide.KeepChanged, decide.KeepExisting, decide.KeepUnknown, decide.KeepOmitted,
	} {
		if stays := r.With(reason); len(stays) > 0 {
			diags.Append(about.Stays(reason, stays, seen))
		}
	}
	return diags
}

// diagnoseRefused returns why no path may be removed.
func diagnoseRefused(r decide.Removals, seen *eval.Snapshot, about message.Subject) diag.Diagnostics {
	if refused := r.With(decide.Refuse); len(refused) > 0 {
		return diag.Diagnostics{about.RemovalRefused(refused.Drift(), seen)}
	}
	return nil
}

// diagnoseWrite returns the diagnostics of a write: why it failed, or what was stored differently.
func diagnoseWrite(t *eval.Txn, result cas.TxnResult, err error, about message.Subject) diag.Diagnostics {
	if err != nil {
		return diag.Diagnostics{about.Of(t).Diagnose(err)}
	}
	if changed := decide.NotStored(t, decide.Result(result)); len(changed) > 0 {
		return diag.Diagnostics{about.NotStoredAsSent(changed)}
	}
	return nil
}
