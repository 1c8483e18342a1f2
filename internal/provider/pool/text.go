package pool

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The text of a pool: how it is read and written, and what of a member is kept.

// Parse reads a pool. Its error is a *FormatError.
func Parse(text string) (*Pool, error) {
	if !utf8.ValidString(text) {
		return nil, &FormatError{Problem: "the text is not UTF-8"}
	}
	d := json.NewDecoder(strings.NewReader(text))
	if token, err := d.Token(); err != nil || token != json.Delim('{') {
		return nil, &FormatError{Problem: "the text is no JSON object"}
	}
	p, seen := &Pool{}, map[string]bool{}
	for d.More() {
		token, err := d.Token()
		name, isText := token.(string)
		if err != nil || !isText {
			return nil, &FormatError{Problem: "the text is no JSON object"}
		}
		var raw json.RawMessage
		switch err := d.Decode(&raw); {
		case err != nil:
			return nil, &FormatError{"a member is no JSON", &name}
		case raw[0] != '{':
			return nil, &FormatError{"a member is no JSON object", &name}
		case seen[name]:
			return nil, &FormatError{"a member is there twice", &name}
		case !IsName(name):
			return nil, &FormatError{"a member has no valid name", &name}
		}
		seen[name] = true
		p.members = append(p.members, newMember(name, compact(raw)))
	}
	if _, err := d.Token(); err != nil { // the closing brace
		return nil, &FormatError{Problem: "the text is no JSON object"}
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, &FormatError{Problem: "something follows the JSON object"}
	}
	slices.SortFunc(p.members, member.compare)
	return p, nil
}

// IsName reports whether a member can have the name. Where JSON shows U+FFFD, another text may be meant.
func IsName(name string) bool { return name != "" && !strings.ContainsRune(name, utf8.RuneError) }

// FormatError: a text is no pool.
type FormatError struct {
	Problem string  // a sentence without a dot, which quotes nothing
	Member  *string // the name of the member that it is about; nil where it is about the text
}

func (e *FormatError) Error() string { return e.Problem }

// NotText returns the error of a key that has bytes instead of text.
func NotText() error { return &FormatError{Problem: "it is bytes (binaryData), not text"} }

// Reader reads one pool repeatedly. It does not parse a text that equals the text of the last read, or the one that
// [Reader.Keep] recorded. The zero value is ready.
type Reader struct {
	mu   sync.Mutex
	text string
	pool *Pool
}

// Parse is [Parse].
func (r *Reader) Parse(text string) (*Pool, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pool != nil && r.text == text {
		return r.pool, nil
	}
	p, err := Parse(text)
	if err == nil {
		r.text, r.pool = text, p
	}
	return p, err
}

// Keep gives the text of a pool, which is likely to be read next.
func (r *Reader) Keep(p *Pool) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.text, r.pool = p.String(), p
	return r.text
}

// String is the text of the pool: one line for each member, in the order of their values. It is the same for the same
// members.
func (p *Pool) String() string {
	if len(p.members) == 0 {
		return "{}"
	}
	size := 0
	for _, m := range p.members {
		size += len(m.line) + len(",\n")
	}
	var b strings.Builder
	b.Grow(size + len("{\n}"))
	b.WriteString("{\n")
	for i, m := range p.members {
		if i > 0 {
			b.WriteString(",\n")
		}
		b.WriteString(m.line)
	}
	b.WriteString("\n}")
	return b.String()
}

// Reformed is another text of the same pool. Of one that a pool has written it is as long: a ConfigMap may have no room
// for more. The next take or release writes the usual text.
func Reformed(text string) string {
	for _, end := range [][2]string{{"\n}", " }"}, {" }", "\n}"}, {"\n", ""}} {
		if before, ok := strings.CutSuffix(text, end[0]); ok {
			return before + end[1]
		}
	}
	return text + "\n"
}

// member is one allocation as it stands in the text.
type member struct {
	name   string // in NFC, as Terraform has all text
	raw    string // a JSON object without spaces
	line   string // the name as it is there, and that
	number int64  // where isNumber
	prefix netip.Prefix
	order  order
}

// order is which kind of value comes first.
type order uint8

const (
	isNumber order = iota
	isPrefix
	isName
)

func newMember(name, raw string) member {
	m := member{name: norm.NFC.String(name), raw: raw, line: quote(name) + ":" + raw, order: isName}
	if n, err := strconv.ParseInt(name, 10, 64); err == nil {
		m.number, m.order = n, isNumber
	} else if prefix, ok := parsePrefix(name); ok {
		m.prefix, m.order = prefix, isPrefix
	}
	return m
}

// parsePrefix reads what people may write by hand as well: an address alone, one within its prefix, or one of version 4
// that is mapped to version 6.
func parsePrefix(s string) (netip.Prefix, bool) {
	if prefix, err := netip.ParsePrefix(s); err == nil {
		if addr, bits := prefix.Addr(), prefix.Bits()-96; addr.Is4In6() && bits >= 0 {
			prefix = netip.PrefixFrom(addr.Unmap(), bits)
		}
		return prefix.Masked(), true
	}
	if addr, err := netip.ParseAddr(s); err == nil && addr.Zone() == "" {
		addr = addr.Unmap()
		return netip.PrefixFrom(addr, addr.BitLen()), true
	}
	return netip.Prefix{}, false
}

func (m member) compare(other member) int {
	return cmp.Or(cmp.Compare(m.order, other.order), cmp.Compare(m.number, other.number),
		m.prefix.Addr().Compare(other.prefix.Addr()),
		cmp.Compare(m.prefix.Bits(), other.prefix.Bits()), cmp.Compare(m.name, other.name))
}

// fields returns the fields of a member, as JSON. Names are compared exactly: encoding/json would read "ID" as "id".
func (m member) fields() map[string]json.RawMessage {
	var all map[string]json.RawMessage
	if err := json.Unmarshal([]byte(m.raw), &all); err != nil {
		return nil // it was decoded before
	}
	return all
}

func (m member) read() Member {
	all := m.fields()
	text := func(name string) (s string) {
		if json.Unmarshal(all[name], &s) != nil {
			return ""
		}
		return norm.NFC.String(s)
	}
	return Member{Value: m.name, Claimant: text("claimant"), ID: text("id"), Since: text("since")}
}

func compact(raw json.RawMessage) string {
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return string(raw) // it was decoded before
	}
	return b.String()
}

// quote is text in JSON, in which people can read <, > and &.
func quote(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' }) {
		return `"` + text + `"`
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		return strconv.Quote(text) // a string can always be encoded
	}
	return strings.TrimSuffix(b.String(), "\n")
}
