// Package fields has the tests of fields of objects of any kind: cas_object_fields, and the data source and the action beside it.
//
// It knows the protocol, HCL and Kubernetes, and nothing inside the provider. Package kinds tests the behaviour that
// all resources share.
package fields

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	k8stypes "k8s.io/apimachinery/pkg/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

func TestMain(m *testing.M) { fixture.Main(m) }

// object is one object of any kind, as another writer sees and changes it.
type object struct {
	*fixture.Pipeline
	sample
}

// sample is an object to begin with. NAME in it is a name that the test has to itself.
type sample struct{ apiVersion, kind, plural, name, body string }

var (
	deployment = sample{"apps/v1", "Deployment", "deployments", "web", `{"metadata":{"name":"web","labels":{"team":"a"}},"spec":{"replicas":2,
		"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[
		{"name":"side","image":"side:1"},{"name":"web","image":"web:1","ports":[{"containerPort":80}],"env":[{"name":"A","value":"1"}]}]}}}}`}
	service = sample{"v1", "Service", "services", "web", `{"metadata":{"name":"web","labels":{"blue":"1"}},"spec":{"selector":{"app":"web","color":"blue"},
		"ports":[{"name":"http","port":80}]}}`}
	node = sample{"v1", "Node", "nodes", "NAME", `{"metadata":{"name":"NAME"},"spec":{"taints":[{"key":"a","effect":"NoSchedule"},
		{"key":"b","value":"x","effect":"NoExecute"}]}}`}
	scaler = sample{"autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers", "web", `{"metadata":{"name":"web"},"spec":{"maxReplicas":5,
		"scaleTargetRef":{"kind":"Deployment","name":"web","apiVersion":"apps/v1"},
		"metrics":[{"type":"Resource","resource":{"name":"cpu","target":{"type":"Utilization","averageUtilization":50}}}]}}`}
	// widget is of a kind that on makes first. Its API server adds defaults, and two of its lists have no keys.
	widget = sample{"GROUP/v1", "Widget", "widgets", "one", `{"apiVersion":"GROUP/v1","kind":"Widget","metadata":{"name":"one"},"spec":{"big":9007199254740993,
		"parts":[{"name":"a","size":1}],"loose":[{"name":"a","size":1},{"name":"b","size":2}],"texts":{"a":"1"}}}`}
	ingress = sample{"networking.k8s.io/v1", "Ingress", "ingresses", "web", `{"metadata":{"name":"web","annotations":{"acme.io/x":"1"},
		"finalizers":["acme.io/hold"]},"spec":{"defaultBackend":{"service":{"name":"web","port":{"number":80}}}}}`}
)

func (s sample) isNamespaced() bool {
	return s.kind != "Node" && s.kind != "Namespace" && s.kind != "ClusterRole" && s.kind != "CustomResourceDefinition"
}

// made is the pipeline of a test, with the object of a sample.
func made(t *testing.T, s sample) *object {
	t.Helper()
	return on(fixture.NewPipeline(t), s)
}

func on(p *fixture.Pipeline, s sample) *object {
	p.Helper()
	if s.kind == "Widget" {
		serveWidgets(p)
	}
	o := &object{p, s}
	o.apiVersion, o.body = strings.ReplaceAll(s.apiVersion, "GROUP", p.Namespace+".acme.io"), strings.ReplaceAll(s.body, "GROUP", p.Namespace+".acme.io")
	o.name = strings.ReplaceAll(s.name, "NAME", p.Namespace)
	o.body = strings.ReplaceAll(o.body, "NAME", p.Namespace)
	o.do("POST", "", "", o.body)
	return o
}

