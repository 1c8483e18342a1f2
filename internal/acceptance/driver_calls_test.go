package acceptance_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcli"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

// The driver stands in for command lines in most tests here. So it is held to them: it must make the calls that they make.

// scenario is a story that a command line and the driver each live through. Where instances are independent, their order is not
// fixed, and so not compared.
type scenario struct {
	independent bool
	needs       func(driver.Profile) bool // nil: every command line can
	run         func(p *pipeline)
}

const entryAddress = "cas_configmap_entry.foo"

// made has foo hold 1, as an entry with these lines.
func (p *pipeline) made(lines ...string) {
	p.Helper()
	p.create("testmap", data{"bar": "kept"})
	p.applied(entryBlock("foo", append([]string{`value = "1"`}, lines...)...))
}

// refusing answers the next writes in the API server's place.
func (p *pipeline) refusing() *testcluster.Proxy {
	p.Helper()
	proxy := p.proxied()
	proxy.SetHook(func(r *http.Request) testcluster.Fault {
		if r.Method == http.MethodGet || r.URL.Query().Has("dryRun") {
			return testcluster.Fault{}
		}
		return testcluster.Fault{Answer: &testcluster.Answer{Status: http.StatusForbidden, Body: "no\n"}}
	})
	return proxy
}

// refusedOnce applies body twice: the first time its write is refused.
func (p *pipeline) refusedOnce(body string) {
	p.Helper()
	proxy := p.refusing()
	p.write(body)
	p.plan()
	p.applyRefused()
	proxy.SetHook(nil)
	p.do("apply", "-auto-approve")
}

// failsOf applies body, which the provider says has failed when it has written this key.
func (p *pipeline) failsOf(key, body string) {
	p.Helper()
	p.setenv(failsAfter, "ApplyResourceChange cas_configmap_entry testmap "+key)
	p.write(body)
	p.ended(p.on.Run("apply", "-auto-approve"), 1, "apply")
	p.setenv(failsAfter, "")
}

const createFirst = "lifecycle {\n    create_before_destroy = true\n  }"

