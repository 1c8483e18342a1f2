package provider

import (
	"maps"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/providerserver"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-cas/terraform-provider-cas/internal/provider/configmap"
)

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

	var schema resource.SchemaResponse
	configmap.NewData().Schema(t.Context(), resource.SchemaRequest{}, &schema)
	text := func(s string) tftypes.Value { return tftypes.NewValue(tftypes.String, s) }
	want := map[string]tftypes.Value{ // all else is null: nobody has seen a version
		"namespace": text("shop"), "on_drift": text("warning"), "name": text("settings"), "id": text("shop/settings:a,b"),
		"data":           tftypes.NewValue(tftypes.Map{ElementType: tftypes.String}, map[string]tftypes.Value{"a": text("1"), "b": text("2")}),
		"conflict_scope": text("object"), "deletion_policy": text("delete"),
		"adopt_existing": tftypes.NewValue(tftypes.Bool, false), "hide_values": tftypes.NewValue(tftypes.Bool, false),
	}
	for _, address := range []string{
		"registry.terraform.io/hashicorp/kubernetes", "registry.opentofu.org/hashicorp/kubernetes", "mirror.example.com:8443/hashicorp/kubernetes",
		"kubernetes", // OpenTofu 1.11.6
	} {
		resp := move(address, typeName, state)
		if len(resp.Diagnostics) > 0 {
			t.Fatalf("%s: %s", address, resp.Diagnostics[0].Detail)
		}
		raw, err := resp.TargetState.Unmarshal(schema.Schema.Type().TerraformType(t.Context()))
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]tftypes.Value{}
		if err := raw.As(&got); err != nil {
			t.Fatal(err)
		}
		maps.DeleteFunc(got, func(_ string, v tftypes.Value) bool { return v.IsNull() })
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", address, diff)
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
