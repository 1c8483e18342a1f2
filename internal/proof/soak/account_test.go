package soak

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// account holds the history of one ConfigMap against all its versions.
type account struct {
	history history
	states  []state
	index   map[eval.Version]int
	// changes is who made which change: of a key, by the version with the given index.
	changes map[change]*op
	errs    []error
}

type change struct {
	index int
	key   string
}

// accounted returns the parts of the history that do not agree with the record of the ConfigMap's versions.
func accounted(h history, states []state) []error {
	a := &account{history: h, states: states, index: map[eval.Version]int{}, changes: map[change]*op{}}
	for i, s := range states {
		a.index[s.version] = i
		if i > 0 {
			for key := range a.touched(i) {
				a.changes[change{i, key}] = nil
			}
		}
	}
	answered := slices.SortedFunc(slices.Values(h), func(x, y *op) int { return cmp.Compare(x.Return, y.Return) })
	for _, o := range answered {
		if o.wroteKey() && o.Kind != takeOp {
			a.claim(o)
		}
	}
	a.counted()
	a.own()
	a.together()
	for _, o := range h {
		a.judge(o)
	}
	a.fresh()
	return a.errs
}

func (a *account) fail(o *op, format string, args ...any) {
	a.errs = append(a.errs, fmt.Errorf("%s: %s", o, fmt.Sprintf(format, args...)))
}

// touched is the keys that the version with that index changed.
func (a *account) touched(i int) map[string]bool {
	before, after, keys := a.states[i-1].entries, a.states[i].entries, map[string]bool{}
	for key := range maps.Keys(before) {
		keys[key] = before[key] != after[key]
	}
	for key := range maps.Keys(after) {
		keys[key] = before[key] != after[key]
	}
	maps.DeleteFunc(keys, func(_ string, touched bool) bool { return !touched })
	return keys
}

// claim has a write that was applied own the changes that it says it made.
func (a *account) claim(o *op) {
	i, ok := a.index[o.Version]
	if !ok {
		a.fail(o, "no such version")
		return
	}
	for _, p := range o.parts() {
		if p.writes(o, p.Previous) {
			a.claimKey(o, p, i)
		} else {
			a.compared(o, p, i)
		}
	}
}

// claimKey has it own the change of one key.
func (a *account) claimKey(o *op, p keyPart, i int) {
	switch {
	case a.states[i].entries[p.Key] != p.New:
		a.fail(o, "the version holds %s", show(a.states[i].entries[p.Key]))
		return
	case p.Live != p.New:
		a.fail(o, "stored %s", show(p.Live))
	case o.Kind == swapOp && p.Expect.Matches(p.New):
		return // nothing to change
	case i == 0:
		a.fail(o, "the version was there before")
		return
	}
	before := a.states[i-1].entries[p.Key]
	if o.Kind == swapOp && (!before.Matches(p.Expect) || p.Previous != before) {
		a.fail(o, "the version before it holds %s, previous is %s: an update was lost", show(before), show(p.Previous))
	}
	owner, changed := a.changes[change{i, p.Key}]
	switch {
	case !changed:
		a.fail(o, "the version did not change the key")
	case owner != nil:
		a.fail(o, "%s made the same change", owner)
	default:
		a.changes[change{i, p.Key}] = o
	}
}

// compared reports whether a key that an applied write only compared, or left as it was, met the condition at that version.
func (a *account) compared(o *op, p keyPart, i int) {
	if o.makesVersion() && i > 0 {
		i--
		if a.states[i+1].entries[p.Key] != a.states[i].entries[p.Key] {
			a.fail(o, "%s was changed with it", p.Key)
		}
	}
	was := a.states[i].entries[p.Key]
	if _, fails := p.fails(o, was); fails || p.Previous != was {
		a.fail(o, "%s held %s before it, previous is %s: it was not compared", p.Key, show(was), show(p.Previous))
	}
}

