package behavior

import (
	"regexp"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// ImportsWhatItMade imports what was created, which must have the same attributes as before, except for those named.
func ImportsWhatItMade(p *fixture.Pipeline, address, id string, but ...string) {
	p.Helper()
	_, label, _ := strings.Cut(address, ".")
	made := p.WantState(label)[label].Attributes
	p.Do("state", "rm", address)
	p.Do("import", address, id)
	imported := p.WantState(label)[label].Attributes
	for _, name := range but {
		delete(made, name)
		delete(imported, name)
	}
	if diff := cmp.Diff(made, imported); diff != "" {
		p.Errorf("made (-) and imported (+):\n%s", diff)
	}
}

// ImportsOf is Config for a body in which ids name the namespace as well.
func ImportsOf(f *fixture.Fixture, body string) string {
	return f.Config(regexp.MustCompile(`"NAMESPACE/`).ReplaceAllLiteralString(body, `"`+f.Namespace+`/`))
}
