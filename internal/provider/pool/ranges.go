package pool

import (
	"cmp"
	"math"
	"math/big"
	"net/netip"
	"slices"
	"strconv"
)

// Range has the values that an allocation can get from a pool: [Numbers], [Prefixes] or [Names].
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

// Numbers has the numbers from From to To, both included, without Except.
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
	return int64(min(all-uint64(len(r.used(p))), math.MaxInt64))
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

// Prefixes has the prefixes of a length that lie within others and overlap none of Except. The prefixes of Within do
// not overlap each other.
type Prefixes struct {
	Within []netip.Prefix
	Bits   int // the length; at least that of each in Within
	Except []netip.Prefix
}

// Contains implements [Range].
func (r Prefixes) Contains(value string) bool {
	p, err := netip.ParsePrefix(value)
	return err == nil && p.Masked().String() == value && p.Bits() == r.Bits &&
		slices.ContainsFunc(r.Within, func(w netip.Prefix) bool { return w.Overlaps(p) && w.Bits() <= r.Bits }) &&
		!slices.ContainsFunc(r.Except, p.Overlaps)
}

// Free implements [Range].
func (r Prefixes) Free(p *Pool) int64 {
	free, used := new(big.Int), r.used(p)
	for _, w := range r.Within {
		r.walk(w, used, func(first, next netip.Addr) bool {
			free.Add(free, r.index(w, next))
			free.Sub(free, r.index(w, first))
			return true
		})
	}
	if !free.IsInt64() {
		return math.MaxInt64
	}
	return free.Int64()
}

func (r Prefixes) lowest(p *Pool) (string, bool) {
	used := r.used(p)
	for _, w := range slices.SortedFunc(slices.Values(r.Within), comparePrefixes) {
		var found netip.Prefix
		r.walk(w, used, func(first, _ netip.Addr) bool {
			found = netip.PrefixFrom(first, r.Bits)
			return false
		})
		if found.IsValid() {
			return found.String(), true
		}
	}
	return "", false
}

func (r Prefixes) only(value string) Range {
	p, _ := parsePrefix(value) // it is a prefix of the range
	return Prefixes{Within: []netip.Prefix{p}, Bits: r.Bits}
}

func (r Prefixes) touches(m member) bool {
	isExcepted := func(e netip.Prefix) bool { e = r.whole(e); return e.Bits() <= m.prefix.Bits() && e.Overlaps(m.prefix) }
	return m.order == isPrefix && slices.ContainsFunc(r.Within, m.prefix.Overlaps) &&
		!slices.ContainsFunc(r.Except, isExcepted)
}

// whole returns the addresses that a used prefix blocks: the whole prefix of the range that contains it.
func (r Prefixes) whole(p netip.Prefix) netip.Prefix {
	if p.Bits() <= r.Bits {
		return p
	}
	return netip.PrefixFrom(p.Addr(), r.Bits).Masked()
}

// used are the prefixes that keep others from being taken, in order.
func (r Prefixes) used(p *Pool) []netip.Prefix {
	all := slices.Clone(r.Except)
	for _, m := range p.members {
		if m.order == isPrefix {
			all = append(all, m.prefix)
		}
	}
	slices.SortFunc(all, comparePrefixes)
	return all
}

// walk calls found for each gap in w, with the first address of the gap and the first one after the gap. There is no
// address after the gap if w ends with the gap, at the end of all addresses. walk ends when found returns false. Two
// prefixes are apart, or one lies in the other, so walk passes each used prefix as a whole.
func (r Prefixes) walk(w netip.Prefix, used []netip.Prefix, found func(first, next netip.Addr) bool) {
	if w.Bits() > r.Bits {
		return
	}
	first := w.Addr()
	for _, u := range used {
		if !u.Overlaps(w) {
			continue
		}
		u = r.whole(u)
		if u.Addr().Less(first) && lastOf(u).Less(first) {
			continue
		}
		if first.Less(u.Addr()) && !found(first, u.Addr()) {
			return
		}
		if first = lastOf(u).Next(); !first.IsValid() || !w.Contains(first) {
			return
		}
	}
	found(first, lastOf(w).Next())
}

// index is how many prefixes of w come before the one that begins at the address; all of them where it is past the end.
func (r Prefixes) index(w netip.Prefix, a netip.Addr) *big.Int {
	if !a.IsValid() || !w.Contains(a) {
		return new(big.Int).Lsh(big.NewInt(1), uint(r.Bits-w.Bits()))
	}
	n := new(big.Int).SetBytes(a.AsSlice())
	n.Sub(n, new(big.Int).SetBytes(w.Addr().AsSlice()))
	return n.Rsh(n, uint(a.BitLen()-r.Bits))
}

// lastOf is the last address of a prefix.
func lastOf(p netip.Prefix) netip.Addr {
	bytes := p.Addr().AsSlice()
	for i := p.Bits(); i < len(bytes)*8; i++ {
		bytes[i/8] |= 1 << (7 - i%8)
	}
	a, _ := netip.AddrFromSlice(bytes)
	return a
}

func comparePrefixes(a, b netip.Prefix) int {
	return cmp.Or(a.Addr().Compare(b.Addr()), cmp.Compare(a.Bits(), b.Bits()))
}
