package kinds

import (
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// keyForms are the resources of keys: one key, and several.
var keyForms = []string{"entry", "data"}

// onKinds runs a test with each resource of keys of each kind.
func onKinds(t *testing.T, test func(p *fixture.Pipeline, o fixture.Object, form string)) {
	t.Helper()
	for _, kind := range fixture.ObjectKinds {
		for _, form := range keyForms {
			t.Run(kind.Name+" "+form, func(t *testing.T) {
				p := fixture.NewPipeline(t)
				test(p, fixture.Object{Fixture: p.Fixture, Kind: kind}, form)
			})
		}
	}
}

// onFields runs a test with the resource of fields of any kind.
func onFields(t *testing.T, test func(p *fixture.Pipeline, o fixture.Object, form string)) {
	t.Helper()
	t.Run(fixture.Annotated.Name+" fields", func(t *testing.T) {
		p := fixture.NewPipeline(t)
		test(p, fixture.Object{Fixture: p.Fixture, Kind: fixture.Annotated}, "fields")
	})
}
