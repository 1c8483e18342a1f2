// Package configmap has the resources, lists and the action of ConfigMaps: their schemas and models, and what these claim. Package adapter does the
// rest for all resources of keys; configmap.go is a whole ConfigMap, counter.go a number.
package configmap

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/adapter"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// NewEntry is cas_configmap_entry, a resource of one key.
func NewEntry() resource.Resource { return newEntries().New() }

func newEntries() adapter.Keys[adapter.EntryModel, *adapter.EntryModel] {
	return adapter.NewKeys[adapter.EntryModel]("configmap_entry", cas.ConfigMap, entrySchema)
}

func entrySchema(ctx context.Context) schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Writes one key of an existing ConfigMap only if it holds the expected value, in one atomic request.",
		Attributes: attributes.OfEntry(ctx, cas.ConfigMap, "shop/settings/foo", map[string]schema.Attribute{
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
				MarkdownDescription: "Text that the key must hold before the write. If you do not set it, the key must not exist yet for a create, and must hold the value " +
					"in the state for an update. A plan without a write does not check it, so it can stay in the configuration after the swap.",
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
			"deletion_policy": attributes.Policy("What happens to the key on destroy. `release` (default) removes it if this resource created it, and leaves it if it existed before, was "+
				"imported, adopted or moved, or if somebody else changed it since, unless `on_drift` says otherwise; the plan says so. `delete` removes it, even if it "+
				"existed before Terraform. "+
				"`restore` puts back its value from before the first write (or from the import or adoption). `abandon` leaves it as it is.",
				terms.PolicyDelete, terms.PolicyRestore, terms.PolicyAbandon),
			"on_drift": attributes.OnDrift("What an update does if somebody else changed the key after the last apply. `warning` (default) warns at plan and " +
				"overwrites the change. `error` refuses to overwrite or remove it. `off` overwrites it silently. To overwrite it without a warning or an " +
				"error, set `expected_value` to what the key holds now. If the key is gone, the plan creates it again."),
			"hide_value": attributes.Hide("previous_value"),

			"previous_value": attributes.Computed("Text that the last write replaced. Null if the key was absent or held binary data, if this resource " +
				"has not written yet (for example after an import), or with `hide_value` or `hide_values`."),
		}),
	}
}
