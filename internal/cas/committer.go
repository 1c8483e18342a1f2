package cas

import (
	"container/list"
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

// committer judges and writes everything about one object, one request at a time: while it reads, no write of this
// process to the object is in flight, so that what a read shows and the lineage does not know is foreign. What queues
// up meanwhile goes into the next request together.
type committer struct {
	engine *Engine
	client *wire.Client // in the shape of the head; of the goroutine that runs batches
	ref    Ref

	mu      sync.Mutex
	queue   []*task
	running bool
	arrived chan struct{} // of capacity 1; holds one when something was queued since it was last emptied
	pace    pace.Pace

	// What is known. It is changed by the one goroutine that runs batches alone, which need not lock to look at it; the head is
	// also forgotten while no goroutine runs.
	known   sync.RWMutex
	head    *Observation // the newest state that is known; nil where none is
	lineage judging.Lineage

	// Used by that goroutine.
	turn turn
	// signature takes the Engine's place in field managers: another one once it could not be found out whether a signed batch
	// landed, so that it cannot be taken for a later one.
	signature signature
	lost      []judging.Doubt // of writes that may land yet
	// lostCreation: it could not be found out whether a creation landed. It may land yet.
	lostCreation bool
	// aside is the merge patches in doubt that others go ahead of, all on the head's version.
	aside []*batch
	// due is when what was set apart may be tried again.
	due    time.Time
	inHand []*task // that are not answered, in order
	// contended is how many more writes go as JSON Patches: others are busy with the object, as a 409 has proved.
	contended int
	retry     *wait.Backoff // while writes are to be tried again

	// Of bodies.
	place  *list.Element
	weight int
}

// calmAfter is after how many successful JSON Patches a merge patch is tried again.
const calmAfter = 16

// turn is what a committer did last. What it does next comes after that, in this order, so that nothing waits for ever.
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
	if errors.Is(err, errLate) { // what he sees is nothing for others to go by: a write that is under way may have made it
		t.attempts.Add(1)
		if t.own, err = t.client.GetPatiently(t.ctx, t.ref); t.ctx.Err() != nil {
			err = &CanceledError{Ref: t.ref, Host: t.client.Host, Err: context.Cause(t.ctx)}
		}
	}
	return err
}

// left takes note that a swap is no longer under way.
func (c *committer) left() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pace.Leaves(time.Now())
}

// informs answers an observation or a check from the known state, where that is young enough: it does not wait for the request
// that is under way. A check that would be refused waits for a read of its own.
func (c *committer) informs(t *task) bool {
	c.known.RLock()
	defer c.known.RUnlock()
	if t.sends() || c.head == nil || c.head.Exists() && c.head.APIVersion() != t.client.APIVersion || t.client.Now().Sub(c.head.Begun) >= t.maxAge {
		return false
	}
	if j := t.judge(c.head, &c.lineage); t.kind == checkTask && j.Decision == judging.DecideRefuse {
		return false
	}
	t.observed = c.head
	return true
}

