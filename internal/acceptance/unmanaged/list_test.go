package unmanaged

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver"
	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// shelf is a namespace with the ConfigMaps red (data a=1, b=2; labels color=red, kind=web), green (data c=3, bytes d) and empty.
func newShelf(t *testing.T) *fixture.Fixture {
	t.Helper()
	f := fixture.New(t)
	f.CreateObject(&corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "red", Labels: fixture.Data{"color": "red", "kind": "web"}, Annotations: fixture.Data{"note": "x"}},
		Data:       fixture.Data{"b": "2", "a": "1"},
	})
	f.CreateObject(&corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "green", Labels: fixture.Data{"kind": "web"}}, Data: fixture.Data{"c": "3"},
		BinaryData: map[string][]byte{"d": {1}}, Immutable: new(true),
	})
	f.Create("empty", nil)
	return f
}

// Lists find what their configuration selects, in the order of the names, and no more than Terraform wants.
func TestListFindsWhatIsSelected(t *testing.T) {
	f := newShelf(t)
	p := f.Proxied()
	const others = `field_selector = "metadata.name!=kube-root-ca.crt"`
	for _, test := range []struct {
		typ, config string
		limit       int64
		want        []string
	}{
		{"cas_configmap", others, 100, []string{"empty", "green", "red"}},
		{"cas_configmap", others, 2, []string{"empty", "green"}},
		{"cas_configmap", `label_selector = "kind=web"`, 100, []string{"green", "red"}},
		{"cas_configmap", `label_selector = "kind in (web),color!=red"`, 100, []string{"green"}},
		{"cas_configmap", `field_selector = "metadata.name=red"`, 100, []string{"red"}},
		{"cas_configmap", `label_selector = "kind=db"`, 100, nil},
		{"cas_configmap_entry", others, 100, []string{"green/c", "green/d", "red/a", "red/b"}},
		{"cas_configmap_entry", others, 3, []string{"green/c", "green/d", "red/a"}},
		{"cas_configmap_entry", `label_selector = "color"`, 100, []string{"red/a", "red/b"}},
		{"cas_configmap_entry", `name = "red"`, 100, []string{"red/a", "red/b"}},
		{"cas_configmap_entry", `name = "red"`, 1, []string{"red/a"}},
		{"cas_configmap_entry", `name = "empty"`, 100, nil},
	} {
		p.Reset()
		found, diags := f.Calls().List(t.Context(), test.typ, fmt.Sprintf("namespace = %q\n%s", f.Namespace, test.config), test.limit, false)
		f.WantSaid(diags)
		if got := fixture.NamesOf(found); !slices.Equal(got, test.want) {
			t.Errorf("%s with %s, at most %d: %q, want %q", test.typ, test.config, test.limit, got, test.want)
		}
		if limit := p.Requests()[0].Query.Get("limit"); test.typ == "cas_configmap" && test.limit < 16 && limit != fmt.Sprint(test.limit) {
			t.Errorf("at most %d: the request asked for %s", test.limit, limit)
		}
		for _, each := range found {
			if each.Resource != "" {
				t.Errorf("a resource that nobody asked for: %s", each.Resource)
			}
		}
	}
}

// valuesOf are attributes of a JSON object, without those that are null.
func valuesOf(t *testing.T, raw string) map[string]any {
	t.Helper()
	all := map[string]any{}
	if err := json.Unmarshal([]byte(raw), &all); err != nil {
		t.Fatal(err)
	}
	for name, value := range all {
		if value == nil {
			delete(all, name)
		}
	}
	return all
}

func wantJSON(t *testing.T, what string, got, want map[string]any) {
	t.Helper()
	gotRaw, _ := json.Marshal(got)
	wantRaw, _ := json.Marshal(want)
	if string(gotRaw) != string(wantRaw) {
		t.Errorf("%s is\n%s\nwant\n%s", what, gotRaw, wantRaw)
	}
}

// A list returns for a resource the same attributes as an import, with all defaults.
func TestListGivesIdentitiesAndResources(t *testing.T) {
	f := newShelf(t)
	c := f.Calls()
	found, diags := c.List(t.Context(), "cas_configmap", fmt.Sprintf("namespace = %q\nlabel_selector = %q", f.Namespace, "kind"), 100, true)
	f.WantSaid(diags)
	if len(found) != 2 {
		t.Fatalf("%v", found)
	}
	green, red := f.Live("green"), f.Live("red")
	wantJSON(t, "the identity of red", valuesOf(t, found[1].Identity), map[string]any{"namespace": f.Namespace, "name": "red"})
	wantJSON(t, "red", valuesOf(t, found[1].Resource), map[string]any{
		"namespace": f.Namespace, "name": "red", "id": f.Namespace + "/red", "uid": string(red.UID), "resource_version": red.ResourceVersion,
		"data": fixture.Data{"a": "1", "b": "2"}, "labels": fixture.Data{"color": "red", "kind": "web"}, "annotations": fixture.Data{"note": "x"},
		"immutable": false, "hide_values": false, "deletion_policy": "release", "on_drift": "error",
	})
	wantJSON(t, "green", valuesOf(t, found[0].Resource), map[string]any{
		"namespace": f.Namespace, "name": "green", "id": f.Namespace + "/green", "uid": string(green.UID), "resource_version": green.ResourceVersion,
		"data": fixture.Data{"c": "3"}, "binary_data": fixture.Data{"d": "AQ=="}, "labels": fixture.Data{"kind": "web"},
		"immutable": true, "hide_values": false, "deletion_policy": "release", "on_drift": "error",
	})

	found, diags = c.List(t.Context(), "cas_configmap_entry", fmt.Sprintf("namespace = %q\nname = \"green\"", f.Namespace), 100, true)
	f.WantSaid(diags)
	if len(found) != 2 {
		t.Fatalf("%v", found)
	}
	for i, key := range []string{"c", "d"} {
		want := map[string]any{
			"namespace": f.Namespace, "name": "green", "key": key, "id": f.Namespace + "/green/" + key, "uid": string(green.UID),
			"resource_version": green.ResourceVersion, "conflict_scope": "object", "deletion_policy": "release", "adopt_existing": false,
			"on_drift": "error", "hide_values": false,
		}
		if key == "c" {
			want["value"] = "3"
		} else {
			want["value_base64"] = "AQ=="
		}
		wantJSON(t, key, valuesOf(t, found[i].Resource), want)
		wantJSON(t, "the identity of "+key, valuesOf(t, found[i].Identity), map[string]any{"namespace": f.Namespace, "name": "green", "key": key})
	}
}

