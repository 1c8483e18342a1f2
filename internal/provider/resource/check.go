package resource

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/session"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// checkCreate makes the checks that a create makes. Terraform plans a create again when it applies it, so most
// conflicts on create are reported here.
func (o *operation) checkCreate(ctx context.Context, p session.Plan) diag.Diagnostics {
	c, m, about := o.plan, o.memory, o.about(terms.OpCreate)
	if c.Whole != nil {
		return o.checkObject(ctx, p, about)
	}
	if p.IsApply() || !c.IsNamed() { // the apply decides
		return nil
	}
	create := decide.Create(&c.Claim, m.RemovalOf(c.ID))
	if len(create.Findings) > 0 { // an error with any plan_check: the removal of a replacement comes first
		return diagnoseFindings(create.Findings, "", about)
	}
	uses := session.Use{Owns: create.Keys, Writes: create.Keys, Values: c.Values}
	diags := p.Use(ctx, c.Ref, uses, m.NewToken(), about)
	if diags.HasError() {
		return diags
	}
	if m.Plan.Removal == nil && len(create.Needs) > 0 { // a plan that replaces a tainted resource looks like a create
		m.Plan.Needs = &decide.NeedsNote{ID: c.ID, Keys: create.Needs}
	}
	if !c.Known.All || c.Required.IsUnknown || len(create.Txn.Keys) == 0 {
		return diags
	}
	live, checked := p.CheckTxn(ctx, create.Txn, about, c.Timeouts)
	if diags.Append(checked...); len(checked) > 0 {
		return diags
	}
	return append(diags, o.warnings(p, create.Txn, live, about)...)
}

// checkUpdate makes the checks that an update makes, against the prior state.
func (o *operation) checkUpdate(ctx context.Context, p session.Plan) (diags diag.Diagnostics) {
	c, update, about := o.plan, o.update, p.At(o.about(terms.OpUpdate))
	isReported := p.Reports() // else the apply reports it
	if len(update.Replaces) > 0 {
		switch {
		case p.IsApply(): // of an update: its plan did not know the change
			diags.Append(about.ChangesImmutable(update.Replaces[0]))
		case isReported:
			diags = append(o.overwrites(ctx, about), o.planRemovalFirst(ctx, p, o.prior, o.prior.Policy)...)
		}
		return diags
	}
	if !c.Known.Keys { // the apply decides
		if c.Whole != nil {
			diags = p.Use(ctx, c.Ref, session.Use{Owns: []string{session.ObjectPath}}, o.memory.Token(), about)
		}
		return diags
	}
	if diags.Append(o.checkChanges(ctx, p, about)...); diags.HasError() || !c.Known.Change || !p.Checks() {
		return diags
	}
	if isReported && c.Known.Place && c.Known.Values {
		lacking := p.Check(ctx, about, c.Timeouts, o.checkVersion)
		if diags.Append(lacking...); len(lacking) > 0 {
			return diags
		}
	}
	switch {
	case update.Txn == nil:
		return append(diags, o.leaves(ctx, p, about)...)
	case !c.Known.Values || !c.Known.All || c.Required.IsUnknown:
		return diags
	case len(update.Findings) > 0:
		return append(diags, diagnoseFindings(update.Findings, o.prior.APIVersion, about)...)
	}
	live, checked := p.CheckTxn(ctx, update.Txn, about, c.Timeouts)
	if diags.Append(checked...); len(checked) == 0 && isReported {
		diags.Append(o.overwrites(ctx, about)...)
		diags.Append(o.leaves(ctx, p, about)...)
		diags.Append(o.warnings(p, update.Txn, live, about)...)
	}
	return diags
}

