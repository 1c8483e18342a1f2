package claim

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// PlanCreate makes the checks that a create makes. Terraform plans a create again when it applies it, so most conflicts
// on create are reported here.
func (ch *Change) PlanCreate(ctx context.Context) diag.Diagnostics {
	c, m, about := ch.Plan, ch.Memory, ch.about(terms.OpCreate)
	if c.Whole != nil {
		return ch.planObject(ctx, about)
	}
	if ch.Run.IsApply(ctx) || !c.IsNamed() { // the apply decides
		return nil
	}
	create := decide.Create(&c.Claim, m.RemovalOf(c.ID))
	if len(create.Findings) > 0 {
		return findings(create.Findings, "", about)
	}
	uses := use{owns: create.Keys, writes: create.Keys, values: c.Values}
	diags := ch.Run.planUse(ctx, c.Ref, uses, m.newToken(), about)
	if diags.HasError() {
		return diags
	}
	if m.Plan.Removal == nil && len(create.Needs) > 0 { // a plan that replaces a tainted resource looks like a create
		m.Plan.Needs = &decide.NeedsNote{ID: c.ID, Keys: create.Needs}
	}
	if !c.Known.All || c.Required.IsUnknown || len(create.Txn.Keys) == 0 {
		return diags
	}
	checked := ch.Run.checkTxn(ctx, c, create.Txn, about)
	if diags.Append(checked...); len(checked) > 0 {
		return diags
	}
	return append(diags, ch.permitted(ctx, create.Txn, about)...)
}

// PlanUpdate makes the checks that an update makes, against the prior state.
func (ch *Change) PlanUpdate(ctx context.Context) (diags diag.Diagnostics) {
	c, update, about := ch.Plan, ch.Update, ch.Run.atPlan(ctx, ch.about(terms.OpUpdate))
	isReported := ch.Run.Checks() && !ch.Run.IsApply(ctx) // else the apply reports it
	if len(update.Replaces) > 0 {
		switch {
		case ch.Run.IsApply(ctx): // of an update: its plan did not know the change
			diags.Append(about.ChangesImmutable(update.Replaces[0]))
		case isReported:
			diags = append(ch.overwrites(ctx, about), ch.planRemovalFirst(ctx, ch.Prior, ch.Prior.Policy)...)
		}
		return diags
	}
	if !c.Known.Keys { // the apply decides
		if c.Whole != nil {
			diags = ch.Run.planUse(ctx, c.Ref, use{owns: []string{objectPath}}, ch.Memory.token(), about)
		}
		return diags
	}
	if diags.Append(ch.planChanges(ctx, about)...); diags.HasError() || !c.Known.Change || !ch.Run.Checks() {
		return diags
	}
	if isReported && c.Known.Place && c.Known.Values {
		lacking := ch.Run.check(ctx, about, c.Timeouts, ch.checkVersion)
		if diags.Append(lacking...); len(lacking) > 0 {
			return diags
		}
	}
	switch {
	case update.Txn == nil:
		return append(diags, ch.leaves(ctx, about)...)
	case !c.Known.Values || !c.Known.All || c.Required.IsUnknown:
		return diags
	case len(update.Findings) > 0:
		return append(diags, findings(update.Findings, ch.Prior.APIVersion, about)...)
	}
	checked := ch.Run.checkTxn(ctx, c, update.Txn, about)
	if diags.Append(checked...); len(checked) == 0 && isReported {
		diags.Append(ch.overwrites(ctx, about)...)
		diags.Append(ch.leaves(ctx, about)...)
		diags.Append(ch.permitted(ctx, update.Txn, about)...)
	}
	return diags
}

// planChanges records the keys that an update writes and removes, and reports what becomes of those that the plan no
// longer names.
func (ch *Change) planChanges(ctx context.Context, about diagnose.Subject) diag.Diagnostics {
	c, update := ch.Plan, ch.Update
	uses := use{c.paths(), update.Changes, update.Dropped, c.Values}
	diags := ch.Run.planUse(ctx, c.Ref, uses, ch.Memory.token(), about)
	isOff := ch.Run.applying() || ch.Run.PlanCheck == terms.PlanCheckOff
	if diags.HasError() || isOff || c.Policy == "" {
		return diags
	}
	return append(diags, removals(update.Released, nil, about)...)
}

// PlanReplace checks the removal of a replacement. Terraform plans the creation in a second call, and drops its
// warnings. mayBeSame says that the new place is unknown, and may turn out to be the old one.
func (ch *Change) PlanReplace(ctx context.Context, mayBeSame bool) (diags diag.Diagnostics) {
	if ch.Plan.OnDrift != "" {
		ch.Prior.OnDrift = ch.Plan.OnDrift
	}
	needs := decide.Create(&ch.Plan.Claim, nil).Needs
	if mayBeSame && (len(ch.remove().Removals.Stays()) > 0 || len(needs) > 0) {
		diags.Append(ch.about(terms.OpDelete).MayReplaceItself())
	}
	return append(diags, ch.PlanDelete(ctx, ch.Plan.Known.Place)...)
}

// NoteReplace records the prior state, for the removal of a replacement in the same place.
func (ch *Change) NoteReplace() {
	hasDrift := len(ch.Update.Overwrites)+len(ch.Update.Leaves) > 0
	ch.Memory.Memory = decide.NoteReplacement(&ch.Plan.Claim, &ch.Prior.Claim, ch.Memory.Memory, hasDrift)
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

// checkVersion refuses an update to an API version that does not have the values of the state. Without a response in
// the former version, nothing shows whether the new one lacks a value or another writer removed the value.
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
	if keys := decide.Lacking(&ch.Plan.Claim, &ch.Prior.Claim, before, now); len(keys) > 0 {
		return &diagnose.LackingError{Keys: keys, Before: ch.Prior.APIVersion}
	}
	return nil
}

// permitted warns of values that a transaction replaces only because the plan requires a version.
func (ch *Change) permitted(ctx context.Context, t *eval.Txn, about diagnose.Subject) diag.Diagnostics {
	if !ch.Plan.MayPermit() || !ch.Run.Checks() || ch.Run.IsApply(ctx) {
		return nil
	}
	live, err := ch.Run.Engine.Observe(ctx, ch.Plan.Ref, ch.Plan.APIVersion, cas.Fresh)
	if err != nil {
		return nil // the check has just succeeded: only the warning is lost
	}
	if values := decide.Permitted(ch.prior(), t, live); len(values) > 0 {
		return diag.Diagnostics{about.Replaces(values)}
	}
	return nil
}
