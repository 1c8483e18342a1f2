package cas

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"
)

// settle implements write. That now shows other values proves nothing: ours may have landed before them. A merge patch can only
// be the first version after its base; a JSON Patch any, or one that is yet to come.
func (b *batch) settle(ctx context.Context, now *Observation) (result, error) {
	if now.Version() == b.base {
		return result{outcome: pending, now: now}, nil
	}
	r, err := b.follow(ctx, now)
	if isExpired(err) && !b.byKey && b.from != nil {
		if first, lost := b.c.client.firstAfter(ctx, b.c.ref, b.base, now); lost == nil {
			r, err = b.verdict(b.made(b.from, first), first, now), nil
		}
	}
	switch {
	case err == nil && r.outcome != inDoubt:
		return r, nil
	case b.isProven(now):
		return result{outcome: landed, after: now, now: now, isLater: true}, nil
	case b.isDisproven(now):
		return result{outcome: stale, now: now}, nil
	}
	return r, err
}

// follow looks at what came after the base, up to now.
func (b *batch) follow(ctx context.Context, now *Observation) (result, error) {
	r := result{outcome: stale, now: now}
	if b.byKey {
		r.outcome = pending
	}
	since := b.base.ResourceVersion
	if b.from != nil {
		since = b.from.since.version
	}
	before := b.from
	err := b.c.client.follow(ctx, b.c.ref, since, func(next *Observation) bool {
		switch {
		case next == nil:
			return false // deleted
		case next.Version() == b.base:
			return true
		}
		made := b.made(before, next)
		if made == no {
			before = next
			return b.byKey && next.Version() != now.Version()
		}
		r = b.verdict(made, next, now)
		return false
	})
	return r, err
}

// verdict is the result where a version was found that the batch may have made.
func (b *batch) verdict(made answer, next, now *Observation) result {
	switch made {
	case yes:
		return result{outcome: landed, after: next, now: now}
	case maybe:
		return result{outcome: inDoubt, err: errors.New("the key was changed to something else: by admission on the way in, or by " +
			"another writer of the same name")}
	default:
		return result{outcome: stale, now: now}
	}
}

// answer is what evidence says.
type answer uint8

const (
	no answer = iota
	yes
	maybe
)

// made says whether the batch led from one state to the next. A nil before is one that nobody saw.
func (b *batch) made(before, next *Observation) answer {
	switch {
	case before == nil:
		return b.madeUnseen(next)
	case next.Version().UID != before.Version().UID:
		return no
	}
	isEarlier := slices.ContainsFunc(b.earlier, func(e *batch) bool { return e.leaves(next) })
	touched := b.meta().touches(before, next)
	for _, c := range b.changes {
		if before.Entry(c.key) != c.from {
			return no
		}
		touched = touched || c.writes() && next.Entry(c.key) != c.from
	}
	switch {
	case b.owns(next) && !b.leaves(next) && isEarlier:
		return no
	case b.owns(next) && !isEarlier && (b.leaves(next) || len(b.earlier) == 0):
		return yes
	case b.disowned(before, next):
		return no
	case !b.isSigned() && !isEarlier && maps.Equal(b.entriesAfter(before), next.Entries()) && b.madeMeta(before, next):
		return yes
	case touched && !next.wroteAnother(before, b.manager()):
		return maybe
	default:
		return no
	}
}

// writes reports whether the change makes a difference.
func (c change) writes() bool { return !c.isGuard && c.to != c.from }

// leaves reports whether the keys hold what the batch writes.
func (b *batch) leaves(o *Observation) bool {
	return !slices.ContainsFunc(b.changes, func(c change) bool { return !c.isGuard && o.Entry(c.key) != c.to })
}

// entriesAfter is what all keys hold after the batch.
func (b *batch) entriesAfter(before *Observation) map[string]Entry {
	entries := before.Entries()
	for _, c := range b.changes {
		if c.to.IsAbsent() {
			delete(entries, c.key)
		} else {
			entries[c.key] = c.to
		}
	}
	return entries
}

// owns reports whether the keys that the batch writes were changed since its base, and are this Engine's own. Who changes a
// key owns it, and this Engine sends one request at a time.
func (b *batch) owns(o *Observation) bool {
	if b.from == nil || o.Version().UID != b.from.Version().UID || !b.isSigned() {
		return false
	}
	return !slices.ContainsFunc(b.changes, func(c change) bool {
		owners, _ := o.owners(c.key)
		return c.signs() && (o.Entry(c.key) == c.from || !owns(owners, b.manager()))
	})
}

