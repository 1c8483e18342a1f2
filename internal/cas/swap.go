package cas

// Swap asks for one key to be written if, and only if, its expectation holds.
type Swap struct {
	Ref Ref
	Key string

	// Expect is what the key must hold.
	Expect Entry
	// New is what the key shall hold after it; the absent Entry removes it.
	New Entry

	// Held says what becomes of a swap whose key holds New already.
	Held Held
	// GoneIsDone makes a key, or a ConfigMap, that is not there a success without a write: a removal has nothing
	// left to do. It also lets the swap pass on a ConfigMap that is being deleted, whatever was done to it.
	GoneIsDone bool

	// At lists versions which the object must be at, or to which the lineage must lead from them.
	At []Version
	// Seen is the version at which Expect was observed, where that is known. It admits nothing by itself. It saves a
	// read, and it keeps a removal from undoing what this process has written since.
	Seen Version
	// SeenDigest is the Observation.Digest of all that was there at Seen, where that is known. With it a removal that was
	// sent without a read, and whose answer got lost, can be told from another writer's.
	SeenDigest string

	// FieldManager is written into managedFields. Required.
	FieldManager string
}

// Held says what becomes of a swap whose key holds the new entry already.
type Held uint8

const (
	// HeldIsJudged leaves it to the expectation.
	HeldIsJudged Held = iota
	// HeldIsDone takes the entry over: applied, without a write.
	HeldIsDone
	// HeldIsRefused refuses with ReasonHeld.
	HeldIsRefused
)

// decision is what judging a swap against one observation came to.
type decision uint8

const (
	decideWrite  decision = iota
	decideDone            // applied, without a write
	decideRefuse          // with the error
)

// history is what judging needs to know of what came before an observation.
type history interface {
	// leadsFrom tells whether v is the observed version or the lineage leads from v to it.
	leadsFrom(v Version) bool
	// wroteSince tells whether this process wrote the key after it had seen version v, or without having seen it.
	wroteSince(key string, v Version) bool
}

// judge holds a swap against an observation. What it says is worth as much as the observation.
func judge(s *Swap, o *Observation, h history) (decision, error) {
	live := o.Entry(s.Key)
	switch {
	case s.GoneIsDone && live.IsAbsent():
		return decideDone, nil
	case !o.Exists():
		return decideRefuse, &NotFoundError{Ref: s.Ref}
	case s.GoneIsDone && o.Terminating() && (o.Immutable() || !live.Holds(s.Expect)):
		return decideDone, nil // the key goes with its ConfigMap
	case s.GoneIsDone && o.Terminating():
		return decideWrite, nil
	}

	conflict := func(r Reason, at Version) error {
		return &ConflictError{Reason: r, Ref: s.Ref, Key: s.Key, Expected: s.Expect, New: s.New, At: at, Live: o}
	}
	if s.GoneIsDone && h.wroteSince(s.Key, s.Seen) {
		return decideRefuse, conflict(ReasonOwn, s.Seen)
	}
	for _, v := range s.At {
		switch {
		case h.leadsFrom(v):
		case v.UID == "":
			return decideRefuse, conflict(ReasonVersion, v)
		default:
			return decideRefuse, conflict(ReasonObject, v)
		}
	}
	if s.Held != HeldIsJudged && live.Holds(s.New) {
		if s.Held == HeldIsDone {
			return decideDone, nil
		}
		return decideRefuse, conflict(ReasonHeld, Version{})
	}
	if !live.Holds(s.Expect) {
		return decideRefuse, conflict(ReasonKey, s.Seen)
	}
	if o.Immutable() {
		return decideRefuse, &ImmutableError{Ref: s.Ref}
	}
	if o.Terminating() {
		return decideRefuse, &TerminatingError{Ref: s.Ref, Since: o.configMap.DeletionTimestamp.UTC()}
	}
	if size := o.Size() - live.Size() + s.New.Size(); size > MaxSize && s.New.Size() > live.Size() {
		return decideRefuse, &TooLargeError{Ref: s.Ref, Key: s.Key, Entry: s.New.Size(), Others: o.Size() - live.Size()}
	}
	return decideWrite, nil
}
