package commandlines

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver"
	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcli"
	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

// The driver stands in for command lines in most tests here. So it is held to them: it must make the calls that they make.

// scenario is a story that a command line and the driver each live through. Where instances are independent, their order is not
// fixed, so it is not compared.
type scenario struct {
	independent bool
	needs       func(driver.Profile) bool // nil: every command line can
	run         func(p *fixture.Pipeline)
}

// refusedOnce applies body twice: the first time its write is refused.
func refusedOnce(p *fixture.Pipeline, body string) {
	p.Helper()
	proxy := p.Refusing()
	p.Write(body)
	p.Plan()
	p.ApplyRefused()
	proxy.SetHook(nil)
	p.Do("apply", "-auto-approve")
}

// failsOf applies body, which the provider says has failed when it has written this key.
func failsOf(p *fixture.Pipeline, key, body string) {
	p.Helper()
	p.Export(failsAfter, "ApplyResourceChange cas_configmap_entry testmap "+key)
	p.Write(body)
	p.Ended(p.On.Run("apply", "-auto-approve"), 1, "apply")
	p.Export(failsAfter, "")
}

var scenarios = map[string]scenario{
	"create": {run: func(p *fixture.Pipeline) {
		p.Create("testmap", fixture.Data{"bar": "kept"})
		p.Planned(fixture.EntryBlock("foo", `value = "1"`))
	}},
	"nothing to do": {run: func(p *fixture.Pipeline) {
		p.Made()
		p.PlanNothing()
		p.Apply()
		p.Do("apply", "-auto-approve")
		p.Destroy()
		p.Destroy()
	}},
	"nothing to do for any instance": {run: func(p *fixture.Pipeline) {
		p.Made()
		p.Planned(fixture.EntryBlock("foo", "count = 0", `value = "1"`))
		p.PlanNothing()
		p.Apply()
	}},
	"update": {run: func(p *fixture.Pipeline) {
		p.Made()
		p.Applied(fixture.EntryBlock("foo", `value = "2"`))
		p.Planned(fixture.EntryBlock("foo", `value = "3"`))
	}},
	"replace": {run: func(p *fixture.Pipeline) {
		p.Made()
		p.Planned(fixture.EntryBlock("foo", `key = "baz"`, `value = "2"`))
		p.PlanApply("-replace=" + fixture.EntryAddress)
	}},
	"create_before_destroy": {run: func(p *fixture.Pipeline) {
		p.Made(fixture.CreateFirst)
		p.Planned(fixture.EntryBlock("foo", `key = "baz"`, `value = "2"`, fixture.CreateFirst))
		p.Planned("")
	}},
	"tainted": {run: func(p *fixture.Pipeline) {
		p.Made()
		p.Do("taint", fixture.EntryAddress)
		p.Planned(fixture.EntryBlock("foo", `key = "baz"`, `value = "2"`))
		p.Do("taint", fixture.EntryAddress)
		p.Planned("")
	}},
	"dropped block": {run: func(p *fixture.Pipeline) {
		p.Made()
		p.Planned("")
	}},
	"destroy of a saved plan": {run: func(p *fixture.Pipeline) {
		p.Made()
		p.PlanApply("-destroy")
	}},
	"without a refresh": {run: func(p *fixture.Pipeline) {
		p.Made(`conflict_scope = "key"`)
		p.Planned(fixture.EntryBlock("foo", `value = "2"`, `conflict_scope = "key"`), "-refresh=false")
		p.Write("")
		p.Plan("-refresh=false")
		p.Destroy("-refresh=false")
	}},
	"minimal refresh": {needs: func(of driver.Profile) bool { return of.PlansBeforeRefresh }, run: func(p *fixture.Pipeline) {
		p.Made()
		p.PlanNothing("-minimal-refresh")
		p.Planned(fixture.EntryBlock("foo", `value = "2"`), "-minimal-refresh")
		p.Planned(fixture.EntryBlock("foo", `key = "baz"`, `value = "2"`), "-minimal-refresh")
		p.Do("taint", fixture.EntryAddress)
		p.Planned(fixture.EntryBlock("foo", `key = "foo"`, `value = "2"`), "-minimal-refresh")
		p.Unset("testmap", "foo")
		p.Planned(fixture.EntryBlock("foo", `value = "3"`), "-minimal-refresh")
		p.Planned("", "-minimal-refresh")
	}},
	"only a refresh": {run: func(p *fixture.Pipeline) {
		p.Made(`conflict_scope = "key"`)
		p.Set("testmap", "foo", "foreign")
		p.PlanApply("-refresh-only")
		p.Set("testmap", "foo", "1")
		p.Do("refresh")
		p.PlanNothing()
		p.Write("")
		p.PlanNothing("-refresh-only")
		p.Unset("testmap", "foo")
		p.PlanApply("-refresh-only")
	}},
	"import block": {run: func(p *fixture.Pipeline) {
		p.Create("testmap", fixture.Data{"foo": "1"})
		block := fixture.ImportBlock("foo", p.Namespace+"/testmap/foo")
		p.Planned(block + fixture.EntryBlock("foo", `value = "1"`))
		p.Planned(block + fixture.EntryBlock("foo", `value = "2"`))
	}},
	"import block and update": {run: func(p *fixture.Pipeline) {
		p.Create("testmap", fixture.Data{"foo": "1"})
		p.Planned(fixture.ImportBlock("foo", p.Namespace+"/testmap/foo") + fixture.EntryBlock("foo", `value = "2"`))
	}},
	"import command": {run: func(p *fixture.Pipeline) {
		p.Create("testmap", fixture.Data{"foo": "1"})
		p.Write(fixture.EntryBlock("foo", `value = "2"`))
		p.Do("import", fixture.EntryAddress, p.Namespace+"/testmap/foo")
		p.Do("apply", "-auto-approve")
	}},
	"moved block": {run: func(p *fixture.Pipeline) {
		p.Made()
		p.Planned(fixture.EntryBlock("other", `value = "1"`) + "moved {\n  from = cas_configmap_entry.foo\n  to = cas_configmap_entry.other\n}\n")
	}},
	"moved from another provider": {run: func(p *fixture.Pipeline) {
		p.Create("testmap", fixture.Data{"foo": "1"})
		p.Applied(fixture.KubernetesBlock(`data = { foo = "1" }`))
		p.Planned(fixture.DataBlock("it", `data = { foo = "1" }`) + fixture.MovedBlock)
	}},
	"for_each": {independent: true, run: func(p *fixture.Pipeline) {
		p.Create("testmap", fixture.Data{"bar": "kept"})
		each := func(keys string) string {
			return fixture.EntryBlock("foo", "for_each = toset(["+keys+"])", "key = each.key", `value = "1"`)
		}
		p.Planned(each(`"a", "b", "c"`))
		p.Planned(each(`"a", "c"`))
		p.Destroy()
	}},
	"count": {independent: true, run: func(p *fixture.Pipeline) {
		p.Create("testmap", fixture.Data{"bar": "kept"})
		p.Applied(fixture.EntryBlock("foo", "count = 2", `key = "key-${count.index}"`, `value = "1"`))
		p.Planned(fixture.EntryBlock("foo", "count = 1", `key = "key-${count.index}"`, `value = "1"`))
	}},
	"unknown when planned": {run: func(p *fixture.Pipeline) {
		p.Create("testmap", fixture.Data{"bar": "kept"})
		config := func(input string) string {
			return "resource \"terraform_data\" \"it\" {\n  input = " + fixture.Quoted(input) + "\n}\n" + fixture.EntryBlock("foo", "value = terraform_data.it.output")
		}
		p.Planned(config("1"))
		p.Planned(config("2"))
		p.Destroy()
	}},
	"unknown when planned, and the same when applied": {run: func(p *fixture.Pipeline) {
		p.Create("testmap", fixture.Data{"bar": "kept"})
		config := func(trigger string) string {
			return "resource \"terraform_data\" \"it\" {\n  input = \"1\"\n  triggers_replace = " + fixture.Quoted(trigger) + "\n}\n" +
				fixture.EntryBlock("foo", "value = terraform_data.it.output")
		}
		p.Applied(config("a"))
		p.Planned(config("b"))
		p.Destroy()
	}},
	"key unknown when planned": {run: func(p *fixture.Pipeline) {
		p.Made()
		p.Planned("resource \"terraform_data\" \"it\" {\n  input = \"baz\"\n}\n" + fixture.EntryBlock("foo", "key = terraform_data.it.output", `value = "2"`))
	}},
	"chain": {run: func(p *fixture.Pipeline) {
		p.Create("testmap", fixture.Data{"bar": "kept"})
		config := func(value string) string {
			return fixture.EntryBlock("a", `key = "a"`, "value = "+fixture.Quoted(value)) + fixture.EntryBlock("b", `key = "b"`, "value = cas_configmap_entry.a.value",
				`conflict_scope = "key"`) + fixture.EntryBlock("c", `key = "c"`, `value = "1"`, "depends_on = [cas_configmap_entry.b]", `conflict_scope = "key"`)
		}
		p.Planned(config("1"))
		p.Planned(config("2"))
		p.Destroy()
	}},
	"chain that is dropped": {run: func(p *fixture.Pipeline) {
		p.Create("testmap", fixture.Data{"bar": "kept"})
		p.Applied(fixture.EntryBlock("a", `key = "a"`, `value = "1"`) + fixture.EntryBlock("b", `key = "b"`, "value = cas_configmap_entry.a.value"))
		p.Write("")
		p.Plan("-refresh=false") // its order is not fixed, so it is not compared
		p.Apply()
	}, independent: true},
	"chain of create_before_destroy": {run: func(p *fixture.Pipeline) {
		p.Create("testmap", fixture.Data{"bar": "kept"})
		config := func(key string) string {
			return fixture.EntryBlock("a", "key = "+fixture.Quoted(key), `value = "1"`, fixture.CreateFirst) +
				fixture.EntryBlock("b", `key = "b"`, "value = cas_configmap_entry.a.key", `conflict_scope = "key"`)
		}
		p.Applied(config("a"))
		p.Planned(config("aa"))
	}},
	"deleted outside": {run: func(p *fixture.Pipeline) {
		p.Made()
		p.Unset("testmap", "foo")
		p.PlanApply()
		p.Unset("testmap", "foo")
		p.Write("")
		p.PlanNothing()
	}},
	"create that fails": {run: func(p *fixture.Pipeline) {
		p.Create("testmap", fixture.Data{"bar": "kept"})
		refusedOnce(p, fixture.EntryBlock("foo", `value = "1"`))
	}},
	"create that fails after it made something": {run: func(p *fixture.Pipeline) {
		p.Create("testmap", fixture.Data{"bar": "kept"})
		failsOf(p, "foo", fixture.EntryBlock("foo", `value = "1"`))
		p.Write(fixture.EntryBlock("foo", `key = "baz"`, `value = "1"`))
		p.Plan()
	}},
	"update that fails": {run: func(p *fixture.Pipeline) {
		p.Made()
		refusedOnce(p, fixture.EntryBlock("foo", `value = "2"`))
	}},
	"delete that fails": {run: func(p *fixture.Pipeline) {
		p.Made()
		refusedOnce(p, "")
	}},
	"delete that fails after it removed": {run: func(p *fixture.Pipeline) {
		p.Made()
		failsOf(p, "foo", "")
		p.PlanNothing()
	}},
	"replace whose create fails": {run: func(p *fixture.Pipeline) {
		p.Made()
		failsOf(p, "baz", fixture.EntryBlock("foo", `key = "baz"`, `value = "2"`))
		p.Do("untaint", fixture.EntryAddress)
		p.Destroy()
	}},
	"create_before_destroy whose create fails": {run: func(p *fixture.Pipeline) {
		p.Made(fixture.CreateFirst)
		refusedOnce(p, fixture.EntryBlock("foo", `key = "baz"`, `value = "2"`, fixture.CreateFirst))
	}},
	"create_before_destroy that leaves one deposed": {run: func(p *fixture.Pipeline) {
		p.Made(fixture.CreateFirst, `conflict_scope = "key"`)
		failsOf(p, "baz", fixture.EntryBlock("foo", `key = "baz"`, `value = "2"`, fixture.CreateFirst, `conflict_scope = "key"`))
		p.Do("untaint", fixture.EntryAddress)
		p.PlanApply()
	}, independent: true},
	"deposed that is destroyed": {run: func(p *fixture.Pipeline) {
		p.Made(fixture.CreateFirst, `conflict_scope = "key"`)
		failsOf(p, "baz", fixture.EntryBlock("foo", `key = "baz"`, `value = "2"`, fixture.CreateFirst, `conflict_scope = "key"`))
		p.Do("untaint", fixture.EntryAddress)
		p.Destroy()
	}, independent: true},
	"plan that is refused": {run: func(p *fixture.Pipeline) {
		p.Create("testmap", fixture.Data{"foo": "foreign"})
		p.Write(fixture.EntryBlock("foo", `value = "1"`, `expected_value = "2"`) + fixture.EntryBlock("b", `key = "b"`, "value = cas_configmap_entry.foo.value"))
		p.PlanRefused(nil)
	}},
	"update that is refused when it is planned again": {run: func(p *fixture.Pipeline) {
		p.Made()
		p.Write(fixture.EntryBlock("foo", `value = "2"`) + fixture.EntryBlock("b", `key = "b"`, "value = cas_configmap_entry.foo.value"))
		p.Plan()
		p.Set("testmap", "foo", "foreign")
		p.ApplyRefused()
		p.Set("testmap", "foo", "1")
		p.Do("apply", "-auto-approve")
	}},
	"replace that is refused when it is planned again": {run: func(p *fixture.Pipeline) {
		p.Made(`conflict_scope = "key"`)
		p.Write(fixture.EntryBlock("foo", `key = "baz"`, `value = "2"`, `conflict_scope = "key"`))
		p.Plan()
		p.Set("testmap", "baz", "foreign")
		p.ApplyRefused()
		p.Unset("testmap", "baz")
		p.Do("apply", "-auto-approve")
	}},
	"create_before_destroy that is refused when it is planned again": {run: func(p *fixture.Pipeline) {
		p.Made(fixture.CreateFirst, `conflict_scope = "key"`)
		p.Write(fixture.EntryBlock("foo", `key = "baz"`, `value = "2"`, fixture.CreateFirst, `conflict_scope = "key"`))
		p.Plan()
		p.Set("testmap", "baz", "foreign")
		p.ApplyRefused()
		p.Unset("testmap", "baz")
		p.Do("apply", "-auto-approve")
	}, independent: true},
	"replace whose delete fails": {run: func(p *fixture.Pipeline) {
		p.Made()
		refusedOnce(p, fixture.EntryBlock("foo", `key = "baz"`, `value = "2"`))
	}},
	"chain that fails": {run: func(p *fixture.Pipeline) {
		p.Made()
		failsOf(p, "foo", fixture.EntryBlock("foo", `value = "2"`)+fixture.EntryBlock("b", `key = "b"`, "value = cas_configmap_entry.foo.value"))
		p.Do("apply", "-auto-approve")
	}},
	"write-only": {run: func(p *fixture.Pipeline) {
		version := p.Create("testmap", fixture.Data{"bar": "kept"}).ResourceVersion
		p.Planned(fixture.EntryBlock("foo", `value = "1"`, "expected_resource_version_wo = "+fixture.Quoted(version)))
	}},
	"provider unknown when planned": {run: func(p *fixture.Pipeline) {
		p.Create("testmap", fixture.Data{"bar": "kept"})
		config := func(manager, value string) {
			p.WriteFor(p.Kubeconfig, "field_manager = terraform_data.it.output",
				"resource \"terraform_data\" \"it\" {\n  input = "+fixture.Quoted(manager)+"\n}\n"+fixture.EntryBlock("foo", "value = "+fixture.Quoted(value)))
		}
		config("one", "1")
		p.PlanApply()
		config("two", "2")
		p.PlanApply()
		p.Destroy()
	}},
	"data source in other kinds of plans": {run: func(p *fixture.Pipeline) {
		p.Create("testmap", fixture.Data{"bar": "kept"})
		p.Planned(dataSource(`"bar"`)+fixture.EntryBlock("foo", "value = data.cas_configmap_entry.it.value"), "-refresh=false")
		p.Set("testmap", "bar", "other")
		p.PlanApply("-refresh-only")
		p.PlanApply("-destroy", "-refresh=false")
	}},
	"data source that cannot be read": {run: func(p *fixture.Pipeline) {
		p.Create("testmap", fixture.Data{"bar": "kept"})
		p.Write(dataSource(`"missing"`) + fixture.EntryBlock("foo", "value = data.cas_configmap_entry.it.value"))
		p.PlanRefused(nil)
	}},
	"data source known when planned": {run: func(p *fixture.Pipeline) {
		p.Create("testmap", fixture.Data{"bar": "kept"})
		p.Planned(dataSource(`"bar"`) + fixture.EntryBlock("foo", "value = data.cas_configmap_entry.it.value"))
		p.Destroy()
	}},
	"data source unknown when planned": {run: func(p *fixture.Pipeline) {
		p.Create("testmap", fixture.Data{"bar": "kept"})
		p.Write("resource \"terraform_data\" \"it\" {\n  input = \"bar\"\n}\n" + dataSource("terraform_data.it.output") +
			fixture.EntryBlock("foo", "value = data.cas_configmap_entry.it.value"))
		p.PlanApply()
		p.PlanNothing()
		p.Destroy()
	}},
	"data source that depends on a change": {run: func(p *fixture.Pipeline) {
		p.Made()
		p.Write(fixture.EntryBlock("foo", `value = "2"`) + dataSource(`"foo"`, "depends_on = [cas_configmap_entry.foo]") +
			fixture.EntryBlock("b", `key = "b"`, "value = data.cas_configmap_entry.it.value", `conflict_scope = "key"`))
		p.PlanApply()
		p.PlanNothing()
	}},
	"whole": {run: func(p *fixture.Pipeline) {
		p.Planned("resource \"cas_configmap\" \"it\" {\n  namespace = NAMESPACE\n  name = \"whole\"\n  data = { a = \"1\" }\n}\n")
		p.Planned("resource \"cas_configmap\" \"it\" {\n  namespace = NAMESPACE\n  name = \"renamed\"\n  data = { a = \"2\" }\n}\n")
		p.Destroy()
	}},
}

