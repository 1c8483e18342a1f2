package entry

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// update is one row of the preconditions of an update of foo from 1 to 2: the write of another writer between plan and
// apply, and the result in each scope. Each row and scope has its own ConfigMap.
type update struct {
	name    string
	lines   string // besides value = "2" and conflict_scope
	foreign func(f *fixture.Fixture, name string)
	object  []string     // how it is refused in scope object
	key     []string     // how it is refused in scope key
	left    fixture.Data // what is there if it is refused; nil: no ConfigMap
	written fixture.Data // what is there if it is not
}

func setTo(key, value string) func(*fixture.Fixture, string) {
	return func(f *fixture.Fixture, name string) { f.Set(name, key, value) }
}

func recreated(with fixture.Data) func(*fixture.Fixture, string) {
	return func(f *fixture.Fixture, name string) {
		f.Remove(name)
		f.Create(name, with)
	}
}

// Whether a run of many has written something yet differs: then "for this resource" follows.
var (
	objectChanged = []string{
		"Error: Compare-And-Swap Conflict", "foo changed after ", "Nothing was written",
		"Key: foo", "resourceVersion: ", " when ", " now ",
	}
	otherChanged = []string{
		"Error: Compare-And-Swap Conflict", `foo is unchanged ("1"), but the ConfigMap changed. Nothing was written`,
		"Key: foo", "resourceVersion: ", " when ", " now ", "Run terraform plan again", `, or set conflict_scope = "key" to ignore other keys.`,
	}
	keyChanged = []string{"Error: Compare-And-Swap Conflict", "foo changed after ", "Nothing was written", `Expected: "1" Found:`}
	mismatch   = []string{"Error: Expected Value Mismatch", `expected_value = "1"`, `Expected: "1" Found: "3"`}
	remade     = []string{"Error: Compare-And-Swap Conflict", "The ConfigMap was deleted and created again after ", "Nothing was written", "uid: "}
	gone       = []string{"Error: ConfigMap Not Found", "Nothing was written"}
)

var updates = []update{
	{name: "quiet", foreign: func(*fixture.Fixture, string) {}, written: fixture.Data{"foo": "2"}},
	{name: "quiet-expected", lines: `expected_value = "1"`, foreign: func(*fixture.Fixture, string) {}, written: fixture.Data{"foo": "2"}},
	{name: "same-key", foreign: setTo("foo", "3"), object: objectChanged, key: keyChanged, left: fixture.Data{"foo": "3"}},
	{name: "same-key-same-value", foreign: setTo("foo", "2"), object: objectChanged, key: keyChanged, left: fixture.Data{"foo": "2"}},
	{name: "same-key-expected", lines: `expected_value = "1"`, foreign: setTo("foo", "3"), object: objectChanged, key: mismatch, left: fixture.Data{"foo": "3"}},
	{
		name: "key-removed", foreign: func(f *fixture.Fixture, name string) { f.Unset(name, "foo") },
		object: objectChanged, key: append(keyChanged, "(absent)"), left: fixture.Data{},
	},
	{
		name: "other-key", foreign: setTo("bar", "foreign"),
		object: otherChanged, left: fixture.Data{"foo": "1", "bar": "foreign"}, written: fixture.Data{"foo": "2", "bar": "foreign"},
	},
	{
		name: "label", object: otherChanged, left: fixture.Data{"foo": "1"}, written: fixture.Data{"foo": "2"},
		foreign: func(f *fixture.Fixture, name string) {
			f.Change(name, func(cm *corev1.ConfigMap) { cm.Labels = fixture.Data{"foreign": "label"} })
		},
	},
	{
		name: "undone", object: otherChanged, left: fixture.Data{"foo": "1"}, written: fixture.Data{"foo": "2"},
		foreign: func(f *fixture.Fixture, name string) {
			f.Set(name, "foo", "3")
			f.Set(name, "foo", "1")
		},
	},
	{name: "recreated", foreign: recreated(fixture.Data{"foo": "1"}), object: remade, left: fixture.Data{"foo": "1"}, written: fixture.Data{"foo": "2"}},
	{name: "recreated-other", foreign: recreated(fixture.Data{"foo": "3"}), object: remade, key: keyChanged, left: fixture.Data{"foo": "3"}},
	{name: "deleted", foreign: (*fixture.Fixture).Remove, object: gone, key: gone},
}

