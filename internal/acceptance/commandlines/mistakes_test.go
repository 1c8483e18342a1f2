package commandlines

import (
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// mistake is a mistake that users make: its message, and the configuration that the message advises.
type mistake struct {
	live  fixture.Data // in testmap, or in the Secret database
	wrong string       // the configuration
	told  []string     // by the plan, which is refused
	fixed string       // as the message advises
	after fixture.Data
}

// TestMistakes makes each mistake on the command line, then follows its message literally.
func TestMistakes(t *testing.T) {
	t.Parallel()
	foo := func(lines ...string) string { return fixture.Entry("it", "testmap", "foo", lines...) }
	for name, m := range map[string]mistake{
		"a key that is misspelt": {
			live: fixture.Data{"feature-flag": "off"}, after: fixture.Data{"feature-flag": "on"},
			wrong: fixture.Entry("it", "testmap", "feature_flag", `value = "on"`, `expected_value = "off"`),
			told: []string{
				"Error: Expected Value Mismatch", `The ConfigMap has no key "feature_flag". Nothing was written.`, "Existing keys: feature-flag",
				"Did you mean feature-flag? To create feature_flag, remove expected_value.", "!CAS_PLAN_CHECK",
			},
			fixed: fixture.Entry("it", "testmap", "feature-flag", `value = "on"`, `expected_value = "off"`),
		},
		"a newline from a file": {
			live: fixture.Data{"foo": "1.0"}, after: fixture.Data{"foo": "1.1"},
			wrong: foo(`value = "1.1"`, `expected_value = file("version.txt")`),
			told: []string{
				"Error: Expected Value Mismatch", `Expected: "1.0\n" Found: "1.0" Note: expected_value and foo differ only in a trailing newline: use chomp(...) Changed by:`,
			},
			fixed: foo(`value = "1.1"`, `expected_value = chomp(file("version.txt"))`),
		},
		"a newline from a file, of a key that is there": {
			live: fixture.Data{"foo": "1.0"}, after: fixture.Data{"foo": "1.0"},
			wrong: foo(`value = file("version.txt")`),
			told: []string{
				"Error: Key Already Exists", "foo already exists with another value. Nothing was written.", "Note: value and foo differ only in a trailing newline: use chomp(...) Changed by:",
			},
			fixed: foo(`value = chomp(file("version.txt"))`, "adopt_existing = true"),
		},
		"line endings of another system": {
			live: fixture.Data{"foo": "a\nb"}, after: fixture.Data{"foo": "c"},
			wrong: foo(`value = "c"`, `expected_value = "a\r\nb"`),
			told:  []string{`Note: expected_value and foo differ only in line endings, CRLF or LF: use replace(..., "\r\n", "\n") Changed by:`},
			fixed: foo(`value = "c"`, `expected_value = replace("a\r\nb", "\r\n", "\n")`),
		},
		"spaces around": {
			live: fixture.Data{"foo": "1.0"}, after: fixture.Data{"foo": "1.1"},
			wrong: foo(`value = "1.1"`, `expected_value = " 1.0"`),
			told: []string{
				`expected_value is " 1.0", but foo holds "1.0". Nothing was written.`, "Note: expected_value and foo differ only in spaces around the value: use trimspace(...) Changed by:",
			},
			fixed: foo(`value = "1.1"`, `expected_value = trimspace(" 1.0")`),
		},
		"upper and lower case": {
			live: fixture.Data{"foo": "true"}, after: fixture.Data{"foo": "false"},
			wrong: foo(`value = "false"`, `expected_value = "True"`),
			told: []string{
				`expected_value is "True", but foo holds "true". Nothing was written.`, "Note: expected_value and foo differ only in upper and lower case Changed by:",
				`To replace "true", set expected_value = "true"`,
			},
			fixed: foo(`value = "false"`, `expected_value = "true"`),
		},
		"base64 for a key that holds text": {
			live: fixture.Data{"foo": "1.0"}, after: fixture.Data{"foo": "1.1"},
			wrong: foo(`value = "1.1"`, `expected_value_base64 = base64encode("1.0")`),
			told: []string{
				"foo does not hold what expected_value_base64 says. Nothing was written.",
				`Expected: base64 "MS4w" Found: "1.0" Note: foo is text (data), and expected_value_base64 is bytes (binaryData) Changed by:`,
				`To replace "1.0", set expected_value = "1.0"`,
			},
			fixed: foo(`value = "1.1"`, `expected_value = "1.0"`),
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewCLIPipeline(t)
			p.Create("testmap", m.live)
			p.On.Write("version.txt", "1.0\n")
			p.Write(m.wrong)
			p.PlanRefused(m.told)
			p.WantLive("testmap", m.live)
			p.Planned(m.fixed)
			p.WantLive("testmap", m.after)
		})
	}
}

