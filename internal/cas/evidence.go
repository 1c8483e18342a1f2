package cas

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/wire"
)

// settle implements write. Other values in now prove nothing: ours may have landed before them. A merge patch can only be the
// first version after its base. A JSON Patch can be any version, or one that is yet to come.
func (b *batch) settle(ctx context.Context, now *Observation) (result, error) {
	if now.Version() == b.base {
		return result{outcome: wire.Pending, now: now}, nil
	}
	r, err := b.follow(ctx, now)
	if wire.IsExpired(err) && !b.byKey && (b.from != nil || b.since != "") {
		first, lost := b.c.client.FirstAfter(ctx, b.c.ref, b.base, now)
		switch {
		case lost == nil:
			r, err = b.verdict(b.made(b.from, first), first, now), nil
		case wire.IsUnanswered(lost):
			err = lost
		}
	}
	switch {
	case err == nil && r.outcome != wire.InDoubt:
		return r, nil
	case b.isProven(now):
		r = result{outcome: wire.Landed, after: now, now: now, isLater: true}
		if err != nil && wire.IsPassing(err) && !errors.Is(err, wire.ErrSilent) {
			return r, err // asked again, what came after the base tells which version it made
		}
		return r, nil
	case b.isDisproven(now):
		return result{outcome: wire.Stale, now: now}, nil
	}
	return r, err
}

