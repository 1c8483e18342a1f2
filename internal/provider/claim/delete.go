package claim

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// PlanDelete reads the object and notes what the removal compares with. The prior state is not enough: Terraform before
// 1.12.2 plans the removal of a dropped block before it refreshes. While applying it notes nothing, since a foreign write would pass for
// what the plan saw; the removal then compares with the prior state.
func (ch *Change) PlanDelete(ctx context.Context) diag.Diagnostics {
	return ch.planDelete(ctx, true)
}

// planDelete is PlanDelete. If notes is true, it notes the keys as removed in this run.
func (ch *Change) planDelete(ctx context.Context, notes bool) (diags diag.Diagnostics) {
	prior, m := ch.Prior, ch.Memory
	m.ForgetPlan()
	if prior.Policy == terms.PolicyAbandon || ch.Run.applying() {
		return nil
	}
	ch.about = ch.Run.atPlan(ctx, ch.subject(terms.OpDelete))
	about := ch.about
	if prior.Whole != nil {
		return ch.planDeleteWhole(ctx)
	}
	if notes {
		diags = ch.Run.planKeys(ctx, prior.Ref, use{removes: prior.Keys()}, m.token(), about)
	}
	if diags.HasError() || !ch.Run.Checks() {
		return diags
	}
	timeout, more := prior.Timeouts.Read(ctx, terms.DefaultTimeout)
	diags.Append(more...)
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	var first map[string]cas.Entry // nil where nothing is to be put back
	if prior.Policy == terms.PolicyRestore {
		first = m.First
	}
	var seen *cas.Observation
	var problem diag.Diagnostic
	var refused bool
	for _, age := range []time.Duration{cas.Fresh, 0} { // what would refuse is read afresh before it is told
		var err error
		if seen, err = ch.Run.Engine.ObserveFields(ctx, prior.Ref, prior.APIVersion, age); err != nil {
			diags.Append(about.Diagnose(err))
			return diags
		}
		problem, refused = nil, false
		live := prior.live(seen)
		switch {
		case seen.Terminating():
		case seen.Immutable() && differs(live, first):
			problem, refused = about.Immutable(), true
		default:
			for _, key := range prior.left(live, m) {
				delete(live, key)
			}
			problem, refused = prior.removesChanged(live, m, seen, about), prior.keepsDrift()
		}
		if problem == nil {
			break
		}
	}
	refused = refused && problem != nil
	if problem != nil {
		diags.Append(problem)
	}
	if older := prior.removesOlder(prior.live(seen), m, about); older != nil && !seen.Terminating() && !refused {
		diags.Append(older)
	}
	if left := prior.left(prior.live(seen), m); len(left) > 0 && !seen.Terminating() && !refused {
		diags.Append(about.Stays(left))
	}
	version := seen.Version()
	m.Removal = &removalNote{
		ID: prior.ID, UID: version.UID, ResourceVersion: version.ResourceVersion, Digest: m.objectDigest(seen),
		Entries: m.entries(prior.live(seen)), Keys: prior.Keys(), OnDrift: prior.OnDrift,
	}
	if ch.Run.CheckMode(ctx) == cas.DryRun && !refused {
		diags.Append(ch.rehearseRemoval(ctx)...)
	}
	return diags
}

// removesChanged is what is said of the removal of keys that somebody else changed: an error, a warning, or nil. seen is where they were
// found; nil where that is the state.
func (c *Claim) removesChanged(live map[string]cas.Entry, m *Memory, seen *cas.Observation, about diagnose.Subject) diag.Diagnostic {
	changed := changedSince(live, m)
	if c.Policy == terms.PolicyRestore { // what is put back already is as it shall be
		changed = slices.DeleteFunc(changed, func(k diagnose.KeyValue) bool { return m.First[k.Key].Holds(k.Live) })
	}
	switch {
	case len(changed) == 0:
		return nil
	case c.OnDrift == terms.DriftError && c.Policy != terms.PolicyRestore:
		return about.RemovalRefused(changed, seen)
	default:
		return about.ChangedSinceApply(changed, seen, c.Policy)
	}
}

// removesOlder is the warning of a plan that deletes keys that were there before this resource; nil if there are none.
func (c *Claim) removesOlder(live map[string]cas.Entry, m *Memory, about diagnose.Subject) diag.Diagnostic {
	if c.Policy != terms.PolicyDelete {
		return nil
	}
	older := slices.DeleteFunc(slices.Sorted(maps.Keys(live)), func(key string) bool {
		return live[key].IsAbsent() || m.First[key].IsAbsent() || m.foreign(partKeys, key, live[key])
	})
	if len(older) == 0 {
		return nil
	}
	return about.ExistedBefore(older)
}

// keepsDrift reports whether a removal must not remove values that somebody else changed.
func (c *Claim) keepsDrift() bool {
	return c.Policy == terms.PolicyRestore || c.OnDrift == terms.DriftError
}

// rehearseRemoval sends the planned removal as a dry run. A removal that cannot be built is refused at apply.
func (ch *Change) rehearseRemoval(ctx context.Context) diag.Diagnostics {
	t, diags := ch.removal()
	if diags.HasError() {
		return nil
	}
	_, diags = ch.Run.checkTxn(ctx, ch.Prior, t, ch.Prior.About(terms.OpDelete))
	return diags
}

