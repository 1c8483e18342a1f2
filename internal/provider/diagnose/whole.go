package diagnose

import (
	"fmt"
	"maps"
	"slices"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// Content has the parts of a ConfigMap that a resource manages, by attribute. A nil map is not managed.
type Content map[string]map[string]eval.Value

const (
	// Names of the parts of a ConfigMap in diagnostics.
	PartKey        = "Key"
	PartLabel      = "Label"
	PartAnnotation = "Annotation"
	PartImmutable  = "Attribute"
	// Names of a field of an object, and of a value of a pool, in diagnostics.
	partField  = "Field"
	partValue  = "Value"
	partWanted = "Wanted"
	// immutable is an attribute, and all that it holds.
	immutable = "immutable"
	// mostDifferences is of how many keys that differ a diagnostic shows what they hold.
	mostDifferences = 10
)

func (s Subject) exists(e *eval.ExistsError) diag.Diagnostic {
	if e.Live.Terminating() {
		return s.terminating(&eval.TerminatingError{Since: e.Live.Metadata().DeletionTimestamp.Time, Finalizers: e.Live.Finalizers()})
	}
	facts := append(s.changedBy(e.Live.LastWriters()), Fact{factVersion, e.Live.Version().ResourceVersion})
	return s.refuse(TitleConfigMapAlreadyExists, path.Root("name"), fmt.Sprintf("The %s already exists.", s.ID.Kind), append(facts, s.importFact(nil)...),
		s.orDestroy(taintedOr(fmt.Sprintf("import it, set expected_resource_version_wo = %q to take it over, or choose another "+
			"name; with create_before_destroy, use generate_name.", e.Live.Version().ResourceVersion))))
}

// CreatedTwice is for a ConfigMap that another resource of the plan creates as well.
func (s Subject) CreatedTwice() diag.Diagnostic {
	return s.refuse(TitleConfigMapCreatedTwice, path.Root("name"), "", nil, s.orDestroy(TitleConfigMapCreatedTwice.Next))
}

// ObjectMoves is for a ConfigMap that one instance is planned to delete and another one has.
func (s Subject) ObjectMoves() diag.Diagnostic {
	return s.refuse(TitleConfigMapMovesBetweenInstances, path.Root("name"), "", nil, s.orDestroy(TitleConfigMapMovesBetweenInstances.Next))
}

func (s Subject) noNamespace(missing Missing) diag.Diagnostic {
	if s.Plan != "" {
		return s.warn(TitleNamespaceDoesNotExistYet, path.Root("namespace"), "", missing.facts(),
			missing.near(s)+TitleNamespaceDoesNotExistYet.Next)
	}
	return s.refuse(TitleNamespaceNotFound, path.Root("namespace"), "", missing.facts(), missing.near(s)+s.orDestroy(TitleNamespaceNotFound.Next))
}

// differences are facts about where two ConfigMaps differ, in the parts that both manage, under the names that either has there. live is
// the second one, if the facts must name its writers.
func (s Subject) differences(a, b Content, nameA, nameB string, live *eval.Snapshot) (facts []Fact) {
	count := 0
	for _, part := range [][2]string{{PartKey, "data"}, {PartKey, "binary_data"}, {PartLabel, "labels"}, {PartAnnotation, "annotations"}} {
		noun, inA, inB := part[0], a[part[1]], b[part[1]]
		if inA == nil || inB == nil {
			continue
		}
		all := maps.Clone(inA)
		maps.Copy(all, inB)
		for _, key := range slices.Sorted(maps.Keys(all)) {
			if inA[key].Matches(inB[key]) {
				continue
			}
			if count++; count > mostDifferences && live != nil { // a warning names all
				continue
			}
			if facts = append(facts, Fact{noun, key}); count > mostDifferences {
				continue
			}
			facts = append(facts, s.forPart(noun).compare(nameA, inA[key], nameB, inB[key])...)
			if noun == PartKey && live != nil {
				facts = append(facts, s.changedBy(live.Owners(key))...)
			}
		}
	}
	if live != nil && count > mostDifferences {
		facts = append(facts, Fact{factMore, fmt.Sprint(count - mostDifferences)})
	}
	expected, found := a[immutable][immutable] == eval.Bool(true), b[immutable][immutable] == eval.Bool(true)
	if live != nil && expected != found {
		facts = append(facts, Fact{immutable, fmt.Sprintf("%t expected, %t found", expected, found)})
	}
	return facts
}

// TakenOver is for an update that begins to manage parts of the object. It lists the changes, which the plan does not
// show. found has the live content of these parts.
func (s Subject) TakenOver(plan, found Content) diag.Diagnostics {
	facts := s.differences(found, plan, "Found", "Planned", nil)
	if facts == nil {
		return nil
	}
	return diag.Diagnostics{s.warn(TitleUnmanagedKeysWillChange, path.Empty(),
		fmt.Sprintf("This configuration manages parts of the %s that were left to others so far.", s.ID.Kind), facts, "")}
}

// Replaces warns of values that a create or an update replaces although the configuration does not expect them: it names
// the version at which they were read. No plan shows them.
func (s Subject) Replaces(values []Drift) diag.Diagnostic {
	var facts []Fact
	for _, v := range values {
		facts = append(append(facts, s.keyFact(v.Key)...), s.compare("Found", v.Found, "Planned", v.ToWrite)...)
	}
	return s.warn(TitleUnmanagedKeysWillChange, path.Empty(), enumerate(namesOf(values))+number(len(values), " exists", " exist")+
		", and expected_resource_version_wo permits to replace "+them(values)+".", facts, "")
}

// NoLongerManaged is for an update that leaves parts to others, which looks like their removal in a plan. left has the names in each part.
func (s Subject) NoLongerManaged(left map[string][]string) diag.Diagnostic {
	var parts []string
	var facts []Fact
	for _, part := range slices.Sorted(maps.Keys(left)) {
		name := part
		if s.ID.Kind == eval.Secret && part == "binary_data" { // which has all that a Secret holds
			name = root(s.Value)
		}
		parts, facts = append(parts, name), append(facts, Fact{name, Nearest("", left[part])})
	}
	what := enumerate(parts)
	return s.warn(TitleNoLongerManaged, path.Empty(), fmt.Sprintf(
		"The configuration does not set %s. This update changes nothing there, and the resource does not manage it any more.", what), facts,
		fmt.Sprintf("To manage it, set %s to what the %s has, or to {} to remove it.", what, s.ID.Kind))
}

// isInOtherMap reports whether planned keys of one map of a whole ConfigMap are in the other map, which the resource does
// not manage. In the state such a key is missing.
func (s Subject) isInOtherMap(e *eval.ConflictError) bool {
	return s.Content != nil && !slices.ContainsFunc(e.Keys, func(k eval.KeyConflict) bool {
		_, toBytes := k.New.Binary()
		found := e.Live.Value(k.Key)
		_, isBytes := found.Binary()
		return !k.Expected.IsAbsent() || k.New.IsAbsent() || found.IsAbsent() || toBytes == isBytes
	})
}

// inOtherMap is for keys that are in the map which the resource leaves to others.
func (s Subject) inOtherMap(e *eval.ConflictError) diag.Diagnostic {
	keys, in, to, other := keysOf(e.Keys), "binaryData", "data", "binary_data"
	if _, toBytes := e.Keys[0].New.Binary(); toBytes {
		in, to, other = "data", "binary_data", "data"
	}
	var facts []Fact
	for _, key := range keys {
		facts = append(append(append(facts, s.keyFact(key)...), Fact{"Found", renderOne(e.Live.Value(key), s.Hide)}), s.changedBy(e.Live.Owners(key))...)
	}
	happened := fmt.Sprintf("%s %s in %s of the %s, which this resource does not manage: a key cannot be in both maps.", enumerate(keys),
		number(len(keys), "is", "are"), in, s.ID.Kind)
	next := fmt.Sprintf("To leave %[1]s there, remove %[1]s from %[2]s. To move %[1]s, set %[3]s to the keys that it shall have, {} for none: the update removes all others from %[4]s.",
		number(len(keys), "it", "them"), to, other, in)
	return s.refuse(TitleKeyInTheOtherMap, path.Root(to), happened, append(facts, s.versionFacts(e)...), s.orDestroy(next))
}

// Admitted warns where what was stored is not what was planned.
func (s Subject) Admitted(plan, stored Content) diag.Diagnostics {
	for _, entries := range []map[string]eval.Value{stored["data"], stored["binary_data"]} {
		// Of keys only those that are planned: an entry may have come with the same write.
		maps.DeleteFunc(entries, func(key string, _ eval.Value) bool {
			return plan["data"][key].IsAbsent() && plan["binary_data"][key].IsAbsent()
		})
	}
	facts := s.differences(plan, stored, "Sent", "Stored", nil)
	if facts == nil {
		return nil
	}
	return diag.Diagnostics{s.warn(TitleConfigMapChangedByAdmission, path.Empty(), "", facts, "")}
}
