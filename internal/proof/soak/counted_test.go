package soak

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// counts is who took which numbers from the counter of one ConfigMap.
type counts struct {
	*account
	index map[int64]int // of the version that gave the number
	owner map[int64]*op // which got it
	owns  map[*op]bool
	known func(int64) int
}

// counted assigns each number that a version gave to a take, and reports takes that do not agree with the versions.
// A version may give several numbers, to takes of the one process that sent the request.
func (a *account) counted() {
	c := &counts{account: a, index: map[int64]int{}, owner: map[int64]*op{}, owns: map[*op]bool{}}
	for i := 1; i < len(a.states); i++ {
		from, to, err := a.step(i)
		if err != nil || to < from {
			a.errs = append(a.errs, fmt.Errorf("version %s: the counter goes from %d to %d (%w)", a.states[i].version.ResourceVersion, from, to, err))
		}
		for n := from; n < to; n++ {
			c.index[n] = i
		}
	}
	var told, untold history
	for _, o := range a.history {
		switch {
		case o.Kind != takeOp || o.Verdict == eval.Rejected:
		case o.Verdict == eval.Applied:
			told = append(told, o)
		case o.Verdict == eval.Unknown:
			untold = append(untold, o)
		default:
			a.fail(o, "a take is never a conflict")
		}
	}
	if n := len(c.index); n < len(told) || n > len(told)+len(untold) {
		a.errs = append(a.errs, fmt.Errorf("%d numbers are gone, and %d takes were applied, %d unknown", n, len(told), len(untold)))
	}
	for _, o := range told {
		c.claim(o)
	}
	c.known = a.known()
	for i := 1; i < len(a.states); i++ {
		if a.touched(i)[counterKey] {
			a.changes[change{i, counterKey}] = c.made(i, untold)
		}
	}
}

// step returns the counter before a version, and at it.
func (a *account) step(i int) (from, to int64, err error) {
	if from, err = numberIn(a.states[i-1].entries[counterKey]); err == nil {
		to, err = numberIn(a.states[i].entries[counterKey])
	}
	return from, to, err
}

func (c *counts) own(o *op, n int64) { c.owner[n], c.owns[o] = o, true }

// claim assigns to an applied take the number that the take received.
func (c *counts) claim(o *op) {
	i, given := c.index[o.Number]
	switch other := c.owner[o.Number]; {
	case o.New != number(o.Number+1) || o.Live != o.New:
		c.fail(o, "it was to leave %s, and left %s", show(o.New), show(o.Live))
	case other != nil:
		c.fail(o, "%s was told the same number", other)
	case !given:
		c.fail(o, "no version gave the number")
	default:
		c.own(o, o.Number)
		o.Version = c.states[i].version
	}
}

// made has unknown takes own what is left of a version's numbers, and gives one of those whose version it is; none where a number
// is nobody's.
func (c *counts) made(i int, untold history) (one *op) {
	s := c.states[i]
	can := func(o *op) bool {
		return !c.owns[o] && o.Worker == s.manager && c.known(o.Call) < i && (o.Number == 0 || o.Base == c.states[i-1].version)
	}
	from, to, _ := c.step(i)
	for n := from; n < to; n++ {
		for _, told := range []int64{n, 0} { // a take of a killed process received no number
			at := slices.IndexFunc(untold, func(o *op) bool { return o.Number == told && can(o) })
			if c.owner[n] == nil && at >= 0 {
				c.own(untold[at], n)
			}
		}
		switch o := c.owner[n]; {
		case o == nil:
			return nil
		case o.Worker != s.manager:
			c.fail(o, "version %s is of %s", s.version.ResourceVersion, s.manager)
		case one == nil || o.Verdict == eval.Applied:
			one = o
		}
	}
	return one
}

