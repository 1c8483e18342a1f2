package acceptance_test

import (
	"fmt"
	"net/http"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcli"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

const (
	swapExamples = "../../examples/actions/cas_configmap_swap"
	listExamples = "../../examples/list-resources"
)

// actionAndListExamples are applied by the tests here.
var actionAndListExamples = []string{
	"actions/cas_configmap_swap/action.tf", "actions/cas_configmap_swap/trigger.tf", "actions/cas_configmap_swap/wait_for_match.tf",
	"list-resources/cas_configmap/list-resource.tfquery.hcl", "list-resources/cas_configmap_entry/list-resource.tfquery.hcl",
}

// configsOf are the configurations of the actions or lists in a file, by their labels, with references replaced.
func configsOf(t *testing.T, kind, text string, references ...string) map[string]string {
	t.Helper()
	file, diags := hclsyntax.ParseConfig([]byte(text), "example", hcl.InitialPos)
	if diags.HasErrors() {
		t.Fatal(diags)
	}
	configs := map[string]string{}
	body, ok := file.Body.(*hclsyntax.Body)
	if !ok {
		t.Fatal("not the native syntax")
	}
	for _, block := range body.Blocks {
		if block.Type != kind {
			continue
		}
		config := block.Body.Blocks[0]
		text := text[config.OpenBraceRange.End.Byte:config.CloseBraceRange.Start.Byte]
		configs[strings.Join(block.Labels, ".")] = strings.NewReplacer(references...).Replace(text)
	}
	return configs
}

// The examples of actions do what they say. Where the command line has no actions, this is all that applies them.
func TestSwapExamples(t *testing.T) {
	t.Parallel()
	released := []string{"terraform_data.rollout.output", `"2.0"`, "data.cas_configmap_entry.release.value", `"1.0"`}
	for _, test := range []struct {
		file, action  string
		references    []string
		before, after data
		refused       string
	}{
		{"action.tf", "switch", nil, data{"color": "blue", "previous": "green", "green": "ready"}, data{"color": "green", "previous": "blue", "green": "ready"}, ""},
		{"action.tf", "switch", nil, data{"color": "blue", "previous": "green", "green": "broken"}, nil, `expected_data["green"] is "ready", but green holds "broken".`},
		{"trigger.tf", "released", released, data{"release": "1.0"}, data{"release": "2.0"}, ""},
		{"trigger.tf", "released", released, data{"release": "1.0", "freeze": "yes"}, nil, `expected_data["freeze"] says that freeze is absent, but it holds "yes".`},
		{"trigger.tf", "released", released, data{"release": "1.1"}, nil, `expected_data["release"] is "1.0", but release holds "1.1".`},
		{"wait_for_match.tf", "migrated", nil, data{"schema": "42"}, data{"schema": "42"}, ""},
	} {
		t.Run(test.file, func(t *testing.T) {
			f, _ := shop(t, test.before)
			body, c := configsOf(t, "action", toolchain.Text(t, swapExamples, test.file), test.references...)[swap+"."+test.action], f.calls()
			planned := c.PlanAction(t.Context(), swap, body)
			_, diags := c.InvokeAction(t.Context(), swap, body)
			for _, said := range []driver.Diagnostics{planned, diags} {
				if test.refused == "" {
					f.wantSaid(said)
				} else {
					f.wantSaid(said, test.refused)
				}
			}
			if test.refused != "" {
				test.after = test.before
			}
			f.wantLive("settings", test.after)
		})
	}
}

// The examples of lists find what they say.
func TestListExamples(t *testing.T) {
	t.Parallel()
	f, _ := shop(t, data{"color": "green"})
	for name, labels := range map[string]map[string]string{"flags": {"kind": "flags"}, "shop-one": {"app": "shop"}, "shop-two": {"app": "shop"}} {
		f.remove(name)
		t.Cleanup(func() { f.remove(name) })
		f.createObject(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}, Data: data{"on": "yes"}})
	}
	for typ, want := range map[string]map[string][]string{
		"cas_configmap":       {"shop": {"shop-one", "shop-two"}},
		"cas_configmap_entry": {"settings": {"settings/color"}, "flags": {"flags/on"}},
	} {
		configs := configsOf(t, "list", toolchain.Text(t, listExamples, typ, "list-resource.tfquery.hcl"))
		if len(configs) != len(want) {
			t.Errorf("lists %v", configs)
		}
		for label, names := range want {
			found, diags := f.calls().List(t.Context(), typ, configs[typ+"."+label], 100, false)
			f.wantSaid(diags)
			if got := namesOf(found); !slices.Equal(got, names) {
				t.Errorf("%s.%s: %q, want %q", typ, label, got, names)
			}
		}
	}
}

