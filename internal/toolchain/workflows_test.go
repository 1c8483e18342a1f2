package toolchain_test

import (
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

// workflow is the part of a workflow of GitHub Actions that the tests read; actionlint checks its syntax.
type workflow struct {
	Permissions map[string]string `json:"permissions"`
	Concurrency any               `json:"concurrency"`
	Jobs        map[string]struct {
		Permissions map[string]string `json:"permissions"`
		Timeout     int               `json:"timeout-minutes"`
		Strategy    struct {
			Matrix struct {
				Target  []string            `json:"target"`
				Include []map[string]string `json:"include"`
			} `json:"matrix"`
		} `json:"strategy"`
		Steps []struct {
			Uses string         `json:"uses"`
			With map[string]any `json:"with"`
			Run  string         `json:"run"`
		} `json:"steps"`
	} `json:"jobs"`
}

// makefileTargets returns the targets that `make help` shows.
func makefileTargets(t *testing.T) []string {
	t.Helper()
	var targets []string
	for _, match := range regexp.MustCompile(`(?m)^([a-z-]+):.*## `).FindAllStringSubmatch(read(t, "GNUmakefile"), -1) {
		targets = append(targets, match[1])
	}
	return targets
}

// A workflow may read and nothing else, save what a release writes; it is cancelled or queued, and ends; its actions are pinned to
// a commit, the same in all workflows; and what it runs are targets of the makefile.
func TestWorkflowsKeepTheRules(t *testing.T) {
	t.Parallel()
	use := regexp.MustCompile(`(?m)^.*\buses\b.*$`)
	pinned := regexp.MustCompile(`^ +- uses: ([\w.-]+(?:/[\w.-]+)+)@([0-9a-f]{40} # v\d+\.\d+\.\d+)$`)
	grants := map[string]map[string]string{"release.yml": {"contents": "write", "id-token": "write", "attestations": "write"}}
	targets := makefileTargets(t)
	paths, err := filepath.Glob(filepath.Join(repository(t), ".github", "workflows", "*"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no workflows: %v", err)
	}
	versions := map[string]string{}
	for _, path := range paths {
		name := filepath.Base(path)
		content := read(t, filepath.Join(".github", "workflows", name))
		var w workflow
		if err := yaml.Unmarshal([]byte(content), &w); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(w.Jobs) == 0 || w.Concurrency == nil || w.Permissions == nil {
			t.Errorf("%s: no jobs, no concurrency, or no permissions at the top", name)
		}
		for scope, permission := range w.Permissions {
			if permission != "read" {
				t.Errorf("%s: every job may %s %s", name, permission, scope)
			}
		}
		for _, line := range use.FindAllString(content, -1) {
			action := pinned.FindStringSubmatch(line)
			switch {
			case action == nil:
				t.Errorf("%s: not pinned: %s", name, line)
			case versions[action[1]] == "":
				versions[action[1]] = action[2]
			case versions[action[1]] != action[2]:
				t.Errorf("%s: %s is %s here and %s elsewhere", name, action[1], action[2], versions[action[1]])
			}
		}
		for job, j := range w.Jobs {
			if j.Timeout == 0 {
				t.Errorf("%s: job %s has no timeout-minutes", name, job)
			}
			for scope, permission := range j.Permissions {
				if permission != "read" && grants[name][scope] != permission {
					t.Errorf("%s: job %s may %s %s", name, job, permission, scope)
				}
			}
			asked := j.Strategy.Matrix.Target
			for _, include := range j.Strategy.Matrix.Include {
				if target, ok := include["target"]; ok {
					asked = append(asked, target)
				}
			}
			for _, step := range j.Steps {
				if strings.HasPrefix(step.Uses, "actions/checkout@") && step.With["persist-credentials"] != false {
					t.Errorf("%s: job %s: the checkout persists credentials", name, job)
				}
				if step.Run == "" {
					continue
				}
				words := strings.Fields(strings.ReplaceAll(step.Run, "${{ matrix.target }}", "")) // those are in asked
				variables := slices.IndexFunc(words, func(word string) bool { return strings.Contains(word, "=") })
				if variables >= 0 {
					words = words[:variables]
				}
				if words[0] != "make" || strings.Contains(strings.TrimSpace(step.Run), "\n") {
					t.Errorf("%s: job %s runs what is no target of the makefile: %s", name, job, step.Run)
				}
				asked = append(asked, words[1:]...)
			}
			for _, target := range asked {
				if !slices.Contains(targets, target) {
					t.Errorf("%s: job %s: not a target of the makefile: %s", name, job, target)
				}
			}
		}
	}
}

// Hooks that run before a commit are targets of the makefile; what else pre-commit reads of its file, it checks itself.
func TestPreCommitHooksAreMakeTargets(t *testing.T) {
	t.Parallel()
	hooks := regexp.MustCompile(`(?m)^ *entry: (.*)$`).FindAllStringSubmatch(read(t, ".pre-commit-config.yaml"), -1)
	if len(hooks) == 0 {
		t.Error("no hooks")
	}
	for _, hook := range hooks {
		if target, isMake := strings.CutPrefix(hook[1], "make "); !isMake || !slices.Contains(makefileTargets(t), target) {
			t.Errorf("not a target of the makefile: %s", hook[1])
		}
	}
}

// Each module, and each tool of tools/build.sh, is kept up to date: dependabot takes those of tools/ by name.
func TestDependabotKnowsEveryModule(t *testing.T) {
	t.Parallel()
	dependabot := read(t, ".github/dependabot.yml")
	var config struct {
		Updates []struct {
			Ecosystem   string   `json:"package-ecosystem"`
			Directory   string   `json:"directory"`
			Directories []string `json:"directories"`
		} `json:"updates"`
	}
	if err := yaml.Unmarshal([]byte(dependabot), &config); err != nil {
		t.Fatal(err)
	}
	var known []string
	for _, update := range config.Updates {
		if update.Ecosystem == "gomod" {
			known = append(append(known, update.Directory), update.Directories...)
		}
	}
	git := exec.CommandContext(t.Context(), "git", "ls-files", "--cached", "--others", "--exclude-standard", "*go.mod")
	git.Dir = repository(t)
	modules, err := git.Output()
	if err != nil {
		toolchain.Unavailable(t, err)
	}
	for _, module := range strings.Fields(string(modules)) {
		if directory := path.Join("/", path.Dir(module)); !slices.Contains(known, directory) {
			t.Errorf("dependabot.yml has no directory %s", directory)
		}
	}
	named := regexp.MustCompile(`module=(\S+)`).FindAllStringSubmatch(read(t, "tools/build.sh"), -1)
	if len(known) == 0 || len(named) == 0 {
		t.Fatalf("%d folders in dependabot.yml, %d modules named in tools/build.sh", len(known), len(named))
	}
	for _, match := range named {
		if !strings.Contains(dependabot, "dependency-name: "+match[1]+",") {
			t.Errorf("dependabot.yml has no dependency-name: %s", match[1])
		}
	}
}

// A Kubernetes that is raised without its staging modules builds, if at all, what was never released.
func TestStagingModulesAreOfThePinnedKubernetes(t *testing.T) {
	t.Parallel()
	gomod := read(t, "tools/controlplane/go.mod")
	version := regexp.MustCompile(`(?m)^\tk8s\.io/kubernetes v1(\S+)`).FindStringSubmatch(gomod)
	staging := regexp.MustCompile(`(?m)^\t(k8s\.io/\S+) => k8s\.io/\S+ v0(\S+)$`).FindAllStringSubmatch(gomod, -1)
	if version == nil || len(staging) == 0 {
		t.Fatal("tools/controlplane/go.mod names no Kubernetes, or no staging module")
	}
	for _, module := range staging {
		if module[2] != version[1] {
			t.Errorf("%s is replaced by v0%s, and Kubernetes is v1%s", module[1], module[2], version[1])
		}
	}
}

func repository(t *testing.T) string {
	t.Helper()
	root, err := toolchain.Root()
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func read(t *testing.T, path string) string {
	t.Helper()
	return toolchain.Text(t, repository(t), path)
}
