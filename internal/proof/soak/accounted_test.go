package soak

import (
	"strconv"
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
)

// at is a version of the tables below.
func at(n int) cas.Version { return cas.Version{UID: "uid", ResourceVersion: strconv.Itoa(n)} }

// What the account of versions passes, and what it must not. Version 1 is what was there at first, a holds "0"; the values of
// a at the versions after it are given. Times are those of the calls and returns.
func TestAccounted(t *testing.T) {
	t.Parallel()
	text := func(s string) cas.Entry {
		if s == "" {
			return cas.Entry{}
		}
		return cas.Text(s)
	}
	const me, other = "swapper-0", "swapper-1"
	applied := func(worker, from, to string, version int, held ...cas.Version) *op {
		return &op{
			Worker: worker, Kind: swapOp, Key: "a", Expect: text(from), New: text(to), Verdict: cas.Applied, Wrote: true,
			Version: at(version), Live: text(to), Previous: text(from), At: held, Call: int64(10 * version), Return: int64(10*version + 5),
		}
	}
	conflict := func(reason cas.Reason, from string, live int, holds string, held ...cas.Version) *op {
		return &op{
			Worker: me, Kind: swapOp, Key: "a", Expect: text(from), New: text("new"), Verdict: cas.Conflict, Reason: reason,
			Version: at(live), Live: text(holds), At: held, Call: 1000, Return: 1001,
		}
	}
	unknown := func(from, to string) *op {
		return &op{Worker: me, Kind: swapOp, Key: "a", Expect: text(from), New: text(to), Verdict: cas.Unknown, Call: 1, Return: 2}
	}
	byKey := func(o *op) *op { o.ByKey = true; return o }
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
		"conflict with a value":           {[]string{"1"}, history{applied(other, "0", "1", 2), conflict(cas.ReasonKey, "0", 2, "1")}, ""},
		"conflict, and it holds":          {[]string{"1"}, history{applied(other, "0", "1", 2), conflict(cas.ReasonKey, "1", 2, "1")}, "holds what was expected"},
		"conflict from an old read":       {[]string{"1"}, history{applied(other, "0", "1", 2), conflict(cas.ReasonKey, "x", 1, "0")}, "somebody knew of version 2"},
		"conflict with a foreign":         {[]string{"1"}, history{applied(other, "0", "1", 2), conflict(cas.ReasonObject, "1", 2, "1", at(1))}, ""},
		"conflict with its own":           {[]string{"1"}, history{applied(me, "0", "1", 2), conflict(cas.ReasonObject, "1", 2, "1", at(1))}, "nobody else wrote"},
		"conflict behind a JSON Patch":    {[]string{"1"}, history{byKey(applied(me, "0", "1", 2)), conflict(cas.ReasonObject, "1", 2, "1", at(1))}, ""},
		"conflict that was misquoted":     {[]string{"1"}, history{applied(other, "0", "1", 2), conflict(cas.ReasonKey, "0", 2, "x")}, "the version holds 1, not x"},
		"removal after own, own conflict": {[]string{"1"}, history{applied(other, "0", "1", 2), conflict(cas.ReasonOwn, "1", 2, "1")}, "it wrote nothing since"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			states := []state{{version: at(1), entries: map[string]cas.Entry{"a": cas.Text("0")}}}
			for i, v := range test.values {
				states = append(states, state{version: at(i + 2), entries: map[string]cas.Entry{"a": cas.Text(v)}})
			}
			for _, o := range test.ops {
				if o.Reason == cas.ReasonOwn {
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
