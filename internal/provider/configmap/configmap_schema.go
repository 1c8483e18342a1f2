package configmap

import (
	"context"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"

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
	"k8s.io/apimachinery/pkg/api/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
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
		unmanaged = " If you omit it, the resource does not manage them. An empty map removes all of them. If you omit it later, the last values stay."
		ignored   = " Keys that match the provider's `%s`, and the cluster's own `*.kubernetes.io` keys, are ignored unless you set them here."
	)
	resp.Schema = schema.Schema{
		MarkdownDescription: "Creates a ConfigMap only if it does not exist, and changes or deletes it only if it is unchanged since the plan.",
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
				MarkdownDescription: "Name of the ConfigMap. Set exactly one of `name` and `generate_name`. A change replaces the resource.",
			},
			"generate_name": schema.StringAttribute{
				Optional: true, Computed: true,
				PlanModifiers: []planmodifier.String{keeps, stringplanmodifier.RequiresReplaceIfConfigured()},
				Validators:    []validator.String{validNamePrefix()},
				MarkdownDescription: "Prefix of the name. On create, the provider cuts it to 58 characters and appends five random ones. A change replaces " +
					"the resource.",
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
				MarkdownDescription: "All keys with text, and their values." + unmanaged + " Omit it if `cas_configmap_entry` or `cas_configmap_data` writes the keys.",
			},
			"binary_data": schema.MapAttribute{
				Optional: true, ElementType: types.StringType,
				Validators: []validator.Map{
					mapvalidator.NoNullValues(), mapvalidator.KeysAre(attributes.ValidKey()), mapvalidator.ValueStringsAre(attributes.ValidBase64()),
				},
				MarkdownDescription: "All keys with bytes, and their values in standard base64." + unmanaged,
			},
			"immutable": schema.BoolAttribute{
				Optional: true, Computed: true, Default: booldefault.StaticBool(false),
				MarkdownDescription: "Let the API server refuse changes of the values. A later change of `data`, `binary_data` or back to `false` replaces " +
					"the resource. Default: `false`.",
			},
			"on_drift": attributes.OnDrift("What an update does if somebody else changed, after the last apply, the parts that this resource manages. `warning` " +
				"(default) warns at plan and overwrites the change. `error` refuses to overwrite it or to delete the ConfigMap. `off` overwrites it silently."),
			"field_manager": schema.StringAttribute{
				Optional: true, Validators: attributes.ValidFieldManager(),
				MarkdownDescription: "Name of this writer in `managedFields`. Default: the provider's `field_manager`.",
			},
			"hide_values": schema.BoolAttribute{
				Optional: true, Computed: true, Default: booldefault.StaticBool(false),
				MarkdownDescription: "Show lengths and SHA-256 digests instead of values in diagnostics. A provider cannot see Terraform's `sensitive` " +
					"marks, so set it if values are sensitive. Default: `false`.",
			},
			"timeouts": attributes.Timeouts(ctx),

			"id": schema.StringAttribute{
				Computed: true, MarkdownDescription: "`namespace/name`, for example `shop/settings`.",
			},
			"resource_version": schema.StringAttribute{
				Computed:            true,
				MarkdownDescription: "`metadata.resourceVersion` of the ConfigMap after the last write or refresh.",
			},
			"uid": schema.StringAttribute{
				Computed: true, MarkdownDescription: "`metadata.uid` of the ConfigMap after the last write or refresh.",
			},
		},
	}
}

// ValidateConfig checks what no attribute can tell by itself. What is unknown yet is left to the API server.
func (*wholeResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	config, diags := wholeCodec().Decode(ctx, req.Config.Raw)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	textual, encoded := stringsOf(config.Data), stringsOf(config.BinaryData)
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
			resp.Diagnostics.Append(diagnose.TitleKeyInBothMaps.At(at, fmt.Sprintf("Attribute %s: the key must not be in data as well.", at)))
		}
		size += base64.StdEncoding.DecodedLen(len(encoded[key])) - strings.Count(encoded[key], "=")
	}
	if problems := attributes.SizeProblems(size); len(problems) > 0 {
		resp.Diagnostics.Append(diagnose.TitleConfigMapTooLarge.At(largest, fmt.Sprintf(
			"Attribute %s: the values of data and binary_data must have at most %d bytes together, not %d.", largest, cas.MaxSize, size)))
	}
	if err := validation.ValidateAnnotationsSize(stringsOf(config.Annotations)); err != nil {
		at := path.Root("annotations")
		resp.Diagnostics.Append(diagnose.TitleAnnotationsTooLarge.At(at, fmt.Sprintf("Attribute %s: %v.", at, err)))
	}
}

func validNamePrefix() validator.String {
	return attributes.Rule("the beginning of a ConfigMap's name (RFC 1123 subdomain)", diagnose.TitleInvalidNamePrefix, terms.NamePrefixProblems)
}

func validLabelKey() validator.String {
	return attributes.Rule("a label's key", diagnose.TitleInvalidLabelKey, utilvalidation.IsQualifiedName)
}

func validLabelValue() validator.String {
	return attributes.Rule("a label's value", diagnose.TitleInvalidLabelValue, utilvalidation.IsValidLabelValue)
}

func validAnnotationKey() validator.String {
	return attributes.Rule("an annotation's key", diagnose.TitleInvalidAnnotationKey, func(s string) []string {
		return utilvalidation.IsQualifiedName(strings.ToLower(s))
	})
}
