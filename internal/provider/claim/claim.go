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
	Version  cas.Version          // of a state: the object's

	Replanned    bool         // an apply plans it again
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

// Changes reports whether an update needs a write. held is the claim of the prior state.
func (c *Claim) Changes(held *Claim) bool {
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
