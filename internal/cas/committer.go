package cas

import (
	"context"
	"slices"
	"sync"
	"time"
)

// committer judges and writes everything about one object, one request at a time: while it reads, no write of this
// process to the object is in flight, so that what a read shows and the lineage does not know is foreign. What queues
// up meanwhile goes into the next request together.
type committer struct {
	client    *client
	work      *sync.WaitGroup // of the Engine
	ref       Ref
	signature signature // of the Engine

	mu      sync.Mutex
	queue   []*task
	running bool
	arrived chan struct{} // of capacity 1; holds one when something was queued since it was last emptied
	swaps   int           // under way, rehearsed ones too: asked for and not answered
	peers   int           // the most that were under way together since a batch was last gathered

	// What is known. It is changed by the one goroutine that runs batches alone, which need not lock to look at it.
	known   sync.RWMutex
	head    *Observation // the newest state that is known; nil where none is
	lineage lineage

	// Used by that goroutine.
	gathered time.Time     // when a batch was last gathered
	company  time.Time     // when several swaps were last under way together
	fastest  time.Duration // of all requests: about the round trip
	cost     time.Duration // by how much the last write took longer
	peak     int           // the most swaps that were ever under way together
	// contended is how many more writes go as JSON Patches: others are busy with the object, as a 409 has proved.
	contended int
}

// calmAfter is after how many JSON Patches a merge patch is tried again.
const calmAfter = 16

const (
	// pace is how soon after a batch the next one is sent where siblings may join it, so that one request does for all. While a
	// request takes longer than that they have gathered by themselves.
	pace = 20 * time.Millisecond
	// maxLoad bounds the pace where the API server itself takes long, as with many keys: all of its time together is at most
	// one part in so many.
	maxLoad = 4
	// maxWait bounds what that makes a swap wait.
	maxWait = 100 * time.Millisecond
)

func (c *committer) do(t *task) error {
	if c.informs(t) {
		return nil
	}
	c.mu.Lock()
	c.queue = append(c.queue, t)
	if t.sends() {
		c.swaps++
		c.peers = max(c.peers, c.swaps)
		defer c.swapped()
	}
	if !c.running {
		c.running = true
		c.work.Go(c.drain)
	}
	c.mu.Unlock()
	select {
	case c.arrived <- struct{}{}:
	default:
	}
	return t.wait(c.client.host)
}

// informs answers a task that only informs, where what is known is young enough: it need not wait for the request that is
// under way. What would refuse waits for a read of its own.
func (c *committer) informs(t *task) bool {
	c.known.RLock()
	defer c.known.RUnlock()
	if t.kind > checkTask || c.head == nil || time.Since(c.head.begun) >= t.maxAge {
		return false
	}
	if j := t.judge(c.head, &c.lineage); t.kind == checkTask && j.decision == decideRefuse {
		return false
	}
	t.observed = c.head
	return true
}

func (c *committer) drain() {
	var batch []*task
	for {
		isNew := len(batch) == 0
		if batch = c.take(batch); len(batch) == 0 {
			return
		}
		if isNew {
			batch = c.gather(batch)
		}
		batch = c.run(batch)
	}
}

// swapped takes note that a swap is no longer under way.
func (c *committer) swapped() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.swaps--
}

// take moves the queue to the end of the batch.
func (c *committer) take(batch []*task) []*task {
	c.mu.Lock()
	defer c.mu.Unlock()
	batch = append(batch, c.queue...)
	c.queue = nil
	c.running = len(batch) > 0
	return batch
}

// gather waits for siblings where some were under way of late: Terraform's workers come back with their next resource at
// about the same time. It waits for as many as there ever were, so that it ends early where all of them have come. A swap that
// had no siblings never waits, nor does the first after a while.
func (c *committer) gather(batch []*task) []*task {
	count := func() (n int) {
		for _, t := range batch {
			if t.sends() {
				n++
			}
		}
		return n
	}
	n := count()
	if n == 0 {
		return batch
	}
	c.mu.Lock()
	if c.peers > 1 {
		c.company = time.Now()
	}
	hasSiblings := time.Since(c.company) < Fresh
	c.peak = max(c.peak, c.peers)
	c.peers = 0
	c.mu.Unlock()
	defer func() { c.gathered = time.Now() }()
	if wait := min(max(pace, maxLoad*c.cost), maxWait) - time.Since(c.gathered); wait > 0 && hasSiblings && n < c.peak {
		window := time.NewTimer(wait)
		defer window.Stop()
		for open := true; open && count() < c.peak; {
			select {
			case <-c.arrived:
				batch = c.take(batch)
			case <-window.C:
				open = false
			}
		}
	}
	return batch
}

// run brings a batch forward by one request at most, and returns the tasks that are not answered yet, in order.
func (c *committer) run(batch []*task) []*task {
	batch = c.dropEnded(batch)
	var behind []*task // what is about the object as such waits for those ahead of it, and those behind for it
	if i := slices.IndexFunc(batch, (*task).isWhole); i >= 0 {
		batch, behind = batch[:max(i, 1)], batch[max(i, 1):]
	}
	var g *group
	switch {
	case len(batch) == 0:
		return nil
	case batch[0].isWhole():
		c.whole(batch[0])
	case c.head != nil:
		var mustRead bool
		if g, mustRead = c.judgeAll(batch); mustRead {
			c.read(unanswered(batch))
		} else if g != nil {
			c.write(g)
		}
	default:
		if g = blindGroup(batch, &c.lineage); g != nil {
			c.write(g)
		} else {
			c.read(batch)
		}
	}
	return append(unanswered(batch), behind...)
}

