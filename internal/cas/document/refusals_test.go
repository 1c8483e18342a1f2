package document_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/document"
)

// TestInvalid refuses texts that are no documents, with the line and the reason.
func TestInvalid(t *testing.T) {
	bomb := "a: &a [x, x, x, x, x, x, x, x, x, x]\n"
	for c := 'b'; c < 'z'; c++ {
		bomb += string(c) + ": &" + string(c) + " [" + strings.Repeat("*"+string(c-1)+", ", 10) + "]\n"
	}
	tests := []struct {
		name, text string
		format     document.Format
		want       string
	}{
		{"a list in brackets without end", "a: 1\nb: [\n", document.YAML, "line 3: this is not valid YAML"},
		{"a list in brackets that goes on as a map", "a: 1\nb: [\nc: 2\n", document.YAML, "line 2: this is not valid YAML"},
		{"a list element in a map", "a: 1\n- b\n", document.YAML, "line 2: this is not valid YAML"},
		{"a value beside a map", "a: 1\n b: 2\n", document.YAML, "line 2: this is not valid YAML"},
		{"an error in the first line", "a: b: c\n", document.YAML, "line 1: this is not valid YAML"},
		{"an element that ends in the first line", "- a\nb: 1\n", document.YAML, "line 2: this is not valid YAML"},
		{"a control character in YAML", "a: 1\nb: \x01\n", document.YAML, "line 2: this is not valid YAML"},
		{"a tab", "a:\n\t- b\n", document.YAML, "line 2: this is not valid YAML"},
		{"several documents", "a: 1\n---\nb: 2\n", document.YAML, "line 3: a second document begins"},
		{"duplicate keys", "a: 1\nb:\n  c: 1\n  c: 2\n", document.YAML, `line 4: there are two members "c" in one map`},
		{"duplicate keys in other quotes", "a: 1\n\"a\": 2\n", document.YAML, `line 2: there are two members "a"`},
		{"a key that is a map", "{a: 1}: b\n", document.YAML, "line 1: a key is a map"},
		{"a key that is a list", "? [a]\n: b\n", document.YAML, "line 1: a key is a map, a list"},
		{"a key that is an alias", "a: &a b\n*a : c\n", document.YAML, "line 2: a key is a map, a list or an alias"},
		{"a byte order mark", "\uFEFFa: 1\n", document.YAML, "line 1: the text begins with a byte order mark"},
		{"invalid UTF-8", "a: 1\nb: \xff\n", document.YAML, "line 2: the text is not valid UTF-8"},
		{"an alias bomb", bomb, document.YAML, "aliases bring in more than"},
		{"an alias of its own value", "a: &a [*a]\n", document.YAML, "is a part of its own value"},
		{"an alias without anchor", "a: *b\n", document.YAML, "unknown anchor"},
		{"nesting", strings.Repeat("[", 1100) + strings.Repeat("]", 1100), document.YAML, "nested more than 1000 deep"},
		{"deep nesting", strings.Repeat("- ", 100_000) + "a", document.YAML, "depth"},
		{"a merge of a text", "a:\n  <<: b\n", document.YAML, "line 2: a merge key has a value that is no map"},
		{"infinity", "a: .inf\n", document.YAML, "line 1: .inf is no number that JSON has"},
		{"nesting in JSON", strings.Repeat("[", 1100) + strings.Repeat("]", 1100), document.JSON, "nested more than 1000 deep"},
		{"YAML as JSON", "a: 1", document.JSON, "line 1: this is not valid JSON"},
		{"a comma at the end", "[1,\n2,\n]", document.JSON, `line 3: this is not valid JSON: invalid character ']'`},
		{"duplicate members", "{\"a\": 1,\n\"\\u0061\": 2}", document.JSON, `line 2: there are two members "a" in one object`},
		{"two values", "{}\n[]", document.JSON, `line 2: this is not valid JSON: invalid character '['`},
		{"half of a pair", `["\ud800"]`, document.JSON, "half of a surrogate pair"},
		{"a control character", "[\"a\nb\"]", document.JSON, "in string literal"},
		{"a text without end", `["a`, document.JSON, "unexpected end"},
		{"a list without end", `[1`, document.JSON, "unexpected end"},
		{"no list at all", `[`, document.JSON, "unexpected end"},
		{"a name without colon", `{"a" 1}`, document.JSON, "after object key"},
		{"a name without quotes", `{a: 1}`, document.JSON, "looking for beginning of object key"},
		{"a number of another language", `[01]`, document.JSON, "invalid character '1'"},
		{"a word", `[nil]`, document.JSON, "this is not valid JSON"},
		{"no value", `[}`, document.JSON, "invalid character '}'"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := document.Parse(test.text, test.format)
			var refused *document.Error
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v instead of %s", err, test.want)
			}
		})
	}
}

