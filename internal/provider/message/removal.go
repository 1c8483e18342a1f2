package message

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// RemovesChanged warns of keys that a removal deletes although another writer changed them. seen is the read that found
// their values; nil if the values come from the state.
func (s Subject) RemovesChanged(changed []decide.Drift, seen *eval.Snapshot) diag.Diagnostic {
	it := them(changed)
	keep := fmt.Sprintf("set %s to what they hold", root(s.Value))
	if len(changed) == 1 {
		keep = s.set(s.Keys[changed[0].Key].Value, changed[0].Key, changed[0].Found)
	}
	next := fmt.Sprintf("To keep %s, %s and deletion_policy = %q, apply, then destroy.", it, keep, terms.PolicyAbandon)
	if s.Op == terms.OpUpdate { // whose own policy counts
		next = fmt.Sprintf("To keep %s, set deletion_policy = %q.", it, terms.PolicyAbandon)
	}
	return s.warn(ValueChangedSinceLastApply, path.Empty(),
		enumerate(namesOf(changed))+number(len(changed),
			" does not hold what this resource last wrote. The apply removes it if it still holds what the plan found.",
			" do not hold what this resource last wrote. The apply removes them if they still hold what the plan found."),
		s.changedFacts(changed, seen), next)
}

// mostKept is of how many keys that stay in place a diagnostic shows the values.
const mostKept = 3

// Stays warns that a removal leaves keys in place. seen is the read that found their values; nil if the values come
// from the state.
func (s Subject) Stays(reason decide.Action, kept decide.Removals, seen *eval.Snapshot) diag.Diagnostic {
	keys := make([]string, len(kept))
	var facts []Fact
	for i, k := range kept {
		keys[i] = k.Key
		if facts = append(facts, s.keyFact(k.Key)...); i >= mostKept {
			continue
		}
		s := s.forKey(k.Key)
		if s.Hide != ShowNothing {
			facts = append(facts, Fact{"Found", renderOne(k.Live, s.Hide)})
		}
		if s.Hide == ShowValues && k.First != nil && !k.First.IsAbsent() && *k.First != k.Live {
			facts = append(facts, Fact{"Held first", renderOne(*k.First, s.Hide)})
		}
		if reason == decide.KeepChanged && seen != nil {
			facts = append(facts, s.changedBy(seen.Owners(k.Key))...)
		}
	}
	it, one := number(len(kept), "it", "them"), len(kept)
	happened := "It is not known what " + enumerate(keys) + " held before this resource wrote " + it
	switch reason {
	default:
	case decide.KeepOmitted:
		happened = "The configuration does not set " + enumerate(keys) + " any more"
	case decide.KeepChanged:
		happened = enumerate(keys) + number(one, " does", " do") + " not hold what this resource last wrote"
	case decide.KeepExisting:
		happened = enumerate(keys) + " existed before this resource wrote " + it
	}
	facts = append(facts, s.commands(kept)...) // of a plan as well: command lines show its warnings again after the apply
	return s.warn(KeyStaysInPlace, path.Empty(),
		happened+number(one, ", so it stays as it is.", ", so they stay as they are."),
		facts, s.afterwards(reason, kept, it))
}

// afterwards returns the next step for keys that stay in place.
func (s Subject) afterwards(reason decide.Action, kept decide.Removals, it string) string {
	if s.isGone() || s.Replanned {
		return "Terraform does not manage " + it + " any more."
	}
	next := s.withPolicy("To remove "+it, terms.PolicyDelete)
	switch {
	case reason == decide.KeepOmitted:
		next = fmt.Sprintf("To manage %s, set %s to what the %s holds.", it, root(s.Value), s.ID.Kind)
	case reason == decide.KeepChanged && s.Op == terms.OpUpdate:
		next = fmt.Sprintf("To remove %s, set deletion_policy = %q and on_drift = %q.", it, terms.PolicyDelete,
			terms.DriftOverwrite)
	case reason == decide.KeepChanged:
		live := map[string]eval.Value{}
		for _, k := range kept {
			live[k.Key] = k.Live
		}
		next = fmt.Sprintf("To remove %s, apply deletion_policy = %q and on_drift = %q%s before the destroy.", it,
			terms.PolicyDelete, terms.DriftOverwrite, s.withoutExpectations(live))
	case reason == decide.KeepExisting && s.ID.Kind != eval.Secret && !s.isWhole():
		next = s.withPolicy("To put back what "+strings.Replace(it, "them", "they", 1)+" held first", terms.PolicyRestore) +
			" " + next
	}
	if s.Op == terms.OpDelete {
		return next + " After the destroy, use kubectl as shown."
	}
	return next + " After the apply, use kubectl as shown."
}

