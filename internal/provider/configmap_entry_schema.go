package provider

import (
	"context"
	"encoding/base64"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/stringvalidator"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/identityschema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/codec"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// configMapEntryModel is the resource's schema as Go values.
type configMapEntryModel struct {
	Namespace types.String `tfsdk:"namespace"`
	Name      types.String `tfsdk:"name"`
	Key       types.String `tfsdk:"key"`

	Value                 types.String `tfsdk:"value"`
	ValueBase64           types.String `tfsdk:"value_base64"`
	ExpectedValue         types.String `tfsdk:"expected_value"`
	ExpectedValueBase64   types.String `tfsdk:"expected_value_base64"`
	ExpectedResourceVerWO types.String `tfsdk:"expected_resource_version_wo"`

	ConflictScope  types.String   `tfsdk:"conflict_scope"`
	WaitForMatch   types.String   `tfsdk:"wait_for_match"`
	AdoptExisting  types.Bool     `tfsdk:"adopt_existing"`
	DeletionPolicy types.String   `tfsdk:"deletion_policy"`
	FieldManager   types.String   `tfsdk:"field_manager"`
	HideValue      types.Bool     `tfsdk:"hide_value"`
	Timeouts       timeouts.Value `tfsdk:"timeouts"`

	ID              types.String `tfsdk:"id"`
	ResourceVersion types.String `tfsdk:"resource_version"`
	UID             types.String `tfsdk:"uid"`
	PreviousValue   types.String `tfsdk:"previous_value"`
}

// configMapEntryIdentity is the resource's identity.
type configMapEntryIdentity struct {
	Namespace types.String `tfsdk:"namespace"`
	Name      types.String `tfsdk:"name"`
	Key       types.String `tfsdk:"key"`
}

// entryCodec and identityCodec are made from the schema when they are first needed.
var (
	entryCodec = sync.OnceValue(func() *codec.Codec[configMapEntryModel] {
		var resp resource.SchemaResponse
		(*configMapEntryResource)(nil).Schema(context.Background(), resource.SchemaRequest{}, &resp)
		return codec.New[configMapEntryModel](context.Background(), resp.Schema.Type())
	})
	identityCodec = sync.OnceValue(func() *codec.Codec[configMapEntryIdentity] {
		var resp resource.IdentitySchemaResponse
		(*configMapEntryResource)(nil).IdentitySchema(context.Background(), resource.IdentitySchemaRequest{}, &resp)
		return codec.New[configMapEntryIdentity](context.Background(), resp.IdentitySchema.Type())
	})
)

func (m *configMapEntryModel) entryID() terms.EntryID {
	return terms.EntryID{Ref: cas.Ref{Namespace: m.Namespace.ValueString(), Name: m.Name.ValueString()}, Key: m.Key.ValueString()}
}

func (m *configMapEntryModel) identity() configMapEntryIdentity {
	return configMapEntryIdentity{Namespace: m.Namespace, Name: m.Name, Key: m.Key}
}

// entry is what the key shall hold. The schema has validated the base64.
func (m *configMapEntryModel) entry() cas.Entry { return entryFrom(m.Value, m.ValueBase64) }

// expected is what the configuration says the key must hold, absent where it says nothing.
func (m *configMapEntryModel) expected() cas.Entry {
	return entryFrom(m.ExpectedValue, m.ExpectedValueBase64)
}

func entryFrom(textual, encoded types.String) cas.Entry {
	if !textual.IsNull() {
		return cas.Text(textual.ValueString())
	}
	if !encoded.IsNull() {
		b, err := base64.StdEncoding.DecodeString(encoded.ValueString())
		if err == nil {
			return cas.Binary(b)
		}
	}
	return cas.Entry{}
}

// setEntry puts a live entry into value or value_base64.
func (m *configMapEntryModel) setEntry(e cas.Entry) {
	m.Value, m.ValueBase64 = entryValues(e)
}

// entryValues is an entry as value and value_base64.
func entryValues(e cas.Entry) (textual, encoded types.String) {
	textual, encoded = types.StringNull(), types.StringNull()
	if v, ok := e.Text(); ok {
		textual = types.StringValue(v)
	} else if b, ok := e.Binary(); ok {
		encoded = types.StringValue(base64.StdEncoding.EncodeToString(b))
	}
	return textual, encoded
}

func (m *configMapEntryModel) version() cas.Version {
	return cas.Version{UID: m.UID.ValueString(), ResourceVersion: m.ResourceVersion.ValueString()}
}

func (m *configMapEntryModel) setVersion(v cas.Version) {
	m.UID, m.ResourceVersion = types.StringValue(v.UID), types.StringValue(v.ResourceVersion)
}

func (*configMapEntryResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
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

func (*configMapEntryResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
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
