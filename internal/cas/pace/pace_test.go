package pace_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/pace"
)

// terraform is workers that each have a swap made, are busy in Terraform for a while, one at a time, and come back.
type terraform struct {
	workers, swaps int
	busy           time.Duration // in Terraform, for each swap, on average
	even           bool          // just that long each time
	burst          bool          // at first they come all at once
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
		if !f.burst {
			free = free.Add(busy())
		}
		comes = append(comes, free)
	}
	left := f.swaps - len(comes) // that no worker has taken yet
	p := &pace.Pace{}
	n, begun, idleAt := 0, now, now // idleAt is when the request under way is answered
	var flying int
	for n > 0 || len(comes) > 0 || flying > 0 {
		// The next thing that happens: an answer, an arrival, or the end of a wait.
		ends := time.Time{}
		if n > 0 && flying == 0 {
			ends = now.Add(p.Wait(n, begun, now))
		}
		switch {
		case flying > 0 && (len(comes) == 0 || !idleAt.After(comes[0])):
			now = idleAt
			free = later(free, now)
			for range flying {
				p.Leaves(now)
				if left > 0 {
					left--
					free = free.Add(busy())
					comes = append(comes, free)
				}
			}
			flying, begun = 0, now
		case !ends.IsZero() && (len(comes) == 0 || !ends.After(comes[0])):
			now = later(now, ends)
			p.Sends(n)
			batches = append(batches, n)
			flying, n, idleAt = n, 0, now.Add(f.request)
		default:
			now = comes[0]
			comes = slices.Delete(comes, 0, 1)
			p.Arrives(now)
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

// Given workers that come back as Terraform's do; when all swaps were made; then few requests did for them, and it took little longer
// than Terraform itself.
func TestPaceFollowsHowWorkersComeBack(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	tests := map[string]struct {
		terraform
		requests float64 // a swap, at most
		longer   float64 // than Terraform, at most
	}{
		"200 resources":                   {terraform{workers: 10, swaps: 200, busy: 5 * ms, request: 6 * ms}, 0.25, 1.08},
		"200 resources, 20 ms away":       {terraform{workers: 10, swaps: 200, busy: 5 * ms, request: 26 * ms}, 0.25, 1.25},
		"200 resources, at once at first": {terraform{workers: 10, swaps: 200, busy: 5 * ms, request: 6 * ms, burst: true}, 0.22, 1.00},
		"1,000 resources":                 {terraform{workers: 10, swaps: 1000, busy: 40 * ms, request: 20 * ms}, 0.25, 1.05},
		"1,000 resources, evenly":         {terraform{workers: 10, swaps: 1000, busy: 40 * ms, request: 20 * ms, even: true}, 0.25, 1.05},
		"3,000 resources":                 {terraform{workers: 10, swaps: 3000, busy: 120 * ms, request: 30 * ms}, 0.25, 1.05},
		"100 workers that are not busy":   {terraform{workers: 100, swaps: 1000, busy: ms / 20, request: 5 * ms}, 0.05, 3},
		"one worker, which gains nothing": {terraform{workers: 1, swaps: 200, busy: 40 * ms, request: 6 * ms}, 1, 1.30},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			batches, took := test.run()
			requests := float64(len(batches)) / float64(test.swaps)
			longer := float64(took) / float64(time.Duration(test.swaps)*test.busy)
			if sum(batches) != test.swaps || requests > test.requests || longer > test.longer {
				t.Errorf("%d swaps, %.2f requests a swap, %.2f times as long, want %d, %.2f and %.2f at most: %v",
					sum(batches), requests, longer, test.swaps, test.requests, test.longer, batches)
			}
		})
	}
}

func sum(numbers []int) (n int) {
	for _, number := range numbers {
		n += number
	}
	return n
}

// Given swaps that each arrive after the answer to the previous one; then the first swaps do not wait, nor does one that arrives
// after a while.
func TestLoneSwapDoesNotWait(t *testing.T) {
	t.Parallel()
	p, now := &pace.Pace{}, time.Unix(1000, 0)
	swap := func(after time.Duration) {
		t.Helper()
		now = now.Add(after)
		p.Arrives(now)
		if wait := p.Wait(1, now, now); wait > 0 {
			t.Errorf("it waits for %v", wait)
		}
		p.Sends(1)
		p.Leaves(now)
	}
	for range 8 {
		swap(40 * time.Millisecond)
	}
	for range 20 {
		swap(time.Second)
	}
}

