package acceptance_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
)

// kubernetesBlock is a kubernetes_config_map_v1_data of the ConfigMap testmap.
func kubernetesBlock(lines ...string) string {
	return "resource \"kubernetes_config_map_v1_data\" \"it\" {\nmetadata {\nname = \"testmap\"\nnamespace = NAMESPACE\n}\n" + strings.Join(lines, "\n") + "\n}\n"
}

const movedBlock = "moved {\nfrom = kubernetes_config_map_v1_data.it\nto = cas_configmap_data.it\n}\n"

func TestConfigMapDataMovedFromKubernetes(t *testing.T) {
	t.Parallel()
	const address = "cas_configmap_data.it"
	for name, test := range map[string]struct {
		was, is string
		action  plancheck.ResourceActionType
		after   data
		check   resource.TestCheckFunc
	}{
		"as it was": {
			was: `data = { foo = "1", bar = "2" }`, is: `data = { foo = "1", bar = "2" }`, action: plancheck.ResourceActionNoop,
			after: data{"foo": "1", "bar": "2", "other": "kept"}, check: resource.TestCheckNoResourceAttr(address, "field_manager"),
		},
		"with a field manager": {
			was: "data = { foo = \"1\" }\nfield_manager = \"me\"", is: "data = { foo = \"1\" }\nfield_manager = \"me\"", action: plancheck.ResourceActionNoop,
			after: data{"foo": "1", "bar": "2", "other": "kept"}, check: resource.TestCheckResourceAttr(address, "field_manager", "me"),
		},
		"changed at once": {
			was: `data = { foo = "1", bar = "2" }`, is: `data = { foo = "3", new = "4" }`, action: plancheck.ResourceActionUpdate,
			after: data{"foo": "3", "new": "4", "other": "kept"}, check: resource.TestCheckResourceAttr(address, "previous_data.foo", "1"),
		},
		"drifted meanwhile": {
			was: `data = { foo = "0", bar = "2" }`, is: `data = { foo = "0", bar = "2" }`, action: plancheck.ResourceActionUpdate,
			after: data{"foo": "0", "bar": "2", "other": "kept"}, check: resource.TestCheckResourceAttr(address, "previous_data.foo", "1"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t)
			before := f.create("testmap", data{"foo": "1", "bar": "2", "other": "kept"})
			uid := resource.TestCheckResourceAttr(address, "uid", string(before.UID))
			again := resource.TestStep{Config: f.config(dataBlock("it", test.is)), PlanOnly: true}
			f.run(
				resource.TestStep{Config: f.config(kubernetesBlock(test.was))},
				resource.TestStep{
					Config: f.config(dataBlock("it", test.is) + movedBlock),
					ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction(address, test.action),
					}},
					Check: resource.ComposeAggregateTestCheckFunc(uid, test.check, resource.TestCheckResourceAttrWith(address, "resource_version", f.isVersion("testmap")),
						checked(func() {
							f.wantLive("testmap", test.after)
							if wrote := f.live("testmap").ResourceVersion != before.ResourceVersion; wrote != (test.action == plancheck.ResourceActionUpdate) {
								f.Errorf("wrote: %v", wrote)
							}
						})),
				}, again)
		})
	}
}

// What it held before hashicorp's resource wrote it is not known, whatever was written since.
func TestConfigMapDataMovedFromKubernetesRestoresNothingThatIsNotKnown(t *testing.T) {
	f := newFixture(t)
	f.create("testmap", data{"foo": "1"})
	restore := `deletion_policy = "restore"`
	f.runRefused(func(got failures) {
		got.want(f, "", "Error: Nothing Known To Restore", "It is not known what foo held before this resource wrote it.", "Key: foo", "Otherwise apply another deletion_policy first.")
		if strings.Contains(got[""], "Key: new") {
			f.Error(got[""])
		}
		f.wantLive("testmap", data{"foo": "2", "new": "3"})
	},
		resource.TestStep{Config: f.config(kubernetesBlock(`data = { foo = "1" }`))},
		resource.TestStep{Config: f.config(dataBlock("it", `data = { foo = "2", new = "3" }`, restore) + movedBlock)},
		resource.TestStep{Config: f.config("")},
		resource.TestStep{Config: f.config(dataBlock("it", `data = { foo = "2", new = "3" }`))},
	)
	f.wantLive("testmap", nil)
}

// movedState is what a move that was applied with -refresh=false leaves: no version.
func (p *pipeline) movedState(attributes string) {
	p.Helper()
	attributes = fmt.Sprintf(`{
    "namespace": %q, "name": "testmap", "id": "%[1]s/testmap:foo", "data": {"foo": "1"}, "conflict_scope": "object", "deletion_policy": "delete",
    "adopt_existing": false, "hide_values": false%s
  }`, p.namespace, attributes)
	if s, isDriver := p.on.(*session); isDriver {
		s.w.Put("cas_configmap_data.it", "cas_configmap_data", attributes)
		return
	}
	private := base64.StdEncoding.EncodeToString([]byte(`{}`))
	state := fmt.Sprintf(`{"version": 4, "terraform_version": "1.8.0", "serial": 1, "lineage": "6f5a1c1e-0000-4000-8000-000000000000", "outputs": {}, "resources": [{
  "mode": "managed", "type": "cas_configmap_data", "name": "it", "provider": "provider[\"registry.terraform.io/terraform-cas/cas\"]",
  "instances": [{"schema_version": 0, "private": %q, "attributes": %s}]}]}`, private, attributes)
	if strings.Contains(p.cli.CLI, "tofu") {
		state = strings.ReplaceAll(state, "registry.terraform.io", "registry.opentofu.org")
	}
	if err := os.WriteFile(filepath.Join(p.cli.Dir, "terraform.tfstate"), []byte(state), 0o600); err != nil {
		p.Fatal(err)
	}
}

// A request that named no version would be conditional on none.
func TestConfigMapDataWithoutAVersionWritesNothing(t *testing.T) {
	t.Parallel()
	wants := []string{"Error: ConfigMap Version Not Known", "Run terraform plan again without -refresh=false."}
	for name, attributes := range map[string]string{
		"null": "", "empty": `, "uid": "", "resource_version": ""`, "zero": `, "uid": "", "resource_version": "0"`,
	} {
		for _, scope := range []string{"object", "key"} {
			run := func(p *pipeline) {
				p.Helper()
				p.create("testmap", data{"foo": "1"})
				proxy := p.proxied()
				p.movedState(attributes)
				p.write(dataBlock("it", `data = { foo = "2" }`, `conflict_scope = "`+scope+`"`))
				p.planRefused(append(wants, "Nothing was written.", planCheckAdvice), "-refresh=false")
				p.setenv("CAS_PLAN_CHECK", "off")
				p.plan("-refresh=false")
				p.applyRefused(append(wants, "Nothing was written.")...)
				p.plan("-destroy", "-refresh=false")
				p.applyRefused(append(wants, "Nothing was removed.")...)
				if proxy.Count() > 0 {
					p.Errorf("requests: %v", proxy.Requests())
				}
				p.planApply()
				p.wantLive("testmap", data{"foo": "2"})
				if proxy.Count() == 0 {
					p.Error("no request is seen")
				}
			}
			t.Run(name+", in scope "+scope, func(t *testing.T) { run(newPipeline(t)) })
			if name == "null" && scope == "object" {
				t.Run(name+", in scope "+scope+", on the command line", func(t *testing.T) { run(newCLIPipeline(t)) })
			}
		}
	}
}
