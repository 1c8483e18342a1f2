package claim

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// PlanCreate makes the checks that Create makes. Terraform plans a create again when it applies it, so most conflicts on create are
// reported here.
func (ch *Change) PlanCreate(ctx context.Context) (diags diag.Diagnostics) {
	if ch.about = ch.subject(terms.OpCreate); ch.Plan.Whole != nil {
		return ch.planObject(ctx)
	}
	if ch.Run.IsApply(ctx) || !ch.Plan.IsNamed() { // Create judges
		return nil
	}
	c, m, about := ch.Plan, ch.Memory, ch.about
	var removed []string // perhaps, by the replace, before the create: what they hold now says nothing
	if removal := m.removalOf(c.ID); removal != nil {
		removed = removal.Keys
		if diags = replacedBy(about, removal, c); diags.HasError() {
			return diags
		}
	}
	isRemoved := func(key string) bool { return slices.Contains(removed, key) }
	keys := slices.DeleteFunc(c.Keys(), isRemoved)
	diags.Append(ch.Run.planUse(ctx, c.Ref, use{owns: keys, writes: keys, values: c.Values}, m.newToken(), about)...)
	if diags.HasError() {
		return diags
	}
	if needs := c.needs(); m.Removal == nil && len(needs) > 0 {
		m.Needs = &needsNote{c.ID, needs} // a plan that replaces a tainted resource looks like a create
	}
	t := ch.Run.createTxn(c)
	t.Keys = slices.DeleteFunc(t.Keys, func(k eval.KeySwap) bool { return isRemoved(k.Key) })
	if !c.Known.All || c.Pin.IsUnknown() || len(t.Keys) == 0 {
		return diags
	}
	checked := ch.Run.checkTxn(ctx, c, t, about)
	if diags.Append(checked...); len(checked) > 0 {
		return diags
	}
	return append(diags, ch.replaced(ctx, t)...)
}

// PlanUpdate makes the checks that Update makes, against the prior state.
func (ch *Change) PlanUpdate(ctx context.Context) (diags diag.Diagnostics) {
	c := ch.Plan
	ch.about = ch.Run.atPlan(ctx, ch.subject(terms.OpUpdate))
	tells := ch.Run.Checks() && !ch.Run.IsApply(ctx) // Update reports it
	if replaces := ch.Replaces(); len(replaces) > 0 {
		switch {
		case ch.Run.IsApply(ctx): // of an update: its plan did not know the change
			diags.Append(ch.about.ChangesImmutable(replaces[0]))
		case tells:
			diags = append(ch.checkDrift(ctx), ch.planRemovalFirst(ctx, ch.Prior, ch.Prior.Policy)...)
		}
		return diags
	}
	if !c.Known.Keys { // Update judges
		if c.Whole != nil {
			diags = ch.Run.planUse(ctx, c.Ref, use{owns: []string{objectPath}}, ch.Memory.token(), ch.about)
		}
		return diags
	}
	if diags.Append(ch.planChanges(ctx)...); diags.HasError() || !c.Known.Change || !ch.Run.Checks() {
		return diags
	}
	if tells && c.Known.Place && c.Known.Values {
		lacking := ch.Run.check(ctx, ch.about, c.Timeouts, ch.checkVersion)
		if diags.Append(lacking...); len(lacking) > 0 {
			return diags
		}
	}
	t, refused := ch.updateTxn()
	switch {
	case t == nil:
		return append(diags, ch.checkKept(ctx)...)
	case !c.Known.Values || !c.Known.All || c.Pin.IsUnknown():
		return diags
	}
	if diags.Append(refused...); len(refused) > 0 {
		return diags
	}
	checked := ch.Run.checkTxn(ctx, c, t, ch.about)
	if diags.Append(checked...); len(checked) == 0 && tells {
		diags.Append(ch.checkDrift(ctx)...)
		diags.Append(ch.checkKept(ctx)...)
		diags.Append(ch.replaced(ctx, t)...)
	}
	return diags
}

// planChanges records the keys that an update writes and drops, and checks that the dropped ones still hold what this resource last wrote.
func (ch *Change) planChanges(ctx context.Context) diag.Diagnostics {
	c, dropped := ch.Plan, ch.dropped()
	if c.Policy == "" { // not known: they may be abandoned
		dropped = nil
	}
	for _, field := range ch.tangled(dropped) { // which updateTxn refuses
		delete(dropped, field)
	}
	writes := slices.DeleteFunc(c.Keys(), ch.keepsValue)
	diags := ch.Run.planUse(ctx, c.Ref, use{c.paths(), writes, sortedKeys(dropped), c.Values}, ch.Memory.token(), ch.about)
	if diags.HasError() || ch.Run.applying() || ch.Run.PlanCheck == terms.PlanCheckOff || c.Policy == "" {
		return diags
	}
	gone := ch.gone()
	return append(diags, c.says(c.removals(gone, gone, ch.Memory), ch.Memory, gone, nil, ch.about)...)
}

