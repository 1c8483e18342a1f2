package cas

import (
	"cmp"
	"context"
	"errors"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/wire"
)

// maxTasks is the greatest number of transactions in one request.
const maxTasks = 1000

// batch is the transactions that share one patch.
type batch struct {
	c     *committer
	from  *Observation // the patch was evaluated on it, and is conditional on its version
	tasks []*task
	of    [][]judging.Change // the changes of each task, after the tasks before it
	// changes are the changes of the request, compared keys included. A key that several tasks compare appears more than
	// once.
	changes []judging.Change
	left    map[string]Entry // the computed keys after the request
	dry     bool             // a dry run: nothing is stored
	most    int              // how many tasks the batch may have: the smallest limit of its tasks
	grows   int              // by how many bytes the changes make the object larger
}

// keySet has the keys that the tasks ahead write (true) or only compare (false).
type keySet map[string]bool

// blocks reports whether a Txn waits for the tasks ahead, because it names a key that they write, or writes a
// key that they compare. Any number of tasks may compare a key together.
func (s keySet) blocks(t *Txn) bool {
	return s[judging.ImmutableKey] || slices.ContainsFunc(t.Keys, func(k KeySwap) bool {
		isWritten, isThere := s[k.Key]
		if t.APIVersion != "" {
			for key, writes := range s { // a field may be a part of another one
				if judging.MayOverlap(key, k.Key) {
					isWritten, isThere = isWritten || writes, true
				}
			}
		}
		return isThere && (isWritten || !k.IsGuard)
	})
}

// seals reports whether a Txn writes immutable. Such a Txn keeps its place in the queue: it passes no other
// transaction, and none passes it.
func seals(t *Txn) bool {
	return slices.ContainsFunc(t.Keys, func(k KeySwap) bool { return k.Key == judging.ImmutableKey && !k.IsGuard })
}

func (s keySet) add(t *Txn) {
	for _, k := range t.Keys {
		s[k.Key] = s[k.Key] || !k.IsGuard
	}
}

// continues reports whether the task computes a key from the result of the batch.
func (b *batch) continues(t *task) bool {
	if !t.txn.IsTake() {
		return false
	}
	_, isLeft := b.left[t.txn.Keys[0].Key]
	return isLeft
}

// ends records that a task outside the batch is the next one for its keys: no later task computes them from
// the result of the batch.
func (b *batch) ends(t *Txn) {
	for _, k := range t.Keys {
		delete(b.left, k.Key)
	}
}

// fits reports whether the task can share the request of the batch: it has the same field manager, computes a
// key if the others do, and the limits of tasks and bytes allow it.
func (b *batch) fits(t *task, changes []judging.Change) bool {
	if len(b.tasks) == 0 {
		return true
	}
	first := b.tasks[0].txn
	return first.FieldManager == t.txn.FieldManager && first.Computes() == t.txn.Computes() &&
		len(b.tasks) < min(b.most, t.most) &&
		b.from.Size()+b.grows+growth(changes) <= MaxSize
}

// growth returns by how many bytes the changes make an object larger.
func growth(changes []judging.Change) (n int) {
	for _, c := range changes {
		if !judging.IsMeta(c.Key) {
			n += c.To.Size() - c.From.Size()
		}
	}
	return n
}

// add adds a task to the batch. Several tasks may write a key only if they compute it, each from the result
// of the one before it. Otherwise no task names a key that another task writes.
func (b *batch) add(t *task, changes []judging.Change) {
	if len(b.tasks) == 0 {
		b.most = t.most
	}
	b.most = min(b.most, t.most)
	b.grows += growth(changes)
	b.tasks, b.of = append(b.tasks, t), append(b.of, changes)
	if b.continues(t) {
		i := slices.IndexFunc(b.changes, func(c judging.Change) bool { return c.Key == changes[0].Key })
		b.changes[i].To = changes[0].To
	} else {
		b.changes = append(b.changes, changes...)
	}
	if t.txn.IsTake() {
		if b.left == nil {
			b.left = map[string]Entry{}
		}
		b.left[changes[0].Key] = changes[0].To
	}
}

// claim reports whether the batch may be sent, because no caller has given up. Otherwise the tasks are
// evaluated again, since the result of a task that is not sent must not be computed further. A caller of a
// dry run may give up at any time.
func (b *batch) claim() bool {
	if b.dry {
		return true
	}
	for i, t := range b.tasks {
		if !t.claim(sent{base: b.from.Version(), changes: b.of[i]}) {
			for _, claimed := range b.tasks[:i] {
				claimed.release()
			}
			return false
		}
	}
	return true
}

