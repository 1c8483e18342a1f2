package configmap

import (
	"context"
	"errors"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/claim"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

var (
	_ resource.ResourceWithConfigure      = (*wholeResource)(nil)
	_ resource.ResourceWithIdentity       = (*wholeResource)(nil)
	_ resource.ResourceWithImportState    = (*wholeResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*wholeResource)(nil)
	_ resource.ResourceWithMoveState      = (*wholeResource)(nil)
	_ resource.ResourceWithValidateConfig = (*wholeResource)(nil)
)

// NewConfigMap is cas_configmap.
func NewConfigMap() resource.Resource { return &wholeResource{} }

// wholeResource is cas_configmap.
type wholeResource struct {
	connection
}

func (*wholeResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_configmap"
}

func (r *wholeResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	plan, diags := wholeCodec().Decode(ctx, req.Plan.Raw)
	resp.Diagnostics.Append(diags...)
	timeout, diags := plan.Timeouts.Create(ctx, terms.DefaultTimeout)
	resp.Diagnostics.Append(diags...)
	if !r.run.Configured() {
		resp.Diagnostics.Append(claim.NotConfigured())
	}
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	ref, result, err := r.create(ctx, &plan)
	about := r.about(&plan, nil, terms.OpCreate)
	about.ID.Ref = ref
	if err != nil {
		resp.Diagnostics.Append(about.Diagnose(err)) // nothing is set: a tainted ConfigMap could not pass the check of its next plan
		return
	}
	stored := r.stored(result.After, &plan)
	resp.Diagnostics.Append(about.Admitted(plan.content(), r.live(result.After, &plan).content())...)
	resp.Diagnostics.Append(claim.SetBaseline(ctx, resp.Private, stored)...)
	plan.setRef(ref)
	plan.setVersion(result.After.Version())
	resp.Diagnostics.Append(plan.encodeIdentity(ctx, &resp.Identity.Raw)...)
	resp.Diagnostics.Append(wholeCodec().Encode(ctx, plan, &resp.State.Raw)...)
}

// create makes the ConfigMap under its name, or under one that is generated: another one where that is taken. It looks first,
// unless the plan's check just has: an answer that gets lost can be settled where it is known that there was none before.
func (r *wholeResource) create(ctx context.Context, plan *wholeModel) (ref cas.Ref, result cas.TxnResult, err error) {
	ref = plan.ref()
	attempts := 1
	if plan.Name.IsUnknown() {
		attempts = terms.NameAttempts
	}
	for range attempts {
		if plan.Name.IsUnknown() {
			ref.Name = terms.GenerateName(plan.GenerateName.ValueString())
		}
		if _, err = r.run.Engine.Observe(ctx, ref, cas.Fresh); err != nil {
			return ref, result, err
		}
		result, err = r.run.Engine.Create(ctx, r.creation(plan, ref))
		var exists *cas.ExistsError
		if !errors.As(err, &exists) {
			break
		}
	}
	return ref, result, err
}

func (r *wholeResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	state, diags := wholeCodec().Decode(ctx, req.State.Raw)
	resp.Diagnostics.Append(diags...)
	timeout, diags := state.Timeouts.Read(ctx, terms.DefaultTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	// Set even where the resource is removed: the framework demands it.
	resp.Diagnostics.Append(state.encodeIdentity(ctx, &resp.Identity.Raw)...)
	if !r.run.Configured() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	seen, err := r.run.Observe(ctx, state.ref(), cas.Fresh, func(seen *cas.Observation) bool { return !seen.Exists() })
	switch {
	case err != nil:
		resp.Diagnostics.Append(r.about(&state, nil, terms.OpRead).Diagnose(err))
		return
	case !seen.Exists():
		resp.State.RemoveResource(ctx)
		return
	case state.UID.IsNull(): // of an import
		r.adopt(&state, seen)
		resp.Diagnostics.Append(claim.SetBaseline(ctx, resp.Private, state.content())...)
	default:
		r.refresh(&state, seen)
		resp.Diagnostics.Append(claim.SettleWhole(ctx, resp.Private, state.content())...)
	}
	resp.Diagnostics.Append(wholeCodec().Encode(ctx, state, &resp.State.Raw)...)
}

func (r *wholeResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	plan, diags := wholeCodec().Decode(ctx, req.Plan.Raw)
	resp.Diagnostics.Append(diags...)
	state, diags := wholeCodec().Decode(ctx, req.State.Raw)
	resp.Diagnostics.Append(diags...)
	timeout, diags := plan.Timeouts.Update(ctx, terms.DefaultTimeout)
	resp.Diagnostics.Append(diags...)
	if !r.run.Configured() {
		resp.Diagnostics.Append(claim.NotConfigured())
	}
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	resp.Diagnostics.Append(claim.Forget(ctx, resp.Private)...)
	version, diags := r.change(ctx, &plan, &state, resp.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return // the framework keeps the prior state
	}
	plan.setVersion(version)
	resp.Diagnostics.Append(plan.encodeIdentity(ctx, &resp.Identity.Raw)...)
	resp.Diagnostics.Append(wholeCodec().Encode(ctx, plan, &resp.State.Raw)...)
}

// change writes what is to be changed, if anything, and gives the version after it.
func (r *wholeResource) change(ctx context.Context, plan, state *wholeModel, private claim.Private) (cas.Version, diag.Diagnostics) {
	was, about := state, r.about(plan, state, terms.OpUpdate)
	if plan.takesOver(state) {
		live, err := r.run.Engine.Observe(ctx, state.ref(), 0)
		if err == nil && !live.Exists() {
			err = &cas.NotFoundError{Ref: state.ref()}
		}
		if err != nil {
			return cas.Version{}, diag.Diagnostics{about.Diagnose(err)}
		}
		was = r.takenOver(plan, state, live)
	}
	txn := r.update(plan, was)
	if txn == nil {
		return state.version(), claim.SetBaseline(ctx, private, plan.content())
	}
	diags := r.run.CheckWholeDrift(ctx, plan.OnDrift.ValueString(), state.content(), new(plan.content()), about, private)
	if diags.HasError() {
		return cas.Version{}, diags
	}
	result, err := r.run.Engine.Commit(ctx, txn)
	if err != nil {
		diags.Append(about.Diagnose(err))
		return cas.Version{}, append(diags, claim.NoteWholeDoubt(ctx, private, plan.content(), err)...)
	}
	diags.Append(about.Admitted(plan.content(), r.live(result.After, plan).content())...)
	return result.After.Version(), append(diags, claim.SetBaseline(ctx, private, r.stored(result.After, plan))...)
}

func (r *wholeResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	state, diags := wholeCodec().Decode(ctx, req.State.Raw)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(r.run.DeleteWhole(ctx, r.whole(&state), resp.Private)...)
}

// whole is what the removal of a ConfigMap goes by.
func (r *wholeResource) whole(state *wholeModel) *claim.Whole {
	return &claim.Whole{
		Ref: state.ref(), Version: state.version(), OnDrift: state.OnDrift.ValueString(), Timeouts: state.Timeouts,
		Content: func(o *cas.Observation) diagnose.Content { return r.stored(o, state) },
		About:   func(op terms.Operation) diagnose.Subject { return r.about(state, state, op) },
	}
}

// ImportState implements [resource.ResourceWithImportState]. The refresh that follows puts in the rest.
func (*wholeResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	var ref cas.Ref
	if req.ID != "" {
		var err error
		if ref, err = terms.ParseConfigMapID(req.ID); err != nil {
			resp.Diagnostics.Append(invalidID(diagnose.TitleInvalidImportID, "import id", err))
			return
		}
	} else {
		var identity wholeIdentity
		resp.Diagnostics.Append(req.Identity.Get(ctx, &identity)...)
		if resp.Diagnostics.HasError() {
			return
		}
		ref = cas.Ref{Namespace: identity.Namespace.ValueString(), Name: identity.Name.ValueString()}
		if ref.Namespace == "" {
			ref.Namespace = terms.DefaultNamespace
		}
		if _, err := terms.ParseConfigMapID(ref.String()); err != nil {
			resp.Diagnostics.Append(invalidID(diagnose.TitleInvalidImportIdentity, "identity", err))
			return
		}
	}
	state := newWholeModel(ref)
	resp.Diagnostics.Append(state.encodeIdentity(ctx, &resp.Identity.Raw)...)
	resp.Diagnostics.Append(wholeCodec().Encode(ctx, state, &resp.State.Raw)...)
}

// newWholeModel is the state of a ConfigMap of which nothing but its name is known.
func newWholeModel(ref cas.Ref) wholeModel {
	null := types.MapNull(types.StringType)
	m := wholeModel{
		place: newPlace(ref), Labels: null, Annotations: null, Data: null, BinaryData: null,
		Immutable: types.BoolValue(false), HideValues: types.BoolValue(false), OnDrift: types.StringValue(terms.DriftWarning),
	}
	m.setRef(ref)
	return m
}
