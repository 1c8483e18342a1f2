package data

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// Given keys that come from hashicorp's resource; when one vanishes, so that the state drops it, and is put back; then its
// first value is as unknown as before.
func TestVanishedKeyThatIsPutBackHasNoOriginal(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{"foo": "1", "bar": "2"})
	const values = `data = { foo = "1", bar = "2" }`
	moved := fixture.DataBlock("it", values, `deletion_policy = "restore"`) + fixture.MovedBlock
	p.Planned(fixture.KubernetesBlock(values))
	p.Planned(moved)
	p.Unset("testmap", "bar")
	p.Planned(moved)
	p.Write("")
	p.Wants(p.Plan(), "Warning: Key Stays In Place", "It is not known what bar and foo held before this resource wrote them, so they stay as they are.")
	p.Apply()
	p.WantLive("testmap", fixture.Data{"foo": "1", "bar": "2"})
	p.WantState()
}

// Given keys, one with its value already, which is adopted; when they are written; then the replaced values do not name it.
func TestWhatIsTakenOverIsNotSaidToBeReplaced(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{"held": "1", "changed": "old"})
	p.Planned(fixture.DataBlock("it", `data = { held = "1", changed = "2", new = "3" }`, `expected_data = { changed = "old" }`, "adopt_existing = true"))
	p.WantLive("testmap", fixture.Data{"held": "1", "changed": "2", "new": "3"})
	want := map[string]any{"changed": "old", "new": nil}
	if diff := cmp.Diff(want, p.State()["it"].Attributes["previous_data"]); diff != "" {
		t.Errorf("previous_data (-want +got):\n%s", diff)
	}
}

// A key that leaves the configuration and stays is named, also if plan_check is off.
func TestKeptKeyIsNamedWithoutAPlanCheck(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{"foo": "1"})
	p.Planned(fixture.DataBlock("it", `data = { foo = "2", bar = "1" }`, `expected_data = { foo = "1" }`))
	p.Export("CAS_PLAN_CHECK", "off")
	p.Write(fixture.DataBlock("it", `data = { bar = "2" }`))
	p.Wants(p.Plan(), "!Warning: Key Stays In Place")
	p.Wants(p.Apply(), "Warning: Key Stays In Place", "Key: foo")
	p.WantLive("testmap", fixture.Data{"foo": "2", "bar": "2"})
}
