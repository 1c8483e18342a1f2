package acceptance_test

import (
	"strings"
	"testing"
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
			p := newPipeline(t)
			found := data{"bar": "kept"}
			if test.found != "" {
				found["foo"] = test.found
			}
			p.create("testmap", found)
			p.planned(entryBlock("foo", test.seeded))
			if test.replaced != "" {
				p.write(entryBlock("foo", test.replaced))
			}
			p.planRefused(test.wants, "-replace=cas_configmap_entry.foo")
			p.wantLive("testmap", data{"foo": "2", "bar": "kept"})
			p.wantState("foo")
		})
	}
}

func TestReplaceOfTheSameKeyThatRestoresNothing(t *testing.T) {
	p := newPipeline(t)
	p.create("testmap", data{"bar": "kept"})
	p.planned(entryBlock("foo", `value = "2"`, `deletion_policy = "restore"`))
	p.planApply("-replace=cas_configmap_entry.foo")
	p.wantLive("testmap", data{"foo": "2", "bar": "kept"})
}

// What create_before_destroy deposes is removed by a delete that Terraform plans while it applies. It must not take for
// the plan's observation what was written since.
func TestCreateBeforeDestroyWithAForeignWriteBetweenPlanAndApply(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		scope   string
		foreign foreignWrite
		refused []string // nil: goes through
		live    data
	}{
		"nobody writes": {
			scope: "object", foreign: nobodyWrites,
			live: data{"baz": "2", "bar": "kept"},
		},
		"the old key is written": {
			scope: "object", foreign: sameKeyWritten,
			refused: []string{"Error: Compare-And-Swap Conflict", aboutKey, `Expected: "2"`, `Found: "foreign"`, "Nothing was removed."},
			live:    data{"foo": "foreign", "baz": "2", "bar": "kept"},
		},
		"the old key is written, in key scope": {
			scope: "key", foreign: sameKeyWritten,
			refused: []string{"Error: Compare-And-Swap Conflict", aboutKey, `Expected: "2"`, `Found: "foreign"`, "Nothing was removed."},
			live:    data{"foo": "foreign", "baz": "2", "bar": "kept"},
		},
		"another key is written": {
			scope: "object", foreign: otherKeyWritten,
			refused: []string{"Error: Compare-And-Swap Conflict", aboutObject, "Nothing was removed."},
			live:    data{"foo": "2", "baz": "2", "bar": "foreign"},
		},
		"another key is written, in key scope": {
			scope: "key", foreign: otherKeyWritten,
			live: data{"baz": "2", "bar": "foreign"},
		},
		"the ConfigMap is made again": {
			scope: "object", foreign: madeAgain,
			refused: []string{"Error: Compare-And-Swap Conflict", "The ConfigMap was deleted and created again after "},
			live:    data{"foo": "2", "baz": "2", "bar": "kept"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPipeline(t)
			p.create("testmap", data{"bar": "kept"})
			scope := "conflict_scope = \"" + test.scope + "\""
			p.planned(entryBlock("foo", scope, `value = "2"`, createFirst))

			renamed := entryBlock("foo", scope, `value = "2"`, `key = "baz"`, createFirst)
			p.write(renamed)
			p.plan()
			test.foreign(p.fixture, "testmap")
			if test.refused == nil {
				p.apply()
				p.wantLive("testmap", test.live)
				p.wantState("foo")
				p.planNothing()
				return
			}
			p.applyRefused(test.refused...)
			p.wantLive("testmap", test.live)
			if old := p.wantState("foo", "deposed foo")["deposed foo"]; old.Attributes["key"] != "foo" {
				p.Errorf("deposed: %v", old)
			}

			// The next plan observes what is there now, and its apply removes just that.
			p.planApply()
			p.wantState("foo")
			delete(test.live, "foo")
			p.wantLive("testmap", test.live)
		})
	}
}

// The object of the deposed key is one that this apply has not looked at before.
func TestCreateBeforeDestroyInAnotherConfigMap(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		foreign foreignWrite
		refused bool
	}{
		"nobody writes":          {foreign: nobodyWrites},
		"the old key is written": {foreign: sameKeyWritten, refused: true},
		"another key is written": {foreign: otherKeyWritten, refused: true},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPipeline(t)
			p.create("testmap", data{"bar": "kept"})
			p.create("other", nil)
			p.planned(entryBlock("foo", `value = "2"`, createFirst))
			p.write(entryBlock("foo", `value = "2"`, `name = "other"`, createFirst))
			p.plan()
			test.foreign(p.fixture, "testmap")
			before := p.live("testmap")
			if test.refused {
				p.applyRefused("Error: Compare-And-Swap Conflict", " changed", "Nothing was removed.")
				p.wantUnchanged(before)
			} else {
				p.apply()
				p.wantLive("testmap", data{"bar": "kept"})
			}
			p.wantLive("other", data{"foo": "2"})
		})
	}
}

// No plan can tell that the key which is deposed turns out to be another resource's.
func TestDeposedKeyThatAnotherResourceAdoptedIsNotRemoved(t *testing.T) {
	p := newPipeline(t)
	p.create("testmap", data{"bar": "kept"})
	p.planned(entryBlock("foo", `conflict_scope = "key"`, `value = "2"`, createFirst))
	p.write("resource \"terraform_data\" \"key\" {\n  input = \"foo\"\n}\n" +
		entryBlock("foo", `key = "baz"`, `conflict_scope = "key"`, `value = "2"`, createFirst) +
		entryBlock("adopter", `key = terraform_data.key.output`, `value = "2"`, `adopt_existing = true`, "depends_on = [cas_configmap_entry.foo]"))
	p.plan()
	p.applyRefused("Error: Compare-And-Swap Conflict", "Another resource of this run wrote or adopted foo after the removal was planned. Nothing was removed.")
	p.wantLive("testmap", data{"foo": "2", "baz": "2", "bar": "kept"})
	p.wantState("foo", "deposed foo", "adopter")
}

