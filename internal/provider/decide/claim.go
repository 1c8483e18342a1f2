// Package decide decides about the fields of one object: what a create, an update and a removal write, refuse and keep,
// and what a refresh finds. It knows plain values only: no input, no output, no messages.
//
// A [Claim] describes what a plan asks for, or what a state has. [Memory] has the facts about the resource that are
// not in its state. [Create], [Update], [Remove], [PlanRemove] and [Read] return decisions, which the caller carries
// out and reports. No function changes its arguments.
package decide

import (
	"maps"
	"slices"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// Claim describes fields of one object: those that a plan asks for, or those that a state has. A field has the name
// that a [eval.Txn] uses: its key, or a name such as [eval.LabelKey] returns.
type Claim struct {
	ID  string // the same before and after a replacement of the resource in its place
	Ref eval.Ref
	// APIVersion is the version in which keys name fields, as [eval.FieldKey] does; empty if keys name entries.
	APIVersion string
	// Document is the key with the document that has the fields; empty if the fields are those of an object.
	Document string
	// Values are the planned or present values: [eval.Anything] if unknown, the absent value to remove a field.
	Values map[string]eval.Value
	// Configured has the values of fields in the configuration. Values has them in the form that the API server stores.
	Configured map[string]eval.Value
	Expected   map[string]eval.Value // the condition of a write; the absent value for a key that must be missing
	Adopt      bool                  // adopt a key that already contains its value
	Required   Required              // of a plan
	Scope      string                // conflict_scope
	Policy     string                // deletion_policy
	OnDrift    string                // on_drift
	Waits      bool                  // wait_for_match
	Version    eval.Version          // of a state: the version of the object
	// Revision is the version of write-only values; empty after an import. The state of a Secret has no values, so a
	// claim on a Secret compares revisions.
	Revision string
	// Open says that an apply may have other keys than its plan: those of a write-only map, which may be ephemeral.
	Open         bool
	FieldManager string
	Known        Known
	Whole        *Whole // of a whole object; nil of keys
}

// Required is the resourceVersion that a plan requires of the object: the values were read at that version. So a write
// may replace values that the plan does not name. The zero value requires nothing.
type Required struct {
	Version   string
	IsUnknown bool
}

// Known says which parts of a claim are known at plan.
type Known struct {
	Place  bool // the name of the object and, for a resource of one key, the key
	Keys   bool // which fields the claim has
	Values bool // their planned values
	Change bool // whether an update needs a write
	All    bool // everything that a check needs, except Required
}

// Whole has the parts of a claim that only whole objects have. Labels, annotations, immutable and type are values like
// entries. A map, data or binary_data, is a value for each of its entries; Maps says that it has no others.
type Whole struct {
	Maps         []string // eval.DataKey and eval.BinaryDataKey, for the maps that the claim has
	GenerateName string   // of a plan that derives the name of the object from a prefix
}

// Keys returns the keys of Values, sorted.
func (c *Claim) Keys() []string { return slices.Sorted(maps.Keys(c.Values)) }

// IsNamed reports whether the id of the resource is known at plan.
func (c *Claim) IsNamed() bool { return c.Known.Place && (c.Known.Keys || c.Whole != nil) }

// IsSecret reports whether no state may have the values.
func (c *Claim) IsSecret() bool { return c.Ref.Kind == eval.Secret && c.APIVersion == "" }

// IsGenerated reports whether the apply generates the name of the object.
func (c *Claim) IsGenerated() bool {
	return c.Whole != nil && c.Ref.Name == "" && c.Whole.GenerateName != ""
}

// Maps returns the maps whose entries all belong to the claim.
func (c *Claim) Maps() []string {
	if c.Whole == nil {
		return nil
	}
	return c.Whole.Maps
}

// HasMapOf reports whether the claim has all entries of the map that stores an entry.
func (c *Claim) HasMapOf(key string, e eval.Value) bool {
	isIn := func(mapKey string) bool { return c.Ref.Kind.IsInMap(key, e, mapKey) }
	return slices.ContainsFunc(c.Maps(), isIn)
}

// WithRemoved returns the values of a plan and, as absent, each entry of the state that the plan does not name and that
// is in a map whose entries all belong to the plan.
func WithRemoved(plan, prior *Claim) map[string]eval.Value {
	values := maps.Clone(plan.Values)
	for key, e := range prior.Values {
		if _, names := plan.Values[key]; !names && plan.HasMapOf(key, e) {
			values[key] = eval.Value{}
		}
	}
	return values
}

// adopts returns the keys that a create adopts if they already contain their values.
func (c *Claim) adopts() []string {
	if c.Adopt {
		return c.Keys()
	}
	return nil
}

// expects returns the keys that a write expects to exist.
func (c *Claim) expects() []string {
	return slices.DeleteFunc(sortedKeys(c.Expected), func(key string) bool { return c.Expected[key].IsAbsent() })
}

// isImported reports whether a state has keys of a Secret that no apply has written yet.
func (c *Claim) isImported() bool { return c.IsSecret() && c.Revision == "" }

// Live returns the values of the snapshot in the fields of the claim.
func (c *Claim) Live(seen *eval.Snapshot) map[string]eval.Value {
	live := make(map[string]eval.Value, len(c.Values))
	for key := range c.Values {
		live[key] = seen.Value(key)
	}
	for key, e := range seen.Entries() {
		if c.HasMapOf(key, e) {
			live[key] = e
		}
	}
	return live
}

// txn returns a transaction without keys.
func (c *Claim) txn() *eval.Txn {
	return &eval.Txn{Ref: c.Ref, APIVersion: c.APIVersion, FieldManager: c.FieldManager}
}

// withRequired appends the required version, if there is one.
func (c *Claim) withRequired(versions []eval.Version) []eval.Version {
	if c.Required.Version == "" {
		return versions
	}
	return append(versions, eval.Version{ResourceVersion: c.Required.Version})
}

// Drift is a value that another writer set after the last apply.
type Drift struct {
	Key            string
	Found, ToWrite eval.Value
	Written        *eval.Value // by the resource; nil if only a digest is known
}

// Finding is a reason to refuse a write.
type Finding struct {
	Kind FindingKind
	Keys []string
}

// FindingKind says what is wrong with a write.
type FindingKind string

const (
	// FindVersionUnknown: the write needs a version that no read has found.
	FindVersionUnknown FindingKind = "version-unknown"
	// FindExpectationMissing: no condition says what the keys must contain.
	FindExpectationMissing FindingKind = "expectation-missing"
	// FindTangled: the update cannot remove the keys.
	FindTangled FindingKind = "tangled"
	// FindTainted: the creation that replaces a tainted resource needs keys that the removal changes.
	FindTainted FindingKind = "tainted"
	// FindReplacesAdopted: the removal changes keys that the creation of the same replacement adopts.
	FindReplacesAdopted FindingKind = "replaces-adopted"
	// FindReplacesExpected: the removal changes keys that the creation of the same replacement expects.
	FindReplacesExpected FindingKind = "replaces-expected"
	// FindReplacesKept: the removal keeps keys that the creation of the same replacement finds.
	FindReplacesKept FindingKind = "replaces-kept"
)

func sortedKeys[V any](all ...map[string]V) []string {
	var keys []string
	for _, each := range all {
		keys = slices.AppendSeq(keys, maps.Keys(each))
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// common returns the keys that both lists have.
func common(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(key string) bool { return !slices.Contains(b, key) })
}
