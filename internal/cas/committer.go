package cas

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/pace"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/wire"
)

// committer evaluates and writes one object, one request at a time. While it reads, no write of this process
// to the object is under way, except a write whose outcome is unknown. So another writer made every version
// that a read finds and the lineage does not know. Tasks that arrive during a request share the next one.
type committer struct {
	engine *Engine
	client *wire.Client // reads the object in the form of the head; only the goroutine that runs drain uses it
	ref    Ref

	mu      sync.Mutex
	queue   []*task
	running bool
	arrived chan struct{} // of capacity 1; full if a task was queued since it was last emptied
	pace    pace.Pace

	// known guards the head and the lineage. Only the goroutine that runs drain changes them, and it reads them without
	// the lock. While drain does not run, forgetIdle drops the head.
	known   sync.RWMutex
	head    *Observation // the newest known state; nil if none is known
	lineage judging.Lineage

	// Only the goroutine that runs drain uses these.
	turn  turn
	retry *wait.Backoff // nil unless the last write must be sent again
	// unknownBase is the version that the last write of unknown outcome was conditional on; nil if there was none. That
	// write may have been applied in the place of a later one on the same version.
	unknownBase *Version
}

// turn is the kind of request that a committer sent last. The next kind is the following one in this order
// that tasks need, so that no task waits forever.
type turn uint8

const (
	reads turn = iota
	writes
	rehearses
	turns
)

func (c *committer) do(t *task) error {
	if c.informs(t) {
		return nil
	}
	c.mu.Lock()
	c.queue = append(c.queue, t)
	if t.sends() {
		c.pace.Arrives(time.Now())
		defer c.left()
	}
	if !c.running {
		c.running = true
		c.engine.work.Go(c.drain)
	}
	c.mu.Unlock()
	select {
	case c.arrived <- struct{}{}:
	default:
	}
	err := t.wait(t.client.Host, c.engine.limits.grace)
	if errors.Is(err, errLate) { // only this caller uses the read: a write that is under way may have made its version
		t.attempts.Add(1)
		if t.own, err = t.client.GetPatiently(t.ctx, t.ref); t.ctx.Err() != nil {
			err = &CanceledError{Ref: t.ref, Host: t.client.Host, Err: context.Cause(t.ctx)}
		}
	}
	return err
}

// left records that a write or a dry run ended.
func (c *committer) left() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pace.Leaves(time.Now())
}

// informs answers an observation or a check from the known state if that is young enough, without a wait for
// the request that is under way. A check that would be refused waits for another read.
func (c *committer) informs(t *task) bool {
	c.known.RLock()
	defer c.known.RUnlock()
	if t.sends() || c.head == nil || t.client.Now().Sub(c.head.Begun) >= t.maxAge {
		return false
	}
	if c.head.Exists() && c.head.APIVersion() != t.client.APIVersion {
		return false
	}
	if j := t.judge(c.head, &c.lineage); t.kind == checkTask && j.Decision == judging.DecideRefuse {
		return false
	}
	t.observed = c.head
	return true
}

// drain runs batches until the queue is empty.
func (c *committer) drain() {
	var tasks []*task
	for {
		isNew := len(tasks) == 0
		if tasks = c.take(tasks); len(tasks) == 0 {
			time.AfterFunc(Fresh, c.forgetIdle)
			return
		}
		if isNew {
			tasks = c.gather(tasks)
		}
		tasks = c.run(tasks)
	}
}

// take moves the queue to the end of the tasks.
func (c *committer) take(tasks []*task) []*task {
	c.mu.Lock()
	defer c.mu.Unlock()
	tasks = append(tasks, c.queue...)
	c.queue = nil
	c.running = len(tasks) > 0
	return tasks
}

// gather waits for more tasks, for as long as the pace says.
func (c *committer) gather(tasks []*task) []*task {
	begun := time.Now()
	for {
		n := 0
		for _, t := range tasks {
			if t.sends() {
				n++
			}
		}
		if n == 0 {
			return tasks
		}
		c.mu.Lock()
		wait := c.pace.Wait(n, begun, time.Now())
		if wait <= 0 {
			c.pace.Sends(n)
		}
		c.mu.Unlock()
		if wait <= 0 {
			return tasks
		}
		window := time.NewTimer(wait)
		select {
		case <-c.arrived:
			tasks = c.take(tasks)
		case <-window.C:
		}
		window.Stop()
	}
}

// run performs one read or write at most, and returns the tasks that have no answer yet, in order.
func (c *committer) run(tasks []*task) []*task {
	tasks = c.dropEnded(tasks)
	var behind []*task // a creation or a deletion waits for the tasks ahead of it, and the tasks behind wait for it
	if i := slices.IndexFunc(tasks, (*task).isWhole); i >= 0 {
		tasks, behind = tasks[:max(i, 1)], tasks[max(i, 1):]
	}
	if len(tasks) > 0 { // tasks that need the object in another form wait as well: the head has one form
		i := slices.IndexFunc(tasks, func(t *task) bool { return t.client.APIVersion != tasks[0].client.APIVersion })
		if i > 0 {
			tasks, behind = tasks[:i], slices.Concat(tasks[i:], behind)
		}
		c.shape(tasks[0].client)
	}
	switch {
	case len(tasks) == 0:
		return nil
	case tasks[0].isWhole():
		c.whole(tasks[0])
	default:
		c.next(tasks)
	}
	return append(unanswered(tasks), behind...)
}

// shape makes the committer read and write the object in the form of a client.
func (c *committer) shape(client *wire.Client) {
	if c.client.APIVersion != client.APIVersion {
		c.client = client
		c.forget()
	}
}

// next reads, writes or sends a dry run, in turns. A read comes before a write, but not twice in a row,
// because a write is conditional on the version that was read.
func (c *committer) next(tasks []*task) {
	if c.head == nil {
		c.turn = reads
		c.read(tasks)
		return
	}
	write, rehearsal, mustRead := c.judgeAll(tasks)
	can := [turns]bool{reads: mustRead, writes: write != nil, rehearses: rehearsal != nil}
	for range can {
		if c.turn = (c.turn + 1) % turns; can[c.turn] {
			break
		}
	}
	switch {
	case !can[c.turn]: // all tasks have an answer
	case c.turn == reads:
		c.read(unanswered(tasks))
	case c.turn == writes:
		c.send(write)
	default:
		c.send(rehearsal)
	}
}

// send sends a batch, unless one of its callers has given up.
func (c *committer) send(b *batch) {
	if b.claim() {
		c.finish(b, c.perform(b))
	}
}

// dropEnded answers the tasks whose callers have given up, and returns the others.
func (c *committer) dropEnded(tasks []*task) []*task {
	for _, t := range tasks {
		if t.ctx.Err() != nil {
			t.answer(&CanceledError{Ref: c.ref, Host: c.client.Host, Err: context.Cause(t.ctx), Retried: t.sent.Load() != nil})
		}
	}
	return unanswered(tasks)
}

// read reads the object for all tasks. Every task was queued before the read begins.
func (c *committer) read(tasks []*task) {
	ctx, cancel := anyCaller(tasks)
	defer cancel()
	for _, t := range tasks {
		t.attempts.Add(1)
	}
	head, err := c.client.GetPatiently(ctx, c.ref)
	if err != nil {
		for _, t := range c.dropEnded(tasks) {
			t.answer(err)
		}
		return
	}
	c.observed(head)
}