func TestKeysThatMoveBetweenInstances(t *testing.T) {
	t.Parallel()
	counted := func(keys string) string {
		return "locals { keys = " + keys + " }\n" +
			entryBlock("foo", "count = length(local.keys)", "key = local.keys[count.index]", "value = local.keys[count.index]")
	}
	shifted := func(keys string) string {
		return entryBlock("foo", "for_each = "+keys, "key = each.value", `value = "2"`)
	}
	advice := []string{
		"Error: Key Moves Between Instances",
		"If the resource has a new address, add a moved block. With count, use for_each over the ConfigMap keys instead.",
	}
	for name, test := range map[string]struct {
		before, after string
		refused       []string
		live          data
	}{
		"count over a list that lost its head": {
			before: counted(`["a", "b", "c"]`), after: counted(`["b", "c"]`),
			refused: advice, live: data{"a": "a", "b": "b", "c": "c"},
		},
		"count over a list that was turned around": {
			before: counted(`["a", "b"]`), after: counted(`["b", "a"]`),
			refused: advice, live: data{"a": "a", "b": "b"},
		},
		"count lowered": {
			before: counted(`["a", "b", "c"]`), after: counted(`["a"]`), live: data{"a": "a"},
		},
		"count raised": {
			before: counted(`["a"]`), after: counted(`["a", "b"]`), live: data{"a": "a", "b": "b"},
		},
		"for_each whose keys shift": {
			before: shifted(`{ x = "a", y = "b" }`), after: shifted(`{ x = "b", y = "c" }`),
			refused: advice, live: data{"a": "2", "b": "2"},
		},
		"for_each whose keys are new": {
			before: shifted(`{ x = "a", y = "b" }`), after: shifted(`{ x = "c", y = "d" }`), live: data{"c": "2", "d": "2"},
		},
		"a resource renamed without a moved block": {
			before: entryBlock("foo", `value = "2"`), after: entryBlock("renamed", `value = "2"`),
			refused: advice, live: data{"foo": "2"},
		},
		"a resource renamed that abandons its key, and the new one adopts it": {
			before: entryBlock("foo", `value = "2"`, `deletion_policy = "abandon"`), after: entryBlock("renamed", `value = "2"`, `adopt_existing = true`),
			live: data{"foo": "2"},
		},
		"a key that is abandoned by a rename, and another resource adopts it": {
			before: entryBlock("foo", `value = "2"`, `deletion_policy = "abandon"`),
			after: entryBlock("foo", `key = "baz"`, `value = "2"`, `deletion_policy = "abandon"`) +
				entryBlock("bar", `value = "2"`, `adopt_existing = true`),
			live: data{"foo": "2", "baz": "2"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPipeline(t)
			p.create("testmap", nil)
			p.planned(test.before)
			p.write(test.after)
			if test.refused != nil {
				before := p.live("testmap")
				p.planRefused(test.refused)
				p.wantUnchanged(before)
			} else {
				p.planApply()
				p.planNothing()
			}
			p.wantLive("testmap", test.live)
		})
	}
}

func TestMovedBlockWritesNothing(t *testing.T) {
	p := newPipeline(t)
	p.create("testmap", nil)
	p.planned(entryBlock("foo", `value = "2"`))
	before := p.live("testmap")
	p.write(entryBlock("renamed", `value = "2"`) + "moved {\n  from = cas_configmap_entry.foo\n  to = cas_configmap_entry.renamed\n}\n")
	p.plan()
	p.wants(p.apply(), "0 added, 0 changed, 0 destroyed")
	p.wantState("renamed")
	p.wantUnchanged(before)
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
			wants: []string{"Error: Key Already Exists", `Found: "2"`, "to keep it, import it.", "Import id: "},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPipeline(t)
			p.create("testmap", nil)
			p.planned(entryBlock("foo", `value = "2"`))
			p.do("taint", "cas_configmap_entry.foo")
			if status := p.wantState("foo")["foo"].Status; status != "tainted" {
				p.Fatalf("status %q", status)
			}
			p.write(entryBlock("foo", test.lines...))
			p.planRefused(test.wants)
			p.wantLive("testmap", data{"foo": "2"})

			p.do("untaint", "cas_configmap_entry.foo")
			value := strings.Trim(strings.TrimPrefix(test.lines[0], "value = "), `"`)
			if value == "2" {
				p.planNothing()
			} else {
				p.planApply()
			}
			p.wantLive("testmap", data{"foo": value})
		})
	}
}

// terraform destroy runs an ordinary plan first, in which a tainted entry looks like a new one.
func TestTaintedEntryIsDestroyedOnceUntaintedOrWithoutThePlansCheck(t *testing.T) {
	t.Parallel()
	for name, letGo := range map[string]func(*pipeline){
		"untainted":            func(p *pipeline) { p.do("untaint", "cas_configmap_entry.foo") },
		"plan_check = warning": func(p *pipeline) { p.setenv("CAS_PLAN_CHECK", "warning") },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPipeline(t)
			p.create("testmap", nil)
			p.planned(entryBlock("foo", `value = "2"`))
			p.do("taint", "cas_configmap_entry.foo")
			p.destroyRefused([]string{"Error: Key Already Holds The Value", "If this resource is tainted, run terraform untaint with the address above.", planCheckAdvice})
			p.wantLive("testmap", data{"foo": "2"})
			letGo(p)
			p.destroy()
			p.wantLive("testmap", nil)
			p.wantState()
		})
	}
}
