package entry

import (
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

func identity(f *fixture.Fixture) map[string]knownvalue.Check {
	return map[string]knownvalue.Check{
		"namespace": knownvalue.StringExact(f.Namespace), "name": knownvalue.StringExact("testmap"), "key": knownvalue.StringExact("foo"),
	}
}

func TestConfigMapEntryImportByID(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{"bar": "kept"})
	p.Planned(fixture.EntryBlock("foo", `value = "1"`))
	id := p.Namespace + "/testmap/foo"
	behavior.ImportsWhatItMade(p, fixture.EntryAddress, id)
	p.Do("state", "rm", fixture.EntryAddress)
	p.Write(fixture.ImportBlock("foo", id) + fixture.EntryBlock("foo", `value = "1"`))
	p.Wants(p.Plan(), "Plan: 1 to import, 0 to add, 0 to change, 0 to destroy.")
}

// TestConfigMapEntryImportBlocks imports what is there: the plan has no change besides, and nothing is written.
func TestConfigMapEntryImportBlocks(t *testing.T) {
	f := fixture.New(t)
	p := f.Proxied()
	before := f.CreateObject(&corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "testmap"},
		Data:       fixture.Data{"foo": "1", "empty": "", "nfd": "cafe\u0301"}, BinaryData: map[string][]byte{"binary": {0xff}},
	})
	config, checks := "", []plancheck.PlanCheck{}
	for key, line := range map[string]string{"foo": `value = "1"`, "empty": `value = ""`, "nfd": "value = \"caf\u00e9\"", "binary": `value_base64 = "/w=="`} {
		config += fixture.ImportBlock(key, "NAMESPACE/testmap/"+key) + fixture.Entry(key, "testmap", key, line)
		checks = append(checks, plancheck.ExpectResourceAction("cas_configmap_entry."+key, plancheck.ResourceActionNoop))
	}
	f.RunSteps(resource.TestStep{
		Config: behavior.ImportsOf(f, config), ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: checks},
		Check: fixture.Checked(func() {
			if n := p.Count("PATCH"); n > 0 || f.Live("testmap").ResourceVersion != before.ResourceVersion {
				f.Errorf("the import wrote: %v", p.Requests())
			}
		}),
	})
	f.WantUnchanged(before) // by the destroy either
}

func TestConfigMapEntryImportThenUpdate(t *testing.T) {
	f := fixture.New(t)
	f.Create("testmap", fixture.Data{"foo": "1"})
	f.RunSteps(resource.TestStep{
		Config: behavior.ImportsOf(f, fixture.ImportBlock("foo", "NAMESPACE/testmap/foo")+fixture.Entry("foo", "testmap", "foo", `value = "2"`)),
		ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
			plancheck.ExpectResourceAction("cas_configmap_entry.foo", plancheck.ResourceActionUpdate),
		}},
		Check: resource.ComposeAggregateTestCheckFunc(
			fixture.Checked(func() { f.WantLive("testmap", fixture.Data{"foo": "2"}) }),
			resource.TestCheckResourceAttr("cas_configmap_entry.foo", "previous_value", "1"),
		),
	})
}

func TestConfigMapEntryImportRefused(t *testing.T) {
	f := fixture.New(t)
	f.Create("testmap", fixture.Data{"foo": "1"})
	const key = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'"
	for id, want := range map[string]string{
		"testmap/foo":             `The import id "testmap/foo" is not of the form namespace/name/key.`,
		"a/b/c/d":                 `The import id "a/b/c/d" is not of the form namespace/name/key.`,
		"Default/testmap/foo":     `The import id "Default/testmap/foo" has an invalid namespace, "Default": a lowercase RFC 1123 label must`,
		"default/TestMap/foo":     `The import id "default/TestMap/foo" has an invalid name, "TestMap": a lowercase RFC 1123 subdomain must`,
		"default/testmap/..":      `The import id "default/testmap/.." has an invalid key, "..": must not be '..'`,
		"default/testmap/":        `The import id "default/testmap/" has an invalid key, "": ` + key,
		"default/testmap/f o":     `The import id "default/testmap/f o" has an invalid key, "f o": ` + key,
		"NAMESPACE/testmap/gone":  `The ConfigMap has no key "gone". Nothing was imported. ConfigMap: NAMESPACE/testmap Key: gone Existing keys: foo Correct the import, whose id is namespace/name/key. To create it, remove the import.`,
		"NAMESPACE/gone/foo":      "The ConfigMap does not exist. Nothing was imported. ConfigMap: NAMESPACE/gone Key: foo Host: https://127.0.0.1: … Correct the import, whose id is namespace/name/key.",
		"NAMESPACE/testmap/foo/.": "is not of the form namespace/name/key",
	} {
		f.RunRefused(func(got fixture.Failures) {
			for _, of := range got {
				got[""] = of
			}
			if got.Want(f, "", strings.Split(f.Text(want), " … ")...); len(got) > 2 {
				f.Errorf("%s: %v", id, got)
			}
		}, resource.TestStep{Config: behavior.ImportsOf(f, fixture.ImportBlock("foo", id)+fixture.Entry("foo", "testmap", "foo", `value = "1"`))})
	}
	f.WantLive("testmap", fixture.Data{"foo": "1"})
}

func TestConfigMapEntryIdentity(t *testing.T) {
	f := fixture.New(t)
	f.Create("testmap", fixture.Data{})
	is := []statecheck.StateCheck{statecheck.ExpectIdentity("cas_configmap_entry.foo", identity(f))}
	fixture.RunSteps(f.T, resource.TestCase{
		TerraformVersionChecks: fixture.IdentitySince,
		Steps: []resource.TestStep{
			{Config: f.Foo(`value = "1"`), ConfigStateChecks: is},
			{Config: f.Foo(`value = "2"`), ConfigStateChecks: is},
			{Config: f.Foo(`value = "2"`, `conflict_scope = "key"`), ConfigStateChecks: is},
			{ // the refresh removes the resource, which must set the identity too
				PreConfig: func() { f.Unset("testmap", "foo") },
				Config:    f.Foo(`value = "3"`), ConfigStateChecks: is,
			},
		},
	})
}

func TestConfigMapEntryImportByIdentity(t *testing.T) {
	f := fixture.New(t)
	f.Create("testmap", fixture.Data{})
	fixture.RunSteps(f.T, resource.TestCase{
		TerraformVersionChecks: fixture.IdentitySince,
		Steps: []resource.TestStep{
			{Config: f.Foo(`value = "1"`)},
			{ResourceName: "cas_configmap_entry.foo", ImportState: true, ImportStateKind: resource.ImportBlockWithResourceIdentity},
		},
	})
}
