package source

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/adapter"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
)

var _ datasource.DataSourceWithConfigure = (*entrySource)(nil)

// NewEntrySource is the data source cas_configmap_entry.
func NewEntrySource() datasource.DataSource {
	return &entrySource{newSource("configmap_entry", entrySourceCodec)}
}

// entrySource is the data source cas_configmap_entry.
type entrySource struct {
	source[entrySourceModel, *entrySourceModel]
}

// entrySourceModel is the data source's schema as Go values.
type entrySourceModel struct {
	sourceModel

	Key         types.String `tfsdk:"key"`
	Value       types.String `tfsdk:"value"`
	ValueBase64 types.String `tfsdk:"value_base64"`
}

var entrySourceCodec = sourceCodec[entrySourceModel](&entrySource{})

func (*entrySource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads one key of a ConfigMap, or says that it does not exist.",
		Attributes: sourceAttributes(
			"Whether the key exists. `false` if the ConfigMap does not exist.",
			"`resourceVersion` of the ConfigMap, for `expected_resource_version_wo`, also if only the key is absent. Null if there is no "+
				"ConfigMap.",
			map[string]schema.Attribute{
				"key": schema.StringAttribute{
					Required: true, Validators: []validator.String{attributes.ValidKey(cas.ConfigMap)},
					MarkdownDescription: "Key in the ConfigMap: 1 to 253 characters of `[-._a-zA-Z0-9]`. It must not be `.` or begin with `..`.",
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

// About implements [adapter.FoundModel].
func (m *entrySourceModel) About() string { return m.Key.ValueString() }

// Fill implements [adapter.FoundModel].
func (m *entrySourceModel) Fill(seen *cas.Observation) {
	m.Managers = managersOf(seen)
	live := seen.Entry(m.Key.ValueString())
	m.Exists = types.BoolValue(!live.IsAbsent())
	m.Value, m.ValueBase64 = adapter.ValuesOf(live)
}
