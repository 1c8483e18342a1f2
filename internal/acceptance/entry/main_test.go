// Package entry has the tests of cas_configmap_entry, one key of a ConfigMap.
//
// It knows the protocol, HCL and ConfigMaps, and nothing inside the provider. What all resources do alike is tested in package kinds.
package entry

import (
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

func TestMain(m *testing.M) { fixture.Main(m) }
