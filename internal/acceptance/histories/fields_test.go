package histories

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/zclconf/go-cty/cty"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// Three objects have fields in place of entries: "d" is a Deployment, "w" has a kind of the test's own, and "y" is a ConfigMap
// with a document. To the model each field is a key like any other. A field is a text, a number, or an element of a list.

// spot represents a key.
type spot struct {
	path  string
	steps []string // to where it is; "name=x" selects an element of a list
	form  string   // of its value as JSON, with %s for what the key holds
}

var spots = map[string]map[string]spot{
	"d": {
		"k0": {"spec.template.metadata.annotations.k0", []string{"spec", "template", "metadata", "annotations", "k0"}, `"%s"`},
		"k1": {"spec.template.spec.containers[name=c].env[name=k1]", []string{"spec", "template", "spec", "containers", "name=c", "env", "name=k1"}, `{"name":"k1","value":"%s"}`},
		"k2": {"spec.template.spec.nodeSelector.k2", []string{"spec", "template", "spec", "nodeSelector", "k2"}, `"%s"`},
	},
	"w": {
		"k0": {"spec.big", []string{"spec", "big"}, `900719925474099%s`}, // above 2^53
		"k1": {"spec.parts[name=k1]", []string{"spec", "parts", "name=k1"}, `{"name":"k1","text":"%s"}`},
		"k2": {`spec.texts["k.2"]`, []string{"spec", "texts", "k.2"}, `"%s"`},
	},
	"y": {
		"k0": {"log.big", []string{"log", "big"}, `900719925474099%s`},
		"k1": {"items[name=k1]", []string{"items", "name=k1"}, `{"name":"k1","text":"%s"}`},
		"k2": {`texts["k.2"]`, []string{"texts", "k.2"}, `"%s"`},
	},
}

// documentKey is the key of a ConfigMap that has the document.
const documentKey = "config.yaml"

// comment begins each document. No write of the provider removes a comment.
const comment = "# kept\n"

// documentIn returns the document of a ConfigMap.
func documentIn(object map[string]any) (document map[string]any, err error) {
	data, _ := object["data"].(map[string]any)
	text, _ := data[documentKey].(string)
	if !strings.HasPrefix(text, comment) {
		return nil, fmt.Errorf("a comment is lost: %q", text)
	}
	raw, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("%w: %q", err, text)
	}
	document, err = decoded(raw)
	if kept := (spot{steps: []string{"items", "name=keep"}}); err == nil && kept.at(document, false, nil) == nil {
		err = fmt.Errorf("an item of others is lost: %q", text)
	}
	return document, err
}

// hasFields reports whether an object has fields, by its name.
func hasFields(name string) bool { return spots[name[:1]] != nil }

// isDocument reports whether an object is a ConfigMap with a document, by its name.
func isDocument(name string) bool { return name[:1] == "y" }

// isKeyed reports whether an object is a ConfigMap or a Secret, whose whole content shows that nothing else changed.
func isKeyed(name string) bool { return !hasFields(name) || isDocument(name) }

// holds returns the JSON of the value of a key.
func (s spot) holds(value string) string {
	if strings.HasPrefix(s.form, "9") && value == "x" {
		value = "9"
	}
	return fmt.Sprintf(s.form, value)
}

// reads is the reverse of holds: it returns the value of a key from the JSON, empty for nothing.
func (s spot) reads(v any) string {
	if v == nil {
		return ""
	}
	raw, err := json.Marshal(v)
	for _, value := range append(someValues, "x") {
		if err == nil && s.holds(value) == string(raw) {
			return value
		}
	}
	return "not a value of the test: " + string(raw)
}

// step returns the value behind one step, and how to change it; nil removes.
func step(v any, to string) (is any, set func(any)) {
	switch of := v.(type) {
	case map[string]any:
		return of[to], func(v any) {
			if of[to] = v; v == nil {
				delete(of, to)
			}
		}
	case *[]any:
		name, value, _ := strings.Cut(to, "=")
		i := slices.IndexFunc(*of, func(e any) bool { fields, _ := e.(map[string]any); return fields[name] == value })
		if i < 0 {
			return nil, func(v any) { *of = append(*of, v) }
		}
		return (*of)[i], func(v any) {
			if (*of)[i] = v; v == nil {
				*of = slices.Delete(*of, i, i+1)
			}
		}
	}
	return nil, func(any) {}
}

