//go:build release

package release_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sbom is the part of a CycloneDX document that these tests read.
type sbom struct {
	Format   string `json:"bomFormat"`
	Metadata struct {
		Component component `json:"component"`
	} `json:"metadata"`
	Components []component `json:"components"`
}

type component struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	PURL    string `json:"purl"`
}

// Each SBOM names the modules, with their versions, that go finds in the binary of the archive: no others, and Go itself.
func TestEachArchiveHasAnSBOMOfItsBinary(t *testing.T) {
	t.Parallel()
	m := read(t)
	var want []string
	for _, system := range systems() {
		want = append(want, m.sbom(system))
		t.Run(system, func(t *testing.T) {
			t.Parallel()
			r := m.open(t, system)
			info := buildOf(t, r, m.binary(system))
			modules := []string{"std " + info.GoVersion}
			for _, dependency := range info.Deps {
				if dependency.Replace != nil {
					t.Errorf("%s is replaced", dependency.Path)
				}
				modules = append(modules, dependency.Path+" "+dependency.Version)
			}
			if len(modules) < 50 {
				t.Errorf("go finds only %d modules", len(modules))
			}

			content, err := os.ReadFile(m.sbom(system))
			if err != nil {
				t.Fatal(err)
			}
			var got sbom
			if err := json.Unmarshal(content, &got); err != nil {
				t.Fatal(err)
			}
			if got.Format != "CycloneDX" {
				t.Errorf("the format is %q", got.Format)
			}
			own := got.Metadata.Component
			if own.Name != "github.com/terraform-cas/terraform-provider-cas" || own.Version != "v"+m.Version {
				t.Errorf("it is about %s %s", own.Name, own.Version)
			}
			var listed []string
			for _, c := range got.Components {
				listed = append(listed, c.Name+" "+c.Version)
				if !strings.HasPrefix(c.PURL, "pkg:golang/"+c.Name+"@"+c.Version) {
					t.Errorf("%s %s has the package URL %s", c.Name, c.Version, c.PURL)
				}
			}
			slices.Sort(modules)
			slices.Sort(listed)
			if diff := cmp.Diff(modules, listed); diff != "" {
				t.Error(diff)
			}
		})
	}
	found, err := filepath.Glob(filepath.Join(*dist, "*.cdx.json"))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(want)
	if diff := cmp.Diff(want, found); diff != "" {
		t.Error(diff)
	}
}
