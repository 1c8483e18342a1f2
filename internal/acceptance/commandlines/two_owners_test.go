package commandlines

import (
	"fmt"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// TestTwoOwnersOfOneKeyOnTheCommandLine: what is read and planned meanwhile, in whichever order, hides nothing.
func TestTwoOwnersOfOneKeyOnTheCommandLine(t *testing.T) {
	t.Parallel()
	twice := func(lines ...string) string {
		lines = append(lines, `key = "shared"`, `value = "1"`, `adopt_existing = true`)
		return fixture.EntryBlock("a", lines...) + fixture.EntryBlock("b", lines...)
	}
	for n, times := range map[int]int{2: 2, 40: 12, 120: 4} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			p := fixture.NewCLIPipeline(t)
			p.Testmap(fixture.Contents{})
			others, want := fixture.Entries(n, "1", "key")
			p.Write(others + twice())
			p.PlanRefused([]string{"Error: Key Written Twice"})
			p.Planned(others)
			p.WantLive("testmap", want)
			p.Write(others + twice())
			for range times {
				p.PlanRefused([]string{"Error: Key Written Twice", "Another resource has shared in the same configuration."})
			}
			p.WantLive("testmap", want)
		})
	}
}

// TestTheSecondOwnerIsRefusedAtApplyOnTheCommandLine: no plan knows the keys yet, and both would take the key over.
func TestTheSecondOwnerIsRefusedAtApplyOnTheCommandLine(t *testing.T) {
	p := fixture.NewCLIPipeline(t)
	p.Create("testmap", fixture.Data{"foo": "1"})
	lines := []string{`key = terraform_data.key.output`, `value = "1"`, `adopt_existing = true`}
	p.Write("resource \"terraform_data\" \"key\" {\n  input = \"foo\"\n}\n" + fixture.EntryBlock("a", lines...) + fixture.EntryBlock("b", lines...))
	p.Plan()
	p.ApplyRefused("Error: Key Written Twice", "Nothing was written") // of OpenTofu it is the plan that the apply makes which may say so
	if state := p.State(); len(state) != 1 {
		p.Errorf("the state tracks %d, want one of the two: %v", len(state), state)
	}
	p.WantLive("testmap", fixture.Data{"foo": "1"})
}
