package data

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// wantData fails the test unless the state of the resource has just that data.
func wantData(p *fixture.Pipeline, name string, want fixture.Data) map[string]any {
	p.Helper()
	attributes := p.State()[name].Attributes
	got := fixture.Data{}
	if of, ok := attributes["data"].(map[string]any); ok {
		for key, v := range of {
			got[key] = fmt.Sprint(v)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		p.Errorf("data of %s in the state (-want +got):\n%s", name, diff)
	}
	return attributes
}

func TestConfigMapDataBasic(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Testmap(fixture.Contents{Data: fixture.Data{"foo": "1", "bar": "kept"}, Bytes: map[string][]byte{"raw": {1}}})
	uid := string(p.Live("testmap").UID)

	p.Write(fixture.DataBlock("it", fixture.Deletes, `data = { foo = "2", new = "" }`, `binary_data = { raw = "/w==" }`,
		`expected_data = { foo = "1", bar = "kept", gone = null }`, `expected_binary_data = { raw = "AQ==" }`))
	p.Wants(p.Plan(), `id = "`+p.Namespace+`/testmap:foo,new,raw"`)
	before := p.Live("testmap").ResourceVersion
	p.Apply()
	p.WantContents(fixture.Contents{Data: fixture.Data{"foo": "2", "new": "", "bar": "kept"}, Bytes: map[string][]byte{"raw": {0xff}}})
	got := wantData(p, "it", fixture.Data{"foo": "2", "new": ""})
	want := map[string]any{
		"id": p.Namespace + "/testmap:foo,new,raw", "uid": uid, "resource_version": p.Live("testmap").ResourceVersion,
		"previous_data": map[string]any{"foo": "1", "new": nil, "raw": nil},
	}
	for attribute, v := range want {
		if diff := cmp.Diff(v, got[attribute]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", attribute, diff)
		}
	}
	if got["resource_version"] == before {
		t.Error("nothing was written")
	}
	p.PlanNothing()

	// Changed, added, dropped and unchanged keys, all in one request. Expectations of keys that are not written do not count.
	p.Planned(fixture.DataBlock("it", fixture.Deletes, `data = { foo = "2", new = "3", more = "4" }`, `expected_data = { foo = "1", bar = "kept" }`))
	p.WantLive("testmap", fixture.Data{"foo": "2", "new": "3", "more": "4", "bar": "kept"})
	got = wantData(p, "it", fixture.Data{"foo": "2", "new": "3", "more": "4"})
	if diff := cmp.Diff(map[string]any{"new": "", "more": nil, "raw": nil}, got["previous_data"]); diff != "" {
		t.Errorf("previous_data (-want +got):\n%s", diff)
	}
	p.PlanNothing()

	// Anything but values writes nothing.
	updated := p.Live("testmap")
	p.Planned(fixture.DataBlock("it", `data = { foo = "2", new = "3", more = "4" }`, `expected_data = { foo = "wrong", nothing = "there" }`, `conflict_scope = "key"`,
		`hide_values = true`, `adopt_existing = true`, `deletion_policy = "abandon"`, `field_manager = "me"`, `timeouts = { read = "5m" }`))
	p.WantUnchanged(updated)
	p.Planned(fixture.DataBlock("it", fixture.Deletes, `data = { foo = "2", new = "3", more = "4" }`))
	p.Destroy()
	p.WantLive("testmap", fixture.Data{"bar": "kept"})
	p.WantState()
}

// One request for all: the others have not been written where one does not hold, whatever is wrong with each.
func TestConfigMapDataCreateIsAllOrNothing(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		found fixture.Contents
		lines []string
		wants []string         // refused with; nil: goes through
		left  fixture.Contents // where it goes through
		none  bool             // no write is needed
	}{
		"absent": {lines: []string{`data = { a = "1", b = "2" }`}, left: fixture.Contents{Data: fixture.Data{"a": "1", "b": "2"}}},
		"one of them is there": {
			found: fixture.Contents{Data: fixture.Data{"b": "9"}}, lines: []string{`data = { a = "1", b = "2", c = "3" }`},
			wants: []string{
				"Error: Key Already Exists", "b already exists with another value. Nothing was written.",
				"Key: b Expected: (absent) Found: \"9\"", "!Key: a", "Import id: NAMESPACE/testmap:b ", `To replace it, set "b" = "9" in expected_data; to keep it, set "b" = "9" in data, then import it.`,
			},
		},
		"two of them are there": {
			found: fixture.Contents{Data: fixture.Data{"b": "9"}, Bytes: map[string][]byte{"c": {0xff}}}, lines: []string{`data = { a = "1", b = "2", c = "3" }`},
			wants: []string{
				"Error: Key Already Exists", "b and c already exist with other values. Nothing was written.", `Key: b Expected: (absent) Found: "9"`,
				`Key: c Expected: (absent) Found: base64 "/w=="`, "Import id: NAMESPACE/testmap:b,c ", "to keep them, set data to what the keys hold, then import them.",
			},
		},
		"every key fails in a way of its own": {
			found: fixture.Contents{Data: fixture.Data{"exists": "9", "held": "2", "wrong": "9", "guard": "9"}},
			lines: []string{
				`data = { exists = "1", held = "2", wrong = "3", fine = "4" }`,
				`expected_data = { wrong = "1", guard = null }`, `expected_binary_data = { absent = "AA==" }`,
			},
			wants: []string{
				"Error: Compare-And-Swap Conflict",
				"5 keys do not hold what this resource expects. Nothing was written.",
				`Key: absent Expected: base64 "AA==" Found: (absent) Existing keys: held, wrong, exists, guard Problem: expected_binary_data["absent"] does not match`,
				`Key: guard Expected: (absent) Found: "9" Changed by: another-writer (last write `, `Problem: expected_data["guard"] does not match`,
				"More keys: wrong, held, exists resourceVersion: ",
				"Resolve the problem of each key, then run terraform plan again.", "!Key: fine",
			},
		},
		"held": {
			found: fixture.Contents{Data: fixture.Data{"a": "1", "b": "2"}}, lines: []string{`data = { a = "1", b = "2" }`},
			wants: []string{
				"Error: Key Already Holds The Value", "a and b already hold the values to write. Nothing was written.",
				"Import id: NAMESPACE/testmap:a,b ", "run terraform untaint with the address above. Otherwise import them, or set adopt_existing = true.",
			},
		},
		"held, and expected so": {
			found: fixture.Contents{Data: fixture.Data{"a": "1"}}, lines: []string{`data = { a = "1", b = "2" }`, `expected_data = { a = "1" }`},
			left: fixture.Contents{Data: fixture.Data{"a": "1", "b": "2"}},
		},
		"held, and adopted": {
			found: fixture.Contents{Data: fixture.Data{"a": "1"}}, lines: []string{`data = { a = "1", b = "2" }`, `adopt_existing = true`},
			left: fixture.Contents{Data: fixture.Data{"a": "1", "b": "2"}},
		},
		"all held, and adopted": {
			found: fixture.Contents{Data: fixture.Data{"a": "1", "x": "y"}}, lines: []string{`data = { a = "1" }`, `adopt_existing = true`},
			left: fixture.Contents{Data: fixture.Data{"a": "1", "x": "y"}}, none: true,
		},
		"expected in the other map": {
			found: fixture.Contents{Data: fixture.Data{"a": "1"}}, lines: []string{`data = { a = "2" }`, `expected_binary_data = { a = "MQ==" }`},
			wants: []string{
				"Error: Expected Value Mismatch", `a does not hold what expected_binary_data["a"] says. Nothing was written.`,
				`Expected: base64 "MQ==" Found: "1"`, `To replace "1", set "a" = "1" in expected_data;`,
			},
		},
		"from one map to the other": {
			found: fixture.Contents{Data: fixture.Data{"a": "1"}}, lines: []string{`binary_data = { a = "AA==" }`, `expected_data = { a = "1" }`},
			left: fixture.Contents{Bytes: map[string][]byte{"a": {0}}},
		},
	} {
		for _, when := range []string{"plan", "apply"} {
			t.Run(name+", at "+when, func(t *testing.T) {
				p := fixture.NewPipeline(t)
				if when == "apply" {
					p.Export("CAS_PLAN_CHECK", "off")
				}
				p.Testmap(test.found)
				before := p.Live("testmap")
				p.Write(fixture.DataBlock("it", test.lines...))
				var wants []string
				for _, text := range test.wants {
					wants = append(wants, p.Text(text))
				}
				switch {
				case test.wants == nil:
					p.PlanApply()
					p.WantContents(test.left)
					if none := p.Live("testmap").ResourceVersion == before.ResourceVersion; none != test.none {
						t.Errorf("no write: %v, want %v", none, test.none)
					}
					p.PlanNothing()
					return
				case when == "plan":
					p.PlanRefused(append(wants, "!"+fixture.PlanCheckAdvice))
				default:
					p.Plan()
					p.ApplyRefused(append(wants, "!"+fixture.PlanCheckAdvice)...)
				}
				p.WantUnchanged(before)
				p.WantState()
			})
		}
	}
}

