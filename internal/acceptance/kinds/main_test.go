// Package kinds tests the behavior that all resources of ConfigMaps and Secrets share: what a write compares, what a plan reports about
// drift, and what two resources of one key do.
//
// It knows the protocol, HCL and both kinds, and nothing inside the provider.
package kinds

import (
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

func TestMain(m *testing.M) { fixture.Main(m) }
