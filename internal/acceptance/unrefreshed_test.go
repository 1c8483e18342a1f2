package acceptance_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver"
)

// The versions in a state that was not refreshed are old, also by this provider's own writes in an earlier run. A client that stores planned
// private data tells a plan from an apply, so that such a plan can warn where others refuse. The apply judges in any case.

var unrefreshed = map[string]struct {
	config func(value string) string
	moves  ofTestmap // makes a version that the state does not have
}{
	"entry": {
		func(value string) string { return entryBlock("foo", "value = "+quoted(value)) }, setsOther,
	},
	"data": {
		func(value string) string { return dataBlock("it", "data = { foo = "+quoted(value)+" }") }, setsOther,
	},
	"configmap": {
		func(value string) string { return wholeBlock("it", "data = { foo = "+quoted(value)+" }") },
		func(p *pipeline) {
			p.change("testmap", func(cm *corev1.ConfigMap) { cm.Annotations = map[string]string{"a": "b"} })
		},
	},
}

func TestPlanOfAnUnrefreshedStateWarnsWhereTheApplyJudges(t *testing.T) {
	for name, test := range unrefreshed {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(p *pipeline, stores bool) {
				if name != "configmap" {
					p.create("testmap", data{"bar": "kept"})
				}
				p.planned(test.config("1"))
				test.moves(p)
				before := p.live("testmap")
				p.write(test.config("2"))
				if !stores {
					p.planRefused([]string{"Error: Compare-And-Swap Conflict"}, "-refresh=false")
				} else {
					p.wants(p.plan("-refresh=false"), "Warning: Compare-And-Swap Conflict", "The apply will fail unless this changes.",
						"The state was not refreshed, and may be old: to be sure, plan without -refresh=false.")
					p.applyRefused("Error: Compare-And-Swap Conflict")
				}
				p.wantUnchanged(before)
				p.planApply()
			})
		})
	}
}

func TestMinimalRefreshRefusesWhatAPlanRefuses(t *testing.T) {
	for name, test := range unrefreshed {
		t.Run(name, func(t *testing.T) {
			p := on(t, driver.Terraform117)
			if name != "configmap" {
				p.create("testmap", data{"bar": "kept"})
			}
			p.planned(test.config("1"))
			test.moves(p)
			p.write(test.config("2"))
			p.wants(p.plan("-minimal-refresh"), "!Compare-And-Swap Conflict", "!was not refreshed")
			p.apply()
			if got := p.live("testmap").Data["foo"]; got != "2" {
				p.Errorf("foo holds %q", got)
			}
			test.moves(p)
			p.planNothing("-minimal-refresh") // and reads nothing

			p.plan("-minimal-refresh", "-replace="+map[string]string{
				"entry": entryAddress, "data": "cas_configmap_data.it", "configmap": "cas_configmap.it",
			}[name])
		})
	}
	t.Run("expectation", func(t *testing.T) {
		p := on(t, driver.Terraform117)
		p.made()
		p.set("testmap", "foo", "9")
		p.write(entryBlock("foo", `value = "2"`, `expected_value = "1"`))
		p.planRefused([]string{"Error: Expected Value Mismatch"}, "-minimal-refresh")
		p.set("testmap", "foo", "2") // what is to be written is there
		p.planApply("-minimal-refresh")
	})
	t.Run("tainted", func(t *testing.T) {
		p := on(t, driver.Terraform117)
		p.made()
		p.do("taint", entryAddress)
		p.write(entryBlock("foo", `key = "baz"`, `value = "2"`) + entryBlock("other", `key = "baz"`, `value = "2"`, "adopt_existing = true"))
		p.planRefused([]string{"Error: Key Written Twice"}, "-minimal-refresh") // by two resources
		p.write(entryBlock("foo", `key = "baz"`, `value = "2"`))
		p.planApply("-minimal-refresh") // but not by one that is planned twice
		p.wantLive("testmap", data{"bar": "kept", "baz": "2"})
	})
}
