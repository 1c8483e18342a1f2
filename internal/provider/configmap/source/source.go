// Package source has the data sources of ConfigMaps. They say what is there; resources are package configmap's.
package source

import (
	"context"
	"maps"
	"time"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/datasource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/attr"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/adapter"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/codec"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// source implements the data sources.
type source[M any, P adapter.FoundModel[M]] struct {
	adapter.Finder[M, P]

	name   string // as it follows the provider's
	schema func(context.Context) schema.Schema
}

func newSource[M any, P adapter.FoundModel[M]](name string, of func(context.Context) schema.Schema, models func() *codec.Codec[M]) datasource.DataSourceWithConfigure {
	return &source[M, P]{adapter.Finder[M, P]{Noun: "data source", Kind: cas.ConfigMap, Codec: models}, name, of}
}

// Metadata implements [datasource.DataSource].
func (s *source[M, P]) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_" + s.name
}

// Schema implements [datasource.DataSource].
func (s *source[M, P]) Schema(ctx context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = s.schema(ctx)
}

// Configure implements [datasource.DataSourceWithConfigure].
func (s *source[M, P]) Configure(_ context.Context, req datasource.ConfigureRequest, resp *datasource.ConfigureResponse) {
	resp.Diagnostics.Append(s.Connect(req.ProviderData)...)
}

// Read implements [datasource.DataSource]. If the provider's configuration is unknown and the client allows it, the framework has deferred
// the read already.
func (s *source[M, P]) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	resp.Diagnostics.Append(s.Find(ctx, req.Config.Raw, &resp.State.Raw)...)
}

// sourceModel holds the attributes that all data sources share.
type sourceModel struct {
	adapter.Found

	Timeouts timeouts.Value `tfsdk:"timeouts"`
	Managers types.List     `tfsdk:"managers"`
}

// Timeout implements [adapter.FoundModel].
func (m *sourceModel) Timeout(ctx context.Context) (time.Duration, diag.Diagnostics) {
	return m.Timeouts.Read(ctx, terms.DefaultTimeout)
}

// sourceAttributes is the schema of sourceModel, with others added.
func sourceAttributes(exists, resourceVersion string, others map[string]schema.Attribute) map[string]schema.Attribute {
	all := map[string]schema.Attribute{
		"namespace": schema.StringAttribute{
			Optional: true, Computed: true, Validators: []validator.String{attributes.ValidNamespace()},
			MarkdownDescription: "Namespace of the ConfigMap. Default: `default`.",
		},
		"name": schema.StringAttribute{
			Required: true, Validators: []validator.String{attributes.ValidName(cas.ConfigMap)},
			MarkdownDescription: "Name of the ConfigMap. It need not exist.",
		},
		"timeouts": schema.SingleNestedAttribute{
			Optional: true, CustomType: timeouts.Type{ObjectType: types.ObjectType{AttrTypes: map[string]attr.Type{"read": types.StringType}}},
			Attributes: map[string]schema.Attribute{"read": schema.StringAttribute{
				Optional: true, Validators: []validator.String{attributes.ValidTimeout()},
				Description: "Time limit of the read, such as `30s` or `2m`. Default: `1m`.",
			}},
		},
		"exists":           schema.BoolAttribute{Computed: true, MarkdownDescription: exists},
		"uid":              schema.StringAttribute{Computed: true, MarkdownDescription: "`metadata.uid` of the ConfigMap. Null if there is no ConfigMap."},
		"resource_version": schema.StringAttribute{Computed: true, MarkdownDescription: resourceVersion},
		"managers":         managersAttribute(),
	}
	maps.Copy(all, others)
	return all
}

var managerType = map[string]attr.Type{"manager": types.StringType, "operation": types.StringType, "time": types.StringType}

func managersAttribute() schema.Attribute {
	return schema.ListNestedAttribute{
		Computed: true,
		MarkdownDescription: "Writers of the ConfigMap according to its `managedFields`, which do not record removals. Null if there is no " +
			"ConfigMap.",
		NestedObject: schema.NestedAttributeObject{Attributes: map[string]schema.Attribute{
			"manager":   schema.StringAttribute{Computed: true, MarkdownDescription: "Name of the field manager."},
			"operation": schema.StringAttribute{Computed: true, MarkdownDescription: "`Update`, or `Apply` for server-side apply."},
			"time": schema.StringAttribute{
				Computed: true, MarkdownDescription: "Time of its last write to any field: RFC 3339, in seconds, UTC.",
			},
		}},
	}
}

// managersOf is the value of managersAttribute.
func managersOf(o *cas.Observation) types.List {
	element := types.ObjectType{AttrTypes: managerType}
	if !o.Exists() {
		return types.ListNull(element)
	}
	all := []attr.Value{}
	for _, w := range o.Writers() {
		at := types.StringNull()
		if !w.Time.IsZero() {
			at = types.StringValue(w.Time.Format(time.RFC3339))
		}
		all = append(all, types.ObjectValueMust(managerType, map[string]attr.Value{
			"manager": types.StringValue(w.Manager), "operation": types.StringValue(w.Operation), "time": at,
		}))
	}
	return types.ListValueMust(element, all)
}

