package secret

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/planmodifier"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringdefault"
	"github.com/hashicorp/terraform-plugin-framework/resource/schema/stringplanmodifier"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/adapter"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/attributes"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/codec"
)

var _ adapter.Movable = (*wholeResource)(nil)

// NewSecret is cas_secret.
func NewSecret() resource.Resource {
	return &wholeResource{adapter.Whole{
		Type:  adapter.Type{Name: "secret", Kind: cas.Secret, Definition: wholeSchema},
		Codec: func() adapter.ObjectCodec { return objects{} },
	}}
}

// wholeResource is cas_secret.
type wholeResource struct {
	adapter.Whole
}

// wholeModel is the resource's schema as Go values.
type wholeModel struct {
	adapter.ObjectAttributes

	Type          types.String `tfsdk:"type"`
	DataWO        types.Map    `tfsdk:"data_wo"`
	BinaryDataWO  types.Map    `tfsdk:"binary_data_wo"`
	DataWOVersion types.Int64  `tfsdk:"data_wo_version"`
	Keys          types.List   `tfsdk:"keys"`
}

var wholeCodec = codec.Of[wholeModel](wholeSchema)

func wholeSchema(ctx context.Context) schema.Schema {
	return schema.Schema{
		MarkdownDescription: "Creates a Secret only if it does not exist, and changes or deletes it only if it is unchanged since the plan. No value is " +
			"stored in the state or the plan.",
		Attributes: attributes.OfWhole(ctx, cas.Secret, map[string]schema.Attribute{
			"type": schema.StringAttribute{
				Optional: true, Computed: true, Default: stringdefault.StaticString("Opaque"),
				PlanModifiers:       []planmodifier.String{stringplanmodifier.RequiresReplace()},
				MarkdownDescription: "Type of the Secret, such as `kubernetes.io/tls`. A change replaces the resource. Default: `Opaque`.",
			},
			"data_wo": writeOnlyMap("All keys with text, and their values. If you omit it and `binary_data_wo`, the resource does not manage the keys. An " +
				"empty map removes all of them. Omit it if `cas_secret_entry` or `cas_secret_data` writes the keys."),
			"binary_data_wo":  writeOnlyMap("All keys with bytes, and their values in standard base64. No key may be in both maps."),
			"data_wo_version": revision("`data_wo` and `binary_data_wo`", "Keys that you add to the maps or remove from them are written anyway. "),
			"immutable": attributes.Flag("Let the API server refuse changes of the values. A later write of values, or a change back to `false`, replaces the " +
				"resource. Default: `false`."),
			"keys": schema.ListAttribute{
				ElementType: types.StringType, Computed: true, MarkdownDescription: "All keys of the Secret after the last write or refresh, sorted.",
			},
		}),
	}
}

// ValidateConfig checks the write-only maps. Validators of the framework would point at them.
func (*wholeResource) ValidateConfig(ctx context.Context, req resource.ValidateConfigRequest, resp *resource.ValidateConfigResponse) {
	m, diags := wholeCodec().Decode(ctx, req.Config.Raw)
	resp.Diagnostics.Append(diags...)
	if resp.Diagnostics.HasError() {
		return
	}
	resp.Diagnostics.Append(invalidMaps("data_wo_version", "data_wo", "binary_data_wo", m.DataWO, m.BinaryDataWO, true)...)
	resp.Diagnostics.Append(attributes.InvalidAnnotations(m.Annotations)...)
}

// objects converts between the schema and an Object, whose values it never encodes.
type objects struct{}

// Decode implements [adapter.ObjectCodec].
func (objects) Decode(ctx context.Context, raw tftypes.Value) (adapter.Object, diag.Diagnostics) {
	m, diags := wholeCodec().Decode(ctx, raw)
	o := adapter.Object{
		ObjectAttributes: m.ObjectAttributes, Data: m.DataWO, BinaryData: m.BinaryDataWO,
		Type: m.Type, Revision: m.DataWOVersion, Keys: m.Keys,
	}
	o.Seal()
	return o, diags
}

// Encode implements [adapter.ObjectCodec].
func (objects) Encode(ctx context.Context, o adapter.Object, raw *tftypes.Value) diag.Diagnostics {
	null := types.MapNull(types.StringType)
	return wholeCodec().Encode(ctx, wholeModel{
		ObjectAttributes: o.ObjectAttributes, DataWO: null, BinaryDataWO: null,
		Type: o.Type, DataWOVersion: o.Revision, Keys: o.Keys,
	}, raw)
}
