package eval

import (
	"errors"
	"fmt"
	"sync"
	"time"
)

// Verdict is the outcome of a call of an Engine: one of four.
type Verdict string

const (
	// Applied: every expectation held, and the write was applied or nothing was left to write.
	Applied Verdict = "applied"
	// Conflict: an expectation did not hold. Nothing was written.
	Conflict Verdict = "conflict"
	// Rejected: nothing was written, for another reason.
	Rejected Verdict = "rejected"
	// Unknown: the engine could not determine whether the write was applied.
	Unknown Verdict = "unknown"
)

// VerdictOf returns the verdict of a call of an Engine that returned err.
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

// Reason is the kind of expectation that did not hold.
type Reason uint8

const (
	// ReasonKey: the key does not contain the expected value.
	ReasonKey Reason = iota
	// ReasonEqual: the key already contains the new value, and Reject forbids to adopt it.
	ReasonEqual
	// ReasonObject: another writer changed the object since it was observed.
	ReasonObject
	// ReasonVersion: the object is not at the version that the user named.
	ReasonVersion
	// ReasonOwn: this process wrote the key after the expectation of the removal was observed.
	ReasonOwn
)

// ConflictError: an expectation does not hold. Nothing was written.
type ConflictError struct {
	Reason Reason // the reason of the first key
	Ref    Ref
	// Keys are the keys whose expectation does not hold; all keys if the reason is the object's version; none for
	// a Removal.
	Keys []KeyConflict
	// At is the version that was required, or at which the expectations were observed; zero if neither is known.
	At   Version
	Live *Snapshot // begun after the call
}

// KeyConflict is one key of a ConflictError.
type KeyConflict struct {
	Key      string
	Reason   Reason
	Expected Value
	New      Value
}

func (e *ConflictError) Error() string {
	if len(e.Keys) == 1 {
		return fmt.Sprintf("%s, key %q: the expectation does not hold", e.Ref.Noun(), e.Keys[0].Key)
	}
	return fmt.Sprintf("%s: the expectation does not hold", e.Ref.Noun())
}

// ExistsError: the object to create already exists. Nothing was written.
type ExistsError struct {
	Ref  Ref
	Live *Snapshot // begun after the call
}

func (e *ExistsError) Error() string { return fmt.Sprintf("%s exists already", e.Ref.Noun()) }

// NotFoundError: the object is missing. Nothing was written.
type NotFoundError struct{ Ref Ref }

func (e *NotFoundError) Error() string { return fmt.Sprintf("%s does not exist", e.Ref.Noun()) }

// FieldError: a field cannot be read or written as its path says, for example because a selector selects
// several elements. Nothing was written.
type FieldError struct {
	Ref Ref
	Key string
	Err error
}

func (e *FieldError) Error() string { return fmt.Sprintf("%s: %v", e.Ref.Noun(), e.Err) }

func (e *FieldError) Unwrap() error { return e.Err }

// NotServedError: the API server's discovery has no such kind in this API version. Nothing was written.
type NotServedError struct {
	Ref        Ref
	APIVersion string
	// Served has all kinds that the API server serves, the preferred version of each first. It is empty if that is not
	// known.
	Served []ServedKind
}

// ServedKind is a kind that the API server serves.
type ServedKind struct {
	APIVersion string
	Kind       Kind
	// Names are the names by which kubectl knows the kind, in lower case.
	Names []string
}

func (e *NotServedError) Error() string {
	return fmt.Sprintf("%s: the API server serves no %s of %s", e.Ref.Noun(), e.Ref.Kind, e.APIVersion)
}

// ScopeError: a namespace is named for a kind without namespaces, or none for a kind with namespaces. Nothing
// was written.
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

// NoNamespaceError: the namespace of the object to create does not exist. Nothing was written.
type NoNamespaceError struct{ Ref Ref }

func (e *NoNamespaceError) Error() string {
	return fmt.Sprintf("%s: the namespace does not exist", e.Ref.Noun())
}

// ImmutableError: the object is immutable, and the transaction writes a value or sets immutable to another
// value than true. Nothing was written.
type ImmutableError struct{ Ref Ref }

func (e *ImmutableError) Error() string { return fmt.Sprintf("%s is immutable", e.Ref.Noun()) }

// TerminatingError: the object is being deleted. Nothing was written.
type TerminatingError struct {
	Ref        Ref
	Since      time.Time
	Finalizers []string
}

func (e *TerminatingError) Error() string { return fmt.Sprintf("%s is being deleted", e.Ref.Noun()) }

