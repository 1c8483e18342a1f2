package provider

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

var (
	_ resource.Resource                   = (*configMapDataResource)(nil)
	_ resource.ResourceWithConfigure      = (*configMapDataResource)(nil)
	_ resource.ResourceWithIdentity       = (*configMapDataResource)(nil)
	_ resource.ResourceWithImportState    = (*configMapDataResource)(nil)
	_ resource.ResourceWithModifyPlan     = (*configMapDataResource)(nil)
	_ resource.ResourceWithMoveState      = (*configMapDataResource)(nil)
	_ resource.ResourceWithValidateConfig = (*configMapDataResource)(nil)
)

func newConfigMapDataResource() resource.Resource { return &configMapDataResource{} }

// configMapDataResource is cas_configmap_data.
type configMapDataResource struct {
	connection
}

func (*configMapDataResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_configmap_data"
	resp.ResourceBehavior.MutableIdentity = true // with the keys
}

func (r *configMapDataResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	plan, diags := dataCodec().Decode(ctx, req.Plan.Raw)
	resp.Diagnostics.Append(diags...)
	pin, diags := attributes.PinnedVersion(ctx, req.Config)
	resp.Diagnostics.Append(diags...)
	timeout, diags := plan.Timeouts.Create(ctx, terms.DefaultTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}

	txn := r.createTxn(&plan, pin)
	result, diags := r.write(ctx, txn, &plan, terms.OpCreate, timeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return // nothing is set: what is tainted could not pass the check of its next plan
	}
	resp.Diagnostics.Append(dropObservation(ctx, resp.Private)...)
	resp.Diagnostics.Append(account(ctx, noPrivate{}, resp.Private, &plan, nil, txn, result)...)
	resp.Diagnostics.Append(dataIdentityCodec().Encode(ctx, plan.identity(), &resp.Identity.Raw)...)
	resp.Diagnostics.Append(dataCodec().Encode(ctx, plan, &resp.State.Raw)...)
}

func (r *configMapDataResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	state, diags := dataCodec().Decode(ctx, req.State.Raw)
	resp.Diagnostics.Append(diags...)
	timeout, diags := state.Timeouts.Read(ctx, terms.DefaultTimeout)
	resp.Diagnostics.Append(diags...)
	// Keys that vanished are looked for still: what comes back is drift, as what goes is.
	written, _, diags := getPrivate[digests](ctx, req.Private, privateWritten)
	resp.Diagnostics.Append(diags...)
	imported, isImport, diags := getPrivate[[]string](ctx, req.Private, privateImport)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	// Set even where the resource is removed: the framework demands it.
	resp.Diagnostics.Append(dataIdentityCodec().Encode(ctx, state.identity(), &resp.Identity.Raw)...)
	if !r.configured() {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	keys := slices.AppendSeq(append(state.keys(), imported...), maps.Keys(written))
	age := cas.Fresh
	if isImport {
		age = 0
	}
	seen, err := r.data.engine.Observe(ctx, state.ref(), age)
	if err == nil && age > 0 && slices.ContainsFunc(keys, func(key string) bool { return seen.Entry(key).IsAbsent() }) {
		seen, err = r.data.engine.Observe(ctx, state.ref(), 0) // what drops something from the state is read afresh
	}
	if err != nil {
		resp.Diagnostics.Append(r.about(&state, terms.OpRead).Diagnose(err))
		return
	}
	if !seen.Exists() {
		resp.State.RemoveResource(ctx)
		return
	}
	if isImport && len(imported) == 0 {
		keys = slices.Collect(maps.Keys(seen.Entries()))
	}
	had, live, missing := state.entries(), map[string]cas.Entry{}, []string{}
	for _, key := range keys {
		live[key] = seen.Entry(key)
		if was, has := had[key]; has && live[key].Holds(was) {
			live[key] = was
		} else if live[key].IsAbsent() {
			missing = append(missing, key)
		}
	}
	if isImport && (len(missing) > 0 || len(keys) == 0) {
		resp.Diagnostics.Append(r.about(&state, terms.OpRead).NotImported(missing))
		return
	}
	state.setEntries(live)
	state.setVersion(seen.Version())
	if isImport {
		state.setID()
		resp.Diagnostics.Append(dataIdentityCodec().Encode(ctx, state.identity(), &resp.Identity.Raw)...)
		resp.Diagnostics.Append(found(ctx, resp.Private, seen, keys)...)
	}
	resp.Diagnostics.Append(dataCodec().Encode(ctx, state, &resp.State.Raw)...)
}

func (r *configMapDataResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	plan, diags := dataCodec().Decode(ctx, req.Plan.Raw)
	resp.Diagnostics.Append(diags...)
	state, diags := dataCodec().Decode(ctx, req.State.Raw)
	resp.Diagnostics.Append(diags...)
	pin, diags := attributes.PinnedVersion(ctx, req.Config)
	resp.Diagnostics.Append(diags...)
	timeout, diags := plan.Timeouts.Update(ctx, terms.DefaultTimeout)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}

	resp.Diagnostics.Append(dropObservation(ctx, resp.Private)...)
	txn, result := &cas.Txn{}, cas.TxnResult{}
	if writes(&plan, &state) {
		txn, diags = r.updateTxn(ctx, &plan, &state, pin, req.Private, r.about(&plan, terms.OpUpdate))
		resp.Diagnostics.Append(diags...)
		resp.Diagnostics.Append(r.checkDropped(ctx, &plan, &state, req.Private)...)
		if resp.Diagnostics.HasError() {
			return
		}
		result, diags = r.write(ctx, txn, &plan, terms.OpUpdate, timeout)
		resp.Diagnostics.Append(diags...)
		if resp.Diagnostics.HasError() {
			return // the framework keeps the prior state
		}
	} else {
		plan.setID()
		r.keepComputed(&plan, &state)
	}
	resp.Diagnostics.Append(account(ctx, req.Private, resp.Private, &plan, state.entries(), txn, result)...)
	resp.Diagnostics.Append(dataIdentityCodec().Encode(ctx, plan.identity(), &resp.Identity.Raw)...)
	resp.Diagnostics.Append(dataCodec().Encode(ctx, plan, &resp.State.Raw)...)
}

func (r *configMapDataResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	state, diags := dataCodec().Decode(ctx, req.State.Raw)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(r.remove(ctx, r.holding(&state), req.Private, resp.Private)...)
}

// write commits and, where it is applied, puts what came of it into the model.
func (r *configMapDataResource) write(
	ctx context.Context, t *cas.Txn, m *configMapDataModel, op terms.Operation, timeout time.Duration,
) (cas.TxnResult, diag.Diagnostics) {
	result, diags := r.commit(ctx, t, r.about(m, op), timeout)
	if diags.HasError() {
		return result, diags
	}
	m.setID()
	m.setVersion(result.After.Version())
	m.PreviousData = types.MapNull(types.StringType)
	if !r.hides(m.HideValues) { // nobody marks what it replaced as sensitive
		m.PreviousData = previousData(t, result)
	}
	return result, diags
}

// checkDropped refuses to restore, over what this resource did not write, a key that an update gives up.
func (r *configMapDataResource) checkDropped(ctx context.Context, plan, state *configMapDataModel, private privateReader) diag.Diagnostics {
	if plan.DeletionPolicy.ValueString() != terms.PolicyRestore {
		return nil
	}
	written, _, diags := getPrivate[digests](ctx, private, privateWritten)
	if changed := changedSince(dropped(plan, state), written); len(changed) > 0 {
		diags.Append(r.about(plan, terms.OpUpdate).ChangedSinceApply(changed, terms.PolicyRestore))
	}
	return diags
}
