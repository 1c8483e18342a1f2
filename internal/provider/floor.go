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
	var plan configMapEntryModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	plan.pretend()
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.identity())...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

func (*floorResource) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	var state configMapEntryModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
	resp.Diagnostics.Append(resp.Identity.Set(ctx, state.identity())...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &state)...)
}

func (*floorResource) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	var plan configMapEntryModel
	resp.Diagnostics.Append(req.Plan.Get(ctx, &plan)...)
	plan.pretend()
	resp.Diagnostics.Append(resp.Identity.Set(ctx, plan.identity())...)
	resp.Diagnostics.Append(resp.State.Set(ctx, &plan)...)
}

func (*floorResource) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	var state configMapEntryModel
	resp.Diagnostics.Append(req.State.Get(ctx, &state)...)
}

// pretend fills in what a write would have answered.
func (m *configMapEntryModel) pretend() {
	m.ID = types.StringValue(m.entryID().String())
	m.UID = types.StringValue("6f5a1c1e-0000-4000-8000-000000000000")
	m.ResourceVersion, m.PreviousValue = types.StringValue("1"), types.StringNull()
}
