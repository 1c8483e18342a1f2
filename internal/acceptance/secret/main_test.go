// Package secret has the tests of cas_secret, cas_secret_entry and cas_secret_data, and of the ephemeral resources that read them.
//
// It knows the protocol, HCL and Secrets, and nothing inside the provider. Where values of Secrets must not be found is tested in package secrecy.
package secret

import (
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

func TestMain(m *testing.M) { fixture.Main(m) }