// own finds an owner for each change that is left, among the writes of unknown outcome: each can have made one.
func (a *account) own() {
	known := a.known()
	var unowned []change
	for c, owner := range a.changes {
		if owner == nil {
			unowned = append(unowned, c)
		}
	}
	slices.SortFunc(unowned, func(x, y change) int { return cmp.Compare(x.index, y.index) })
	can := func(o *op, c change) bool {
		before := a.states[c.index-1]
		return o.mayHaveWritten() && o.about(c.key) && c.index > known(o.Call) &&
			o.couldMake(before.entries, a.states[c.index].entries) &&
			(o.Base == eval.Version{} || o.Base == before.version)
	}
	type share struct {
		*op
		key string
	}
	made := map[share]change{}
	// find is a step of Kuhn's algorithm: it finds an owner for the change, moving others' where that helps.
	var find func(c change, tried map[*op]bool) bool
	find = func(c change, tried map[*op]bool) bool {
		for _, o := range a.history {
			if tried[o] || !can(o, c) {
				continue
			}
			tried[o] = true
			if other, busy := made[share{o, c.key}]; !busy || find(other, tried) {
				made[share{o, c.key}] = c
				return true
			}
		}
		return false
	}
	for _, c := range unowned {
		if !find(c, map[*op]bool{}) {
			a.errs = append(a.errs, fmt.Errorf("version %s, key %s: from %s to %s, and nobody says so", a.states[c.index].version.ResourceVersion,
				c.key, show(a.states[c.index-1].entries[c.key]), show(a.states[c.index].entries[c.key])))
		}
	}
	for s, c := range made {
		a.changes[c] = s.op
	}
}

// known gives the newest version, by its index, that anybody had been answered before a time.
func (a *account) known() func(int64) int {
	type fact struct {
		at    int64
		index int
	}
	var facts []fact
	for _, o := range a.history {
		if i, ok := a.index[o.Version]; ok && o.Return != 0 && (o.Verdict == eval.Applied || o.Verdict == eval.Conflict) {
			facts = append(facts, fact{o.Return, i})
		}
	}
	slices.SortFunc(facts, func(x, y fact) int { return cmp.Compare(x.at, y.at) })
	for i := 1; i < len(facts); i++ {
		facts[i].index = max(facts[i].index, facts[i-1].index)
	}
	return func(t int64) int {
		n, _ := slices.BinarySearchFunc(facts, t, func(f fact, t int64) int { return cmp.Compare(f.at, t) })
		if n == 0 {
			return 0
		}
		return facts[n-1].index
	}
}

// fresh returns the answers that are older than an answer that arrived before they were asked for.
func (a *account) fresh() {
	known := a.known()
	for _, o := range a.history {
		if o.Verdict != eval.Applied && o.Verdict != eval.Conflict {
			continue
		}
		i, ok := a.index[o.Version]
		least := known(o.Call)
		if o.wroteKey() && o.makesVersion() {
			least++
		}
		if ok && i < least {
			a.fail(o, "somebody knew of version %s before it was asked for", a.states[known(o.Call)].version.ResourceVersion)
		}
	}
}

// judge reports whether an answer is true of the version that it names.
func (a *account) judge(o *op) {
	if o.Verdict != eval.Applied && o.Verdict != eval.Conflict || o.Kind == writeOp || o.Kind == takeOp {
		return
	}
	i, ok := a.index[o.Version]
	if !ok && o.wroteKey() {
		return // claim has said so
	}
	if !ok {
		a.fail(o, "no such version")
		return
	}
	for _, p := range o.parts() {
		if live := a.states[i].entries[p.Key]; live != p.Live {
			a.fail(o, "the version holds %s, not %s", show(live), show(p.Live))
		}
	}
	if o.Kind == readOp {
		return
	}
	switch {
	case o.Verdict == eval.Conflict:
		a.judgeConflict(o, i)
	case o.Wrote:
		a.judgeAt(o, i-1)
	case o.GoneIsDone:
		if !o.allGone(func(p keyPart) eval.Value { return p.Live }) {
			a.fail(o, "gone, and there")
		}
	default:
		for _, p := range o.parts() {
			if _, fails := p.fails(o, p.Live); fails || p.changes(o, p.Live) {
				a.fail(o, "taken over, and it holds another value")
			}
		}
		a.judgeAt(o, i)
	}
}

