package allocation

import (
	"fmt"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver"
	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// imported returns an import block for the allocation that has a value.
func imported(label, value string) string {
	return fmt.Sprintf("import {\n  to = cas_configmap_allocation.%s\n  id = \"${NAMESPACE}/testmap/foo/%s\"\n}\n", label, value)
}

// An import takes what has the value at that time, or nothing: another may have it when the cluster is known.
func TestImportWithoutAClusterIsRefused(t *testing.T) {
	const orphan = `{"30002": {"claimant": "lost", "id": "ABC"}}`
	for name, with := range map[string]func(*testing.T) *fixture.Pipeline{"driver": fixture.NewPipeline, "command line": fixture.NewCLIPipeline} {
		t.Run(name, func(t *testing.T) {
			p := with(t)
			p.Create("testmap", fixture.Data{"foo": orphan})
			body := block("a", ofFive, `claimant = "lost"`) + imported("a", "30002")
			p.WriteUnknown(1, body)
			p.PlanRefused([]string{"Error: Provider Not Configured", "Nothing was written.", "Apply what it depends on first, with -target."})
			if p.CLI != nil { // the way that the message shows
				p.Do("apply", "-auto-approve", "-target=terraform_data.cluster")
			} else {
				p.Write(body)
			}
			p.PlanApply()
			wantValues(p, "30002")
			p.PlanNothing()
			p.Destroy()
			wantTaken(p.Fixture)
		})
	}
}

const (
	twice = "Error: Key Written Twice"
	moves = "Error: Key Moves Between Instances"
)

// If two resources of a configuration have one allocation, either resource would release it for both.
func TestAllocationOfTwoResourcesIsRefused(t *testing.T) {
	const orphan = `{"30002": {"claimant": "lost", "id": "ABC"}}`
	fixture.OnEachProfile(t, func(p *fixture.Pipeline) {
		p.Create("testmap", fixture.Data{"foo": orphan})
		lost := []string{ofFive, `claimant = "lost"`}
		a, b := block("a", lost...), block("b", lost...)
		p.Write(a + b + imported("a", "30002") + imported("b", "30002"))
		p.PlanRefused([]string{twice, "Another resource has allocation ABC in the same configuration.", "Leave it to one of the two."})

		// The same of one that is there already, imported or taken.
		p.Write(a + imported("a", "30002"))
		p.PlanApply()
		p.PlanNothing()
		p.Write(a + b + imported("b", "30002"))
		p.PlanRefused([]string{twice})
		p.Planned(a + block("taken", ofFive, `claimant = "new"`))
		wantValues(p, "30000", "30002")
		p.Write(a + block("taken", ofFive, `claimant = "new"`) + b + imported("b", "30000"))
		p.PlanRefused([]string{twice})

		// One resource would release the allocation, and another one keeps it.
		p.Write(block("taken", ofFive, `claimant = "new"`) + b + imported("b", "30002"))
		p.PlanRefused([]string{moves, "One instance removes allocation ABC and another one keeps it in the same run", "To give the resource another address, use a moved block."})
		p.Write(block("taken", ofFive, `claimant = "new"`) + b + "moved {\n  from = cas_configmap_allocation.a\n  to = cas_configmap_allocation.b\n}\n")
		p.Wants(p.Plan(), "0 to add, 0 to change, 0 to destroy")
		p.Apply()
		wantTaken(p.Fixture, "30000", "30002")

		// Two that came to be imported one after another, and what the messages say.
		p.Write(a + b + block("taken", ofFive, `claimant = "new"`))
		p.Do("import", address, p.Namespace+"/testmap/foo/30002")
		p.PlanRefused([]string{twice})
		p.Write(b + block("taken", ofFive, `claimant = "new"`))
		p.PlanRefused([]string{moves, "To keep it, run terraform state rm with the address of the resource that the plan destroys."})
		p.Do("state", "rm", address)
		p.PlanNothing()
		p.Write(b + block("taken", `names = ["x"]`, `claimant = "new"`) + block("c", ofFive, `claimant = "new"`))
		p.Do("import", "cas_configmap_allocation.c", p.Namespace+"/testmap/foo/30000")
		p.PlanRefused([]string{moves})
		p.Do("state", "rm", "cas_configmap_allocation.c")
		p.Write(b + block("taken", ofFive, `claimant = "new"`))
		p.PlanNothing()
		wantTaken(p.Fixture, "30000", "30002")
		p.Destroy()
		wantTaken(p.Fixture)
	})
}

// One resource is not taken for two, however often it is planned.
func TestAllocationThatIsPlannedTwiceIsOne(t *testing.T) {
	p := fixture.NewPipelineOf(t, driver.Terraform117)
	p.Create("testmap", fixture.Data{"foo": `{"30002": {"claimant": "lost", "id": "ABC"}}`})
	p.Write(several(2, ofFive) + block("b", ofFive, web) + imported("b", "30002"))
	p.PlanApply("-minimal-refresh")
	p.PlanNothing("-minimal-refresh")
	p.Write(several(2, ofFive, `prefer = "30004"`) + block("b", ofFive))
	p.PlanApply("-minimal-refresh")
	p.PlanApply("-minimal-refresh", "-replace=cas_configmap_allocation.b")
	wantTaken(p.Fixture, "30000", "30001", "30002")
	p.Destroy()
	wantTaken(p.Fixture)
}

func TestAllocationInAnImmutableConfigMapIsToldByThePlanOfItsDestroy(t *testing.T) {
	const immutable = "Error: ConfigMap Is Immutable"
	const abandon = "To leave the ConfigMap as it is, run terraform state rm with the address of this resource. The value stays taken."
	p := fixture.NewPipeline(t)
	p.Create("testmap", nil)
	p.Planned(block("a", ofFive, web))
	p.Change("testmap", fixture.Freeze)
	p.PlanNothing()
	for _, body := range []string{"", block("a", `names = ["a"]`, web), block("a", ofFive, web, `key = "bar"`)} { // removed, or replaced
		p.Write(body)
		p.PlanRefused([]string{immutable, abandon})
	}
	p.DestroyRefused([]string{immutable, abandon})
	p.Export("CAS_PLAN_CHECK", "warning")
	p.Wants(p.Ended(p.On.Destroy(), 1, "destroy"), "Warning: ConfigMap Is Immutable", immutable, abandon)
	p.WantState("a")
	p.Write("")
	p.Do("state", "rm", address)
	wantTaken(p.Fixture, "30000")
}

// Given an import of a value that looks like a number; when the configuration takes it from names; then the allocation
// keeps the value, since the range contains it.
func TestImportedAllocationOfAnotherRange(t *testing.T) {
	t.Parallel()
	for what, line := range map[string]string{"names": `names = ["b", "30002"]`, "numbers": ofFive} {
		t.Run(what, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Create("testmap", fixture.Data{"foo": `{"30002": {"claimant": "lost", "id": "ABC"}}`})
			p.Write(block("a", line, `claimant = "lost"`) + imported("a", "30002"))
			p.Wants(p.Plan(), "1 to import, 0 to add, 1 to change, 0 to destroy")
			p.Apply()
			wantTaken(p.Fixture, "30002")
			p.PlanNothing()
			p.Write(block("a", `names = ["b"]`, `claimant = "lost"`))
			p.Plan()
			p.Apply()
			p.PlanNothing()
		})
	}
}
