package diagnose

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// WholeConfigMap is what a diagnostic about a whole ConfigMap has of it.
type WholeConfigMap struct {
	State *Content                       // nil where there is none, as of a create
	Live  func(*cas.Observation) Content // what is there of what is not left alone; nil where there is no state
}

// Content is what of a ConfigMap a resource manages. A nil map is left to others.
type Content struct {
	Data, BinaryData, Labels, Annotations map[string]cas.Entry
	Immutable                             bool
}

// contentPart is one of the maps of a Content.
type contentPart struct {
	name    string // of what is in it
	entries *map[string]cas.Entry
}

func (c *Content) parts() []contentPart {
	return []contentPart{{"Key", &c.Data}, {"Key", &c.BinaryData}, {"Label", &c.Labels}, {"Annotation", &c.Annotations}}
}

// mostDifferences is how many keys that differ a diagnostic lists.
const mostDifferences = 10

// diagnoseWhole is diagnose where a whole ConfigMap reads otherwise than its keys; nil where it does not.
func (s Subject) diagnoseWhole(err error) diag.Diagnostic {
	if s.Whole == nil {
		return nil
	}
	var (
		conflict    *cas.ConflictError
		exists      *cas.ExistsError
		noNamespace *cas.NoNamespaceError
		notFound    *cas.NotFoundError
		immutable   *cas.ImmutableError
		terminating *cas.TerminatingError
		tooLarge    *cas.TooLargeError
		forbidden   *cas.ForbiddenError
		unreachable *cas.UnreachableError
		refused     *cas.RefusedError
		canceled    *cas.CanceledError
		unknown     *cas.UnknownError
	)
	switch {
	case errors.As(err, &unknown): // first: what it wraps would say that nothing was written
		return s.unknownWhole(unknown)
	case errors.As(err, &conflict):
		return s.conflictWhole(conflict)
	case errors.As(err, &exists):
		return s.exists(exists)
	case errors.As(err, &noNamespace):
		return s.noNamespace()
	case errors.As(err, &notFound):
		return TitleConfigMapNotFound.With(s.detail(
			"The ConfigMap does not exist any more. Nothing was written.", nil,
			"Plan again: the refresh drops it from the state, and the plan makes it anew."))
	case errors.As(err, &immutable):
		return TitleConfigMapIsImmutable.With(s.detail(
			"The ConfigMap is immutable, and the state does not say so. Nothing was written.", nil,
			"Plan again: once the state says so, the plan replaces the ConfigMap."))
	case errors.As(err, &terminating):
		return s.terminatingWhole("Deleted at: " + terminating.Since.Format(time.RFC3339))
	case errors.As(err, &tooLarge):
		return TitleConfigMapTooLarge.At(s.Value, s.detail(
			"With these values the ConfigMap would be too large. Nothing was written.", []string{
				fmt.Sprintf("Values: %d bytes", tooLarge.New),
				fmt.Sprintf("All other values: %d bytes", tooLarge.Others),
				fmt.Sprintf("Limit: %d bytes for all values together", cas.MaxSize),
			}, "Shorten them, or use another ConfigMap."))
	case errors.As(err, &forbidden):
		return s.forbidden(forbidden, `Planning needs the verb "get" on the ConfigMap, applying "create", "patch" and "delete" as well.`)
	case errors.As(err, &unreachable), errors.As(err, &refused), errors.As(err, &canceled):
		return nil
	default:
		return TitleUnexpectedError.With(s.detail(
			fmt.Sprintf("To %s the ConfigMap failed in a way that the provider does not know.", s.Op), []string{"Cause: " + s.words(err)}))
	}
}

func (s Subject) conflictWhole(e *cas.ConflictError) diag.Diagnostic {
	if e.Reason == cas.ReasonObject || e.Reason == cas.ReasonVersion || e.Reason == cas.ReasonOwn {
		facts := append(s.liveDifferences(e.Live), versionFacts(e.At, e.Live)...)
		return TitleCompareAndSwapConflict.With(s.detail(
			fmt.Sprintf("Another writer changed the ConfigMap since it was observed. Nothing was %s.", s.Op.Past()), facts, again,
			"Another provider, and another alias of this one, is another writer."))
	}
	return TitleCompareAndSwapConflict.With(s.detail(
		"Keys do not hold what the state says. Nothing was written.", s.conflictFacts(e), again,
		"A key that cas_configmap_entry owns must not be in data or binary_data: leave them out where entries own the keys."))
}

func (s Subject) exists(e *cas.ExistsError) diag.Diagnostic {
	if e.Live.Terminating() {
		return s.terminatingWhole()
	}
	return TitleConfigMapAlreadyExists.At(path.Root("name"), s.detail(
		"The ConfigMap exists already, and this state does not know where from. Nothing was written.", versionFacts(cas.Version{}, e.Live),
		fmt.Sprintf("Import it with the id %q, or choose another name.", s.ID.Ref),
		"If the resource is tainted, `terraform untaint` keeps it: a tainted resource cannot be told from a new one. "+
			"With create_before_destroy, use generate_name: two ConfigMaps cannot have one name."))
}

