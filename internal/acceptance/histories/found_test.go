package histories

import (
	"net/http"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver"
	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// What random histories found, step by step.

// Given a plan that adds a key to a whole Secret, and another who adds the same key with the same value before the apply; then the apply is a
// conflict, and says so once. Terraform from 1.16 was told it as a warning, and took the key.
func TestHistoryOfASecretThatAnotherCompletes(t *testing.T) {
	t.Parallel()
	fixture.OnEachProfile(t, func(p *fixture.Pipeline, _ bool) {
		p.Applied(fixture.SecretBlock(`data_wo = {}`, `data_wo_version = 1`))
		p.Write(fixture.SecretBlock(`data_wo = { password = "2" }`, `data_wo_version = 1`))
		p.Plan()
		p.Rotated("2")
		p.ApplyRefused("Error: Compare-And-Swap Conflict", "!Warning: ")
	})
}

// Given drift that an earlier refresh has put into the state, and a plan that did not look again; then the apply refuses it for the drift, which
// the state tells, whatever else has changed since.
func TestHistoryOfDriftInAStateThatIsOld(t *testing.T) {
	p := fixture.NewPipelineOf(t, driver.Terraform116)
	p.Made()
	p.Set("testmap", "foo", "9")
	p.Do("refresh")
	fixture.SetsOther(p)
	p.Write(fixture.EntryBlock("foo", `value = "2"`, `on_drift = "error"`))
	p.Wants(p.Plan("-refresh=false"), "Warning: Compare-And-Swap Conflict", "!Value Changed Since Last Apply")
	p.ApplyRefused("Error: Value Changed Since Last Apply", "!Compare-And-Swap Conflict")
	p.WantLive("testmap", fixture.Data{"foo": "9", "bar": "other"})
}

// Given a number whose answer is lost, and an entry of the same ConfigMap that is created after it; then a watch tells which version the number
// made, and so that the entry's plan leads there. Who may not watch gets the number, which its signature tells, and a conflict for the entry.
func TestHistoryOfANumberWhoseVersionIsNotKnown(t *testing.T) {
	t.Parallel()
	for name, verbs := range map[string][]string{"may watch": {"get", "patch", "watch"}, "may not watch": {"get", "patch"}} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipelineOf(t, driver.Terraform116)
			p.Create("testmap", fixture.Data{"foo": "5"})
			proxy := p.ProxiedAs(p.User("after-a-number", "configmaps", verbs...))
			p.Write(fixture.CounterBlock("n") + fixture.EntryBlock("after", `key = "after"`, `value = "1"`, `depends_on = [cas_configmap_counter.n]`))
			p.Plan()
			proxy.SetHook(fixture.OnceFor(t, http.MethodPatch, testcluster.Fault{DropAfter: true}))
			if name == "may watch" {
				p.Apply()
				p.WantLive("testmap", fixture.Data{"foo": "6", "after": "1"})
				return
			}
			p.ApplyRefused("Error: Compare-And-Swap Conflict", "with cas_configmap_entry.after")
			p.WantLive("testmap", fixture.Data{"foo": "6"})
			p.PlanApply()
		})
	}
}
