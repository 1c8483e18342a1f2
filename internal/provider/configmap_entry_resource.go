package provider

import (
	"context"
	"fmt"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

var (
	_ resource.Resource                = (*configMapEntryResource)(nil)
	_ resource.ResourceWithConfigure   = (*configMapEntryResource)(nil)
	_ resource.ResourceWithIdentity    = (*configMapEntryResource)(nil)
	_ resource.ResourceWithImportState = (*configMapEntryResource)(nil)
	_ resource.ResourceWithModifyPlan  = (*configMapEntryResource)(nil)
)

func newConfigMapEntryResource() resource.Resource { return &configMapEntryResource{} }

// configMapEntryResource is cas_configmap_entry.
type configMapEntryResource struct {
	connection
}

func (*configMapEntryResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_configmap_entry"
}

func (r *configMapEntryResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	plan, diags := entryCodec().Decode(ctx, req.Plan.Raw)
	resp.Diagnostics.Append(diags...)
	pin, diags := attributes.PinnedVersion(ctx, req.Config)
	resp.Diagnostics.Append(diags...)
	timeout, diags := plan.Timeouts.Create(ctx, terms.DefaultTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}

	previous, diags := r.write(ctx, r.createSwap(&plan, pin), &plan, timeout, resp.Private)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return // nothing is set: a tainted entry could not pass the check of its next plan
	}
	resp.Diagnostics.Append(dropObservation(ctx, resp.Private)...)
	resp.Diagnostics.Append(setPrivate(ctx, resp.Private, privateOriginal, originals{plan.entryID().Key: previous})...)
	resp.Diagnostics.Append(identityCodec().Encode(ctx, plan.identity(), &resp.Identity.Raw)...)
	resp.Diagnostics.Append(entryCodec().Encode(ctx, plan, &resp.State.Raw)...)
}