func dataSource(key string, lines ...string) string {
	return fmt.Sprintf("data \"cas_configmap_entry\" \"it\" {\n  namespace = NAMESPACE\n  name = \"testmap\"\n  key = %s\n  %s\n}\n", key, strings.Join(lines, "\n  "))
}

func TestDriverMakesTheCallsOfTheCommandLines(t *testing.T) {
	t.Parallel()
	for name, find := range commandLines() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cli, err := find(t.Context())
			if err != nil {
				toolchain.Unavailable(t, err)
			}
			profile := profileOf(t, cli)
			installation := recordedInstallation(t)
			for name, s := range scenarios {
				if s.needs != nil && !s.needs(profile) {
					continue
				}
				t.Run(name, func(t *testing.T) {
					f := fixture.New(t)
					beside := *f
					beside.Namespace = f.Cluster.Namespace(t)
					want, got := s.onCLI(f, cli, installation), s.onDriver(&beside, profile)
					for i := range want { // both ran the same commands
						if !slices.Equal(want[i], got[i]) {
							t.Errorf("these are the calls of %s (-) and of the driver (+):\n%s", filepath.Base(cli), differing(want[i], got[i]))
						}
					}
				})
			}
		})
	}
}

// differing are the lines of two commands from where they begin to differ to where they end to.
func differing(want, got []string) string {
	var b strings.Builder
	fmt.Fprintln(&b, " "+want[0])
	for len(want) > 0 && len(got) > 0 && want[0] == got[0] {
		want, got = want[1:], got[1:]
	}
	for len(want) > 0 && len(got) > 0 && want[len(want)-1] == got[len(got)-1] {
		want, got = want[:len(want)-1], got[:len(got)-1]
	}
	for _, line := range want {
		fmt.Fprintln(&b, "-"+line)
	}
	for _, line := range got {
		fmt.Fprintln(&b, "+"+line)
	}
	return b.String()
}

