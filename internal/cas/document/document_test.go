package document_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/document"
)

// TestReplaceScalar replaces each scalar of each document. Exactly one line changes.
func TestReplaceScalar(t *testing.T) {
	for _, s := range samples(t) {
		value := parse(t, s.text, s.format).Value()
		if s.name == "anchors.yaml" {
			continue
		}
		for _, at := range places(value, nil) {
			old := get(value, at)
			text, isText := old.(string)
			_, isMap := old.(map[string]any)
			_, isList := old.([]any)
			if isMap || isList || len(at) == 0 || strings.Contains(text, "\n") || strings.Contains(text, "over") || at[0] == "strip" {
				continue
			}
			for _, to := range []any{"changed", "yes", json.Number("7"), false} {
				after, err := parse(t, s.text, s.format).Edit(set(value, at, to))
				if err != nil {
					t.Errorf("%s: %s: %v", s.name, show(at), err)
					continue
				}
				if n := differingLines(s.text, after); n != 1 && (n != 0 || old != to) {
					t.Errorf("%s: %s = %s changes %d lines:\n%s", s.name, show(at), show(to), n, cmp.Diff(s.text, after))
				}
				if !isText && old != nil && len(comments(after)) != len(comments(s.text)) {
					t.Errorf("%s: %s: a comment is missing:\n%s", s.name, show(at), cmp.Diff(s.text, after))
				}
			}
		}
	}
}

// differingLines returns how many lines differ; -1 if the texts have different numbers of lines.
func differingLines(a, b string) (n int) {
	before, after := strings.Split(a, "\n"), strings.Split(b, "\n")
	if len(before) != len(after) {
		return -1
	}
	for i := range before {
		if before[i] != after[i] {
			n++
		}
	}
	return n
}

// TestAddAndRemove adds an item to each map and each list of each document. The removal of the item restores every byte.
func TestAddAndRemove(t *testing.T) {
	items := []any{
		"text", json.Number("1"), "two\nlines\n", nil,
		[]any{},
		[]any{"a", map[string]any{"b": "c", "d": []any{"e"}}},
		map[string]any{"name": "a", "list": []any{"b"}, "map": map[string]any{"c": true}},
	}
	for _, s := range samples(t) {
		value := parse(t, s.text, s.format).Value()
		for _, at := range places(value, nil) {
			var step any = "zz-new"
			switch old := get(value, at).(type) {
			case map[string]any:
			case []any:
				step = len(old)
			default:
				continue
			}
			for _, v := range items {
				added := set(value, append(slices.Clone(at), step), v)
				text, err := parse(t, s.text, s.format).Edit(added)
				var refused *document.Error
				if s.name == "anchors.yaml" && errors.As(err, &refused) {
					continue
				}
				if err != nil {
					t.Errorf("%s: %s: %v", s.name, show(at), err)
					continue
				}
				for _, comment := range comments(s.text) {
					if !strings.Contains(text, comment) {
						t.Errorf("%s: %s: the comment %q is missing:\n%s", s.name, show(at), comment, text)
					}
				}
				restored := edit(t, sample{s.name, text, s.format}, value)
				if restored != s.text {
					t.Errorf("%s: %s %s:\n%s\nin between:\n%s", s.name, show(at), show(v), cmp.Diff(s.text, restored), text)
				}
			}
		}
	}
}

// TestRemoveEach removes each item of each document, and adds it again. Nothing else loses a comment of its own.
func TestRemoveEach(t *testing.T) {
	for _, s := range samples(t) {
		value := parse(t, s.text, s.format).Value()
		for _, at := range places(value, nil) {
			if len(at) == 0 || s.name == "anchors.yaml" {
				continue
			}
			want := set(value, at, removed{})
			text := edit(t, s, want)
			if got := parse(t, text, s.format).Value(); show(got) != show(want) {
				t.Errorf("%s: %s: %s", s.name, show(at), show(got))
			}
			if again := parse(t, edit(t, sample{s.name, text, s.format}, value), s.format).Value(); show(again) != show(value) {
				t.Errorf("%s: %s: %s", s.name, show(at), show(again))
			}
		}
	}
}

