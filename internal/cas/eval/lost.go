package eval

// The outcome of a patch whose response was lost: the connection broke, the request timed out, or the answer
// was 408, 429 or 5xx. A timeline, with times in milliseconds:
//
//	  0  base: the object is at version 7. foo is "1", and kubectl owns it.
//	  2  The patch foo = "2" is sent, conditional on version 7. The connection breaks.
//	 22  now: the engine reads the object and compares it with base.
//
//	now                                        outcome
//	version 7                                  Unresolved: send the patch again. At most one of the two can be applied.
//	version 8: foo is "2", our entry has foo   Applied: our entry gained a path
//	version 9: the same, and helm changed bar  Applied: helm wrote after us, so the chain begins again
//	version 8: foo is "2", kubectl owns it     Unknown: kubectl wrote the same value, before or after our write
//	version 9: foo is "1"                      Unknown: another writer came first, or undid our write
//	version 8: foo is missing                  Unknown: removals leave no trace in managedFields
//
// No rule concludes from a changed object that the patch was not applied: its owner, an autoscaler or an
// admission policy may have undone it since. Three cases escape the rules: another process writes the same values
// under the same field manager in the same second; the API server does not update the managedFields of the
// object; or a proxy sends a request twice.

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// LostWrite is a patch whose response was lost.
type LostWrite struct {
	Manager string    // field manager of the patch
	Base    *Snapshot // what the patch was evaluated on, and is conditional on
	Changes []Change
}

// LostOutcome classifies a LostWrite by a later read.
type LostOutcome uint8

const (
	LostUnknown      LostOutcome = iota
	LostUnresolved               // the object is still at the base
	LostNotApplied               // of a deletion: the object is at another version, and not deleted
	LostApplied                  // applied; other writers may have changed the object since
	LostAppliedAlone             // applied, and nothing else changed since the base
)

// The reasons for LostUnknown.
var (
	errDeleted    = errors.New("the object was deleted since")
	errOtherValue = errors.New("the object does not contain what was sent: " +
		"the write was not applied, or was changed or undone since")
	errNoTrace = errors.New("removals leave no trace in managedFields, so it is not known who changed the object")
	errNoEntry = errors.New("managedFields do not show who wrote the value")
)

// Outcome returns the outcome of a creation whose response was lost. A missing object shows nothing, since the
// request may still be applied.
func (n *Creation) Outcome(now *Snapshot) (LostOutcome, error) {
	switch {
	case !now.Exists():
		return LostUnresolved, nil
	case n.IsCreated(now):
		return LostApplied, nil
	default:
		return LostUnknown, fmt.Errorf("a %s of this name exists, and another writer may have created it", n.Ref.Kind)
	}
}

// DeletionOutcome returns the outcome of a deletion whose response was lost. The request can delete only the version
// base, so an object that has the uid of the base and another version was not deleted.
func DeletionOutcome(base Version, now *Snapshot) LostOutcome {
	switch {
	case !now.Exists(), now.Terminating(), now.Version().UID != base.UID:
		return LostApplied
	case now.Version() == base:
		return LostUnresolved
	default:
		return LostNotApplied
	}
}

// Outcome compares the base with the object as a later read found it. With LostUnknown, the error gives the reason.
func (w LostWrite) Outcome(now *Snapshot) (LostOutcome, error) {
	if now.Version() == w.Base.Version() {
		return LostUnresolved, nil
	}
	if now.Version().UID != w.Base.Version().UID {
		return LostUnknown, errDeleted
	}
	texts, err := w.Base.Texts(w.Changes)
	if err != nil {
		return LostUnknown, err
	}
	w.Changes = texts
	hasSet, isOwner, owns := false, true, w.owner(now) // isOwner: our entry has every path that was set
	for _, c := range w.Changes {
		if !c.Writes() {
			continue
		}
		if !now.contains(c.Key, c.To) {
			return LostUnknown, errOtherValue
		}
		if !c.To.IsAbsent() && !w.Base.contains(c.Key, c.To) {
			hasSet, isOwner = true, isOwner && owns(now.kind.path(c.Key, c.To))
		}
	}
	switch {
	case !hasSet:
		return LostUnknown, errNoTrace
	case isOwner && w.nothingElseChanged(now):
		return LostAppliedAlone, nil
	case isOwner && now.gained(w.Base, w.isOurs):
		return LostApplied, nil
	default:
		return LostUnknown, errNoEntry
	}
}

