package adapter

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/claim"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/codec"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Whole implements the resources of whole objects.
type Whole struct {
	Modeled[Object]

	validate func(config *Object) diag.Diagnostics // what no attribute can tell by itself
}

// NewWhole is a type of resources of whole objects.
func NewWhole(name string, kind cas.Kind, definition func(context.Context) schema.Schema, validate func(config *Object) diag.Diagnostics) *Whole {
	return &Whole{NewModeled[Object](name, kind, definition), validate}
}

// decode is the model of a configuration, a plan or a state.
func (r *Whole) decode(ctx context.Context, raw tftypes.Value, diags *diag.Diagnostics) *Object {
	m := r.Decode(ctx, raw, diags)
	if m.Kind = r.Kind; m.Kind == cas.Secret {
		m.Seal()
	}
	return m
}

// decodePlan is the model of a plan. Of a Secret, the configuration alone has the values.
func (r *Whole) decodePlan(ctx context.Context, plan tfsdk.Plan, config tfsdk.Config, diags *diag.Diagnostics) *Object {
	m := r.decode(ctx, plan.Raw, diags)
	if r.Kind == cas.Secret {
		m.BinaryData = r.decode(ctx, config.Raw, diags).BinaryData
	}
	return m
}

// Encode puts a model into a plan or a state, without the values of a Secret.
func (r *Whole) Encode(ctx context.Context, m *Object, raw *tftypes.Value) diag.Diagnostics {
	stored := *m
	if r.Kind == cas.Secret {
		stored.Data, stored.BinaryData = types.MapNull(types.StringType), types.MapNull(types.StringType)
	}
	return r.Codec().Encode(ctx, stored, raw)
}

// encode puts a model into a state, and its identity into the one beside it.
func (r *Whole) encode(ctx context.Context, m *Object, identity *tfsdk.ResourceIdentity, state *tfsdk.State) (diags diag.Diagnostics) {
	if identity != nil {
		diags = m.Identity().Encode(ctx, &identity.Raw)
	}
	return append(diags, r.Encode(ctx, m, &state.Raw)...)
}

// blank is the state of an object of which nothing but its name is known. Every default is set, or the first plan would show an update.
func (r *Whole) blank(ctx context.Context, ref cas.Ref) *Object {
	m := r.decode(ctx, codec.Nulls, new(diag.Diagnostics))
	m.Immutable, m.HideValues, m.OnDrift = types.BoolValue(false), types.BoolValue(false), r.defaults().Known(terms.OnDrift)
	m.SetRef(ref)
	return m
}

// IdentitySchema implements [resource.ResourceWithIdentity].
func (r *Whole) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = objectIdentitySchema(r.Kind)
}

// ValidateConfig implements [resource.ResourceWithValidateConfig].
func (r *Whole) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	if config := r.Decode(ctx, req.Config.Raw, &resp.Diagnostics); !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(r.validate(config)...)
		resp.Diagnostics.Append(attributes.InvalidAnnotations(config.Annotations)...)
	}
}

