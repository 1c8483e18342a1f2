package commandlines

import (
	"fmt"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcli"
)

// storesPlannedPrivate reports whether the command line is a Terraform that does.
func storesPlannedPrivate(p *fixture.Pipeline) bool {
	p.Helper()
	cli, err := testcli.Find()
	if err != nil {
		p.Fatal(err)
	}
	version, err := versionOf(p.Context(), cli)
	if err != nil {
		p.Fatal(err)
	}
	minor := 0
	_, err = fmt.Sscanf(version, "Terraform v1.%d.", &minor)
	return err == nil && minor >= 16
}

// TestCreateIsHeldToItsPlanOnTheCommandLine: the plan is saved, and another process applies it.
func TestCreateIsHeldToItsPlanOnTheCommandLine(t *testing.T) {
	p := fixture.NewCLIPipeline(t)
	p.Create("testmap", fixture.Data{"foo": "1"})
	p.Write(fixture.EntryBlock("foo", `value = "2"`, `expected_value = "1"`))
	p.Plan()
	planned := p.Live("testmap").ResourceVersion
	fixture.SetsFoo("9", "1")(p)
	if !storesPlannedPrivate(p) {
		p.Apply()
		p.WantLive("testmap", fixture.Data{"foo": "2"})
		return
	}
	now := p.Live("testmap").ResourceVersion
	p.ApplyRefused("Error: Compare-And-Swap Conflict", "The ConfigMap changed after this plan was made.", "Changed by: another-writer",
		fmt.Sprintf("%s when planned, %s now", planned, now))
	p.WantLive("testmap", fixture.Data{"foo": "1"})
	p.PlanApply()
	p.WantLive("testmap", fixture.Data{"foo": "2"})
	p.State()
}