func (u update) in(scope string) (name, lines string, refused []string) {
	lines = fmt.Sprintf("conflict_scope = %q\nadopt_existing = true\ndeletion_policy = \"abandon\"\n%s", scope, u.lines)
	if scope == "key" {
		return u.name + "-" + scope, lines, u.key
	}
	return u.name + "-" + scope, lines, u.object
}

func TestConfigMapEntryUpdateAfterForeignWrite(t *testing.T) {
	f := fixture.New(t)
	configs, labels := map[string]string{}, []string{}
	each := func(do func(u update, name, lines string, refused []string)) {
		for _, u := range updates {
			for _, scope := range []string{"object", "key"} {
				name, lines, refused := u.in(scope)
				do(u, name, lines, refused)
			}
		}
	}
	each(func(_ update, name, lines string, refused []string) {
		f.Create(name, fixture.Data{"foo": "1"})
		for _, value := range []string{"1", "2"} {
			configs[value] += fixture.Entry(name, name, "foo", fmt.Sprintf("value = %q", value), lines)
		}
		if refused != nil {
			labels = append(labels, name)
		}
	})
	check := func(got fixture.Failures) {
		got.WantOnly(f, labels...)
		each(func(u update, name, _ string, refused []string) {
			got.Want(f, name, refused...)
			if u.key != nil && strings.Contains(got[name], `set conflict_scope = "key"`) {
				f.Errorf("%s: what is advised would not help: %s", name, got[name])
			}
			switch {
			case refused == nil:
				f.WantLive(name, u.written)
			case u.left != nil:
				f.WantLive(name, u.left)
			case f.Exists(name):
				f.Errorf("%s: the ConfigMap was made", name)
			}
		})
	}
	f.RunRefused(check,
		resource.TestStep{Config: f.Config(configs["1"])},
		resource.TestStep{
			Config: f.Config(configs["2"]),
			ConfigPlanChecks: fixture.Between(func() {
				each(func(u update, name, _ string, _ []string) { u.foreign(f, name) })
			}),
		},
	)
}

func TestConfigMapEntryUpdateAgainAfterConflict(t *testing.T) {
	f := fixture.New(t)
	f.Create("testmap", fixture.Data{"foo": "1"})
	step := func(value string) resource.TestStep {
		return resource.TestStep{Config: f.Foo(fixture.Deletes, fixture.Overwrites, fmt.Sprintf("value = %q", value), `adopt_existing = true`)}
	}
	refused, again := step("2"), step("2")
	refused.ConfigPlanChecks = fixture.Between(func() { f.Set("testmap", "foo", "3") })
	again.ConfigPlanChecks = resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
		plancheck.ExpectResourceAction("cas_configmap_entry.foo", plancheck.ResourceActionUpdate), // not a create: the prior state was kept
	}}
	again.Check = resource.ComposeAggregateTestCheckFunc(
		fixture.Checked(func() { f.WantLive("testmap", fixture.Data{"foo": "2"}) }),
		resource.TestCheckResourceAttr("cas_configmap_entry.foo", "previous_value", "3"),
	)
	f.RunRefused(func(got fixture.Failures) {
		got.Want(f, "foo", append(objectChanged[:1:1], "Changed by: another-writer (last write ")...)
	}, step("1"), refused, again)
	f.WantLive("testmap", fixture.Data{})
}

