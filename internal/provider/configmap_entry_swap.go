package provider

import (
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
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
	s.At = attributes.Pinned(nil, pin)
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
	if plan.ConflictScope.ValueString() != terms.ScopeKey {
		s.At = append(s.At, s.Seen)
	}
	s.At = attributes.Pinned(s.At, pin)
	return s
}

// holding is what the entry's removal goes by.
func (r *configMapEntryResource) holding(state *configMapEntryModel) *holding {
	id := state.entryID()
	return &holding{
		id: id.String(), ref: id.Ref, entries: map[string]cas.Entry{id.Key: state.entry()}, version: state.version(),
		scope: state.ConflictScope.ValueString(), policy: state.DeletionPolicy.ValueString(),
		manager: state.FieldManager, timeouts: state.Timeouts, about: r.about(state, terms.OpDelete),
	}
}

func (r *configMapEntryResource) swap(m *configMapEntryModel) cas.Swap {
	id := m.entryID()
	return cas.Swap{Ref: id.Ref, Key: id.Key, FieldManager: r.fieldManager(m.FieldManager)}
}

// opOf tells the operation from the swap it makes.
func opOf(s cas.Swap) terms.Operation {
	switch {
	case s.GoneIsDone:
		return terms.OpDelete
	case s.Held == cas.HeldIsJudged:
		return terms.OpUpdate
	default:
		return terms.OpCreate
	}
}

func (r *configMapEntryResource) about(m *configMapEntryModel, op terms.Operation) diagnose.Subject {
	s := diagnose.Subject{
		ID: m.entryID(), Op: op, Expected: path.Empty(), Value: path.Root("value"), Hide: r.hides(m.HideValue), Limit: op,
		Values: []cas.Entry{m.entry(), m.expected()},
	}
	if op == terms.OpCreate || op == terms.OpUpdate {
		s.Wait = m.WaitForMatch
	}
	if !m.ValueBase64.IsNull() {
		s.Value = path.Root("value_base64")
	}
	if !m.ExpectedValue.IsNull() {
		s.Expected = path.Root("expected_value")
	} else if !m.ExpectedValueBase64.IsNull() {
		s.Expected = path.Root("expected_value_base64")
	}
	return s
}
