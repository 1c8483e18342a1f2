package document

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// jsonParser finds the places of all values in a valid JSON text.
type jsonParser struct {
	d  *Document
	at int
}

// parseJSON parses the text as JSON. A text of white space has no value.
func (d *Document) parseJSON() error {
	p := &jsonParser{d: d}
	d.isJSON = true
	if p.skip(); p.at == len(d.text) {
		d.root = &node{line: 1, from: p.at, start: p.at, end: p.at}
		d.indent = "  "
		return nil
	}
	var syntax *json.SyntaxError
	if err := json.Unmarshal([]byte(d.text), new(json.RawMessage)); errors.As(err, &syntax) {
		return &Error{d.lineAt(max(int(syntax.Offset)-1, 0)), "this is not valid JSON: " + syntax.Error()}
	}
	root, err := p.value(0, p.at)
	if err != nil {
		return err
	}
	d.root = root
	if len(root.items) > 0 {
		first := root.items[0].start
		if lead := d.text[root.start+1 : first]; strings.ContainsAny(lead, "\r\n") {
			d.indent = d.text[d.lineStart(first):first]
		}
	}
	return nil
}

// skip goes on to the next value, name or bracket.
func (p *jsonParser) skip() {
	for p.at < len(p.d.text) && strings.IndexByte(" \t\r\n,:", p.d.text[p.at]) >= 0 {
		p.at++
	}
}

func (p *jsonParser) value(depth, from int) (n *node, err error) {
	n = &node{from: from, start: p.at, isFlow: true}
	switch c := p.d.text[p.at]; {
	case depth > maxDepth:
		return nil, &Error{p.d.lineAt(p.at), fmt.Sprintf("values are nested more than %d deep", maxDepth)}
	case c == '{' || c == '[':
		p.at++
		err = p.items(n, c == '{', depth)
	default:
		n.value, err = p.scalar(n)
	}
	n.end = p.at
	return n, err
}

func (p *jsonParser) items(n *node, isMap bool, depth int) (err error) {
	members, elements := map[string]any{}, []any{}
	for p.skip(); p.d.text[p.at] != '}' && p.d.text[p.at] != ']'; p.skip() {
		i := item{start: p.at}
		from := p.at
		if isMap {
			name, err := p.scalar(&node{})
			if err != nil {
				return err
			}
			i.name, _ = name.(string)
			if _, isThere := members[i.name]; isThere {
				return &Error{p.d.lineAt(i.start), fmt.Sprintf("there are two members %q in one object", i.name)}
			}
			i.keyEnd = p.at
			from = p.at + strings.Index(p.d.text[p.at:], ":") + 1
			p.skip()
		}
		if i.value, err = p.value(depth+1, from); err != nil {
			return err
		}
		if isMap {
			members[i.name] = i.value.value
		} else {
			elements = append(elements, i.value.value)
		}
		n.items = append(n.items, i)
	}
	p.at++
	n.kind, n.value = list, elements
	if isMap {
		n.kind, n.value = mapping, members
	}
	return nil
}

// scalar parses a text, a number, a bool or a null.
func (p *jsonParser) scalar(n *node) (v any, err error) {
	end := p.at + 1
	if p.d.text[p.at] == '"' {
		n.style = double
		for ; p.d.text[end] != '"'; end++ {
			if p.d.text[end] == '\\' {
				end++
			}
		}
		end++
	}
	for end < len(p.d.text) && strings.IndexByte(" \t\r\n,:]}", p.d.text[end]) < 0 {
		end++
	}
	raw := p.d.text[p.at:end]
	p.at = end
	decoder := json.NewDecoder(strings.NewReader(raw))
	decoder.UseNumber()
	err = decoder.Decode(&v)
	switch v := v.(type) {
	case json.Number:
		number, _ := Number(v) // a number that is too large stays as it is
		return number, err
	case string:
		isReplaced := strings.Contains(v, "\uFFFD") && !strings.Contains(raw, "\uFFFD")
		if isReplaced && !strings.Contains(strings.ToLower(raw), `\ufffd`) {
			return nil, &Error{p.d.lineAt(end), "a text contains half of a surrogate pair"}
		}
	}
	return v, err
}
