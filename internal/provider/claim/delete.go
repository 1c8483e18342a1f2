package claim

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// PlanDelete reads the object and records the content that the removal compares with. The prior state is not enough:
// Terraform before 1.12.2 plans the removal of a dropped block before it refreshes. While applying it records nothing,
// since a write of another writer would pass for the content that the plan saw; the removal then compares with the
// prior state. If notes is true, the keys count as removed in this run.
func (ch *Change) PlanDelete(ctx context.Context, notes bool) (diags diag.Diagnostics) {
	prior, m := ch.Prior, ch.Memory
	m.ForgetPlan()
	if ch.Run.applying() || ch.isTakenOver() {
		return nil
	}
	ch.about = ch.Run.atPlan(ctx, ch.subject(terms.OpDelete))
	about := ch.about
	if prior.Whole != nil {
		return ch.planDeleteWhole(ctx)
	}
	writes := prior.unchangedRemovals(m).where(removalAction.writes)
	if notes {
		diags = ch.Run.planUse(ctx, prior.Ref, use{removes: writes}, m.token(), about)
	}
	if diags.HasError() || !ch.Run.Checks() {
		return diags
	}
	if prior.Policy == terms.PolicyAbandon { // whatever the keys hold
		m.Removal = prior.newRemovalNote(prior.removals(prior.Values, prior.Values, m), prior.Values)
		return diags
	}
	timeout, more := prior.Timeouts.Read(ctx, terms.DefaultTimeout)
	diags.Append(more...)
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	var seen *eval.Snapshot
	var live map[string]eval.Value
	var become removals
	var isSealed bool
	for _, age := range []time.Duration{cas.Fresh, 0} { // a finding about the writes of others needs a fresh read
		var err error
		if seen, err = ch.Run.Engine.Observe(ctx, prior.Ref, prior.APIVersion, age); err != nil {
			diags.Append(about.Diagnose(err))
			return diags
		}
		if isAnother(prior.Version, seen.Version()) { // a removal may be planned on a state that is not refreshed
			m.beginAnew(prior.Keys(), seen.Value)
		}
		m.observe(seen, prior.Keys())
		live = prior.live(seen)
		become = prior.removals(prior.Values, live, m)
		isSealed = seen.Immutable() && prior.changes(become, live, m)
		isAboutOthers := isSealed || len(become.where(removalAction.dependsOnOthers)) > 0
		if seen.Terminating() || !isAboutOthers {
			break
		}
	}
	refused := !seen.Terminating() && (isSealed || len(become.with(removalRefuse)) > 0)
	switch {
	case seen.Terminating():
	case isSealed:
		diags.Append(about.Immutable())
	default:
		diags.Append(prior.says(become, m, live, seen, about)...)
	}
	m.Removal = prior.newRemovalNote(become, live)
	m.Removal.versionNote, m.Removal.Entries = versionNote(seen.Version()), m.entries(live)
	if ch.Run.CheckMode() == cas.DryRun && !refused {
		diags.Append(ch.rehearseRemoval(ctx)...)
	}
	return diags
}

// isTakenOver reports whether another instance took over keys or the object of the state in the same apply, as the new
// resource does with create_before_destroy.
func (ch *Change) isTakenOver() bool {
	paths := ch.Prior.Keys()
	if ch.Prior.Whole != nil {
		paths = []string{objectPath}
	}
	return slices.ContainsFunc(paths, func(path string) bool { return ch.Run.registry.hasWritten(ch.Prior.Ref, path) })
}

// newRemovalNote returns the note of a plan for the removal of keys that hold this.
func (c *Claim) newRemovalNote(become removals, live map[string]eval.Value) *removalNote {
	note := &removalNote{ID: c.ID, OnDrift: c.OnDrift}
	if c.Whole != nil {
		note.Policy = c.Policy
	}
	note.Keys, note.Keeps = c.concerns(become, live)
	return note
}

// rehearseRemoval sends the planned removal as a dry run. A removal that cannot be built is refused at apply.
func (ch *Change) rehearseRemoval(ctx context.Context) diag.Diagnostics {
	t, _, diags := ch.removal()
	if diags.HasError() || len(t.Keys) == 0 {
		return nil
	}
	return ch.Run.checkTxn(ctx, ch.Prior, t, ch.Run.about(ch.Prior, terms.OpDelete))
}

