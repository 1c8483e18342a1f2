package acceptance_test

import (
	"testing"
)

func TestConfigMapSignsItsCreation(t *testing.T) {
	p := newPipeline(t)
	p.planned(wholeBlock("all", `data = { foo = "1" }`, `field_manager = "mine"`))
	p.wantOwner("mine")
	p.destroy()
}

func TestConfigMapDataSignsWithItsOwnFieldManager(t *testing.T) {
	p := newPipeline(t)
	p.create("testmap", data{"bar": "kept"})
	p.planned(dataBlock("foo", `data = { foo = "1" }`, `field_manager = "mine"`))
	p.wantOwner("mine")
}