// checkChanges records the keys that an update writes and removes, and reports what becomes of those that the plan no
// longer names.
func (o *operation) checkChanges(ctx context.Context, p session.Plan, about message.Subject) diag.Diagnostics {
	c, update := o.plan, o.update
	uses := session.Use{Owns: c.paths(), Writes: update.Changes, Removes: update.Dropped, Values: c.Values}
	diags := p.Use(ctx, c.Ref, uses, o.memory.Token(), about)
	isOff := p.IsApplying() || p.PlanCheck == terms.PlanCheckOff
	if diags.HasError() || isOff || c.Policy == "" {
		return diags
	}
	return append(diags, diagnoseRemovals(update.Released, nil, about)...)
}

// checkReplacement checks the removal of a replacement. Terraform plans the creation in a second call, and drops its
// warnings. mayBeSame says that the new place is unknown, and may turn out to be the old one.
func (o *operation) checkReplacement(ctx context.Context, p session.Plan, mayBeSame bool) (diags diag.Diagnostics) {
	needs := decide.Create(&o.plan.Claim, nil).Needs
	if mayBeSame && (len(o.remove().Removals.Stays()) > 0 || len(needs) > 0) {
		diags.Append(o.about(terms.OpDelete).MayReplaceItself())
	}
	prior := *o.prior
	if o.plan.OnDrift != "" {
		prior.OnDrift = o.plan.OnDrift
	}
	return append(diags, newOperation(o.session, &prior, nil, o.memory).planDelete(ctx, p, o.plan.Known.Place)...)
}

// noteReplacement records the prior state, for the removal of a replacement in the same place.
func (o *operation) noteReplacement() {
	hasDrift := len(o.update.Overwrites)+len(o.update.Leaves) > 0
	o.memory.Memory = decide.NoteReplacement(&o.plan.Claim, &o.prior.Claim, o.memory.Memory, hasDrift)
}

// recordUnchanged records the paths of an instance that its plan leaves as it is.
func (o *operation) recordUnchanged(ctx context.Context, p session.Plan) diag.Diagnostics {
	prior, about := o.prior, o.prior.about(o.session, terms.OpUpdate)
	uses := session.Use{Owns: prior.paths(), Values: prior.Values}
	return p.Use(ctx, prior.Ref, uses, o.memory.Token(), about)
}

// changesVersion reports whether an update changes the API version in which the paths are read.
func (o *operation) changesVersion() bool { return o.plan.APIVersion != o.prior.APIVersion }

// checkVersion refuses an update to an API version that does not have the values of the state. Without a response in
// the former version, nothing shows whether the new one lacks a value or another writer removed the value.
func (o *operation) checkVersion(ctx context.Context) error {
	if !o.changesVersion() {
		return nil
	}
	now, err := o.session.Engine.Observe(ctx, o.plan.Ref, o.plan.APIVersion, 0)
	if err != nil {
		return err
	}
	before, err := o.session.Engine.Observe(ctx, o.prior.Ref, o.prior.APIVersion, 0)
	if err != nil || before.Version() != now.Version() {
		return nil //nolint:nilerr // see above
	}
	if keys := decide.Lacking(&o.plan.Claim, &o.prior.Claim, before, now); len(keys) > 0 {
		return &message.LackingError{Keys: keys, Before: o.prior.APIVersion}
	}
	return nil
}

// warnings returns the warnings about a transaction that passed its check on this object: values that it replaces only
// because the plan requires a version, a missing key of a document, and keys that another manager applies.
func (o *operation) warnings(
	p session.Plan, t *eval.Txn, live *eval.Snapshot, about message.Subject,
) (diags diag.Diagnostics) {
	if !p.Reports() || live == nil {
		return nil
	}
	if values := decide.Permitted(o.priorClaim(), t, live); o.plan.MayPermit() && len(values) > 0 {
		diags.Append(about.Replaces(values))
	}
	if key := o.plan.Document; key != "" && live.Exists() && live.Value(key).IsAbsent() {
		diags.Append(p.At(about).CreatesKey())
	}
	if applied := decide.Applied(t, live); len(applied) > 0 {
		diags.Append(p.At(about).Applied(applied))
	}
	return diags
}
