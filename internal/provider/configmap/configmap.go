package configmap

import (
	"context"

	fwresource "github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/keys"
)

// NewConfigMap is cas_configmap.
func NewConfigMap() fwresource.Resource {
	return keys.NewWhole("configmap", eval.ConfigMap, wholeSchema)
}

func wholeSchema(ctx context.Context) schema.Schema {
	return attributes.OfWhole(ctx, "Creates a ConfigMap only if it does not exist, and changes or deletes it only if it "+
		"is unchanged since the plan.", eval.ConfigMap, map[string]schema.Attribute{
		"data": attributes.Map(eval.ConfigMap, "All keys with text, and their values."+attributes.Unmanaged+
			" Omit it if `cas_configmap_entry` or `cas_configmap_data` writes the keys.", attributes.ValidValueSize()),
		"binary_data": attributes.Map(eval.ConfigMap, "All keys with bytes, and their values in standard base64."+
			attributes.Unmanaged, attributes.ValidBase64()),
		"immutable": attributes.Flag("Let the API server refuse changes of the values. A later change of `data`, " +
			"`binary_data` or back to `false` replaces the resource. Default: `false`."),
		"hide_values": attributes.Flag("Show lengths and SHA-256 digests instead of values in diagnostics. A provider " +
			"cannot see Terraform's `sensitive` marks, so set it if values are sensitive. Default: `false`."),
	})
}
