package acceptance_test

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

	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

// wholeImport is an import block of the ConfigMap testmap.
func (p *pipeline) wholeImport() string {
	return fmt.Sprintf("import {\n  to = cas_configmap.all\n  id = %q\n}\n", p.namespace+"/testmap")
}

func TestConfigMapIsImportedWhole(t *testing.T) {
	t.Parallel()
	everything := []string{
		`labels = { app = "shop" }`, `annotations = { note = "caf\u00e9" }`, `data = { foo = "1", nfd = "caf\u00e9", empty = "" }`,
		`binary_data = { raw = "/w==" }`, `immutable = true`,
	}
	live := whole{
		Labels: data{"app": "shop", "x.kubernetes.io/theirs": "1"}, Annotations: data{"note": "cafe\u0301"},
		Data: data{"foo": "1", "nfd": "cafe\u0301", "empty": ""}, Bytes: map[string][]byte{"raw": {0xff}}, Immutable: true,
	}
	for name, test := range map[string]struct {
		live  whole
		lines []string
		plan  string // "" for a plan without changes but the import
	}{
		"everything": {live: live, lines: everything},
		"nothing":    {},
		"keys alone": {live: whole{Data: data{"foo": "1"}}, lines: []string{`data = { foo = "1" }`}},
		"what entries own": {
			live: whole{Data: data{"foo": "1"}, Bytes: map[string][]byte{"raw": {1}}, Labels: data{"l": "1"}}, plan: "1 to import, 0 to add, 1 to change",
		},
		"what is to change": {live: whole{Data: data{"foo": "1"}}, lines: []string{`data = { foo = "2" }`}, plan: "1 to import, 0 to add, 1 to change"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPipeline(t)
			counted := p.counted()
			before := p.makeWhole("testmap", test.live)
			p.write(p.wholeImport() + wholeBlock("all", test.lines...))
			if test.plan == "" {
				test.plan = "1 to import, 0 to add, 0 to change"
			}
			p.wants(p.plan(), test.plan)
			p.apply()
			if name == "what is to change" {
				p.wantLive("testmap", data{"foo": "2"})
			} else {
				p.wantUnchanged(before)
				counted("the import", map[string]int{"GET": 1})
			}
			p.planNothing()
			p.destroy()
		})
	}
}

func TestConfigMapOfGeneratedNameIsImported(t *testing.T) {
	p := newPipeline(t)
	made := p.createObject(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "app-"}})
	byName := wholeBlock("all", fmt.Sprintf("name = %q", made.Name))
	imported := func(body string) {
		p.write(body)
		p.do("import", "cas_configmap.all", p.namespace+"/"+made.Name)
	}
	imported(byName)
	p.planNothing()
	p.do("state", "rm", "cas_configmap.all")

	imported(wholeBlock("all", `generate_name = "app-"`))
	p.wants(p.plan(), "0 to add, 1 to change, 0 to destroy") // of the state alone
	p.apply()
	p.planNothing()
	p.wantUnchanged(made)

	p.write(byName) // the same one by its name
	p.planNothing()
	p.write(wholeBlock("all", `generate_name = "app-"`))
	p.planNothing()
	for _, prefix := range []string{"ap", "app-x", "other-"} {
		p.write(wholeBlock("all", fmt.Sprintf("generate_name = %q", prefix)))
		p.wants(p.plan(), "1 to add, 0 to change, 1 to destroy")
	}
	p.apply()
	p.name("all", "other-")
}

// What Terraform generates of an import has a name, and no generate_name beside it. The version of a Secret's values, null after an import,
// becomes 1 in the state alone.
func TestCommandLineGeneratesAConfigurationThatChangesNothing(t *testing.T) {
	t.Parallel()
	versionOf := map[string]func(f *fixture, name string) string{
		"cas_configmap": func(f *fixture, name string) string { return f.live(name).ResourceVersion },
		"cas_secret": func(f *fixture, name string) string {
			live, err := f.cluster.Client().CoreV1().Secrets(f.namespace).Get(t.Context(), name, metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			return live.ResourceVersion
		},
	}
	plans := map[string]string{
		"cas_configmap": "1 to import, 0 to add, 0 to change, 0 to destroy",
		"cas_secret":    "1 to import, 0 to add, 1 to change, 0 to destroy",
	}
	for kind, make := range map[string]func(*fixture) string{
		"cas_configmap": func(f *fixture) string {
			return f.createObject(&corev1.ConfigMap{
				ObjectMeta: metav1.ObjectMeta{GenerateName: "app-", Labels: data{"app": "shop"}}, Data: data{"foo": "1"},
			}).Name
		},
		"cas_secret": func(f *fixture) string {
			secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{GenerateName: "app-"}, StringData: data{"foo": "1"}}
			made, err := f.cluster.Client().CoreV1().Secrets(f.namespace).Create(t.Context(), secret, metav1.CreateOptions{})
			if err != nil {
				t.Fatal(err)
			}
			return made.Name
		},
	} {
		t.Run(kind, func(t *testing.T) {
			p := newCLIPipeline(t)
			name := make(p.fixture)
			imports := fmt.Sprintf("import {\n  to = %s.it\n  id = %q\n", kind, p.namespace+"/"+name)
			p.write(imports + "  provider = cas\n}\n") // which Terraform 1.16 needs, and only while it generates
			p.wants(p.plan("-generate-config-out=generated.tf"), plans[kind])
			if generated := toolchain.Text(t, p.cli.Dir, "generated.tf"); !strings.Contains(generated, fmt.Sprintf("= %q", name)) {
				t.Errorf("the name %s is not in\n%s", name, generated)
			}
			p.write(imports + "}\n")
			p.wants(p.plan(), plans[kind])
			before := versionOf[kind](p.fixture, name)
			p.apply()
			p.planNothing()
			if after := versionOf[kind](p.fixture, name); after != before {
				t.Errorf("the import wrote: resourceVersion %s, was %s", after, before)
			}
		})
	}
}

