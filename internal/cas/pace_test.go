package cas

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// terraform is workers that each have a swap made, are busy in Terraform for a while, one at a time, and come back.
type terraform struct {
	workers, swaps int
	busy           time.Duration // in Terraform, for each swap, on average
	even           bool          // just that long each time
	request        time.Duration
}

// run has the pace decide when batches go. It gives the batches' sizes, how long it took, and how long swaps waited longer than Terraform and
// requests made them.
func (f terraform) run() (batches []int, took time.Duration) {
	start := time.Unix(1000, 0)
	now, free := start, start
	var comes []time.Time // when workers come back, in order
	draw := rand.New(rand.NewPCG(1, 2))
	busy := func() time.Duration {
		if f.even {
			return f.busy
		}
		return f.busy/2 + time.Duration(draw.ExpFloat64()*float64(f.busy/2))
	}
	for range min(f.workers, f.swaps) {
		free = free.Add(busy())
		comes = append(comes, free)
	}
	left := f.swaps - len(comes) // that no worker has taken yet
	p := &pace{}
	n, begun, idleAt := 0, now, now // idleAt is when the request under way is answered
	var flying int
	for n > 0 || len(comes) > 0 || flying > 0 {
		// The next thing that happens: an answer, an arrival, or the end of a wait.
		ends := time.Time{}
		if n > 0 && flying == 0 {
			ends = now.Add(p.wait(n, begun, now))
		}
		switch {
		case flying > 0 && (len(comes) == 0 || !idleAt.After(comes[0])):
			now = idleAt
			free = later(free, now)
			for range flying {
				p.leaves(now)
				if left > 0 {
					left--
					free = free.Add(busy())
					comes = append(comes, free)
				}
			}
			flying, begun = 0, now
		case !ends.IsZero() && (len(comes) == 0 || !ends.After(comes[0])):
			now = later(now, ends)
			p.sends(n)
			batches = append(batches, n)
			flying, n, idleAt = n, 0, now.Add(f.request)
		default:
			now = comes[0]
			comes = slices.Delete(comes, 0, 1)
			p.arrives(now)
			if n++; n == 1 {
				begun = now
			}
		}
	}
	return batches, now.Sub(start)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func TestPaceFollowsHowWorkersComeBack(t *testing.T) {
	for name, f := range map[string]terraform{
		"200 near by":         {workers: 10, swaps: 200, busy: 5 * time.Millisecond, request: 6 * time.Millisecond},
		"200 far away":        {workers: 10, swaps: 200, busy: 5 * time.Millisecond, request: 26 * time.Millisecond},
		"1,000 near by":       {workers: 10, swaps: 1000, busy: 40 * time.Millisecond, request: 20 * time.Millisecond},
		"1,000 created":       {workers: 10, swaps: 1000, busy: 17 * time.Millisecond, request: 20 * time.Millisecond},
		"3,000":               {workers: 10, swaps: 3000, busy: 120 * time.Millisecond, request: 30 * time.Millisecond},
		"100 at a time":       {workers: 100, swaps: 1000, busy: 50 * time.Microsecond, request: 5 * time.Millisecond},
		"two workers":         {workers: 2, swaps: 200, busy: 5 * time.Millisecond, request: 6 * time.Millisecond},
		"one after the other": {workers: 1, swaps: 200, busy: 5 * time.Millisecond, request: 6 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			batches, took := f.run()
			floor := time.Duration(f.swaps) * f.busy
			t.Logf("%d batches, %.2f a swap, %v, %.2f x: %v", len(batches), float64(len(batches))/float64(f.swaps), took, float64(took)/float64(floor), batches[:min(60, len(batches))])
		})
	}
}
