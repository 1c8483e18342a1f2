package decide

import (
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// Result is the result of a write, as the engine returns it.
type Result struct {
	After            *eval.Snapshot // nil if no request was sent
	Previous, Stored map[string]eval.Value
	IsShared         bool
	Wrote            bool
}

// KeyChange has the value of a key in a request, and the value that the API server stored.
type KeyChange struct {
	Key          string
	Sent, Stored eval.Value
}

// NotStored returns the values of a transaction that the API server stored differently. For fields, it leaves out other
// forms of the same value, and defaults.
func NotStored(t *eval.Txn, result Result) (changed []KeyChange) {
	if result.IsShared { // another writer may have made a difference
		return nil
	}
	for _, k := range t.Keys {
		stored := result.After.Value(k.Key)
		previous, touched := result.Previous[k.Key]
		isForm := t.APIVersion != "" && (stored != previous || stored.Contains(k.New))
		if touched && result.Wrote && !k.IsGuard && !isForm && !stored.Matches(k.New) {
			changed = append(changed, KeyChange{Key: k.Key, Sent: k.New, Stored: stored})
		}
	}
	return changed
}

// Replaced returns the former values of the keys that a transaction changed; nil if it changed none.
func Replaced(t *eval.Txn, result Result) map[string]eval.Value {
	if !result.Wrote {
		return nil
	}
	replaced := map[string]eval.Value{}
	for _, k := range t.Keys {
		previous, touched := result.Previous[k.Key]
		if touched && !k.IsGuard && (k.IfEqual != eval.Adopt || !previous.Matches(k.New)) {
			replaced[k.Key] = previous
		}
	}
	return replaced
}

// Record returns the memory after a create or an update: the digest of each field, and the original of each key. prior
// is empty for a create. A field that the write left as it was, and not as planned, keeps its baseline: a change by
// another writer stays drift.
func Record(plan, prior *Claim, m Memory, t *eval.Txn, result Result) Memory {
	written, former := map[string]string{}, m.Baseline
	first, observed, touched := map[string]eval.Value{}, map[string]string{}, map[string]bool{}
	for _, k := range t.Keys {
		touched[k.Key] = !k.IsGuard
	}
	if result.After != nil && isAnother(prior.Version, result.After.Version()) { // no refresh has read the object
		m = m.withNewOriginals(sortedKeys(touched), func(key string) eval.Value {
			if was, changed := result.Previous[key]; changed {
				return was
			}
			return result.After.Value(key)
		})
	}
	for key, value := range plan.Values {
		if value.IsAbsent() && plan.HasMapOf(key, value) { // as any other entry that the plan does not name
			continue
		}
		was, had := prior.Values[key]
		digest, wrote := former[key]
		if original, known := m.Originals[key]; known {
			first[key] = original
		} else if !had && !wrote && !m.wroteIn(key) && (plan.Whole == nil || !eval.IsEntry(key)) {
			first[key] = m.original(result.Previous[key])
		}
		switch tag, isSeen := m.Tags.Found[key]; {
		case touched[key]:
			written[key] = m.digest(result.Stored[key])
			observed[key] = written[key]
			continue
		case isSeen:
			observed[key] = tag
		}
		switch {
		case m.same(key, value, was): // perhaps since another writer wrote it
			written[key] = m.digest(value)
		case wrote:
			written[key] = digest
		case observed[key] != "" && plan.HasMapOf(key, value): // else the next refresh takes it for an entry of others
			written[key] = observed[key]
		}
	}
	m.Forms = m.formsAfter(plan, t, result)
	m.Baseline, m.Originals, m.Unnamed = written, first, nil
	if m.Kind == eval.Secret {
		m.Tags.Found = observed
	}
	return m
}

// formsAfter returns the forms in which the API server stored the values of a write; nil if there are none.
func (m Memory) formsAfter(plan *Claim, t *eval.Txn, result Result) map[string]eval.Value {
	forms := map[string]eval.Value{}
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
	if len(forms) == 0 {
		return nil
	}
	return forms
}
