// Package configmap has the tests of cas_configmap, a whole ConfigMap, and of entries in it.
//
// It knows the protocol, HCL and ConfigMaps, and nothing inside the provider. Package kinds tests the behavior that all resources share.
package configmap

import (
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

func TestMain(m *testing.M) { fixture.Main(m) }
