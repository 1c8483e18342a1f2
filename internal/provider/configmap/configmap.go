package configmap

import (
	"context"

	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/terraform-cas/terraform-provider-cas/internal/provider/adapter"
)

var (
	_ adapter.Resource                    = (*wholeResource)(nil)
	_ resource.ResourceWithMoveState      = (*wholeResource)(nil)
	_ resource.ResourceWithValidateConfig = (*wholeResource)(nil)
)

// NewConfigMap is cas_configmap.
func NewConfigMap() resource.Resource {
	return &wholeResource{adapter.Whole{Codec: func() adapter.ObjectCodec { return wholeCodec() }}}
}

// wholeResource is cas_configmap.
type wholeResource struct {
	adapter.Whole
}

var wholeCodec = adapter.SchemaCodec[adapter.Object](&wholeResource{})

func (*wholeResource) Metadata(_ context.Context, req resource.MetadataRequest, resp *resource.MetadataResponse) {
	resp.TypeName = req.ProviderTypeName + "_configmap"
}