// commandLines find what there is to compare with: what a run of the tests names, or else both.
func commandLines() map[string]func(context.Context) (string, error) {
	if os.Getenv("TF_ACC_TERRAFORM_PATH") != "" {
		return map[string]func(context.Context) (string, error){"named": func(context.Context) (string, error) { return testcli.Find() }}
	}
	return map[string]func(context.Context) (string, error){
		"terraform": func(context.Context) (string, error) { return exec.LookPath("terraform") },
		"tofu": func(ctx context.Context) (string, error) {
			path, err := toolchain.Path(ctx, "tofu")
			if err == nil && !toolchain.Executable(path) {
				err = errors.New("run `make tofu` to have one")
			}
			return path, err
		},
	}
}

// profileOf is the profile that is held to a command line.
func profileOf(t *testing.T, cli string) driver.Profile {
	t.Helper()
	version, err := versionOf(t.Context(), cli)
	if err != nil {
		t.Fatal(err)
	}
	for prefix, profile := range map[string]driver.Profile{
		"Terraform v1.11.": driver.Terraform111, "OpenTofu v1.12.": driver.OpenTofu,
		"Terraform v1.16.": driver.Terraform116, "Terraform v1.17.": driver.Terraform117,
	} {
		if strings.HasPrefix(version, prefix) {
			return profile
		}
	}
	t.Skipf("the driver has no profile that is compared with %s", version)
	return driver.Profile{}
}

