package docs

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/hcl/v2"
	"github.com/hashicorp/hcl/v2/hclsyntax"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver"
	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

const (
	swapExamples = "../../../examples/actions/cas_configmap_swap"
	listExamples = "../../../examples/list-resources"
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
		before, after fixture.Data
		refused       string
	}{
		{"action.tf", "switch", nil, fixture.Data{"color": "blue", "previous": "green", "green": "ready"}, fixture.Data{"color": "green", "previous": "blue", "green": "ready"}, ""},
		{"action.tf", "switch", nil, fixture.Data{"color": "blue", "previous": "green", "green": "broken"}, nil, `expected_data["green"] is "ready", but green holds "broken".`},
		{"trigger.tf", "released", released, fixture.Data{"release": "1.0"}, fixture.Data{"release": "2.0"}, ""},
		{"trigger.tf", "released", released, fixture.Data{"release": "1.0", "freeze": "yes"}, nil, `expected_data["freeze"] says that freeze is absent, but it holds "yes".`},
		{"trigger.tf", "released", released, fixture.Data{"release": "1.1"}, nil, `expected_data["release"] is "1.0", but release holds "1.1".`},
		{"wait_for_match.tf", "migrated", nil, fixture.Data{"schema": "42"}, fixture.Data{"schema": "42"}, ""},
	} {
		t.Run(test.file, func(t *testing.T) {
			f, _ := shop(t, test.before)
			body, c := configsOf(t, "action", toolchain.Text(t, swapExamples, test.file), test.references...)[fixture.Swap+"."+test.action], f.Calls()
			planned := c.PlanAction(t.Context(), fixture.Swap, body)
			_, diags := c.InvokeAction(t.Context(), fixture.Swap, body)
			for _, said := range []driver.Diagnostics{planned, diags} {
				if test.refused == "" {
					f.WantSaid(said)
				} else {
					f.WantSaid(said, test.refused)
				}
			}
			if test.refused != "" {
				test.after = test.before
			}
			f.WantLive("settings", test.after)
		})
	}
}

// The examples of lists find what they say.
func TestListExamples(t *testing.T) {
	t.Parallel()
	f, _ := shop(t, fixture.Data{"color": "green"})
	for name, labels := range map[string]map[string]string{"flags": {"kind": "flags"}, "shop-one": {"app": "shop"}, "shop-two": {"app": "shop"}} {
		f.Remove(name)
		t.Cleanup(func() { f.Remove(name) })
		f.CreateObject(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}, Data: fixture.Data{"on": "yes"}})
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
			found, diags := f.Calls().List(t.Context(), typ, configs[typ+"."+label], 100, false)
			f.WantSaid(diags)
			if got := fixture.NamesOf(found); !slices.Equal(got, names) {
				t.Errorf("%s.%s: %q, want %q", typ, label, got, names)
			}
		}
	}
}

func TestGuideActions(t *testing.T) {
	t.Parallel()
	f, _ := shop(t, fixture.Data{"color": "blue", "previous": "green", "green": "ready"})
	p := f.CLIPipeline()
	p.NeedsActionsAndLists()
	p.Write(toolchain.Text(t, swapExamples, "action.tf"))
	invoke := []string{"-auto-approve", "-invoke=action.cas_configmap_swap.switch"}
	wantShown(p, "actions", p.Do(append([]string{"apply"}, invoke...)...))
	after := fixture.Data{"color": "green", "previous": "blue", "green": "ready"}
	p.WantLive("settings", after)
	wantShown(p, "actions", p.Ended(p.On.Run(append([]string{"apply"}, invoke...)...), 1, "apply"))
	p.WantLive("settings", after)

	// After a change of another resource: the first release is recorded where there was none, the second over what the plan saw.
	p.Write(toolchain.Text(t, swapExamples, "trigger.tf"))
	p.Export("TF_VAR_release", "1.0")
	p.Do("apply", "-auto-approve")
	after["release"] = "1.0"
	p.WantLive("settings", after)
	p.Export("TF_VAR_release", "2.0")
	p.Plan()
	p.Set("settings", "release", "1.1")
	p.ApplyRefused("Expected Value Mismatch", `expected_data["release"] is "1.0", but release holds "1.1". Nothing was written.`)
	after["release"] = "1.1"
	p.WantLive("settings", after)
	p.Export("TF_VAR_release", "3.0")
	p.Do("apply", "-auto-approve")
	after["release"] = "3.0"
	p.WantLive("settings", after)
	p.Destroy()
	p.WantLive("settings", after)
}

