package configmap

import (
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/attr"
	fwresource "github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/keys"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/resource"
)

// moveState returns the model that MoveState makes of a state, and false if MoveState does not handle the state.
func moveState(t *testing.T, req fwresource.MoveStateRequest) (keys.WholeModel, *fwresource.MoveStateResponse, bool) {
	t.Helper()
	ctx := t.Context()
	r := keys.NewWhole("configmap", eval.ConfigMap, wholeSchema)
	var schemaResp fwresource.SchemaResponse
	r.Schema(ctx, fwresource.SchemaRequest{}, &schemaResp)
	var identityResp fwresource.IdentitySchemaResponse
	r.IdentitySchema(ctx, fwresource.IdentitySchemaRequest{}, &identityResp)
	null := func(of attr.Type) tftypes.Value { return tftypes.NewValue(of.TerraformType(ctx), nil) }
	resp := &fwresource.MoveStateResponse{
		TargetState:    tfsdk.State{Schema: schemaResp.Schema, Raw: null(schemaResp.Schema.Type())},
		TargetIdentity: &tfsdk.ResourceIdentity{Schema: identityResp.IdentitySchema, Raw: null(identityResp.IdentitySchema.Type())},
	}
	state, _, diags := r.MovedState(ctx, req)
	resp.Diagnostics = diags
	if state == nil {
		return keys.WholeModel{}, resp, false
	}
	resp.Diagnostics.Append(r.EncodeIdentity(ctx, state, &resp.TargetIdentity.Raw)...)
	resp.Diagnostics.Append(r.Codec().Encode(ctx, *state, &resp.TargetState.Raw)...)
	m, diags := r.Codec().Decode(ctx, resp.TargetState.Raw)
	if diags.HasError() {
		t.Fatal(diags)
	}
	return m, resp, true
}

// movableAddresses are the provider addresses that command lines give a state of hashicorp/kubernetes.
var movableAddresses = []string{
	"registry.terraform.io/hashicorp/kubernetes", "registry.opentofu.org/hashicorp/kubernetes", "mirror.example.com:8443/hashicorp/kubernetes",
	"kubernetes", // OpenTofu 1.11.6
}

func TestMoveStateOfConfigMap(t *testing.T) {
	t.Parallel()
	const state = `{"id":"shop/settings","metadata":[{"annotations":{},"generate_name":"","generation":0,"labels":null,"name":"settings",
		"namespace":"shop","resource_version":"7","uid":"u"}],"data":{"foo":"1"},"binary_data":{},"immutable":null,"timeouts":null}`
	request := func(address, name, state string) fwresource.MoveStateRequest {
		return fwresource.MoveStateRequest{
			SourceProviderAddress: address, SourceTypeName: name, SourceRawState: &tfprotov6.RawState{JSON: []byte(state)},
		}
	}
	for _, address := range movableAddresses {
		m, resp, ok := moveState(t, request(address, "kubernetes_config_map_v1", state))
		if !ok || resp.Diagnostics.HasError() {
			t.Fatalf("%s: %v", address, resp.Diagnostics)
		}
		if m.ID.ValueString() != "shop/settings" || m.Version() != (eval.Version{UID: "u", ResourceVersion: "7"}) || !m.GenerateName.IsNull() || m.Immutable.ValueBool() ||
			!m.Labels.IsNull() || !m.Annotations.IsNull() || resource.EntriesFrom(eval.ConfigMap, m.Data, m.BinaryData)["foo"] != eval.Text("1") || !m.BinaryData.IsNull() {
			t.Errorf("%s: %v", address, m)
		}
		var identity resource.Named
		if resp.TargetIdentity.Get(t.Context(), &identity).HasError() || identity.Name.ValueString() != "settings" || identity.Namespace.ValueString() != "shop" {
			t.Errorf("%s: identity %v", address, identity)
		}
	}
	for name, req := range map[string]fwresource.MoveStateRequest{
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
	if !ok || m.ID.ValueString() != "default/settings" || m.Version().Valid() || m.UID.IsNull() {
		t.Errorf("%v", m)
	}
}
