package cas

import (
	"testing"
	"time"
)

const ms = time.Millisecond

// clocked is a pace, and the time that it is.
type clocked struct {
	pace
	now time.Time
}

func newClocked() *clocked { return &clocked{now: time.Unix(1000, 0)} }

// come has so many swaps arrive, each so long after the one before it.
func (c *clocked) come(n int, apart time.Duration) {
	for range n {
		c.now = c.now.Add(apart)
		c.arrives(c.now)
	}
}

// answer has so many swaps be answered.
func (c *clocked) answer(n int) {
	for range n {
		c.leaves()
	}
}

// waits is for how long a batch of n waits whose first swap has begun to wait right now.
func (c *clocked) waits(n int) time.Duration { return max(0, c.wait(n, c.now, c.now)) }

func (c *clocked) want(t *testing.T, n int, want time.Duration) {
	t.Helper()
	if got := c.waits(n); got != want {
		t.Errorf("a batch of %d waits for %v, want %v", n, got, want)
	}
}

// Given swaps that come one by one, each after the answer to the one before it; then none of them waits.
func TestLoneSwapNeverWaits(t *testing.T) {
	t.Parallel()
	for _, apart := range []time.Duration{0, ms, 50 * ms, 300 * ms, 999 * ms, time.Second, time.Hour} {
		c := newClocked()
		for range 10 {
			c.come(1, apart)
			c.want(t, 1, 0)
			c.sends(1)
			c.answer(1)
		}
	}
}

// Given ten workers, each of which comes back with its next swap; when all ten are in a batch; then it does not wait.
func TestBatchOfAllThatComeBackDoesNotWait(t *testing.T) {
	t.Parallel()
	c := newClocked()
	for range 5 {
		c.come(10, 10*ms)
		c.want(t, 10, 0)
		c.sends(10)
		c.answer(10)
	}
}

// Given ten workers who come 10 ms apart; then a batch of fewer than half of them waits for as long as four take to come, one of half
// of them for as long as one does, and none for longer than 200 ms together.
func TestBatchOfHalfOfThemWaitsForTheNextOnly(t *testing.T) {
	t.Parallel()
	c := newClocked()
	c.come(10, 10*ms)
	for n, want := range map[int]time.Duration{1: 40 * ms, 4: 40 * ms, 5: 10 * ms, 9: 10 * ms, 10: 0} {
		c.want(t, n, want)
	}
	if got := c.wait(4, c.now.Add(-170*ms), c.now); got != 30*ms {
		t.Errorf("what has waited for 170 ms waits for %v more, want 30 ms", got)
	}
	if got := c.wait(4, c.now, c.now.Add(40*ms)); got != 0 {
		t.Errorf("40 ms after the last one came, it waits for %v", got)
	}
}

// Given ten workers; when four of them come back alone, round for round; then the other six are waited for no more after two rounds.
func TestWhoDoesNotComeBackIsNotWaitedForForEver(t *testing.T) {
	t.Parallel()
	c := newClocked()
	c.come(10, 10*ms)
	c.sends(10)
	c.answer(10)
	for range 2 {
		c.come(4, 10*ms)
		c.want(t, 4, 40*ms)
		c.sends(4)
		c.answer(4)
	}
	for range 3 {
		c.come(4, 10*ms)
		c.want(t, 4, 0)
		c.sends(4)
		c.answer(4)
	}
}

// Given ten workers; when the next swap comes a second later; then it does not wait.
func TestFirstSwapAfterAWhileDoesNotWait(t *testing.T) {
	t.Parallel()
	c := newClocked()
	c.come(10, 10*ms)
	c.sends(10)
	c.answer(10)
	c.come(1, time.Second)
	c.want(t, 1, 0)
}

// Given four workers who come 10 ms apart; when they come 100 ms apart from then on; then one of them is waited for longer, up to the
// 200 ms that none waits beyond.
func TestPaceFollowsWorkersWhoComeLessOften(t *testing.T) {
	t.Parallel()
	c := newClocked()
	c.come(4, 10*ms)
	c.want(t, 1, 40*ms)
	c.sends(4)
	c.answer(4)
	for _, want := range []time.Duration{130 * ms, 197500 * time.Microsecond, 200 * ms, 200 * ms} {
		c.come(1, 100*ms)
		c.want(t, 1, want)
	}
}
