// Package pool has what one key of a ConfigMap holds that is a pool: who has taken which numbers, prefixes or names. It knows neither Terraform nor Kubernetes,
// and sends nothing. Each function takes a pool and gives another one, so that the same pool always gives the same.
package pool

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

// Pool is what has been taken. Its text is a JSON object with a member for each allocation, whose name is the value that was taken:
//
//	{
//	"30000":{"claimant":"shop/web","id":"KZ5V2UQ7ENWGA3TB","since":"2026-11-25T01:47:11Z"},
//	"30001":{"claimant":"shop/api","id":"3WXN2YBRPFLD5QAC","since":"2026-11-25T01:48:02Z","note":"other fields stay"}
//	}
//
// A member without an id was written by hand: it is taken, and never released. The zero value is an empty pool.
type Pool struct {
	members []member // in the order of their values
}

// MostClaimant is how many bytes a claimant has at most.
const MostClaimant = 128

// Member is one allocation. What is not there, or is no text, is empty.
type Member struct {
	Value    string
	Claimant string // who has it, for people
	ID       string // of the allocation
	Since    string // when it was taken: RFC 3339, UTC, in seconds
}

// member is one allocation as it stands in the text.
type member struct {
	name   string
	raw    string // a JSON object without spaces
	line   string // the name, and that
	number int64  // where isNumber
	prefix netip.Prefix
	order  order
}

// Reader reads the same pool again and again: where it holds what the last read found, or what [Reader.Keep] was told of, it is not parsed. The zero value is ready.
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

// order is which kind of value comes first.
type order uint8

const (
	isNumber order = iota
	isPrefix
	isName
)

// FormatError: a text is no pool.
type FormatError struct {
	Problem string // a sentence without a dot
}

func (e *FormatError) Error() string { return e.Problem }

// NotText is the error of what is no text at all.
func NotText() error { return &FormatError{"it is bytes (binaryData), not text"} }

// Parse reads a pool. Its error is a *FormatError.
func Parse(text string) (*Pool, error) {
	if !utf8.ValidString(text) {
		return nil, &FormatError{"the text is not UTF-8"}
	}
	d := json.NewDecoder(strings.NewReader(text))
	if token, err := d.Token(); err != nil || token != json.Delim('{') {
		return nil, &FormatError{"the text is no JSON object"}
	}
	p, seen := &Pool{}, map[string]bool{}
	for d.More() {
		token, err := d.Token()
		name, isText := token.(string)
		if err != nil || !isText {
			return nil, &FormatError{"the text is no JSON object"}
		}
		var raw json.RawMessage
		switch err := d.Decode(&raw); {
		case err != nil:
			return nil, &FormatError{fmt.Sprintf("the member %q is no JSON", name)}
		case raw[0] != '{':
			return nil, &FormatError{fmt.Sprintf("the member %q is no JSON object", name)}
		case seen[name]:
			return nil, &FormatError{fmt.Sprintf("the member %q is there twice", name)}
		case name == "" || strings.ContainsRune(name, utf8.RuneError):
			return nil, &FormatError{fmt.Sprintf("the member %q has no valid name", name)}
		}
		seen[name] = true
		p.members = append(p.members, newMember(name, compact(raw)))
	}
	if _, err := d.Token(); err != nil { // the closing brace
		return nil, &FormatError{"the text is no JSON object"}
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, &FormatError{"something follows the JSON object"}
	}
	slices.SortFunc(p.members, member.compare)
	return p, nil
}

func newMember(name, raw string) member {
	m := member{name: name, raw: raw, line: quote(name) + ":" + raw, order: isName}
	if n, err := strconv.ParseInt(name, 10, 64); err == nil {
		m.number, m.order = n, isNumber
	} else if prefix, ok := parsePrefix(name); ok {
		m.prefix, m.order = prefix, isPrefix
	}
	return m
}

// parsePrefix reads what people may write by hand as well: an address alone, or one within its prefix.
func parsePrefix(s string) (netip.Prefix, bool) {
	if prefix, err := netip.ParsePrefix(s); err == nil {
		return prefix.Masked(), true
	}
	if addr, err := netip.ParseAddr(s); err == nil && addr.Zone() == "" {
		return netip.PrefixFrom(addr, addr.BitLen()), true
	}
	return netip.Prefix{}, false
}

