package provider

import (
	"context"
	"fmt"
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	frameworkresource "github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"
	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
)

// kubernetesConfigMapResource makes nothing: what its state says is what the test has made.
type kubernetesConfigMapResource struct {
	made *corev1.ConfigMap
	name string
}

func (r kubernetesConfigMapResource) Metadata(_ context.Context, req frameworkresource.MetadataRequest, resp *frameworkresource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + r.name
}

func (kubernetesConfigMapResource) Schema(_ context.Context, _ frameworkresource.SchemaRequest, resp *frameworkresource.SchemaResponse) {
	resp.Schema = schema.Schema{
		Attributes: map[string]schema.Attribute{
			"id":          schema.StringAttribute{Computed: true},
			"data":        schema.MapAttribute{Optional: true, Computed: true, ElementType: types.StringType},
			"binary_data": schema.MapAttribute{Optional: true, Computed: true, ElementType: types.StringType},
			"immutable":   schema.BoolAttribute{Optional: true, Computed: true},
		},
		Blocks: map[string]schema.Block{"metadata": schema.ListNestedBlock{NestedObject: schema.NestedBlockObject{
			Attributes: map[string]schema.Attribute{
				"name":             schema.StringAttribute{Optional: true, Computed: true},
				"namespace":        schema.StringAttribute{Optional: true, Computed: true},
				"generate_name":    schema.StringAttribute{Optional: true, Computed: true},
				"labels":           schema.MapAttribute{Optional: true, Computed: true, ElementType: types.StringType},
				"annotations":      schema.MapAttribute{Optional: true, Computed: true, ElementType: types.StringType},
				"generation":       schema.Int64Attribute{Computed: true},
				"resource_version": schema.StringAttribute{Computed: true},
				"uid":              schema.StringAttribute{Computed: true},
			},
		}}},
	}
}

func (r kubernetesConfigMapResource) Create(ctx context.Context, _ frameworkresource.CreateRequest, resp *frameworkresource.CreateResponse) {
	cm := r.made
	m := metadataModel{
		Name: cm.Name, Namespace: cm.Namespace, Labels: maps.Clone(cm.Labels), Annotations: cm.Annotations,
		ResourceVersion: cm.ResourceVersion, UID: string(cm.UID),
	}
	if cm.GenerateName != "" {
		m.GenerateName = &cm.GenerateName
	}
	encoded := data{}
	for key := range cm.BinaryData {
		encoded[key] = "/w=="
	}
	for attribute, value := range map[string]any{
		"id": cm.Namespace + "/" + cm.Name, "data": cm.Data, "binary_data": encoded, "immutable": wholeOf(cm).Immutable,
	} {
		resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root(attribute), value)...)
	}
	resp.Diagnostics.Append(resp.State.SetAttribute(ctx, path.Root("metadata"), []metadataModel{m})...)
}

type metadataModel struct {
	Name            string            `tfsdk:"name"`
	Namespace       string            `tfsdk:"namespace"`
	GenerateName    *string           `tfsdk:"generate_name"`
	Labels          map[string]string `tfsdk:"labels"`
	Annotations     map[string]string `tfsdk:"annotations"`
	Generation      int64             `tfsdk:"generation"`
	ResourceVersion string            `tfsdk:"resource_version"`
	UID             string            `tfsdk:"uid"`
}

func (kubernetesConfigMapResource) Read(context.Context, frameworkresource.ReadRequest, *frameworkresource.ReadResponse) {
}

func (kubernetesConfigMapResource) Update(context.Context, frameworkresource.UpdateRequest, *frameworkresource.UpdateResponse) {
}

func (kubernetesConfigMapResource) Delete(context.Context, frameworkresource.DeleteRequest, *frameworkresource.DeleteResponse) {
}

