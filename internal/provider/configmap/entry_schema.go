package configmap

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

func (*entryResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Writes one key of an existing ConfigMap only if it holds the expected value, in one atomic request.",
		Attributes: attributes.OfKeys(ctx, cas.ConfigMap, map[string]schema.Attribute{
			"key": attributes.Key(cas.ConfigMap),
			"value": schema.StringAttribute{
				Optional: true,
				Validators: []validator.String{
					stringvalidator.ExactlyOneOf(path.MatchRoot("value"), path.MatchRoot("value_base64")),
					attributes.ValidValueSize(),
				},
				MarkdownDescription: "Text to write to `data`. Set exactly one of `value` and `value_base64`.",
			},
			"value_base64": schema.StringAttribute{
				Optional:            true,
				Validators:          []validator.String{attributes.ValidBase64()},
				MarkdownDescription: "Bytes to write to `binaryData`, in standard base64. One atomic request moves a key between `data` and `binaryData`.",
			},
			"expected_value": schema.StringAttribute{
				Optional: true,
				Validators: []validator.String{
					stringvalidator.ConflictsWith(path.MatchRoot("expected_value_base64")), attributes.ValidValueSize(),
				},
				MarkdownDescription: "Text that the key must hold before the write. Without it, a create needs an absent key, and an update needs the value in the " +
					"state. A plan without a write does not check it, so it can stay in the configuration after the swap.",
			},
			"expected_value_base64": schema.StringAttribute{
				Optional: true,
				Validators: []validator.String{
					stringvalidator.ConflictsWith(path.MatchRoot("expected_value")), attributes.ValidBase64(),
				},
				MarkdownDescription: "Bytes that the key must hold before the write, in standard base64.",
			},
			"conflict_scope": attributes.Scope("Which changes since the plan are a conflict for an update or a delete, and from Terraform 1.16 for a " +
				"create. `object` (default): any change to the ConfigMap that this apply did not make. `key`: only a change to this key."),
			"adopt_existing": attributes.Flag(
				"Take over a key that already holds the value, without a write. Otherwise this is an error. Default: `false`."),
			"deletion_policy": attributes.Policy("What happens to the key on destroy. `delete` (default) removes it, even if it existed before Terraform. `restore` puts "+
				"back its value from before the first write (or from the import or adoption). `abandon` leaves it as it is.",
				terms.PolicyDelete, terms.PolicyRestore, terms.PolicyAbandon),
			"on_drift": attributes.OnDrift("What an update does if somebody else changed the key after the last apply. `warning` (default) warns at plan and " +
				"overwrites the change. `error` refuses to overwrite or remove it. `off` overwrites it silently. A new `expected_value` acknowledges the change. " +
				"If the key is gone, the plan creates it again."),
			"hide_value": attributes.Hide("previous_value"),

			"id": schema.StringAttribute{
				Computed: true, MarkdownDescription: "`namespace/name/key`, for example `shop/settings/foo`.",
			},
			"previous_value": schema.StringAttribute{
				Computed: true,
				MarkdownDescription: "Text that the last write replaced. Null if the key was absent or held binary data, if this resource has not written " +
					"yet (for example after an import), or with `hide_value` or `hide_values`.",
			},
		}),
	}
}
