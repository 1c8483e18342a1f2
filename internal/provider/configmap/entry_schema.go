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
		MarkdownDescription: "One key of an existing ConfigMap, written by compare-and-swap: only while the key, and by default the " +
			"whole ConfigMap, is what the plan saw. The check and the write are one atomic request. What changed in between is a " +
			"conflict, and a conflict writes nothing.",
		Attributes: map[string]schema.Attribute{
			"namespace": attributes.Namespace(),
			"name": schema.StringAttribute{
				Required: true, PlanModifiers: replaces, Validators: []validator.String{attributes.ValidName()},
				MarkdownDescription: "Name of the ConfigMap, which must exist when the entry is written. A change replaces the resource.",
			},
			"key": schema.StringAttribute{
				Required: true, PlanModifiers: replaces, Validators: []validator.String{attributes.ValidKey()},
				MarkdownDescription: "Key in the ConfigMap: 1 to 253 of `[-._a-zA-Z0-9]`, not `.` and nothing that begins with `..`. " +
					"A change replaces the resource.",
			},
			"value": schema.StringAttribute{
				Optional: true,
				Validators: []validator.String{
					stringvalidator.ExactlyOneOf(path.MatchRoot("value"), path.MatchRoot("value_base64")),
					attributes.ValidValueSize(),
				},
				MarkdownDescription: "Text that the key shall hold, in `data`. Exactly one of `value` and `value_base64` must be given.",
			},
			"value_base64": schema.StringAttribute{
				Optional:   true,
				Validators: []validator.String{attributes.ValidBase64()},
				MarkdownDescription: "Bytes that the key shall hold, in `binaryData`, as canonical standard base64. An entry moves between " +
					"`data` and `binaryData` in one atomic request.",
			},
			"expected_value": schema.StringAttribute{
				Optional: true,
				Validators: []validator.String{
					stringvalidator.ConflictsWith(path.MatchRoot("expected_value_base64")), attributes.ValidValueSize(),
				},
				MarkdownDescription: "Text that the key must hold, in `data`, for a write to happen. Without it a create writes only where the " +
					"key is absent, and an update only over what the state says. A plan that has no write to make checks nothing, so it may " +
					"stay in the configuration after the swap.",
			},
			"expected_value_base64": schema.StringAttribute{
				Optional: true,
				Validators: []validator.String{
					stringvalidator.ConflictsWith(path.MatchRoot("expected_value")), attributes.ValidBase64(),
				},
				MarkdownDescription: "Bytes that the key must hold, in `binaryData`, for a write to happen, as canonical standard base64.",
			},
			"expected_resource_version_wo": attributes.Pin(),
			"conflict_scope": attributes.Scope("What counts as a conflict on update and delete. `object` (default): any change to the ConfigMap since the " +
				"plan that this apply did not make itself. `key`: only a change to this key."),
			"wait_for_match": attributes.Wait(path.MatchRoot("expected_resource_version_wo")),
			"adopt_existing": attributes.Flag(
				"Whether a key that already holds the value is taken over without a write, instead of an error. Default: `false`."),
			"deletion_policy": attributes.Policy("What destroying does with the key: `delete` (default) it, `restore` what it held before this resource first " +
				"wrote it (after an import or adoption, what was found), or `abandon` it as it is."),
			"on_drift": attributes.OnDrift("What an update does if somebody else changed the key after the last apply: `warning` (default) overwrites the change and " +
				"warns at plan, `error` refuses, `off` overwrites it without a word. `error` also refuses to remove a changed key. A new `expected_value` acknowledges " +
				"the change. A key that vanished is created again."),
			"field_manager": attributes.FieldManager(),
			"hide_value":    attributes.Hide("previous_value"),
			"timeouts":      attributes.Timeouts(ctx),

			"id": schema.StringAttribute{
				Computed: true, MarkdownDescription: "`namespace/name/key`.",
			},
			"resource_version": attributes.ResourceVersion(),
			"uid":              attributes.UID(),
			"previous_value": schema.StringAttribute{
				Computed: true,
				MarkdownDescription: "Text that the last write replaced, as findAndModify returns the pre-image. Null where the key was absent " +
					"or held binary data, where this resource has not written yet, as after an import, and with `hide_value` or `hide_values`.",
			},
		},
	}
}
