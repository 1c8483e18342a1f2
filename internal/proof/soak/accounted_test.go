package soak

import (
	"strconv"
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// at is a version of the tables below.
func at(n int) eval.Version { return eval.Version{UID: "uid", ResourceVersion: strconv.Itoa(n)} }

// The account of versions accepts some histories and rejects others. At version 1, a holds "0"; the values of a at later
// versions are given. Each time belongs to a call or a return.
func TestAccounted(t *testing.T) {
	t.Parallel()
	text := func(s string) eval.Value {
		if s == "" {
			return eval.Value{}
		}
		return eval.Text(s)
	}
	const me, other = "swapper-0", "swapper-1"
	applied := func(worker, from, to string, version int, held ...eval.Version) *op {
		return &op{
			Worker: worker, Kind: swapOp, Key: "a", Expect: text(from), New: text(to), Verdict: eval.Applied, Wrote: true,
			Version: at(version), Live: text(to), Previous: text(from), At: held, Call: int64(10 * version), Return: int64(10*version + 5),
		}
	}
	conflict := func(reason eval.Reason, from string, live int, holds string, held ...eval.Version) *op {
		return &op{
			Worker: me, Kind: swapOp, Key: "a", Expect: text(from), New: text("new"), Verdict: eval.Conflict, Reason: reason,
			Version: at(live), Live: text(holds), At: held, Call: 1000, Return: 1001,
		}
	}
	unknown := func(from, to string) *op {
		return &op{Worker: me, Kind: swapOp, Key: "a", Expect: text(from), New: text(to), Verdict: eval.Unknown, Call: 1, Return: 2}
	}
	lost := func(o *op) *op { o.Lost = true; return o }
	tests := map[string]struct {
		values []string
		ops    history
		want   string // in the first complaint; empty: none
	}{
		"two in a row":                    {[]string{"1", "2"}, history{applied(me, "0", "1", 2), applied(other, "1", "2", 3)}, ""},
		"lost update":                     {[]string{"1", "2"}, history{applied(me, "0", "1", 2), applied(other, "0", "2", 3)}, "an update was lost"},
		"applied, and not there":          {[]string{"1"}, history{applied(other, "0", "1", 2), applied(me, "0", "x", 2)}, "the version holds 1"},
		"applied twice":                   {[]string{"1"}, history{applied(other, "0", "1", 2), applied(me, "0", "1", 2)}, "made the same change"},
		"no such version":                 {nil, history{applied(me, "0", "1", 7)}, "no such version"},
		"a change of nobody":              {[]string{"1"}, nil, "nobody says so"},
		"unknown that landed":             {[]string{"1"}, history{unknown("0", "1")}, ""},
		"unknown that did not":            {nil, history{unknown("0", "1")}, ""},
		"unknown that landed twice":       {[]string{"1", "0", "1"}, history{unknown("0", "1"), applied(other, "1", "0", 3)}, "nobody says so"},
		"two unknown, moved":              {[]string{"1", "0", "1"}, history{unknown("0", "1"), unknown("0", "1"), applied(other, "1", "0", 3)}, ""},
		"held to a version":               {[]string{"1", "2"}, history{applied(me, "0", "1", 2), applied(me, "1", "2", 3, at(1))}, ""},
		"held to one before a foreign":    {[]string{"1", "2"}, history{applied(other, "0", "1", 2), applied(me, "1", "2", 3, at(1))}, "wrote 2 since"},
		"conflict with a value":           {[]string{"1"}, history{applied(other, "0", "1", 2), conflict(eval.ReasonKey, "0", 2, "1")}, ""},
		"conflict, and it holds":          {[]string{"1"}, history{applied(other, "0", "1", 2), conflict(eval.ReasonKey, "1", 2, "1")}, "holds what was expected"},
		"conflict from an old read":       {[]string{"1"}, history{applied(other, "0", "1", 2), conflict(eval.ReasonKey, "x", 1, "0")}, "somebody knew of version 2"},
		"conflict with a foreign":         {[]string{"1"}, history{applied(other, "0", "1", 2), conflict(eval.ReasonObject, "1", 2, "1", at(1))}, ""},
		"conflict with its own":           {[]string{"1"}, history{applied(me, "0", "1", 2), conflict(eval.ReasonObject, "1", 2, "1", at(1))}, "nobody else wrote"},
		"conflict behind a lost response": {[]string{"1"}, history{lost(applied(me, "0", "1", 2)), conflict(eval.ReasonObject, "1", 2, "1", at(1))}, ""},
		"conflict that was misquoted":     {[]string{"1"}, history{applied(other, "0", "1", 2), conflict(eval.ReasonKey, "0", 2, "x")}, "the version holds 1, not x"},
		"removal after own, own conflict": {[]string{"1"}, history{applied(other, "0", "1", 2), conflict(eval.ReasonOwn, "1", 2, "1")}, "it wrote nothing since"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			states := []state{{version: at(1), entries: map[string]eval.Value{"a": eval.Text("0")}}}
			for i, v := range test.values {
				states = append(states, state{version: at(i + 2), entries: map[string]eval.Value{"a": eval.Text(v)}})
			}
			for _, o := range test.ops {
				if o.Reason == eval.ReasonOwn {
					o.Seen = at(1)
				}
			}
			errs := accounted(test.ops, states)
			switch {
			case test.want == "" && len(errs) > 0:
				t.Errorf("complains: %v", errs)
			case test.want != "" && (len(errs) == 0 || !strings.Contains(errs[0].Error(), test.want)):
				t.Errorf("complaints %v, want %q", errs, test.want)
			}
		})
	}
}

