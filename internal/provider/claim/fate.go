package claim

import (
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// What becomes of a key that a resource lets go: by a destroy, by an update that names it no longer, or by the removal of a replace. Plan, rehearsal and apply all
// ask fateOf, and an apply goes by what its plan has noted of that.

// origin is what a key held before the resource wrote it, or took it over.
type origin string

const (
	heldNothing   origin = "nothing"   // the resource created the key
	heldSomething origin = "something" // so does a key that was adopted or imported
	notKnown      origin = "not known" // as of what was moved from another provider
)

// finding is what a key holds now.
type finding string

const (
	findsNothing  finding = "nothing"   // which is somebody else's doing
	findsRemoved  finding = "removed"   // by the resource
	findsOwn      finding = "own"       // what the resource wrote or took over, or no read has found it: of a Secret
	findsChanged  finding = "changed"   // what somebody else wrote since
	findsOriginal finding = "original"  // what somebody else wrote, and what it held first
	findsNotKnown finding = "not known" // whether it is own: nothing is remembered
)

// fate is what becomes of a key. A plan keeps it for its apply. What comes after a comma is why, and the plan says it.
type fate string

const (
	removed        fate = "removed"
	removedChanged fate = "removed, changed" // by somebody else
	removedOlder   fate = "removed, older"   // than this resource
	removedPerhaps fate = "removed, perhaps changed"
	putBack        fate = "put back"
	stays          fate = "stays"
	staysChanged   fate = "stays, changed"
	staysOlder     fate = "stays, older"
	staysUnknown   fate = "stays, not known" // whether it is older, and what to put back
	refusedChanged fate = "refused, changed"
)

// fateOf decides. A policy and an on_drift that are not known yet are those by which most is written.
func fateOf(policy, onDrift string, first origin, found finding) fate {
	isChanged := found == findsChanged || found == findsOriginal
	isAbsent := found == findsNothing || found == findsRemoved
	goesByFirst := policy == terms.PolicyRelease || policy == terms.PolicyRestore
	switch {
	case policy == terms.PolicyAbandon, goesByFirst && first == notKnown && isAbsent:
		return stays
	case goesByFirst && (first == notKnown || found == findsNotKnown):
		return staysUnknown
	case policy == terms.PolicyRestore:
		switch {
		case found == findsChanged:
			return refusedChanged
		case first == heldNothing:
			return removed
		case found == findsNothing:
			return stays
		default:
			return putBack
		}
	case policy == terms.PolicyRelease:
		switch {
		case first == heldSomething && isAbsent:
			return stays
		case first == heldSomething:
			return staysOlder
		case isChanged:
			return staysChanged
		default:
			return removed
		}
	default:
		switch {
		case isChanged && onDrift == terms.DriftError:
			return refusedChanged
		case isChanged:
			return removedChanged
		case found == findsNotKnown:
			return removedPerhaps
		case first == heldSomething && found == findsOwn && policy == terms.PolicyDelete:
			return removedOlder
		default:
			return removed
		}
	}
}

// writes reports whether a key is written or removed, or would be if that were not refused.
func (f fate) writes() bool {
	return !slices.Contains([]fate{stays, staysChanged, staysOlder, staysUnknown}, f)
}

// isOthers reports whether it depends on what somebody else wrote, or may have written.
func (f fate) isOthers() bool {
	return slices.Contains([]fate{removedChanged, removedPerhaps, staysChanged, refusedChanged}, f)
}

// isRefused reports whether nothing may be written.
func (f fate) isRefused() bool {
	return f == refusedChanged
}

// fates are what becomes of keys.
type fates map[string]fate

// fates gives what becomes of keys that the resource lets go, which hold this. Those of a change are the plan's or the state's: an update goes by its plan, a destroy
// by its state.
func (c *Claim) fates(live map[string]cas.Entry, m *Memory) fates {
	all := fates{}
	for key, e := range live {
		all[key] = fateOf(c.Policy, c.OnDrift, m.origin(key), m.finding(key, e))
	}
	return all
}

// target is what a key is to hold that the resource lets go, and that does not stay as it is.
func (c *Claim) target(m *Memory, key string) cas.Entry {
	if c.Policy == terms.PolicyRestore {
		return m.First[key]
	}
	return cas.Entry{}
}

// leaves gives the keys that are there afterwards.
func (c *Claim) leaves(become fates, m *Memory) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(become)), func(key string) bool {
		return become[key].writes() && c.target(m, key).IsAbsent()
	})
}