// withoutExpectations names the attribute whose expectations the keys do not meet: an update that overwrites the keys
// compares them. It is empty if there are none.
func (s Subject) withoutExpectations(live map[string]eval.Value) string {
	for _, key := range slices.Sorted(maps.Keys(live)) {
		if paths := s.Keys[key]; paths.Want != nil && !paths.Want.Matches(live[key]) {
			return " without " + root(paths.Expected)
		}
	}
	return ""
}

// isGone reports whether this is the apply of a removal: no policy can be applied after it.
func (s Subject) isGone() bool { return s.Op == terms.OpDelete && s.Plan == "" }

// withPolicy is a next step that needs a policy: of an update its own counts, and of a destroy the one that was
// applied.
func (s Subject) withPolicy(purpose, policy string) string {
	if s.Op == terms.OpUpdate {
		return fmt.Sprintf("%s, set deletion_policy = %q.", purpose, policy)
	}
	return fmt.Sprintf("%s, apply deletion_policy = %q before the destroy.", purpose, policy)
}

// leave returns the way to leave keys as they are that an update releases.
func (s Subject) leave(keys ...string) string {
	return fmt.Sprintf("To leave %s as %s, set deletion_policy = %q.", enumerate(keys),
		number(len(keys), "it is", "they are"), terms.PolicyAbandon)
}

// ExistedBefore warns of a plan that deletes keys which existed before this resource wrote them. Nothing keeps the
// first values of a Secret.
func (s Subject) ExistedBefore(keys []string) diag.Diagnostic {
	way, policy := "put back what "+number(len(keys), "it held", "they held")+" first", terms.PolicyRestore
	if s.ID.Kind == eval.Secret || s.isWhole() {
		way, policy = "leave "+number(len(keys), "it", "them")+" in place", terms.PolicyAbandon
	}
	return s.warn(KeyExistedBeforeTerraform, path.Empty(),
		enumerate(keys)+" existed before this resource wrote "+number(len(keys), "it. This plan deletes it.",
			"them. This plan deletes them."),
		s.keyFact(keys...), s.withPolicy("To "+way, policy))
}

// PutsBack lists the values that a plan puts back.
func (s Subject) PutsBack(restores decide.Removals) diag.Diagnostic {
	keys := restores.Keys()
	it := number(len(keys), "it", "them")
	var facts []Fact
	for i, r := range restores {
		if facts = append(facts, s.keyFact(r.Key)...); i < mostDifferences { // all are named
			facts = append(facts, s.compare("Found", r.Live, "Put back", *r.First)...)
		}
	}
	return s.warn(ValueWillBePutBack, path.Empty(),
		"The apply puts back what "+enumerate(keys)+" held before this resource wrote "+it+".", facts,
		s.withPolicy("To leave "+it+" as "+number(len(keys), "it is", "they are"), terms.PolicyAbandon))
}

func (s Subject) changedFacts(changed []decide.Drift, seen *eval.Snapshot) (facts []Fact) {
	for _, c := range changed {
		facts = append(append(facts, s.keyFact(c.Key)...), Fact{"Found", renderOne(c.Found, s.forKey(c.Key).Hide)})
		if seen != nil {
			facts = append(facts, s.changedBy(seen.Owners(c.Key))...)
		}
	}
	return facts
}

