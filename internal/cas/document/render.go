package document

import (
	"cmp"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// flowStyle is how values in brackets and braces are written.
type flowStyle struct {
	isJSON       bool // all texts in double quotes
	comma, colon string
	newline      string
	step         string // the indentation of items in lines of their own; empty for values in one line
}

// render returns a value in brackets or braces, or a scalar. indent is the indentation of the line that it begins in.
func (s flowStyle) render(v any, indent string) string {
	var items []string
	opening, closing := "[", "]"
	switch v := v.(type) {
	case map[string]any:
		opening, closing = "{", "}"
		for _, name := range slices.Sorted(maps.Keys(v)) {
			items = append(items, s.member(name, s.render(v[name], indent+s.step)))
		}
	case []any:
		for _, element := range v {
			items = append(items, s.render(element, indent+s.step))
		}
	case string:
		return s.text(v)
	default:
		return scalarText(v)
	}
	if s.step == "" || len(items) == 0 {
		return opening + strings.Join(items, s.comma) + closing
	}
	inner := s.newline + indent + s.step
	return opening + inner + strings.Join(items, ","+inner) + s.newline + indent + closing
}

// member returns a member of a map with a rendered value. A name without quotes needs a space after the colon.
func (s flowStyle) member(name, value string) string {
	name = s.text(name)
	if s.colon == ":" && !strings.HasPrefix(name, `"`) {
		return name + ": " + value
	}
	return name + s.colon + value
}

func (s flowStyle) text(text string) string {
	if s.isJSON || !isPlain(text) || strings.ContainsAny(text, ",[]{}:?") {
		return quoted(text)
	}
	return text
}

// scalarText returns a number, a bool or a null. YAML 1.1 requires a dot before an exponent, and JSON permits it.
func scalarText(v any) string {
	switch v := v.(type) {
	case bool:
		return strconv.FormatBool(v)
	case json.Number:
		digits, exponent, hasExponent := strings.Cut(v.String(), "e")
		if hasExponent && !strings.Contains(digits, ".") {
			return digits + ".0e" + exponent
		}
		return v.String()
	default:
		return "null"
	}
}

// blockStyle is how values are written in lines of their own.
type blockStyle struct {
	step, listStep int
	dash           int  // the width of a dash and the spaces after it
	noBlocks       bool // no block scalars
	keepsBreak     bool // the line break before removed items at the end of the text
}

// place is the place of a value in a block.
type place struct {
	outer  int // the column of the keys or dashes around it
	inList bool
	isRoot bool
	isFlow bool
	dash   int // the width of the dash before it, if it is in a list that has one
}

// render returns a value: the text that goes into the line of its key or dash, and the lines that follow.
func (s blockStyle) render(v any, at place) (inline string, lines []string) {
	column := func(step int) int {
		switch {
		case at.isRoot:
			return 0
		case at.inList:
			return at.outer + cmp.Or(at.dash, s.dash)
		default:
			return at.outer + step
		}
	}
	switch v := v.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(v)) {
			lines = append(lines, s.member(name, v[name], column(s.step))...)
		}
	case []any:
		for _, element := range v {
			lines = append(lines, s.element(element, column(s.listStep))...)
		}
	case string:
		if !s.noBlocks && fitsBlock(v) {
			return blockScalar(v, max(column(s.step), 1))
		}
		return plainOrQuoted(v), nil
	}
	if len(lines) == 0 {
		return flowStyle{}.render(v, ""), nil
	}
	if at.inList || at.isRoot {
		return strings.TrimLeft(lines[0], " "), lines[1:]
	}
	return "", lines
}

// member returns the lines of a member of a map.
func (s blockStyle) member(name string, v any, column int) []string {
	inline, lines := s.render(v, place{outer: column})
	if inline != "" {
		inline = " " + inline
	}
	return append([]string{strings.Repeat(" ", column) + plainOrQuoted(name) + ":" + inline}, lines...)
}

// element returns the lines of an element of a list.
func (s blockStyle) element(v any, column int) []string {
	inline, lines := s.render(v, place{outer: column, inList: true})
	return append([]string{strings.Repeat(" ", column) + "-" + strings.Repeat(" ", s.dash-1) + inline}, lines...)
}

// fitsBlock reports whether a text can be written as a block scalar.
func fitsBlock(text string) bool {
	body := strings.TrimSuffix(text, "\n")
	return strings.Contains(text, "\n") && body != "" && !strings.HasSuffix(body, "\n") &&
		!strings.ContainsAny(body[:1], " \n\t") && !strings.ContainsFunc(text, func(r rune) bool {
		return r != '\n' && r != '\t' && isSpecial(r)
	})
}

// blockScalar returns a literal block scalar.
func blockScalar(text string, column int) (header string, lines []string) {
	header = "|-"
	if strings.HasSuffix(text, "\n") {
		header = "|"
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		if line != "" {
			line = strings.Repeat(" ", column) + line
		}
		lines = append(lines, line)
	}
	return header, lines
}

func plainOrQuoted(text string) string {
	if isPlain(text) {
		return text
	}
	return quoted(text)
}

// not11 matches plain texts that are no texts in YAML 1.1: bools, nulls, numbers with underscores, in base 2, 8, 16 and
// 60, and dates.
var not11 = regexp.MustCompile(`^(?i:y|n|yes|no|on|off|true|false|null|~|=|<<|[-+]?\.(inf|nan)|` +
	`[-+]?[0-9][0-9_,]*(\.[0-9_]*)?(e[-+]?[0-9]+)?|[-+]?\.[0-9_]+(e[-+]?[0-9]+)?|[-+]?0[xob]?[0-9a-f_]+|` +
	`[-+]?[0-9][0-9_]*(:[0-9]+)+(\.[0-9_]*)?|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}.*)$`)

// isPlain reports whether a text needs no quotes in a block, for readers of YAML 1.1 and 1.2.
func isPlain(text string) bool {
	switch {
	case text == "" || not11.MatchString(text) || strings.ContainsFunc(text, isSpecial):
		return false
	case strings.ContainsAny(text[:1], "-?:,[]{}#&*!|>'\"%@` ") || strings.HasPrefix(text, "..."):
		return false
	case strings.Contains(text, ": ") || strings.Contains(text, " #") || strings.HasSuffix(text, ":") ||
		strings.HasSuffix(text, " "):
		return false
	}
	return (&yaml.Node{Kind: yaml.ScalarNode, Value: text}).ShortTag() == "!!str"
}

// isSpecial reports whether a character must be escaped.
func isSpecial(r rune) bool {
	return r < ' ' || r >= '\u007f' && r <= '\u00a0' || r == '\u2028' || r == '\u2029' || r == '\uFEFF' ||
		r >= '\uFFFE' && !unicode.IsPrint(r) || r == '\uFFFE' || r == '\uFFFF'
}

// quoted returns a text in double quotes, for JSON and YAML.
func quoted(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case r == '\r':
			b.WriteString(`\r`)
		case isSpecial(r) && r <= '\uFFFF':
			b.WriteString(`\u` + strconv.FormatInt(0x10000+int64(r), 16)[1:])
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// rewritten returns a scalar in the style of the scalar that it replaces.
func rewritten(old *node, v any) (text string, isSame bool) {
	to, isText := v.(string)
	_, wasText := old.value.(string)
	switch {
	case !isText || !wasText:
		return "", false
	case old.style == double:
		return quoted(to), true
	case old.style == single && !strings.ContainsFunc(to, isSpecial):
		return "'" + strings.ReplaceAll(to, "'", "''") + "'", true
	default:
		return "", false
	}
}