// differs reports whether a key exists with another value than the one to restore.
func differs(live map[string]cas.Entry, first map[string]cas.Entry) bool {
	for key, e := range live {
		if !e.IsAbsent() && e != first[key] {
			return true
		}
	}
	return false
}

// changedSince gives the keys that exist with another value than the resource last wrote, where that is known.
func changedSince(live map[string]cas.Entry, m *Memory) []diagnose.KeyValue {
	var changed []diagnose.KeyValue
	for _, key := range slices.Sorted(maps.Keys(live)) {
		if m.foreign(partKeys, key, live[key]) && !live[key].IsAbsent() {
			changed = append(changed, diagnose.KeyValue{Key: key, Live: live[key]})
		}
	}
	return changed
}

// Delete deletes or restores the keys, as deletion_policy says, or deletes the whole object. A conflict has removed nothing.
func (ch *Change) Delete(ctx context.Context) diag.Diagnostics {
	prior := ch.Prior
	timeout, diags := prior.Timeouts.Delete(ctx, terms.DefaultTimeout)
	if diags.HasError() || prior.Policy == terms.PolicyAbandon || len(prior.Values) == 0 {
		return diags
	}
	ch.about = ch.subject(terms.OpDelete)
	at := prior.Version
	if seen := ch.Memory.removalOf(prior.ID); seen != nil {
		at, prior.OnDrift = seen.version(), cmp.Or(seen.OnDrift, prior.OnDrift)
	}
	if !ch.Run.Configured() {
		diags.Append(NotConfigured())
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	switch {
	case diags.HasError():
	case prior.Whole != nil:
		diags.Append(ch.deleteWhole(ctx, at)...)
	default:
		diags.Append(ch.deleteKeys(ctx, timeout)...)
	}
	if diags.HasError() {
		ch.Memory.ForgetPlan()
	}
	return diags
}

// deleteKeys deletes or restores the keys.
func (ch *Change) deleteKeys(ctx context.Context, timeout time.Duration) diag.Diagnostics {
	txn, diags := ch.removal()
	if !diags.HasError() && ch.Prior.keepsDrift() {
		diags.Append(ch.checkRemoval(ctx, txn)...)
	}
	if diags.HasError() || len(txn.Keys) == 0 {
		return diags
	}
	result, err := ch.Run.commit(ctx, txn, ch.about, timeout)
	ch.Memory.doubtOf(err, ch.left(txn))
	return append(diags, ch.told(txn, result, err)...)
}

// removal builds the transaction that deletes or restores the keys. It compares with what the plan saw, if the memory has that, or
// else with the prior state.
func (ch *Change) removal() (t *cas.Txn, diags diag.Diagnostics) {
	prior, m, about := ch.Prior, ch.Memory, ch.Prior.About(terms.OpDelete)
	t = ch.Run.txnOf(prior)
	t.GoneIsDone = true
	if needs := m.Needs; needs != nil && needs.ID == prior.ID &&
		slices.ContainsFunc(needs.Keys, func(key string) bool { _, has := prior.Values[key]; return has }) {
		diags.Append(about.TaintedReplacesItself())
		return t, diags
	}
	expect, base, isSeen := prior.Values, prior.Version, false
	if seen := m.removalOf(prior.ID); seen != nil {
		if base = seen.version(); seen.Entries != nil {
			expect, t.Seen, isSeen = seen.Entries, cas.Basis{Version: base, Digest: seen.Digest}, true
		}
	}
	// If the plan saw no ConfigMap, there is no version to compare, and the keys are expected to be absent.
	byVersion := prior.Scope != terms.ScopeKey || prior.IsSecret() // of a Secret there is nothing else to go by
	if byVersion && base.Valid() {
		t.At = append(t.At, base)
	}
	if byVersion && !base.Valid() && !isSeen {
		diags.Append(about.VersionNotKnown())
	}

	var first map[string]cas.Entry
	if prior.Policy == terms.PolicyRestore {
		first = m.First
		if lost := slices.DeleteFunc(prior.Keys(), func(key string) bool { _, known := first[key]; return known }); len(lost) > 0 {
			diags.Append(about.NothingToRestore(lost))
		}
	}
	for _, key := range prior.Keys() {
		if prior.leaves(key, expect[key], m) {
			continue
		}
		k := cas.KeySwap{Key: key, Expect: expect[key], New: first[key]}
		if !k.New.IsAbsent() {
			k.Held = cas.HeldIsDone
		}
		t.Keys = append(t.Keys, k)
	}
	return t, diags
}

// checkRemoval refuses to remove a foreign value, in case plan_check let the plan pass.
func (ch *Change) checkRemoval(ctx context.Context, t *cas.Txn) (diags diag.Diagnostics) {
	prior, m, about := ch.Prior, ch.Memory, ch.Prior.About(terms.OpDelete)
	expected := map[string]cas.Entry{}
	for _, k := range t.Keys {
		expected[k.Key] = k.Expect
	}
	if prior.removesChanged(expected, m, nil, about) == nil {
		return nil
	}
	seen, err := ch.Run.Engine.ObserveFields(ctx, prior.Ref, prior.APIVersion, 0)
	if err != nil {
		return diag.Diagnostics{about.Diagnose(err)}
	}
	if refused := prior.removesChanged(prior.live(seen), m, seen, about); refused != nil && !seen.Terminating() {
		diags.Append(refused)
	}
	return diags
}
