package acceptance_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
)

// Given keys that come from hashicorp's resource, of which one vanishes, so that the state has it no more, and is put back; then what it first held is
// as little known as before: it was there.
func TestVanishedKeyThatIsPutBackHasNoOriginal(t *testing.T) {
	f := newFixture(t)
	f.create("testmap", data{"foo": "1", "bar": "2"})
	const values = `data = { foo = "1", bar = "2" }`
	moved := f.config(dataBlock("it", values, `deletion_policy = "restore"`) + movedBlock)
	f.runRefused(func(got failures) {
		got.want(f, "", "Error: Nothing Known To Restore", "It is not known what bar and foo held before this resource wrote them.")
		f.wantLive("testmap", data{"foo": "1", "bar": "2"})
	},
		resource.TestStep{Config: f.config(kubernetesBlock(values))},
		resource.TestStep{Config: moved},
		resource.TestStep{PreConfig: func() { f.unset("testmap", "bar") }, Config: moved},
		resource.TestStep{Config: f.config("")},
		resource.TestStep{Config: f.config(dataBlock("it", values))},
	)
	f.wantLive("testmap", nil)
}

// Given keys of which one holds its value already, and is taken over; when they are written; then what was replaced does not name it.
func TestWhatIsTakenOverIsNotSaidToBeReplaced(t *testing.T) {
	p := newPipeline(t)
	p.create("testmap", data{"held": "1", "changed": "old"})
	p.planned(dataBlock("it", `data = { held = "1", changed = "2", new = "3" }`, `expected_data = { changed = "old" }`, "adopt_existing = true"))
	p.wantLive("testmap", data{"held": "1", "changed": "2", "new": "3"})
	want := map[string]any{"changed": "old", "new": nil}
	if diff := cmp.Diff(want, p.state()["it"].Attributes["previous_data"]); diff != "" {
		t.Errorf("previous_data (-want +got):\n%s", diff)
	}
}