func (m member) compare(other member) int {
	return cmp.Or(cmp.Compare(m.order, other.order), cmp.Compare(m.number, other.number), m.prefix.Addr().Compare(other.prefix.Addr()),
		cmp.Compare(m.prefix.Bits(), other.prefix.Bits()), cmp.Compare(m.name, other.name))
}

func compact(raw json.RawMessage) string {
	var b bytes.Buffer
	if err := json.Compact(&b, raw); err != nil {
		return string(raw) // it was decoded before
	}
	return b.String()
}

// String is the text of the pool: one line for each member, in the order of their values. It is the same for the same members.
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

// Len is how many members there are.
func (p *Pool) Len() int { return len(p.members) }

// Members are all allocations, in the order of their values.
func (p *Pool) Members() []Member {
	all := make([]Member, len(p.members))
	for i, m := range p.members {
		all[i] = m.read()
	}
	return all
}

// fields are those of a member, as JSON. Names are compared as they are: encoding/json would take "ID" for "id".
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
		return s
	}
	return Member{Value: m.name, Claimant: text("claimant"), ID: text("id"), Since: text("since")}
}

// At is the allocation of a value.
func (p *Pool) At(value string) (Member, bool) {
	for _, m := range p.members {
		if m.name == value {
			return m.read(), true
		}
	}
	return Member{}, false
}

// Find is the allocation with an id. Where several have it, since somebody copied one by hand, that of the value comes first.
func (p *Pool) Find(id, value string) (Member, bool) {
	i := p.index(id, value)
	if i < 0 {
		return Member{}, false
	}
	return p.members[i].read(), true
}

func (p *Pool) index(id, value string) int {
	found := -1
	for i, m := range p.members {
		if id != "" && strings.Contains(m.raw, id) && m.read().ID == id && (found < 0 || m.name == value) {
			found = i
		}
	}
	return found
}

// Release gives the pool without the allocation that has the id; the same pool where none has it.
func (p *Pool) Release(id, value string) *Pool {
	i := p.index(id, value)
	if i < 0 {
		return p
	}
	return &Pool{slices.Delete(slices.Clone(p.members), i, i+1)}
}

// Claim gives the pool in which the allocation that has the id is of another claimant. Its other fields stay. The same pool where none has the id.
func (p *Pool) Claim(id, value, claimant string) *Pool {
	i := p.index(id, value)
	if i < 0 || p.members[i].read().Claimant == claimant {
		return p
	}
	all := p.members[i].fields()
	all["claimant"] = json.RawMessage(quote(claimant))
	var raw strings.Builder
	for i, name := range slices.Sorted(maps.Keys(all)) {
		raw.WriteByte("{,"[min(i, 1)])
		raw.WriteString(quote(name) + ":" + compact(all[name]))
	}
	next := &Pool{slices.Clone(p.members)}
	next.members[i] = newMember(p.members[i].name, raw.String()+"}")
	return next
}

// FullError: all that could be taken is.
type FullError struct {
	Holders []Member // of what could be taken; of a prefix, all that overlap
	Holds   bool     // whether there is anything that could be taken at all
}

func (*FullError) Error() string { return "nothing is free" }

// TakenError: what was preferred is not free.
type TakenError struct {
	Value string
	By    Member // of a prefix, the first one that overlaps
}

func (e *TakenError) Error() string { return fmt.Sprintf("%q is taken", e.Value) }

// OutsideError: what was preferred is not among what could be taken.
type OutsideError struct {
	Value string
}

func (e *OutsideError) Error() string { return fmt.Sprintf("%q is outside of the range", e.Value) }

