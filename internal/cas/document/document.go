// Package document changes values within a YAML or JSON text, and keeps every byte outside the change: comments, order,
// quotes, indentation and line ends.
//
// Parse records where each value stands in the text. Document.Edit turns changes of values into splices of the text.
// Edit then parses the new text, and returns it only if the text contains exactly the wanted value. This check makes
// the splices safe.
package document

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// Format is the format of a document.
type Format string

const (
	YAML Format = "yaml"
	JSON Format = "json"
)

// Error is the reason why a text is no document, or why a document cannot be changed.
type Error struct {
	Line   int // from 1; 0 if it is not known
	Reason string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Reason
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Reason)
}

// Document is a parsed text. It does not change.
type Document struct {
	text   string
	format Format
	root   *node
	isJSON bool   // JSON text is edited as JSON, also in a YAML document
	unsure *Error // why no value can be changed; nil if the place of each value is known

	step, listStep int    // YAML: the indentation of maps and of lists in maps
	indent         string // JSON: the indentation; empty if the document has one line
}

// kind is the kind of a value.
type kind uint8

const (
	scalar kind = iota
	list
	mapping
)

func kindOf(v any) kind {
	switch v.(type) {
	case map[string]any:
		return mapping
	case []any:
		return list
	default:
		return scalar
	}
}

// style is the style of a YAML scalar.
type style uint8

const (
	plain style = iota
	single
	double
	block // literal or folded
)

// node is a value in the text. All places are offsets in bytes.
type node struct {
	kind       kind
	value      any
	line       int // of a YAML value
	from       int // the end of the colon, the dash, the anchor or the tag before the value
	start, end int
	isFlow     bool // in brackets or braces
	style      style
	column     int // of the keys or dashes of a block, or of the lines of a block scalar
	items      []item
	merged     map[string]any // the members that merge keys bring in
	locked     string         // why the value and its parts cannot be changed
	aliases    []int          // where aliases use the value
	size       int            // how many values it has, those of its aliases included
}

// item is a member of a map or an element of a list.
type item struct {
	name    string // of a member
	isMerge bool
	start   int // of the key, the dash, or the element of a flow list
	keyEnd  int
	value   *node
}

func (i item) end() int { return max(i.value.end, i.keyEnd) }

// maxDepth is how deep values can be nested.
const maxDepth = 1000

// Parse parses a text. The error is an *Error.
func Parse(text string, format Format) (parsed *Document, err error) {
	defer recoverAs(&err, "the text cannot be parsed")
	d := &Document{text: text, format: format, listStep: -1}
	if strings.HasPrefix(text, "\uFEFF") {
		return nil, &Error{1, "the text begins with a byte order mark"}
	}
	if !utf8.ValidString(text) {
		valid := 0
		for r, size := utf8.DecodeRuneInString(text); r != utf8.RuneError || size > 1; {
			valid += size
			r, size = utf8.DecodeRuneInString(text[valid:])
		}
		return nil, &Error{d.lineAt(valid), "the text is not valid UTF-8"}
	}
	if format == JSON {
		return d, d.parseJSON()
	}
	if first := strings.TrimLeft(text, " \t\r\n"); strings.HasPrefix(first, "{") || strings.HasPrefix(first, "[") {
		if d.parseJSON() == nil && len(d.root.items) > 0 {
			return d, nil
		}
		*d = Document{text: text, format: format, listStep: -1}
	}
	if err := d.parseYAML(); err != nil {
		return nil, err
	}
	return d, nil
}

// recoverAs turns a panic into an *Error with a reason. Other writers write the texts, and no text may end the process.
func recoverAs(err *error, reason string) {
	if r := recover(); r != nil {
		*err = &Error{0, fmt.Sprintf("%s: %v", reason, r)}
	}
}

// Text returns the text of the document.
func (d *Document) Text() string { return d.text }

// Value returns the value of the document, nil for an empty one: maps, lists, texts, bools, nil, and json.Number in the
// form that Number returns. The value must not be changed, because aliases share their values.
func (d *Document) Value() any { return d.root.value }

// lineAt returns the number of the line at an offset.
func (d *Document) lineAt(offset int) int { return 1 + strings.Count(d.text[:offset], "\n") }

// lineEnd returns the end of the line at an offset, without its line break.
func (d *Document) lineEnd(offset int) int {
	if i := strings.IndexAny(d.text[offset:], "\r\n"); i >= 0 {
		return offset + i
	}
	return len(d.text)
}

// lineStart returns the beginning of the line at an offset.
func (d *Document) lineStart(offset int) int {
	return 1 + strings.LastIndexAny(d.text[:offset], "\r\n")
}

// breakBefore returns the beginning of the line break before the line at an offset, and 0 if there is none.
func (d *Document) breakBefore(offset int) int {
	at := d.lineStart(offset)
	switch {
	case at == 0:
		return 0
	case strings.HasSuffix(d.text[:at], "\r\n"):
		return at - 2
	default:
		return at - 1
	}
}

// breakAfter returns the end of the line break at an offset.
func (d *Document) breakAfter(offset int) int {
	switch {
	case strings.HasPrefix(d.text[offset:], "\r\n"):
		return offset + 2
	case offset < len(d.text):
		return offset + 1
	default:
		return offset
	}
}

// skip returns the offset after white space and comments.
func (d *Document) skip(at int) int {
	for at < len(d.text) {
		switch d.text[at] {
		case ' ', '\t', '\r', '\n':
			at++
		case '#':
			at = d.lineEnd(at)
		default:
			return at
		}
	}
	return at
}

// newline returns the line break of the document.
func (d *Document) newline() string {
	if end := d.lineEnd(0); strings.HasPrefix(d.text[end:], "\r\n") {
		return "\r\n"
	}
	return "\n"
}

// isEqual reports whether two values are equal.
func isEqual(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		other, isMap := b.(map[string]any)
		return isMap && maps.EqualFunc(a, other, isEqual)
	case []any:
		other, isList := b.([]any)
		return isList && slices.EqualFunc(a, other, isEqual)
	default:
		return a == b
	}
}
