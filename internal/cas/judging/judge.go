package judging

import (
	"errors"
	"slices"
)

// Decision is the outcome of judging a Txn.
type Decision uint8

const (
	DecideWrite  Decision = iota
	DecideDone            // applied, without a write
	DecideRefuse          // with the error
)

// Judgement is the result of judging a Txn by one observation.
type Judgement struct {
	Decision
	Err     error
	Changes []Change // of all keys that count, compared ones included; not where it is refused
}

// Change is what one request does to one key.
type Change struct {
	Key  string
	From Entry
	To   Entry
	// IsGuard: the key is compared only, and stays what it is.
	IsGuard bool
}

// Writes reports whether the change makes a difference.
func (c Change) Writes() bool { return !c.IsGuard && c.To != c.From }

// Signs reports whether the change leaves its writer's name on the key.
func (c Change) Signs() bool { return c.Writes() && !c.To.IsAbsent() }

// History is what Judge needs to know about earlier versions of the object.
type History interface {
	// LeadsFrom reports whether v is the observed version or the lineage leads from v to it.
	LeadsFrom(v Version) bool
	// WroteSince reports whether this process wrote the key, or one that overlaps it, or took it over, after it had seen version v or, where it has not, at a later version.
	WroteSince(key string, v Version) bool
}

// Judge decides whether a Txn may be written, given an observation. The answer is only as current as the observation.
func Judge(t *Txn, o *Observation, h History) Judgement { return JudgeAfter(t, o, nil, h) }

// JudgeAfter is Judge for a Txn that shares a request with others. left has the keys that those change.
func JudgeAfter(t *Txn, o *Observation, left map[string]Entry, h History) Judgement {
	j := t.judgeAll(o, left, h)
	if j.Decision != DecideRefuse && t.Bound.Valid() && !h.LeadsFrom(t.Bound) {
		keys := make([]KeyConflict, len(j.Changes)) // all of them hold what they must
		for i, c := range j.Changes {
			keys[i] = KeyConflict{Key: c.Key, Reason: ReasonObject, Expected: c.From, New: c.To}
		}
		return Judgement{Decision: DecideRefuse, Err: &ConflictError{Reason: ReasonObject, Ref: t.Ref, Keys: keys, At: t.Bound, Live: o}}
	}
	return j
}

// judgeAll judges a Txn by everything but its bound.
func (t *Txn) judgeAll(o *Observation, left map[string]Entry, h History) Judgement {
	refuse := func(err error) Judgement { return Judgement{Decision: DecideRefuse, Err: err} }
	if err := t.judgeFields(o); err != nil {
		return refuse(err)
	}
	isGone := !slices.ContainsFunc(t.Keys, func(k KeySwap) bool { return !k.IsGuard && !k.isGone(o, o.Entry(k.Key)) }) // guards do not matter then
	if t.GoneIsDone && (!o.Exists() || isGone) {
		return Judgement{Decision: DecideDone}
	}
	if !o.Exists() {
		return refuse(&NotFoundError{Ref: t.Ref})
	}
	goes := t.GoneIsDone && o.Terminating() // the keys go with their ConfigMap
	if !goes {
		if err := t.judgeVersions(o, h); err != nil {
			return refuse(err)
		}
	}
	changes, err := t.judgeKeys(o, left, goes)
	switch {
	case goes && (err != nil || o.Immutable()):
		return Judgement{Decision: DecideDone}
	case err != nil:
		return refuse(err)
	}
	grows, size, names, differs, isFixed := 0, 0, false, false, false
	for _, c := range changes {
		if c.IsGuard {
			continue
		}
		names, differs = true, differs || c.To != c.From
		if IsMeta(c.Key) {
			isFixed = isFixed || c.Key == ImmutableKey && c.To != Text("true")
			continue
		}
		isFixed = true
		grows += c.To.Size() - c.From.Size()
		size += c.To.Size()
	}
	switch {
	case !names:
		return Judgement{Decision: DecideDone, Changes: changes}
	case goes:
	case o.Immutable() && isFixed:
		return refuse(&ImmutableError{Ref: t.Ref})
	case o.Terminating():
		return refuse(&TerminatingError{Ref: t.Ref, Since: o.configMap.DeletionTimestamp.UTC()})
	case o.Size()+grows > MaxSize && grows > 0:
		return refuse(&TooLargeError{Ref: t.Ref, New: size, Others: o.Size() + grows - size})
	case !differs: // a write would make no version, and could not be found out about
		return Judgement{Decision: DecideDone, Changes: changes}
	case o.fields != nil && !o.SurvivesJSON():
		return refuse(&FieldError{Ref: t.Ref, Key: t.Keys[0].Key, Err: errNoUTF8})
	}
	return Judgement{Decision: DecideWrite, Changes: changes}
}

