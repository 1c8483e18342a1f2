package acceptance_test

import "testing"

// Given a deletion_policy that is not known before the apply, and a key that one resource drops and another takes over; then the plan does not refuse that:
// the key may be left in place.
func TestKeyThatIsDroppedUnderAPolicyThatIsNotKnown(t *testing.T) {
	p := newPipeline(t)
	p.create("testmap", data{"other": "kept"})
	p.planned(dataBlock("it", `data = { foo = "1", bar = "1" }`))
	const policy = "resource \"terraform_data\" \"policy\" {\n  input = \"abandon\"\n}\n"
	p.write(policy + dataBlock("it", `data = { bar = "1" }`, "deletion_policy = terraform_data.policy.output") +
		entryBlock("foo", `value = "1"`, "adopt_existing = true", "depends_on = [cas_configmap_data.it]"))
	p.wants(p.plan(), "!Key Moves Between Instances", "!Key Existed Before Terraform", "!Value Changed Since Last Apply")
	p.apply()
	p.wantLive("testmap", data{"foo": "1", "bar": "1", "other": "kept"})
	p.planNothing()
}
