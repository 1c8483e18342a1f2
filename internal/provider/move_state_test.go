package provider

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	frameworkresource "github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

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
	m, diags := configMapCodec().Decode(ctx, resp.TargetState.Raw)
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

// TestConfigMapDataMoveState asks the provider as Terraform does: without a configuration.
func TestConfigMapDataMoveState(t *testing.T) {
	t.Parallel()
	server, err := providerserver.NewProtocol6WithError(newProvider("test", emptyEnvironment(nil)))()
	if err != nil {
		t.Fatal(err)
	}
	move := func(address, typeName, state string) *tfprotov6.MoveResourceStateResponse {
		t.Helper()
		resp, err := server.MoveResourceState(t.Context(), &tfprotov6.MoveResourceStateRequest{
			SourceProviderAddress: address, SourceTypeName: typeName, SourceState: &tfprotov6.RawState{JSON: []byte(state)}, TargetTypeName: "cas_configmap_data",
		})
		if err != nil {
			t.Fatal(err)
		}
		return resp
	}
	const typeName, state = "kubernetes_config_map_v1_data", `{"id": "shop/settings", "data": {"b": "2", "a": "1", "n": null}, "field_manager": "Terraform", "force": null,` +
		`"metadata": [{"name": "settings", "namespace": "shop"}]}`

	for _, address := range movableAddresses {
		resp := move(address, typeName, state)
		if len(resp.Diagnostics) > 0 {
			t.Fatalf("%s: %s", address, resp.Diagnostics[0].Detail)
		}
		raw, err := resp.TargetState.Unmarshal(dataCodec().Object)
		if err != nil {
			t.Fatal(err)
		}
		got, diags := dataCodec().Decode(t.Context(), raw)
		want := newDataModel(terms.DataID{Ref: cas.Ref{Namespace: "shop", Name: "settings"}, Keys: []string{"a", "b"}})
		want.Data = got.Data
		if diff := cmp.Diff(want, got); diff != "" || diags.HasError() || fmt.Sprint(got.Data) != `{"a":"1","b":"2"}` {
			t.Errorf("%s: %v %v (-want +got):\n%s", address, diags, got.Data, diff)
		}
		if !got.UID.IsNull() || !got.ResourceVersion.IsNull() {
			t.Errorf("a version that nobody saw: %v %v", got.UID, got.ResourceVersion)
		}
	}
	for what, resp := range map[string]*tfprotov6.MoveResourceStateResponse{
		"of another provider": move("registry.terraform.io/somebody/kubernetes", typeName, state),
		"of another type":     move("registry.terraform.io/hashicorp/kubernetes", "kubernetes_config_map_v1", state),
		"that is not one":     move("registry.terraform.io/hashicorp/kubernetes", typeName, `{"metadata": []}`),
		"of another schema":   move("registry.terraform.io/hashicorp/kubernetes", typeName, `{"metadata": {"name": "settings"}}`),
	} {
		if len(resp.Diagnostics) != 1 || resp.Diagnostics[0].Severity != tfprotov6.DiagnosticSeverityError {
			t.Errorf("a state %s: %v", what, resp.Diagnostics)
		}
	}
}
