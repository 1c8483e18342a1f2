package soak

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster/controlplane"
)

// testComingsAndGoings has ConfigMaps created, swapped and deleted by several processes under faults.
func testComingsAndGoings(t *testing.T, c *controlplane.Cluster) {
	t.Helper()
	f := newField(t, c, nil, []string{idKey, valueKey}, nil, nil)
	f.configMaps = []string{"north", "east", "south", "west"}
	const makers = 3
	for i := range makers {
		f.start(plan{Role: maker, Number: i, Goroutines: 2}, f.http.Config)
	}
	strikes := []func(*field){
		func(f *field) { f.answers(breath) }, struck(10, dropAfter), struck(10, dropBefore), struck(5, overload),
	}
	rounds := 0
	for begun := time.Now(); rounds == 0 || again(begun); rounds++ {
		for _, strike := range strikes {
			f.answers(breath)
			strike(f)
		}
	}
	f.finish()
	states := f.record.complete(t)
	for _, err := range linearizable(f.history, f.initially) {
		t.Error(err)
	}
	n, created, deleted := count(f.history), 0, 0
	for _, name := range f.configMaps {
		errs := comingsAndGoings(f.history.in(name), states[name])
		for _, err := range errs {
			t.Error(err)
		}
		for _, s := range states[name] {
			if s.gone {
				deleted++
			}
		}
	}
	verdicts := map[string]int{}
	for _, o := range f.history {
		switch {
		case o.Kind == removeOp:
			verdicts["remove "+string(o.Verdict)]++
		case o.Creates:
			verdicts["create "+string(o.Verdict)]++
			if o.Verdict == eval.Applied {
				created++
			}
		}
	}
	t.Logf("%d rounds: %s; %v; %d requests, %d ConfigMaps created, %d deleted", rounds, n, verdicts, f.requests, created, deleted)
	if created == 0 || deleted == 0 {
		t.Error("nothing came and went")
	}
}

// comingsAndGoings compares the answers about a ConfigMap with its history. Each creation, change and deletion belongs to an
// operation, and to none whose answer was that nothing was written. No deletion removed an unseen write of another writer.
func comingsAndGoings(h history, states []state) (errs []error) {
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	by := map[eval.Value]*op{} // the operation that asked for a value; each value is asked for once
	for _, o := range h {
		for _, p := range o.parts() {
			if o.Kind == swapOp && !p.IsGuard {
				by[p.New] = o
			}
		}
	}
	maker := make([]*op, len(states)) // of each version
	seen := map[*op]int{}
	for i, s := range states {
		if s.gone {
			continue
		}
		value := s.entries[valueKey]
		o := by[value]
		switch {
		case o == nil:
			fail("version %s holds %s, which nobody wrote", s.version.ResourceVersion, show(value))
			continue
		case o.Verdict == eval.Conflict || o.Verdict == eval.Rejected:
			fail("%s: and version %s is its", o, s.version.ResourceVersion)
		case o.Verdict == eval.Applied && o.Version != s.version:
			fail("%s: and it made version %s", o, s.version.ResourceVersion)
		}
		isNew := i == 0 || states[i-1].gone
		if isNew != o.Creates || isNew && s.entries[idKey] != o.New {
			fail("%s: and version %s is there for the first time: %t, with id %s", o, s.version.ResourceVersion, isNew, show(s.entries[idKey]))
		}
		seen[o]++
		maker[i] = o
	}
	isOwn := func(worker string, from, to int, known bool) bool {
		for i := from; i <= to; i++ {
			if m := maker[i]; m == nil || m.Worker != worker || known && (m.Verdict != eval.Applied || m.Lost) {
				return false
			}
		}
		return true
	}
	find := func(v eval.Version) int {
		return slices.IndexFunc(states, func(s state) bool { return s.version == v && !s.gone })
	}
	for _, o := range h {
		switch {
		case o.Kind == swapOp && o.Verdict == eval.Applied && seen[o] != 1, seen[o] > 1:
			fail("%s: and it made %d versions", o, seen[o])
		case o.Kind == removeOp && o.Verdict == eval.Applied:
			at := find(o.At[0])
			end := at + slices.IndexFunc(states[max(at, 0):], func(s state) bool { return s.gone })
			switch {
			case at < 0 || end < at:
				fail("%s: and it is there", o)
			case o.Wrote && !isOwn(o.Worker, at+1, end-1, false):
				fail("%s: and a foreign write went with it", o)
			}
		case o.Kind == removeOp && o.Verdict == eval.Conflict:
			at, live := find(o.At[0]), find(o.Version)
			if at < 0 || live < 0 || o.Version.UID == o.At[0].UID && isOwn(o.Worker, at+1, live, true) {
				fail("%s: and nobody else wrote since", o)
			}
		}
	}
	for i, s := range states {
		if s.gone && i > 0 && !slices.ContainsFunc(h, func(o *op) bool {
			at := -1
			if o.Kind == removeOp && (o.Verdict == eval.Applied || o.Verdict == eval.Unknown) && o.At[0].UID == states[i-1].version.UID {
				at = find(o.At[0])
			}
			return at >= 0 && isOwn(o.Worker, at+1, i-1, false)
		}) {
			fail("version %s was deleted, and nobody says so who had seen it", states[i-1].version.ResourceVersion)
		}
	}
	return errs
}