// contains reports whether the object contains what was sent. The API server may store a field in another form,
// and with defaults beside it. It stores a ConfigMap and a Secret as they were sent.
func (o *Snapshot) contains(key string, sent Value) bool {
	if o.kind.HasEntries() {
		return o.Value(key) == sent
	}
	return o.Value(key).Contains(sent)
}

// Contains reports whether the value of a field contains what was sent, perhaps in another form and with defaults
// beside it.
func (e Value) Contains(sent Value) bool {
	if sent.IsAbsent() || e.IsAbsent() {
		return e == sent
	}
	return contains(e.decode(), sent.decode())
}

// contains reports whether live has every leaf of sent. Lists have the same length; numbers and quantities are
// compared by value.
func contains(live, sent any) bool {
	switch sent := sent.(type) {
	case map[string]any:
		members, isMap := live.(map[string]any)
		for name, member := range sent {
			if !contains(members[name], member) {
				return false
			}
		}
		return isMap
	case []any:
		elements, isList := live.([]any)
		return isList && slices.EqualFunc(elements, sent, contains)
	case nil:
		return live == nil
	}
	return isEqual(live, sent) || isSameQuantity(live, sent)
}

// isOurs reports whether an entry of managedFields belongs to the patch's field manager, in any API version.
func (w LostWrite) isOurs(m managed) bool {
	return m.Manager == w.Manager && m.Operation == string(metav1.ManagedFieldsOperationUpdate) && m.subresource == ""
}

// owner returns a function that reports whether our entry has a path that was set. If its value has parts, our entry
// has one of them, and others alone own no part that the patch sets to another value.
func (w LostWrite) owner(now *Snapshot) func(fieldpath.Path) bool {
	ours, every := now.owned(w.isOurs), now.owned(func(managed) bool { return true })
	if ours == nil || every == nil {
		return func(path fieldpath.Path) bool { return ours != nil && ours.Has(path) }
	}
	want, leaves := w.Base.apply(w.Changes), every.Leaves()
	return func(path fieldpath.Path) bool {
		hasPart, isOthers := false, false
		leaves.Iterate(func(leaf fieldpath.Path) {
			switch {
			case !now.isPart(leaf, path):
			case ours.Has(leaf):
				hasPart = true
			default:
				from, _ := find(w.Base.object, leaf)
				to, _ := find(want, leaf)
				isOthers = isOthers || to.value != nil && !isEqual(from.value, to.value)
			}
		})
		return hasPart && !isOthers
	}
}

// nothingElseChanged reports whether the object is the base with the changes, and whether only the engine's entry
// changed. Only ConfigMaps and Secrets are stored as they are sent, so it is false for other kinds.
func (w LostWrite) nothingElseChanged(now *Snapshot) bool {
	if !now.kind.HasEntries() {
		return false
	}
	for _, c := range w.Changes { // stringData of a Secret writes data, and its own entry shows that
		if c.Writes() && IsEntry(c.Key) && now.isOwned(fieldpath.MakePathOrDie("stringData", c.Key)) {
			return false
		}
	}
	othersChanged := func(m managed) bool { return !w.isOurs(m) && now.gained(w.Base, m.isSame) }
	return isEqual(withoutVersion(w.Base.apply(w.Changes)), withoutVersion(now.object)) &&
		!slices.ContainsFunc(now.managers(), othersChanged)
}

// withoutVersion returns the content of a ConfigMap or a Secret without its version, empty maps and empty lists.
func withoutVersion(object map[string]any) map[string]any {
	compared := maps.Clone(object)
	metadata, _ := object["metadata"].(map[string]any)
	metadata = maps.Clone(metadata)
	delete(metadata, "resourceVersion")
	delete(metadata, "generation")
	compared["metadata"] = metadata
	for _, members := range []map[string]any{compared, metadata} {
		maps.DeleteFunc(members, func(_ string, v any) bool {
			inner, isMap := v.(map[string]any)
			list, isList := v.([]any)
			return isMap && len(inner) == 0 || isList && len(list) == 0
		})
	}
	return compared
}
