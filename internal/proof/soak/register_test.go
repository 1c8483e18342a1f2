package soak

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// registers are the values of the keys of one ConfigMap that are written together.
type registers [8]eval.Value

// call is an operation, and where its keys are among the registers.
type call struct {
	*op
	keys []keyPart
	at   []int
	told map[string]eval.Reason
	gone *gone
	turn int // of a take that was killed, which of those it is, in the order of their calls; 0 of others
}

// standing has the values of the keys, and the number of killed takes so far.
type standing struct {
	registers

	killed int
}

// model describes keys that are written together: compare-and-swap registers that change in one step.
//
// An operation of unknown outcome may happen at any time after its call, or never: it returns at the end of time,
// and takes effect where it can. One that never happened comes last, where nobody looks any more. Takes that were killed are all alike, except for the time of their call:
// what one of them did, the first one of them could have done. So they come in that order, and the checker need not try others.
func model(initial registers) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return standing{registers: initial} },
		Step: func(held, input, _ any) (bool, any) {
			is, c := held.(standing), input.(*call) //nolint:forcetypeassert,errcheck // the model's own
			if c.turn > 0 {
				is.killed++
			}
			can, next := c.step(is.registers)
			return can && (c.turn == 0 || c.turn == is.killed), standing{next, is.killed}
		},
		DescribeOperation: func(input, _ any) string { return fmt.Sprint(input) },
	}
}

// step reports whether these entries permit the answer of the operation, and returns the entries after it.
func (c *call) step(is registers) (bool, registers) {
	next, holds, changes, truly := is, true, false, true
	for i, p := range c.keys {
		live := is[c.at[i]]
		switch c.Kind {
		case readOp:
			truly = truly && live == p.Live
			continue
		case writeOp:
			next[c.at[i]] = p.New
			continue
		case removeOp:
			next[c.at[i]] = eval.Value{}
			continue
		case takeOp:
			truly, next[c.at[i]] = c.take(live)
			continue
		case swapOp, giveOp, request:
		}
		why, fails := p.fails(c.op, live)
		reason, isTold := c.told[p.Key]
		truly = truly && isTold == fails && (!fails || why == reason) // all that fail are reported, and nothing else
		holds = holds && !fails
		if p.writes(c.op, live) {
			changes, next[c.at[i]] = changes || p.changes(c.op, live), p.New
		}
	}
	isDone := c.allGone(func(p keyPart) eval.Value { return is[c.at[c.index(p.Key)]] })
	switch {
	case c.Kind == readOp:
		return truly, is
	case c.Kind == takeOp:
		return truly, next
	case c.Kind == writeOp:
		return true, next
	case c.Kind == removeOp && is[c.at[0]] == c.Expect:
		return true, next
	case c.Kind == removeOp: // gone already, or another one by now
		return c.Verdict == eval.Unknown || !c.Wrote, is
	case c.Verdict == eval.Unknown && holds && !isDone:
		return true, next
	case c.Verdict == eval.Unknown:
		return true, is
	case c.Verdict == eval.Applied && c.Wrote:
		return holds && changes && !isDone, next
	case c.Verdict == eval.Applied:
		return isDone || holds && !changes, is
	default:
		return truly && !isDone, is
	}
}

func (c *call) index(key string) int {
	return slices.IndexFunc(c.keys, func(p keyPart) bool { return p.Key == key })
}

// checkTimeout is for the checker of a few keys. It takes far less where it can tell at all.
const checkTimeout = 2 * time.Minute

