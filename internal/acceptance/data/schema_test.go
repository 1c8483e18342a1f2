package data

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/behavior"
	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// TestConfigMapDataInvalidConfiguration tells all at once, each at its attribute and key, before any request.
func TestConfigMapDataInvalidConfiguration(t *testing.T) {
	f := fixture.New(t)
	const encoding = "must be canonical standard base64"
	large := `join("", [for _ in range(1024) : ` + fixture.Quoted(strings.Repeat("a", 1024)) + `])`
	half := `join("", [for _ in range(520) : ` + fixture.Quoted(strings.Repeat("a", 1024)) + `])`
	rows := []struct {
		lines string
		wants []string
	}{
		{``, []string{"Missing Keys", "Attribute data: set at least one key in data or binary_data."}},
		{`data = {}`, []string{"Missing Keys", "Attribute data: set at least one key in data or binary_data."}},
		{`expected_data = { a = "1" }`, []string{"Missing Keys"}},
		{`data = { a = null }`, []string{"Missing Value", `Attribute data["a"]: must not be null; to remove the key, leave it out.`}},
		{`binary_data = { a = null }`, []string{"Missing Value", `Attribute binary_data["a"]: must not be null`}},
		{
			"data = { a = \"1\", b = \"2\" }\nbinary_data = { b = \"AA==\" }",
			[]string{"Key In Both Maps", `Attribute binary_data["b"]: the key must not be in data as well.`},
		},
		{
			"data = { a = \"1\" }\nexpected_data = { a = null }\nexpected_binary_data = { a = null }",
			[]string{"Key In Both Maps", `Attribute expected_binary_data["a"]: the key must not be in expected_data as well.`},
		},
		{`data = { "a/b" = "1" }`, []string{"Invalid ConfigMap Key", `Attribute data["a/b"]: a valid config key must consist of`}},
		{`data = { ".." = "1" }`, []string{"Invalid ConfigMap Key", `Attribute data[".."]: must not be '..'`}},
		{`binary_data = { "é" = "AA==" }`, []string{"Invalid ConfigMap Key", `Attribute binary_data["é"]: a valid config key must consist of`}},
		{"data = { a = \"1\" }\nexpected_data = { \"a b\" = null }", []string{"Invalid ConfigMap Key", `Attribute expected_data["a b"]: a valid config key must consist of`}},
		{"data = { a = \"1\" }\nexpected_binary_data = { \"\" = null }", []string{"Invalid ConfigMap Key", `Attribute expected_binary_data[""]: a valid config key must consist of`}},
		{`binary_data = { a = "MQ" }`, []string{"Invalid Base64", `Attribute binary_data["a"]: ` + encoding}},
		{"data = { a = \"1\" }\nexpected_binary_data = { a = \"MR==\" }", []string{"Invalid Base64", `Attribute expected_binary_data["a"]: ` + encoding}},
		{`data = { a = "${` + large + `}a" }`, []string{"Value Too Large", `Attribute data["a"]: has 1048577 bytes; all values of a ConfigMap must have at most 1048576 together.`}},
		{
			"data = { a = " + half + ", b = \"1\" }\nbinary_data = { c = base64encode(" + half + ") }",
			[]string{
				"Values Too Large", `Attribute binary_data["c"]: the values must have at most 1048576 bytes together, not 1064961; ` +
					"this is the largest, with 532480.",
			},
		},
		{"data = { a = \"1\" }\nexpected_resource_version_wo = \"0\"", []string{"Invalid Resource Version"}},
		{"data = { a = \"1\" }\nconflict_scope = \"keys\"", []string{"Invalid Attribute Value Match"}},
		{"data = { a = \"1\" }\ndeletion_policy = \"keep\"", []string{"Invalid Attribute Value Match"}},
		{"data = { a = \"1\" }\ntimeouts = { read = \"0s\" }", []string{"Invalid Timeout"}},
		{"data = { a = \"1\" }\nwait_for_match = \"2m\"\nconflict_scope = \"object\"", []string{"Invalid Attribute Combination", `Attribute wait_for_match: conflict_scope must be "key", or the write`}},
		{"data = { a = \"1\" }\nwait_for_match = \"soon\"\nconflict_scope = \"key\"", []string{"Invalid Timeout", "Attribute wait_for_match"}},
		{"data = { a = \"1\" }\nwait_for_match = \"2m\"\nconflict_scope = \"key\"\nexpected_resource_version_wo = \"7\"", []string{
			"Invalid Attribute Combination", `Attribute "expected_resource_version_wo" cannot be specified when "wait_for_match" is specified`,
		}},
		{"data = { a = \"1\" }\nid = \"x\"", []string{"Invalid Configuration for Read-Only Attribute"}},
	}
	config, wants := "", map[string][]string{}
	for i, row := range rows {
		label := fmt.Sprintf("d%02d", i)
		wants[label] = row.wants
		config += fixture.DataBlock(label, row.lines)
	}
	f.RunInvalidBlocks(config, wants)
}