// A swap may return a later version than its own, as long as that version still has the written value. Other keys may have changed.
func TestMade(t *testing.T) {
	t.Parallel()
	entries := func(a, b string) map[string]eval.Value {
		return map[string]eval.Value{"a": eval.Text(a), "b": eval.Text(b)}
	}
	states := []state{
		{version: at(1), entries: entries("0", "0")},
		{version: at(2), entries: entries("1", "0")},
		{version: at(3), entries: entries("1", "foreign")},
		{version: at(4), entries: entries("2", "foreign")},
	}
	foreign := func(key, from, to string, version int) *op {
		return &op{
			Worker: "swapper-1", Kind: swapOp, Key: key, Expect: eval.Text(from), New: eval.Text(to), Verdict: eval.Applied, Wrote: true,
			Version: at(version), Live: eval.Text(to), Previous: eval.Text(from), Call: int64(10 * version), Return: int64(10*version + 5),
		}
	}
	told := func(version int, a, b string) *op {
		return &op{
			Worker: "swapper-0", Kind: swapOp, Key: "a", Expect: eval.Text("0"), New: eval.Text("1"), Verdict: eval.Applied, Wrote: true,
			Also:    []keyPart{{Key: "b", Expect: eval.Text("0"), New: eval.Text("0"), Live: eval.Text(b), Previous: eval.Text("0")}},
			Version: at(version), Live: eval.Text(a), Previous: eval.Text("0"), Lost: true, Call: 1, Return: 50,
		}
	}
	for name, test := range map[string]struct {
		of   *op
		want string
	}{
		"its own":                   {told(2, "1", "0"), ""},
		"a later one":               {told(3, "1", "foreign"), ""},
		"a later one, misquoted":    {told(3, "1", "x"), "the version holds 0, not x"},
		"a later one that has less": {told(4, "1", "foreign"), "the version holds 2"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			errs := accounted(made(history{test.of, foreign("b", "0", "foreign", 3), foreign("a", "1", "2", 4)}, states), states)
			switch {
			case test.want == "" && len(errs) > 0:
				t.Errorf("complains: %v", errs)
			case test.want != "" && (len(errs) == 0 || !strings.Contains(errs[0].Error(), test.want)):
				t.Errorf("complaints %v, want %q", errs, test.want)
			}
		})
	}
}