// linearizable holds the history against the registers: each key by itself, or keys together if operations are about them
// together. A rejection or a conflict about a version wrote nothing and shows nothing about the keys.
func linearizable(h history, initial func(configMap, key string) eval.Value) []error {
	var counted history
	together := map[string]map[string]string{} // by ConfigMap: of each key, another that goes with it, or itself
	first := func(with map[string]string, key string) string {
		for with[key] != key {
			key = with[key]
		}
		return key
	}
	for _, o := range h {
		if o.Verdict == eval.Rejected || o.Verdict == eval.Conflict && o.Reason != eval.ReasonKey && o.Reason != eval.ReasonEqual {
			continue
		}
		counted = append(counted, o)
		with := together[o.ConfigMap]
		if with == nil {
			with = map[string]string{}
			together[o.ConfigMap] = with
		}
		for _, p := range o.parts() {
			if with[p.Key] == "" {
				with[p.Key] = p.Key
			}
			with[first(with, p.Key)] = first(with, o.Key)
		}
	}
	type target struct{ configMap, key string }
	keys, operations, numbers := map[target][]string{}, map[target][]porcupine.Operation{}, map[string]*gone{}
	for configMap := range together {
		numbers[configMap] = goneIn(h.in(configMap))
	}
	for configMap, with := range together {
		for _, key := range slices.Sorted(maps.Keys(with)) {
			t := target{configMap, first(with, key)}
			keys[t] = append(keys[t], key)
		}
	}
	killed := map[target]int{}
	slices.SortStableFunc(counted, func(a, b *op) int { return cmp.Compare(a.Call, b.Call) })
	for _, o := range counted {
		t := target{o.ConfigMap, first(together[o.ConfigMap], o.Key)}
		c := &call{op: o, keys: o.parts(), told: o.toldFailing(), gone: numbers[o.ConfigMap]}
		for _, p := range c.keys {
			c.at = append(c.at, slices.Index(keys[t], p.Key))
		}
		operation := porcupine.Operation{Input: c, Call: o.Call, Return: o.Return}
		if o.Verdict == eval.Unknown {
			operation.Return = never
		}
		if o.Verdict == eval.Unknown && o.Kind == takeOp && o.Number == 0 {
			killed[t]++
			c.turn = killed[t]
		}
		operations[t] = append(operations[t], operation)
	}
	var errs []error
	for t, all := range operations {
		var is registers
		for i, key := range keys[t] {
			is[i] = initial(t.configMap, key)
		}
		if result := porcupine.CheckOperationsTimeout(model(is), all, checkTimeout); result != porcupine.Ok {
			errs = append(errs, fmt.Errorf("%s, keys %v: %d operations: %s", t.configMap, keys[t], len(all), result))
		}
	}
	return errs
}