func TestConfigMapEntryUpdateExpectation(t *testing.T) {
	f := fixture.New(t)
	f.Create("testmap", fixture.Data{"foo": "1"})
	step := func(lines ...string) resource.TestStep {
		return resource.TestStep{Config: f.Foo(append(lines, `adopt_existing = true`)...)}
	}
	mismatches := step(`value = "2"`, `expected_value = "9"`)
	mismatches.ConfigPlanChecks = fixture.Between(func() { f.Error("the plan passed") })
	drifted := step(`value = "2"`, `expected_value = "7"`)
	drifted.PreConfig = func() {
		f.WantLive("testmap", fixture.Data{"foo": "1"})
		f.Set("testmap", "foo", "7")
	}
	drifted.Check = fixture.Checked(func() { f.WantLive("testmap", fixture.Data{"foo": "2"}) })
	var before *corev1.ConfigMap
	stays := step(`value = "2"`, `expected_value = "1"`)
	stays.PreConfig = func() { before = f.Live("testmap") }
	stays.Check = fixture.Checked(func() { f.WantUnchanged(before) })
	f.RunRefused(func(got fixture.Failures) {
		got.Want(f, "foo", "Error: Expected Value Mismatch", `expected_value = "9"`, `Expected: "9" Found: "1"`)
	}, step(`value = "1"`), mismatches, drifted, stays)
}

// TestConfigMapEntryUpdateWritesNothing changes everything but the value, each for an entry of its own.
func TestConfigMapEntryUpdateWritesNothing(t *testing.T) {
	f := fixture.New(t)
	p := f.Proxied()
	f.Create("testmap", fixture.Data{})
	before, after, checks := "", "", []resource.TestCheckFunc{}
	for i, line := range []string{
		`expected_value = "1"`, `conflict_scope = "key"`, `adopt_existing = true`, `deletion_policy = "restore"`, `field_manager = "me"`,
		`hide_values = true`, `timeouts = { create = "5m" }`, `expected_resource_version_wo = "1"`,
		"hide_values = true\nexpected_resource_version_wo = \"1\"", // by itself the second is no diff
	} {
		label := fmt.Sprintf("e%d", i)
		before += fixture.Entry(label, "testmap", label, `value = "2"`)
		after += fixture.Entry(label, "testmap", label, `value = "2"`, line)
		checks = append(checks, resource.TestCheckResourceAttrWith("cas_configmap_entry."+label, "resource_version", f.IsVersion("testmap")))
	}
	f.RunSteps(
		resource.TestStep{Config: f.Config(before)},
		resource.TestStep{
			Config: f.Config(after),
			ConfigPlanChecks: fixture.Between(func() {
				if p.Count(http.MethodPatch) == 0 {
					f.Error("no write is seen")
				}
				p.Reset()
			}),
			Check: resource.ComposeAggregateTestCheckFunc(append(checks, fixture.Checked(func() {
				if p.Count() != p.Count("GET") {
					f.Errorf("wrote: %v", p.Requests())
				}
			}))...),
		},
	)
}

