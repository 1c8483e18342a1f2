package entry

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// creation is one row of the preconditions of a create. Each row has its own ConfigMap with the name of the row.
type creation struct {
	name     string
	lines    string       // besides value = "2"
	planned  fixture.Data // a state of the ConfigMap in which the plan passes
	found    fixture.Data // the state that the create is judged on
	refused  []string
	writes   bool
	previous string // "": null
}

var creations = []creation{
	{name: "held-adopted", lines: `adopt_existing = true`, planned: fixture.Data{}, found: fixture.Data{"foo": "2"}},
	{name: "held-adopted-with-expectation", lines: "adopt_existing = true\nexpected_value = \"1\"", planned: fixture.Data{"foo": "1"}, found: fixture.Data{"foo": "2"}},
	{name: "held-expected", lines: `expected_value = "2"`, planned: fixture.Data{"foo": "2", "bar": "1"}, found: fixture.Data{"foo": "2", "bar": "foreign"}},
	{
		name: "held", planned: fixture.Data{}, found: fixture.Data{"foo": "2"},
		refused: []string{
			"Error: Key Already Holds The Value", `value = "2"`, "Nothing was written", "Key: foo", `Found: "2"`,
			"Import id: NAMESPACE/held/foo ", "run terraform untaint with the address above. Otherwise import it, or set adopt_existing = true.",
		},
	},
	{
		name: "held-expectation-not", lines: `expected_value = "1"`, planned: fixture.Data{"foo": "1"}, found: fixture.Data{"foo": "2"},
		refused: []string{"Error: Key Already Holds The Value", `Found: "2"`},
	},
	{
		name: "expectation-holds", lines: `expected_value = "1"`,
		planned: fixture.Data{"foo": "1"}, found: fixture.Data{"foo": "1", "bar": "foreign"}, writes: true, previous: "1",
	},
	{
		name: "expectation-not", lines: `expected_value = "1"`, planned: fixture.Data{"foo": "1"}, found: fixture.Data{"foo": "3"},
		refused: []string{"Error: Expected Value Mismatch", `expected_value = "1"`, `Expected: "1" Found: "3"`, "Changed by: another-writer (last write "},
	},
	{
		name: "expectation-not-adopting", lines: "adopt_existing = true\nexpected_value = \"1\"", planned: fixture.Data{"foo": "1"}, found: fixture.Data{"foo": "3"},
		refused: []string{"Error: Expected Value Mismatch", `Expected: "1" Found: "3"`},
	},
	{
		name: "expectation-absent", lines: `expected_value = "1"`, planned: fixture.Data{"foo": "1", "bar": "1"}, found: fixture.Data{"bar": "1"},
		refused: []string{"Error: Expected Value Mismatch", `Expected: "1" Found: (absent)`},
	},
	{
		name: "expected-value-held-and-gone", lines: `expected_value = "2"`, planned: fixture.Data{"foo": "2"}, found: fixture.Data{"bar": "1"},
		refused: []string{"Error: Expected Value Mismatch", `Expected: "2" Found: (absent)`},
	},
	{name: "absent", planned: fixture.Data{}, found: fixture.Data{"bar": "foreign"}, writes: true},
	{name: "absent-without-data", planned: fixture.Data{"bar": "1"}, found: nil, writes: true},
	{
		name: "exists", planned: fixture.Data{}, found: fixture.Data{"foo": "3"},
		refused: []string{"Error: Key Already Exists", `key = "foo"`, `Found: "3"`, `To replace it, set expected_value = "3"; to keep it, set value = "3", then import it.`, "Import id: NAMESPACE/exists/foo "},
	},
	{
		name: "exists-adopting", lines: `adopt_existing = true`, planned: fixture.Data{"foo": "2"}, found: fixture.Data{"foo": "3"},
		refused: []string{"Error: Key Already Exists", `Found: "3"`},
	},
}

func (c creation) config() string {
	return fixture.Entry(c.name, c.name, "foo", `value = "2"`, c.lines)
}

// want fails the test unless the live ConfigMap is what the create must make of before.
func (c creation) want(f *fixture.Fixture, before *corev1.ConfigMap) {
	f.Helper()
	want := fixture.Data{}
	for k, v := range c.found {
		want[k] = v
	}
	if c.writes {
		want["foo"] = "2"
	}
	f.WantLive(c.name, want)
	if wrote := f.Live(c.name).ResourceVersion != before.ResourceVersion; wrote != c.writes {
		f.Errorf("%s: written: %v, want %v", c.name, wrote, c.writes)
	}
}

func (c creation) wantRefused(f *fixture.Fixture, got fixture.Failures) {
	f.Helper()
	for _, text := range c.refused {
		got.Want(f, c.name, f.Text(text))
	}
}

