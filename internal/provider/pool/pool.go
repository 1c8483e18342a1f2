// Package pool has what one key of a ConfigMap holds that is a pool: who has taken which numbers, prefixes or names. It
// knows neither Terraform nor Kubernetes, and sends nothing. Each function takes a pool and gives another one, so that
// the same pool always gives the same.
package pool

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"
)

// Pool contains the allocations of one key. Its text is a JSON object with a member for each allocation, whose name is
// the allocated value:
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

// Member is one allocation. A field that is missing, or is no text, is empty.
type Member struct {
	Value    string
	Claimant string // who has it, for people
	ID       string // of the allocation
	Since    string // when it was taken: RFC 3339, UTC, in seconds
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

// At is the allocation of a value.
func (p *Pool) At(value string) (Member, bool) {
	for _, m := range p.members {
		if m.name == value {
			return m.read(), true
		}
	}
	return Member{}, false
}

// Find returns the allocation with an id. If several have the id, because somebody copied a member by hand, Find
// prefers the allocation of the value.
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
		// in JSON, an id may be escaped
		mayHave := strings.Contains(m.raw, id) || strings.Contains(m.raw, `\`) || !norm.NFC.IsNormalString(m.raw)
		if id != "" && mayHave && m.read().ID == id && (found < 0 || m.name == value) {
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

// Claim gives the pool in which the allocation that has the id is of another claimant. Its other fields stay. The same
// pool where none has the id.
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
	m := &next.members[i]
	m.line = strings.TrimSuffix(m.line, m.raw) + raw.String() + "}"
	m.raw = raw.String() + "}"
	return next
}

// FullError reports that no value of a range is free.
type FullError struct {
	Holders []Member // have the values of the range; for a prefix, all that overlap it
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

// Take takes the lowest free value of a range for m, or the one that m names, and gives the pool with it. Where m's id
// has an allocation already, that is it. Its errors are a *FullError, *TakenError and *OutsideError.
func (p *Pool) Take(from Range, m Member) (*Pool, Member, error) {
	if had, ok := p.Find(m.ID, m.Value); ok {
		return p, had, nil
	}
	isPreferred := m.Value != ""
	if isPreferred {
		if !from.Contains(m.Value) {
			return nil, Member{}, &OutsideError{m.Value}
		}
		from = from.only(m.Value)
	}
	free, ok := from.lowest(p)
	if !ok {
		full := p.full(from)
		if isPreferred {
			return nil, Member{}, &TakenError{m.Value, full.Holders[0]}
		}
		return nil, Member{}, full
	}
	m.Value = free
	raw := fmt.Sprintf(`{"claimant":%s,"id":%s,"since":%s}`, quote(m.Claimant), quote(m.ID), quote(m.Since))
	taken := newMember(m.Value, raw)
	i, _ := slices.BinarySearchFunc(p.members, taken, member.compare)
	return &Pool{slices.Insert(slices.Clone(p.members), i, taken)}, m, nil
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
