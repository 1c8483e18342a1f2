package data

import (
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// Given a deletion_policy that is not known before the apply, and a key that one resource drops and another takes over; then the plan does not refuse that:
// the key may be left in place.
func TestKeyThatIsDroppedUnderAPolicyThatIsNotKnown(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{"other": "kept"})
	p.Planned(fixture.DataBlock("it", `data = { foo = "1", bar = "1" }`))
	const policy = "resource \"terraform_data\" \"policy\" {\n  input = \"abandon\"\n}\n"
	p.Write(policy + fixture.DataBlock("it", `data = { bar = "1" }`, "deletion_policy = terraform_data.policy.output") +
		fixture.EntryBlock("foo", `value = "1"`, "adopt_existing = true", "depends_on = [cas_configmap_data.it]"))
	p.Wants(p.Plan(), "!Key Moves Between Instances", "!Key Existed Before Terraform", "!Value Changed Since Last Apply")
	p.Apply()
	p.WantLive("testmap", fixture.Data{"foo": "1", "bar": "1", "other": "kept"})
	p.PlanNothing()
}
