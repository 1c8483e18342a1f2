package claim

import (
	"maps"
	"slices"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
)

// What a memory keeps of writes to fields: the forms that the API server gave to values, and the maps and lists that were made on the way.

// noteForms takes in what the API server made of what a write sent to fields.
func (m *Memory) noteForms(plan *Claim, t *cas.Txn, result cas.TxnResult) {
	forms := map[string]cas.Entry{}
	for key := range plan.Values {
		if form, has := m.Forms[key]; has {
			forms[key] = form
		}
	}
	for _, k := range t.Keys {
		stored := result.After.Entry(k.Key)
		isSetBack := diagnose.IsScalar(k.New) && stored == result.Previous[k.Key] && !diagnose.IsForm(k.New, stored)
		if delete(forms, k.Key); t.APIVersion != "" && !k.IsGuard && stored != k.New && !isSetBack {
			forms[k.Key] = stored
		} else if form, has := m.Forms[k.Key]; has && k.IsGuard {
			forms[k.Key] = form
		}
	}
	if m.Forms = forms; len(forms) == 0 {
		m.Forms = nil
	}
}

// forgetForms forgets the forms of fields that hold something else by now, and what has been made and is gone.
func (m *Memory) forgetForms(seen *cas.Observation) {
	maps.DeleteFunc(m.Forms, func(key string, form cas.Entry) bool { return seen.Exists() && seen.Entry(key) != form })
	maps.DeleteFunc(m.Made, func(key, _ string) bool { return seen.Exists() && seen.Entry(key).IsAbsent() })
	if len(m.Forms) == 0 {
		m.Forms = nil
	}
}

// noteMade takes in what a write of a plan has made on its way. It forgets what no field of the plan is in any more, and, where the version of the API changes, all.
func (m *Memory) noteMade(ch *Change, result cas.TxnResult) {
	made := map[string]string{}
	for key, rest := range m.Made {
		isIn := func(field string) bool { return cas.IsIn(field, key) }
		if ch.Prior != nil && ch.Prior.APIVersion == ch.Plan.APIVersion && slices.ContainsFunc(ch.Plan.Keys(), isIn) {
			made[key] = rest
		}
	}
	maps.Copy(made, result.Made)
	m.Made = made
}

// wroteIn reports whether the resource had a part of a field that it takes now: then nothing tells what the whole of it held first.
func (m *Memory) wroteIn(key string) bool {
	for had := range m.First {
		if cas.IsIn(had, key) {
			return true
		}
	}
	return false
}

// emptied are the swaps of what has been made and may be empty once keys are removed from it.
func (m *Memory) emptied(keys []cas.KeySwap) (emptied []cas.KeySwap) {
	for _, made := range sortedKeys(m.Made) {
		if slices.ContainsFunc(keys, func(k cas.KeySwap) bool { return !k.IsGuard && k.New.IsAbsent() && cas.IsIn(k.Key, made) }) {
			emptied = append(emptied, cas.KeySwap{Key: made, Rest: m.Made[made], IsGuard: true})
		}
	}
	return emptied
}
