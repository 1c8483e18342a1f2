package data

import (
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// Given tainted keys, and a configuration with other keys and an expectation; when it is applied; then the tainted keys are
// removed at the version of the state, and the others are written. The needs of the create do not concern the removal.
func TestTaintedKeysThatGiveWayToOthersBesideAGuard(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{"guard": "up"})
	p.Planned(fixture.DataBlock("it", fixture.Deletes, `data = { foo = "1" }`))
	p.Do("taint", "cas_configmap_data.it")
	p.Planned(fixture.DataBlock("it", fixture.Deletes, `data = { baz = "1" }`, `expected_data = { guard = "up" }`))
	p.WantLive("testmap", fixture.Data{"guard": "up", "baz": "1"})
	p.PlanNothing()
}
