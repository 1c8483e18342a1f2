package terms

import (
	"fmt"
	"slices"
	"strings"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
)

// DataID names keys of one ConfigMap, in order. Its string form is namespace/name:key,key or, for no keys, namespace/name; it is
// unambiguous: none of the parts can hold a slash, a colon or a comma.
type DataID struct {
	cas.Ref
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
		return DataID{}, fmt.Errorf("%q is not of the form namespace/name or namespace/name:key1,key2", s)
	}
	id := DataID{Ref: cas.Ref{Namespace: parts[0], Name: parts[1]}}
	if named {
		id.Keys = strings.Split(list, ",")
		slices.Sort(id.Keys)
	}
	if err := check(s, id.parts()); err != nil {
		return DataID{}, err
	}
	return id, nil
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
