package terms

import (
	"fmt"
	"regexp"
	"strings"

	"k8s.io/apimachinery/pkg/api/validate/content"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// FieldsID names fields of one object, in a version of its API.
type FieldsID struct {
	eval.Ref
	APIVersion string
	Keys       []string // as [eval.FieldKey] makes them, sorted
}

// FieldsIDForm is the form of an id of fields.
const FieldsIDForm = "api_version/kind/namespace/name/path1,path2, with nothing between two slashes for a kind " +
	"without namespaces"

// String has the form apps/v1/Deployment/shop/web/path1,path2. The only slash within the parts before the paths is the
// one between the group and the version. The form of a version shows whether it has a group. So a name may contain
// colons, and a path any character.
func (id FieldsID) String() string {
	return strings.Join([]string{id.APIVersion, id.Kind.String(), id.Namespace, id.Name, joinPaths(id.Keys)}, "/")
}

// coreVersion is the form of a version of the core group; no other group has a name of that form.
var coreVersion = regexp.MustCompile(`^v[0-9]+((alpha|beta)[0-9]+)?$`)

// ParseFieldsID is the reverse of [FieldsID.String]. It sorts the paths, and takes any spelling of them.
func ParseFieldsID(s string) (FieldsID, error) {
	malformed := fmt.Errorf("%q is not of the form %s", s, FieldsIDForm)
	version, rest, _ := strings.Cut(s, "/")
	if !coreVersion.MatchString(version) {
		var of string
		of, rest, _ = strings.Cut(rest, "/")
		version += "/" + of
	}
	parts := strings.SplitN(rest, "/", 4)
	if len(parts) != 4 {
		return FieldsID{}, malformed
	}
	paths, ok := splitPaths(parts[3])
	if !ok {
		return FieldsID{}, malformed
	}
	return NewFieldsID(version, parts[0], parts[1], parts[2], paths)
}

// NewFieldsID checks what an id or an identity names. An empty namespace is none.
func NewFieldsID(apiVersion, kind, namespace, name string, paths []string) (FieldsID, error) {
	id := FieldsID{Ref: eval.Ref{Kind: KindOf(apiVersion, kind), Namespace: namespace, Name: name}, APIVersion: apiVersion}
	parts := []IDPart{
		{"api_version", apiVersion, APIVersionProblems(apiVersion)},
		{"kind", kind, KindProblems(kind)},
		{"name", name, ObjectNameProblems(name)},
	}
	if namespace != "" {
		parts = append(parts, IDPart{"namespace", namespace, NamespaceProblems(namespace)})
	}
	keyOf := func(path string) (string, error) { return eval.FieldKey(id.Kind, path) }
	var more []IDPart
	id.Keys, more = pathParts(paths, keyOf)
	return id, check(strings.Join(append([]string{apiVersion, kind, namespace, name}, strings.Join(paths, ",")), "/"),
		append(parts, more...))
}

// splitPaths splits at the commas that are in no bracket.
func splitPaths(s string) (paths []string, ok bool) {
	begin, isIn, isQuoted := 0, false, false
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case isQuoted && c == '\\':
			i++
		case isIn && c == '"':
			isQuoted = !isQuoted
		case isQuoted:
		case c == '[' || c == ']':
			isIn = c == '['
		case c == ',' && !isIn:
			paths, begin = append(paths, s[begin:i]), i+1
		}
	}
	return append(paths, s[begin:]), !isIn && !isQuoted && s != ""
}

// KindOf is the kind that an API version and a kind name.
func KindOf(apiVersion, kind string) eval.Kind {
	group, _, hasGroup := strings.Cut(apiVersion, "/")
	if !hasGroup {
		group = ""
	}
	return eval.KindOf(group, kind)
}

// labelForm is a DNS label: a version, or one part of a group.
const labelForm = `[a-z0-9]([-a-z0-9]*[a-z0-9])?`

var (
	groupVersionForm = labelForm + `(\.` + labelForm + `)*/` + labelForm
	apiVersionForm   = regexp.MustCompile(`^(` + groupVersionForm + `|v[0-9]+((alpha|beta)[0-9]+)?)$`)
	kindForm         = regexp.MustCompile(`^[A-Za-z]([-A-Za-z0-9]*[A-Za-z0-9])?$`)
)

// APIVersionProblems says what is wrong with an API version.
func APIVersionProblems(s string) []string {
	if apiVersionForm.MatchString(s) {
		return nil
	}
	return []string{`must be VERSION or GROUP/VERSION, such as "v1" or "apps/v1"`}
}

// KindProblems says what is wrong with a kind.
func KindProblems(s string) []string {
	if kindForm.MatchString(s) {
		return nil
	}
	return []string{`must be the name of a kind, such as "Deployment"`}
}

// ObjectNameProblems says what is wrong with the name of an object of any kind.
func ObjectNameProblems(s string) []string {
	if s == "" {
		return []string{"must not be empty"}
	}
	return content.IsPathSegmentName(s)
}
