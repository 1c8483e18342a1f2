package kinds

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// wholeScene is a resource of a whole object, testmap, and another configuration with an entry in that object.
type wholeScene struct {
	fixture.Object

	owner, tenant *fixture.Pipeline
}

// onWholeScenes runs a test with a whole ConfigMap and with a whole Secret.
func onWholeScenes(t *testing.T, test func(s wholeScene)) {
	t.Helper()
	for _, k := range fixture.ObjectKinds {
		t.Run(k.Name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			test(wholeScene{fixture.Object{Fixture: p.Fixture, Kind: k}, p, &fixture.Pipeline{Fixture: p.Fixture, On: fixture.NewSession(t)}})
		})
	}
}

// whole is the block of the whole object. Its address is whole.
func (s wholeScene) whole(lines ...string) string {
	if s.Kind.IsSecret() {
		return fixture.SecretBlock(append(lines, `name = "testmap"`)...)
	}
	return fixture.WholeBlock("it", lines...)
}

// labeled makes the API server track the owners of keys: it does not do so in an object that was created empty.
const labeled = `labels = { app = "shop" }`

func (s wholeScene) address() string {
	return map[bool]string{false: "cas_configmap.it", true: "cas_secret.it"}[s.Kind.IsSecret()]
}

func (s wholeScene) data(value string) string {
	return fmt.Sprintf("data%s = { foo = %q }", s.Kind.Suffix, value)
}

// title is that of an error or of a warning.
func (s wholeScene) title() string { return s.Kind.Name + " Has Other Keys" }

func (s wholeScene) wants(want fixture.Data) {
	s.Helper()
	live := s.Live()
	if want == nil && live == nil {
		return
	}
	if live == nil {
		s.Fatal("the object is missing")
	}
	if diff := cmp.Diff(want, live.Data); diff != "" {
		s.Errorf("the live object (-want +got):\n%s", diff)
	}
}

// An entry of another configuration with a field manager of its own stops the plan of a destroy, and of a replacement.
// Another resource of this run may have the same field manager, so that only the apply is refused.
func TestWholeObjectWithAnEntryOfAnotherConfiguration(t *testing.T) {
	t.Parallel()
	for _, manager := range []string{"shop", ""} {
		t.Run("field manager "+manager, func(t *testing.T) {
			onWholeScenes(t, func(s wholeScene) {
				entry := s.Kind.Block("entry", "1", "")
				if manager != "" {
					entry = s.Kind.Block("entry", "1", "", fmt.Sprintf("field_manager = %q", manager))
				}
				s.owner.Planned(s.whole())
				s.tenant.Planned(entry)
				for _, flags := range [][]string{{"-destroy"}, {"-replace=" + s.address()}} {
					refusal := []string{
						"Error: " + s.title(), "Nothing was removed.", "Key: foo", "remove their keys first",
						`first apply deletion_policy = "delete"`,
					}
					if manager != "" {
						s.owner.PlanRefused(append(refusal, `Key: foo (field manager "shop")`), flags...)
					} else {
						out := s.owner.Plan(flags...)
						if flags[0] == "-destroy" { // Terraform drops the warnings of the second half of a replacement
							s.owner.Wants(out, "Warning: "+s.title(), "Key: foo")
						}
						s.owner.ApplyRefused(refusal...)
					}
					s.wants(fixture.Data{"foo": "1"})
				}
				s.tenant.Destroy()
				s.owner.Destroy()
				s.wants(nil)
			})
		})
	}
}

