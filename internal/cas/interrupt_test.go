package cas

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// interrupted is a scenario in which the context of one of its swaps ends at each point there is.
type interrupted struct {
	// prepare runs first, and its requests are not counted.
	prepare func(*fixture)
	// swaps are asked for together, the object being at v.
	swaps func(f *fixture, v eval.Version) []Swap
	ends  int // whose context ends
	// fault returns the fault of the n-th request; nil for none.
	fault func(f *fixture, n int) testcluster.Fault
	loses bool // the answer to a write, by it
	// requests is how many there are where nothing is interrupted.
	requests int
}

// isBusy has another writer write before the n-th request, so that a write with that request fails its
// precondition.
func isBusy(at int) func(*fixture, int) testcluster.Fault {
	return func(f *fixture, n int) testcluster.Fault {
		if n == at {
			f.set("other", "foreign")
		}
		return testcluster.Fault{}
	}
}

// losesAnswer drops the response to the n-th request after the request was applied, and another writer writes
// before the response is dropped.
func losesAnswer(at int) func(*fixture, int) testcluster.Fault {
	return func(f *fixture, n int) testcluster.Fault {
		if n != at {
			return testcluster.Fault{}
		}
		return testcluster.Fault{Answered: func(*http.Response) { f.set("other", "foreign") }, DropAfter: true}
	}
}

func losesRequest(at int) func(*fixture, int) testcluster.Fault {
	return func(_ *fixture, n int) testcluster.Fault { return testcluster.Fault{DropBefore: n == at} }
}

func swapsOf(keys ...string) func(*fixture, eval.Version) []Swap {
	return func(f *fixture, _ eval.Version) (all []Swap) {
		for _, key := range keys {
			all = append(all, f.swapping(key, one, two))
		}
		return all
	}
}

func oneIsBad(f *fixture, v eval.Version) []Swap {
	return append([]Swap{f.swapping("not a key", eval.Value{}, one)}, swapsOf("bar", "baz")(f, v)...)
}

func removesFoo(f *fixture, v eval.Version) []Swap {
	return []Swap{f.removing("foo", one, v, v)}
}

var interruptions = map[string]interrupted{
	"lone swap":                         {swaps: swapsOf("foo"), requests: 2},
	"siblings":                          {swaps: swapsOf("foo", "bar", "baz"), ends: 1, requests: 2},
	"siblings, one of which is bad":     {swaps: oneIsBad, ends: 2, requests: 5},
	"removal":                           {swaps: removesFoo, requests: 2},
	"removal whose answer got lost":     {swaps: removesFoo, fault: losesAnswer(1), loses: true, requests: 3},
	"overtaken":                         {swaps: swapsOf("foo"), fault: isBusy(1), requests: 4},
	"siblings that are overtaken":       {swaps: swapsOf("foo", "bar", "baz"), ends: 2, fault: isBusy(1), requests: 4},
	"answer got lost":                   {swaps: swapsOf("foo"), fault: losesAnswer(1), loses: true, requests: 3},
	"request got lost":                  {swaps: swapsOf("foo"), fault: losesRequest(1), loses: true, requests: 4},
	"siblings whose answer got lost":    {swaps: swapsOf("foo", "bar", "baz"), fault: losesAnswer(1), loses: true, requests: 3},
	"siblings whose request got lost":   {swaps: swapsOf("foo", "bar", "baz"), fault: losesRequest(1), loses: true, requests: 4},
	"versioned, and the answer is lost": {swaps: func(f *fixture, v eval.Version) []Swap { return []Swap{f.swapping("foo", one, two, v)} }, fault: losesAnswer(1), loses: true, requests: 3},
}

// point is where a context ends.
type point struct {
	request int   // its number; -1: before anything was asked for
	landed  bool  // after the API server has answered it, and before the answer is released
	late    bool  // the answer is released only when the caller has its verdict
	err     error // of the context
}

func (p point) String() string {
	if p.request < 0 {
		return fmt.Sprintf("%v before anything was asked for", p.err)
	}
	return fmt.Sprintf("%v at request %d, landed: %v, late: %v", p.err, p.request, p.landed, p.late)
}

// TestContextThatEndsAtEveryPoint runs each scenario undisturbed, and then once for each point at which a context can end.
func TestContextThatEndsAtEveryPoint(t *testing.T) {
	f := newFixture(t, nil)
	var (
		runs errgroup.Group
		mu   sync.Mutex
		told = map[eval.Verdict]int{}
	)
	runs.SetLimit(16)
	for _, name := range slices.Sorted(maps.Keys(interruptions)) {
		s := interruptions[name]
		undisturbed := newInterruption(f, s, name, point{request: -2})
		undisturbed.run()
		if n := len(undisturbed.proxy.Requests()); n != s.requests {
			t.Errorf("%s: %d requests, want %d: %v", name, n, s.requests, undisturbed.proxy.Requests())
			continue
		}
		undisturbed.judge(nil)
		points := []point{{request: -1, err: context.Canceled}, {request: -1, err: context.DeadlineExceeded}}
		for k := range s.requests {
			for _, landed := range []bool{false, true} {
				if landed && s.fault != nil && s.fault(undisturbed.fixture, k).DropBefore {
					continue // the request never reaches the API server
				}
				points = append(points, point{k, landed, false, context.Canceled}, point{k, landed, true, context.Canceled},
					point{k, landed, false, context.DeadlineExceeded})
			}
		}
		for _, at := range points {
			i := newInterruption(f, s, name, at)
			runs.Go(func() error {
				i.run()
				verdict := i.judge(undisturbed.errs)
				mu.Lock()
				defer mu.Unlock()
				told[verdict]++
				return nil
			})
		}
	}
	_ = runs.Wait()
	t.Logf("verdicts of those whose context ended: %v", told)
}
