package cas

// decision is the outcome of judging a Txn.
type decision uint8

const (
	decideWrite  decision = iota
	decideDone            // applied, without a write
	decideRefuse          // with the error
)

// judgement is the result of judging a Txn by one observation.
type judgement struct {
	decision
	err     error
	changes []change // of all keys that count, compared ones included; not where it is refused
}

// change is what one request does to one key.
type change struct {
	key  string
	from Entry
	to   Entry
	// isGuard: the key is compared only, and stays what it is.
	isGuard bool
}

// history is what judge needs to know about earlier versions of the object.
type history interface {
	// leadsFrom reports whether v is the observed version or the lineage leads from v to it.
	leadsFrom(v Version) bool
	// wroteSince reports whether this process wrote the key after it had seen version v, or without having seen it.
	wroteSince(key string, v Version) bool
}

// judge decides whether a Txn may be written, given an observation. The answer is only as current as the observation.
func judge(t *Txn, o *Observation, h history) judgement { return judgeAfter(t, o, nil, h) }

// judgeAfter is judge for a Txn that shares a request with others. left has the keys that those change.
func judgeAfter(t *Txn, o *Observation, left map[string]Entry, h history) judgement {
	j := t.judgeAll(o, left, h)
	if j.decision != decideRefuse && t.Bound.Valid() && !h.leadsFrom(t.Bound) {
		keys := make([]KeyConflict, len(j.changes)) // all of them hold what they must
		for i, c := range j.changes {
			keys[i] = KeyConflict{Key: c.key, Reason: ReasonObject, Expected: c.from, New: c.to}
		}
		return judgement{decision: decideRefuse, err: &ConflictError{Reason: ReasonObject, Ref: t.Ref, Keys: keys, At: t.Bound, Live: o}}
	}
	return j
}

// judgeAll judges a Txn by everything but its bound.
func (t *Txn) judgeAll(o *Observation, left map[string]Entry, h history) judgement {
	refuse := func(err error) judgement { return judgement{decision: decideRefuse, err: err} }
	if t.GoneIsDone && (!o.Exists() || t.allGone(o) && t.Meta == nil) {
		return judgement{decision: decideDone}
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
		return judgement{decision: decideDone}
	case err != nil:
		return refuse(err)
	}
	writes, grows, size, differs := 0, 0, 0, false
	for _, c := range changes {
		if !c.isGuard {
			writes++
			grows += c.to.Size() - c.from.Size()
			size += c.to.Size()
			differs = differs || c.to != c.from
		}
	}
	switch {
	case writes == 0 && t.Meta == nil:
		return judgement{decision: decideDone, changes: changes}
	case goes:
	case o.Immutable() && (writes > 0 || t.Meta.Immutable != nil && !*t.Meta.Immutable):
		return refuse(&ImmutableError{Ref: t.Ref})
	case o.Terminating():
		return refuse(&TerminatingError{Ref: t.Ref, Since: o.configMap.DeletionTimestamp.UTC()})
	case o.Size()+grows > MaxSize && grows > 0:
		return refuse(&TooLargeError{Ref: t.Ref, New: size, Others: o.Size() + grows - size})
	case !differs && len(t.Meta.writes(o)) == 0: // a write would make no version, and could not be found out about
		return judgement{decision: decideDone, changes: changes}
	}
	return judgement{decision: decideWrite, changes: changes}
}

// allGone reports whether a removal has no key left to remove. What it would be held to by guards does not matter then.
func (t *Txn) allGone(o *Observation) bool {
	for _, k := range t.Keys {
		if !k.IsGuard && !o.Entry(k.Key).IsAbsent() {
			return false
		}
	}
	return true
}

// judgeVersions holds the Txn against what came before the observation.
func (t *Txn) judgeVersions(o *Observation, h history) error {
	if t.GoneIsDone {
		var own []KeyConflict
		for _, k := range t.Keys {
			if !k.IsGuard && h.wroteSince(k.Key, t.Seen) && !o.Entry(k.Key).IsAbsent() {
				own = append(own, KeyConflict{Key: k.Key, Reason: ReasonOwn, Expected: k.Expect, New: k.New})
			}
		}
		if len(own) > 0 {
			return &ConflictError{Reason: ReasonOwn, Ref: t.Ref, Keys: own, At: t.Seen, Live: o}
		}
	}
	for _, v := range t.At {
		if h.leadsFrom(v) {
			continue
		}
		reason := ReasonObject
		if v.UID == "" {
			reason = ReasonVersion
		}
		all := make([]KeyConflict, len(t.Keys))
		for i, k := range t.Keys {
			all[i] = KeyConflict{Key: k.Key, Reason: reason, Expected: k.Expect, New: k.New}
		}
		return &ConflictError{Reason: reason, Ref: t.Ref, Keys: all, At: v, Live: o}
	}
	return nil
}

// judgeKeys holds every key against the observation. Without an error it gives what is to be done to them.
func (t *Txn) judgeKeys(o *Observation, left map[string]Entry, goes bool) ([]change, error) {
	changes := make([]change, 0, len(t.Keys))
	var failed []KeyConflict
	for _, k := range t.Keys {
		live, isLeft := left[k.Key]
		if !isLeft {
			live = o.Entry(k.Key)
		}
		fails := func(r Reason) {
			failed = append(failed, KeyConflict{Key: k.Key, Reason: r, Expected: k.Expect, New: k.New})
		}
		switch {
		case t.GoneIsDone && !k.IsGuard && live.IsAbsent():
			continue
		case k.Next != nil:
			next, err := k.Next(live)
			if err != nil {
				return nil, err
			}
			changes = append(changes, change{key: k.Key, from: live, to: next})
		case !k.IsGuard && !goes && k.Held == HeldIsDone && live.Holds(k.New):
			changes = append(changes, change{key: k.Key, from: live, to: live, isGuard: true})
		case !k.IsGuard && !goes && k.Held == HeldIsRefused && live.Holds(k.New):
			fails(ReasonHeld)
		case !live.Holds(k.Expect):
			fails(ReasonKey)
		case k.IsGuard:
			changes = append(changes, change{key: k.Key, from: live, to: live, isGuard: true})
		default:
			changes = append(changes, change{key: k.Key, from: live, to: k.New})
		}
	}
	if len(failed) > 0 {
		return nil, &ConflictError{Reason: failed[0].Reason, Ref: t.Ref, Keys: failed, At: t.at(failed[0].Reason), Live: o}
	}
	return changes, nil
}

// at is the version that goes with a conflict over a key.
func (t *Txn) at(r Reason) Version {
	if r == ReasonKey {
		return t.Seen
	}
	return Version{}
}
