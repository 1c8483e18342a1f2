package kinds

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver"
	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// The versions in a state that was not refreshed are old, also by this provider's own writes in an earlier run. A client that stores planned
// private data tells a plan from an apply, so that such a plan can warn where others refuse. The apply judges in any case.

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

func TestPlanOfAnUnrefreshedStateWarnsWhereTheApplyJudges(t *testing.T) {
	for name, test := range unrefreshed {
		t.Run(name, func(t *testing.T) {
			fixture.OnEachProfile(t, func(p *fixture.Pipeline, stores bool) {
				if name != "configmap" {
					p.Create("testmap", fixture.Data{"bar": "kept"})
				}
				p.Planned(test.config("1"))
				test.moves(p)
				before := p.Live("testmap")
				p.Write(test.config("2"))
				if !stores {
					p.PlanRefused([]string{"Error: Compare-And-Swap Conflict"}, "-refresh=false")
				} else {
					p.Wants(p.Plan("-refresh=false"), "Warning: Compare-And-Swap Conflict", "The apply will fail unless this changes.",
						"The state was not refreshed, and may be old: to be sure, plan without -refresh=false.")
					p.ApplyRefused("Error: Compare-And-Swap Conflict")
				}
				p.WantUnchanged(before)
				p.PlanApply()
			})
		})
	}
}

func TestMinimalRefreshRefusesWhatAPlanRefuses(t *testing.T) {
	for name, test := range unrefreshed {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipelineOf(t, driver.Terraform117)
			if name != "configmap" {
				p.Create("testmap", fixture.Data{"bar": "kept"})
			}
			p.Planned(test.config("1"))
			test.moves(p)
			p.Write(test.config("2"))
			p.Wants(p.Plan("-minimal-refresh"), "!Compare-And-Swap Conflict", "!was not refreshed")
			p.Apply()
			if got := p.Live("testmap").Data["foo"]; got != "2" {
				p.Errorf("foo holds %q", got)
			}
			test.moves(p)
			p.PlanNothing("-minimal-refresh") // and reads nothing

			p.Plan("-minimal-refresh", "-replace="+map[string]string{
				"entry": fixture.EntryAddress, "data": "cas_configmap_data.it", "configmap": "cas_configmap.it",
			}[name])
		})
	}
	t.Run("expectation", func(t *testing.T) {
		p := fixture.NewPipelineOf(t, driver.Terraform117)
		p.Made()
		p.Set("testmap", "foo", "9")
		p.Write(fixture.EntryBlock("foo", `value = "2"`, `expected_value = "1"`))
		p.PlanRefused([]string{"Error: Expected Value Mismatch"}, "-minimal-refresh")
		p.Set("testmap", "foo", "2") // what is to be written is there
		p.PlanApply("-minimal-refresh")
	})
	t.Run("tainted", func(t *testing.T) {
		p := fixture.NewPipelineOf(t, driver.Terraform117)
		p.Made(fixture.Deletes)
		p.Do("taint", fixture.EntryAddress)
		p.Write(fixture.EntryBlock("foo", fixture.Deletes, `key = "baz"`, `value = "2"`) + fixture.EntryBlock("other", fixture.Deletes, `key = "baz"`, `value = "2"`, "adopt_existing = true"))
		p.PlanRefused([]string{"Error: Key Written Twice"}, "-minimal-refresh") // by two resources
		p.Write(fixture.EntryBlock("foo", fixture.Deletes, `key = "baz"`, `value = "2"`))
		// One that is planned twice cannot be told from two.
		p.PlanRefused([]string{"Error: Key Written Twice", "If this resource is tainted, plan without -minimal-refresh, which plans it twice."}, "-minimal-refresh")
		p.PlanApply()
		p.WantLive("testmap", fixture.Data{"bar": "kept", "baz": "2"})
	})
}