// A list returns a generated name as name, and no generate_name.
func TestListGivesAGeneratedNameAsAName(t *testing.T) {
	f := fixture.New(t)
	f.CreateObject(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "made-x", GenerateName: "made-"}, Data: fixture.Data{"a": "1"}})
	found, diags := f.Calls().List(t.Context(), "cas_configmap", fmt.Sprintf("namespace = %q\nfield_selector = \"metadata.name=made-x\"", f.Namespace), 100, true)
	f.WantSaid(diags)
	made := f.Live("made-x")
	wantJSON(t, "made-x", valuesOf(t, found[0].Resource), map[string]any{
		"namespace": f.Namespace, "name": "made-x", "id": f.Namespace + "/made-x", "uid": string(made.UID), "resource_version": made.ResourceVersion,
		"data": fixture.Data{"a": "1"}, "immutable": false, "hide_values": false, "deletion_policy": "release", "on_drift": "error",
	})
}

func TestListSaysWhyItFails(t *testing.T) {
	f := fixture.New(t)
	f.Create("testmap", fixture.Data{"foo": "1"})
	namespace := fmt.Sprintf("namespace = %q\n", f.Namespace)
	listed := func(c *driver.Calls, typ, config string, wants ...string) {
		t.Helper()
		_, diags := c.List(t.Context(), typ, namespace+config, 100, false)
		f.WantSaid(diags, wants...)
	}
	c := f.Calls()
	listed(c, "cas_configmap", `label_selector = "a in"`, "Error: Invalid Selector", `Attribute label_selector: must be a selector such as app=shop: unable to parse requirement`)
	listed(c, "cas_configmap", `field_selector = "a"`, "Error: Invalid Selector", "Attribute field_selector: must be a selector such as metadata.name=settings: invalid selector")
	listed(c, "cas_configmap", `field_selector = "data.foo=1"`, "Error: Request Refused", "The API server refused to list ConfigMaps. Nothing was listed.",
		"Namespace: "+f.Namespace, "Status: 400", `"data.foo" is not a known field selector`, "Correct what the API server names, then run terraform query again.")
	listed(c, "cas_configmap", `timeouts = { list = "0s" }`, "Error: Invalid Timeout", "Attribute timeouts.list")
	listed(c, "cas_configmap", `timeouts = { list = "1ns" }`, "Error: Operation Timed Out", "raise timeouts.list")
	listed(c, "cas_configmap_entry", `timeouts = { list = "1ns" }`, "Error: Operation Timed Out", "raise timeouts.list")
	listed(c, "cas_configmap_entry", "name = \"testmap\"\nlabel_selector = \"a=b\"", "Error: Invalid Attribute Combination")
	listed(c, "cas_configmap_entry", `name = "missing"`, "Error: ConfigMap Not Found", "Nothing was listed.", "ConfigMap: "+f.Namespace+"/missing")

	f.Kubeconfig = f.Cluster.Kubeconfig(f, f.User("getter", "configmaps", "get"))
	c = f.Calls()
	const forbidden = "Error: Not Permitted"
	listed(c, "cas_configmap", "", forbidden, "You do not have permission to list ConfigMaps. Nothing was listed.", "Grant list on configmaps in this namespace.")
	listed(c, "cas_configmap_entry", "", forbidden, "Grant list on configmaps in this namespace.")
	listed(c, "cas_configmap_entry", `name = "testmap"`)

	f.Kubeconfig = f.Cluster.Kubeconfig(f, f.User("lister", "configmaps", "list"))
	c = f.Calls()
	listed(c, "cas_configmap", "")
	listed(c, "cas_configmap_entry", `name = "testmap"`, forbidden, "You do not have permission to get this ConfigMap.", "Grant get on configmaps in this namespace.")
}

// Without a namespace it is the default one, as everywhere.
func TestSwapsAndListsAreOfTheDefaultNamespace(t *testing.T) {
	f := fixture.New(t)
	f.Namespace = "default"
	const name = "of-the-default-namespace"
	f.Create(name, fixture.Data{"foo": "1"})
	t.Cleanup(func() { f.Remove(name) })
	c := f.Calls()
	_, diags := c.InvokeAction(t.Context(), fixture.Swap, fmt.Sprintf("name = %q\ndata = { foo = \"2\" }\nexpected_data = { foo = \"1\" }", name))
	f.WantSaid(diags)
	f.WantLive(name, fixture.Data{"foo": "2"})
	for typ, config := range map[string]string{"cas_configmap": `field_selector = "metadata.name=` + name + `"`, "cas_configmap_entry": `name = "` + name + `"`} {
		if found, diags := c.List(t.Context(), typ, config, 100, false); diags.HasErrors() || len(found) != 1 || !strings.HasPrefix(found[0].Name, "default/"+name) {
			t.Errorf("%s: %v, %v", typ, found, diags)
		}
	}
}
