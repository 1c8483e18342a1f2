package cas

import (
	"container/list"
	"sync"
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
