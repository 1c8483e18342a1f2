package adapter

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/claim"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/codec"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// KeysModel is the model of a resource of keys. It translates itself to a claim, and takes the results in.
type KeysModel[M any] interface {
	*M
	// Configure takes in what only the configuration has: write-only attributes.
	Configure(ctx context.Context, config tfsdk.Config) diag.Diagnostics
	// Claim translates the model of a plan or of a state.
	Claim(run *claim.Run) *claim.Claim
	Shared() *KeysAttributes
	// MayBe reports whether the known parts of the place agree with a state's.
	MayBe(state *M) bool
	SetID()
	// PlanWrite makes unknown what a write changes, where Terraform does not: a plan with the same arguments as the state may have to write.
	PlanWrite()
	// SetPrevious stores the values that a write replaced; nil if it changed nothing.
	SetPrevious(previous map[string]cas.Entry, run *claim.Run)
	// KeepPrevious copies the replaced values from the state, unless values are hidden now.
	KeepPrevious(state *M, run *claim.Run)
	// Refresh stores what a read found, and reports whether the resource still exists.
	Refresh(seen *claim.Seen) bool
	EncodeIdentity(ctx context.Context, raw *tftypes.Value) diag.Diagnostics
}

// KeysAttributes are the attributes that all resources of keys share.
type KeysAttributes struct {
	Place
	Observed

	ExpectedResourceVerWO types.String `tfsdk:"expected_resource_version_wo"`
	ConflictScope         types.String `tfsdk:"conflict_scope"`
	WaitForMatch          types.String `tfsdk:"wait_for_match"`
	AdoptExisting         types.Bool   `tfsdk:"adopt_existing"`
	DeletionPolicy        types.String `tfsdk:"deletion_policy"`
	OnDrift               types.String `tfsdk:"on_drift"`

	pin types.String `tfsdk:"-"` // the expected_resource_version_wo of the configuration
}

// Shared are the attributes themselves.
func (k *KeysAttributes) Shared() *KeysAttributes { return k }

// PlanWrite does nothing: a ConfigMap is written where an argument differs from the state.
func (*KeysAttributes) PlanWrite() {}

// Configure takes in what only the configuration has.
func (k *KeysAttributes) Configure(ctx context.Context, config tfsdk.Config) (diags diag.Diagnostics) {
	k.pin, diags = attributes.PinnedVersion(ctx, config)
	return diags
}

// NewClaim fills in the parts of a claim that all resources of keys share.
func (k *KeysAttributes) NewClaim(id string, ref cas.Ref, values, expected map[string]cas.Entry) *claim.Claim {
	return &claim.Claim{
		ID: id, Ref: ref, Values: values, Expected: expected, Adopt: k.AdoptExisting.ValueBool(), Pin: k.pin,
		Scope: k.ConflictScope.ValueString(), Policy: k.DeletionPolicy.ValueString(), OnDrift: k.OnDrift.ValueString(), Version: k.Version(),
		FieldManager: k.FieldManager, Timeouts: k.Timeouts,
	}
}

// Ways are the next steps that all resources of keys share; move is that for a key that moves between instances.
func Ways(move string) diagnose.Ways {
	return diagnose.Ways{OtherKeys: `set conflict_scope = "key" to ignore other keys.`, Move: move}
}

// ImportedKeys gives the attributes of a new import. Every default is set, or the first plan would show an update.
func ImportedKeys(ref cas.Ref) KeysAttributes {
	return KeysAttributes{
		Place: NewPlace(ref), ConflictScope: types.StringValue(terms.ScopeObject), DeletionPolicy: types.StringValue(terms.PolicyDelete),
		AdoptExisting: types.BoolValue(false), OnDrift: types.StringValue(terms.DriftWarning),
	}
}

// Keys implements all resources of keys. Terraform calls ModifyPlan
//
//   - for a create, an update and each half of a replace when it plans, and for all but the removal again when it applies;
//   - for a removal when it plans (for what create_before_destroy deposed: when it applies), with a null plan; what that puts into
//     private state then reaches Delete;
//   - for a replace twice, as an update and then as a create, which gets the private state of the first.
type Keys[M any, P KeysModel[M]] struct {
	Connection

	Kind  cas.Kind
	Codec func() *codec.Codec[M]
}

