package acceptance_test

import (
	"context"
	"encoding/json"
	"strings"

	corev1 "k8s.io/api/core/v1"
	k8stypes "k8s.io/apimachinery/pkg/types"
)

// send makes a request about a ConfigMap or a Secret, as another writer. A dry run of it only tells what would become of it.
func (l *lab) send(verb, name string, what k8stypes.PatchType, body []byte, dryRun bool) ([]byte, error) {
	plural := "configmaps"
	if isSecret(name[:1]) {
		plural = "secrets"
	}
	r := l.cluster.Client().CoreV1().RESTClient().Verb(verb).Namespace(l.namespace).Resource(plural).SetHeader("Accept", "application/json")
	if verb != "POST" {
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
	if verb == "POST" || verb == "PATCH" {
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
	if err == nil {
		_, err = l.send("POST", name, "", body, false)
	}
	return err
}

// nameIn is the name in the path of a request.
func nameIn(path string) string { return path[strings.LastIndex(path, "/")+1:] }
