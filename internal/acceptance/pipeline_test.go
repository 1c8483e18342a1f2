package acceptance_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcli"
)

// pipeline is a fixture with a workspace in which the built provider is run as pipelines run it: every plan and every
// apply is a process of its own, and what lies between them is a saved plan. Its methods fail the test.
type pipeline struct {
	*fixture
	cli *testcli.Workspace // nil on the driver
	on  commands
}

// commands are what a pipeline runs: those of a command line, or of the driver.
type commands interface {
	Write(name, content string)
	Setenv(name, value string)
	Plan(out string, args ...string) testcli.Result
	Apply(planfile string, args ...string) testcli.Result
	Destroy(args ...string) testcli.Result
	Run(args ...string) testcli.Result
}

// newPipeline is a pipeline on the protocol driver.
func newPipeline(t *testing.T) *pipeline {
	t.Helper()
	f := newFixture(t)
	return &pipeline{fixture: f, on: newSession(t)}
}

// newCLIPipeline is a pipeline on the real command line.
func newCLIPipeline(t *testing.T) *pipeline {
	t.Helper()
	return newFixture(t).cliPipeline()
}

func (f *fixture) cliPipeline() *pipeline {
	cli := testcli.New(f)
	return &pipeline{fixture: f, cli: cli, on: cli}
}

func (p *pipeline) setenv(name, value string) { p.on.Setenv(name, value) }

// write makes body the configuration. NAMESPACE in it stands for the fixture's namespace.
func (p *pipeline) write(body string) { p.writeFor(p.kubeconfig, "", body) }

// writeFor is write with another kubeconfig and further lines in the provider block.
func (p *pipeline) writeFor(kubeconfig, providerBody, body string) {
	p.on.Write("main.tf", "terraform {\n  required_providers {\n    cas = { source = \"terraform-cas/cas\" }\n  }\n}\n"+
		p.configFor(kubeconfig, providerBody, body))
}

const planFile = "saved.tfplan"

// plan saves a plan, which must have changes, and returns what it printed.
func (p *pipeline) plan(args ...string) string {
	p.Helper()
	return p.ended(p.on.Plan(planFile, args...), 2, "plan")
}

// planNothing fails the test unless a plan succeeds and has nothing to do.
func (p *pipeline) planNothing(args ...string) string {
	p.Helper()
	return p.ended(p.on.Plan(planFile, args...), 0, "plan")
}

// planRefused is a plan that must fail with what is wanted in its output.
func (p *pipeline) planRefused(wants []string, args ...string) string {
	p.Helper()
	return p.wants(p.ended(p.on.Plan(planFile, args...), 1, "plan"), wants...)
}

// apply applies the saved plan.
func (p *pipeline) apply() string {
	p.Helper()
	return p.ended(p.on.Apply(planFile), 0, "apply")
}

// applyRefused is an apply of the saved plan that must fail with what is wanted in its output.
func (p *pipeline) applyRefused(wants ...string) string {
	p.Helper()
	return p.wants(p.ended(p.on.Apply(planFile), 1, "apply"), wants...)
}

// planned makes body the configuration, and plans and applies it.
func (p *pipeline) planned(body string, flags ...string) {
	p.Helper()
	p.write(body)
	p.planApply(flags...)
}

// applied is planned in one command, for tests that are not about saved plans.
func (p *pipeline) applied(body string) {
	p.Helper()
	p.write(body)
	p.do("apply", "-auto-approve")
}

// planApply is the pipeline of most: each command is a process.
func (p *pipeline) planApply(flags ...string) {
	p.Helper()
	p.plan(flags...)
	p.apply()
}

// destroy destroys all, planning first, in one process.
func (p *pipeline) destroy(args ...string) string {
	p.Helper()
	return p.ended(p.on.Destroy(args...), 0, "destroy")
}

// destroyRefused is a destroy that must fail with what is wanted in its output.
func (p *pipeline) destroyRefused(wants []string, args ...string) string {
	p.Helper()
	return p.wants(p.ended(p.on.Destroy(args...), 1, "destroy"), wants...)
}

// do runs another command, which must succeed.
func (p *pipeline) do(args ...string) string {
	p.Helper()
	return p.ended(p.on.Run(args...), 0, args[0])
}