func TestConfigMapImportIsRefused(t *testing.T) {
	f := newFixture(t)
	for id, want := range map[string]string{
		"testmap":           `The import id "testmap" is not of the form namespace/name.`,
		"a/b/c":             `The import id "a/b/c" is not of the form namespace/name.`,
		"Default/testmap":   `The import id "Default/testmap" has an invalid namespace: a lowercase RFC 1123 label must`,
		"default/TestMap":   `The import id "default/TestMap" has an invalid name: a lowercase RFC 1123 subdomain must`,
		"default/":          `The import id "default/" has an invalid name: a lowercase RFC 1123 subdomain must`,
		f.namespace + "/no": "Cannot import non-existent remote object",
	} {
		f.runRefused(func(got failures) { got.want(f, "", want) }, resource.TestStep{
			Config: f.config(fmt.Sprintf("import {\nto = cas_configmap.all\nid = %q\n}\n", id) + wholeBlock("all")),
		})
	}
}

func TestConfigMapIdentity(t *testing.T) {
	f := newFixture(t)
	is := []statecheck.StateCheck{statecheck.ExpectIdentity("cas_configmap.all", map[string]knownvalue.Check{
		"namespace": knownvalue.StringExact(f.namespace), "name": knownvalue.StringExact("testmap"),
	})}
	runSteps(f.T, resource.TestCase{
		TerraformVersionChecks: identitySince,
		Steps: []resource.TestStep{
			{Config: f.config(wholeBlock("all", `data = { foo = "1" }`)), ConfigStateChecks: is},
			{Config: f.config(wholeBlock("all", `data = { foo = "2" }`)), ConfigStateChecks: is},
			{ResourceName: "cas_configmap.all", ImportState: true, ImportStateKind: resource.ImportBlockWithID},
			{ResourceName: "cas_configmap.all", ImportState: true, ImportStateKind: resource.ImportBlockWithResourceIdentity},
			{Config: f.config(wholeBlock("all", `data = { foo = "2" }`, `hide_values = true`)), ConfigStateChecks: is},
			{ // the refresh removes the resource, which must set the identity too
				PreConfig: func() { f.remove("testmap") },
				Config:    f.config(wholeBlock("all", `data = { foo = "3" }`)), ConfigStateChecks: is,
			},
		},
	})
}

// Labels and annotations of others are left alone.
func TestConfigMapIgnoresLabelsAndAnnotations(t *testing.T) {
	p := newPipeline(t)
	const ignore = "ignore_labels = [\"^team$\", \"example\\\\.com/\"]\nignore_annotations = [\"^checksum\"]"
	write := func(settings string, lines ...string) {
		p.writeFor(p.kubeconfig, settings, wholeBlock("all", lines...))
	}
	mine := []string{`labels = { app = "shop" }`, `annotations = { note = "a" }`}
	theirs := func(cm *corev1.ConfigMap) {
		cm.Labels["team"], cm.Labels["x.example.com/y"], cm.Labels["node.kubernetes.io/z"] = "1", "2", "3"
		cm.Annotations["checksum/config"], cm.Annotations["kubectl.kubernetes.io/last"] = "4", "5"
	}
	write(ignore, mine...)
	p.planApply()
	p.change("testmap", theirs)
	p.planNothing()

	write(ignore, `labels = { app = "store" }`, `annotations = {}`)
	p.wants(p.plan(), `"app" = "shop" -> "store"`, `- "note" = "a" -> null`, "!team", "!checksum")
	p.apply()
	all := whole{
		Labels:      data{"app": "store", "team": "1", "x.example.com/y": "2", "node.kubernetes.io/z": "3"},
		Annotations: data{"checksum/config": "4", "kubectl.kubernetes.io/last": "5"},
	}
	p.wantWhole("testmap", all)
	p.planNothing()

	// What the configuration names is compared, and set back.
	write(ignore, `labels = { app = "store", team = "mine", "node.kubernetes.io/z" = "3" }`, `annotations = {}`)
	p.planApply()
	all.Labels["team"] = "mine"
	p.wantWhole("testmap", all)
	p.change("testmap", func(cm *corev1.ConfigMap) { cm.Labels["team"] = "theirs" })
	p.wants(p.plan(), `"team" = "theirs" -> "mine"`)
	p.apply()
	p.wantWhole("testmap", all)

	// No longer named: what is ignored stays, the cluster's own, which was named, goes.
	write(ignore, `labels = { app = "store" }`, `annotations = {}`)
	p.planApply()
	delete(all.Labels, "node.kubernetes.io/z")
	p.wantWhole("testmap", all)
	p.planNothing()

	// Without the setting they are drift.
	write("", `labels = { app = "store" }`, `annotations = {}`)
	p.wants(p.plan(), `- "team" = "mine" -> null`, `- "x.example.com/y" = "2" -> null`, `- "checksum/config" = "4" -> null`, "!kubectl.kubernetes.io")
	p.apply()
	p.wantWhole("testmap", whole{Labels: data{"app": "store"}, Annotations: data{"kubectl.kubernetes.io/last": "5"}})

	// What others add to what was left to them is not taken over either.
	write(ignore)
	p.planApply()
	p.change("testmap", theirs)
	write(ignore, mine...)
	p.wants(p.plan(), `Label: app Found: "store" Planned: "shop"`, "!Label: team", "!Annotation: checksum", "!Annotation: kubectl")
	p.apply()
	p.wantWhole("testmap", whole{
		Labels:      data{"app": "shop", "team": "1", "x.example.com/y": "2", "node.kubernetes.io/z": "3"},
		Annotations: data{"note": "a", "checksum/config": "4", "kubectl.kubernetes.io/last": "5"},
	})
}

