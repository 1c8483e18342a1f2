package document

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"
)

// yamlParser finds the places of all values in a YAML text. Package yaml has the line and the column at which each
// value begins. The parser finds the ends.
type yamlParser struct {
	d        *Document
	lines    []int // offsets of the lines
	line     int   // the last place that offset returned, from which it counts
	column   int
	at       int
	anchored map[*yaml.Node]*node
	expanded int // how many values aliases bring in
	quoteEnd int // the end of the last quoted scalar
	// rareBreak is the reason of refuseRareBreak. It explains why the places of values after the break are not known.
	rareBreak *Error
}

// maxExpanded is how many values aliases may bring in.
const maxExpanded = 100_000

// parseYAML parses the text as YAML.
func (d *Document) parseYAML() error {
	root, err := parseNodes(d.text)
	if err != nil {
		return err
	}
	p := &yamlParser{d: d, lines: lineStarts(d.text), anchored: map[*yaml.Node]*node{}}
	if root == nil {
		d.root = &node{line: 1, from: len(d.text), start: len(d.text), end: len(d.text)}
		return nil
	}
	at := p.offset(root)
	d.root, err = p.node(root, at, -1, 0)
	p.refuseRareBreak(len(d.text))
	if p.rareBreak != nil {
		d.unsure = p.rareBreak
	}
	return err
}

// refuseRareBreak records that no value can be changed, if the text between the last quoted scalar and an offset has a
// character that only YAML 1.1 and package yaml treat as a line break.
func (p *yamlParser) refuseRareBreak(end int) {
	const rare = "\u0085\u2028\u2029"
	start := min(p.quoteEnd, end)
	if i := strings.IndexAny(p.d.text[start:end], rare); i >= 0 && p.rareBreak == nil {
		found, _ := utf8.DecodeRuneInString(p.d.text[start+i:])
		reason := fmt.Sprintf("the text contains the line break %U outside quotes: no value can be changed", found)
		p.rareBreak = &Error{p.d.lineAt(start + i), reason}
	}
}

var (
	yamlLine = regexp.MustCompile(`^line (\d+): `)
	// fromZero matches errors of the parser of package yaml, which counts lines from 0. Its scanner counts from 1.
	fromZero = regexp.MustCompile(
		`^(did not find expected (key|node content|'-' indicator|',' or '[]}]'|<document start>)|` +
			`found (duplicate|incompatible|undefined) )`)
)

// parseNodes parses the only document of a text; nil if there is none.
func parseNodes(text string) (*yaml.Node, error) {
	decoder := yaml.NewDecoder(strings.NewReader(text))
	var first, second yaml.Node
	err := decoder.Decode(&first)
	if errors.Is(err, io.EOF) {
		return nil, nil
	}
	if err == nil {
		switch err = decoder.Decode(&second); {
		case errors.Is(err, io.EOF):
			return first.Content[0], nil
		case err == nil:
			return nil, &Error{second.Content[0].Line, "a second document begins: only one can be in a key"}
		}
	}
	return nil, yamlError(text, strings.TrimPrefix(err.Error(), "yaml: "))
}

// yamlError returns an error of package yaml with its line. Package yaml leaves out the first line.
func yamlError(text, reason string) *Error {
	line := 1
	if found := yamlLine.FindStringSubmatch(reason); found != nil {
		line, _ = strconv.Atoi(found[1])
		if reason = reason[len(found[0]):]; fromZero.MatchString(reason) {
			line++
		}
	} else if strings.HasPrefix(reason, "unknown anchor") {
		line = 0
	} else if strings.HasPrefix(reason, "control characters") {
		isControl := func(r rune) bool { return unicode.IsControl(r) && !strings.ContainsRune("\t\n\r\u0085", r) }
		line = 0
		if at := strings.IndexFunc(text, isControl); at >= 0 {
			line = 1 + strings.Count(text[:at], "\n")
		}
	}
	return &Error{line, "this is not valid YAML: " + reason}
}

// lineStarts returns the offsets of all lines, as package yaml counts lines.
func lineStarts(text string) []int {
	starts := []int{0}
	for i, r := range text {
		switch r {
		case '\n', '\u0085', '\u2028', '\u2029':
			starts = append(starts, i+utf8.RuneLen(r))
		case '\r':
			if !strings.HasPrefix(text[i:], "\r\n") {
				starts = append(starts, i+1)
			}
		}
	}
	return starts
}