// KeyMoves is for keys that one instance is planned to remove and another one has. stays says that the other one leaves
// a key as it is.
func (s Subject) KeyMoves(keys []string, stays bool) diag.Diagnostic {
	does, next := "writes", s.Ways.Move
	if stays {
		does, next = "keeps", "To keep "+number(len(keys), "it", "them")+
			", run terraform state rm with the address of the resource that the plan destroys. "+next
	}
	return s.refuse(KeyMovesBetweenInstances, s.keyPath(keys[0]),
		fmt.Sprintf("One instance removes %s and another one %s %s in the same run, in no fixed order.", enumerate(keys),
			does, number(len(keys), "it", "them")),
		s.keyFact(keys...), s.orDestroy(next+" "+deposedFirst))
}

// deposedFirst is the next step for an object that create_before_destroy left deposed: the plan destroys it, and has a
// new resource in the same place.
const deposedFirst = "If the plan destroys a deposed object, run terraform state rm with the address above, then " +
	"import the resource."

// KeyWrittenTwice is for keys that another resource of the plan has as well. ofMap says that one of the two is a whole
// object, which has all keys of a map.
func (s Subject) KeyWrittenTwice(keys []string, ofMap bool) diag.Diagnostic {
	happened := "Another resource has " + enumerate(keys) + " in the same configuration."
	next := number(len(keys), "Leave it to one of the two.", "Leave each to one of the two.")
	switch {
	case ofMap && s.ID.Kind == eval.Secret:
		next += " A cas_secret with data_wo has all keys: omit data_wo and binary_data_wo there to leave them to others."
	case ofMap:
		next += " A cas_configmap with data has all keys with text, and one with binary_data all others: omit the map " +
			"there to leave them to others."
	default:
		next += " If one replaces the other, delete the old block and add a moved block."
	}
	if s.Plan == terms.PlanCheckWarning { // of two that are not changed, neither is refused
		return s.warn(KeyWrittenTwice, s.keyPath(keys[0]), happened+" The apply refuses the second write.",
			s.keyFact(keys...), next)
	}
	return s.refuse(KeyWrittenTwice, s.keyPath(keys[0]), happened, s.keyFact(keys...), s.orDestroy(next))
}

// WrittenTwiceError is of an apply in which another resource has written keys, or taken them over. Nothing was sent.
type WrittenTwiceError struct{ Keys []string }

// Error implements error.
func (e *WrittenTwiceError) Error() string {
	return "another resource of this run has written " + enumerate(e.Keys)
}

func (s Subject) writtenTwice(e *WrittenTwiceError) diag.Diagnostic {
	return s.refuse(KeyWrittenTwice, s.keyPath(e.Keys[0]),
		"Another resource of this run has written "+enumerate(e.Keys)+", or taken "+number(len(e.Keys), "it", "them")+
			" over.",
		s.keyFact(e.Keys...), number(len(e.Keys), "Leave it to one of the two.", "Leave each to one of the two."))
}

// VersionNotKnown is for a state that has no version to hold on to.
func (s Subject) VersionNotKnown() diag.Diagnostic {
	return s.refuse(ConfigMapVersionNotKnown, path.Empty(), "", nil, s.orDestroy(ConfigMapVersionNotKnown.Next))
}

// ExpectationMissing is for keys of a Secret that an update writes without an expected value.
func (s Subject) ExpectationMissing(keys []string) diag.Diagnostic {
	return s.refuse(ExpectedValueMissing, s.Keys[keys[0]].Value,
		fmt.Sprintf("With conflict_scope = %q, an update needs the expected value of %s.", terms.ScopeKey, enumerate(keys)),
		s.keyFact(keys...),
		s.orDestroy(fmt.Sprintf("Set %s or expected_resource_version_wo, or conflict_scope = %q.",
			root(s.Keys[keys[0]].Expected),
			terms.ScopeObject)))
}

// TaintedReplacesItself is for the replacement of a tainted resource by one that needs the present values.
func (s Subject) TaintedReplacesItself() diag.Diagnostic {
	return s.refuse(ReplacementWouldFail, path.Empty(),
		"This resource is tainted. The removal comes first, so its replacement would not find what it needs.", nil,
		"Run terraform untaint with its address.")
}

