package cas

import "time"

// write sends the group's request and answers those of its tasks that it decides. The others are judged again.
func (c *committer) write(g *group) {
	if !g.claim() {
		return
	}
	begun := time.Now()
	w := c.commit(g)
	switch w.outcome {
	case throttled:
		c.backOff(g, w.err)
	case landed:
		c.cost = c.took(time.Since(begun))
		if g.dry {
			for _, t := range g.tasks {
				t.observed = g.from
				t.answer(nil)
			}
			return
		}
		c.landed(g, w)
	case stale:
		for _, t := range g.tasks {
			t.release(c.client.host)
		}
		c.observed(w.now) // they are judged again, on what overtook them
		c.contended = calmAfter
		if g.byKey {
			c.contended = 0 // it may have been something else than a test; a merge patch gets a clear answer
		}
	case refused:
		for _, t := range unanswered(g.tasks) {
			switch {
			case g.from == nil:
				t.mustRead = true // a look may tell more than the refusal
				t.release(c.client.host)
			case len(g.tasks) > 1:
				t.most = len(g.tasks) / 2 // one bad entry must not fail its siblings
				t.release(c.client.host)
			default:
				t.answer(w.err)
			}
		}
	case unsent:
		for _, t := range c.dropEnded(unanswered(g.tasks)) {
			t.answer(w.err)
		}
	case inDoubt:
		c.forget()
		for _, t := range g.tasks {
			t.answer(&UnknownError{Ref: c.ref, Base: g.base, Err: w.err})
		}
	}
}

// backOff waits for as long as the API server asks to, unless all callers go. Nothing of theirs is on its way meanwhile.
func (c *committer) backOff(g *group, err error) {
	for _, t := range g.tasks {
		t.release(c.client.host)
	}
	if kept := unanswered(g.tasks); len(kept) > 0 {
		callers, left := anyCaller(kept)
		defer left()
		sleep(callers, max(firstPause, retryAfter(err)))
	}
}

// landed answers the swaps of a group whose write landed.
func (c *committer) landed(g *group, w written) {
	keys := make([]string, 0, len(g.changes))
	for _, change := range g.changes {
		if !change.isGuard {
			keys = append(keys, change.key)
		}
	}
	if g.byKey {
		c.contended--
		g.base = w.after.Version() // what it really followed is not known
	}
	if w.isLater {
		g.base = w.after.Version() // nor what has come about since
	}
	// Without a digest nothing is known of the whole of a base that was not read: another's write could look the same.
	c.wrote(g.base, w.after, keys, g.from == nil && g.digest == "" && w.now != nil)
	if w.now != nil {
		c.observed(w.now)
	}
	for i, t := range g.tasks {
		t.result = TxnResult{After: w.after, Previous: map[string]Entry{}, Wrote: true}
		for _, change := range g.of[i] {
			t.result.Previous[change.key] = change.from
			if change.isGuard && !t.txn.isGuard(change.key) {
				c.adopted(change.key)
			}
		}
		t.answer(nil)
	}
}