// at returns the value that represents a key in an object and, if write is true, changes it.
func (s spot) at(object map[string]any, write bool, to any) any {
	var v any = object
	puts := func() {}
	for i, name := range s.steps {
		is, set := step(v, name)
		if i == len(s.steps)-1 {
			if write && (is != nil || to != nil) {
				set(to)
				puts()
			}
			return is
		}
		if list, isList := is.([]any); isList {
			is = &list
			puts = func() { set(list) }
		}
		v = is
	}
	return nil
}

// objectWith is the JSON of an object with fields, with these changes; empty values remove.
func objectWith(name string, object map[string]any, changes map[string]string) ([]byte, error) {
	holder := object
	if isDocument(name) {
		document, err := documentIn(object)
		if err != nil {
			return nil, err
		}
		holder = document
	}
	isChanged := false
	for key, value := range changes {
		s := spots[name[:1]][key]
		var to any
		if value != "" {
			to = json.RawMessage(s.holds(value))
		}
		isChanged = s.reads(s.at(holder, true, to)) != value || isChanged
	}
	if isDocument(name) && isChanged {
		text, err := yaml.Marshal(holder)
		if err != nil {
			return nil, err
		}
		object["data"] = map[string]any{documentKey: comment + string(text)}
	}
	return json.Marshal(object)
}

// newObject is an object whose keys hold nothing. Beside each stands something, so that no map and no list comes or goes.
func (l *lab) newObject(name string, labels map[string]string) map[string]any {
	body := `{"apiVersion":"apps/v1","kind":"Deployment","spec":{"selector":{"matchLabels":{"app":"x"}},"template":{"metadata":{"labels":{"app":"x"},"annotations":{"keep":"1"}},
		"spec":{"nodeSelector":{"keep":"1"},"containers":[{"name":"b","image":"b"},{"name":"c","image":"c","env":[{"name":"keep","value":"1"}]}]}}}}`
	if name[:1] == "w" {
		body = `{"apiVersion":"` + l.group() + `/v1","kind":"Widget","spec":{"parts":[{"name":"keep","text":"1"}],"texts":{"keep":"1"},"keep":true}}`
	}
	if isDocument(name) {
		body = `{"data":{"` + documentKey + `":"# kept\n{items: [{name: keep, text: \"1\"}], log: {keep: true}, texts: {keep: \"1\"}}"}}`
	}
	object, err := decoded([]byte(body))
	if err != nil {
		l.Error(err)
	}
	object["metadata"] = map[string]any{"name": name, "labels": labels}
	return object
}

func decoded(raw []byte) (object map[string]any, err error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	return object, d.Decode(&object)
}

// fieldsIn is an object with fields as a ConfigMap that has the keys.
func fieldsIn(name string, raw []byte) (*corev1.ConfigMap, error) {
	object, err := decoded(raw)
	if err != nil {
		return nil, err
	}
	var about struct {
		Metadata metav1.ObjectMeta `json:"metadata"`
	}
	o := &corev1.ConfigMap{Data: map[string]string{}}
	err = json.Unmarshal(raw, &about)
	o.ObjectMeta = about.Metadata
	if isDocument(name) && err == nil {
		object, err = documentIn(object)
	}
	for key, s := range spots[name[:1]] {
		if v := s.reads(s.at(object, false, nil)); v != "" {
			o.Data[key] = v
		}
	}
	return o, err
}

// group is the group of the test's own kind.
func (l *lab) group() string { return l.Namespace + ".acme.io" }