// MayReplaceItself warns of a replacement that may turn out to be of the same keys.
func (s Subject) MayReplaceItself() diag.Diagnostic {
	return s.warn(ReplacementMayFail, path.Empty(),
		fmt.Sprintf("The new %s are known only at apply. If they are the same, the create fails, because the "+
			"removal comes first.", s.Place), nil,
		fmt.Sprintf("Make %s known at plan, or change %s instead of replacing the resource.", s.Place, root(s.Value)))
}

// replacesItself says why a resource cannot be replaced by one of the same keys.
var replacesItself = map[decide.FindingKind]string{
	decide.FindReplacesAdopted:  "The removal comes first, so adopt_existing would find nothing to adopt.",
	decide.FindReplacesExpected: "The removal comes first, so what is expected would be gone.",
	decide.FindReplacesKept:     "deletion_policy leaves the key in place, so the new resource would find it taken.",
}

// ReplacesItself is for the replacement of a resource by one of the same keys whose creation would fail.
func (s Subject) ReplacesItself(why decide.FindingKind) diag.Diagnostic {
	s.Op = terms.OpDelete // the half of the replace that comes first
	return s.refuse(ReplacementWouldFail, path.Empty(), replacesItself[why], nil,
		fmt.Sprintf("Change %s instead of replacing the resource.", root(s.Value)))
}

// NothingThere is for an import of an object, or of a key, that does not exist. The facts say what was looked for.
func (s Subject) NothingThere(seen *eval.Snapshot, missing Missing) diag.Diagnostic {
	form, next := "namespace/name", " To create it, remove the import."
	switch {
	case s.Document != "":
		form = terms.DocumentIDForm
	case s.APIVersion != "":
		form = "api_version/kind/namespace/name/path1,path2"
	case s.Members != nil: // of an allocation
		form += "/key/value"
	case s.ID.Key != "":
		form += "/key"
	case s.Place != "": // of several keys
		form += ":key1,key2"
	}
	if s.ID.Key != "" && seen.Exists() {
		return s.fail(KeyNotFound, path.Empty(), fmt.Sprintf("The %s has no key %q. Nothing was imported.", s.ID.Kind,
			s.ID.Key), existingKeys(s.ID.Key, seen),
			didYouMean(s.ID.Key, keysIn(seen))+"Correct the import, whose id is "+form+"."+next)
	}
	if s.Place != "" || s.Members != nil { // no resource of keys creates the object
		next = ""
	}
	r := ConfigMapNotFound
	if missing.Namespace {
		r = NamespaceNotFound
	}
	return s.fail(r, path.Empty(), s.row(r).Meaning+" Nothing was imported.", missing.facts(),
		missing.near(s)+"Correct the import, whose id is "+form+"."+next)
}

// NotImported is for an import of keys that are not there, or of all keys where there are none.
func (s Subject) NotImported(missing []string, seen *eval.Snapshot) diag.Diagnostic {
	at := path.Root("data")
	switch {
	case s.Revision != "":
		at = path.Root(s.Revision)
	case s.APIVersion != "":
		at = s.Value
	}
	if len(missing) == 0 {
		return s.fail(NothingToImport, at,
			fmt.Sprintf("The %s has no keys to import. Nothing was imported.", s.ID.Kind), nil,
			"Remove the import: the next apply writes the keys of the configuration.")
	}
	happened := fmt.Sprintf("The %s has no key %q. Nothing was imported.", s.ID.Kind, missing[0])
	next := fmt.Sprintf("Correct the names in the import, or leave out the %ss that do not exist yet: the next "+
		"apply writes them.", s.part())
	if len(missing) == 1 {
		next = didYouMean(missing[0], keysIn(seen)) + next
	}
	if s.APIVersion != "" {
		happened = fmt.Sprintf("The %s does not have %s. Nothing was imported.", s.ID.Kind, enumerate(missing))
	} else if len(missing) > 1 {
		happened = fmt.Sprintf("The %s does not have the keys %s. Nothing was imported.", s.ID.Kind, enumerate(missing))
	}
	return s.fail(KeyNotFound, at, happened, append(s.keyFact(missing...), existingKeys(missing[0], seen)...), next)
}
