// Package pace says how long a write waits for its siblings.
package pace

import "time"

const (
	// maxWait bounds how long a write waits for siblings.
	maxWait = time.Second
	// idle is after how long without a swap siblings are not expected any more.
	idle = time.Second
	// near is how far apart swaps may arrive for another one to be worth waiting for when enough have come.
	near = 6 * time.Millisecond
	// curious is after how many batches of one swap each it is tried whether others come, though none was seen beside another.
	curious = 8
)

// Pace says how long a write waits for siblings, so that one request does for all of them. At first Terraform's workers come all
// at once, which tells how many there are. Later they come back with their next resource one after the other, after a while that
// grows with the state. Then it shows only when a batch waits for them: it waits for one more each time, until no more come. Half
// of them is the best that a batch can wait for: these are on their way while Terraform is busy with the others.
type Pace struct {
	underWay int           // swaps that were asked for and not answered
	most     int           // the most that were under way together since the last batch
	target   int           // how many swaps a batch waits for
	keeps    int           // for how many batches the target stays
	short    int           // how many batches in a row were short of it
	alone    int           // how many batches there were that nobody else was seen beside
	found    int           // how many came when a batch was short at last, or came all at once
	hold     int           // for how many batches the target stayed then
	gap      time.Duration // between two arrivals, on average
	arrived  time.Time     // when the last swap arrived
	answered time.Time     // when the last one was answered
}

// Arrives takes note of a swap.
func (p *Pace) Arrives(now time.Time) {
	p.underWay++
	p.most = max(p.most, p.underWay)
	since := now.Sub(p.arrived)
	p.arrived = now
	switch {
	case since >= idle:
		*p = Pace{underWay: p.underWay, most: p.most, target: 1, arrived: now}
	case p.gap == 0:
		p.gap = since
	default:
		p.gap = (3*p.gap + since) / 4
	}
}

// Leaves takes note of a swap's answer.
func (p *Pace) Leaves(now time.Time) {
	p.underWay--
	p.answered = now
}

// Wait is for how much longer a batch of n swaps, the first of which began to wait at begun, waits for another one. A swap that
// has no siblings does not wait.
func (p *Pace) Wait(n int, begun, now time.Time) time.Duration {
	until := now
	switch {
	case n < p.target:
		until = p.arrived.Add(5 * p.gap)
	case n < max(p.found, p.most) && p.gap < near: // who was just answered may be back at once
		if until = p.arrived; p.answered.After(until) {
			until = p.answered
		}
		until = until.Add(near / 2)
	}
	return min(until.Sub(now), begun.Add(maxWait).Sub(now))
}

// Sends takes note of a batch of n swaps that goes.
func (p *Pace) Sends(n int) {
	if p.alone++; p.most > 1 {
		p.alone = curious
	}
	p.most = p.underWay
	switch {
	case n < p.target:
		if p.short++; p.short == 1 && p.keeps > 0 {
			return
		}
		// These are all that there are, as it seems. That is tried again later, and later still where it was right.
		if p.hold *= 2; n > p.found {
			p.hold = curious * n
		}
		p.settle(n)
	case n > p.found && (n+1)/2 > p.target+1: // they came all at once, as Terraform's workers do at first
		p.hold = curious * n
		p.settle(n)
	case p.keeps > 0:
		p.keeps, p.short = p.keeps-1, 0
	case p.alone >= curious && p.gap < maxWait/4:
		p.target, p.short = p.target+1, 0
	}
}

// settle waits for half of n siblings from now on.
func (p *Pace) settle(n int) {
	p.target, p.found, p.keeps, p.short, p.alone = (n+1)/2, n, p.hold, 0, 0
}
