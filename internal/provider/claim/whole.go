package claim

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Whole is a whole object that a resource has, as a state says.
type Whole struct {
	Ref      cas.Ref
	Version  cas.Version
	Timeouts timeouts.Value
	About    func(terms.Operation) diagnose.Subject // what diagnostics about an operation say of the resource
}

// NoteReplaceWhole notes what the removal goes by if this turns out to be a replace, as with -replace. The prior state is as good as a
// read then: Terraform has refreshed it.
func (r *Run) NoteReplaceWhole(ctx context.Context, held *Whole, private Private) diag.Diagnostics {
	return held.note(ctx, held.Version, private)
}

func (w *Whole) note(ctx context.Context, version cas.Version, private Private) diag.Diagnostics {
	return setPrivate(ctx, private, privateObservation, observation{
		ID: w.Ref.String(), UID: version.UID, ResourceVersion: version.ResourceVersion,
	})
}

// PlanCreateWhole makes a plan's check of a creation, unless it follows the removal of the same object, which is there still. What is
// planned to be in the object comes after it.
func (r *Run) PlanCreateWhole(
	ctx context.Context, ref cas.Ref, limits timeouts.Value, about diagnose.Subject, private Private, look func(context.Context) error,
) diag.Diagnostics {
	replaced, isReplace, diags := getPrivate[observation](ctx, private, privateObservation)
	if isReplace && replaced.ID == ref.String() {
		return diags
	}
	r.creations.note(ref)
	diags.Append(r.Check(ctx, about, limits, look)...)
	return diags
}

// PlanDeleteWhole notes what the removal goes by: a read of the plan. Prior state is not enough, since Terraform before 1.12.2 plans the
// removal of a dropped block before it refreshes. But while applying, a read would take a foreign write for what the plan saw: then the
// prior state counts, as it does where the plan saw no object.
func (r *Run) PlanDeleteWhole(ctx context.Context, held *Whole, private Private) diag.Diagnostics {
	diags := dropObservation(ctx, private)
	if r.applying() {
		return diags
	}
	var noted diag.Diagnostics
	diags.Append(r.Check(ctx, held.About(terms.OpDelete), held.Timeouts, func(ctx context.Context) error {
		seen, err := r.Engine.Observe(ctx, held.Ref, cas.Fresh)
		if err != nil || !seen.Exists() {
			return err
		}
		noted = held.note(ctx, seen.Version(), private)
		if r.CheckMode() == cas.DryRun {
			_, err = r.Engine.CheckRemove(ctx, &cas.Removal{Ref: held.Ref, At: []cas.Version{seen.Version()}}, cas.DryRun)
		}
		return err
	})...)
	diags.Append(noted...)
	return diags
}

// DeleteWhole deletes the object if it is as the plan saw it, which is in private state, or else as the prior state has it.
func (r *Run) DeleteWhole(ctx context.Context, held *Whole, private Private) diag.Diagnostics {
	timeout, diags := held.Timeouts.Delete(ctx, terms.DefaultTimeout)
	base := held.Version
	seen, ok, more := getPrivate[observation](ctx, private, privateObservation)
	diags.Append(more...)
	if ok && seen.ID == held.Ref.String() {
		base = cas.Version{UID: seen.UID, ResourceVersion: seen.ResourceVersion}
	}
	if !r.Configured() {
		diags.Append(NotConfigured())
	}
	if !diags.HasError() {
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		if _, err := r.Engine.Remove(ctx, &cas.Removal{Ref: held.Ref, At: []cas.Version{base}}); err != nil {
			diags.Append(held.About(terms.OpDelete).Diagnose(err))
		}
	}
	if diags.HasError() {
		diags.Append(dropObservation(ctx, private)...)
	}
	return diags
}

// Forget drops from private state what a planned removal was to go by.
func Forget(ctx context.Context, private privateWriter) diag.Diagnostics {
	return dropObservation(ctx, private)
}
