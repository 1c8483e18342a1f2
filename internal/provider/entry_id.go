package provider

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
)

// entryID names one key of one ConfigMap. Its string form, namespace/name/key, is unambiguous: none of the three can
// hold a slash.
type entryID struct {
	cas.Ref
	Key string
}

func (id entryID) String() string { return id.Namespace + "/" + id.Name + "/" + id.Key }

// parseEntryID reads namespace/name/key.
func parseEntryID(s string) (entryID, error) {
	parts := strings.Split(s, "/")
	if len(parts) != 3 {
		return entryID{}, fmt.Errorf("%q is not of the form namespace/name/key", s)
	}
	id := entryID{cas.Ref{Namespace: parts[0], Name: parts[1]}, parts[2]}
	for _, part := range id.parts() {
		if len(part.problems) > 0 {
			return entryID{}, fmt.Errorf("%q is not of the form namespace/name/key: the %s %s",
				s, part.name, strings.Join(part.problems, "; "))
		}
	}
	return id, nil
}

// idPart is one part of an id, and what is wrong with it.
type idPart struct {
	name, value string
	problems    []string
}

func (id entryID) parts() []idPart {
	return []idPart{
		{"namespace", id.Namespace, namespaceProblems(id.Namespace)},
		{"name", id.Name, nameProblems(id.Name)},
		{"key", id.Key, keyProblems(id.Key)},
	}
}

// The rules are the API server's own, from its own packages.

func namespaceProblems(s string) []string { return validation.ValidateNamespaceName(s, false) }

func nameProblems(s string) []string { return validation.NameIsDNSSubdomain(s, false) }

func keyProblems(s string) []string { return utilvalidation.IsConfigMapKey(s) }
