package configmap

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// wholeImport is an import block of the ConfigMap testmap.
func wholeImport(p *fixture.Pipeline) string {
	return fmt.Sprintf("import {\n  to = cas_configmap.all\n  id = %q\n}\n", p.Namespace+"/testmap")
}

func TestConfigMapIsImportedWhole(t *testing.T) {
	t.Parallel()
	everything := []string{
		`labels = { app = "shop" }`, `annotations = { note = "caf\u00e9" }`, `data = { foo = "1", nfd = "caf\u00e9", empty = "" }`,
		`binary_data = { raw = "/w==" }`, `immutable = true`,
	}
	live := fixture.Whole{
		Labels: fixture.Data{"app": "shop", "x.kubernetes.io/theirs": "1"}, Annotations: fixture.Data{"note": "cafe\u0301"},
		Data: fixture.Data{"foo": "1", "nfd": "cafe\u0301", "empty": ""}, Bytes: map[string][]byte{"raw": {0xff}}, Immutable: true,
	}
	for name, test := range map[string]struct {
		live  fixture.Whole
		lines []string
		plan  string // "" for a plan without changes but the import
	}{
		"everything": {live: live, lines: everything},
		"nothing":    {},
		"keys alone": {live: fixture.Whole{Data: fixture.Data{"foo": "1"}}, lines: []string{`data = { foo = "1" }`}},
		"what entries own": {
			live:  fixture.Whole{Data: fixture.Data{"foo": "1"}, Bytes: map[string][]byte{"raw": {1}}, Labels: fixture.Data{"l": "1"}},
			lines: []string{fixture.Deletes}, plan: "1 to import, 0 to add, 1 to change",
		},
		"what is to change": {live: fixture.Whole{Data: fixture.Data{"foo": "1"}}, lines: []string{`data = { foo = "2" }`}, plan: "1 to import, 0 to add, 1 to change"},
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			counted := counted(p)
			before := p.MakeWhole("testmap", test.live)
			p.Write(wholeImport(p) + fixture.WholeBlock("all", test.lines...))
			if test.plan == "" {
				test.plan = "1 to import, 0 to add, 0 to change"
			}
			p.Wants(p.Plan(), test.plan)
			p.Apply()
			if name == "what is to change" {
				p.WantLive("testmap", fixture.Data{"foo": "2"})
			} else {
				p.WantUnchanged(before)
				counted("the import", map[string]int{"GET": 1})
			}
			p.PlanNothing()
			p.Destroy()
		})
	}
}

func TestConfigMapOfGeneratedNameIsImported(t *testing.T) {
	p := fixture.NewPipeline(t)
	made := p.CreateObject(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "app-"}})
	byName := fixture.WholeBlock("all", fmt.Sprintf("name = %q", made.Name))
	imported := func(body string) {
		p.Write(body)
		p.Do("import", "cas_configmap.all", p.Namespace+"/"+made.Name)
	}
	imported(byName)
	p.PlanNothing()
	p.Do("state", "rm", "cas_configmap.all")

	imported(fixture.WholeBlock("all", `generate_name = "app-"`))
	p.Wants(p.Plan(), "0 to add, 1 to change, 0 to destroy") // of the state alone
	p.Apply()
	p.PlanNothing()
	p.WantUnchanged(made)

	p.Write(byName) // the same one by its name
	p.PlanNothing()
	p.Write(fixture.WholeBlock("all", `generate_name = "app-"`))
	p.PlanNothing()
	for _, prefix := range []string{"ap", "app-x", "other-"} {
		p.Write(fixture.WholeBlock("all", fmt.Sprintf("generate_name = %q", prefix)))
		p.Wants(p.Plan(), "1 to add, 0 to change, 1 to destroy")
	}
	p.Apply()
	name(p, "all", "other-")
}

