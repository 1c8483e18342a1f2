package claim

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// PlanCreate makes the checks that Create makes. Terraform plans a create again when it applies it, so most conflicts on create are
// reported here.
func (r *Run) PlanCreate(ctx context.Context, ch *Change) (diags diag.Diagnostics) {
	if isReplanned(ctx) { // Create judges
		return nil
	}
	c, m, about := ch.Plan, ch.Memory, ch.Plan.About(terms.OpCreate)
	var removed []string // by the replace, before the create: what they hold now says nothing
	if removal := m.removalOf(c.ID); removal != nil {
		removed = removal.Keys
		if diags = replacedBy(about, removal, c); diags.HasError() {
			return diags
		}
	}
	isRemoved := func(key string) bool { return slices.Contains(removed, key) }
	keys := slices.DeleteFunc(c.Keys(), isRemoved)
	diags.Append(r.planKeys(ctx, c.Ref, use{owns: keys, writes: keys}, m.newToken(), about)...)
	if diags.HasError() {
		return diags
	}
	if needs := c.needs(); m.Removal == nil && len(needs) > 0 {
		m.Needs = &needsNote{c.ID, needs} // a plan that replaces a tainted resource looks like a create
	}
	t := r.createTxn(c)
	t.Keys = slices.DeleteFunc(t.Keys, func(k cas.KeySwap) bool { return isRemoved(k.Key) })
	if !c.Known.All || c.Pin.IsUnknown() || len(t.Keys) == 0 {
		return append(diags, r.noteSeen(ctx, ch, t, nil)...)
	}
	seen, checked := r.checkTxn(ctx, c, t, about)
	if diags.Append(checked...); diags.HasError() || seen == nil && r.PlanCheck == terms.PlanCheckWarning {
		return diags // an apply that the plan says would fail is not held to that plan
	}
	return append(diags, r.noteSeen(ctx, ch, t, seen)...)
}

// PlanUpdate makes the checks that Update makes, against the prior state.
func (r *Run) PlanUpdate(ctx context.Context, ch *Change) diag.Diagnostics {
	c := ch.Plan
	if !c.Known.Keys || isReplanned(ctx) { // Update judges
		return nil
	}
	ch.about = r.atPlan(ctx, c.About(terms.OpUpdate))
	diags := r.planChanges(ctx, ch)
	if diags.HasError() || !c.Known.Change || !r.Checks() {
		return diags
	}
	if !ch.Writes() {
		return append(diags, r.checkKept(ctx, ch)...)
	}
	if !c.Known.Values || !c.Known.All || c.Pin.IsUnknown() {
		return diags
	}
	if planningOf(ctx).isUnread && !ch.Prior.Version.Valid() {
		return append(diags, r.checked(ctx, ch.about).VersionNotKnown())
	}
	t, refused := r.updateTxn(ch)
	if diags.Append(refused...); len(refused) > 0 {
		return diags
	}
	_, checked := r.checkTxn(ctx, c, t, ch.about)
	if diags.Append(checked...); len(checked) == 0 && !r.isApply(ctx) { // Update judges it
		diags.Append(r.checkDrift(ctx, ch)...)
		diags.Append(r.checkKept(ctx, ch)...)
	}
	return diags
}

// planChanges records the keys that an update writes and drops, and checks that the dropped ones still hold what this resource last wrote.
func (r *Run) planChanges(ctx context.Context, ch *Change) diag.Diagnostics {
	c, dropped := ch.Plan, ch.dropped()
	if c.Policy == "" { // not known: they may be abandoned
		dropped = nil
	}
	writes := slices.DeleteFunc(c.Keys(), ch.keepsValue)
	diags := r.planKeys(ctx, c.Ref, use{c.Keys(), writes, sortedKeys(dropped)}, ch.Memory.token(), ch.about)
	if diags.HasError() || r.applying() || r.PlanCheck == terms.PlanCheckOff {
		return diags
	}
	if problem := c.removesChanged(dropped, ch.Memory, nil, ch.about); problem != nil {
		diags.Append(problem)
	}
	if older := c.removesOlder(dropped, ch.Memory, ch.about); older != nil {
		diags.Append(older)
	}
	return diags
}

// PlanReplace checks the removal of a replace. Terraform plans the creation in a second call, and drops its warnings.
// mayBeSame says that the new place is unknown, and may turn out to be the old one.
func (r *Run) PlanReplace(ctx context.Context, ch *Change, mayBeSame bool) (diags diag.Diagnostics) {
	if ch.Plan.OnDrift != "" {
		ch.Prior.OnDrift = ch.Plan.OnDrift
	}
	if mayBeSame && (len(ch.staying()) > 0 || len(ch.Plan.needs()) > 0) {
		diags.Append(ch.Prior.About(terms.OpDelete).MayReplaceItself())
	}
	return append(diags, r.planDelete(ctx, ch, ch.Plan.Known.Place)...)
}

// NoteReplace notes the prior state, for the removal of a replace in the same place, as with -replace. That is as good as
// a read: Terraform has refreshed it.
func (ch *Change) NoteReplace() {
	prior := ch.Prior
	ch.Memory.Removal = &removalNote{
		ID: prior.ID, UID: prior.Version.UID, ResourceVersion: prior.Version.ResourceVersion, Keys: prior.Keys(), Keeps: ch.staying(),
		OnDrift: ch.removalDrift(),
	}
}

// staying gives the keys that a removal leaves in place.
func (ch *Change) staying() []string {
	switch ch.Prior.Policy {
	case terms.PolicyAbandon:
		return ch.Prior.Keys()
	case terms.PolicyRestore:
		return slices.DeleteFunc(ch.Prior.Keys(), func(key string) bool {
			return ch.Memory.First[key].IsAbsent() // one that is not known is refused before anything is removed
		})
	default:
		return nil
	}
}

// replacedBy refuses a create that cannot succeed after the removal before it.
func replacedBy(about diagnose.Subject, removal *removalNote, c *Claim) diag.Diagnostics {
	among := func(keys, of []string) bool {
		return slices.ContainsFunc(keys, func(key string) bool { return slices.Contains(of, key) })
	}
	switch {
	case among(c.adopts(), removal.Keys):
		return diag.Diagnostics{about.ReplacesItself(diagnose.ReplacesAdopted)}
	case among(c.expects(), removal.Keys):
		return diag.Diagnostics{about.ReplacesItself(diagnose.ReplacesExpected)}
	case among(c.Keys(), removal.Keeps):
		return diag.Diagnostics{about.ReplacesItself(diagnose.ReplacesKept)}
	}
	return nil
}

// checkTxn checks at plan the transaction that the apply sends. It returns the observation that it checked; nil if that would be refused, or
// if nothing is checked.
func (r *Run) checkTxn(ctx context.Context, c *Claim, t *cas.Txn, about diagnose.Subject) (*cas.Observation, diag.Diagnostics) {
	var seen *cas.Observation
	diags := r.Check(ctx, about.Of(t), c.Timeouts, func(ctx context.Context) (err error) {
		seen, err = r.Engine.Check(ctx, t, r.CheckMode(ctx))
		return err
	})
	return seen, diags
}