// The checkers themselves: what they pass and what they must not.
func TestRegister(t *testing.T) {
	t.Parallel()
	a, b, c := eval.Text("a"), eval.Text("b"), eval.Text("c")
	at := func(call, back int64, o op) *op {
		o.Call, o.Return, o.ConfigMap, o.Key = call, back, "cm", "k"
		return &o
	}
	swapped := func(from, to eval.Value) op {
		return op{Kind: swapOp, Expect: from, New: to, Verdict: eval.Applied, Wrote: true}
	}
	unsent := func(from, to eval.Value) op { return op{Kind: swapOp, Expect: from, New: to, Verdict: eval.Applied} }
	unknown := func(from, to eval.Value) op { return op{Kind: swapOp, Expect: from, New: to, Verdict: eval.Unknown} }
	refused := func(from, to eval.Value) op { return op{Kind: swapOp, Expect: from, New: to, Verdict: eval.Conflict} }
	read := func(e eval.Value) op { return op{Kind: readOp, Verdict: eval.Applied, Live: e} }
	none := eval.Value{}
	took := func(n int64) op { return op{Kind: takeOp, Number: n, Verdict: eval.Applied, Wrote: true} }
	mayTake := func(n int64) op { return op{Kind: takeOp, Number: n, Verdict: eval.Unknown} }
	killed := func(n int) (all history) {
		for range n {
			all = append(all, at(1, 2, mayTake(0)))
		}
		return all
	}
	with := func(o op, parts ...keyPart) op { o.Also = parts; return o }
	failing := func(o op, keys ...string) op {
		o.Failed = map[string]eval.Reason{}
		for _, key := range keys {
			o.Failed[key] = eval.ReasonKey
		}
		return o
	}
	other := func(from, to eval.Value) keyPart { return keyPart{Key: "l", Expect: from, New: to} }
	guarded := func(by eval.Value) keyPart { return keyPart{Key: "l", Expect: by, IsGuard: true} }
	sees := func(e eval.Value) keyPart { return keyPart{Key: "l", Live: e} }
	of := func(key string, o op) *op { p := at(0, 0, o); p.Key = key; return p }
	on := func(call, back int64, o *op) *op { o.Call, o.Return = call, back; return o }
	tests := map[string]struct {
		history history
		legal   bool
	}{
		"two keys at once":            {history{at(1, 2, with(swapped(a, b), other(a, c))), at(3, 4, with(read(b), sees(c)))}, true},
		"two keys one by one":         {history{at(1, 4, with(swapped(a, b), other(a, c))), at(2, 3, with(read(b), sees(a)))}, false},
		"two unknown keys one by one": {history{at(1, 2, with(unknown(a, b), other(a, c))), at(3, 4, with(read(b), sees(a)))}, false},
		"two unknown keys, later":     {history{at(1, 2, with(unknown(a, b), other(a, c))), at(3, 4, with(read(a), sees(a))), at(5, 6, with(read(b), sees(c)))}, true},
		"guard that holds":            {history{at(1, 2, with(swapped(a, b), guarded(a))), on(3, 4, of("l", swapped(a, b)))}, true},
		"guard that does not":         {history{on(1, 2, of("l", swapped(a, b))), at(3, 4, with(swapped(a, b), guarded(a)))}, false},
		"each the other's guard": {history{
			at(1, 4, with(swapped(a, b), guarded(a))),
			on(2, 3, of("l", op{Kind: swapOp, Expect: a, New: b, Verdict: eval.Applied, Wrote: true, Also: []keyPart{{Key: "k", Expect: a, IsGuard: true}}})),
		}, false},
		"conflict that tells all":    {history{at(1, 2, failing(with(refused(b, c), guarded(c)), "k", "l"))}, true},
		"conflict that keeps one":    {history{at(1, 2, failing(with(refused(b, c), guarded(c)), "k"))}, false},
		"conflict that makes one up": {history{at(1, 2, failing(with(refused(b, c), guarded(a)), "k", "l"))}, false},

		"one after the other":            {history{at(1, 2, swapped(a, b)), at(3, 4, swapped(b, c)), at(5, 6, read(c))}, true},
		"both swap the same":             {history{at(1, 4, swapped(a, b)), at(2, 3, swapped(a, c))}, false},
		"a read of what was overwritten": {history{at(1, 2, swapped(a, b)), at(3, 4, read(a))}, false},
		"unknown that happened":          {history{at(1, 2, unknown(a, b)), at(3, 4, read(a)), at(5, 6, read(b))}, true},
		"unknown that did not":           {history{at(1, 2, unknown(a, b)), at(3, 4, swapped(a, c)), at(5, 6, read(c))}, true},
		"unknown that happened twice":    {history{at(1, 2, unknown(a, b)), at(3, 4, read(b)), at(5, 6, swapped(b, a)), at(7, 8, read(b))}, false},
		"conflict that was true":         {history{at(1, 2, swapped(a, b)), at(3, 4, refused(a, c))}, true},
		"nothing to change":              {history{at(1, 2, unsent(a, a)), at(3, 4, read(a))}, true},
		"nothing to change, and sent":    {history{at(1, 2, swapped(a, a))}, false},
		"a change that was not sent":     {history{at(1, 2, unsent(a, b))}, false},
		"number by number":               {history{at(1, 2, took(1)), at(1, 4, took(2)), at(5, 6, read(number(3)))}, true},
		"number told twice":              {history{at(1, 2, took(1)), at(1, 4, took(1))}, false},
		"number left out":                {history{at(1, 2, took(1)), at(1, 4, took(3))}, false},
		"numbers in the wrong order":     {history{at(1, 2, took(2)), at(3, 4, took(1))}, false},
		"number lost":                    {history{at(1, 2, took(1)), at(3, 4, read(none))}, false},
		"unknown number, taken":          {history{at(1, 2, mayTake(1)), at(3, 4, read(none)), at(5, 6, took(2))}, true},
		"unknown number, given again":    {history{at(1, 2, mayTake(1)), at(3, 4, took(1)), at(5, 6, took(2))}, true},
		"unknown number, another's":      {history{at(1, 2, mayTake(2)), at(3, 4, took(2))}, false},
		"take that was killed":           {history{at(1, 2, mayTake(0)), at(3, 4, took(2))}, true},
		"take that was killed, twice":    {history{at(1, 2, mayTake(0)), at(3, 4, took(3))}, false},
		"many takes that were killed":    {append(killed(40), at(3, 4, took(1)), at(5, 6, read(number(2))), at(7, 8, read(number(2)))), true},
		"many, and one took a number":    {append(killed(40), at(3, 4, took(2)), at(5, 6, read(number(3))), at(7, 8, read(number(3)))), true},
		"some, and a number goes back":   {append(killed(3), at(3, 4, took(2)), at(5, 6, read(number(3))), at(7, 8, read(number(2)))), false},
		"conflict that was not":          {history{at(3, 4, refused(a, c)), at(5, 6, swapped(a, b))}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			initially := a
			if slices.ContainsFunc(test.history, func(o *op) bool { return o.Kind == takeOp }) {
				initially = none
				for _, o := range test.history {
					o.Key = counterKey
				}
			}
			errs := linearizable(test.history, func(string, string) eval.Value { return initially })
			if legal := len(errs) == 0; legal != test.legal {
				t.Errorf("legal: %v, want %v (%v)", legal, test.legal, errs)
			}
		})
	}
}