// The message of the refusal is followed.
func TestWholeObjectIsDeletedOrAbandonedWithOtherKeys(t *testing.T) {
	t.Parallel()
	onWholeScenes(t, func(s wholeScene) {
		s.owner.Planned(s.whole(s.data("1")))
		s.SetAs("shop", fixture.Data{"bar": "2"})
		refusal := []string{
			"Error: " + s.title(), `Key: bar (field manager "shop")`, "run terraform state rm", "!Key: foo",
			`apply deletion_policy = "delete" and on_drift = "overwrite" alone`,
		}
		// Drift in managed data stops the ordinary plan that comes before a destroy, unless the check only warns.
		destroyRefused := func() {
			s.owner.Export("CAS_PLAN_CHECK", "warning")
			s.owner.Plan("-destroy")
			s.owner.ApplyRefused(refusal...)
			s.owner.Export("CAS_PLAN_CHECK", "")
		}
		destroyRefused()
		s.owner.Planned(s.whole(s.data("1"), `deletion_policy = "delete"`, fixture.Overwrites))
		s.owner.Destroy()
		s.wants(nil)
		s.owner.Planned(s.whole(s.data("1")))
		s.SetAs("shop", fixture.Data{"bar": "2"})
		destroyRefused()
		s.owner.Do("state", "rm", s.address())
		s.owner.WantState()
		s.wants(fixture.Data{"foo": "1", "bar": "2"})
		s.Remove()

		s.owner.Planned(s.whole(labeled))
		s.SetAs("shop", fixture.Data{"bar": "2"})
		refusal = []string{"Error: " + s.title(), `first apply deletion_policy = "delete" alone`, `first apply deletion_policy = "abandon"`}
		s.owner.PlanRefused(refusal, "-destroy")
		s.owner.Planned(s.whole(labeled, `deletion_policy = "abandon"`))
		s.owner.PlanRefused([]string{"Error: Replacement Would Fail", s.Kind.Name + " in place"}, "-replace="+s.address())
		s.owner.Destroy()
		s.owner.WantState()
		s.wants(fixture.Data{"bar": "2"})
		s.Remove()

		s.owner.Planned(s.whole(labeled))
		s.SetAs("shop", fixture.Data{"bar": "2"})
		s.owner.PlanRefused(refusal, "-destroy")
		s.owner.Planned(s.whole(labeled, `deletion_policy = "delete"`))
		s.owner.Wants(s.owner.Plan("-destroy"), "Warning: "+s.title(), `Key: bar (field manager "shop")`, "The apply deletes them")
		s.owner.Apply()
		s.wants(nil)
	})
}

// Entries of the same run are destroyed first.
func TestWholeObjectWithEntriesOfTheSameRun(t *testing.T) {
	t.Parallel()
	onWholeScenes(t, func(s wholeScene) {
		s.owner.Planned(s.whole() + s.Kind.Block("entry", "1", "", "depends_on = ["+s.address()+"]"))
		s.owner.Wants(s.owner.Plan("-destroy"), "Warning: "+s.title(), "Key: foo", "depend on this resource", "!deletion_policy")
		s.owner.Apply()
		s.owner.WantState()
		s.wants(nil)
	})
}

// A counter leaves its key, so that a destroy stops halfway. The message of the refusal is followed.
func TestWholeConfigMapWithACounterOfTheSameRun(t *testing.T) {
	p := fixture.NewPipeline(t)
	counter := fixture.CounterBlock("it", "depends_on = [cas_configmap.it]")
	p.Planned(fixture.WholeBlock("it") + counter)
	p.Plan("-destroy")
	p.ApplyRefused("Error: ConfigMap Has Other Keys", "Key: foo", "Counters and pools leave their keys.",
		`first apply deletion_policy = "delete" alone`)
	p.Planned(fixture.WholeBlock("it", fixture.Deletes) + counter)
	p.Destroy()
	p.WantState()
}

// A value that somebody else wrote after the last apply is not deleted, even if an update may overwrite it.
func TestWholeObjectWithAChangedValue(t *testing.T) {
	t.Parallel()
	onWholeScenes(t, func(s wholeScene) {
		s.owner.Planned(s.whole(s.data("1"), fixture.Overwrites))
		s.SetAs("shop", fixture.Data{"foo": "2"})
		s.owner.PlanRefused([]string{"Error: " + s.title(), `Key: foo (field manager "shop")`}, "-destroy")
		s.wants(fixture.Data{"foo": "2"})
	})
}

// A plan without a check says nothing, and the apply refuses.
func TestWholeObjectWithOtherKeysThatNoPlanChecked(t *testing.T) {
	t.Parallel()
	onWholeScenes(t, func(s wholeScene) {
		s.owner.Planned(s.whole(labeled))
		s.SetAs("shop", fixture.Data{"bar": "2"})
		for _, check := range []string{"off", "warning"} {
			s.owner.Export("CAS_PLAN_CHECK", check)
			s.owner.Plan("-destroy")
			s.owner.ApplyRefused("Error: "+s.title(), `Key: bar (field manager "shop")`, "Nothing was removed.")
			s.wants(fixture.Data{"bar": "2"})
		}
	})
}

// Ten keys are listed.
func TestWholeObjectWithManyOtherKeys(t *testing.T) {
	t.Parallel()
	onWholeScenes(t, func(s wholeScene) {
		s.owner.Planned(s.whole(labeled))
		many := fixture.Data{}
		for i := range 13 {
			many[fmt.Sprintf("k%02d", i)] = "1"
		}
		s.SetAs("shop", many)
		s.owner.PlanRefused([]string{"Key: k00 (", "Key: k09 (", "More keys: 3", "!k10"}, "-destroy")
	})
}
