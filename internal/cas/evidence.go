package cas

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/wire"
)

// What is asked of the API server after a lost answer, and what a write leaves so that the answer tells whose it was. What follows from it, judging.Sent says.

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
		Manager: b.manager(), IsSigned: b.isSigned(), Changes: b.changes, Base: b.from, Earlier: b.earlier,
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

// signature ends the field managers that are one Engine's alone.
type signature string

func newSignature() signature { return signature("-" + strings.ToLower(rand.Text()[:10])) }

// sign makes a field manager of a name, which is cut where that takes more than a field manager may have.
func (s signature) sign(name string) string {
	const most = 128 // in k8s.io/apimachinery, in bytes
	cut := min(len(name), most-len(s))
	for cut > 0 && cut < len(name) && !utf8.RuneStart(name[cut]) {
		cut--
	}
	return name[:cut] + string(s)
}

// isSigned reports whether who owns the keys that the batch writes tells whose write it was, even where another writes the same
// values. A key that is removed has no owner, and so tells nothing.
func (b *batch) isSigned() bool {
	return strings.HasSuffix(b.manager(), string(b.signature)) && b.showsWriter()
}

// firstOwner is what managedFields begin with where the object has none: the API server keeps account of no update of a ConfigMap that was
// made empty (skipNonAppliedManager in k8s.io/apimachinery), and so nothing would tell whose a write was, until it is given an entry. What
// the entry says of fields, the API server replaces by what was written. It is nil where the batch leaves nothing that one can own.
func (b *batch) firstOwner() *metav1.ManagedFieldsEntry {
	if b.from == nil || len(b.from.Object().ManagedFields) > 0 {
		return nil
	}
	fields := fieldpath.NewSet()
	for f, to := range judging.FieldsOf(b.changes) {
		if !to.IsAbsent() {
			fields.Insert(b.from.Path(f))
		}
	}
	if fields.Empty() {
		return nil
	}
	raw, err := fields.ToJSON()
	if err != nil {
		return nil // cannot be: it is made of strings
	}
	return &metav1.ManagedFieldsEntry{
		Manager: b.manager(), Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: cmp.Or(b.from.APIVersion(), corev1.SchemeGroupVersion.String()),
		FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(string(raw)),
	}
}
