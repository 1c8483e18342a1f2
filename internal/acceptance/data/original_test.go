package data

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// Given keys that come from hashicorp's resource, of which one vanishes, so that the state has it no more, and is put back; then what it first held is
// as little known as before: it was there.
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

// Given keys of which one holds its value already, and is taken over; when they are written; then what was replaced does not name it.
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
