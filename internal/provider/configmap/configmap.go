package configmap

import (
	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/adapter"
)

var _ adapter.Movable = (*wholeResource)(nil)

// NewConfigMap is cas_configmap.
func NewConfigMap() resource.Resource { return newWholeResource() }

func newWholeResource() *wholeResource {
	return &wholeResource{adapter.NewWhole("configmap", cas.ConfigMap, func() adapter.ObjectCodec { return wholeCodec() })}
}

// wholeResource is cas_configmap.
type wholeResource struct {
	adapter.Whole
}

var wholeCodec = adapter.SchemaCodec[adapter.Object](&wholeResource{})
