package cas

import (
	"cmp"
	"errors"
	"slices"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/pace"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/wire"
)

// committer writes one object, one request at a time. While it reads, no write of this process to the object
// is under way, except a write whose outcome is unknown. So another writer made every version that a read
// finds and the chain does not know.
type committer struct {
	engine *Engine
	ref    eval.Ref

	mu      sync.Mutex // guards queue, running and pace
	queue   []*task
	running bool
	pace    pace.Pace
	arrived chan struct{} // of capacity 1; full if a task was queued since it was last emptied

	// known guards the snapshot and the chain. Only loop changes them, and it reads them without the lock. While
	// loop does not run, forgetIdle drops the snapshot.
	known    sync.RWMutex
	snapshot *eval.Snapshot // the newest known state; nil if none is known
	chain    eval.Chain

	// unknownBase is the version that the last write of unknown outcome was conditional on; nil if there was
	// none. That write may have been applied in the place of a later one on the same version. Only loop uses it.
	unknownBase *eval.Version
}

// loop reads the object, evaluates the tasks, writes and retries, until the queue is empty. Tasks that arrive
// during a request share the next one.
func (c *committer) loop() {
	var pending []*task                            // without an answer, in the order of their arrival
	wroteLast := false                             // no read since the last evaluation that needed a write
	var conflictPause, throttlePause *wait.Backoff // before a retry; nil unless the last write ended that way
	for {
		isIdle := len(pending) == 0
		if pending = c.dequeue(pending); len(pending) == 0 {
			time.AfterFunc(Fresh, c.forgetIdle)
			return
		}
		if isIdle {
			pending = c.collectBatch(pending)
		}
		pending = c.answerCanceled(pending)
		active := inTurn(pending)
		if len(active) == 0 {
			conflictPause, throttlePause = nil, nil
			continue
		}

		var r *request // the next write; nil if the tasks need none
		mustRead := true
		if c.snapshot != nil && (!c.snapshot.Exists() || c.snapshot.APIVersion() == active[0].client.APIVersion) {
			r, mustRead = c.evaluate(active)
		}
		if r == nil || mustRead && wroteLast { // reads and writes take turns, so that no task waits forever
			if mustRead {
				c.read(unanswered(active))
				wroteLast = false
			} else {
				conflictPause, throttlePause = nil, nil
			}
			pending = unanswered(pending)
			continue
		}
		wroteLast = true
		if !r.claim() { // a caller gave up: its task must not be sent
			continue
		}

		callers, cancel := anyCaller(r.tasks)
		result := c.deliver(callers, r, conflictPause)
		afterConflict, afterThrottle := conflictPause, throttlePause
		conflictPause, throttlePause = nil, nil
		switch result.outcome {
		case wire.Applied:
			c.answerApplied(r, result)
		case wire.Ambiguous:
			c.answerUnknown(r, result)
		case wire.NotSent: // no task of the request can be sent
			for _, t := range c.answerCanceled(r.tasks) {
				t.answer(result.err)
			}
		case wire.Refused, wire.NotBuilt: // one invalid transaction must not fail the others: each half is sent alone
			for _, t := range r.tasks {
				needsRead := result.outcome == wire.NotBuilt && !c.isCurrent(t, eval.Refuse)
				t.maxBatch = len(r.tasks) / 2
				switch {
				case t.maxBatch > 0:
				case needsRead: // another writer may have changed the document since
					t.maxBatch = 1
					c.forget()
				default:
					t.answer(result.err)
				}
				t.release()
			}
		case wire.PreconditionFailed: // another writer came first: the tasks are evaluated on the new version
			c.recordRead(result.now)
			for _, t := range r.tasks {
				t.unknownEarlier = cmp.Or(t.unknownEarlier, result.unknownEarlier)
				t.wasRefused.Store(true)
				t.release()
			}
			conflictPause = cmp.Or(afterConflict, new(wire.NewBackoff(5*time.Millisecond, 100*time.Millisecond)))
		case wire.Throttled:
			for _, t := range r.tasks {
				t.wasRefused.Store(true)
				t.release()
			}
			throttlePause = cmp.Or(afterThrottle, new(wire.NewBackoff(20*time.Millisecond, time.Second)))
			wire.Pause(callers, throttlePause, result.err)
		case wire.Unresolved: // deliver goes on until the outcome is another one
		}
		cancel()
		pending = unanswered(pending)
	}
}

// inTurn returns the tasks that can be evaluated together. A creation, a deletion or a change of owners waits for the
// tasks ahead, and the tasks behind wait for it; changes of owners share a request. A task that needs the object in
// another API version waits as well: the snapshot is in one version.
func inTurn(tasks []*task) []*task {
	for i, t := range tasks {
		sharesHandBack := t.handBack != nil && tasks[0].handBack != nil
		isAlone := (t.isWhole() || tasks[0].isWhole()) && !sharesHandBack
		if i > 0 && (isAlone || t.client.APIVersion != tasks[0].client.APIVersion) {
			return tasks[:i]
		}
	}
	return tasks
}

// do queues a task and returns its answer.
func (c *committer) do(t *task) error {
	if c.answerFromSnapshot(t) {
		return nil
	}
	c.mu.Lock()
	c.queue = append(c.queue, t)
	if t.kind == writeTask {
		c.pace.Arrives(time.Now())
		defer c.recordAnswered()
	}
	if !c.running {
		c.running = true
		c.engine.work.Go(c.loop)
	}
	c.mu.Unlock()
	select {
	case c.arrived <- struct{}{}:
	default:
	}
	err := t.wait(c.engine.limits.grace)
	if errors.Is(err, errLate) { // only this caller uses the read: a write that is under way may have made its version
		t.attempts.Add(1)
		if t.ownRead, err = t.client.GetPatiently(t.ctx, t.ref); t.ctx.Err() != nil {
			err = t.canceled()
		}
	}
	return err
}