// offset returns where a value begins. It goes on from the last place if that is in the same line, since a line may
// have a MiB.
func (p *yamlParser) offset(n *yaml.Node) int {
	line, column := min(n.Line, len(p.lines))-1, n.Column-1
	if line != p.line || column < p.column {
		p.line, p.column, p.at = line, 0, p.lines[line]
	}
	for ; p.column < column && p.at < len(p.d.text); p.column++ {
		_, size := utf8.DecodeRuneInString(p.d.text[p.at:])
		p.at += size
	}
	return p.at
}

// require records that the places of values are not known, unless a text is at an offset.
func (p *yamlParser) require(at int, text string) {
	isThere := at <= len(p.d.text) && strings.HasPrefix(p.d.text[at:], text)
	if !isThere && p.d.unsure == nil {
		p.d.unsure = &Error{p.d.lineAt(min(at, len(p.d.text))), "the text is spelled in a way that cannot be changed safely"}
	}
}

// node returns the node of a value. from is as in a node, and outer is the column of the block around the value.
func (p *yamlParser) node(y *yaml.Node, from, outer, depth int) (*node, error) {
	if depth > maxDepth {
		return nil, &Error{y.Line, fmt.Sprintf("values are nested more than %d deep", maxDepth)}
	}
	if y.Kind == yaml.AliasNode {
		return p.alias(y, from)
	}
	n := &node{line: y.Line, from: from, start: from, end: from, size: 1}
	isTagged := y.Style&yaml.TaggedStyle != 0
	isEmpty := y.Kind == yaml.ScalarNode && y.Value == "" && y.Style&^yaml.TaggedStyle == 0
	if !isEmpty || isTagged || y.Anchor != "" {
		n.start = p.properties(n, y)
		n.end = n.start
	}
	if isTagged {
		n.locked = "the value has the tag " + y.Tag
	}
	var err error
	switch y.Kind {
	case yaml.MappingNode:
		err = p.mapping(n, y, depth)
	case yaml.SequenceNode:
		err = p.sequence(n, y, outer, depth)
	default:
		n.value, err = scalarValue(y)
		if !isEmpty {
			p.scalarEnd(n, y, outer)
		}
	}
	if y.Anchor != "" {
		p.anchored[y] = n
	}
	return n, err
}

// properties skips the anchor and the tag of a value, and returns where the value itself begins.
func (p *yamlParser) properties(n *node, y *yaml.Node) int {
	at := p.offset(y)
	count := 0
	if y.Anchor != "" {
		count++
	}
	if y.Style&yaml.TaggedStyle != 0 || y.Kind == yaml.ScalarNode && strings.HasPrefix(p.d.text[at:], "!") {
		count++
	}
	for range count {
		at = p.d.skip(at)
		if at < len(p.d.text) && p.d.text[at] != '&' && p.d.text[at] != '!' {
			p.require(at, "&")
		}
		if strings.HasPrefix(p.d.text[at:], "!<") { // a verbatim tag, which may contain commas
			at += max(strings.IndexByte(p.d.text[at:], '>'), 0)
		}
		for at < len(p.d.text) && strings.IndexByte(" \t\r\n,[]{}", p.d.text[at]) < 0 {
			at++
		}
		n.from = at
	}
	if count > 0 && (y.Value != "" || y.Kind != yaml.ScalarNode || y.Style&^yaml.TaggedStyle != 0) {
		at = p.d.skip(at)
	}
	return at
}

func (p *yamlParser) alias(y *yaml.Node, from int) (*node, error) {
	target, isComplete := p.anchored[y.Alias]
	if !isComplete {
		return nil, &Error{y.Line, fmt.Sprintf("the alias %q is a part of its own value", y.Value)}
	}
	at := p.offset(y)
	target.aliases = append(target.aliases, at)
	if p.expanded += target.size; p.expanded > maxExpanded {
		return nil, &Error{y.Line, fmt.Sprintf("aliases bring in more than %d values", maxExpanded)}
	}
	p.require(at, "*"+y.Value)
	return &node{
		kind: target.kind, value: target.value, line: y.Line, from: from, start: at, end: at + 1 + len(y.Value),
		items: target.items, merged: target.merged, size: target.size,
		locked: fmt.Sprintf("the value comes from the anchor %q, by an alias", y.Value),
	}, nil
}