// versionOf returns the first line that a command line prints about its version.
func versionOf(ctx context.Context, cli string) (string, error) {
	out, err := exec.CommandContext(ctx, cli, "version").Output()
	version, _, _ := strings.Cut(string(out), "\n")
	return version, err
}

const standInBinary = "terraform-provider-kubernetes"

// recordedInstallation has a command line start this test binary as its providers.
func recordedInstallation(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	installation := "  dev_overrides {\n"
	for source, binary := range map[string]string{"terraform-cas/cas": "terraform-provider-cas", "hashicorp/kubernetes": standInBinary} {
		dir := t.TempDir()
		if err := os.Symlink(self, filepath.Join(dir, binary)); err != nil {
			t.Fatal(err)
		}
		installation += fmt.Sprintf("    %q = %q\n", source, dir)
	}
	return installation + "  }\n"
}

// onCLI gives the calls of a command line.
func (s scenario) onCLI(f *fixture.Fixture, cli, installation string) [][]string {
	f.Helper()
	w, err := testcli.Open(f.Context(), f.TempDir(), cli, installation)
	if err != nil {
		f.Fatal(err)
	}
	w.WithoutTLS()
	calls := filepath.Join(f.TempDir(), "calls")
	w.Setenv(recordTo, calls)
	w.Setenv("TF_LOG_SDK", "OFF")
	w.Setenv("TF_LOG_PROVIDER_CAS", "OFF")
	r := &recording{Commands: w, scenario: s, take: func() []call { return recordedCalls(calls) }}
	s.run(&fixture.Pipeline{Fixture: f, CLI: w, On: r})
	return r.normal(f.Namespace)
}

