package entry

import (
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// The plan that replaces a tainted entry looks like a create. Neither that plan nor the removal has private state. A
// replacement that would lose a value is refused before anything is removed.

// tainted is a pipeline that has swapped foo from "original" to "2" and tainted the entry.
func tainted(t *testing.T, arguments ...string) *fixture.Pipeline {
	t.Helper()
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{"foo": "original"})
	p.Planned(fixture.EntryBlock("foo", append([]string{`value = "2"`, `expected_value = "original"`}, arguments...)...))
	p.Do("taint", "cas_configmap_entry.foo")
	return p
}

func TestTaintedEntryThatWouldAdoptItself(t *testing.T) {
	p := tainted(t, fixture.Deletes)
	p.Write(fixture.EntryBlock("foo", `value = "2"`, `adopt_existing = true`, fixture.Deletes))
	p.Plan()
	p.ApplyRefused("Replacement Would Fail", "untaint")
	p.WantLive("testmap", fixture.Data{"foo": "2"})

	// The original is no longer known, also after later applies.
	p.Do("untaint", "cas_configmap_entry.foo")
	p.Planned(fixture.EntryBlock("foo", `value = "2"`, `adopt_existing = true`, `deletion_policy = "restore"`))
	p.Wants(p.Destroy(), "It is not known what foo held before this resource wrote it, so it stays as it is.")
	p.WantLive("testmap", fixture.Data{"foo": "2"})
}

func TestTaintedEntryThatExpectsItsOwnValue(t *testing.T) {
	p := tainted(t, fixture.Deletes)
	p.Write(fixture.EntryBlock("foo", fixture.Deletes, `value = "2"`, `expected_value = "2"`))
	p.Plan()
	p.ApplyRefused("Replacement Would Fail", "untaint")
	p.WantLive("testmap", fixture.Data{"foo": "2"})
	p.Do("untaint", "cas_configmap_entry.foo")
	p.Destroy()
	p.WantLive("testmap", nil)
}

// Given an entry that created its key and is tainted; when it is replaced by one of another key; then what the first key held is not known, so it stays, and
// the apply says why. One that is untainted first knows it.
func TestTaintedEntryThatIsRenamedLeavesItsKey(t *testing.T) {
	untaint := []string{"untaint", "cas_configmap_entry.foo"}
	for name, test := range map[string]struct {
		policy string
		first  []string
	}{
		"replaced": {policy: "release"}, "untainted": {policy: "release", first: untaint},
		"to restore, replaced": {policy: "restore"}, "to restore, untainted": {policy: "restore", first: untaint},
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Create("testmap", fixture.Data{})
			policy := "deletion_policy = " + fixture.Quoted(test.policy)
			p.Planned(fixture.EntryBlock("foo", `value = "2"`, policy))
			p.Do("taint", "cas_configmap_entry.foo")
			says, want := []string{
				"Warning: Key Stays In Place: foo in ConfigMap " + p.Namespace + "/testmap", "It is not known what foo held before this resource wrote it, so it stays as it is.",
				"To remove: kubectl patch configmap testmap --namespace " + p.Namespace + ` --type merge --patch '{"data":{"foo":null}}'`, "Terraform does not manage it any more.",
			}, fixture.Data{"foo": "2", "baz": "2"}
			if test.first != nil {
				p.Do(test.first...)
				says, want = []string{"!Stays In Place"}, fixture.Data{"baz": "2"}
			}
			p.Write(fixture.EntryBlock("foo", `key = "baz"`, `value = "2"`, policy))
			p.Plan()
			p.Wants(p.Apply(), says...)
			p.WantLive("testmap", want)
			p.PlanNothing()
		})
	}
}
