package message

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/path"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Messages about keys that are fields of an object of any kind.

// NameOf returns the name of a key in messages: the path of a field. isField reports whether the key is a field.
func NameOf(key string) (name string, isField bool) {
	noun, name := nounAndName(key)
	return name, noun == partField
}

// nounAndName returns the noun and the name of a key in messages.
func nounAndName(key string) (noun, name string) {
	if path, isField := eval.FieldPath(key); isField {
		return partField, path
	}
	if _, path, isDocument := eval.DocumentPath(key); isDocument {
		return partField, path
	}
	for _, of := range []struct{ noun, prefix string }{
		{PartLabel, eval.LabelKey("")}, {PartAnnotation, eval.AnnotationKey("")}, {PartAttribute, "/"},
	} {
		if name, isOf := strings.CutPrefix(key, of.prefix); isOf {
			return of.noun, name
		}
	}
	return PartKey, key
}

// isStructured reports whether an entry is JSON that is no text.
func isStructured(e eval.Value) bool {
	_, isJSON := e.JSON()
	_, isText := e.Text()
	return isJSON && !isText
}

// printable is a text of others without what would break the line: JSON, or a part of it, or a name.
func printable(text string) string {
	if isPlain(text) {
		return text
	}
	return strconv.Quote(text)
}

// field is for a field whose value cannot be read, or that cannot be set to the wanted value.
func (s Subject) field(e *eval.FieldError) diag.Diagnostic {
	paths := s.Keys[e.Key]
	at := paths.Value
	if len(at.Steps()) == 0 {
		at = paths.Expected
	}
	if refused, isDocument := errors.AsType[*eval.DocumentError](e.Err); isDocument {
		return s.document(refused)
	}
	name, _ := NameOf(e.Key)
	facts := []Fact{{"Problem", e.Err.Error()}}
	correct := FieldDoesNotFit.Next
	missing, isMissing := errors.AsType[*eval.MissingElementError](e.Err)
	if isMissing && len(missing.Elements) > 0 && s.Hide == ShowValues {
		selector := missing.Path[strings.LastIndex(missing.Path, "["):]
		facts = append(facts, Fact{"Elements", Nearest(selector, missing.Elements)})
		correct = didYouMean(selector, missing.Elements) + "Select one of the elements that exist. To add another one, set " +
			missing.Path + " as a whole."
	}
	next := s.orDestroy(correct)
	switch {
	case s.Op == terms.OpDelete:
		next = s.abandon()
	case slices.Contains(s.letsGo, e.Key):
		next = s.leave(e.Key)
	}
	return s.refuse(FieldDoesNotFit, at, "The object does not have a field as "+name+" says.", facts, next)
}

// document is for a text that is no document of its format, or whose spelling does not permit a change. A parser may
// quote the text.
func (s Subject) document(e *eval.DocumentError) diag.Diagnostic {
	var facts []Fact
	if e.Line > 0 {
		facts = append(facts, Fact{"Line", strconv.Itoa(e.Line)})
	}
	if s.Hide == ShowValues {
		facts = append(facts, Fact{"Problem", e.Reason})
	}
	happened := fmt.Sprintf("%s is no document of %s, or its spelling does not permit the change.", e.Key,
		strings.ToUpper(e.Format))
	switch {
	case s.isRefresh():
		return s.warn(DocumentDoesNotFit, path.Root("key"), happened+" The state stays as it is.", facts, "")
	case s.Op == terms.OpDelete:
		next := "Correct the document, then destroy again. " + s.abandon()
		return s.refuse(DocumentDoesNotFit, path.Root("key"), happened, facts, next)
	}
	return s.refuse(DocumentDoesNotFit, path.Root("key"), happened, facts, s.orDestroy(DocumentDoesNotFit.Next))
}

// CreatesKey warns that a write creates the key with the document.
func (s Subject) CreatesKey() diag.Diagnostic {
	return s.warn(KeyDoesNotExistYet, path.Root("key"), "", nil, "")
}

