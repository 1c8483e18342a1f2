package acceptance_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestConfigMapDataDrift(t *testing.T) {
	t.Parallel()
	const block = `data = { a = "1", b = "2" }`
	written := func(t *testing.T) *pipeline {
		t.Helper()
		p := newPipeline(t)
		p.testmap(contents{})
		p.planned(dataBlock("it", block))
		return p
	}
	t.Run("a key that vanished comes back", func(t *testing.T) {
		p := newPipeline(t)
		p.create("testmap", data{"x": "y"})
		p.planned(dataBlock("it", block))
		p.unset("testmap", "b")
		p.wants(p.plan(), "0 to add, 1 to change, 0 to destroy", `+ "b" = "2"`)
		p.apply()
		p.wantLive("testmap", data{"a": "1", "b": "2", "x": "y"})
	})
	t.Run("a key that vanished is there again before it is written", func(t *testing.T) {
		p := newPipeline(t)
		p.testmap(contents{})
		p.planned(dataBlock("it", block, `conflict_scope = "key"`))
		p.unset("testmap", "b")
		p.plan()
		p.set("testmap", "b", "foreign")
		p.applyRefused("Error: Key Already Exists", `Key: b Expected: (absent) Found: "foreign"`)
		p.wantLive("testmap", data{"a": "1", "b": "foreign"})

		// It is the resource's still: the next plan shows what it holds, and writes over that.
		p.wants(p.plan(), `~ "b" = "foreign" -> "2"`)
		p.apply()
		p.wantLive("testmap", data{"a": "1", "b": "2"})
	})
	t.Run("it is looked for also where a refresh was stored meanwhile", func(t *testing.T) {
		p := written(t)
		p.unset("testmap", "b")
		p.planApply("-refresh-only")
		p.wantData("it", data{"a": "1"})
		p.set("testmap", "b", "foreign")
		p.wants(p.plan(), `~ "b" = "foreign" -> "2"`)
	})
	t.Run("all keys vanished", func(t *testing.T) {
		p := written(t)
		p.change("testmap", func(cm *corev1.ConfigMap) { cm.Data = nil })
		p.wants(p.plan(), "0 to add, 1 to change, 0 to destroy")
		p.apply()
		p.wantLive("testmap", data{"a": "1", "b": "2"})
		p.change("testmap", func(cm *corev1.ConfigMap) { cm.Data = nil })
		p.wants(p.plan("-destroy"), "1 to destroy")
		p.apply()
		p.wantState()
	})
	t.Run("the ConfigMap is gone", func(t *testing.T) {
		p := written(t)
		p.remove("testmap")
		p.wants(p.plan(), "1 to add, 0 to change, 0 to destroy", "Warning: ConfigMap Does Not Exist Yet")
		p.testmap(contents{})
		p.apply()
		p.wantLive("testmap", data{"a": "1", "b": "2"})
	})
	t.Run("the ConfigMap was made again", func(t *testing.T) {
		p := written(t)
		p.remove("testmap")
		p.create("testmap", data{"a": "1", "b": "2"})
		p.planNothing()
		p.set("testmap", "a", "3")
		p.wants(p.plan(), `~ "a" = "3" -> "1"`)
		p.apply()
		p.wantLive("testmap", data{"a": "1", "b": "2"})
	})
	t.Run("a key that moved to the other map", func(t *testing.T) {
		p := written(t)
		p.change("testmap", func(cm *corev1.ConfigMap) {
			delete(cm.Data, "b")
			cm.BinaryData = map[string][]byte{"b": {0xff}}
		})
		p.wants(p.plan(), `+ "b" = "2"`, `- "b" = "/w=="`)
		p.apply()
		p.wantLive("testmap", data{"a": "1", "b": "2"})
		p.planNothing()
	})
	t.Run("empty maps are no drift", func(t *testing.T) {
		p := newPipeline(t)
		p.testmap(contents{})
		p.planned(dataBlock("it", `data = {}`, `binary_data = { a = "AA==" }`))
		p.planNothing()
	})
	t.Run("what is the same after normalization", func(t *testing.T) {
		p := newPipeline(t)
		p.create("testmap", data{"a": decomposed})
		p.planned(dataBlock("it", `data = { a = "`+composed+`", b = "1" }`, `adopt_existing = true`))
		p.planNothing()
		p.wantLive("testmap", data{"a": decomposed, "b": "1"})
	})
}
