package source

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/adapter"
)

var _ datasource.DataSourceWithConfigure = (*wholeSource)(nil)

// NewConfigMapSource is the data source cas_configmap.
func NewConfigMapSource() datasource.DataSource {
	return &wholeSource{newSource("configmap", wholeSourceCodec)}
}

// wholeSource is the data source cas_configmap.
type wholeSource struct {
	source[wholeSourceModel, *wholeSourceModel]
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

var wholeSourceCodec = sourceCodec[wholeSourceModel](&wholeSource{})

func (*wholeSource) Schema(_ context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	computedMap := func(description string) schema.Attribute {
		return schema.MapAttribute{
			Computed: true, ElementType: types.StringType,
			MarkdownDescription: description + " Empty if it has none; null if there is no ConfigMap.",
		}
	}
	resp.Schema = schema.Schema{
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