// serveKind has the API server serve the test's own kind.
func (l *lab) serveKind() {
	const part = `{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"text":{"type":"string"}}}`
	crd := strings.NewReplacer("GROUP", l.group(), "PART", part).Replace(`{"metadata":{"name":"widgets.GROUP"},"spec":{"group":"GROUP","scope":"Namespaced",
		"names":{"kind":"Widget","plural":"widgets"},"versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{
		"spec":{"type":"object","properties":{"big":{"type":"integer","format":"int64"},"keep":{"type":"boolean"},"texts":{"type":"object","additionalProperties":{"type":"string"}},
		"parts":{"type":"array","x-kubernetes-list-type":"map","x-kubernetes-list-map-keys":["name"],"items":PART}}}}}}}]}}`)
	_, err := l.client.Post().AbsPath("/apis/apiextensions.k8s.io/v1/customresourcedefinitions").SetHeader("Content-Type", "application/json").Body([]byte(crd)).DoRaw(l.Context())
	for range 3000 { // until it serves the new definition
		if err != nil {
			l.Fatal(err)
		}
		if _, no := l.client.Get().AbsPath(l.collection("w")).DoRaw(l.Context()); no == nil {
			return
		}
	}
	l.Fatal("the kind is not served")
}

// collection is where objects with fields are, by the name of one.
func (l *lab) collection(name string) string {
	switch {
	case name[:1] == "w":
		return "/apis/" + l.group() + "/v1/namespaces/" + l.Namespace + "/widgets"
	case isDocument(name):
		return "/api/v1/namespaces/" + l.Namespace + "/configmaps"
	}
	return "/apis/apps/v1/namespaces/" + l.Namespace + "/deployments"
}

// apiVersion and kind are those of an object with fields.
func (l *lab) kind(name string) (apiVersion, kind string) {
	if name[:1] == "w" {
		return l.group() + "/v1", "Widget"
	}
	return "apps/v1", "Deployment"
}

// fieldsID is the import id of keys.
func (l *lab) fieldsID(cm, name string, keys []string) string {
	paths := make([]string, len(keys))
	for i, key := range keys {
		paths[i] = spots[cm][key].path
	}
	if isDocument(cm) {
		return strings.Join([]string{l.Namespace, name, documentKey, "yaml", strings.Join(paths, ",")}, "/")
	}
	apiVersion, kind := l.kind(cm)
	return strings.Join([]string{apiVersion, kind, l.Namespace, name, strings.Join(paths, ",")}, "/")
}

// fieldsBody returns the lines of a block about fields.
func (l *lab) fieldsBody(b *block) string {
	apiVersion, kind := l.kind(b.cm)
	body := fmt.Sprintf("  api_version = %q\n  kind = %q\n", apiVersion, kind)
	if isDocument(b.cm) {
		body = fmt.Sprintf("  key = %q\n  format = \"yaml\"\n", documentKey)
	}
	for _, of := range []struct {
		name   string
		values map[string]string
	}{{"fields", b.values}, {"expected_fields", b.expected}} {
		if len(of.values) == 0 {
			continue
		}
		body += "  " + of.name + " = {\n"
		for _, key := range slices.Sorted(maps.Keys(of.values)) {
			s, holds := spots[b.cm][key], "null"
			if v := of.values[key]; v != "" {
				holds = s.holds(v)
			}
			body += fmt.Sprintf("    %q = %s\n", s.path, holds)
		}
		body += "  }\n"
	}
	return body
}

// fieldsOf returns the values in an attribute of a state, by key; nil for null.
func fieldsOf(cm string, v cty.Value) map[string]string {
	if v.IsNull() {
		return nil
	}
	all := map[string]string{}
	for path, is := range v.AsValueMap() {
		for key, s := range spots[cm] {
			if s.path == path {
				all[key] = s.reads(jsonOf(is))
			}
		}
	}
	return all
}

// jsonOf is a value as encoding/json takes it.
func jsonOf(v cty.Value) any {
	switch {
	case v.IsNull():
		return nil
	case v.Type() == cty.String:
		return v.AsString()
	case v.Type() == cty.Number:
		return json.Number(v.AsBigFloat().Text('f', 0))
	}
	all := map[string]any{}
	for name, member := range v.AsValueMap() {
		all[name] = jsonOf(member)
	}
	return all
}

// words are titles about fields, in those about keys.
var words = strings.NewReplacer("Field ", "Key ", "Object ", "ConfigMap ")
