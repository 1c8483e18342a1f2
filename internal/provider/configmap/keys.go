package configmap

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/claim"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/codec"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// keysModel is the model of a resource of keys. It translates itself to a claim, and takes the results in.
type keysModel[M any] interface {
	*M
	// claim translates the model of a plan or of a state.
	claim(run *claim.Run) *claim.Claim
	shared() *keysAttributes
	// mayBe reports whether the known parts of the place agree with a state's.
	mayBe(state *M) bool
	setID()
	// setPrevious stores the values that a write replaced; nil if it changed nothing.
	setPrevious(previous map[string]cas.Entry, run *claim.Run)
	// keepPrevious copies the replaced values from the state, unless values are hidden now.
	keepPrevious(state *M, run *claim.Run)
	// refresh stores what a read found, and reports whether the resource still exists.
	refresh(seen *claim.Seen) bool
	encodeIdentity(ctx context.Context, raw *tftypes.Value) diag.Diagnostics
}

// keysAttributes are the attributes that all resources of keys share.
type keysAttributes struct {
	place
	observed

	ExpectedResourceVerWO types.String `tfsdk:"expected_resource_version_wo"`
	ConflictScope         types.String `tfsdk:"conflict_scope"`
	WaitForMatch          types.String `tfsdk:"wait_for_match"`
	AdoptExisting         types.Bool   `tfsdk:"adopt_existing"`
	DeletionPolicy        types.String `tfsdk:"deletion_policy"`
	OnDrift               types.String `tfsdk:"on_drift"`
}

func (k *keysAttributes) shared() *keysAttributes { return k }

// newClaim fills in the parts of a claim that all resources of keys share.
func (k *keysAttributes) newClaim(id string, values, expected map[string]cas.Entry) *claim.Claim {
	return &claim.Claim{
		ID: id, Ref: k.ref(), Values: values, Expected: expected, Adopt: k.AdoptExisting.ValueBool(),
		Scope: k.ConflictScope.ValueString(), Policy: k.DeletionPolicy.ValueString(), OnDrift: k.OnDrift.ValueString(), Version: k.version(),
		FieldManager: k.FieldManager, Timeouts: k.Timeouts,
	}
}

// ways are the next steps that all resources of keys share; move is that for a key that moves between instances.
func ways(move string) diagnose.Ways {
	return diagnose.Ways{OtherKeys: `set conflict_scope = "key" to ignore other keys.`, Move: move}
}

// importedKeys gives the attributes of a new import. Every default is set, or the first plan would show an update.
func importedKeys(ref cas.Ref) keysAttributes {
	return keysAttributes{
		place: newPlace(ref), ConflictScope: types.StringValue(terms.ScopeObject), DeletionPolicy: types.StringValue(terms.PolicyDelete),
		AdoptExisting: types.BoolValue(false), OnDrift: types.StringValue(terms.DriftWarning),
	}
}

// keysResource implements all resources of keys. Terraform calls ModifyPlan
//
//   - for a create, an update and each half of a replace when it plans, and for all but the removal again when it applies;
//   - for a removal when it plans (for what create_before_destroy deposed: when it applies), with a null plan; what that puts into
//     private state then reaches Delete;
//   - for a replace twice, as an update and then as a create, which gets the private state of the first.
type keysResource[M any, P keysModel[M]] struct {
	connection

	codec func() *codec.Codec[M]
}

// ModifyPlan makes the checks of an apply at plan.
func (r *keysResource[M, P]) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if r.run == nil {
		return
	}
	var plan, state M
	ctx, diags := r.run.Planning(ctx, &req, resp.Private)
	resp.Diagnostics.Append(diags...)
	if !req.State.Raw.IsNull() {
		state, diags = r.codec().Decode(ctx, req.State.Raw)
		resp.Diagnostics.Append(diags...)
	}
	if !req.Plan.Raw.IsNull() {
		plan, diags = r.codec().Decode(ctx, req.Plan.Raw)
		resp.Diagnostics.Append(diags...)
	}
	pin, diags := attributes.PinnedVersion(ctx, req.Config)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	switch {
	case req.Plan.Raw.IsNull():
		resp.Diagnostics.Append(r.run.PlanDelete(ctx, P(&state).claim(r.run), resp.Private)...)
	case req.State.Raw.IsNull():
		r.planCreate(ctx, &plan, pin, resp)
	case req.Plan.Raw.Equal(req.State.Raw):
		held := P(&state).claim(r.run)
		resp.Diagnostics.Append(r.run.NoteReplace(ctx, held, held, resp.Private)...)
		resp.Diagnostics.Append(r.acceptDrift(ctx, held, held, &plan, resp)...)
	default:
		r.planUpdate(ctx, &plan, &state, pin, resp)
	}
}

func (r *keysResource[M, P]) planCreate(ctx context.Context, plan P, pin types.String, resp *resource.ModifyPlanResponse) {
	c := plan.claim(r.run)
	c.Pin = pin
	if !c.Known.Place || !c.Known.Keys {
		return
	}
	plan.setID()
	resp.Diagnostics.Append(r.codec().Encode(ctx, *plan, &resp.Plan.Raw)...)
	resp.Diagnostics.Append(r.run.PlanCreate(ctx, c, resp.Private)...)
}