func (b *batch) callers() []*task { return b.tasks }
func (b *batch) verb() string     { return "patch" }
func (b *batch) isDry() bool      { return b.dry }

// manager returns the field manager of the request.
func (b *batch) manager() string { return b.tasks[0].txn.FieldManager }

func (b *batch) send(ctx context.Context) (*Observation, wire.Outcome, error) {
	patch, err := judging.Patch(b.from, b.changes, b.firstOwner())
	if err != nil {
		return nil, wire.Refused, err
	}
	return b.c.client.Patch(ctx, b.c.ref, patch, b.manager(), b.dry)
}

// overtaken implements write. If the object is still at the base, the API server refused for another reason,
// such as a webhook that answers 409, and would refuse again.
func (b *batch) overtaken(now *Observation, refusal error) result {
	if now.Version() == b.from.Version() {
		return result{outcome: wire.Refused, err: b.c.client.Explain(refusal, b.c.ref, "patch")}
	}
	return result{outcome: wire.PreconditionFailed, now: now}
}

// settle implements write. Keys that are computed are evaluated again, whatever the object contains: another
// process may have computed the same value from the same base, and no number is given out twice.
func (b *batch) settle(now *Observation) result {
	outcome, why := judging.LostWrite{Manager: b.manager(), Base: b.from, Changes: b.changes}.Outcome(now)
	if base := b.c.unknownBase; outcome >= judging.LostApplied && base != nil && *base == b.from.Version() {
		outcome, why = judging.LostUnknown, errEarlier
	}
	switch {
	case outcome == judging.LostUnresolved:
		return result{outcome: wire.Unresolved}
	case b.tasks[0].txn.Computes():
		return result{outcome: wire.PreconditionFailed, now: now, lost: cmp.Or(why, errComputed)}
	case outcome == judging.LostUnknown:
		return result{outcome: wire.Ambiguous, err: why, now: now}
	default:
		return result{outcome: wire.Applied, after: now, isChained: outcome == judging.LostAppliedAlone}
	}
}

var (
	errEarlier = errors.New("an earlier write of this process on the same version, whose outcome is unknown, " +
		"may have been applied instead")
	errComputed = errors.New("the object shows the value that was sent, and another process may have computed " +
		"the same value")
)

func (b *batch) applied(r result) {
	if b.dry {
		for _, t := range b.tasks {
			t.observed = b.from
			t.answer(nil)
		}
		return
	}
	keys := make([]string, 0, len(b.changes))
	leaves := make(map[string]Entry, len(b.changes))
	for _, c := range b.changes {
		leaves[c.Key] = c.To
		if !c.IsGuard {
			keys = append(keys, c.Key)
		}
	}
	base := b.from.Version()
	if !r.isChained {
		base = r.after.Version() // other writers may have made versions in between
	}
	b.c.wrote(base, r.after, keys)
	for i, t := range b.tasks {
		t.result = TxnResult{After: r.after, Previous: map[string]Entry{}, Stored: map[string]Entry{}, Wrote: true, IsShared: !r.isChained}
		for _, c := range b.of[i] {
			t.result.Previous[c.Key], t.result.Stored[c.Key] = c.From, r.after.Entry(c.Key)
			if r.after.Entry(c.Key) == leaves[c.Key] || c.IsGuard && !r.isChained {
				t.result.Stored[c.Key] = c.To // later tasks may have computed the key further, and others may have changed a compared key
			}
			if c.IsGuard && !t.txn.IsGuard(c.Key) {
				b.c.adopted(c.Key)
			}
		}
		t.answer(nil)
	}
}

// firstOwner returns the entry that managedFields begin with if the object has none: the API server tracks no
// update of a ConfigMap that was created empty (skipNonAppliedManager in k8s.io/apimachinery), so nothing
// would show who wrote a value. The API server replaces the fields of the entry by the written fields.
// firstOwner returns nil for a batch that only removes.
func (b *batch) firstOwner() *metav1.ManagedFieldsEntry {
	if len(b.from.Object().ManagedFields) > 0 {
		return nil
	}
	fields := fieldpath.NewSet()
	for f, to := range judging.FieldsOf(b.changes) {
		if !to.IsAbsent() {
			fields.Insert(b.from.Path(f))
		}
	}
	raw, err := fields.ToJSON()
	if fields.Empty() || err != nil {
		return nil
	}
	return &metav1.ManagedFieldsEntry{
		Manager: b.manager(), Operation: metav1.ManagedFieldsOperationUpdate,
		APIVersion: cmp.Or(b.from.APIVersion(), corev1.SchemeGroupVersion.String()),
		FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(string(raw)),
	}
}