// ended returns the output, flat.
func (p *pipeline) ended(r testcli.Result, exitCode int, what string) string {
	p.Helper()
	if r.ExitCode != exitCode {
		p.Fatalf("%s ended with %d, want %d:\n%s", what, r.ExitCode, exitCode, r.All())
	}
	return testcli.Flat(r.All())
}

// wants fails the test for each text that the output lacks, or has where the text begins with "!".
func (p *pipeline) wants(output string, texts ...string) string {
	p.Helper()
	for _, text := range texts {
		unwanted, found := strings.CutPrefix(text, "!")
		switch {
		case !found && !strings.Contains(output, testcli.Flat(text)):
			p.Errorf("the output lacks %q:\n%s", text, output)
		case found && strings.Contains(output, testcli.Flat(unwanted)):
			p.Errorf("the output has %q:\n%s", unwanted, output)
		}
	}
	return output
}

// tracked is one object in the state.
type tracked struct {
	Attributes map[string]any `json:"attributes"`
	Status     string         `json:"status"`
	Deposed    string         `json:"deposed"`
	IndexKey   any            `json:"index_key"`
	Private    []byte         `json:"private"`
}

// state is what the state tracks of this provider, by name of the resource, with [index] and "deposed " where it has them.
// It fails the test where private state holds what belongs in plans only.
func (p *pipeline) state() map[string]tracked {
	p.Helper()
	all := p.tracked()
	for name, i := range all {
		for _, part := range []string{"observation", "planned"} {
			if strings.Contains(string(i.Private), `"`+part+`"`) {
				p.Errorf("the state of %s keeps the part %q of a plan: %s", name, part, i.Private)
			}
		}
	}
	return all
}

func (p *pipeline) tracked() map[string]tracked {
	p.Helper()
	if s, ok := p.on.(*session); ok {
		return s.State()
	}
	var file struct {
		Resources []struct {
			Mode, Type, Name string
			Instances        []tracked
		}
	}
	raw, err := os.ReadFile(filepath.Join(p.cli.Dir, "terraform.tfstate"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil {
		err = json.Unmarshal(raw, &file)
	}
	if err != nil {
		p.Fatal(err)
	}
	all := map[string]tracked{}
	for _, r := range file.Resources {
		if r.Mode != "managed" || !strings.HasPrefix(r.Type, "cas_") {
			continue
		}
		for _, i := range r.Instances {
			name := r.Name
			if i.IndexKey != nil {
				name += fmt.Sprintf("[%v]", i.IndexKey)
			}
			if i.Deposed != "" {
				name = "deposed " + name
			}
			all[name] = i
		}
	}
	return all
}

// wantState fails the test unless the state tracks just these.
func (p *pipeline) wantState(names ...string) map[string]tracked {
	p.Helper()
	state := p.state()
	if len(state) != len(names) {
		p.Errorf("the state tracks %d objects, want %q: %v", len(state), names, state)
	}
	for _, name := range names {
		if _, ok := state[name]; !ok {
			p.Errorf("the state lacks %s: %v", name, state)
		}
	}
	return state
}

// entryBlock is a resource block of one entry. What lines say of namespace, name and key comes on top of what every entry here
// has: the fixture's namespace, and where they do not say otherwise ConfigMap "testmap" and key "foo".
func entryBlock(name string, lines ...string) string {
	return blockOf("cas_configmap_entry", name, lines)
}

// counterBlock is entryBlock of a counter.
func counterBlock(name string, lines ...string) string {
	return blockOf("cas_configmap_counter", name, lines)
}

func blockOf(kind, name string, lines []string) string {
	body := strings.Join(lines, "\n  ")
	defaults := "namespace = NAMESPACE\n  "
	if !nameLine.MatchString(body) {
		defaults += "name = \"testmap\"\n  "
	}
	if !keyLine.MatchString(body) {
		defaults += "key = \"foo\"\n  "
	}
	return fmt.Sprintf("resource %q %q {\n  %s%s\n}\n", kind, name, defaults, body)
}

var (
	nameLine = regexp.MustCompile(`(?m)^\s*name\s*=`)
	keyLine  = regexp.MustCompile(`(?m)^\s*key\s*=`)
)
