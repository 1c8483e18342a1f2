package document

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// splice replaces a part of the text.
type splice struct {
	start, end int
	text       string
}

// edit collects the splices that turn the value of a document into another one.
type edit struct {
	*Document
	style   blockStyle
	origins origins
	splices []splice
}

// Edit returns the document after changes. The error is an *Error.
func (d *Document) Edit(changes []Change) (edited *Document, err error) {
	defer recoverAs(&err, "the change failed, which is a defect of the provider")
	known := origins{}
	want := known.change(d.root, d.root.value, changes)
	if isEqual(d.root.value, want) {
		return d, nil
	}
	if d.unsure != nil {
		return nil, d.unsure
	}
	style := blockStyle{step: d.step, listStep: max(d.listStep, 0), dash: 2}
	if style.step == 0 {
		style.step = max(style.listStep, 2)
	}
	var line int
	// A block scalar swallows indented comments after it, and may end with the line break before a last item. Further
	// attempts keep this line break, write no block scalars, and remove the comments that are indented like parts of a
	// removed item.
	for attempt := range 4 {
		style.keepsBreak, style.noBlocks = attempt%2 == 1, attempt > 1
		e := &edit{Document: d, style: style, origins: known}
		if err := e.change(d.root, want, place{isRoot: true, isFlow: d.isJSON}); err != nil {
			return nil, err
		}
		if after, err := Parse(e.apply(), d.format); err == nil && isEqual(after.root.value, want) {
			return after, nil
		}
		line = d.lineAt(e.splices[0].start)
	}
	return nil, &Error{line, "the text is spelled in a way that does not permit this change"}
}

// apply returns the text with all splices. Insertions at one place keep their order, before a replacement there.
func (e *edit) apply() string {
	slices.SortStableFunc(e.splices, func(a, b splice) int {
		return cmp.Or(a.start-b.start, min(a.end-a.start, 1)-min(b.end-b.start, 1))
	})
	var b strings.Builder
	at := 0
	for _, s := range e.splices {
		if s.start > at {
			b.WriteString(e.text[at:s.start])
		}
		b.WriteString(s.text)
		at = max(at, s.end)
	}
	b.WriteString(e.text[at:])
	return b.String()
}

func (e *edit) splice(start, end int, text string) {
	e.splices = append(e.splices, splice{start, end, text})
}

// lines returns lines that follow another line.
func (e *edit) lines(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	newline := e.newline()
	return newline + strings.Join(lines, newline)
}

// change makes the value of a node another one.
func (e *edit) change(n *node, want any, at place) error {
	if isEqual(n.value, want) {
		return nil
	}
	if err := e.refuse(n); err != nil {
		return err
	}
	switch want := want.(type) {
	case map[string]any:
		if n.kind == mapping && len(n.items) > 0 {
			return e.changeMap(n, want, at)
		}
	case []any:
		if n.kind == list && len(n.items) > 0 {
			return e.changeList(n, want, at)
		}
	}
	return e.replace(n, want, at)
}

// refuse returns an error if a value must not be changed.
func (e *edit) refuse(n *node) error {
	switch {
	case n.locked != "":
		return &Error{n.line, n.locked}
	case len(n.aliases) > 0:
		return &Error{n.line, fmt.Sprintf("an alias in line %d uses the value", e.lineAt(n.aliases[0]))}
	}
	return nil
}

// Permits returns an *Error if the spelling of the document does not permit to set or to remove the value at a place,
// which has the form of Change.Place.
func (d *Document) Permits(steps []any, removes bool) error {
	e := &edit{Document: d}
	if d.unsure != nil {
		return d.unsure
	}
	n := d.root
	for i, step := range steps {
		if err := e.refuse(n); err != nil {
			return err
		}
		name, isName := step.(string)
		at := slices.IndexFunc(n.items, func(i item) bool { return isName && i.name == name && !i.isMerge })
		if index, isIndex := step.(int); isIndex {
			at = index
		}
		if at < 0 || at >= len(n.items) {
			merged, isMerged := n.merged[name]
			switch {
			case isMerged && removes && i == len(steps)-1:
				return n.mergedError(name, "removed")
			case isMerged && (i < len(steps)-1 || kindOf(merged) != scalar):
				return n.mergedError(name, "changed in part")
			}
			return nil
		}
		if _, isMerged := n.merged[name]; isMerged && removes && i == len(steps)-1 {
			return n.mergedError(name, "removed")
		}
		n = n.items[at].value
	}
	if removes {
		return e.isUsedOutside(n, n.start, n.end)
	}
	return e.refuse(n)
}

// isUsedOutside returns an error if an alias outside a part of the text uses a value or a part of the value: the value
// must not be removed with that part of the text.
func (e *edit) isUsedOutside(n *node, start, end int) error {
	for _, at := range n.aliases {
		if at < start || at >= end {
			return &Error{n.line, fmt.Sprintf("an alias in line %d uses the value", e.lineAt(at))}
		}
	}
	for _, i := range n.items {
		if i.value.start >= start && i.value.end <= end { // the items of an alias are elsewhere
			if err := e.isUsedOutside(i.value, start, end); err != nil {
				return err
			}
		}
	}
	return nil
}

