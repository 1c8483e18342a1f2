// Package sizes has the tests of values of a MiB, which is the most that an object may hold, and of a hundred keys at a time.
//
// It knows the protocol and HCL, and nothing inside the provider. Other tests go the same ways, so the race detector has nothing to say about these, and
// it looks at each byte.
package sizes

import (
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

func TestMain(m *testing.M) { fixture.Main(m) }
