package adapter

import (
	"context"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/claim"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/codec"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// KeysModel is the model of a resource of keys, or of a whole object. It translates itself to a claim, and takes the results in.
type KeysModel[M any] interface {
	*M
	Shared() *Base
	// SetKind notes the kind of the object, which is the type's unless attributes name it.
	SetKind(ofType eval.Kind)
	// SetDefaults gives a new import its defaults.
	SetDefaults(of terms.Defaults)
	// Import adopts the attributes that an import names, and returns the keys; none for all.
	Import(ctx context.Context, req resource.ImportStateRequest) ([]string, diag.Diagnostics)
	IdentitySchema(kind eval.Kind) identityschema.Schema
	EncodeIdentity(ctx context.Context, raw *tftypes.Value) diag.Diagnostics
	// Validate says what is wrong with a configuration.
	Validate() diag.Diagnostics
	// Configure adopts the attributes that only a configuration has: write-only ones.
	Configure(config *M)
	// Claim translates the model of a plan or of a state.
	Claim(run *claim.Run) *claim.Claim
	// At are the attributes that say where the resource is.
	At() []types.String
	SetID()
	// PlanWrite makes unknown what a write changes, where Terraform does not: a plan with the same arguments as the state may have to write.
	PlanWrite()
	// TakeIn stores the result of a write, except for the id and the version.
	TakeIn(written claim.Written, run *claim.Run)
	// Keep copies from the state what only a write changes, except for the version; the replaced values, unless values are hidden now.
	Keep(state *M, run *claim.Run)
	// Refresh stores what a read found, and reports whether the resource still exists.
	Refresh(seen *claim.Seen, run *claim.Run) bool
}

// Follower is a model that depends on more than its attributes: on a state, which is the receiver itself or the state
// before a plan, and on the memory of the resource.
type Follower[M any] interface {
	Follow(state *M, memory *claim.Memory)
}

// Reworder is a model whose attributes can say one thing in several ways, such as a list or a tuple.
type Reworder[M any] interface {
	// Reword replaces each attribute that says the same as in the state by the attribute of the state.
	Reword(state *M)
}

// valueLeaver is a model with write-only maps. Terraform plans with null maps if ignore_changes names them, but gives the
// apply the maps of the configuration.
type valueLeaver interface{ leaveValues() }

// Keys implements all resources of keys, and of whole objects. Terraform calls ModifyPlan
//
//   - for a create, an update and each half of a replace when it plans, and for all but the removal again when it applies;
//   - for a removal when it plans (for what create_before_destroy deposed: when it applies), with a null plan; what that puts into
//     private state then reaches Delete;
//   - for a replace twice, as an update and then as a create, which gets the private state of the first.
type Keys[M any, P KeysModel[M]] struct {
	Modeled[M]
}

// NewKeys returns a type of resources of keys.
func NewKeys[M any, P KeysModel[M]](
	name string, kind eval.Kind, importForm string, definition func(context.Context) schema.Schema,
) Keys[M, P] {
	r := Keys[M, P]{NewModeled[M](name, kind, definition)}
	r.ImportForm = importForm
	return r
}

// New is a resource of the type.
func (r Keys[M, P]) New() Resource { return &r }

// decode is the model of a configuration, a plan or a state.
func (r *Keys[M, P]) decode(ctx context.Context, raw tftypes.Value, diags *diag.Diagnostics) P {
	m := P(r.Decode(ctx, raw, diags))
	m.SetKind(r.Kind)
	return m
}

// decodePlan is the model of a plan, with its configuration.
func (r *Keys[M, P]) decodePlan(ctx context.Context, plan tfsdk.Plan, config tfsdk.Config, diags *diag.Diagnostics) P {
	m, configured := r.decode(ctx, plan.Raw, diags), r.decode(ctx, config.Raw, diags)
	m.Configure(configured)
	return m
}

// encode puts a model into a state, and its identity into the one beside it.
func (r *Keys[M, P]) encode(ctx context.Context, m P, identity *tfsdk.ResourceIdentity, state *tfsdk.State) (diags diag.Diagnostics) {
	if identity != nil {
		diags = m.EncodeIdentity(ctx, &identity.Raw)
	}
	return append(diags, r.Codec().Encode(ctx, *m, &state.Raw)...)
}

// Blank is the state of an import before the first read.
func (r *Keys[M, P]) Blank(ctx context.Context) P {
	m := r.decode(ctx, codec.Nulls, new(diag.Diagnostics))
	m.SetDefaults(r.defaults())
	return m
}

// IdentitySchema implements [resource.ResourceWithIdentity].
func (r *Keys[M, P]) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = P(new(M)).IdentitySchema(r.Kind)
}

