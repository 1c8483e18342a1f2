package cas

import (
	"errors"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
)

// judge holds what the task is about against an observation.
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

// isCurrent reports whether the head is young enough for what was judged on it to be told.
func (c *committer) isCurrent(t *task, d judging.Decision) bool {
	return t.asked.Before(c.head.Begun) || d != judging.DecideRefuse && c.client.Now().Sub(c.head.Begun) < t.maxAge
}

// judgeAll judges tasks on the head. It answers those that need no request. It returns the next write and the next rehearsal, nil
// where there is none, and whether a task needs a newer read.
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
		switch {
		case t.kind == writeTask && (j.Decision == judging.DecideWrite || write.continues(t) || len(ahead) > 0 && errors.As(j.Err, &tooLarge)):
			ahead.add(t.txn)
			if j.Decision == judging.DecideWrite && write.fits(t, j.Changes) {
				write.add(t, j.Changes)
				continue
			}
			write.ends(t.txn) // it is evaluated again once those ahead are written
			stays = true
		case t.kind == rehearseTask && j.Decision == judging.DecideWrite:
			if !rehearsed.blocks(t.txn) && rehearsal.fits(t, j.Changes) { // of two writes of a key only one would be looked at
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

// judge judges a task on the head or, where it computes a key that the batch computes, on what that leaves.
func (c *committer) judge(t *task, b *batch) judging.Judgement {
	if t.kind == writeTask && b.continues(t) {
		return judging.JudgeAfter(t.txn, c.head, b.left, &c.lineage)
	}
	return t.judge(c.head, &c.lineage)
}

// done answers a task of which nothing is to be written.
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
