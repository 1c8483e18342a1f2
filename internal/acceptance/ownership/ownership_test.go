// Package ownership has the tests of resources beside managers that apply server-side, as Helm, Argo CD and Flux do.
package ownership

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	k8stypes "k8s.io/apimachinery/pkg/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

func TestMain(m *testing.M) { fixture.Main(m) }

// owner is a pipeline beside an object that another manager applies.
type owner struct {
	*fixture.Pipeline
	path     string // of the object in the API
	manifest string // VALUE in it is the applied value
}

const (
	configMap = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"settings"},"data":{"foo":"VALUE"}}`
	secret    = `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"settings"},"data":{"foo":"ENCODED"}}`
	service   = `{"apiVersion":"v1","kind":"Service","metadata":{"name":"settings"},"spec":{"ports":[{"name":"http","port":80}],` +
		`"selector":{"app":"VALUE"}}}`
)

func beside(t *testing.T, manifest string) *owner {
	t.Helper()
	o := &owner{fixture.NewPipeline(t), "", manifest}
	var kind struct{ Kind string }
	if err := json.Unmarshal([]byte(manifest), &kind); err != nil {
		t.Fatal(err)
	}
	o.path = fmt.Sprintf("/api/v1/namespaces/%s/%ss/settings", o.Namespace, strings.ToLower(kind.Kind))
	if err := o.apply("1"); err != nil {
		t.Fatal(err)
	}
	return o
}

// apply applies the manifest with a value, as helm upgrade does. It does not force conflicts.
func (o *owner) apply(value string) error {
	manifest := strings.NewReplacer("VALUE", value, "ENCODED", fixture.Base64Of(value)).Replace(o.manifest)
	return o.Cluster.Client().CoreV1().RESTClient().Patch(k8stypes.ApplyPatchType).AbsPath(o.path).
		Param("fieldManager", "helm").Body([]byte(manifest)).Do(context.Background()).Error()
}

// wantApplies fails the test unless the next applies of the owner pass, with the same value and with another one.
func (o *owner) wantApplies(same string) {
	o.Helper()
	for _, value := range []string{same, "9"} {
		if err := o.apply(value); err != nil {
			o.Errorf("an apply of %s: %v", value, err)
		}
	}
}

// wantConflict fails the test unless an apply of the owner conflicts.
func (o *owner) wantConflict() {
	o.Helper()
	if err := o.apply("8"); err == nil {
		o.Error("the owner overwrites the value without a conflict")
	}
}

func entry(lines ...string) string {
	return fixture.Entry("it", "settings", "foo", append([]string{`value = "2"`, `expected_value = "1"`}, lines...)...)
}

func fields(lines ...string) string {
	return "resource \"cas_object_fields\" \"it\" {\n api_version = \"v1\"\n kind = \"Service\"\n namespace = NAMESPACE\n name = \"settings\"\n" +
		" fields = { \"spec.selector.app\" = \"2\" }\n expected_fields = { \"spec.selector.app\" = \"1\" }\n" + strings.Join(lines, "\n") + "\n}\n"
}

// After a destroy that keeps or restores a value, the next apply of the owner passes.
func TestOwnerAppliesAgainAfterDestroy(t *testing.T) {
	t.Parallel()
	for policy, left := range map[string]string{"release": "2", "restore": "1", "abandon": "2"} {
		line := "deletion_policy = " + fixture.Quoted(policy)
		t.Run("a key, "+policy, func(t *testing.T) {
			o := beside(t, configMap)
			o.Write(entry(line))
			o.Wants(o.Plan(), "Warning: Key Applied By Another Manager", "Applied by: helm")
			o.Apply()
			o.Wants(o.PlanNothing(), "!Applied By")
			o.wantConflict()
			o.Destroy()
			o.WantLive("settings", fixture.Data{"foo": left})
			o.wantApplies(left)
		})
		t.Run("a field, "+policy, func(t *testing.T) {
			o := beside(t, service)
			o.Write(fields(line))
			o.Wants(o.Plan(), "Warning: Field Applied By Another Manager", "Applied by: helm")
			o.Apply()
			o.wantConflict()
			o.Destroy()
			o.wantApplies(left)
		})
	}
}

func TestOwnerAppliesASecretAgain(t *testing.T) {
	o := beside(t, secret)
	block := func(lines ...string) string {
		return "resource \"cas_secret_entry\" \"it\" {\n namespace = NAMESPACE\n name = \"settings\"\n key = \"foo\"\n value_wo = \"2\"\n expected_value_wo = \"1\"\n" +
			strings.Join(lines, "\n") + "\n}\n"
	}
	o.Planned(block())
	o.wantConflict()
	o.Destroy()
	o.wantApplies("2")
}

// The first write after an import warns of the applier, and a destroy hands the key back. The provider's field manager
// may be another one by then.
func TestOwnerAppliesAgainAfterAnImport(t *testing.T) {
	o := beside(t, configMap)
	with := func(manager, value string) {
		o.WriteFor(o.Kubeconfig, "field_manager = "+fixture.Quoted(manager),
			fixture.Entry("it", "settings", "foo", "value = "+fixture.Quoted(value)))
	}
	with("ci-a", "1")
	o.Do("import", "cas_configmap_entry.it", o.Namespace+"/settings/foo")
	o.PlanNothing()
	with("ci-a", "2")
	o.Wants(o.Plan(), "Warning: Key Applied By Another Manager", "Applied by: helm")
	o.Apply()
	o.wantConflict()
	with("ci-b", "2")
	o.Destroy()
	o.wantApplies("2")
}

// A list element that a destroy puts back belongs to its owner as a whole: the owner can remove it.
func TestOwnerRemovesAnElementThatWasPutBack(t *testing.T) {
	const one, two = `"ports":[{"name":"http","port":80}]`, `"ports":[{"name":"http","port":80},{"name":"admin","port":81}]`
	o := beside(t, strings.Replace(service, one, two, 1))
	o.Planned("resource \"cas_object_fields\" \"it\" {\n api_version = \"v1\"\n kind = \"Service\"\n namespace = NAMESPACE\n name = \"settings\"\n" +
		" fields = { \"spec.ports[name=admin]\" = null }\n expected_resource_version_wo = data.cas_object_fields.it.resource_version\n" +
		" deletion_policy = \"restore\"\n}\n" +
		"data \"cas_object_fields\" \"it\" {\n api_version = \"v1\"\n kind = \"Service\"\n namespace = NAMESPACE\n name = \"settings\"\n" +
		" paths = [\"spec.ports\"]\n}\n")
	o.Destroy()
	o.manifest = service
	o.wantApplies("1")
}

// A key that leaves the configuration is handed back, and the other key stays with the resource.
func TestOwnerAppliesAKeyThatLeavesTheConfiguration(t *testing.T) {
	o := beside(t, configMap)
	data := func(keys, expected string) string {
		return fixture.DataBlock("it", `name = "settings"`, "data = { "+keys+" }", "expected_data = { "+expected+" }")
	}
	o.Planned(data(`foo = "2", bar = "1"`, `foo = "1"`))
	o.Planned(data(`bar = "1"`, ""))
	o.wantApplies("2")
	o.PlanNothing()
}

// Of two resources of one object, the one that stays keeps its key.
func TestOtherResourceKeepsItsKey(t *testing.T) {
	o := beside(t, strings.Replace(configMap, `"foo":"VALUE"`, `"foo":"VALUE","bar":"VALUE"`, 1))
	other := fixture.Entry("other", "settings", "bar", `value = "2"`, `expected_value = "1"`)
	o.Planned(entry() + other)
	o.Planned(other)
	o.wantConflict() // about bar
	o.manifest = configMap
	o.wantApplies("2")
	o.WantLive("settings", fixture.Data{"foo": "9", "bar": "2"})
	o.PlanNothing()
}

// Writes of another writer to another key, before the requests of the removal and of the change of owners, are no error.
func TestAnotherWriterInBetween(t *testing.T) {
	t.Parallel()
	for policy, left := range map[string]string{"release": "2", "restore": "1"} {
		t.Run(policy, func(t *testing.T) {
			o := beside(t, configMap)
			proxy := o.Proxied()
			o.Planned(entry(`conflict_scope = "key"`, "deletion_policy = "+fixture.Quoted(policy)))
			o.Write("")
			o.Plan()
			writes := 0
			proxy.SetHook(func(r *http.Request) testcluster.Fault {
				if r.Method == http.MethodPatch && writes < 3 { // also before each first retry
					writes++
					o.Set("settings", "other", fmt.Sprint(writes))
				}
				return testcluster.Fault{}
			})
			o.Apply()
			proxy.SetHook(nil)
			o.WantLive("settings", fixture.Data{"foo": left, "other": fmt.Sprint(writes)})
			o.wantApplies(left)
		})
	}
}

// A destroy sends no request more where no manager applies server-side.
func TestRequestsWithoutAnApplier(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("settings", fixture.Data{"foo": "1"})
	proxy := p.Proxied()
	p.Planned(entry(`deletion_policy = "restore"`))
	p.Write("")
	p.Plan()
	proxy.Reset()
	p.Apply()
	if got, want := fixture.CountsOf(proxy), (fixture.RequestCounts{Gets: 1, Patches: 1}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	p.WantLive("settings", fixture.Data{"foo": "1"})
}