func TestConfigMapDataImport(t *testing.T) {
	t.Parallel()
	const address = "cas_configmap_data.it"
	of := func(id string, f *fixture.Fixture) string {
		return fmt.Sprintf("import {\nto = %s\nid = %q\n}\n", address, f.Namespace+"/testmap"+id)
	}
	seed := func(f *fixture.Fixture) *corev1.ConfigMap {
		return f.CreateObject(&corev1.ConfigMap{
			ObjectMeta: metav1.ObjectMeta{Name: "testmap"}, Data: fixture.Data{"foo": "1", "nfd": fixture.Decomposed}, BinaryData: map[string][]byte{"raw": {0xff}},
		})
	}
	lines := []string{`data = { foo = "1", nfd = "` + fixture.Composed + `" }`, `binary_data = { raw = "/w==" }`}
	for name, test := range map[string]struct {
		id     string
		lines  []string
		action plancheck.ResourceActionType
		after  fixture.Data
	}{
		"of all keys":                   {"", lines, plancheck.ResourceActionNoop, fixture.Data{"foo": "1", "nfd": fixture.Decomposed}},
		"of keys, in any order":         {":raw,foo,nfd", lines, plancheck.ResourceActionNoop, fixture.Data{"foo": "1", "nfd": fixture.Decomposed}},
		"of some":                       {":foo", []string{`data = { foo = "1" }`}, plancheck.ResourceActionNoop, fixture.Data{"foo": "1", "nfd": fixture.Decomposed}},
		"and an update":                 {":foo", []string{`data = { foo = "2", new = "3" }`}, plancheck.ResourceActionUpdate, fixture.Data{"foo": "2", "new": "3", "nfd": fixture.Decomposed}},
		"of all, of which some go then": {"", []string{`data = { foo = "1" }`, `binary_data = { raw = "/w==" }`, fixture.Deletes}, plancheck.ResourceActionUpdate, fixture.Data{"foo": "1"}},
	} {
		t.Run(name, func(t *testing.T) {
			f := fixture.New(t)
			before := seed(f)
			f.RunSteps(resource.TestStep{
				Config:           f.Config(of(test.id, f) + fixture.DataBlock("it", test.lines...)),
				ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectResourceAction(address, test.action)}},
				Check: fixture.Checked(func() {
					f.WantWhole("testmap", fixture.Whole{Data: test.after, Bytes: map[string][]byte{"raw": {0xff}}})
					if wrote := f.Live("testmap").ResourceVersion != before.ResourceVersion; wrote != (test.action == plancheck.ResourceActionUpdate) {
						f.Errorf("wrote: %v", wrote)
					}
				}),
			})
		})
	}
	t.Run("is what a create leaves", func(t *testing.T) {
		p := fixture.NewPipeline(t)
		p.Create("testmap", nil)
		p.Planned(fixture.DataBlock("it", lines...))
		behavior.ImportsWhatItMade(p, address, p.Namespace+"/testmap", "previous_data")
	})
	t.Run("refused", func(t *testing.T) {
		f := fixture.New(t)
		seed(f)
		f.Create("empty", nil)
		for id, want := range map[string]string{
			"testmap":                       `The import id "testmap" is not of the form namespace/name or namespace/name:key1,key2.`,
			"a/b/c":                         `The import id "a/b/c" is not of the form namespace/name or namespace/name:key1,key2.`,
			"default/testmap:":              `The import id "default/testmap:" has an invalid key, "": a valid config key must consist of`,
			"default/testmap:a,,b":          `The import id "default/testmap:a,,b" has an invalid key, "": a valid config key must consist of`,
			"default/testmap:a:b":           `has an invalid key, "a:b": a valid config key must consist of`,
			"default/testmap:b,a,b":         `has an invalid key, "b": it is named twice.`,
			"Default/testmap":               `has an invalid namespace, "Default": a lowercase RFC 1123 label must`,
			"NAMESPACE/gone":                "The ConfigMap does not exist. Nothing was imported. ConfigMap: NAMESPACE/gone Host: https://127.0.0.1: … Correct the import, whose id is namespace/name:key1,key2.",
			"NAMESPACE/gone:foo":            "The ConfigMap does not exist. Nothing was imported. ConfigMap: NAMESPACE/gone Host: https://127.0.0.1: … Correct the import, whose id is namespace/name:key1,key2.",
			"NAMESPACE/empty":               "Nothing To Import",
			"NAMESPACE/testmap:foo,x,y,raw": "The ConfigMap does not have the keys x and y. Nothing was imported. ConfigMap: NAMESPACE/testmap Key: x Key: y Existing keys: ",
		} {
			f.RunRefused(func(got fixture.Failures) {
				for _, of := range got {
					got[""] = of
				}
				got.Want(f, "", strings.Split(f.Text(want), " … ")...)
			}, resource.TestStep{Config: behavior.ImportsOf(f, fmt.Sprintf("import {\nto = %s\nid = %q\n}\n", address, id)+fixture.DataBlock("it", lines...))})
		}
	})
}