// mapSeen converts a map. It is null without a ConfigMap, and only then.
func mapSeen(o *cas.Observation, of map[string]string) types.Map {
	if !o.Exists() {
		return types.MapNull(types.StringType)
	}
	all := map[string]string{} // not null
	maps.Copy(all, of)
	return adapter.MapOf(all)
}

// NewConfigMapSource is the data source cas_configmap.
func NewConfigMapSource() datasource.DataSource {
	return newSource("configmap", wholeSourceSchema, wholeSourceCodec)
}

// wholeSourceModel is the data source's schema as Go values.
type wholeSourceModel struct {
	sourceModel

	ID          types.String `tfsdk:"id"`
	Data        types.Map    `tfsdk:"data"`
	BinaryData  types.Map    `tfsdk:"binary_data"`
	Labels      types.Map    `tfsdk:"labels"`
	Annotations types.Map    `tfsdk:"annotations"`
	Immutable   types.Bool   `tfsdk:"immutable"`
}

var wholeSourceCodec = codec.Of[wholeSourceModel](wholeSourceSchema)

func wholeSourceSchema(context.Context) schema.Schema {
	computedMap := func(description string) schema.Attribute {
		return schema.MapAttribute{
			Computed: true, ElementType: types.StringType,
			MarkdownDescription: description + " Empty if it has none; null if there is no ConfigMap.",
		}
	}
	return schema.Schema{
		MarkdownDescription: "Reads a ConfigMap, or says that it does not exist.",
		Attributes: sourceAttributes(
			"Whether the ConfigMap exists.",
			"`resourceVersion` of the ConfigMap, for `expected_resource_version_wo`. Null if there is no ConfigMap.",
			map[string]schema.Attribute{
				"id": schema.StringAttribute{
					Computed: true, MarkdownDescription: "`namespace/name`, for example `shop/settings`.",
				},
				"data":        computedMap("Keys with text, and their values."),
				"binary_data": computedMap("Keys with bytes, and their values in base64."),
				"labels":      computedMap("Labels of the ConfigMap."),
				"annotations": computedMap("Annotations of the ConfigMap."),
				"immutable": schema.BoolAttribute{
					Computed: true, MarkdownDescription: "Whether the API server refuses changes of the values. Null if there is no ConfigMap.",
				},
			}),
	}
}

// Fill implements [adapter.FoundModel].
func (m *wholeSourceModel) Fill(seen *cas.Observation) {
	m.Managers = managersOf(seen)
	m.ID = types.StringValue(cas.Ref{Namespace: m.Namespace.ValueString(), Name: m.Name.ValueString()}.String())
	texts, others := adapter.MapsOf(seen.Entries())
	m.Data, m.BinaryData = mapSeen(seen, texts), mapSeen(seen, others)
	m.Labels, m.Annotations = mapSeen(seen, seen.Labels()), mapSeen(seen, seen.Annotations())
	if seen.Exists() {
		m.Immutable = types.BoolValue(seen.Immutable())
	}
}

// NewEntrySource is the data source cas_configmap_entry.
func NewEntrySource() datasource.DataSource {
	return newSource("configmap_entry", entrySourceSchema, entrySourceCodec)
}

// entrySourceModel is the data source's schema as Go values.
type entrySourceModel struct {
	sourceModel
	adapter.FoundEntry
}

var entrySourceCodec = codec.Of[entrySourceModel](entrySourceSchema)

func entrySourceSchema(context.Context) schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Reads one key of a ConfigMap, or says that it does not exist.",
		Attributes: sourceAttributes(
			"Whether the key exists. `false` if the ConfigMap does not exist.",
			"`resourceVersion` of the ConfigMap, for `expected_resource_version_wo`, also if only the key is absent. Null if there is no "+
				"ConfigMap.",
			map[string]schema.Attribute{
				"key": schema.StringAttribute{
					Required: true, Validators: []validator.String{attributes.ValidKey(cas.ConfigMap)},
					MarkdownDescription: attributes.KeyDescription(cas.ConfigMap),
				},
				"value": schema.StringAttribute{
					Computed: true, MarkdownDescription: "Text of the key. Null if the key is absent or holds binary data.",
				},
				"value_base64": schema.StringAttribute{
					Computed:            true,
					MarkdownDescription: "Bytes of the key, in base64. Null if the key is absent or holds text.",
				},
			}),
	}
}

// Fill implements [adapter.FoundModel].
func (m *entrySourceModel) Fill(seen *cas.Observation) {
	m.Managers = managersOf(seen)
	live := seen.Entry(m.Key.ValueString())
	m.Exists = types.BoolValue(!live.IsAbsent())
	m.Value, m.ValueBase64 = adapter.ValuesOf(live)
}
