package kinds

import (
	"maps"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// TestSecretTags expects short tags: anyone who has the state also has the key of the tags, and could test guesses
// against a longer tag.
func TestSecretTags(t *testing.T) {
	for _, form := range keyForms {
		t.Run(form, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			o := fixture.Object{Fixture: p.Fixture, Kind: fixture.ObjectKinds[1]}
			o.Create(kept)
			want := func(written, observed string) {
				t.Helper()
				private := p.State()["it"].Private
				got, err := fixture.TagsIn(private)
				if err != nil {
					t.Fatal(err)
				}
				tags := map[string]string{}
				for part, value := range map[string]string{"written foo": written, "observed foo": observed} {
					if tags[part], err = fixture.TagOf(private, value); err != nil {
						t.Fatal(err)
					}
				}
				if !maps.Equal(got, tags) || len(tags["written foo"]) != 4 {
					t.Errorf("tags: %v, want %v, each of 4 digits", got, tags)
				}
			}
			p.Planned(o.Kind.Block(form, "1", ""))
			want("1", "1")
			o.Set("foo", "9")
			p.Do("refresh")
			want("1", "9")
			p.Planned(o.Kind.Block(form, "2", "", fixture.Overwrites))
			want("2", "2")
		})
	}
}
