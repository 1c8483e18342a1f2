package terms

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
)

// EntryID names one key of one ConfigMap. Its string form, namespace/name/key, is unambiguous: none of the three can
// hold a slash.
type EntryID struct {
	cas.Ref
	Key string
}

func (id EntryID) String() string { return id.Namespace + "/" + id.Name + "/" + id.Key }

// ParseEntryID reads namespace/name/key.
func ParseEntryID(s string) (EntryID, error) {
	parts := strings.Split(s, "/")
	if len(parts) != 3 {
		return EntryID{}, fmt.Errorf("%q is not of the form namespace/name/key", s)
	}
	id := EntryID{cas.Ref{Namespace: parts[0], Name: parts[1]}, parts[2]}
	if err := id.Check(); err != nil {
		return EntryID{}, err
	}
	return id, nil
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

// IDPart is one part of an id, and what is wrong with it.
type IDPart struct {
	Name, Value string
	Problems    []string
}

// Parts are the parts of the id, each with its problems.
func (id EntryID) Parts() []IDPart {
	return append(objectParts(id.Ref), IDPart{"key", id.Key, KeyProblems(id.Key)})
}

// NamespaceProblems says what is wrong with a namespace's name. These rules are the API server's own, from its own packages.
func NamespaceProblems(s string) []string { return validation.ValidateNamespaceName(s, false) }

// NameProblems says what is wrong with a ConfigMap's name.
func NameProblems(s string) []string { return validation.NameIsDNSSubdomain(s, false) }

// KeyProblems says what is wrong with a ConfigMap's key.
func KeyProblems(s string) []string { return utilvalidation.IsConfigMapKey(s) }
