package configmap

import (
	"context"

	fwresource "github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/keys"
)

// NewData is cas_configmap_data, a resource of several keys.
func NewData() fwresource.Resource {
	return keys.NewData("configmap_data", eval.ConfigMap, dataSchema)
}

func dataSchema(ctx context.Context) schema.Schema {
	return attributes.OfData(ctx, "Writes several keys of an existing ConfigMap in one atomic request, all or none, "+
		"only if every key holds its expected value.",
		eval.ConfigMap, "shop/settings:color,version", map[string]schema.Attribute{
			"data": attributes.Map(eval.ConfigMap, "Text to write, by key. Set at least one key here or in `binary_data`, and "+
				"no key in both. The resource ignores other keys. If you remove a key from the map, `deletion_policy` applies to "+
				"it.", attributes.ValidValueSize()),
			"binary_data": attributes.Map(eval.ConfigMap, "Bytes to write to `binaryData`, by key, in standard base64. One "+
				"atomic request moves a key between the two maps.", attributes.ValidBase64()),
			"expected_data": attributes.Map(eval.ConfigMap, "Text that keys must hold before the write, by key; null if the "+
				"key must be absent. A key of `data` or `binary_data` that is not here must be absent on create, and hold the "+
				"value in the state on update. A key that is only here is a guard: the request compares it and never writes it. A "+
				"plan without a write checks nothing, and a write compares only the keys that it changes with their expectations. "+
				"So both can stay in the configuration after the swap.", attributes.ValidValueSize()),
			"expected_binary_data": attributes.Map(eval.ConfigMap, "Bytes that keys must hold before the write, by key, in "+
				"standard base64. Works like `expected_data`. No key may be in both.", attributes.ValidBase64()),
			"conflict_scope": attributes.Scope("Which changes since the plan are a conflict for an update or a delete. " +
				"`object` (default): any change to the ConfigMap that this apply did not make. `key`: only a change to one of " +
				"these keys or guards."),
			"on_drift": attributes.OnDrift("What an update does if somebody else changed one of the keys after the last " +
				"apply. `error` (default) refuses to overwrite the change. `overwrite` warns at plan and overwrites it. The " +
				"update is also permitted if you set a new expected value that the key holds. A missing key is created again, " +
				"unless an expected value is set."),
			"hide_values": attributes.Hide("previous_data"),

			"previous_data": schema.MapAttribute{
				ElementType: types.StringType, Computed: true,
				MarkdownDescription: "Text that the last write replaced or removed, by key; null for a key that was absent or " +
					"held binary data. Null as a whole if this resource has not written yet (for example after an import), or with " +
					"`hide_values`.",
			},
		})
}