// Tangled is for fields that an update releases, and that it cannot find or take apart: it reads the object in
// another API version than the one that names them, or still names a part of them.
func (s Subject) Tangled(keys []string, apiVersion string) diag.Diagnostic {
	it := number(len(keys), "it", "them")
	happened := fmt.Sprintf("fields has a part of %s, and the update would remove the rest of %s.", enumerate(keys), it)
	next := fmt.Sprintf("To keep %s and to manage only the part, set deletion_policy = %q in the same change, and name "+
		"in expected_fields what the part holds.", it, terms.PolicyAbandon)
	if s.APIVersion != apiVersion {
		happened = fmt.Sprintf("fields does not have %s any more, and api_version changes.", enumerate(keys))
		next = fmt.Sprintf("Remove %[1]s from fields with api_version = %[2]q first. To leave %[1]s as %[3]s, set "+
			"deletion_policy = %[4]q.", it,
			apiVersion, number(len(keys), "it is", "they are"), terms.PolicyAbandon)
	}
	return s.refuse(FieldDoesNotFit, path.Root("fields"), happened, s.keyFact(keys...), next)
}

// LackingError is for fields of a state that the planned API version does not have, or not with all of their values.
type LackingError struct {
	Keys   []string
	Before string // the API version of the state
}

func (e *LackingError) Error() string { return "the API version lacks " + enumerate(e.Keys) }

func (s Subject) lacking(e *LackingError) diag.Diagnostic {
	return s.refuse(FieldDoesNotFit, path.Root("api_version"),
		fmt.Sprintf("%s does not have all of %s, as %s does.", s.APIVersion, enumerate(e.Keys), e.Before),
		s.keyFact(e.Keys...),
		s.orDestroy(fmt.Sprintf("Keep api_version = %q, or remove %s from fields in an apply before this one.", e.Before,
			number(len(e.Keys), "it", "them"))))
}

// notServed is for a kind that the API server does not serve. The same apply may add the kind, and the API
// server may not serve the kind for a while. So a plan warns, and a refresh drops nothing.
func (s Subject) notServed(e *eval.NotServedError) diag.Diagnostic {
	happened, facts := fmt.Sprintf("The API server serves no %s of %s.", s.ID.Kind, e.APIVersion), nearestKind(e)
	next := KindNotServed.Next
	if isOfKubernetes(e.Ref.Kind.Group()) {
		next = "Correct api_version and kind."
	}
	switch {
	case s.IsImport:
		happened = fmt.Sprintf("The import ID names the kind %s of %s, which the API server does not serve.", s.ID.Kind,
			e.APIVersion)
		return s.fail(KindNotServed, path.Empty(), happened+" Nothing was imported.", facts,
			"Correct api_version and kind in the import ID.")
	case s.isRefresh():
		return s.warn(KindNotServed, path.Root("api_version"), happened+" The state stays as it is.", facts, next)
	case s.Plan != "" && !isOfKubernetes(e.Ref.Kind.Group()):
		return s.warn(KindNotServed, path.Root("api_version"),
			happened+" The plan could not check the object. The apply checks it.", facts, next)
	case s.Op == terms.OpDelete:
		return s.refuse(KindNotServed, path.Root("api_version"), happened, facts, fmt.Sprintf(
			"If the object is gone with its kind, run terraform state rm with the address of this resource. Otherwise apply "+
				"another api_version, or deletion_policy = %q, then destroy.", terms.PolicyAbandon))
	default:
		return s.refuse(KindNotServed, path.Root("api_version"), happened, facts, s.orDestroy(next))
	}
}

// isRefresh reports whether a resource is read whose state stays if the read fails.
func (s Subject) isRefresh() bool { return s.Op == terms.OpRead && !s.IsImport && !s.IsSource }