func TestConfigMapMovedFromHashicorpKubernetes(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		live   whole
		prefix string
		lines  []string
	}{
		"all of it": {
			live: whole{
				Labels: data{"app": "shop"}, Annotations: data{"note": "a"}, Data: data{"foo": "1"}, Bytes: map[string][]byte{"raw": {0xff}},
				Immutable: true,
			},
			lines: []string{`labels = { app = "shop" }`, `annotations = { note = "a" }`, `data = { foo = "1" }`, `binary_data = { raw = "/w==" }`, `immutable = true`},
		},
		"nothing":        {},
		"generated name": {prefix: "app-", live: whole{Data: data{"foo": "1"}}, lines: []string{`data = { foo = "1" }`, `generate_name = "app-"`}},
	} {
		for _, from := range []string{"kubernetes_config_map_v1", "kubernetes_config_map"} {
			t.Run(name+"/"+from, func(t *testing.T) {
				f := newFixture(t)
				proxy := f.proxied()
				cm := &corev1.ConfigMap{Data: test.live.Data, BinaryData: test.live.Bytes}
				cm.Labels, cm.Annotations, cm.GenerateName = test.live.Labels, test.live.Annotations, test.prefix
				if test.prefix == "" {
					cm.Name = "testmap"
				}
				if test.live.Immutable {
					freeze(cm)
				}
				made := f.createObject(cm)
				moved := f.config(fmt.Sprintf("moved {\n  from = %s.all\n  to   = cas_configmap.all\n}\n", from) + wholeBlock("all", test.lines...))
				resource.Test(t, resource.TestCase{
					IsUnitTest:             true,
					TerraformVersionChecks: []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_8_0)},
					ProtoV6ProviderFactories: map[string]func() (tfprotov6.ProviderServer, error){
						"cas":        providerserver.NewProtocol6WithError(newProvider("test", processEnvironment())),
						"kubernetes": providerserver.NewProtocol6WithError(&kubernetesStandIn{made}),
					},
					Steps: []resource.TestStep{
						{Config: fmt.Sprintf("resource %q \"all\" {\n  metadata {\n    name = %q\n  }\n}\n", from, made.Name)},
						{
							Config: moved, ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
								plancheck.ExpectEmptyPlan(), plancheck.ExpectResourceAction("cas_configmap.all", plancheck.ResourceActionNoop),
							}},
							Check: checked(func() {
								if diff := cmp.Diff(made, f.live(made.Name)); diff != "" {
									f.Errorf("the move changed the live object (-before +after):\n%s", diff)
								}
								if n := proxy.Count("GET"); n != proxy.Count() {
									f.Errorf("requests: %v", proxy.Requests())
								}
							}),
						},
						{Config: f.config(wholeBlock("all", append(test.lines, `hide_values = true`)...)), Check: checked(func() {
							if f.live(made.Name).UID != made.UID {
								f.Error("the ConfigMap was replaced")
							}
						})},
					},
				})
				if n := proxy.Count("DELETE"); n != 1 {
					t.Errorf("%d deletes, want that of the end", n)
				}
			})
		}
	}
}

// moveState is what MoveState makes of a state, and false where it leaves it to others.
func moveState(t *testing.T, req frameworkresource.MoveStateRequest) (configMapModel, *frameworkresource.MoveStateResponse, bool) {
	t.Helper()
	ctx := t.Context()
	var schemaResp frameworkresource.SchemaResponse
	(*configMapResource)(nil).Schema(ctx, frameworkresource.SchemaRequest{}, &schemaResp)
	var identityResp frameworkresource.IdentitySchemaResponse
	(*configMapResource)(nil).IdentitySchema(ctx, frameworkresource.IdentitySchemaRequest{}, &identityResp)
	null := func(of attr.Type) tftypes.Value { return tftypes.NewValue(of.TerraformType(ctx), nil) }
	resp := &frameworkresource.MoveStateResponse{
		TargetState:    tfsdk.State{Schema: schemaResp.Schema, Raw: null(schemaResp.Schema.Type())},
		TargetIdentity: &tfsdk.ResourceIdentity{Schema: identityResp.IdentitySchema, Raw: null(identityResp.IdentitySchema.Type())},
	}
	(*configMapResource)(nil).MoveState(ctx)[0].StateMover(ctx, req, resp)
	if resp.TargetState.Raw.IsNull() {
		return configMapModel{}, resp, false
	}
	m, diags := configMapCodec().decode(ctx, resp.TargetState.Raw)
	if diags.HasError() {
		t.Fatal(diags)
	}
	return m, resp, true
}

