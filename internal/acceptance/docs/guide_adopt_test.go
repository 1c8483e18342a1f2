package docs

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// guideRows are the first cells of the table that follows a line of a guide.
func guideRows(t *testing.T, guide, header string) (rows []string) {
	t.Helper()
	_, table, found := strings.Cut(guideText(t, guide), header+"\n| --- | --- |\n")
	if !found {
		t.Fatalf("the guide %s has no table %s", guide, header)
	}
	table, _, _ = strings.Cut(table, "\n\n")
	for line := range strings.Lines(table) {
		first, _, _ := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
		rows = append(rows, first)
	}
	return rows
}

// Each way of the guide takes over a key that exists. Without one, the plan is refused.
func TestGuideAdoptWays(t *testing.T) {
	t.Parallel()
	const foo = "cas_configmap_entry.foo"
	entry := func(lines ...string) string { return fixture.Entry("foo", "testmap", "foo", lines...) }
	const mapVersion = `
data "cas_configmap" "testmap" {
  namespace = NAMESPACE
  name      = "testmap"
}
`
	ways := map[string]func(t *testing.T, p *fixture.Pipeline){
		"keep the value, which your configuration has": func(_ *testing.T, p *fixture.Pipeline) {
			before := p.Live("testmap")
			p.Planned(entry(`value = "1"`, `adopt_existing = true`))
			p.WantUnchanged(before)
		},
		"keep the value, which your configuration does not have yet": func(t *testing.T, p *fixture.Pipeline) {
			t.Helper()
			before := p.Live("testmap")
			p.Write(entry(`value = "2"`))
			p.Do("import", foo, p.Namespace+"/testmap/foo")
			p.Wants(p.Plan(), `"1" -> "2"`)
			p.Write(entry(`value = "1"`))
			p.PlanNothing()
			p.WantUnchanged(before)
		},
		"replace a value that you know": func(_ *testing.T, p *fixture.Pipeline) {
			p.Planned(entry(`value = "2"`, `expected_value = "1"`))
			p.WantLive("testmap", fixture.Data{"foo": "2"})
		},
		"replace a value that you do not know, such as a password": func(_ *testing.T, p *fixture.Pipeline) {
			p.Planned(mapVersion + entry(`value = "2"`, `expected_resource_version_wo = data.cas_configmap.testmap.resource_version`))
			p.WantLive("testmap", fixture.Data{"foo": "2"})
		},
	}
	elsewhere := []string{ // with tests of their own
		"replace whatever is there in some clusters, and create it in others", "take over many keys or ConfigMaps",
		"take over from `hashicorp/kubernetes`",
	}
	var missing []string
	for _, row := range guideRows(t, "adopt", "| you want to | do this |") {
		if ways[row] == nil {
			missing = append(missing, row)
		}
	}
	if diff := cmp.Diff(elsewhere, missing); diff != "" {
		t.Errorf("rows without a test here (-want +got):\n%s", diff)
	}
	for name, follow := range ways {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Create("testmap", fixture.Data{"foo": "1"})
			p.Write(entry(`value = "2"`))
			p.PlanRefused([]string{"Key Already Exists"})
			follow(t, p)
			p.PlanNothing()
		})
	}
}

// After the import of a Secret, the first apply writes nothing, replaces the expected value, or any value at a version.
func TestGuideAdoptImportsASecret(t *testing.T) {
	t.Parallel()
	const version = `
data "cas_object_fields" "database" {
  api_version = "v1"
  kind        = "Secret"
  namespace   = NAMESPACE
  name        = "database"
  paths       = ["metadata.resourceVersion"]
}
`
	for name, test := range map[string]struct{ before, value, line, want string }{
		"adopt_existing":               {"", "old", `adopt_existing = true`, "old"},
		"expected_value_wo":            {"", "new", `expected_value_wo = "old"`, "new"},
		"expected_resource_version_wo": {version, "new", `expected_resource_version_wo = data.cas_object_fields.database.resource_version`, "new"},
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			before := p.CreateSecret("database", fixture.Data{"password": "old"})
			p.Write(test.before + fixture.SecretEntry(fmt.Sprintf("value_wo = %q", test.value), "value_wo_version = 1", test.line))
			p.Do("import", "cas_secret_entry.it", p.Namespace+"/database/password")
			p.PlanApply()
			p.WantSecret("database", fixture.Data{"password": test.want})
			if written := p.LiveSecret("database").ResourceVersion != before.ResourceVersion; written != (test.want == "new") {
				t.Errorf("written: %t", written)
			}
			p.PlanNothing()
		})
	}
}
