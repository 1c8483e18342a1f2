package terms

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/validation"
	"k8s.io/apimachinery/pkg/util/rand"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// The forms of import ids.
const (
	EntryIDForm      = "namespace/name/key"
	ConfigMapIDForm  = "namespace/name"
	DataIDForm       = "namespace/name:key1,key2"
	AllocationIDForm = "namespace/name/key/value"
)

// EntryID names one key of one ConfigMap. Its string form, namespace/name/key, is unambiguous: none of the three can
// hold a slash.
type EntryID struct {
	eval.Ref
	Key string
}

func (id EntryID) String() string { return id.Namespace + "/" + id.Name + "/" + id.Key }

// ParseEntryID reads namespace/name/key.
func ParseEntryID(s string) (EntryID, error) {
	parts := strings.Split(s, "/")
	if len(parts) != 3 {
		return EntryID{}, fmt.Errorf("%q is not of the form %s", s, EntryIDForm)
	}
	id := EntryID{eval.Ref{Namespace: parts[0], Name: parts[1]}, parts[2]}
	return valid(id, s, id.Parts())
}

// Check reports what is wrong with the parts of the id.
func (id EntryID) Check() error { return check(id.String(), id.Parts()) }

func check(id string, parts []IDPart) error {
	for _, part := range parts {
		if len(part.Problems) > 0 {
			return fmt.Errorf("%q has an invalid %s, %q: %s", id, part.Name, part.Value, strings.Join(part.Problems, "; "))
		}
	}
	return nil
}

// valid is an id that was read of a text; none where its parts are not valid.
func valid[ID any](id ID, text string, parts []IDPart) (none ID, err error) {
	if err := check(text, parts); err != nil {
		return none, err
	}
	return id, nil
}

// IDPart is one part of an id, and what is wrong with it.
type IDPart struct {
	Name, Value string
	Problems    []string
}

// Parts are the parts of the id, each with its problems.
func (id EntryID) Parts() []IDPart {
	return append(objectParts(id.Ref), IDPart{"key", id.Key, KeyProblems(id.Key)})
}

// NamespaceProblems says what is wrong with a namespace's name. These rules are the API server's own, from its own
// packages.
func NamespaceProblems(s string) []string { return validation.ValidateNamespaceName(s, false) }

// NameProblems says what is wrong with a ConfigMap's name.
func NameProblems(s string) []string { return validation.NameIsDNSSubdomain(s, false) }

// KeyProblems says what is wrong with a ConfigMap's key.
func KeyProblems(s string) []string { return utilvalidation.IsConfigMapKey(s) }

// ParseConfigMapID reads namespace/name.
func ParseConfigMapID(s string) (eval.Ref, error) {
	parts := strings.Split(s, "/")
	if len(parts) != 2 {
		return eval.Ref{}, fmt.Errorf("%q is not of the form %s", s, ConfigMapIDForm)
	}
	ref := eval.Ref{Namespace: parts[0], Name: parts[1]}
	return valid(ref, s, objectParts(ref))
}

// CheckObject reports what is wrong with the namespace or the name of an object.
func CheckObject(ref eval.Ref) error { return check(ref.String(), objectParts(ref)) }

func objectParts(ref eval.Ref) []IDPart {
	return []IDPart{
		{"namespace", ref.Namespace, NamespaceProblems(ref.Namespace)},
		{"name", ref.Name, NameProblems(ref.Name)},
	}
}

// DataID names keys of one ConfigMap, in order. Its string form is namespace/name:key,key or, for no keys,
// namespace/name; it is unambiguous: none of the parts can hold a slash, a colon or a comma.
type DataID struct {
	eval.Ref
	Keys []string
}

func (id DataID) String() string {
	if len(id.Keys) == 0 {
		return id.Ref.String()
	}
	return id.Ref.String() + ":" + strings.Join(id.Keys, ",")
}

// ParseDataID reads namespace/name or namespace/name:key,key, whose keys may come in any order.
func ParseDataID(s string) (DataID, error) {
	object, list, named := strings.Cut(s, ":")
	parts := strings.Split(object, "/")
	if len(parts) != 2 {
		return DataID{}, fmt.Errorf("%q is not of the form %s or %s", s, ConfigMapIDForm, DataIDForm)
	}
	id := DataID{Ref: eval.Ref{Namespace: parts[0], Name: parts[1]}}
	if named {
		id.Keys = strings.Split(list, ",")
		slices.Sort(id.Keys)
	}
	return valid(id, s, id.parts())
}

// Check reports what is wrong with the parts of the id, whose keys are in order.
func (id DataID) Check() error { return check(id.String(), id.parts()) }

func (id DataID) parts() []IDPart {
	parts := objectParts(id.Ref)
	for i, key := range id.Keys {
		parts = append(parts, IDPart{"key", key, KeyProblems(key)})
		if i > 0 && key == id.Keys[i-1] {
			parts = append(parts, IDPart{"key", key, []string{"it is named twice"}})
		}
	}
	return parts
}

// AllocationID names one value of a pool. Its string form is namespace/name/key/value; it is unambiguous, since of the
// four only the value can hold a slash.
type AllocationID struct {
	EntryID
	Value string
}

// ParseAllocationID reads namespace/name/key/value.
func ParseAllocationID(s string) (AllocationID, error) {
	parts := strings.SplitN(s, "/", 4)
	if len(parts) != 4 || parts[3] == "" {
		return AllocationID{}, fmt.Errorf("%q is not of the form %s", s, AllocationIDForm)
	}
	id := AllocationID{EntryID{eval.Ref{Namespace: parts[0], Name: parts[1]}, parts[2]}, parts[3]}
	return valid(id, s, id.Parts())
}

const (
	// maxNamePrefix and nameSuffix are those of SimpleNameGenerator in k8s.io/apiserver: 63 characters together.
	maxNamePrefix = 58
	nameSuffix    = 5
	// NameAttempts is how many generated names are tried where one after the other is taken.
	NameAttempts = 8
)

// GenerateName makes a name from a prefix, as the API server does with generateName. The provider makes the name, so
// that it can read the object by that name after the response to the creation was lost.
func GenerateName(prefix string) string {
	return prefix[:min(len(prefix), maxNamePrefix)] + rand.String(nameSuffix)
}

// IsGenerated reports whether a name may have been made of the prefix.
func IsGenerated(name, prefix string) bool {
	suffix, ok := strings.CutPrefix(name, prefix[:min(len(prefix), maxNamePrefix)])
	return ok && prefix != "" && len(suffix) == nameSuffix
}

// NamePrefixProblems returns the problems that the API server finds with generateName, and with the names made from it.
func NamePrefixProblems(prefix string) []string {
	if prefix == "" {
		return []string{utilvalidation.EmptyError()}
	}
	if problems := validation.NameIsDNSSubdomain(prefix, true); len(problems) > 0 {
		return problems
	}
	return NameProblems(GenerateName(prefix))
}