func (c *committer) drain() {
	c.engine.bodies.use(c)
	var tasks []*task
	for {
		isNew := !slices.ContainsFunc(tasks, func(t *task) bool { return !t.isApart })
		c.aside = slices.DeleteFunc(c.aside, func(b *batch) bool { return len(unanswered(b.tasks)) == 0 }) // with their bodies
		if tasks = c.take(tasks); len(tasks) == 0 {
			c.engine.bodies.keep(c, c.weigh())
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
	if c.running = len(tasks) > 0; !c.running {
		c.inHand = nil // with what they were told, of which the bodies are large
	}
	return tasks
}

// weigh is how many bytes forgetIdle frees, about.
func (c *committer) weigh() int {
	c.known.RLock()
	defer c.known.RUnlock()
	if c.head == nil || !c.head.Exists() {
		return 0
	}
	return max(c.head.Object().Size(), c.head.Size())
}

// forgetIdle forgets the object's body, unless it is in use. It is read again when it is needed.
func (c *committer) forgetIdle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.running {
		c.forget()
	}
}

// gather waits for siblings, for as long as the pace says.
func (c *committer) gather(tasks []*task) []*task {
	begun := time.Now()
	for {
		n := 0
		for _, t := range tasks {
			if t.sends() && !t.isApart {
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

// run brings tasks forward by one request at most, and returns those that are not answered yet, in order.
func (c *committer) run(tasks []*task) []*task {
	tasks = c.dropEnded(tasks)
	c.inHand = tasks
	var behind []*task // a creation or a deletion waits for those ahead of it, and those behind wait for it
	if i := slices.IndexFunc(tasks, (*task).isWhole); i >= 0 {
		tasks, behind = tasks[:max(i, 1)], tasks[max(i, 1):]
	}
	if len(tasks) > 0 { // those in another shape wait as well: what is known of the object is in one
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

// shape has the committer go on in the shape of a client.
func (c *committer) shape(client *wire.Client) {
	if c.client.APIVersion != client.APIVersion {
		c.client = client
		c.forget()
	}
}

// next reads, writes or rehearses: what comes after the last thing done. A read comes before a write, since the write may have to be
// conditional on what it shows, but not twice.
func (c *committer) next(tasks []*task) {
	var write, rehearsal *batch
	var mustRead bool
	if c.head != nil {
		write, rehearsal, mustRead = c.judgeAll(tasks)
	} else {
		if len(c.aside) == 0 {
			write = c.blindBatch(tasks)
		}
		mustRead = write == nil
	}
	if write != nil && write.from != nil && !c.client.Covers(c.ref, c.head.Since) {
		write, mustRead = nil, true // a lost answer could not be found out about
	}
	can := [turns]bool{reads: mustRead, writes: write != nil, rehearses: rehearsal != nil}
	for range can {
		if c.turn = (c.turn + 1) % turns; can[c.turn] {
			break
		}
	}
	switch {
	case !can[c.turn]:
		if len(unanswered(tasks)) == len(tasks) { // which are set apart, or wait for such a one
			c.rest(tasks)
		}
	case c.turn == reads:
		c.read(unanswered(tasks))
	case c.turn == writes:
		c.send(write)
	default:
		c.send(rehearsal)
	}
}

// send sends a batch, unless one of its callers has left.
func (c *committer) send(b *batch) {
	if b.claim() {
		c.finish(b, c.perform(b))
	}
	if t := b.tasks[0]; t.isApart && !t.answered {
		c.due = c.patiently()
	}
}

// unanswered leaves the tasks as they are: DeleteFunc by itself would put nils into them.
func unanswered(tasks []*task) []*task {
	return slices.DeleteFunc(slices.Clone(tasks), func(t *task) bool { return t.answered })
}

// dropEnded answers the tasks whose callers have gone. Of those in doubt a last look may tell.
func (c *committer) dropEnded(tasks []*task) []*task {
	ended := func(t *task) bool { return t.ctx.Err() != nil && !t.answered }
	if i := slices.IndexFunc(tasks, func(t *task) bool { return ended(t) && t.doubt != nil }); i >= 0 {
		once, done := lingering(context.Background(), tasks[i].ctx, c.engine.limits.looking)
		if now, err := c.client.Get(once, c.ref); err == nil {
			c.found(now)
		}
		done()
	}
	for _, t := range tasks {
		if ended(t) {
			t.answer(&CanceledError{Ref: c.ref, Host: c.client.Host, Err: context.Cause(t.ctx)})
		}
	}
	return unanswered(tasks)
}

// read reads the object, for all tasks: every one of them was asked for before it began.
func (c *committer) read(tasks []*task) {
	ctx, cancel := anyCaller(tasks)
	defer cancel()
	toWrite := false // now, or after a check
	for _, t := range tasks {
		t.attempts.Add(1)
		toWrite = toWrite || t.kind != observeTask
	}
	head, err := c.client.Read(ctx, c.ref, toWrite)
	if err != nil {
		for _, t := range c.dropEnded(tasks) {
			t.answer(err)
		}
		return
	}
	c.found(head)
}