// ValidateConfig implements [resource.ResourceWithValidateConfig].
func (r *Keys[M, P]) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	if config := r.decode(ctx, req.Config.Raw, &resp.Diagnostics); !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(config.Validate()...)
	}
}

// change returns the subject of a call. Its plan or its state is nil if the call has none.
func (r *Keys[M, P]) change(plan, state P, m *claim.Memory) *claim.Change {
	for _, model := range []P{state, plan} {
		if of, follows := any(model).(Follower[M]); follows && model != nil && state != nil {
			of.Follow(state, m)
		}
	}
	var planned, prior *claim.Claim
	if plan != nil {
		planned = plan.Claim(r.Run)
	}
	if state != nil {
		prior = state.Claim(r.Run)
	}
	return claim.NewChange(r.Run, prior, planned, m)
}

// ModifyPlan makes the checks of an apply at plan.
func (r *Keys[M, P]) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if r.Run == nil {
		return
	}
	var plan, state P
	ctx, m := r.Planning(ctx, &req, resp)
	if !req.State.Raw.IsNull() {
		state = r.decode(ctx, req.State.Raw, &resp.Diagnostics)
	}
	if !req.Plan.Raw.IsNull() {
		plan = r.decodePlan(ctx, req.Plan, req.Config, &resp.Diagnostics)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	ch := r.change(plan, state, m)
	switch {
	case plan == nil:
		resp.Diagnostics.Append(ch.PlanDelete(ctx, true)...)
	case state == nil:
		r.planCreate(ctx, plan, ch, resp)
	case req.Plan.Raw.Equal(req.State.Raw) && r.Kind == eval.ConfigMap:
		ch = claim.NewChange(r.Run, ch.Prior, ch.Prior, m)
		ch.NoteReplace()
		resp.Diagnostics.Append(ch.PlanUnchanged(ctx)...)
		resp.Diagnostics.Append(r.acceptDrift(ctx, ch, plan, resp)...)
	default:
		r.planUpdate(ctx, plan, state, ch, resp)
	}
	if plan != nil && state != nil && !r.Run.IsApply(ctx) {
		r.planNoChange(ctx, plan, state, req.State.Raw, resp)
	}
	resp.Diagnostics.Append(m.Keep(ctx, resp.Private)...)
}

// planNoChange plans the state itself if the plan differs from the state in words alone. Any other plan has the words
// of the configuration, which its apply stores. An apply plans each change again: there the words of the state would
// differ from the first plan.
func (r *Keys[M, P]) planNoChange(ctx context.Context, plan, state P, raw tftypes.Value, resp *resource.ModifyPlanResponse) {
	reworder, rewords := any(plan).(Reworder[M])
	if !rewords || len(resp.RequiresReplace) > 0 {
		return
	}
	var reworded tftypes.Value
	reworder.Reword(state)
	resp.Diagnostics.Append(r.Codec().Encode(ctx, *plan, &reworded)...)
	if reworded.Equal(raw) { // which compares no types
		resp.Plan.Raw = raw
	}
}

