package histories

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	k8stypes "k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

func newLab(t *testing.T, tally *tally) *lab {
	t.Helper()
	f := fixture.New(t)
	l := &lab{Fixture: f, tally: tally, config: rest.CopyConfig(f.Cluster.Config), wrote: map[string]bool{}}
	l.config.Wrap(func(next http.RoundTripper) http.RoundTripper { return &witness{next, l} })
	client, err := testcluster.NewClient(l.config)
	if err != nil {
		t.Fatal(err)
	}
	l.client = client.CoreV1().RESTClient()
	l.serveKind()
	t.Cleanup(l.dead.Wait)
	return l
}

// witness sees each write that reaches the API server, from any sender and however late, before it is sent and when it has been answered. An
// object that was not written since it was read is unchanged: there are no controllers, and nobody else in the namespace.
type witness struct {
	next http.RoundTripper
	lab  *lab
}

// RoundTrip implements [http.RoundTripper].
func (w *witness) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodGet || r.URL.Query().Get("dryRun") != "" {
		return w.next.RoundTrip(r)
	}
	name := nameIn(r.URL.Path)
	if r.Method == http.MethodPost {
		name = "" // which is in the body
	}
	w.lab.writes(name)
	defer w.lab.writes(name)
	return w.next.RoundTrip(r)
}

// writes has an object be read again; with an empty name, all of them.
func (l *lab) writes(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if name != "" {
		l.wrote[name] = true
		return
	}
	for each := range l.wrote {
		l.wrote[each] = true
	}
}

// wasWritten reports whether an object must be read again, and takes it for read.
func (l *lab) wasWritten(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	is := l.wrote[name]
	l.wrote[name] = false
	return is
}

// send makes a request about a ConfigMap or a Secret, as another writer. A dry run only returns the result that the request would have.
func (l *lab) send(verb, name string, what k8stypes.PatchType, body []byte, dryRun bool) ([]byte, error) {
	plural := "configmaps"
	if isSecret(name[:1]) {
		plural = "secrets"
	}
	r := l.client.Verb(verb).SetHeader("Accept", "application/json")
	if hasFields(name) {
		r.AbsPath(l.collection(name))
	} else {
		r.Namespace(l.Namespace).Resource(plural)
	}
	if verb != "POST" && hasFields(name) {
		r.Suffix(name)
	} else if verb != "POST" {
		r.Name(name)
	}
	if dryRun && verb != "DELETE" { // which says so in its body
		r.Param("dryRun", "All")
	}
	if what == "" {
		what = "application/json"
	}
	if body != nil {
		r.Body(body).SetHeader("Content-Type", string(what))
	}
	if verb == "POST" || verb == "PATCH" || verb == "PUT" {
		r.Param("fieldManager", "another-writer")
	}
	return r.DoRaw(context.Background())
}

// get reads a ConfigMap, or a Secret as one.
func (l *lab) get(name string) (*corev1.ConfigMap, error) {
	raw, err := l.send("GET", name, "", nil, false)
	if err != nil {
		return nil, err
	}
	if hasFields(name) {
		return fieldsIn(name, raw)
	}
	o := &corev1.ConfigMap{}
	if !isSecret(name[:1]) {
		return o, json.Unmarshal(raw, o)
	}
	s := &corev1.Secret{}
	if err := json.Unmarshal(raw, s); err != nil {
		return nil, err
	}
	o.ObjectMeta, o.Immutable, o.Data = s.ObjectMeta, s.Immutable, map[string]string{}
	for key, value := range s.Data {
		o.Data[key] = string(value)
	}
	return o, nil
}

// plain is the field in which one writes plain text.
func plain(name string) string {
	if isSecret(name[:1]) {
		return "stringData"
	}
	return "data"
}

// make makes a ConfigMap or a Secret.
func (l *lab) make(name string, data, labels map[string]string) error {
	body, err := json.Marshal(map[string]any{"metadata": map[string]any{"name": name, "labels": labels}, plain(name): data})
	if hasFields(name) {
		body, err = objectWith(name, l.newObject(name, labels), data)
	}
	if err == nil {
		_, err = l.send("POST", name, "", body, false)
	}
	return err
}

// nameIn is the name in the path of a request.
func nameIn(path string) string { return path[strings.LastIndex(path, "/")+1:] }