// nearestKind returns the served kind that was most likely meant, by one of its names. If several groups have a kind
// of the name, it prefers the group of the error, or else the first one.
func nearestKind(e *eval.NotServedError) []Fact {
	found, names := map[string]eval.ServedKind{}, []string(nil)
	for _, k := range e.Served {
		for _, name := range k.Names {
			before, has := found[name]
			if isNamed := k.Kind.Group() == e.Ref.Kind.Group(); !has || isNamed && before.Kind.Group() != e.Ref.Kind.Group() {
				found[name] = k
				names = append(names, name)
			}
		}
	}
	k, isNear := found[nearest(strings.ToLower(e.Ref.Kind.String()), names)]
	if !isNear {
		return nil
	}
	return []Fact{{"Did you mean", fmt.Sprintf("%s in %s", k.Kind, k.APIVersion)}}
}

// isOfKubernetes reports whether Kubernetes itself serves all kinds of a group. A CustomResourceDefinition needs a
// group with a dot.
func isOfKubernetes(group string) bool {
	return !strings.Contains(group, ".") || slices.Contains(ofKubernetes, group)
}

var ofKubernetes = []string{
	"admissionregistration.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io", "authentication.k8s.io",
	"authorization.k8s.io",
	"certificates.k8s.io", "coordination.k8s.io", "discovery.k8s.io", "events.k8s.io", "flowcontrol.apiserver.k8s.io",
	"internal.apiserver.k8s.io", "networking.k8s.io", "node.k8s.io", "rbac.authorization.k8s.io", "resource.k8s.io",
	"scheduling.k8s.io",
	"storage.k8s.io", "storagemigration.k8s.io",
}

func (s Subject) scope(e *eval.ScopeError) diag.Diagnostic {
	if e.Namespaced {
		return s.refuse(WrongScope, path.Root("namespace"),
			fmt.Sprintf("A %s is in a namespace, and none is named.", e.Ref.Kind), nil, s.orDestroy("Set namespace."))
	}
	return s.refuse(WrongScope, path.Root("namespace"),
		fmt.Sprintf("A %s is in no namespace, and one is named.", e.Ref.Kind), nil, s.orDestroy("Remove namespace."))
}

// granted returns the resource that a role must name.
func (s Subject) granted() string {
	if s.APIVersion == "" {
		return s.ID.Kind.Resource() + " in this namespace"
	}
	group := cmp.Or(s.ID.Kind.Group(), "the core group")
	return fmt.Sprintf("the resource of kind %s in %s", s.ID.Kind, group)
}

// numbersAsText is the next step where values that the API server refuses are texts that look like numbers: that is
// what an untyped variable makes of them. It is empty where there are none.
func (s Subject) numbersAsText(e *eval.RefusedError) string {
	if s.APIVersion == "" || e.Code != 400 && e.Code != 422 || strings.Contains(e.Error(), "unknown field") {
		return ""
	}
	names := map[string][]string{}
	for key, text := range s.Texts {
		name, _ := NameOf(key)
		_, err := strconv.ParseFloat(text, 64)
		switch isBool := text == "true" || text == "false"; {
		case strings.HasPrefix(name, "metadata."):
		case isBool:
			names["bool"] = append(names["bool"], name)
		case err == nil:
			names["number"] = append(names["number"], name)
		}
	}
	var steps []string
	for _, kind := range slices.Sorted(maps.Keys(names)) {
		all := slices.Sorted(slices.Values(names[kind]))
		steps = append(steps, fmt.Sprintf("%s is text that reads as a %s. If the API server wants a %[2]s, not text, write "+
			"it without quotes, or give the variable a type: type = %[2]s.",
			strings.Join(all[:min(len(all), mostNames)], ", "), kind))
	}
	return strings.Join(steps, " ")
}

// quantities returns the reason why two spellings of one quantity count as two values.
func (s Subject) quantities(a, b eval.Value) []Fact {
	_, isText := a.Text()
	_, areTexts := b.Text()
	if s.APIVersion == "" || s.Hide != ShowValues || !isText || !areTexts || a == b || !a.IsSameQuantity(b) {
		return nil
	}
	return []Fact{
		{"Note", fmt.Sprintf("the API server keeps the quantity %q as %q, and expectations are compared with what it keeps",
			a.Raw(), b.Raw())},
	}
}