// TooLargeError: the values together would be larger than MaxSize. Sizes are in bytes. Nothing was written.
type TooLargeError struct {
	Ref    Ref
	New    int // of the new values
	Others int // of the values of all other keys
}

func (e *TooLargeError) Error() string {
	return fmt.Sprintf("%s would hold %d bytes, %d at most", e.Ref.Noun(), e.New+e.Others, MaxSize)
}

// ForbiddenError: the user lacks a permission. Err is the API server's response. Verb is "discover" if the API
// server refused to list the kinds that it serves. Nothing was written.
type ForbiddenError struct {
	Ref  Ref
	Verb string
	Err  error
}

func (e *ForbiddenError) Error() string {
	if e.Verb == "discover" {
		return fmt.Sprintf("not permitted to see which kinds the API server serves, as the ClusterRole "+
			"system:discovery permits: %v", e.Err)
	}
	return fmt.Sprintf("not permitted to %s %s: %v", e.Verb, e.Ref.Noun(), e.Err)
}

func (e *ForbiddenError) Unwrap() error { return e.Err }

// UnreachableError: a write was not sent, or a read got no response.
type UnreachableError struct {
	Host string
	Err  error
	// Reported has the causes that were already reported to the user. All errors of one Engine share it. It may be nil.
	Reported *Causes
}

// Causes is a set of causes that were reported to the user. It is safe for concurrent use.
type Causes struct {
	mu       sync.Mutex
	reported map[string]bool
}

// IsFirst reports whether a cause was not reported before, and adds it to the set.
func (c *Causes) IsFirst(cause string) bool {
	if c == nil {
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	isFirst := !c.reported[cause]
	if c.reported == nil {
		c.reported = map[string]bool{}
	}
	c.reported[cause] = true
	return isFirst
}

func (e *UnreachableError) Error() string { return fmt.Sprintf("cannot reach %s: %v", e.Host, e.Err) }

func (e *UnreachableError) Unwrap() error { return e.Err }

// RefusedError: the API server refused a request, because of validation, admission, a quota, or a path that
// it does not serve. Nothing was written.
type RefusedError struct {
	Ref  Ref
	Verb string
	Code int // HTTP status
	Err  error
	// InTerminatingNamespace: the API server creates no object in the namespace, because the namespace is being deleted.
	InTerminatingNamespace bool
}

func (e *RefusedError) Error() string {
	return fmt.Sprintf("%s %s: HTTP %d: %v", e.Verb, e.Ref.Noun(), e.Code, e.Err)
}

func (e *RefusedError) Unwrap() error { return e.Err }

// NotYetError: a key cannot be computed from its value now, but it may be later, when others have changed the
// value; for example, a pool is full. Nothing was written.
type NotYetError struct{ Err error }

func (e *NotYetError) Error() string { return "not yet: " + e.Err.Error() }

func (e *NotYetError) Unwrap() error { return e.Err }

// CanceledError: the caller's context ended before a response arrived, and before a write was sent. Nothing
// was written.
type CanceledError struct {
	Ref    Ref
	Host   string
	Plugin string // the exec plugin that a request waited for; empty if none did
	Err    error  // the cause of the context's end
	// Retried: earlier requests of the write were refused, because the object had changed or the API server was too busy.
	Retried bool
}

func (e *CanceledError) Error() string {
	return fmt.Sprintf("%s: ended before %s answered, nothing was written: %v", e.Ref.Noun(), e.Host, e.Err)
}

func (e *CanceledError) Unwrap() error { return e.Err }

// UnknownError: a write was sent, and the engine could not determine whether it was applied. Err is the
// reason.
type UnknownError struct {
	Ref  Ref
	Base Version // the version that the write was evaluated on; zero for a creation
	Err  error
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("%s: whether the write was applied is unknown: %v", e.Ref.Noun(), e.Err)
}

func (e *UnknownError) Unwrap() error { return e.Err }

// WaitError: the state that a call waited for was not reached in time. Nothing was written.
type WaitError struct {
	Ref Ref
	// Last is the last refusal: a *ConflictError about keys, a *NotFoundError, a *TerminatingError or a *NotYetError.
	Last error
	// Err is the cause of the context's end, or the error of the watch.
	Err error
	// Waited is how long the call waited.
	Waited time.Duration
}

func (e *WaitError) Error() string {
	return fmt.Sprintf("%s: what was waited for did not happen: %v", e.Ref.Noun(), errors.Join(e.Last, e.Err))
}