// skipped returns an unknown take for each number that no caller received because the response to a write was lost.
// The number belongs to a take that was under way, and that received a later number, or none.
func skipped(h history, states []state) (skips history) {
	a := &account{history: h, states: states, index: map[eval.Version]int{}}
	got := map[int64]bool{}
	for i, s := range states {
		a.index[s.version] = i
	}
	for _, o := range h {
		got[o.Number] = got[o.Number] || o.Kind == takeOp && o.Verdict == eval.Applied
	}
	known := a.known()
	for i := 1; i < len(states); i++ {
		from, to, err := a.step(i)
		for n := from; err == nil && n < to; n++ {
			at := slices.IndexFunc(h, func(o *op) bool {
				return o.Kind == takeOp && o.Lost && o.Worker == states[i].manager && known(o.Call) < i &&
					(o.Verdict == eval.Unknown || o.Verdict == eval.Applied && o.Number >= to)
			})
			if got[n] || at < 0 {
				continue
			}
			skip := *h[at]
			skip.Number, skip.Verdict, skip.Base, skip.Wrote, skip.New, skip.Live = n, eval.Unknown, states[i-1].version, false, eval.Value{}, eval.Value{}
			skips = append(skips, &skip)
		}
	}
	return skips
}

// together reports versions that gave numbers to one process and have changes of another process.
func (a *account) together() {
	for i := 1; i < len(a.states); i++ {
		touched := a.touched(i)
		for key := range touched {
			if by := a.changes[change{i, key}]; touched[counterKey] && by != nil && by.Worker != a.states[i].manager {
				a.fail(by, "version %s is of %s", a.states[i].version.ResourceVersion, a.states[i].manager)
			}
		}
	}
}

