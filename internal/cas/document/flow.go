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
		text := style.render(i.v, e.indentOf(n.items[0].start))
		if n.kind == mapping {
			text = style.member(i.name, text)
		}
		return text
	}
	var begin []string
	for _, i := range insertions[-1] {
		begin = append(begin, render(i))
	}
	if last < 0 {
		e.replaceFlowEnd(n.items, separator, begin)
		return
	}
	for _, text := range begin {
		first := n.items[slices.Index(removed, false)].start
		e.splice(first, first, text+separator)
	}
	tail := n.items[last+1:]
	for i, item := range n.items[:last+1] {
		var added []string
		for _, insertion := range insertions[i] {
			added = append(added, render(insertion))
		}
		switch {
		case removed[i]:
			end := e.flowItemEnd(item)
			rest := strings.TrimLeft(e.text[end:], " \t\r\n")
			if strings.HasPrefix(rest, "#") { // the comment keeps its line
				e.removeFlowItems(n.items[i : i+1])
			} else {
				e.splice(item.start, len(e.text)-len(rest), "")
			}
		case i == last && len(added) > 0 && len(tail) > 0:
			e.replaceFlowEnd(tail, separator, added)
		case i == last && len(tail) > 0:
			e.removeFlowEnd(n.items[last:])
		case len(added) > 0:
			e.insertFlow(item, separator, added)
		}
	}
}

// insertFlow inserts items after an item in brackets. A comment in the line of the item stays with the item.
func (e *edit) insertFlow(i item, separator string, added []string) {
	end := e.flowItemEnd(i)
	if !strings.Contains(e.text[i.end():end], "#") {
		e.splice(i.end(), i.end(), separator+strings.Join(added, separator))
		return
	}
	if !strings.HasPrefix(separator, ",") || !strings.ContainsAny(separator, "\r\n") {
		separator = "," + e.newline() + e.indentOf(i.start) + "  "
	}
	text := strings.Join(added, separator)
	if hasComma := strings.HasPrefix(e.text[e.skip(i.end()):], ","); hasComma {
		text += ","
	} else {
		e.splice(i.end(), i.end(), ",")
	}
	e.splice(end, end, strings.TrimPrefix(separator, ",")+text)
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

// replaceFlowEnd replaces items, which are the last ones in the brackets. Comments stay as in removeFlowEnd.
func (e *edit) replaceFlowEnd(items []item, separator string, added []string) {
	text, last := strings.Join(added, separator), items[len(items)-1].end()
	if !e.hasComments(items) {
		e.splice(items[0].start, last, text)
		return
	}
	if hasComma := strings.HasPrefix(e.text[e.skip(last):], ","); hasComma {
		text += ","
	}
	e.splice(items[0].start, e.flowItemEnd(items[0]), text)
	e.removeFlowItems(items[1:])
}

// hasComments reports whether comments stand between items in brackets or in the line after the last item.
func (e *edit) hasComments(items []item) bool {
	for i, item := range items {
		end := e.flowItemEnd(item)
		if i < len(items)-1 {
			end = items[i+1].start
		}
		if strings.Contains(e.text[item.end():end], "#") {
			return true
		}
	}
	return false
}

// removeFlowEnd removes all items but the first one, which are the last ones in the brackets. Comments between the
// items stay, except for comments in the lines of removed items.
func (e *edit) removeFlowEnd(items []item) {
	last := items[len(items)-1].end()
	if !e.hasComments(items) {
		e.splice(items[0].end(), last, "")
		return
	}
	if !strings.HasPrefix(e.text[e.skip(last):], ",") {
		comma := e.skip(items[0].end())
		e.splice(comma, comma+1, "")
	}
	e.removeFlowItems(items[1:])
}

// removeFlowItems removes items with their commas, the comments that follow in the line, and lines of their own.
func (e *edit) removeFlowItems(items []item) {
	for i := 0; i < len(items); i++ {
		start, end := items[i].start, e.flowItemEnd(items[i])
		for ; i+1 < len(items) && items[i+1].start < e.lineEnd(end); i++ {
			end = e.flowItemEnd(items[i+1])
		}
		if end == e.lineEnd(end) && e.isOwnLine(start) {
			start = e.breakBefore(start)
		}
		e.splice(start, end, "")
	}
}

// emptyFlow removes all items in brackets. Comments stay, except for comments in the lines of the items.
func (e *edit) emptyFlow(n *node) {
	inside, end := n.start+1, n.items[len(n.items)-1].end()
	if comma := e.skip(end); strings.HasPrefix(e.text[comma:], ",") {
		end = comma + 1
	}
	hasComments, at := false, inside
	for _, item := range n.items {
		hasComments = hasComments || strings.Contains(e.text[at:item.start], "#")
		at = e.flowItemEnd(item)
	}
	switch {
	case hasComments || strings.Contains(e.text[at:n.end], "#"):
		e.removeFlowItems(n.items)
	case e.isOwnLine(n.items[0].start):
		e.splice(inside, n.end-1, "")
	default:
		e.splice(inside, end, "")
	}
}

// indentOf returns the white space at the beginning of the line at an offset.
func (e *edit) indentOf(offset int) string {
	line := e.text[e.lineStart(offset):offset]
	return line[:len(line)-len(strings.TrimLeft(line, " \t"))]
}

// staysFlow reports whether a map or a list in a block keeps its brackets with another value. Empty brackets become a
// block, unless the brackets or a comment after them would not come back without a difference.
func (e *edit) staysFlow(n *node, want any, at place) bool {
	isEmpty := len(n.items) == 0 && n.end-n.start == 2
	hasComment := (at.isRoot || at.inList) && strings.Contains(e.text[n.end:e.lineEnd(n.end)], "#")
	becomesBlock := isEmpty && !hasComment && (e.text[n.from:n.start] == " " || at.isRoot && e.isOwnLine(n.start))
	return n.isFlow && !becomesBlock && n.kind != scalar && n.kind == kindOf(want)
}

// replaceFlow is replace for a value that is written in brackets.
func (e *edit) replaceFlow(n *node, want any) {
	style, _ := e.flowOf(n)
	style.step = e.indent
	indent := ""
	if style.step != "" {
		indent = e.indentOf(n.start)
	}
	text := style.render(want, indent)
	if isEmpty := len(n.items) == 0 && n.end-n.start > 2; isEmpty && e.staysFlow(n, want, place{}) {
		e.fillFlow(n, want, style)
		return
	}
	if n.start == n.end && n.start > 0 {
		text = " " + text
	}
	e.splice(n.start, n.end, text)
}

// fillFlow inserts the first items in brackets that have white space or comments between them. The items come after the
// comments, in lines of their own.
func (e *edit) fillFlow(n *node, want any, style flowStyle) {
	inside, closing := n.start+1, n.end-1
	if !strings.Contains(e.text[inside:closing], "#") {
		style.step = ""
		text := style.render(want, "")
		e.splice(inside, inside, text[1:len(text)-1])
		return
	}
	style.step = "  "
	indent := e.indentOf(closing)
	text := strings.TrimSuffix(style.render(want, indent)[1:], style.newline+indent+e.text[closing:n.end])
	e.splice(e.breakBefore(closing), e.breakBefore(closing), text)
}
