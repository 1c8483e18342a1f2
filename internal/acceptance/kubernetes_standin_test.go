package acceptance_test

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	corev1 "k8s.io/api/core/v1"
)

// kubernetesStandIn has the name and the schemas of hashicorp/kubernetes for ConfigMaps and Secrets, so that Terraform has states to move. It
// asks no cluster: what is moved is the state. made is what its whole ConfigMap is, and secret its whole Secret.
type kubernetesStandIn struct {
	made   *corev1.ConfigMap
	secret *corev1.Secret
}

// start serves it to the driver.
func (p *kubernetesStandIn) start(func(string) string) (tfprotov6.ProviderServer, func()) {
	return providerserver.NewProtocol6(p)(), func() {}
}

func (*kubernetesStandIn) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "kubernetes"
}

func (*kubernetesStandIn) Schema(context.Context, provider.SchemaRequest, *provider.SchemaResponse) {}

func (*kubernetesStandIn) Configure(context.Context, provider.ConfigureRequest, *provider.ConfigureResponse) {
}

func (*kubernetesStandIn) DataSources(context.Context) []func() datasource.DataSource { return nil }

func (p *kubernetesStandIn) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{
		func() resource.Resource { return &dataStandIn{"kubernetes_config_map_v1_data"} },
		func() resource.Resource { return &dataStandIn{"kubernetes_secret_v1_data"} },
		func() resource.Resource { return &secretStandIn{p.secret} },
		func() resource.Resource { return kubernetesConfigMapResource{p.made, "_config_map"} },
		func() resource.Resource { return kubernetesConfigMapResource{p.made, "_config_map_v1"} },
	}
}

type dataStandIn struct{ name string }

func (r *dataStandIn) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = r.name
}

func (*dataStandIn) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		Attributes: map[string]schema.Attribute{
			"id":            schema.StringAttribute{Computed: true},
			"data":          schema.MapAttribute{ElementType: types.StringType, Required: true},
			"force":         schema.BoolAttribute{Optional: true},
			"field_manager": schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString("Terraform")},
		},
		Blocks: map[string]schema.Block{"metadata": schema.ListNestedBlock{NestedObject: schema.NestedBlockObject{Attributes: map[string]schema.Attribute{
			"name":      schema.StringAttribute{Required: true},
			"namespace": schema.StringAttribute{Optional: true, Computed: true, Default: stringdefault.StaticString("default")},
		}}}},
	}
}

func (*dataStandIn) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	resp.State.Raw = req.Plan.Raw
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("id"), "made")...)
}

func (*dataStandIn) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

func (*dataStandIn) Update(_ context.Context, req resource.UpdateRequest, resp *resource.UpdateResponse) {
	resp.State.Raw = req.Plan.Raw
}

func (*dataStandIn) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}

// secretStandIn is kubernetes_secret_v1.
type secretStandIn struct{ made *corev1.Secret }

func (*secretStandIn) Metadata(_ context.Context, _ resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = "kubernetes_secret_v1"
}

func (*secretStandIn) Schema(_ context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		Attributes: map[string]schema.Attribute{
			"id":   schema.StringAttribute{Computed: true},
			"data": schema.MapAttribute{ElementType: types.StringType, Computed: true, Sensitive: true},
			"type": schema.StringAttribute{Computed: true},
		},
		Blocks: map[string]schema.Block{"metadata": schema.ListNestedBlock{NestedObject: schema.NestedBlockObject{Attributes: map[string]schema.Attribute{
			"name":             schema.StringAttribute{Required: true},
			"namespace":        schema.StringAttribute{Required: true},
			"resource_version": schema.StringAttribute{Computed: true},
			"uid":              schema.StringAttribute{Computed: true},
		}}}},
	}
}

func (r *secretStandIn) Create(ctx context.Context, req resource.CreateRequest, resp *resource.CreateResponse) {
	resp.State.Raw = req.Plan.Raw
	values := map[string]string{}
	for key, value := range r.made.Data {
		values[key] = string(value)
	}
	meta := path.Root("metadata").AtListIndex(0)
	for _, set := range []struct {
		at    path.Path
		value any
	}{
		{path.Root("id"), "made"},
		{path.Root("data"), values},
		{path.Root("type"), string(r.made.Type)},
		{meta.AtName("resource_version"), r.made.ResourceVersion},
		{meta.AtName("uid"), string(r.made.UID)},
	} {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, set.at, set.value)...)
	}
}

func (*secretStandIn) Read(context.Context, resource.ReadRequest, *resource.ReadResponse) {}

func (*secretStandIn) Update(context.Context, resource.UpdateRequest, *resource.UpdateResponse) {}

func (*secretStandIn) Delete(context.Context, resource.DeleteRequest, *resource.DeleteResponse) {}