// mostFacts is how many lines the facts about several keys have: with the title and the sentences, a message has 20.
const mostFacts = 15

// factsOfAll are the names of facts that follow those about each key.
var factsOfAll = []string{factRemove, factPutBack, factMore, factUID, factVersion, factWaited, "API server", "Cause"}

// itemFacts are the names of facts with which the facts about one key begin.
var itemFacts = []string{partField, PartKey, PartLabel, PartAnnotation, PartAttribute}

// brief returns facts about several keys. If there are too many, only the names of the last keys are left. The first
// key keeps its facts.
func brief(facts []Fact) []Fact {
	last := len(facts)
	for last > 0 && slices.Contains(factsOfAll, facts[last-1].Name) {
		last--
	}
	facts, ofAll := facts[:last:last], facts[last:]
	lines, end, count := 0, 0, 0
	for i, f := range facts {
		if slices.Contains(itemFacts, f.Name) {
			if count++; count == 2 || count > 2 && lines < mostFacts-len(ofAll) {
				end = i
			}
		}
		lines += 1 + strings.Count(f.Value, "\n")
	}
	if lines <= mostFacts-len(ofAll) || count < 2 {
		return append(facts, ofAll...)
	}
	short := slices.Clone(facts[:end])
	for _, item := range itemFacts {
		var names []string
		for _, f := range facts[end:] {
			if f.Name == item {
				names = append(names, f.Value)
			}
		}
		if names != nil {
			short = append(short, Fact{"More " + strings.ToLower(item) + "s", strings.Join(names, ", ")})
		}
	}
	return append(short, ofAll...)
}

// mostLeaves is how many differences between two objects or lists are shown.
const mostLeaves = 4

// leaves shows two objects, or two lists, by where they differ; nil for what is none.
func (s Subject) leaves(nameA string, a eval.Value, nameB string, b eval.Value) (facts []Fact) {
	if s.Hide != ShowValues || !isStructured(a) || !isStructured(b) {
		return nil
	}
	var all []leaf
	appendLeaves(&all, "", Decoded(a), Decoded(b))
	if len(all) == 0 || all[0].at == "" {
		return nil
	}
	for i, l := range all {
		if i == mostLeaves {
			return append(facts, Fact{factMore, fmt.Sprint(len(all) - i)})
		}
		facts = append(facts, Fact{"At", l.at}, Fact{nameA, leafText(l.a)}, Fact{nameB, leafText(l.b)})
	}
	return facts
}

// leaf is a place where two values differ.
type leaf struct {
	at   string
	a, b any // nil for nothing
}

func appendLeaves(all *[]leaf, at string, a, b any) {
	mapA, isA := a.(map[string]any)
	mapB, isB := b.(map[string]any)
	listA, isListA := a.([]any)
	listB, isListB := b.([]any)
	switch {
	case isA && isB:
		names := slices.Sorted(maps.Keys(mapA))
		for name := range mapB {
			if _, both := mapA[name]; !both {
				names = append(names, name)
			}
		}
		slices.Sort(names)
		for _, name := range names {
			appendLeaves(all, at+"."+name, mapA[name], mapB[name])
		}
	case isListA && isListB && len(listA) == len(listB):
		for i := range listA {
			appendLeaves(all, fmt.Sprintf("%s[%d]", at, i), listA[i], listB[i])
		}
	case encoded(a) != encoded(b):
		*all = append(*all, leaf{at, a, b})
	}
}

func leafText(v any) string {
	if v == nil {
		return "(absent)"
	}
	e, err := eval.JSON([]byte(encoded(v)))
	if err != nil {
		return encoded(v)
	}
	return renderOne(e, ShowValues)
}

func encoded(v any) string {
	raw, _ := json.Marshal(v)
	return string(raw)
}

// Decoded returns the value of an entry as encoding/json decodes it; nil for an absent entry.
func Decoded(e eval.Value) (v any) {
	raw, _ := e.JSON()
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	_ = d.Decode(&v) // an entry is JSON
	return v
}
