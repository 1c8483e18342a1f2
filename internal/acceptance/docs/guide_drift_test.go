package docs

import (
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

func TestGuideDrift(t *testing.T) {
	t.Parallel()
	p := guidePipeline(t, "shop", "flags", fixture.Data{"new_checkout": "off"})
	on := guideFile(t, "drift/main.tf")
	p.Planned(on)
	p.WantLive("flags", fixture.Data{"new_checkout": "on"})

	runs(p, guideFile(t, "drift/emergency.sh"))
	wantShown(p, "drift", p.PlanRefused([]string{fixture.DriftRefused}))
	p.WantLive("flags", fixture.Data{"new_checkout": "off"})

	// Accepting the value writes nothing. Afterwards the flag can be switched again.
	before := p.Live("flags")
	p.Write(strings.Replace(on, `value          = "on"`, `value          = "off"`, 1))
	wantShown(p, "drift", p.Wants(p.Plan(), "~ resource_version", "!~ value"))
	p.Apply()
	p.WantUnchanged(before)
	p.PlanNothing()
	p.Planned(on)
	p.WantLive("flags", fixture.Data{"new_checkout": "on"})

	runs(p, guideFile(t, "drift/emergency.sh"))
	p.Write(strings.Replace(on, `expected_value = "off"`, `expected_value = "off"`+"\n"+fixture.Overwrites, 1))
	p.Wants(p.Do("apply", "-auto-approve"), fixture.DriftWarned)
	p.WantLive("flags", fixture.Data{"new_checkout": "on"})
}
