package claim

import (
	"context"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// takeOver makes the creation of a whole object an update of the object that exists: of a state that manages nothing of
// it yet. The plan names the version at which the object was read.
func (ch *Change) takeOver(ctx context.Context, age time.Duration) error {
	c := ch.Plan
	live, err := ch.Run.Engine.Observe(ctx, c.Ref, "", age)
	if err != nil {
		return err
	}
	if !live.Exists() {
		return &eval.NotFoundError{Ref: c.Ref}
	}
	prior, whole := *c, *c.Whole
	whole.Parts = nil
	prior.Values, prior.Expected, prior.Whole = map[string]eval.Value{}, nil, &whole
	prior.Version, prior.Revision = live.Version(), types.Int64Null()
	ch.Prior = &prior
	ch.find(live)
	ch.about = ch.subject(terms.OpCreate)
	switch {
	case c.Whole.Type != "" && c.Whole.Type != live.Type():
		return &diagnose.OtherTypeError{Live: live.Type()}
	case len(ch.Replaces()) > 0:
		return &eval.ImmutableError{Ref: c.Ref}
	}
	return nil
}

// planTakeOver checks the update that takes over an object, and warns of the changes that the plan does not show.
func (ch *Change) planTakeOver(ctx context.Context) diag.Diagnostics {
	c := ch.Plan
	if !c.Known.Values || c.Pin.IsUnknown() {
		return nil
	}
	diags := ch.Run.check(ctx, ch.about, c.Timeouts, func(ctx context.Context) error { return ch.takeOver(ctx, cas.Fresh) })
	if len(diags) > 0 || ch.Prior == nil { // or nothing is checked
		return diags
	}
	if diags = ch.planChanges(ctx); diags.HasError() {
		return diags
	}
	t, _ := ch.updateTxn()
	checked := ch.Run.checkTxn(ctx, c, t, ch.about)
	if diags.Append(checked...); diags.HasError() || ch.Run.IsApply(ctx) {
		return diags
	}
	return append(diags, ch.about.TakenOver(c.content(), ch.taken().content())...)
}

// replaced warns of values that a transaction replaces only because the plan names a version. Values of Secrets are not
// shown, so a plan of a Secret does not warn.
func (ch *Change) replaced(ctx context.Context, t *eval.Txn) diag.Diagnostics {
	if !ch.Plan.isPinned() || ch.Plan.IsSecret() || !ch.Run.Checks() || ch.Run.IsApply(ctx) {
		return nil
	}
	live, err := ch.Run.Engine.Observe(ctx, ch.Plan.Ref, ch.Plan.APIVersion, cas.Fresh)
	if err != nil {
		return nil // the check has just succeeded: only the warning is lost
	}
	var values []diagnose.Drift
	for _, k := range t.Keys {
		if ch.Prior != nil && slices.Contains(ch.Prior.Keys(), k.Key) {
			continue
		}
		found := live.Value(k.Key)
		if k.Expect.IsAnything() && !k.IsGuard && !found.IsAbsent() && !k.New.Matches(found) {
			values = append(values, diagnose.Drift{Kind: diagnose.PartKey, Key: k.Key, Found: found, ToWrite: k.New})
		}
	}
	if len(values) == 0 {
		return nil
	}
	return diag.Diagnostics{ch.about.Replaces(values)}
}

// createOver takes over an object at apply. isDeleted reports whether this apply has deleted the object, to replace it:
// the registry records the [eval.Ref] of each deleted object.
func (ch *Change) createOver(ctx context.Context, timeout time.Duration) (w Written, isDeleted bool, diags diag.Diagnostics) {
	err := ch.takeOver(ctx, 0)
	if _, wasDeleted := ch.Run.registry.deleted.Load(ch.Plan.Ref); wasDeleted && is[*eval.NotFoundError](err) {
		return w, true, nil
	}
	if err != nil {
		return w, false, diag.Diagnostics{ch.about.Diagnose(ch.Run.located(ctx, "", err))}
	}
	t, _ := ch.updateTxn()
	result, err := ch.Run.commit(ctx, t, ch.about, timeout)
	if err == nil {
		ch.Run.registry.takenOver.Store(ch.Plan.Ref, true)
	}
	w, diags = ch.take(ch.Plan.Ref, t, result, err)
	return w, false, diags
}