// PlanReplace checks the removal of a replace. Terraform plans the creation in a second call, and drops its warnings.
// mayBeSame says that the new place is unknown, and may turn out to be the old one.
func (ch *Change) PlanReplace(ctx context.Context, mayBeSame bool) (diags diag.Diagnostics) {
	if ch.Plan.OnDrift != "" {
		ch.Prior.OnDrift = ch.Plan.OnDrift
	}
	_, kept := ch.Prior.concerns(ch.removals(), ch.Prior.Values)
	if mayBeSame && (len(kept) > 0 || len(ch.Plan.needs()) > 0) {
		diags.Append(ch.subject(terms.OpDelete).MayReplaceItself())
	}
	return append(diags, ch.PlanDelete(ctx, ch.Plan.Known.Place)...)
}

// NoteReplace notes the prior state, for the removal of a replace in the same place, as with -replace. That is as good as
// a read: Terraform has refreshed it.
func (ch *Change) NoteReplace() {
	prior := *ch.Prior
	prior.OnDrift = ch.removalDrift()
	var become removals
	if prior.Whole == nil {
		become = prior.removals(prior.Values, prior.Values, ch.Memory)
	}
	ch.Memory.Removal = prior.newRemovalNote(become, prior.Values)
	ch.Memory.Removal.versionNote = versionNote(prior.Version)
}

// replacedBy refuses a create that cannot succeed after the removal before it.
func replacedBy(about diagnose.Subject, removal *removalNote, c *Claim) diag.Diagnostics {
	keys := removal.Keys
	among := func(keys, of []string) bool {
		return slices.ContainsFunc(keys, func(key string) bool { return slices.Contains(of, key) })
	}
	switch {
	case among(c.adopts(), keys):
		return diag.Diagnostics{about.ReplacesItself(diagnose.ReplacesAdopted)}
	case among(c.expects(), keys):
		return diag.Diagnostics{about.ReplacesItself(diagnose.ReplacesExpected)}
	case among(c.Keys(), removal.Keeps) && c.Pin.IsNull():
		return diag.Diagnostics{about.ReplacesItself(diagnose.ReplacesKept)}
	}
	return nil
}

// checkTxn checks at plan the transaction that the apply sends.
func (r *Run) checkTxn(ctx context.Context, c *Claim, t *eval.Txn, about diagnose.Subject) diag.Diagnostics {
	return r.check(ctx, about.Of(t), c.Timeouts, func(ctx context.Context) error {
		_, err := r.Engine.Check(ctx, t, r.CheckMode())
		return err
	})
}

// changesVersion reports whether an update changes the API version in which the paths are read.
func (ch *Change) changesVersion() bool { return ch.Plan.APIVersion != ch.Prior.APIVersion }

// checkVersion refuses an update to an API version that does not have the values of the state. Such an update may write
// nothing, and the next refresh would take the missing values for a change by somebody else. Without an answer in the
// former version, nothing shows whether the new one lacks a value or somebody removed the value.
func (ch *Change) checkVersion(ctx context.Context) error {
	if !ch.changesVersion() {
		return nil
	}
	now, err := ch.Run.Engine.Observe(ctx, ch.Plan.Ref, ch.Plan.APIVersion, 0)
	if err != nil {
		return err
	}
	before, err := ch.Run.Engine.Observe(ctx, ch.Prior.Ref, ch.Prior.APIVersion, 0)
	if err != nil || before.Version() != now.Version() {
		return nil //nolint:nilerr // see above
	}
	lacking := slices.DeleteFunc(sortedKeys(ch.Prior.Values), func(key string) bool {
		value, names := ch.Plan.Configured[key]
		had, has := before.Value(key), now.Value(key)
		isLost := !had.IsAbsent() && has.IsAbsent()
		if value == ch.Prior.Configured[key] {
			isLost = had.Contains(value) && !has.Contains(value)
		}
		return !names || !isLost
	})
	if len(lacking) == 0 {
		return nil
	}
	return &diagnose.LackingError{Keys: lacking, Before: ch.Prior.APIVersion}
}

// replaced warns of values that a transaction replaces only because the plan names a version. Values of Secrets are not
// shown, so a plan of a Secret does not warn, except of a whole one, which may lose keys.
func (ch *Change) replaced(ctx context.Context, t *eval.Txn) diag.Diagnostics {
	if !ch.Plan.isPinned() || ch.Plan.IsSecret() && ch.Plan.Whole == nil || !ch.Run.Checks() || ch.Run.IsApply(ctx) {
		return nil
	}
	live, err := ch.Run.Engine.Observe(ctx, ch.Plan.Ref, ch.Plan.APIVersion, cas.Fresh)
	if err != nil {
		return nil // the check has just succeeded: only the warning is lost
	}
	var values []diagnose.Drift
	for _, k := range t.Complete(live).Keys {
		if ch.Prior != nil && !ch.Prior.isImported() && slices.Contains(ch.Prior.Keys(), k.Key) {
			continue
		}
		found := live.Value(k.Key)
		if k.Expect.IsAnything() && !k.IsGuard && !found.IsAbsent() && !k.New.Matches(found) {
			values = append(values, diagnose.Drift{Key: k.Key, Found: found, ToWrite: k.New})
		}
	}
	if len(values) == 0 {
		return nil
	}
	return diag.Diagnostics{ch.about.Replaces(values)}
}
