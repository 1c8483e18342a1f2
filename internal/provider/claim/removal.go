package claim

import (
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// A resource releases a path by a destroy, by an update that names the path no longer, and by the removal of a
// replace. Plan, dry run and apply ask decideRemoval about each path.

// original says whether a path existed before the resource wrote, adopted or imported it.
type original string

const (
	originalUnknown original = "unknown" // for example after a move from another provider
	originalAbsent  original = "absent"
	originalPresent original = "present"
)

// removalAction is the decision about one path.
type removalAction string

const (
	removalDone           removalAction = "done" // there is nothing to do
	removalRemove         removalAction = "remove"
	removalRemoveExisting removalAction = "remove-existing" // the path existed before the resource wrote it
	removalRemoveChanged  removalAction = "remove-changed"  // another writer changed the value
	removalRestore        removalAction = "restore"
	removalKeep           removalAction = "keep"
	removalKeepExisting   removalAction = "keep-existing"
	removalKeepUnknown    removalAction = "keep-unknown" // it is not known whether the path existed before
	removalKeepChanged    removalAction = "keep-changed"
	removalKeepOmitted    removalAction = "keep-omitted" // the plan no longer has the map of a whole object
	removalRefuse         removalAction = "refuse"       // another writer changed the value
)

// decideRemoval returns the action for a path. isPresent: the path holds a value. isWritten: the path is as the
// resource wrote, adopted or imported it, and absent if the resource removed it. A policy that is not known yet counts
// as the one that writes most.
func decideRemoval(policy, onDrift string, isPresent, isWritten bool, first original) removalAction {
	isCautious := policy == terms.PolicyRelease || policy == terms.PolicyRestore
	mayRestore := policy == terms.PolicyRestore || policy == ""
	isPutBack := mayRestore && isWritten && first == originalPresent
	switch {
	case !isPresent && !isPutBack:
		return removalDone
	case policy == terms.PolicyAbandon:
		return removalKeep
	case isCautious && !isWritten:
		return removalKeepChanged
	case isCautious && first == originalUnknown:
		return removalKeepUnknown
	case policy == terms.PolicyRestore && first == originalPresent:
		return removalRestore
	case policy == terms.PolicyRelease && first == originalPresent:
		return removalKeepExisting
	case !isWritten && onDrift == terms.DriftError:
		return removalRefuse
	case !isWritten:
		return removalRemoveChanged
	case policy == terms.PolicyDelete && first == originalPresent:
		return removalRemoveExisting
	default:
		return removalRemove
	}
}

// writes reports whether a path is written or removed, or would be if the removal were not refused.
func (a removalAction) writes() bool {
	return slices.Contains([]removalAction{
		removalRemove, removalRemoveExisting, removalRemoveChanged, removalRestore, removalRefuse,
	}, a)
}

// dependsOnOthers reports whether the action rests on a change by another writer.
func (a removalAction) dependsOnOthers() bool {
	return a == removalRemoveChanged || a == removalKeepChanged || a == removalRefuse
}

// removals are the actions for paths.
type removals map[string]removalAction

// removals decides about paths that the resource releases. was has the values of the state, and live the present
// values. The receiver gives the policy: an update has the plan's, and a destroy has the state's.
func (c *Claim) removals(was, live map[string]eval.Value, m *Memory) removals {
	all := removals{}
	for path, e := range live {
		if c.Whole != nil && eval.IsEntry(path) {
			all[path] = removalKeepOmitted
			continue
		}
		all[path] = decideRemoval(c.Policy, c.OnDrift, !e.IsAbsent(), m.isWritten(path, was[path], e), m.original(path))
	}
	return all
}

// unchangedRemovals returns the actions if no other writer has changed a path of the state. A path that stays by them
// stays in any case.
func (c *Claim) unchangedRemovals(m *Memory) removals {
	all := removals{}
	for path, was := range c.Values {
		isWritten := !was.IsAbsent() || m.isWritten(path, was, was)
		all[path] = decideRemoval(c.Policy, c.OnDrift, !was.IsAbsent(), isWritten, m.original(path))
	}
	return all
}

// original returns what a path held first, as far as that is known.
func (m *Memory) original(path string) original {
	switch first, isKnown := m.First[path]; {
	case !isKnown:
		return originalUnknown
	case first.IsAbsent():
		return originalAbsent
	default:
		return originalPresent
	}
}

// isWritten reports whether a path is as the resource wrote, adopted or imported it. Without a baseline, the value of
// the state is the baseline. A value of a Secret that no read has found counts as written.
func (m *Memory) isWritten(path string, was, live eval.Value) bool {
	written, isKnown := m.Written[path]
	digest, isSeen := m.found(path, live)
	switch {
	case !isKnown:
		return live.IsAbsent() == was.IsAbsent() && live.Matches(was)
	case !isSeen:
		return true
	default:
		return digest == written
	}
}

// where returns the paths of the actions for which this is true, sorted.
func (r removals) where(is func(removalAction) bool) []string {
	return slices.DeleteFunc(slices.Sorted(maps.Keys(r)), func(path string) bool { return !is(r[path]) })
}

// with returns the paths that have an action, sorted.
func (r removals) with(action removalAction) []string {
	return r.where(func(a removalAction) bool { return a == action })
}

// target returns the new value of a path that a removal writes.
func (c *Claim) target(m *Memory, action removalAction, path string) eval.Value {
	if action == removalRestore {
		return m.First[path]
	}
	return eval.Value{}
}

// changes reports whether a removal changes the object. live has the present values.
func (c *Claim) changes(r removals, live map[string]eval.Value, m *Memory) bool {
	return slices.ContainsFunc(r.where(removalAction.writes), func(path string) bool {
		return live[path] != c.target(m, r[path], path)
	})
}

// concerns returns the paths that a removal writes or leaves in place. present has the paths that hold a value after the
// removal.
func (c *Claim) concerns(r removals, live map[string]eval.Value) (all, present []string) {
	for _, path := range slices.Sorted(maps.Keys(r)) {
		isLeft := !r[path].writes() && !live[path].IsAbsent()
		if isLeft || r[path] == removalRestore {
			present = append(present, path)
		}
		if isLeft || r[path].writes() {
			all = append(all, path)
		}
	}
	return all, present
}

// says returns the diagnostics of a plan about its removals: why they are refused, or what they write and keep. seen is
// the read that found the live values; nil if the live values come from the state.
func (c *Claim) says(
	r removals, m *Memory, live map[string]eval.Value, seen *eval.Snapshot, about diagnose.Subject,
) (diags diag.Diagnostics) {
	if refused := c.refusals(r, live, seen, about); len(refused) > 0 {
		return refused
	}
	if paths := r.with(removalRemoveChanged); len(paths) > 0 {
		diags.Append(about.RemovesChanged(driftIn(live, paths), seen))
	}
	if paths := r.with(removalRemoveExisting); len(paths) > 0 {
		diags.Append(about.ExistedBefore(paths))
	}
	back := map[string]eval.Value{}
	for _, path := range r.with(removalRestore) {
		if first := m.First[path]; !first.Matches(live[path]) {
			back[path] = first
		}
	}
	if len(back) > 0 {
		diags.Append(about.PutsBack(back, live))
	}
	return append(diags, c.kept(r, m, live, seen, about)...)
}

// kept returns the warnings about paths that stay in place, which an apply without a checked plan gives as well.
func (c *Claim) kept(
	r removals, m *Memory, live map[string]eval.Value, seen *eval.Snapshot, about diagnose.Subject,
) (diags diag.Diagnostics) {
	for _, of := range []struct {
		action removalAction
		reason diagnose.KeptReason
	}{
		{removalKeepChanged, diagnose.KeptChanged},
		{removalKeepExisting, diagnose.KeptExisting},
		{removalKeepUnknown, diagnose.KeptUnknown},
		{removalKeepOmitted, diagnose.KeptOmitted},
	} {
		var kept []diagnose.Kept
		for _, path := range r.with(of.action) {
			k := diagnose.Kept{Key: path, Live: live[path]}
			if first, isKnown := m.First[path]; isKnown && m.kind != eval.Secret {
				k.First = &first
			}
			kept = append(kept, k)
		}
		if len(kept) > 0 {
			diags.Append(about.Stays(of.reason, kept, seen))
		}
	}
	return diags
}

// refusals returns why nothing may be removed.
func (c *Claim) refusals(
	r removals, live map[string]eval.Value, seen *eval.Snapshot, about diagnose.Subject,
) (diags diag.Diagnostics) {
	if paths := r.with(removalRefuse); len(paths) > 0 {
		diags.Append(about.RemovalRefused(driftIn(live, paths), seen))
	}
	return diags
}

// driftIn returns paths with what they hold.
func driftIn(live map[string]eval.Value, paths []string) []diagnose.Drift {
	drift := make([]diagnose.Drift, len(paths))
	for i, path := range paths {
		drift[i] = diagnose.Drift{Key: path, Found: live[path]}
	}
	return drift
}