func (s Subject) terminatingWhole(facts ...string) diag.Diagnostic {
	return TitleConfigMapIsBeingDeleted.With(s.detail(
		"The ConfigMap is being deleted, so nothing was written.", facts, "Wait until it is gone, then plan again."))
}

func (s Subject) noNamespace() diag.Diagnostic {
	if s.Planning {
		s.Planning = false // a warning already
		return WarningNamespaceDoesNotExistYet.At(path.Root("namespace"), s.detail(
			"The namespace does not exist, so that nothing could be checked. It may be made in this apply; the check is made then.", nil,
			"Let the ConfigMap depend on what makes the namespace."))
	}
	return TitleNamespaceNotFound.At(path.Root("namespace"), s.detail(
		"The namespace does not exist. Nothing was written.", nil,
		"Make it first, and let the ConfigMap depend on what makes it."))
}

func (s Subject) unknownWhole(e *cas.UnknownError) diag.Diagnostic {
	facts := []string{"Cause: " + strings.ReplaceAll(s.words(e.Err), "\n", "; ")}
	if e.Base.ResourceVersion != "" {
		facts = append([]string{"Sent for resourceVersion: " + e.Base.ResourceVersion}, facts...)
	}
	way := "The state keeps the ConfigMap as it was. The next plan reads it, and shows what is left to be done."
	if s.Op == terms.OpCreate {
		way = fmt.Sprintf("The state has nothing of it. If the ConfigMap is there and yours, import it with the id %q. If it is not there, plan again.",
			s.ID.Ref)
	}
	return TitleWriteOutcomeUnknown.With(s.detail(
		fmt.Sprintf("The write was sent, and it could not be found out whether the ConfigMap was %s. It may be yet, while the write is on its way.",
			map[terms.Operation]string{terms.OpCreate: "created", terms.OpUpdate: "changed", terms.OpDelete: "deleted"}[s.Op]),
		facts, way, "Where the verb \"watch\" on the ConfigMap is permitted, a lost answer can be settled."))
}

// differences are lines about where two ConfigMaps differ, in the parts that both manage, under the names that either has there.
func (s Subject) differences(a, b Content, nameA, nameB string) (lines []string) {
	left, others := 0, b.parts()
	for i, part := range a.parts() {
		inA, inB := *part.entries, *others[i].entries
		if inA == nil || inB == nil {
			continue
		}
		all := maps.Clone(inA)
		maps.Copy(all, inB)
		for _, key := range slices.Sorted(maps.Keys(all)) {
			if inA[key].Holds(inB[key]) {
				continue
			}
			if len(lines) == 3*mostDifferences {
				left++
				continue
			}
			valueA, valueB := renderPair(inA[key], inB[key], s.Hide)
			lines = append(lines, part.name+": "+key, nameA+": "+valueA, nameB+": "+valueB)
		}
	}
	if left > 0 {
		lines = append(lines, fmt.Sprintf("And %d more.", left))
	}
	return lines
}

// liveDifferences are those of the live ConfigMap from the state.
func (s Subject) liveDifferences(o *cas.Observation) []string {
	if s.Whole.State == nil || !o.Exists() {
		return nil
	}
	was, live := *s.Whole.State, s.Whole.Live(o)
	lines := s.differences(was, live, "Expected", "Live")
	if was.Immutable != live.Immutable {
		lines = append(lines, fmt.Sprintf("Expected immutable: %t", was.Immutable), fmt.Sprintf("Live immutable: %t", live.Immutable))
	}
	return lines
}

// Admitted warns where what was stored is not what was planned.
func (s Subject) Admitted(plan, stored Content) diag.Diagnostics {
	for _, entries := range []map[string]cas.Entry{stored.Data, stored.BinaryData} {
		// Of keys only those that are planned: an entry may have come with the same write.
		maps.DeleteFunc(entries, func(key string, _ cas.Entry) bool {
			return plan.Data[key].IsAbsent() && plan.BinaryData[key].IsAbsent()
		})
	}
	lines := s.differences(plan, stored, "Sent", "Stored")
	if lines == nil {
		return nil
	}
	return diag.Diagnostics{WarningConfigMapChangedByAdmission.With(s.detail(
		"The ConfigMap was written, and the cluster's admission changed it on its way in. The next refresh shows it as drift.", lines,
		"What admission adds to labels and annotations can be left to it by the provider's ignore_labels and ignore_annotations."))}
}

// TakenOver is for an update that manages what the state has left to others: it says what that changes, which the plan does not show.
// was is the state with what the update takes over.
func (s Subject) TakenOver(plan, state, was Content) diag.Diagnostics {
	before := was.parts()
	for i, part := range state.parts() {
		if *part.entries != nil {
			*before[i].entries = nil // the plan shows it
		}
	}
	lines := s.differences(was, plan, "Live", "Planned")
	if lines == nil {
		return nil
	}
	s.Planning = false // a warning already
	return diag.Diagnostics{WarningUnmanagedKeysWillChange.With(s.detail(
		"The configuration manages what it has left to others so far. The plan does not show what that changes.", lines))}
}
