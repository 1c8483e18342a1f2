package cas

import (
	"maps"
	"slices"
)

// maxGroup is how many swaps go into one request.
const maxGroup = 1000

// maxChanges is how many keys go into one request with others: a JSON Patch may have 10,000 operations, three a key.
const maxChanges = 3000

// group is what goes into one request.
type group struct {
	base      Version
	from      *Observation // nil: blind, written without having been read
	tasks     []*task
	of        [][]change // of each task
	changes   []change   // of all, what is compared only included
	dry       bool       // a rehearsal: nothing is stored
	byKey     bool       // by JSON Patch
	most      int        // of its tasks' most, the least
	grows     int        // by how many bytes, together
	digest    string     // of the base, where it was not read
	signature signature  // of the Engine; empty where none is told
}

// blindGroup is the removals of a batch that can be sent without a read: what the keys held was seen, at a version that
// the request is conditional on. The others wait.
func blindGroup(batch []*task, h history) *group {
	var g *group
	queued := queuedKeys{}
	for _, t := range batch {
		if t.kind != writeTask {
			continue
		}
		blocked := queued.blocks(t.txn)
		queued.add(t.txn)
		if blocked || t.mustRead || !t.txn.canGoBlind(h) {
			continue
		}
		var changes []change
		for _, k := range t.txn.Keys {
			if !k.Expect.IsAbsent() { // else gone already: nothing is to be written, not even what would be put back
				changes = append(changes, change{key: k.Key, from: k.Expect, to: k.New})
			}
		}
		if len(changes) == 0 {
			continue
		}
		if g == nil {
			g = &group{base: t.txn.Seen, digest: t.txn.SeenDigest}
		}
		if t.txn.Seen == g.base && g.fits(t, changes) {
			g.add(t, changes)
		}
	}
	return g
}

// canGoBlind tells whether the Txn is a removal of what was seen at one full version, held to no other and to no other keys.
func (t *Txn) canGoBlind(h history) bool {
	return t.GoneIsDone && t.Meta == nil && t.Seen.Valid() && t.Seen.UID != "" &&
		!slices.ContainsFunc(t.At, func(v Version) bool { return !t.Seen.Matches(v) }) &&
		!slices.ContainsFunc(t.Keys, func(k KeySwap) bool { return k.IsGuard || k.Next != nil || h.wroteSince(k.Key, t.Seen) })
}

// queuedKeys are those that tasks ahead are about to write (true) or to compare: what comes after is judged on what that leaves.
type queuedKeys map[string]bool

// blocks tells whether one of a Txn's keys is among them. Any number may compare a key together.
func (q queuedKeys) blocks(t *Txn) bool {
	return slices.ContainsFunc(t.Keys, func(k KeySwap) bool {
		isWritten, isThere := q[k.Key]
		return isThere && (isWritten || !k.IsGuard)
	})
}

// add adds a Txn's keys.
func (q queuedKeys) add(t *Txn) {
	for _, k := range t.Keys {
		q[k.Key] = q[k.Key] || !k.IsGuard
	}
}

// fits tells whether the task can go into the same request as those before it: under one field manager, and within the
// size that the API server allows.
func (g *group) fits(t *task, changes []change) bool {
	if len(g.tasks) == 0 {
		return true
	}
	if g.tasks[0].txn.FieldManager != t.txn.FieldManager || len(g.tasks) >= min(g.most, t.most) ||
		g.tasks[0].txn.Meta != nil || t.txn.Meta != nil || len(g.changes)+len(changes) > maxChanges {
		return false
	}
	return g.from == nil || g.from.Size()+g.grows+growth(changes) <= MaxSize
}

// growth is by how many bytes the changes make an object larger.
func growth(changes []change) (n int) {
	for _, c := range changes {
		n += c.to.Size() - c.from.Size()
	}
	return n
}

// add takes a task in. None of its keys may be written by one before it, nor be written by it where one before it compares it, so that
// every task is judged on what those before it left.
func (g *group) add(t *task, changes []change) {
	if len(g.tasks) == 0 {
		g.most = t.most
	}
	g.most = min(g.most, t.most)
	g.grows += growth(changes)
	g.tasks, g.of = append(g.tasks, t), append(g.of, changes)
	g.changes = append(g.changes, changes...)
}

// canGoByKey tells whether the group can be a JSON Patch: nothing in it is held to a version, since what it changes is
// not known to follow any; and the maps that its paths go through are there.
func (g *group) canGoByKey() bool {
	if len(g.changes) > maxChanges {
		return false // only a Txn that is alone in it can be so large
	}
	for _, t := range g.tasks {
		if len(t.txn.At) > 0 || t.txn.Meta != nil || t.txn.computes() {
			return false
		}
	}
	for _, c := range g.changes {
		if c.isGuard {
			continue // what it is compared with tells of a map that is not there
		}
		_, isText := c.to.Text()
		_, isBinary := c.to.Binary()
		if isText && len(g.from.configMap.Data) == 0 || isBinary && len(g.from.configMap.BinaryData) == 0 ||
			c.from.IsAbsent() && c.to.IsAbsent() {
			return false
		}
	}
	return true
}