func TestConfigMapEntryCreateRefusedAtPlan(t *testing.T) {
	f := fixture.New(t)
	config, before, labels := "", map[string]*corev1.ConfigMap{}, []string{}
	for _, c := range creations {
		if c.refused != nil {
			before[c.name] = f.Create(c.name, c.found)
			config += c.config()
			labels = append(labels, c.name)
		}
	}
	f.RunRefused(func(got fixture.Failures) {
		got.WantOnly(f, labels...)
		for _, c := range creations {
			if c.refused != nil {
				c.wantRefused(f, got)
			}
		}
	}, resource.TestStep{Config: f.Config(config), ConfigPlanChecks: fixture.Between(func() { f.Error("the plan passed") })})
	for _, c := range creations {
		if c.refused != nil {
			c.want(f, before[c.name])
		}
	}
}

func TestConfigMapEntryCreateJudgedAgainAtApply(t *testing.T) {
	f := fixture.New(t)
	config, before, labels := "", map[string]*corev1.ConfigMap{}, []string{}
	for _, c := range creations {
		f.Create(c.name, c.planned)
		config += c.config()
		if c.refused != nil {
			labels = append(labels, c.name)
		}
	}
	f.RunRefused(func(got fixture.Failures) {
		got.WantOnly(f, labels...)
		for _, c := range creations {
			c.wantRefused(f, got)
			c.want(f, before[c.name])
		}
	}, resource.TestStep{
		Config: f.Config(config),
		ConfigPlanChecks: fixture.Between(func() {
			for _, c := range creations {
				before[c.name] = f.Change(c.name, func(cm *corev1.ConfigMap) { cm.Data = c.found })
			}
		}),
	})
	for _, c := range creations {
		if c.refused != nil {
			c.want(f, before[c.name]) // what failed is not in the state, or it would have been destroyed
		}
	}
}

func TestConfigMapEntryCreates(t *testing.T) {
	f := fixture.New(t)
	config, checks := "", []resource.TestCheckFunc{}
	for _, c := range creations {
		if c.refused != nil {
			continue
		}
		before := f.Create(c.name, c.found)
		config += c.config()
		address := "cas_configmap_entry." + c.name
		previous := resource.TestCheckNoResourceAttr(address, "previous_value")
		if c.previous != "" {
			previous = resource.TestCheckResourceAttr(address, "previous_value", c.previous)
		}
		checks = append(checks, previous,
			fixture.Checked(func() { c.want(f, before) }),
			resource.TestCheckResourceAttr(address, "id", f.Namespace+"/"+c.name+"/foo"),
			resource.TestCheckResourceAttrWith(address, "resource_version", f.IsVersion(c.name)),
			resource.TestCheckResourceAttr(address, "uid", string(before.UID)),
			resource.TestCheckNoResourceAttr(address, "field_manager"),
		)
	}
	f.RunSteps(resource.TestStep{Config: f.Config(config), Check: resource.ComposeAggregateTestCheckFunc(checks...)})
	for _, c := range creations {
		if c.refused == nil {
			_, existed := c.found["foo"]
			if value, there := f.Live(c.name).Data["foo"]; there != existed {
				f.Errorf("%s: after destroy foo is there: %t, %q", c.name, there, value)
			}
		}
	}
}

func TestConfigMapEntryCreateWithoutConfigMap(t *testing.T) {
	f := fixture.New(t)
	f.Create("deleted-after-plan", fixture.Data{"foo": "1"})
	f.RunRefused(func(got fixture.Failures) {
		for _, label := range []string{"never-there", "deleted-after-plan"} {
			got.Want(f, label, "Error: ConfigMap Not Found", fmt.Sprintf("name = %q", label), "Nothing was written")
		}
		got.WantOnly(f, "never-there", "deleted-after-plan")
		f.WantLive("made-after-plan", fixture.Data{"foo": "2", "bar": "kept"})
	}, resource.TestStep{
		Config: f.Config(
			fixture.Entry("never-there", "never-there", "foo", `value = "2"`) +
				fixture.Entry("deleted-after-plan", "deleted-after-plan", "foo", `value = "2"`, `expected_value = "1"`) +
				fixture.Entry("made-after-plan", "made-after-plan", "foo", `value = "2"`, `expected_value = "1"`)),
		ConfigPlanChecks: fixture.Between(func() {
			f.Remove("deleted-after-plan")
			f.Create("made-after-plan", fixture.Data{"foo": "1", "bar": "kept"})
		}),
	})
}

