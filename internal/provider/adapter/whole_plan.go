package adapter

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/claim"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// ModifyPlan checks what an apply would check. Keys says when Terraform calls it.
func (r *Whole) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if r.Run == nil {
		return
	}
	var plan, state, config *Object
	ctx, m := r.Planning(ctx, &req, resp)
	if !req.State.Raw.IsNull() {
		state = r.decode(ctx, req.State.Raw, &resp.Diagnostics)
	}
	if !req.Plan.Raw.IsNull() {
		plan = r.decodePlan(ctx, req.Plan, req.Config, &resp.Diagnostics)
		config = r.decode(ctx, req.Config.Raw, &resp.Diagnostics)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	switch {
	case plan == nil:
		resp.Diagnostics.Append(r.Run.PlanDelete(ctx, r.removal(state, m))...)
	case state == nil:
		if config.GenerateName.IsNull() {
			plan.GenerateName = types.StringNull()
		}
		if plan.RefKnown() {
			plan.ID = types.StringValue(plan.Ref().String())
		}
		resp.Diagnostics.Append(r.Codec().Encode(ctx, *plan, &resp.Plan.Raw)...)
		r.planCreate(ctx, plan, m, resp)
	case req.Plan.Raw.Equal(req.State.Raw) && r.Kind == cas.ConfigMap:
		ch := r.changeOf(plan, state, m).claims(state, state)
		ch.NoteReplace()
		r.acceptDrift(ctx, plan, ch, resp)
	default:
		if config.GenerateName.IsNull() {
			plan.GenerateName = state.GenerateName
		}
		if !plan.RefKnown() || plan.Ref() != state.Ref() || !plan.isOfPrefix(state) {
			// The removal of a replace. What it is to go by is noted here; the creation is planned by a call of its own.
			ch := r.removal(state, m)
			ch.Prior.OnDrift = plan.OnDrift.ValueString()
			resp.Diagnostics.Append(r.Run.PlanDelete(ctx, ch)...)
			break
		}
		r.changeOf(plan, state, m).claims(state, state).NoteReplace()
		plan.ID, plan.UID = state.ID, state.UID
		r.planUpdate(ctx, plan, state, m, resp)
		resp.Diagnostics.Append(r.Codec().Encode(ctx, *plan, &resp.Plan.Raw)...)
	}
	resp.Diagnostics.Append(r.declares(ctx, plan, state == nil)...)
	resp.Diagnostics.Append(m.Keep(ctx, resp.Private)...)
}

// isOfPrefix reports whether the name in the state is of the plan's generate_name. The state of an import does not have that.
func (m *Object) isOfPrefix(state *Object) bool {
	return m.GenerateName.Equal(state.GenerateName) ||
		state.GenerateName.IsNull() && terms.IsGenerated(state.Name.ValueString(), m.GenerateName.ValueString())
}

func (r *Whole) planCreate(ctx context.Context, plan *Object, m *claim.Memory, resp *resource.ModifyPlanResponse) {
	how := r.Run.CheckMode(ctx)
	if !plan.contentKnown() {
		how = cas.ReadOnly
	}
	ref := plan.Ref()
	isGenerated := plan.Name.IsUnknown() && how == cas.DryRun && Known(plan.Namespace, plan.GenerateName) && !plan.GenerateName.IsNull()
	switch {
	case isGenerated:
		ref.Name = terms.GenerateName(plan.GenerateName.ValueString()) // such a one, to rehearse with
	case !plan.RefKnown():
		return
	}
	about := r.About(plan, nil, terms.OpCreate)
	about.ID.Ref = ref
	resp.Diagnostics.Append(r.Run.PlanCreateWhole(ctx, ref, plan.Timeouts, about, m, func(ctx context.Context) error {
		_, err := r.Run.Engine.CheckCreate(ctx, r.creation(plan, ref), how)
		var exists *cas.ExistsError
		if isGenerated && errors.As(err, &exists) {
			return nil // another name is made then
		}
		return err
	})...)
}

