package docs

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver"
	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/toolchain"
)

// fieldObjects are the objects before the examples of fields, by path in the API.
var fieldObjects = map[string]string{
	"/api/v1/namespaces/shop/services/web": `{"apiVersion":"v1","kind":"Service","metadata":{"name":"web","labels":{"draft":"yes"}},
		"spec":{"selector":{"color":"blue"},"ports":[{"name":"http","port":80}]}}`,
	"/apis/apps/v1/namespaces/shop/deployments/green": `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"green"},"spec":{"replicas":2,
		"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"web","image":"web:1"}]}}}}`,
	"/api/v1/nodes/worker-7": `{"apiVersion":"v1","kind":"Node","metadata":{"name":"worker-7"}}`,
}

// fieldsExample describes the result of an example: JSON that the object at the path must hold.
type fieldsExample struct {
	status string // a merge patch of the Deployment's status before
	at     string
	holds  []string
	gone   []string // after its destruction
}

const greenAt, webAt = "/apis/apps/v1/namespaces/shop/deployments/green", "/api/v1/namespaces/shop/services/web"

var fieldsExampleTests = map[string]fieldsExample{
	"resources/cas_object_fields/resource.tf":            {at: webAt, holds: []string{`"color":"green"`, `"name":"alt"`}, gone: []string{`"draft"`, `"name":"alt"`}},
	"resources/cas_object_fields/wait_for_match.tf":      {at: greenAt, status: `{"status":{"replicas":2,"readyReplicas":2}}`, holds: []string{`"acme.io/open":"yes"`}, gone: []string{"acme.io/open"}},
	"resources/cas_object_fields/import-by-string-id.tf": {at: greenAt, holds: []string{`"replicas":2`}},
	"resources/cas_object_fields/import-by-identity.tf":  {at: greenAt, holds: []string{`"replicas":2`}},
	"data-sources/cas_object_fields/data-source.tf":      {at: greenAt, holds: []string{`"image":"web:1"`}},
	"guides/fields/promote.tf":                           {at: greenAt, holds: []string{`"image":"web:2"`}},
	"guides/fields/switch.tf":                            {at: webAt, holds: []string{`"color":"green"`}, gone: []string{`"color":"green"`}},
	"guides/fields/taint.tf":                             {at: "/api/v1/nodes/worker-7", holds: []string{`"key":"maintenance"`}, gone: []string{"maintenance\""}},
	"guides/fields/hold.tf":                              {at: greenAt, holds: []string{`"paused":true`}, gone: []string{"paused"}},
	"guides/fields/restart.tf":                           {at: greenAt, holds: []string{`"acme.io/restarted-at":"2026-11-25"`}, gone: []string{"restarted-at"}},
}

// fieldsExampleFiles are applied by the tests here.
func fieldsExampleFiles() []string {
	files := []string{"resources/cas_object_fields/import.sh", "actions/cas_object_swap/action.tf", "guides/fields/role.yaml"}
	for file := range fieldsExampleTests {
		files = append(files, file)
	}
	return files
}

// withFieldObjects is the namespace shop with the objects that examples name, new.
func withFieldObjects(t *testing.T) *fixture.Fixture {
	t.Helper()
	f, _ := shop(t, nil)
	for path, body := range fieldObjects {
		callAPI(f, "DELETE", path, "")
		callAPI(f, "POST", filepath.Dir(path), body)
		t.Cleanup(func() { callAPI(f, "DELETE", path, "") })
	}
	return f
}

// callAPI asks the API server as another writer. A missing object is no error.
func callAPI(f *fixture.Fixture, verb, path, body string) string {
	f.Helper()
	request := f.Cluster.Client().CoreV1().RESTClient().Verb(verb).AbsPath(path).SetHeader("Accept", "application/json")
	if body != "" {
		request.Body([]byte(body)).SetHeader("Content-Type", map[string]string{"POST": "application/json", "PATCH": "application/merge-patch+json"}[verb])
	}
	raw, err := request.DoRaw(context.Background())
	if err != nil && !apierrors.IsNotFound(err) {
		f.Fatalf("%s %s: %v: %s", verb, path, err, raw)
	}
	var object map[string]any
	if json.Unmarshal(raw, &object) == nil {
		if metadata, ok := object["metadata"].(map[string]any); ok {
			delete(metadata, "managedFields")
		}
	}
	raw, err = json.Marshal(object)
	if err != nil {
		f.Fatal(err)
	}
	return string(raw)
}

func TestFieldsExamples(t *testing.T) {
	t.Parallel()
	for file, test := range fieldsExampleTests {
		t.Run(file, func(t *testing.T) {
			f := withFieldObjects(t)
			if test.status != "" {
				callAPI(f, "PATCH", test.at+"/status", test.status)
			}
			session := fixture.NewSession(t)
			session.Workspace.Profile = driver.Terraform116
			p := &fixture.Pipeline{Fixture: f, On: session}
			if strings.Contains(toolchain.Text(t, "../../../examples", file), "precondition") { // which the driver does not know
				p = f.CLIPipeline()
			}
			p.Write(toolchain.Text(t, "../../../examples", file))
			p.Do("apply", "-auto-approve")
			live := callAPI(f, "GET", test.at, "")
			for _, want := range test.holds {
				if !strings.Contains(live, want) {
					t.Errorf("%s lacks %s: %s", test.at, want, live)
				}
			}
			p.PlanNothing()
			p.Destroy()
			live = callAPI(f, "GET", test.at, "")
			for _, gone := range test.gone {
				if strings.Contains(live, gone) {
					t.Errorf("%s has %s after the destroy: %s", test.at, gone, live)
				}
			}
		})
	}
	t.Run("import.sh", func(t *testing.T) {
		f := withFieldObjects(t)
		script := toolchain.Text(t, "../../../examples/resources/cas_object_fields/import.sh")
		_, command, _ := strings.Cut(script, "\nterraform ")
		p := f.CLIPipeline()
		p.Write("resource \"cas_object_fields\" \"replicas\" {\n  api_version = \"apps/v1\"\n  kind = \"Deployment\"\n  namespace = \"shop\"\n  name = \"green\"\n  fields = { \"spec.replicas\" = 2 }\n}\n")
		p.Do(strings.Fields(strings.ReplaceAll(command, "'", ""))...)
		p.PlanNothing()
	})
	t.Run("action.tf", func(t *testing.T) {
		f := withFieldObjects(t)
		body := configsOf(t, "action", toolchain.Text(t, "../../../examples/actions/cas_object_swap/action.tf"))["cas_object_swap.switch"]
		c := f.Calls()
		f.WantSaid(c.PlanAction(t.Context(), "cas_object_swap", body))
		progress, said := c.InvokeAction(t.Context(), "cas_object_swap", body)
		f.WantSaid(said)
		if text := fmt.Sprint(progress); !strings.Contains(text, "Wrote spec.selector.color to shop/web") {
			t.Errorf("it says %s", text)
		}
		if live := callAPI(f, "GET", webAt, ""); !strings.Contains(live, `"color":"green"`) {
			t.Error(live)
		}
		f.WantSaid(f.Calls().PlanAction(t.Context(), "cas_object_swap", body), `expected_fields["spec.selector.color"] is "blue", but spec.selector.color holds "green".`)
	})
	t.Run("role.yaml", func(t *testing.T) {
		var role rbacv1.Role
		if err := yaml.Unmarshal([]byte(toolchain.Text(t, "../../../examples/guides/fields/role.yaml")), &role); err != nil || len(role.Rules) != 2 {
			t.Errorf("%v: %+v", err, role)
		}
	})
}
