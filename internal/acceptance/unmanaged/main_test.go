// Package unmanaged has the tests of all that is not a managed resource: the action cas_configmap_swap, the lists and the data sources.
//
// It knows the protocol, HCL and ConfigMaps, and nothing inside the provider.
package unmanaged

import (
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

func TestMain(m *testing.M) { fixture.Main(m) }
