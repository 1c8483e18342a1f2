package cas

import "time"

const (
	// maxWait bounds how long a write waits for siblings.
	maxWait = 200 * time.Millisecond
	// idle is after how long without a swap siblings are not expected any more.
	idle = time.Second
)

// pace says how long a write waits for siblings, so that one request does for all of them. Terraform's workers come back
// with their next resource after a while that grows with the state, so the pace follows what it sees: how many swaps are under
// way together, and how far apart they arrive.
type pace struct {
	underWay int           // swaps that were asked for and not answered
	most     int           // the most that were under way together since the last batch
	workers  int           // how many swaps come back together, as the last batches showed
	gap      time.Duration // between two arrivals, on average
	arrived  time.Time     // when the last swap arrived
}

// arrives takes note of a swap.
func (p *pace) arrives(now time.Time) {
	p.underWay++
	p.most = max(p.most, p.underWay)
	since := now.Sub(p.arrived)
	p.arrived = now
	switch {
	case since >= idle:
		p.workers, p.gap = 1, 0
	case p.gap == 0:
		p.gap = since
	default:
		p.gap = (3*p.gap + min(since, maxWait)) / 4
	}
}

// leaves takes note of a swap's answer.
func (p *pace) leaves() { p.underWay-- }

// wait is for how much longer a batch of n swaps, the first of which began to wait at begun, waits for another one. A swap that
// is alone does not wait, and neither does a batch of all that come back. One of at least half of them waits for the next one
// only, so that these can be on their way while the others come back.
func (p *pace) wait(n int, begun, now time.Time) time.Duration {
	p.workers = max(p.workers, p.most)
	patience := 4 * p.gap
	switch {
	case n >= p.workers:
		return 0
	case 2*n >= p.workers:
		patience = p.gap
	}
	return min(p.arrived.Add(patience).Sub(now), begun.Add(maxWait).Sub(now))
}

// sends takes note of a batch of n swaps that goes. Who did not come is not waited for again.
func (p *pace) sends(n int) {
	if n < p.workers && 2*n < p.workers {
		p.workers = n
	}
	p.workers = max(p.most, p.workers-1, n)
	p.most = p.underWay
}
