// Package entry has the tests of cas_configmap_entry, one key of a ConfigMap.
//
// It knows the protocol, HCL and ConfigMaps, and nothing inside the provider. Package kinds tests the behaviour that
// all resources share.
package entry

import (
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

func TestMain(m *testing.M) { fixture.Main(m) }
