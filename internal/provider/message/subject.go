// Package message makes all diagnostics, and has their titles. Those about ConfigMaps, keys, counters and waits are of
// a [Subject].
package message

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Subject describes a resource and an operation for diagnostics.
type Subject struct {
	ID    terms.EntryID // without a Key where the resource is of several
	Noun  string        // what the resource has in the ConfigMap: "entry"
	Place string        // the attributes that say where: "namespace, name and key"

	Value    path.Path                                // the attribute that gives the value, or all values
	Revision string                                   // the attribute that says when write-only values are written
	Keys     map[string]KeyPaths                      // where the configuration says something about a key
	ImportID func(ref eval.Ref, keys []string) string // the id that imports the keys; nil where nothing can be imported
	Ways     Ways

	Op             terms.Operation
	Plan           terms.PlanCheck // of a plan's check, how plan_check takes its failure; empty otherwise
	Replanned      bool            // of a plan's check, whether an apply makes the plan again
	DestroyRefused bool            // of an update, whether a destroy would be refused as well
	Rehearsed      bool            // a plan's check that sends a dry run
	Wait           types.String    // wait_for_match or wait_for_free; null where the operation does not wait
	Members        func() int64    // how many members a pool had when it was last looked at; nil where it is about no pool

	Given   string // a part of the key that an allocation of the run has given; empty for none
	Manager string // the field manager of its writes; empty where it does not matter

	Hide Hiding

	APIVersion string            // in which keys name fields; empty where they name entries
	Texts      map[string]string // the texts that fields must contain, by key
	Document   string            // the key with the document that contains the fields; empty for fields of an object
	IsImport   bool              // the first read after an import
	IsSource   bool              // the read of a data source

	letsGo []string     // keys that an update removes or puts back
	Writes func() int64 // how many writes the run has begun; nil where it writes nothing
}

// KeyPaths are the attributes about one key; a path is empty where there is none.
type KeyPaths struct {
	Value    path.Path
	Expected path.Path   // where an expectation is, or could be
	Want     *eval.Value // the expectation that the configuration names; nil without one
}

// Ways are next steps that depend on the resource. If one is empty, the next step of a key is used.
type Ways struct {
	Missing   string // the ConfigMap does not exist
	Immutable string // it is immutable, and a write is refused
	Changed   string // another writer changed its keys
	OtherKeys string // how to ignore changes of other keys: the end of a sentence; empty where those matter
	Move      string // another instance writes or removes the same key
	Grant     string // the verbs that the resource needs: "get and patch"
	Abandon   string // it is immutable, and the resource cannot be destroyed
	Unknown   string // the outcome of its operation is unknown
}

// Report is the next step where the provider is at fault.
const Report = "Report this as a defect of the provider, with the log of this run (TF_LOG_PROVIDER=DEBUG)."

// Of is the subject of diagnostics about a write.
func (s Subject) Of(t *eval.Txn) Subject {
	s.letsGo = nil
	for _, k := range t.Keys {
		if s.Op == terms.OpUpdate && k.IfEqual == eval.Adopt && len(s.Keys[k.Key].Value.Steps()) == 0 {
			s.letsGo = append(s.letsGo, k.Key)
		}
	}
	return s
}

// detail is Detail with the facts that say which ConfigMap and key.
func (s Subject) detail(happened string, facts []Fact, next string) string {
	which := []Fact{{s.ID.Kind.String(), s.ID.Ref.String()}}
	if s.ID.Name == "" {
		which = []Fact{{"Namespace", s.ID.Namespace}}
	}
	if s.ID.Key != "" {
		which = append(which, Fact{"Key", s.ID.Key})
	}
	if s.Document != "" {
		which = append(which, Fact{"Document", s.Document})
	}
	return Detail(happened, brief(append(which, facts...)), next)
}

// forThis names the resource for which nothing was written, if the run wrote for others.
func (s Subject) forThis() string {
	own := int64(1)
	if s.Replanned { // the plan that an apply makes begins no write
		own = 0
	}
	isWrite := s.Op == terms.OpCreate || s.Op == terms.OpUpdate || s.Op == terms.OpInvoke
	if !isWrite || !s.isApplied() || s.Writes == nil || s.Writes() <= own {
		return ""
	}
	return " for this " + s.self()
}

// orDestroy adds the way to destroy a resource of the state although the check of a plan fails: Terraform makes an
// ordinary plan before it plans a destroy.
func (s Subject) orDestroy(next string) string {
	if s.Plan != terms.PlanCheckError || s.Replanned || s.Op != terms.OpUpdate || s.DestroyRefused {
		return next
	}
	next += " If this blocks a destroy, run " + terms.EnvPlanCheck + "=warning terraform destroy."
	switch keys := s.ownKeys(); {
	case s.isWhole():
		return fmt.Sprintf("%s deletion_policy says what becomes of the %s.", next, s.ID.Kind)
	case len(keys) > 0:
		return next + " deletion_policy says what becomes of " + enumerate(keys) + "."
	}
	return next
}

