package acceptance_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfversion"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// identitySince skips where the command line knows no resource identity.
var identitySince = []tfversion.TerraformVersionCheck{tfversion.SkipBelow(tfversion.Version1_12_0)}

func (f *fixture) identity() map[string]knownvalue.Check {
	return map[string]knownvalue.Check{
		"namespace": knownvalue.StringExact(f.namespace), "name": knownvalue.StringExact("testmap"), "key": knownvalue.StringExact("foo"),
	}
}

func TestConfigMapEntryImportByID(t *testing.T) {
	p := newPipeline(t)
	p.create("testmap", data{"bar": "kept"})
	p.planned(entryBlock("foo", `value = "1"`))
	id := p.namespace + "/testmap/foo"
	p.importsWhatItMade(entryAddress, id)
	p.do("state", "rm", entryAddress)
	p.write(importBlock("foo", id) + entryBlock("foo", `value = "1"`))
	p.wants(p.plan(), "Plan: 1 to import, 0 to add, 0 to change, 0 to destroy.")
}

// importsWhatItMade imports what was created, which must have the same attributes as before, but for those named.
func (p *pipeline) importsWhatItMade(address, id string, but ...string) {
	p.Helper()
	_, label, _ := strings.Cut(address, ".")
	made := p.wantState(label)[label].Attributes
	p.do("state", "rm", address)
	p.do("import", address, id)
	imported := p.wantState(label)[label].Attributes
	for _, name := range but {
		delete(made, name)
		delete(imported, name)
	}
	if diff := cmp.Diff(made, imported); diff != "" {
		p.Errorf("made (-) and imported (+):\n%s", diff)
	}
}

// TestConfigMapEntryImportBlocks imports what is there: the plan has no change besides, and nothing is written.
func TestConfigMapEntryImportBlocks(t *testing.T) {
	f := newFixture(t)
	p := f.proxied()
	before := f.createObject(&corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "testmap"},
		Data:       data{"foo": "1", "empty": "", "nfd": "cafe\u0301"}, BinaryData: map[string][]byte{"binary": {0xff}},
	})
	config, checks := "", []plancheck.PlanCheck{}
	for key, line := range map[string]string{"foo": `value = "1"`, "empty": `value = ""`, "nfd": "value = \"caf\u00e9\"", "binary": `value_base64 = "/w=="`} {
		config += importBlock(key, "NAMESPACE/testmap/"+key) + entry(key, "testmap", key, line)
		checks = append(checks, plancheck.ExpectResourceAction("cas_configmap_entry."+key, plancheck.ResourceActionNoop))
	}
	f.run(resource.TestStep{
		Config: importsOf(f, config), ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: checks},
		Check: checked(func() {
			if n := p.Count("PATCH"); n > 0 || f.live("testmap").ResourceVersion != before.ResourceVersion {
				f.Errorf("the import wrote: %v", p.Requests())
			}
		}),
	})
	if live := f.live("testmap"); len(live.Data)+len(live.BinaryData) > 0 {
		f.Errorf("after destroy: %v %v", live.Data, live.BinaryData)
	}
}

func importBlock(label, id string) string {
	return fmt.Sprintf("import {\nto = cas_configmap_entry.%s\nid = %s\n}\n", label, quoted(id))
}

// importsOf is config for a body in which ids name the namespace as well.
func importsOf(f *fixture, body string) string {
	return f.config(regexp.MustCompile(`"NAMESPACE/`).ReplaceAllLiteralString(body, `"`+f.namespace+`/`))
}

func TestConfigMapEntryImportThenUpdate(t *testing.T) {
	f := newFixture(t)
	f.create("testmap", data{"foo": "1"})
	f.run(resource.TestStep{
		Config: importsOf(f, importBlock("foo", "NAMESPACE/testmap/foo")+entry("foo", "testmap", "foo", `value = "2"`)),
		ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
			plancheck.ExpectResourceAction("cas_configmap_entry.foo", plancheck.ResourceActionUpdate),
		}},
		Check: resource.ComposeAggregateTestCheckFunc(
			checked(func() { f.wantLive("testmap", data{"foo": "2"}) }),
			resource.TestCheckResourceAttr("cas_configmap_entry.foo", "previous_value", "1"),
		),
	})
}

func TestConfigMapEntryImportRefused(t *testing.T) {
	f := newFixture(t)
	f.create("testmap", data{"foo": "1"})
	const key = "a valid config key must consist of alphanumeric characters, '-', '_' or '.'"
	for id, want := range map[string]string{
		"testmap/foo":             `The import id "testmap/foo" is not of the form namespace/name/key.`,
		"a/b/c/d":                 `The import id "a/b/c/d" is not of the form namespace/name/key.`,
		"Default/testmap/foo":     `The import id "Default/testmap/foo" has an invalid namespace: a lowercase RFC 1123 label must`,
		"default/TestMap/foo":     `The import id "default/TestMap/foo" has an invalid name: a lowercase RFC 1123 subdomain must`,
		"default/testmap/..":      `The import id "default/testmap/.." has an invalid key: must not be '..'`,
		"default/testmap/":        `The import id "default/testmap/" has an invalid key: ` + key,
		"default/testmap/f o":     `The import id "default/testmap/f o" has an invalid key: ` + key,
		"NAMESPACE/testmap/gone":  "Cannot import non-existent remote object",
		"NAMESPACE/gone/foo":      "Cannot import non-existent remote object",
		"NAMESPACE/testmap/foo/.": "is not of the form namespace/name/key",
	} {
		f.runRefused(func(got failures) {
			if got.want(f, "", want); len(got) != 1 {
				f.Errorf("%s: %v", id, got)
			}
		}, resource.TestStep{Config: importsOf(f, importBlock("foo", id)+entry("foo", "testmap", "foo", `value = "1"`))})
	}
	f.wantLive("testmap", data{"foo": "1"})
}

func TestConfigMapEntryIdentity(t *testing.T) {
	f := newFixture(t)
	f.create("testmap", data{})
	is := []statecheck.StateCheck{statecheck.ExpectIdentity("cas_configmap_entry.foo", f.identity())}
	runSteps(f.T, resource.TestCase{
		TerraformVersionChecks: identitySince,
		Steps: []resource.TestStep{
			{Config: f.foo(`value = "1"`), ConfigStateChecks: is},
			{Config: f.foo(`value = "2"`), ConfigStateChecks: is},
			{Config: f.foo(`value = "2"`, `conflict_scope = "key"`), ConfigStateChecks: is},
			{ // the refresh removes the resource, which must set the identity too
				PreConfig: func() { f.unset("testmap", "foo") },
				Config:    f.foo(`value = "3"`), ConfigStateChecks: is,
			},
		},
	})
}

func TestConfigMapEntryImportByIdentity(t *testing.T) {
	f := newFixture(t)
	f.create("testmap", data{})
	runSteps(f.T, resource.TestCase{
		TerraformVersionChecks: identitySince,
		Steps: []resource.TestStep{
			{Config: f.foo(`value = "1"`)},
			{ResourceName: "cas_configmap_entry.foo", ImportState: true, ImportStateKind: resource.ImportBlockWithResourceIdentity},
		},
	})
}
