package eval

import (
	"maps"
	"slices"
	"strings"
)

// Txn asks for keys of one object to be written in one atomic request: all of them if every expectation
// holds, and none otherwise.
type Txn struct {
	Ref Ref
	// APIVersion, if not empty, is the API version in which Keys name fields (see FieldKey), such as "apps/v1". It is
	// required for a kind other than ConfigMap and Secret.
	APIVersion string
	// Keys names each key at most once. Without an APIVersion, keys name entries, labels (LabelKey), annotations
	// (AnnotationKey) and ImmutableKey. With an APIVersion, they name fields (FieldKey). No written field
	// overlaps another key.
	Keys []KeySwap
	// Maps are DataKey, BinaryDataKey, both or none: Keys names all entries of these maps. Others is the swap of
	// any other entry of such a map, except for its Key.
	Maps   []string
	Others KeySwap

	// IgnoreMissing makes a removal succeed without a write if its keys, or the object, are already missing. A removal
	// still puts a key back that it expects to be absent and that has a New entry. On an object that is being deleted,
	// no version is required, and a removal whose expectations do not hold succeeds without a write.
	IgnoreMissing bool

	// RequireVersions lists versions. For each of them, the object must be at that version, or the chain must lead from
	// it to the object's version.
	RequireVersions []Version
	// ObservedAt is the version at which Expect was observed, if known. A removal does not undo what this process wrote
	// after it.
	ObservedAt Version

	// FieldManager is the manager that managedFields name for the write. Required.
	FieldManager string
}

// KeySwap is one key of a Txn.
type KeySwap struct {
	Key string
	// Expect is the value that the key must contain.
	Expect Value
	// New is the value after the write. The absent Value removes the key.
	New Value
	// IfEqual decides what happens if the key already contains New.
	IfEqual IfEqual
	// IsGuard makes the swap a comparison: New and IfEqual are ignored, and the key is not written.
	IsGuard bool
	// RemovesEmpty, for a key in a document, removes the text if the write leaves nothing in it, no comments either.
	// Otherwise the text becomes "[]" or "{}".
	RemovesEmpty bool
	// Next, if not nil, computes the new value from the value at the time of the write. Expect, New and IfEqual are
	// ignored then. An error refuses the Txn.
	Next func(live Value) (Value, error)
}

// IfEqual decides what happens to a swap whose key already contains the new value.
type IfEqual uint8

const (
	// Compare compares the value with Expect, as any other value.
	Compare IfEqual = iota
	// Adopt adopts the value: applied, without a write.
	Adopt
	// Reject is a conflict with ReasonEqual.
	Reject
)

// Complete returns the Txn with a swap for each entry of the snapshot that is in one of its Maps.
func (t *Txn) Complete(o *Snapshot) *Txn {
	if len(t.Maps) == 0 {
		return t
	}
	complete := *t
	complete.Keys = slices.Clone(t.Keys)
	entries := o.Entries()
	for _, k := range t.Keys {
		delete(entries, k.Key)
	}
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		isIn := func(mapKey string) bool { return t.Ref.Kind.IsInMap(key, entries[key], mapKey) }
		if slices.ContainsFunc(t.Maps, isIn) {
			other := t.Others
			other.Key = key
			complete.Keys = append(complete.Keys, other)
		}
	}
	return &complete
}

// IsGuard reports whether the key is only compared.
func (t *Txn) IsGuard(key string) bool {
	return slices.ContainsFunc(t.Keys, func(k KeySwap) bool { return k.Key == key && k.IsGuard })
}

// Computes reports whether the Txn computes a key from the value that the key contains.
func (t *Txn) Computes() bool {
	return slices.ContainsFunc(t.Keys, func(k KeySwap) bool { return k.Next != nil })
}

// OnlyComputes reports whether the Txn does nothing except compute one key. Several such transactions of a key can
// share a request, each computed from the result of the one before it.
func (t *Txn) OnlyComputes() bool {
	return len(t.Keys) == 1 && t.Keys[0].Next != nil && len(t.RequireVersions) == 0
}

// KeyNames returns the names of the keys with commas between them, for people.
func (t *Txn) KeyNames() string {
	names := make([]string, len(t.Keys))
	for i, k := range t.Keys {
		names[i] = k.Key
	}
	return strings.Join(names, ",")
}
