package provider

import (
	"context"
	"encoding/base64"
	"fmt"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
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

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/codec"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// configMapModel is the resource's schema as Go values.
type configMapModel struct {
	Namespace    types.String `tfsdk:"namespace"`
	Name         types.String `tfsdk:"name"`
	GenerateName types.String `tfsdk:"generate_name"`

	Labels      types.Map  `tfsdk:"labels"`
	Annotations types.Map  `tfsdk:"annotations"`
	Data        types.Map  `tfsdk:"data"`
	BinaryData  types.Map  `tfsdk:"binary_data"`
	Immutable   types.Bool `tfsdk:"immutable"`

	FieldManager types.String   `tfsdk:"field_manager"`
	HideValues   types.Bool     `tfsdk:"hide_values"`
	Timeouts     timeouts.Value `tfsdk:"timeouts"`

	ID              types.String `tfsdk:"id"`
	ResourceVersion types.String `tfsdk:"resource_version"`
	UID             types.String `tfsdk:"uid"`
}

// configMapIdentity is the resource's identity.
type configMapIdentity struct {
	Namespace types.String `tfsdk:"namespace"`
	Name      types.String `tfsdk:"name"`
}

// configMapCodec and configMapIdentityCodec are made from the schema when they are first needed.
var (
	configMapCodec = sync.OnceValue(func() *codec.Codec[configMapModel] {
		var resp resource.SchemaResponse
		(*configMapResource)(nil).Schema(context.Background(), resource.SchemaRequest{}, &resp)
		return codec.New[configMapModel](context.Background(), resp.Schema.Type())
	})
	configMapIdentityCodec = sync.OnceValue(func() *codec.Codec[configMapIdentity] {
		var resp resource.IdentitySchemaResponse
		(*configMapResource)(nil).IdentitySchema(context.Background(), resource.IdentitySchemaRequest{}, &resp)
		return codec.New[configMapIdentity](context.Background(), resp.IdentitySchema.Type())
	})
)

func (m *configMapModel) ref() cas.Ref {
	return cas.Ref{Namespace: m.Namespace.ValueString(), Name: m.Name.ValueString()}
}

func (m *configMapModel) refKnown() bool { return known(m.Namespace, m.Name) }

func (m *configMapModel) identity() configMapIdentity {
	return configMapIdentity{Namespace: m.Namespace, Name: m.Name}
}

func (m *configMapModel) version() cas.Version {
	return cas.Version{UID: m.UID.ValueString(), ResourceVersion: m.ResourceVersion.ValueString()}
}

// setRef names the ConfigMap.
func (m *configMapModel) setRef(ref cas.Ref) {
	m.Namespace, m.Name, m.ID = types.StringValue(ref.Namespace), types.StringValue(ref.Name), types.StringValue(ref.String())
}

func (m *configMapModel) setVersion(v cas.Version) {
	m.UID, m.ResourceVersion = types.StringValue(v.UID), types.StringValue(v.ResourceVersion)
}

// entries is what data and binary_data hold. The schema has validated the base64.
func (m *configMapModel) entries() map[string]cas.Entry {
	all := map[string]cas.Entry{}
	for key, value := range stringsOf(m.Data) {
		all[key] = cas.Text(value)
	}
	for key, value := range stringsOf(m.BinaryData) {
		if b, err := base64.StdEncoding.DecodeString(value); err == nil {
			all[key] = cas.Binary(b)
		}
	}
	return all
}

// contentKnown tells whether all is known that a write would write.
func (m *configMapModel) contentKnown() bool {
	return mapKnown(m.Labels) && mapKnown(m.Annotations) && mapKnown(m.Data) && mapKnown(m.BinaryData) && !m.Immutable.IsUnknown()
}

// mapKnown tells whether a map is known with all its values.
func mapKnown(m types.Map) bool {
	if m.IsUnknown() {
		return false
	}
	for _, value := range m.Elements() {
		if value.IsUnknown() {
			return false
		}
	}
	return true
}

// stringsOf is what a map of strings holds, nil for a null one. What is unknown or null in it is left out.
func stringsOf(m types.Map) map[string]string {
	if m.IsNull() || m.IsUnknown() {
		return nil
	}
	all := make(map[string]string, len(m.Elements()))
	for key, value := range m.Elements() {
		if s, ok := value.(types.String); ok && !s.IsNull() && !s.IsUnknown() {
			all[key] = s.ValueString()
		}
	}
	return all
}

// mapOf is the reverse of stringsOf.
func mapOf(all map[string]string) types.Map {
	if all == nil {
		return types.MapNull(types.StringType)
	}
	values := make(map[string]attr.Value, len(all))
	for key, value := range all {
		values[key] = types.StringValue(value)
	}
	return types.MapValueMust(types.StringType, values)
}

func (*configMapResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
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

func (*configMapResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
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
