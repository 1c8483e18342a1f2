package provider

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// ModifyPlan checks what an apply would check. When Terraform calls it, and with what, is told at that of the entry.
func (r *configMapResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if r.data == nil {
		return
	}
	var plan, state, config configMapModel
	var diags diag.Diagnostics
	if !req.State.Raw.IsNull() {
		state, diags = configMapCodec().Decode(ctx, req.State.Raw)
		resp.Diagnostics.Append(diags...)
	}
	if !req.Plan.Raw.IsNull() {
		plan, diags = configMapCodec().Decode(ctx, req.Plan.Raw)
		resp.Diagnostics.Append(diags...)
		config, diags = configMapCodec().Decode(ctx, req.Config.Raw)
		resp.Diagnostics.Append(diags...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	switch {
	case req.Plan.Raw.IsNull():
		r.planDelete(ctx, &state, resp)
	case req.State.Raw.IsNull():
		if config.GenerateName.IsNull() {
			plan.GenerateName = types.StringNull()
		}
		if plan.refKnown() {
			plan.ID = types.StringValue(plan.ref().String())
		}
		resp.Diagnostics.Append(configMapCodec().Encode(ctx, plan, &resp.Plan.Raw)...)
		r.planCreate(ctx, &plan, req, resp)
	case req.Plan.Raw.Equal(req.State.Raw):
		r.observeReplace(ctx, &state, resp)
	default:
		if config.GenerateName.IsNull() {
			plan.GenerateName = state.GenerateName
		}
		if !plan.refKnown() || plan.ref() != state.ref() || !plan.GenerateName.Equal(state.GenerateName) {
			// The removal of a replace. What it is to go by is noted here; the creation is planned by a call of its own.
			r.planDelete(ctx, &state, resp)
			return
		}
		r.observeReplace(ctx, &state, resp)
		plan.ID, plan.UID = state.ID, state.UID
		r.planUpdate(ctx, &plan, &state, resp)
		resp.Diagnostics.Append(configMapCodec().Encode(ctx, plan, &resp.Plan.Raw)...)
	}
}

func (r *configMapResource) planCreate(ctx context.Context, plan *configMapModel, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	how := r.rehearsal()
	if !plan.contentKnown() {
		how = cas.ReadOnly
	}
	ref := plan.ref()
	isGenerated := plan.Name.IsUnknown() && how == cas.DryRun && known(plan.Namespace, plan.GenerateName) && !plan.GenerateName.IsNull()
	switch {
	case isGenerated:
		ref.Name = terms.GenerateName(plan.GenerateName.ValueString()) // such a one, to rehearse with
	case !plan.refKnown():
		return
	}
	replaced, ok, diags := getPrivate[observation](ctx, req.Private, privateObservation)
	resp.Diagnostics.Append(diags...)
	if ok && replaced.ID == ref.String() {
		return // it is there still; it will not be when the new one is created
	}
	r.data.creations.note(ref) // what is planned to be in it comes after it
	timeout, diags := plan.Timeouts.Read(ctx, terms.DefaultTimeout)
	resp.Diagnostics.Append(diags...)
	about := r.about(plan, nil, terms.OpCreate)
	about.ID.Ref = ref
	resp.Diagnostics.Append(r.check(ctx, about, timeout, func(ctx context.Context) error {
		_, err := r.data.engine.CheckCreate(ctx, r.creation(plan, ref), how)
		var exists *cas.ExistsError
		if isGenerated && errors.As(err, &exists) {
			return nil // another name is made then
		}
		return err
	})...)
}

// planUpdate settles what is known of the plan, whether it is a replace after all, and checks what is to be written.
func (r *configMapResource) planUpdate(ctx context.Context, plan, state *configMapModel, resp *resource.ModifyPlanResponse) {
	timeout, diags := plan.Timeouts.Read(ctx, terms.DefaultTimeout)
	resp.Diagnostics.Append(diags...)
	was, isUnseen := state, plan.takesOver(state)
	if isUnseen && r.configured() && r.data.planCheck != terms.PlanCheckOff {
		resp.Diagnostics.Append(r.check(ctx, r.about(plan, state, terms.OpUpdate), timeout, func(ctx context.Context) error {
			live, err := r.data.engine.Observe(ctx, state.ref(), cas.Fresh)
			if err == nil && !live.Exists() {
				err = &cas.NotFoundError{Ref: state.ref()}
			}
			if err == nil {
				was, isUnseen = r.data.ignored.takenOver(plan, state, live), false
			}
			return err
		})...)
		if isUnseen {
			return
		}
	}
	if replaces := plan.replacesImmutable(was); len(replaces) > 0 {
		resp.RequiresReplace = append(resp.RequiresReplace, replaces...)
		return
	}
	if !plan.contentKnown() {
		return
	}
	txn := r.update(plan, was)
	if txn == nil {
		if !isUnseen {
			plan.ResourceVersion = state.ResourceVersion
		}
		return
	}
	if was != state {
		resp.Diagnostics.Append(r.about(plan, state, terms.OpUpdate).TakenOver(plan.content(), state.content(), was.content())...)
	}
	resp.Diagnostics.Append(r.check(ctx, r.about(plan, state, terms.OpUpdate), timeout, func(ctx context.Context) error {
		_, err := r.data.engine.Check(ctx, txn, r.rehearsal())
		return err
	})...)
}

// replacesImmutable is what makes the plan of an update that of a replace: a change, of what the state says is immutable, that no update
// can make.
func (m *configMapModel) replacesImmutable(was *configMapModel) (replaces path.Paths) {
	if !was.Immutable.ValueBool() {
		return nil
	}
	if !m.Immutable.ValueBool() { // or unknown
		replaces = append(replaces, path.Root("immutable"))
	}
	for name, each := range map[string][2]types.Map{"data": {m.Data, was.Data}, "binary_data": {m.BinaryData, was.BinaryData}} {
		if !each[0].IsNull() && !each[1].IsNull() && !each[0].Equal(each[1]) {
			replaces = append(replaces, path.Root(name))
		}
	}
	return replaces
}

// observeReplace notes what the removal goes by if this turns out to be a replace, as with -replace. The prior state is as
// good as a read then: Terraform has refreshed it.
func (r *configMapResource) observeReplace(ctx context.Context, state *configMapModel, resp *resource.ModifyPlanResponse) {
	version := state.version()
	resp.Diagnostics.Append(setPrivate(ctx, resp.Private, privateObservation, observation{
		ID: state.ref().String(), UID: version.UID, ResourceVersion: version.ResourceVersion,
	})...)
}

// planDelete notes what the removal goes by: a read of the plan. Prior state is not enough, since Terraform before
// 1.12.2 plans the removal of a dropped block before it refreshes. But while applying, a read would take a foreign write
// for what the plan saw: then the prior state counts, as it does where the plan saw no ConfigMap.
func (r *configMapResource) planDelete(ctx context.Context, state *configMapModel, resp *resource.ModifyPlanResponse) {
	resp.Diagnostics.Append(dropObservation(ctx, resp.Private)...)
	if r.data.swapped() {
		return
	}
	timeout, diags := state.Timeouts.Read(ctx, terms.DefaultTimeout)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(r.check(ctx, r.about(state, state, terms.OpDelete), timeout, func(ctx context.Context) error {
		seen, err := r.data.engine.Observe(ctx, state.ref(), cas.Fresh)
		if err != nil || !seen.Exists() {
			return err
		}
		version := seen.Version()
		resp.Diagnostics.Append(setPrivate(ctx, resp.Private, privateObservation, observation{
			ID: state.ref().String(), UID: version.UID, ResourceVersion: version.ResourceVersion,
		})...)
		if r.rehearsal() == cas.DryRun {
			_, err = r.data.engine.CheckRemove(ctx, &cas.Removal{Ref: state.ref(), At: []cas.Version{version}}, cas.DryRun)
		}
		return err
	})...)
}
