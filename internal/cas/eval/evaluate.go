// Package eval contains the engine's types and decisions, without input or output. The types are entries and
// snapshots of objects, and transactions. The decisions are the evaluation of a transaction on a snapshot,
// the patch for its changes, and the outcome of a patch whose response was lost. Its errors are the engine's.
// Package cas exports the names that its callers need.
package eval

import (
	"errors"
	"slices"
)

// Action is the outcome of the evaluation of a Txn, a Creation or a Removal.
type Action uint8

const (
	Write  Action = iota
	NoOp          // applied, without a write
	Refuse        // refused, with Decision.Err
)

// Decision is the result of the evaluation of a Txn, a Creation or a Removal on one snapshot.
type Decision struct {
	Action
	Err error
	// Changes contains the changes of a Txn that is not refused, compared keys included, without keys that are
	// already removed. It is empty for a removal that has nothing to do.
	Changes []Change
}

// Change is the effect of a request on one key.
type Change struct {
	Key  string
	From Value
	To   Value
	// IsGuard: the key is only compared, and stays as it is.
	IsGuard bool
	// RemovesEmpty: if the change leaves nothing in its document, the text is removed.
	RemovesEmpty bool
}

// Writes reports whether the change alters the key.
func (c Change) Writes() bool { return !c.IsGuard && c.To != c.From }

// History is the part of an object's earlier versions that an evaluation depends on.
type History interface {
	// LeadsFrom reports whether v is the observed version, or the chain leads from v to it.
	LeadsFrom(v Version) bool
	// WroteSince reports whether this process wrote or adopted the key, or a key that overlaps it, after it had
	// observed version v. If the process did not observe v, the order of the resourceVersions decides.
	WroteSince(key string, v Version) bool
}

// Evaluate evaluates a Txn on a snapshot. The result is only as current as the snapshot. computed has the values of the
// keys that earlier transactions of the same request compute; nil if there are none.
func Evaluate(t *Txn, o *Snapshot, computed map[string]Value, h History) Decision {
	refuse := func(err error) Decision { return Decision{Action: Refuse, Err: err} }
	t = t.Complete(o)
	if err := t.checkFields(o); err != nil {
		return refuse(err)
	}
	needsWrite := func(k KeySwap) bool { return !k.IsGuard && !k.isRemoved(o, o.Value(k.Key)) }
	if t.IgnoreMissing && (!o.Exists() || !slices.ContainsFunc(t.Keys, needsWrite)) { // the guards are not compared
		return Decision{Action: NoOp}
	}
	if !o.Exists() {
		return refuse(&NotFoundError{Ref: t.Ref})
	}
	goes := t.IgnoreMissing && o.Terminating() // the keys are deleted with their object
	if !goes {
		if err := t.checkVersions(o, h); err != nil {
			return refuse(err)
		}
	}
	changes, err := t.checkKeys(o, computed, goes)
	switch {
	case goes && (err != nil || o.Immutable()):
		return Decision{Action: NoOp}
	case err != nil:
		return refuse(err)
	}
	if err := o.ambiguous(t, changes); err != nil {
		return refuse(err)
	}
	// The finalizers of an object that is being deleted can be removed, and other metadata written.
	isMetadata := true
	grows, size, names, differs, isFixed := 0, 0, false, false, false
	for _, c := range changes {
		if c.IsGuard {
			continue
		}
		names, differs = true, differs || c.To != c.From
		isUnchanged := !o.kind.HasEntries() && c.To == c.From
		isMetadata = isMetadata && (isUnchanged || *o.kind.path(c.Key, c.To)[0].FieldName == "metadata")
		isFixed = isFixed || IsEntry(textKey(c.Key)) || c.Key == ImmutableKey && c.To != Bool(true)
		if !IsEntry(c.Key) { // Texts checks the size of documents
			continue
		}
		grows += c.To.Size() - c.From.Size()
		size += c.To.Size()
	}
	switch {
	case !names:
		return Decision{Action: NoOp, Changes: changes}
	case goes:
	case o.Immutable() && isFixed:
		return refuse(&ImmutableError{Ref: t.Ref})
	case o.Terminating() && !isMetadata:
		return refuse(&TerminatingError{Ref: t.Ref, Since: o.meta.DeletionTimestamp.UTC(), Finalizers: o.Finalizers()})
	case o.Size()+grows > MaxSize && grows > 0:
		return refuse(&TooLargeError{Ref: t.Ref, New: size, Others: o.Size() + grows - size})
	case !differs: // a write would make no version, so the outcome of a lost response could not be determined
		return Decision{Action: NoOp, Changes: changes}
	case o.needsJSON(changes) && !o.survivesJSON():
		return refuse(&FieldError{Ref: t.Ref, Key: t.Keys[0].Key, Err: errNoUTF8})
	}
	return Decision{Action: Write, Changes: changes}
}

