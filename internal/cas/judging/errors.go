package judging

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// Verdict is how a swap ended. Every swap ends in one of the four.
type Verdict string

const (
	// Applied: the expectation held and the entry is written, or was there already and could be taken over.
	Applied Verdict = "applied"
	// Conflict: the expectation did not hold; nothing was written.
	Conflict Verdict = "conflict"
	// Rejected: nothing was written, for another reason.
	Rejected Verdict = "rejected"
	// Unknown: it could not be found out whether the entry was written.
	Unknown Verdict = "unknown"
)

// VerdictOf tells the verdict from the error that a call of an Engine returned.
func VerdictOf(err error) Verdict {
	var conflict *ConflictError
	var exists *ExistsError
	var unknown *UnknownError
	switch {
	case err == nil:
		return Applied
	case errors.As(err, &unknown):
		return Unknown
	case errors.As(err, &conflict), errors.As(err, &exists):
		return Conflict
	default:
		return Rejected
	}
}

// Reason is which part of an expectation did not hold.
type Reason uint8

const (
	// ReasonKey: the key does not hold what was expected.
	ReasonKey Reason = iota
	// ReasonHeld: the key holds the new entry already, and that was not to be taken over.
	ReasonHeld
	// ReasonObject: the ConfigMap was changed by another writer since it was observed.
	ReasonObject
	// ReasonVersion: the ConfigMap is not at the version that the user named.
	ReasonVersion
	// ReasonOwn: this process itself wrote the key after the observation that a removal goes by.
	ReasonOwn
)

// ConflictError: an expectation does not hold. Nothing was written.
type ConflictError struct {
	Reason Reason // where it is that of keys, that of the first
	Ref    Ref
	Keys   []KeyConflict // those that do not hold; all that were named where the object's version is the reason; none for a Removal
	At     Version       // which the object was expected at; zero where no version was
	Live   *Observation  // begun after the call
}

// KeyConflict is one key of a ConflictError.
type KeyConflict struct {
	Key      string
	Reason   Reason
	Expected Entry
	New      Entry
}

func (e *ConflictError) Error() string {
	if len(e.Keys) == 1 {
		return fmt.Sprintf("%s, key %q: the expectation does not hold", e.Ref.Noun(), e.Keys[0].Key)
	}
	return fmt.Sprintf("%s: the expectation does not hold", e.Ref.Noun())
}

// ExistsError: the ConfigMap that was to be created is there already. Nothing was written.
type ExistsError struct {
	Ref  Ref
	Live *Observation // begun after the call
}

func (e *ExistsError) Error() string { return fmt.Sprintf("%s exists already", e.Ref.Noun()) }

// NotFoundError: there is no such ConfigMap.
type NotFoundError struct{ Ref Ref }

func (e *NotFoundError) Error() string { return fmt.Sprintf("%s does not exist", e.Ref.Noun()) }

// FieldError: a field cannot be read or written as its path says, as where a selector selects several elements. Nothing was written.
type FieldError struct {
	Ref Ref
	Key string
	Err error
}

func (e *FieldError) Error() string { return fmt.Sprintf("%s: %v", e.Ref.Noun(), e.Err) }

func (e *FieldError) Unwrap() error { return e.Err }

// NotServedError: the API server serves no such kind in this version, as its own list says. Nothing was written.
type NotServedError struct {
	Ref        Ref
	APIVersion string
}

func (e *NotServedError) Error() string {
	return fmt.Sprintf("%s: the API server serves no %s of %s", e.Ref.Noun(), e.Ref.Kind, e.APIVersion)
}

// ScopeError: a namespace is named for a kind that has none, or none for one that has. Nothing was written.
type ScopeError struct {
	Ref        Ref
	Namespaced bool // the kind has namespaces
}

func (e *ScopeError) Error() string {
	if e.Namespaced {
		return fmt.Sprintf("%s: a namespace must be named for a %s", e.Ref.Noun(), e.Ref.Kind)
	}
	return fmt.Sprintf("%s: a %s is in no namespace", e.Ref.Noun(), e.Ref.Kind)
}

// NoNamespaceError: the namespace of a ConfigMap does not exist. Nothing was written.
type NoNamespaceError struct{ Ref Ref }

