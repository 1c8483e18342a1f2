package provider

import (
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-go/tfprotov6"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-cas/terraform-provider-cas/internal/provider/configmap"
)

// moveState asks the provider for what becomes of another provider's state.
func moveState(t *testing.T, of *tfprotov6.MoveResourceStateRequest) *tfprotov6.MoveResourceStateResponse {
	t.Helper()
	resp, err := unconfigured(t).MoveResourceState(t.Context(), of)
	if err != nil {
		t.Fatal(err)
	}
	return resp
}

// attributesOf are the attributes of a resource in a state.
func attributesOf(t *testing.T, r resource.Resource, state *tfprotov6.DynamicValue) map[string]tftypes.Value {
	t.Helper()
	var schema resource.SchemaResponse
	r.Schema(t.Context(), resource.SchemaRequest{}, &schema)
	raw, err := state.Unmarshal(schema.Schema.Type().TerraformType(t.Context()))
	if err != nil {
		t.Fatal(err)
	}
	attributes := map[string]tftypes.Value{}
	if err := raw.As(&attributes); err != nil {
		t.Fatal(err)
	}
	return attributes
}

// TestConfigMapDataMoveState asks the provider as Terraform does: without a configuration.
func TestConfigMapDataMoveState(t *testing.T) {
	t.Parallel()
	move := func(address, typeName, state string) *tfprotov6.MoveResourceStateResponse {
		t.Helper()
		return moveState(t, &tfprotov6.MoveResourceStateRequest{
			SourceProviderAddress: address, SourceTypeName: typeName, SourceState: &tfprotov6.RawState{JSON: []byte(state)}, TargetTypeName: "cas_configmap_data",
		})
	}
	const typeName, state = "kubernetes_config_map_v1_data", `{"id": "shop/settings", "data": {"b": "2", "a": "1", "n": null}, "field_manager": "Terraform", "force": null,` +
		`"metadata": [{"name": "settings", "namespace": "shop"}]}`

	text := func(s string) tftypes.Value { return tftypes.NewValue(tftypes.String, s) }
	want := map[string]tftypes.Value{ // all else is null: nobody has seen a version
		"namespace": text("shop"), "on_drift": text("error"), "name": text("settings"), "id": text("shop/settings:a,b"),
		"data":           tftypes.NewValue(tftypes.Map{ElementType: tftypes.String}, map[string]tftypes.Value{"a": text("1"), "b": text("2")}),
		"conflict_scope": text("object"), "deletion_policy": text("release"),
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
		got := attributesOf(t, configmap.NewData(), resp.TargetState)
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

// Each resource of this provider refuses the state of each other one with a message of its own.
func TestMoveStateBetweenOwnTypes(t *testing.T) {
	t.Parallel()
	for _, make := range (&casProvider{}).Resources(t.Context()) {
		var meta resource.MetadataResponse
		make().Metadata(t.Context(), resource.MetadataRequest{ProviderTypeName: "cas"}, &meta)
		for _, source := range []string{"cas_configmap_entry", "cas_secret", "cas_object_fields"} {
			resp := moveState(t, &tfprotov6.MoveResourceStateRequest{
				SourceProviderAddress: "registry.terraform.io/terraform-cas/cas", SourceTypeName: source,
				SourceState: &tfprotov6.RawState{JSON: []byte(`{"id": "shop/settings"}`)}, TargetTypeName: meta.TypeName,
			})
			want := "A moved block cannot turn a " + source + " into a " + meta.TypeName + "."
			if len(resp.Diagnostics) != 1 || resp.Diagnostics[0].Summary != "State Cannot Be Moved" || !strings.HasPrefix(resp.Diagnostics[0].Detail, want) {
				t.Errorf("%s to %s: %v", source, meta.TypeName, resp.Diagnostics)
			}
		}
	}
}
