package provider

import (
	"context"
	"errors"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

var (
	_ resource.Resource                   = (*configMapResource)(nil)
	_ resource.ResourceWithConfigure      = (*configMapResource)(nil)
	_ resource.ResourceWithIdentity       = (*configMapResource)(nil)
	_ resource.ResourceWithImportState    = (*configMapResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*configMapResource)(nil)
	_ resource.ResourceWithMoveState      = (*configMapResource)(nil)
	_ resource.ResourceWithValidateConfig = (*configMapResource)(nil)
)

func newConfigMapResource() resource.Resource { return &configMapResource{} }

// configMapResource is cas_configmap.
type configMapResource struct {
	connection
}

func (*configMapResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_configmap"
}

func (r *configMapResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	plan, diags := configMapCodec().Decode(ctx, req.Plan.Raw)
	resp.Diagnostics.Append(diags...)
	timeout, diags := plan.Timeouts.Create(ctx, terms.DefaultTimeout)
	resp.Diagnostics.Append(diags...)
	if !r.configured() {
		resp.Diagnostics.Append(notConfigured())
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
	resp.Diagnostics.Append(about.Admitted(plan.content(), r.data.ignored.live(result.After, &plan).content())...)
	plan.setRef(ref)
	plan.setVersion(result.After.Version())
	resp.Diagnostics.Append(dropObservation(ctx, resp.Private)...)
	resp.Diagnostics.Append(configMapIdentityCodec().Encode(ctx, plan.identity(), &resp.Identity.Raw)...)
	resp.Diagnostics.Append(configMapCodec().Encode(ctx, plan, &resp.State.Raw)...)
}

// create makes the ConfigMap under its name, or under one that is generated: another one where that is taken. It looks first,
// unless the plan's check just has: an answer that gets lost can be settled where it is known that there was none before.
func (r *configMapResource) create(ctx context.Context, plan *configMapModel) (ref cas.Ref, result cas.TxnResult, err error) {
	ref = plan.ref()
	attempts := 1
	if plan.Name.IsUnknown() {
		attempts = terms.NameAttempts
	}
	for range attempts {
		if plan.Name.IsUnknown() {
			ref.Name = terms.GenerateName(plan.GenerateName.ValueString())
		}
		if _, err = r.data.engine.Observe(ctx, ref, cas.Fresh); err != nil {
			return ref, result, err
		}
		result, err = r.data.engine.Create(ctx, r.creation(plan, ref))
		var exists *cas.ExistsError
		if !errors.As(err, &exists) {
			break
		}
	}
	return ref, result, err
}

func (r *configMapResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	state, diags := configMapCodec().Decode(ctx, req.State.Raw)
	resp.Diagnostics.Append(diags...)
	timeout, diags := state.Timeouts.Read(ctx, terms.DefaultTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	// Set even where the resource is removed: the framework demands it.
	resp.Diagnostics.Append(configMapIdentityCodec().Encode(ctx, state.identity(), &resp.Identity.Raw)...)
	if !r.configured() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	seen, err := r.data.engine.Observe(ctx, state.ref(), cas.Fresh)
	if err == nil && !seen.Exists() {
		seen, err = r.data.engine.Observe(ctx, state.ref(), 0) // what drops it from the state is read afresh
	}
	switch {
	case err != nil:
		resp.Diagnostics.Append(r.about(&state, nil, terms.OpRead).Diagnose(err))
		return
	case !seen.Exists():
		resp.State.RemoveResource(ctx)
		return
	case state.UID.IsNull(): // of an import
		r.data.ignored.adopt(&state, seen)
	default:
		r.data.ignored.refresh(&state, seen)
	}
	resp.Diagnostics.Append(configMapCodec().Encode(ctx, state, &resp.State.Raw)...)
}

func (r *configMapResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	plan, diags := configMapCodec().Decode(ctx, req.Plan.Raw)
	resp.Diagnostics.Append(diags...)
	state, diags := configMapCodec().Decode(ctx, req.State.Raw)
	resp.Diagnostics.Append(diags...)
	timeout, diags := plan.Timeouts.Update(ctx, terms.DefaultTimeout)
	resp.Diagnostics.Append(diags...)
	if !r.configured() {
		resp.Diagnostics.Append(notConfigured())
	}
	if resp.Diagnostics.HasError() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	resp.Diagnostics.Append(dropObservation(ctx, resp.Private)...)
	version, diags := r.change(ctx, &plan, &state)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return // the framework keeps the prior state
	}
	plan.setVersion(version)
	resp.Diagnostics.Append(configMapIdentityCodec().Encode(ctx, plan.identity(), &resp.Identity.Raw)...)
	resp.Diagnostics.Append(configMapCodec().Encode(ctx, plan, &resp.State.Raw)...)
}

// change writes what is to be changed, if anything, and gives the version after it.
func (r *configMapResource) change(ctx context.Context, plan, state *configMapModel) (cas.Version, diag.Diagnostics) {
	was, about := state, r.about(plan, state, terms.OpUpdate)
	if plan.takesOver(state) {
		live, err := r.data.engine.Observe(ctx, state.ref(), 0)
		if err == nil && !live.Exists() {
			err = &cas.NotFoundError{Ref: state.ref()}
		}
		if err != nil {
			return cas.Version{}, diag.Diagnostics{about.Diagnose(err)}
		}
		was = r.data.ignored.takenOver(plan, state, live)
	}
	txn := r.update(plan, was)
	if txn == nil {
		return state.version(), nil
	}
	result, err := r.data.engine.Commit(ctx, txn)
	if err != nil {
		return cas.Version{}, diag.Diagnostics{about.Diagnose(err)}
	}
	return result.After.Version(), about.Admitted(plan.content(), r.data.ignored.live(result.After, plan).content())
}

func (r *configMapResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	state, diags := configMapCodec().Decode(ctx, req.State.Raw)
	resp.Diagnostics.Append(diags...)
	timeout, diags := state.Timeouts.Delete(ctx, terms.DefaultTimeout)
	resp.Diagnostics.Append(diags...)
	removal, diags := r.removal(ctx, &state, req.Private)
	resp.Diagnostics.Append(diags...)
	if !r.configured() {
		resp.Diagnostics.Append(notConfigured())
	}
	if !resp.Diagnostics.HasError() {
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		if _, err := r.data.engine.Remove(ctx, removal); err != nil {
			resp.Diagnostics.Append(r.about(&state, &state, terms.OpDelete).Diagnose(err))
		}
	}
	if resp.Diagnostics.HasError() {
		resp.Diagnostics.Append(dropObservation(ctx, resp.Private)...)
	}
}

// removal is what must hold for a ConfigMap to be deleted: it is as the plan saw it, which ModifyPlan left in the private
// state, or else as the prior state has it.
func (r *configMapResource) removal(ctx context.Context, state *configMapModel, private privateReader) (*cas.Removal, diag.Diagnostics) {
	base := state.version()
	seen, ok, diags := getPrivate[observation](ctx, private, privateObservation)
	if ok && seen.ID == state.ref().String() {
		base = cas.Version{UID: seen.UID, ResourceVersion: seen.ResourceVersion}
	}
	return &cas.Removal{Ref: state.ref(), At: []cas.Version{base}}, diags
}

func (*configMapResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	var ref cas.Ref
	if req.ID != "" {
		var err error
		if ref, err = terms.ParseConfigMapID(req.ID); err != nil {
			resp.Diagnostics.Append(diagnose.TitleInvalidImportID.With(fmt.Sprintf("The import id %v.", err)))
			return
		}
	} else {
		var identity configMapIdentity
		resp.Diagnostics.Append(req.Identity.Get(ctx, &identity)...)
		if resp.Diagnostics.HasError() {
			return
		}
		ref = cas.Ref{Namespace: identity.Namespace.ValueString(), Name: identity.Name.ValueString()}
		if ref.Namespace == "" {
			ref.Namespace = terms.DefaultNamespace
		}
		if _, err := terms.ParseConfigMapID(ref.String()); err != nil {
			resp.Diagnostics.Append(diagnose.TitleInvalidImportIdentity.With(fmt.Sprintf("The identity %v.", err)))
			return
		}
	}
	// The refresh that follows puts in the rest.
	for attribute, value := range map[string]any{
		"id": ref.String(), "namespace": ref.Namespace, "name": ref.Name, "immutable": false, "hide_values": false,
	} {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(attribute), value)...)
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, configMapIdentity{
		Namespace: types.StringValue(ref.Namespace), Name: types.StringValue(ref.Name),
	})...)
}
