package provider

import (
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

// holding is what the entry's removal goes by.
func (r *configMapEntryResource) holding(state *configMapEntryModel) *holding {
	id := state.entryID()
	return &holding{
		id: id.String(), ref: id.Ref, entries: map[string]cas.Entry{id.Key: state.entry()}, version: state.version(),
		scope: state.ConflictScope.ValueString(), policy: state.DeletionPolicy.ValueString(),
		manager: state.FieldManager, timeouts: state.Timeouts, about: r.about(state, opDelete),
	}
}

func (r *configMapEntryResource) swap(m *configMapEntryModel) cas.Swap {
	id := m.entryID()
	return cas.Swap{Ref: id.Ref, Key: id.Key, FieldManager: r.fieldManager(m.FieldManager)}
}