func TestIgnoredExpressionsMustCompile(t *testing.T) {
	f := newFixture(t)
	for _, list := range []string{"ignore_labels", "ignore_annotations"} {
		f.runRefused(func(got failures) {
			got.want(f, "", "Invalid Regular Expression", "Attribute "+list+"[1]: must be a regular expression: missing closing ]: `[a`")
		}, resource.TestStep{Config: f.configFor(f.kubeconfig, list+` = ["a", "[a"]`, wholeBlock("all"))})
	}
}

// TestConfigMapInvalidConfiguration gives each invalid argument to a resource of its own: all are told at once, before any request.
func TestConfigMapInvalidConfiguration(t *testing.T) {
	f := newFixture(t)
	const base64Form = "must be canonical standard base64"
	large, _ := kib(1024, "a")
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
		{"name = \"a\"\ndata = { a = null }", []string{"Null Map Value", "data = { a = null }"}},
		{"name = \"a\"\ndata = { a = \"1\" }\nbinary_data = { a = \"\" }", []string{"Key In Both Maps", `Attribute binary_data["a"]: the key must not be in data as well.`}},
		{"name = \"a\"\ndata = { a = " + large + ", b = \"1\" }", []string{
			"ConfigMap Too Large", "Attribute data: the values of data and binary_data must have at most 1048576 bytes together, not 1048577.",
		}},
		{"name = \"a\"\nbinary_data = { a = base64encode(" + large + "), b = \"MQ==\" }", []string{
			"ConfigMap Too Large", "Attribute binary_data: the values of data and binary_data must have at most 1048576 bytes together, not 1048577.",
		}},
		{"name = \"a\"\nlabels = { \"a b\" = \"1\" }", []string{"Invalid Label Key", `Attribute labels["a b"]: name part must consist of`}},
		{"name = \"a\"\nlabels = { a = \"1 2\" }", []string{"Invalid Label Value", `Attribute labels["a"]: a valid label must be`}},
		{"name = \"a\"\nlabels = { a = " + quoted(strings.Repeat("v", 64)) + " }", []string{"Invalid Label Value", `Attribute labels["a"]: must be no more than 63`}},
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
	f.runInvalidBlocks(config, wants)
}

// TestConfigMapValidExtremes has what the rules just allow.
func TestConfigMapValidExtremes(t *testing.T) {
	f := newFixture(t)
	large, value := kib(1024, "a")
	f.run(resource.TestStep{
		Config: f.config(wholeBlock("all", "name = "+quoted(strings.Repeat("n", 249)+".map"), "data = { "+strings.Repeat("k", 253)+" = "+large+", none = \"\" }",
			"labels = { \"a.b/"+strings.Repeat("l", 63)+"\" = "+quoted(strings.Repeat("v", 63))+" }", `annotations = { "Example.COM/A" = "any\ntext: {}" }`)),
		Check: checked(func() {
			if got := f.live(strings.Repeat("n", 249) + ".map").Data[strings.Repeat("k", 253)]; got != value {
				f.Errorf("%d bytes", len(got))
			}
		}),
	}, resource.TestStep{
		Config: f.config(wholeBlock("all", "name = "+quoted(strings.Repeat("n", 249)+".map"), "data = { "+strings.Repeat("k", 253)+" = "+large+", none = \"\" }",
			"labels = { \"a.b/"+strings.Repeat("l", 63)+"\" = "+quoted(strings.Repeat("v", 63))+" }", `annotations = { "Example.COM/A" = "any\ntext: {}" }`)),
		ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}},
	})
}