// ModifyPlan makes the checks of an apply at plan.
func (r *Keys[M, P]) ModifyPlan(ctx context.Context, req resource.ModifyPlanRequest, resp *resource.ModifyPlanResponse) {
	if r.Run == nil {
		return
	}
	var plan, state M
	ctx, diags := r.Run.Planning(ctx, &req, resp.Private)
	resp.Diagnostics.Append(diags...)
	if !req.State.Raw.IsNull() {
		state, diags = r.Codec().Decode(ctx, req.State.Raw)
		resp.Diagnostics.Append(diags...)
	}
	if !req.Plan.Raw.IsNull() {
		plan, diags = r.Codec().Decode(ctx, req.Plan.Raw)
		resp.Diagnostics.Append(diags...)
		resp.Diagnostics.Append(P(&plan).Configure(ctx, req.Config)...)
	}
	if resp.Diagnostics.HasError() {
		return
	}
	switch {
	case req.Plan.Raw.IsNull():
		resp.Diagnostics.Append(r.Run.PlanDelete(ctx, P(&state).Claim(r.Run), resp.Private)...)
	case req.State.Raw.IsNull():
		r.planCreate(ctx, &plan, resp)
	case req.Plan.Raw.Equal(req.State.Raw) && r.Kind == cas.ConfigMap:
		held := P(&state).Claim(r.Run)
		resp.Diagnostics.Append(r.Run.NoteReplace(ctx, held, held, resp.Private)...)
		resp.Diagnostics.Append(r.acceptDrift(ctx, held, held, &plan, resp)...)
	default:
		r.planUpdate(ctx, &plan, &state, resp)
	}
}

func (r *Keys[M, P]) planCreate(ctx context.Context, plan P, resp *resource.ModifyPlanResponse) {
	c := plan.Claim(r.Run)
	if !c.Known.Place || !c.Known.Keys {
		return
	}
	plan.SetID()
	plan.PlanWrite()
	resp.Diagnostics.Append(r.Codec().Encode(ctx, *plan, &resp.Plan.Raw)...)
	resp.Diagnostics.Append(r.Run.PlanCreate(ctx, c, resp.Private)...)
}

func (r *Keys[M, P]) planUpdate(ctx context.Context, plan, state P, resp *resource.ModifyPlanResponse) {
	c, held := plan.Claim(r.Run), state.Claim(r.Run)
	if !c.Known.Place || c.ID != held.ID {
		mayBeSame := !c.Known.Place && plan.MayBe(state)
		resp.Diagnostics.Append(r.Run.PlanReplace(ctx, c, held, mayBeSame, resp.Private)...)
		return
	}
	resp.Diagnostics.Append(r.Run.NoteReplace(ctx, c, held, resp.Private)...)
	if c.Known.Keys {
		plan.SetID()
	}
	switch {
	case c.Known.Change && !c.Changes(held) && c.IsSecret() && !c.Known.Values:
		// The plan stays as it is: what differs from the state makes the version unknown, since the apply may have to write after all.
	case c.Known.Change && !c.Changes(held):
		r.keep(plan, state)
		resp.Diagnostics.Append(r.acceptDrift(ctx, c, held, plan, resp)...)
	default:
		plan.PlanWrite()
		if uid := state.Shared().UID; c.Scope == terms.ScopeObject && !uid.IsNull() {
			plan.Shared().UID = uid // of another object it is a conflict
		}
	}
	resp.Diagnostics.Append(r.Codec().Encode(ctx, *plan, &resp.Plan.Raw)...)
	resp.Diagnostics.Append(r.Run.PlanUpdate(ctx, c, held, resp.Private)...)
}

