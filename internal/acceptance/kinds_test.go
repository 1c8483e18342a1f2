package acceptance_test

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	k8stypes "k8s.io/apimachinery/pkg/types"
)

// objectKind is a kind of object whose keys the provider writes. Tables of tests are written in its words.
type objectKind struct {
	name     string // in diagnostics
	resource string // the first part of the resources' types
	plural   string // in the API's paths
	writes   string // the field in which another writer writes plain values
	suffix   string // of the attributes with values
}

var objectKinds = []objectKind{
	{"ConfigMap", "cas_configmap", "configmaps", "data", ""},
	{"Secret", "cas_secret", "secrets", "stringData", "_wo"},
}

func (k objectKind) isSecret() bool { return k.suffix != "" }

// keyForms are the resources of keys: one key, and several.
var keyForms = []string{"entry", "data"}

// block is the resource block "it", which gives foo of testmap a number. For a Secret that number is the version as well: another value
// without another version would be no change.
func (k objectKind) block(form, value, expected string, lines ...string) string {
	of := func(attribute, value string) string {
		if form == "data" {
			return fmt.Sprintf("%s%s = { foo = %s }", attribute, k.suffix, quoted(value))
		}
		return fmt.Sprintf("%s%s = %s", attribute, k.suffix, quoted(value))
	}
	name := map[string]string{"entry": "value", "data": "data"}[form]
	all := []string{of(name, value)}
	if k.isSecret() {
		all = append(all, fmt.Sprintf("%s_wo_version = %s", name, value))
	}
	if expected != "" {
		all = append(all, of("expected_"+name, expected))
	}
	return k.resourceBlock(form, append(all, lines...)...)
}

// resourceBlock is the resource block "it", about testmap and, of one key, foo.
func (k objectKind) resourceBlock(form string, lines ...string) string {
	if form == "entry" {
		return blockOf(k.resource+"_entry", "it", lines)
	}
	return fmt.Sprintf("resource %q \"it\" {\n  namespace = NAMESPACE\n  name = \"testmap\"\n  %s\n}\n", k.resource+"_data", strings.Join(lines, "\n  "))
}

// address is that of the block.
func (k objectKind) address(form string) string { return k.resource + "_" + form + ".it" }

// object is testmap, of a kind, as another writer sees and changes it.
type object struct {
	*fixture
	kind objectKind
}

// liveObject is what there is.
type liveObject struct {
	Metadata struct {
		UID, ResourceVersion string
		Labels               map[string]string
	}
	Data data
}

func (o object) do(verb string, what k8stypes.PatchType, change map[string]any) ([]byte, error) {
	o.Helper()
	body, err := json.Marshal(change)
	if err != nil {
		o.Fatal(err)
	}
	request := o.cluster.Client().CoreV1().RESTClient().Verb(verb).Namespace(o.namespace).Resource(o.kind.plural)
	switch verb {
	case "POST":
		request.Body(body).Param("fieldManager", "another-writer").SetHeader("Content-Type", "application/json")
	case "PATCH":
		request.Name("testmap").Body(body).Param("fieldManager", "another-writer").SetHeader("Content-Type", string(what))
	default:
		request.Name("testmap")
	}
	return request.SetHeader("Accept", "application/json").DoRaw(context.Background())
}

func (o object) must(_ []byte, err error) {
	o.Helper()
	if err != nil {
		o.Fatal(err)
	}
}

func (o object) create(with data) {
	o.Helper()
	o.must(o.do("POST", "", map[string]any{"metadata": map[string]any{"name": "testmap"}, o.kind.writes: with}))
}

func (o object) set(key, value string) {
	o.Helper()
	o.must(o.do("PATCH", k8stypes.MergePatchType, map[string]any{o.kind.writes: map[string]any{key: value}}))
}

// setAs sets keys under the name of another field manager.
func (o object) setAs(manager string, values data) {
	o.Helper()
	body, err := json.Marshal(map[string]any{o.kind.writes: values})
	if err != nil {
		o.Fatal(err)
	}
	o.must(o.cluster.Client().CoreV1().RESTClient().Patch(k8stypes.MergePatchType).Namespace(o.namespace).Resource(o.kind.plural).Name("testmap").
		Param("fieldManager", manager).Body(body).DoRaw(context.Background()))
}

func (o object) unset(key string) {
	o.Helper()
	o.must(o.do("PATCH", k8stypes.MergePatchType, map[string]any{"data": map[string]any{key: nil}}))
}

func (o object) label() {
	o.Helper()
	o.must(o.do("PATCH", k8stypes.MergePatchType, map[string]any{"metadata": map[string]any{"labels": map[string]any{"foreign": "label"}}}))
}

func (o object) remove() {
	o.Helper()
	o.must(o.do("DELETE", "", nil))
}

func (o object) recreate(with data) {
	o.Helper()
	o.remove()
	o.create(with)
}

// live is what there is; nil if there is nothing.
func (o object) live() *liveObject {
	o.Helper()
	raw, err := o.do("GET", "", nil)
	if apierrors.IsNotFound(err) {
		return nil
	}
	o.must(raw, err)
	live := &liveObject{}
	if err := json.Unmarshal(raw, live); err != nil {
		o.Fatal(err)
	}
	for key, value := range live.Data {
		if o.kind.isSecret() {
			b, err := base64.StdEncoding.DecodeString(value)
			if err != nil {
				o.Fatal(err)
			}
			live.Data[key] = string(b)
		}
	}
	return live
}

// onKinds runs a test with each resource of keys of each kind.
func onKinds(t *testing.T, test func(p *pipeline, o object, form string)) {
	t.Helper()
	for _, kind := range objectKinds {
		for _, form := range keyForms {
			t.Run(kind.name+" "+form, func(t *testing.T) {
				p := newPipeline(t)
				test(p, object{p.fixture, kind}, form)
			})
		}
	}
}
