package cas

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// fieldsFixture is an Engine behind a proxy, and an object of any kind.
type fieldsFixture struct {
	*fixture
	apiVersion string
	url        string // the path of the object's URL
	client     *http.Client
}

// sample is an object of a kind to begin with. NAME in it is what the test has to itself.
type sample struct{ apiVersion, kind, plural, body string }

func (s sample) isNamespaced() bool { return s.kind != "Node" }

var (
	deployment = sample{"apps/v1", "Deployment", "deployments", `{"metadata":{"name":"web","labels":{"team":"a"}},"spec":{"replicas":2,
		"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[
		{"name":"side","image":"side:1"},{"name":"web","image":"web:1","ports":[{"containerPort":80}],"env":[{"name":"A","value":"1"}]}]}}}}`}
	service = sample{"v1", "Service", "services", `{"metadata":{"name":"web"},"spec":{"selector":{"app":"web","color":"blue"},
		"ports":[{"name":"http","port":80}]}}`}
	node  = sample{"v1", "Node", "nodes", `{"metadata":{"name":"NAME"},"spec":{"taints":[{"key":"a","effect":"NoSchedule"},{"key":"b","value":"x","effect":"NoExecute"}]}}`}
	scale = sample{"autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers", `{"metadata":{"name":"web"},"spec":{"maxReplicas":5,
		"scaleTargetRef":{"kind":"Deployment","name":"web","apiVersion":"apps/v1"},
		"metrics":[{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":50}}}]}}`}
	ingress = sample{"networking.k8s.io/v1", "Ingress", "ingresses", `{"metadata":{"name":"web","annotations":{"acme.io/x":"1"},"finalizers":["acme.io/hold"]},
		"spec":{"defaultBackend":{"service":{"name":"web","port":{"number":80}}}}}`}
)

// newFields is the fixture of an object in a namespace that the test has to itself.
func newFields(t *testing.T, s sample) *fieldsFixture {
	t.Helper()
	t.Parallel()
	return fieldsIn(t, s)
}

func fieldsIn(t *testing.T, s sample) *fieldsFixture {
	t.Helper()
	f := &fieldsFixture{fixture: in(t, testcluster.Shared(t)), apiVersion: s.apiVersion}
	client, err := rest.HTTPClientFor(f.cluster.Config)
	if err != nil {
		t.Fatal(err)
	}
	f.client = client
	var body struct{ Metadata struct{ Name string } }
	text := strings.ReplaceAll(s.body, "NAME", f.ref.Namespace)
	if err := json.Unmarshal([]byte(text), &body); err != nil {
		t.Fatal(err)
	}
	group, _, hasGroup := strings.Cut(s.apiVersion, "/")
	if !hasGroup {
		group = ""
	}
	f.ref = eval.Ref{Kind: eval.KindOf(group, s.kind), Namespace: f.ref.Namespace, Name: body.Metadata.Name}
	collection := s.collection(f.ref.Namespace)
	if !s.isNamespaced() {
		f.ref.Namespace = ""
	}
	f.mustSend(http.MethodPost, collection+"?fieldManager=maker", "application/json", text)
	f.url = collection + "/" + f.ref.Name
	return f
}

// collection is the URL of the objects of the kind.
func (s sample) collection(namespace string) string {
	url := "/apis/" + s.apiVersion
	if !strings.Contains(s.apiVersion, "/") {
		url = "/api/" + s.apiVersion
	}
	if s.isNamespaced() {
		url += "/namespaces/" + namespace
	}
	return url + "/" + s.plural
}

// send sends a request as the administrator, past the proxy.
func (f *fieldsFixture) send(method, url, contentType, body string) (status int, answer []byte) {
	request, err := http.NewRequestWithContext(context.Background(), method, strings.TrimSuffix(f.cluster.Config.Host, "/")+url, strings.NewReader(body))
	if err != nil {
		f.Error(err)
		return 0, nil
	}
	request.Header.Set("Content-Type", contentType)
	response, err := f.client.Do(request)
	if err != nil {
		f.Error(err)
		return 0, nil
	}
	defer func() { _ = response.Body.Close() }()
	answer, err = io.ReadAll(response.Body)
	if err != nil {
		f.Error(err)
	}
	return response.StatusCode, answer
}

// mustSend may be called from a proxy's hook.
func (f *fieldsFixture) mustSend(method, url, contentType, body string) (object map[string]any) {
	status, answer := f.send(method, url, contentType, body)
	if status >= http.StatusBadRequest {
		f.Errorf("%s %s: %d %s", method, url, status, answer)
	}
	d := json.NewDecoder(bytes.NewReader(answer))
	d.UseNumber()
	if err := d.Decode(&object); err != nil {
		f.Error(err)
	}
	return object
}

// raw is the object as it is.
func (f *fieldsFixture) raw() map[string]any { return f.mustSend(http.MethodGet, f.url, "", "") }

// merge writes a merge patch as another writer. It may be called from a proxy's hook.
func (f *fieldsFixture) merge(manager, patch string) {
	f.mustSend(http.MethodPatch, f.url+"?fieldManager="+manager, "application/merge-patch+json", patch)
}

// report writes the status as a controller.
func (f *fieldsFixture) report(patch string) {
	f.mustSend(http.MethodPatch, f.url+"/status?fieldManager=controller", "application/merge-patch+json", patch)
}

