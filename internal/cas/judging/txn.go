package judging

import (
	"slices"
	"strings"
)

// Txn asks for keys of one object to be written in one atomic request: all of them, if every expectation holds, and nothing otherwise.
type Txn struct {
	Ref Ref
	// APIVersion, where it is not empty, is that in which Keys name fields, each as FieldKey names it; as "apps/v1". It is required for a kind that
	// holds no entries.
	APIVersion string
	// Keys are what it names, each at most once: entries, and labels and annotations as LabelKey and AnnotationKey name them, and ImmutableKey.
	// Or they are fields, of which none that is written overlaps another that is.
	Keys []KeySwap
	// Hides keeps the values of the fields that are named out of errors.
	Hides bool

	// GoneIsDone makes keys to be removed, or a ConfigMap, that are not there a success without a write: a removal has nothing
	// left to do, but for a key that it puts back where it expects none. It also lets the write pass on a ConfigMap that is being deleted, whatever was done to it.
	GoneIsDone bool

	// At lists versions which the object must be at, or to which the lineage must lead from them.
	At []Version
	// Bound is a version as one of At. It is judged last, so that what else refuses is told first. The zero Version binds nothing. Not for a
	// removal.
	Bound Version
	// Seen is the version at which Expect was observed, if known. It keeps a removal from undoing what this process has written since.
	Seen Version

	// FieldManager is written into managedFields. Required.
	FieldManager string
}

// KeySwap is one key of a Txn.
type KeySwap struct {
	Key string
	// Expect is what the key must hold.
	Expect Entry
	// New is what the key shall hold after it; the absent Entry removes it.
	New Entry
	// Held says what becomes of a key that holds New already.
	Held Held
	// IsGuard makes it a comparison alone: New and Held do not count, and nothing is written.
	IsGuard bool
	// Next, where it is not nil, makes New of what the key holds at the time of the write, instead of Expect, New and Held. An
	// error refuses the Txn.
	Next func(live Entry) (Entry, error)
}

// Held says what becomes of a swap whose key holds the new entry already.
type Held uint8

const (
	// HeldIsJudged leaves it to the expectation.
	HeldIsJudged Held = iota
	// HeldIsDone takes the entry over: applied, without a write.
	HeldIsDone
	// HeldIsRefused refuses with ReasonHeld.
	HeldIsRefused
)

// IsGuard reports whether the key is only compared.
func (t *Txn) IsGuard(key string) bool {
	return slices.ContainsFunc(t.Keys, func(k KeySwap) bool { return k.Key == key && k.IsGuard })
}

// Computes reports whether the Txn computes a key from what it contains.
func (t *Txn) Computes() bool {
	return slices.ContainsFunc(t.Keys, func(k KeySwap) bool { return k.Next != nil })
}

// IsTake reports whether all that the Txn does is to compute one key. Several of them can go into one request, each on what the
// one before it leaves.
func (t *Txn) IsTake() bool {
	return len(t.Keys) == 1 && t.Keys[0].Next != nil && !t.IsHeld()
}

// IsHeld reports whether the Txn is held to a version of the object.
func (t *Txn) IsHeld() bool { return len(t.At) > 0 || t.Bound.Valid() }

// KeyNames are the names of the keys, for people.
func (t *Txn) KeyNames() string {
	names := make([]string, len(t.Keys))
	for i, k := range t.Keys {
		names[i] = k.Key
	}
	return strings.Join(names, ",")
}