// isWhole reports whether the resource is a whole ConfigMap.
func (s Subject) isWhole() bool { return s.Noun == s.ID.Kind.String() }

// isApplied reports whether the plan was made before.
func (s Subject) isApplied() bool { return s.Plan == "" || s.Replanned }

// since says after when something changed. Where it is not known whether this is a plan or an apply, it is true of
// both.
func (s Subject) since(one bool) string {
	switch {
	case s.isApplied():
		return "after this plan was made"
	case one:
		return "after Terraform last read it"
	default:
		return "after Terraform last read them"
	}
}

// again is the next step where a plan is out of date.
func (s Subject) again() string {
	return "Run terraform plan again" + s.refreshed() + " and review the result."
}

// refreshed says how to plan again. Only a plan without a refresh can be out of date itself.
func (s Subject) refreshed() string {
	if s.isApplied() {
		return ""
	}
	return " with a refresh"
}

// Diagnose makes the diagnostic of an error that package cas returned.
func (s Subject) Diagnose(err error) diag.Diagnostic {
	missing, ok := errors.AsType[*MissingError](err)
	if !ok {
		missing = new(MissingError)
	}
	for _, render := range []func(error) diag.Diagnostic{
		forType(s.unknown), forType(s.waited), // first: what they wrap would say that nothing was written
		forType(s.notAPool), forType(s.heldHere), forType(s.full), forType(s.valueTaken), forType(s.outside),
		forType(s.allocationGone),
		forType(s.conflict), forType(s.otherKeys), forType(s.exists), forType(s.field), forType(s.lacking),
		forType(s.notServed), forType(s.scope),
		forType(func(*eval.NoNamespaceError) diag.Diagnostic { return s.noNamespace(missing.Missing) }),
		forType(func(*eval.NotFoundError) diag.Diagnostic { return s.notFound(missing.Missing) }),
		forType(func(*eval.ImmutableError) diag.Diagnostic { return s.Immutable() }),
		forType(s.terminating), forType(s.tooLarge), forType(s.notANumber), forType(s.overflow),
		forType(s.forbidden), forType(s.unreachable), forType(s.refused), forType(s.canceled), forType(s.writtenTwice),
	} {
		if d := render(err); d != nil {
			return d
		}
	}
	return s.fail(UnexpectedError, path.Empty(),
		fmt.Sprintf("Unexpected error while %sing the %s.", strings.TrimSuffix(string(s.Op), "e"), s.Noun),
		[]Fact{{"Cause", s.words(err)}}, "")
}

// forType calls as for errors of its type, and returns nil for any other error.
func forType[E error](as func(E) diag.Diagnostic) func(error) diag.Diagnostic {
	return func(err error) diag.Diagnostic {
		if e, ok := errors.AsType[E](err); ok {
			return as(e)
		}
		return nil
	}
}

// Missing describes an object that does not exist.
type Missing struct {
	Namespace bool     // it is the namespace that does not exist
	Host      string   // the API server that was asked; empty where nobody knows
	Names     []string // of the objects, or namespaces, that exist; none where nobody knows
}

// MissingError says more of an error about an object that does not exist.
type MissingError struct {
	Missing

	Err error
}

func (e *MissingError) Error() string { return e.Err.Error() }

// Unwrap gives what the verdict rests on.
func (e *MissingError) Unwrap() error { return e.Err }

// facts returns the facts about the missing object.
func (m Missing) facts() []Fact {
	if m.Host == "" {
		return nil
	}
	return []Fact{{"Host", m.Host}}
}

// near asks for the name that the one of the subject was most likely to be.
func (m Missing) near(s Subject) string {
	if m.Namespace {
		return didYouMean(s.ID.Namespace, m.Names)
	}
	return didYouMean(s.ID.Name, m.Names)
}

func (s Subject) notFound(missing Missing) diag.Diagnostic {
	if missing.Namespace {
		return s.noNamespace(missing)
	}
	if s.Plan != "" && (s.Op == terms.OpCreate || s.Op == terms.OpInvoke) {
		return s.warn(ConfigMapDoesNotExistYet, path.Root("name"), "", missing.facts(),
			missing.near(s)+cmp.Or(s.Ways.Missing, s.row(ConfigMapDoesNotExistYet).Next))
	}
	return s.refuse(ConfigMapNotFound, path.Root("name"), "", missing.facts(),
		missing.near(s)+s.orDestroy(cmp.Or(s.Ways.Missing, s.row(ConfigMapNotFound).Next)))
}

