package data

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

func TestConfigMapDataDrift(t *testing.T) {
	t.Parallel()
	const block = `data = { a = "1", b = "2" }`
	written := func(t *testing.T) *fixture.Pipeline {
		t.Helper()
		p := fixture.NewPipeline(t)
		p.Testmap(fixture.Contents{})
		p.Planned(fixture.DataBlock("it", block))
		return p
	}
	t.Run("a key that vanished comes back", func(t *testing.T) {
		p := fixture.NewPipeline(t)
		p.Create("testmap", fixture.Data{"x": "y"})
		p.Planned(fixture.DataBlock("it", block))
		p.Unset("testmap", "b")
		p.Wants(p.Plan(), "0 to add, 1 to change, 0 to destroy", `+ "b" = "2"`)
		p.Apply()
		p.WantLive("testmap", fixture.Data{"a": "1", "b": "2", "x": "y"})
	})
	t.Run("a key that vanished is there again before it is written", func(t *testing.T) {
		p := fixture.NewPipeline(t)
		p.Testmap(fixture.Contents{})
		p.Planned(fixture.DataBlock("it", block, `conflict_scope = "key"`))
		p.Unset("testmap", "b")
		p.Plan()
		p.Set("testmap", "b", "foreign")
		p.ApplyRefused("Error: Key Already Exists", `Key: b Expected: (absent) Found: "foreign"`)
		p.WantLive("testmap", fixture.Data{"a": "1", "b": "foreign"})

		// The resource still has the key, so the value is drift.
		p.PlanRefused([]string{fixture.DriftRefused, `Key: b Found: "foreign" To write: "2"`})
		p.Write(fixture.DataBlock("it", block, fixture.Overwrites, `conflict_scope = "key"`))
		p.Wants(p.Plan(), `~ "b" = "foreign" -> "2"`)
		p.Apply()
		p.WantLive("testmap", fixture.Data{"a": "1", "b": "2"})
	})
	t.Run("it is looked for also where a refresh was stored meanwhile", func(t *testing.T) {
		p := written(t)
		p.Unset("testmap", "b")
		p.PlanApply("-refresh-only")
		wantData(p, "it", fixture.Data{"a": "1"})
		p.Set("testmap", "b", "foreign")
		p.PlanRefused([]string{fixture.DriftRefused, `Key: b Found: "foreign" To write: "2"`})
	})
	t.Run("all keys vanished", func(t *testing.T) {
		p := written(t)
		p.Change("testmap", func(cm *corev1.ConfigMap) { cm.Data = nil })
		p.Wants(p.Plan(), "0 to add, 1 to change, 0 to destroy")
		p.Apply()
		p.WantLive("testmap", fixture.Data{"a": "1", "b": "2"})
		p.Change("testmap", func(cm *corev1.ConfigMap) { cm.Data = nil })
		p.Wants(p.Plan("-destroy"), "1 to destroy")
		p.Apply()
		p.WantState()
	})
	t.Run("the ConfigMap is gone", func(t *testing.T) {
		p := written(t)
		p.Remove("testmap")
		p.Wants(p.Plan(), "1 to add, 0 to change, 0 to destroy", "Warning: ConfigMap Does Not Exist Yet")
		p.Testmap(fixture.Contents{})
		p.Apply()
		p.WantLive("testmap", fixture.Data{"a": "1", "b": "2"})
	})
	t.Run("the ConfigMap was made again", func(t *testing.T) {
		p := written(t)
		p.Remove("testmap")
		p.Create("testmap", fixture.Data{"a": "1", "b": "2"})
		p.PlanNothing()
		p.Set("testmap", "a", "3")
		p.PlanRefused([]string{fixture.DriftRefused, `Key: a Last written: "1" Found: "3" To write: "1"`})
		p.Write(fixture.DataBlock("it", block, fixture.Overwrites))
		p.Wants(p.Plan(), `~ "a" = "3" -> "1"`)
		p.Apply()
		p.WantLive("testmap", fixture.Data{"a": "1", "b": "2"})
	})
	t.Run("a key that moved to the other map", func(t *testing.T) {
		p := written(t)
		p.Change("testmap", func(cm *corev1.ConfigMap) {
			delete(cm.Data, "b")
			cm.BinaryData = map[string][]byte{"b": {0xff}}
		})
		p.PlanRefused([]string{fixture.DriftRefused, `Key: b Last written: "2" Found: base64 "/w==" To write: "2"`})
		p.Write(fixture.DataBlock("it", block, fixture.Overwrites))
		p.Wants(p.Plan(), `+ "b" = "2"`, `- "b" = "/w=="`)
		p.Apply()
		p.WantLive("testmap", fixture.Data{"a": "1", "b": "2"})
		p.PlanNothing()
	})
	t.Run("empty maps are no drift", func(t *testing.T) {
		p := fixture.NewPipeline(t)
		p.Testmap(fixture.Contents{})
		p.Planned(fixture.DataBlock("it", `data = {}`, `binary_data = { a = "AA==" }`))
		p.PlanNothing()
	})
	t.Run("what is the same after normalization", func(t *testing.T) {
		p := fixture.NewPipeline(t)
		p.Create("testmap", fixture.Data{"a": fixture.Decomposed})
		p.Planned(fixture.DataBlock("it", `data = { a = "`+fixture.Composed+`", b = "1" }`, `adopt_existing = true`))
		p.PlanNothing()
		p.WantLive("testmap", fixture.Data{"a": fixture.Decomposed, "b": "1"})
	})
}
