package cas

import "slices"

// What a committer knows of its object: the newest state, and which versions are its own.

// observed records what a read found.
func (c *committer) observed(o *Observation) {
	c.known.Lock()
	defer c.known.Unlock()
	c.head = o
	c.lineage.Observed(o.Version())
}

// wrote records a write of this process that made after of base.
func (c *committer) wrote(base Version, after *Observation, keys []string) {
	c.known.Lock()
	defer c.known.Unlock()
	c.lineage.Wrote(base, after.Version(), keys...)
	c.head = after
}

// adopted records a key that was adopted as it was.
func (c *committer) adopted(key string) {
	c.known.Lock()
	defer c.known.Unlock()
	c.lineage.Took(key)
}

// forget drops the object, which is then read again. Its versions stay known.
func (c *committer) forget() {
	c.known.Lock()
	defer c.known.Unlock()
	c.head = nil
}

// forgetIdle drops the object unless a batch is under way: a ConfigMap may have a MiB, and a run may have thousands.
func (c *committer) forgetIdle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.running {
		c.forget()
	}
}

// unanswered leaves the tasks as they are: DeleteFunc by itself would put nils into them.
func unanswered(tasks []*task) []*task {
	return slices.DeleteFunc(slices.Clone(tasks), func(t *task) bool { return t.answered })
}
