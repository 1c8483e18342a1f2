package claim

import (
	"cmp"
	"context"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Whole describes a whole object that a state has.
type Whole struct {
	Ref      cas.Ref
	Version  cas.Version
	OnDrift  string
	Content  func(*cas.Observation) diagnose.Content // what the resource manages of an observation
	Timeouts timeouts.Value
	About    func(terms.Operation) diagnose.Subject // what diagnostics about an operation say of the resource
}

// NoteReplaceWhole notes the prior state in private state, for the removal of a replace, as with -replace. held.OnDrift is what that goes by.
func (r *Run) NoteReplaceWhole(ctx context.Context, held *Whole, private Private) diag.Diagnostics {
	return held.note(ctx, held.Version, private)
}

func (w *Whole) note(ctx context.Context, version cas.Version, private Private) diag.Diagnostics {
	return setPrivate(ctx, private, privateObservation, observation{
		ID: w.Ref.String(), UID: version.UID, ResourceVersion: version.ResourceVersion, OnDrift: w.OnDrift,
	})
}

// PlanCreateWhole checks a creation at plan. After the removal of a replace it checks nothing: the old object still exists. It records the
// object, so that keys planned in it cause no warning, and refuses one that another resource of the plan creates.
func (r *Run) PlanCreateWhole(
	ctx context.Context, ref cas.Ref, limits timeouts.Value, about diagnose.Subject, private Private, look func(context.Context) error,
) diag.Diagnostics {
	creator, diags := instance(ctx, private)
	isTwice := r.creations.note(ref, creator, &r.refreshed)
	replaced, isReplace, more := getPrivate[observation](ctx, private, privateObservation)
	diags.Append(more...)
	if isReplace && replaced.ID == ref.String() {
		return diags
	}
	if isTwice && !r.isApply(ctx) && r.PlanCheck != terms.PlanCheckOff {
		diags.Append(r.planned(ctx, about).CreatedTwice())
		return diags
	}
	diags.Append(r.Check(ctx, about, limits, look)...)
	return diags
}

// PlanKeysWhole records the keys that an update of a whole ConfigMap writes and removes, and refuses those that another resource of the
// plan writes or removes. A creation is not recorded: it may give keys their first values, for entries that depend on it.
func (r *Run) PlanKeysWhole(ctx context.Context, t *cas.Txn, about diagnose.Subject, private privateReader) diag.Diagnostics {
	writer, diags := ownToken(ctx, private)
	var writes, removes []string
	for _, k := range t.Keys {
		if k.New.IsAbsent() {
			removes = append(removes, k.Key)
		} else {
			writes = append(writes, k.Key)
		}
	}
	return append(diags, r.planKeys(ctx, t.Ref, writes, removes, writer, about)...)
}

// PlanDeleteWhole reads the object and notes its version in private state, for the reasons that PlanDelete gives. If it notes nothing, the
// removal compares with the prior state.
func (r *Run) PlanDeleteWhole(ctx context.Context, held *Whole, private Private) diag.Diagnostics {
	diags := Forget(ctx, private)
	if r.applying() {
		return diags
	}
	about := held.About(terms.OpDelete)
	var noted, drift diag.Diagnostics
	diags.Append(r.Check(ctx, about, held.Timeouts, func(ctx context.Context) error {
		seen, err := r.Engine.Observe(ctx, held.Ref, cas.Fresh)
		if err != nil || !seen.Exists() {
			return err
		}
		noted = held.note(ctx, seen.Version(), private)
		if drift = r.removesDrift(ctx, held, seen, r.planned(ctx, about), private); len(drift) > 0 {
			return nil
		}
		if r.CheckMode(ctx) == cas.DryRun {
			_, err = r.Engine.CheckRemove(ctx, &cas.Removal{Ref: held.Ref, At: []cas.Version{seen.Version()}}, cas.DryRun)
		}
		return err
	})...)
	diags.Append(drift...)
	diags.Append(noted...)
	return diags
}

// removesDrift refuses to remove what somebody else changed, if on_drift says so. A removal overwrites nothing that it could warn of.
func (r *Run) removesDrift(ctx context.Context, held *Whole, seen *cas.Observation, about diagnose.Subject, private privateReader) diag.Diagnostics {
	if held.OnDrift != terms.DriftError || !seen.Exists() {
		return nil
	}
	return r.CheckWholeDrift(ctx, held.OnDrift, held.Content(seen), nil, about, private)
}

// DeleteWhole deletes the object if it is still at the version in private state, or else in the prior state.
func (r *Run) DeleteWhole(ctx context.Context, held *Whole, private Private) diag.Diagnostics {
	timeout, diags := held.Timeouts.Delete(ctx, terms.DefaultTimeout)
	base := held.Version
	seen, ok, more := getPrivate[observation](ctx, private, privateObservation)
	diags.Append(more...)
	if ok && seen.ID == held.Ref.String() {
		base = cas.Version{UID: seen.UID, ResourceVersion: seen.ResourceVersion}
		held.OnDrift = cmp.Or(seen.OnDrift, held.OnDrift)
	}
	if !r.Configured() {
		diags.Append(NotConfigured())
	}
	if !diags.HasError() {
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		diags.Append(r.remove(ctx, held, base, private)...)
	}
	if diags.HasError() {
		diags.Append(Forget(ctx, private)...)
	}
	return diags
}

// remove judges drift again, in case plan_check let the plan pass, and removes the object.
func (r *Run) remove(ctx context.Context, held *Whole, base cas.Version, private privateReader) diag.Diagnostics {
	about := held.About(terms.OpDelete)
	if held.OnDrift == terms.DriftError {
		seen, err := r.Engine.Observe(ctx, held.Ref, cas.Fresh)
		if err != nil {
			return diag.Diagnostics{about.Diagnose(err)}
		}
		if diags := r.removesDrift(ctx, held, seen, about, private); diags.HasError() {
			return diags
		}
	}
	if _, err := r.Engine.Remove(ctx, &cas.Removal{Ref: held.Ref, At: []cas.Version{base}}); err != nil {
		return diag.Diagnostics{about.Diagnose(err)}
	}
	return nil
}
