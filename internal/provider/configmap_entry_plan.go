package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// ModifyPlan checks what an apply would check. Terraform calls it
//
//   - for a create, an update and each half of a replace when it plans, and for all but the removal again when it
//     applies: what it refuses then is what most users see of a conflict on create;
//   - for a removal when it plans (for what create_before_destroy deposed: when it applies), with a null plan; what it
//     puts into the private state then reaches Delete;
//   - for a replace twice, as an update and then as a create, which gets the private state of the first.
func (r *configMapEntryResource) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if r.data == nil {
		return
	}
	var plan, state configMapEntryModel
	var diags diag.Diagnostics
	if !req.State.Raw.IsNull() {
		state, diags = entryCodec().Decode(ctx, req.State.Raw)
		resp.Diagnostics.Append(diags...)
	}
	if !req.Plan.Raw.IsNull() {
		plan, diags = entryCodec().Decode(ctx, req.Plan.Raw)
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

func (r *configMapEntryResource) planCreate(ctx context.Context, plan *configMapEntryModel, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if !plan.idKnown() {
		return
	}
	replaced, ok, diags := getPrivate[observation](ctx, req.Private, privateObservation)
	resp.Diagnostics.Append(diags...)
	id := plan.entryID()
	plan.ID = types.StringValue(id.String())
	resp.Diagnostics.Append(entryCodec().Encode(ctx, *plan, &resp.Plan.Raw)...)
	keys := []string{id.Key}
	if ok && replaced.ID == id.String() && len(replaced.Needs) == 0 {
		// The key is there still; it will not be when the new resource is created.
		var adopts, expects []string
		if plan.AdoptExisting.ValueBool() {
			adopts = keys
		}
		if !plan.ExpectedValue.IsNull() || !plan.ExpectedValueBase64.IsNull() {
			expects = keys
		}
		resp.Diagnostics.Append(replacedBy(r.about(plan, terms.OpCreate), replaced, adopts, expects, keys)...)
		return
	}
	if !r.data.swapped() {
		if moving := r.data.moves.note(id.Ref, keys, keyWritten); len(moving) > 0 {
			resp.Diagnostics.Append(r.about(plan, terms.OpCreate).KeyMoves(moving))
			return
		}
	}
	pin, diags := attributes.PinnedVersion(ctx, req.Config)
	resp.Diagnostics.Append(diags...)
	if !ok && plan.needsKey() {
		// Reaches Delete only where this turns out to replace a tainted resource, which looks like a create.
		resp.Diagnostics.Append(setPrivate(ctx, resp.Private, privateObservation, observation{ID: id.String(), Needs: keys})...)
	}
	if plan.valuesKnown() && !pin.IsUnknown() {
		resp.Diagnostics.Append(r.checkSwap(ctx, plan, r.createSwap(plan, pin))...)
	}
}

func (r *configMapEntryResource) planUpdate(ctx context.Context, plan, state *configMapEntryModel, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if !plan.idKnown() || plan.entryID() != state.entryID() {
		// The removal of a replace. What it is to go by is noted here; the creation is planned by a call of its own, whose
		// warnings Terraform drops.
		h := r.holding(state)
		keeps, diags := h.keeps(ctx, resp.Private)
		resp.Diagnostics.Append(diags...)
		if !plan.idKnown() && plan.mayBe(state.entryID()) && (len(keeps) > 0 || plan.needsKey()) {
			resp.Diagnostics.Append(h.about.MayReplaceItself())
		}
		resp.Diagnostics.Append(r.planDelete(ctx, h, plan.idKnown(), resp.Private)...)
		return
	}
	resp.Diagnostics.Append(r.holding(state).observeReplace(ctx, resp.Private)...)
	plan.ID = state.ID
	if plan.ConflictScope.ValueString() == terms.ScopeObject {
		plan.UID = state.UID // of another object it is a conflict
	}
	hasValue := known(plan.Value, plan.ValueBase64)
	writes := hasValue && !plan.entry().Holds(state.entry())
	if hasValue && !writes {
		r.keepComputed(plan, state)
	}
	resp.Diagnostics.Append(entryCodec().Encode(ctx, *plan, &resp.Plan.Raw)...)
	if !writes {
		return
	}
	pin, diags := attributes.PinnedVersion(ctx, req.Config)
	resp.Diagnostics.Append(diags...)
	if plan.valuesKnown() && !pin.IsUnknown() {
		resp.Diagnostics.Append(r.checkSwap(ctx, plan, r.updateSwap(plan, state, pin))...)
	}
}

// checkSwap is a plan's check of a swap.
func (r *configMapEntryResource) checkSwap(ctx context.Context, m *configMapEntryModel, s cas.Swap) diag.Diagnostics {
	return r.checkTxn(ctx, s.Txn(), r.about(m, opOf(s)), m.Timeouts)
}

// swapped tells whether this process is applying.
func (d *providerData) swapped() bool { return d.engine != nil && d.engine.HasSwapped() }

func known(values ...types.String) bool {
	for _, v := range values {
		if v.IsUnknown() {
			return false
		}
	}
	return true
}

// mayBe tells whether what is known of the id agrees with another.
func (m *configMapEntryModel) mayBe(id terms.EntryID) bool {
	agrees := func(part types.String, with string) bool { return part.IsUnknown() || part.ValueString() == with }
	return agrees(m.Namespace, id.Namespace) && agrees(m.Name, id.Name) && agrees(m.Key, id.Key)
}

// needsKey tells whether an entry can only be created where its key is there already.
func (m *configMapEntryModel) needsKey() bool {
	return m.AdoptExisting.ValueBool() || !m.ExpectedValue.IsNull() || !m.ExpectedValueBase64.IsNull()
}

func (m *configMapEntryModel) idKnown() bool { return known(m.Namespace, m.Name, m.Key) }

// valuesKnown tells whether all that a check needs is known.
func (m *configMapEntryModel) valuesKnown() bool {
	return known(m.Value, m.ValueBase64, m.ExpectedValue, m.ExpectedValueBase64, m.ConflictScope) && !m.AdoptExisting.IsUnknown()
}
