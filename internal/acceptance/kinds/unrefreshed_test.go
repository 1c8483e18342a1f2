package kinds

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver"
	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// The versions in a state that was not refreshed are old, also because of this provider's own writes in an earlier run.

var unrefreshed = map[string]struct {
	config func(value string) string
	moves  fixture.OfTestmap // makes a version that the state does not have
}{
	"entry": {
		func(value string) string { return fixture.EntryBlock("foo", "value = "+fixture.Quoted(value)) }, fixture.SetsOther,
	},
	"data": {
		func(value string) string {
			return fixture.DataBlock("it", "data = { foo = "+fixture.Quoted(value)+" }")
		}, fixture.SetsOther,
	},
	"configmap": {
		func(value string) string {
			return fixture.WholeBlock("it", "data = { foo = "+fixture.Quoted(value)+" }")
		},
		func(p *fixture.Pipeline) {
			p.Change("testmap", func(cm *corev1.ConfigMap) { cm.Annotations = map[string]string{"a": "b"} })
		},
	},
}

func TestPlanOfAnUnrefreshedStateIsRefused(t *testing.T) {
	for name, test := range unrefreshed {
		for flag, profiles := range map[string][]driver.Profile{
			"-refresh=false":   {driver.Terraform111, driver.OpenTofu, driver.Terraform116},
			"-minimal-refresh": {driver.Terraform117},
		} {
			for _, profile := range profiles {
				t.Run(name+"/"+profile.Name, func(t *testing.T) {
					p := fixture.NewPipelineOf(t, profile)
					if name != "configmap" {
						p.Create("testmap", fixture.Data{"bar": "kept"})
					}
					p.Planned(test.config("1"))
					test.moves(p)
					before := p.Live("testmap")
					p.Write(test.config("2"))
					p.PlanRefused([]string{"Error: Compare-And-Swap Conflict"}, flag)
					p.WantUnchanged(before)
					p.PlanApply()
				})
			}
		}
	}
}

// With -minimal-refresh, Terraform plans a tainted resource twice.
func TestMinimalRefreshOfATaintedResource(t *testing.T) {
	p := fixture.NewPipelineOf(t, driver.Terraform117)
	p.Made(fixture.Deletes)
	p.Do("taint", fixture.EntryAddress)
	p.Write(fixture.EntryBlock("foo", fixture.Deletes, `key = "baz"`, `value = "2"`) + fixture.EntryBlock("other", fixture.Deletes, `key = "baz"`, `value = "2"`, "adopt_existing = true"))
	p.PlanRefused([]string{"Error: Key Written Twice"}, "-minimal-refresh") // by two resources
	p.Write(fixture.EntryBlock("foo", fixture.Deletes, `key = "baz"`, `value = "2"`))
	p.PlanRefused([]string{"Error: Key Written Twice"}, "-minimal-refresh") // Terraform plans it twice
	p.PlanApply()
	p.WantLive("testmap", fixture.Data{"bar": "kept", "baz": "2"})
}
