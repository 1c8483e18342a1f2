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
				after := editAt(t, s, change(value, at, to))
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
			switch get(value, at).(type) {
			case map[string]any:
			case []any:
				step = -1
			default:
				continue
			}
			for _, v := range items {
				added := document.Change{Place: append(slices.Clone(at), step), Value: v}
				edited, err := parse(t, s.text, s.format).Edit([]document.Change{added})
				var refused *document.Error
				if s.name == "anchors.yaml" && errors.As(err, &refused) {
					continue
				}
				if err != nil {
					t.Errorf("%s: %s: %v", s.name, show(at), err)
					continue
				}
				text := edited.Text()
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

// TestCommentsOfOthers adds an item to texts of others, and removes it again. Comments stay with the items and brackets
// that they are about.
func TestCommentsOfOthers(t *testing.T) {
	tests := []struct{ before, want, after string }{
		{"[] # none\n", `["a"]`, "[a] # none\n"},
		{"{} # none\n", `{"a":1}`, "{a: 1} # none\n"},
		{"- {} # none\n", `[{"a":1}]`, "- {a: 1} # none\n"},
		{"- - [] # none\n  - b\n", `[[["a"],"b"]]`, "- - [a] # none\n  - b\n"},
		{"a: [] # none\n", `{"a":["b"]}`, "a: # none\n- b\n"},
		{"[\n  's' # c\n]\n", `["s","x"]`, "[\n  's', # c\n  x\n]\n"},
		{"[\n  's', # c\n]\n", `["s","x","z"]`, "[\n  's', # c\n  x,\n  z,\n]\n"},
		{"[\n  's' # c\n  , # d\n]\n", `["s","x"]`, "[\n  's' # c\n  , # d\n  x,\n]\n"},
		{"[\n  's' # c\n  # d\n]\n", `["s","x","z"]`, "[\n  's', # c\n  x,\n  z\n  # d\n]\n"},
		{"a: [b, c # d\n  ]\n", `{"a":["b","c","x"]}`, "a: [b, c, # d\n  x\n  ]\n"},
		{"[\n  a, # a\n  # b\n  b\n]\n", `["a","x","b"]`, "[\n  a, # a\n  x,\n  # b\n  b\n]\n"},
		{"{ # c\n  # d\n}\n", `{"k":"v"}`, "{ # c\n  # d\n  k: v\n}\n"},
		{"a: [ # c\n  ]\n", `{"a":["b","c"]}`, "a: [ # c\n    b,\n    c\n  ]\n"},
		{"{ # c\r\n}\r\n", `{"k":"v"}`, "{ # c\r\n  k: v\r\n}\r\n"},
	}
	for _, test := range tests {
		value := parse(t, test.before, document.YAML).Value()
		got := edit(t, sample{"", test.before, document.YAML}, decode(t, test.want))
		if got != test.after {
			t.Errorf("%q to %s: %q instead of %q", test.before, test.want, got, test.after)
		}
		if back := edit(t, sample{"", got, document.YAML}, value); back != test.before {
			t.Errorf("%q without the new item: %q instead of %q", got, back, test.before)
		}
	}
	for before, want := range map[string]string{
		"{ # c\n  # d\n  k: v\n}\n":              "{ # c\n  # d\n}\n",
		"{\n  k: v, # k\n  # d\n  l: w # l\n}\n": "{\n  # d\n}\n",
		"{ # c\n  k: v, l: w,\n}\n":              "{ # c\n}\n",
		"{k: v, # k\n  # d\n  l: w}\n":           "{\n  # d\n  }\n",
		"{\n  k: v # k\n}\n":                     "{}\n",
	} {
		if got := edit(t, sample{"", before, document.YAML}, map[string]any{}); got != want {
			t.Errorf("%q without members: %q instead of %q", before, got, want)
		}
	}
}

// TestReplacedItems removes items in brackets, and adds others, in one edit. Comments on other lines stay where they are.
func TestReplacedItems(t *testing.T) {
	remove := func(place ...any) document.Change { return document.Change{Place: place, Removes: true} }
	add := func(v string, place ...any) document.Change { return document.Change{Place: place, Value: v} }
	for _, test := range []struct {
		before  string
		changes []document.Change
		after   string
	}{
		{
			"hosts: [ # keep sorted\n  a,\n  # end of list\n]\n",
			[]document.Change{remove("hosts", 0), add("b", "hosts", -1)},
			"hosts: [ # keep sorted\n  b,\n  # end of list\n]\n",
		},
		{
			"hosts: [\n  a,\n  b\n]\n",
			[]document.Change{remove("hosts", 0), remove("hosts", 1), add("c", "hosts", -1)},
			"hosts: [\n  c\n]\n",
		},
		{
			"labels: { # team X owns this\n  a: b\n}\n",
			[]document.Change{remove("labels", "a"), add("d", "labels", "c")},
			"labels: { # team X owns this\n  c: d\n}\n",
		},
		{
			"hosts: [\n  a,\n  b,\n  # c is special\n  c,\n]\n",
			[]document.Change{remove("hosts", 1)},
			"hosts: [\n  a,\n  # c is special\n  c,\n]\n",
		},
		{
			"hosts: [a,\n  # c is special\n  c,\n]\n",
			[]document.Change{remove("hosts", 0)},
			"hosts: [\n  # c is special\n  c,\n]\n",
		},
	} {
		edited, err := parse(t, test.before, document.YAML).Edit(test.changes)
		if err != nil {
			t.Errorf("%q: %v", test.before, err)
		} else if got := edited.Text(); got != test.after {
			t.Errorf("%q: %q instead of %q", test.before, got, test.after)
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
			text := editAt(t, s, change(value, at, removed{}))
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

// TestLists sets lists as a whole. Elements that stay keep their comments.
func TestLists(t *testing.T) {
	tests := []struct{ before, want, after string }{
		{`[[]]`, `["x",["y"]]`, `["x", ["y"]]`},
		{"- []\n", `["x",["y"]]`, "- x\n- - \"y\"\n"},
		{"- a # one\n- b # two\n", `["x","a","b"]`, "- x\n- a # one\n- b # two\n"},
		{"- a # one\n- b # two\n- c # three\n", `["a","x","c"]`, "- a # one\n- x # two\n- c # three\n"},
		{"- a # one\n- b # two\n- c # three\n", `["c","a"]`, "- c\n- a # one\n"},
		{"- a # one\n- b # two\n- c # three\n", `["a","x","y","c"]`, "- a # one\n- x # two\n- \"y\"\n- c # three\n"},
		{"- n: a # one\n  v: 1\n- n: b # two\n  v: 2\n", `[{"n":"b","v":3},{"n":"c"}]`, "- n: b # one\n  v: 3\n- n: c # two\n"},
		{"- n: a # one\n- n: b # two\n- n: c # three\n", `[{"n":"b","v":1},{"n":"c"}]`, "- n: b # one\n  v: 1\n- n: c # three\n"},
		{
			"- n: a # one\n  t: x\n- n: b # two\n  t: x\n- n: c # three\n  t: x\n", `[{"n":"b","t":"x"},{"n":"c","t":"x"},{"n":"d","t":"x"}]`,
			"- n: b # two\n  t: x\n- n: c # three\n  t: x\n- \"n\": d\n  t: x\n",
		},
		{
			"- n: a # one\n  t: x\n- n: b # two\n  t: x\n", `[{"n":"b","t":"x","v":1},{"n":"c","t":"x"}]`,
			"- n: b # one\n  t: x\n  v: 1\n- n: c # two\n  t: x\n",
		},
		{"k:\n- n: a # one\n  # about v\n  v: 1\n", `{"k":[{"v":1}]}`, "k:\n-\n  # about v\n  v: 1\n"},
		{"k:\n- n: a # one\n  v: 1\n", `{"k":[{"v":1}]}`, "k:\n- v: 1\n"},
		{"k:\n- n: a\n", `{"k":[{}]}`, "k:\n- {}\n"},
		{"k:\n- n: a\n", `{"k":[{"v":1}]}`, "k:\n- v: 1\n"},
		{"k:\n- a # one\n", `{"k":[]}`, "k: []\n"},
		{"a: 1 # one\nb: 2 # two\n", `{"c":3}`, "c: 3 # two\n"},
		{"a: 1 # one\n# others\nb: 2 # two\n", `{"c":3}`, "# others\nc: 3\n"},
		{"k:\n  a: 1\n  # others\n  b: 2 # two\nz: 1\n", `{"k":{"c":3},"z":1}`, "k:\n  # others\n  c: 3\nz: 1\n"},
		{"- 1\n# others\n- 2", `["c"]`, "- c\n# others"},
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
		if got := edit(t, sample{"", test.before, document.YAML}, decode(t, test.want)); got != test.after {
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
	}

	// The last element moves to the front.
	moved := slices.Concat(elements[n-1:], elements[:n-1])
	text = edit(t, sample{"", strings.Join(lines, ""), document.YAML}, moved)
	if want := strings.Join(lines[:n-1], ""); !strings.HasSuffix(text, want) {
		t.Errorf("the others changed:\n%.300s", text)
	}
}

// TestElements changes elements of lists together. All indexes are those before the changes.
func TestElements(t *testing.T) {
	const before = "a:\n- n: x # x\n  v: [1, 2] # v\n- n: x # y\n  v: [1]\n- - z # z\n- end\n"
	tests := []struct {
		before  string
		changes []document.Change
		after   string
	}{
		{
			"[\n  a, # c\n  b # d\n]\n",
			[]document.Change{{Place: place{1}, Removes: true}, {Place: place{-1}, Value: "x"}},
			"[\n  a, # c\n  x\n]\n",
		},
		{
			"[\n  a, # c\n  b, # d\n  # e\n  f, # g\n]\n",
			[]document.Change{
				{Place: place{1}, Removes: true},
				{Place: place{2}, Removes: true},
				{Place: place{-1}, Value: "x"},
				{Place: place{-1}, Value: "z"},
			},
			"[\n  a, # c\n  x,\n  z,\n  # e\n]\n",
		},
		{
			"{a: 1, b: 2, c: 3} # d\n",
			[]document.Change{{Place: place{"b"}, Removes: true}, {Place: place{"c"}, Removes: true}, {Place: place{"e"}, Value: "x"}},
			"{a: 1, e: x} # d\n",
		},
		{
			before,
			[]document.Change{
				{Place: place{"a", 0}, Removes: true},
				{Place: place{"a", 1, "v", 0}, Removes: true},
				{Place: place{"a", 1, "v", -1}, Value: json.Number("1")},
				{Place: place{"a", 1, "v", -1}, Value: json.Number("2")},
				{Place: place{"a", 2, 0}, Value: "end"},
				{Place: place{"a", -1}, Value: "z"},
				{Place: place{"a", 3}, Removes: true},
			},
			"a:\n- n: x # y\n  v: [1, 2]\n- - end # z\n- z\n",
		},
		{
			before,
			[]document.Change{
				{Place: place{"a", 0, "v"}, Value: []any{json.Number("2"), "new"}},
				{Place: place{"a", 3}, Removes: true},
				{Place: place{"b", "c", -1}, Value: "d"},
				{Place: place{"b", "e"}, Value: "f"},
			},
			"a:\n- n: x # x\n  v: [2, new] # v\n- n: x # y\n  v: [1]\n- - z # z\nb:\n  c:\n  - d\n  e: f\n",
		},
	}
	for _, test := range tests {
		if diff := cmp.Diff(test.after, editAt(t, sample{"", test.before, document.YAML}, test.changes...)); diff != "" {
			t.Error(diff)
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
			var changes []document.Change
			for _, c := range golden.Changes {
				for i, step := range c.Path {
					if number, isNumber := step.(json.Number); isNumber {
						index, _ := number.Int64()
						c.Path[i] = int(index)
					}
				}
				changes = append(changes, document.Change{Place: c.Path, Value: c.Value, Removes: c.Gone})
			}
			got := editAt(t, s, changes...)
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