// errNoUTF8: a write by path has the API server write the object as JSON.
var errNoUTF8 = errors.New("the object holds U+FFFD, or text that is no UTF-8, of which a write of any field would make U+FFFD: replace that text first")

// judgeFields says why a field cannot be told, or cannot be made to hold what it shall hold.
func (t *Txn) judgeFields(o *Observation) error {
	for _, k := range t.Keys {
		path, isField := FieldPath(k.Key)
		if !isField && o.fields == nil {
			continue
		}
		_, err := o.Field(k.Key)
		if err == nil && o.Exists() && !k.IsGuard && k.Next == nil && (!t.GoneIsDone || !k.isGone(o, o.Entry(k.Key))) {
			err = o.canHold(path, k.New)
		}
		if err != nil {
			return &FieldError{Ref: t.Ref, Key: k.Key, Err: err}
		}
	}
	return nil
}

// judgeVersions holds the Txn against what came before the observation.
func (t *Txn) judgeVersions(o *Observation, h History) error {
	if t.GoneIsDone {
		var own []KeyConflict
		for _, k := range t.Keys {
			if !k.IsGuard && h.WroteSince(k.Key, t.Seen) && !o.Entry(k.Key).IsAbsent() {
				own = append(own, k.conflict(ReasonOwn))
			}
		}
		if len(own) > 0 {
			return &ConflictError{Reason: ReasonOwn, Ref: t.Ref, Keys: own, At: t.Seen, Live: o}
		}
	}
	for _, v := range t.At {
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

// judgeKeys holds every key against the observation. Without an error it gives what is to be done to them.
func (t *Txn) judgeKeys(o *Observation, left map[string]Entry, goes bool) ([]Change, error) {
	changes := make([]Change, 0, len(t.Keys))
	var failed []KeyConflict
	for _, k := range t.Keys {
		live, isLeft := left[k.Key]
		if !isLeft {
			live = o.Entry(k.Key)
		}
		switch {
		case t.GoneIsDone && !k.IsGuard && k.isGone(o, live):
			continue
		case k.Next != nil:
			next, err := k.Next(live)
			if path, isField := FieldPath(k.Key); isField && err == nil {
				if no := o.canHold(path, next); no != nil {
					err = &FieldError{Ref: t.Ref, Key: k.Key, Err: no}
				}
			}
			if err != nil {
				return nil, err
			}
			changes = append(changes, Change{Key: k.Key, From: live, To: next})
		case !k.IsGuard && !goes && k.Held == HeldIsDone && live.Holds(k.New):
			changes = append(changes, Change{Key: k.Key, From: live, To: live, IsGuard: true})
		case !k.IsGuard && !goes && k.Held == HeldIsRefused && live.Holds(k.New):
			failed = append(failed, k.conflict(ReasonHeld))
		case !live.Holds(k.Expect):
			failed = append(failed, k.conflict(ReasonKey))
		case k.IsGuard:
			changes = append(changes, Change{Key: k.Key, From: live, To: live, IsGuard: true})
		default:
			changes = append(changes, Change{Key: k.Key, From: live, To: k.New})
		}
	}
	if len(failed) > 0 {
		var at Version
		if failed[0].Reason == ReasonKey {
			at = t.Seen
		}
		return nil, &ConflictError{Reason: failed[0].Reason, Ref: t.Ref, Keys: failed, At: at, Live: o}
	}
	return changes, nil
}

// isGone reports whether a key of a removal is not there. One that was expected to be absent, and shall hold something, is to be put back, but not into an object
// that is being deleted: that takes no new finalizer.
func (k KeySwap) isGone(o *Observation, live Entry) bool {
	return live.IsAbsent() && (!k.Expect.IsAbsent() || k.New.IsAbsent() || o.Terminating())
}

func (k KeySwap) conflict(r Reason) KeyConflict {
	return KeyConflict{Key: k.Key, Reason: r, Expected: k.Expect, New: k.New}
}
