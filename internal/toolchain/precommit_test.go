package toolchain_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

// What a hook may say is a part of what pre-commit knows (https://pre-commit.com/#creating-new-hooks).
type hook struct {
	ID            string `json:"id"`
	Name          string `json:"name"`
	Entry         string `json:"entry"`
	Language      string `json:"language"`
	Files         string `json:"files,omitempty"`
	PassFilenames bool   `json:"pass_filenames"`
}

func TestPreCommitHooksAreMakeTargets(t *testing.T) {
	t.Parallel()
	root, err := toolchain.Root()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := os.ReadFile(filepath.Join(root, ".pre-commit-config.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var config struct {
		Repos []struct {
			Repo  string `json:"repo"`
			Hooks []hook `json:"hooks"`
		} `json:"repos"`
	}
	if err := yaml.UnmarshalStrict(raw, &config); err != nil {
		t.Fatal(err)
	}
	makefile, err := os.ReadFile(filepath.Join(root, "GNUmakefile"))
	if err != nil {
		t.Fatal(err)
	}

	var targets []string
	for _, repo := range config.Repos {
		for _, h := range repo.Hooks {
			target, _ := strings.CutPrefix(h.Entry, "make ")
			if repo.Repo != "local" || h.Language != "system" || h.Name != h.Entry || h.ID != target || h.PassFilenames {
				t.Errorf("%q must be a local hook that runs the make target of its name, without files: %+v", h.ID, h)
			}
			if !regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(target) + `:`).Match(makefile) {
				t.Errorf("there is no make target %q", target)
			}
			targets = append(targets, target)
		}
	}
	if want := []string{"fmt", "generate", "lint"}; !slices.Equal(targets, want) {
		t.Errorf("hooks: %q, want %q", targets, want)
	}
}
