package claim

import (
	"maps"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
)

// The memory keeps the forms that the API server gave to values of fields.

// noteForms records the forms in which the API server stored the values of a write.
func (m *Memory) noteForms(plan *Claim, t *cas.Txn, result cas.TxnResult) {
	forms := map[string]cas.Entry{}
	for key := range plan.Values {
		if form, has := m.Forms[key]; has {
			forms[key] = form
		}
	}
	for _, k := range t.Keys {
		stored := result.Stored[k.Key]
		// The removal of a field leaves its default.
		isForm := k.New.IsAbsent() || stored.Contains(k.New) || stored != result.Previous[k.Key]
		if delete(forms, k.Key); t.APIVersion != "" && !k.IsGuard && stored != k.New && isForm {
			forms[k.Key] = stored
		} else if form, has := m.Forms[k.Key]; has && k.IsGuard {
			forms[k.Key] = form
		}
	}
	if m.Forms = forms; len(forms) == 0 {
		m.Forms = nil
	}
}

// forgetForms drops the forms of fields whose value has changed since.
func (m *Memory) forgetForms(seen *cas.Observation) {
	maps.DeleteFunc(m.Forms, func(key string, form cas.Entry) bool { return seen.Exists() && seen.Entry(key) != form })
	if len(m.Forms) == 0 {
		m.Forms = nil
	}
}

// wroteIn reports whether the resource had a part of a field that it adopts now: then the original of the whole field
// is not known.
func (m *Memory) wroteIn(key string) bool {
	for had := range m.First {
		if cas.MayBeIn(had, key) {
			return true
		}
	}
	return false
}
