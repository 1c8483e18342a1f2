package provider

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// ModifyPlan checks what an apply would check. When Terraform calls it, and what that means, is told at that of
// configMapEntryResource. A change of keys is an update here, and no replace.
func (r *configMapDataResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if r.data == nil {
		return
	}
	var plan, state configMapDataModel
	var diags diag.Diagnostics
	if !req.State.Raw.IsNull() {
		state, diags = dataCodec().Decode(ctx, req.State.Raw)
		resp.Diagnostics.Append(diags...)
	}
	if !req.Plan.Raw.IsNull() {
		plan, diags = dataCodec().Decode(ctx, req.Plan.Raw)
		resp.Diagnostics.Append(diags...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	switch {
	case req.Plan.Raw.IsNull():
		resp.Diagnostics.Append(r.planDelete(ctx, r.holding(&state), true, resp.Private)...)
	case req.State.Raw.IsNull():
		r.planCreate(ctx, &plan, req, resp)
	case req.Plan.Raw.Equal(req.State.Raw):
		resp.Diagnostics.Append(r.holding(&state).observeReplace(ctx, resp.Private)...)
	default:
		r.planUpdate(ctx, &plan, &state, req, resp)
	}
}

func (r *configMapDataResource) planCreate(
	ctx context.Context, plan *configMapDataModel, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	if !plan.refKnown() || !plan.keysKnown() {
		return
	}
	replaced, ok, diags := getPrivate[observation](ctx, req.Private, privateObservation)
	resp.Diagnostics.Append(diags...)
	ref, keys := plan.ref(), plan.keys()
	plan.setID()
	resp.Diagnostics.Append(dataCodec().Encode(ctx, *plan, &resp.Plan.Raw)...)

	var removed []string // first, and so not yet as they will be when the new resource is created
	if ok && replaced.ID == ref.String() && len(replaced.Needs) == 0 {
		removed = replaced.Keys
		resp.Diagnostics.Append(replacedBy(r.about(plan, terms.OpCreate), replaced, plan.adopts(), plan.expects(), keys)...)
		if resp.Diagnostics.HasError() {
			return
		}
	}
	keys = slices.DeleteFunc(keys, func(key string) bool { return slices.Contains(removed, key) })
	if !r.data.swapped() {
		if moving := r.data.moves.note(ref, keys, keyWritten); len(moving) > 0 {
			resp.Diagnostics.Append(r.about(plan, terms.OpCreate).KeyMoves(moving))
			return
		}
	}
	if needs := append(plan.adopts(), plan.expects()...); !ok && len(needs) > 0 {
		// Reaches Delete only where this turns out to replace a tainted resource, which looks like a create.
		resp.Diagnostics.Append(setPrivate(ctx, resp.Private, privateObservation, observation{ID: ref.String(), Needs: needs})...)
	}
	pin, diags := attributes.PinnedVersion(ctx, req.Config)
	resp.Diagnostics.Append(diags...)
	if plan.valuesKnown() && !pin.IsUnknown() {
		t := r.createTxn(plan, pin)
		t.Keys = slices.DeleteFunc(t.Keys, func(k cas.KeySwap) bool { return slices.Contains(removed, k.Key) })
		if len(t.Keys) > 0 {
			resp.Diagnostics.Append(r.checkTxn(ctx, t, r.about(plan, terms.OpCreate), plan.Timeouts)...)
		}
	}
}

func (r *configMapDataResource) planUpdate(
	ctx context.Context, plan, state *configMapDataModel, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse,
) {
	h := r.holding(state)
	if !plan.refKnown() || plan.ref() != state.ref() {
		// The removal of a replace. What it is to go by is noted here; the creation is planned by a call of its own, whose
		// warnings Terraform drops.
		keeps, diags := h.keeps(ctx, resp.Private)
		resp.Diagnostics.Append(diags...)
		if !plan.refKnown() && plan.mayBe(state.ref()) && (len(keeps) > 0 || len(plan.adopts())+len(plan.expects()) > 0) {
			resp.Diagnostics.Append(h.about.MayReplaceItself())
		}
		resp.Diagnostics.Append(r.planDelete(ctx, h, plan.refKnown(), resp.Private)...)
		return
	}
	resp.Diagnostics.Append(h.observeReplace(ctx, resp.Private)...)
	if plan.keysKnown() {
		plan.setID()
	}
	if plan.ConflictScope.ValueString() == terms.ScopeObject && !state.UID.IsNull() {
		plan.UID = state.UID // of another object it is a conflict
	}
	hasValues := plan.keysKnown() && allKnown(plan.Data, plan.BinaryData)
	isWrite := hasValues && writes(plan, state)
	if hasValues && !isWrite {
		r.keepComputed(plan, state)
	}
	resp.Diagnostics.Append(dataCodec().Encode(ctx, *plan, &resp.Plan.Raw)...)
	if !plan.keysKnown() {
		return
	}
	r.planKeys(ctx, plan, state, resp)
	if !isWrite || resp.Diagnostics.HasError() {
		return
	}
	pin, diags := attributes.PinnedVersion(ctx, req.Config)
	resp.Diagnostics.Append(diags...)
	if !plan.valuesKnown() || pin.IsUnknown() || !r.configured() || r.data.planCheck == terms.PlanCheckOff {
		return
	}
	t, diags := r.updateTxn(ctx, plan, state, pin, req.Private, r.planned(r.about(plan, terms.OpUpdate)))
	for _, d := range diags {
		resp.Diagnostics.Append(r.softened(d))
	}
	if !diags.HasError() {
		resp.Diagnostics.Append(r.checkTxn(ctx, t, r.about(plan, terms.OpUpdate), plan.Timeouts)...)
	}
}

// planKeys accounts for the keys that an update takes up and gives up, and tells where one that it gives up does not hold what
// this resource last wrote.
func (r *configMapDataResource) planKeys(ctx context.Context, plan, state *configMapDataModel, resp *resource.ModifyPlanResponse) {
	if r.data.swapped() {
		return
	}
	gone := dropped(plan, state)
	added := slices.DeleteFunc(plan.keys(), func(key string) bool { return slices.Contains(state.keys(), key) })
	moving := append(r.data.moves.note(plan.ref(), (&holding{entries: gone}).keys(), keyRemoved), r.data.moves.note(plan.ref(), added, keyWritten)...)
	if len(moving) > 0 {
		resp.Diagnostics.Append(r.about(plan, terms.OpUpdate).KeyMoves(moving))
		return
	}
	if r.data.planCheck == terms.PlanCheckOff {
		return
	}
	written, _, diags := getPrivate[digests](ctx, resp.Private, privateWritten)
	resp.Diagnostics.Append(diags...)
	if changed := changedSince(gone, written); len(changed) > 0 {
		resp.Diagnostics.Append(r.softened(r.planned(r.about(plan, terms.OpUpdate)).ChangedSinceApply(changed, plan.DeletionPolicy.ValueString())))
	}
}

// keepComputed copies what only a write changes. What a write replaced goes where values are hidden from now on.
func (r *configMapDataResource) keepComputed(m, state *configMapDataModel) {
	m.ResourceVersion, m.UID, m.PreviousData = state.ResourceVersion, state.UID, state.PreviousData
	switch {
	case m.PreviousData.IsNull():
	case m.HideValues.IsUnknown():
		m.PreviousData = types.MapUnknown(types.StringType)
	case r.hides(m.HideValues):
		m.PreviousData = types.MapNull(types.StringType)
	}
}

// adopts are the keys that are taken over where they hold their values.
func (m *configMapDataModel) adopts() []string {
	if m.AdoptExisting.ValueBool() {
		return m.keys()
	}
	return nil
}

// expects are the keys that are expected to hold something.
func (m *configMapDataModel) expects() []string {
	elements := m.ExpectedData.Elements()
	for key, v := range m.ExpectedBinaryData.Elements() {
		elements[key] = v
	}
	return slices.DeleteFunc(keysIn(m.ExpectedData, m.ExpectedBinaryData), func(key string) bool { return elements[key].IsNull() })
}

// mayBe tells whether what is known of the ConfigMap's name agrees with another.
func (m *configMapDataModel) mayBe(ref cas.Ref) bool {
	agrees := func(part types.String, with string) bool { return part.IsUnknown() || part.ValueString() == with }
	return agrees(m.Namespace, ref.Namespace) && agrees(m.Name, ref.Name)
}

func (m *configMapDataModel) refKnown() bool { return known(m.Namespace, m.Name) }

func (m *configMapDataModel) keysKnown() bool {
	return !m.Data.IsUnknown() && !m.BinaryData.IsUnknown()
}

// allKnown tells whether maps and all that they hold are known.
func allKnown(of ...types.Map) bool {
	for _, m := range of {
		if m.IsUnknown() {
			return false
		}
		for _, v := range m.Elements() {
			if v.IsUnknown() {
				return false
			}
		}
	}
	return true
}

// valuesKnown tells whether all that a check needs is known.
func (m *configMapDataModel) valuesKnown() bool {
	return allKnown(m.Data, m.BinaryData, m.ExpectedData, m.ExpectedBinaryData) && known(m.ConflictScope, m.DeletionPolicy) &&
		!m.AdoptExisting.IsUnknown()
}
