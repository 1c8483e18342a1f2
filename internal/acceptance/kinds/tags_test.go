package kinds

import (
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// TestSecretTags: whoever has the state also has the key of the tags, and could test guesses of a value against a longer one.
func TestSecretTags(t *testing.T) {
	for _, form := range keyForms {
		t.Run(form, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			o := fixture.Object{Fixture: p.Fixture, Kind: fixture.ObjectKinds[1]}
			o.Create(kept)
			want := func() {
				t.Helper()
				got, err := fixture.TagsIn(p.State()["it"].Private)
				if err != nil {
					t.Fatal(err)
				}
				if len(got) != 2 || got["written foo"] != 4 || got["observed foo"] != 4 {
					t.Errorf("lengths of the tags: %v", got)
				}
			}
			p.Planned(o.Kind.Block(form, "1", ""))
			want()
			o.Set("foo", "9")
			p.Do("refresh")
			want()
			p.Planned(o.Kind.Block(form, "2", ""))
			want()
		})
	}
}
