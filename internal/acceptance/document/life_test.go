package document

import (
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// roles is mapRoles of aws-auth with two roles by others.
const roles = `# Managed by the platform team.
- rolearn: arn:aws:iam::111122223333:role/nodes
  username: system:node:{{EC2PrivateDNSName}}
  groups:
    - system:bootstrappers
    - system:nodes # keep
- groups: [admins]
  rolearn: "arn:aws:iam::111122223333:role/admin"
  username: admin
`

// deployer is an item of mapRoles, as the provider writes it.
const deployer = `- groups:
    - deployers
  rolearn: arn:aws:iam::111122223333:role/deployer
  username: deployer
`

// role returns the line fields with one role.
func role(name, username string) string {
	return strings.NewReplacer("NAME", name, "USER", username).Replace(`fields = {
    "[rolearn=\"arn:aws:iam::111122223333:role/NAME\"]" = {
      rolearn = "arn:aws:iam::111122223333:role/NAME", username = "USER", groups = ["deployers"]
    }
  }`)
}

func TestLifeOfAnItem(t *testing.T) {
	d := cli(t, "mapRoles", roles)

	d.Planned(d.block("it", role("deployer", "deployer")))
	d.wantText(roles + deployer)
	d.PlanNothing()

	d.edit("username: admin\n", "username: root\n")
	d.edit("# keep", "# keep it")
	d.PlanNothing() // changes of others are no drift
	others := strings.NewReplacer("username: admin\n", "username: root\n", "# keep", "# keep it").Replace(roles)

	d.Write(d.block("it", role("deployer", "deploy")))
	d.Wants(d.Plan(), "1 to change", "!must be replaced")
	d.edit("# keep it", "# keep this")
	d.edit("- groups: [admins]", "- groups: [admins, root]")
	d.Apply() // changes of other items and comments between plan and apply are no conflict
	others = strings.NewReplacer("# keep it", "# keep this", "[admins]", "[admins, root]").Replace(others)
	d.wantText(others + strings.Replace(deployer, "username: deployer", "username: deploy", 1))

	d.Write(d.block("it", role("deployer", "deployer")))
	d.Plan()
	d.edit("username: deploy\n", "username: thief\n")
	d.ApplyRefused("Error: Compare-And-Swap Conflict", "Document: mapRoles", "Key last written by: another-writer", "Nothing was written.")

	d.PlanRefused([]string{"Error: Value Changed", "[rolearn=", "on_drift"})
	d.edit("username: thief\n", "username: deploy\n")
	d.PlanApply()
	d.wantText(others + deployer)

	d.Destroy()
	d.wantText(others)
}

func TestImportAndAdopt(t *testing.T) {
	d := cli(t, "mapRoles", roles+deployer)
	d.Write(d.block("it", role("deployer", "deployer")))
	d.PlanRefused([]string{"Error: Field Already Holds The Value", "adopt_existing = true"})
	d.Do("import", "cas_configmap_document.it",
		d.Namespace+`/settings/mapRoles/yaml/[rolearn="arn:aws:iam::111122223333:role/deployer"]`)
	d.PlanNothing()
	d.Do("state", "rm", "cas_configmap_document.it")

	d.Planned(d.block("it", role("deployer", "deployer"), "adopt_existing = true"))
	d.wantText(roles + deployer)
	d.PlanNothing()
	d.Wants(d.Destroy(), "Warning: Field Stays In Place")
	d.wantText(roles + deployer)
}

// Two configurations with states of their own converge, whatever the order of their applies is.
func TestTwoConfigurations(t *testing.T) {
	a := made(t, "mapRoles", roles)
	b := &document{&fixture.Pipeline{Fixture: a.Fixture, On: fixture.NewSession(t)}, a.key, a.format}
	a.Write(a.block("it", role("a", "a")))
	b.Write(b.block("it", role("b", "b")))
	a.Plan()
	b.Plan()
	b.Apply()
	a.Apply()
	a.PlanNothing()
	b.PlanNothing()
	a.Destroy()
	b.PlanNothing()
	b.Destroy()
	a.wantText(roles)
}

// A write creates the key. The resource that created the key removes it with the last item.
func TestMissingKey(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ key, fields, want string }{
		"a map":           {"config.yaml", `{ "level" = "debug" }`, "level: debug\n"},
		"a list":          {"mapRoles", `{ "[name=a]" = { name = "a" } }`, "- name: a\n"},
		"a map of JSON":   {"flags.json", `{ "on" = true }`, "{\n  \"on\": true\n}"},
		"a text for YAML": {"config.yaml", `{ "yes" = "0644" }`, "\"yes\": \"0644\"\n"},
	} {
		t.Run(name, func(t *testing.T) {
			d := made(t, test.key, "")
			d.Unset("settings", test.key)
			d.Write(d.block("it", "fields = "+test.fields))
			d.Wants(d.Plan(), "Warning: Key Does Not Exist Yet")
			d.Apply()
			d.wantText(test.want)
			d.PlanNothing()
			d.Destroy()
			if _, isThere := d.Live("settings").Data[test.key]; isThere {
				t.Errorf("the key stays, with %q", d.text())
			}
		})
	}
}

// An emptied document of a key that existed before stays as an empty map or list. A map or list that a write created
// around a field stays as well, with its key.
func TestEmptiedDocument(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, fields, want string }{
		"a list":                    {"[]\n", `{ "[name=a]" = { name = "a" } }`, "[]\n"},
		"a map":                     {"{}\n", `{ "a" = 1 }`, "{}\n"},
		"a map in a map":            {"{}\n", `{ "a.b" = 1 }`, "a: {}\n"},
		"a list in a map":           {"{}\n", `{ "a[=b]" = "b" }`, "a: []\n"},
		"a map in a map, a new key": {"", `{ "a.b" = 1 }`, "a: {}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			d := made(t, "config.yaml", test.text)
			if test.text == "" {
				d.Unset("settings", "config.yaml")
			}
			d.Planned(d.block("it", "fields = "+test.fields, `deletion_policy = "delete"`))
			d.Destroy()
			d.wantText(test.want)
		})
	}
}

func TestDataSource(t *testing.T) {
	d := made(t, "config.yaml", "log:\n  level: info\n  rate: 0x10\nusers:\n- name: a\n")
	source := func(key, paths string) string {
		return `data "cas_configmap_document" "it" {
  namespace = NAMESPACE
  name      = "settings"
  key       = "` + key + `"
  format    = "yaml"
  paths     = [` + paths + `]
}
output "values" { value = data.cas_configmap_document.it.values }
output "exists" { value = data.cas_configmap_document.it.exists }
`
	}
	d.Applied(source("config.yaml", `"log.level", "log.rate", "users[name=a]", "none"`))
	if got, want := d.Outputs(), `{"exists":true,"values":{"log.level":"info","log.rate":16,"none":null,"users[name=a]":{"name":"a"}}}`; got != want {
		t.Errorf("the outputs are %s, want %s", got, want)
	}
	d.Applied(source("missing.yaml", `"log.level"`))
	if got, want := d.Outputs(), `{"exists":false,"values":null}`; got != want {
		t.Errorf("the outputs of a missing key are %s, want %s", got, want)
	}
	d.Set("settings", "config.yaml", "a: [\n")
	d.Write(source("config.yaml", `"log.level"`))
	d.PlanRefused([]string{"Error: Document Does Not Fit", "Line: "})
}
