package claim

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// PlanDelete reads the object and notes in private state what the removal compares with. The prior state is not enough: Terraform before
// 1.12.2 plans the removal of a dropped block before it refreshes. While applying it notes nothing, since a foreign write would pass for
// what the plan saw; the removal then compares with the prior state.
func (r *Run) PlanDelete(ctx context.Context, held *Claim, private Private) diag.Diagnostics {
	return r.planDelete(ctx, held, true, private)
}

// planDelete is PlanDelete. If notes is true, it notes the keys as removed in this run.
func (r *Run) planDelete(ctx context.Context, held *Claim, notes bool, private Private) diag.Diagnostics {
	diags := Forget(ctx, private)
	if held.Policy == terms.PolicyAbandon || r.applying() {
		return diags
	}
	if notes {
		diags.Append(r.planKeys(ctx, held.Ref, nil, held.Keys(), token{}, held.About(terms.OpDelete))...)
	}
	if diags.HasError() || !r.Checks() {
		return diags
	}
	timeout, more := held.Timeouts.Read(ctx, terms.DefaultTimeout)
	diags.Append(more...)
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	kept, more := getKept(ctx, private, held.Ref.Kind)
	diags.Append(more...)
	var first originals // nil where nothing is to be put back
	if held.Policy == terms.PolicyRestore {
		first = kept.first
	}
	about := r.planned(ctx, held.About(terms.OpDelete))

	var seen *cas.Observation
	var problem diag.Diagnostic
	var refused bool
	for _, age := range []time.Duration{cas.Fresh, 0} { // what would refuse is read afresh before it is told
		var err error
		if seen, err = r.Engine.Observe(ctx, held.Ref, age); err != nil {
			diags.Append(about.Diagnose(err))
			return diags
		}
		problem, refused = nil, false
		live := held.live(seen)
		switch {
		case seen.Terminating():
		case seen.Immutable() && differs(live, first):
			problem, refused = about.Immutable(), true
		default:
			problem, refused = held.removesChanged(live, kept, seen, about), held.keepsDrift()
		}
		if problem == nil {
			break
		}
	}
	refused = refused && problem != nil
	if problem != nil {
		diags.Append(problem)
	}
	if older := held.removesOlder(held.live(seen), kept, about); older != nil && !seen.Terminating() && !refused {
		diags.Append(older)
	}
	version := seen.Version()
	diags.Append(setPrivate(ctx, private, privateObservation, observation{
		ID: held.ID, UID: version.UID, ResourceVersion: version.ResourceVersion, Digest: kept.sealer.objectDigest(seen),
		Entries: kept.sealer.entries(held.live(seen)), Keys: held.Keys(), OnDrift: held.OnDrift,
	})...)
	if r.CheckMode(ctx) == cas.DryRun && !refused {
		diags.Append(r.rehearseRemoval(ctx, held, private)...)
	}
	return diags
}

