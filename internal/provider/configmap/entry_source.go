package configmap

import (
	"context"
	"sync"

	"github.com/hashicorp/terraform-plugin-framework-timeouts/datasource/timeouts"
	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/datasource/schema"
	"github.com/hashicorp/terraform-plugin-framework/schema/validator"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/codec"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

var (
	_ datasource.DataSource              = (*entrySource)(nil)
	_ datasource.DataSourceWithConfigure = (*entrySource)(nil)
)

// NewEntrySource is the data source cas_configmap_entry.
func NewEntrySource() datasource.DataSource { return &entrySource{} }

// entrySource is the data source cas_configmap_entry.
type entrySource struct {
	source
}

// entrySourceModel is the data source's schema as Go values.
type entrySourceModel struct {
	Namespace types.String   `tfsdk:"namespace"`
	Name      types.String   `tfsdk:"name"`
	Key       types.String   `tfsdk:"key"`
	Timeouts  timeouts.Value `tfsdk:"timeouts"`

	Exists          types.Bool   `tfsdk:"exists"`
	Value           types.String `tfsdk:"value"`
	ValueBase64     types.String `tfsdk:"value_base64"`
	UID             types.String `tfsdk:"uid"`
	ResourceVersion types.String `tfsdk:"resource_version"`
	Managers        types.List   `tfsdk:"managers"`
}

var entrySourceCodec = sync.OnceValue(func() *codec.Codec[entrySourceModel] {
	var resp datasource.SchemaResponse
	(*entrySource)(nil).Schema(context.Background(), datasource.SchemaRequest{}, &resp)
	return codec.New[entrySourceModel](context.Background(), resp.Schema.Type())
})

func (*entrySource) Metadata(_ context.Context, req datasource.MetadataRequest, resp *datasource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_configmap_entry"
}

func (*entrySource) Schema(ctx context.Context, _ datasource.SchemaRequest, resp *datasource.SchemaResponse) {
	resp.Schema = schema.Schema{
		MarkdownDescription: "What one key of a ConfigMap holds. That it is absent is no error: a configuration can branch on `exists`.",
		Attributes: map[string]schema.Attribute{
			"namespace": namespaceArgument(),
			"name": schema.StringAttribute{
				Required: true, Validators: []validator.String{attributes.ValidName()},
				MarkdownDescription: "Name of the ConfigMap, which need not exist.",
			},
			"key": schema.StringAttribute{
				Required: true, Validators: []validator.String{attributes.ValidKey()},
				MarkdownDescription: "Key in the ConfigMap: 1 to 253 of `[-._a-zA-Z0-9]`, not `.` and nothing that begins with `..`.",
			},
			"timeouts": readTimeoutsAttribute(ctx),
			"exists": schema.BoolAttribute{
				Computed: true, MarkdownDescription: "Whether there is such a key. `false` too where there is no such ConfigMap.",
			},
			"value": schema.StringAttribute{
				Computed: true, MarkdownDescription: "Text that the key holds, in `data`. Null where it is absent, or holds binary data.",
			},
			"value_base64": schema.StringAttribute{
				Computed:            true,
				MarkdownDescription: "Bytes that the key holds, in `binaryData`, as base64. Null where it is absent, or holds text.",
			},
			"uid": schema.StringAttribute{
				Computed: true, MarkdownDescription: "Uid of the ConfigMap. Null where there is none.",
			},
			"resource_version": schema.StringAttribute{
				Computed: true,
				MarkdownDescription: "`resourceVersion` of the ConfigMap, for `expected_resource_version_wo`. Null where there is no ConfigMap; where " +
					"only the key is absent, it is that of the ConfigMap without it.",
			},
			"managers": managersAttribute(),
		},
	}
}

func (d *entrySource) Read(ctx context.Context, req datasource.ReadRequest, resp *datasource.ReadResponse) {
	m, diags := entrySourceCodec().Decode(ctx, req.Config.Raw)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	m.Namespace = namespaceOf(m.Namespace)
	id := terms.EntryID{Ref: cas.Ref{Namespace: m.Namespace.ValueString(), Name: m.Name.ValueString()}, Key: m.Key.ValueString()}
	seen, diags := d.observe(ctx, id, m.Timeouts)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	live := seen.Entry(id.Key)
	m.Exists = types.BoolValue(!live.IsAbsent())
	m.Value, m.ValueBase64 = entryValues(live)
	m.UID, m.ResourceVersion = versionOf(seen)
	m.Managers = managersOf(seen)
	resp.Diagnostics.Append(entrySourceCodec().Encode(ctx, m, &resp.State.Raw)...)
}