func (r *Keys[M, P]) planCreate(ctx context.Context, plan P, ch *claim.Change, resp *resource.ModifyPlanResponse) {
	if ch.Plan.IsNamed() {
		plan.SetID()
		plan.PlanWrite()
	}
	resp.Diagnostics.Append(r.Codec().Encode(ctx, *plan, &resp.Plan.Raw)...)
	resp.Diagnostics.Append(ch.PlanCreate(ctx)...)
}

func (r *Keys[M, P]) planUpdate(ctx context.Context, plan, state P, ch *claim.Change, resp *resource.ModifyPlanResponse) {
	c := ch.Plan
	if !c.Known.Place || c.ID != ch.Prior.ID {
		mayBeSame := !c.Known.Place && slices.EqualFunc(plan.At(), state.At(), agrees)
		resp.Diagnostics.Append(ch.PlanReplace(ctx, mayBeSame)...)
		return
	}
	ch.NoteReplace()
	if c.IsNamed() && (!c.Open || c.Whole != nil) {
		plan.SetID()
	}
	_, mayLeave := any(plan).(valueLeaver)
	ch.Memory.Plan.Left = mayLeave && c.IsSecret() && !c.Open
	isUnchanged := c.Known.Change && ch.Update.Txn == nil
	switch {
	case isUnchanged && c.Open && len(ch.Update.Released) > 0: // the update records that the keys are no longer of the resource
		plan.PlanWrite()
	case !c.Known.Change, isUnchanged && (c.Open || c.IsSecret() && !c.Known.Values):
		// The plan stays as it is: what differs from the state makes unknown what a write changes, since the apply may have to write after all.
	case isUnchanged:
		r.keep(plan, state)
	default:
		plan.PlanWrite()
	}
	r.keepUID(plan, ch)
	resp.Diagnostics.Append(ch.PlanUpdate(ctx)...)
	for _, attribute := range ch.Update.Replaces {
		resp.RequiresReplace = append(resp.RequiresReplace, path.Root(attribute))
		plan.PlanWrite()
	}
	resp.Diagnostics.Append(r.Codec().Encode(ctx, *plan, &resp.Plan.Raw)...)
	if len(ch.Update.Replaces) == 0 && isUnchanged {
		resp.Diagnostics.Append(r.acceptDrift(ctx, ch, plan, resp)...)
	}
}

// keepUID keeps the uid in the plan of an update for which another object would be a conflict.
func (r *Keys[M, P]) keepUID(plan P, ch *claim.Change) {
	if uid := ch.Prior.Version.UID; ch.Plan.Scope == terms.ScopeObject && uid != "" {
		plan.Shared().UID = types.StringValue(uid)
	}
}

// acceptDrift plans an update that moves the baseline of drift, and writes nothing to the cluster, if the plan accepts drift.
func (r *Keys[M, P]) acceptDrift(ctx context.Context, ch *claim.Change, plan P, resp *resource.ModifyPlanResponse) (diags diag.Diagnostics) {
	if ch.Update.AcceptsDrift {
		plan.SetID()
		plan.Shared().ResourceVersion = types.StringUnknown()
		if ch.Plan.Open {
			plan.PlanWrite()
			r.keepUID(plan, ch)
		}
		diags = r.Codec().Encode(ctx, *plan, &resp.Plan.Raw)
	}
	return diags
}

// keep copies from the state what only a write changes.
func (r *Keys[M, P]) keep(plan, state P) {
	plan.SetID()
	plan.Shared().Versioned = state.Shared().Versioned
	plan.Keep(state, r.Run)
}

// Create implements [resource.Resource].
func (r *Keys[M, P]) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	plan := r.decodePlan(ctx, req.Plan, req.Config, &resp.Diagnostics)
	m := r.Recall(ctx, resp.Private, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	written, diags := r.change(plan, nil, m).ApplyCreate(ctx)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return // nothing is set: what is tainted could not pass the check of its next plan
	}
	r.takeIn(plan, written, m)
	resp.Diagnostics.Append(m.Keep(ctx, resp.Private)...)
	resp.Diagnostics.Append(r.encode(ctx, plan, resp.Identity, &resp.State)...)
}

