package provider

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
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
		state, diags = entryCodec().decode(ctx, req.State.Raw)
		resp.Diagnostics.Append(diags...)
	}
	if !req.Plan.Raw.IsNull() {
		plan, diags = entryCodec().decode(ctx, req.Plan.Raw)
		resp.Diagnostics.Append(diags...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	switch {
	case req.Plan.Raw.IsNull():
		r.planDelete(ctx, &state, resp)
	case req.State.Raw.IsNull():
		r.planCreate(ctx, &plan, req, resp)
	case req.Plan.Raw.Equal(req.State.Raw):
		r.observeReplace(ctx, &state, resp)
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
	resp.Diagnostics.Append(entryCodec().encode(ctx, *plan, &resp.Plan.Raw)...)
	if ok && replaced.ID == id.String() && !replaced.Creates {
		// The key is there still; it will not be when the new resource is created.
		about := r.about(plan, opCreate)
		switch {
		case plan.AdoptExisting.ValueBool():
			resp.Diagnostics.Append(about.replacesItself("The key is removed first, so that adopt_existing would find nothing to adopt."))
		case !plan.ExpectedValue.IsNull() || !plan.ExpectedValueBase64.IsNull():
			resp.Diagnostics.Append(about.replacesItself("The key is removed first, so that the expected value could not hold."))
		case replaced.Keeps:
			resp.Diagnostics.Append(about.replacesItself("Its deletion_policy leaves the key in place, so that the new resource would find it taken."))
		}
		return
	}
	if !r.data.swapped() && r.data.moves.note(id, keyWritten) {
		resp.Diagnostics.Append(r.about(plan, opCreate).keyMoves())
		return
	}
	pin, diags := pinnedVersion(ctx, req.Config)
	resp.Diagnostics.Append(diags...)
	if !ok && plan.needsKey() {
		// Reaches Delete only where this turns out to replace a tainted resource, which looks like a create.
		resp.Diagnostics.Append(setPrivate(ctx, resp.Private, privateObservation, observation{ID: id.String(), Creates: true})...)
	}
	if plan.valuesKnown() && !pin.IsUnknown() {
		resp.Diagnostics.Append(r.checkSwap(ctx, plan, r.createSwap(plan, pin))...)
	}
}

func (r *configMapEntryResource) planUpdate(ctx context.Context, plan, state *configMapEntryModel, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if !plan.idKnown() || plan.entryID() != state.entryID() {
		// The removal of a replace. What it is to go by is noted here; the creation is planned by a call of its own, whose
		// warnings Terraform drops.
		keeps, diags := r.keeps(ctx, state, resp.Private)
		resp.Diagnostics.Append(diags...)
		if !plan.idKnown() && plan.mayBe(state.entryID()) && (keeps || plan.needsKey()) {
			resp.Diagnostics.Append(r.about(state, opDelete).mayReplaceItself())
		}
		leaves := state.DeletionPolicy.ValueString() == policyAbandon
		if plan.idKnown() && !leaves && !r.data.swapped() && r.data.moves.note(state.entryID(), keyRemoved) {
			resp.Diagnostics.Append(r.about(state, opDelete).keyMoves())
			return
		}
		r.planDelete(ctx, state, resp)
		return
	}
	r.observeReplace(ctx, state, resp)
	plan.ID = state.ID
	if plan.ConflictScope.ValueString() == scopeObject {
		plan.UID = state.UID // of another object it is a conflict
	}
	hasValue := known(plan.Value, plan.ValueBase64)
	writes := hasValue && !plan.entry().Holds(state.entry())
	if hasValue && !writes {
		r.keepComputed(plan, state)
	}
	resp.Diagnostics.Append(entryCodec().encode(ctx, *plan, &resp.Plan.Raw)...)
	if !writes {
		return
	}
	pin, diags := pinnedVersion(ctx, req.Config)
	resp.Diagnostics.Append(diags...)
	if plan.valuesKnown() && !pin.IsUnknown() {
		resp.Diagnostics.Append(r.checkSwap(ctx, plan, r.updateSwap(plan, state, pin))...)
	}
}

// observeReplace notes what the removal goes by if this turns out to be a replace of the same key, as with -replace. The
// prior state is as good as a read then: Terraform has refreshed it.
func (r *configMapEntryResource) observeReplace(ctx context.Context, state *configMapEntryModel, resp *resource.ModifyPlanResponse) {
	keeps, diags := r.keeps(ctx, state, resp.Private)
	resp.Diagnostics.Append(diags...)
	version := state.version()
	resp.Diagnostics.Append(setPrivate(ctx, resp.Private, privateObservation, observation{
		ID: state.entryID().String(), UID: version.UID, ResourceVersion: version.ResourceVersion, Keeps: keeps,
	})...)
}

// keeps tells whether the removal of an entry leaves its key in place.
func (*configMapEntryResource) keeps(ctx context.Context, state *configMapEntryModel, private privateReader) (bool, diag.Diagnostics) {
	switch state.DeletionPolicy.ValueString() {
	case policyAbandon:
		return true, nil
	case policyRestore:
		original, _, diags := getPrivate[cas.Entry](ctx, private, privateOriginal)
		return !original.IsAbsent(), diags // an unknown one is refused before anything is removed
	default:
		return false, nil
	}
}

// planDelete notes what the removal goes by: a read of the plan. Prior state is not enough, since Terraform before
// 1.12.2 plans the removal of a dropped block before it refreshes. But while applying, a read would take a foreign write
// for what the plan saw: then the prior state counts.
func (r *configMapEntryResource) planDelete(ctx context.Context, state *configMapEntryModel, resp *resource.ModifyPlanResponse) {
	resp.Diagnostics.Append(dropObservation(ctx, resp.Private)...)
	policy := state.DeletionPolicy.ValueString()
	if policy == policyAbandon || r.data.swapped() {
		return
	}
	id := state.entryID()
	if resp.Plan.Raw.IsNull() && r.data.moves.note(id, keyRemoved) {
		resp.Diagnostics.Append(r.about(state, opDelete).keyMoves())
		return
	}
	if !r.configured() || r.data.planCheck == planCheckOff {
		return
	}
	timeout, diags := state.Timeouts.Read(ctx, defaultTimeout)
	resp.Diagnostics.Append(diags...)
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	written, haveWritten, diags := getPrivate[string](ctx, resp.Private, privateWritten)
	resp.Diagnostics.Append(diags...)
	var original cas.Entry // the absent one where nothing is to be put back
	if policy == policyRestore {
		original, _, diags = getPrivate[cas.Entry](ctx, resp.Private, privateOriginal)
		resp.Diagnostics.Append(diags...)
	}
	about := r.planned(r.about(state, opDelete))

	var seen *cas.Observation
	var problem diag.Diagnostic
	for _, age := range []time.Duration{cas.Fresh, 0} { // what would refuse is read afresh before it is told
		var err error
		if seen, err = r.data.engine.Observe(ctx, id.Ref, age); err != nil {
			resp.Diagnostics.Append(r.softened(about.diagnose(err)))
			return
		}
		problem = nil
		live := seen.Entry(id.Key)
		switch {
		case live.IsAbsent() || seen.Terminating():
		case seen.Immutable() && live != original:
			problem = about.immutable()
		case haveWritten && live.Digest() != written:
			problem = about.changedSinceApply(live, policy)
		}
		if problem == nil {
			break
		}
	}
	refused := problem != nil && problem.Severity() == diag.SeverityError
	if problem != nil {
		resp.Diagnostics.Append(r.softened(problem))
	}
	version, live := seen.Version(), seen.Entry(id.Key)
	resp.Diagnostics.Append(setPrivate(ctx, resp.Private, privateObservation, observation{
		ID: id.String(), UID: version.UID, ResourceVersion: version.ResourceVersion, Digest: seen.Digest(), Entry: &live,
	})...)
	if r.rehearsal() == cas.Rehearsing && !refused {
		resp.Diagnostics.Append(r.rehearseDelete(ctx, state, resp.Private, timeout)...)
	}
}

// rehearseDelete rehearses the very removal that the private state leads to. What keeps it from being made is told when it is
// applied.
func (r *configMapEntryResource) rehearseDelete(
	ctx context.Context, state *configMapEntryModel, private privateReader, timeout time.Duration,
) diag.Diagnostics {
	s, diags := r.deleteSwap(ctx, state, private)
	if diags.HasError() {
		return nil
	}
	return r.check(ctx, r.about(state, opDelete).of(s), timeout, func(ctx context.Context) error {
		_, err := r.data.engine.Check(ctx, s.Txn(), cas.Rehearsing)
		return err
	})
}

// checkSwap is a plan's check of a swap.
func (r *configMapEntryResource) checkSwap(ctx context.Context, m *configMapEntryModel, s cas.Swap) diag.Diagnostics {
	timeout, diags := m.Timeouts.Read(ctx, defaultTimeout)
	diags.Append(r.check(ctx, r.about(m, opOf(s)).of(s), timeout, func(ctx context.Context) error {
		_, err := r.data.engine.Check(ctx, s.Txn(), r.rehearsal())
		return err
	})...)
	return diags
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
func (m *configMapEntryModel) mayBe(id entryID) bool {
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
