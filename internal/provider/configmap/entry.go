// Package configmap has the resources, data sources, lists and the action of ConfigMaps: their schemas, and the models
// of counters and allocations. Package keys has the models of keys and of whole objects.
package configmap

import (
	"context"

	fwresource "github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/keys"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/resource"
)

// NewEntry is cas_configmap_entry, a resource of one key.
func NewEntry() fwresource.Resource { return newEntry() }

func newEntry() *resource.Resource[keys.EntryModel] {
	return keys.NewEntry("configmap_entry", eval.ConfigMap, entrySchema)
}

func entrySchema(ctx context.Context) schema.Schema {
	return attributes.OfEntry(ctx, "Writes one key of an existing ConfigMap only if it holds the expected value, in one "+
		"atomic request.", eval.ConfigMap, "shop/settings/foo", map[string]schema.Attribute{
		"value": attributes.Text(eval.ConfigMap,
			"Text to write to `data`. Set exactly one of `value` and `value_base64`.",
			attributes.OneOfBoth("value", "value_base64"), attributes.ValidValueSize()),
		"value_base64": attributes.Text(eval.ConfigMap, "Bytes to write to `binaryData`, in standard base64. One atomic "+
			"request moves a key between `data` and `binaryData`.", attributes.ValidBase64()),
		"expected_value": attributes.Text(eval.ConfigMap, "Text that the key must hold before the write. If you do not set "+
			"it, the key must not exist yet for a create, and must hold the value in the state for an update. A plan without "+
			"a write does not check it, so it can stay in the configuration after the swap.",
			attributes.NotWith("expected_value_base64"), attributes.ValidValueSize()),
		"expected_value_base64": attributes.Text(eval.ConfigMap,
			"Bytes that the key must hold before the write, in standard base64.", attributes.NotWith("expected_value"),
			attributes.ValidBase64()),
		"conflict_scope": attributes.Scope("Which changes since the plan are a conflict for an update or a delete. " +
			"`object` (default): any change to the ConfigMap that this apply did not make. `key`: only a change to this key."),
		"on_drift": attributes.OnDrift("What an update does if somebody else changed the key after the last apply. `error` " +
			"(default) refuses to overwrite the change. `overwrite` warns at plan and overwrites it. The update is also " +
			"permitted if you set a new `expected_value` that the key holds. A missing key is created again, unless " +
			"`expected_value` is set."),
		"hide_values": attributes.Hide("previous_value"),

		"previous_value": attributes.Computed("Text that the last write replaced. Null if the key was absent or held " +
			"binary data, if this resource has not written yet (for example after an import), or with `hide_values`."),
	})
}