// TestMistakesOfSecrets: so it is of a Secret, and no message has a value.
func TestMistakesOfSecrets(t *testing.T) {
	t.Parallel()
	for name, m := range map[string]mistake{
		"base64 in place of the value": {
			wrong: fixture.SecretEntry(`value_wo = "new"`, `expected_value_wo = base64encode("old-password")`),
			told:  []string{"Note: expected_value_wo is the base64 of what password holds: use base64decode(...) Changed by:"},
			fixed: fixture.SecretEntry(`value_wo = "new"`, `expected_value_wo = base64decode(base64encode("old-password"))`),
		},
		"a newline from a file": {
			wrong: fixture.SecretEntry(`value_wo = "new"`, `expected_value_wo = "old-password\n"`),
			told:  []string{"Note: expected_value_wo and password differ only in a trailing newline: use chomp(...) Changed by:"},
			fixed: fixture.SecretEntry(`value_wo = "new"`, `expected_value_wo = chomp("old-password\n")`),
		},
		"Unicode normal form": {
			live:  fixture.Data{"password": "cafe\u0301"},
			wrong: fixture.SecretEntry(`value_wo = "new"`, `expected_value_wo = "cafe\u0301"`), // which Terraform normalizes
			told:  []string{"Note: expected_value_wo and password differ only in Unicode normal form Changed by:"},
			fixed: fixture.SecretEntry(`value_wo = "new"`, `expected_value_base64_wo = "Y2FmZcyB"`),
		},
	} {
		t.Run(name, func(t *testing.T) {
			if m.live == nil {
				m.live = fixture.Data{"password": "old-password"}
			}
			p := fixture.NewCLIPipeline(t)
			p.CreateSecret("database", m.live)
			p.Write(m.wrong)
			p.PlanRefused(append(m.told, "Error: Expected Value Mismatch", "password does not hold what expected_value_wo says. Nothing was written.",
				"Expected: (sensitive) Found: (sensitive)", "!old-password", "!b2xkLXBhc3N3b3Jk"))
			p.WantSecret("database", m.live)
			p.Planned(m.fixed)
			p.WantSecret("database", fixture.Data{"password": "new"})
		})
	}
}

// TestMistakesOfPlaces names a missing object and a missing namespace. The messages show the API server and the nearest name.
func TestMistakesOfPlaces(t *testing.T) {
	t.Parallel()
	secret := func(name string) string {
		return fixture.SecretEntry("name = "+fixture.Quoted(name), `value_wo = "new"`, `expected_value_wo = "old"`)
	}
	fields := func(name string) string {
		return "resource \"cas_object_fields\" \"it\" {\n  api_version = \"v1\"\n  kind = \"Service\"\n  namespace = NAMESPACE\n  name = " + fixture.Quoted(name) +
			"\n  fields = { \"spec.selector.color\" = \"green\" }\n  expected_fields = { \"spec.selector.color\" = \"blue\" }\n}\n"
	}
	entry := func(name string) string {
		return fixture.Entry("it", name, "foo", `value = "2"`, `expected_value = "1"`)
	}
	elsewhere := func(body string) string { // in a namespace whose name has a letter too many
		return strings.ReplaceAll(body, "= NAMESPACE", `= join("", [NAMESPACE, "s"])`)
	}
	for name, m := range map[string]struct {
		wrong, fixed string
		told         []string // by the plan; NEAR is the namespace
		refused      string   // the title where the plan is refused
	}{
		"a ConfigMap": {
			entry("test-map"), entry("testmap"), []string{
				"Warning: ConfigMap Does Not Exist Yet", "ConfigMap: NEAR/test-map Key: foo Host: https://127.0.0.1:", "Did you mean testmap? If this run creates the ConfigMap,",
			}, "ConfigMap Not Found",
		},
		"a Secret": {
			secret("databse"), secret("database"), []string{
				"Warning: Secret Does Not Exist Yet", "Secret: NEAR/databse Key: password Host: https://127.0.0.1:", "Did you mean database? If this run creates the Secret,",
			}, "Secret Not Found",
		},
		"an object": {
			fields("webb"), fields("web"), []string{
				"Warning: Object Does Not Exist Yet", "Service: NEAR/webb Host: https://127.0.0.1:", "Did you mean web? If this run creates the Service,",
			}, "Object Not Found",
		},
		"a namespace": {
			elsewhere(entry("testmap")), entry("testmap"), []string{
				"Warning: Namespace Does Not Exist Yet", "ConfigMap: NEARs/testmap Key: foo Host: https://127.0.0.1:", "Did you mean NEAR? If this run creates the namespace,",
			}, "Namespace Not Found",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewCLIPipeline(t)
			p.Create("testmap", fixture.Data{"foo": "1"})
			p.Create("other", fixture.Data{"foo": "1"})
			p.CreateSecret("database", fixture.Data{"password": "old"})
			const service = `{"kind":"Service","apiVersion":"v1","metadata":{"name":"web"},"spec":{"selector":{"color":"blue"},"ports":[{"port":80}]}}`
			if err := p.Cluster.Client().CoreV1().RESTClient().Post().Namespace(p.Namespace).Resource("services").SetHeader("Content-Type", "application/json").
				Body([]byte(service)).Do(t.Context()).Error(); err != nil {
				t.Fatal(err)
			}
			for i, told := range m.told {
				m.told[i] = strings.ReplaceAll(told, "NEAR", p.Namespace)
			}
			p.Write(m.wrong)
			p.Wants(p.Plan(), m.told...)
			p.ApplyRefused(append(m.told[1:2:2], "Error: "+m.refused, "Did you mean", "Nothing was written.")...)
			p.Planned(m.fixed)
		})
	}
}

