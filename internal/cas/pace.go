package cas

import "time"

const (
	// maxWait bounds how long a write waits for siblings.
	maxWait = 500 * time.Millisecond
	// idle is after how long without a swap siblings are not expected any more.
	idle = time.Second
	// near is how far apart swaps may arrive for another one to be worth waiting for when enough have come.
	near = 2 * time.Millisecond
	// settled is for how many batches the pace keeps what it has found out.
	settled = 64
	// curious is after how many batches of one swap each it is tried whether others come, though none was seen beside another.
	curious = 8
)

// pace says how long a write waits for siblings, so that one request does for all of them. Terraform's workers come back with
// their next resource after a while that grows with the state, one after the other. How many there are shows only when a batch
// waits for them: so it waits for one more each time, until no more come. Half of them is the best that a batch can wait for:
// these are on their way while Terraform is busy with the others.
type pace struct {
	underWay int           // swaps that were asked for and not answered
	most     int           // the most that were under way together since the last batch
	target   int           // how many swaps a batch waits for
	keeps    int           // for how many batches the target stays
	short    int           // how many batches in a row were short of it
	alone    int           // how many batches there were that nobody else was seen beside
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
		p.target, p.keeps, p.short, p.alone, p.gap = 1, 0, 0, 0, 0
	case p.gap == 0:
		p.gap = since
	default:
		p.gap = (3*p.gap + since) / 4
	}
}

// leaves takes note of a swap's answer.
func (p *pace) leaves() { p.underWay-- }

// wait is for how much longer a batch of n swaps, the first of which began to wait at begun, waits for another one. A swap that
// has no siblings does not wait.
func (p *pace) wait(n int, begun, now time.Time) time.Duration {
	var patience time.Duration
	switch {
	case n < p.target:
		patience = 5 * p.gap
	case n < 2*p.target-1 && p.gap < near:
		patience = 2 * p.gap
	}
	return min(p.arrived.Add(patience).Sub(now), begun.Add(maxWait).Sub(now))
}

// sends takes note of a batch of n swaps that goes.
func (p *pace) sends(n int) {
	if p.alone++; p.most > 1 {
		p.alone = curious
	}
	p.most = p.underWay
	switch {
	case n < p.target:
		if p.short++; p.short > 1 || p.keeps == 0 { // these are all that there are
			p.target, p.keeps, p.short, p.alone = (n+1)/2, settled, 0, 0
			if n == 1 { // who comes alone pays for every try
				p.keeps = 4 * settled
			}
		}
	case p.keeps > 0:
		p.keeps, p.short = p.keeps-1, 0
	case p.alone >= curious:
		p.target, p.short = p.target+1, 0
	}
}
