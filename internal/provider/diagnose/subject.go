// Package diagnose has the titles of all diagnostics, and the sentences about ConfigMaps, keys, counters and waits.
package diagnose

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Subject is what a diagnostic is about. All diagnostics about keys are made here, so that the same fault always reads the
// same, of one key and of several.
type Subject struct {
	ID       terms.EntryID
	Several  map[string]KeyAttributes // of a resource of several keys, which has no ID.Key, each of its keys; nil for one of one key
	Op       terms.Operation
	Expected path.Path // of the attribute that gives the expectation; empty where none does
	Value    path.Path // of the attribute that gives the value
	Hide     bool
	Planning bool            // a plan's check, which plan_check softens
	Limit    terms.Operation // whose timeout applies
	Whole    *WholeConfigMap // of a resource that is a whole ConfigMap; nil for one of keys

	IsCounter bool
	Wait      types.String // wait_for_match; null where the operation does not wait
	Rehearsed bool         // a plan's check that sends what it is about as a dry run
	Values    []cas.Entry  // that another's words may quote
}

// Of has the subject know the values of a write as well.
func (s Subject) Of(t *cas.Txn) Subject {
	s.Values = slices.Clone(s.Values)
	for _, k := range t.Keys {
		s.Values = append(s.Values, k.New, k.Expect)
	}
	return s
}

// detail puts a diagnostic's detail together: what happened, the facts as "Key: value" lines, the way on.
func (s Subject) detail(happened string, facts []string, way ...string) string {
	if s.Planning {
		// Also seen at apply, which plans again: it must read well there.
		way = append(way, "The provider's plan_check (environment: "+terms.EnvPlanCheck+") says whether a failed check of a plan is an error, a "+
			"warning, or not made. Apply checks regardless.")
	}
	var b strings.Builder
	b.WriteString(happened)
	b.WriteString("\n\n")
	b.WriteString("ConfigMap: " + s.ID.Ref.String() + "\n")
	if s.ID.Key != "" {
		b.WriteString("Key: " + s.ID.Key + "\n")
	}
	for _, line := range facts {
		b.WriteString(line + "\n")
	}
	if len(way) > 0 {
		b.WriteString("\n" + strings.Join(way, " "))
	}
	return strings.TrimRight(b.String(), "\n")
}

// Diagnose makes the diagnostic of an error that package cas returned.
func (s Subject) Diagnose(err error) diag.Diagnostic {
	if d := s.diagnoseWhole(err); d != nil {
		return d
	}
	var (
		conflict    *cas.ConflictError
		notFound    *cas.NotFoundError
		immutable   *cas.ImmutableError
		terminating *cas.TerminatingError
		tooLarge    *cas.TooLargeError
		forbidden   *cas.ForbiddenError
		unreachable *cas.UnreachableError
		refused     *cas.RefusedError
		canceled    *cas.CanceledError
		unknown     *cas.UnknownError
		waited      *cas.WaitError
	)
	if s.IsCounter {
		if d := s.diagnoseCounter(err); d != nil {
			return d
		}
	}
	switch {
	case errors.As(err, &unknown): // first: what it wraps would say that nothing was written
		return s.unknown(unknown)
	case errors.As(err, &waited):
		return s.waited(waited)
	case errors.As(err, &conflict):
		return s.conflict(conflict)
	case errors.As(err, &notFound):
		return s.notFound()
	case errors.As(err, &immutable):
		return s.Immutable()
	case errors.As(err, &terminating):
		return TitleConfigMapIsBeingDeleted.With(s.detail(
			fmt.Sprintf("The ConfigMap is being deleted, so nothing was written: the %s would be lost with it.", s.thing()),
			[]string{"Deleted at: " + terminating.Since.Format(time.RFC3339)},
			"Wait until it is gone, make it again, then plan again."))
	case errors.As(err, &tooLarge):
		return s.tooLarge(tooLarge)
	case errors.As(err, &forbidden):
		return s.forbidden(forbidden, `Planning needs the verb "get" on the ConfigMap, applying "patch" as well.`)
	case errors.As(err, &unreachable):
		return TitleAPIServerUnreachable.With(s.detail(
			fmt.Sprintf("The API server could not be reached, so nothing was %s.", s.Op.Past()),
			[]string{"Host: " + unreachable.Host, "Cause: " + s.words(unreachable.Err)},
			"Check the provider's configuration and the network between here and the cluster."))
	case errors.As(err, &refused):
		return s.requestRefused(refused)
	case errors.As(err, &canceled):
		return s.canceled(canceled)
	default:
		return TitleUnexpectedError.With(s.detail(
			fmt.Sprintf("To %s the %s failed in a way that the provider does not know.", s.Op, s.thing()),
			[]string{"Cause: " + s.words(err)}))
	}
}