// unanswered leaves the batch as it is: DeleteFunc by itself would put nils into it.
func unanswered(batch []*task) []*task {
	return slices.DeleteFunc(slices.Clone(batch), func(t *task) bool { return t.answered })
}

// dropEnded answers the tasks whose callers have gone.
func (c *committer) dropEnded(batch []*task) []*task {
	for _, t := range batch {
		if t.ctx.Err() != nil && !t.answered {
			t.answer(&CanceledError{Ref: c.ref, Host: c.client.host, Err: context.Cause(t.ctx)})
		}
	}
	return unanswered(batch)
}

// read takes a new look at the object, for all tasks: every one of them was asked for before it began.
func (c *committer) read(batch []*task) {
	ctx, cancel := anyCaller(batch)
	defer cancel()
	for _, t := range batch {
		t.attempts.Add(1)
	}
	begun := time.Now()
	head, err := c.client.refresh(ctx, c.ref, c.head)
	if err != nil {
		for _, t := range c.dropEnded(batch) {
			t.answer(err)
		}
		return
	}
	c.took(time.Since(begun))
	c.observed(head)
}

// took takes note of how long a request took, and gives how much longer than the fastest that was.
func (c *committer) took(d time.Duration) time.Duration {
	if c.fastest == 0 || d < c.fastest {
		c.fastest = d
	}
	return d - c.fastest
}

func (c *committer) observed(o *Observation) {
	c.known.Lock()
	defer c.known.Unlock()
	c.head = o
	c.lineage.observed(o.Version())
}

// wrote takes note of an own write that made after of base. With alone, the lineage begins with it.
func (c *committer) wrote(base Version, after *Observation, keys []string, alone bool) {
	c.known.Lock()
	defer c.known.Unlock()
	c.lineage.wrote(base, after.Version(), keys...)
	if alone {
		c.lineage.cut()
	}
	c.head = after
}

func (c *committer) forget() {
	c.known.Lock()
	defer c.known.Unlock()
	c.head = nil
}

func (c *committer) adopted(key string) {
	c.known.Lock()
	defer c.known.Unlock()
	c.lineage.took(key)
}

// judge holds what the task is about against an observation.
func (t *task) judge(o *Observation, h history) judgement {
	switch {
	case t.txn != nil:
		return judge(t.txn, o, h)
	case t.create != nil:
		return t.create.judge(o)
	case t.remove != nil:
		return t.remove.judge(o, h)
	default:
		return judgement{decision: decideDone}
	}
}

// isCurrent tells whether the head is young enough for what was judged on it to be told.
func (c *committer) isCurrent(t *task, d decision) bool {
	return t.asked.Before(c.head.begun) || d != decideRefuse && time.Since(c.head.begun) < t.maxAge
}

// judgeAll judges a batch on the head. It answers what needs no request and returns the writes that go into the next
// one, if any. When the head is too old for what is to be told, it must be read anew, and that comes first: what is
// found may be what the writes are to be conditional on.
func (c *committer) judgeAll(batch []*task) (g *group, mustRead bool) {
	g = &group{base: c.head.Version(), from: c.head}
	rehearsal := &group{base: g.base, from: g.from, dry: true}
	queued, rehearsed := queuedKeys{}, queuedKeys{}
	for _, t := range batch {
		if t.kind == writeTask && queued.blocks(t.txn) {
			queued.add(t.txn)
			continue
		}
		j := t.judge(c.head, &c.lineage)
		switch {
		case t.kind == writeTask && j.decision == decideWrite:
			queued.add(t.txn)
			if g.fits(t, j.changes) {
				g.add(t, j.changes)
			}
		case t.kind == rehearseTask && j.decision == decideWrite:
			if !rehearsed.blocks(t.txn) && rehearsal.fits(t, j.changes) { // of two writes of a key only one would be looked at
				rehearsed.add(t.txn)
				rehearsal.add(t, j.changes)
			}
		case !c.isCurrent(t, j.decision):
			mustRead = true
			if t.kind == writeTask {
				queued.add(t.txn)
			}
		case j.decision == decideRefuse:
			t.answer(j.err)
		case t.kind == writeTask:
			t.result = TxnResult{After: c.head, Previous: map[string]Entry{}}
			for _, k := range t.txn.Keys {
				t.result.Previous[k.Key] = c.head.Entry(k.Key)
				if !t.txn.GoneIsDone && !k.IsGuard {
					c.adopted(k.Key)
				}
			}
			t.answer(nil)
		default:
			t.observed = c.head
			t.answer(nil)
		}
	}
	if len(g.tasks) == 0 {
		g = rehearsal // which goes by itself
	}
	if len(g.tasks) == 0 {
		return nil, mustRead
	}
	g.byKey = c.contended > 0 && g.canGoByKey()
	return g, mustRead
}