func TestConfigMapDataIdentity(t *testing.T) {
	f := fixture.New(t)
	f.Create("testmap", fixture.Data{})
	step := func(block string, keys ...string) resource.TestStep {
		checks := make([]knownvalue.Check, len(keys))
		for i, key := range keys {
			checks[i] = knownvalue.StringExact(key)
		}
		return resource.TestStep{Config: f.Config(fixture.DataBlock("it", block)), ConfigStateChecks: []statecheck.StateCheck{
			statecheck.ExpectIdentity("cas_configmap_data.it", map[string]knownvalue.Check{
				"namespace": knownvalue.StringExact(f.Namespace), "name": knownvalue.StringExact("testmap"), "keys": knownvalue.ListExact(checks),
			}),
		}}
	}
	vanished, gone := step(`data = { b = "2", c = "1" }`, "b", "c"), step(`data = { b = "2", c = "1" }`, "b", "c")
	vanished.PreConfig = func() { f.Unset("testmap", "b") }
	gone.PreConfig = func() { // the refresh removes the resource, which must set the identity too
		f.Remove("testmap")
		f.Create("testmap", nil)
		f.Remove("testmap")
	}
	gone.Config = f.Config(fixture.Nothing)
	gone.ConfigStateChecks = nil
	fixture.RunSteps(f.T, resource.TestCase{
		TerraformVersionChecks: fixture.IdentitySince,
		Steps: []resource.TestStep{
			step(`data = { b = "1", a = "1" }`, "a", "b"), step(`data = { b = "2", c = "1" }`, "b", "c"), vanished,
			{ResourceName: "cas_configmap_data.it", ImportState: true, ImportStateKind: resource.ImportBlockWithResourceIdentity},
			gone,
		},
	})
}
