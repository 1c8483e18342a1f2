package toolchain_test

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

// workflow is what is looked at in a workflow of GitHub Actions; its syntax is actionlint's to check.
type workflow struct {
	Permissions *map[string]string `json:"permissions"`
	Concurrency any                `json:"concurrency"`
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

var (
	use    = regexp.MustCompile(`(?m)^[ -]*uses:.*$`)
	pinned = regexp.MustCompile(`^[ -]*uses: [\w.-]+(/[\w.-]+)+@[0-9a-f]{40} # v\d+\.\d+\.\d+$`)
)

const matrixTarget = "${{ matrix.target }}"

// violations are the rules that a workflow breaks: it may read and nothing else, save where grants says what a job may; it is
// cancelled or queued, and ends; its actions are pinned; and what it runs are targets of the makefile.
func violations(content string, targets []string, grants map[string]string) ([]string, error) {
	var w workflow
	if err := yaml.Unmarshal([]byte(content), &w); err != nil {
		return nil, err
	}
	var found []string
	broken := func(format string, args ...any) { found = append(found, fmt.Sprintf(format, args...)) }

	uses, lines := 0, use.FindAllString(content, -1)
	for _, line := range lines {
		if !pinned.MatchString(line) {
			broken("not pinned: %s", strings.TrimSpace(line))
		}
	}
	switch {
	case w.Permissions == nil:
		broken("no permissions at the top")
	case slices.ContainsFunc(slices.Collect(maps.Values(*w.Permissions)), func(p string) bool { return p != "read" }):
		broken("permissions at the top are more than to read: %v", *w.Permissions)
	}
	if w.Concurrency == nil {
		broken("no concurrency")
	}
	for name, job := range w.Jobs {
		if job.Timeout == 0 {
			broken("job %s: no timeout-minutes", name)
		}
		for scope, permission := range job.Permissions {
			if permission != "read" && grants[scope] != permission {
				broken("job %s: may %s %s", name, permission, scope)
			}
		}
		for _, step := range job.Steps {
			if step.Uses != "" {
				uses++
			}
			if strings.HasPrefix(step.Uses, "actions/checkout@") && step.With["persist-credentials"] != false {
				broken("job %s: the checkout persists credentials", name)
			}
			matrix := slices.Clone(job.Strategy.Matrix.Target)
			for _, include := range job.Strategy.Matrix.Include {
				matrix = append(matrix, include["target"])
			}
			if step.Run != "" {
				for _, target := range runs(step.Run, matrix) {
					if !slices.Contains(targets, target) {
						broken("job %s: not a target of the makefile: %s", name, target)
					}
				}
			}
		}
	}
	if uses != len(lines) { // or nobody looks whether it is pinned
		broken("%d actions, and %d lines that begin with uses", uses, len(lines))
	}
	slices.Sort(found)
	return found, nil
}

// runs are the targets that a command asks make for; anything else is the command itself, which is none.
func runs(command string, matrix []string) []string {
	rest, isMake := strings.CutPrefix(command, "make ")
	if !isMake || strings.Contains(strings.TrimSpace(command), "\n") {
		return []string{command}
	}
	rest = strings.ReplaceAll(rest, matrixTarget, "MATRIX")
	var targets []string
	for _, word := range strings.Fields(rest) {
		switch {
		case strings.Contains(word, "="):
			return targets // variables come last
		case word == "MATRIX":
			targets = append(targets, matrix...)
		default:
			targets = append(targets, word)
		}
	}
	return targets
}

// makefileTargets are those that `make help` shows.
func makefileTargets(t *testing.T) []string {
	t.Helper()
	var targets []string
	for _, match := range regexp.MustCompile(`(?m)^([a-z-]+):.*## `).FindAllStringSubmatch(read(t, "GNUmakefile"), -1) {
		targets = append(targets, match[1])
	}
	return targets
}

func TestWorkflowsKeepTheRules(t *testing.T) {
	t.Parallel()
	root := repository(t)
	paths, err := filepath.Glob(filepath.Join(root, ".github", "workflows", "*"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("no workflows: %v", err)
	}
	versions := map[string]string{} // of each action: all workflows use the same
	for _, path := range paths {
		grants := map[string]string{}
		if filepath.Base(path) == "release.yml" {
			grants["contents"] = "write"
		}
		content := read(t, filepath.Join(".github", "workflows", filepath.Base(path)))
		found, err := violations(content, makefileTargets(t), grants)
		if err != nil {
			t.Errorf("%s: %v", path, err)
		}
		for _, broken := range found {
			t.Errorf("%s: %s", filepath.Base(path), broken)
		}
		for _, line := range use.FindAllString(content, -1) {
			action, version, _ := strings.Cut(strings.TrimLeft(line, " -"), "@")
			if first, known := versions[action]; known && first != version {
				t.Errorf("%s: %s is %s here and %s elsewhere", filepath.Base(path), action, version, first)
			}
			versions[action] = version
		}
	}
}

func TestViolations(t *testing.T) {
	t.Parallel()
	const good = `permissions: {contents: read}
concurrency: {group: a}
jobs:
  a:
    timeout-minutes: 5
    strategy: {matrix: {target: [test, lint]}}
    steps:
      - uses: actions/checkout@0123456789012345678901234567890123456789 # v1.2.3
        with: {persist-credentials: false}
      - run: make ${{ matrix.target }}
      - run: make test TOFU="$(command -v tofu)"
`
	tests := map[string]struct {
		old, new string
		want     []string
	}{
		"good":         {"", "", nil},
		"tag":          {"0123456789012345678901234567890123456789 # v1.2.3", "v1", []string{"not pinned: - uses: actions/checkout@v1"}},
		"no comment":   {" # v1.2.3", "", []string{"not pinned: - uses: actions/checkout@0123456789012345678901234567890123456789"}},
		"not seen":     {"- uses: actions", "- \"uses\": actions", []string{"1 actions, and 0 lines that begin with uses"}},
		"inherited":    {"permissions: {contents: read}", "", []string{"no permissions at the top"}},
		"write all":    {"{contents: read}", "{contents: write}", []string{"permissions at the top are more than to read: map[contents:write]"}},
		"job's grant":  {"timeout-minutes: 5", "timeout-minutes: 5\n    permissions: {packages: write}", []string{"job a: may write packages"}},
		"granted":      {"timeout-minutes: 5", "timeout-minutes: 5\n    permissions: {contents: write}", nil},
		"concurrent":   {"concurrency: {group: a}", "", []string{"no concurrency"}},
		"endless":      {"timeout-minutes: 5", "timeout-minutes: 0", []string{"job a: no timeout-minutes"}},
		"credentials":  {"persist-credentials: false", "fetch-depth: 0", []string{"job a: the checkout persists credentials"}},
		"other target": {"make test", "make tset", []string{"job a: not a target of the makefile: tset"}},
		"in a matrix":  {"[test, lint]", "[test, lnit]", []string{"job a: not a target of the makefile: lnit"}},
		"no make":      {"make test", "go test", []string{`job a: not a target of the makefile: go test TOFU="$(command -v tofu)"`}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got, err := violations(strings.Replace(good, tt.old, tt.new, 1), []string{"test", "lint"}, map[string]string{"contents": "write"})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
		})
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
	content, err := os.ReadFile(filepath.Join(repository(t), path))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}
