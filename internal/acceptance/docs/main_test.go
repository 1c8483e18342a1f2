// Package docs follows the guides, the examples and the stories, word by word and with real command lines.
//
// It knows what a reader sees, which is templates/ and examples/, and nothing inside the provider.
package docs

import (
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

func TestMain(m *testing.M) { fixture.Main(m) }