func (e *NoNamespaceError) Error() string {
	return fmt.Sprintf("%s: the namespace does not exist", e.Ref.Noun())
}

// ImmutableError: the ConfigMap is immutable and a change is needed.
type ImmutableError struct{ Ref Ref }

func (e *ImmutableError) Error() string { return fmt.Sprintf("%s is immutable", e.Ref.Noun()) }

// TerminatingError: the ConfigMap is being deleted.
type TerminatingError struct {
	Ref   Ref
	Since time.Time
}

func (e *TerminatingError) Error() string { return fmt.Sprintf("%s is being deleted", e.Ref.Noun()) }

// TooLargeError: the values together would be over MaxSize. Sizes are in bytes.
type TooLargeError struct {
	Ref    Ref
	New    int // of the new values
	Others int // of the values of all other keys
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s would hold %d bytes, %d at most", e.Ref.Noun(), e.New+e.Others, MaxSize)
}

// ForbiddenError: the API server answered 403, as its authorization does and some admission. Err is its answer. Verb is discover where it did
// not tell which kinds it serves. Nothing was written.
type ForbiddenError struct {
	Ref  Ref
	Verb string
	Err  error
}

func (e *ForbiddenError) Error() string {
	if e.Verb == "discover" {
		return fmt.Sprintf("not permitted to see which kinds the API server serves, as the ClusterRole system:discovery permits: %v", e.Err)
	}
	return fmt.Sprintf("not permitted to %s %s: %v", e.Verb, e.Ref.Noun(), e.Err)
}

func (e *ForbiddenError) Unwrap() error { return e.Err }

// UnreachableError: the request was never sent, or a read got no answer.
type UnreachableError struct {
	Host string
	Err  error
	// Told has the causes that a user was told of already, which all errors of one engine share; nil where nothing keeps them.
	Told *sync.Map
}

func (e *UnreachableError) Error() string { return fmt.Sprintf("cannot reach %s: %v", e.Host, e.Err) }

func (e *UnreachableError) Unwrap() error { return e.Err }

// RefusedError: the API server answered a request with an error of its own: validation, admission, quota, a path that
// it does not serve. Nothing was written.
type RefusedError struct {
	Ref  Ref
	Verb string
	Code int // HTTP status
	Err  error
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("%s %s: HTTP %d: %v", e.Verb, e.Ref.Noun(), e.Code, e.Err)
}

func (e *RefusedError) Unwrap() error { return e.Err }

// NotYetError: a key cannot be computed of what it holds, but what others do to it may let it be, as where a pool is full. Nothing was written.
type NotYetError struct{ Err error }

func (e *NotYetError) Error() string { return "not yet: " + e.Err.Error() }

func (e *NotYetError) Unwrap() error { return e.Err }

// CanceledError: the caller's context ended before an answer was there, and before a write was sent. Nothing was
// written.
type CanceledError struct {
	Ref    Ref
	Host   string
	Plugin string // the command that had not given credentials yet; empty where the API server had not answered
	Err    error  // of the context
}

func (e *CanceledError) Error() string {
	return fmt.Sprintf("%s: ended before %s answered, nothing was written: %v", e.Ref.Noun(), e.Host, e.Err)
}

func (e *CanceledError) Unwrap() error { return e.Err }

// UnknownError: a write was sent, and it could not be found out whether it landed. Err is why.
type UnknownError struct {
	Ref  Ref
	Base Version // that the write was judged on, zero for a creation
	Err  error
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("%s: whether the write landed is unknown: %v", e.Ref.Noun(), e.Err)
}

func (e *UnknownError) Unwrap() error { return e.Err }

// WaitError: what was waited for did not come about in time. Nothing was written.
type WaitError struct {
	Ref Ref
	// Last is why the last look refused: a *ConflictError over keys, a *NotFoundError, a *TerminatingError or a *NotYetError; nil where there was none.
	Last error
	// Err is the end of the context, or what kept from looking.
	Err error
	// Waited is how long it was waited.
	Waited time.Duration
}

func (e *WaitError) Error() string {
	return fmt.Sprintf("%s: what was waited for did not come about: %v", e.Ref.Noun(), errors.Join(e.Last, e.Err))
}
