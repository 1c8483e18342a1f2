// Package kinds has the tests of what all resources do alike, of ConfigMaps and of Secrets: how a write is bound to its plan, what a plan says of drift,
// what two resources of one key do.
//
// It knows the protocol, HCL and both kinds, and nothing inside the provider.
package kinds

import (
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

func TestMain(m *testing.M) { fixture.Main(m) }
