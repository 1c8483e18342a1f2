package cas

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/wire"
)

// maxTasks is the greatest number of transactions in one request.
const maxTasks = 1000

// request is one conditional write or dry run, and the tasks that share it. A dry run has one task. A creation and a
// deletion share their request with no other task.
type request struct {
	verb   string // "patch", "create", "delete" or "hand back"
	client *wire.Client
	base   *eval.Snapshot // the tasks were evaluated on it, and the request is conditional on its version
	isDry  bool           // nothing is stored
	tasks  []*task

	// A patch has the changes of each task, after the tasks before it, and the changes of the request, compared
	// keys included. A key that several tasks compare appears more than once in them.
	changesOf [][]eval.Change
	changes   []eval.Change
	computed  map[string]eval.Value // the computed keys after the request
	limit     int                   // how many tasks the request may have: the smallest maxBatch of its tasks
	grownBy   int                   // by how many bytes the changes make the object larger
}

// result is the outcome of a request.
type result struct {
	outcome wire.Outcome
	err     error          // why the request was not applied, or why the outcome is unknown
	after   *eval.Snapshot // Applied: the object after the write
	now     *eval.Snapshot // the object in a later read; nil if there was none
	// isChained: after is the version that the write made of its base, so that the chain goes on.
	isChained bool
	// unknownEarlier, with PreconditionFailed: why it is unknown whether an earlier request was applied.
	unknownEarlier error
}

// claim reports whether the request may be sent, because no caller has given up. Otherwise the tasks are
// evaluated again, since the result of a task that is not sent must not be computed further.
func (r *request) claim() bool {
	for i, t := range r.tasks {
		if !t.claim(r.base.Version()) {
			for _, claimed := range r.tasks[:i] {
				claimed.release()
			}
			return false
		}
	}
	return true
}

func (r *request) send(ctx context.Context) (*eval.Snapshot, wire.Outcome, error) {
	switch t := r.tasks[0]; r.verb {
	case "create":
		return r.client.Create(ctx, t.create, r.isDry)
	case "delete":
		return r.client.Remove(ctx, t.ref, r.base.Version(), r.isDry)
	case "hand back":
		all := make([]*eval.HandBack, len(r.tasks))
		for i, each := range r.tasks {
			all[i] = each.handBack
		}
		patch, err := eval.HandBackPatch(r.base, all)
		if err != nil {
			return nil, wire.Refused, err
		}
		return r.client.Patch(ctx, t.ref, patch, t.handBack.FieldManager, r.isDry)
	default:
		patch, err := eval.Patch(r.base, r.changes, r.firstOwner())
		if err != nil {
			return nil, wire.NotBuilt, err
		}
		return r.client.Patch(ctx, t.ref, patch, r.manager(), r.isDry)
	}
}

// manager returns the field manager of a patch.
func (r *request) manager() string { return r.tasks[0].txn.FieldManager }

// afterConflict decides after the precondition failed and no response was lost. now was read afterwards. If the
// object is still as it was, the API server refused for another reason, such as a webhook that answers 409,
// and would refuse again. For a creation, that needs two reads that find no object.
func (r *request) afterConflict(now *eval.Snapshot, refusal error) result {
	t, isSame := r.tasks[0], now.Version() == r.base.Version()
	switch {
	case r.verb == "delete" && (!now.Exists() || now.Terminating()):
		return result{outcome: wire.Applied, after: now, now: now}
	case r.verb == "create" && !now.Exists() && !t.foundNone:
		t.foundNone = true
	case isSame:
		return result{outcome: wire.Refused, err: r.client.Explain(refusal, t.ref, r.verb)}
	case r.verb == "create":
		t.foundNone = false
	}
	return result{outcome: wire.PreconditionFailed, now: now}
}