// movableAddresses are by what command lines tell where a state of hashicorp/kubernetes is from.
var movableAddresses = []string{
	"registry.terraform.io/hashicorp/kubernetes", "registry.opentofu.org/hashicorp/kubernetes", "mirror.example.com:8443/hashicorp/kubernetes",
	"kubernetes", // OpenTofu 1.11.6
}

func TestMoveStateOfConfigMap(t *testing.T) {
	t.Parallel()
	const state = `{"id":"shop/settings","metadata":[{"annotations":{},"generate_name":"","generation":0,"labels":null,"name":"settings",
		"namespace":"shop","resource_version":"7","uid":"u"}],"data":{"foo":"1"},"binary_data":{},"immutable":null,"timeouts":null}`
	request := func(address, name, state string) frameworkresource.MoveStateRequest {
		return frameworkresource.MoveStateRequest{
			SourceProviderAddress: address, SourceTypeName: name, SourceRawState: &tfprotov6.RawState{JSON: []byte(state)},
		}
	}
	for _, address := range movableAddresses {
		m, resp, ok := moveState(t, request(address, "kubernetes_config_map_v1", state))
		if !ok || resp.Diagnostics.HasError() {
			t.Fatalf("%s: %v", address, resp.Diagnostics)
		}
		if m.ID.ValueString() != "shop/settings" || m.version() != (cas.Version{UID: "u", ResourceVersion: "7"}) || !m.GenerateName.IsNull() || m.Immutable.ValueBool() ||
			!m.Labels.IsNull() || !m.Annotations.IsNull() || !m.BinaryData.IsNull() || stringsOf(m.Data)["foo"] != "1" {
			t.Errorf("%s: %v", address, m)
		}
		var identity configMapIdentity
		if resp.TargetIdentity.Get(t.Context(), &identity).HasError() || identity.Name.ValueString() != "settings" || identity.Namespace.ValueString() != "shop" {
			t.Errorf("%s: identity %v", address, identity)
		}
	}
	for name, req := range map[string]frameworkresource.MoveStateRequest{
		"another provider": request("registry.terraform.io/gavinbunney/kubectl", "kubernetes_config_map_v1", state),
		"another type":     request("registry.terraform.io/hashicorp/kubernetes", "kubernetes_secret_v1", state),
		"the keys alone":   request("registry.terraform.io/hashicorp/kubernetes", "kubernetes_config_map_v1_data", state),
	} {
		if _, resp, ok := moveState(t, req); ok || resp.Diagnostics.HasError() {
			t.Errorf("%s was moved: %v", name, resp.Diagnostics)
		}
	}
	for _, state := range []string{`{`, `{"metadata":[]}`, `{"metadata":[{"name":""}]}`} {
		if _, resp, ok := moveState(t, request("registry.terraform.io/hashicorp/kubernetes", "kubernetes_config_map", state)); ok || !resp.Diagnostics.HasError() {
			t.Errorf("%s was moved", state)
		}
	}
	// Without a namespace it is the default one; without a version nothing matches.
	m, _, ok := moveState(t, request("registry.terraform.io/hashicorp/kubernetes", "kubernetes_config_map", `{"metadata":[{"name":"settings"}]}`))
	if !ok || m.ID.ValueString() != "default/settings" || m.version().Valid() || m.UID.IsNull() {
		t.Errorf("%v", m)
	}
}
