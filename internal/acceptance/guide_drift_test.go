package acceptance_test

import (
	"strings"
	"testing"
)

func TestGuideDrift(t *testing.T) {
	t.Parallel()
	p := guidePipeline(t, "shop", "flags", data{"new_checkout": "off"})
	on := guideFile(t, "drift/main.tf")
	p.planned(on)
	p.wantLive("flags", data{"new_checkout": "on"})

	p.runs(guideFile(t, "drift/emergency.sh"))
	p.wantShown("drift", p.planRefused([]string{driftRefused}))
	p.wantLive("flags", data{"new_checkout": "off"})

	// To accept it writes nothing. Afterwards it can be switched again.
	before := p.live("flags")
	p.write(strings.Replace(on, `value          = "on"`, `value          = "off"`, 1))
	p.wantShown("drift", p.wants(p.plan(), "~ resource_version", "!~ value"))
	p.apply()
	p.wantUnchanged(before)
	p.planNothing()
	p.planned(on)
	p.wantLive("flags", data{"new_checkout": "on"})

	// The default warns, and overwrites it.
	p.planned(strings.Replace(on, `"error"`, `"warning"`, 1))
	p.runs(guideFile(t, "drift/emergency.sh"))
	p.wants(p.do("apply", "-auto-approve"), driftWarned)
	p.wantLive("flags", data{"new_checkout": "on"})
}
