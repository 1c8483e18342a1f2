package data

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

func TestConfigMapDataMovedFromKubernetes(t *testing.T) {
	t.Parallel()
	const address = "cas_configmap_data.it"
	for name, test := range map[string]struct {
		was, is string
		action  plancheck.ResourceActionType
		after   fixture.Data
		check   resource.TestCheckFunc
	}{
		"as it was": {
			was: `data = { foo = "1", bar = "2" }`, is: `data = { foo = "1", bar = "2" }`, action: plancheck.ResourceActionNoop,
			after: fixture.Data{"foo": "1", "bar": "2", "other": "kept"}, check: resource.TestCheckNoResourceAttr(address, "field_manager"),
		},
		"with a field manager": {
			was: "data = { foo = \"1\" }\nfield_manager = \"me\"", is: "data = { foo = \"1\" }\nfield_manager = \"me\"", action: plancheck.ResourceActionNoop,
			after: fixture.Data{"foo": "1", "bar": "2", "other": "kept"}, check: resource.TestCheckResourceAttr(address, "field_manager", "me"),
		},
		"changed at once": {
			was: `data = { foo = "1", bar = "2" }`, is: `data = { foo = "3", new = "4" }`, action: plancheck.ResourceActionUpdate,
			after: fixture.Data{"foo": "3", "bar": "2", "new": "4", "other": "kept"}, check: resource.TestCheckResourceAttr(address, "previous_data.foo", "1"),
		},
		"drifted meanwhile": {
			was: `data = { foo = "0", bar = "2" }`, is: "data = { foo = \"0\", bar = \"2\" }\n" + fixture.Overwrites, action: plancheck.ResourceActionUpdate,
			after: fixture.Data{"foo": "0", "bar": "2", "other": "kept"}, check: resource.TestCheckResourceAttr(address, "previous_data.foo", "1"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := fixture.New(t)
			before := f.Create("testmap", fixture.Data{"foo": "1", "bar": "2", "other": "kept"})
			uid := resource.TestCheckResourceAttr(address, "uid", string(before.UID))
			again := resource.TestStep{Config: f.Config(fixture.DataBlock("it", test.is)), PlanOnly: true}
			f.RunSteps(
				resource.TestStep{Config: f.Config(fixture.KubernetesBlock(test.was))},
				resource.TestStep{
					Config: f.Config(fixture.DataBlock("it", test.is) + fixture.MovedBlock),
					ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
						plancheck.ExpectResourceAction(address, test.action),
					}},
					Check: resource.ComposeAggregateTestCheckFunc(uid, test.check, resource.TestCheckResourceAttrWith(address, "resource_version", f.IsVersion("testmap")),
						fixture.Checked(func() {
							f.WantLive("testmap", test.after)
							if wrote := f.Live("testmap").ResourceVersion != before.ResourceVersion; wrote != (test.action == plancheck.ResourceActionUpdate) {
								f.Errorf("wrote: %v", wrote)
							}
						})),
				}, again)
		})
	}
}

// The state of another provider has no originals: restore keeps the key, whatever was written since.
func TestConfigMapDataMovedFromKubernetesRestoresNothingThatIsNotKnown(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{"foo": "1"})
	p.Planned(fixture.KubernetesBlock(`data = { foo = "1" }`))
	p.Planned(fixture.DataBlock("it", `data = { foo = "2", new = "3" }`, `deletion_policy = "restore"`) + fixture.MovedBlock)
	p.Write("")
	p.Wants(p.Plan(), "It is not known what foo held before this resource wrote it, so it stays as it is.", "Key: foo", "!Key: new")
	p.Apply()
	p.WantLive("testmap", fixture.Data{"foo": "2"})
	p.WantState()
}

// movedState writes a state without a version, as a move that was applied with -refresh=false leaves.
func movedState(p *fixture.Pipeline, attributes string) {
	p.Helper()
	attributes = fmt.Sprintf(`{
    "namespace": %q, "name": "testmap", "id": "%[1]s/testmap:foo", "data": {"foo": "1"}, "conflict_scope": "object", "deletion_policy": "delete",
    "adopt_existing": false, "hide_values": false%s
  }`, p.Namespace, attributes)
	if s, isDriver := p.On.(*fixture.Session); isDriver {
		s.Workspace.Put("cas_configmap_data.it", "cas_configmap_data", attributes)
		return
	}
	private := base64.StdEncoding.EncodeToString([]byte(`{}`))
	state := fmt.Sprintf(`{"version": 4, "terraform_version": "1.8.0", "serial": 1, "lineage": "6f5a1c1e-0000-4000-8000-000000000000", "outputs": {}, "resources": [{
  "mode": "managed", "type": "cas_configmap_data", "name": "it", "provider": "provider[\"registry.terraform.io/terraform-cas/cas\"]",
  "instances": [{"schema_version": 0, "private": %q, "attributes": %s}]}]}`, private, attributes)
	if strings.Contains(p.CLI.CLI, "tofu") {
		state = strings.ReplaceAll(state, "registry.terraform.io", "registry.opentofu.org")
	}
	if err := os.WriteFile(filepath.Join(p.CLI.Dir, "terraform.tfstate"), []byte(state), 0o600); err != nil {
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
			run := func(p *fixture.Pipeline) {
				p.Helper()
				p.Create("testmap", fixture.Data{"foo": "1"})
				proxy := p.Proxied()
				movedState(p, attributes)
				p.Write(fixture.DataBlock("it", `data = { foo = "2" }`, fixture.Overwrites, `conflict_scope = "`+scope+`"`))
				p.PlanRefused(append(wants, "Nothing was written.", fixture.PlanCheckAdvice), "-refresh=false")
				p.Export("CAS_PLAN_CHECK", "off")
				p.Plan("-refresh=false")
				p.ApplyRefused(append(wants, "Nothing was written.")...)
				p.Plan("-destroy", "-refresh=false")
				p.ApplyRefused(append(wants, "Nothing was removed.")...)
				if proxy.Count() > 0 {
					p.Errorf("requests: %v", proxy.Requests())
				}
				p.PlanApply()
				p.WantLive("testmap", fixture.Data{"foo": "2"})
				if proxy.Count() == 0 {
					p.Error("no request is seen")
				}
			}
			t.Run(name+", in scope "+scope, func(t *testing.T) { run(fixture.NewPipeline(t)) })
			if name == "null" && scope == "object" {
				t.Run(name+", in scope "+scope+", on the command line", func(t *testing.T) { run(fixture.NewCLIPipeline(t)) })
			}
		}
	}
}