// TestConfigMapEntryUpdateUnknownUntilApply has what an update needs come from a resource of the same apply.
func TestConfigMapEntryUpdateUnknownUntilApply(t *testing.T) {
	f := fixture.New(t)
	unknown := func(it string) string {
		config := fmt.Sprintf("resource \"terraform_data\" \"it\" {\ninput = %q\n}\n", it)
		for name, lines := range map[string]string{
			"value": "value = IT", "expected": "value = \"" + it + "\"\nexpected_value = IT == \"2\" ? \"1\" : IT",
			"value-expected": "value = IT\nexpected_value = \"1\"", "foreign": "value = IT",
		} {
			config += fixture.Entry(name, name, "foo", "adopt_existing = true", fixture.Overwrites, strings.ReplaceAll(lines, "IT", "terraform_data.it.output"))
		}
		return f.Config(config)
	}
	for _, name := range []string{"value", "expected", "value-expected", "foreign"} {
		f.Create(name, fixture.Data{"foo": "1"})
	}
	adopt := resource.TestStep{Config: strings.ReplaceAll(unknown("1"), "expected_value", "#")}
	refused := resource.TestStep{Config: unknown("3"), ConfigPlanChecks: fixture.Between(func() { f.Set("foreign", "bar", "foreign") })}
	written := resource.TestStep{Config: unknown("2"), Check: fixture.Checked(func() {
		f.WantLive("value", fixture.Data{"foo": "2"})
		f.WantLive("expected", fixture.Data{"foo": "2"})
		f.WantLive("foreign", fixture.Data{"foo": "2", "bar": "foreign"})
	})}
	f.RunRefused(func(got fixture.Failures) {
		got.WantOnly(f, "expected", "foreign")
		got.Want(f, "expected", "Error: Expected Value Mismatch", `Expected: "3" Found: "1"`)
		got.Want(f, "foreign", otherChanged...)
		f.WantLive("value", fixture.Data{"foo": "3"})
		f.WantLive("value-expected", fixture.Data{"foo": "3"})
		f.WantLive("expected", fixture.Data{"foo": "1"})
		f.WantLive("foreign", fixture.Data{"foo": "1", "bar": "foreign"})
		f.Set("value-expected", "foo", "1") // for the next step to hold
	}, adopt, refused, written)
}

func TestConfigMapEntryPreviousValue(t *testing.T) {
	f := fixture.New(t)
	f.CreateObject(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "testmap"}, BinaryData: map[string][]byte{"foo": {0xff}}})
	const address = "cas_configmap_entry.foo"
	is := func(v string) resource.TestCheckFunc {
		return resource.TestCheckResourceAttr(address, "previous_value", v)
	}
	null := resource.TestCheckNoResourceAttr(address, "previous_value")
	f.RunSteps(
		resource.TestStep{Config: f.Foo(`value = "a"`, `expected_value_base64 = "/w=="`), Check: null}, // held bytes
		resource.TestStep{Config: f.Foo(`value = ""`), Check: is("a")},
		resource.TestStep{Config: f.Foo(`value = "b"`), Check: is("")}, // held the empty text, which is not null
		resource.TestStep{Config: f.Foo(`value_base64 = "/w=="`), Check: is("b")},
		resource.TestStep{Config: f.Foo(`value = "c"`), Check: null},
		resource.TestStep{
			PreConfig: func() { f.Set("testmap", "foo", "drift") },
			Config:    f.Foo(`value = "d"`, fixture.Overwrites), Check: is("drift"),
		},
		resource.TestStep{
			PreConfig: func() { f.Unset("testmap", "foo") },
			Config:    f.Foo(`value = "e"`), Check: null, // absent
		},
	)
}

func TestConfigMapEntryFieldManager(t *testing.T) {
	f := fixture.New(t)
	f.Create("testmap", fixture.Data{"foo": "1"})
	wantOwner := func(want string) resource.TestCheckFunc { return fixture.Checked(func() { f.WantOwner(want) }) }
	step := func(provider, owner string, lines ...string) resource.TestStep {
		lines = append(lines, `expected_value = "1"`)
		return resource.TestStep{
			Config: f.ConfigFor(f.Kubeconfig, provider, fixture.Entry("foo", "testmap", "foo", lines...)),
			Check: resource.ComposeAggregateTestCheckFunc(wantOwner(owner),
				resource.TestCheckNoResourceAttr("cas_configmap_entry.foo", "field_manager")),
		}
	}
	const other = `field_manager = "another-default"`
	anotherDefault := step(other, "terraform-provider-cas", `value = "2"`)
	anotherDefault.PlanOnly, anotherDefault.Check = true, nil // no diff
	toDefault, own := step(other, "another-default", `value = "3"`), step(other, "", `value = "4"`, `field_manager = "mine"`)
	for _, s := range []*resource.TestStep{&toDefault, &own} {
		s.Config = strings.Replace(s.Config, `expected_value = "1"`, "", 1)
	}
	own.Check = resource.ComposeAggregateTestCheckFunc(wantOwner("mine"),
		resource.TestCheckResourceAttr("cas_configmap_entry.foo", "field_manager", "mine"))
	f.RunSteps(step("", "terraform-provider-cas", `value = "2"`), anotherDefault, toDefault, own)
}