// meta is what the group does beside keys.
func (g *group) meta() *Meta {
	if len(g.tasks) == 0 {
		return nil
	}
	return g.tasks[0].txn.Meta // which is alone then
}

// claim drops the tasks whose callers gave up before anything was sent. Of a rehearsal they may give up at any time.
func (g *group) claim() bool {
	if g.dry {
		return true
	}
	var kept group
	for i, t := range g.tasks {
		if t.claim(g.base) {
			kept.tasks, kept.of = append(kept.tasks, t), append(kept.of, g.of[i])
			kept.changes = append(kept.changes, g.of[i]...)
		}
	}
	g.tasks, g.of, g.changes = kept.tasks, kept.of, kept.changes
	return len(g.tasks) > 0
}

type answer uint8

const (
	no answer = iota
	yes
	maybe
)

// made tells whether the group's write led from one state to the next. A nil before is one that nobody saw.
func (g *group) made(before, next *Observation) answer {
	if before == nil {
		return g.madeUnseen(next)
	}
	want := before.Entries()
	touched := g.meta().touches(before, next)
	for _, c := range g.changes {
		if before.Entry(c.key) != c.from {
			return no
		}
		touched = touched || !c.isGuard && next.Entry(c.key) != c.from
		if c.to.IsAbsent() {
			delete(want, c.key)
		} else {
			want[c.key] = c.to
		}
	}
	switch {
	case g.isProven(next):
		return yes
	case g.disowned(before, next):
		return no
	case !g.isSigned() && maps.Equal(want, next.Entries()) && g.madeMeta(before, next):
		return yes
	case touched && !next.wroteAnother(before, g.tasks[0].txn.FieldManager):
		return maybe
	default:
		return no
	}
}

// madeMeta tells whether the group's write led from one state to the next beside the keys.
func (g *group) madeMeta(before, next *Observation) bool {
	m := g.meta()
	if m == nil {
		return true
	}
	return next.Exists() && maps.Equal(changed(before.Labels(), m.Labels), next.Labels()) &&
		maps.Equal(changed(before.Annotations(), m.Annotations), next.Annotations()) &&
		(m.Immutable == nil || next.Immutable() == *m.Immutable)
}

// touches tells whether something that m names is not what it was.
func (m *Meta) touches(before, next *Observation) bool {
	if m == nil {
		return false
	}
	return m.Immutable != nil && before.Immutable() != next.Immutable() ||
		differ(before.Labels(), next.Labels(), m.Labels) || differ(before.Annotations(), next.Annotations(), m.Annotations)
}

// changed is a map with changes made to it, of which nil removes.
func changed(was map[string]string, changes map[string]*string) map[string]string {
	now := maps.Clone(was)
	for k, v := range changes {
		if v == nil {
			delete(now, k)
			continue
		}
		if now == nil {
			now = map[string]string{}
		}
		now[k] = *v
	}
	return now
}

// differ tells whether one of the named keys is not what it was.
func differ(was, is map[string]string, named map[string]*string) bool {
	for k := range named {
		before, had := was[k]
		if now, has := is[k]; now != before || has != had {
			return true
		}
	}
	return false
}

// disowned tells whether managedFields show that the next state is not of the group's making: then a key, a label or an
// annotation that it was to change would be its manager's, and one that it was to remove nobody's.
func (g *group) disowned(before, next *Observation) bool {
	isAnothers := func(owners []string, told, isRemoved bool) bool {
		return told && !slices.Contains(owners, g.tasks[0].txn.FieldManager) && (!isRemoved || len(owners) > 0)
	}
	for _, c := range g.changes {
		owners, told := next.owners(c.key)
		if c.to != c.from && isAnothers(owners, told, c.to.IsAbsent()) {
			return true
		}
	}
	m := g.meta()
	if m == nil {
		return false
	}
	for field, changes := range map[string]map[string]*string{"labels": m.Labels, "annotations": m.Annotations} {
		was := before.Labels()
		if field == "annotations" {
			was = before.Annotations()
		}
		for key, to := range changes {
			is, had := was[key]
			owners, told := next.metaOwners(field, key)
			if (had != (to != nil) || had && is != *to) && isAnothers(owners, told, to == nil) {
				return true
			}
		}
	}
	return false
}

// madeUnseen tells whether the group's write made next of a base that nobody read: with a digest of the base to the byte,
// without it by what the keys hold.
func (g *group) madeUnseen(next *Observation) answer {
	was := next.Entries()
	for _, c := range g.changes {
		if next.Entry(c.key) != c.to {
			return no
		}
		if c.from.IsAbsent() {
			delete(was, c.key)
		} else {
			was[c.key] = c.from
		}
	}
	if g.digest != "" && digest(was) != g.digest {
		return no
	}
	return yes
}
