package adapter

import (
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
)

// A key of an identity is not read as part of an id: it may hold the characters that separate those.
func TestIdentityWhoseKeyIsNoKey(t *testing.T) {
	t.Parallel()
	schema := dataIdentitySchema(cas.ConfigMap)
	list := tftypes.List{ElementType: tftypes.String}
	for key, want := range map[string]string{
		"a,b": `The identity "default/settings:a,b,foo" has an invalid key: a valid config key must consist of`,
		"foo": `The identity "default/settings:foo,foo" has an invalid key: "foo" is named twice.`,
	} {
		raw := tftypes.NewValue(schema.Type().TerraformType(t.Context()), map[string]tftypes.Value{
			"namespace": tftypes.NewValue(tftypes.String, nil),
			"name":      tftypes.NewValue(tftypes.String, "settings"),
			"keys": tftypes.NewValue(list, []tftypes.Value{
				tftypes.NewValue(tftypes.String, "foo"), tftypes.NewValue(tftypes.String, key),
			}),
		})
		_, diags := importedData(t.Context(), resource.ImportStateRequest{
			Identity: &tfsdk.ResourceIdentity{Raw: raw, Schema: schema},
		})
		if len(diags) != 1 || diags[0].Summary() != "Invalid Import Identity" || !strings.HasPrefix(diags[0].Detail(), want) {
			t.Errorf("a key %q: %v, want %q", key, diags, want)
		}
	}
}