func TestConfigMapDataUpdateAfterForeignWrite(t *testing.T) {
	t.Parallel()
	// OpenTofu does not tell a plan from an apply, so that the ends differ.
	const object, unchanged = " changed after ", "The keys of this resource are unchanged, but the ConfigMap changed. Nothing was written."
	none := func(*fixture.Pipeline) {}
	done := fixture.Data{"a": "2", "b": "1", "d": "2", "guard": "1"}
	set := func(key, value string) func(*fixture.Pipeline) {
		return func(p *fixture.Pipeline) { p.Set("testmap", key, value) }
	}
	for name, test := range map[string]struct {
		lines   string
		foreign func(*fixture.Pipeline)
		object  []string
		key     []string     // nil: goes through
		left    fixture.Data // where it goes through
	}{
		"nobody writes": {foreign: none, left: done},
		"a key that is written": {
			foreign: set("a", "foreign"), object: []string{object, `Key: a Expected: "1" Found: "foreign"`, "!Key: b", "!" + `set conflict_scope = "key"`},
			key: []string{"a changed after ", `Key: a Expected: "1" Found: "foreign"`},
		},
		"a key that is not": {
			foreign: set("b", "foreign"), object: []string{object, `Key: b Expected: "1" Found: "foreign"`},
			key: []string{"b changed after ", `Key: b Expected: "1" Found: "foreign"`},
		},
		"a key that is dropped": {
			foreign: set("c", "foreign"), object: []string{object, `Key: c Expected: "1" Found: "foreign"`},
			key: []string{"c changed after ", `Key: c Expected: "1" Found: "foreign"`},
		},
		"the guard": {
			foreign: set("guard", "foreign"), object: []string{object, `Key: guard Expected: "1" Found: "foreign"`},
			key: []string{"Error: Expected Value Mismatch", `expected_data`, `Key: guard Expected: "1" Found: "foreign"`},
		},
		"the guard and a key": {
			foreign: func(p *fixture.Pipeline) { set("guard", "foreign")(p); set("a", "foreign")(p) },
			object:  []string{object, `Key: a Expected: "1" Found: "foreign" Changed by: another-writer (last write `, "Key: guard"},
			key: []string{
				"a and guard do not hold what this resource expects. Nothing was written.",
				`Key: a Expected: "1" Found: "foreign" Changed by: another-writer (last write `, "Problem: it changed after ",
				`Key: guard Expected: "1" Found: "foreign" Changed by: another-writer (last write `, `Problem: expected_data["guard"] does not match`,
			},
		},
		"another key": {
			foreign: set("other", "foreign"), object: []string{unchanged, "!Key: a", `set conflict_scope = "key"`},
			left: fixture.Data{"a": "2", "b": "1", "d": "2", "guard": "1", "other": "foreign"},
		},
		"a key that is dropped is gone": {
			foreign: func(p *fixture.Pipeline) { p.Unset("testmap", "c") }, object: []string{object, `Key: c Expected: "1" Found: (absent)`},
			left: done,
		},
		"a key that is added": {
			lines: `adopt_existing = false`, foreign: set("d", "foreign"), object: []string{object, `Key: d Expected: (absent) Found: "foreign"`},
			key: []string{"Error: Key Already Exists", `Key: d Expected: (absent) Found: "foreign"`, `To replace it, set "d" = "foreign" in expected_data.`, "!import"},
		},
		"a key that is added holds the value": {
			foreign: set("d", "2"), object: []string{object, `Key: d Expected: (absent) Found: "2"`},
			key: []string{"Error: Key Already Holds The Value", `Key: d Found: "2"`, "Set adopt_existing = true to take it over.", "!Import id"},
		},
		"made again, the same": {
			foreign: func(p *fixture.Pipeline) {
				was := p.Live("testmap").Data
				p.Remove("testmap")
				p.Create("testmap", was)
			},
			object: []string{"The ConfigMap was deleted and created again after "}, left: done,
		},
		"gone": {
			foreign: func(p *fixture.Pipeline) { p.Remove("testmap") }, object: []string{"Error: ConfigMap Not Found", "Create the ConfigMap first, and let this resource depend on it."},
			key: []string{"Error: ConfigMap Not Found"},
		},
		"immutable": {
			foreign: func(p *fixture.Pipeline) { p.Change("testmap", fixture.Freeze) }, object: []string{unchanged},
			key: []string{"Error: ConfigMap Is Immutable", "The ConfigMap is immutable. Nothing was written."},
		},
	} {
		for _, scope := range []string{"object", "key"} {
			t.Run(name+", in scope "+scope, func(t *testing.T) {
				p := fixture.NewPipeline(t)
				p.Create("testmap", fixture.Data{"guard": "1"})
				p.Planned(fixture.DataBlock("it", `data = { a = "1", b = "1", c = "1" }`))
				p.Write(fixture.DataBlock("it", `data = { a = "2", b = "1", d = "2" }`, `expected_data = { guard = "1" }`, fmt.Sprintf("conflict_scope = %q", scope), test.lines))
				p.Plan()
				test.foreign(p)
				var before *corev1.ConfigMap
				if p.Exists("testmap") {
					before = p.Live("testmap")
				}
				wants := test.object
				if scope == "key" {
					wants = test.key
				}
				if wants == nil {
					p.Apply()
					wantData(p, "it", fixture.Data{"a": "2", "b": "1", "d": "2"})
					p.WantLive("testmap", test.left)
					return
				}
				p.ApplyRefused(wants...)
				if before != nil {
					p.WantUnchanged(before)
				} else {
					p.WantNone("testmap")
				}
				wantData(p, "it", fixture.Data{"a": "1", "b": "1", "c": "1"})
			})
		}
	}
}
