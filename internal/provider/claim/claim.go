// Package claim plans, writes, reads and deletes what resources ask for. It decides about conflicts, through package cas; it knows no
// schema and no resource.
//
// A [Claim] says which keys of an object a resource asks for: the value to write, the value expected before that, and how long to
// wait. It has nothing to do with a PersistentVolumeClaim. Resources of one key and of many are both claims. A
// whole object ([Whole]) and a number ([Run.Take]) are not; they share the [Run] and its checks.
//
// Where to look:
//
//   - plan.go: what a plan refuses, and what it only warns of
//   - write.go: what a create or an update refuses
//   - delete.go: what a removal compares with, at plan and at apply
//   - read.go: what a refresh finds
//   - whole.go: the same for whole objects
//   - once.go: swaps of actions and numbers of counters, which nothing reads, changes or removes later
//   - private.go: what is kept in private state
//   - drift.go: what somebody else changed after the last apply
//   - run.go, planned.go: what the resources of one run share
package claim

import (
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Claim describes keys of one object: those that a plan asks for, or those that a state has.
type Claim struct {
	ID       string // the same before and after a replace of the resource in its place
	Ref      cas.Ref
	Values   map[string]cas.Entry // what each key shall hold, or holds
	Expected map[string]cas.Entry // what keys must hold before a write; the absent Entry for a key that must not be there
	Adopt    bool                 // take over a key that already holds its value
	Pin      types.String         // of a plan: the resourceVersion that a write needs; null where none is named
	Scope    string               // conflict_scope
	Policy   string               // deletion_policy
	OnDrift  string               // on_drift
	Version  cas.Version          // of a state: the object's
	// Revision is the version that a configuration gives its write-only values; null after an import. A claim on a Secret goes by it,
	// since its state has no values: Values of a state are [cas.Anything].
	Revision types.Int64
	Open     bool // an apply may be given other keys than its plan: those of a write-only map, which may be ephemeral

	FieldManager types.String // null for the provider's
	Timeouts     timeouts.Value
	Known        Known
	About        func(terms.Operation) diagnose.Subject // what diagnostics about an operation say of the resource
}

// Known says which parts of a claim are known at plan.
type Known struct {
	Place  bool // the object's name, and for a resource of one key the key
	Keys   bool // which keys it is about
	Values bool // what they shall hold
	Change bool // whether an update needs a write
	All    bool // everything that a check needs, but for Pin
}

// Keys are the keys that the claim gives values to, sorted.
func (c *Claim) Keys() []string { return slices.Sorted(maps.Keys(c.Values)) }

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
func (c *Claim) IsSecret() bool { return c.Ref.Kind == cas.Secret }

// isImported reports whether a state has keys of a Secret that nothing has written yet.
func (c *Claim) isImported() bool { return c.IsSecret() && c.Revision.IsNull() }

// rewrites reports whether an update writes keys that the state of a Secret has.
func (c *Claim) rewrites(held *Claim) bool { return !c.Revision.Equal(held.Revision) }

// Changes reports whether an update needs a write. held is the claim of the prior state. Values of a Secret are written when their revision
// changes; keys that appear or go are written at once.
func (c *Claim) Changes(held *Claim) bool {
	if c.IsSecret() {
		return c.rewrites(held) || c.Known.Keys && !slices.Equal(c.Keys(), held.Keys())
	}
	for key, value := range c.Values {
		if was, has := held.Values[key]; !has || !value.Holds(was) {
			return true
		}
	}
	return len(c.dropped(held)) > 0
}

// dropped gives the keys that an update removes: those of the state that the plan no longer has, unless they are abandoned.
func (c *Claim) dropped(held *Claim) map[string]cas.Entry {
	if c.Policy == terms.PolicyAbandon {
		return nil
	}
	dropped := maps.Clone(held.Values)
	maps.DeleteFunc(dropped, func(key string, _ cas.Entry) bool { _, keeps := c.Values[key]; return keeps })
	return dropped
}

// keepsValue reports whether an update leaves a key that the state has as it is.
func (c *Claim) keepsValue(held *Claim, key string) bool {
	was, has := held.Values[key]
	if c.IsSecret() {
		return has && !c.rewrites(held)
	}
	return has && (!c.Known.Values || c.Values[key].Holds(was))
}

// live gives the values of the keys in an observation.
func (c *Claim) live(seen *cas.Observation) map[string]cas.Entry {
	live := make(map[string]cas.Entry, len(c.Values))
	for key := range c.Values {
		live[key] = seen.Entry(key)
	}
	return live
}

// pinned appends the pinned version, if there is one.
func (c *Claim) pinned(at []cas.Version) []cas.Version {
	if c.Pin.IsNull() || c.Pin.IsUnknown() {
		return at
	}
	return append(at, cas.Version{ResourceVersion: c.Pin.ValueString()})
}

func sortedKeys[V any](all ...map[string]V) []string {
	var keys []string
	for _, each := range all {
		keys = slices.AppendSeq(keys, maps.Keys(each))
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}