func TestConfigMapImportIsRefused(t *testing.T) {
	f := fixture.New(t)
	for id, want := range map[string]string{
		"testmap":           `The import id "testmap" is not of the form namespace/name.`,
		"a/b/c":             `The import id "a/b/c" is not of the form namespace/name.`,
		"Default/testmap":   `The import id "Default/testmap" has an invalid namespace, "Default": a lowercase RFC 1123 label must`,
		"default/TestMap":   `The import id "default/TestMap" has an invalid name, "TestMap": a lowercase RFC 1123 subdomain must`,
		"default/":          `The import id "default/" has an invalid name, "": a lowercase RFC 1123 subdomain must`,
		f.Namespace + "/no": "The ConfigMap does not exist. Nothing was imported. ConfigMap: " + f.Namespace + "/no Host: https://127.0.0.1: … Correct the import, whose id is namespace/name. To create it, remove the import.",
	} {
		f.RunRefused(func(got fixture.Failures) {
			for _, of := range got {
				got[""] = of
			}
			got.Want(f, "", strings.Split(want, " … ")...)
		}, resource.TestStep{
			Config: f.Config(fmt.Sprintf("import {\nto = cas_configmap.all\nid = %q\n}\n", id) + fixture.WholeBlock("all")),
		})
	}
}

func TestConfigMapIdentity(t *testing.T) {
	f := fixture.New(t)
	is := []statecheck.StateCheck{statecheck.ExpectIdentity("cas_configmap.all", map[string]knownvalue.Check{
		"namespace": knownvalue.StringExact(f.Namespace), "name": knownvalue.StringExact("testmap"),
	})}
	fixture.RunSteps(f.T, resource.TestCase{
		TerraformVersionChecks: fixture.IdentitySince,
		Steps: []resource.TestStep{
			{Config: f.Config(fixture.WholeBlock("all", `data = { foo = "1" }`)), ConfigStateChecks: is},
			{Config: f.Config(fixture.WholeBlock("all", `data = { foo = "2" }`)), ConfigStateChecks: is},
			{ResourceName: "cas_configmap.all", ImportState: true, ImportStateKind: resource.ImportBlockWithID},
			{ResourceName: "cas_configmap.all", ImportState: true, ImportStateKind: resource.ImportBlockWithResourceIdentity},
			{Config: f.Config(fixture.WholeBlock("all", `data = { foo = "2" }`, `hide_values = true`)), ConfigStateChecks: is},
			{ // the refresh removes the resource, which must set the identity too
				PreConfig: func() { f.Remove("testmap") },
				Config:    f.Config(fixture.WholeBlock("all", `data = { foo = "3" }`)), ConfigStateChecks: is,
			},
		},
	})
}

// TestConfigMapIgnoresKeysOfTheCluster sets one label of the cluster, which the resource then manages, and no other.
func TestConfigMapIgnoresKeysOfTheCluster(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Planned(fixture.WholeBlock("all", `labels = { app = "shop" }`, `annotations = { note = "a" }`))
	p.Change("testmap", func(cm *corev1.ConfigMap) {
		cm.Labels["node.kubernetes.io/y"], cm.Labels["node.kubernetes.io/z"] = "2", "3"
		cm.Annotations["kubectl.kubernetes.io/last"] = "5"
	})
	p.PlanNothing()

	p.Write(fixture.WholeBlock("all", `labels = { app = "store", "node.kubernetes.io/z" = "3" }`, `annotations = {}`))
	p.Wants(p.Plan(), `"app" = "shop" -> "store"`, `- "note" = "a" -> null`, "!node.kubernetes.io/y", "!kubectl.kubernetes.io")
	p.Apply()
	all := fixture.Whole{
		Labels:      fixture.Data{"app": "store", "node.kubernetes.io/y": "2", "node.kubernetes.io/z": "3"},
		Annotations: fixture.Data{"kubectl.kubernetes.io/last": "5"},
	}
	p.WantWhole("testmap", all)
	p.PlanNothing()

	// A label that was there before stays.
	p.Write(fixture.WholeBlock("all", `labels = { app = "store" }`, `annotations = {}`))
	p.Wants(p.Plan(), "node.kubernetes.io/z existed before this resource wrote it, so it stays as it is.")
	p.Apply()
	p.WantWhole("testmap", all)
	p.PlanNothing()
}

