package provider

import (
	"context"
	"encoding/base64"
	"maps"
	"slices"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/resource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework-validators/mapvalidator"
	"github.com/hashicorp/terraform-plugin-framework/attr"
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

// configMapDataModel is the resource's schema as Go values.
type configMapDataModel struct {
	Namespace types.String `tfsdk:"namespace"`
	Name      types.String `tfsdk:"name"`

	Data                  types.Map    `tfsdk:"data"`
	BinaryData            types.Map    `tfsdk:"binary_data"`
	ExpectedData          types.Map    `tfsdk:"expected_data"`
	ExpectedBinaryData    types.Map    `tfsdk:"expected_binary_data"`
	ExpectedResourceVerWO types.String `tfsdk:"expected_resource_version_wo"`

	ConflictScope  types.String   `tfsdk:"conflict_scope"`
	WaitForMatch   types.String   `tfsdk:"wait_for_match"`
	AdoptExisting  types.Bool     `tfsdk:"adopt_existing"`
	DeletionPolicy types.String   `tfsdk:"deletion_policy"`
	FieldManager   types.String   `tfsdk:"field_manager"`
	HideValues     types.Bool     `tfsdk:"hide_values"`
	Timeouts       timeouts.Value `tfsdk:"timeouts"`

	ID              types.String `tfsdk:"id"`
	ResourceVersion types.String `tfsdk:"resource_version"`
	UID             types.String `tfsdk:"uid"`
	PreviousData    types.Map    `tfsdk:"previous_data"`
}

// configMapDataIdentity is the resource's identity. Its keys change with those of the resource.
type configMapDataIdentity struct {
	Namespace types.String `tfsdk:"namespace"`
	Name      types.String `tfsdk:"name"`
	Keys      types.List   `tfsdk:"keys"`
}

// dataCodec and dataIdentityCodec are made from the schema when they are first needed.
var (
	dataCodec = sync.OnceValue(func() *codec.Codec[configMapDataModel] {
		var resp resource.SchemaResponse
		(*configMapDataResource)(nil).Schema(context.Background(), resource.SchemaRequest{}, &resp)
		return codec.New[configMapDataModel](context.Background(), resp.Schema.Type())
	})
	dataIdentityCodec = sync.OnceValue(func() *codec.Codec[configMapDataIdentity] {
		var resp resource.IdentitySchemaResponse
		(*configMapDataResource)(nil).IdentitySchema(context.Background(), resource.IdentitySchemaRequest{}, &resp)
		return codec.New[configMapDataIdentity](context.Background(), resp.IdentitySchema.Type())
	})
)

func (m *configMapDataModel) ref() cas.Ref {
	return cas.Ref{Namespace: m.Namespace.ValueString(), Name: m.Name.ValueString()}
}

// keys are those that the maps name, which must be known, sorted. What they hold need not be.
func keysIn(of ...types.Map) (keys []string) {
	for _, m := range of {
		keys = slices.AppendSeq(keys, maps.Keys(m.Elements()))
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// keys are those that the resource shall have.
func (m *configMapDataModel) keys() []string { return keysIn(m.Data, m.BinaryData) }

func (m *configMapDataModel) setID() {
	m.ID = types.StringValue(terms.DataID{Ref: m.ref(), Keys: m.keys()}.String())
}

// identity goes by the id, in which also keys stand that vanished since.
func (m *configMapDataModel) identity() configMapDataIdentity {
	i := configMapDataIdentity{Namespace: m.Namespace, Name: m.Name, Keys: types.ListNull(types.StringType)}
	if id, err := terms.ParseDataID(m.ID.ValueString()); err == nil && len(id.Keys) > 0 {
		keys := make([]attr.Value, len(id.Keys))
		for n, key := range id.Keys {
			keys[n] = types.StringValue(key)
		}
		i.Keys = types.ListValueMust(types.StringType, keys)
	}
	return i
}

// entries is what the keys shall hold, or do. The schema has validated the base64.
func (m *configMapDataModel) entries() map[string]cas.Entry { return entriesFrom(m.Data, m.BinaryData) }

// expected is what the configuration says keys must hold.
func (m *configMapDataModel) expected() map[string]cas.Entry {
	return entriesFrom(m.ExpectedData, m.ExpectedBinaryData)
}

// entriesFrom has the absent entry where an element is null.
func entriesFrom(textual, encoded types.Map) map[string]cas.Entry {
	entries := map[string]cas.Entry{}
	for key, v := range textual.Elements() {
		entries[key] = entryFrom(stringOf(v), types.StringNull())
	}
	for key, v := range encoded.Elements() {
		entries[key] = entryFrom(types.StringNull(), stringOf(v))
	}
	return entries
}

func stringOf(v attr.Value) types.String {
	if s, ok := v.(types.String); ok {
		return s
	}
	return types.StringNull()
}

// setEntries puts live entries into data and binary_data, absent ones into neither.
func (m *configMapDataModel) setEntries(live map[string]cas.Entry) {
	textual, encoded := map[string]attr.Value{}, map[string]attr.Value{}
	for key, e := range live {
		if v, ok := e.Text(); ok {
			textual[key] = types.StringValue(v)
		} else if b, ok := e.Binary(); ok {
			encoded[key] = types.StringValue(base64.StdEncoding.EncodeToString(b))
		}
	}
	m.Data, m.BinaryData = stringMap(textual, m.Data), stringMap(encoded, m.BinaryData)
}

// stringMap is null where it has nothing, but stays the empty map that it was: {} may be what the configuration says.
func stringMap(values map[string]attr.Value, was types.Map) types.Map {
	switch {
	case len(values) > 0:
		return types.MapValueMust(types.StringType, values)
	case len(was.Elements()) == 0 && !was.IsUnknown():
		return was
	default:
		return types.MapNull(types.StringType)
	}
}

func (m *configMapDataModel) version() cas.Version {
	return cas.Version{UID: m.UID.ValueString(), ResourceVersion: m.ResourceVersion.ValueString()}
}

func (m *configMapDataModel) setVersion(v cas.Version) {
	m.UID, m.ResourceVersion = types.StringValue(v.UID), types.StringValue(v.ResourceVersion)
}

func (*configMapDataResource) IdentitySchema(_ context.Context, _ resource.IdentitySchemaRequest, resp *resource.IdentitySchemaResponse) {
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
			"keys": identityschema.ListAttribute{
				ElementType:       types.StringType,
				OptionalForImport: true,
				Description:       "Keys in the ConfigMap. Default: all that it has.",
			},
		},
	}
}

func (*configMapDataResource) Schema(ctx context.Context, _ resource.SchemaRequest, resp *resource.SchemaResponse) {
	of := func(values validator.String) []validator.Map {
		return []validator.Map{mapvalidator.KeysAre(attributes.ValidKey()), mapvalidator.ValueStringsAre(values)}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Several keys of an existing ConfigMap, written by compare-and-swap in one atomic request: all of them, while " +
			"every key, and by default the whole ConfigMap, is what the plan saw, or none.",
		Attributes: map[string]schema.Attribute{
			"namespace": attributes.Namespace(),
			"name": schema.StringAttribute{
				Required: true, PlanModifiers: []planmodifier.String{stringplanmodifier.RequiresReplace()}, Validators: []validator.String{attributes.ValidName()},
				MarkdownDescription: "Name of the ConfigMap, which must exist when the keys are written. A change replaces the resource.",
			},
			"data": schema.MapAttribute{
				ElementType: types.StringType, Optional: true, Validators: of(attributes.ValidValueSize()),
				MarkdownDescription: "Text that keys shall hold, in `data`. At least one key must be given here or in `binary_data`, and none in both. " +
					"What is not named is left alone; a key that is named no longer goes by `deletion_policy`.",
			},
			"binary_data": schema.MapAttribute{
				ElementType: types.StringType, Optional: true, Validators: of(attributes.ValidBase64()),
				MarkdownDescription: "Bytes that keys shall hold, in `binaryData`, as canonical standard base64. A key moves between the two maps in " +
					"one atomic request.",
			},
			"expected_data": schema.MapAttribute{
				ElementType: types.StringType, Optional: true, Validators: of(attributes.ValidValueSize()),
				MarkdownDescription: "Text that keys must hold, in `data`, for a write to happen; null for a key that must be absent. A key of `data` " +
					"or `binary_data` that is not named must be absent on create, and on update hold what the state says. A key that is named here " +
					"alone is a guard: compared, and never written. A plan that has no write to make checks nothing, and a key that is not " +
					"written is not held to its expectation, so it may stay in the configuration after the swap.",
			},
			"expected_binary_data": schema.MapAttribute{
				ElementType: types.StringType, Optional: true, Validators: of(attributes.ValidBase64()),
				MarkdownDescription: "Bytes that keys must hold, in `binaryData`, as canonical standard base64, as with `expected_data`. A key must be " +
					"named in one of the two at most.",
			},
			"expected_resource_version_wo": attributes.Pin(),
			"conflict_scope": attributes.Scope("What counts as a conflict on update and delete. `object` (default): any change to the ConfigMap since the " +
				"plan that this apply did not make itself. `key`: only a change to one of these keys, or to one that is expected to hold something."),
			"wait_for_match": attributes.Wait(path.MatchRoot("expected_resource_version_wo")),
			"adopt_existing": attributes.Flag(
				"Whether a key that already holds its value is taken over without a write, instead of an error. Default: `false`."),
			"deletion_policy": attributes.Policy("What destroying does with the keys, and an update with one that is named no longer: `delete` (default) " +
				"them, `restore` what each held before this resource first wrote it (after an import or adoption, what was found), or `abandon` " +
				"them as they are."),
			"field_manager": attributes.FieldManager(),
			"hide_values":   attributes.Hide("previous_data"),
			"timeouts":      attributes.Timeouts(ctx),

			"id": schema.StringAttribute{
				Computed: true, MarkdownDescription: "`namespace/name:key1,key2`, with the keys in order.",
			},
			"resource_version": attributes.ResourceVersion(),
			"uid":              attributes.UID(),
			"previous_data": schema.MapAttribute{
				ElementType: types.StringType, Computed: true,
				MarkdownDescription: "Text that each key held that the last write wrote or removed, as findAndModify returns the pre-image: null for one " +
					"that was absent or held binary data. Null where this resource has not written yet, as after an import.",
			},
		},
	}
}