// isProven reports whether the object, as it was at any time after the batch's base, shows that the batch landed: the keys hold
// just what it writes, are this Engine's own, and no earlier batch can have written the same. That it is not proven says
// nothing: another may have written since.
func (b *batch) isProven(now *Observation) bool {
	return b.owns(now) && b.leaves(now) && !slices.ContainsFunc(b.earlier, func(e *batch) bool { return e.leaves(now) })
}

// isDisproven reports whether the object, which has left the batch's base, shows that the batch did not land: a key that it
// writes is as it was, and still its owner's, who has not written since before the batch was sent. One key suffices, since a
// batch is atomic. Times are the API server's own, in seconds.
func (b *batch) isDisproven(now *Observation) bool {
	if b.from == nil || b.byKey || b.from.answered.IsZero() || now.Version() == b.base || now.Version().UID != b.base.UID {
		return false
	}
	before := b.from.answered.Add(-2 * time.Second)
	return slices.ContainsFunc(b.changes, func(c change) bool {
		was, told := b.from.owners(c.key)
		is, stillTold := now.owners(c.key)
		return c.writes() && now.Entry(c.key) == c.from && told && stillTold && len(is) > 0 && slices.Equal(was, is) &&
			!slices.ContainsFunc(is, func(w Writer) bool { return !w.Time.Before(before) })
	})
}

// madeMeta reports whether the batch's write led from one state to the next beside the keys.
func (b *batch) madeMeta(before, next *Observation) bool {
	m := b.meta()
	if m == nil {
		return true
	}
	return next.Exists() && maps.Equal(changed(before.Labels(), m.Labels), next.Labels()) &&
		maps.Equal(changed(before.Annotations(), m.Annotations), next.Annotations()) &&
		(m.Immutable == nil || next.Immutable() == *m.Immutable)
}

// differsFrom reports whether something that m names is not what m makes of it.
func (m *Meta) differsFrom(o *Observation) bool {
	if m == nil {
		return false
	}
	is := o.configMap.Immutable
	return m.Immutable != nil && (is == nil || *is != *m.Immutable) ||
		!maps.Equal(changed(o.Labels(), m.Labels), o.Labels()) || !maps.Equal(changed(o.Annotations(), m.Annotations), o.Annotations())
}

// touches reports whether something that m names is not what it was.
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

// differ reports whether one of the named keys is not what it was.
func differ(was, is map[string]string, named map[string]*string) bool {
	for k := range named {
		before, had := was[k]
		if now, has := is[k]; now != before || has != had {
			return true
		}
	}
	return false
}

// disowned reports whether managedFields show that the next state is not of the batch's making: all that differs in it would be
// its manager's, and a key that it was to remove nobody's.
func (b *batch) disowned(before, next *Observation) bool {
	isAnothers := func(owners []Writer, told bool) bool { return told && len(owners) > 0 && !owns(owners, b.manager()) }
	for _, c := range b.changes {
		owners, told := next.owners(c.key)
		if c.writes() && (isAnothers(owners, told) || told && len(owners) == 0 && !c.to.IsAbsent()) {
			return true
		}
	}
	for key, e := range next.Entries() {
		if e != before.Entry(key) && isAnothers(next.owners(key)) {
			return true
		}
	}
	m := cmp.Or(b.meta(), &Meta{})
	return next.gained(before, b.manager()) ||
		b.disownedMeta("labels", m.Labels, before.Labels(), next, next.Labels()) ||
		b.disownedMeta("annotations", m.Annotations, before.Annotations(), next, next.Annotations())
}

// disownedMeta is disowned for labels or annotations.
func (b *batch) disownedMeta(field string, changes map[string]*string, was map[string]string, next *Observation, is map[string]string) bool {
	for key := range changed(is, changes) {
		to, isNamed := changes[key]
		old, had := was[key]
		now, has := is[key]
		writes := isNamed && (had != (to != nil) || had && old != *to)
		owners, told := next.metaOwners(field, key)
		if (writes || has && (!had || old != now)) && told && !owns(owners, b.manager()) && (len(owners) > 0 || writes) {
			return true
		}
	}
	for key, to := range changes { // which was to go
		owners, told := next.metaOwners(field, key)
		if _, had := was[key]; to == nil && had && told && len(owners) > 0 && !owns(owners, b.manager()) {
			return true
		}
	}
	return false
}

// madeUnseen reports whether the batch's write made next of a base that nobody read: with a digest of the base to the byte,
// without it by what the keys hold.
func (b *batch) madeUnseen(next *Observation) answer {
	was := next.Entries()
	for _, c := range b.changes {
		if next.Entry(c.key) != c.to {
			return no
		}
		if c.from.IsAbsent() {
			delete(was, c.key)
		} else {
			was[c.key] = c.from
		}
	}
	if b.digest != "" && digest(was) != b.digest {
		return no
	}
	return yes
}
