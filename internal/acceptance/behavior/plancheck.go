package behavior

import (
	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// PlanCheckSource is where plan_check comes from: the provider block, or the environment.
type PlanCheckSource struct{ Configured, Environment string }

// PlanCheckSettings are the ways to say plan_check, and what then holds.
var PlanCheckSettings = map[string]struct {
	Set  PlanCheckSource
	Want string
}{
	"default":                           {Want: "error"},
	"error":                             {Set: PlanCheckSource{Configured: "error"}, Want: "error"},
	"warning":                           {Set: PlanCheckSource{Configured: "warning"}, Want: "warning"},
	"off":                               {Set: PlanCheckSource{Configured: "off"}, Want: "off"},
	"warning by environment":            {Set: PlanCheckSource{Environment: "warning"}, Want: "warning"},
	"off by environment":                {Set: PlanCheckSource{Environment: "off"}, Want: "off"},
	"off, and error by the environment": {Set: PlanCheckSource{Configured: "off", Environment: "error"}, Want: "off"},
	"error, and off by the environment": {Set: PlanCheckSource{Configured: "error", Environment: "off"}, Want: "error"},
}

// WriteChecked is Write with plan_check as set says.
func WriteChecked(p *fixture.Pipeline, set PlanCheckSource, body string) {
	lines := ""
	if set.Configured != "" {
		lines = `  plan_check = "` + set.Configured + `"`
	}
	p.Export("CAS_PLAN_CHECK", set.Environment)
	p.WriteFor(p.Kubeconfig, lines, body)
}
