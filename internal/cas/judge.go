package cas

import (
	"errors"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
)

// judge evaluates the task on an observation.
func (t *task) judge(o *Observation, h judging.History) judging.Judgement {
	switch {
	case t.txn != nil:
		return judging.Judge(t.txn, o, h)
	case t.create != nil:
		return t.create.Judge(o)
	case t.remove != nil:
		return t.remove.Judge(o, h)
	default:
		return judging.Judgement{Decision: judging.DecideDone}
	}
}

// isCurrent reports whether the head is young enough for a decision on it to be the answer. A refusal needs a
// read that began after the call.
func (c *committer) isCurrent(t *task, d judging.Decision) bool {
	return t.asked.Before(c.head.Begun) || d != judging.DecideRefuse && c.client.Now().Sub(c.head.Begun) < t.maxAge
}

// judgeAll evaluates tasks on the head. It answers tasks that need no request. It returns the next write and
// the next dry run, nil if there is none, and whether a task needs a newer read.
func (c *committer) judgeAll(tasks []*task) (write, rehearsal *batch, mustRead bool) {
	write, rehearsal = &batch{c: c, from: c.head}, &batch{c: c, from: c.head, dry: true}
	ahead, rehearsed := keySet{}, keySet{}
	stays := false // whether a write ahead is left for a later request
	for _, t := range tasks {
		if t.kind == writeTask && (ahead.blocks(t.txn) || stays && seals(t.txn)) && !write.continues(t) {
			ahead.add(t.txn)
			write.ends(t.txn)
			stays = true
			continue
		}
		j := c.judge(t, write)
		var tooLarge *TooLargeError
		mayFitLater := len(ahead) > 0 && errors.As(j.Err, &tooLarge) // the tasks ahead may make the object smaller
		switch {
		case t.kind == writeTask && (j.Decision == judging.DecideWrite || write.continues(t) || mayFitLater):
			ahead.add(t.txn)
			if j.Decision == judging.DecideWrite && write.fits(t, j.Changes) {
				write.add(t, j.Changes)
				continue
			}
			write.ends(t.txn) // it is evaluated again after the tasks ahead are written
			stays = true
		case t.kind == rehearseTask && j.Decision == judging.DecideWrite:
			// Of two writes of a key in one request, the API server would check only one.
			if !rehearsed.blocks(t.txn) && rehearsal.fits(t, j.Changes) {
				rehearsed.add(t.txn)
				rehearsal.add(t, j.Changes)
			}
		case !c.isCurrent(t, j.Decision):
			mustRead = true
			if t.kind == writeTask {
				ahead.add(t.txn)
				stays = true
			}
		case j.Decision == judging.DecideRefuse:
			t.answer(j.Err)
		case t.kind == writeTask:
			c.done(t)
		default:
			t.observed = c.head
			t.answer(nil)
		}
	}
	if len(write.tasks) == 0 {
		write = nil
	}
	if len(rehearsal.tasks) == 0 {
		rehearsal = nil
	}
	return write, rehearsal, mustRead
}

// judge evaluates a task on the head or, if it computes a key from the result of the batch, on that.
func (c *committer) judge(t *task, b *batch) judging.Judgement {
	if t.kind == writeTask && b.continues(t) {
		return judging.JudgeAfter(t.txn, c.head, b.left, &c.lineage)
	}
	return t.judge(c.head, &c.lineage)
}

// done answers a task that needs no write, and records the keys that it adopted.
func (c *committer) done(t *task) {
	t.result = TxnResult{After: c.head, Previous: map[string]Entry{}, Stored: map[string]Entry{}}
	for _, k := range t.txn.Keys {
		t.result.Previous[k.Key], t.result.Stored[k.Key] = c.head.Entry(k.Key), c.head.Entry(k.Key)
		if !k.IsGuard && (!t.txn.GoneIsDone || !c.head.Entry(k.Key).IsAbsent()) {
			c.adopted(k.Key)
		}
	}
	t.answer(nil)
}
