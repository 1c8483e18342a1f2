package acceptance_test

import "testing"

// Given keys that are tainted, and a configuration with other keys that expects something of a key beside them; when it is applied; then the tainted ones
// are removed at the version that the state has, and the others are written: what the create needs says nothing of the removal.
func TestTaintedKeysThatGiveWayToOthersBesideAGuard(t *testing.T) {
	p := newPipeline(t)
	p.create("testmap", data{"guard": "up"})
	p.planned(dataBlock("it", `data = { foo = "1" }`))
	p.do("taint", "cas_configmap_data.it")
	p.planned(dataBlock("it", `data = { baz = "1" }`, `expected_data = { guard = "up" }`))
	p.wantLive("testmap", data{"guard": "up", "baz": "1"})
	p.planNothing()
}