// onDriver returns the calls of the driver.
func (s scenario) onDriver(f *fixture.Fixture, profile driver.Profile) [][]string {
	f.Helper()
	on, log := fixture.NewSession(f), &callLog{}
	on.Workspace.Profile, on.Workspace.Validate = profile, driver.ValidateAlways
	for name, start := range on.Workspace.Providers {
		on.Workspace.Providers[name] = recordedStart(start, log.add)
	}
	r := &recording{Commands: on, scenario: s, take: log.take}
	s.run(&fixture.Pipeline{Fixture: f, On: r})
	return r.normal(f.Namespace)
}

// recording keeps the calls of each command.
type recording struct {
	fixture.Commands
	scenario

	take func() []call
	all  []recordedCommand
}

type recordedCommand struct {
	what  string
	calls []call
}

func (r *recording) ended(result testcli.Result, what ...string) testcli.Result {
	said := strings.Join(what, " ")
	r.all = append(r.all, recordedCommand{fmt.Sprintf("%s: exit code %d", said, result.ExitCode), r.take()})
	return result
}

func (r *recording) Plan(out string, args ...string) testcli.Result {
	return r.ended(r.Commands.Plan(out, args...), append([]string{"plan"}, args...)...)
}

func (r *recording) Apply(planfile string, args ...string) testcli.Result {
	return r.ended(r.Commands.Apply(planfile, args...), "apply of the plan")
}