// Delete deletes or restores the keys, as deletion_policy says, or deletes the whole object. A conflict has removed nothing.
func (ch *Change) Delete(ctx context.Context) diag.Diagnostics {
	prior := ch.Prior
	timeout, diags := prior.Timeouts.Delete(ctx, terms.DefaultTimeout)
	if diags.HasError() || len(prior.Values) == 0 || prior.Whole != nil && (prior.Policy == terms.PolicyAbandon || ch.isTakenOver()) {
		return diags
	}
	ch.about = ch.subject(terms.OpDelete)
	at := prior.Version
	if seen := ch.Memory.removalOf(prior.ID); seen != nil {
		at, prior.OnDrift = eval.Version(seen.versionNote), cmp.Or(seen.OnDrift, prior.OnDrift)
	}
	if !ch.Run.Configured() && (prior.Whole != nil || len(ch.removals().where(removalAction.writes)) > 0) {
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

// deleteKeys removes or restores the keys, except for those that stay. If all stay, it sends nothing.
func (ch *Change) deleteKeys(ctx context.Context, timeout time.Duration) diag.Diagnostics {
	txn, become, diags := ch.removal()
	if !diags.HasError() && len(become.with(removalRefuse)) > 0 {
		diags.Append(ch.checkRemoval(ctx)...)
	}
	if ch.Memory.removalOf(ch.Prior.ID) == nil { // no plan has reported it
		diags.Append(ch.Prior.kept(become, ch.Memory, ch.Prior.Values, nil, ch.about)...)
	}
	if diags.HasError() || len(txn.Keys) == 0 {
		return diags
	}
	result, err := ch.Run.commit(ctx, txn, ch.about, timeout)
	return append(diags, ch.report(txn, result, err)...)
}

// removals returns the actions of a removal, by the values that its plan read, or else by the prior state. A key that
// another instance wrote or took over in the same apply is left to it: with create_before_destroy, the new resource.
func (ch *Change) removals() removals {
	live := maps.Clone(ch.Prior.Values)
	if note := ch.Memory.removalOf(ch.Prior.ID); note != nil && note.Entries != nil {
		for key := range live {
			if seen, isNoted := note.Entries[key]; isNoted {
				live[key] = seen
			} else { // it was missing at the plan, and the refresh after the plan found it: the plan shows no removal
				delete(live, key)
			}
		}
	}
	become := ch.Prior.removals(ch.Prior.Values, live, ch.Memory)
	maps.DeleteFunc(become, func(key string, _ removalAction) bool { return ch.Run.registry.hasWritten(ch.Prior.Ref, key) })
	return become
}

// removal builds the transaction that removes or restores the keys, except for those that stay. It compares with what
// the plan saw, if the memory has that, or else with the prior state.
func (ch *Change) removal() (t *eval.Txn, become removals, diags diag.Diagnostics) {
	prior, m, about := ch.Prior, ch.Memory, ch.Run.about(ch.Prior, terms.OpDelete)
	t = ch.Run.txnOf(prior)
	t.IgnoreMissing = true
	become = ch.removals()
	going := become.where(removalAction.writes)
	if needs := m.Needs; needs != nil && needs.ID == prior.ID &&
		slices.ContainsFunc(needs.Keys, func(key string) bool { return slices.Contains(going, key) }) {
		diags.Append(about.TaintedReplacesItself())
		return t, become, diags
	}
	expect, base, isSeen := prior.Values, prior.Version, false
	if seen := m.removalOf(prior.ID); seen != nil {
		if base = eval.Version(seen.versionNote); seen.Entries != nil {
			expect, t.ObservedAt, isSeen = seen.Entries, base, true
		}
	}
	// If the plan saw no ConfigMap, there is no version to compare, and the keys are expected to be absent.
	byVersion := prior.Scope != terms.ScopeKey || prior.IsSecret() // of a Secret there is nothing else to go by
	if byVersion && base.Valid() {
		t.RequireVersions = append(t.RequireVersions, base)
	}
	if byVersion && !base.Valid() && !isSeen && len(going) > 0 {
		diags.Append(about.VersionNotKnown())
	}
	for _, key := range going {
		k := eval.KeySwap{Key: key, Expect: expect[key], New: prior.target(m, become[key], key)}
		if !k.New.IsAbsent() {
			k.IfEqual = eval.Adopt
		}
		t.Keys = append(t.Keys, k)
	}
	return t, become, diags
}

// checkRemoval refuses what the plan should have refused, in case plan_check let it pass.
func (ch *Change) checkRemoval(ctx context.Context) diag.Diagnostics {
	prior, about := ch.Prior, ch.Run.about(ch.Prior, terms.OpDelete)
	seen, err := ch.Run.Engine.Observe(ctx, prior.Ref, prior.APIVersion, 0)
	if err != nil {
		return diag.Diagnostics{about.Diagnose(err)}
	}
	if seen.Terminating() {
		return nil
	}
	live := prior.live(seen)
	return prior.refusals(prior.removals(prior.Values, live, ch.Memory), live, seen, about)
}
