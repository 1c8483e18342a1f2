// Package fieldpaths parses and prints the paths of fields in Kubernetes objects, as the API server prints them in the
// conflicts of server-side apply and as kubectl explain names them:
//
//	spec.replicas
//	spec.template.spec.containers[name=web].image     the element of a list whose name is web
//	spec.taints[key=dedicated,effect=NoSchedule]      the element that has both
//	metadata.finalizers[=acme.io/hold]                the element of a list of texts
//	metadata.annotations["acme.io/note"]              a name that is not only letters, digits, "_", "-", "/" and "$"
//
// A leading dot and unnecessary quotes are accepted, so that one path may have several spellings: compare the
// results of Text. A selector compares texts: [name=123] selects an element whose name is 123 or "123".
package fieldpaths

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// Parse parses a path. The path has at least one element. The operands of selectors are texts.
func Parse(text string) (fieldpath.Path, error) { return parse(text, false) }

// ParseInDocument is Parse for a path in a document, whose root may be a list.
func ParseInDocument(text string) (fieldpath.Path, error) { return parse(text, true) }

func parse(text string, inDocument bool) (fieldpath.Path, error) {
	if strings.HasPrefix(text, "/") {
		return nil, fmt.Errorf("%q is not a field path: write it as %s", text, fromPointer(text))
	}
	if expression, isJSONPath := cutJSONPath(text); isJSONPath {
		path, err := parse(expression, inDocument)
		if err != nil {
			return nil, err
		}
		return nil, fmt.Errorf("%q is not a field path: write it as %s", text, Text(path))
	}
	p := parser{text: text, rest: strings.TrimPrefix(text, "."), inDocument: inDocument}
	for first := true; p.rest != "" || first; first = false {
		element, err := p.element(first)
		if err != nil {
			return nil, fmt.Errorf("%q is not a field path: %w", text, err)
		}
		p.path = append(p.path, element)
	}
	if inDocument {
		return p.path, nil
	}
	return p.path, p.undotted()
}

type parser struct {
	text, rest string
	inDocument bool
	path       fieldpath.Path
}

var (
	errName  = errors.New("a name must not be empty")
	errClose = errors.New(`there is no "]" for a "["`)
	errUTF8  = errors.New("it is not valid UTF-8")
)

func (p *parser) element(first bool) (fieldpath.PathElement, error) {
	if !utf8.ValidString(p.rest) {
		return fieldpath.PathElement{}, errUTF8
	}
	switch {
	case strings.HasPrefix(p.rest, "["):
		return p.bracket(first)
	case first:
	case strings.HasPrefix(p.rest, "."):
		p.rest = p.rest[1:]
	default:
		return fieldpath.PathElement{}, fmt.Errorf(`there must be "." or "[" before %q`, p.rest)
	}
	end := strings.IndexAny(p.rest, ".[")
	if end < 0 {
		end = len(p.rest)
	}
	name := p.rest[:end]
	if strings.Contains(name, `\`) {
		name, rest := unescaped(p.rest)
		return fieldpath.PathElement{}, p.unquoted(name, rest)
	}
	p.rest = p.rest[end:]
	if name == "" {
		return fieldpath.PathElement{}, errName
	}
	if i := strings.IndexAny(name, "]\"= \t\n"); i >= 0 {
		return fieldpath.PathElement{}, fmt.Errorf("the name %q must be in quotes: [%q]", name, name)
	}
	return fieldpath.FieldNameElement(name), nil
}

// bracket parses a name in quotes, or a selector of an element of a list.
func (p *parser) bracket(first bool) (fieldpath.PathElement, error) {
	none := fieldpath.PathElement{}
	inside := p.rest[1:]
	quoted, err := strconv.QuotedPrefix(inside)
	if err == nil && strings.HasPrefix(inside, `"`) && strings.HasPrefix(inside[len(quoted):], "]") {
		name, err := strconv.Unquote(quoted)
		p.rest = inside[len(quoted)+1:]
		if err != nil || !utf8.ValidString(name) {
			return none, errUTF8
		}
		if name == "" {
			return none, errName
		}
		return fieldpath.FieldNameElement(name), nil
	}
	if name, rest, isClosed := strings.Cut(inside, "']"); isClosed && strings.HasPrefix(name, "'") {
		return none, p.unquoted(name[1:], rest)
	}
	if first && !p.inDocument {
		return none, errors.New("an object is not a list, so no element of it can be selected")
	}
	var keys value.FieldList
	for {
		name, rest, isSelector := strings.Cut(inside, "=")
		if end := strings.Index(inside, "]"); !isSelector || end >= 0 && end < len(name) {
			if end < 0 {
				return none, errClose
			}
			return none, noSelector(inside[:end])
		}
		text, rest, err := operand(rest)
		if err != nil {
			return none, err
		}
		keys = append(keys, value.Field{Name: name, Value: value.NewValueInterface(text)})
		switch {
		case name == "" && strings.HasPrefix(rest, "]") && len(keys) == 1:
			p.rest = rest[1:]
			return fieldpath.ValueElement(keys[0].Value), nil
		case name == "" || !isPlain(name):
			return none, fmt.Errorf("a selector names a field of the element, and %q is not a name", name)
		case strings.HasPrefix(rest, "]"):
			p.rest = rest[1:]
			keys.Sort()
			for i := range keys[1:] {
				if keys[i].Name == keys[i+1].Name {
					return none, fmt.Errorf("a selector names %q twice", keys[i].Name)
				}
			}
			return fieldpath.KeyElement(keys...), nil
		}
		inside = rest[1:] // after a comma
	}
}

