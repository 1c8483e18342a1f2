package source

import (
	"context"
	"encoding/base64"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
)

var _ datasource.DataSourceWithConfigure = (*wholeSource)(nil)

// NewConfigMapSource is the data source cas_configmap.
func NewConfigMapSource() datasource.DataSource { return &wholeSource{} }

// wholeSource is the data source cas_configmap.
type wholeSource struct {
	source
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

func (*wholeSource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_configmap"
}

func (*wholeSource) Schema(ctx context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	computedMap := func(description string) schema.Attribute {
		return schema.MapAttribute{
			Computed: true, ElementType: types.StringType,
			MarkdownDescription: description + " Empty if it has none; null if there is no ConfigMap.",
		}
	}
	resp.Schema = schema.Schema{
		MarkdownDescription: "Reads a ConfigMap, or says that it does not exist.",
		Attributes: sourceAttributes(ctx,
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

func (d *wholeSource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	m, diags := wholeSourceCodec().Decode(ctx, req.Config.Raw)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	seen, diags := d.observe(ctx, &m.sourceModel, "")
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	textual, encoded := map[string]string{}, map[string]string{}
	for key, e := range seen.Entries() {
		if v, ok := e.Text(); ok {
			textual[key] = v
		} else if b, ok := e.Binary(); ok {
			encoded[key] = base64.StdEncoding.EncodeToString(b)
		}
	}
	m.ID = types.StringValue(cas.Ref{Namespace: m.Namespace.ValueString(), Name: m.Name.ValueString()}.String())
	m.Exists = types.BoolValue(seen.Exists())
	m.Data, m.BinaryData = mapSeen(seen, textual), mapSeen(seen, encoded)
	m.Labels, m.Annotations = mapSeen(seen, seen.Labels()), mapSeen(seen, seen.Annotations())
	m.Immutable = types.BoolNull()
	if seen.Exists() {
		m.Immutable = types.BoolValue(seen.Immutable())
	}
	resp.Diagnostics.Append(wholeSourceCodec().Encode(ctx, m, &resp.State.Raw)...)
}