// follow looks at what came after the base, up to now.
func (b *batch) follow(ctx context.Context, now *Observation) (result, error) {
	r := result{outcome: wire.Stale, now: now}
	if b.byKey {
		r.outcome = wire.Pending
	}
	since := cmp.Or(b.since, b.base.ResourceVersion)
	if b.from != nil {
		since = b.from.Since.Version
	}
	ctx, cancel := context.WithTimeoutCause(ctx, wire.Watching, wire.ErrSilent)
	defer cancel()
	before := b.from
	err := b.c.client.Follow(ctx, b.c.ref, since, func(next *Observation) bool {
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
		return result{outcome: wire.Landed, after: next, now: now}
	case maybe:
		return result{outcome: wire.InDoubt, err: errors.New("the key was changed to something else: by admission on the way in, or by " +
			"another writer of the same name")}
	default:
		return result{outcome: wire.Stale, now: now}
	}
}

// answer is what evidence says.
type answer uint8

const (
	no answer = iota
	yes
	maybe
)

// made says whether the batch led from one state to the next. before is nil where the base was not read.
func (b *batch) made(before, next *Observation) answer {
	switch {
	case before == nil:
		return b.madeUnseen(next)
	case next.Version().UID != before.Version().UID,
		slices.ContainsFunc(b.changes, func(c judging.Change) bool { return before.Entry(c.Key) != c.From }):
		return no
	}
	isEarlier := slices.ContainsFunc(b.earlier, func(l lost) bool { return l.leads(before, next) })
	was, is, writes := before.Fields(), next.Fields(), b.writes(before)
	touched := slices.ContainsFunc(b.changes, func(c judging.Change) bool { return c.Writes() && next.Entry(c.Key) != c.From })
	for f := range b.meta().Writes(before) {
		now, has := is[f]
		then, had := was[f]
		touched = touched || has != had || now != then
	}
	switch {
	case b.owns(next):
		return yes // also where admission changed it
	case b.disowned(before, next):
		return no
	case !b.isSigned() && !isEarlier && b.isAll(is, was, writes):
		if b.firstOwner() != nil && len(next.Writers()) == 0 {
			return maybe // ours would have brought the first, unless admission took it away
		}
		return yes
	case touched && !next.WroteAnother(before, b.manager()):
		return maybe
	default:
		return no
	}
}

// isAll reports whether what there is now is what there was and what the batch writes; of metadata only where it writes any.
func (b *batch) isAll(is, was map[judging.Field]string, writes map[judging.Field]*string) bool {
	want := maps.Clone(was)
	for f, to := range writes {
		if delete(want, f); to != nil {
			want[f] = *to
		}
	}
	if b.meta() == nil {
		is = maps.Clone(is)
		maps.DeleteFunc(is, func(f judging.Field, _ string) bool { return f.IsMeta() })
		maps.DeleteFunc(want, func(f judging.Field, _ string) bool { return f.IsMeta() })
	}
	return maps.Equal(want, is)
}

// disowned reports whether managedFields show that the batch did not make the next state: if it had, its manager would own all that
// changed, and what it removed would have no owner.
func (b *batch) disowned(before, next *Observation) bool {
	was, is, writes := before.Fields(), next.Fields(), b.writes(before)
	isAnothers := func(f judging.Field) bool {
		to, isOurs := writes[f]
		owners, told := next.OwnersOf(f)
		return told && !judging.Owns(owners, b.manager()) && (len(owners) > 0 || isOurs && to != nil)
	}
	for f := range writes {
		if isAnothers(f) {
			return true
		}
	}
	for f, now := range is {
		if then, had := was[f]; (!had || now != then) && isAnothers(f) {
			return true
		}
	}
	return next.Gained(before, b.manager())
}

// leads reports whether a write that was lost, and lands late, can lead from one state to the next.
func (l lost) leads(before, next *Observation) bool {
	if !l.byKey && before.Version() != l.base {
		return false
	}
	return leaves(l.changes, next) && !slices.ContainsFunc(l.changes, func(c judging.Change) bool { return before.Entry(c.Key) != c.From })
}

// leaves reports whether the keys hold what the changes write.
func leaves(changes []judging.Change, o *Observation) bool {
	return !slices.ContainsFunc(changes, func(c judging.Change) bool { return !c.IsGuard && o.Entry(c.Key) != c.To })
}

// owns reports whether the keys that the batch writes were changed since its base, and are this batch's own. Who changes a
// key owns it, and no two batches of which one may land late have the same signature.
func (b *batch) owns(o *Observation) bool {
	if b.from == nil || o.Version().UID != b.from.Version().UID || !b.isSigned() {
		return false
	}
	return !slices.ContainsFunc(b.changes, func(c judging.Change) bool {
		owners, _ := o.OwnersOf(c.To.Field(c.Key))
		return c.Signs() && (o.Entry(c.Key) == c.From || !judging.Owns(owners, b.manager()))
	})
}

// isProven reports whether the object, as it was at any time after the batch's base, shows that the batch landed: the keys are
// its own, and hold just what it writes. That it is not proven says nothing: another may have written since.
func (b *batch) isProven(now *Observation) bool { return b.owns(now) && leaves(b.changes, now) }

// isDisproven reports whether the object, which has left the batch's base, shows that the batch did not land: a key that it
// writes still holds what it held and has the same owner, whose last write is older than the batch. One key suffices, since a
// batch is atomic. Times are the API server's own, in seconds.
func (b *batch) isDisproven(now *Observation) bool {
	if b.from == nil || b.byKey || b.from.Answered.IsZero() || now.Version() == b.base || now.Version().UID != b.base.UID {
		return false
	}
	before := b.from.Answered.Add(-2 * time.Second)
	return slices.ContainsFunc(b.changes, func(c judging.Change) bool {
		was, told := b.from.OwnersOf(c.From.Field(c.Key))
		is, stillTold := now.OwnersOf(c.From.Field(c.Key))
		return c.Writes() && now.Entry(c.Key) == c.From && told && stillTold && len(is) > 0 && slices.Equal(was, is) &&
			!slices.ContainsFunc(is, func(w Writer) bool { return !w.Time.Before(before) })
	})
}

// madeUnseen says whether the batch's write made next of a base that nobody read: with a digest of the base to the byte, without it by what
// the keys hold.
func (b *batch) madeUnseen(next *Observation) answer {
	was, isAll := next.Entries(), true
	for _, c := range b.changes {
		isAll = isAll && next.Entry(c.Key) == c.To
		if c.From.IsAbsent() {
			delete(was, c.Key)
		} else {
			was[c.Key] = c.From
		}
	}
	isAll = isAll && (b.digest == "" || judging.Digest(was) == b.digest)
	switch {
	case b.since != "": // judged elsewhere
		return b.madeJudged(next, isAll)
	case isAll:
		return yes
	default:
		return no
	}
}

// madeJudged is madeUnseen of what was judged elsewhere. Other than a removal, it leaves owners, and admission may change it. isAll: next is just
// what the batch makes of its base.
func (b *batch) madeJudged(next *Observation, isAll bool) answer {
	touched := false
	for _, c := range b.changes {
		if !c.Writes() {
			continue
		}
		f := c.To.Field(c.Key)
		if c.To.IsAbsent() {
			f = c.From.Field(c.Key)
		}
		if owners, told := next.OwnersOf(f); told && !judging.Owns(owners, b.manager()) && (len(owners) > 0 || !c.To.IsAbsent()) {
			return no // who changes a key owns it
		}
		touched = touched || next.Entry(c.Key) != c.From
	}
	isEarlier := slices.ContainsFunc(b.earlier, func(l lost) bool { return leaves(l.changes, next) })
	switch {
	case isAll && !isEarlier:
		return yes
	case touched:
		return maybe
	default:
		return no
	}
}

// writes is what the batch makes of fields; nil where it removes one. What stays as it is is left out.
func (b *batch) writes(before *Observation) map[judging.Field]*string {
	all := b.meta().Writes(before)
	for _, c := range b.changes {
		if !c.Writes() {
			continue
		}
		if !c.From.IsAbsent() {
			all[c.From.Field(c.Key)] = nil
		}
		if !c.To.IsAbsent() {
			all[c.To.Field(c.Key)] = new(c.To.Raw())
		}
	}
	return all
}