// unquoted returns the error of a name that must be in quotes, with the path that the text means.
func (p *parser) unquoted(name, rest string) error {
	meant := append(slices.Clone(p.path), fieldpath.FieldNameElement(name))
	return fmt.Errorf("a name with special characters must be in double quotes, and dots need no backslash: "+
		"write it as %s%s", Text(meant), rest)
}

// unescaped returns the name at the beginning of a text in which a backslash escapes the character after it, as in
// the JSONPath of kubectl, and the text behind the name.
func unescaped(text string) (name, rest string) {
	var b strings.Builder
	isEscaped := false
	for i, r := range text {
		switch {
		case isEscaped:
			isEscaped = false
			b.WriteRune(r)
		case r == '\\':
			isEscaped = true
		case r == '.' || r == '[':
			return b.String(), text[i:]
		default:
			b.WriteRune(r)
		}
	}
	return b.String(), ""
}

// cutJSONPath returns a JSONPath without the braces of kubectl and without the root.
func cutJSONPath(text string) (expression string, isJSONPath bool) {
	expression, hasBrace := strings.CutPrefix(text, "{")
	if hasBrace {
		expression = strings.TrimSuffix(expression, "}")
	}
	hasRoot := strings.HasPrefix(expression, "$.") || strings.HasPrefix(expression, "$[")
	if hasRoot {
		expression = expression[1:]
	}
	return expression, hasBrace || hasRoot
}

// fromPointer returns the path that a JSON Pointer (RFC 6901) means.
func fromPointer(pointer string) string {
	var p fieldpath.Path
	for name := range strings.SplitSeq(pointer[1:], "/") {
		p = append(p, fieldpath.FieldNameElement(strings.NewReplacer("~1", "/", "~0", "~").Replace(name)))
	}
	return Text(p)
}

// operand parses the operand of a selector: the text up to a comma or a bracket, or a text in quotes.
func operand(rest string) (text, after string, err error) {
	if strings.HasPrefix(rest, `"`) {
		quoted, err := strconv.QuotedPrefix(rest)
		if err != nil {
			return "", "", errClose
		}
		text, err = strconv.Unquote(quoted)
		if err != nil || !utf8.ValidString(text) {
			return "", "", errUTF8
		}
		after = rest[len(quoted):]
	} else {
		end := strings.IndexAny(rest, ",]")
		if end < 0 {
			return "", "", errClose
		}
		text, after = rest[:end], rest[end:]
		if plain := strings.Trim(text, "'"); plain != text {
			return "", "", fmt.Errorf("the operand %s of a selector must be in double quotes, as %s", text, quoted(plain))
		}
		if text == "" || strings.ContainsAny(text, `"[`) {
			return "", "", fmt.Errorf("the operand %q of a selector must be in quotes", text)
		}
	}
	if !strings.HasPrefix(after, ",") && !strings.HasPrefix(after, "]") {
		return "", "", errClose
	}
	return text, after, nil
}

