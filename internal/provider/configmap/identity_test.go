package configmap

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/keys"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/resource"
)

// importedKeys returns the keys of an import by an identity with such keys.
func importedKeys(t *testing.T, names ...string) ([]string, error) {
	t.Helper()
	_, imported, err := keys.NewData("configmap_data", eval.ConfigMap, dataSchema).Import(t.Context(), resource.Identity{
		Name: types.StringValue("settings"), Keys: resource.ListOf(names),
	})
	return imported, err
}

// A key of an identity is not read as part of an id: the key may contain the separators of an id.
func TestIdentityWithAnInvalidKey(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{
		"a,b": `"default/settings:a,b,foo" has an invalid key, "a,b": a valid config key must consist of`,
		"foo": `"default/settings:foo,foo" has an invalid key, "foo": it is named twice`,
	} {
		if _, err := importedKeys(t, "foo", key); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("a key %q: %v, want %q", key, err, want)
		}
	}
}

// The keys of an identity come in any order, and a key that is named twice is found wherever it stands.
func TestKeysOfAnIdentityComeInAnyOrder(t *testing.T) {
	t.Parallel()
	names, err := importedKeys(t, "foo", "bar", "zoo", "baz")
	if diff := cmp.Diff([]string{"bar", "baz", "foo", "zoo"}, names); diff != "" || err != nil {
		t.Errorf("%v; keys (-want +got):\n%s", err, diff)
	}
	_, err = importedKeys(t, "foo", "bar", "foo")
	const want = `"default/settings:bar,foo,foo" has an invalid key, "foo": it is named twice`
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %q", err, want)
	}
}
