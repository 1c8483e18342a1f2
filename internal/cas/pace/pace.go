// Package pace decides how long a write waits for others that can share its request.
package pace

import "time"

const (
	// maxWait bounds how long a write waits for others.
	maxWait = time.Second
	// idle is the time without a swap after which no more swaps are expected.
	idle = time.Second
	// near is the greatest average gap between arrivals at which a batch that reached its target waits for
	// another swap.
	near = 6 * time.Millisecond
	// curious is the number of batches of one swap each after which a batch waits for another swap, although no
	// two swaps were under way at the same time.
	curious = 8
)

// Pace decides how long a write waits, so that one request serves several. At first Terraform's workers
// arrive all at once, which shows how many there are. Later each of them comes back with its next resource
// after a while that grows with the state. Only a batch that waits shows then how many there are: a batch
// waits for one more swap each time, until no more arrive. Half of them is the best number to wait for: they
// arrive while Terraform is busy with the others.
type Pace struct {
	underWay int           // swaps that have arrived and have no answer yet
	most     int           // the most swaps that were under way together since the last batch
	target   int           // how many swaps a batch waits for
	keeps    int           // for how many more batches the target stays
	short    int           // how many batches in a row had fewer swaps than the target
	alone    int           // batches during which one swap at most was under way; curious if there were more
	found    int           // how many swaps the batch had that decided the target
	hold     int           // for how many batches that target was to stay
	gap      time.Duration // average time between two arrivals
	arrived  time.Time     // when the last swap arrived
	answered time.Time     // when the last swap was answered
}

// Arrives records that a swap arrived.
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

// Leaves records that a swap was answered.
func (p *Pace) Leaves(now time.Time) {
	p.underWay--
	p.answered = now
}

// Wait returns how much longer a batch of n swaps waits for another one. The first of them began to wait at
// begun. A swap does not wait if no others are expected.
func (p *Pace) Wait(n int, begun, now time.Time) time.Duration {
	until := now
	switch {
	case n < p.target:
		until = p.arrived.Add(5 * p.gap)
	case n < max(p.found, p.most) && p.gap < near: // a worker that was just answered may be back at once
		if until = p.arrived; p.answered.After(until) {
			until = p.answered
		}
		until = until.Add(near / 2)
	}
	return min(until.Sub(now), begun.Add(maxWait).Sub(now))
}

// Sends records that a batch of n swaps is sent.
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
		// It seems that there are no more swaps. A batch waits for more again after hold batches, twice as many each time.
		if p.hold *= 2; n > p.found {
			p.hold = curious * n
		}
		p.settle(n)
	case n > p.found && (n+1)/2 > p.target+1: // they arrived all at once, as Terraform's workers do at first
		p.hold = curious * n
		p.settle(n)
	case p.keeps > 0:
		p.keeps, p.short = p.keeps-1, 0
	case p.alone >= curious && p.gap < maxWait/4:
		p.target, p.short = p.target+1, 0
	}
}

// settle makes batches wait for half of n swaps from now on.
func (p *Pace) settle(n int) {
	p.target, p.found, p.keeps, p.short, p.alone = (n+1)/2, n, p.hold, 0, 0
}
