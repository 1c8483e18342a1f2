package document_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	yamlv3 "go.yaml.in/yaml/v3"
	"sigs.k8s.io/yaml"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/document"
)

// sample is a document of testdata/documents.
type sample struct {
	name, text string
	format     document.Format
}

func samples(t testing.TB) (all []sample) {
	t.Helper()
	files, err := filepath.Glob("testdata/documents/*")
	if err != nil || len(files) < 15 {
		t.Fatalf("%d documents: %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		format := document.YAML
		if filepath.Ext(file) == ".json" {
			format = document.JSON
		}
		all = append(all, sample{filepath.Base(file), string(text), format})
	}
	return all
}

func parse(t testing.TB, text string, format document.Format) *document.Document {
	t.Helper()
	d, err := document.Parse(text, format)
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return d
}

// edit sets the whole value of a document.
func edit(t testing.TB, s sample, want any) string {
	t.Helper()
	return editAt(t, s, document.Change{Value: want})
}

func editAt(t testing.TB, s sample, changes ...document.Change) string {
	t.Helper()
	d, err := parse(t, s.text, s.format).Edit(changes)
	if err != nil {
		t.Fatalf("%v: %s in\n%s", err, show(changes), s.text)
	}
	return d.Text()
}

// change returns the change that set makes.
func change(v any, at place, to any) document.Change {
	c := document.Change{Place: slices.Clone(at), Value: to}
	if _, c.Removes = to.(removed); c.Removes {
		c.Value = nil
	}
	for i, step := range at {
		if elements, isList := get(v, at[:i]).([]any); isList && step == len(elements) {
			c.Place[i] = -1
		}
	}
	return c
}

func show(v any) string {
	raw, _ := json.Marshal(v)
	return string(raw)
}

func decode(t testing.TB, raw string) (v any) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(raw))
	decoder.UseNumber()
	if err := decoder.Decode(&v); err != nil {
		t.Fatal(err)
	}
	return v
}

// place is a value within another one: names and indexes.
type place []any

// places returns the places of all values, the root first.
func places(v any, at place) (all []place) {
	all = append(all, at)
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			all = append(all, places(v[name], append(slices.Clone(at), name))...)
		}
	case []any:
		for i := range v {
			all = append(all, places(v[i], append(slices.Clone(at), i))...)
		}
	}
	return all
}

func get(v any, at place) any {
	for _, step := range at {
		switch step := step.(type) {
		case string:
			members, _ := v.(map[string]any)
			v = members[step]
		case int:
			elements, _ := v.([]any)
			v = elements[step]
		}
	}
	return v
}

// removed is the value of set that removes an item.
type removed struct{}

// set returns a copy of a value with another value at a place. An index after the last one appends.
func set(v any, at place, to any) any {
	if len(at) == 0 {
		return to
	}
	_, removes := to.(removed)
	removes = removes && len(at) == 1
	switch step := at[0].(type) {
	case string:
		members, _ := v.(map[string]any)
		members = maps.Clone(members)
		if removes {
			delete(members, step)
		} else {
			members[step] = set(members[step], at[1:], to)
		}
		return members
	case int:
		elements, _ := v.([]any)
		elements = slices.Clone(elements)
		switch {
		case removes:
			return slices.Delete(elements, step, step+1)
		case step == len(elements):
			return append(elements, set(nil, at[1:], to))
		}
		elements[step] = set(elements[step], at[1:], to)
		return elements
	}
	panic("no step")
}

// readBy returns what the readers of YAML 1.1 and 1.2 see in a text, as JSON.
func readBy(t testing.TB, text string) (old, current string) {
	t.Helper()
	raw, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatalf("sigs.k8s.io/yaml: %v in\n%s", err, text)
	}
	var v any
	if err := yamlv3.Unmarshal([]byte(text), &v); err != nil {
		t.Fatalf("yaml/v3: %v in\n%s", err, text)
	}
	return canonical(t, raw), canonical(t, []byte(show(texts(v))))
}