// removesChanged is what is said of the removal of keys that somebody else changed: an error, a warning, or nil. seen is where they were
// found; nil where that is the state.
func (c *Claim) removesChanged(live map[string]cas.Entry, kept kept, seen *cas.Observation, about diagnose.Subject) diag.Diagnostic {
	changed := changedSince(live, kept)
	if c.Policy == terms.PolicyRestore { // what is put back already is as it shall be
		changed = slices.DeleteFunc(changed, func(k diagnose.KeyValue) bool { return kept.first[k.Key].Holds(k.Live) })
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
func (c *Claim) removesOlder(live map[string]cas.Entry, kept kept, about diagnose.Subject) diag.Diagnostic {
	if c.Policy != terms.PolicyDelete {
		return nil
	}
	older := slices.DeleteFunc(slices.Sorted(maps.Keys(live)), func(key string) bool {
		return live[key].IsAbsent() || kept.first[key].IsAbsent() || kept.foreign(key, live[key])
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
func (r *Run) rehearseRemoval(ctx context.Context, held *Claim, private privateReader) diag.Diagnostics {
	t, diags := r.removal(ctx, held, private)
	if diags.HasError() {
		return nil
	}
	_, diags = r.checkTxn(ctx, held, t, held.About(terms.OpDelete))
	return diags
}

// differs reports whether a key exists with another value than the one to restore.
func differs(live map[string]cas.Entry, first originals) bool {
	for key, e := range live {
		if !e.IsAbsent() && e != first[key] {
			return true
		}
	}
	return false
}

// changedSince gives the keys that exist with another value than the resource last wrote, where that is known.
func changedSince(live map[string]cas.Entry, kept kept) []diagnose.KeyValue {
	var changed []diagnose.KeyValue
	for _, key := range slices.Sorted(maps.Keys(live)) {
		if kept.foreign(key, live[key]) && !live[key].IsAbsent() {
			changed = append(changed, diagnose.KeyValue{Key: key, Live: live[key]})
		}
	}
	return changed
}

// Delete deletes or restores the keys, as deletion_policy says. A conflict has removed nothing.
func (r *Run) Delete(ctx context.Context, held *Claim, private Private) diag.Diagnostics {
	timeout, diags := held.Timeouts.Delete(ctx, terms.DefaultTimeout)
	if diags.HasError() || held.Policy == terms.PolicyAbandon || len(held.Values) == 0 {
		return diags
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	txn, more := r.removal(ctx, held, private)
	diags.Append(more...)
	if seen, ok, _ := getPrivate[observation](ctx, private, privateObservation); ok && seen.ID == held.ID && seen.OnDrift != "" {
		held.OnDrift = seen.OnDrift
	}
	if !r.Configured() {
		diags.Append(NotConfigured())
	}
	if !diags.HasError() && held.keepsDrift() {
		diags.Append(r.checkRemoval(ctx, held, txn, private)...)
	}
	if !diags.HasError() {
		var err error
		_, more, err = r.commit(ctx, txn, held.About(terms.OpDelete), timeout)
		diags.Append(more...)
		diags.Append(noteDoubt(ctx, private, txn, err)...)
	}
	if diags.HasError() {
		diags.Append(Forget(ctx, private)...)
	}
	return diags
}

// removal builds the transaction that deletes or restores the keys. It compares with what the plan saw, if private state has that, or
// else with the prior state.
func (r *Run) removal(ctx context.Context, held *Claim, private privateReader) (*cas.Txn, diag.Diagnostics) {
	t := &cas.Txn{Ref: held.Ref, GoneIsDone: true, FieldManager: r.FieldManagerOr(held.FieldManager)}
	expect, base, isSeen := held.Values, held.Version, false

	seen, ok, diags := getPrivate[observation](ctx, private, privateObservation)
	if ok && seen.ID == held.ID {
		if slices.ContainsFunc(seen.Needs, func(key string) bool { _, has := held.Values[key]; return has }) {
			diags.Append(held.About(terms.OpDelete).TaintedReplacesItself())
			return t, diags
		}
		if len(seen.Needs) == 0 {
			base = cas.Version{UID: seen.UID, ResourceVersion: seen.ResourceVersion}
		}
		if seen.Entries != nil {
			expect, t.Seen, isSeen = seen.Entries, cas.Basis{Version: base, Digest: seen.Digest}, true
		}
	}
	// If the plan saw no ConfigMap, there is no version to compare, and the keys are expected to be absent.
	byVersion := held.Scope != terms.ScopeKey || held.IsSecret() // of a Secret there is nothing else to go by
	if byVersion && base.Valid() {
		t.At = append(t.At, base)
	}
	if byVersion && !base.Valid() && !isSeen {
		diags.Append(held.About(terms.OpDelete).VersionNotKnown())
	}

	var first originals
	if held.Policy == terms.PolicyRestore {
		var more diag.Diagnostics
		first, _, more = getPrivate[originals](ctx, private, privateOriginal)
		diags.Append(more...)
		if lost := slices.DeleteFunc(held.Keys(), func(key string) bool { _, known := first[key]; return known }); len(lost) > 0 {
			diags.Append(held.About(terms.OpDelete).NothingToRestore(lost))
		}
	}
	for _, key := range held.Keys() {
		k := cas.KeySwap{Key: key, Expect: expect[key], New: first[key]}
		if !k.New.IsAbsent() {
			k.Held = cas.HeldIsDone
		}
		t.Keys = append(t.Keys, k)
	}
	return t, diags
}

// checkRemoval refuses to remove a foreign value, in case plan_check let the plan pass.
func (r *Run) checkRemoval(ctx context.Context, held *Claim, t *cas.Txn, private privateReader) diag.Diagnostics {
	about := held.About(terms.OpDelete)
	kept, diags := getKept(ctx, private, held.Ref.Kind)
	expected := map[string]cas.Entry{}
	for _, k := range t.Keys {
		expected[k.Key] = k.Expect
	}
	if held.removesChanged(expected, kept, nil, about) == nil {
		return diags
	}
	seen, err := r.Engine.Observe(ctx, held.Ref, 0)
	if err != nil {
		diags.Append(about.Diagnose(err))
		return diags
	}
	if refused := held.removesChanged(held.live(seen), kept, seen, about); refused != nil && !seen.Terminating() {
		diags.Append(refused)
	}
	return diags
}
