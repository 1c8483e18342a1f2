package docs

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/config"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcli"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

// entryExamples are the examples of cas_configmap_entry. They are applied as they stand, to the ConfigMap settings in
// the namespace shop that they name.
const entryExamples = "../../../examples/resources/cas_configmap_entry"

// entryExample has the content before and after one file of entryExamples is applied.
type entryExample struct {
	before    fixture.Data
	bytes     map[string][]byte   // before, in binaryData
	first     []resource.TestStep // applied before it
	variables func(before *corev1.ConfigMap) config.Variables
	versions  []tfversion.TerraformVersionCheck
	action    plancheck.ResourceActionType // of the resource at address; empty: not looked at
	address   string
	after     fixture.Data
	binary    func(t *testing.T, after map[string][]byte)
	destroyed fixture.Data // nil: what was there before, as it is by then
}

var identityImport = []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_12_0)}

// wantPrices fails the test unless prices is what binary.tf makes it.
func wantPrices(t *testing.T, after map[string][]byte) {
	t.Helper()
	if got, want := unzipped(t, after["prices"]), `{"apple":3,"pear":4}`; got != want {
		t.Errorf("prices is %q, want %q", got, want)
	}
}

func unzipped(t *testing.T, content []byte) string {
	t.Helper()
	unzip, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(unzip)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

var entryExampleTests = map[string]entryExample{
	"resource.tf": {
		before: fixture.Data{"foo": "1", "bar": "kept"},
		after:  fixture.Data{"foo": "2", "bar": "kept"},
	},
	"bound.tf": {
		before: fixture.Data{"foo": "1", "bar": "kept"},
		after:  fixture.Data{"foo": "2", "bar": "kept"},
	},
	"absent.tf": {
		after: fixture.Data{"banner": "Closed on Monday"},
	},
	"adopt.tf": {
		before: fixture.Data{"foo": "2"},
		after:  fixture.Data{"foo": "2"},
	},
	"restore.tf": {
		before: fixture.Data{"open": "yes"},
		after:  fixture.Data{"open": "no"}, destroyed: fixture.Data{"open": "yes"},
	},
	"binary.tf": {
		before: fixture.Data{"prices": "{}"},
		binary: wantPrices,
	},
	"key_scope.tf": {
		before: fixture.Data{"leader": "green"},
		after:  fixture.Data{"leader": "blue"},
	},
	"for_each.tf": {
		before: fixture.Data{"log_level": "info", "replicas": "2"},
		after:  fixture.Data{"log_level": "debug", "replicas": "3"},
	},
	"resource_version.tf": {
		before: fixture.Data{"foo": "1"},
		variables: func(before *corev1.ConfigMap) config.Variables {
			return config.Variables{"resource_version": config.StringVariable(before.ResourceVersion)}
		},
		after: fixture.Data{"foo": "2"},
	},
	"sensitive.tf": {
		variables: func(*corev1.ConfigMap) config.Variables {
			return config.Variables{"license": config.StringVariable("secret")}
		},
		after: fixture.Data{"license": "secret"},
	},
	"timeouts.tf": {
		before: fixture.Data{"foo": "1"},
		after:  fixture.Data{"foo": "2"},
	},
	"wait_first.tf": {
		before: fixture.Data{"schema": "41"},
		after:  fixture.Data{"schema": "42"}, destroyed: fixture.Data{"schema": "42"},
	},
	"wait_for_match.tf": { // where there is nothing to wait for; the other case is below
		before: fixture.Data{"schema": "42"},
		after:  fixture.Data{"schema": "43"}, destroyed: fixture.Data{"schema": "43"},
	},
	"import-by-string-id.tf": {
		before: fixture.Data{"foo": "1"}, action: plancheck.ResourceActionNoop, address: "cas_configmap_entry.foo", after: fixture.Data{"foo": "1"},
	},
	"import-by-identity.tf": {
		before: fixture.Data{"foo": "1"}, action: plancheck.ResourceActionNoop, address: "cas_configmap_entry.foo", after: fixture.Data{"foo": "1"},
		versions: identityImport,
	},
}

// shopping is held by the one test at a time that uses the namespace shop.
var shopping sync.Mutex

// shop is a fixture for the namespace shop with the ConfigMap settings in it, new. The test has it to itself until it ends.
func shop(t *testing.T, holds fixture.Data) (*fixture.Fixture, *corev1.ConfigMap) {
	t.Helper()
	return shopWith(t, "settings", holds)
}

// shopWith is shop with another ConfigMap.
func shopWith(t *testing.T, configMap string, holds fixture.Data) (*fixture.Fixture, *corev1.ConfigMap) {
	t.Helper()
	shopping.Lock()
	t.Cleanup(shopping.Unlock)
	return fixtureIn(t, "shop", configMap, holds) // which removes it before another test comes in
}

// applied has the folders of examples that TestExamples applies, and the result of each file.
var applied = map[string]map[string]entryExample{entryExamples: entryExampleTests, dataExamples: dataExampleTests}

func TestExamples(t *testing.T) {
	t.Parallel() // beside other tests; its own parts share a ConfigMap
	for folder, examples := range applied {
		for name, example := range examples {
			t.Run(filepath.Base(folder)+"/"+name, func(t *testing.T) { example.run(t, toolchain.Text(t, folder, name)) })
		}
	}
	t.Run("wait_for_match.tf, started before wait_first.tf", func(t *testing.T) {
		f, _ := shop(t, fixture.Data{"schema": "41"})
		first, second := f.CLIPipeline(), f.CLIPipeline()
		first.Write(toolchain.Text(t, entryExamples, "wait_first.tf"))
		proxy := f.Cluster.Proxy(t)
		second.WriteFor(f.Cluster.Kubeconfig(t, proxy.Config), "", toolchain.Text(t, entryExamples, "wait_for_match.tf"))
		waits := make(chan struct{})
		f.OnWatches(proxy, func() testcluster.Fault { return fixture.Watched(func() { close(waits) }) })

		running := second.CLI.Start("apply", "-auto-approve")
		<-waits
		f.WantLive("settings", fixture.Data{"schema": "41"})
		first.Do("apply", "-auto-approve")
		second.Ended(running.Wait(), 0, "apply")
		f.WantLive("settings", fixture.Data{"schema": "43"})
		for previous, p := range map[string]*fixture.Pipeline{"41": first, "42": second} {
			if got := p.WantState("schema")["schema"].Attributes["previous_value"]; got != previous {
				t.Errorf("replaced %v, want %s", got, previous)
			}
		}
	})
	t.Run("wait_for_match.tf of data, started first", func(t *testing.T) {
		f, _ := shop(t, fixture.Data{"color": "green", "version": "1", "schema": "42"})
		p := f.CLIPipeline()
		proxy := f.Cluster.Proxy(t)
		p.WriteFor(f.Cluster.Kubeconfig(t, proxy.Config), "", toolchain.Text(t, dataExamples, "wait_for_match.tf"))
		f.OnWatches(proxy, func() testcluster.Fault {
			return fixture.Watched(func() {
				f.Set("settings", "images", "pulled")
				f.WantLive("settings", fixture.Data{"color": "green", "version": "1", "schema": "42", "images": "pulled"})
				f.Set("settings", "schema", "43")
			})
		})
		p.Do("apply", "-auto-approve")
		f.WantLive("settings", fixture.Data{"color": "blue", "version": "2", "schema": "43", "images": "pulled"})
	})
	t.Run("import.sh", func(t *testing.T) {
		runImport(t, toolchain.Text(t, entryExamples, "import.sh"), fixture.Data{"foo": "1"}, `
resource "cas_configmap_entry" "foo" {
  namespace = NAMESPACE
  name      = "settings"
  key       = "foo"
  value     = "1"
}`)
	})
	t.Run("import.sh of data", func(t *testing.T) {
		runImport(t, toolchain.Text(t, dataExamples, "import.sh"), fixture.Data{"color": "green", "version": "1", "other": "kept"}, `
resource "cas_configmap_data" "release" {
  namespace = NAMESPACE
  name      = "settings"
  data      = { color = "green", version = "1" }
}`)
	})
}

func (example entryExample) run(t *testing.T, text string) {
	t.Helper()
	f, before := shop(t, example.before)
	if example.bytes != nil {
		before = f.Change("settings", func(cm *corev1.ConfigMap) { cm.BinaryData = example.bytes })
	}
	// No Check: the framework's view of a state knows no for_each.
	step := resource.TestStep{Config: f.Config(text), PostApplyFunc: func() {
		if example.binary == nil {
			f.WantLive("settings", example.after)
			return
		}
		f.WantLive("settings", example.after, "prices")
		example.binary(t, f.Live("settings").BinaryData)
	}}
	if example.variables != nil {
		step.ConfigVariables = example.variables(before)
	}
	if example.action != "" {
		step.ConfigPlanChecks.PreApply = []plancheck.PlanCheck{plancheck.ExpectResourceAction(example.address, example.action)}
	}
	if example.destroyed == nil {
		example.destroyed = maps.Clone(example.after)
		maps.DeleteFunc(example.destroyed, func(key, _ string) bool { _, was := example.before[key]; return !was })
	}
	var bytes []string
	if example.binary != nil { // prices was there before
		bytes = []string{"prices"}
		delete(example.destroyed, "prices")
	}
	withoutIt := resource.TestStep{Config: f.Config(""), PostApplyFunc: func() { f.WantLive("settings", example.destroyed, bytes...) }}
	fixture.RunSteps(t, resource.TestCase{TerraformVersionChecks: example.versions, Steps: append(example.first, step, withoutIt)})
}

// runImport runs the command of an import.sh, after which a plan must have nothing to do.
func runImport(t *testing.T, script string, before fixture.Data, body string) {
	t.Helper()
	f, _ := shop(t, before)
	_, command, found := strings.Cut(script, "\nterraform ")
	if !found {
		t.Fatal("it does not run terraform")
	}
	w := testcli.New(t)
	w.Write("main.tf", fixture.TerraformSource+f.Config(body))
	if r := w.Run(strings.Fields(command)...); r.ExitCode != 0 {
		t.Fatal(r.All())
	}
	if r := w.Plan("p"); r.ExitCode != 0 {
		t.Errorf("the plan after the import has changes:\n%s", r.All())
	}
}

// terraformBlocks would have the provider installed.
var terraformBlocks = regexp.MustCompile(`(?ms)^terraform \{.*?^\}\n`)

// quickstart is a step with examples/quickstart in it.
func quickstart(t *testing.T, f *fixture.Fixture) resource.TestStep {
	t.Helper()
	const folder = "../../../examples/quickstart"
	return resource.TestStep{
		Config: terraformBlocks.ReplaceAllString(toolchain.Text(t, folder, "main.tf"), "") + toolchain.Text(t, folder, "variables.tf"),
		ConfigVariables: config.Variables{
			"config_path": config.StringVariable(f.Kubeconfig), "namespace": config.StringVariable(f.Namespace),
		},
	}
}

// The demo runs it too, with the binary.
func TestQuickstart(t *testing.T) {
	f := fixture.New(t)
	f.Create("testmap", fixture.Data{"foo": "1"})
	step := quickstart(t, f)
	step.Check = resource.ComposeAggregateTestCheckFunc(
		resource.TestCheckOutput("previous_value", "1"),
		resource.TestMatchOutput("resource_version", regexp.MustCompile(`^\d+$`)),
		func(*terraform.State) error {
			f.WantLive("testmap", fixture.Data{"foo": "2"})
			return nil
		},
	)
	f.RunSteps(step)
}

// A new example needs a test: each file under examples/ is one that a test above, or TestProviderExamples, applies.
func TestEveryExampleHasATest(t *testing.T) {
	t.Parallel()
	tested := map[string]bool{
		"quickstart/main.tf": true, "quickstart/variables.tf": true,
		"provider/role.yaml": true, "resources/cas_configmap/import.sh": true,
		"guides/getting-started/main.tf": true, "guides/saved-plans/main.tf": true, // by internal/guides, as the guides show them
		"guides/several-writers/checkout/main.tf": true, "guides/several-writers/search/main.tf": true,
		"guides/lock/lock/main.tf": true, "guides/lock/release/main.tf": true, "guides/lock/lease/main.tf": true,
	}
	for _, path := range actionAndListExamples {
		tested[path] = true
	}
	for _, path := range fieldsExampleFiles() {
		tested[path] = true
	}
	for _, path := range secretExampleFiles() {
		tested[path] = true
	}
	for _, path := range documentExampleFiles {
		tested[path] = true
	}
	for folder, examples := range applied {
		tested["resources/"+filepath.Base(folder)+"/import.sh"] = true
		for name := range examples {
			tested["resources/"+filepath.Base(folder)+"/"+name] = true
		}
	}
	for name := range wholeExampleTests {
		tested["resources/cas_configmap/"+name] = true
	}
	for path := range pipelineExampleTests {
		tested[path] = true
	}
	for path := range allocationExampleTests {
		tested[path] = true
	}
	for _, path := range guideFiles {
		tested["guides/"+path] = true
	}
	docs, index := exampleTemplates(t), toolchain.Text(t, "../../../examples", "README.md")
	root := os.DirFS("../../../examples")
	err := fs.WalkDir(root, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path != "." && entry.IsDir() && !strings.Contains(path, "/") && !strings.Contains(index, "]("+path+")") {
			t.Errorf("examples/README.md does not link to %s", path)
		}
		if _, ok := storyTests[path]; ok || path == rotationStory || path == project { // applied as a whole
			if !strings.Contains(docs, "/examples/"+path+")") {
				t.Errorf("examples/%s is linked from no page of the documentation", path)
			}
			return fs.SkipDir
		}
		if entry.IsDir() || path == "README.md" {
			return nil
		}
		if matched, _ := filepath.Match("provider/*.tf", path); !matched && !tested[path] { // TestProviderExamples counts its own
			t.Errorf("examples/%s is applied by no test", path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for path := range tested {
		if path != "quickstart/main.tf" && path != "quickstart/variables.tf" && !strings.Contains(docs, path) {
			t.Errorf("examples/%s is on no page of the documentation", path)
		}
	}
}

// exampleTemplates is all templates of the documentation.
func exampleTemplates(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	err := fs.WalkDir(os.DirFS("../../../templates"), ".", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			fmt.Fprintln(&all, toolchain.Text(t, "../../../templates", path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// fixtureIn is a fixture in a namespace that tests share, with a ConfigMap in it, new, that no other test has at the time.
func fixtureIn(t *testing.T, namespace, configMap string, holds fixture.Data) (*fixture.Fixture, *corev1.ConfigMap) {
	t.Helper()
	c := testcluster.Shared(t)
	f := &fixture.Fixture{T: t, Cluster: c, Namespace: namespace, Kubeconfig: c.Kubeconfig(t, c.Config)}
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
	if _, err := c.Client().CoreV1().Namespaces().Create(t.Context(), ns, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
	f.Remove(configMap)
	t.Cleanup(func() { f.Remove(configMap) })
	return f, f.Create(configMap, holds)
}
