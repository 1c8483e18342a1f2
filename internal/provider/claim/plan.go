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
func (r *Run) PlanCreate(ctx context.Context, c *Claim, private Private) diag.Diagnostics {
	if isReplanned(ctx) { // Create judges
		return nil
	}
	about, keys := c.About(terms.OpCreate), c.Keys()
	replaced, isReplace, diags := getPrivate[observation](ctx, private, privateObservation)
	var removed []string // by the replace, before the create: what they hold now says nothing
	if isReplace && replaced.ID == c.ID && len(replaced.Needs) == 0 {
		removed = replaced.Keys
		diags.Append(replacedBy(about, replaced, c)...)
		if diags.HasError() {
			return diags
		}
	}
	isRemoved := func(key string) bool { return slices.Contains(removed, key) }
	writer, more := instance(ctx, private)
	diags.Append(more...)
	diags.Append(r.planKeys(ctx, c.Ref, slices.DeleteFunc(keys, isRemoved), nil, writer, about)...)
	if diags.HasError() {
		return diags
	}
	if needs := c.needs(); !isReplace && len(needs) > 0 {
		// Delete sees this only if the create replaces a tainted resource; such a plan looks like a create.
		diags.Append(setPrivate(ctx, private, privateObservation, observation{ID: c.ID, Needs: needs})...)
	}
	t := r.createTxn(c)
	t.Keys = slices.DeleteFunc(t.Keys, func(k cas.KeySwap) bool { return isRemoved(k.Key) })
	if !c.Known.All || c.Pin.IsUnknown() || len(t.Keys) == 0 {
		return append(diags, r.noteSeen(ctx, c, t, nil, private)...)
	}
	seen, checked := r.checkTxn(ctx, c, t, about)
	if diags.Append(checked...); diags.HasError() || seen == nil && r.PlanCheck == terms.PlanCheckWarning {
		return diags // an apply that the plan says would fail is not held to that plan
	}
	return append(diags, r.noteSeen(ctx, c, t, seen, private)...)
}

// PlanUpdate makes the checks that Update makes, against the prior state.
func (r *Run) PlanUpdate(ctx context.Context, c, held *Claim, private Private) diag.Diagnostics {
	if !c.Known.Keys || isReplanned(ctx) { // Update judges
		return nil
	}
	about := c.About(terms.OpUpdate)
	diags := r.planChanges(ctx, c, held, about, private)
	if diags.HasError() || !c.Known.Change || !r.Checks() {
		return diags
	}
	if !c.Changes(held) {
		return append(diags, r.checkKept(ctx, c, held, private)...)
	}
	if !c.Known.Values || !c.Known.All || c.Pin.IsUnknown() {
		return diags
	}
	if planningOf(ctx).isUnread && !held.Version.Valid() {
		return append(diags, r.checked(ctx, about).VersionNotKnown())
	}
	t, refused := r.updateTxn(ctx, c, held, private, r.planned(ctx, about))
	if diags.Append(refused...); len(refused) > 0 {
		return diags
	}
	_, checked := r.checkTxn(ctx, c, t, about)
	if diags.Append(checked...); len(checked) == 0 && !r.isApply(ctx) { // Update judges it
		diags.Append(r.checkDrift(ctx, c, held, r.planned(ctx, about), private)...)
		diags.Append(r.checkKept(ctx, c, held, private)...)
	}
	return diags
}

// planChanges records the keys that an update writes and drops, and checks that the dropped ones still hold what this resource last wrote.
func (r *Run) planChanges(ctx context.Context, c, held *Claim, about diagnose.Subject, private Private) diag.Diagnostics {
	writer, diags := ownToken(ctx, private)
	dropped := c.dropped(held)
	if c.Policy == "" { // not known: they may be abandoned
		dropped = nil
	}
	writes := slices.DeleteFunc(c.Keys(), func(key string) bool { return c.keepsValue(held, key) })
	diags.Append(r.planKeys(ctx, c.Ref, writes, sortedKeys(dropped), writer, about)...)
	if diags.HasError() || r.applying() || r.PlanCheck == terms.PlanCheckOff {
		return diags
	}
	kept, more := getKept(ctx, private, c.Ref.Kind)
	diags.Append(more...)
	if problem := c.removesChanged(dropped, kept, nil, r.planned(ctx, about)); problem != nil {
		diags.Append(problem)
	}
	if older := c.removesOlder(dropped, kept, r.planned(ctx, about)); older != nil {
		diags.Append(older)
	}
	return diags
}

// PlanReplace checks the removal of a replace. Terraform plans the creation in a second call, and drops its warnings.
// mayBeSame says that the new place is unknown, and may turn out to be the old one.
func (r *Run) PlanReplace(ctx context.Context, c, held *Claim, mayBeSame bool, private Private) diag.Diagnostics {
	keeps, diags := held.keeps(ctx, private)
	if c.OnDrift != "" {
		held.OnDrift = c.OnDrift
	}
	if mayBeSame && (len(keeps) > 0 || len(c.needs()) > 0) {
		diags.Append(held.About(terms.OpDelete).MayReplaceItself())
	}
	diags.Append(r.planDelete(ctx, held, c.Known.Place, private)...)
	return diags
}

// NoteReplace notes the prior state in private state, for the removal of a replace in the same place, as with -replace. That is as good as
// a read: Terraform has refreshed it.
func (r *Run) NoteReplace(ctx context.Context, c, held *Claim, private Private) diag.Diagnostics {
	keeps, diags := held.keeps(ctx, private)
	onDrift, more := c.removalDrift(ctx, held, private)
	diags.Append(more...)
	diags.Append(setPrivate(ctx, private, privateObservation, observation{
		ID: held.ID, UID: held.Version.UID, ResourceVersion: held.Version.ResourceVersion, Keys: held.Keys(), Keeps: keeps,
		OnDrift: onDrift,
	})...)
	return diags
}

// keeps gives the keys that a removal leaves in place.
func (c *Claim) keeps(ctx context.Context, private privateReader) ([]string, diag.Diagnostics) {
	switch c.Policy {
	case terms.PolicyAbandon:
		return c.Keys(), nil
	case terms.PolicyRestore:
		first, _, diags := getPrivate[originals](ctx, private, privateOriginal)
		return slices.DeleteFunc(c.Keys(), func(key string) bool {
			return first[key].IsAbsent() // one that is not known is refused before anything is removed
		}), diags
	default:
		return nil, nil
	}
}

// replacedBy refuses a create that cannot succeed after the removal before it.
func replacedBy(about diagnose.Subject, removal observation, c *Claim) diag.Diagnostics {
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

// checkTxn checks at plan the transaction that the apply sends. It gives what it found the ConfigMap like; nil if that would be refused, or if
// nothing is checked.
func (r *Run) checkTxn(ctx context.Context, c *Claim, t *cas.Txn, about diagnose.Subject) (*cas.Observation, diag.Diagnostics) {
	var seen *cas.Observation
	diags := r.Check(ctx, about.Of(t), c.Timeouts, func(ctx context.Context) (err error) {
		seen, err = r.Engine.Check(ctx, t, r.CheckMode(ctx))
		return err
	})
	return seen, diags
}
