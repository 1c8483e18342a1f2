package commandlines

import (
	"fmt"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// TestDefaultsOnTheCommandLine: a change of a default is an update that writes nothing; one that is not known yet keeps what does not change, and is known when
// the rest is applied.
func TestDefaultsOnTheCommandLine(t *testing.T) {
	p := fixture.NewCLIPipeline(t)
	p.Create("testmap", fixture.Data{})
	given := func(defaults, body string) { p.WriteFor(p.Kubeconfig, "defaults = { "+defaults+" }", body) }
	unknown := func(revision int, value string) {
		given(`on_drift = terraform_data.drift.output`, fmt.Sprintf("resource \"terraform_data\" \"drift\" {\n  input = \"error\"\n  triggers_replace = [%d]\n}\n", revision)+
			fixture.EntryBlock("foo", "value = "+fixture.Quoted(value)))
	}
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

	unknown(1, "1")
	p.Plan()
	p.Apply()
	wants("on_drift", "overwrite")
	unknown(1, "2") // and known now
	p.PlanApply()
	wants("on_drift", "error")
	unknown(2, "3")
	p.PlanApply()
	wants("on_drift", "error")
	p.WantLive("testmap", fixture.Data{"foo": "3"})
	p.PlanNothing()
}
