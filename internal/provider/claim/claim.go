// Package claim plans, writes, reads and deletes what resources ask for. It decides about conflicts, through package cas; it knows no
// schema and no resource.
//
// A [Claim] describes the request of a resource about one object: which fields, the value to write to each, the value
// expected before the write, and how long to wait. The claim of a whole object ([Whole]) also says that the object
// exists, and may have all entries of a map. A claim has nothing to do with a PersistentVolumeClaim. A [Change]
// is one call: the claim of a plan, the claim of the prior state, and the [Memory] of the resource. Numbers
// ([Run.Take]) and swaps ([Run.Invoke]) have no Change.
//
// Where to look:
//
//   - memory.go: what is kept in private state, and why
//   - plan.go: what a plan refuses, and what it only warns of
//   - write.go: what a create or an update refuses
//   - removal.go: how deletion_policy decides about a path that is released
//   - delete.go: what a removal compares with, at plan and at apply
//   - read.go: what a refresh finds
//   - whole.go: how a whole object is created and removed
//   - once.go: swaps of actions and numbers of counters, which nothing reads, changes or removes later
//   - drift.go: what somebody else changed after the last apply
//   - run.go, registry.go: what the resources of one run share
package claim

import (
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Claim describes fields of one object: those that a plan asks for, or those that a state has. A field has the name that
// a [eval.Txn] uses: its key, or a name such as [eval.LabelKey] returns.
type Claim struct {
	ID  string // the same before and after a replace of the resource in its place
	Ref eval.Ref
	// APIVersion is that in which keys name fields, as [cas.FieldKey] does; empty where they name entries.
	APIVersion string
	// Values are the planned or present values; [cas.Anything] if unknown, the absent Entry to remove a field.
	Values     map[string]eval.Value
	Configured map[string]eval.Value // of fields, what attributes say; Values has the form that the API server gave that
	Expected   map[string]eval.Value // what keys must hold before a write; the absent Entry for a key that must not be there
	Adopt      bool                  // take over a key that already holds its value
	Pin        types.String          // of a plan: the resourceVersion that a write needs; null where none is named
	Scope      string                // conflict_scope
	Policy     string                // deletion_policy
	OnDrift    string                // on_drift
	Version    eval.Version          // of a state: the object's
	// Revision is the version that a configuration gives its write-only values; null after an import. A claim on a Secret
	// compares revisions, since its state has no values: Values of a state are [cas.Anything].
	Revision types.Int64
	Open     bool // an apply may be given other keys than its plan: those of a write-only map, which may be ephemeral

	FieldManager types.String // null for the provider's
	Timeouts     timeouts.Value
	Known        Known
	Whole        *Whole                                 // of a whole object; nil of keys
	About        func(terms.Operation) diagnose.Subject // describes the resource in diagnostics about an operation
}

// Known says which parts of a claim are known at plan.
type Known struct {
	Place  bool // the object's name, and for a resource of one key the key
	Keys   bool // which fields it is about
	Values bool // their planned values
	Change bool // whether an update needs a write
	All    bool // everything that a check needs, except Pin
}

// Keys are the keys that the claim gives values to, sorted.
func (c *Claim) Keys() []string { return slices.Sorted(maps.Keys(c.Values)) }

// IsNamed reports whether the id of the resource is known at plan.
func (c *Claim) IsNamed() bool { return c.Known.Place && (c.Known.Keys || c.Whole != nil) }

// adopts gives the keys to take over if they already hold their values.
func (c *Claim) adopts() []string {
	if c.Adopt {
		return c.Keys()
	}
	return nil
}

// expects gives the keys that must hold something before a write.
func (c *Claim) expects() []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(c.Expected)), func(key string) bool { return c.Expected[key].IsAbsent() })
}

// needs gives the keys that must exist for a create to succeed.
func (c *Claim) needs() []string { return append(c.adopts(), c.expects()...) }

// IsSecret reports whether no state may have the values.
func (c *Claim) IsSecret() bool { return c.Ref.Kind == eval.Secret && c.APIVersion == "" }

// isImported reports whether a state has keys of a Secret that nothing has written yet.
func (c *Claim) isImported() bool { return c.IsSecret() && c.Revision.IsNull() }

// live gives what an observation holds in the fields that the claim is about.
func (c *Claim) live(seen *eval.Snapshot) map[string]eval.Value {
	live := make(map[string]eval.Value, len(c.Values))
	for key := range c.Values {
		live[key] = seen.Value(key)
	}
	for key, e := range seen.Entries() {
		if c.hasMapOf(key, e) {
			live[key] = e
		}
	}
	return live
}

// hasMapOf reports whether the claim has all entries of the map that stores an entry.
func (c *Claim) hasMapOf(key string, e eval.Value) bool {
	return c.Whole != nil && slices.ContainsFunc(c.Whole.Maps, func(mapKey string) bool { return c.Ref.Kind.IsInMap(key, e, mapKey) })
}

// maps returns the maps whose entries all belong to the claim.
func (c *Claim) maps() []string {
	if c.Whole == nil {
		return nil
	}
	return c.Whole.Maps
}

// paths returns the paths that an instance with this claim has: its keys and, of a whole object, the object itself and
// the maps whose entries all belong to it.
func (c *Claim) paths() []string {
	paths := append(c.Keys(), c.maps()...)
	if c.Whole != nil {
		paths = append(paths, objectPath)
	}
	return paths
}

// nameRemoved adds to a plan, as absent, each entry of the state that the plan does not name and that is in a map whose
// entries all belong to the plan.
func (c *Claim) nameRemoved(prior *Claim) {
	for key, e := range prior.Values {
		if _, names := c.Values[key]; !names && c.hasMapOf(key, e) {
			c.Values[key] = eval.Value{}
		}
	}
}

// pinned appends the pinned version, if there is one.
func (c *Claim) pinned(at []eval.Version) []eval.Version {
	if !c.isPinned() {
		return at
	}
	return append(at, eval.Version{ResourceVersion: c.Pin.ValueString()})
}

// isPinned reports whether a plan names a version. It states that all values were read at that version, so a write may
// replace values that the plan does not name.
func (c *Claim) isPinned() bool { return c.Pin.ValueString() != "" }

func sortedKeys[V any](all ...map[string]V) []string {
	var keys []string
	for _, each := range all {
		keys = slices.AppendSeq(keys, maps.Keys(each))
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}
