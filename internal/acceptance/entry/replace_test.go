package entry

import (
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

func TestReplaceOfTheSameKeyThatCouldNotSucceedIsRefusedBeforeAnythingIsRemoved(t *testing.T) {
	t.Parallel()
	const refused = "Error: Replacement Would Fail"
	for name, test := range map[string]struct {
		seeded, replaced string // where both are the same, -replace alone
		found            string // what the key holds at first; "" for absent
		wants            []string
	}{
		"expected_value": {
			seeded: "value = \"2\"\nexpected_value = \"1\"", found: "1",
			wants: []string{refused, "so what is expected would be gone. Nothing was removed."},
		},
		"expected_value that comes with the replacement": {
			seeded: `value = "2"`, replaced: "value = \"3\"\nexpected_value = \"2\"",
			wants: []string{refused, "so what is expected would be gone. Nothing was removed."},
		},
		"adopt_existing": {
			seeded: "value = \"2\"\nadopt_existing = true",
			wants:  []string{refused, "so adopt_existing would find nothing to adopt. Nothing was removed."},
		},
		"deletion_policy abandon": {
			seeded: "value = \"2\"\ndeletion_policy = \"abandon\"",
			wants:  []string{refused, "deletion_policy leaves the key in place, so the new resource would find it taken. Nothing was removed."},
		},
		"deletion_policy restore of a key that was there": {
			seeded: "value = \"2\"\nexpected_value = \"1\"\ndeletion_policy = \"restore\"", found: "1",
			replaced: "value = \"2\"\ndeletion_policy = \"restore\"",
			wants:    []string{refused, "deletion_policy leaves the key in place, so the new resource would find it taken. Nothing was removed."},
		},
		"the policy in the state counts, not the new one": {
			seeded: "value = \"2\"\ndeletion_policy = \"abandon\"", replaced: "value = \"2\"\ndeletion_policy = \"delete\"",
			wants: []string{refused, "deletion_policy leaves the key in place"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			found := fixture.Data{"bar": "kept"}
			if test.found != "" {
				found["foo"] = test.found
			}
			p.Create("testmap", found)
			p.Planned(fixture.EntryBlock("foo", test.seeded))
			if test.replaced != "" {
				p.Write(fixture.EntryBlock("foo", test.replaced))
			}
			p.PlanRefused(test.wants, "-replace=cas_configmap_entry.foo")
			p.WantLive("testmap", fixture.Data{"foo": "2", "bar": "kept"})
			p.WantState("foo")
		})
	}
}

func TestReplaceOfTheSameKeyThatRestoresNothing(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{"bar": "kept"})
	p.Planned(fixture.EntryBlock("foo", `value = "2"`, `deletion_policy = "restore"`))
	p.PlanApply("-replace=cas_configmap_entry.foo")
	p.WantLive("testmap", fixture.Data{"foo": "2", "bar": "kept"})
}

// Terraform plans the delete of an object that create_before_destroy deposed while it applies. That delete must still
// compare with the read of the first plan, not with a later write.
func TestCreateBeforeDestroyWithAForeignWriteBetweenPlanAndApply(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		scope   string
		foreign fixture.ForeignWrite
		refused []string // nil: goes through
		live    fixture.Data
	}{
		"nobody writes": {
			scope: "object", foreign: nobodyWrites,
			live: fixture.Data{"baz": "2", "bar": "kept"},
		},
		"the old key is written": {
			scope: "object", foreign: fixture.SameKeyWritten,
			refused: []string{"Error: Compare-And-Swap Conflict", aboutKey, `Expected: "2"`, `Found: "foreign"`, "Nothing was removed."},
			live:    fixture.Data{"foo": "foreign", "baz": "2", "bar": "kept"},
		},
		"the old key is written, in key scope": {
			scope: "key", foreign: fixture.SameKeyWritten,
			refused: []string{"Error: Compare-And-Swap Conflict", aboutKey, `Expected: "2"`, `Found: "foreign"`, "Nothing was removed."},
			live:    fixture.Data{"foo": "foreign", "baz": "2", "bar": "kept"},
		},
		"another key is written": {
			scope: "object", foreign: fixture.OtherKeyWritten,
			refused: []string{"Error: Compare-And-Swap Conflict", aboutObject, "Nothing was removed."},
			live:    fixture.Data{"foo": "2", "baz": "2", "bar": "foreign"},
		},
		"another key is written, in key scope": {
			scope: "key", foreign: fixture.OtherKeyWritten,
			live: fixture.Data{"baz": "2", "bar": "foreign"},
		},
		"the ConfigMap is made again": {
			scope: "object", foreign: fixture.MadeAgain,
			refused: []string{"Error: Compare-And-Swap Conflict", "The ConfigMap was deleted and created again after "},
			live:    fixture.Data{"foo": "2", "baz": "2", "bar": "kept"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Create("testmap", fixture.Data{"bar": "kept"})
			scope := "conflict_scope = \"" + test.scope + "\""
			p.Planned(fixture.EntryBlock("foo", fixture.Deletes, fixture.Overwrites, scope, `value = "2"`, fixture.CreateFirst))

			renamed := fixture.EntryBlock("foo", fixture.Deletes, fixture.Overwrites, scope, `value = "2"`, `key = "baz"`, fixture.CreateFirst)
			p.Write(renamed)
			p.Plan()
			test.foreign(p.Fixture, "testmap")
			if test.refused == nil {
				p.Apply()
				p.WantLive("testmap", test.live)
				p.WantState("foo")
				p.PlanNothing()
				return
			}
			p.ApplyRefused(test.refused...)
			p.WantLive("testmap", test.live)
			if old := p.WantState("foo", "deposed foo")["deposed foo"]; old.Attributes["key"] != "foo" {
				p.Errorf("deposed: %v", old)
			}

			// The next plan observes what is there now, and its apply removes just that.
			p.PlanApply()
			p.WantState("foo")
			delete(test.live, "foo")
			p.WantLive("testmap", test.live)
		})
	}
}