// TestTexts writes every text as a value, an element and a key, in blocks and in brackets. Readers of YAML 1.1 and 1.2
// see the text.
func TestTexts(t *testing.T) {
	for _, text := range texts11 {
		for _, before := range []string{
			"a:\n- b\n", "a: {b: c}\nd: [e]\n", "'a': 'b'\n\"c\": \"d\"\n", `{"a": "b"}`, "a: |\n  b\n  c\n# end\n", "a: b # c\n", "a:\r\n  - b\r\n",
		} {
			s := sample{"", before, document.YAML}
			value := parse(t, before, document.YAML).Value()
			for _, at := range append(places(value, nil), place{"new"}, place{text}) {
				want := set(value, at, text)
				if _, isMap := get(value, at[:max(len(at)-1, 0)]).(map[string]any); isMap && len(at) > 0 {
					want = set(want, append(slices.Clone(at[:len(at)-1]), text), []any{text, map[string]any{text: text}})
				}
				after := edit(t, s, want)
				if old, current := readBy(t, after); old != canonical(t, []byte(show(want))) || current != old {
					t.Errorf("%q: %s, %s instead of %s in\n%s", text, old, current, show(want), after)
				}
			}
		}
	}
}

// TestLists turns lists into others. Elements that stay keep their comments.
func TestLists(t *testing.T) {
	tests := []struct{ before, want, after string }{
		{`[[]]`, `["x",["y"]]`, `["x", ["y"]]`},
		{"- []\n", `["x",["y"]]`, "- x\n- - \"y\"\n"},
		{"- a # one\n- b # two\n", `["x","a","b"]`, "- x\n- a # one\n- b # two\n"},
		{"- a # one\n- b # two\n- c # three\n", `["a","x","c"]`, "- a # one\n- x # two\n- c # three\n"},
		{"- a # one\n- b # two\n- c # three\n", `["c","a"]`, "- c # three\n- a\n"},
		{"- a # one\n- b # two\n- c # three\n", `["a","x","y","c"]`, "- a # one\n- x # two\n- \"y\"\n- c # three\n"},
		{"- n: a # one\n  v: 1\n- n: b # two\n  v: 2\n", `[{"n":"b","v":3},{"n":"c"}]`, "- n: b # two\n  v: 3\n- \"n\": c\n"},
		{"- n: a # one\n- n: b # two\n- n: c # three\n", `[{"n":"b","v":1},{"n":"c"}]`, "- n: b # two\n  v: 1\n- n: c # three\n"},
		{
			"- n: a # one\n  t: x\n- n: b # two\n  t: x\n- n: c # three\n  t: x\n", `[{"n":"b","t":"x"},{"n":"c","t":"x"},{"n":"d","t":"x"}]`,
			"- n: b # two\n  t: x\n- n: c # three\n  t: x\n- \"n\": d\n  t: x\n",
		},
		{
			"- n: a # one\n  t: x\n- n: b # two\n  t: x\n", `[{"n":"b","t":"x","v":1},{"n":"c","t":"x"}]`,
			"- n: b # two\n  t: x\n  v: 1\n- \"n\": c\n  t: x\n",
		},
		{"k:\n- n: a # one\n  # about v\n  v: 1\n", `{"k":[{"v":1}]}`, "k:\n-\n  # about v\n  v: 1\n"},
		{"k:\n- n: a # one\n  v: 1\n", `{"k":[{"v":1}]}`, "k:\n- v: 1\n"},
		{"k:\n- n: a\n", `{"k":[{}]}`, "k:\n- {}\n"},
		{"k:\n- n: a\n", `{"k":[{"v":1}]}`, "k:\n- v: 1\n"},
		{"k:\n- a # one\n", `{"k":[]}`, "k: []\n"},
		{"a: 1 # one\nb: 2 # two\n", `{"c":3}`, "c: 3 # two\n"},
		{"a: 1 # one\n# others\nb: 2 # two\n", `{"c":3}`, "# others\nc: 3\n"},
		{"k:\n  a: 1\n  # others\n  b: 2 # two\nz: 1\n", `{"k":{"c":3},"z":1}`, "k:\n  # others\n  c: 3\nz: 1\n"},
		{"- 1\n# others\n- 2", `["c"]`, "# others\n- c"},
		{"{'a':1}", `{"a":1,"b":2}`, "{'a':1,b: 2}"},
		{"[1, 2,]", `[1]`, "[1,]"},
		{"{a: 1, b: 2}", `{"b":2}`, "{b: 2}"},
		{"{\"a\": 1, b: 2}", `{"a":1e-7,"b":2}`, "{\"a\": 1.0e-7, b: 2}"},
		{"{\"a\": 1}", `{"a":1e-7}`, "{\"a\": 1.0e-7}"},
		{"{\"a\":[],}", `{"a":[{"b":"c"}]}`, "{\"a\":[{b: c}],}"},
		{"[\n  # one\n  a, # a\n  # two\n  b,\n  c\n]\n", `["b","c"]`, "[\n  # one\n  # two\n  b,\n  c\n]\n"},
		{"[\n  a, # one\n  # two\n  b, # b\n  c # c\n  # end\n]\n", `["a"]`, "[\n  a # one\n  # two\n  # end\n]\n"},
		{"[\n  a,\n  b # two\n]\n", `["a"]`, "[\n  a\n]\n"},
		{"{\n  a: 1, # one\n  b: 2, # two\n}\n", `{"a":1}`, "{\n  a: 1, # one\n}\n"},
		{"[ a, # one\n  b]\n", `["a"]`, "[ a # one\n  ]\n"},
		{"a: |\n  x\nb: 1", `{"a":"x\n"}`, "a: |\n  x\n"},
		{"- a: |+\n    x\n\n- b\n- c", `[{"a":"x\n\n"}]`, "- a: |+\n    x\n\n"},
		{"a: !<tag:yaml.org,2002:str> x\nb: 1\n", `{"a":"x","b":2}`, "a: !<tag:yaml.org,2002:str> x\nb: 2\n"},
		{"a: x\n...\n# end\n", `{"a":"x","b":1}`, "a: x\nb: 1\n...\n# end\n"},
	}
	for _, test := range tests {
		var want any
		decoder := json.NewDecoder(strings.NewReader(test.want))
		decoder.UseNumber()
		if err := decoder.Decode(&want); err != nil {
			t.Fatal(err)
		}
		if got := edit(t, sample{"", test.before, document.YAML}, want); got != test.after {
			t.Errorf("%q to %s: %q instead of %q", test.before, test.want, got, test.after)
		}
	}
}

