package attributes

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// Each resource has the shared attributes: the required ones, and the computed ones.
func TestAttributesThatResourcesShare(t *testing.T) {
	t.Parallel()
	type shared map[string]schema.Attribute
	others := shared{"value": Computed("A value."), "uid": Computed("Another one's.")}
	for name, test := range map[string]struct {
		of                           func(context.Context, eval.Kind) schema.Schema
		required, optional, computed string // in order; those that are both are in both
	}{
		"an entry": {
			func(ctx context.Context, kind eval.Kind) schema.Schema {
				return OfEntry(ctx, "A resource.", kind, "shop/settings/foo", others)
			},
			"key name",
			"adopt_existing deletion_policy expected_resource_version_wo field_manager namespace timeouts wait_for_match",
			"adopt_existing deletion_policy id namespace resource_version uid value",
		},
		"several keys": {
			func(ctx context.Context, kind eval.Kind) schema.Schema {
				return OfData(ctx, "A resource.", kind, "shop/settings:foo", others)
			},
			"name",
			"adopt_existing deletion_policy expected_resource_version_wo field_manager namespace timeouts wait_for_match",
			"adopt_existing deletion_policy id namespace resource_version uid value",
		},
		"a whole object": {
			func(ctx context.Context, kind eval.Kind) schema.Schema {
				return OfWhole(ctx, "A resource.", kind, others)
			},
			"",
			"annotations deletion_policy expected_resource_version_wo field_manager generate_name labels name namespace on_drift timeouts",
			"deletion_policy generate_name id name namespace on_drift resource_version uid value",
		},
	} {
		for _, kind := range []eval.Kind{eval.ConfigMap, eval.Secret} {
			t.Run(name+" of a "+kind.String(), func(t *testing.T) {
				t.Parallel()
				of := test.of(t.Context(), kind)
				all := of.Attributes
				if diags := of.ValidateImplementation(t.Context()); diags.HasError() {
					t.Error(diags)
				}
				var required, optional, computed []string
				for _, name := range slices.Sorted(maps.Keys(all)) {
					if all[name].IsRequired() {
						required = append(required, name)
					}
					if all[name].IsOptional() {
						optional = append(optional, name)
					}
					if all[name].IsComputed() {
						computed = append(computed, name)
					}
					if other := map[eval.Kind]string{eval.ConfigMap: "Secret", eval.Secret: "ConfigMap"}[kind]; strings.Contains(all[name].GetMarkdownDescription(), other) {
						t.Errorf("%s speaks of a %s: %s", name, other, all[name].GetMarkdownDescription())
					}
				}
				got := []string{strings.Join(required, " "), strings.Join(optional, " "), strings.Join(computed, " ")}
				if diff := cmp.Diff([]string{test.required, test.optional, test.computed}, got); diff != "" {
					t.Errorf("required, optional, computed (-want +got):\n%s", diff)
				}
				if got := all["uid"].GetMarkdownDescription(); got != "Another one's." {
					t.Errorf("what the resource says itself is not kept: %s", got)
				}
			})
		}
	}
}
