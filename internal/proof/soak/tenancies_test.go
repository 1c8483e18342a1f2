package soak

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster/controlplane"
)

// testPool has six processes take and release from one pool under faults. Killed tenants own the rest at the end, which can be released.
func testPool(t *testing.T, c *controlplane.Cluster) {
	t.Helper()
	f := newField(t, c, []string{"pools"}, []string{poolKey}, nil, nil)
	const tenants = 6
	for i := range tenants {
		f.start(plan{Role: tenant, Number: i, Goroutines: 2, Deadline: time.Second}, f.http.Config)
	}
	strikes := []func(*field){
		func(f *field) { f.answers(breath) }, struck(20, dropAfter), killedWorker, stalled, struck(20, dropBefore), late, killedWorker, stalled, struck(10, overload),
	}
	killed := map[string]bool{}
	rounds := 0
	for begun := time.Now(); rounds == 0 || again(begun); rounds++ {
		for _, strike := range strikes {
			f.answers(breath)
			strike(f)
			for _, w := range f.workers {
				killed[w.Name] = w.dead
			}
		}
	}
	f.finish()
	states := f.record.complete(t)["pools"]
	for _, err := range tenancies(f.history, states, killed) {
		t.Error(err)
	}
	left, err := membersIn(states[len(states)-1].entries[poolKey])
	f.must(err)
	verdicts := map[string]int{}
	for _, o := range f.history {
		verdicts[fmt.Sprint(o.Kind, " ", o.Verdict)]++
	}
	t.Logf("%d rounds: %v; %d requests, %d versions, %d left by those that were killed", rounds, verdicts, f.requests, len(states)-1, len(left))

	engine, err := cas.New(c.Config, nil)
	f.must(err)
	defer engine.Close()
	p := plan{Name: "operator", Namespace: f.namespace, ConfigMaps: f.configMaps}
	for value := range left {
		if err := p.release(t.Context(), engine, value); err != nil {
			t.Error(err)
		}
	}
	states = f.record.complete(t)["pools"]
	if left, err := membersIn(states[len(states)-1].entries[poolKey]); err != nil || len(left) > 0 {
		t.Errorf("not released: %v (%v)", left, err)
	}
}

// stalled holds all that writes until nobody waits for it any more, and many have decided what to do about that. Then it delivers a take before all else.
func stalled(f *field) {
	type request struct {
		body    []byte
		deliver chan struct{}
		done    chan struct{}
	}
	var mu sync.Mutex
	var queue []*request
	f.http.SetHook(func(r *http.Request) testcluster.Fault {
		body, err := io.ReadAll(r.Body)
		if r.Method == http.MethodGet || err != nil {
			return testcluster.Fault{}
		}
		q := &request{body, make(chan struct{}), make(chan struct{})}
		mu.Lock()
		defer mu.Unlock()
		queue = append(queue, q)
		return testcluster.Fault{HoldBefore: q.deliver, Answered: func(*http.Response) { close(q.done) }}
	})
	f.await(24, func() (n int) {
		for _, o := range f.history {
			if o.Verdict == eval.Unknown {
				n++
			}
		}
		return n
	})
	f.sent(hold)
	now := f.record.complete(f.T)["pools"]
	is := now[len(now)-1]
	var first *request
	mu.Lock()
	if i := slices.IndexFunc(queue, func(q *request) bool { return takesOn(q.body, is) }); i >= 0 {
		first = queue[i]
	}
	mu.Unlock()
	if first != nil {
		close(first.deliver)
		<-first.done
	}
	f.http.SetHook(nil)
	mu.Lock()
	defer mu.Unlock()
	for _, q := range queue {
		if q != first {
			close(q.deliver)
		}
	}
}

// takesOn reports whether a merge patch takes from a pool with that content.
func takesOn(body []byte, is state) bool {
	var patch struct {
		Metadata struct{ ResourceVersion string }
		Data     map[string]string
	}
	if json.Unmarshal(body, &patch) != nil || patch.Metadata.ResourceVersion != is.version.ResourceVersion {
		return false
	}
	was, errWas := membersIn(is.entries[poolKey])
	next, errNext := membersIn(eval.Text(patch.Data[poolKey]))
	for value, m := range next {
		if was[value].ID != m.ID {
			return errWas == nil && errNext == nil
		}
	}
	return false
}

// poolMember is an allocation as the text of a pool has it.
type poolMember struct {
	Claimant string `json:"claimant"`
	ID       string `json:"id"`
}

// membersIn reads a pool without the package that wrote it.
func membersIn(e eval.Value) (map[string]poolMember, error) {
	all := map[string]poolMember{}
	text, isText := e.Text()
	if !isText {
		return all, nil
	}
	return all, json.Unmarshal([]byte(text), &all)
}