func TestConfigMapEntryPinnedVersion(t *testing.T) {
	f := fixture.New(t)
	versions := map[string]string{}
	for _, name := range []string{"pinned", "moved"} {
		versions[name] = f.Create(name, fixture.Data{"foo": "1"}).ResourceVersion
	}
	// Each entry names the same version. The first write among them ends that version.
	siblings := func(name string) (config string) {
		for _, key := range []string{"a", "b", "c"} {
			config += fixture.Entry(name+"-"+key, name, key, `value = "2"`, fmt.Sprintf("expected_resource_version_wo = %q", versions[name]))
		}
		return config
	}
	f.RunRefused(func(got fixture.Failures) {
		got.WantOnly(f, "moved-a", "moved-b", "moved-c")
		got.Want(f, "moved-b", "Error: Compare-And-Swap Conflict", `expected_resource_version_wo = "`,
			"resourceVersion: "+versions["moved"]+" expected, "+f.Live("moved").ResourceVersion+" now")
		f.WantLive("moved", fixture.Data{"foo": "1", "bar": "foreign"})
		f.WantLive("pinned", fixture.Data{"foo": "1", "a": "2", "b": "2", "c": "2"})
	},
		resource.TestStep{
			Config:           f.Config(siblings("pinned") + siblings("moved")),
			ConfigPlanChecks: fixture.Between(func() { f.Set("moved", "bar", "foreign") }),
		},
		resource.TestStep{Config: f.Config(siblings("pinned")), PlanOnly: true}, // without a write it checks nothing
	)
}

// TestConfigMapEntryPinnedVersionOfUpdate needs the pin: in key scope nothing else minds the other key.
func TestConfigMapEntryPinnedVersionOfUpdate(t *testing.T) {
	f := fixture.New(t)
	stale := f.Create("testmap", fixture.Data{"foo": "1"}).ResourceVersion
	right := f.Change("testmap", func(cm *corev1.ConfigMap) { cm.Data["bar"] = "foreign" }).ResourceVersion
	step := func(value, version string) resource.TestStep {
		return resource.TestStep{Config: f.Foo(fmt.Sprintf("value = %q", value), `conflict_scope = "key"`, `adopt_existing = true`,
			fmt.Sprintf("expected_resource_version_wo = %q", version))}
	}
	atPlan, written := step("2", stale), step("2", right)
	atPlan.ConfigPlanChecks = fixture.Between(func() { f.Error("the plan passed") })
	written.Check = fixture.Checked(func() { f.WantLive("testmap", fixture.Data{"foo": "2", "bar": "foreign"}) })
	f.RunRefused(func(got fixture.Failures) {
		got.Want(f, "foo", "Error: Compare-And-Swap Conflict", "resourceVersion: "+stale+" expected, "+right+" now")
		f.WantLive("testmap", fixture.Data{"foo": "1", "bar": "foreign"})
	}, step("1", right), atPlan, written)

	f.Set("testmap", "foo", "1")
	after := f.Live("testmap").ResourceVersion
	adopted, atApply := step("1", after), step("3", after)
	atApply.ConfigPlanChecks = fixture.Between(func() { f.Set("testmap", "bar", "again") })
	f.RunRefused(func(got fixture.Failures) {
		got.Want(f, "foo", "Error: Compare-And-Swap Conflict", "resourceVersion: "+after+" expected, ")
		f.WantLive("testmap", fixture.Data{"foo": "1", "bar": "again"})
	}, adopted, atApply)
}
