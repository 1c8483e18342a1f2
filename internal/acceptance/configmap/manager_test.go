package configmap

import (
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

func TestConfigMapFieldManager(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Planned(fixture.WholeBlock("all", `data = { foo = "1" }`, `field_manager = "mine"`))
	p.WantOwner("mine")
	p.Destroy()
}