func (r *keysResource[M, P]) planUpdate(ctx context.Context, plan, state P, pin types.String, resp *resource.ModifyPlanResponse) {
	c, held := plan.claim(r.run), state.claim(r.run)
	c.Pin = pin
	if !c.Known.Place || c.ID != held.ID {
		mayBeSame := !c.Known.Place && plan.mayBe(state)
		resp.Diagnostics.Append(r.run.PlanReplace(ctx, c, held, mayBeSame, resp.Private)...)
		return
	}
	resp.Diagnostics.Append(r.run.NoteReplace(ctx, c, held, resp.Private)...)
	if c.Known.Keys {
		plan.setID()
	}
	if uid := state.shared().UID; c.Scope == terms.ScopeObject && !uid.IsNull() {
		plan.shared().UID = uid // of another object it is a conflict
	}
	if c.Known.Values && !c.Changes(held) {
		r.keep(plan, state)
		resp.Diagnostics.Append(r.acceptDrift(ctx, c, held, plan, resp)...)
	}
	resp.Diagnostics.Append(r.codec().Encode(ctx, *plan, &resp.Plan.Raw)...)
	resp.Diagnostics.Append(r.run.PlanUpdate(ctx, c, held, resp.Private)...)
}

// acceptDrift plans an update that moves the baseline of drift, and writes nothing to the cluster, if the plan accepts drift.
func (r *keysResource[M, P]) acceptDrift(ctx context.Context, c, held *claim.Claim, plan P, resp *resource.ModifyPlanResponse) diag.Diagnostics {
	accepts, diags := c.AcceptsDrift(ctx, held, resp.Private)
	if accepts {
		plan.setID()
		plan.shared().ResourceVersion = types.StringUnknown()
		diags.Append(r.codec().Encode(ctx, *plan, &resp.Plan.Raw)...)
	}
	return diags
}

// keep copies from the state what only a write changes.
func (r *keysResource[M, P]) keep(plan, state P) {
	plan.setID()
	plan.shared().observed = state.shared().observed
	plan.keepPrevious(state, r.run)
}

// Create implements [resource.Resource].
func (r *keysResource[M, P]) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	plan, diags := r.codec().Decode(ctx, req.Plan.Raw)
	resp.Diagnostics.Append(diags...)
	pin, diags := attributes.PinnedVersion(ctx, req.Config)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	c := P(&plan).claim(r.run)
	c.Pin = pin
	written, diags := r.run.Create(ctx, c, resp.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return // nothing is set: what is tainted could not pass the check of its next plan
	}
	r.takeIn(&plan, written)
	resp.Diagnostics.Append(P(&plan).encodeIdentity(ctx, &resp.Identity.Raw)...)
	resp.Diagnostics.Append(r.codec().Encode(ctx, plan, &resp.State.Raw)...)
}

// takeIn stores the result of a write in the model.
func (r *keysResource[M, P]) takeIn(m P, written claim.Written) {
	m.setID()
	m.shared().setVersion(written.Version)
	m.setPrevious(written.Previous, r.run)
}

// Update implements [resource.Resource].
func (r *keysResource[M, P]) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	plan, diags := r.codec().Decode(ctx, req.Plan.Raw)
	resp.Diagnostics.Append(diags...)
	state, diags := r.codec().Decode(ctx, req.State.Raw)
	resp.Diagnostics.Append(diags...)
	pin, diags := attributes.PinnedVersion(ctx, req.Config)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	c, held := P(&plan).claim(r.run), P(&state).claim(r.run)
	c.Pin = pin
	written, diags := r.run.Update(ctx, c, held, resp.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return // the framework keeps the prior state
	}
	if c.Changes(held) {
		r.takeIn(&plan, written)
	} else {
		r.keep(&plan, &state)
	}
	resp.Diagnostics.Append(P(&plan).encodeIdentity(ctx, &resp.Identity.Raw)...)
	resp.Diagnostics.Append(r.codec().Encode(ctx, plan, &resp.State.Raw)...)
}

// Read implements [resource.Resource].
func (r *keysResource[M, P]) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	state, diags := r.codec().Decode(ctx, req.State.Raw)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	// Set even where the resource is removed: the framework demands it.
	resp.Diagnostics.Append(P(&state).encodeIdentity(ctx, &resp.Identity.Raw)...)
	if !r.run.Configured() {
		return
	}
	seen, diags := r.run.Read(ctx, P(&state).claim(r.run), resp.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	if !P(&state).refresh(seen) {
		resp.State.RemoveResource(ctx)
		return
	}
	P(&state).shared().setVersion(seen.Version())
	if seen.IsImport {
		if missing := seen.Missing(); len(missing) > 0 || len(seen.Keys) == 0 {
			resp.Diagnostics.Append(P(&state).claim(r.run).About(terms.OpRead).NotImported(missing, seen.Observation))
			return
		}
		P(&state).setID()
		resp.Diagnostics.Append(P(&state).encodeIdentity(ctx, &resp.Identity.Raw)...)
		resp.Diagnostics.Append(seen.Found(ctx, resp.Private)...)
	}
	resp.Diagnostics.Append(r.run.NoteRefresh(ctx, resp.Private)...)
	resp.Diagnostics.Append(r.codec().Encode(ctx, state, &resp.State.Raw)...)
}

// Delete implements [resource.Resource].
func (r *keysResource[M, P]) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	state, diags := r.codec().Decode(ctx, req.State.Raw)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(r.run.Delete(ctx, P(&state).claim(r.run), resp.Private)...)
}
