package secret

import (
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// The API server stores Opaque for an empty type, so each apply would replace the Secret.
func TestEmptyTypeIsRefused(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Write(fixture.SecretBlock(`type = ""`, `data_wo = { a = "1" }`))
	p.PlanRefused([]string{"Error: Missing Value", `Attribute type: must not be empty; leave it out, or set it to "Opaque".`})
	p.Planned(fixture.SecretBlock(`type = "Opaque"`, `data_wo = { a = "1" }`))
	p.PlanNothing()
}