// planUpdate makes out what is known of the plan, whether it is a replace after all, and checks what is to be written.
func (r *Whole) planUpdate(ctx context.Context, plan, state *Object, m *claim.Memory, resp *resource.ModifyPlanResponse) {
	about, c := r.About(plan, state, terms.OpUpdate), r.changeOf(plan, state, m)
	c.planComputed()
	was, isSeen := c.known, !plan.takesOver(state)
	if !isSeen {
		looked := r.Run.Look(ctx, about, plan.Timeouts, func(ctx context.Context) error {
			live, err := c.look(ctx, cas.Fresh)
			// Another object is a conflict, and replaces nothing. Of values that are kept, a state that is old shows no drift.
			if err == nil && live.Version().UID == state.Version().UID && (!c.isKept || live.Version() == state.Version()) {
				was, isSeen = r.takenOver(plan, state, live), true
			}
			return err
		})
		if resp.Diagnostics.Append(looked...); len(looked) > 0 {
			return
		}
	}
	writes, ch := c.writes(was), c.claims(was, was)
	if r.Kind == cas.Secret {
		ch.NoteReplace() // with its values
	}
	if replaces := r.replacesImmutable(writes, was); len(replaces) > 0 {
		plan.Keys = types.ListUnknown(types.StringType)
		resp.RequiresReplace = append(resp.RequiresReplace, replaces...)
		resp.Diagnostics.Append(r.Run.PlanDriftWhole(ctx, ch)...)
		return
	}
	if !plan.contentKnown() {
		return
	}
	txn := c.txn(was)
	if txn == nil {
		if isSeen {
			r.acceptDrift(ctx, plan, ch, resp)
			resp.Diagnostics.Append(r.Run.PlanKeptWhole(ctx, ch)...)
		}
		return
	}
	if was != state && isSeen {
		before := state.content()
		if c.isOwn {
			before.BinaryData = was.content().BinaryData
		}
		resp.Diagnostics.Append(about.TakenOver(plan.content(), before, was.content())...)
	}
	resp.Diagnostics.Append(r.Run.PlanKeysWhole(ctx, txn, about, m)...)
	if resp.Diagnostics.HasError() {
		return
	}
	checked := r.Run.Check(ctx, about, plan.Timeouts, func(ctx context.Context) error {
		_, err := r.Run.Engine.Check(ctx, txn, r.Run.CheckMode(ctx))
		return err
	})
	if resp.Diagnostics.Append(checked...); len(checked) == 0 && isSeen {
		resp.Diagnostics.Append(r.Run.PlanDriftWhole(ctx, ch)...)
		resp.Diagnostics.Append(r.Run.PlanKeptWhole(ctx, ch)...)
	}
}

// acceptDrift plans an update that moves the baseline of drift, and writes nothing to the cluster, if the plan accepts drift.
func (r *Whole) acceptDrift(ctx context.Context, plan *Object, ch *claim.Change, resp *resource.ModifyPlanResponse) {
	if ch.AcceptsDrift() {
		plan.ResourceVersion, plan.Keys = types.StringUnknown(), types.ListUnknown(types.StringType)
		resp.Diagnostics.Append(r.Codec().Encode(ctx, *plan, &resp.Plan.Raw)...)
	}
}

// replacesImmutable is what makes the plan of an update that of a replace: a change, of what the state says is immutable, that no update
// can make.
func (r *Whole) replacesImmutable(m, was *Object) (replaces path.Paths) {
	if !was.Immutable.ValueBool() {
		return nil
	}
	if !m.Immutable.ValueBool() { // or unknown
		replaces = append(replaces, path.Root("immutable"))
	}
	for name, each := range map[string][2]types.Map{"data": {m.Data, was.Data}, "binary_data": {m.BinaryData, was.BinaryData}} {
		if !each[0].IsNull() && !each[1].IsNull() && !each[0].Equal(each[1]) {
			if r.Kind == cas.Secret {
				name = "keys" // Terraform sees no change of what is write-only
			}
			replaces = append(replaces, path.Root(name))
		}
	}
	return replaces
}