// needsActionsAndLists skips a test where the command line is older than Terraform 1.14, which brought both, or is OpenTofu.
func (p *pipeline) needsActionsAndLists() {
	p.Helper()
	out, err := exec.CommandContext(p.Context(), p.cli.CLI, "version").Output()
	if err != nil {
		p.Fatal(err)
	}
	line, _, _ := strings.Cut(string(out), "\n")
	if minor := regexp.MustCompile(`^Terraform v1\.(\d+)`).FindStringSubmatch(line); minor != nil {
		if n, err := strconv.Atoi(minor[1]); err == nil && n >= 14 {
			return
		}
	}
	p.Skipf("actions and lists need Terraform 1.14 or later, and this is %s", line)
}

func TestGuideActions(t *testing.T) {
	t.Parallel()
	f, _ := shop(t, data{"color": "blue", "previous": "green", "green": "ready"})
	p := f.cliPipeline()
	p.needsActionsAndLists()
	p.write(toolchain.Text(t, swapExamples, "action.tf"))
	invoke := []string{"-auto-approve", "-invoke=action.cas_configmap_swap.switch"}
	p.wantShown("actions", p.do(append([]string{"apply"}, invoke...)...))
	after := data{"color": "green", "previous": "blue", "green": "ready"}
	p.wantLive("settings", after)
	p.wantShown("actions", p.ended(p.on.Run(append([]string{"apply"}, invoke...)...), 1, "apply"))
	p.wantLive("settings", after)

	// After a change of another resource: the first release is recorded where there was none, the second over what the plan saw.
	p.write(toolchain.Text(t, swapExamples, "trigger.tf"))
	p.setenv("TF_VAR_release", "1.0")
	p.do("apply", "-auto-approve")
	after["release"] = "1.0"
	p.wantLive("settings", after)
	p.setenv("TF_VAR_release", "2.0")
	p.plan()
	p.set("settings", "release", "1.1")
	p.applyRefused("Expected Value Mismatch", `expected_data["release"] is "1.0", but release holds "1.1". Nothing was written.`)
	after["release"] = "1.1"
	p.wantLive("settings", after)
	p.setenv("TF_VAR_release", "3.0")
	p.do("apply", "-auto-approve")
	after["release"] = "3.0"
	p.wantLive("settings", after)
	p.destroy()
	p.wantLive("settings", after)
}

// The gate waits before the resource is made. Another writer opens it.
func TestGuideActionsGate(t *testing.T) {
	t.Parallel()
	f, _ := shop(t, data{"schema": "41"})
	p := f.cliPipeline()
	p.needsActionsAndLists()
	proxy := f.cluster.Proxy(t)
	text := toolchain.Text(t, swapExamples, "wait_for_match.tf")
	p.writeFor(f.cluster.Kubeconfig(t, proxy.Config), "", text)
	p.wants(p.plan(), "Expectation Does Not Hold Yet", "for up to 10m")
	f.onWatches(proxy, func() testcluster.Fault { return watched(func() { f.set("settings", "schema", "42") }) })
	output := p.apply()
	waited, made := strings.Index(output, "shop/settings is as expected at resourceVersion"), strings.Index(output, "terraform_data.rollout: Creation complete")
	if waited < 0 || made < waited {
		t.Errorf("the rollout was made at %d, and the gate opened at %d:\n%s", made, waited, output)
	}
	f.wantLive("settings", data{"schema": "42"})
}

