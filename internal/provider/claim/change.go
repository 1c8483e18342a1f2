package claim

import (
	"maps"
	"slices"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Change is one call of Terraform: one resource instance, its prior state, and its plan.
type Change struct {
	Run    *Run
	Prior  *Claim // of the state; nil for a creation
	Plan   *Claim // nil for a removal
	Memory *Memory

	about diagnose.Subject // describes the resource in diagnostics
}

// NewChange returns a call. prior is nil for a creation, and plan for a removal.
func NewChange(r *Run, prior, plan *Claim, m *Memory) *Change {
	if prior != nil && plan != nil && plan.Known.Keys {
		plan.nameRemoved(prior)
	}
	return &Change{Run: r, Prior: prior, Plan: plan, Memory: m}
}

// subject describes the resource in diagnostics about an operation.
func (ch *Change) subject(op terms.Operation) diagnose.Subject {
	c, prior := ch.Plan, ch.Prior
	if c == nil || op == terms.OpDelete {
		c = prior
	}
	about := ch.Run.about(c, op)
	if op == terms.OpCreate {
		about.Given = ch.Run.pools.givenIn(c.Keys())
		if c.Whole != nil && c.isPinned() {
			about.Ways.Missing = "To create it, remove expected_resource_version_wo."
		}
	}
	if op == terms.OpUpdate {
		about.DestroyRefused = ch.refusesDestroy()
	}
	return about
}

// refusesDestroy reports whether a destroy would be refused because of the state.
func (ch *Change) refusesDestroy() bool {
	if ch.Prior.Whole == nil {
		return len(ch.Prior.removals(ch.Prior.Values, ch.Prior.Values, ch.Memory).with(removalRefuse)) > 0
	}
	return ch.Prior.Policy == terms.PolicyRelease && len(ch.Memory.unowned(ch.Prior.Values)) > 0
}

// Writes reports whether an update needs a write. The apply asks again and must get the same answer, also if the live
// object has changed. So only the state and the configuration decide. An update writes values of a Secret if their
// revision changes, and always writes new and removed keys.
func (ch *Change) Writes() bool {
	if ch.rewrites() || ch.beginsMap() {
		return true
	}
	if !ch.Plan.Known.Keys {
		return false
	}
	for field := range ch.Plan.Values {
		if !ch.keepsValue(field) {
			return true
		}
	}
	return len(ch.dropped()) > 0
}

// rewrites reports whether an update writes the values of a Secret that are there.
func (ch *Change) rewrites() bool {
	c := ch.Plan
	return c.IsSecret() && !c.Revision.Equal(ch.Prior.Revision) && (c.Whole == nil || len(c.Whole.Maps) > 0)
}

// beginsMap reports whether a plan has all entries of a map that the state does not have: there may be others.
func (ch *Change) beginsMap() bool {
	return slices.ContainsFunc(ch.Plan.maps(), func(mapKey string) bool { return !slices.Contains(ch.Prior.maps(), mapKey) })
}

// LeavesValues reports whether an update leaves the values of a Secret that are there.
func (ch *Change) LeavesValues() bool {
	return ch.Plan.IsSecret() && ch.Plan.Revision.Equal(ch.Prior.Revision)
}

// gone gives the fields that were there and that the plan names no longer.
func (ch *Change) gone() map[string]eval.Value {
	gone := map[string]eval.Value{}
	for field, e := range ch.Prior.Values {
		isIn := func(other string) bool { // a field that became a part of another
			return eval.IsIn(field, other) || eval.SelectsIn(other, field, e) && eval.MayBeIn(field, other)
		}
		_, names := ch.Plan.Values[field]
		isUnnamed := slices.Contains(ch.Memory.Unnamed, field)
		if !names && !isUnnamed && ch.Plan.Known.Keys && (ch.Plan.APIVersion == "" || !slices.ContainsFunc(ch.Plan.Keys(), isIn)) {
			gone[field] = e
		}
	}
	return gone
}

// Releases reports whether the plan no longer names a field of the state.
func (ch *Change) Releases() bool { return len(ch.gone()) > 0 }

// dropped gives those of them that an update removes or puts back.
func (ch *Change) dropped() map[string]eval.Value {
	dropped := ch.gone()
	become := ch.Plan.removals(dropped, dropped, ch.Memory)
	maps.DeleteFunc(dropped, func(field string, _ eval.Value) bool { return !become[field].writes() })
	return dropped
}

// tangled gives the fields that an update removes or puts back, and cannot: the plan names them in another version of the API, where their paths may lead
// elsewhere, or names a part of them.
func (ch *Change) tangled(dropped map[string]eval.Value) []string {
	return slices.DeleteFunc(sortedKeys(dropped), func(field string) bool {
		isPart := func(other string) bool { return eval.Overlap(field, other) }
		return ch.Plan.APIVersion == "" || ch.Plan.APIVersion == ch.Prior.APIVersion && !slices.ContainsFunc(ch.Plan.Keys(), isPart)
	})
}

// keepsValue reports whether an update leaves a field as it was.
func (ch *Change) keepsValue(field string) bool {
	value, names := ch.Plan.Values[field]
	before, has := ch.Prior.Values[field]
	switch {
	case !names || !has:
		return false
	case before.IsAnything() && value.IsAbsent():
		return false
	case ch.LeavesValues() && eval.IsEntry(field):
		return true
	case ch.rewrites() && before.IsAnything():
		return false
	default:
		return value.Matches(before)
	}
}

// keeps reports whether an update leaves what drifted as it is.
func (ch *Change) keeps(d diagnose.Drift) bool { return ch.keepsValue(d.Key) }

// Replaces returns the attributes whose change makes an update a replacement, since the object is immutable. Values that
// are unknown at plan may turn out to be unchanged: they replace nothing, except for values of a Secret with another
// revision.
func (ch *Change) Replaces() (attributes []string) {
	if ch.Plan.Whole == nil || ch.Prior.Values[eval.ImmutableKey] != eval.Bool(true) {
		return nil
	}
	for _, key := range ch.Plan.Keys() {
		value := ch.Plan.Values[key]
		if value.IsAbsent() {
			value = ch.Prior.Values[key]
		}
		attribute := ""
		switch {
		case ch.keepsValue(key):
		case key == eval.ImmutableKey:
			attribute = "immutable"
		case !eval.IsEntry(key) || ch.Prior.isImported(): // the first write after an import adopts equal values
		case ch.Plan.IsSecret():
			attribute = "keys" // Terraform sees no change of a write-only argument
		case ch.Plan.Ref.Kind.IsInMap(key, value, eval.DataKey):
			attribute = "data"
		default:
			attribute = "binary_data"
		}
		if attribute != "" && !slices.Contains(attributes, attribute) {
			attributes = append(attributes, attribute)
		}
	}
	return attributes
}

// acknowledges reports whether the plan names another expectation of a key than the last apply did. The write checks that it holds. No
// state has the expectation of a Secret's key, so that one that holds counts: a plan that writes nothing checks none.
func (ch *Change) acknowledges(key string) bool {
	want, named := ch.Plan.Expected[key]
	if ch.Plan.IsSecret() {
		return named && ch.Memory.same(key, want, ch.Prior.Values[key])
	}
	was, had := ch.Prior.Expected[key]
	return named && (!had || !want.Matches(was))
}
