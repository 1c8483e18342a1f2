package kinds

import (
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// roleUse is one use of the provider by a user who has only the verbs of its role.
type roleUse struct {
	types    string // the types, as their pages are named: resources/secret, with spaces between
	plural   string
	verbs    string
	steps    []string                                    // configurations, applied in turn and then destroyed
	requires func(*fixture.Pipeline, *testcluster.Proxy) // set up before
	call     func(*testing.T, *fixture.Fixture)          // in place of steps
}

const (
	ofKeys, ofWhole = "get patch", "get create patch delete"
	ofSecret        = "namespace = NAMESPACE\n  name = \"testmap\"\n"
)

var roleUses = map[string]roleUse{
	"an entry": {types: "resources/configmap_entry", plural: "configmaps", verbs: ofKeys, steps: []string{
		fixture.EntryBlock("it", `key = "a"`, `value = "1"`), fixture.EntryBlock("it", `key = "a"`, `value = "2"`),
	}},
	"an entry that waits": {types: "resources/configmap_entry", plural: "configmaps", verbs: ofKeys + " watch", steps: []string{
		fixture.EntryBlock("it", `value = "2"`, `expected_value = "1"`, `conflict_scope = "key"`, `wait_for_match = "1m"`),
	}, requires: waits("foo", "0", "1")},
	"data": {types: "resources/configmap_data", plural: "configmaps", verbs: ofKeys, steps: []string{
		fixture.DataBlock("it", `data = { a = "1", b = "1" }`), fixture.DataBlock("it", `data = { a = "2" }`),
	}},
	"a number": {types: "resources/configmap_counter", plural: "configmaps", verbs: ofKeys, steps: []string{
		fixture.CounterBlock("it", `key = "n"`), fixture.CounterBlock("it", `key = "n"`, `triggers = { a = "b" }`),
	}},
	"an allocation": {types: "resources/configmap_allocation data-sources/configmap_allocations", plural: "configmaps", verbs: ofKeys, steps: []string{
		allocation(), allocation(`claimant = "another"`),
		allocation() + "data \"cas_configmap_allocations\" \"all\" {\n  namespace = NAMESPACE\n  name = \"testmap\"\n  key = \"pool\"\n" +
			"  numbers = { from = 1, to = 1 }\n}\n",
	}},
	"an allocation that waits": {types: "resources/configmap_allocation", plural: "configmaps", verbs: ofKeys + " watch", steps: []string{
		allocation(`wait_for_free = "1m"`),
	}, requires: waits("pool", `{"1": {}}`, "{}")},
	"fields": {types: "resources/object_fields data-sources/object_fields", plural: "configmaps", verbs: ofKeys, steps: []string{
		fields("1"), fields("2") + "data \"cas_object_fields\" \"it\" {\n  api_version = \"v1\"\n  kind = \"ConfigMap\"\n  namespace = NAMESPACE\n" +
			"  name = \"testmap\"\n  paths = [\"metadata.labels.b\"]\n}\n",
	}},
	"a document": {types: "resources/configmap_document data-sources/configmap_document", plural: "configmaps", verbs: ofKeys, steps: []string{
		document("1"), document("2") + fixture.SourceBlock("cas_configmap_document", "it", "testmap", `key = "a.yaml"`, `format = "yaml"`, `paths = ["b"]`),
	}},
	"an entry of a Secret": {types: "resources/secret_entry ephemeral-resources/secret_entry", plural: "secrets", verbs: ofKeys, steps: []string{
		secret("secret_entry", `key = "a"`, `value_wo = "1"`, `value_wo_version = 1`),
		secret("secret_entry", `key = "a"`, `value_wo = "2"`, `value_wo_version = 2`) +
			"ephemeral \"cas_secret_entry\" \"it\" {\n  " + ofSecret + "  key = \"foo\"\n}\n",
	}},
	"data of a Secret": {types: "resources/secret_data", plural: "secrets", verbs: ofKeys, steps: []string{
		secret("secret_data", `data_wo = { a = "1", b = "1" }`, `data_wo_version = 1`), secret("secret_data", `data_wo = { a = "2" }`, `data_wo_version = 2`),
	}},
	"a ConfigMap": {types: "resources/configmap data-sources/configmap data-sources/configmap_entry", plural: "configmaps", verbs: ofWhole, steps: []string{
		whole("1"), whole("2") + fixture.SourceBlock("cas_configmap", "it", "new") + fixture.SourceBlock("cas_configmap_entry", "it", "new", `key = "foo"`),
	}},
	"a Secret": {types: "resources/secret ephemeral-resources/secret", plural: "secrets", verbs: ofWhole, steps: []string{
		secret("secret", `name = "new"`, `data_wo = { a = "1" }`, `data_wo_version = 1`),
		secret("secret", `name = "new"`, `data_wo = { a = "2" }`, `data_wo_version = 2`) + "ephemeral \"cas_secret\" \"it\" {\n  " + ofSecret + "}\n",
	}},
	"a swap of a ConfigMap": {types: "actions/configmap_swap", plural: "configmaps", verbs: ofKeys, call: invokes("cas_configmap_swap", `data = { foo = "2" }`)},
	"a swap of fields": {types: "actions/object_swap", plural: "configmaps", verbs: ofKeys, call: invokes("cas_object_swap",
		`api_version = "v1"`, `kind = "ConfigMap"`, `fields = { "metadata.labels.a" = "2" }`)},
	"a list of ConfigMaps":              {types: "list-resources/configmap", plural: "configmaps", verbs: "list", call: lists("cas_configmap")},
	"a list of entries":                 {types: "list-resources/configmap_entry", plural: "configmaps", verbs: "list", call: lists("cas_configmap_entry")},
	"a list of one ConfigMap's entries": {types: "list-resources/configmap_entry", plural: "configmaps", verbs: "get", call: lists("cas_configmap_entry", `name = "testmap"`)},
}

func allocation(lines ...string) string {
	return fixture.BlockOf("cas_configmap_allocation", "it", append(lines, `key = "pool"`, "numbers = { from = 1, to = 1 }"))
}

func fields(value string) string {
	block := fixture.DataBlock("it", `api_version = "v1"`, `kind = "ConfigMap"`, `fields = { "metadata.labels.b" = "`+value+`" }`)
	return strings.Replace(block, "cas_configmap_data", "cas_object_fields", 1)
}

func document(value string) string {
	block := fixture.DataBlock("it", `key = "a.yaml"`, `format = "yaml"`, `fields = { b = "`+value+`" }`)
	return strings.Replace(block, "cas_configmap_data", "cas_configmap_document", 1)
}

func whole(value string) string {
	return fixture.WholeBlock("it", `name = "new"`, `data = { foo = "`+value+`" }`)
}

// secret is a resource of the Secret testmap.
func secret(typ string, lines ...string) string {
	return strings.Replace(fixture.DataBlock("it", lines...), "cas_configmap_data", "cas_"+typ, 1)
}

// waits sets a key, and sets it again once the provider watches.
func waits(key, before, after string) func(*fixture.Pipeline, *testcluster.Proxy) {
	return func(p *fixture.Pipeline, proxy *testcluster.Proxy) {
		p.Set("testmap", key, before)
		p.OnWatches(proxy, func() testcluster.Fault { return fixture.Watched(func() { p.Set("testmap", key, after) }) })
	}
}

func invokes(typ string, lines ...string) func(*testing.T, *fixture.Fixture) {
	return func(t *testing.T, f *fixture.Fixture) {
		t.Helper()
		body := fmt.Sprintf("namespace = %q\nname = \"testmap\"\n%s\n", f.Namespace, strings.Join(lines, "\n"))
		if strings.Contains(typ, "configmap") {
			body += `expected_data = { foo = "1" }`
		} else {
			body += `expected_fields = { "metadata.labels.a" = "1" }`
		}
		calls := f.Calls()
		f.WantSaid(calls.PlanAction(t.Context(), typ, body))
		_, diags := calls.InvokeAction(t.Context(), typ, body)
		f.WantSaid(diags)
	}
}

func lists(typ string, lines ...string) func(*testing.T, *fixture.Fixture) {
	return func(t *testing.T, f *fixture.Fixture) {
		t.Helper()
		found, diags := f.Calls().List(t.Context(), typ, fmt.Sprintf("namespace = %q\n%s\n", f.Namespace, strings.Join(lines, "\n")), 100, true)
		f.WantSaid(diags)
		if len(found) == 0 {
			t.Error("nothing is listed")
		}
	}
}

// Everything works with exactly the verbs of its role: the provider sends no request that is refused, and uses each
// verb.
func TestLeastRoles(t *testing.T) {
	t.Parallel()
	for name, use := range roleUses {
		t.Run(name, func(t *testing.T) {
			newPipeline := fixture.NewPipeline
			if strings.Contains(use.types, "ephemeral") { // the driver has no ephemeral resources
				newPipeline = fixture.NewCLIPipeline
			}
			p := newPipeline(t)
			p.Create("testmap", fixture.Data{"foo": "1"})
			p.Change("testmap", func(cm *corev1.ConfigMap) { cm.Labels = map[string]string{"a": "1"} })
			p.CreateSecret("testmap", fixture.Data{"foo": "1"})
			proxy := p.ProxiedAs(p.User("least", use.plural, strings.Fields(use.verbs)...))
			if use.requires != nil {
				use.requires(p, proxy)
			}
			if use.call != nil {
				use.call(t, p.Fixture)
			}
			for i, step := range use.steps {
				p.Write(step)
				p.Plan()
				p.Apply()
				if i == len(use.steps)-1 {
					p.PlanNothing()
					p.Destroy()
				}
			}
			used := map[string]bool{}
			for _, r := range proxy.Requests() {
				if r.Status == http.StatusForbidden {
					t.Errorf("refused: %v", r)
				}
				if strings.Contains(r.Path, "/namespaces/") { // not discovery, which all users may do
					used[verbOf(r, use.plural)] = true
				}
			}
			for _, verb := range strings.Fields(use.verbs) {
				if !used[verb] {
					t.Errorf("it does not need the verb %s", verb)
				}
				delete(used, verb)
			}
			if len(used) > 0 {
				t.Errorf("other verbs: %v", used)
			}
		})
	}
}

// verbOf is the verb by which RBAC knows a request.
func verbOf(r testcluster.Request, plural string) string {
	isNamed := !strings.HasSuffix(r.Path, "/"+plural)
	switch r.Method {
	case http.MethodGet:
		switch {
		case r.Query.Has("watch"):
			return "watch"
		case isNamed:
			return "get"
		default:
			return "list"
		}
	case http.MethodPost:
		return "create"
	default:
		return strings.ToLower(r.Method)
	}
}

// Every page of the documentation has a use.
func TestLeastRolesOfAllTypes(t *testing.T) {
	t.Parallel()
	var has []string
	for _, use := range roleUses {
		has = append(has, strings.Fields(use.types)...)
	}
	for _, folder := range []string{"resources", "data-sources", "ephemeral-resources", "list-resources", "actions"} {
		pages, err := os.ReadDir("../../../docs/" + folder)
		if err != nil || len(pages) == 0 {
			t.Fatal(err)
		}
		for _, page := range pages {
			if typ := folder + "/" + strings.TrimSuffix(page.Name(), ".md"); !slices.Contains(has, typ) {
				t.Errorf("no use of %s", typ)
			}
		}
	}
}