var scenarios = map[string]scenario{
	"create": {run: func(p *pipeline) {
		p.create("testmap", data{"bar": "kept"})
		p.planned(entryBlock("foo", `value = "1"`))
	}},
	"nothing to do": {run: func(p *pipeline) {
		p.made()
		p.planNothing()
		p.apply()
		p.do("apply", "-auto-approve")
		p.destroy()
		p.destroy()
	}},
	"nothing to do for any instance": {run: func(p *pipeline) {
		p.made()
		p.planned(entryBlock("foo", "count = 0", `value = "1"`))
		p.planNothing()
		p.apply()
	}},
	"update": {run: func(p *pipeline) {
		p.made()
		p.applied(entryBlock("foo", `value = "2"`))
		p.planned(entryBlock("foo", `value = "3"`))
	}},
	"replace": {run: func(p *pipeline) {
		p.made()
		p.planned(entryBlock("foo", `key = "baz"`, `value = "2"`))
		p.planApply("-replace=" + entryAddress)
	}},
	"create_before_destroy": {run: func(p *pipeline) {
		p.made(createFirst)
		p.planned(entryBlock("foo", `key = "baz"`, `value = "2"`, createFirst))
		p.planned("")
	}},
	"tainted": {run: func(p *pipeline) {
		p.made()
		p.do("taint", entryAddress)
		p.planned(entryBlock("foo", `key = "baz"`, `value = "2"`))
		p.do("taint", entryAddress)
		p.planned("")
	}},
	"dropped block": {run: func(p *pipeline) {
		p.made()
		p.planned("")
	}},
	"destroy of a saved plan": {run: func(p *pipeline) {
		p.made()
		p.planApply("-destroy")
	}},
	"without a refresh": {run: func(p *pipeline) {
		p.made(`conflict_scope = "key"`)
		p.planned(entryBlock("foo", `value = "2"`, `conflict_scope = "key"`), "-refresh=false")
		p.write("")
		p.plan("-refresh=false")
		p.destroy("-refresh=false")
	}},
	"minimal refresh": {needs: func(of driver.Profile) bool { return of.PlansBeforeRefresh }, run: func(p *pipeline) {
		p.made()
		p.planNothing("-minimal-refresh")
		p.planned(entryBlock("foo", `value = "2"`), "-minimal-refresh")
		p.planned(entryBlock("foo", `key = "baz"`, `value = "2"`), "-minimal-refresh")
		p.do("taint", entryAddress)
		p.planned(entryBlock("foo", `key = "foo"`, `value = "2"`), "-minimal-refresh")
		p.unset("testmap", "foo")
		p.planned(entryBlock("foo", `value = "3"`), "-minimal-refresh")
		p.planned("", "-minimal-refresh")
	}},
	"only a refresh": {run: func(p *pipeline) {
		p.made(`conflict_scope = "key"`)
		p.set("testmap", "foo", "foreign")
		p.planApply("-refresh-only")
		p.set("testmap", "foo", "1")
		p.do("refresh")
		p.planNothing()
		p.write("")
		p.planNothing("-refresh-only")
		p.unset("testmap", "foo")
		p.planApply("-refresh-only")
	}},
	"import block": {run: func(p *pipeline) {
		p.create("testmap", data{"foo": "1"})
		block := importBlock("foo", p.namespace+"/testmap/foo")
		p.planned(block + entryBlock("foo", `value = "1"`))
		p.planned(block + entryBlock("foo", `value = "2"`))
	}},
	"import block and update": {run: func(p *pipeline) {
		p.create("testmap", data{"foo": "1"})
		p.planned(importBlock("foo", p.namespace+"/testmap/foo") + entryBlock("foo", `value = "2"`))
	}},
	"import command": {run: func(p *pipeline) {
		p.create("testmap", data{"foo": "1"})
		p.write(entryBlock("foo", `value = "2"`))
		p.do("import", entryAddress, p.namespace+"/testmap/foo")
		p.do("apply", "-auto-approve")
	}},
	"moved block": {run: func(p *pipeline) {
		p.made()
		p.planned(entryBlock("other", `value = "1"`) + "moved {\n  from = cas_configmap_entry.foo\n  to = cas_configmap_entry.other\n}\n")
	}},
	"moved from another provider": {run: func(p *pipeline) {
		p.create("testmap", data{"foo": "1"})
		p.applied(kubernetesBlock(`data = { foo = "1" }`))
		p.planned(dataBlock("it", `data = { foo = "1" }`) + movedBlock)
	}},
	"for_each": {independent: true, run: func(p *pipeline) {
		p.create("testmap", data{"bar": "kept"})
		each := func(keys string) string {
			return entryBlock("foo", "for_each = toset(["+keys+"])", "key = each.key", `value = "1"`)
		}
		p.planned(each(`"a", "b", "c"`))
		p.planned(each(`"a", "c"`))
		p.destroy()
	}},
	"count": {independent: true, run: func(p *pipeline) {
		p.create("testmap", data{"bar": "kept"})
		p.applied(entryBlock("foo", "count = 2", `key = "key-${count.index}"`, `value = "1"`))
		p.planned(entryBlock("foo", "count = 1", `key = "key-${count.index}"`, `value = "1"`))
	}},
	"unknown when planned": {run: func(p *pipeline) {
		p.create("testmap", data{"bar": "kept"})
		config := func(input string) string {
			return "resource \"terraform_data\" \"it\" {\n  input = " + quoted(input) + "\n}\n" + entryBlock("foo", "value = terraform_data.it.output")
		}
		p.planned(config("1"))
		p.planned(config("2"))
		p.destroy()
	}},
	"unknown when planned, and the same when applied": {run: func(p *pipeline) {
		p.create("testmap", data{"bar": "kept"})
		config := func(trigger string) string {
			return "resource \"terraform_data\" \"it\" {\n  input = \"1\"\n  triggers_replace = " + quoted(trigger) + "\n}\n" +
				entryBlock("foo", "value = terraform_data.it.output")
		}
		p.applied(config("a"))
		p.planned(config("b"))
		p.destroy()
	}},
	"key unknown when planned": {run: func(p *pipeline) {
		p.made()
		p.planned("resource \"terraform_data\" \"it\" {\n  input = \"baz\"\n}\n" + entryBlock("foo", "key = terraform_data.it.output", `value = "2"`))
	}},
	"chain": {run: func(p *pipeline) {
		p.create("testmap", data{"bar": "kept"})
		config := func(value string) string {
			return entryBlock("a", `key = "a"`, "value = "+quoted(value)) + entryBlock("b", `key = "b"`, "value = cas_configmap_entry.a.value",
				`conflict_scope = "key"`) + entryBlock("c", `key = "c"`, `value = "1"`, "depends_on = [cas_configmap_entry.b]", `conflict_scope = "key"`)
		}
		p.planned(config("1"))
		p.planned(config("2"))
		p.destroy()
	}},
	"chain that is dropped": {run: func(p *pipeline) {
		p.create("testmap", data{"bar": "kept"})
		p.applied(entryBlock("a", `key = "a"`, `value = "1"`) + entryBlock("b", `key = "b"`, "value = cas_configmap_entry.a.value"))
		p.write("")
		p.plan("-refresh=false") // its order is not fixed, and so not looked at
		p.apply()
	}, independent: true},
	"chain of create_before_destroy": {run: func(p *pipeline) {
		p.create("testmap", data{"bar": "kept"})
		config := func(key string) string {
			return entryBlock("a", "key = "+quoted(key), `value = "1"`, createFirst) +
				entryBlock("b", `key = "b"`, "value = cas_configmap_entry.a.key", `conflict_scope = "key"`)
		}
		p.applied(config("a"))
		p.planned(config("aa"))
	}},
	"deleted outside": {run: func(p *pipeline) {
		p.made()
		p.unset("testmap", "foo")
		p.planApply()
		p.unset("testmap", "foo")
		p.write("")
		p.planNothing()
	}},
	"create that fails": {run: func(p *pipeline) {
		p.create("testmap", data{"bar": "kept"})
		p.refusedOnce(entryBlock("foo", `value = "1"`))
	}},
	"create that fails after it made something": {run: func(p *pipeline) {
		p.create("testmap", data{"bar": "kept"})
		p.failsOf("foo", entryBlock("foo", `value = "1"`))
		p.write(entryBlock("foo", `key = "baz"`, `value = "1"`))
		p.plan()
	}},
	"update that fails": {run: func(p *pipeline) {
		p.made()
		p.refusedOnce(entryBlock("foo", `value = "2"`))
	}},
	"delete that fails": {run: func(p *pipeline) {
		p.made()
		p.refusedOnce("")
	}},
	"delete that fails after it removed": {run: func(p *pipeline) {
		p.made()
		p.failsOf("foo", "")
		p.planNothing()
	}},
	"replace whose create fails": {run: func(p *pipeline) {
		p.made()
		p.failsOf("baz", entryBlock("foo", `key = "baz"`, `value = "2"`))
		p.do("untaint", entryAddress)
		p.destroy()
	}},
	"create_before_destroy whose create fails": {run: func(p *pipeline) {
		p.made(createFirst)
		p.refusedOnce(entryBlock("foo", `key = "baz"`, `value = "2"`, createFirst))
	}},
	"create_before_destroy that leaves one deposed": {run: func(p *pipeline) {
		p.made(createFirst, `conflict_scope = "key"`)
		p.failsOf("baz", entryBlock("foo", `key = "baz"`, `value = "2"`, createFirst, `conflict_scope = "key"`))
		p.do("untaint", entryAddress)
		p.planApply()
	}, independent: true},
	"deposed that is destroyed": {run: func(p *pipeline) {
		p.made(createFirst, `conflict_scope = "key"`)
		p.failsOf("baz", entryBlock("foo", `key = "baz"`, `value = "2"`, createFirst, `conflict_scope = "key"`))
		p.do("untaint", entryAddress)
		p.destroy()
	}, independent: true},
	"plan that is refused": {run: func(p *pipeline) {
		p.create("testmap", data{"foo": "foreign"})
		p.write(entryBlock("foo", `value = "1"`, `expected_value = "2"`) + entryBlock("b", `key = "b"`, "value = cas_configmap_entry.foo.value"))
		p.planRefused(nil)
	}},
	"update that is refused when it is planned again": {run: func(p *pipeline) {
		p.made()
		p.write(entryBlock("foo", `value = "2"`) + entryBlock("b", `key = "b"`, "value = cas_configmap_entry.foo.value"))
		p.plan()
		p.set("testmap", "foo", "foreign")
		p.applyRefused()
		p.set("testmap", "foo", "1")
		p.do("apply", "-auto-approve")
	}},
	"replace that is refused when it is planned again": {run: func(p *pipeline) {
		p.made(`conflict_scope = "key"`)
		p.write(entryBlock("foo", `key = "baz"`, `value = "2"`, `conflict_scope = "key"`))
		p.plan()
		p.set("testmap", "baz", "foreign")
		p.applyRefused()
		p.unset("testmap", "baz")
		p.do("apply", "-auto-approve")
	}},
	"create_before_destroy that is refused when it is planned again": {run: func(p *pipeline) {
		p.made(createFirst, `conflict_scope = "key"`)
		p.write(entryBlock("foo", `key = "baz"`, `value = "2"`, createFirst, `conflict_scope = "key"`))
		p.plan()
		p.set("testmap", "baz", "foreign")
		p.applyRefused()
		p.unset("testmap", "baz")
		p.do("apply", "-auto-approve")
	}, independent: true},
	"replace whose delete fails": {run: func(p *pipeline) {
		p.made()
		p.refusedOnce(entryBlock("foo", `key = "baz"`, `value = "2"`))
	}},
	"chain that fails": {run: func(p *pipeline) {
		p.made()
		p.failsOf("foo", entryBlock("foo", `value = "2"`)+entryBlock("b", `key = "b"`, "value = cas_configmap_entry.foo.value"))
		p.do("apply", "-auto-approve")
	}},
	"write-only": {run: func(p *pipeline) {
		version := p.create("testmap", data{"bar": "kept"}).ResourceVersion
		p.planned(entryBlock("foo", `value = "1"`, "expected_resource_version_wo = "+quoted(version)))
	}},
	"provider unknown when planned": {run: func(p *pipeline) {
		p.create("testmap", data{"bar": "kept"})
		config := func(manager, value string) {
			p.writeFor(p.kubeconfig, "field_manager = terraform_data.it.output",
				"resource \"terraform_data\" \"it\" {\n  input = "+quoted(manager)+"\n}\n"+entryBlock("foo", "value = "+quoted(value)))
		}
		config("one", "1")
		p.planApply()
		config("two", "2")
		p.planApply()
		p.destroy()
	}},
	"data source in other kinds of plans": {run: func(p *pipeline) {
		p.create("testmap", data{"bar": "kept"})
		p.planned(dataSource(`"bar"`)+entryBlock("foo", "value = data.cas_configmap_entry.it.value"), "-refresh=false")
		p.set("testmap", "bar", "other")
		p.planApply("-refresh-only")
		p.planApply("-destroy", "-refresh=false")
	}},
	"data source that cannot be read": {run: func(p *pipeline) {
		p.create("testmap", data{"bar": "kept"})
		p.write(dataSource(`"missing"`) + entryBlock("foo", "value = data.cas_configmap_entry.it.value"))
		p.planRefused(nil)
	}},
	"data source known when planned": {run: func(p *pipeline) {
		p.create("testmap", data{"bar": "kept"})
		p.planned(dataSource(`"bar"`) + entryBlock("foo", "value = data.cas_configmap_entry.it.value"))
		p.destroy()
	}},
	"data source unknown when planned": {run: func(p *pipeline) {
		p.create("testmap", data{"bar": "kept"})
		p.write("resource \"terraform_data\" \"it\" {\n  input = \"bar\"\n}\n" + dataSource("terraform_data.it.output") +
			entryBlock("foo", "value = data.cas_configmap_entry.it.value"))
		p.planApply()
		p.planNothing()
		p.destroy()
	}},
	"data source that depends on a change": {run: func(p *pipeline) {
		p.made()
		p.write(entryBlock("foo", `value = "2"`) + dataSource(`"foo"`, "depends_on = [cas_configmap_entry.foo]") +
			entryBlock("b", `key = "b"`, "value = data.cas_configmap_entry.it.value", `conflict_scope = "key"`))
		p.planApply()
		p.planNothing()
	}},
	"whole": {run: func(p *pipeline) {
		p.planned("resource \"cas_configmap\" \"it\" {\n  namespace = NAMESPACE\n  name = \"whole\"\n  data = { a = \"1\" }\n}\n")
		p.planned("resource \"cas_configmap\" \"it\" {\n  namespace = NAMESPACE\n  name = \"renamed\"\n  data = { a = \"2\" }\n}\n")
		p.destroy()
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
					f := newFixture(t)
					beside := *f
					beside.namespace = f.cluster.Namespace(t)
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

// versionOf is the first line of what a command line says of its version.
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
func (s scenario) onCLI(f *fixture, cli, installation string) [][]string {
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
	r := &recording{commands: w, scenario: s, take: func() []call { return recordedCalls(calls) }}
	s.run(&pipeline{fixture: f, cli: w, on: r})
	return r.normal(f.namespace)
}

// onDriver gives those of the driver.
func (s scenario) onDriver(f *fixture, profile driver.Profile) [][]string {
	f.Helper()
	on, log := newSession(f), &callLog{}
	on.w.Profile, on.w.Validate = profile, driver.ValidateAlways
	for name, start := range on.w.Providers {
		on.w.Providers[name] = recordedStart(start, log.add)
	}
	r := &recording{commands: on, scenario: s, take: log.take}
	s.run(&pipeline{fixture: f, on: r})
	return r.normal(f.namespace)
}

// recording keeps the calls of each command.
type recording struct {
	commands
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
	return r.ended(r.commands.Plan(out, args...), append([]string{"plan"}, args...)...)
}

func (r *recording) Apply(planfile string, args ...string) testcli.Result {
	return r.ended(r.commands.Apply(planfile, args...), "apply of the plan")
}

func (r *recording) Destroy(args ...string) testcli.Result {
	return r.ended(r.commands.Destroy(args...), append([]string{"destroy"}, args...)...)
}

func (r *recording) Run(args ...string) testcli.Result {
	return r.ended(r.commands.Run(args...), args...)
}

// normal is what there is to compare: for each command the calls, with the number of their process in it.
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
		// A validation has no order: each walk of it goes by its graph, and calls that change nothing may come in any.
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
			if one.Stores {
				line += " planned private=" + names[one.Planned]
			}
			lines = append(lines, strings.ReplaceAll(line, namespace, "NAMESPACE"))
		}
		all = append(all, lines)
	}
	return all
}