// TestConfigMapInvalidConfiguration gives each invalid argument to a resource of its own: the plan reports all of them at once, before any request.
func TestConfigMapInvalidConfiguration(t *testing.T) {
	f := fixture.New(t)
	const base64Form = "must be canonical standard base64"
	large, _ := fixture.KiB(1024, "a")
	rows := []struct {
		lines string
		wants []string
	}{
		{``, []string{"Invalid Attribute Combination", "[name,generate_name]"}},
		{"name = \"a\"\ngenerate_name = \"b\"", []string{"Invalid Attribute Combination", "[name,generate_name]"}},
		{`name = "A"`, []string{"Invalid ConfigMap Name", "Attribute name: a lowercase RFC 1123 subdomain must"}},
		{`generate_name = "A-"`, []string{"Invalid Name Prefix", "Attribute generate_name: a lowercase RFC 1123 subdomain must"}},
		{`generate_name = ""`, []string{"Invalid Name Prefix", "Attribute generate_name: must be non-empty"}},
		{"name = \"a\"\nnamespace = \"a.b\"", []string{"Invalid Namespace", "Attribute namespace: must not contain dots"}},
		{"name = \"a\"\ndata = { \"a/b\" = \"1\" }", []string{"Invalid ConfigMap Key", `Attribute data["a/b"]: a valid config key must`}},
		{"name = \"a\"\nbinary_data = { \"..\" = \"\" }", []string{"Invalid ConfigMap Key", `Attribute binary_data[".."]: must not be '..'`}},
		{"name = \"a\"\nbinary_data = { a = \"MQ\" }", []string{"Invalid Base64", `Attribute binary_data["a"]: ` + base64Form}},
		{"name = \"a\"\nbinary_data = { a = \"MR==\" }", []string{"Invalid Base64", `Attribute binary_data["a"]: ` + base64Form}},
		{"name = \"a\"\ndata = { a = null }", []string{"Missing Value", `Attribute data["a"]: must not be null; to remove the key, leave it out.`}},
		{"name = \"a\"\ndata = { a = \"1\" }\nbinary_data = { a = \"\" }", []string{"Key In Both Maps", `Attribute binary_data["a"]: the key must not be in data as well.`}},
		{"name = \"a\"\ndata = { a = " + large + ", b = \"1\" }", []string{
			"Values Too Large", `Attribute data["a"]: the values must have at most 1048576 bytes together, not 1048577; this is the largest, with 1048576.`,
		}},
		{"name = \"a\"\nbinary_data = { a = base64encode(" + large + "), b = \"MQ==\" }", []string{
			"Values Too Large", `Attribute binary_data["a"]: the values must have at most 1048576 bytes together, not 1048577; this is the largest, with 1048576.`,
		}},
		{"name = \"a\"\nlabels = { \"a b\" = \"1\" }", []string{"Invalid Label Key", `Attribute labels["a b"]: name part must consist of`}},
		{"name = \"a\"\nlabels = { a = \"1 2\" }", []string{"Invalid Label Value", `Attribute labels["a"]: a valid label must be`}},
		{"name = \"a\"\nlabels = { a = " + fixture.Quoted(strings.Repeat("v", 64)) + " }", []string{"Invalid Label Value", `Attribute labels["a"]: must be no more than 63`}},
		{"name = \"a\"\nlabels = { a = null }", []string{"Null Map Value", "labels = { a = null }"}},
		{"name = \"a\"\nannotations = { \"/x\" = \"1\" }", []string{"Invalid Annotation Key", `Attribute annotations["/x"]: prefix part must be non-empty`}},
		{"name = \"a\"\nannotations = { a = " + large + " }", []string{
			"Annotations Too Large", "Attribute annotations: annotations size 1048577 is larger than limit 262144.",
		}},
		{"name = \"a\"\nfield_manager = \"\"", []string{"Attribute field_manager"}},
		{"name = \"a\"\ntimeouts = { read = \"soon\" }", []string{"Invalid Timeout", "timeouts.read"}},
		{"name = \"a\"\nid = \"a/b\"", []string{"Invalid Configuration for Read-Only Attribute", "id"}},
	}
	config, wants := "", map[string][]string{}
	for i, row := range rows {
		label := fmt.Sprintf("e%02d", i)
		wants[label] = row.wants
		config += fmt.Sprintf("resource \"cas_configmap\" %q {\n%s\n}\n", label, row.lines)
	}
	f.RunInvalidBlocks(config, wants)
}
