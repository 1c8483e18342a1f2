package provider

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
)

// wholeConfigMap is what a diagnostic about a whole ConfigMap has of it.
type wholeConfigMap struct {
	state   *configMapModel // nil where there is none, as of a create
	ignored ignoredMetadata
}

// mostDifferences is how many keys that differ a diagnostic lists.
const mostDifferences = 10

func (r *configMapResource) about(m, state *configMapModel, op operation) subject {
	s := subject{id: entryID{Ref: m.ref()}, op: op, expected: path.Empty(), hide: r.hides(m.HideValues), limit: op}
	s.whole = &wholeConfigMap{state: state}
	if r.data != nil {
		s.whole.ignored = r.data.ignored
	}
	for _, model := range []*configMapModel{m, state} {
		if model != nil {
			s.values = slices.AppendSeq(s.values, maps.Values(model.entries()))
		}
	}
	s.value = path.Root("data")
	if m.Data.IsNull() {
		s.value = path.Root("binary_data")
	}
	return s
}

// diagnoseWhole is diagnose where a whole ConfigMap reads otherwise than its keys; nil where it does not.
func (s subject) diagnoseWhole(err error) diag.Diagnostic {
	if s.whole == nil {
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
		return titleConfigMapNotFound.with(s.detail(
			"The ConfigMap does not exist any more. Nothing was written.", nil,
			"Plan again: the refresh drops it from the state, and the plan makes it anew."))
	case errors.As(err, &immutable):
		return titleConfigMapIsImmutable.with(s.detail(
			"The ConfigMap is immutable, and the state does not say so. Nothing was written.", nil,
			"Plan again: once the state says so, the plan replaces the ConfigMap."))
	case errors.As(err, &terminating):
		return s.terminatingWhole("Deleted at: " + terminating.Since.Format(time.RFC3339))
	case errors.As(err, &tooLarge):
		return titleConfigMapTooLarge.at(s.value, s.detail(
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
		return titleUnexpectedError.with(s.detail(
			fmt.Sprintf("To %s the ConfigMap failed in a way that the provider does not know.", s.op), []string{"Cause: " + s.words(err)}))
	}
}

func (s subject) conflictWhole(e *cas.ConflictError) diag.Diagnostic {
	if e.Reason == cas.ReasonObject || e.Reason == cas.ReasonVersion || e.Reason == cas.ReasonOwn {
		facts := append(s.liveDifferences(e.Live), versionFacts(e.At, e.Live)...)
		return titleCompareAndSwapConflict.with(s.detail(
			fmt.Sprintf("Another writer changed the ConfigMap since it was observed. Nothing was %s.", s.op.past()), facts, again,
			"Another provider, and another alias of this one, is another writer."))
	}
	return titleCompareAndSwapConflict.with(s.detail(
		"Keys do not hold what the state says. Nothing was written.", s.conflictFacts(e), again,
		"A key that cas_configmap_entry owns must not be in data or binary_data: leave them out where entries own the keys."))
}

func (s subject) exists(e *cas.ExistsError) diag.Diagnostic {
	if e.Live.Terminating() {
		return s.terminatingWhole()
	}
	return titleConfigMapAlreadyExists.at(path.Root("name"), s.detail(
		"The ConfigMap exists already, and this state does not know where from. Nothing was written.", versionFacts(cas.Version{}, e.Live),
		fmt.Sprintf("Import it with the id %q, or choose another name.", s.id.Ref),
		"If the resource is tainted, `terraform untaint` keeps it: a tainted resource cannot be told from a new one. "+
			"With create_before_destroy, use generate_name: two ConfigMaps cannot have one name."))
}

func (s subject) terminatingWhole(facts ...string) diag.Diagnostic {
	return titleConfigMapIsBeingDeleted.with(s.detail(
		"The ConfigMap is being deleted, so nothing was written.", facts, "Wait until it is gone, then plan again."))
}

func (s subject) noNamespace() diag.Diagnostic {
	if s.planning {
		s.planning = false // a warning already
		return warningNamespaceDoesNotExistYet.at(path.Root("namespace"), s.detail(
			"The namespace does not exist, so that nothing could be checked. It may be made in this apply; the check is made then.", nil,
			"Let the ConfigMap depend on what makes the namespace."))
	}
	return titleNamespaceNotFound.at(path.Root("namespace"), s.detail(
		"The namespace does not exist. Nothing was written.", nil,
		"Make it first, and let the ConfigMap depend on what makes it."))
}

func (s subject) unknownWhole(e *cas.UnknownError) diag.Diagnostic {
	facts := []string{"Cause: " + strings.ReplaceAll(s.words(e.Err), "\n", "; ")}
	if e.Base.ResourceVersion != "" {
		facts = append([]string{"Sent for resourceVersion: " + e.Base.ResourceVersion}, facts...)
	}
	way := "The state keeps the ConfigMap as it was. The next plan reads it, and shows what is left to be done."
	if s.op == opCreate {
		way = fmt.Sprintf("The state has nothing of it. If the ConfigMap is there and yours, import it with the id %q. If it is not there, plan again.",
			s.id.Ref)
	}
	return titleWriteOutcomeUnknown.with(s.detail(
		fmt.Sprintf("The write was sent, and it could not be found out whether the ConfigMap was %s. It may be yet, while the write is on its way.",
			map[operation]string{opCreate: "created", opUpdate: "changed", opDelete: "deleted"}[s.op]),
		facts, way, "Where the verb \"watch\" on the ConfigMap is permitted, a lost answer can be settled."))
}

// differences are lines about where two ConfigMaps differ, in the parts that both manage, under the names that either has there.
func (s subject) differences(a, b *configMapModel, nameA, nameB string) (lines []string) {
	left := 0
	for _, p := range parts {
		if p.of(a).IsNull() || p.of(b).IsNull() {
			continue
		}
		inA, inB := p.entries(a), p.entries(b)
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
			valueA, valueB := renderPair(inA[key], inB[key], s.hide)
			lines = append(lines, p.name+": "+key, nameA+": "+valueA, nameB+": "+valueB)
		}
	}
	if left > 0 {
		lines = append(lines, fmt.Sprintf("And %d more.", left))
	}
	return lines
}

// liveDifferences are those of the live ConfigMap from the state.
func (s subject) liveDifferences(o *cas.Observation) []string {
	if s.whole.state == nil || !o.Exists() {
		return nil
	}
	live := s.whole.ignored.live(o, s.whole.state)
	lines := s.differences(s.whole.state, live, "Expected", "Live")
	if was := s.whole.state.Immutable.ValueBool(); was != o.Immutable() {
		lines = append(lines, fmt.Sprintf("Expected immutable: %t", was), fmt.Sprintf("Live immutable: %t", o.Immutable()))
	}
	return lines
}

// admitted warns where what was stored is not what was planned.
func (s subject) admitted(plan *configMapModel, after *cas.Observation) diag.Diagnostics {
	stored := s.whole.ignored.live(after, plan)
	planned := plan.entries()
	for _, m := range []*types.Map{&stored.Data, &stored.BinaryData} {
		// Of keys only those that are planned: an entry may have come with the same write.
		kept := stringsOf(*m)
		maps.DeleteFunc(kept, func(key, _ string) bool { return planned[key].IsAbsent() })
		*m = mapOf(kept)
	}
	lines := s.differences(plan, stored, "Sent", "Stored")
	if lines == nil {
		return nil
	}
	return diag.Diagnostics{warningConfigMapChangedByAdmission.with(s.detail(
		"The ConfigMap was written, and the cluster's admission changed it on its way in. The next refresh shows it as drift.", lines,
		"What admission adds to labels and annotations can be left to it by the provider's ignore_labels and ignore_annotations."))}
}

// takenOver is for an update that manages what the state has left to others: it says what that changes, which the plan does not show.
func (s subject) takenOver(plan, state, was *configMapModel) diag.Diagnostics {
	before := *was
	for _, p := range parts {
		if !p.of(state).IsNull() {
			*p.of(&before) = types.MapNull(types.StringType) // the plan shows it
		}
	}
	lines := s.differences(&before, plan, "Live", "Planned")
	if lines == nil {
		return nil
	}
	s.planning = false // a warning already
	return diag.Diagnostics{warningUnmanagedKeysWillChange.with(s.detail(
		"The configuration manages what it has left to others so far. The plan does not show what that changes.", lines))}
}