func TestGuideAdopt(t *testing.T) {
	t.Parallel()
	f, _ := shop(t, data{"color": "green", "version": "1"})
	f.change("settings", func(cm *corev1.ConfigMap) { cm.BinaryData = map[string][]byte{"seed": {1, 2}} })
	p := f.cliPipeline()
	p.needsActionsAndLists()
	p.cli.Home(f.cluster.Config)
	p.on.Write("main.tf", guideFile(t, "adopt/main.tf"))
	p.on.Write("shop.tfquery.hcl", guideFile(t, "adopt/shop.tfquery.hcl"))
	output := p.do("query")
	for _, key := range []string{"color", "seed", "version"} {
		p.wants(output, fmt.Sprintf("list.cas_configmap_entry.settings key=%[1]s,name=settings,namespace=shop shop/settings/%[1]s", key))
	}
	p.unset("settings", "seed")
	p.wantShown("adopt", p.do("query"))

	p.do("query", "-generate-config-out=settings.tf")
	generated := toolchain.Text(t, p.cli.Dir, "settings.tf")
	_, shown, _ := strings.Cut(guideText(t, "adopt"), "```terraform\nresource")
	shown, _, _ = strings.Cut(shown, "```\n")
	for _, block := range strings.Split("resource"+shown, "\n\n") {
		if !strings.Contains(generated, strings.TrimSpace(block)) {
			t.Errorf("the guide shows\n%s\nof\n%s", block, generated)
		}
	}
	before := p.live("settings")
	p.wantShown("adopt", p.plan())
	p.apply()
	p.planNothing()
	p.wantState("settings_0", "settings_1")
	p.wantUnchanged(before)

	// The same of whole ConfigMaps, by one list.
	p.on.Write("settings.tf", "")
	p.on.Write("shop.tfquery.hcl", toolchain.Text(t, listExamples, "cas_configmap", "list-resource.tfquery.hcl"))
	f.change("settings", func(cm *corev1.ConfigMap) { cm.Labels = map[string]string{"app": "shop"} })
	p.do("state", "rm", "cas_configmap_entry.settings_0", "cas_configmap_entry.settings_1")
	p.do("query", "-generate-config-out=whole.tf")
	p.wants(p.plan(), "Plan: 1 to import, 0 to add, 0 to change, 0 to destroy.")
	p.apply()
	p.planNothing()

	// Without the verb, the query says so.
	user := f.user("cannot-list", "configmaps", "get")
	p.writeFor(f.cluster.Kubeconfig(t, user), "", "")
	refused := p.ended(p.on.Run("query"), 1, "query")
	p.wants(refused, "Error: Not Permitted", "You do not have permission to list ConfigMaps. Nothing was listed.", "Grant list on configmaps in this namespace.")
}

// Given an action that waits before a resource is created; when the run is interrupted, then it says so, and the resource is not created.
func TestInterruptedActionStopsWhatItGates(t *testing.T) {
	p := newCLIPipeline(t)
	p.needsActionsAndLists()
	p.create("testmap", data{"schema": "41"})
	proxy := p.proxied()
	p.write("action \"cas_configmap_swap\" \"gate\" {\n  config {\n    namespace = NAMESPACE\n    name = \"testmap\"\n" +
		"    expected_data = { schema = \"42\" }\n    wait_for_match = \"5m\"\n  }\n}\n" +
		"resource \"terraform_data\" \"rollout\" {\n  lifecycle {\n    action_trigger {\n      events = [before_create]\n" +
		"      actions = [action.cas_configmap_swap.gate]\n    }\n  }\n}\n")
	p.plan()
	proxy.Reset()
	for name, args := range map[string][]string{
		"triggered": {"apply", planFile}, "invoked": {"apply", "-auto-approve", "-invoke=action.cas_configmap_swap.gate"},
	} {
		t.Run(name, func(t *testing.T) {
			watched := make(chan struct{}, 100)
			proxy.SetHook(func(r *http.Request) testcluster.Fault {
				if r.URL.Query().Has("watch") && r.URL.Query().Get("sendInitialEvents") == "" {
					watched <- struct{}{}
				}
				return testcluster.Fault{}
			})
			running := p.cli.Start(args...)
			<-watched
			if err := running.Interrupt(); err != nil {
				t.Fatal(err)
			}
			result := running.Wait()
			out := testcli.Flat(result.All())
			if result.ExitCode == 0 || !strings.Contains(out, "Operation Canceled") || strings.Contains(out, "Creation complete") {
				t.Errorf("it ended with %d:\n%s", result.ExitCode, out)
			}
		})
	}
}