// acceptDrift plans an update that moves the baseline of drift, and writes nothing to the cluster, if the plan accepts drift.
func (r *Keys[M, P]) acceptDrift(ctx context.Context, c, held *claim.Claim, plan P, resp *resource.ModifyPlanResponse) diag.Diagnostics {
	accepts, diags := c.AcceptsDrift(ctx, held, resp.Private)
	if accepts {
		plan.SetID()
		plan.Shared().ResourceVersion = types.StringUnknown()
		diags.Append(r.Codec().Encode(ctx, *plan, &resp.Plan.Raw)...)
	}
	return diags
}

// keep copies from the state what only a write changes.
func (r *Keys[M, P]) keep(plan, state P) {
	plan.SetID()
	plan.Shared().Observed = state.Shared().Observed
	plan.KeepPrevious(state, r.Run)
}

// Create implements [resource.Resource].
func (r *Keys[M, P]) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	plan, diags := r.Codec().Decode(ctx, req.Plan.Raw)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(P(&plan).Configure(ctx, req.Config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	c := P(&plan).Claim(r.Run)
	written, diags := r.Run.Create(ctx, c, resp.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return // nothing is set: what is tainted could not pass the check of its next plan
	}
	r.takeIn(&plan, written)
	resp.Diagnostics.Append(P(&plan).EncodeIdentity(ctx, &resp.Identity.Raw)...)
	resp.Diagnostics.Append(r.Codec().Encode(ctx, plan, &resp.State.Raw)...)
}

// takeIn stores the result of a write in the model.
func (r *Keys[M, P]) takeIn(m P, written claim.Written) {
	m.SetID()
	m.Shared().SetVersion(written.Version)
	m.SetPrevious(written.Previous, r.Run)
}

// Update implements [resource.Resource].
func (r *Keys[M, P]) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	plan, diags := r.Codec().Decode(ctx, req.Plan.Raw)
	resp.Diagnostics.Append(diags...)
	state, diags := r.Codec().Decode(ctx, req.State.Raw)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(P(&plan).Configure(ctx, req.Config)...)
	if resp.Diagnostics.HasError() {
		return
	}
	c, held := P(&plan).Claim(r.Run), P(&state).Claim(r.Run)
	written, diags := r.Run.Update(ctx, c, held, resp.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return // the framework keeps the prior state
	}
	if c.Changes(held) {
		r.takeIn(&plan, written)
	} else {
		r.keep(&plan, &state)
	}
	resp.Diagnostics.Append(P(&plan).EncodeIdentity(ctx, &resp.Identity.Raw)...)
	resp.Diagnostics.Append(r.Codec().Encode(ctx, plan, &resp.State.Raw)...)
}

// Read implements [resource.Resource].
func (r *Keys[M, P]) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	state, diags := r.Codec().Decode(ctx, req.State.Raw)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	// Set even where the resource is removed: the framework demands it.
	resp.Diagnostics.Append(P(&state).EncodeIdentity(ctx, &resp.Identity.Raw)...)
	if !r.Run.Configured() {
		return
	}
	seen, diags := r.Run.Read(ctx, P(&state).Claim(r.Run), resp.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	if !P(&state).Refresh(seen) {
		resp.State.RemoveResource(ctx)
		return
	}
	P(&state).Shared().SetVersion(seen.Version())
	if seen.IsImport {
		if missing := seen.Missing(); len(missing) > 0 || len(seen.Keys) == 0 {
			resp.Diagnostics.Append(P(&state).Claim(r.Run).About(terms.OpRead).NotImported(missing, seen.Observation))
			return
		}
		P(&state).SetID()
		resp.Diagnostics.Append(P(&state).EncodeIdentity(ctx, &resp.Identity.Raw)...)
		resp.Diagnostics.Append(seen.Found(ctx, resp.Private)...)
	}
	resp.Diagnostics.Append(r.Run.NoteRefresh(ctx, resp.Private)...)
	resp.Diagnostics.Append(r.Codec().Encode(ctx, state, &resp.State.Raw)...)
}

// Delete implements [resource.Resource].
func (r *Keys[M, P]) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	state, diags := r.Codec().Decode(ctx, req.State.Raw)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(r.Run.Delete(ctx, P(&state).Claim(r.Run), resp.Private)...)
}
