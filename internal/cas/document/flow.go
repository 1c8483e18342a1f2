package document

import (
	"slices"
	"strings"
)

// flowOf returns the style of the values in a map or a list in brackets, and the text between two of its items.
func (e *edit) flowOf(n *node) (style flowStyle, separator string) {
	style = flowStyle{isJSON: e.isJSON, comma: ", ", colon: ": ", newline: e.newline()}
	if isCompact(e.root, e.text) {
		style.comma, style.colon = ",", ":"
	}
	separator = style.comma
	if len(n.items) == 0 {
		return style, separator
	}
	first := n.items[0]
	isQuotedKey := n.kind == mapping && e.text[first.start] == '"'
	isQuotedElement := n.kind == list && first.value.style == double
	style.isJSON = e.isJSON || isQuotedKey || isQuotedElement
	if n.kind == mapping && first.value.start > first.keyEnd {
		colon := e.text[first.keyEnd:first.value.start]
		if strings.TrimSpace(colon) == ":" && !strings.ContainsAny(colon, "\r\n") {
			style.colon = colon
		}
	}
	last := n.items[len(n.items)-1]
	beforeLast := n.items[max(len(n.items)-2, 0)]
	if between := e.text[min(beforeLast.end(), last.start):last.start]; strings.TrimSpace(between) == "," {
		separator = between
	}
	if e.isOwnLine(last.start) {
		separator = "," + style.newline + e.text[e.lineStart(last.start):last.start]
	}
	if strings.ContainsAny(separator, "\r\n") {
		style.step = e.indent
		if style.step == "" {
			style.step = "  "
		}
	}
	return style, separator
}

// isCompact reports whether a JSON text has no space after colons or commas.
func isCompact(n *node, text string) bool {
	if !n.isFlow || len(n.items) == 0 {
		return false
	}
	if n.kind == mapping {
		return n.items[0].value.start == n.items[0].keyEnd+1
	}
	return len(n.items) > 1 && text[n.items[0].end():n.items[1].start] == ","
}

// flowItems changes the items of a map or a list in brackets.
func (e *edit) flowItems(n *node, removed []bool, insertions map[int][]insertion) {
	style, separator := e.flowOf(n)
	last := lastKept(removed)
	render := func(i insertion) string {
		start := n.items[0].start
		lineStart := e.lineStart(start)
		line := e.text[lineStart:start]
		text := style.render(i.v, line[:len(line)-len(strings.TrimLeft(line, " \t"))])
		if n.kind == mapping {
			text = style.member(i.name, text)
		}
		return text
	}
	for _, i := range insertions[-1] {
		first := n.items[slices.Index(removed, false)].start
		e.splice(first, first, render(i)+separator)
	}
	for i, item := range n.items {
		for _, added := range insertions[i] {
			e.splice(item.end(), item.end(), separator+render(added))
		}
		if removed[i] && i < last {
			end := e.flowItemEnd(item)
			end += len(e.text[end:]) - len(strings.TrimLeft(e.text[end:], " \t\r\n"))
			e.splice(item.start, end, "")
		}
	}
	if last < len(n.items)-1 {
		e.removeFlowEnd(n.items[last:])
	}
}

// flowItemEnd returns the end of an item in brackets, with its comma and the comment that follows in the line.
func (e *edit) flowItemEnd(i item) int {
	at := i.end()
	if comma := e.skip(at); strings.HasPrefix(e.text[comma:], ",") {
		at = comma + 1
	}
	if rest := strings.TrimLeft(e.text[at:], " \t"); strings.HasPrefix(rest, "#") {
		return e.lineEnd(len(e.text) - len(rest))
	}
	return at
}

// removeFlowEnd removes all items but the first one, which are the last ones in the brackets. Comments between the
// items stay, except for comments in the lines of removed items.
func (e *edit) removeFlowEnd(items []item) {
	last := items[len(items)-1].end()
	hasComments := strings.Contains(e.text[last:e.flowItemEnd(items[len(items)-1])], "#")
	for i, item := range items[1:] {
		hasComments = hasComments || strings.Contains(e.text[items[i].end():item.start], "#")
	}
	if !hasComments {
		e.splice(items[0].end(), last, "")
		return
	}
	if !strings.HasPrefix(e.text[e.skip(last):], ",") {
		comma := e.skip(items[0].end())
		e.splice(comma, comma+1, "")
	}
	for _, item := range items[1:] {
		start, end := item.start, e.flowItemEnd(item)
		if end == e.lineEnd(end) && e.isOwnLine(start) {
			start = e.breakBefore(start)
		}
		e.splice(start, end, "")
	}
}

// staysFlow reports whether a map or a list in a block keeps its brackets with another value. Empty brackets become a
// block, unless the brackets would not come back without a difference.
func (e *edit) staysFlow(n *node, want any, at place) bool {
	isEmpty := len(n.items) == 0 && n.end-n.start == 2
	becomesBlock := isEmpty && (e.text[n.from:n.start] == " " || at.isRoot && e.isOwnLine(n.start))
	return n.isFlow && !becomesBlock && n.kind != scalar && n.kind == kindOf(want)
}

// replaceFlow is replace for a value that is written in brackets.
func (e *edit) replaceFlow(n *node, want any) {
	style, _ := e.flowOf(n)
	style.step = e.indent
	indent := ""
	if style.step != "" {
		line := e.text[e.lineStart(n.start):n.start]
		indent = line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	}
	text := style.render(want, indent)
	switch {
	case n.start == n.end && n.start > 0:
		text = " " + text
	case e.staysFlow(n, want, place{}) && len(n.items) == 0 && n.end-n.start > 2:
		style.step = ""
		text = style.render(want, "")
		e.splice(n.start+1, n.start+1, text[1:len(text)-1])
		return
	}
	e.splice(n.start, n.end, text)
}