// scalarValue returns the value of a scalar. Timestamps and scalars with a custom tag are texts.
func scalarValue(y *yaml.Node) (any, error) {
	switch y.ShortTag() {
	case "!!null":
		return nil, nil
	case "!!bool":
		if lower := strings.ToLower(y.Value); lower == "true" || lower == "false" {
			return lower == "true", nil
		}
	case "!!int", "!!float":
		if number, isNumber := yamlNumber(y.Value); isNumber {
			return number, nil
		}
		return nil, &Error{y.Line, fmt.Sprintf("%s is no number that JSON has", y.Value)}
	}
	return y.Value, nil
}

// scalarEnd finds the end of a scalar.
func (p *yamlParser) scalarEnd(n *node, y *yaml.Node, outer int) {
	text := p.d.text
	at := n.start
	switch y.Style &^ yaml.TaggedStyle {
	case yaml.DoubleQuotedStyle:
		n.style = double
		p.require(at, `"`)
		for at++; at < len(text) && text[at] != '"'; at++ {
			if text[at] == '\\' {
				at++
			}
		}
		at++
	case yaml.SingleQuotedStyle:
		n.style = single
		p.require(at, "'")
		for at++; at < len(text) && text[at] == '\'' == strings.HasPrefix(text[at:], "''"); at++ {
			if text[at] == '\'' {
				at++
			}
		}
		at++
	case yaml.LiteralStyle, yaml.FoldedStyle:
		n.style = block
		at = p.blockEnd(n, outer)
	default: // a line break and the white space around it became spaces or line breaks in the value
		for value := y.Value; value != "" && at < len(text); {
			switch {
			case text[at] == value[0] && text[at] != ' ':
				at, value = at+1, value[1:]
			case strings.IndexByte(" \t\r\n", text[at]) >= 0:
				spaces := len(text) - at - len(strings.TrimLeft(text[at:], " \t\r\n"))
				at, value = at+spaces, strings.TrimLeft(value, " \t\n")
			default:
				p.require(at, value)
				value = ""
			}
		}
	}
	n.end = min(at, len(text))
	if n.style == single || n.style == double {
		p.refuseRareBreak(n.start)
		p.quoteEnd = n.end
	}
}

// blockEnd returns the end of a block scalar, without the last line break.
func (p *yamlParser) blockEnd(n *node, outer int) int {
	text := p.d.text
	header := n.start + 1
	n.column = 0
	keeps := false
	for ; header < len(text) && strings.IndexByte("+-123456789", text[header]) >= 0; header++ {
		switch c := text[header]; c {
		case '+':
			keeps = true
		case '-':
		default:
			n.column = max(outer, 0) + int(c-'0')
		}
	}
	end := header
	for line := p.d.lineEnd(header); line < len(text); {
		line = p.d.breakAfter(line)
		lineEnd := p.d.lineEnd(line)
		content := strings.TrimLeft(text[line:lineEnd], " ")
		indent := lineEnd - line - len(content)
		if content != "" {
			if n.column == 0 {
				n.column = max(indent, outer+1, 1)
			}
			if indent < n.column {
				break
			}
		}
		if content != "" || keeps && lineEnd < len(text) {
			end = lineEnd
		}
		line = lineEnd
	}
	return end
}

// columnOf returns the column of the dashes or keys of a block, and 0 for values in brackets: a line may have a MiB.
func (p *yamlParser) columnOf(n *node) int {
	if n.isFlow {
		return 0
	}
	return n.start - p.d.lineStart(n.start)
}

func (p *yamlParser) sequence(n *node, y *yaml.Node, outer, depth int) error {
	n.kind, n.isFlow = list, y.Style&yaml.FlowStyle != 0
	n.column = p.columnOf(n)
	elements := make([]any, 0, len(y.Content))
	at := n.start
	if n.isFlow {
		p.require(at, "[")
		at++
	}
	for _, content := range y.Content {
		at = p.d.skip(at)
		i := item{start: at}
		from := at
		if !n.isFlow {
			p.require(at, "-")
			from = at + 1
		}
		var err error
		if i.value, err = p.node(content, from, max(outer, n.column), depth+1); err != nil {
			return err
		}
		at = i.end()
		n.items, n.size = append(n.items, i), n.size+i.value.size
		elements = append(elements, i.value.value)
		if n.isFlow {
			at = p.comma(at)
		}
	}
	n.value = elements
	n.end = at
	if n.isFlow {
		p.closeFlow(n, "]")
	}
	return nil
}