func (r *configMapEntryResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	state, diags := entryCodec().Decode(ctx, req.State.Raw)
	resp.Diagnostics.Append(diags...)
	timeout, diags := state.Timeouts.Read(ctx, terms.DefaultTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	// Set even where the resource is removed: the framework demands it.
	resp.Diagnostics.Append(identityCodec().Encode(ctx, state.identity(), &resp.Identity.Raw)...)
	if !r.configured() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	id := state.entryID()
	seen, err := r.data.engine.Observe(ctx, id.Ref, cas.Fresh)
	if err == nil && seen.Entry(id.Key).IsAbsent() {
		seen, err = r.data.engine.Observe(ctx, id.Ref, 0) // what drops it from the state is read afresh
	}
	if err != nil {
		resp.Diagnostics.Append(r.about(&state, terms.OpRead).Diagnose(err))
		return
	}
	live := seen.Entry(id.Key)
	if live.IsAbsent() {
		resp.State.RemoveResource(ctx)
		return
	}
	if !live.Holds(state.entry()) {
		state.setEntry(live)
	}
	state.setVersion(seen.Version())
	resp.Diagnostics.Append(entryCodec().Encode(ctx, state, &resp.State.Raw)...)

	// After an import there is nothing yet: what is found now is what the resource first found.
	known, diags := hasPrivate(ctx, req.Private, privateOriginal)
	resp.Diagnostics.Append(diags...)
	lost, diags := hasPrivate(ctx, req.Private, privateLost)
	resp.Diagnostics.Append(diags...)
	if !known && !lost {
		resp.Diagnostics.Append(setPrivate(ctx, resp.Private, privateOriginal, originals{id.Key: live})...)
		resp.Diagnostics.Append(setPrivate(ctx, resp.Private, privateWritten, digests{id.Key: live.Digest()})...)
	}
}

func (r *configMapEntryResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	plan, diags := entryCodec().Decode(ctx, req.Plan.Raw)
	resp.Diagnostics.Append(diags...)
	state, diags := entryCodec().Decode(ctx, req.State.Raw)
	resp.Diagnostics.Append(diags...)
	pin, diags := attributes.PinnedVersion(ctx, req.Config)
	resp.Diagnostics.Append(diags...)
	timeout, diags := plan.Timeouts.Update(ctx, terms.DefaultTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}

	resp.Diagnostics.Append(dropObservation(ctx, resp.Private)...)
	if plan.entry().Holds(state.entry()) {
		r.keepComputed(&plan, &state)
	} else {
		_, diags = r.write(ctx, r.updateSwap(&plan, &state, pin), &plan, timeout, resp.Private)
		resp.Diagnostics.Append(diags...)
		if resp.Diagnostics.HasError() {
			return // the framework keeps the prior state
		}
	}
	resp.Diagnostics.Append(identityCodec().Encode(ctx, plan.identity(), &resp.Identity.Raw)...)
	resp.Diagnostics.Append(entryCodec().Encode(ctx, plan, &resp.State.Raw)...)
}

func (r *configMapEntryResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	state, diags := entryCodec().Decode(ctx, req.State.Raw)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(r.remove(ctx, r.holding(&state), req.Private, resp.Private)...)
}

func (*configMapEntryResource) ImportState(ctx context.Context, req resource.ImportStateRequest, resp *resource.ImportStateResponse) {
	var id terms.EntryID
	if req.ID != "" {
		var err error
		if id, err = terms.ParseEntryID(req.ID); err != nil {
			resp.Diagnostics.Append(diagnose.TitleInvalidImportID.With(fmt.Sprintf("The import id %v.", err)))
			return
		}
	} else {
		var identity configMapEntryIdentity
		resp.Diagnostics.Append(req.Identity.Get(ctx, &identity)...)
		if resp.Diagnostics.HasError() {
			return
		}
		namespace := identity.Namespace.ValueString()
		if namespace == "" {
			namespace = terms.DefaultNamespace
		}
		id = terms.EntryID{Ref: cas.Ref{Namespace: namespace, Name: identity.Name.ValueString()}, Key: identity.Key.ValueString()}
		if _, err := terms.ParseEntryID(id.String()); err != nil {
			resp.Diagnostics.Append(diagnose.TitleInvalidImportIdentity.With(fmt.Sprintf("The identity %v.", err)))
			return
		}
	}

	// Every default is set, or the first plan would show an update.
	for attribute, value := range map[string]any{
		"id": id.String(), "namespace": id.Namespace, "name": id.Name, "key": id.Key,
		"conflict_scope": terms.ScopeObject, "deletion_policy": terms.PolicyDelete, "adopt_existing": false, "hide_value": false,
	} {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(attribute), value)...)
	}
	resp.Diagnostics.Append(resp.Identity.Set(ctx, configMapEntryIdentity{
		Namespace: types.StringValue(id.Namespace), Name: types.StringValue(id.Name), Key: types.StringValue(id.Key),
	})...)
}

// write runs a swap and, where it is applied, puts what came of it into the model and the private state.
func (r *configMapEntryResource) write(
	ctx context.Context, s cas.Swap, m *configMapEntryModel, timeout time.Duration, private privateWriter,
) (cas.Entry, diag.Diagnostics) {
	result, diags := r.commit(ctx, s.Txn(), r.about(m, opOf(s)), timeout)
	if diags.HasError() {
		return cas.Entry{}, diags
	}
	previous := result.Previous[s.Key]
	m.ID = types.StringValue(terms.EntryID{Ref: s.Ref, Key: s.Key}.String())
	m.setVersion(result.After.Version())
	m.PreviousValue = types.StringNull()
	if v, ok := previous.Text(); ok && result.Wrote && !r.hides(m.HideValue) { // nobody marks what it replaced as sensitive
		m.PreviousValue = types.StringValue(v)
	}
	diags.Append(setPrivate(ctx, private, privateWritten, digests{s.Key: result.After.Entry(s.Key).Digest()})...)
	return previous, diags
}

// keepComputed copies what only a write changes. What a write replaced goes where values are hidden from now on.
func (r *configMapEntryResource) keepComputed(m, state *configMapEntryModel) {
	m.ID, m.ResourceVersion, m.UID, m.PreviousValue = state.ID, state.ResourceVersion, state.UID, state.PreviousValue
	switch {
	case m.PreviousValue.IsNull():
	case m.HideValue.IsUnknown():
		m.PreviousValue = types.StringUnknown()
	case r.hides(m.HideValue):
		m.PreviousValue = types.StringNull()
	}
}