// ModifyPlan checks what an apply would check. Keys says when Terraform calls it.
func (r *Whole) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if r.Run == nil {
		return
	}
	var plan, state, config *Object
	ctx, m := r.Planning(ctx, &req, resp)
	if !req.State.Raw.IsNull() {
		state = r.decode(ctx, req.State.Raw, &resp.Diagnostics)
	}
	if !req.Plan.Raw.IsNull() {
		plan = r.decodePlan(ctx, req.Plan, req.Config, &resp.Diagnostics)
		config = r.decode(ctx, req.Config.Raw, &resp.Diagnostics)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	if plan != nil && config.GenerateName.IsNull() {
		plan.GenerateName = types.StringNull()
		if state != nil {
			plan.GenerateName = state.GenerateName
		}
	}
	switch ch := r.change(plan, state, m); {
	case plan == nil:
		resp.Diagnostics.Append(ch.PlanDelete(ctx)...)
	case state == nil:
		if plan.RefKnown() {
			plan.ID = types.StringValue(plan.Ref().String())
		}
		resp.Diagnostics.Append(r.Encode(ctx, plan, &resp.Plan.Raw)...)
		resp.Diagnostics.Append(ch.PlanCreate(ctx)...)
	case req.Plan.Raw.Equal(req.State.Raw) && r.Kind == cas.ConfigMap:
		ch.NoteReplace()
		r.acceptDrift(ctx, plan, ch, resp)
	case !plan.RefKnown() || plan.Ref() != state.Ref() || !plan.isOfPrefix(state):
		// The removal of a replace. What it is to go by is noted here; the creation is planned by a call of its own.
		resp.Diagnostics.Append(ch.PlanReplace(ctx, false)...)
	default:
		ch.NoteReplace()
		plan.ID, plan.UID = state.ID, state.UID
		r.planComputed(plan, state, ch)
		resp.Diagnostics.Append(ch.PlanUpdate(ctx)...)
		replaces := ch.Replaces()
		for _, attribute := range replaces {
			resp.RequiresReplace = append(resp.RequiresReplace, path.Root(attribute))
			plan.Keys = types.ListUnknown(types.StringType)
		}
		if len(replaces) == 0 && !ch.Writes() {
			r.acceptDrift(ctx, plan, ch, resp)
		}
		resp.Diagnostics.Append(r.Encode(ctx, plan, &resp.Plan.Raw)...)
	}
	resp.Diagnostics.Append(r.declares(ctx, plan, state == nil)...)
	resp.Diagnostics.Append(m.Keep(ctx, resp.Private)...)
}

// declares has the plan know which keys a whole object shall have, beside those of other resources. plan is nil for a removal.
func (r *Whole) declares(ctx context.Context, plan *Object, isNew bool) diag.Diagnostics {
	if plan == nil || !plan.RefKnown() || plan.Data.IsUnknown() || plan.BinaryData.IsUnknown() {
		return nil
	}
	named := func(m types.Map) map[string]bool {
		if m.IsNull() {
			return nil
		}
		keys := map[string]bool{}
		for key := range m.Elements() {
			keys[key] = true
		}
		return keys
	}
	d := claim.Declared{Text: named(plan.Data), Binary: named(plan.BinaryData)}
	if r.Kind == cas.Secret {
		d.Text = d.Binary
	}
	return r.Run.PlanDeclares(ctx, plan.Ref(), d, isNew, r.About(plan, terms.OpCreate))
}

// isOfPrefix reports whether the name in the state is of the plan's generate_name. The state of an import does not have that.
func (m *Object) isOfPrefix(state *Object) bool {
	return m.GenerateName.Equal(state.GenerateName) ||
		state.GenerateName.IsNull() && terms.IsGenerated(state.Name.ValueString(), m.GenerateName.ValueString())
}

// planComputed says of the computed attributes which ones the update changes.
func (r *Whole) planComputed(plan, state *Object, ch *claim.Change) {
	switch {
	case ch.Plan.Known.Change && ch.Writes():
		plan.ResourceVersion, plan.Keys = types.StringUnknown(), types.ListUnknown(types.StringType)
	case !ch.Plan.Known.Values || ch.LeavesValues():
		// The framework made them unknown where an argument differs from the state: the apply may be given other keys by an ephemeral map.
	case ch.LeavesToOthers(): // the update records it: the state has no argument that says so
		plan.ResourceVersion, plan.Keys = types.StringUnknown(), state.Keys
	default:
		plan.ResourceVersion, plan.Keys = state.ResourceVersion, state.Keys
	}
}

// acceptDrift plans an update that moves the baseline of drift, and writes nothing to the cluster, if the plan accepts drift.
func (r *Whole) acceptDrift(ctx context.Context, plan *Object, ch *claim.Change, resp *resource.ModifyPlanResponse) {
	if ch.AcceptsDrift() {
		plan.ResourceVersion, plan.Keys = types.StringUnknown(), types.ListUnknown(types.StringType)
		resp.Diagnostics.Append(r.Encode(ctx, plan, &resp.Plan.Raw)...)
	}
}

