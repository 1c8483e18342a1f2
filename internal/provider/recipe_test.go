package provider

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-framework/resource"

	"github.com/terraform-cas/terraform-provider-cas/internal/provider/connect"
	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

// Each resource followed the recipe in CONTRIBUTING.md: the file or folder that a step begins with is there, and has what else the step quotes.
func TestRecipe(t *testing.T) {
	t.Parallel()
	root, err := toolchain.Root()
	if err != nil {
		t.Fatal(err)
	}
	_, recipe, _ := strings.Cut(toolchain.Text(t, root, "CONTRIBUTING.md"), "\n## Add a resource\n")
	recipe, _, _ = strings.Cut(recipe, "\n## ")
	steps := regexp.MustCompile(`(?m)^\d\. (.+\n(?:   .+\n)*)`).FindAllStringSubmatch(recipe, -1)
	if len(steps) < 8 {
		t.Fatalf("found only %d steps", len(steps))
	}
	for _, construct := range newProvider("test", connect.Process()).Resources(t.Context()) {
		var metadata resource.MetadataResponse
		construct().Metadata(t.Context(), resource.MetadataRequest{ProviderTypeName: "cas"}, &metadata)
		typ := strings.TrimPrefix(metadata.TypeName, "cas_")
		kind, name, isPart := strings.Cut(typ, "_")
		if !isPart {
			name = kind
		}
		family := name
		if kind == "secret" {
			family = kind
		}
		of := strings.NewReplacer("TYPE", typ, "KIND", kind, "NAME", name, "FAMILY", family)
		for _, step := range steps {
			spans := regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(step[1], -1)
			content := textBelow(t, filepath.Join(root, of.Replace(spans[0][1])))
			for _, span := range spans[1:] {
				if want := of.Replace(span[1]); !regexp.MustCompile(regexp.QuoteMeta(want) + `(\W|$)`).MatchString(content) {
					t.Errorf("%s: %s has no %s", metadata.TypeName, of.Replace(spans[0][1]), want)
				}
			}
		}
	}
}

// textBelow is what a file holds, or all files below a folder.
func textBelow(t *testing.T, path string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(path, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		all.Write(content)
		return err
	})
	if err != nil || all.Len() == 0 {
		t.Errorf("%s: there is nothing (%v)", path, err)
	}
	return all.String()
}
