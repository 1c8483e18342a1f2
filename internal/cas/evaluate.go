package cas

import (
	"errors"
	"slices"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// isCurrent reports whether the snapshot is young enough for a decision on it to be the answer. A refusal needs a
// read that began after the call.
func (c *committer) isCurrent(t *task, d eval.Action) bool {
	return t.requestedAt.Before(c.snapshot.Begun) || d != eval.Refuse && t.client.Now().Sub(c.snapshot.Begun) < t.maxAge
}

// evaluate evaluates tasks on the snapshot, answers the tasks that need no request, and groups writes that can share
// the next request. It returns that request, nil if there is none, and whether a task needs a newer read.
func (c *committer) evaluate(tasks []*task) (r *request, mustRead bool) {
	if tasks[0].handBack != nil {
		return c.evaluateHandBacks(tasks)
	}
	if tasks[0].isWhole() {
		return c.evaluateWhole(tasks[0])
	}
	r = &request{verb: "patch", client: tasks[0].client, base: c.snapshot, limit: maxTasks}
	ahead := keySet{}
	for _, t := range tasks {
		isNext := t.kind == writeTask && r.chains(t)
		if t.kind == writeTask && (ahead.conflictsWith(t.txn) || len(ahead) > 0 && keepsPlace(t.txn)) && !isNext {
			ahead.add(t.txn)
			r.closeKeys(t.txn)
			continue
		}
		var computed map[string]eval.Value
		if isNext {
			computed = r.computed
		}
		d := t.evaluate(c.snapshot, computed, &c.chain)
		var tooLarge *eval.TooLargeError
		mayFitLater := len(ahead) > 0 && errors.As(d.Err, &tooLarge) // the tasks ahead may make the object smaller
		switch {
		case t.kind == writeTask && (d.Action == eval.Write || isNext || mayFitLater):
			ahead.add(t.txn)
			if d.Action == eval.Write && r.fits(t, d.Changes) {
				r.add(t, d.Changes)
				continue
			}
			r.closeKeys(t.txn) // it is evaluated again after the tasks ahead are written
		case !c.isCurrent(t, d.Action):
			mustRead = true
			if t.kind == writeTask {
				ahead.add(t.txn)
			}
		default:
			c.answer(t, d)
		}
	}
	if len(r.tasks) == 0 {
		r = nil
	}
	return r, mustRead
}

// evaluateWhole is evaluate for a creation or a deletion. A creation needs a read that began after the call, so
// that an object that existed before never counts as its result.
func (c *committer) evaluateWhole(t *task) (r *request, mustRead bool) {
	d := t.evaluate(c.snapshot, nil, &c.chain)
	mayWrite := t.kind == writeTask && (t.create == nil || t.requestedAt.Before(c.snapshot.Begun))
	switch {
	case d.Action == eval.Write && mayWrite:
		return &request{verb: t.verb(), client: t.client, base: c.snapshot, tasks: []*task{t}}, false
	case !c.isCurrent(t, d.Action):
		return nil, true
	default:
		c.answer(t, d)
		return nil, false
	}
}

// evaluateHandBacks is evaluate for changes of owners, which share a request if they have one field manager. A change
// of owners is best effort: it never waits for another read.
func (c *committer) evaluateHandBacks(tasks []*task) (r *request, mustRead bool) {
	for _, t := range tasks {
		d := t.evaluate(c.snapshot, nil, &c.chain)
		switch {
		case d.Action != eval.Write:
			c.answer(t, d)
		case r == nil:
			r = &request{verb: t.verb(), client: t.client, base: c.snapshot, tasks: []*task{t}}
		case t.handBack.FieldManager == r.tasks[0].handBack.FieldManager && len(r.tasks) < t.maxBatch:
			r.tasks = append(r.tasks, t)
		}
	}
	return r, false
}

// answer answers a task that needs no request, and records the keys that it adopted.
func (c *committer) answer(t *task, d eval.Decision) {
	t.snapshot, t.decision = c.snapshot, d
	t.result = TxnResult{After: c.snapshot, Previous: map[string]eval.Value{}, Stored: map[string]eval.Value{}}
	if t.kind == writeTask && t.txn != nil && d.Action == eval.NoOp {
		for _, k := range t.txn.Keys {
			t.result.Previous[k.Key], t.result.Stored[k.Key] = c.snapshot.Value(k.Key), c.snapshot.Value(k.Key)
			t.result.addApplier(c.snapshot, k.Key, t.txn.FieldManager)
			if !k.IsGuard && (!t.txn.IgnoreMissing || !c.snapshot.Value(k.Key).IsAbsent()) {
				c.recordAdoption(k.Key)
			}
		}
	}
	t.answer(d.Err)
}

// keySet has the keys that the tasks ahead write (true) or only compare (false).
type keySet map[string]bool

// conflictsWith reports whether a Txn waits for the tasks ahead, because it names a key that they write, or writes a
// key that they compare. Any number of tasks may compare a key together.
func (s keySet) conflictsWith(t *eval.Txn) bool {
	return s[fixed] || slices.ContainsFunc(t.Keys, func(k eval.KeySwap) bool {
		isWritten, isThere := s[k.Key]
		inDocument, hasDocument := s[inText+k.Key]
		isWritten, isThere = isWritten || inDocument, isThere || hasDocument
		if !eval.IsEntry(k.Key) {
			for key, writes := range s { // a field may be a part of another one
				if eval.MayOverlap(key, k.Key) {
					isWritten, isThere = isWritten || writes, true
				}
			}
		}
		return isThere && (isWritten || !k.IsGuard)
	})
}

// fixed stands in a keySet for a Txn that keeps its place in the queue.
const fixed = ""

// inText is the prefix in a keySet of a text that contains a document with keys of the tasks ahead.
const inText = "\x00"

// keepsPlace reports whether a Txn passes no other transaction, and none passes it: it writes immutable, or depends on
// all entries of a map.
func keepsPlace(t *eval.Txn) bool {
	isImmutable := func(k eval.KeySwap) bool { return k.Key == eval.ImmutableKey && !k.IsGuard }
	return len(t.Maps) > 0 || slices.ContainsFunc(t.Keys, isImmutable)
}

func (s keySet) add(t *eval.Txn) {
	if keepsPlace(t) {
		s[fixed] = true
	}
	for _, k := range t.Keys {
		s[k.Key] = s[k.Key] || !k.IsGuard
		if h, _, isDocument := eval.DocumentPath(k.Key); isDocument {
			s[inText+h.Key] = s[inText+h.Key] || !k.IsGuard
		}
	}
}

// chains reports whether the task computes a key from the result of the request.
func (r *request) chains(t *task) bool {
	if !t.txn.OnlyComputes() {
		return false
	}
	_, isComputed := r.computed[t.txn.Keys[0].Key]
	return isComputed
}

// closeKeys records that a task outside the request is the next one for its keys: no later task computes them from
// the result of the request.
func (r *request) closeKeys(t *eval.Txn) {
	for _, k := range t.Keys {
		delete(r.computed, k.Key)
	}
}

// fits reports whether the task can share the request: it has the same field manager, computes a
// key if the others do, and the limits of tasks and bytes allow it.
func (r *request) fits(t *task, changes []eval.Change) bool {
	if len(r.tasks) == 0 {
		return true
	}
	first := r.tasks[0].txn
	return first.FieldManager == t.txn.FieldManager && first.Computes() == t.txn.Computes() &&
		len(r.tasks) < min(r.limit, t.maxBatch) &&
		r.base.Size()+r.grownBy+growth(changes) <= eval.MaxSize
}

// growth returns by how many bytes the changes make an object larger.
func growth(changes []eval.Change) (n int) {
	for _, c := range changes {
		if eval.IsEntry(c.Key) {
			n += c.To.Size() - c.From.Size()
		}
	}
	return n
}

// add adds a task to the request. Several tasks may write a key only if they compute it, each from the result
// of the one before it. Otherwise no task names a key that another task writes.
func (r *request) add(t *task, changes []eval.Change) {
	r.limit = min(r.limit, t.maxBatch)
	r.grownBy += growth(changes)
	r.tasks, r.changesOf = append(r.tasks, t), append(r.changesOf, changes)
	if r.chains(t) {
		i := slices.IndexFunc(r.changes, func(c eval.Change) bool { return c.Key == changes[0].Key })
		r.changes[i].To = changes[0].To
	} else {
		r.changes = append(r.changes, changes...)
	}
	if t.txn.OnlyComputes() {
		if r.computed == nil {
			r.computed = map[string]eval.Value{}
		}
		r.computed[changes[0].Key] = changes[0].To
	}
}
