package cas

import (
	"maps"
	"slices"
)

// maxGroup is how many swaps go into one request.
const maxGroup = 1000

// group is what goes into one request.
type group struct {
	base    Version
	from    *Observation // nil: blind, written without having been read
	changes []change
	tasks   []*task
	byKey   bool   // by JSON Patch
	most    int    // of its tasks' most, the least
	grows   int    // by how many bytes, together
	digest  string // of the base, where it was not read
}

// blindGroup is the removals of a batch that can be sent without a read: what the key held was seen, at a version that
// the request is conditional on. The others wait.
func blindGroup(batch []*task) *group {
	var g *group
	queued := map[string]bool{}
	for _, t := range batch {
		s := t.swap
		if t.kind == swapTask && queued[s.Key] {
			continue
		}
		queued[s.Key] = queued[s.Key] || t.kind == swapTask
		if t.kind != swapTask || t.mustRead || !s.GoneIsDone || !s.Seen.Valid() || s.Seen.UID == "" {
			continue
		}
		if s.Expect.IsAbsent() {
			continue // gone already: nothing is to be written, not even what would be put back
		}
		if slices.ContainsFunc(s.At, func(v Version) bool { return !s.Seen.Matches(v) }) {
			continue
		}
		if g == nil {
			g = &group{base: s.Seen, digest: s.SeenDigest}
		}
		if s.Seen != g.base || !g.fits(t, s.Expect) {
			continue
		}
		g.add(t, s.Expect)
	}
	return g
}

// fits tells whether the task can go into the same request as those before it: under one field manager, and within the
// size that the API server allows.
func (g *group) fits(t *task, from Entry) bool {
	if len(g.tasks) == 0 {
		return true
	}
	if g.tasks[0].swap.FieldManager != t.swap.FieldManager || len(g.tasks) >= min(g.most, t.most) {
		return false
	}
	return g.from == nil || g.from.Size()+g.grows+t.swap.New.Size()-from.Size() <= MaxSize
}

// add takes a task in. Its key must not be in the group yet, so that every swap is judged on what those before it left.
func (g *group) add(t *task, from Entry) {
	if len(g.tasks) == 0 {
		g.most = t.most
	}
	g.most = min(g.most, t.most)
	g.grows += t.swap.New.Size() - from.Size()
	g.tasks = append(g.tasks, t)
	g.changes = append(g.changes, change{key: t.swap.Key, from: from, to: t.swap.New})
}

// canGoByKey tells whether the group can be a JSON Patch: no swap in it is held to a version, since what it changes is
// not known to follow any; and the maps that its paths go through are there.
func (g *group) canGoByKey() bool {
	for i, t := range g.tasks {
		c := g.changes[i]
		_, isText := c.to.Text()
		_, isBinary := c.to.Binary()
		if len(t.swap.At) > 0 || isText && len(g.from.configMap.Data) == 0 || isBinary && len(g.from.configMap.BinaryData) == 0 ||
			c.from.IsAbsent() && c.to.IsAbsent() {
			return false
		}
	}
	return true
}

// claim drops the tasks whose callers gave up before anything was sent.
func (g *group) claim() bool {
	kept := g.tasks[:0]
	var changes []change
	for i, t := range g.tasks {
		if t.claim(g.base) {
			kept, changes = append(kept, t), append(changes, g.changes[i])
		}
	}
	g.tasks, g.changes = kept, changes
	return len(kept) > 0
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
	want := before.entries()
	touched := false
	for _, c := range g.changes {
		if before.Entry(c.key) != c.from {
			return no
		}
		touched = touched || next.Entry(c.key) != c.from
		if c.to.IsAbsent() {
			delete(want, c.key)
		} else {
			want[c.key] = c.to
		}
	}
	switch {
	case maps.Equal(want, next.entries()):
		return yes
	case touched && !g.disowned(next) && !next.wroteAnother(before, g.tasks[0].swap.FieldManager):
		return maybe
	default:
		return no
	}
}

// disowned tells whether managedFields show that the state is not of the group's making: then a key that it was to change would
// be its manager's, and one that it was to remove nobody's.
func (g *group) disowned(next *Observation) bool {
	for _, c := range g.changes {
		owners, told := next.owners(c.key)
		isOurs := slices.Contains(owners, g.tasks[0].swap.FieldManager)
		if told && c.to != c.from && !isOurs && (!c.to.IsAbsent() || len(owners) > 0) {
			return true
		}
	}
	return false
}

// madeUnseen tells whether the group's write made next of a base that nobody read: with a digest of the base to the byte,
// without it by what the keys hold.
func (g *group) madeUnseen(next *Observation) answer {
	was := next.entries()
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