// tenancies compares the answers of tenants with the contents of the pool. Each allocation belongs to an answer, or to an
// unknown outcome. It stays until its owner gives it back, and is missing from then on. Nobody gets a number before its owner
// gives it back. Killed tenants own the rest at the end.
func tenancies(h history, states []state, killed map[string]bool) (errs []error) {
	fail := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	takes, gives, untold := map[string]*op{}, map[string]*op{}, map[string][]*op{}
	for _, o := range h {
		switch {
		case o.Kind == readOp && o.Verdict == eval.Conflict:
			fail("%s: it has lost %s", o, o.Allocation)
		case o.Kind == takeOp && o.Allocation == "": // it was killed meanwhile
			untold[o.Worker] = append(untold[o.Worker], o)
		case o.Kind == takeOp:
			takes[o.Allocation] = o
		case o.Kind == giveOp && o.Verdict != eval.Rejected:
			if first := gives[o.Allocation]; first == nil || o.Call < first.Call {
				gives[o.Allocation] = o
			}
		}
	}
	owned := map[int64][]*op{} // by number
	for _, o := range takes {
		if o.Verdict == eval.Applied {
			owned[o.Number] = append(owned[o.Number], o)
		}
	}
	for n, all := range owned {
		slices.SortFunc(all, func(a, b *op) int { return cmp.Compare(a.Return, b.Return) })
		for i, o := range all[1:] {
			if give := gives[all[i].Allocation]; give == nil || give.Call > o.Return {
				fail("%d has two owners: %s, and %s", n, all[i], o)
			}
		}
	}

	was, seen, isFull := map[string]poolMember{}, map[string]bool{}, false
	for _, s := range states {
		is, err := membersIn(s.entries[poolKey])
		if err != nil {
			fail("version %s holds no pool: %w", s.version.ResourceVersion, err)
		}
		for value, m := range was {
			if is[value].ID != m.ID && gives[m.ID] == nil {
				fail("version %s lacks %s, which %v has not given back", s.version.ResourceVersion, value, m)
			}
		}
		for value, m := range is {
			if was[value] == m {
				continue
			}
			o := takes[m.ID]
			if mine := untold[m.Claimant]; o == nil && len(mine) > 0 {
				o, untold[m.Claimant] = mine[0], mine[1:]
			}
			n, err := strconv.ParseInt(value, 10, 64)
			switch {
			case err != nil || n < 1 || n > poolSize:
				fail("version %s: %s is no number of the pool", s.version.ResourceVersion, value)
			case o == nil || o.Worker != m.Claimant:
				fail("version %s: nobody has taken %s for %v", s.version.ResourceVersion, value, m)
			case seen[m.ID]:
				fail("version %s: %s of %v is there again", s.version.ResourceVersion, value, m)
			case o.Verdict == eval.Rejected, o.Verdict == eval.Applied && o.Number != n:
				fail("%s: and version %s has it as %s", o, s.version.ResourceVersion, value)
			}
			seen[m.ID] = true
		}
		was, isFull = is, isFull || len(is) == poolSize
	}
	for _, o := range h {
		switch {
		case o.Kind == takeOp && o.Verdict == eval.Applied && !seen[o.Allocation]:
			fail("%s: and no version has it", o)
		case o.Kind == takeOp && strings.Contains(o.Err, "Pool Is Full") && !isFull:
			fail("%s: and it never was", o)
		}
	}
	for value, m := range was {
		switch {
		case gives[m.ID] != nil && gives[m.ID].Verdict == eval.Applied:
			fail("%s: and %s is there", gives[m.ID], value)
		case !killed[m.Claimant]:
			fail("%s has leaked: %v", value, m)
		}
	}
	return errs
}

