package cas

import (
	"errors"
	"slices"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
)

// isCurrent reports whether the head is young enough for a decision on it to be the answer. A refusal needs a
// read that began after the call.
func (c *committer) isCurrent(t *task, d judging.Decision) bool {
	return t.asked.Before(c.head.Begun) || d != judging.DecideRefuse && t.client.Now().Sub(c.head.Begun) < t.maxAge
}

// evaluate evaluates tasks on the head, answers the tasks that need no request, and groups the others.
func (c *committer) evaluate(tasks []*task) work {
	if tasks[0].isWhole() {
		return c.evaluateWhole(tasks[0])
	}
	write := &request{verb: "patch", client: tasks[0].client, base: c.head}
	rehearsal := &request{verb: "patch", client: tasks[0].client, base: c.head, isDry: true}
	ahead, rehearsed := keySet{}, keySet{}
	stays, mustRead := false, false // stays: a write ahead is left for a later request
	for _, t := range tasks {
		isNext := t.kind == writeTask && write.continues(t)
		if t.kind == writeTask && (ahead.blocks(t.txn) || stays && seals(t.txn)) && !isNext {
			ahead.add(t.txn)
			write.ends(t.txn)
			stays = true
			continue
		}
		j := t.judge(c.head, &c.lineage)
		if isNext {
			j = judging.JudgeAfter(t.txn, c.head, write.left, &c.lineage)
		}
		var tooLarge *TooLargeError
		mayFitLater := len(ahead) > 0 && errors.As(j.Err, &tooLarge) // the tasks ahead may make the object smaller
		switch {
		case t.kind == writeTask && (j.Decision == judging.DecideWrite || isNext || mayFitLater):
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
		default:
			c.answer(t, j)
		}
	}
	todo := work{mustRead: mustRead}
	if len(write.tasks) > 0 {
		todo.requests[writes] = write
	}
	if len(rehearsal.tasks) > 0 {
		todo.requests[rehearses] = rehearsal
	}
	return todo
}

// evaluateWhole is evaluate for a creation or a deletion. A creation needs a read that began after the call, so
// that an object that existed before never counts as its result.
func (c *committer) evaluateWhole(t *task) work {
	j := t.judge(c.head, &c.lineage)
	mayWrite := t.kind == rehearseTask || t.kind == writeTask && (t.create == nil || t.asked.Before(c.head.Begun))
	switch {
	case j.Decision == judging.DecideWrite && mayWrite:
		r := &request{verb: "delete", client: t.client, base: c.head, tasks: []*task{t}, isDry: t.kind == rehearseTask}
		if t.create != nil {
			r.verb = "create"
		}
		return work{requests: [phases]*request{writes: r}}
	case !c.isCurrent(t, j.Decision):
		return work{mustRead: true}
	default:
		c.answer(t, j)
		return work{}
	}
}

// answer answers a task that needs no request, and records the keys that it adopted.
func (c *committer) answer(t *task, j judging.Judgement) {
	t.observed = c.head
	t.result = TxnResult{After: c.head, Previous: map[string]Entry{}, Stored: map[string]Entry{}}
	if t.kind == writeTask && t.txn != nil && j.Decision == judging.DecideDone {
		for _, k := range t.txn.Keys {
			t.result.Previous[k.Key], t.result.Stored[k.Key] = c.head.Entry(k.Key), c.head.Entry(k.Key)
			if !k.IsGuard && (!t.txn.GoneIsDone || !c.head.Entry(k.Key).IsAbsent()) {
				c.adopted(k.Key)
			}
		}
	}
	t.answer(j.Err)
}

// keySet has the keys that the tasks ahead write (true) or only compare (false).
type keySet map[string]bool

// blocks reports whether a Txn waits for the tasks ahead, because it names a key that they write, or writes a
// key that they compare. Any number of tasks may compare a key together.
func (s keySet) blocks(t *Txn) bool {
	return s[judging.ImmutableKey] || slices.ContainsFunc(t.Keys, func(k KeySwap) bool {
		isWritten, isThere := s[k.Key]
		if !judging.IsEntry(k.Key) {
			for key, writes := range s { // a field may be a part of another one
				if judging.MayOverlap(key, k.Key) {
					isWritten, isThere = isWritten || writes, true
				}
			}
		}
		return isThere && (isWritten || !k.IsGuard)
	})
}

// seals reports whether a Txn writes immutable. Such a Txn keeps its place in the queue: it passes no other
// transaction, and none passes it.
func seals(t *Txn) bool {
	return slices.ContainsFunc(t.Keys, func(k KeySwap) bool { return k.Key == judging.ImmutableKey && !k.IsGuard })
}

func (s keySet) add(t *Txn) {
	for _, k := range t.Keys {
		s[k.Key] = s[k.Key] || !k.IsGuard
	}
}

// continues reports whether the task computes a key from the result of the request.
func (r *request) continues(t *task) bool {
	if !t.txn.IsTake() {
		return false
	}
	_, isLeft := r.left[t.txn.Keys[0].Key]
	return isLeft
}

// ends records that a task outside the request is the next one for its keys: no later task computes them from
// the result of the request.
func (r *request) ends(t *Txn) {
	for _, k := range t.Keys {
		delete(r.left, k.Key)
	}
}

// fits reports whether the task can share the request: it has the same field manager, computes a
// key if the others do, and the limits of tasks and bytes allow it.
func (r *request) fits(t *task, changes []judging.Change) bool {
	if len(r.tasks) == 0 {
		return true
	}
	first := r.tasks[0].txn
	return first.FieldManager == t.txn.FieldManager && first.Computes() == t.txn.Computes() &&
		len(r.tasks) < min(r.most, t.maxBatch) &&
		r.base.Size()+r.grows+growth(changes) <= MaxSize
}

// growth returns by how many bytes the changes make an object larger.
func growth(changes []judging.Change) (n int) {
	for _, c := range changes {
		if judging.IsEntry(c.Key) {
			n += c.To.Size() - c.From.Size()
		}
	}
	return n
}

// add adds a task to the request. Several tasks may write a key only if they compute it, each from the result
// of the one before it. Otherwise no task names a key that another task writes.
func (r *request) add(t *task, changes []judging.Change) {
	if len(r.tasks) == 0 {
		r.most = t.maxBatch
	}
	r.most = min(r.most, t.maxBatch)
	r.grows += growth(changes)
	r.tasks, r.of = append(r.tasks, t), append(r.of, changes)
	if r.continues(t) {
		i := slices.IndexFunc(r.changes, func(c judging.Change) bool { return c.Key == changes[0].Key })
		r.changes[i].To = changes[0].To
	} else {
		r.changes = append(r.changes, changes...)
	}
	if t.txn.IsTake() {
		if r.left == nil {
			r.left = map[string]Entry{}
		}
		r.left[changes[0].Key] = changes[0].To
	}
}