// recordAnswered records that a write ended.
func (c *committer) recordAnswered() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pace.Leaves(time.Now())
}

// answerFromSnapshot answers an Observe call or a check from the known snapshot if that is young enough, without a
// wait for the request that is under way. A check that would be refused waits for another read.
func (c *committer) answerFromSnapshot(t *task) bool {
	c.known.RLock()
	defer c.known.RUnlock()
	if t.kind == writeTask || c.snapshot == nil || t.client.Now().Sub(c.snapshot.Begun) >= t.maxAge {
		return false
	}
	if c.snapshot.Exists() && c.snapshot.APIVersion() != t.client.APIVersion {
		return false
	}
	d := t.evaluate(c.snapshot, nil, &c.chain)
	if t.kind == checkTask && d.Action == eval.Refuse {
		return false
	}
	t.snapshot, t.decision = c.snapshot, d
	return true
}

// dequeue moves the queue to the end of the tasks.
func (c *committer) dequeue(tasks []*task) []*task {
	c.mu.Lock()
	defer c.mu.Unlock()
	tasks = append(tasks, c.queue...)
	c.queue = nil
	c.running = len(tasks) > 0
	return tasks
}

// collectBatch waits for more tasks, for as long as the pace says.
func (c *committer) collectBatch(tasks []*task) []*task {
	begun := time.Now()
	for {
		n := 0
		for _, t := range tasks {
			if t.kind == writeTask {
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
			tasks = c.dequeue(tasks)
		case <-window.C:
		}
		window.Stop()
	}
}

// answerCanceled answers the tasks whose callers have given up, and returns the tasks that have no answer.
func (c *committer) answerCanceled(tasks []*task) []*task {
	for _, t := range tasks {
		if t.ctx.Err() != nil {
			t.answer(t.canceled())
		}
	}
	return unanswered(tasks)
}

// unanswered returns the tasks without an answer in a new slice: DeleteFunc would set elements of the given
// one to nil.
func unanswered(tasks []*task) []*task {
	return slices.DeleteFunc(slices.Clone(tasks), func(t *task) bool { return t.answered })
}

// read reads the object for all tasks. Every task was queued before the read begins.
func (c *committer) read(tasks []*task) {
	ctx, cancel := anyCaller(tasks)
	defer cancel()
	for _, t := range tasks {
		t.attempts.Add(1)
	}
	snapshot, err := tasks[0].client.GetPatiently(ctx, c.ref)
	if err != nil {
		for _, t := range c.answerCanceled(tasks) {
			t.answer(err)
		}
		return
	}
	c.recordRead(snapshot)
}

// recordRead records the object that a read found.
func (c *committer) recordRead(o *eval.Snapshot) {
	c.known.Lock()
	defer c.known.Unlock()
	c.snapshot = o
	c.chain.RecordRead(o.Version())
}

// recordWrite records that a write of this process made after from base.
func (c *committer) recordWrite(base eval.Version, after *eval.Snapshot, keys []string) {
	c.known.Lock()
	defer c.known.Unlock()
	c.chain.RecordWrite(base, after.Version(), keys...)
	c.snapshot = after
}

// recordAdoption records that a key was adopted as it is.
func (c *committer) recordAdoption(key string) {
	c.known.Lock()
	defer c.known.Unlock()
	c.chain.RecordAdoption(key)
}

// forget drops the object, which must be read again. Its versions stay known.
func (c *committer) forget() {
	c.known.Lock()
	defer c.known.Unlock()
	c.snapshot = nil
}

// forgetIdle drops the object unless loop runs. An object may have a MiB, and a run may have thousands of
// objects.
func (c *committer) forgetIdle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.running {
		c.forget()
	}
}

// answerApplied answers the tasks of a request that was applied.
func (c *committer) answerApplied(r *request, applied result) {
	after := applied.after
	switch r.verb {
	case "create":
		c.recordWrite(after.Version(), after, r.written())
		r.tasks[0].result = TxnResult{After: after, Wrote: true}
	case "delete": // the object may still exist, being deleted
		c.recordRead(after)
		r.tasks[0].snapshot = after
		r.tasks[0].result = TxnResult{After: after, Wrote: applied.now == nil} // otherwise another writer may have deleted it
	case "hand back":
		c.recordWrite(r.base.Version(), after, nil)
		for _, t := range r.tasks {
			t.result = TxnResult{After: after, Wrote: true}
		}
	default:
		base := r.base.Version()
		if !applied.isChained {
			base = after.Version() // other writers may have made versions in between
		}
		c.recordWrite(base, after, r.written())
		sent := r.sent()
		for i, t := range r.tasks {
			t.result = r.resultOf(i, applied, sent)
			for _, change := range r.changesOf[i] {
				if change.IsGuard && !t.txn.IsGuard(change.Key) {
					c.recordAdoption(change.Key)
				}
			}
		}
	}
	for _, t := range r.tasks {
		t.answer(nil)
	}
}

// answerUnknown answers the tasks of a request whose outcome is unknown. A removal that ignores missing keys
// is done if the keys are missing, no matter who removed them.
func (c *committer) answerUnknown(r *request, unknown result) {
	c.unknownBase = new(r.base.Version())
	c.forget()
	for i, t := range r.tasks {
		isRemoval := unknown.now != nil && t.txn != nil && t.txn.IgnoreMissing
		if isRemoval && t.evaluate(unknown.now, nil, &eval.Chain{}).Action == eval.NoOp {
			t.result = r.resultOf(i, result{after: unknown.now}, nil)
			t.answer(nil)
			continue
		}
		t.answer(t.unknown(unknown.err))
	}
}
