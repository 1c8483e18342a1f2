package cas

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/wire"
)

// What is asked of the API server after a lost answer. What follows from it, judging.Sent says.

// settle implements write. Other values in now prove nothing: ours may have landed before them. A merge patch can only be the
// first version after its base. A JSON Patch can be any version, or one that is yet to come.
func (b *batch) settle(ctx context.Context, now *Observation) (result, error) {
	if now.Version() == b.base {
		return result{outcome: wire.Pending, now: now}, nil
	}
	r, err := b.follow(ctx, now)
	if !wire.IsPassing(err) && !b.byKey { // it is forgotten, or not permitted
		first, lost := b.c.client.FirstAfter(ctx, b.c.ref, b.base, now)
		switch {
		case lost == nil:
			r, err = b.verdict(ctx, b.from, first, now), nil
		case wire.IsUnanswered(lost):
			err = lost
		}
	}
	if err != nil && b.isProven(now) {
		r = result{outcome: wire.Landed, after: now, now: now, isLater: true}
		if !wire.IsPassing(err) || errors.Is(err, wire.ErrSilent) {
			err = nil // else, asked again, what came after the base tells which version it made
		}
	}
	return r, err
}

// follow looks at what came after the base, up to now.
func (b *batch) follow(ctx context.Context, now *Observation) (result, error) {
	r := result{outcome: wire.Stale, now: now} // as after a deletion
	if b.byKey {
		r.outcome = wire.Pending
	}
	since := b.base.ResourceVersion
	if b.from != nil {
		since = b.from.Since.Version
	}
	watching, cancel := context.WithTimeoutCause(ctx, wire.Watching, wire.ErrSilent)
	defer cancel()
	before := b.from
	err := b.c.client.Follow(watching, b.c.ref, since, func(next *Observation) bool {
		switch {
		case next == nil:
			return false // deleted
		case next.Version() == b.base:
			return true
		}
		found := b.verdict(ctx, before, next, now)
		if b.byKey && found.outcome == wire.Stale { // it may be a later one
			before = next
			return next.Version() != now.Version()
		}
		r = found
		return false
	})
	return r, err
}

// verdict is the result where next is the first version after before, which is nil where it was not read.
func (b *batch) verdict(ctx context.Context, before, next, now *Observation) result {
	var answer judging.Answer
	var cause error
	if before == nil {
		answer, cause = b.sent().TellUnread(next)
	} else {
		s := b.sent()
		if answer, cause = s.Tell(before, next); answer != judging.HasLanded && next.APIVersion() != "" && !s.HasAnother(before, next) {
			if s.Normal = b.normalForm(ctx, now); s.Normal != nil {
				answer, cause = s.Tell(before, next)
			}
		}
	}
	switch answer {
	case judging.HasLanded:
		return result{outcome: wire.Landed, after: next, now: now, isAnyones: !b.showsWriter() && !b.isAllOf(before, next)}
	case judging.HasNotLanded:
		return result{outcome: wire.Stale, now: now}
	default:
		return result{outcome: wire.InDoubt, err: cause}
	}
}

// normalForm is what the API server makes of the fields that the batch changes, as a dry run on the object as it is now tells; nil where it tells
// nothing. Values can be stored in another form than they are sent in, and bring defaults with them.
func (b *batch) normalForm(ctx context.Context, now *Observation) *Observation {
	if b.normal != nil || b.from == nil || !now.Exists() { // of what is gone, no dry run can be made
		return b.normal
	}
	request, err := judging.LikeBase(now, b.from, b.changes)
	if err != nil {
		return nil
	}
	if b.normal, _, err = b.c.client.Patch(ctx, b.c.ref, request, b.manager(), true); err != nil {
		return nil
	}
	return b.normal
}

// sent is the batch as evidence goes by it.
func (b *batch) sent() judging.Sent {
	return judging.Sent{
		Manager: b.manager(), IsSigned: b.isSigned(), Changes: b.changes, Earlier: b.earlier,
		GoneIsDone: !slices.ContainsFunc(b.tasks, func(t *task) bool { return !t.txn.GoneIsDone }),
	}
}

// showsWriter reports whether the batch leaves its manager's name on a field.
func (b *batch) showsWriter() bool { return slices.ContainsFunc(b.changes, judging.Change.Signs) }

// isAllOf reports whether next is just what the batch makes of its base. Of a base that was not read, the digest tells.
func (b *batch) isAllOf(before, next *Observation) bool {
	if before != nil {
		return next.DiffersOnlyBy(before, b.changes)
	}
	was := maps.Clone(next.Entries())
	for _, c := range b.changes {
		if c.Writes() {
			was[c.Key] = c.From
		}
	}
	return next.DigestWith(was) == b.digest
}

// isProven reports whether the object, as it is now, shows that the batch landed, under a name that only it uses. That it is not proven says
// nothing: another may have written since.
func (b *batch) isProven(now *Observation) bool {
	return b.from != nil && b.isSigned() && now.Version().UID == b.base.UID && b.sent().IsProven(b.from, now)
}