// comma returns the offset after the comma behind an item.
func (p *yamlParser) comma(at int) int {
	if next := p.d.skip(at); strings.HasPrefix(p.d.text[next:], ",") {
		return next + 1
	}
	return at
}

// closeFlow moves the end of a map or a list in brackets behind its closing bracket.
func (p *yamlParser) closeFlow(n *node, closing string) {
	n.end = p.d.skip(n.end)
	p.require(n.end, closing)
	n.end = min(n.end+1, len(p.d.text))
}

func (p *yamlParser) mapping(n *node, y *yaml.Node, depth int) error {
	n.kind, n.isFlow = mapping, y.Style&yaml.FlowStyle != 0
	n.column = p.columnOf(n)
	own := map[string]any{}
	at := n.start
	hasBraces := n.isFlow && strings.HasPrefix(p.d.text[at:], "{")
	switch {
	case hasBraces:
		at++
	case n.isFlow:
		n.locked = "the value is a member without braces in a list"
	}
	for c := 0; c+1 < len(y.Content); c += 2 {
		i, err := p.member(n, y.Content[c], y.Content[c+1], p.d.skip(at), depth)
		if err != nil {
			return err
		}
		at = i.end()
		if n.isFlow {
			at = p.comma(at)
		}
		n.items, n.size = append(n.items, i), n.size+i.value.size
		if i.isMerge {
			if err := n.merge(i.value, y.Content[c].Line); err != nil {
				return err
			}
			continue
		}
		if _, isThere := own[i.name]; isThere {
			return &Error{y.Content[c].Line, fmt.Sprintf("there are two members %q in one map", i.name)}
		}
		own[i.name] = i.value.value
	}
	all := maps.Clone(n.merged)
	if all == nil {
		all = own
	} else {
		maps.Copy(all, own)
	}
	n.value = all
	n.end = at
	if hasBraces {
		p.closeFlow(n, "}")
	}
	p.recordIndents(n)
	return nil
}

// merge adds the members that a merge key brings in.
func (n *node) merge(from *node, line int) error {
	sources := []any{from.value}
	if from.kind == list {
		sources, _ = from.value.([]any)
	}
	if n.merged == nil {
		n.merged = map[string]any{}
	}
	for _, source := range sources {
		members, isMap := source.(map[string]any)
		if !isMap {
			return &Error{line, "a merge key has a value that is no map"}
		}
		for name, member := range members {
			if _, isThere := n.merged[name]; !isThere {
				n.merged[name] = member
			}
		}
	}
	return nil
}

// member returns a member of a map that begins at an offset.
func (p *yamlParser) member(n *node, key, value *yaml.Node, at, depth int) (i item, err error) {
	if key.Kind != yaml.ScalarNode {
		return i, &Error{key.Line, "a key is a map, a list or an alias"}
	}
	i = item{name: key.Value, isMerge: key.Tag == "!!merge", start: at}
	isExplicit := strings.HasPrefix(p.d.text[at:], "?") && p.d.skip(at+1) > at+1
	if isExplicit {
		n.locked = "a key is marked with a question mark"
		at++
	}
	name, err := p.node(key, at, n.column, depth+1)
	if err != nil {
		return i, err
	}
	i.keyEnd = name.end
	colon := p.d.skip(i.keyEnd)
	hasColon := strings.HasPrefix(p.d.text[colon:], ":")
	from := colon + 1
	if !hasColon {
		from = i.keyEnd
		if !n.isFlow && !isExplicit {
			p.require(colon, ":")
		}
	}
	i.value, err = p.node(value, from, n.column, depth+1)
	if err == nil && !hasColon {
		i.value.locked = "the key has no colon"
	}
	return i, err
}

// recordIndents records by how much the first nested blocks of the document are indented.
func (p *yamlParser) recordIndents(n *node) {
	for _, i := range n.items {
		isBelow := !n.isFlow && !i.value.isFlow && len(i.value.items) > 0 && p.d.lineEnd(i.start) < i.value.start
		switch {
		case !isBelow || i.value.locked != "":
		case i.value.kind == mapping && p.d.step == 0:
			p.d.step = i.value.column - n.column
		case i.value.kind == list && p.d.listStep < 0:
			p.d.listStep = i.value.column - n.column
		}
	}
}
