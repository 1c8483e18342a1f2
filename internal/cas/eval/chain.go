package eval

import "k8s.io/apimachinery/pkg/util/resourceversion"

// Chain is the chain of versions of one object that only writes of this process made. A write that was
// conditional on the head and changed the version extends the chain. Any other new version begins a new
// chain.
type Chain struct {
	head    Version
	next    int             // the number of the next point
	seen    map[Version]int // the number of each version that was the head
	begins  int             // the number of the oldest version of the chain
	written map[string]mark // the point at which this process last wrote or adopted a key
}

// mark is a point of a chain: the version that was the head, and a number that is greater than those of all
// earlier points.
type mark struct {
	number int
	at     Version
}

// RecordRead records the version that a read found.
func (l *Chain) RecordRead(v Version) {
	if l.seen != nil && v == l.head {
		return
	}
	l.add(v)
	l.begins = l.seen[l.head]
}

// RecordWrite records a write of keys by this process that was conditional on version from and made version to. The
// versions are equal if the write changed nothing, or if a new chain begins at it.
func (l *Chain) RecordWrite(from, to Version, keys ...string) {
	l.RecordRead(from)
	if to != from {
		l.add(to)
	}
	for _, key := range keys {
		if l.seen[to] >= l.written[key].number { // a write that changed nothing may come after the key was adopted
			l.written[key] = mark{l.seen[to], to}
		}
	}
}

// RecordAdoption records that a key was adopted as it is, later than everything recorded so far, the head included.
func (l *Chain) RecordAdoption(key string) {
	l.written[key] = mark{l.next, l.head}
	l.next++
}

func (l *Chain) add(v Version) {
	if l.seen == nil {
		l.seen, l.written = map[Version]int{}, map[string]mark{}
	}
	l.head = v
	l.seen[v] = l.next
	l.next++
}

// LeadsFrom implements [History].
func (l *Chain) LeadsFrom(v Version) bool {
	if v.UID == "" {
		v.UID = l.head.UID
	}
	n, ok := l.seen[v]
	return ok && n >= l.begins
}

// WroteSince implements [History]. A version that was never the head, such as one that another process
// observed while a write was under way, counts as older than the write, unless the order of the
// resourceVersions shows otherwise.
func (l *Chain) WroteSince(key string, v Version) bool {
	if wrote, ok := l.written[key]; ok && l.isSince(wrote, v) {
		return true
	}
	for other, wrote := range l.written {
		if (!IsEntry(key) || !IsEntry(other)) && Overlap(key, other) && l.isSince(wrote, v) {
			return true
		}
	}
	return false
}

func (l *Chain) isSince(wrote mark, v Version) bool {
	if seen, ok := l.seen[v]; ok {
		return seen < wrote.number
	}
	order, err := resourceversion.CompareResourceVersion(v.ResourceVersion, wrote.at.ResourceVersion)
	return v.UID != wrote.at.UID || err != nil || order < 0
}