func TestConfigMapEntryTwoResourcesForOneKey(t *testing.T) {
	for name, c := range map[string]struct {
		first, second string
		seed          fixture.Data
		want          []string // either may come first
	}{
		"absent":              {`value = "2"`, `value = "3"`, fixture.Data{}, []string{"2", "3"}},
		"absent, same value":  {`value = "2"`, `value = "2"`, fixture.Data{}, []string{"2"}},
		"expected":            {"value = \"2\"\nexpected_value = \"1\"", "value = \"3\"\nexpected_value = \"1\"", fixture.Data{"foo": "1"}, []string{"2", "3"}},
		"expected same value": {"value = \"2\"\nexpected_value = \"1\"", "value = \"2\"\nexpected_value = \"1\"", fixture.Data{"foo": "1"}, []string{"2"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := fixture.New(t)
			f.Create("testmap", c.seed)
			f.RunRefused(func(got fixture.Failures) {
				if len(got) != 1 {
					f.Errorf("failed: %v, want one of the two to", got)
				}
				for label := range got {
					got.Want(f, label, "Error: Key Written Twice")
				}
				if live := f.Live("testmap").Data["foo"]; live != c.want[0] && live != c.want[len(c.want)-1] {
					f.Errorf("live: %q, want one of %q", live, c.want)
				}
			}, resource.TestStep{Config: f.ConfigFor(f.Kubeconfig, `plan_check = "warning"`, // or the plan refuses it
				fixture.Entry("first", "testmap", "foo", c.first)+fixture.Entry("second", "testmap", "foo", c.second))})
		})
	}
}

// TestConfigMapEntryUnknownUntilApply has what a check needs come from a resource of the same apply. Each row has a ConfigMap of
// its own, named as it is, and `it` is the output of a resource that gives the row's it.
func TestConfigMapEntryUnknownUntilApply(t *testing.T) {
	f := fixture.New(t)
	rows := []struct {
		name, it, key, lines string
		found                string // in foo; "": nothing
		refused              string
		want                 string
	}{
		{"value", "2", `"foo"`, "value = it\nexpected_value = \"1\"", "1", "", "2"},
		{"value-refused", "2", `"foo"`, "value = it", "1", "Error: Key Already Exists", "1"},
		{"expected", "1", `"foo"`, "value = \"2\"\nexpected_value = it", "1", "", "2"},
		{"expected-refused", "3", `"foo"`, "value = \"2\"\nexpected_value = it", "1", "Error: Expected Value Mismatch", "1"},
		{"key", "foo", "it", "value = \"2\"\nexpected_value = \"1\"", "1", "", "2"},
		{"key-refused", "foo", "it", "value = \"2\"\nexpected_value = \"3\"", "1", "Error: Expected Value Mismatch", "1"},
		{"key-invalid", "a/b", "it", "value = \"2\"", "1", "Error: Invalid ConfigMap Key", "1"},
		{"name", "name", `"foo"`, "value = \"2\"\nexpected_value = \"1\"", "1", "", "2"},
		{"name-refused", "name-refused", `"foo"`, "value = \"2\"", "1", "Error: Key Already Exists", "1"},
		{"version-refused", "1", `"foo"`, "value = \"2\"\nexpected_resource_version_wo = it", "", "Error: Compare-And-Swap Conflict", ""},
		{"version-invalid", "0", `"foo"`, "value = \"2\"\nexpected_resource_version_wo = it", "", "Error: Invalid Resource Version", ""},
		{"adopt", "true", `"foo"`, "value = \"1\"\nadopt_existing = it", "1", "", "1"},
		{"adopt-refused", "false", `"foo"`, "value = \"1\"\nadopt_existing = it", "1", "Error: Key Already Holds The Value", "1"},
	}
	config, labels, before := "", []string{}, map[string]string{}
	for _, c := range rows {
		seed := fixture.Data{}
		if c.found != "" {
			seed["foo"] = c.found
		}
		before[c.name] = f.Create(c.name, seed).ResourceVersion
		name := fixture.Quoted(c.name)
		if strings.HasPrefix(c.name, "name") {
			name = "it"
		}
		config += fmt.Sprintf("resource \"terraform_data\" %q {\ninput = %q\n}\n", c.name, c.it) +
			strings.ReplaceAll(fmt.Sprintf("resource \"cas_configmap_entry\" %q {\nnamespace = NAMESPACE\nname = %s\nkey = %s\n%s\n}\n",
				c.name, name, c.key, c.lines), "= it", "= terraform_data."+c.name+".output")
		if c.refused != "" {
			labels = append(labels, c.name)
		}
	}
	planned := false
	f.RunRefused(func(got fixture.Failures) {
		got.WantOnly(f, labels...)
		for _, c := range rows {
			got.Want(f, c.name, c.refused)
			live := f.Live(c.name)
			if live.Data["foo"] != c.want {
				f.Errorf("%s: live %q, want %q", c.name, live.Data["foo"], c.want)
			}
			if c.refused != "" && live.ResourceVersion != before[c.name] {
				f.Errorf("%s: something was written", c.name)
			}
		}
	}, resource.TestStep{Config: f.Config(config), ConfigPlanChecks: fixture.Between(func() { planned = true })})
	if !planned {
		f.Error("refused at plan, want at apply")
	}
}
