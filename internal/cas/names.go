package cas

import (
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/fieldpaths"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
)

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
	FieldError       = judging.FieldError
	ForbiddenError   = judging.ForbiddenError
	ImmutableError   = judging.ImmutableError
	NoNamespaceError = judging.NoNamespaceError
	NotFoundError    = judging.NotFoundError
	NotYetError      = judging.NotYetError
	NotServedError   = judging.NotServedError
	RefusedError     = judging.RefusedError
	ScopeError       = judging.ScopeError
	TerminatingError = judging.TerminatingError
	TooLargeError    = judging.TooLargeError
	UnknownError     = judging.UnknownError
	UnreachableError = judging.UnreachableError
	WaitError        = judging.WaitError
)

// The constants of that package.
const (
	ImmutableKey = judging.ImmutableKey

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

// The functions of that package.
var (
	LabelKey      = judging.LabelKey
	AnnotationKey = judging.AnnotationKey
	KindOf        = judging.KindOf
	FieldPath     = judging.FieldPath
	Overlap       = judging.Overlap
	IsIn          = judging.IsIn
	CanSet        = judging.CanSet
	JSON          = judging.JSON
	Text          = judging.Text
	Binary        = judging.Binary
	Anything      = judging.Anything
	VerdictOf     = judging.VerdictOf
)

// FieldKey is [judging.FieldKey] of a field that is to be written.
func FieldKey(kind Kind, path string) (string, error) {
	return judging.FieldKey(kind, path, fieldpaths.Writing)
}

// ReadKey is [judging.FieldKey] of a field that is only compared or read.
func ReadKey(kind Kind, path string) (string, error) {
	return judging.FieldKey(kind, path, fieldpaths.Reading)
}
