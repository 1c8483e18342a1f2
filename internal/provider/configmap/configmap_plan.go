package configmap

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

// ModifyPlan checks what an apply would check. keysResource says when Terraform calls it.
func (r *wholeResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if r.run == nil {
		return
	}
	var plan, state, config wholeModel
	ctx, diags := r.run.Planning(ctx, &req, resp.Private)
	resp.Diagnostics.Append(diags...)
	if !req.State.Raw.IsNull() {
		state, diags = wholeCodec().Decode(ctx, req.State.Raw)
		resp.Diagnostics.Append(diags...)
	}
	if !req.Plan.Raw.IsNull() {
		plan, diags = wholeCodec().Decode(ctx, req.Plan.Raw)
		resp.Diagnostics.Append(diags...)
		config, diags = wholeCodec().Decode(ctx, req.Config.Raw)
		resp.Diagnostics.Append(diags...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	switch {
	case req.Plan.Raw.IsNull():
		resp.Diagnostics.Append(r.run.PlanDeleteWhole(ctx, r.whole(&state), resp.Private)...)
	case req.State.Raw.IsNull():
		if config.GenerateName.IsNull() {
			plan.GenerateName = types.StringNull()
		}
		if plan.refKnown() {
			plan.ID = types.StringValue(plan.ref().String())
		}
		resp.Diagnostics.Append(wholeCodec().Encode(ctx, plan, &resp.Plan.Raw)...)
		r.planCreate(ctx, &plan, resp)
	case req.Plan.Raw.Equal(req.State.Raw):
		r.noteReplace(ctx, &plan, &state, resp)
		r.acceptDrift(ctx, &plan, &state, resp)
	default:
		if config.GenerateName.IsNull() {
			plan.GenerateName = state.GenerateName
		}
		if !plan.refKnown() || plan.ref() != state.ref() || !plan.GenerateName.Equal(state.GenerateName) {
			// The removal of a replace. What it is to go by is noted here; the creation is planned by a call of its own.
			held := r.whole(&state)
			held.OnDrift = plan.OnDrift.ValueString()
			resp.Diagnostics.Append(r.run.PlanDeleteWhole(ctx, held, resp.Private)...)
			return
		}
		r.noteReplace(ctx, &plan, &state, resp)
		plan.ID, plan.UID = state.ID, state.UID
		r.planUpdate(ctx, &plan, &state, resp)
		resp.Diagnostics.Append(wholeCodec().Encode(ctx, plan, &resp.Plan.Raw)...)
	}
}

func (r *wholeResource) planCreate(ctx context.Context, plan *wholeModel, resp *resource.ModifyPlanResponse) {
	how := r.run.CheckMode(ctx)
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
	about := r.about(plan, nil, terms.OpCreate)
	about.ID.Ref = ref
	resp.Diagnostics.Append(r.run.PlanCreateWhole(ctx, ref, plan.Timeouts, about, resp.Private, func(ctx context.Context) error {
		_, err := r.run.Engine.CheckCreate(ctx, r.creation(plan, ref), how)
		var exists *cas.ExistsError
		if isGenerated && errors.As(err, &exists) {
			return nil // another name is made then
		}
		return err
	})...)
}

// planUpdate settles what is known of the plan, whether it is a replace after all, and checks what is to be written.
func (r *wholeResource) planUpdate(ctx context.Context, plan, state *wholeModel, resp *resource.ModifyPlanResponse) {
	was, isUnseen := state, plan.takesOver(state)
	about := r.about(plan, state, terms.OpUpdate)
	if isUnseen && r.run.Checks() {
		resp.Diagnostics.Append(r.run.Check(ctx, about, plan.Timeouts, func(ctx context.Context) error {
			live, err := r.run.Engine.Observe(ctx, state.ref(), cas.Fresh)
			if err == nil && !live.Exists() {
				err = &cas.NotFoundError{Ref: state.ref()}
			}
			if err == nil {
				was, isUnseen = r.takenOver(plan, state, live), false
			}
			return err
		})...)
		if isUnseen {
			return
		}
	}
	if replaces := plan.replacesImmutable(was); len(replaces) > 0 {
		resp.RequiresReplace = append(resp.RequiresReplace, replaces...)
		resp.Diagnostics.Append(r.planDrift(ctx, plan, state, resp)...)
		return
	}
	if !plan.contentKnown() {
		return
	}
	txn := r.update(plan, was)
	if txn == nil {
		if !isUnseen {
			plan.ResourceVersion = state.ResourceVersion
			r.acceptDrift(ctx, plan, state, resp)
		}
		return
	}
	if was != state {
		resp.Diagnostics.Append(about.TakenOver(plan.content(), state.content(), was.content())...)
	}
	resp.Diagnostics.Append(r.run.PlanKeysWhole(ctx, txn, about, resp.Private)...)
	if resp.Diagnostics.HasError() {
		return
	}
	checked := r.run.Check(ctx, about, plan.Timeouts, func(ctx context.Context) error {
		_, err := r.run.Engine.Check(ctx, txn, r.run.CheckMode(ctx))
		return err
	})
	if resp.Diagnostics.Append(checked...); len(checked) == 0 {
		resp.Diagnostics.Append(r.planDrift(ctx, plan, state, resp)...)
	}
}

// planDrift judges the drift that an update or a replace overwrites.
func (r *wholeResource) planDrift(ctx context.Context, plan, state *wholeModel, resp *resource.ModifyPlanResponse) diag.Diagnostics {
	about := r.about(plan, state, terms.OpUpdate)
	return r.run.PlanWholeDrift(ctx, plan.OnDrift.ValueString(), state.content(), plan.content(), about, resp.Private)
}

// noteReplace notes what the removal goes by, if this becomes a replace.
func (r *wholeResource) noteReplace(ctx context.Context, plan, state *wholeModel, resp *resource.ModifyPlanResponse) {
	held := r.whole(state)
	onDrift, diags := r.run.WholeRemovalDrift(ctx, plan.OnDrift.ValueString(), state.content(), plan.content(), resp.Private)
	held.OnDrift = onDrift
	resp.Diagnostics.Append(append(diags, r.run.NoteReplaceWhole(ctx, held, resp.Private)...)...)
}

// acceptDrift plans an update that moves the baseline of drift, and writes nothing to the cluster, if the plan accepts drift.
func (r *wholeResource) acceptDrift(ctx context.Context, plan, state *wholeModel, resp *resource.ModifyPlanResponse) {
	accepts, diags := r.run.AcceptsWholeDrift(ctx, plan.OnDrift.ValueString(), state.content(), plan.content(), resp.Private)
	resp.Diagnostics.Append(diags...)
	if accepts {
		plan.ResourceVersion = types.StringUnknown()
		resp.Diagnostics.Append(wholeCodec().Encode(ctx, *plan, &resp.Plan.Raw)...)
	}
}

// replacesImmutable is what makes the plan of an update that of a replace: a change, of what the state says is immutable, that no update
// can make.
func (m *wholeModel) replacesImmutable(was *wholeModel) (replaces path.Paths) {
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