// changeMap changes the members of a map that has some.
func (e *edit) changeMap(n *node, want map[string]any, at place) error {
	removed := make([]bool, len(n.items))
	added := maps.Clone(want)
	for name, v := range n.merged {
		wanted, isWanted := want[name]
		if !isWanted {
			return n.mergedError(name, "removed")
		}
		isOwn := slices.ContainsFunc(n.items, func(i item) bool { return i.name == name && !i.isMerge })
		switch {
		case isOwn:
		case isEqual(v, wanted):
			delete(added, name)
		case kindOf(v) != scalar && kindOf(v) == kindOf(wanted): // an own member would repeat the parts that do not change
			return n.mergedError(name, "changed in part")
		}
	}
	for i, member := range n.items {
		if member.isMerge {
			continue
		}
		v, isWanted := want[member.name]
		delete(added, member.name)
		var err error
		if removed[i] = !isWanted; isWanted {
			err = e.change(member.value, v, place{outer: n.column, isFlow: n.isFlow})
		} else {
			err = e.isUsedOutside(member.value, member.start, member.end())
		}
		if err != nil {
			return err
		}
	}
	insertions := map[int][]insertion{}
	last := lastKept(removed)
	for _, name := range slices.Sorted(maps.Keys(added)) {
		insertions[last] = append(insertions[last], insertion{name, added[name]})
	}
	return e.items(n, removed, insertions, want, at)
}

// mergedError returns the error of a change of a member that a merge key brings in.
func (n *node) mergedError(name, change string) error {
	return &Error{n.line, fmt.Sprintf("a merge key brings in the member %q, which cannot be %s", name, change)}
}

// changeList changes the elements of a list that has some.
func (e *edit) changeList(n *node, want []any, at place) error {
	removed := make([]bool, len(n.items))
	for i := range removed {
		removed[i] = true
	}
	olds, isKnown := e.origins[n]
	if !isKnown {
		olds = align(n.items, want)
	}
	for i, old := range olds {
		if old < 0 {
			continue
		}
		removed[old] = false
		within := place{outer: n.column, inList: true, isFlow: n.isFlow, dash: e.dash(n.items[old])}
		if err := e.change(n.items[old].value, want[i], within); err != nil {
			return err
		}
	}
	for i := range removed {
		if removed[i] {
			if err := e.isUsedOutside(n.items[i].value, n.items[i].start, n.items[i].end()); err != nil {
				return err
			}
		}
	}
	insertions := map[int][]insertion{}
	after := -1
	for i, old := range olds {
		if old >= 0 {
			after = old
			continue
		}
		insertions[after] = append(insertions[after], insertion{v: want[i]})
	}
	return e.items(n, removed, insertions, want, at)
}

// insertion is a new item.
type insertion struct {
	name string
	v    any
}

// lastKept returns the index of the last item that is not removed; -1 if there is none.
func lastKept(removed []bool) int {
	for i := len(removed) - 1; i >= 0; i-- {
		if !removed[i] {
			return i
		}
	}
	return -1
}

// items removes items, and inserts items after the item of an index, or with -1 before the first one.
func (e *edit) items(n *node, removed []bool, insertions map[int][]insertion, want any, at place) error {
	switch {
	case lastKept(removed) >= 0, n.isFlow && len(insertions) > 0:
	case len(insertions) > 0 && !e.style.noBlocks && e.hasCommentLines(n):
		insertions = map[int][]insertion{len(n.items) - 1: insertions[-1]} // the new items come after the comments
	case len(insertions) > 0:
		e.splices = slices.DeleteFunc(e.splices, func(s splice) bool { return s.start >= n.start && s.end <= n.end })
		return e.replace(n, want, at)
	default:
		e.empty(n, at)
		return nil
	}
	if n.isFlow {
		e.flowItems(n, removed, insertions)
	} else {
		e.blockItems(n, removed, insertions)
	}
	return nil
}

// hasCommentLines reports whether comments have lines of their own between the items of a block.
func (e *edit) hasCommentLines(n *node) bool {
	if n.isFlow || !e.isOwnLine(n.items[0].start) {
		return false
	}
	for i, item := range n.items[1:] {
		if end := e.lineEnd(n.items[i].end()); end < item.start && strings.Contains(e.text[end:item.start], "#") {
			return true
		}
	}
	return false
}

// blockItems changes the items of a block.
func (e *edit) blockItems(n *node, removed []bool, insertions map[int][]insertion) {
	style := e.style
	if n.kind == list {
		style.dash = e.dash(n.items[len(n.items)-1])
	}
	render := func(i insertion) []string {
		if n.kind == list {
			return style.element(i.v, n.column)
		}
		return style.member(i.name, i.v, n.column)
	}
	first := slices.Index(removed, false)
	for _, i := range insertions[-1] {
		text := strings.TrimLeft(strings.Join(render(i), e.newline()), " ")
		e.splice(n.items[first].start, n.items[first].start, text+e.newline()+strings.Repeat(" ", n.column))
	}
	for i, item := range n.items {
		for _, added := range insertions[i] {
			end := e.lineEnd(item.end())
			e.splice(end, end, e.lines(render(added)))
		}
	}
	if start := n.items[0].start; first > 0 && !e.isOwnLine(start) {
		end := n.items[first].start
		if comments := e.lineEnd(n.items[first-1].end()); strings.Contains(e.text[comments:end], "#") {
			start, end = n.from, comments
		}
		e.splice(start, end, "")
		removed = slices.Clone(removed)
		for i := range first {
			removed[i] = false
		}
	}
	e.removeLines(n, removed)
}