// Create implements [resource.Resource].
func (r *Whole) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	plan := r.decodePlan(ctx, req.Plan, req.Config, &resp.Diagnostics)
	m := r.Recall(ctx, resp.Private, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	written, diags := r.change(plan, nil, m).Create(ctx)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return // nothing is set: a tainted ConfigMap could not pass the check of its next plan
	}
	plan.SetRef(written.Ref)
	plan.observe(written.After)
	resp.Diagnostics.Append(m.Keep(ctx, resp.Private)...)
	resp.Diagnostics.Append(r.encode(ctx, plan, resp.Identity, &resp.State)...)
}

// Read implements [resource.Resource].
func (r *Whole) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	state := r.decode(ctx, req.State.Raw, &resp.Diagnostics)
	m := r.Recall(ctx, resp.Private, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	// Set even where the resource is removed: the framework demands it.
	resp.Diagnostics.Append(state.Identity().Encode(ctx, &resp.Identity.Raw)...)
	if !r.Run.Configured() {
		return
	}
	seen, diags := r.Run.Read(ctx, r.claim(state, nil, m), m)
	if resp.Diagnostics.Append(diags...); resp.Diagnostics.HasError() {
		return
	}
	if !seen.Exists() {
		if state.UID.IsNull() { // which an import alone leaves
			resp.Diagnostics.Append(r.Run.NothingThere(ctx, r.About(state, terms.OpRead), seen.Observation))
		}
		resp.State.RemoveResource(ctx)
		return
	}
	if seen.IsImport {
		r.adopt(state, seen.Observation)
		m.Baseline(r.claim(state, nil, m))
	} else {
		r.refresh(state, seen.Observation, m)
	}
	r.Run.NoteRefresh(m)
	resp.Diagnostics.Append(m.Keep(ctx, resp.Private)...)
	resp.Diagnostics.Append(r.encode(ctx, state, resp.Identity, &resp.State)...)
}

// Update implements [resource.Resource].
func (r *Whole) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	plan := r.decodePlan(ctx, req.Plan, req.Config, &resp.Diagnostics)
	state := r.decode(ctx, req.State.Raw, &resp.Diagnostics)
	m := r.Recall(ctx, resp.Private, &resp.Diagnostics)
	if resp.Diagnostics.HasError() {
		return
	}
	written, diags := r.change(plan, state, m).Update(ctx)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(m.Keep(ctx, resp.Private)...)
	if resp.Diagnostics.HasError() {
		return // the framework keeps the prior state
	}
	if plan.Observed, plan.Keys = state.Observed, state.Keys; written.After != nil {
		plan.observe(written.After)
	}
	resp.Diagnostics.Append(r.encode(ctx, plan, resp.Identity, &resp.State)...)
}

// Delete implements [resource.Resource].
func (r *Whole) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	state := r.decode(ctx, req.State.Raw, &resp.Diagnostics)
	m := r.Recall(ctx, resp.Private, &resp.Diagnostics)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(r.change(nil, state, m).Delete(ctx)...)
		resp.Diagnostics.Append(m.Keep(ctx, resp.Private)...)
	}
}

// change is what a call is about. What has no plan or no state has nil.
func (r *Whole) change(plan, state *Object, m *claim.Memory) *claim.Change {
	ch := &claim.Change{Run: r.Run, Memory: m}
	if plan != nil {
		ch.Plan = r.claim(plan, state, nil)
	}
	if state != nil {
		ch.Prior = r.claim(state, nil, m)
	}
	return ch
}

// ImportState implements [resource.ResourceWithImportState]. The refresh that follows puts in the rest.
func (r *Whole) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	ref, diags := importedObject(ctx, req)
	resp.Diagnostics.Append(diags...)
	if !resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(r.encode(ctx, r.blank(ctx, ref), resp.Identity, &resp.State)...)
	}
}

// Imported is the state of an import of what was observed.
func (r *Whole) Imported(ctx context.Context, ref cas.Ref, seen *cas.Observation) *Object {
	m := r.blank(ctx, ref)
	r.adopt(m, seen)
	return m
}
