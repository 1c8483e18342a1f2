package data

import (
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

func TestConfigMapDataReplace(t *testing.T) {
	t.Parallel()
	const refused = "Error: Replacement Would Fail"
	for name, test := range map[string]struct {
		found            fixture.Data
		seeded, replaced string
		wants            []string // refused with; nil: goes through
		live             fixture.Data
	}{
		"expected_data": {
			found: fixture.Data{"a": "0"}, seeded: "data = { a = \"1\", b = \"2\" }\nexpected_data = { a = \"0\" }",
			wants: []string{refused, "The removal comes first, so what is expected would be gone. Nothing was removed."},
		},
		"adopt_existing": {
			seeded: "data = { a = \"1\" }\nadopt_existing = true", wants: []string{refused, "so adopt_existing would find nothing to adopt. Nothing was removed."},
		},
		"abandon": {
			seeded: "data = { a = \"1\" }\ndeletion_policy = \"abandon\"", wants: []string{refused, "so the new resource would find it taken. Nothing was removed."},
		},
		"restore of a key that was there": {
			found: fixture.Data{"a": "0"}, seeded: "data = { a = \"1\", b = \"1\" }\nexpected_data = { a = \"0\" }\ndeletion_policy = \"restore\"",
			replaced: "data = { a = \"1\", b = \"1\" }\ndeletion_policy = \"restore\"",
			wants:    []string{refused, "deletion_policy leaves the key in place"},
		},
		"null is what a key that is removed first holds": {
			seeded: "data = { a = \"1\" }\nexpected_data = { a = null }", live: fixture.Data{"a": "1"},
		},
		"plain": {seeded: `data = { a = "1", b = "2" }`, live: fixture.Data{"a": "1", "b": "2"}},
		"other keys, adopted": {
			found: fixture.Data{"c": "3"}, seeded: `data = { a = "1", b = "2" }`, replaced: "data = { a = \"1\", c = \"3\" }\nexpected_data = { c = \"3\" }",
			live: fixture.Data{"a": "1", "c": "3"},
		},
		"a guard that does not hold": {
			seeded: `data = { a = "1" }`, replaced: "data = { a = \"1\" }\nexpected_data = { guard = \"there\" }",
			wants: []string{"Error: Expected Value Mismatch", `Key: guard Expected: "there" Found: (absent)`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Create("testmap", test.found)
			p.Planned(fixture.DataBlock("it", test.seeded))
			if test.replaced == "" {
				test.replaced = test.seeded
			}
			p.Write(fixture.DataBlock("it", test.replaced))
			before := p.Live("testmap")
			if test.wants != nil {
				p.PlanRefused(test.wants, "-replace=cas_configmap_data.it")
				p.WantUnchanged(before)
				return
			}
			p.PlanApply("-replace=cas_configmap_data.it")
			p.WantLive("testmap", test.live)
			p.PlanNothing()
		})
	}
	t.Run("by another name", func(t *testing.T) {
		p := fixture.NewPipeline(t)
		p.Testmap(fixture.Contents{})
		p.Create("other", nil)
		p.Planned(fixture.DataBlock("it", fixture.Deletes, fixture.Overwrites, `data = { a = "1" }`))
		p.Write(fixture.DataBlock("it", fixture.Deletes, fixture.Overwrites, `name = "other"`, `data = { a = "1", b = "2" }`))
		p.Wants(p.Plan(), "1 to add, 0 to change, 1 to destroy")
		p.Set("testmap", "a", "foreign")
		p.ApplyRefused("Error: Compare-And-Swap Conflict", `Key: a Expected: "1" Found: "foreign"`)
		p.PlanApply()
		p.WantLive("testmap", nil)
		p.WantLive("other", fixture.Data{"a": "1", "b": "2"})
	})
	t.Run("create_before_destroy, with a foreign write", func(t *testing.T) {
		p := fixture.NewPipeline(t)
		p.Testmap(fixture.Contents{})
		p.Create("other", nil)
		p.Planned(fixture.DataBlock("it", `data = { a = "1" }`, fixture.CreateFirst))
		p.Write(fixture.DataBlock("it", `name = "other"`, `data = { a = "1" }`, fixture.CreateFirst))
		p.Plan()
		p.Set("testmap", "a", "foreign")
		p.ApplyRefused("Error: Compare-And-Swap Conflict", `Key: a Expected: "1" Found: "foreign"`, "Nothing was removed.")
		p.WantState("it", "deposed it")
		p.WantLive("testmap", fixture.Data{"a": "foreign"})
	})
	t.Run("tainted", func(t *testing.T) {
		p := fixture.NewPipeline(t)
		p.Testmap(fixture.Contents{})
		p.Planned(fixture.DataBlock("it", fixture.Deletes, `data = { a = "1" }`))
		p.Do("taint", "cas_configmap_data.it")
		p.PlanRefused([]string{"Error: Key Already Holds The Value", "If this resource is tainted, run terraform untaint with the address above."})

		// Where the plan lets it pass, nothing is removed that could not be put back.
		p.Export("CAS_PLAN_CHECK", "off")
		p.Write(fixture.DataBlock("it", fixture.Deletes, `data = { a = "1" }`, `adopt_existing = true`))
		p.Plan()
		p.ApplyRefused("Error: Replacement Would Fail", "This resource is tainted. The removal comes first, so its replacement would not find what it needs.", "Nothing was removed.")
		p.WantLive("testmap", fixture.Data{"a": "1"})
		p.Do("untaint", "cas_configmap_data.it")
		p.PlanApply()
		p.WantState("it")
	})
}

func TestConfigMapDataKeysThatMove(t *testing.T) {
	t.Parallel()
	const refused = "Error: Key Moves Between Instances"
	abandon, adopt := `deletion_policy = "abandon"`, `adopt_existing = true`
	for name, test := range map[string]struct {
		before, between, after string // between: applied in between, where it is given
		refused                bool
		live                   fixture.Data
	}{
		"from an entry": {
			before: fixture.EntryBlock("foo", `value = "1"`), after: fixture.DataBlock("it", `data = { foo = "1", bar = "2" }`), refused: true, live: fixture.Data{"foo": "1"},
		},
		"to an entry": {
			before: fixture.DataBlock("it", `data = { foo = "1", bar = "2" }`), after: fixture.EntryBlock("foo", `value = "1"`), refused: true, live: fixture.Data{"foo": "1", "bar": "2"},
		},
		"to an entry, from one that stays": {
			before: fixture.DataBlock("it", `data = { foo = "1", bar = "2" }`), after: fixture.DataBlock("it", `data = { bar = "2" }`) + fixture.EntryBlock("foo", `value = "1"`),
			refused: true, live: fixture.Data{"foo": "1", "bar": "2"},
		},
		"from an entry, to one that was there": {
			before: fixture.DataBlock("it", `data = { bar = "2" }`) + fixture.EntryBlock("foo", `value = "1"`), after: fixture.DataBlock("it", `data = { foo = "1", bar = "2" }`),
			refused: true, live: fixture.Data{"foo": "1", "bar": "2"},
		},
		"between two": {
			before: fixture.DataBlock("a", `data = { x = "1", y = "1" }`) + fixture.DataBlock("b", `data = { z = "1" }`),
			after:  fixture.DataBlock("a", `data = { x = "1" }`) + fixture.DataBlock("b", `data = { y = "1", z = "1" }`), refused: true, live: fixture.Data{"x": "1", "y": "1", "z": "1"},
		},
		"between two, abandoned by the one and adopted by the other": {
			before: fixture.DataBlock("a", `data = { x = "1", y = "1" }`) + fixture.DataBlock("b", `data = { z = "1" }`),
			after:  fixture.DataBlock("a", `data = { x = "1" }`, abandon) + fixture.DataBlock("b", `data = { y = "1", z = "1" }`, adopt), live: fixture.Data{"x": "1", "y": "1", "z": "1"},
		},
		"to an entry, as is advised": {
			before: fixture.DataBlock("it", `data = { foo = "1" }`), between: fixture.DataBlock("it", `data = { foo = "1" }`, abandon),
			after: fixture.EntryBlock("foo", `value = "1"`, adopt), live: fixture.Data{"foo": "1"},
		},
		"beside each other": {
			before: fixture.DataBlock("a", `data = { x = "1" }`) + fixture.DataBlock("b", `data = { y = "1" }`) + fixture.EntryBlock("foo", `value = "1"`),
			after:  fixture.DataBlock("a", `data = { x = "2" }`) + fixture.DataBlock("b", `data = { y = "2", w = "2" }`) + fixture.EntryBlock("foo", `value = "2"`),
			live:   fixture.Data{"x": "2", "y": "2", "w": "2", "foo": "2"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Testmap(fixture.Contents{})
			p.Planned(test.before)
			if test.between != "" {
				p.Planned(test.between)
			}
			p.Write(test.after)
			if test.refused {
				wants := []string{refused}
				if !strings.Contains(test.before+test.after, "cas_configmap_entry") { // which of the two is planned first is not fixed
					wants = append(wants, `Apply deletion_policy = "abandon" to the resource that gives the key up.`)
				}
				p.PlanRefused(wants)
			} else {
				p.PlanApply()
				p.PlanNothing()
			}
			p.WantLive("testmap", test.live)
		})
	}
}