// The account of a pool accepts some histories and rejects others.
func TestTenancies(t *testing.T) {
	t.Parallel()
	const me, other = "tenant-0", "tenant-1"
	take := func(by, id string, n, call int64, verdict eval.Verdict) *op {
		return &op{Worker: by, Kind: takeOp, Allocation: id, Number: n, Call: call, Return: call + 1, Verdict: verdict}
	}
	give := func(by, id string, call int64, verdict eval.Verdict) *op {
		return &op{Worker: by, Kind: giveOp, Allocation: id, Call: call, Return: call + 1, Verdict: verdict}
	}
	is := func(text string) state {
		return state{version: at(1), entries: map[string]eval.Value{poolKey: eval.Text(text)}}
	}
	const none, mine, theirs = `{}`, `{"7": {"claimant": "tenant-0", "id": "A"}}`, `{"7": {"claimant": "tenant-1", "id": "B"}}`
	empty := state{version: at(1)}
	killed := map[string]bool{me: true}
	tests := map[string]struct {
		ops    history
		states []state
		killed map[string]bool
		legal  bool
	}{
		"taken and given back":             {history{take(me, "A", 7, 10, eval.Applied), give(me, "A", 20, eval.Applied)}, []state{empty, is(mine), is(none)}, nil, true},
		"given to another after that":      {history{take(me, "A", 7, 10, eval.Applied), give(me, "A", 20, eval.Applied), take(other, "B", 7, 20, eval.Applied), give(other, "B", 30, eval.Applied)}, []state{empty, is(mine), is(theirs), is(none)}, nil, true},
		"given to another before":          {history{take(me, "A", 7, 10, eval.Applied), give(me, "A", 40, eval.Applied), take(other, "B", 7, 20, eval.Applied), give(other, "B", 30, eval.Applied)}, []state{empty, is(mine), is(theirs), is(none)}, nil, false},
		"given to two":                     {history{take(me, "A", 7, 10, eval.Applied), take(other, "A", 7, 10, eval.Applied)}, []state{empty, is(mine)}, killed, false},
		"it was killed, and has it":        {history{take(me, "A", 7, 10, eval.Applied)}, []state{empty, is(mine)}, killed, true},
		"it was not killed, and has it":    {history{take(me, "A", 7, 10, eval.Applied)}, []state{empty, is(mine)}, nil, false},
		"it was killed, and has lost it":   {history{take(me, "A", 7, 10, eval.Applied)}, []state{empty, is(mine), is(none)}, killed, false},
		"killed while it took":             {history{take(me, "", 0, 10, eval.Unknown)}, []state{empty, is(mine)}, killed, true},
		"killed while it took one":         {history{take(me, "", 0, 10, eval.Unknown)}, []state{empty, is(mine), is(`{"7": {"claimant": "tenant-0", "id": "A"}, "8": {"claimant": "tenant-0", "id": "C"}}`)}, killed, false},
		"killed while another took":        {history{take(me, "", 0, 10, eval.Unknown)}, []state{empty, is(theirs)}, map[string]bool{me: true, other: true}, false},
		"unknown, and it was not taken":    {history{take(me, "A", 0, 10, eval.Unknown), give(me, "A", 20, eval.Applied)}, []state{empty, is(none)}, nil, true},
		"unknown, and it came back":        {history{take(me, "A", 0, 10, eval.Unknown), give(me, "A", 20, eval.Applied)}, []state{empty, is(mine)}, killed, false},
		"unknown twice":                    {history{take(me, "A", 7, 10, eval.Applied), give(me, "A", 20, eval.Unknown), give(me, "A", 30, eval.Applied)}, []state{empty, is(mine), is(none)}, nil, true},
		"there again":                      {history{take(me, "A", 7, 10, eval.Applied), give(me, "A", 20, eval.Unknown)}, []state{empty, is(mine), is(none), is(mine)}, killed, false},
		"not given back, and gone":         {history{take(me, "A", 7, 10, eval.Applied), give(me, "A", 20, eval.Rejected)}, []state{empty, is(mine), is(none)}, killed, false},
		"taken, and not there":             {history{take(me, "A", 7, 10, eval.Applied)}, []state{empty}, killed, false},
		"taken, and another number":        {history{take(me, "A", 8, 10, eval.Applied)}, []state{empty, is(mine)}, killed, false},
		"not taken, and there":             {history{take(me, "A", 0, 10, eval.Rejected)}, []state{empty, is(mine)}, killed, false},
		"of nobody":                        {nil, []state{empty, is(mine)}, killed, false},
		"outside of the pool":              {history{take(me, "A", 51, 10, eval.Applied)}, []state{empty, is(strings.Replace(mine, "7", "51", 1))}, killed, false},
		"no pool":                          {nil, []state{is("[]")}, nil, false},
		"a refresh has lost it":            {history{{Worker: me, Kind: readOp, Allocation: "A", Verdict: eval.Conflict}}, []state{empty}, nil, false},
		"full, where something was free":   {history{{Worker: me, Kind: takeOp, Allocation: "A", Verdict: eval.Rejected, Err: "Pool Is Full"}}, []state{empty, is(none)}, nil, false},
		"another claimant, without a take": {history{take(me, "A", 7, 10, eval.Applied)}, []state{empty, is(mine), is(strings.Replace(mine, "tenant-0", "thief", 1))}, killed, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if errs := tenancies(test.ops, test.states, test.killed); (len(errs) == 0) != test.legal {
				t.Errorf("legal: %v, want %v (%v)", len(errs) == 0, test.legal, errs)
			}
		})
	}
}
