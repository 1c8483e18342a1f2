package acceptance_test

import (
	"net/http"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// What random histories found, step by step.

// Given a plan that adds a key to a whole Secret, and another who adds the same key with the same value before the apply; then the apply is a
// conflict, and says so once. Terraform from 1.16 was told it as a warning, and took the key.
func TestHistoryOfASecretThatAnotherCompletes(t *testing.T) {
	t.Parallel()
	onEach(t, func(p *pipeline, _ bool) {
		p.applied(secretBlock(`data_wo = {}`, `data_wo_version = 1`))
		p.write(secretBlock(`data_wo = { password = "2" }`, `data_wo_version = 1`))
		p.plan()
		p.rotated("2")
		p.applyRefused("Error: Compare-And-Swap Conflict", "!Warning: ")
	})
}

// Given drift that an earlier refresh has put into the state, and a plan that did not look again; then the apply refuses it for the drift, which
// the state tells, whatever else has changed since.
func TestHistoryOfDriftInAStateThatIsOld(t *testing.T) {
	p := on(t, driver.Terraform116)
	p.made()
	p.set("testmap", "foo", "9")
	p.do("refresh")
	setsOther(p)
	p.write(entryBlock("foo", `value = "2"`, `on_drift = "error"`))
	p.wants(p.plan("-refresh=false"), "Warning: Compare-And-Swap Conflict", "!Value Changed Since Last Apply")
	p.applyRefused("Error: Value Changed Since Last Apply", "!Compare-And-Swap Conflict")
	p.wantLive("testmap", data{"foo": "9", "bar": "other"})
}

// Given a number whose answer is lost, and an entry of the same ConfigMap that is created after it; then a watch tells which version the number
// made, and so that the entry's plan leads there. Who may not watch gets the number, which its signature tells, and a conflict for the entry.
func TestHistoryOfANumberWhoseVersionIsNotKnown(t *testing.T) {
	t.Parallel()
	for name, verbs := range map[string][]string{"may watch": {"get", "patch", "watch"}, "may not watch": {"get", "patch"}} {
		t.Run(name, func(t *testing.T) {
			p := on(t, driver.Terraform116)
			p.create("testmap", data{"foo": "5"})
			proxy := p.proxiedAs(p.user("after-a-number", "configmaps", verbs...))
			p.write(counterBlock("n") + entryBlock("after", `key = "after"`, `value = "1"`, `depends_on = [cas_configmap_counter.n]`))
			p.plan()
			proxy.SetHook(onceFor(t, http.MethodPatch, testcluster.Fault{DropAfter: true}))
			if name == "may watch" {
				p.apply()
				p.wantLive("testmap", data{"foo": "6", "after": "1"})
				return
			}
			p.applyRefused("Error: Compare-And-Swap Conflict", "with cas_configmap_entry.after")
			p.wantLive("testmap", data{"foo": "6"})
			p.planApply()
		})
	}
}
