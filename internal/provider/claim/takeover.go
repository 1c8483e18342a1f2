package claim

import (
	"context"
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
