package diagnose

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// KeyAttributes is where the configuration of a resource of several keys has to do with one of them.
type KeyAttributes struct {
	Value    string    // the map that gives its value, empty where none does
	Expected string    // the map that gives its expectation, empty where none does
	Want     cas.Entry // what that is
}

// KeyValue is what a key holds.
type KeyValue struct {
	Key  string
	Live cas.Entry
}

// KeyChange is what became of a key.
type KeyChange struct {
	Key          string
	Sent, Stored cas.Entry
}

const again = "Plan again to see what is there now, and apply that plan if it still says what you mean."

// words are those for one or for several.
func words(n int, one, several string) string {
	if n == 1 {
		return one
	}
	return several
}

// Number is words for as many keys as the resource is of.
func (s Subject) Number(one, several string) string {
	if s.Several == nil {
		return one
	}
	return several
}

// thing is what a resource has in a ConfigMap.
func (s Subject) thing() string {
	if s.IsCounter {
		return "counter"
	}
	return s.Number("entry", "keys")
}

// ownKeys are those that the configuration gives values to.
func (s Subject) ownKeys() (keys []string) {
	for key, a := range s.Several {
		if a.Value != "" {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	return keys
}

// importID is the id with which keys of this resource's can be imported.
func (s Subject) importID(keys []string) string {
	if s.Several == nil {
		return s.ID.String()
	}
	return terms.DataID{Ref: s.ID.Ref, Keys: keys}.String()
}

// valuePath is the attribute that gives a key's value.
func (s Subject) valuePath(key string) path.Path {
	if a := s.Several[key]; a.Value != "" {
		return path.Root(a.Value).AtMapKey(key)
	}
	return s.Value
}

// expectation is the name of the attribute that says what a key must hold, and its path; an empty name where none does.
func (s Subject) expectation(k cas.KeyConflict) (string, path.Path) {
	if s.Several == nil {
		if s.Expected.Equal(path.Empty()) {
			return "", s.Expected
		}
		return s.Expected.String(), s.Expected
	}
	a := s.Several[k.Key]
	if a.Expected == "" || a.Want != k.Expected { // else it is the state that says what the key must hold
		return "", path.Empty()
	}
	return a.Expected, path.Root(a.Expected).AtMapKey(k.Key)
}

// fault is in which way a key does not hold.
type fault uint8

const (
	faultMismatch fault = iota // not what the configuration expects
	faultHeld                  // the value already
	faultExists                // something, where nothing is expected
	faultChanged               // not what was observed
	faults
)

func (s Subject) faultOf(k cas.KeyConflict) fault {
	expectation, _ := s.expectation(k)
	switch {
	case k.Reason == cas.ReasonHeld:
		return faultHeld
	case expectation != "" && s.Op != terms.OpDelete:
		return faultMismatch
	case s.Op == terms.OpCreate || s.Op == terms.OpUpdate && k.Expected.IsAbsent() && s.Several != nil:
		return faultExists
	default:
		return faultChanged
	}
}

// keyConflict is for keys that do not hold what they must, all of them, each in its way.
func (s Subject) keyConflict(e *cas.ConflictError, facts []string) diag.Diagnostic {
	var of [faults][]cas.KeyConflict
	kinds := 0
	for _, k := range e.Keys {
		f := s.faultOf(k)
		if of[f] = append(of[f], k); len(of[f]) == 1 {
			kinds++
		}
	}
	var happened, way []string
	title, at := ErrorTitle(""), path.Empty()
	for f, keys := range of {
		if len(keys) == 0 {
			continue
		}
		what, where, sentence, ways := s.wordFault(fault(f), keys, kinds > 1)
		if title == "" {
			title, at = what, where
		}
		happened, way = append(happened, sentence), append(way, ways...)
	}
	if kinds > 1 {
		title = TitleCompareAndSwapConflict
	}
	text := s.detail(strings.Join(happened, " ")+fmt.Sprintf(" Nothing was %s.", s.Op.Past()), facts, way...)
	if at.Equal(path.Empty()) {
		return title.With(text)
	}
	return title.At(at, text)
}

// wordFault is what is said of keys with the same fault: the title, the attribute, what happened, and the way on. Where there are
// other faults besides, the keys are named.
func (s Subject) wordFault(f fault, of []cas.KeyConflict, named bool) (title ErrorTitle, at path.Path, happened string, way []string) {
	n := len(of)
	keys, attributes := make([]string, n), []string{}
	for i, k := range of {
		keys[i] = k.Key
		if name, _ := s.expectation(k); name != "" && !slices.Contains(attributes, name) {
			attributes = append(attributes, name)
		}
	}
	slices.Sort(attributes)
	attribute := strings.Join(attributes, " and ")
	subjects := words(n, "key", "keys")
	if named {
		subjects += " " + strings.Join(keys, ", ")
	}
	switch f {
	case faultHeld:
		adopt := words(n, "et adopt_existing = true to take it over.", "et adopt_existing = true to take them over.")
		if s.Op == terms.OpUpdate {
			way = []string{"S" + adopt}
		} else {
			way = []string{
				fmt.Sprintf("Import %s with the id %q, or s%s", words(n, "it", "them"), s.importID(keys), adopt),
				"If the resource is tainted, `terraform untaint` keeps it: a tainted resource cannot be told from a new one.",
			}
		}
		return TitleKeyAlreadyHoldsTheValue, s.valuePath(keys[0]), "The " + subjects + words(n, " already holds the value, and this state does not "+
			"know where from.", " already hold their values, and this state does not know where from."), way
	case faultMismatch:
		_, at = s.expectation(of[0])
		return TitleExpectedValueMismatch, at, fmt.Sprintf("The %s %s not hold what %s %s must.", subjects, words(n, "does", "do"), attribute,
				words(len(attributes), "says", "say")+words(n, " it", " they")),
			[]string{fmt.Sprintf("Set %s to what the %s if that is what the write may replace.", attribute, words(n, "key holds", "keys hold"))}
	case faultExists:
		at, attribute = path.Root("key"), "expected_value"
		if s.Several != nil {
			at, attribute = s.valuePath(keys[0]), "expected_data"
		}
		end := "."
		if s.Op == terms.OpCreate {
			end = fmt.Sprintf(", or import the %s with the id %q.", words(n, "key", "keys"), s.importID(keys))
		}
		return TitleKeyAlreadyExists, at, "The " + subjects + words(n, " exists with another value", " exist with other values") + ", and without " +
			attribute + " only an absent key is written.", []string{"Set " + attribute + " to what the write may replace" + end}
	default:
		return TitleCompareAndSwapConflict, path.Empty(), "Another writer changed the " + subjects + words(n, " since it was observed.",
			" since they were observed."), []string{again}
	}
}

// keyFacts are the lines about the keys of a conflict.
func (s Subject) keyFacts(e *cas.ConflictError) (facts []string) {
	for _, k := range e.Keys {
		entry := e.Live.Entry(k.Key)
		if s.Several != nil && (k.Reason == cas.ReasonObject || k.Reason == cas.ReasonVersion) && entry.Holds(k.Expected) {
			continue // of many keys, those that changed
		}
		expected, live := renderPair(k.Expected, entry, s.Hide)
		facts = append(facts, s.keyLine(k.Key)...)
		if k.Reason != cas.ReasonHeld {
			facts = append(facts, "Expected: "+expected)
		}
		facts = append(facts, "Live: "+live)
	}
	return facts
}

// keyLine names a key, where the detail does not begin with it.
func (s Subject) keyLine(keys ...string) (lines []string) {
	if s.ID.Key == "" {
		for _, key := range keys {
			lines = append(lines, "Key: "+key)
		}
	}
	return lines
}

// ChangedByAdmission warns of values that the cluster's admission changed.
func (s Subject) ChangedByAdmission(changed []KeyChange) diag.Diagnostic {
	n := len(changed)
	var facts []string
	for _, c := range changed {
		sent, kept := renderPair(c.Sent, c.Stored, s.Hide)
		facts = append(append(facts, s.keyLine(c.Key)...), "Sent: "+sent, "Stored: "+kept)
	}
	return WarningValueChangedByAdmission.At(s.valuePath(changed[0].Key), s.detail(
		words(n, "The value was", "The values were")+" written, and the cluster's admission changed "+words(n, "it on its", "them on their")+
			" way in. The next refresh shows it as drift.", facts))
}

// ChangedSinceApply is for a removal of values that this resource did not write.
func (s Subject) ChangedSinceApply(changed []KeyValue, policy string) diag.Diagnostic {
	n := len(changed)
	var facts []string
	for _, c := range changed {
		facts = append(append(facts, s.keyLine(c.Key)...), "Live: "+renderOne(c.Live, s.Hide))
	}
	happened := words(n, "The key does", "The keys do") + " not hold what this resource last wrote"
	if policy == terms.PolicyRestore {
		return TitleValueChangedSinceLastApply.With(s.detail(
			happened+", so that restoring would undo another's write.", facts,
			fmt.Sprintf("To leave %s, apply deletion_policy = %q with what %s as %s; to remove %s, apply deletion_policy = %q. Then destroy.",
				words(n, "the key as it is", "the keys as they are"), terms.PolicyAbandon, words(n, "the key holds", "the keys hold"),
				s.Number("value", "data"), words(n, "it", "them"), terms.PolicyDelete)))
	}
	s.Planning = false // a warning already
	return WarningValueChangedSinceLastApply.With(s.detail(
		happened+". "+words(n, "It will be removed if it still holds this value then.", "They will be removed if they still hold these values then."),
		facts))
}

// KeyMoves is for keys that other instances are planned to do the opposite to.
func (s Subject) KeyMoves(keys []string) diag.Diagnostic {
	at, advice := path.Root("key"), "Key the instances by ConfigMap key (for_each over the keys), so that each keeps its own, or use a `moved` block."
	if s.Several != nil {
		at = s.valuePath(keys[0])
		advice = `Apply deletion_policy = "abandon" to the one that gives the key up first, and let the other one take it over with ` +
			"adopt_existing = true or expected_data."
	}
	return TitleKeyMovesBetweenInstances.At(at, s.detail(
		"One resource instance is to remove the key and another one to write it in the same run, in an order that nothing fixes.", s.keyLine(keys...),
		advice))
}

// NothingToRestore is for keys of which it is not known what they held at first.
func (s Subject) NothingToRestore(keys []string) diag.Diagnostic {
	return TitleNothingKnownToRestore.At(path.Root("deletion_policy"), s.detail(
		words(len(keys), "What the key held before is not known here, as in the replacement of a tainted resource",
			"What the keys held before is not known here, as in the replacement of a tainted resource")+
			s.Number("", " or after a move from another provider")+". Nothing was removed.", s.keyLine(keys...),
		"`terraform untaint` the resource and plan again, or apply another deletion_policy first."))
}

// VersionNotKnown is for a state that has no version to hold on to.
func (s Subject) VersionNotKnown() diag.Diagnostic {
	return TitleConfigMapVersionNotKnown.With(s.detail(
		fmt.Sprintf("The state does not know the version of the ConfigMap, as after a move from another provider until the first refresh. "+
			"Nothing was %s.", s.Op.Past()), nil,
		"Plan again with a refresh."))
}

// TaintedReplacesItself is for a tainted resource that is to be replaced by one that needs the keys as they are.
func (s Subject) TaintedReplacesItself() diag.Diagnostic {
	return TitleReplacementWouldFail.With(s.detail(
		s.Number("A tainted resource is to be replaced by one of the same key, whose expectation could not hold once the key is removed. ",
			"A tainted resource is to be replaced by one of the same keys, whose expectations could not hold once the keys are removed. ")+
			"Nothing was removed.", nil, "`terraform untaint` the resource and plan again."))
}

// MayReplaceItself warns of a replacement that may turn out to be of the same keys.
func (s Subject) MayReplaceItself() diag.Diagnostic {
	return WarningReplacementMayFail.With(s.detail(
		s.Number("The entry is to be replaced by one whose namespace, name or key is known only when that is applied. If it turns out to be the "+
			"same key, that is removed first, and the new resource is refused: what it expects, or is to adopt, is gone then, or its place is "+
			"taken.",
			"The resource is to be replaced by one whose namespace or name is known only when that is applied. If it turns out to be the "+
				"same ConfigMap, the keys are removed first, and the new resource is refused: what it expects, or is to adopt, is gone then, or "+
				"its place is taken."), nil,
		s.Number("Make the namespace, name and key known at plan, or change value to write the key.",
			"Make the namespace and name known at plan, or change data to write the keys.")))
}

// ReplacesItself is for a resource that is to be replaced by one of the same keys that could not be created then; why says why.
func (s Subject) ReplacesItself(why string) diag.Diagnostic {
	return TitleReplacementWouldFail.With(s.detail(
		s.Number("The resource is to be replaced by one of the same key. ", "The resource is to be replaced by one of the same keys. ")+
			why+" Nothing was removed.", nil,
		s.Number("Change value to write the key, instead of replacing the resource.",
			"Change data to write the keys, instead of replacing the resource.")))
}

// NotImported is for an import of keys that are not there, or of all keys where there are none.
func (s Subject) NotImported(missing []string) diag.Diagnostic {
	if len(missing) == 0 {
		return TitleNothingToImport.At(path.Root("data"), s.detail(
			"The ConfigMap holds no key, and the resource must have one.", nil))
	}
	return TitleKeyNotFound.At(path.Root("data"), s.detail(
		words(len(missing), "A key that the import names does", "Keys that the import names do")+" not exist. Nothing was imported.", s.keyLine(missing...),
		"Leave out of the import what is to be written first, and give it in the configuration: the next apply writes it."))
}