// TestLongList removes the first element of a long list, changes one in the middle and adds one. The others keep their
// comments.
func TestLongList(t *testing.T) {
	const n = 3000
	lines := make([]string, n)
	elements := make([]any, n)
	for i := range n {
		elements[i] = map[string]any{"name": fmt.Sprint("n-", i), "kind": "x"}
		lines[i] = fmt.Sprintf("- {name: n-%d, kind: x} # %d\n", i, i)
	}
	elements[n/2] = map[string]any{"name": "changed", "kind": "x"}
	want := slices.Concat(elements[1:], []any{map[string]any{"name": "new", "kind": "x"}})
	text := edit(t, sample{"", strings.Join(lines, ""), document.YAML}, want)
	lines[n/2] = fmt.Sprintf("- {name: changed, kind: x} # %d\n", n/2)
	if diff := cmp.Diff(strings.Join(lines[1:], "")+"- kind: x\n  name: new\n", text); diff != "" {
		t.Error(diff)

		// The last element moves to the front.
		elements[n/2] = map[string]any{"name": fmt.Sprint("n-", n/2), "kind": "x"}
		moved := slices.Concat(elements[n-1:], elements[:n-1])
		lines[n/2] = fmt.Sprintf("- {name: n-%d, kind: x} # %[1]d\n", n/2)
		text = edit(t, sample{"", strings.Join(lines, ""), document.YAML}, moved)
		if want := strings.Join(lines[:n-1], ""); !strings.HasSuffix(text, want) {
			t.Errorf("the others changed:\n%.300s", text)
		}
	}
}

// TestGolden makes the changes of each folder of testdata/golden.
func TestGolden(t *testing.T) {
	folders, _ := filepath.Glob("testdata/golden/*.json")
	if len(folders) < 10 {
		t.Fatalf("%d golden edits", len(folders))
	}
	for _, file := range folders {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".json"), func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var golden struct {
				Document string
				Changes  []struct {
					Path  []any
					Value any
					Gone  bool
				}
			}
			decoder := json.NewDecoder(strings.NewReader(string(raw)))
			decoder.UseNumber()
			if err := decoder.Decode(&golden); err != nil {
				t.Fatal(err)
			}
			i := slices.IndexFunc(samples(t), func(s sample) bool { return s.name == golden.Document })
			s := samples(t)[i]
			want := parse(t, s.text, s.format).Value()
			for _, change := range golden.Changes {
				at := place{}
				for _, step := range change.Path {
					if number, isNumber := step.(json.Number); isNumber {
						index, _ := number.Int64()
						step = int(index)
					}
					at = append(at, step)
				}
				to := change.Value
				if change.Gone {
					to = removed{}
				}
				want = set(want, at, to)
			}
			got := edit(t, s, want)
			expected, err := os.ReadFile(strings.TrimSuffix(file, ".json") + ".after")
			if os.Getenv("UPDATE_GOLDEN") != "" {
				if err := os.WriteFile(strings.TrimSuffix(file, ".json")+".after", []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got != string(expected) {
				t.Errorf("%s", cmp.Diff(string(expected), got))
			}
		})
	}
}