// jsonOf is the entry of a field by its JSON; absent for none.
func jsonOf(t testing.TB, raw string) eval.Value {
	t.Helper()
	if raw == "" {
		return eval.Value{}
	}
	e, err := eval.JSON([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func (f *fieldsFixture) key(path string) string {
	f.Helper()
	key, err := eval.ReadKey(f.ref.Kind, path)
	if err != nil {
		f.Fatal(err)
	}
	return key
}

// change is a field of a transaction: its path, the JSON that is expected, and the new JSON, which is "guard" for a guard.
type change struct{ path, from, to string }

func (f *fieldsFixture) txn(changes ...change) *eval.Txn {
	f.Helper()
	t := &eval.Txn{Ref: f.ref, APIVersion: f.apiVersion, FieldManager: "engine"}
	for _, c := range changes {
		k := eval.KeySwap{Key: f.key(c.path), Expect: jsonOf(f, c.from)}
		if c.to == "guard" {
			k.IsGuard = true
		} else {
			k.New = jsonOf(f, c.to)
		}
		t.Keys = append(t.Keys, k)
	}
	return t
}

func (f *fieldsFixture) commit(t *eval.Txn) (TxnResult, error) {
	f.Helper()
	ctx, cancel := context.WithTimeout(f.Context(), ample)
	defer cancel()
	return f.engine.Commit(ctx, t)
}

// wantField compares what a field holds with JSON, as a new Engine sees it.
func (f *fieldsFixture) wantField(path, want string) {
	f.Helper()
	e, err := New(f.cluster.Config, nil)
	if err != nil {
		f.Fatal(err)
	}
	seen, err := e.Observe(f.Context(), f.ref, f.apiVersion, 0)
	if err != nil {
		f.Fatal(err)
	}
	got, err := seen.Lookup(f.key(path))
	if err != nil || got != jsonOf(f, want) {
		f.Errorf("%s holds %s (%v), want %s", path, got.Raw(), err, want)
	}
}

// newWidgets is a sample of a kind that the test has to itself, of a CustomResourceDefinition with defaults, lists with keys and whole numbers.
func newWidgets(t *testing.T) sample {
	t.Helper()
	f := &fieldsFixture{fixture: in(t, testcluster.Shared(t))}
	client, err := rest.HTTPClientFor(f.cluster.Config)
	if err != nil {
		t.Fatal(err)
	}
	f.client = client
	group := f.ref.Namespace + ".acme.io"
	f.mustSend(http.MethodPost, "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", "application/json", widgetDefinition(group))
	s := sample{group + "/v1", "Widget", "widgets", `{"apiVersion":"` + group + `/v1","kind":"Widget","metadata":{"name":"web"},
		"spec":{"size":"small","number":9007199254740993,"parts":[{"name":"a","weight":1},{"name":"b","weight":2}],"flavours":["red","blue"],
		"fixed":{"x":"1"},"plain":[{"id":"1"},{"id":"2"}]}}`}
	deadline := time.Now().Add(ample)
	for {
		if status, _ := f.send(http.MethodGet, s.collection(f.ref.Namespace), "", ""); status == http.StatusOK {
			return s
		}
		if time.Now().After(deadline) {
			t.Fatal("the CustomResourceDefinition is not served")
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func widgetDefinition(group string) string {
	return fmt.Sprintf(`{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","metadata":{"name":"widgets.%s"},"spec":{"group":%q,
	"scope":"Namespaced","names":{"kind":"Widget","plural":"widgets","singular":"widget","listKind":"WidgetList"},"versions":[
	{"name":"v1","served":true,"storage":true,"subresources":{"status":{}},"schema":{"openAPIV3Schema":{"type":"object","properties":{
	"status":{"type":"object","x-kubernetes-preserve-unknown-fields":true},
	"Metadata":{"type":"object","x-kubernetes-preserve-unknown-fields":true},
	"spec":{"type":"object","properties":{
		"size":{"type":"string"},"number":{"type":"integer","format":"int64"},"on":{"type":"boolean"},"ratio":{"type":"number"},
		"mode":{"type":"object","properties":{"kind":{"type":"string","default":"slow"},"limit":{"type":"integer"}}},
		"parts":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],"items":{"type":"object","required":["name"],"properties":{
			"name":{"type":"string"},"weight":{"type":"integer","default":7},"tags":{"type":"array","items":{"type":"string"}}}}},
		"flavours":{"type":"array","x-kubernetes-list-type":"set","items":{"type":"string"}},
		"fixed":{"type":"object","x-kubernetes-map-type":"atomic","additionalProperties":{"type":"string"}},
		"plain":{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"},"text":{"type":"string"}}}}
	}}}}}}]}}`, group, group)
}

// within returns the value of a name in one of the maps of an object.
func within(object map[string]any, in, name string) any {
	of, _ := object[in].(map[string]any)
	return of[name]
}

// lost has a fault befall the first patch that is no dry run.
func (f *fieldsFixture) lost(fate func() testcluster.Fault) {
	var n atomic.Int64
	f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
		if r.Method != http.MethodPatch || r.URL.Query().Has("dryRun") || n.Add(1) > 1 {
			return testcluster.Fault{}
		}
		return fate()
	})
}
