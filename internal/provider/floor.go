//go:build floor

package provider

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

// NewFloor returns a factory of the provider that internal/bench measures this one against: the same schemas, decoded
// once in each call that has to know them, and nothing else. It checks no plan and sends no request.
func NewFloor() func() provider.Provider {
	return func() provider.Provider { return &floorProvider{} }
}

type floorProvider struct{ casProvider }

func (*floorProvider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var model providerModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
}

func (*floorProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{func() resource.Resource { return &floorResource{} }}
}

// floorResource has the entry's schema and none of its work.
type floorResource struct{ entry configMapEntryResource }

var _ resource.ResourceWithIdentity = (*floorResource)(nil)

func (r *floorResource) Metadata(ctx context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	r.entry.Metadata(ctx, req, resp)
}

func (r *floorResource) Schema(ctx context.Context, req resource.SchemaRequest, resp *resource.SchemaResponse) {
	r.entry.Schema(ctx, req, resp)
}

func (r *floorResource) IdentitySchema(ctx context.Context, req resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	r.entry.IdentitySchema(ctx, req, resp)
}

func (*floorResource) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	plan, diags := entryCodec().decode(ctx, req.Plan.Raw)
	resp.Diagnostics.Append(diags...)
	plan.pretend()
	resp.Diagnostics.Append(identityCodec().encode(ctx, plan.identity(), &resp.Identity.Raw)...)
	resp.Diagnostics.Append(entryCodec().encode(ctx, plan, &resp.State.Raw)...)
}

func (*floorResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	state, diags := entryCodec().decode(ctx, req.State.Raw)
	resp.Diagnostics.Append(diags...)
	resp.Diagnostics.Append(identityCodec().encode(ctx, state.identity(), &resp.Identity.Raw)...)
	resp.Diagnostics.Append(entryCodec().encode(ctx, state, &resp.State.Raw)...)
}

func (*floorResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	plan, diags := entryCodec().decode(ctx, req.Plan.Raw)
	resp.Diagnostics.Append(diags...)
	plan.pretend()
	resp.Diagnostics.Append(identityCodec().encode(ctx, plan.identity(), &resp.Identity.Raw)...)
	resp.Diagnostics.Append(entryCodec().encode(ctx, plan, &resp.State.Raw)...)
}

func (*floorResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	_, diags := entryCodec().decode(ctx, req.State.Raw)
	resp.Diagnostics.Append(diags...)
}

// pretend fills in what a write would have answered.
func (m *configMapEntryModel) pretend() {
	m.ID = types.StringValue(m.entryID().String())
	m.UID = types.StringValue("6f5a1c1e-0000-4000-8000-000000000000")
	m.ResourceVersion, m.PreviousValue = types.StringValue("1"), types.StringNull()
}