// The gate waits before the resource is made. Another writer opens it.
func TestGuideActionsGate(t *testing.T) {
	t.Parallel()
	f, _ := shop(t, fixture.Data{"schema": "41"})
	p := f.CLIPipeline()
	p.NeedsActionsAndLists()
	proxy := f.Cluster.Proxy(t)
	text := toolchain.Text(t, swapExamples, "wait_for_match.tf")
	p.WriteFor(f.Cluster.Kubeconfig(t, proxy.Config), "", text)
	p.Wants(p.Plan(), "Expectation Does Not Hold Yet", "for up to 10m")
	f.OnWatches(proxy, func() testcluster.Fault { return fixture.Watched(func() { f.Set("settings", "schema", "42") }) })
	output := p.Apply()
	waited, made := strings.Index(output, "shop/settings is as expected at resourceVersion"), strings.Index(output, "terraform_data.rollout: Creation complete")
	if waited < 0 || made < waited {
		t.Errorf("the rollout was made at %d, and the gate opened at %d:\n%s", made, waited, output)
	}
	f.WantLive("settings", fixture.Data{"schema": "42"})
}

func TestGuideAdopt(t *testing.T) {
	t.Parallel()
	f, _ := shop(t, fixture.Data{"color": "green", "version": "1"})
	f.Change("settings", func(cm *corev1.ConfigMap) { cm.BinaryData = map[string][]byte{"seed": {1, 2}} })
	p := f.CLIPipeline()
	p.NeedsActionsAndLists()
	p.CLI.Home(f.Cluster.Config)
	p.On.Write("main.tf", guideFile(t, "adopt/main.tf"))
	p.On.Write("shop.tfquery.hcl", guideFile(t, "adopt/shop.tfquery.hcl"))
	output := p.Do("query")
	for _, key := range []string{"color", "seed", "version"} {
		p.Wants(output, fmt.Sprintf("list.cas_configmap_entry.settings key=%[1]s,name=settings,namespace=shop shop/settings/%[1]s", key))
	}
	p.Unset("settings", "seed")
	wantShown(p, "adopt", p.Do("query"))

	p.Do("query", "-generate-config-out=settings.tf")
	generated := toolchain.Text(t, p.CLI.Dir, "settings.tf")
	_, shown, _ := strings.Cut(guideText(t, "adopt"), "```terraform\nresource")
	shown, _, _ = strings.Cut(shown, "```\n")
	for _, block := range strings.Split("resource"+shown, "\n\n") {
		if !strings.Contains(generated, strings.TrimSpace(block)) {
			t.Errorf("the guide shows\n%s\nof\n%s", block, generated)
		}
	}
	before := p.Live("settings")
	wantShown(p, "adopt", p.Plan())
	p.Apply()
	p.PlanNothing()
	p.WantState("settings_0", "settings_1")
	p.WantUnchanged(before)

	// The same of whole ConfigMaps, by one list.
	p.On.Write("settings.tf", "")
	p.On.Write("shop.tfquery.hcl", toolchain.Text(t, listExamples, "cas_configmap", "list-resource.tfquery.hcl"))
	f.Change("settings", func(cm *corev1.ConfigMap) { cm.Labels = map[string]string{"app": "shop"} })
	p.Do("state", "rm", "cas_configmap_entry.settings_0", "cas_configmap_entry.settings_1")
	p.Do("query", "-generate-config-out=whole.tf")
	p.Wants(p.Plan(), "Plan: 1 to import, 0 to add, 0 to change, 0 to destroy.")
	p.Apply()
	p.PlanNothing()

	// Without the verb, the query says so.
	user := f.User("cannot-list", "configmaps", "get")
	p.WriteFor(f.Cluster.Kubeconfig(t, user), "", "")
	refused := p.Ended(p.On.Run("query"), 1, "query")
	p.Wants(refused, "Error: Not Permitted", "You do not have permission to list ConfigMaps. Nothing was listed.", "Grant list on configmaps in this namespace.")
}
