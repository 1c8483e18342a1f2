// Package counter has the tests of cas_configmap_counter, which takes numbers.
//
// It knows the protocol, HCL and ConfigMaps, and nothing inside the provider.
package counter

import (
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

func TestMain(m *testing.M) { fixture.Main(m) }