// TestCounted checks the account of a counter. Version 1 has no counter yet. Each later version gives the value of
// the counter and its writer, or changes a from 0 to 1, or both.
func TestCounted(t *testing.T) {
	t.Parallel()
	const me, other = "taker-0", "swapper-1"
	type made struct {
		holds, by string
	}
	const both = " and a" // changes
	foreign := made{holds: both}
	swap := func(worker string, version int) *op {
		return &op{
			Worker: worker, Kind: swapOp, Key: "a", Expect: eval.Text("0"), New: eval.Text("1"), Verdict: eval.Applied, Wrote: true,
			Version: at(version), Previous: eval.Text("0"), Live: eval.Text("1"), Call: 1, Return: 2000,
		}
	}
	took := func(worker string, n int64, times ...int64) *op {
		o := &op{Worker: worker, Kind: takeOp, Key: counterKey, Number: n, Verdict: eval.Applied, Wrote: true, New: number(n + 1), Live: number(n + 1)}
		if o.Call, o.Return = 1, 1000; len(times) > 0 {
			o.Call, o.Return = times[0], times[1]
		}
		return o
	}
	unknown := func(worker string, n int64, base int) *op {
		return &op{Worker: worker, Kind: takeOp, Key: counterKey, Number: n, Verdict: eval.Unknown, Base: at(base), Lost: true, Call: 1, Return: 1000}
	}
	lost := func(o *op) *op { o.Lost = true; return o }
	killed := &op{Worker: me, Kind: takeOp, Key: counterKey, Verdict: eval.Unknown, Call: 1}
	stored := func(o *op, e eval.Value) *op { o.Live = e; return o }
	ended := func(v eval.Verdict) *op {
		return &op{Worker: me, Kind: takeOp, Key: counterKey, Verdict: v, Call: 1, Return: 1000}
	}
	tests := map[string]struct {
		versions []made
		ops      history
		want     string // in a complaint; empty: there is none
	}{
		"one by one":                      {[]made{{"2", me}, {"3", other}}, history{took(me, 1), took(other, 2)}, ""},
		"several at once":                 {[]made{{"4", me}}, history{took(me, 2), took(me, 1), took(me, 3)}, ""},
		"told twice":                      {[]made{{"2", me}, {"3", me}}, history{took(me, 1), took(other, 1)}, "was told the same number"},
		"told, and not gone":              {[]made{{"2", me}}, history{took(me, 1), took(me, 2)}, "no version gave the number"},
		"told more than are gone":         {[]made{{"2", me}}, history{took(me, 1), took(me, 2)}, "1 numbers are gone, and 2 takes"},
		"a step of nobody":                {[]made{{"2", me}}, nil, "from nothing to 2, and nobody says so"},
		"a step of nobody among others":   {[]made{{"4", me}}, history{took(me, 1), took(me, 3)}, "from nothing to 4, and nobody says so"},
		"a step more than there are":      {[]made{{"3", me}}, history{took(me, 1)}, "2 numbers are gone, and 1 takes"},
		"a lost step":                     {[]made{{"3", me}, {"2", other}}, history{took(me, 1), took(me, 2)}, "the counter goes from 3 to 2"},
		"no number":                       {[]made{{"two", me}}, history{took(me, 1)}, "invalid syntax"},
		"another left it":                 {[]made{{"2", me}}, history{stored(took(me, 1), number(3))}, "left 3"},
		"of another process":              {[]made{{"2", other}}, history{took(me, 1)}, "is of swapper-1"},
		"of two processes at once":        {[]made{{"3", me}}, history{took(me, 1), took(other, 2)}, "is of taker-0"},
		"with its own swap":               {[]made{{"2" + both, me}}, history{took(me, 1), swap(me, 2)}, ""},
		"with another's swap":             {[]made{{"2" + both, me}}, history{took(me, 1), swap(other, 2)}, "is of taker-0"},
		"before another's swap":           {[]made{{"2", me}, foreign}, history{took(me, 1), swap(other, 3)}, ""},
		"of one version, and not at once": {[]made{{"3", me}}, history{took(me, 1, 1, 2), took(me, 2, 3, 4)}, "somebody knew of version 2"},
		"a conflict":                      {nil, history{ended(eval.Conflict)}, "never a conflict"},
		"rejected":                        {[]made{{"2", me}}, history{ended(eval.Rejected), took(me, 1)}, ""},
		"rejected, and gone":              {[]made{{"2", me}}, history{ended(eval.Rejected)}, "nobody says so"},

		"unknown that landed":           {[]made{{"2", me}}, history{unknown(me, 1, 1)}, ""},
		"unknown that did not":          {nil, history{unknown(me, 1, 1)}, ""},
		"unknown that another got":      {[]made{{"2", other}}, history{unknown(me, 1, 1), took(other, 1)}, ""},
		"unknown beside one that knows": {[]made{{"3", me}}, history{unknown(me, 2, 1), took(me, 1)}, ""},
		"unknown on another base":       {[]made{foreign, {"2", me}}, history{swap(other, 2), unknown(me, 1, 1)}, ""},
		"skipped":                       {[]made{{"2", me}, {"3", other}, {"4", me}}, history{took(other, 2), lost(took(me, 3))}, ""},
		"skipped twice":                 {[]made{{"2", me}, {"3", me}, {"4", me}}, history{lost(took(me, 3))}, ""},
		"skipped together":              {[]made{{"3", me}, {"5", me}}, history{lost(took(me, 3)), lost(took(me, 4))}, ""},
		"skipped, and nothing was lost": {[]made{{"2", me}, {"3", me}}, history{took(me, 2)}, "numbers are gone"},
		"skipped by another":            {[]made{{"2", other}, {"3", me}}, history{lost(took(me, 2))}, "numbers are gone"},
		"skipped in its own request":    {[]made{{"3", me}}, history{lost(took(me, 2))}, "numbers are gone"},
		"killed, and landed":            {[]made{{"3", me}}, history{killed, took(me, 1)}, ""},
		"killed, and landed twice":      {[]made{{"3", me}}, history{killed}, "nobody says so"},
		"another was killed":            {[]made{{"2", other}}, history{killed}, "nobody says so"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			states := []state{{version: at(1), entries: map[string]eval.Value{"a": eval.Text("0")}}}
			for i, m := range test.versions {
				s := state{version: at(i + 2), entries: maps.Clone(states[i].entries), manager: states[i].manager}
				holds, changesA := strings.CutSuffix(m.holds, both)
				if changesA {
					s.entries["a"] = eval.Text("1")
				}
				if holds != "" {
					s.entries[counterKey], s.manager = eval.Text(holds), m.by
				}
				states = append(states, s)
			}
			var ops history
			for _, o := range test.ops { // which the account adds to
				ops = append(ops, new(*o))
			}
			ops = append(ops, skipped(ops, states)...)
			errs := errors.Join(accounted(ops, states)...)
			switch {
			case test.want == "" && errs != nil:
				t.Errorf("complains: %v", errs)
			case test.want != "" && (errs == nil || !strings.Contains(errs.Error(), test.want)):
				t.Errorf("complaints %v, want %q", errs, test.want)
			}
		})
	}
}