// changes reports whether the removal of keys that hold this writes to the object.
func (c *Claim) changes(become fates, live map[string]cas.Entry, m *Memory) bool {
	for key, e := range live {
		if become[key].writes() && !e.IsAbsent() && e != c.target(m, key) {
			return true
		}
	}
	return false
}

// atMost is fates as long as nobody else has changed anything, whatever was read. So what stays by it stays.
func (c *Claim) atMost(m *Memory) fates {
	all := fates{}
	for key := range c.Values {
		all[key] = fateOf(c.Policy, c.OnDrift, m.origin(key), findsOwn)
	}
	return all
}

// origin is what a key held first, as far as that is known.
func (m *Memory) origin(key string) origin {
	switch first, isKnown := m.First[key]; {
	case !isKnown:
		return notKnown
	case first.IsAbsent():
		return heldNothing
	default:
		return heldSomething
	}
}

// finding is what a key holds, compared with what the resource last wrote.
func (m *Memory) finding(key string, live cas.Entry) finding {
	first, isKnown := m.First[key]
	switch by := m.writer(partKeys, key, live); {
	case live.IsAbsent() && by == own:
		return findsRemoved
	case live.IsAbsent():
		return findsNothing
	case by == anonymous:
		return findsNotKnown
	case by == own:
		return findsOwn
	case isKnown && first.Holds(live):
		return findsOriginal
	default:
		return findsChanged
	}
}

// keys gives the keys of which this is true, sorted.
func (f fates) keys(is func(fate) bool) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(f)), func(key string) bool { return !is(f[key]) })
}

// of gives the keys of one fate, sorted.
func (f fates) of(one fate) []string { return f.keys(func(of fate) bool { return of == one }) }

// any reports whether this is true of a key.
func (f fates) any(is func(fate) bool) bool { return len(f.keys(is)) > 0 }

// tell is what is said of it: why it is refused, or else what a plan lists. live is what the keys hold, and seen where that was found; nil where that is the
// state.
func (c *Claim) tell(f fates, m *Memory, live map[string]cas.Entry, seen *cas.Observation, about diagnose.Subject) (diags diag.Diagnostics) {
	if refused := c.refusals(f, live, seen, about); len(refused) > 0 {
		return refused
	}
	if keys := f.of(removedChanged); len(keys) > 0 {
		diags.Append(about.ChangedSinceApply(driftIn(live, keys, false), seen, c.Policy))
	}
	if keys := f.of(removedOlder); len(keys) > 0 {
		diags.Append(about.ExistedBefore(keys))
	}
	back := map[string]cas.Entry{}
	for _, key := range f.of(putBack) {
		if original := c.target(m, key); !original.Holds(live[key]) {
			back[key] = original
		}
	}
	if len(back) > 0 {
		diags.Append(about.PutsBack(back, live))
	}
	return append(diags, c.unplanned(f, live, seen, about)...)
}

// unplanned is what an apply says too, where no plan has: of keys that stay as they are, and of those that are removed though somebody else may have changed them.
func (c *Claim) unplanned(f fates, live map[string]cas.Entry, seen *cas.Observation, about diagnose.Subject) (diags diag.Diagnostics) {
	if keys := f.of(staysChanged); len(keys) > 0 {
		diags.Append(about.ChangedSinceApply(driftIn(live, keys, false), seen, c.Policy))
	}
	if keys := f.of(removedPerhaps); len(keys) > 0 {
		diags.Append(about.ChangedSinceApply(driftIn(live, keys, true), seen, c.Policy))
	}
	if keys := f.of(staysOlder); len(keys) > 0 {
		diags.Append(about.Stays(keys, true))
	}
	if keys := f.of(staysUnknown); len(keys) > 0 {
		diags.Append(about.Stays(keys, false))
	}
	return diags
}

// refusals say why nothing may be written.
func (c *Claim) refusals(f fates, live map[string]cas.Entry, seen *cas.Observation, about diagnose.Subject) (diags diag.Diagnostics) {
	changed := f.of(refusedChanged)
	switch {
	case len(changed) > 0 && c.Policy == terms.PolicyRestore:
		diags.Append(about.ChangedSinceApply(driftIn(live, changed, false), seen, c.Policy))
	case len(changed) > 0:
		diags.Append(about.RemovalRefused(driftIn(live, changed, false), seen))
	}
	return diags
}

// driftIn is what keys hold. notKnown says that nothing tells whether somebody else changed them.
func driftIn(live map[string]cas.Entry, keys []string, notKnown bool) []diagnose.Drift {
	drift := make([]diagnose.Drift, len(keys))
	for i, key := range keys {
		drift[i] = diagnose.Drift{Kind: diagnose.PartKey, Key: key, Found: live[key], NotKnown: notKnown}
	}
	return drift
}