// judgeAt reports whether this engine alone made all versions from the one that an applied swap required to the given one.
func (a *account) judgeAt(o *op, last int) {
	if o.Wrote && !o.makesVersion() {
		last++ // it made no version
	}
	for _, at := range o.At {
		first, ok := a.find(at)
		if !ok || first > last {
			a.fail(o, "held to version %s, and applied on %s", at.ResourceVersion, a.states[last].version.ResourceVersion)
			continue
		}
		for i := first + 1; i <= last; i++ {
			if by, own := a.madeBy(i, o.Worker); !own {
				a.fail(o, "held to version %s, and %s wrote %s since", at.ResourceVersion, by, a.states[i].version.ResourceVersion)
			}
		}
	}
}

// find is the version that was asked for, which may name no uid.
func (a *account) find(v eval.Version) (int, bool) {
	if v.UID == "" {
		v.UID = a.states[0].version.UID
	}
	i, ok := a.index[v]
	return i, ok
}

// madeBy reports whether this engine made a version, and who else wrote it.
func (a *account) madeBy(i int, worker string) (other string, own bool) {
	for key := range a.touched(i) {
		if o := a.changes[change{i, key}]; o == nil || o.Worker != worker {
			return fmt.Sprint(o), false
		}
	}
	return "", true
}

// judgeConflict reports whether the expectation did not hold indeed.
func (a *account) judgeConflict(o *op, live int) {
	switch o.Reason {
	case eval.ReasonKey, eval.ReasonEqual:
		told := o.toldFailing()
		for _, p := range o.parts() {
			reason, isTold := told[p.Key]
			switch why, fails := p.fails(o, p.Live); {
			case isTold && !fails && reason == eval.ReasonKey:
				a.fail(o, "a conflict, and it holds what was expected")
			case isTold && (!fails || why != reason):
				a.fail(o, "it does not hold the new entry")
			case fails && !isTold:
				a.fail(o, "%s does not hold either, and it is not told", p.Key)
			}
		}
	case eval.ReasonObject, eval.ReasonVersion:
		for _, at := range o.At {
			first, ok := a.find(at)
			if !ok || first > live || a.leads(o.Worker, first, live) {
				a.fail(o, "a conflict, and nobody else wrote since version %s", at.ResourceVersion)
			}
		}
	case eval.ReasonOwn:
		for key := range o.toldFailing() {
			if !a.wroteSince(o, key, live) {
				a.fail(o, "a conflict with its own, and it wrote nothing since version %s", o.Seen.ResourceVersion)
			}
		}
	}
}

// leads reports whether an engine must know that a version follows from another through its own writes alone.
func (a *account) leads(worker string, from, to int) bool {
	for i := from + 1; i <= to; i++ {
		for key := range a.touched(i) {
			o := a.changes[change{i, key}]
			if o == nil || o.Worker != worker || o.Verdict != eval.Applied || o.endsLineage() {
				return false
			}
		}
	}
	return true
}

// wroteSince reports whether this engine wrote or adopted the key after the version that a removal requires.
func (a *account) wroteSince(o *op, key string, live int) bool {
	seen, ok := a.find(o.Seen)
	if !ok {
		return false
	}
	for i := seen + 1; i <= live; i++ {
		if by := a.changes[change{i, key}]; by != nil && by.Worker == o.Worker {
			return true
		}
	}
	return slices.ContainsFunc(a.history, func(own *op) bool { // taken over as it was, or written as it was
		at, ok := a.index[own.Version]
		return ok && at >= seen && own != o && own.Worker == o.Worker && own.about(key) && own.Kind == swapOp &&
			own.Verdict == eval.Applied && own.Call < o.Return
	})
}
