package data

import (
	"cmp"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/behavior"
	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

func TestConfigMapDataDestroyRestoresWhatWasThereFirst(t *testing.T) {
	t.Parallel()
	const restore = `deletion_policy = "restore"`
	for name, test := range map[string]behavior.Restoration{
		"of each key": {
			Found: fixture.Contents{Data: fixture.Data{"text": fixture.Decomposed, "bytes": "1"}, Bytes: map[string][]byte{"raw": {0, 0xff}}},
			Writes: []string{
				fixture.DataBlock("it", restore, `data = { text = "2", raw = "3", new = "4" }`, `binary_data = { bytes = "AA==" }`,
					`expected_data = { text = "`+fixture.Composed+`", bytes = "1" }`, `expected_binary_data = { raw = "AP8=" }`),
				fixture.DataBlock("it", restore, `data = { text = "3", raw = "4", new = "5" }`, `binary_data = { bytes = "AAA=" }`),
			},
		},
		"of a key that came later": {
			Found: fixture.Contents{Data: fixture.Data{"a": "1", "b": "2"}},
			Writes: []string{
				fixture.DataBlock("it", restore, `data = { a = "x" }`, `expected_data = { a = "1" }`),
				fixture.DataBlock("it", restore, `data = { a = "x", b = "y" }`, `expected_data = { b = "2" }`),
				fixture.DataBlock("it", restore, `data = { a = "y", b = "z" }`),
			},
		},
		"of a key that is dropped, at once": {
			Found: fixture.Contents{Data: fixture.Data{"a": "1", "b": "2"}},
			Writes: []string{
				fixture.DataBlock("it", restore, `data = { a = "x", b = "y", c = "z" }`, `expected_data = { a = "1", b = "2" }`),
				fixture.DataBlock("it", restore, `data = { a = "x" }`),
			},
		},
		"of a key that is dropped and comes again": {
			Found: fixture.Contents{Data: fixture.Data{"a": "1", "b": "2"}},
			Writes: []string{
				fixture.DataBlock("it", fixture.Deletes, `data = { a = "x", b = "y" }`, `expected_data = { a = "1", b = "2" }`),
				fixture.DataBlock("it", fixture.Deletes, `data = { a = "x" }`),
				fixture.DataBlock("it", restore, `data = { a = "x", b = "z" }`),
			},
			Left: fixture.Contents{Data: fixture.Data{"a": "1"}}, // b was missing then
		},
		"that was adopted": {
			Found:  fixture.Contents{Data: fixture.Data{"a": "1", "b": "2"}},
			Writes: []string{fixture.DataBlock("it", restore, `data = { a = "1", b = "2" }`, `adopt_existing = true`), fixture.DataBlock("it", restore, `data = { a = "2", b = "2" }`)},
		},
		"that was imported": {
			Found: fixture.Contents{Data: fixture.Data{"a": "1", "b": fixture.Decomposed}}, Address: "cas_configmap_data.it", ID: ":a,b",
			Writes: []string{fixture.DataBlock("it", restore, `data = { a = "2", b = "2" }`)},
		},
	} {
		t.Run(name, test.Run)
	}
}

func TestConfigMapDataDroppedKeysGoByThePolicy(t *testing.T) {
	t.Parallel()
	const all, one = `data = { a = "1", b = "2" }`, `data = { a = "1" }`
	seed := func(t *testing.T, lines ...string) *fixture.Pipeline {
		t.Helper()
		p := fixture.NewPipeline(t)
		p.Testmap(fixture.Contents{})
		p.Planned(fixture.DataBlock("it", append(lines, all)...))
		return p
	}
	t.Run("abandon writes nothing, and forgets the key", func(t *testing.T) {
		p := seed(t)
		before := p.Live("testmap")
		p.Planned(fixture.DataBlock("it", one, `deletion_policy = "abandon"`))
		p.WantLive("testmap", fixture.Data{"a": "1", "b": "2"})
		p.WantUnchanged(before)
		p.Set("testmap", "b", "another's")
		p.PlanNothing()
		if id := wantData(p, "it", fixture.Data{"a": "1"})["id"]; id != p.Namespace+"/testmap:a" {
			t.Errorf("id: %v", id)
		}
	})
	t.Run("delete warns of drift, and removes the key, if on_drift permits that", func(t *testing.T) {
		p := seed(t)
		p.Set("testmap", "b", "foreign")
		p.Write(fixture.DataBlock("it", one, fixture.Deletes))
		p.PlanRefused([]string{fixture.DriftRefused, `Key: b Found: "foreign"`})
		p.Write(fixture.DataBlock("it", one, fixture.Deletes, fixture.Overwrites))
		p.Wants(p.Plan(), "Warning: Value Changed Since Last Apply", "b does not hold what this resource last wrote.", `Key: b Found: "foreign"`)
		p.Apply()
		p.WantLive("testmap", fixture.Data{"a": "1"})
	})
	t.Run("one that is still expected must hold that", func(t *testing.T) {
		p := seed(t)
		p.Write(fixture.DataBlock("it", one, `expected_data = { b = "9" }`))
		p.PlanRefused([]string{"Error: Expected Value Mismatch", `Key: b Expected: "9" Found: "2"`})
		p.Planned(fixture.DataBlock("it", one, `expected_data = { b = "2" }`))
		p.WantLive("testmap", fixture.Data{"a": "1"})
	})
}

func TestConfigMapDataDestroy(t *testing.T) {
	t.Parallel()
	const block = `data = { a = "1", b = "2" }`
	for name, test := range map[string]struct {
		lines   string
		before  func(*fixture.Pipeline) // the plan
		wants   []string                // of the plan
		foreign func(*fixture.Pipeline) // between plan and apply
		refused map[string]string       // by scope, what the apply says; "": goes through
		left    fixture.Data            // after the destroy, or the one after the refused one; nil: no ConfigMap
	}{
		"quiet": {left: fixture.Data{"x": "y"}},
		"one key is gone": {
			before: func(p *fixture.Pipeline) { p.Unset("testmap", "a") }, left: fixture.Data{"x": "y"},
		},
		"one key goes meanwhile": {
			foreign: func(p *fixture.Pipeline) { p.Unset("testmap", "a") }, left: fixture.Data{"x": "y"},
			refused: map[string]string{"object": `Key: a Expected: "1" Found: (absent)`},
		},
		"all keys go meanwhile": {
			foreign: func(p *fixture.Pipeline) {
				p.Change("testmap", func(cm *corev1.ConfigMap) { cm.Data = fixture.Data{"x": "y"} })
			}, left: fixture.Data{"x": "y"},
		},
		"the ConfigMap goes meanwhile": {foreign: func(p *fixture.Pipeline) { p.Remove("testmap") }},
		"another wrote before": {
			before: func(p *fixture.Pipeline) { p.Set("testmap", "a", "foreign"); p.Set("testmap", "b", "foreign") }, left: fixture.Data{"x": "y"},
			wants: []string{"Warning: Value Changed Since Last Apply", `Key: a Found: "foreign" Changed by: another-writer (last write `, `Key: b Found: "foreign" Changed by: another-writer (last write `, "The apply removes them if they still hold what the plan found."},
		},
		"another writes meanwhile": {
			foreign: func(p *fixture.Pipeline) { p.Set("testmap", "b", "foreign") }, left: fixture.Data{"x": "y"},
			refused: map[string]string{"object": `Key: b Expected: "2" Found: "foreign"`, "key": `Key: b Expected: "2" Found: "foreign"`},
		},
		"another key is written meanwhile": {
			foreign: func(p *fixture.Pipeline) { p.Set("testmap", "x", "z") }, left: fixture.Data{"x": "z"},
			refused: map[string]string{"object": `Run terraform plan again, or first apply conflict_scope = "key" to ignore other keys.`},
		},
		"abandoned": {lines: `deletion_policy = "abandon"`, foreign: func(p *fixture.Pipeline) { p.Change("testmap", fixture.Freeze) }, left: fixture.Data{"x": "y", "a": "1", "b": "2"}},
		"being deleted": {
			before: func(p *fixture.Pipeline) {
				p.Change("testmap", func(cm *corev1.ConfigMap) { cm.Finalizers = []string{"example.com/held"} })
				p.Remove("testmap")
			},
			left: fixture.Data{"x": "y"},
		},
	} {
		for _, scope := range []string{"object", "key"} {
			t.Run(name+", in scope "+scope, func(t *testing.T) {
				p := fixture.NewPipeline(t)
				p.Create("testmap", fixture.Data{"x": "y"})
				p.Planned(fixture.DataBlock("it", block, `conflict_scope = "`+scope+`"`, fixture.Overwrites, cmp.Or(test.lines, fixture.Deletes)))
				t.Cleanup(func() {
					if p.Exists("testmap") && p.Live("testmap").DeletionTimestamp != nil {
						p.Change("testmap", func(cm *corev1.ConfigMap) { cm.Finalizers = nil })
					}
				})
				if test.before != nil {
					test.before(p)
				}
				p.Wants(p.Plan("-destroy"), test.wants...)
				if test.foreign != nil {
					test.foreign(p)
				}
				if refused := test.refused[scope]; refused != "" {
					before := p.Live("testmap")
					p.ApplyRefused("Error: Compare-And-Swap Conflict", refused, "Nothing was removed.")
					p.WantUnchanged(before)
					p.WantState("it")
					p.Destroy()
				} else {
					p.Apply()
				}
				if exists := p.Exists("testmap"); exists != (test.left != nil) {
					t.Errorf("the ConfigMap exists: %v", exists)
				} else if exists {
					p.WantLive("testmap", test.left)
				}
				p.WantState()
			})
		}
	}
	t.Run("immutable", func(t *testing.T) {
		p := fixture.NewPipeline(t)
		p.Testmap(fixture.Contents{})
		p.Planned(fixture.DataBlock("it", block))
		p.Change("testmap", fixture.Freeze)
		p.PlanRefused([]string{
			"Error: ConfigMap Is Immutable", "The ConfigMap is immutable. Nothing was removed.", `To leave the ConfigMap as it is, apply deletion_policy = "abandon", then destroy.`, "!" + fixture.PlanCheckAdvice,
		}, "-destroy")
	})
	// Before 1.12.2, Terraform plans the removal before its refresh: the plan compares its own read, not the prior state.
	t.Run("a removed block, after another wrote", func(t *testing.T) {
		p := fixture.NewPipeline(t)
		p.Testmap(fixture.Contents{})
		p.Planned(fixture.DataBlock("it", block, fixture.Deletes, fixture.Overwrites))
		p.Set("testmap", "b", "foreign")
		p.Write("")
		p.Wants(p.Plan(), "Warning: Value Changed Since Last Apply", `Key: b Found: "foreign"`)
		p.Apply()
		p.WantLive("testmap", nil)
	})
}

// A key was missing at the last refresh, and another writer sets the key before the block is removed. Before 1.12.2,
// Terraform plans the removal before its refresh: that plan does not show the key, so the apply leaves the key alone.
func TestConfigMapDataRemovalLeavesAKeyThatCameBack(t *testing.T) {
	fixture.OnEachProfile(t, func(p *fixture.Pipeline) {
		p.Create("testmap", fixture.Data{"bar": "kept"})
		p.Planned(fixture.DataBlock("it", fixture.Deletes, fixture.Overwrites, `data = { foo = "2", other = "1" }`))
		p.Unset("testmap", "foo")
		p.Do("refresh")
		p.Set("testmap", "foo", "3")
		p.Write("")
		want := fixture.Data{"bar": "kept", "foo": "3"}
		if strings.Contains(p.Plan(), "Value Changed Since Last Apply") {
			delete(want, "foo")
		}
		p.Apply()
		p.WantLive("testmap", want)
		p.WantState()
	})
}
