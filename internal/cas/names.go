package cas

import (
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/fieldpaths"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/wire"
)

// The names of package judging that callers of the Engine use.
type (
	Kind        = judging.Kind
	Ref         = judging.Ref
	Entry       = judging.Entry
	Version     = judging.Version
	Writer      = judging.Writer
	Observation = judging.Observation

	Txn      = judging.Txn
	KeySwap  = judging.KeySwap
	Held     = judging.Held
	Creation = judging.Creation
	Removal  = judging.Removal

	Verdict     = judging.Verdict
	Reason      = judging.Reason
	KeyConflict = judging.KeyConflict

	CanceledError    = judging.CanceledError
	ConflictError    = judging.ConflictError
	ExistsError      = judging.ExistsError
	FieldError       = judging.FieldError
	ForbiddenError   = judging.ForbiddenError
	ImmutableError   = judging.ImmutableError
	NoNamespaceError = judging.NoNamespaceError
	NotFoundError    = judging.NotFoundError
	NotYetError      = judging.NotYetError
	NotServedError   = judging.NotServedError
	ServedKind       = judging.ServedKind
	RefusedError     = judging.RefusedError
	ScopeError       = judging.ScopeError
	TerminatingError = judging.TerminatingError
	TooLargeError    = judging.TooLargeError
	UnknownError     = judging.UnknownError
	UnreachableError = judging.UnreachableError
	WaitError        = judging.WaitError
)

// The values of those types.
const (
	ConfigMap = judging.ConfigMap
	Secret    = judging.Secret
	MaxSize   = judging.MaxSize

	HeldIsJudged  = judging.HeldIsJudged
	HeldIsDone    = judging.HeldIsDone
	HeldIsRefused = judging.HeldIsRefused

	Applied  = judging.Applied
	Conflict = judging.Conflict
	Rejected = judging.Rejected
	Unknown  = judging.Unknown

	ReasonKey     = judging.ReasonKey
	ReasonHeld    = judging.ReasonHeld
	ReasonObject  = judging.ReasonObject
	ReasonVersion = judging.ReasonVersion
	ReasonOwn     = judging.ReasonOwn
)

// ImmutableKey is [judging.ImmutableKey].
const ImmutableKey = judging.ImmutableKey

// LabelKey is [judging.LabelKey].
func LabelKey(name string) string { return judging.LabelKey(name) }

// AnnotationKey is [judging.AnnotationKey].
func AnnotationKey(name string) string { return judging.AnnotationKey(name) }

// KindOf is [judging.KindOf].
func KindOf(group, kind string) Kind { return judging.KindOf(group, kind) }

// FieldKey is [judging.FieldKey] for a field to write.
func FieldKey(kind Kind, path string) (string, error) {
	return judging.FieldKey(kind, path, fieldpaths.Writing)
}

// ReadKey is [judging.FieldKey] for a field that is only compared or read.
func ReadKey(kind Kind, path string) (string, error) {
	return judging.FieldKey(kind, path, fieldpaths.Reading)
}

// Withheld is [wire.Withheld].
func Withheld(err error) error { return wire.Withheld(err) }

// FieldPath is [judging.FieldPath].
func FieldPath(key string) (path string, isField bool) { return judging.FieldPath(key) }

// FieldNames is [judging.FieldNames].
func FieldNames(key string) (names []string, isPlain bool) { return judging.FieldNames(key) }

// Overlap is [judging.Overlap].
func Overlap(a, b string) bool { return judging.Overlap(a, b) }

// MayOverlap is [judging.MayOverlap].
func MayOverlap(a, b string) bool { return judging.MayOverlap(a, b) }

// SelectsIn is [judging.SelectsIn].
func SelectsIn(key, other string, e Entry) bool { return judging.SelectsIn(key, other, e) }

// MayBeIn is [judging.MayBeIn].
func MayBeIn(key, other string) bool { return judging.MayBeIn(key, other) }

// IsIn is [judging.IsIn].
func IsIn(key, other string) bool { return judging.IsIn(key, other) }

// MissingElementError is [judging.MissingElementError].
type MissingElementError = judging.MissingElementError

// CanSet is [judging.CanSet].
func CanSet(key string, to Entry) error { return judging.CanSet(key, to) }

// Bool is [judging.Bool].
func Bool(value bool) Entry { return judging.Bool(value) }

// JSON is [judging.JSON].
func JSON(raw []byte) (Entry, error) { return judging.JSON(raw) }

// Text is [judging.Text].
func Text(value string) Entry { return judging.Text(value) }

// Binary is [judging.Binary].
func Binary(value []byte) Entry { return judging.Binary(value) }

// Anything is [judging.Anything].
func Anything() Entry { return judging.Anything() }

// VerdictOf is [judging.VerdictOf].
func VerdictOf(err error) Verdict { return judging.VerdictOf(err) }