// texts returns a value whose maps have text as keys.
func texts(v any) any {
	switch v := v.(type) {
	case map[any]any:
		members := map[string]any{}
		for name, member := range v {
			members[fmt.Sprint(name)] = texts(member)
		}
		return members
	case map[string]any:
		for name, member := range v {
			v[name] = texts(member)
		}
	case []any:
		for i := range v {
			v[i] = texts(v[i])
		}
	}
	return v
}

func canonical(t testing.TB, raw []byte) string {
	t.Helper()
	d, err := document.Parse(string(raw), document.JSON)
	if err != nil {
		t.Fatalf("%v in\n%s", err, raw)
	}
	return show(d.Value())
}

// texts11 are texts that some reader takes for something else, or that need care.
var texts11 = []string{
	"", " ", "a", "yes", "No", "on", "OFF", "y", "n", "true", "null", "~", "0644", "0o17", "0x1F", "0b1", "1_000", "1:30", "190:20:30.15",
	"2024-01-02", "2024-1-2 10:00:00", "1", "-1", "+1", "1.0", "1.10", "1.2.3", ".5", "1e3", "1E+3", ".inf", "-.INF", ".nan", "=", "<<", "?", "-", "- a", "a: b",
	"a:", "a #b", "#a", "&a", "*a", "!a", "|", ">", "%a", "@a", "`a", "{a", "}", "[a", "]", "a,b", ",", "'", "\"", "a'b", `a"b`, `\`, `a\nb`,
	"a ", " a", "a\nb", "a\n", "\na", "a\n\n", " a\nb", "a\n b\n", "a\tb", "\t", "a\r\nb", "a\rb", "---", "...", "--- a", "é", "日本", "🎉",
	"\u0085", "\u2028", "\u00a0", "\uFEFF", "\u007f", "\u0001", "http://a.b/c?d=e#f", "arn:aws:iam::1:role/x", "a\n# b\n", "a\n\nb", "key: |", "12e03", "089", "0.", "1__2", "00",
}

// drawValue returns a random value.
func drawValue(r *rand.Rand, depth int) any {
	switch n := r.IntN(10); {
	case n < 5 || depth > 2 && n > 7:
		return texts11[r.IntN(len(texts11))]
	case n == 5:
		return json.Number(fmt.Sprint(r.IntN(100000) - 50000))
	case n == 6:
		number, _ := document.Number(json.Number(fmt.Sprintf("%g", r.NormFloat64()*10)))
		return number
	case n == 7:
		return []any{true, false, nil}[r.IntN(3)]
	case n == 8:
		elements := []any{}
		for range r.IntN(4) {
			elements = append(elements, drawValue(r, depth+1))
		}
		return elements
	default:
		members := map[string]any{}
		for range r.IntN(4) {
			members[texts11[r.IntN(len(texts11))]] = drawValue(r, depth+1)
		}
		return members
	}
}

// drawChange returns a random change of a value.
func drawChange(r *rand.Rand, v any) (at place, to any) {
	all := places(v, nil)
	at = all[r.IntN(len(all))]
	switch found := get(v, at).(type) {
	case map[string]any:
		if r.IntN(2) == 0 {
			return append(slices.Clone(at), texts11[r.IntN(len(texts11))]), drawValue(r, 0)
		}
	case []any:
		if r.IntN(2) == 0 {
			return append(slices.Clone(at), len(found)), drawValue(r, 0)
		}
	}
	if len(at) > 0 && r.IntN(2) == 0 {
		return at, removed{}
	}
	return at, drawValue(r, 0)
}

// comments returns the comments of a text, roughly.
func comments(text string) (all []string) {
	for line := range strings.Lines(text) {
		if i := strings.Index(line, "# "); i >= 0 {
			all = append(all, strings.TrimSpace(line[i:]))
		}
	}
	return all
}