// The object of the deposed key is one that this apply has not looked at before.
func TestCreateBeforeDestroyInAnotherConfigMap(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		foreign fixture.ForeignWrite
		refused bool
	}{
		"nobody writes":          {foreign: nobodyWrites},
		"the old key is written": {foreign: fixture.SameKeyWritten, refused: true},
		"another key is written": {foreign: fixture.OtherKeyWritten, refused: true},
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Create("testmap", fixture.Data{"bar": "kept"})
			p.Create("other", nil)
			p.Planned(fixture.EntryBlock("foo", `value = "2"`, fixture.CreateFirst))
			p.Write(fixture.EntryBlock("foo", `value = "2"`, `name = "other"`, fixture.CreateFirst))
			p.Plan()
			test.foreign(p.Fixture, "testmap")
			before := p.Live("testmap")
			if test.refused {
				p.ApplyRefused("Error: Compare-And-Swap Conflict", " changed", "Nothing was removed.")
				p.WantUnchanged(before)
			} else {
				p.Apply()
				p.WantLive("testmap", fixture.Data{"bar": "kept"})
			}
			p.WantLive("other", fixture.Data{"foo": "2"})
		})
	}
}

// Given a deposed key; when another resource of the run adopts the key; then the removal leaves the key to that resource,
// although no plan shows the adoption.
func TestDeposedKeyThatAnotherResourceAdopts(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{"bar": "kept"})
	p.Planned(fixture.EntryBlock("foo", `conflict_scope = "key"`, `value = "2"`, fixture.CreateFirst))
	p.Write("resource \"terraform_data\" \"key\" {\n  input = \"foo\"\n}\n" +
		fixture.EntryBlock("foo", `key = "baz"`, `conflict_scope = "key"`, `value = "2"`, fixture.CreateFirst) +
		fixture.EntryBlock("adopter", `key = terraform_data.key.output`, `value = "2"`, `adopt_existing = true`, "depends_on = [cas_configmap_entry.foo]"))
	p.PlanApply()
	p.WantLive("testmap", fixture.Data{"foo": "2", "baz": "2", "bar": "kept"})
	p.WantState("foo", "adopter")
	p.PlanNothing()
}

func TestKeysThatMoveBetweenInstances(t *testing.T) {
	t.Parallel()
	counted := func(keys string) string {
		return "locals { keys = " + keys + " }\n" +
			fixture.EntryBlock("foo", "count = length(local.keys)", "key = local.keys[count.index]", "value = local.keys[count.index]")
	}
	shifted := func(keys string) string {
		return fixture.EntryBlock("foo", "for_each = "+keys, "key = each.value", `value = "2"`)
	}
	advice := []string{
		"Error: Key Moves Between Instances",
		"If the resource has a new address, add a moved block. With count, use for_each over the ConfigMap keys instead.",
	}
	for name, test := range map[string]struct {
		before, after string
		refused       []string
		live          fixture.Data
	}{
		"count over a list that lost its head": {
			before: counted(`["a", "b", "c"]`), after: counted(`["b", "c"]`),
			refused: advice, live: fixture.Data{"a": "a", "b": "b", "c": "c"},
		},
		"count over a list that was turned around": {
			before: counted(`["a", "b"]`), after: counted(`["b", "a"]`),
			refused: advice, live: fixture.Data{"a": "a", "b": "b"},
		},
		"count lowered": {
			before: counted(`["a", "b", "c"]`), after: counted(`["a"]`), live: fixture.Data{"a": "a"},
		},
		"count raised": {
			before: counted(`["a"]`), after: counted(`["a", "b"]`), live: fixture.Data{"a": "a", "b": "b"},
		},
		"for_each whose keys shift": {
			before: shifted(`{ x = "a", y = "b" }`), after: shifted(`{ x = "b", y = "c" }`),
			refused: advice, live: fixture.Data{"a": "2", "b": "2"},
		},
		"for_each whose keys are new": {
			before: shifted(`{ x = "a", y = "b" }`), after: shifted(`{ x = "c", y = "d" }`), live: fixture.Data{"c": "2", "d": "2"},
		},
		"a resource renamed without a moved block": {
			before: fixture.EntryBlock("foo", `value = "2"`), after: fixture.EntryBlock("renamed", `value = "2"`),
			refused: advice, live: fixture.Data{"foo": "2"},
		},
		"a resource renamed that abandons its key, and the new one adopts it": {
			before: fixture.EntryBlock("foo", `value = "2"`, `deletion_policy = "abandon"`), after: fixture.EntryBlock("renamed", `value = "2"`, `adopt_existing = true`),
			live: fixture.Data{"foo": "2"},
		},
		"a key that is abandoned by a rename, and another resource adopts it": {
			before: fixture.EntryBlock("foo", `value = "2"`, `deletion_policy = "abandon"`),
			after: fixture.EntryBlock("foo", `key = "baz"`, `value = "2"`, `deletion_policy = "abandon"`) +
				fixture.EntryBlock("bar", `value = "2"`, `adopt_existing = true`),
			live: fixture.Data{"foo": "2", "baz": "2"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Create("testmap", nil)
			p.Planned(test.before)
			p.Write(test.after)
			if test.refused != nil {
				before := p.Live("testmap")
				p.PlanRefused(test.refused)
				p.WantUnchanged(before)
			} else {
				p.PlanApply()
				p.PlanNothing()
			}
			p.WantLive("testmap", test.live)
		})
	}
}