// noSelector returns the error of a bracket that is no selector. An index is none, because it does not name
// the same element for long.
func noSelector(inside string) error {
	if _, err := strconv.Atoi(inside); err == nil || inside == "" || inside == "*" {
		return fmt.Errorf("[%s] is a place in a list, where another element may stand tomorrow: select the element by "+
			"what it holds, as [name=web], or [=web] in a list of texts", inside)
	}
	return fmt.Errorf("[%s] selects nothing: a name must be in quotes, as [%q], "+
		"and a selector has a \"=\", as [name=web]", inside, inside)
}

// undotted refuses a name with dots and without quotes in labels and annotations, whose values are texts.
func (p *parser) undotted() error {
	for i := 1; i+2 < len(p.path); i++ {
		above, field := p.path[i-1].FieldName, p.path[i].FieldName
		if above == nil || *above != "metadata" || field == nil || *field != "labels" && *field != "annotations" {
			continue
		}
		var names []string
		for _, e := range p.path[i+1:] {
			if e.FieldName == nil {
				return fmt.Errorf("%q is not a field path: %s holds texts, which have no elements", p.text, *field)
			}
			names = append(names, *e.FieldName)
		}
		quoted := append(slices.Clone(p.path[:i+1]), fieldpath.FieldNameElement(strings.Join(names, ".")))
		return fmt.Errorf("%q is not a field path: a name with dots must be in quotes, as %s", p.text, Text(quoted))
	}
	return nil
}

// isPlain reports whether a name needs no quotes.
func isPlain(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		isPlain := 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("_-/$", r)
		return !isPlain
	})
}

// isRoot reports whether a path that begins with the name looks like a JSON Pointer or a JSONPath.
func isRoot(name string) bool {
	return name == "$" || strings.HasPrefix(name, "/")
}

// Text returns the canonical spelling of a path.
func Text(p fieldpath.Path) string {
	var b strings.Builder
	for i, e := range p {
		switch {
		case e.FieldName != nil && isPlain(*e.FieldName) && (i > 0 || !isRoot(*e.FieldName)):
			if i > 0 {
				b.WriteByte('.')
			}
			b.WriteString(*e.FieldName)
		case e.FieldName != nil:
			fmt.Fprintf(&b, "[%s]", quoted(*e.FieldName))
		case e.Key != nil:
			for j, key := range *e.Key {
				b.WriteByte("[,"[min(j, 1)])
				b.WriteString(key.Name + "=" + operandText(Scalar(key.Value.Unstructured())))
			}
			b.WriteByte(']')
		case e.Value != nil:
			b.WriteString("[=" + operandText(Scalar((*e.Value).Unstructured())) + "]")
		case e.Index != nil:
			fmt.Fprintf(&b, "[%d]", *e.Index)
		}
	}
	return b.String()
}

func operandText(text string) string {
	isSpecial := func(r rune) bool { return !isPlain(string(r)) && r != '.' && r != ':' }
	if text != "" && !strings.ContainsFunc(text, isSpecial) {
		return text
	}
	return quoted(text)
}

// quoted puts a text in quotes. Terraform normalizes every string to NFC: a text that is not NFC is escaped,
// so that ids and configurations keep it.
func quoted(text string) string {
	if !norm.NFC.IsNormalString(text) {
		return strconv.QuoteToASCII(text)
	}
	return strconv.Quote(text)
}

// Scalar returns the text form of a scalar, and "" for a map, a list or nil.
func Scalar(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	case bool, int64, int:
		return fmt.Sprint(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return ""
}