func (s Subject) forbidden(e *cas.ForbiddenError, needed string) diag.Diagnostic {
	return TitleNotPermitted.With(s.detail(
		fmt.Sprintf("The API server does not permit to %s the ConfigMap, so nothing was %s.", e.Verb, s.Op.Past()),
		[]string{
			"Verb: " + e.Verb, "Resource: configmaps", "Namespace: " + s.ID.Namespace, "Name: " + s.ID.Name,
			"Answer: " + s.words(e.Err),
		}, append([]string{needed}, s.rehearsalOf(e.Verb)...)...))
}

func (s Subject) conflict(e *cas.ConflictError) diag.Diagnostic {
	facts, held := s.conflictFacts(e), true
	for _, k := range e.Keys {
		held = held && e.Live.Entry(k.Key).Holds(k.Expected)
	}

	switch e.Reason {
	case cas.ReasonVersion:
		return TitleResourceVersionMismatch.At(path.Root("expected_resource_version_wo"), s.detail(
			"The ConfigMap is not at the version that expected_resource_version_wo names. Nothing was written.", facts,
			"Take the version from where you decide about the write, in the same run."))
	case cas.ReasonOwn:
		return TitleCompareAndSwapConflict.With(s.detail(
			"This run itself wrote "+words(len(e.Keys), "the key", "the keys")+", later than what the removal goes by. Nothing was removed.", facts,
			"Key the instances of a resource by ConfigMap key, or use a `moved` block."))
	case cas.ReasonObject:
		way := []string{again}
		if held {
			way = append(way, `Where changes of other keys do not matter, set conflict_scope = "key". Another provider, and another alias `+
				"of this one, is another writer.")
		}
		return TitleCompareAndSwapConflict.With(s.detail(
			fmt.Sprintf("Another writer changed the ConfigMap since it was observed. Nothing was %s.", s.Op.Past()), facts, way...))
	default:
		return s.keyConflict(e, facts)
	}
}

// conflictFacts are the lines about a conflict.
func (s Subject) conflictFacts(e *cas.ConflictError) []string {
	return append(s.keyFacts(e), versionFacts(e.At, e.Live)...)
}

// versionFacts are the lines about the versions of a conflict.
func versionFacts(planned cas.Version, live *cas.Observation) (facts []string) {
	if planned.ResourceVersion != "" {
		facts = append(facts, "Planned resourceVersion: "+planned.ResourceVersion)
	}
	version := live.Version()
	facts = append(facts, "Live resourceVersion: "+version.ResourceVersion)
	if planned.UID != "" && planned.UID != version.UID {
		facts = append(facts, "Planned uid: "+planned.UID, "Live uid: "+version.UID+" (the ConfigMap was deleted and made again)")
	}
	if last := live.LastWriters(); len(last) > 0 {
		facts = append(facts, lastWriter(last))
	}
	return facts
}

// lastWriter words what managedFields tell as the hint that it is.
func lastWriter(last []cas.Writer) string {
	names := make([]string, len(last))
	for i, w := range last {
		names[i] = fmt.Sprintf("%s (%s)", w.Manager, w.Operation)
	}
	return fmt.Sprintf("Last writer: %s, %s, as far as managedFields tell: times are per manager, in seconds, removals leave no trace",
		strings.Join(names, " or "), last[0].Time.Format(time.RFC3339))
}

func (s Subject) notFound() diag.Diagnostic {
	if s.Planning && s.Op == terms.OpCreate {
		s.Planning = false // a warning already
		return WarningConfigMapDoesNotExistYet.At(path.Root("name"), s.detail(
			"The ConfigMap does not exist, so that nothing could be checked. It may be made in this apply; the check is made then.", nil,
			s.Number("Let the entry depend on what makes the ConfigMap.", "Let the resource depend on what makes the ConfigMap.")))
	}
	return TitleConfigMapNotFound.At(path.Root("name"), s.detail(
		"The ConfigMap does not exist. Nothing was written.", nil,
		s.Number("Make it first, and let the entry depend on what makes it: an entry does not make its ConfigMap.",
			"Make it first, and let the resource depend on what makes it: it does not make its ConfigMap.")))
}

