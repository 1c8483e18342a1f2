package configmap

import (
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/adapter"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
)

// NewConfigMap is cas_configmap.
func NewConfigMap() resource.Resource { return newWhole() }

func newWhole() *adapter.Whole {
	return adapter.NewWhole("configmap", cas.ConfigMap, wholeSchema, validateWhole)
}

func wholeSchema(ctx context.Context) schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Creates a ConfigMap only if it does not exist, and changes or deletes it only if it is unchanged since the plan.",
		Attributes: attributes.OfWhole(ctx, cas.ConfigMap, map[string]schema.Attribute{
			"data": schema.MapAttribute{
				Optional: true, ElementType: types.StringType,
				Validators: []validator.Map{mapvalidator.NoNullValues(), mapvalidator.KeysAre(attributes.ValidKey(cas.ConfigMap))},
				MarkdownDescription: "All keys with text, and their values." + attributes.Unmanaged +
					" Omit it if `cas_configmap_entry` or `cas_configmap_data` writes the keys.",
			},
			"binary_data": schema.MapAttribute{
				Optional: true, ElementType: types.StringType,
				Validators: []validator.Map{
					mapvalidator.NoNullValues(), mapvalidator.KeysAre(attributes.ValidKey(cas.ConfigMap)), mapvalidator.ValueStringsAre(attributes.ValidBase64()),
				},
				MarkdownDescription: "All keys with bytes, and their values in standard base64." + attributes.Unmanaged,
			},
			"immutable": attributes.Flag("Let the API server refuse changes of the values. A later change of `data`, `binary_data` or back to `false` replaces " +
				"the resource. Default: `false`."),
			"hide_values": schema.BoolAttribute{
				Optional: true, Computed: true, Default: booldefault.StaticBool(false),
				MarkdownDescription: "Show lengths and SHA-256 digests instead of values in diagnostics. A provider cannot see Terraform's `sensitive` " +
					"marks, so set it if values are sensitive. Default: `false`.",
			},
		}),
	}
}

// validateWhole checks the maps together. What is unknown yet is left to the API server.
func validateWhole(config *adapter.Object) (diags diag.Diagnostics) {
	textual, encoded := adapter.StringsOf(config.Data), adapter.StringsOf(config.BinaryData)
	size, largest := 0, path.Root("data")
	for _, value := range textual {
		size += len(value)
	}
	if config.Data.IsNull() {
		largest = path.Root("binary_data")
	}
	for _, key := range slices.Sorted(maps.Keys(encoded)) {
		if _, ok := textual[key]; ok {
			at := path.Root("binary_data").AtMapKey(key)
			diags.Append(diagnose.TitleKeyInBothMaps.Problem(at, "the key must not be in data as well"))
		}
		size += base64.StdEncoding.DecodedLen(len(encoded[key])) - strings.Count(encoded[key], "=")
	}
	if problems := attributes.SizeProblems(size); len(problems) > 0 {
		diags.Append(diagnose.TitleConfigMapTooLarge.Problem(largest, fmt.Sprintf(
			"the values of data and binary_data must have at most %d bytes together, not %d", cas.MaxSize, size)))
	}
	return diags
}
