package adapter

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/tfsdk"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// importedKeys are the keys that an import by an identity with such keys gives.
func importedKeys(t *testing.T, keys ...string) ([]string, diag.Diagnostics) {
	t.Helper()
	schema := new(DataModel).IdentitySchema(eval.ConfigMap)
	list := make([]tftypes.Value, len(keys))
	for i, key := range keys {
		list[i] = tftypes.NewValue(tftypes.String, key)
	}
	raw := tftypes.NewValue(schema.Type().TerraformType(t.Context()), map[string]tftypes.Value{
		"namespace": tftypes.NewValue(tftypes.String, nil),
		"name":      tftypes.NewValue(tftypes.String, "settings"),
		"keys":      tftypes.NewValue(tftypes.List{ElementType: tftypes.String}, list),
	})
	return new(DataModel).Import(t.Context(), resource.ImportStateRequest{Identity: &tfsdk.ResourceIdentity{Raw: raw, Schema: schema}})
}

// A key of an identity is not read as part of an id: it may hold the characters that separate those.
func TestIdentityWhoseKeyIsNoKey(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{
		"a,b": `The identity "default/settings:a,b,foo" has an invalid key, "a,b": a valid config key must consist of`,
		"foo": `The identity "default/settings:foo,foo" has an invalid key, "foo": it is named twice.`,
	} {
		_, diags := importedKeys(t, "foo", key)
		if len(diags) != 1 || diags[0].Summary() != "Invalid Import Identity" || !strings.HasPrefix(diags[0].Detail(), want) {
			t.Errorf("a key %q: %v, want %q", key, diags, want)
		}
	}
}

// The keys of an identity come in any order, as those of an id do, and one that is named twice is found wherever it stands.
func TestKeysOfAnIdentityComeInAnyOrder(t *testing.T) {
	t.Parallel()
	keys, diags := importedKeys(t, "foo", "bar", "zoo", "baz")
	if diff := cmp.Diff([]string{"bar", "baz", "foo", "zoo"}, keys); diff != "" || len(diags) > 0 {
		t.Errorf("%v; keys (-want +got):\n%s", diags, diff)
	}
	_, diags = importedKeys(t, "foo", "bar", "foo")
	const want = `The identity "default/settings:bar,foo,foo" has an invalid key, "foo": it is named twice.`
	if len(diags) != 1 || !strings.HasPrefix(diags[0].Detail(), want) {
		t.Errorf("%v, want %q", diags, want)
	}
}