// Take takes the lowest free value of a range for m, or the one that m names, and gives the pool with it. Where m's id has an allocation already, that is it.
// Its errors are a *FullError, *TakenError and *OutsideError.
func (p *Pool) Take(from Range, m Member) (*Pool, Member, error) {
	if had, ok := p.Find(m.ID, m.Value); ok {
		return p, had, nil
	}
	if m.Value == "" {
		free, ok := from.lowest(p)
		if !ok {
			return nil, Member{}, p.full(from)
		}
		m.Value = free
	} else {
		if !from.Contains(m.Value) {
			return nil, Member{}, &OutsideError{m.Value}
		}
		wanted := newMember(m.Value, "")
		for _, other := range p.members {
			if wanted.overlaps(other) {
				return nil, Member{}, &TakenError{m.Value, other.read()}
			}
		}
	}
	raw := fmt.Sprintf(`{"claimant":%s,"id":%s,"since":%s}`, quote(m.Claimant), quote(m.ID), quote(m.Since))
	taken := newMember(m.Value, raw)
	i, _ := slices.BinarySearchFunc(p.members, taken, member.compare)
	return &Pool{slices.Insert(slices.Clone(p.members), i, taken)}, m, nil
}

// overlaps reports whether one of two allocations keeps the other from being made.
func (m member) overlaps(other member) bool {
	switch {
	case m.order != other.order:
		return false
	case m.order == isNumber:
		return m.number == other.number
	case m.order == isPrefix:
		return m.prefix.Overlaps(other.prefix)
	default:
		return m.name == other.name
	}
}

func (p *Pool) full(from Range) *FullError {
	e := &FullError{Holds: from.Free(&Pool{}) > 0}
	for _, m := range p.members {
		if from.touches(m) {
			e.Holders = append(e.Holders, m.read())
		}
	}
	return e
}

// Range is what can be taken from a pool: [Numbers], [Prefixes] or [Names].
type Range interface {
	// Contains reports whether the value is among what can be taken, in its canonical form.
	Contains(value string) bool
	// Free is how many values are free, [math.MaxInt64] at most.
	Free(p *Pool) int64
	lowest(p *Pool) (string, bool)
	// touches reports whether a member takes something of the range.
	touches(m member) bool
}

// Numbers are those from From to To, both included, without Except.
type Numbers struct {
	From, To int64
	Except   []int64
}

// Contains implements [Range].
func (r Numbers) Contains(value string) bool {
	n, err := strconv.ParseInt(value, 10, 64)
	return err == nil && strconv.FormatInt(n, 10) == value && n >= r.From && n <= r.To && !slices.Contains(r.Except, n)
}

// Free implements [Range].
func (r Numbers) Free(p *Pool) int64 {
	if r.From > r.To {
		return 0
	}
	all := uint64(r.To-r.From) + 1 //nolint:gosec // the difference is right as a number without a sign, whatever overflows
	if all == 0 {
		return math.MaxInt64
	}
	return saturated(all - uint64(len(r.used(p))))
}

// used are the numbers of the range that cannot be taken, in order.
func (r Numbers) used(p *Pool) []int64 {
	var all []int64
	for _, n := range r.Except {
		if n >= r.From && n <= r.To {
			all = append(all, n)
		}
	}
	for _, m := range p.members {
		if r.touches(m) {
			all = append(all, m.number)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func (r Numbers) lowest(p *Pool) (string, bool) {
	if r.From > r.To {
		return "", false
	}
	n := r.From
	for _, used := range r.used(p) {
		switch {
		case used > n:
			return strconv.FormatInt(n, 10), true
		case n == r.To:
			return "", false
		}
		n++
	}
	return strconv.FormatInt(n, 10), true
}

func (r Numbers) touches(m member) bool {
	return m.order == isNumber && m.number >= r.From && m.number <= r.To
}

// Names are all that can be taken, in the order in which they are.
type Names []string

// Contains implements [Range].
func (r Names) Contains(value string) bool { return slices.Contains(r, value) }

// Free implements [Range].
func (r Names) Free(p *Pool) (n int64) {
	taken := r.taken(p)
	for _, name := range r {
		if !taken[name] {
			n++
		}
	}
	return n
}

func (r Names) taken(p *Pool) map[string]bool {
	taken := map[string]bool{}
	for _, m := range p.members {
		taken[m.name] = true
	}
	return taken
}

func (r Names) lowest(p *Pool) (string, bool) {
	taken := r.taken(p)
	for _, name := range r {
		if !taken[name] {
			return name, true
		}
	}
	return "", false
}

func (r Names) touches(m member) bool { return slices.Contains(r, m.name) }

func saturated(n uint64) int64 {
	return int64(min(n, math.MaxInt64))
}
