package cas

import (
	"container/list"
	"slices"
	"sync"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
)

// maxBodies is how many bytes the bodies of idle objects may have together.
const maxBodies = 32 << 20

// bodies are the objects of idle committers, the last used one first. Where they are too large together, the oldest are forgotten,
// and read again when they are needed. Their versions are never forgotten.
type bodies struct {
	mu    sync.Mutex
	order list.List // of *committer
	size  int
}

// keep takes note that a committer idles, and has its object's body.
func (b *bodies) keep(c *committer, size int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.remove(c)
	c.place, c.weight = b.order.PushFront(c), size
	for b.size += size; b.size > maxBodies; {
		oldest, isCommitter := b.order.Back().Value.(*committer)
		if !isCommitter {
			return // cannot be
		}
		b.remove(oldest)
		oldest.forgetIdle()
	}
}

// use takes note that a committer is at work.
func (b *bodies) use(c *committer) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.remove(c)
}

func (b *bodies) remove(c *committer) {
	if c.place != nil {
		b.order.Remove(c.place)
		b.size -= c.weight
		c.place, c.weight = nil, 0
	}
}

// observed takes note of what a read found.
func (c *committer) observed(o *Observation) {
	c.known.Lock()
	defer c.known.Unlock()
	c.head = o
	c.lineage.Observed(o.Version())
	c.settled(o.Version())
}

// settled ends the doubts about merge patches on other versions than the one that the object is at: they have landed, or never will. A JSON
// Patch may land yet.
func (c *committer) settled(v Version) {
	c.lost = slices.DeleteFunc(c.lost, func(d judging.Doubt) bool { return !d.ByKey && d.Base != v })
}

// wrote takes note of an own write that made after of base, and of now, which was found later, unless that is nil. With alone, the
// lineage begins with it.
func (c *committer) wrote(base Version, after, now *Observation, keys []string, alone bool) {
	c.known.Lock()
	defer c.known.Unlock()
	c.lineage.Wrote(base, after.Version(), keys...)
	if alone {
		c.lineage.Cut()
	}
	c.head = after
	if now != nil {
		c.head = now
		c.lineage.Observed(now.Version())
	}
	c.settled(c.head.Version())
}

// forget drops the object, which is then read again; its versions stay known.
func (c *committer) forget() {
	c.known.Lock()
	defer c.known.Unlock()
	c.head = nil
}

// adopted takes note of a key that was taken over as it was.
func (c *committer) adopted(key string) {
	c.known.Lock()
	defer c.known.Unlock()
	c.lineage.Took(key)
}
