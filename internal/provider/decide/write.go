package decide

import (
	"maps"
	"slices"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// Result is the result of a write, as the engine returns it.
type Result struct {
	After            *eval.Snapshot // nil if no request was sent
	Previous, Stored map[string]eval.Value
	IsShared         bool
	Appliers         map[string]eval.Applier // that applied a key before the write
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
		isForm := hasForms(t, k.Key) && (stored != previous || stored.Contains(k.New))
		if touched && result.Wrote && !k.IsGuard && !isForm && !stored.Matches(k.New) {
			changed = append(changed, KeyChange{Key: k.Key, Sent: k.New, Stored: stored})
		}
	}
	return changed
}

// hasForms reports whether the API server may store the value of a key in another form, as it does with fields of
// objects. The text of a document has one form.
func hasForms(t *eval.Txn, key string) bool {
	_, _, isDocument := eval.DocumentPath(key)
	return t.APIVersion != "" && !isDocument
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
	written, former, absent := map[string]string{}, m.Baseline, m.digest(eval.Value{})
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
		case observed[key] != "" && plan.HasMapOf(key, value) && (!wrote || digest == absent):
			written[key] = observed[key] // it was an entry of others before the plan named it
		case wrote:
			written[key] = digest
		}
	}
	m.Appliers = m.appliersAfter(plan, t, result)
	if original, isKnown := m.Originals[plan.Document]; isKnown {
		first[plan.Document] = original
	} else if was, isRead := result.Previous[plan.Document]; isRead && was.IsAbsent() {
		first[plan.Document] = was
	}
	m.Forms = m.formsAfter(plan, t, result)
	m.Baseline, m.Originals, m.Unnamed = written, first, nil
	if m.Kind == eval.Secret {
		m.Tags.Found = observed
	}
	return m
}

// appliersAfter returns the managers that applied the planned keys before this provider overwrote them; nil if there
// are none.
func (m Memory) appliersAfter(plan *Claim, t *eval.Txn, result Result) map[string]eval.Applier {
	appliers := map[string]eval.Applier{}
	for key := range plan.Values {
		applier, isKnown := m.Appliers[key]
		if read, isRead := result.Appliers[key]; isRead {
			read.OverwrittenBy = applier.OverwrittenBy
			applier, isKnown = read, true
		}
		if isKnown {
			appliers[key] = applier
		}
	}
	for _, k := range t.Keys {
		if applier, isKnown := appliers[k.Key]; isKnown && !k.IsGuard && result.Wrote {
			applier.OverwrittenBy = t.FieldManager
			appliers[k.Key] = applier
		}
	}
	if len(appliers) == 0 {
		return nil
	}
	return appliers
}

// HandsBack returns the managers that applied keys before the resource wrote them, for the keys of the prior state that
// the resource releases: it no longer has them in after, and no other instance has taken them. nil if there are none.
func (m Memory) HandsBack(prior, after *Claim, taken func(key string) bool) map[string]eval.Applier {
	released := maps.Clone(m.Appliers)
	maps.DeleteFunc(released, func(key string, _ eval.Applier) bool {
		_, had := prior.Values[key]
		_, keeps := after.Values[key]
		return !had || keeps || taken(key)
	})
	return released
}

// Applied returns the keys that a transaction begins to own, and that another manager applies.
func Applied(t *eval.Txn, live *eval.Snapshot) map[string]eval.Applier {
	applied := map[string]eval.Applier{}
	isOwn := func(w eval.Writer) bool { return w.Manager == t.FieldManager }
	for _, k := range t.Complete(live).Keys {
		owned := k.Key
		if h, _, isDocument := eval.DocumentPath(k.Key); isDocument {
			owned = h.Key
		}
		if k.IsGuard || k.New.Matches(live.Value(k.Key)) || slices.ContainsFunc(live.Owners(owned), isOwn) {
			continue
		}
		if applier := live.Applier(owned, t.FieldManager); applier != nil {
			applied[k.Key] = *applier
		}
	}
	return applied
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
		if delete(forms, k.Key); hasForms(t, k.Key) && !k.IsGuard && stored != k.New && isForm {
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
