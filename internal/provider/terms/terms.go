// Package terms has what schemas, plans, writes and diagnostics all speak of: operations, the values of attributes, and
// ids.
package terms

import "time"

// Operation is the operation that a diagnostic is about.
type Operation string

const (
	OpRead   Operation = "read"
	OpCreate Operation = "create"
	OpUpdate Operation = "update"
	OpDelete Operation = "delete"
	OpInvoke Operation = "invoke" // an action
	OpList   Operation = "list"
)

// Past says what an operation would have done: "nothing was ...".
func (o Operation) Past() string {
	switch o {
	case OpRead:
		return "read"
	case OpDelete:
		return "removed"
	case OpList:
		return "listed"
	default:
		return "written"
	}
}

// Values of conflict_scope: what must be as it was observed.
const (
	ScopeObject = "object"
	ScopeKey    = "key"
	ScopeField  = "field" // of fields, the same as ScopeKey
)

// Values of deletion_policy: what becomes of the keys.
const (
	PolicyRelease = "release"
	PolicyDelete  = "delete"
	PolicyRestore = "restore"
	PolicyAbandon = "abandon"
)

// Values of on_drift: what an update or a removal does about a value that somebody else changed after the last apply.
const (
	DriftError     = "error"
	DriftOverwrite = "overwrite"
)

// PlanCheck says what a check that fails while planning is.
type PlanCheck string

const (
	PlanCheckError   PlanCheck = "error"
	PlanCheckWarning PlanCheck = "warning"
	PlanCheckOff     PlanCheck = "off"
)

// Defaults of attributes.
const (
	DefaultNamespace = "default"
	DefaultTimeout   = time.Minute
	// DefaultFieldManager is also what the API server would derive from the user agent.
	DefaultFieldManager = "terraform-provider-cas"
)

// Environment variables of our own.
const (
	EnvPlanCheck  = "CAS_PLAN_CHECK"
	EnvPlanDryRun = "CAS_PLAN_DRY_RUN"
)
