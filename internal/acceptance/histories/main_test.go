// Package histories runs random histories on the driver and on a small model of DESIGN.md's rules, and compares verdicts, states and live objects.
// A failure is reported step by step.
//
// The model knows those rules, and nothing of the provider, of the driver or of Kubernetes.
package histories

import (
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

func TestMain(m *testing.M) { fixture.Main(m) }
