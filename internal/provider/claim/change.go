package claim

import (
	"maps"
	"slices"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Change is what a call of Terraform is about: one resource instance, what its state has, and what its plan wants.
type Change struct {
	Prior  *Claim // of the state; nil for a creation
	Plan   *Claim // nil for a removal
	Memory *Memory

	about diagnose.Subject // what diagnostics say of the resource
}

// Writes reports whether an update needs a write. Values of a Secret are written when their revision changes; keys that appear or go are
// written at once.
func (ch *Change) Writes() bool {
	if ch.Plan.IsSecret() {
		return ch.Plan.rewrites(ch.Prior) || ch.Plan.Known.Keys && !slices.Equal(ch.Plan.Keys(), ch.Prior.Keys())
	}
	for key, value := range ch.Plan.Values {
		if was, has := ch.Prior.Values[key]; !has || !value.Holds(was) {
			return true
		}
	}
	return len(ch.dropped()) > 0
}

// dropped gives the keys that an update removes: those of the state that the plan no longer has, unless they are abandoned.
func (ch *Change) dropped() map[string]cas.Entry {
	if ch.Plan.Policy == terms.PolicyAbandon {
		return nil
	}
	dropped := maps.Clone(ch.Prior.Values)
	maps.DeleteFunc(dropped, func(key string, was cas.Entry) bool {
		_, keeps := ch.Plan.Values[key]
		isIn := func(other string) bool { return cas.Overlap(key, other) } // a field that became a part of another, or the reverse
		return keeps || ch.Plan.leaves(key, was, ch.Memory) || slices.ContainsFunc(ch.Plan.Keys(), isIn)
	})
	return dropped
}

// keepsValue reports whether an update leaves a key that the state has as it is.
func (ch *Change) keepsValue(key string) bool {
	was, has := ch.Prior.Values[key]
	if ch.Plan.IsSecret() {
		return has && !ch.Plan.rewrites(ch.Prior)
	}
	return has && (!ch.Plan.Known.Values || ch.Plan.Values[key].Holds(was))
}

// keeps reports whether an update leaves what drifted as it is.
func (ch *Change) keeps(d diagnose.Drift) bool {
	if w := ch.Plan.Whole; w != nil {
		return w.Keeps != nil && d.Kind == diagnose.PartKey && w.Keeps[d.Key].Holds(d.Found)
	}
	return ch.keepsValue(d.Key)
}

// acknowledges reports whether the plan names another expectation of a key than the last apply did. The write checks that it holds. No
// state has the expectation of a Secret's key, so that one that holds counts: a plan that writes nothing checks none.
func (ch *Change) acknowledges(key string) bool {
	want, named := ch.Plan.Expected[key]
	if ch.Plan.IsSecret() {
		return named && ch.Memory.same(key, want, ch.Prior.Values[key])
	}
	was, had := ch.Prior.Expected[key]
	return named && (!had || !want.Holds(was))
}
