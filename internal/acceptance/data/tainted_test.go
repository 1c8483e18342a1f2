package data

import (
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// Given keys that are tainted, and a configuration with other keys that expects something of a key beside them; when it is applied; then the tainted ones
// are removed at the version that the state has, and the others are written: what the create needs says nothing of the removal.
func TestTaintedKeysThatGiveWayToOthersBesideAGuard(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{"guard": "up"})
	p.Planned(fixture.DataBlock("it", fixture.Deletes, `data = { foo = "1" }`))
	p.Do("taint", "cas_configmap_data.it")
	p.Planned(fixture.DataBlock("it", fixture.Deletes, `data = { baz = "1" }`, `expected_data = { guard = "up" }`))
	p.WantLive("testmap", fixture.Data{"guard": "up", "baz": "1"})
	p.PlanNothing()
}
