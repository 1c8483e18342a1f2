// Floor serves the provider that the benchmark measures this one against: the same schemas, decoded once in each call that has
// to know them, and nothing else. It checks no plan and sends no request.
package main

import (
	"context"
	"log"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	cas "github.com/terraform-cas/terraform-provider-cas/internal/provider"
	"github.com/terraform-cas/terraform-provider-cas/internal/serve"
)

func main() {
	factory, _ := cas.New("floor", os.Getenv) // needs no close: the real one is never configured
	if err := serve.Provider(context.Background(), func() provider.Provider { return floor{factory()} }, false); err != nil {
		log.Fatal(err)
	}
}

// floor has the real provider's schemas.
type floor struct{ provider.Provider }

func (floor) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	decode(ctx, tfsdk.State(req.Config), &resp.Diagnostics)
}

// Resources is cas_configmap_entry only.
func (f floor) Resources(ctx context.Context) []func() resource.Resource {
	for _, create := range f.Provider.Resources(ctx) {
		var named resource.MetadataResponse
		r, ok := create().(resource.ResourceWithIdentity)
		if ok {
			r.Metadata(ctx, resource.MetadataRequest{ProviderTypeName: "cas"}, &named)
		}
		if named.TypeName == "cas_configmap_entry" {
			return []func() resource.Resource{func() resource.Resource { return entry{r} }}
		}
	}
	return nil
}

// entry has the real entry's schema.
type entry struct{ resource.ResourceWithIdentity }

func (entry) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	answer(ctx, tfsdk.State(req.Plan), &resp.State, resp.Identity, &resp.Diagnostics)
}

func (entry) Read(ctx context.Context, req resource.ReadRequest, resp *resource.ReadResponse) {
	answer(ctx, req.State, &resp.State, resp.Identity, &resp.Diagnostics)
}

func (entry) Update(ctx context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	answer(ctx, tfsdk.State(req.Plan), &resp.State, resp.Identity, &resp.Diagnostics)
}

func (entry) Delete(ctx context.Context, req resource.DeleteRequest, resp *resource.DeleteResponse) {
	decode(ctx, req.State, &resp.Diagnostics)
}

// decode has the value of each attribute, of the attribute's type.
func decode(ctx context.Context, given tfsdk.State, diags *diag.Diagnostics) map[string]attr.Value {
	var raw map[string]tftypes.Value
	if err := given.Raw.As(&raw); err != nil {
		diags.AddError("Not Decoded", err.Error())
	}
	values := make(map[string]attr.Value, len(raw))
	for name, attribute := range given.Schema.GetAttributes() {
		value, err := attribute.GetType().ValueFromTerraform(ctx, raw[name])
		if err != nil {
			diags.AddError("Not Decoded", err.Error())
		}
		values[name] = value
	}
	return values
}

// answer makes state and identity from the planned values, or from the values that were read before.
func answer(ctx context.Context, given tfsdk.State, state *tfsdk.State, identity *tfsdk.ResourceIdentity, diags *diag.Diagnostics) {
	values := decode(ctx, given, diags)
	if diags.HasError() {
		return
	}
	raw := make(map[string]tftypes.Value, len(values))
	for name, value := range values {
		if value.IsUnknown() { // a write would have answered it
			value = types.StringValue("6f5a1c1e-0000-4000-8000-000000000000")
		}
		var err error
		if raw[name], err = value.ToTerraformValue(ctx); err != nil {
			diags.AddError("Not Encoded", err.Error())
			return
		}
	}
	state.Raw = tftypes.NewValue(state.Raw.Type(), raw)
	identity.Raw = tftypes.NewValue(identity.Raw.Type(), map[string]tftypes.Value{
		"namespace": raw["namespace"], "name": raw["name"], "key": raw["key"],
	})
}
