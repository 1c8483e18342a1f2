package cas

import "slices"

// The state of an object that a committer knows: the newest observation, and the versions that this process made.

// observed records the object that a read found.
func (c *committer) observed(o *Observation) {
	c.known.Lock()
	defer c.known.Unlock()
	c.head = o
	c.lineage.Observed(o.Version())
}

// wrote records that a write of this process made after from base.
func (c *committer) wrote(base Version, after *Observation, keys []string) {
	c.known.Lock()
	defer c.known.Unlock()
	c.lineage.Wrote(base, after.Version(), keys...)
	c.head = after
}

// adopted records that a key was adopted as it is.
func (c *committer) adopted(key string) {
	c.known.Lock()
	defer c.known.Unlock()
	c.lineage.Took(key)
}

// forget drops the object, which must be read again. Its versions stay known.
func (c *committer) forget() {
	c.known.Lock()
	defer c.known.Unlock()
	c.head = nil
}

// forgetIdle drops the object unless a batch is under way. An object may have a MiB, and a run may have
// thousands of objects.
func (c *committer) forgetIdle() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.running {
		c.forget()
	}
}

// unanswered returns the tasks without an answer in a new slice: DeleteFunc would set elements of the given
// one to nil.
func unanswered(tasks []*task) []*task {
	return slices.DeleteFunc(slices.Clone(tasks), func(t *task) bool { return t.answered })
}