func (r *recording) Destroy(args ...string) testcli.Result {
	return r.ended(r.Commands.Destroy(args...), append([]string{"destroy"}, args...)...)
}

func (r *recording) Run(args ...string) testcli.Result {
	return r.ended(r.Commands.Run(args...), args...)
}

// normal returns the part to compare: the calls of each command, with the number of their process in it.
func (r *recording) normal(namespace string) [][]string {
	var all [][]string
	names := map[string]string{"": "none"} // of calls, by their IDs
	for n, c := range r.all {
		lines := []string{strings.ReplaceAll(c.what, namespace, "NAMESPACE")}
		processes, configured, nth := map[string]int{}, map[string]bool{}, map[string]int{}
		for _, one := range c.calls {
			if processes[one.Process] == 0 {
				processes[one.Process] = len(processes) + 1
			}
			configured[one.Process] = configured[one.Process] || one.RPC == "ConfigureProvider"
			of := fmt.Sprintf("%s in process %d of command %d", one.RPC, processes[one.Process], n+1)
			if nth[of+one.Subject]++; nth[of+one.Subject] > 1 {
				of += fmt.Sprint(", time ", nth[of+one.Subject])
			}
			names[one.ID] = of
		}
		// A validation has no order: each walk of it follows its graph, and calls that change nothing may come in any order.
		slices.SortStableFunc(c.calls, func(a, b call) int {
			if d := processes[a.Process] - processes[b.Process]; d != 0 {
				return d
			}
			if r.independent || !configured[a.Process] {
				return strings.Compare(a.Subject, b.Subject)
			}
			return 0
		})
		for _, one := range c.calls {
			line := fmt.Sprintf("  %d %s %s: %s", processes[one.Process], one.RPC, one.Subject, one.Said)
			if one.Has {
				line += " private=" + names[one.Private]
			}
			lines = append(lines, strings.ReplaceAll(line, namespace, "NAMESPACE"))
		}
		all = append(all, lines)
	}
	return all
}
