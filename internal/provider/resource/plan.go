package resource

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	fwresource "github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/session"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// ModifyPlan plans the values that only an apply knows, and makes the checks of the apply.
func (r *Resource[M]) ModifyPlan(
	ctx context.Context, req fwresource.ModifyPlanRequest, resp *fwresource.ModifyPlanResponse,
) {
	if r.Session == nil {
		return
	}
	p, m := r.Planning(ctx, &req, resp)
	defer func() { resp.Diagnostics.Append(m.Keep(ctx, resp.Private)...) }()
	if req.Plan.Raw.IsNull() {
		c := r.decodeState(ctx, req.State.Raw, m, &resp.Diagnostics)
		if !resp.Diagnostics.HasError() {
			resp.Diagnostics.Append(newOperation(r.Session, r.claim(c), nil, m).planDelete(ctx, p, true)...)
		}
		return
	}
	c := r.decodePlan(ctx, req.Plan.Raw, req.Config.Raw, req.State.Raw, m, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	o := r.operation(c)
	switch {
	case c.State == nil:
		r.planCreate(ctx, p, c, o, resp)
		return
	case req.Plan.Raw.Equal(req.State.Raw) && r.Kind == eval.ConfigMap:
		o = newOperation(r.Session, o.prior, o.prior, m)
		o.noteReplacement()
		resp.Diagnostics.Append(o.recordUnchanged(ctx, p)...)
		resp.Diagnostics.Append(r.acceptDrift(ctx, c, o, resp)...)
	case !o.plan.Known.Place || o.plan.ID != o.prior.ID:
		mayBeSame := !o.plan.Known.Place && r.mayBeSame(req.Plan.Raw, req.State.Raw)
		resp.Diagnostics.Append(o.checkReplacement(ctx, p, mayBeSame)...)
	default:
		r.planUpdate(ctx, p, c, o, resp)
	}
	if !p.IsApply() {
		r.planNoChange(ctx, c, req.State.Raw, resp)
	}
}

// mayBeSame reports whether a plan may turn out to have the place of its state.
func (r *Resource[M]) mayBeSame(plan, state tftypes.Value) bool {
	var planned, had map[string]tftypes.Value
	if plan.As(&planned) != nil || state.As(&had) != nil {
		return false
	}
	for name, attribute := range r.family.Identity {
		_, isText := attribute.(identityschema.StringAttribute)
		if isText && planned[name].IsKnown() && !planned[name].Equal(had[name]) {
			return false
		}
	}
	return true
}

// planNoChange plans the state itself if the plan differs from the state only in spelling. Any other plan has the
// spelling of the configuration, which the apply stores. The second plan of a change, by the apply, skips planNoChange:
// with the spelling of the state, it would differ from the first plan.
func (r *Resource[M]) planNoChange(
	ctx context.Context, c Call[M], raw tftypes.Value, resp *fwresource.ModifyPlanResponse,
) {
	if r.family.Reword == nil || len(resp.RequiresReplace) > 0 {
		return
	}
	var reworded tftypes.Value
	r.family.Reword(c.Model, c.State)
	resp.Diagnostics.Append(r.Codec().Encode(ctx, *c.Model, &reworded)...)
	if reworded.Equal(raw) { // which compares no types
		resp.Plan.Raw = raw
	}
}

// planCreate plans the values of a new resource, and checks the create.
func (r *Resource[M]) planCreate(
	ctx context.Context, p session.Plan, c Call[M], o *operation, resp *fwresource.ModifyPlanResponse,
) {
	if o.plan.IsNamed() {
		r.setID(c)
		r.planWrite(c)
	}
	resp.Diagnostics.Append(r.Codec().Encode(ctx, *c.Model, &resp.Plan.Raw)...)
	resp.Diagnostics.Append(o.checkCreate(ctx, p)...)
}

// planUpdate plans which values stay and which ones the update makes unknown, and checks the update.
func (r *Resource[M]) planUpdate(
	ctx context.Context, p session.Plan, c Call[M], o *operation, resp *fwresource.ModifyPlanResponse,
) {
	planned := o.plan
	o.noteReplacement()
	if planned.IsNamed() && (!planned.Open || planned.Whole != nil) {
		r.setID(c)
	}
	o.memory.Plan.Left = r.family.MayLeave && !planned.Open
	isUnchanged := planned.Known.Change && o.update.Txn == nil
	switch {
	case isUnchanged && planned.Open && len(o.update.Released) > 0: // the update releases keys from the state
		r.planWrite(c)
	case !planned.Known.Change, isUnchanged && (planned.Open || planned.IsSecret() && !planned.Known.Values):
		// The plan stays as it is: its difference from the state makes unknown what a write changes, since the apply may
		// have to write after all.
	case isUnchanged:
		r.keep(c)
	default:
		r.planWrite(c)
	}
	r.keepUID(c, o)
	resp.Diagnostics.Append(o.checkUpdate(ctx, p)...)
	for _, attribute := range o.update.Replaces {
		resp.RequiresReplace = append(resp.RequiresReplace, path.Root(attribute))
		r.planWrite(c)
	}
	resp.Diagnostics.Append(r.Codec().Encode(ctx, *c.Model, &resp.Plan.Raw)...)
	if len(o.update.Replaces) == 0 && isUnchanged {
		resp.Diagnostics.Append(r.acceptDrift(ctx, c, o, resp)...)
	}
}

func (r *Resource[M]) planWrite(c Call[M]) {
	if r.family.PlanWrite != nil {
		r.family.PlanWrite(c)
	}
}

// keepUID keeps the uid in the plan of an update for which another object would be a conflict.
func (r *Resource[M]) keepUID(c Call[M], o *operation) {
	if uid := o.prior.Version.UID; o.plan.Scope == terms.ScopeObject && uid != "" {
		r.family.Base(c.Model).UID = types.StringValue(uid)
	}
}

// acceptDrift plans an update that moves the baseline of drift, and writes nothing to the cluster, if the plan accepts
// drift.
func (r *Resource[M]) acceptDrift(
	ctx context.Context, c Call[M], o *operation, resp *fwresource.ModifyPlanResponse,
) diag.Diagnostics {
	if !o.update.AcceptsDrift {
		return nil
	}
	r.setID(c)
	r.family.Base(c.Model).ResourceVersion = types.StringUnknown()
	if o.plan.Open {
		r.planWrite(c)
		r.keepUID(c, o)
	}
	return r.Codec().Encode(ctx, *c.Model, &resp.Plan.Raw)
}

// setDefaults puts the defaults of the provider block into a plan, for attributes that the configuration does not set.
func (t *Type) setDefaults(req *fwresource.ModifyPlanRequest, resp *fwresource.ModifyPlanResponse) {
	var plan, config map[string]tftypes.Value
	if req.Plan.Raw.IsNull() || req.Plan.Raw.As(&plan) != nil || req.Config.Raw.As(&config) != nil {
		return
	}
	defaults := t.defaults()
	follows := func(name string) bool {
		given, configured := config[name]
		return configured && given.IsNull() && !defaults.Of(name).IsNull()
	}
	for name := range plan {
		if follows(name) {
			value := defaults.Of(name).ValueString()
			resp.Diagnostics.Append(t.refuses(name, value)...)
			plan[name] = tftypes.NewValue(tftypes.String, value)
		}
	}
	if wait, has := config["wait_for_match"]; has && !wait.IsNull() {
		narrow, scope := terms.ScopeKey, textOf(plan[terms.ConflictScope])
		if t.IsOfFields {
			narrow = terms.ScopeField
		}
		if follows(terms.ConflictScope) && defaults.Gives(terms.ConflictScope) && scope.ValueString() != narrow {
			resp.Diagnostics.Append(message.InvalidAttributeCombination.Problem(path.Root("wait_for_match"), fmt.Sprintf(
				"the provider's defaults have conflict_scope = %q, with which the write that it waits for is a conflict; "+
					"set conflict_scope = %q on this resource", scope.ValueString(), narrow)))
		} else {
			resp.Diagnostics.Append(attributes.NotWaiting(narrow, scope)...)
		}
	}
	req.Plan.Raw = tftypes.NewValue(req.Plan.Raw.Type(), plan)
	resp.Plan.Raw = req.Plan.Raw
}

// refuses returns the error for a default that the resource cannot have. A Secret has no original values to restore.
func (t *Type) refuses(name, value string) diag.Diagnostics {
	if t.Kind != eval.Secret && !t.IsWhole || name != terms.DeletionPolicy || value != terms.PolicyRestore {
		return nil
	}
	which := "a resource of a Secret cannot have: nothing keeps what its keys held first"
	if t.IsWhole {
		which = "a resource of a whole object cannot have"
	}
	return diag.Diagnostics{message.InvalidProviderArgument.At(path.Root(name), fmt.Sprintf(
		"The provider's defaults have %s = %q, which %s. Set %s on this resource.", name, value, which, name))}
}

// defaults returns the defaults of the provider block for this type.
func (t *Type) defaults() (d terms.Defaults) {
	if t.Session != nil {
		d = t.Session.Defaults
	}
	if t.IsOfFields {
		d = d.OfFields()
	}
	return d
}

// textOf returns a text of a plan.
func textOf(v tftypes.Value) types.String {
	var text *string
	switch {
	case !v.IsKnown():
		return types.StringUnknown()
	case v.As(&text) != nil || text == nil:
		return types.StringNull()
	}
	return types.StringValue(*text)
}
