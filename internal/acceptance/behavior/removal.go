// Package behavior has what a key lives through alike, whether it is cas_configmap_entry's or cas_configmap_data's: a rehearsal that is refused, a wait, an
// import, a removal that restores, each way to say plan_check. The packages of these resources give it configurations.
//
// It knows ConfigMaps, and no type of resource but from what it is given; package fixture must not know it.
package behavior

import (
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// Restoration describes a ConfigMap whose keys are written and then restored.
type Restoration struct {
	Found       fixture.Contents
	Address, ID string // of an import that comes first; the id without the ConfigMap's
	Writes      []string
	Left        fixture.Contents // where it is not found that is left
	Unwritten   bool             // nor is it written once
}

// Run runs it.
func (r Restoration) Run(t *testing.T) {
	t.Helper()
	p := fixture.NewPipeline(t)
	p.Testmap(r.Found)
	before := p.Live("testmap")
	p.Write(r.Writes[0])
	if r.Address != "" {
		p.Do("import", r.Address, p.Namespace+"/testmap"+r.ID)
	}
	for _, body := range r.Writes {
		p.Planned(body)
	}
	p.Destroy()
	if r.Left.Data == nil {
		r.Left = r.Found
	}
	p.WantContents(r.Left)
	p.WantState()
	if r.Unwritten {
		p.WantUnchanged(before)
	}
}
