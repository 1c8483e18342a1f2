package message

import (
	"cmp"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"github.com/agext/levenshtein"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"golang.org/x/text/unicode/norm"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// lookalikeFact returns the reason of a conflict if the two values look alike. It names no attribute if the expected
// value comes from the state.
func (s Subject) lookalikeFact(k eval.KeyConflict, found eval.Value) []Fact {
	key, _ := NameOf(k.Key)
	attribute, says := path.Empty(), k.Expected
	switch s.faultOf(k) {
	case faultMismatch:
		attribute = s.Keys[k.Key].Expected
	case faultExists:
		attribute, says = s.Keys[k.Key].Value, k.New
	case faultHeld, faultChanged:
	}
	note, remedy := lookalike(cmp.Or(attribute.String(), "what was expected"), says, key, found)
	if note == "" {
		return nil
	}
	if name := root(attribute); remedy != "" && name != "" && !takesBase64(name) { // bytes are written in base64
		note += ": use " + remedy
	}
	return []Fact{{"Note", note}}
}

// lookalikes are ways in which two texts look alike: the difference, and the form in which the texts are equal. remedy
// is the expression that returns the form.
var lookalikes = []struct {
	in, remedy string
	form       func(string) string
}{
	{"line endings, CRLF or LF", `replace(..., "\r\n", "\n")`, withLF},
	{"a trailing newline", "chomp(...)", withoutNewline},
	{
		"line endings, CRLF or LF, and a trailing newline", `chomp(replace(..., "\r\n", "\n"))`,
		func(s string) string { return withoutNewline(withLF(s)) },
	},
	{"quotes around the value", `trim(..., "\"'")`, func(s string) string { return strings.Trim(s, `"'`) }},
	{"spaces around the value", "trimspace(...)", strings.TrimSpace},
	{"Unicode normal form", "", norm.NFC.String},
	{"upper and lower case", "", strings.ToLower},
}

func withLF(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

func withoutNewline(s string) string { return strings.TrimRight(s, "\r\n") }

// lookalike returns the difference between the value of a key and that of an attribute, if the two look alike. There is
// a remedy only if it gives the attribute the value of the key. The note contains no value and no length, so hidden
// values have it as well.
func lookalike(attribute string, says eval.Value, key string, holds eval.Value) (note, remedy string) {
	if says.IsAbsent() || says.IsAnything() || holds.IsAbsent() || isStructured(says) || isStructured(holds) {
		return "", ""
	}
	a, b := says.Raw(), holds.Raw()
	_, isText := holds.Text()
	_, saysText := says.Text()
	same := func(remedy string) string { // another map needs another attribute
		if isText != saysText {
			return ""
		}
		return remedy
	}
	switch {
	case a == b && isText && !saysText:
		return fmt.Sprintf("%s is text (data), and %s is bytes (binaryData)", key, attribute), ""
	case a == b && !isText && saysText:
		return fmt.Sprintf("%s is bytes (binaryData), and %s is text (data)", key, attribute), ""
	case isBase64Of(a, b):
		return fmt.Sprintf("%s is the base64 of what %s holds", attribute, key), same("base64decode(...)")
	case isBase64Of(b, a):
		return fmt.Sprintf("%s holds the base64 of what %s says", key, attribute), same("base64encode(...)")
	}
	for _, l := range lookalikes {
		if isText != saysText || l.form(a) != l.form(b) {
			continue
		}
		if l.form(a) == b {
			remedy = l.remedy
		}
		return fmt.Sprintf("%s and %s differ only in %s", attribute, key, l.in), remedy
	}
	return "", ""
}

// didYouMean asks for the existing name that is most like the missing one. It is empty where none is near, and ends
// with a space.
func didYouMean(missing string, names []string) string {
	if name := nearest(missing, names); name != "" && name != missing { // it may have come or gone since
		return fmt.Sprintf("Did you mean %s? ", name)
	}
	return ""
}

// nearest returns the existing name that is most like another one; empty if none is near.
func nearest(missing string, names []string) string {
	for _, name := range byNearness(missing, names)[:min(len(names), 1)] {
		distance := levenshtein.Distance(strings.ToLower(missing), strings.ToLower(name), nil)
		if 3*distance <= max(len(missing), len(name)) {
			return name
		}
	}
	return ""
}

// byNearness sorts names, those most like the missing one first.
func byNearness(missing string, names []string) []string {
	distance := map[string]int{}
	for _, name := range names {
		distance[name] = levenshtein.Distance(missing, name, nil)
	}
	return slices.SortedFunc(slices.Values(names), func(a, b string) int {
		return cmp.Or(cmp.Compare(distance[a], distance[b]), cmp.Compare(a, b))
	})
}

func isBase64Of(encoded, plain string) bool {
	return plain != "" && encoded == base64.StdEncoding.EncodeToString([]byte(plain))
}