// TestUnknownLine has errors that package yaml reports without a line, which is not always the first one.
func TestUnknownLine(t *testing.T) {
	for _, text := range []string{"a: 1\nb: *c\n", "a: 1\nb: \uFFFE\n"} {
		_, err := document.Parse(text, document.YAML)
		var refused *document.Error
		if !errors.As(err, &refused) || refused.Line != 0 {
			t.Errorf("%q: %v instead of an error without a line", text, err)
		}
	}
}

// TestRefusedChanges refuses changes that would change something else, too. Other changes of the documents are possible.
func TestRefusedChanges(t *testing.T) {
	const anchors = "a: &a\n  b: 1\n  c: [2]\nd: *a\ne:\n  <<: *a\n  f: 3\ng: !secret 4\nh: !map {i: 5}\nj: 6\n"
	tests := []struct {
		name, text string
		at         place
		to         any
		want       string // empty if the change is possible
	}{
		{"inside an alias", anchors, place{"d", "b"}, "x", `line 4: the value comes from the anchor "a", by an alias`},
		{"an alias", anchors, place{"d"}, "x", `line 4: the value comes from the anchor "a"`},
		{"an alias that is removed", anchors, place{"d"}, removed{}, ""},
		{"an anchored value", anchors, place{"a", "b"}, "x", "line 1: an alias in line 4 uses the value"},
		{"an anchored value that is removed", anchors, place{"a"}, removed{}, "line 1: an alias in line 4 uses the value"},
		{"a merged member that is removed", anchors, place{"e", "b"}, removed{}, `brings in the member "b", which cannot be removed`},
		{"a merged member", anchors, place{"e", "b"}, "x", ""},
		{"a part of a merged member", anchors, place{"e", "c", 1}, "x", `brings in the member "c", which cannot be changed in part`},
		{"beside a merge key", anchors, place{"e", "f"}, "x", ""},
		{"a value with a tag", anchors, place{"g"}, "x", "line 8: the value has the tag !secret"},
		{"within a value with a tag", anchors, place{"h", "i"}, "x", "line 9: the value has the tag !map"},
		{"a value with a tag that is removed", anchors, place{"g"}, removed{}, ""},
		{"elsewhere", anchors, place{"j"}, "x", ""},
		{"a new member", anchors, place{"k"}, "x", ""},
		{"a question mark", "? a\n: b\n? c\n: d\n", place{"a"}, "x", "line 1: a key is marked with a question mark"},
		{"an element with a colon", "a: [b: c]\nd: e\n", place{"a", 0, "b"}, "x", "a member without braces"},
		{"beside an element with a colon", "a: [b: c]\nd: e\n", place{"d"}, "x", ""},
		{"a key without a colon", "a: {b, c}\n", place{"a", "b"}, "x", "the key has no colon"},
		{"beside a key without a colon", "a: {b, c}\n", place{"a", "d"}, "x", ""},
		{"a question mark in brackets", "a: [? b : c]\nd: e\n", place{"a", 0, "b"}, "x", "line 1: a key is marked with a question mark"},
		{"beside a question mark in brackets", "a: [? b : c]\nd: e\n", place{"d"}, "x", ""},
		{"a line separator", "- name: ann\u2028\n  role: a\n", place{0, "name"}, removed{}, "line 1: the text contains the line break U+2028"},
		{"a paragraph separator before a comment", "a: b\nc: d\u2029  # e\n", place{"c"}, removed{}, "line 2: the text contains the line break U+2029"},
		{"a next line in a block scalar", "a: |\n  b\u0085c: d\n", place{"c"}, "x", "line 2: the text contains the line break U+0085"},
		{"a next line in a comment", "a: b # c\u0085d: e\n", place{"d"}, "x", "line 1: the text contains the line break U+0085"},
		{"a next line before the last bracket", "a: {b: {c: # d\u0085} }\n# e", place{"a"}, "x", "line 1: the text contains the line break U+0085"},
		{"a line separator after quotes", "a: 'b\u2028'\u2028c: d\n", place{"c"}, "x", "line 1: the text contains the line break U+2028"},
		{"line breaks in quotes", "a: 'b\u2028c\u0085d' # e\nf: \"g\u2029\"\n", place{"f"}, "x", ""},
		{"beside line breaks in quotes", "a: 'b\u2028c\u0085d' # e\nf: g\n", place{"a"}, removed{}, ""},
		{"line breaks in JSON", "{\"a\": \"b\u2028c\u0085d\", \"e\": 1}", place{"e"}, removed{}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := parse(t, test.text, document.YAML)
			want := set(d.Value(), test.at, test.to)
			edited, err := d.Edit([]document.Change{change(d.Value(), test.at, test.to)})
			var refused *document.Error
			switch {
			case test.want == "" && err != nil:
				t.Errorf("%v", err)
			case test.want == "":
				if got := parse(t, edited.Text(), document.YAML).Value(); show(got) != show(want) {
					t.Errorf("%s in\n%s", show(got), edited.Text())
				}
			case !errors.As(err, &refused) || refused.Line == 0 || !strings.Contains(err.Error(), test.want):
				t.Errorf("%v instead of %s", err, test.want)
			}
		})
	}
}