// errNoUTF8: the API server encodes an object as JSON to apply a JSON merge patch.
var errNoUTF8 = errors.New("the object contains U+FFFD, or text that is not UTF-8, " +
	"which a write of any field would replace with U+FFFD: replace that text first")

// needsJSON reports whether the changes need a JSON merge patch.
func (o *Snapshot) needsJSON(changes []Change) bool {
	isField := func(c Change) bool { return !IsEntry(textKey(c.Key)) }
	return !o.kind.HasEntries() ||
		slices.ContainsFunc(changes, isField) && !isStrategic(difference(o.object, o.apply(changes)))
}

// checkFields returns an error if a field cannot be read, or cannot be set to its new value.
func (t *Txn) checkFields(o *Snapshot) error {
	for _, k := range t.Keys {
		live, err := o.Lookup(k.Key)
		if err == nil && o.Exists() && !k.IsGuard && k.Next == nil && (!t.IgnoreMissing || !k.isRemoved(o, live)) {
			err = o.canSet(k.Key, k.New)
		}
		if err != nil {
			return &FieldError{Ref: t.Ref, Key: k.Key, Err: err}
		}
	}
	return nil
}

// checkVersions returns a conflict if the object is not at a version that the Txn requires, or if a removal
// would undo what this process wrote after the removal's expectations were observed.
func (t *Txn) checkVersions(o *Snapshot, h History) error {
	if t.IgnoreMissing {
		var own []KeyConflict
		for _, k := range t.Keys {
			if !k.IsGuard && h.WroteSince(k.Key, t.ObservedAt) && !o.Value(k.Key).IsAbsent() {
				own = append(own, k.conflict(ReasonOwn))
			}
		}
		if len(own) > 0 {
			return &ConflictError{Reason: ReasonOwn, Ref: t.Ref, Keys: own, At: t.ObservedAt, Live: o}
		}
	}
	for _, v := range t.RequireVersions {
		if h.LeadsFrom(v) {
			continue
		}
		reason := ReasonObject
		if v.UID == "" {
			reason = ReasonVersion
		}
		var all []KeyConflict
		for _, k := range t.Keys {
			all = append(all, k.conflict(reason))
		}
		return &ConflictError{Reason: reason, Ref: t.Ref, Keys: all, At: v, Live: o}
	}
	return nil
}

// checkKeys compares every key with the snapshot, and returns the changes. goes: the object is being
// deleted, so that keys are neither adopted nor put back.
func (t *Txn) checkKeys(o *Snapshot, computed map[string]Value, goes bool) ([]Change, error) {
	changes := make([]Change, 0, len(t.Keys))
	var failed []KeyConflict
	for _, k := range t.Keys {
		live, isComputed := computed[k.Key]
		if !isComputed {
			live = o.Value(k.Key)
		}
		switch {
		case t.IgnoreMissing && !k.IsGuard && k.isRemoved(o, live):
			continue
		case k.Next != nil:
			next, err := k.Next(live)
			if err == nil {
				if no := o.canSet(k.Key, next); no != nil {
					err = &FieldError{Ref: t.Ref, Key: k.Key, Err: no}
				}
			}
			if err != nil {
				return nil, err
			}
			changes = append(changes, Change{Key: k.Key, From: live, To: next, RemovesEmpty: k.RemovesEmpty})
		case !k.IsGuard && !goes && k.IfEqual == Adopt && live.Matches(k.New):
			changes = append(changes, Change{Key: k.Key, From: live, To: live, IsGuard: true})
		case !k.IsGuard && !goes && k.IfEqual == Reject && live.Matches(k.New):
			failed = append(failed, k.conflict(ReasonEqual))
		case !live.Matches(k.Expect):
			failed = append(failed, k.conflict(ReasonKey))
		case k.IsGuard:
			changes = append(changes, Change{Key: k.Key, From: live, To: live, IsGuard: true})
		default:
			changes = append(changes, Change{Key: k.Key, From: live, To: k.New, RemovesEmpty: k.RemovesEmpty})
		}
	}
	if len(failed) > 0 {
		var at Version
		if failed[0].Reason == ReasonKey {
			at = t.ObservedAt
		}
		return nil, &ConflictError{Reason: failed[0].Reason, Ref: t.Ref, Keys: failed, At: at, Live: o}
	}
	return changes, nil
}

// isRemoved reports whether a removal has nothing to do for a key. A removal puts a key back that it expects to
// be absent and that has a New entry, but not into an object that is being deleted, because that accepts no
// new finalizer.
func (k KeySwap) isRemoved(o *Snapshot, live Value) bool {
	return live.IsAbsent() && (!k.Expect.IsAbsent() || k.New.IsAbsent() || o.Terminating())
}

func (k KeySwap) conflict(r Reason) KeyConflict {
	return KeyConflict{Key: k.Key, Reason: r, Expected: k.Expect, New: k.New}
}
