package cas

import "github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"

// What callers of the Engine see of package judging. The rest of that package is the engine's own.
type (
	Kind        = judging.Kind
	Ref         = judging.Ref
	Entry       = judging.Entry
	Version     = judging.Version
	Writer      = judging.Writer
	Observation = judging.Observation
	Basis       = judging.Basis

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
	ForbiddenError   = judging.ForbiddenError
	ImmutableError   = judging.ImmutableError
	NoNamespaceError = judging.NoNamespaceError
	NotFoundError    = judging.NotFoundError
	NotYetError      = judging.NotYetError
	RefusedError     = judging.RefusedError
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

// Text is [judging.Text].
func Text(value string) Entry { return judging.Text(value) }

// Binary is [judging.Binary].
func Binary(value []byte) Entry { return judging.Binary(value) }

// Anything is [judging.Anything].
func Anything() Entry { return judging.Anything() }

// VerdictOf is [judging.VerdictOf].
func VerdictOf(err error) Verdict { return judging.VerdictOf(err) }