// takeIn stores the result of a write in the model.
func (r *Keys[M, P]) takeIn(m P, written claim.Written, memory *claim.Memory) {
	if of, follows := any(m).(Follower[M]); follows {
		of.Follow(m, memory)
	}
	m.TakeIn(written, r.Run)
	m.SetID()
	m.Shared().SetVersion(written.After.Version())
}

// Update implements [resource.Resource].
func (r *Keys[M, P]) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	plan := r.decodePlan(ctx, req.Plan, req.Config, &resp.Diagnostics)
	state := r.decode(ctx, req.State.Raw, &resp.Diagnostics)
	m := r.Recall(ctx, resp.Private, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	if of, mayLeave := any(plan).(valueLeaver); mayLeave && m.Plan.Left {
		of.leaveValues()
	}
	ch := r.change(plan, state, m)
	written, diags := ch.ApplyUpdate(ctx)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(m.Keep(ctx, resp.Private)...)
	if resp.Diagnostics.HasError() {
		return // the framework keeps the prior state
	}
	if written.After != nil {
		r.takeIn(plan, written, m)
	} else {
		r.keep(plan, state)
	}
	resp.Diagnostics.Append(r.encode(ctx, plan, resp.Identity, &resp.State)...)
}

// Read implements [resource.Resource].
func (r *Keys[M, P]) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	state := r.decode(ctx, req.State.Raw, &resp.Diagnostics)
	m := r.Recall(ctx, resp.Private, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	// Set even where the resource is removed: the framework demands it.
	resp.Diagnostics.Append(state.EncodeIdentity(ctx, &resp.Identity.Raw)...)
	if !r.Run.Configured() {
		return
	}
	seen, diags := r.Run.Read(ctx, r.change(nil, state, m).Prior, m)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() || seen == nil {
		return
	}
	if !state.Refresh(seen, r.Run) {
		if seen.IsImport {
			resp.Diagnostics.Append(r.Run.NothingThere(ctx, state.Claim(r.Run).About(terms.OpRead), seen.Snapshot))
		}
		resp.State.RemoveResource(ctx)
		return
	}
	state.Shared().SetVersion(seen.Version())
	if seen.IsImport {
		c := state.Claim(r.Run)
		if missing := seen.Missing(); c.Whole == nil && (len(missing) > 0 || len(seen.Keys) == 0) {
			resp.Diagnostics.Append(c.About(terms.OpRead).NotImported(missing, seen.Snapshot))
			return
		}
		state.SetID()
		m.Memory = decide.Imported(m.Memory, &c.Claim, seen.Keys, seen.Snapshot)
	}
	resp.Diagnostics.Append(m.Keep(ctx, resp.Private)...)
	resp.Diagnostics.Append(r.encode(ctx, state, resp.Identity, &resp.State)...)
}

// Delete implements [resource.Resource].
func (r *Keys[M, P]) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	state := r.decode(ctx, req.State.Raw, &resp.Diagnostics)
	m := r.Recall(ctx, resp.Private, &resp.Diagnostics)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(r.change(nil, state, m).ApplyDelete(ctx)...)
		resp.Diagnostics.Append(m.Keep(ctx, resp.Private)...)
	}
}

// ImportState implements [resource.ResourceWithImportState]. The refresh that follows puts in the rest.
func (r *Keys[M, P]) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	state := r.Blank(ctx)
	keys, diags := state.Import(ctx, req)
	resp.Diagnostics.Append(diags...)
	m := r.Recall(ctx, resp.Private, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(r.encode(ctx, state, resp.Identity, &resp.State)...)
	m.Imports(keys...)
	resp.Diagnostics.Append(m.Keep(ctx, resp.Private)...)
}