// TestMistakesOfImports checks that the error of a missing object shows its name and the form of an id.
func TestMistakesOfImports(t *testing.T) {
	p := fixture.NewCLIPipeline(t)
	p.Create("testmap", fixture.Data{"feature-flag": "1"})
	flag := fixture.Entry("it", "testmap", "feature-flag", `value = "1"`)
	for id, told := range map[string][]string{
		"/testmaps/feature-flag": {
			"Error: ConfigMap Not Found", "The ConfigMap does not exist. Nothing was imported.", "/testmaps Key: feature-flag Host: https://127.0.0.1:",
			"Did you mean testmap? Correct the import, whose id is namespace/name/key.",
		},
		"/testmap/feature_flag": {
			"Error: Key Not Found", `The ConfigMap has no key "feature_flag". Nothing was imported.`, "Key: feature_flag Existing keys: feature-flag",
			"Did you mean feature-flag? Correct the import, whose id is namespace/name/key. To create it, remove the import.",
		},
	} {
		p.Write(fixture.ImportBlock("it", p.Namespace+id) + flag)
		p.PlanRefused(append(told, "!non-existent remote object"))
	}
	p.Write(fixture.ImportBlock("it", p.Namespace+"/testmap/feature-flag") + flag)
	p.Wants(p.Plan(), "1 to import, 0 to add, 0 to change, 0 to destroy")

	fields := "resource \"cas_object_fields\" \"it\" {\n  api_version = \"v1\"\n  kind = \"ConfigMap\"\n  namespace = NAMESPACE\n  name = \"testmap\"\n  fields = { \"metadata.labels.a\" = \"1\" }\n}\n"
	const form = "Correct the import, whose id is api_version/kind/namespace/name/path1,path2."
	for id, told := range map[string][]string{
		"v1/ConfigMap/NEAR/testmaps/metadata.labels.a": {"Error: Object Not Found", "The ConfigMap does not exist. Nothing was imported.", "Did you mean testmap? " + form},
		"v1/ConfigMap/NEAR/testmap/metadata.labels.a":  {"Error: Field Not Found", "The ConfigMap does not have metadata.labels.a. Nothing was imported."},
		"v1/ConfigMaps/NEAR/testmap/metadata.labels.a": {"Error: Kind Not Served", "The import ID names the kind ConfigMaps of v1, which the API server does not serve. Nothing was imported.", "Did you mean: ConfigMap in v1"},
		"v1/ConfigMap/testmap/metadata.labels.a":       {"Error: Invalid Import", "api_version/kind/namespace/name/path1,path2"},
	} {
		p.Write("import {\nto = cas_object_fields.it\nid = " + fixture.Quoted(strings.ReplaceAll(id, "NEAR", p.Namespace)) + "\n}\n" + fields)
		p.PlanRefused(append(told, "!non-existent remote object"))
	}

	// A plan shows what the configuration does not set as removed.
	whole := "import {\nto = cas_configmap.it\nid = " + fixture.Quoted(p.Namespace+"/testmap") + "\n}\n"
	p.Write(whole + fixture.WholeBlock("it"))
	p.Wants(p.Plan(), "1 to import, 0 to add, 1 to change, 0 to destroy", "Warning: Key Stays In Place: feature-flag in ConfigMap "+p.Namespace+"/testmap",
		"The configuration does not set feature-flag any more, so it stays as it is.", "To manage it, set data to what the ConfigMap holds.")
	p.Apply()
	p.WantLive("testmap", fixture.Data{"feature-flag": "1"})
	p.Do("state", "rm", "cas_configmap.it")
	p.Write(whole + fixture.WholeBlock("it", `data = { "feature-flag" = "1" }`))
	p.Wants(p.Plan(), "1 to import, 0 to add, 0 to change, 0 to destroy", "!Key Stays In Place")
}

// TestDestroyPastAFailedCheck follows the way on from a refused plan that blocks a destroy.
func TestDestroyPastAFailedCheck(t *testing.T) {
	p := fixture.NewCLIPipeline(t)
	p.Create("testmap", fixture.Data{"foo": "1", "bar": "kept"})
	p.Planned(fixture.EntryBlock("foo", fixture.Deletes, fixture.Overwrites, `value = "2"`, `expected_value = "1"`))
	p.Set("testmap", "foo", "9")
	p.DestroyRefused([]string{
		"Error: Expected Value Mismatch", `expected_value is "1", but foo holds "9". Nothing was written.`,
		"If this blocks a destroy, run CAS_PLAN_CHECK=warning terraform destroy. deletion_policy says what becomes of foo.",
	})
	p.Export("CAS_PLAN_CHECK", "warning")
	p.Destroy()
	p.WantLive("testmap", fixture.Data{"bar": "kept"})
}
