package configmap

import (
	"context"
	"fmt"

	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/booldefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

func (*wholeResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
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
		},
	}
}

func (*wholeResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	replaces := stringplanmodifier.RequiresReplace()
	keeps := stringplanmodifier.UseStateForUnknown()
	const (
		unmanaged = " Without it, these are left to others; an empty map means that there are none. What was managed, and is then left out of the " +
			"configuration, stays as it is."
		ignored = " What the provider's `%s` matches, and `*.kubernetes.io` keys of the cluster's own, are left alone unless they are named here."
	)
	resp.Schema = schema.Schema{
		MarkdownDescription: "A whole ConfigMap, written by compare-and-swap: created only if there is none of its name, changed and deleted only " +
			"while it is what the plan saw. The check and the write are one atomic request. What changed in between is a conflict, and a " +
			"conflict writes nothing.",
		Attributes: map[string]schema.Attribute{
			"namespace": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString(terms.DefaultNamespace),
				PlanModifiers: []planmodifier.String{replaces}, Validators: []validator.String{attributes.ValidNamespace()},
				MarkdownDescription: "Namespace of the ConfigMap. Default: `default`. A change replaces the resource.",
			},
			"name": schema.StringAttribute{
				Optional: true, Computed: true, PlanModifiers: []planmodifier.String{keeps, replaces},
				Validators: []validator.String{
					stringvalidator.ExactlyOneOf(path.MatchRoot("name"), path.MatchRoot("generate_name")), attributes.ValidName(),
				},
				MarkdownDescription: "Name of the ConfigMap. Exactly one of `name` and `generate_name` must be given. A change replaces the resource.",
			},
			"generate_name": schema.StringAttribute{
				Optional: true, Computed: true,
				PlanModifiers: []planmodifier.String{keeps, stringplanmodifier.RequiresReplaceIfConfigured()},
				Validators:    []validator.String{validNamePrefix()},
				MarkdownDescription: "Beginning of the name, of which at most 58 characters count, to which five random ones are added when the ConfigMap is " +
					"created. A change replaces the resource.",
			},
			"labels": schema.MapAttribute{
				Optional: true, ElementType: types.StringType,
				Validators: []validator.Map{
					mapvalidator.NoNullValues(), mapvalidator.KeysAre(validLabelKey()), mapvalidator.ValueStringsAre(validLabelValue()),
				},
				MarkdownDescription: "Labels of the ConfigMap." + unmanaged + fmt.Sprintf(ignored, "ignore_labels"),
			},
			"annotations": schema.MapAttribute{
				Optional: true, ElementType: types.StringType,
				Validators: []validator.Map{
					mapvalidator.NoNullValues(), mapvalidator.KeysAre(validAnnotationKey()),
				},
				MarkdownDescription: "Annotations of the ConfigMap." + unmanaged + fmt.Sprintf(ignored, "ignore_annotations"),
			},
			"data": schema.MapAttribute{
				Optional: true, ElementType: types.StringType,
				Validators:          []validator.Map{mapvalidator.NoNullValues(), mapvalidator.KeysAre(attributes.ValidKey())},
				MarkdownDescription: "All keys that hold text, and their values." + unmanaged + " So leave it out where `cas_configmap_entry` owns the keys.",
			},
			"binary_data": schema.MapAttribute{
				Optional: true, ElementType: types.StringType,
				Validators: []validator.Map{
					mapvalidator.NoNullValues(), mapvalidator.KeysAre(attributes.ValidKey()), mapvalidator.ValueStringsAre(attributes.ValidBase64()),
				},
				MarkdownDescription: "All keys that hold bytes, and their values, as canonical standard base64." + unmanaged,
			},
			"immutable": schema.BoolAttribute{
				Optional: true, Computed: true, Default: booldefault.StaticBool(false),
				MarkdownDescription: "Whether the API server refuses every change of the values. A change of `data` or `binary_data` of an immutable " +
					"ConfigMap, and taking the mark away, replaces the resource. Default: `false`.",
			},
			"field_manager": schema.StringAttribute{
				Optional: true, Validators: attributes.ValidFieldManager(),
				MarkdownDescription: "Name under which the write is recorded in `managedFields`. Default: the provider's `field_manager`.",
			},
			"hide_values": schema.BoolAttribute{
				Optional: true, Computed: true, Default: booldefault.StaticBool(false),
				MarkdownDescription: "Whether diagnostics show lengths and SHA-256 digests instead of values. A provider cannot see Terraform's " +
					"`sensitive` marks, so set it where values are sensitive. Default: `false`.",
			},
			"timeouts": attributes.Timeouts(ctx),

			"id": schema.StringAttribute{
				Computed: true, MarkdownDescription: "`namespace/name`.",
			},
			"resource_version": schema.StringAttribute{
				Computed:            true,
				MarkdownDescription: "`metadata.resourceVersion` of the ConfigMap as last observed: by the write's own response, or by the refresh.",
			},
			"uid": schema.StringAttribute{
				Computed: true, MarkdownDescription: "`metadata.uid` of the ConfigMap as last observed.",
			},
		},
	}
}
