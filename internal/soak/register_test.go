package soak

import (
	"fmt"
	"testing"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
)

// register is the model of one key: a compare-and-swap register that holds an entry.
//
// What was never answered with the truth may happen at any time after it was asked for, or never: it returns at the end of time,
// and takes effect where it can. One that never happened comes last, where nobody looks any more.
func register(initial cas.Entry) porcupine.Model {
	return porcupine.Model{
		Init: func() any { return initial },
		Step: func(held, input, _ any) (bool, any) {
			is, o := held.(cas.Entry), input.(*op) //nolint:forcetypeassert,errcheck // the model's own
			return step(is, o)
		},
		DescribeOperation: func(input, _ any) string { return fmt.Sprint(input) },
	}
}

// step tells whether the operation can have been answered as it was where the key held that entry, and what it holds then.
func step(is cas.Entry, o *op) (bool, cas.Entry) {
	switch {
	case o.Kind == readOp:
		return o.Live == is, is
	case o.Kind == writeOp:
		return true, o.New
	case o.Verdict == cas.Unknown && is.Holds(o.Expect):
		return true, o.New
	case o.Verdict == cas.Unknown:
		return true, is
	case o.Verdict == cas.Applied && o.Wrote:
		return is.Holds(o.Expect), o.New
	case o.Verdict == cas.Applied && o.GoneIsDone:
		return is.IsAbsent(), is
	case o.Verdict == cas.Applied:
		return is.Holds(o.New), is
	case o.Reason == cas.ReasonHeld:
		return is.Holds(o.New), is
	default:
		return !is.Holds(o.Expect), is
	}
}

// checkTimeout is for the checker of one key. It takes far less where it can tell at all.
const checkTimeout = 2 * time.Minute

// linearizable holds the history of each key against the register. What was rejected, and a conflict about a version, wrote
// nothing and says nothing about the key.
func linearizable(h history, initial func(configMap, key string) cas.Entry) []error {
	type target struct{ configMap, key string }
	parts := map[target][]porcupine.Operation{}
	for _, o := range h {
		if o.Verdict == cas.Rejected || o.Verdict == cas.Conflict && o.Reason != cas.ReasonKey && o.Reason != cas.ReasonHeld {
			continue
		}
		operation := porcupine.Operation{Input: o, Call: o.Call, Return: o.Return}
		if o.Verdict == cas.Unknown {
			operation.Return = never
		}
		k := target{o.ConfigMap, o.Key}
		parts[k] = append(parts[k], operation)
	}
	var errs []error
	for k, operations := range parts {
		result := porcupine.CheckOperationsTimeout(register(initial(k.configMap, k.key)), operations, checkTimeout)
		if result != porcupine.Ok {
			errs = append(errs, fmt.Errorf("%s, key %s: %d operations: %s", k.configMap, k.key, len(operations), result))
		}
	}
	return errs
}

// The checkers themselves: what they pass and what they must not.
func TestRegister(t *testing.T) {
	t.Parallel()
	a, b, c := cas.Text("a"), cas.Text("b"), cas.Text("c")
	at := func(call, back int64, o op) *op {
		o.Call, o.Return, o.ConfigMap, o.Key = call, back, "cm", "k"
		return &o
	}
	swapped := func(from, to cas.Entry) op {
		return op{Kind: swapOp, Expect: from, New: to, Verdict: cas.Applied, Wrote: true}
	}
	unknown := func(from, to cas.Entry) op { return op{Kind: swapOp, Expect: from, New: to, Verdict: cas.Unknown} }
	refused := func(from, to cas.Entry) op { return op{Kind: swapOp, Expect: from, New: to, Verdict: cas.Conflict} }
	read := func(e cas.Entry) op { return op{Kind: readOp, Verdict: cas.Applied, Live: e} }
	tests := map[string]struct {
		history history
		legal   bool
	}{
		"one after the other":            {history{at(1, 2, swapped(a, b)), at(3, 4, swapped(b, c)), at(5, 6, read(c))}, true},
		"both swap the same":             {history{at(1, 4, swapped(a, b)), at(2, 3, swapped(a, c))}, false},
		"a read of what was overwritten": {history{at(1, 2, swapped(a, b)), at(3, 4, read(a))}, false},
		"unknown that happened":          {history{at(1, 2, unknown(a, b)), at(3, 4, read(a)), at(5, 6, read(b))}, true},
		"unknown that did not":           {history{at(1, 2, unknown(a, b)), at(3, 4, swapped(a, c)), at(5, 6, read(c))}, true},
		"unknown that happened twice":    {history{at(1, 2, unknown(a, b)), at(3, 4, read(b)), at(5, 6, swapped(b, a)), at(7, 8, read(b))}, false},
		"conflict that was true":         {history{at(1, 2, swapped(a, b)), at(3, 4, refused(a, c))}, true},
		"conflict that was not":          {history{at(3, 4, refused(a, c)), at(5, 6, swapped(a, b))}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			errs := linearizable(test.history, func(string, string) cas.Entry { return a })
			if legal := len(errs) == 0; legal != test.legal {
				t.Errorf("legal: %v, want %v (%v)", legal, test.legal, errs)
			}
		})
	}
}