// TestEditOfNoDocument changes a document that Parse did not return. The panic becomes an error.
func TestEditOfNoDocument(t *testing.T) {
	_, err := new(document.Document).Edit([]document.Change{{Value: "x"}})
	var refused *document.Error
	if !errors.As(err, &refused) || !strings.Contains(err.Error(), "a defect of the provider") {
		t.Errorf("%v", err)
	}
}

// TestValues reads scalars.
func TestValues(t *testing.T) {
	tests := map[string]string{
		"1": "1", "1.0": "1", "0x1": "1", "+1": "1", "1e3": "1000", ".5": "0.5", "5.": "5", "1_000": "1000", "0644": "420", "0o17": "15", "0b11": "3", "-0": "0",
		"9007199254740993": "9007199254740993", "123456789012345678901234567890": "123456789012345678901234567890",
		"yes": `"yes"`, "on": `"on"`, "y": `"y"`, "1:30": `"1:30"`, "2024-01-02": `"2024-01-02"`, "true": "true", "True": "true",
		"~": "null", "null": "null", "": "null", `"1"`: `"1"`, "'true'": `"true"`, "!!str 1": `"1"`, "!!int '3'": "3", "!own 1": `"1"`,
		"|\n  x\n": `"x\n"`, "[1, [a]]": `[1,["a"]]`, "089": "89",
	}
	for text, want := range tests {
		if got := show(parse(t, "a: "+text+"\n", document.YAML).Value()); got != `{"a":`+want+`}` {
			t.Errorf("%q: %s instead of %s", text, got, want)
		}
	}
	for text, want := range map[string]string{"1.0": "1", "1e2": "100", "0.10": "0.1", "1e400": "1e400", "-0.0": "0", "": "null"} {
		if got := show(parse(t, text, document.JSON).Value()); got != want {
			t.Errorf("JSON %q: %s instead of %s", text, got, want)
		}
	}
}

// TestLarge edits a document of a MiB, in many lines and in one line. It took milliseconds for each; a quadratic
// algorithm takes minutes.
func TestLarge(t *testing.T) {
	var lines, line, inJSON strings.Builder
	inJSON.WriteString("[")
	line.WriteString("{a: [")
	for range 20_000 {
		lines.WriteString("- name: app # a comment\n  image: \"é\"\n")
		line.WriteString("{name: app, image: \"é\"}, ")
		inJSON.WriteString("{\"name\": \"app\",\n\"image\": \"é\"},\n")
	}
	inJSON.WriteString("1]")
	line.WriteString("], b: c}\n")
	begun := time.Now()
	for _, text := range []string{lines.String(), line.String(), inJSON.String()} {
		d := parse(t, text, document.YAML)
		at := place{"b"}
		if _, isList := d.Value().([]any); isList {
			at = place{19_999, "name"}
		}
		editAt(t, sample{"", text, document.YAML}, document.Change{Place: at, Value: "x"})
		edit(t, sample{"", text, document.YAML}, set(d.Value(), at, "x"))
	}
	t.Log(time.Since(begun))
}