// outcome decides after a response was lost. now was read afterwards. unknownBase is the version that an
// earlier write of unknown outcome was conditional on: that write may have been applied instead. Computed keys
// are evaluated again, whatever the object contains: another process may have computed the same value from the
// same base, and no number is given out twice.
func (r *request) outcome(now *eval.Snapshot, unknownBase *eval.Version) result {
	var outcome eval.LostOutcome
	var why error
	computes := false
	switch t := r.tasks[0]; r.verb {
	case "create":
		outcome, why = t.create.Outcome(now)
	case "delete":
		outcome = eval.DeletionOutcome(r.base.Version(), now)
	case "hand back":
		if outcome = eval.LostUnknown; now.Version() == r.base.Version() {
			outcome = eval.LostUnresolved
		}
	default:
		outcome, why = eval.LostWrite{Manager: r.manager(), Base: r.base, Changes: r.changes}.Outcome(now)
		computes = t.txn.Computes()
	}
	isApplied := outcome == eval.LostApplied || outcome == eval.LostAppliedAlone
	if isApplied && r.verb != "delete" && unknownBase != nil && *unknownBase == r.base.Version() {
		outcome, why = eval.LostUnknown, errEarlier
	}
	switch {
	case outcome == eval.LostUnresolved:
		return result{outcome: wire.Unresolved}
	case computes:
		return result{outcome: wire.PreconditionFailed, now: now, unknownEarlier: cmp.Or(why, errComputed)}
	case outcome == eval.LostNotApplied:
		return result{outcome: wire.PreconditionFailed, now: now}
	case outcome == eval.LostUnknown:
		return result{outcome: wire.Ambiguous, err: why, now: now}
	case r.verb == "delete":
		return result{outcome: wire.Applied, after: now, now: now}
	default:
		return result{outcome: wire.Applied, after: now, isChained: outcome == eval.LostAppliedAlone}
	}
}

var (
	errEarlier = errors.New("an earlier write of this process on the same version, whose outcome is unknown, " +
		"may have been applied instead")
	errComputed = errors.New("the object shows the value that was sent, and another process may have computed " +
		"the same value")
)

// resultOf returns the result of a task of a patch that was applied. sent has the values that the request left in the
// keys; nil if the request is not known to have been applied.
func (r *request) resultOf(i int, applied result, sent map[string]eval.Value) TxnResult {
	after := applied.after
	of := TxnResult{
		After: after, Previous: map[string]eval.Value{}, Stored: map[string]eval.Value{},
		Wrote: true, IsShared: !applied.isChained,
	}
	for _, c := range r.changesOf[i] {
		of.Previous[c.Key], of.Stored[c.Key] = c.From, after.Value(c.Key)
		of.addApplier(r.base, c.Key, r.manager())
		if h, _, isDocument := eval.DocumentPath(c.Key); isDocument {
			of.Previous[h.Key] = r.base.Value(h.Key)
		}
		// Later tasks may have computed the key further, and other writers may have changed a compared key.
		value, wasSent := sent[c.Key]
		if wasSent && after.Value(c.Key) == value || c.IsGuard && !applied.isChained {
			of.Stored[c.Key] = c.To
		}
	}
	return of
}

// sent returns the values that a patch leaves in the keys that its tasks name.
func (r *request) sent() map[string]eval.Value {
	sent := make(map[string]eval.Value, len(r.changes))
	for _, c := range r.changes {
		sent[c.Key] = c.To
	}
	return sent
}

// written returns the keys that the request writes.
func (r *request) written() []string {
	if r.verb == "create" {
		return slices.Collect(maps.Keys(r.tasks[0].create.Entries))
	}
	keys := make([]string, 0, len(r.changes))
	for _, c := range r.changes {
		if !c.IsGuard {
			keys = append(keys, c.Key)
		}
	}
	return keys
}

// firstOwner returns the entry that managedFields begin with if the object has none: the API server tracks no
// update of a ConfigMap that was created empty (skipNonAppliedManager in k8s.io/apimachinery), so nothing
// would show who wrote a value. The API server replaces the fields of the entry by the written fields.
// firstOwner returns nil for a request that only removes.
func (r *request) firstOwner() *metav1.ManagedFieldsEntry {
	if len(r.base.Metadata().ManagedFields) > 0 {
		return nil
	}
	fields := fieldpath.NewSet()
	for _, c := range r.changes {
		if c.Writes() && !c.To.IsAbsent() {
			fields.Insert(r.base.Path(c.Key, c.To))
		}
	}
	raw, err := fields.ToJSON()
	if fields.Empty() || err != nil {
		return nil
	}
	return &metav1.ManagedFieldsEntry{
		Manager: r.manager(), Operation: metav1.ManagedFieldsOperationUpdate,
		APIVersion: cmp.Or(r.base.APIVersion(), corev1.SchemeGroupVersion.String()),
		FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(string(raw)),
	}
}