// Immutable is for keys of an immutable ConfigMap, which can be neither written nor removed.
func (s Subject) Immutable() diag.Diagnostic {
	if s.Op == terms.OpDelete {
		return TitleConfigMapIsImmutable.With(s.detail(
			s.Number("The ConfigMap is immutable, so the key cannot be removed.", "The ConfigMap is immutable, so the keys cannot be removed."), nil,
			fmt.Sprintf("Set deletion_policy = %q and apply that, to leave %s.", terms.PolicyAbandon, s.Number("the key as it is", "the keys as they are"))))
	}
	return TitleConfigMapIsImmutable.With(s.detail(
		s.Number("The ConfigMap is immutable, so the key cannot be written.", "The ConfigMap is immutable, so the keys cannot be written."), nil,
		"Make a ConfigMap with another name, or delete this one and make it again."))
}

func (s Subject) tooLarge(e *cas.TooLargeError) diag.Diagnostic {
	facts := []string{
		fmt.Sprintf("%s: %d bytes", s.Number("Value", "Values"), e.New),
		fmt.Sprintf("All other values: %d bytes", e.Others),
		fmt.Sprintf("Limit: %d bytes for all values together", cas.MaxSize),
	}
	if s.Planning && e.New <= cas.MaxSize {
		s.Planning = false // a warning already
		return WarningConfigMapTooLarge.At(s.Value, s.detail(
			s.Number("With this value", "With these values")+" the ConfigMap would be too large as it is now. Another resource may free space in this apply.",
			facts))
	}
	way := s.Number("Shorten it", "Shorten them") + ", or use another ConfigMap."
	if s.IsCounter {
		way = "Shorten another one, or use another ConfigMap."
	}
	return TitleConfigMapTooLarge.At(s.Value, s.detail(
		s.Number("With this value", "With these values")+" the ConfigMap would be too large. Nothing was written.", facts, way))
}

func (s Subject) canceled(e *cas.CanceledError) diag.Diagnostic {
	facts := []string{"Host: " + e.Host}
	if errors.Is(e.Err, context.DeadlineExceeded) {
		return TitleOperationTimedOut.With(s.detail(
			fmt.Sprintf("The API server did not answer in time. Nothing was %s.", s.Op.Past()), facts,
			fmt.Sprintf("Try again, or raise timeouts.%s.", s.Limit)))
	}
	return TitleOperationCanceled.With(s.detail(
		fmt.Sprintf("The operation was canceled. Nothing was %s.", s.Op.Past()), facts))
}

func (s Subject) unknown(e *cas.UnknownError) diag.Diagnostic {
	facts := []string{"Cause: " + strings.ReplaceAll(s.words(e.Err), "\n", "; ")}
	if e.Base.ResourceVersion != "" {
		facts = append([]string{"Sent for resourceVersion: " + e.Base.ResourceVersion}, facts...)
	}
	way := s.Number("The state keeps the entry as it was. The next plan reads the key, and shows what is left to be done.",
		"The state keeps the keys as they were. The next plan reads them, and shows what is left to be done.")
	if s.Op == terms.OpCreate {
		way = fmt.Sprintf(s.Number("The state has nothing of it. If the key holds the value, import it with the id %q, or set adopt_existing = true to "+
			"take it over. If it does not, plan again.",
			"The state has nothing of it. If the keys hold the values, import them with the id %q, or set adopt_existing = true to "+
				"take them over. If they do not, plan again."), s.importID(s.ownKeys()))
	}
	return TitleWriteOutcomeUnknown.With(s.detail(
		s.Number("The write was sent, and it could not be found out whether the key was changed. It may be changed yet, while the write is on its way.",
			"The write was sent, and it could not be found out whether the keys were changed. All of them may be changed yet, while the write is on "+
				"its way; or none."),
		facts, way, "Where the verb \"watch\" on the ConfigMap is permitted, a lost answer can be settled."))
}
