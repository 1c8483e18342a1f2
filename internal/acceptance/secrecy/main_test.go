// Package secrecy tests the text that is printed, logged and stored: neither a credential nor a value that is hidden, nor one of a Secret.
//
// It knows the protocol, HCL and all places that a command line writes to, and nothing inside the provider. Other tests go the same ways, so the race
// detector has nothing to say about these.
package secrecy

import (
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

func TestMain(m *testing.M) { fixture.Main(m) }
