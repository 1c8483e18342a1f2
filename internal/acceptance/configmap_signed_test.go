package acceptance_test

import (
	"slices"
	"strings"
	"testing"
)

// wantOwner fails the test unless managedFields of testmap say that just this manager wrote foo.
func (p *pipeline) wantOwner(want string) {
	p.Helper()
	var owners []string
	for _, m := range p.live("testmap").ManagedFields {
		if strings.Contains(m.FieldsV1.GetRawString(), `"f:foo"`) {
			owners = append(owners, m.Manager)
		}
	}
	if !slices.Equal(owners, []string{want}) {
		p.Errorf("%q own foo, want %s to", owners, want)
	}
}

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