// serveWidgets has the API server serve a kind of its own for the test.
func serveWidgets(p *fixture.Pipeline) {
	p.Helper()
	group := p.Namespace + ".acme.io"
	const part = `{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"size":{"type":"integer","nullable":true},"color":{"type":"string","default":"red"}}}`
	const texts = `{"type":"object","additionalProperties":{"type":"string"}}`
	on(p, sample{"apiextensions.k8s.io/v1", "CustomResourceDefinition", "customresourcedefinitions", "widgets." + group, strings.NewReplacer("GROUP", group, "PART", part, "TEXTS", texts).Replace(`{
		"metadata":{"name":"widgets.GROUP"},"spec":{"group":"GROUP","scope":"Namespaced","names":{"kind":"Widget","plural":"widgets"},
		"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object","properties":{
		"big":{"type":"integer","format":"int64"},"mode":{"type":"string","default":"fast"},"texts":TEXTS,"more":TEXTS,
		"free":{"x-kubernetes-preserve-unknown-fields":true},
		"parts":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],"items":PART},
		"loose":{"type":"array","items":PART}}}}}}}]}}`)})
	for range 3000 { // until the API server serves the new kind
		if _, err := p.Cluster.Client().CoreV1().RESTClient().Get().AbsPath("/apis/" + group + "/v1/widgets").DoRaw(p.Context()); err == nil {
			return
		}
	}
	p.Fatal("the kind is not served")
}

func (o *object) path(name string) string {
	path := "/apis/" + o.apiVersion
	if !strings.Contains(o.apiVersion, "/") {
		path = "/api/" + o.apiVersion
	}
	if o.isNamespaced() {
		path += "/namespaces/" + o.Namespace
	}
	return strings.TrimSuffix(path+"/"+o.plural+"/"+name, "/")
}

func (o *object) do(verb, name string, how k8stypes.PatchType, body string) map[string]any {
	o.Helper()
	request := o.Cluster.Client().CoreV1().RESTClient().Verb(verb).AbsPath(o.path(name)).SetHeader("Accept", "application/json")
	if body != "" {
		request.Body([]byte(body)).Param("fieldManager", "another-writer").SetHeader("Content-Type", string(how))
		if how == "" {
			request.SetHeader("Content-Type", "application/json")
		}
	}
	raw, err := request.DoRaw(context.Background())
	if err != nil {
		o.Fatalf("%s %s: %v: %s", verb, o.path(name), err, raw)
	}
	var v map[string]any
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		o.Fatal(err)
	}
	return v
}

// live returns the content of the live object.
func (o *object) live() map[string]any {
	o.Helper()
	return o.do("GET", o.name, "", "")
}

// merge changes the object as another writer does, by a merge patch.
func (o *object) merge(patch string) {
	o.Helper()
	o.do("PATCH", o.name, k8stypes.MergePatchType, patch)
}

// wantLive fails the test unless the field that the steps lead to holds what the JSON says; empty for nothing. A step is a name or, in a list, what an
// element holds: name=web.
func (o *object) wantLive(want string, steps ...string) {
	o.Helper()
	var v any = o.live()
	for _, step := range steps {
		switch of := v.(type) {
		case map[string]any:
			v = of[step]
		case []any:
			v = nil
			name, value, _ := strings.Cut(step, "=")
			for _, element := range of {
				if fields, ok := element.(map[string]any); ok && fields[name] == value {
					v = element
				}
			}
		default:
			v = nil
		}
	}
	got := ""
	if v != nil {
		raw, err := json.Marshal(v)
		if err != nil {
			o.Fatal(err)
		}
		got = string(raw)
	}
	if got != want {
		o.Errorf("%v holds %s, want %s", steps, got, want)
	}
}

// unchanged fails the test unless the object is at the version that was seen before.
func (o *object) unchanged(was map[string]any) {
	o.Helper()
	if diff := cmp.Diff(was, o.live()); diff != "" {
		o.Errorf("the object changed (-was +is):\n%s", diff)
	}
}

// block is the resource "it" about the object.
func (o *object) block(lines ...string) string { return o.labeled("it", lines...) }

func (o *object) labeled(label string, lines ...string) string {
	return fmt.Sprintf("resource \"cas_object_fields\" %q {\n  %s\n  %s\n}\n", label, o.at(), strings.Join(lines, "\n  "))
}

// at are the attributes that say which object.
func (o *object) at() string {
	at := fmt.Sprintf("api_version = %q\n  kind = %q\n  name = %q", o.apiVersion, o.kind, o.name)
	if o.isNamespaced() {
		at += "\n  namespace = NAMESPACE"
	}
	return at
}

// wantAttribute fails the test unless an attribute of the resource has the JSON value in the state.
func (o *object) wantAttribute(name, want string) {
	o.Helper()
	raw, err := json.Marshal(o.State()["it"].Attributes[name])
	if err != nil {
		o.Fatal(err)
	}
	if got := string(raw); got != want {
		o.Errorf("%s is %s, want %s", name, got, want)
	}
}