// The account of comings and goings accepts some histories and rejects others.
func TestComingsAndGoings(t *testing.T) {
	t.Parallel()
	const me, other = "maker-0", "maker-1"
	text := eval.Text
	create := func(version int, verdict eval.Verdict) *op {
		return &op{Worker: me, Kind: swapOp, Creates: true, Key: idKey, New: text("i"), Also: []keyPart{{Key: valueKey, New: text("v")}}, Version: at(version), Verdict: verdict, Wrote: true}
	}
	swap := func(worker, to string, version int) *op {
		return &op{Worker: worker, Kind: swapOp, Key: valueKey, New: text(to), Version: at(version), Verdict: eval.Applied, Wrote: true}
	}
	remove := func(from int, verdict eval.Verdict, live int) *op {
		return &op{Worker: me, Kind: removeOp, Key: idKey, At: []eval.Version{at(from)}, Verdict: verdict, Version: at(live), Wrote: true}
	}
	is := func(version int, value string) state {
		return state{version: at(version), entries: map[string]eval.Value{idKey: text("i"), valueKey: text(value)}}
	}
	gone := state{version: at(99), gone: true}
	tests := map[string]struct {
		ops    history
		states []state
		legal  bool
	}{
		"created and deleted":       {history{create(1, eval.Applied), remove(1, eval.Applied, 0)}, []state{is(1, "v"), gone}, true},
		"swapped in between":        {history{create(1, eval.Applied), swap(me, "w", 2), remove(1, eval.Applied, 0)}, []state{is(1, "v"), is(2, "w"), gone}, true},
		"a foreign swap was lost":   {history{create(1, eval.Applied), swap(other, "w", 2), remove(1, eval.Applied, 0)}, []state{is(1, "v"), is(2, "w"), gone}, false},
		"a foreign swap is told":    {history{create(1, eval.Applied), swap(other, "w", 2), remove(1, eval.Conflict, 2)}, []state{is(1, "v"), is(2, "w")}, true},
		"its own swap is told":      {history{create(1, eval.Applied), swap(me, "w", 2), remove(1, eval.Conflict, 2)}, []state{is(1, "v"), is(2, "w")}, false},
		"deleted by nobody":         {history{create(1, eval.Applied)}, []state{is(1, "v"), gone}, false},
		"deleted, and it is there":  {history{create(1, eval.Applied), remove(1, eval.Applied, 0)}, []state{is(1, "v")}, false},
		"created, and it is not":    {history{create(1, eval.Applied)}, nil, false},
		"created, and told not":     {history{create(1, eval.Conflict)}, []state{is(1, "v")}, false},
		"created twice":             {history{create(1, eval.Unknown), remove(1, eval.Applied, 0)}, []state{is(1, "v"), gone, is(3, "v")}, false},
		"unknown, and it was":       {history{create(1, eval.Unknown)}, []state{is(1, "v")}, true},
		"unknown, and it was not":   {history{create(1, eval.Unknown)}, nil, true},
		"an entry of nobody":        {history{create(1, eval.Applied)}, []state{is(1, "v"), is(2, "w")}, false},
		"unknown, and it was gone":  {history{create(1, eval.Applied), remove(1, eval.Unknown, 0)}, []state{is(1, "v"), gone}, true},
		"unknown, and it was there": {history{create(1, eval.Applied), remove(1, eval.Unknown, 0)}, []state{is(1, "v")}, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if errs := comingsAndGoings(test.ops, test.states); (len(errs) == 0) != test.legal {
				t.Errorf("legal: %v, want %v (%v)", len(errs) == 0, test.legal, errs)
			}
		})
	}
}
