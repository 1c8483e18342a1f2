// Package commandlines holds the driver to the real command lines: it compares the calls of each profile with the real calls. It also has the tests
// of the built provider in processes of their own: by hand, under a debugger, interrupted.
//
// It knows the protocol, HCL and what command lines print, and nothing inside the provider. The tested code runs in other processes, which the
// race detector does not see.
package commandlines

import (
	"os"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

func TestMain(m *testing.M) {
	if path := os.Getenv(recordTo); path != "" {
		serveRecorded(path)
		return
	}
	fixture.Main(m)
}
