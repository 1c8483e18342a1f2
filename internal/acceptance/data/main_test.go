// Package data has the tests of cas_configmap_data, several keys of a ConfigMap.
//
// It knows the protocol, HCL and ConfigMaps, and nothing inside the provider. Package kinds tests the behavior that all resources share.
package data

import (
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

func TestMain(m *testing.M) { fixture.Main(m) }