// Immutable is for keys of an immutable ConfigMap, which can be neither written nor removed.
func (s Subject) Immutable() diag.Diagnostic {
	next := cmp.Or(s.Ways.Immutable, s.row(ConfigMapIsImmutable).Next)
	switch {
	case s.Op == terms.OpDelete:
		next = s.abandon()
	case s.Op == terms.OpCreate && s.isWhole(): // which takes over the object
		next = fmt.Sprintf("To take it over, set immutable = true, and %s to what the %s holds. Otherwise choose "+
			"another name.",
			root(s.Value), s.ID.Kind)
	case s.Op == terms.OpUpdate && s.isWhole() && s.Revision != "": // after an import: other updates are replacements
		next = fmt.Sprintf("Set %s to what the %s holds.", root(s.Value), s.ID.Kind)
	case s.Op == terms.OpUpdate && s.Plan == terms.PlanCheckError && !s.Replanned &&
		!s.isWhole() && len(s.ownKeys()) > 0:
		// A destroy is refused, too.
		return s.refuse(ConfigMapIsImmutable, path.Empty(), "", nil, next+fmt.Sprintf(
			" If this blocks a destroy, set %s to what the %s holds, apply deletion_policy = %q, then destroy.",
			root(s.Value), s.ID.Kind, terms.PolicyAbandon))
	}
	return s.refuse(ConfigMapIsImmutable, path.Empty(), "", nil, s.orDestroy(next))
}

// ChangesImmutable is for an update of an immutable object whose plan did not know that an attribute changes.
func (s Subject) ChangesImmutable(attribute string) diag.Diagnostic {
	at := path.Root(attribute)
	if attribute == "keys" { // of a Secret
		at = s.Value
	}
	return s.fail(ConfigMapIsImmutable, at,
		fmt.Sprintf("The %s is immutable. The plan did not know that %s changes. Nothing was written%s.",
			s.ID.Kind, root(at), s.forThis()), nil, s.Ways.Immutable)
}

// abandon is the way to destroy a resource and to leave its object as it is.
func (s Subject) abandon() string {
	return cmp.Or(s.Ways.Abandon, fmt.Sprintf("To leave the %s as it is, apply deletion_policy = %q, then destroy.",
		s.ID.Kind, terms.PolicyAbandon))
}

func (s Subject) terminating(e *eval.TerminatingError) diag.Diagnostic {
	return s.refuse(ConfigMapIsBeingDeleted, path.Empty(), "", deletion(e.Since, e.Finalizers),
		s.orDestroy(ConfigMapIsBeingDeleted.Next))
}

// deletion returns the facts about an object that is being deleted. Finalizers hold it.
func deletion(since time.Time, finalizers []string) []Fact {
	facts := []Fact{{"Deleted at", since.UTC().Format(time.RFC3339)}}
	if len(finalizers) > 0 {
		facts = append(facts, Fact{"Finalizers", listed(finalizers)})
	}
	return facts
}

// StillExists warns that an object exists after its deletion; nil if it does not.
func (s Subject) StillExists(after *eval.Snapshot) diag.Diagnostics {
	if !after.Terminating() {
		return nil
	}
	return diag.Diagnostics{s.warn(ConfigMapStillExists, path.Empty(), "",
		deletion(after.Metadata().DeletionTimestamp.Time, after.Finalizers()), "The controllers of the finalizers remove "+
			"them. If a controller does not run any more, remove its finalizer: kubectl edit "+s.inKubectl()+".")}
}

func (s Subject) tooLarge(e *eval.TooLargeError) diag.Diagnostic {
	facts := []Fact{{"Limit", fmt.Sprintf("%d bytes for all values together", eval.MaxSize)}}
	if s.Hide != ShowNothing {
		facts = append([]Fact{
			{"New values", fmt.Sprintf("%d bytes", e.New)},
			{"Other values", fmt.Sprintf("%d bytes", e.Others)},
		}, facts...)
	}
	if s.Members != nil {
		facts = append(facts, Fact{"Fit", fmt.Sprintf("%d allocations, and all of them are taken", s.Members())})
	}
	isShared := !s.isWhole() && (e.New <= eval.MaxSize || s.Document != "") // another resource may free space
	if s.Plan != "" && isShared {
		return s.warn(ConfigMapTooLarge, s.Value, fmt.Sprintf(
			"The %s would be too large, unless another resource frees space in it in the same apply.", s.ID.Kind), facts, "")
	}
	return s.refuse(ConfigMapTooLarge, s.Value, "", facts, s.orDestroy(s.row(ConfigMapTooLarge).Next))
}

// ownKeys returns the keys that the configuration gives values to.
func (s Subject) ownKeys() (keys []string) {
	for key, paths := range s.Keys {
		if len(paths.Value.Steps()) > 0 {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

func (s Subject) importFact(keys []string) []Fact {
	if s.ImportID == nil {
		return nil
	}
	return []Fact{{"Import id", s.ImportID(s.ID.Ref, keys)}}
}
