package provider

import (
	"context"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// createTxn is what must hold for keys to be created. No observation of the plan reaches a create, so it is judged by what
// the keys hold.
func (r *configMapDataResource) createTxn(plan *configMapDataModel, pin types.String) *cas.Txn {
	t := r.txn(plan)
	entries, expected := plan.entries(), plan.expected()
	for _, key := range keysIn(plan.Data, plan.BinaryData, plan.ExpectedData, plan.ExpectedBinaryData) {
		if e, writes := entries[key]; writes {
			t.Keys = append(t.Keys, firstSwap(key, expected[key], e, plan.AdoptExisting.ValueBool()))
		} else {
			t.Keys = append(t.Keys, cas.KeySwap{Key: key, Expect: expected[key], IsGuard: true})
		}
	}
	t.At = attributes.Pinned(nil, pin)
	return t
}

// firstSwap is what must hold for a key to be written that the state does not have.
func firstSwap(key string, expect, entry cas.Entry, adopt bool) cas.KeySwap {
	k := cas.KeySwap{Key: key, Expect: expect, New: entry, Held: cas.HeldIsRefused}
	if adopt || expect.Holds(entry) {
		k.Held = cas.HeldIsDone
	}
	return k
}

// updateTxn is what must hold for keys to be updated. The prior state is the plan's observation, also where a saved plan is
// applied by another process. What the resource has and does not change is compared as well.
func (r *configMapDataResource) updateTxn(
	ctx context.Context, plan, state *configMapDataModel, pin types.String, private privateReader, about diagnose.Subject,
) (*cas.Txn, diag.Diagnostics) {
	first, _, diags := getPrivate[originals](ctx, private, privateOriginal)
	t := r.txn(plan)
	t.Seen = state.version()
	if !t.Seen.Valid() {
		diags.Append(about.VersionNotKnown())
	}
	if plan.ConflictScope.ValueString() != terms.ScopeKey {
		t.At = append(t.At, t.Seen)
	}
	t.At = attributes.Pinned(t.At, pin)

	var lost []string
	entries, held, expected, policy := plan.entries(), state.entries(), plan.expected(), plan.DeletionPolicy.ValueString()
	for _, key := range keysIn(plan.Data, plan.BinaryData, state.Data, state.BinaryData, plan.ExpectedData, plan.ExpectedBinaryData) {
		e, writes := entries[key]
		was, has := held[key]
		want, named := expected[key]
		if !named {
			want = was
		}
		switch {
		case writes && has && e.Holds(was):
			t.Keys = append(t.Keys, cas.KeySwap{Key: key, Expect: was, IsGuard: true})
		case writes && has:
			t.Keys = append(t.Keys, cas.KeySwap{Key: key, Expect: want, New: e})
		case writes:
			t.Keys = append(t.Keys, firstSwap(key, want, e, plan.AdoptExisting.ValueBool()))
		case has && policy != terms.PolicyAbandon:
			k := cas.KeySwap{Key: key, Expect: want, Held: cas.HeldIsDone} // what is gone already, or put back, is as it shall be
			if policy == terms.PolicyRestore {
				original, known := first[key]
				if k.New = original; !known {
					lost = append(lost, key)
				}
			}
			t.Keys = append(t.Keys, k)
		case named:
			t.Keys = append(t.Keys, cas.KeySwap{Key: key, Expect: want, IsGuard: true})
		}
	}
	if len(lost) > 0 {
		diags.Append(about.NothingToRestore(lost))
	}
	return t, diags
}

// dropped is what the state has and the plan does not, unless it is abandoned.
func dropped(plan, state *configMapDataModel) map[string]cas.Entry {
	entries := state.entries()
	if plan.DeletionPolicy.ValueString() == terms.PolicyAbandon {
		return nil
	}
	maps.DeleteFunc(entries, func(key string, _ cas.Entry) bool { return slices.Contains(plan.keys(), key) })
	return entries
}

// writes tells whether an update has a write to make.
func writes(plan, state *configMapDataModel) bool {
	held := state.entries()
	for key, e := range plan.entries() {
		if was, has := held[key]; !has || !e.Holds(was) {
			return true
		}
	}
	return len(dropped(plan, state)) > 0
}

func (r *configMapDataResource) txn(m *configMapDataModel) *cas.Txn {
	return &cas.Txn{Ref: m.ref(), FieldManager: r.fieldManager(m.FieldManager)}
}

// holding is what the resource's removal goes by.
func (r *configMapDataResource) holding(state *configMapDataModel) *holding {
	return &holding{
		id: state.ref().String(), ref: state.ref(), entries: state.entries(), version: state.version(),
		scope: state.ConflictScope.ValueString(), policy: state.DeletionPolicy.ValueString(),
		manager: state.FieldManager, timeouts: state.Timeouts, about: r.about(state, terms.OpDelete),
	}
}

func (r *configMapDataResource) about(m *configMapDataModel, op terms.Operation) diagnose.Subject {
	s := diagnose.Subject{
		ID: terms.EntryID{Ref: m.ref()}, Several: map[string]diagnose.KeyAttributes{}, Op: op, Expected: path.Empty(), Value: path.Root("data"),
		Hide: r.hides(m.HideValues), Limit: op,
	}
	if len(m.Data.Elements()) == 0 {
		s.Value = path.Root("binary_data")
	}
	for attribute, of := range map[string]types.Map{"data": m.Data, "binary_data": m.BinaryData} {
		for key := range of.Elements() {
			s.Several[key] = diagnose.KeyAttributes{Value: attribute}
		}
	}
	expected := m.expected()
	for attribute, of := range map[string]types.Map{"expected_data": m.ExpectedData, "expected_binary_data": m.ExpectedBinaryData} {
		for key := range of.Elements() {
			a := s.Several[key]
			a.Expected, a.Want = attribute, expected[key]
			s.Several[key] = a
		}
	}
	for _, e := range m.entries() {
		s.Values = append(s.Values, e)
	}
	if op == terms.OpCreate || op == terms.OpUpdate {
		s.Wait = m.WaitForMatch
	}
	return s
}

// previousData is the text of the keys that a write wrote, before it.
func previousData(t *cas.Txn, result cas.TxnResult) types.Map {
	if !result.Wrote {
		return types.MapNull(types.StringType)
	}
	texts := map[string]attr.Value{}
	for _, k := range t.Keys {
		previous, touched := result.Previous[k.Key]
		if !touched || k.IsGuard || k.Held == cas.HeldIsDone && previous.Holds(k.New) {
			continue
		}
		texts[k.Key] = types.StringNull()
		if v, ok := previous.Text(); ok {
			texts[k.Key] = types.StringValue(v)
		}
	}
	return types.MapValueMust(types.StringType, texts)
}

// account keeps the private state of what the resource has after a write: what each key held at first, and what was last
// written. before is what it had; nothing for a new one.
func account(
	ctx context.Context, from privateReader, to privateWriter, plan *configMapDataModel, before map[string]cas.Entry, t *cas.Txn, result cas.TxnResult,
) diag.Diagnostics {
	first, _, diags := getPrivate[originals](ctx, from, privateOriginal)
	written, _, more := getPrivate[digests](ctx, from, privateWritten)
	diags.Append(more...)
	nowFirst, nowWritten := originals{}, digests{}
	touched := map[string]bool{}
	for _, k := range t.Keys {
		touched[k.Key] = !k.IsGuard
	}
	for _, key := range plan.keys() {
		_, had := before[key]
		digest, wrote := written[key]
		if original, known := first[key]; known {
			nowFirst[key] = original
		} else if !had && !wrote {
			nowFirst[key] = result.Previous[key]
		}
		if touched[key] {
			nowWritten[key] = result.After.Entry(key).Digest()
		} else if wrote {
			nowWritten[key] = digest
		}
	}
	diags.Append(setPrivate(ctx, to, privateOriginal, nowFirst)...)
	diags.Append(setPrivate(ctx, to, privateWritten, nowWritten)...)
	return diags
}