func TestMovedBlockWritesNothing(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", nil)
	p.Planned(fixture.EntryBlock("foo", `value = "2"`))
	before := p.Live("testmap")
	p.Write(fixture.EntryBlock("renamed", `value = "2"`) + "moved {\n  from = cas_configmap_entry.foo\n  to = cas_configmap_entry.renamed\n}\n")
	p.Plan()
	p.Wants(p.Apply(), "0 added, 0 changed, 0 destroyed")
	p.WantState("renamed")
	p.WantUnchanged(before)
}

func TestTaintedEntry(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		lines []string
		wants []string
	}{
		"holds the value": {
			lines: []string{`value = "2"`},
			wants: []string{
				"Error: Key Already Holds The Value", "If this resource is tainted, run terraform untaint with the address above.",
				"Otherwise import it, or set adopt_existing = true.", "Import id: ",
			},
		},
		"holds what was to be updated": {
			lines: []string{`value = "3"`},
			wants: []string{"Error: Key Already Exists", `Found: "2"`, `to keep it, set value = "2", then import it.`, "Import id: "},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Create("testmap", nil)
			p.Planned(fixture.EntryBlock("foo", `value = "2"`))
			p.Do("taint", "cas_configmap_entry.foo")
			if status := p.WantState("foo")["foo"].Status; status != "tainted" {
				p.Fatalf("status %q", status)
			}
			p.Write(fixture.EntryBlock("foo", test.lines...))
			p.PlanRefused(test.wants)
			p.WantLive("testmap", fixture.Data{"foo": "2"})

			p.Do("untaint", "cas_configmap_entry.foo")
			value := strings.Trim(strings.TrimPrefix(test.lines[0], "value = "), `"`)
			if value == "2" {
				p.PlanNothing()
			} else {
				p.PlanApply()
			}
			p.WantLive("testmap", fixture.Data{"foo": value})
		})
	}
}

// plan_check does not soften the refusal of a replacement whose create would fail: the removal comes first, and Terraform
// drops the warnings of this call.
func TestReplaceThatCouldNotSucceedIsRefusedWithoutPlanCheck(t *testing.T) {
	t.Parallel()
	for _, check := range []string{"warning", "off"} {
		t.Run(check, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Create("testmap", fixture.Data{"foo": "1"})
			p.Planned(fixture.EntryBlock("foo", `value = "2"`, `expected_value = "1"`))
			p.Export("CAS_PLAN_CHECK", check)
			p.PlanRefused([]string{"Error: Replacement Would Fail"}, "-replace=cas_configmap_entry.foo")
			p.WantLive("testmap", fixture.Data{"foo": "2"})
		})
	}
}

// terraform destroy runs an ordinary plan first, in which a tainted entry looks like a new one.
func TestTaintedEntryIsDestroyedOnceUntaintedOrWithoutThePlansCheck(t *testing.T) {
	t.Parallel()
	for name, letGo := range map[string]func(*fixture.Pipeline){
		"untainted":            func(p *fixture.Pipeline) { p.Do("untaint", "cas_configmap_entry.foo") },
		"plan_check = warning": func(p *fixture.Pipeline) { p.Export("CAS_PLAN_CHECK", "warning") },
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Create("testmap", nil)
			p.Planned(fixture.EntryBlock("foo", `value = "2"`))
			p.Do("taint", "cas_configmap_entry.foo")
			p.DestroyRefused([]string{"Error: Key Already Holds The Value", "If this resource is tainted, run terraform untaint with the address above."})
			p.WantLive("testmap", fixture.Data{"foo": "2"})
			letGo(p)
			p.Destroy()
			p.WantLive("testmap", nil)
			p.WantState()
		})
	}
}
