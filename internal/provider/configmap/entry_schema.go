package configmap

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"

	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
)

func (*entryResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
	resp.IdentitySchema = identityschema.Schema{
		Attributes: map[string]identityschema.Attribute{
			"namespace": identityschema.StringAttribute{
				OptionalForImport: true,
				Description:       "Namespace of the ConfigMap. Default: \"default\".",
			},
			"name": identityschema.StringAttribute{
				RequiredForImport: true,
				Description:       "Name of the ConfigMap.",
			},
			"key": identityschema.StringAttribute{
				RequiredForImport: true,
				Description:       "Key in the ConfigMap.",
			},
		},
	}
}

func (*entryResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	replaces := []planmodifier.String{stringplanmodifier.RequiresReplace()}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Writes one key of an existing ConfigMap only if it holds the expected value, in one atomic request.",
		Attributes: map[string]schema.Attribute{
			"namespace": attributes.Namespace(),
			"name": schema.StringAttribute{
				Required: true, PlanModifiers: replaces, Validators: []validator.String{attributes.ValidName()},
				MarkdownDescription: "Name of the ConfigMap. It must exist before the write. A change replaces the resource.",
			},
			"key": schema.StringAttribute{
				Required: true, PlanModifiers: replaces, Validators: []validator.String{attributes.ValidKey()},
				MarkdownDescription: "Key in the ConfigMap: 1 to 253 characters of `[-._a-zA-Z0-9]`. It must not be `.` or begin with `..`. " +
					"A change replaces the resource.",
			},
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
			"expected_resource_version_wo": attributes.Pin(),
			"conflict_scope": attributes.Scope("Which changes since the plan are a conflict for an update or a delete, and from Terraform 1.16 for a " +
				"create. `object` (default): any change to the ConfigMap that this apply did not make. `key`: only a change to this key."),
			"wait_for_match": attributes.Wait(path.MatchRoot("expected_resource_version_wo")),
			"adopt_existing": attributes.Flag(
				"Take over a key that already holds the value, without a write. Otherwise this is an error. Default: `false`."),
			"deletion_policy": attributes.Policy("What happens to the key on destroy. `delete` (default) removes it, even if it existed before Terraform. `restore` puts " +
				"back its value from before the first write (or from the import or adoption). `abandon` leaves it as it is."),
			"on_drift": attributes.OnDrift("What an update does if somebody else changed the key after the last apply. `warning` (default) warns at plan and " +
				"overwrites the change. `error` refuses to overwrite or remove it. `off` overwrites it silently. A new `expected_value` acknowledges the change. " +
				"If the key is gone, the plan creates it again."),
			"field_manager": attributes.FieldManager(),
			"hide_value":    attributes.Hide("previous_value"),
			"timeouts":      attributes.Timeouts(ctx),

			"id": schema.StringAttribute{
				Computed: true, MarkdownDescription: "`namespace/name/key`, for example `shop/settings/foo`.",
			},
			"resource_version": attributes.ResourceVersion(),
			"uid":              attributes.UID(),
			"previous_value": schema.StringAttribute{
				Computed: true,
				MarkdownDescription: "Text that the last write replaced. Null if the key was absent or held binary data, if this resource has not written " +
					"yet (for example after an import), or with `hide_value` or `hide_values`.",
			},
		},
	}
}
