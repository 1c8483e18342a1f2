package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
)

// createSwap is what must hold for an entry to be created. No observation of the plan reaches a create, so it is judged
// by value.
func (r *configMapEntryResource) createSwap(plan *configMapEntryModel, pin types.String) cas.Swap {
	s := r.swap(plan)
	s.New, s.Expect = plan.entry(), plan.expected()
	s.Held = cas.HeldIsRefused
	if plan.AdoptExisting.ValueBool() || s.Expect.Holds(s.New) {
		s.Held = cas.HeldIsDone
	}
	s.At = pinned(nil, pin)
	return s
}

// updateSwap is what must hold for an entry to be updated. The prior state is the plan's observation, also where a
// saved plan is applied by another process.
func (r *configMapEntryResource) updateSwap(plan, state *configMapEntryModel, pin types.String) cas.Swap {
	s := r.swap(plan)
	s.New, s.Expect = plan.entry(), plan.expected()
	if s.Expect.IsAbsent() {
		s.Expect = state.entry()
	}
	s.Seen = state.version()
	if plan.ConflictScope.ValueString() != scopeKey {
		s.At = append(s.At, s.Seen)
	}
	s.At = pinned(s.At, pin)
	return s
}

// deleteSwap is what must hold for an entry to be deleted or restored: what the plan saw, which ModifyPlan left in the
// private state, or else the prior state.
func (r *configMapEntryResource) deleteSwap(ctx context.Context, state *configMapEntryModel, private privateReader) (cas.Swap, diag.Diagnostics) {
	s := r.swap(state)
	s.GoneIsDone = true
	s.Expect = state.entry()
	base := state.version()

	seen, ok, diags := getPrivate[observation](ctx, private, privateObservation)
	if ok && seen.ID == state.entryID().String() {
		if seen.Creates {
			diags.Append(r.about(state, opDelete).taintedReplacesItself())
			return s, diags
		}
		base = cas.Version{UID: seen.UID, ResourceVersion: seen.ResourceVersion}
		if seen.Entry != nil {
			s.Expect, s.Seen, s.SeenDigest = *seen.Entry, base, seen.Digest
		}
	}
	// Where the plan saw no ConfigMap there is no version to hold on to; the key is expected absent then.
	if state.ConflictScope.ValueString() != scopeKey && base.Valid() {
		s.At = append(s.At, base)
	}

	if state.DeletionPolicy.ValueString() == policyRestore {
		original, found, more := getPrivate[cas.Entry](ctx, private, privateOriginal)
		diags.Append(more...)
		if !found {
			diags.Append(r.about(state, opDelete).nothingToRestore())
		}
		s.New = original
		if !original.IsAbsent() {
			s.Held = cas.HeldIsDone
		}
	}
	return s, diags
}

// checkRestore refuses to restore over what this resource did not write, where plan_check let the plan pass.
func (r *configMapEntryResource) checkRestore(ctx context.Context, state *configMapEntryModel, s cas.Swap, private privateReader) diag.Diagnostics {
	written, ok, diags := getPrivate[string](ctx, private, privateWritten)
	if !ok || s.Expect.IsAbsent() || s.Expect.Digest() == written {
		return diags
	}
	about := r.about(state, opDelete)
	seen, err := r.data.engine.Observe(ctx, s.Ref, 0)
	if err != nil {
		diags.Append(about.diagnose(err))
		return diags
	}
	if live := seen.Entry(s.Key); !live.IsAbsent() && !seen.Terminating() && live.Digest() != written {
		diags.Append(about.changedSinceApply(live, policyRestore))
	}
	return diags
}

func (r *configMapEntryResource) swap(m *configMapEntryModel) cas.Swap {
	id := m.entryID()
	return cas.Swap{Ref: id.Ref, Key: id.Key, FieldManager: r.fieldManager(m.FieldManager)}
}

func pinned(at []cas.Version, pin types.String) []cas.Version {
	if pin.IsNull() || pin.IsUnknown() {
		return at
	}
	return append(at, cas.Version{ResourceVersion: pin.ValueString()})
}
