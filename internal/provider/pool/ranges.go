package pool

import (
	"math"
	"slices"
	"strconv"
)

// Range is what can be taken from a pool: [Numbers], [Prefixes] or [Names].
type Range interface {
	// Contains reports whether the value is among what can be taken, in its canonical form.
	Contains(value string) bool
	// Free is how many values are free, [math.MaxInt64] at most.
	Free(p *Pool) int64
	lowest(p *Pool) (string, bool)
	// only is the range of one of its values.
	only(value string) Range
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

func (r Numbers) only(value string) Range {
	n, _ := strconv.ParseInt(value, 10, 64) // it is a number of the range
	return Numbers{From: n, To: n}
}

func (r Numbers) touches(m member) bool {
	return m.order == isNumber && m.number >= r.From && m.number <= r.To && !slices.Contains(r.Except, m.number)
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

func (r Names) only(value string) Range { return Names{value} }

func (r Names) touches(m member) bool { return slices.Contains(r, m.name) }

func saturated(n uint64) int64 {
	return int64(min(n, math.MaxInt64))
}
