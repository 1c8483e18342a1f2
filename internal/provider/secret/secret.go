// Package secret has the resources and ephemeral resources of Secrets: their schemas, whose write-only attributes no
// state has. Package resource does the rest, as for ConfigMaps.
package secret

import (
	"context"

	fwresource "github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/keys"
)

// NewSecret is cas_secret.
func NewSecret() fwresource.Resource {
	return keys.NewWhole("secret", eval.Secret, wholeSchema)
}

func wholeSchema(ctx context.Context) schema.Schema {
	return attributes.OfWhole(ctx, "Creates a Secret only if it does not exist, and changes or deletes it only if it is "+
		"unchanged since the plan. No value is stored in the state or the plan.", eval.Secret, map[string]schema.Attribute{
		"type": schema.StringAttribute{
			Optional: true, Computed: true, Default: stringdefault.StaticString("Opaque"),
			PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()},
			Validators:    []validator.String{attributes.ValidType()},
			MarkdownDescription: "Type of the Secret, such as `kubernetes.io/tls`. A change replaces the resource. " +
				"Default: `Opaque`.",
		},
		"data_wo": attributes.Map(eval.Secret, "All keys with text, and their values. The Secret then has no others. If "+
			"you omit it and `binary_data_wo`, the resource does not manage the keys. Omit it if `cas_secret_entry` or "+
			"`cas_secret_data` writes the keys."),
		"binary_data_wo": attributes.Map(eval.Secret,
			"All keys with bytes, and their values in standard base64. No key may be in both maps."),
		"data_wo_version": attributes.Revision("`data_wo` and `binary_data_wo`",
			"Keys that you add to the maps or remove from them are written anyway. "),
		"immutable": attributes.Flag("Let the API server refuse changes of the values. A later write of values, or a " +
			"change back to `false`, replaces the resource. Default: `false`."),
		"keys": attributes.ComputedKeys("All keys of the Secret after the last write or refresh, sorted. Null without " +
			"`data_wo` and `binary_data_wo`."),
	})
}
