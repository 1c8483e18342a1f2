package secret

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
	"github.com/hashicorp/terraform-plugin-go/tftypes"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/adapter"
)

var _ adapter.Movable = (*wholeResource)(nil)

// NewSecret is cas_secret.
func NewSecret() resource.Resource {
	return &wholeResource{adapter.NewWhole("secret", cas.Secret, func() adapter.ObjectCodec { return objects{} })}
}

// wholeResource is cas_secret.
type wholeResource struct {
	adapter.Whole
}

// wholeModel is the resource's schema as Go values.
type wholeModel struct {
	adapter.Place
	adapter.Observed

	GenerateName  types.String `tfsdk:"generate_name"`
	Type          types.String `tfsdk:"type"`
	Labels        types.Map    `tfsdk:"labels"`
	Annotations   types.Map    `tfsdk:"annotations"`
	DataWO        types.Map    `tfsdk:"data_wo"`
	BinaryDataWO  types.Map    `tfsdk:"binary_data_wo"`
	DataWOVersion types.Int64  `tfsdk:"data_wo_version"`
	Immutable     types.Bool   `tfsdk:"immutable"`
	OnDrift       types.String `tfsdk:"on_drift"`
	Keys          types.List   `tfsdk:"keys"`
}

var wholeCodec = adapter.SchemaCodec[wholeModel](&wholeResource{})

// objects converts between the schema and an Object, whose values it never encodes.
type objects struct{}

// Decode implements [adapter.ObjectCodec].
func (objects) Decode(ctx context.Context, raw tftypes.Value) (adapter.Object, diag.Diagnostics) {
	m, diags := wholeCodec().Decode(ctx, raw)
	o := adapter.Object{
		Place: m.Place, Observed: m.Observed, GenerateName: m.GenerateName, Labels: m.Labels, Annotations: m.Annotations,
		Data: m.DataWO, BinaryData: m.BinaryDataWO, Immutable: m.Immutable, OnDrift: m.OnDrift,
		Type: m.Type, Revision: m.DataWOVersion, Keys: m.Keys,
	}
	o.Seal()
	return o, diags
}

// Encode implements [adapter.ObjectCodec].
func (objects) Encode(ctx context.Context, o adapter.Object, raw *tftypes.Value) diag.Diagnostics {
	null := types.MapNull(types.StringType)
	return wholeCodec().Encode(ctx, wholeModel{
		Place: o.Place, Observed: o.Observed, GenerateName: o.GenerateName, Labels: o.Labels, Annotations: o.Annotations,
		DataWO: null, BinaryDataWO: null, Immutable: o.Immutable, OnDrift: o.OnDrift,
		Type: o.Type, DataWOVersion: o.Revision, Keys: o.Keys,
	}, raw)
}