// dash returns the width of the dash of an element and of the spaces after it.
func (e *edit) dash(i item) int {
	if spaces := e.text[i.start+1 : max(i.value.start, i.start+1)]; strings.Trim(spaces, " ") == "" && len(spaces) > 0 {
		return 1 + len(spaces)
	}
	return 2
}

// isOwnLine reports whether only white space is before an offset in its line.
func (e *edit) isOwnLine(offset int) bool {
	return strings.TrimLeft(e.text[e.lineStart(offset):offset], " \t") == ""
}

// removeLines removes the lines of items.
func (e *edit) removeLines(n *node, removed []bool) {
	top := 0 // the end of the lines that are removed from the beginning of the text on
	for i, item := range n.items {
		if !removed[i] {
			continue
		}
		end := e.lineEnd(item.end())
		if e.style.noBlocks {
			end = e.commentsEnd(end, n.column)
		}
		switch start := e.lineStart(item.start); {
		case start == top:
			top = e.breakAfter(end)
			e.splice(start, top, "")
		case e.style.keepsBreak && end == len(e.text):
			e.splice(start, end, "")
		default:
			e.splice(e.breakBefore(item.start), end, "")
		}
	}
}

// commentsEnd returns the end of the comments after a line that are indented deeper than a column.
func (e *edit) commentsEnd(end, column int) int {
	for line := end; line < len(e.text); {
		line = e.breakAfter(line)
		content := strings.TrimLeft(e.text[line:e.lineEnd(line)], " ")
		indent := e.lineEnd(line) - line - len(content)
		switch {
		case strings.HasPrefix(content, "#") && indent > column:
			end = e.lineEnd(line)
		case content != "":
			return end
		}
		line = e.lineEnd(line)
	}
	return end
}

// empty removes all items.
func (e *edit) empty(n *node, at place) {
	text := "[]"
	if n.kind == mapping {
		text = "{}"
	}
	first := n.items[0]
	removed := slices.Repeat([]bool{true}, len(n.items))
	switch {
	case n.isFlow:
		e.emptyFlow(n)
	case at.isRoot && e.isOwnLine(first.start):
		e.splice(first.start, e.lineEnd(first.end()), text)
		removed[0] = false
		e.removeLines(n, removed)
	case e.lineEnd(n.from) < n.start:
		e.splice(n.from, n.from, " "+text)
		e.removeLines(n, removed)
	default:
		e.splice(n.start, n.end, text)
	}
}

// replace writes another value in the place of a node.
func (e *edit) replace(n *node, want any, at place) error {
	if err := e.isUsedOutside(n, n.start, n.end); err != nil {
		return err
	}
	if text, isSame := rewritten(n, want); isSame {
		e.splice(n.start, n.end, text)
		return nil
	}
	if at.isFlow || e.staysFlow(n, want, at) {
		e.replaceFlow(n, want)
		return nil
	}
	inline, lines := e.style.render(want, at)
	if text, isText := want.(string); isText && len(lines) > 0 && n.style == block && n.column > 0 {
		inline, lines = blockScalar(text, n.column)
	}
	switch below := e.lineEnd(n.from) < n.start; {
	case at.isRoot && n.start == n.end: // an empty document
		text := inline + e.lines(lines)
		if e.lineStart(len(e.text)) == len(e.text) {
			text += e.newline()
		} else {
			text = e.newline() + text
		}
		e.splice(len(e.text), len(e.text), text)
	case n.style == block:
		header := n.start + strings.IndexAny(e.text[n.start:]+"\n", " \t\r\n")
		start := n.start
		if inline == "" {
			start = n.from
		}
		e.splice(start, header, inline)
		e.splice(e.lineEnd(header), max(n.end, e.lineEnd(header)), e.lines(lines))
	case below && !n.isFlow && n.kind != scalar: // a block below its key
		if inline != "" {
			e.splice(n.from, n.from, " "+inline)
		}
		e.splice(e.breakBefore(n.start), e.lineEnd(n.end), e.lines(lines))
	case inline != "":
		if n.start == n.from && !at.isRoot {
			inline = " " + inline
		}
		e.splice(n.start, n.end, inline)
		e.splice(e.lineEnd(n.end), e.lineEnd(n.end), e.lines(lines))
	case below:
		e.splice(e.breakBefore(n.start), n.end, e.lines(lines))
	default:
		e.splice(n.from, n.end, "")
		e.splice(e.lineEnd(n.end), e.lineEnd(n.end), e.lines(lines))
	}
	return nil
}
