package judging

import "k8s.io/apimachinery/pkg/util/resourceversion"

// Lineage is the chain of versions that this process's own writes gave one object. Only a write that was conditional
// on the head and changed the version extends it; a version that came about in any other way begins a new chain.
type Lineage struct {
	head    Version
	next    int             // the number that the next version seen gets
	seen    map[Version]int // versions in the order in which they were the head
	begins  int             // the number of the oldest version of the unbroken chain
	written map[string]mark // where this process last wrote a key
}

// mark is a point of a lineage: the version that was the head, and a number that is greater than that of all points before.
type mark struct {
	number int
	at     Version
}

// Observed takes note of what a read saw.
func (l *Lineage) Observed(v Version) {
	if l.seen != nil && v == l.head {
		return
	}
	l.add(v)
	l.Cut()
}

// Cut begins a new chain at the head.
func (l *Lineage) Cut() { l.begins = l.seen[l.head] }

// Wrote takes note of an own write of keys, conditional on from, that led to version to.
func (l *Lineage) Wrote(from, to Version, keys ...string) {
	l.Observed(from)
	if to != from {
		l.add(to)
	}
	for _, key := range keys {
		key = oneName(key)
		if l.seen[to] >= l.written[key].number { // one that changed nothing may come after the key was taken over
			l.written[key] = mark{l.seen[to], to}
		}
	}
}

// Took takes note of a key that was taken over as it is: later than all that was seen so far, the head included.
func (l *Lineage) Took(key string) {
	l.written[oneName(key)] = mark{l.next, l.head}
	l.next++
}

func (l *Lineage) add(v Version) {
	if l.seen == nil {
		l.seen, l.written = map[Version]int{}, map[string]mark{}
	}
	l.head = v
	l.seen[v] = l.next
	l.next++
}

// LeadsFrom implements [History].
func (l *Lineage) LeadsFrom(v Version) bool {
	if v.UID == "" {
		v.UID = l.head.UID
	}
	n, ok := l.seen[v]
	return ok && n >= l.begins
}

// WroteSince implements [History]. A version that was never the head, as one that somebody saw while a write was under way, is older than the
// write unless the API server's order says otherwise.
func (l *Lineage) WroteSince(key string, v Version) bool {
	if wrote, ok := l.written[oneName(key)]; ok && l.isSince(wrote, v) {
		return true
	}
	for other, wrote := range l.written {
		if IsMeta(key) && Overlap(key, other) && l.isSince(wrote, v) {
			return true
		}
	}
	return false
}

func (l *Lineage) isSince(wrote mark, v Version) bool {
	if seen, ok := l.seen[v]; ok {
		return seen < wrote.number
	}
	order, err := resourceversion.CompareResourceVersion(v.ResourceVersion, wrote.at.ResourceVersion)
	return v.UID != wrote.at.UID || err != nil || order < 0
}
