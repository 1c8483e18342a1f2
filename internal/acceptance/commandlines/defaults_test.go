package commandlines

import (
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// TestDefaultsOnTheCommandLine changes a default, which is an update that writes nothing.
func TestDefaultsOnTheCommandLine(t *testing.T) {
	p := fixture.NewCLIPipeline(t)
	p.Create("testmap", fixture.Data{})
	given := func(defaults, body string) { p.WriteFor(p.Kubeconfig, "defaults = { "+defaults+" }", body) }
	wants := func(attribute, want string) {
		if got := p.State()["foo"].Attributes[attribute]; got != want {
			t.Errorf("%s is %v, want %q", attribute, got, want)
		}
	}
	given(`deletion_policy = "abandon"`, fixture.EntryBlock("foo", `value = "1"`))
	p.Wants(p.Plan(), `deletion_policy = "abandon"`)
	p.Apply()
	p.PlanNothing()
	before := p.Live("testmap")
	given(`on_drift = "overwrite"`, fixture.EntryBlock("foo", `value = "1"`))
	p.Wants(p.Plan(), "0 to add, 1 to change, 0 to destroy")
	p.Apply()
	p.WantUnchanged(before)
	p.PlanNothing()
	wants("on_drift", "overwrite")
	wants("deletion_policy", "release")
}