// Given workers that came all at once; when one of them comes, and no other; then it waits twice for a few times as long as they were
// apart, and the next one not at all.
func TestThoseWhoDoNotComeAreNotWaitedForAgain(t *testing.T) {
	t.Parallel()
	p, now := &pace.Pace{}, time.Unix(1000, 0)
	arrive := func() {
		now = now.Add(10 * time.Millisecond)
		p.Arrives(now)
	}
	for range 6 {
		arrive()
	}
	p.Sends(6)
	for range 6 {
		p.Leaves(now)
	}
	waits := 0
	for range 4 {
		arrive()
		if wait := p.Wait(1, now, now); wait > 0 {
			waits++
			if wait > 120*time.Millisecond {
				t.Errorf("it waits for %v", wait)
			}
			now = now.Add(wait)
		}
		p.Sends(1)
		p.Leaves(now)
	}
	if waits != 2 {
		t.Errorf("%d of the last 4 waited, want 2", waits)
	}
}

// clock is a Pace, and the time of the last arrival at it.
type clock struct {
	pace.Pace

	now time.Time
}

func newClock() *clock { return &clock{now: time.Unix(1000, 0)} }

// arrive has swaps come, each so long after the one before it.
func (c *clock) arrive(swaps int, apart time.Duration) {
	for range swaps {
		c.now = c.now.Add(apart)
		c.Arrives(c.now)
	}
}

// together has swaps come 10 ms apart, go in one batch, and be answered.
func (c *clock) together(swaps int) {
	c.arrive(swaps, 10*time.Millisecond)
	c.Sends(swaps)
	for range swaps {
		c.Leaves(c.now)
	}
}

// wants compares how long a batch of one waits, which begins at the last arrival.
func (c *clock) wants(t *testing.T, want time.Duration) {
	t.Helper()
	if got := c.Wait(1, c.now, c.now); got != want {
		t.Errorf("a batch of one waits for %v, want %v", got, want)
	}
}

// Given a batch that expects more swaps; then it waits for five times the gap between them, and for a second
// altogether.
func TestBatchWaitsForFiveGapsAndASecondAtMost(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	for begun, want := range map[time.Duration]time.Duration{0: 50 * ms, 950 * ms: 50 * ms, 951 * ms: 49 * ms, 1000 * ms: 0} {
		c := newClock()
		c.together(6)
		c.arrive(1, 10*ms)
		if got := c.Wait(1, c.now.Add(-begun), c.now); got != want {
			t.Errorf("begun %v ago, it waits for %v, want %v", begun, got, want)
		}
	}
}

// Given batches that wait; when one batch has fewer swaps than expected; then nothing changes, also after an
// earlier short batch, if a full batch or a settled number lies between the two. Two short batches in a row end the
// wait.
func TestOneShortBatchChangesNothing(t *testing.T) {
	t.Parallel()
	const waits = 50 * time.Millisecond
	for name, test := range map[string]struct {
		batches []int
		want    time.Duration
	}{
		"one":                           {[]int{6, 1}, waits},
		"two in a row":                  {[]int{6, 1, 1}, 0},
		"two, and a full one between":   {[]int{6, 1, 3, 1}, waits},
		"two after two that settled it": {[]int{12, 5, 5, 2}, waits},
		"two in a row after two":        {[]int{12, 5, 5, 2, 2}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := newClock()
			for _, swaps := range test.batches {
				c.together(swaps)
			}
			c.arrive(1, 10*time.Millisecond)
			c.wants(t, test.want)
		})
	}
}

// Given a number of swaps that is settled; when as many batches had it as it was to stay for; then a batch waits for one
// swap more.
func TestASettledNumberIsTriedAgain(t *testing.T) {
	t.Parallel()
	c := newClock()
	c.together(12)
	for batch := range 98 {
		c.arrive(6, 10*time.Millisecond)
		if waits := c.Wait(6, c.now, c.now) > 0; waits != (batch == 97) {
			t.Fatalf("batch %d waits for another swap: %t", batch, waits)
		}
		c.Sends(6)
		for range 6 {
			c.Leaves(c.now)
		}
	}
}

// Given swaps that come alone, one after the other; then the ninth waits, to see whether others come, where that takes less than a second
// and a quarter of a second lies between them at most.
func TestLoneSwapsAreCuriousWhereItIsCheap(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	for apart, want := range map[time.Duration]time.Duration{40 * ms: 200 * ms, 249 * ms: 1000 * ms, 250 * ms: 0, 900 * ms: 0} {
		c := newClock()
		for range 8 {
			c.arrive(1, apart)
			c.wants(t, 0)
			c.Sends(1)
			c.Leaves(c.now)
		}
		c.arrive(1, apart)
		c.wants(t, want)
	}
}

// Given three swaps that arrive close together; when the first was sent alone and was answered; then the others wait a little, for it may be
// back at once.
func TestWhoWasAnsweredMayBeBackAtOnce(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	c := newClock()
	c.arrive(3, 2*ms)
	c.Sends(1)
	begun := c.now
	answered := begun.Add(5 * ms)
	c.Leaves(answered)
	if got := c.Wait(2, begun, answered); got != 3*ms {
		t.Errorf("they wait for %v, want 3ms", got)
	}
}
