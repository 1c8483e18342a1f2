package terms

import (
	"fmt"
	"slices"
	"strings"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// DocumentID names fields of the document in one key of a ConfigMap.
type DocumentID struct {
	EntryID

	Format string
	Keys   []string // as [eval.DocumentKey] makes them, sorted
}

// DocumentIDForm is the form of an id of fields of a document.
const DocumentIDForm = "namespace/name/key/format/path1,path2"

// String has the form namespace/name/key/format/path1,path2. None of the parts before the paths can contain a slash.
func (id DocumentID) String() string {
	return strings.Join([]string{id.EntryID.String(), id.Format, joinPaths(id.Keys)}, "/")
}

// ParseDocumentID is the reverse of [DocumentID.String]. It sorts the paths, and takes any spelling of them.
func ParseDocumentID(s string) (DocumentID, error) {
	malformed := fmt.Errorf("%q is not of the form %s", s, DocumentIDForm)
	parts := strings.SplitN(s, "/", 5)
	if len(parts) != 5 {
		return DocumentID{}, malformed
	}
	paths, ok := splitPaths(parts[4])
	if !ok {
		return DocumentID{}, malformed
	}
	entry := EntryID{Ref: eval.Ref{Kind: eval.ConfigMap, Namespace: parts[0], Name: parts[1]}, Key: parts[2]}
	return NewDocumentID(entry, parts[3], paths)
}

// NewDocumentID checks the parts of an id or of an identity.
func NewDocumentID(entry EntryID, format string, paths []string) (DocumentID, error) {
	id := DocumentID{EntryID: entry, Format: format}
	parts := append(entry.Parts(), IDPart{"format", format, FormatProblems(format)})
	keyOf := func(path string) (string, error) {
		return eval.DocumentKey(eval.Holder{Key: entry.Key, Format: format}, path)
	}
	var more []IDPart
	id.Keys, more = pathParts(paths, keyOf)
	return id, check(strings.Join([]string{entry.String(), format, strings.Join(paths, ",")}, "/"), append(parts, more...))
}

// FormatProblems returns the problems of the format of a document.
func FormatProblems(s string) []string {
	if s == "yaml" || s == "json" {
		return nil
	}
	return []string{`must be "yaml" or "json"`}
}

// joinPaths returns the paths of fields, separated by commas.
func joinPaths(keys []string) string {
	paths := make([]string, len(keys))
	for i, key := range keys {
		if path, isField := eval.FieldPath(key); isField {
			paths[i] = path
		} else {
			_, paths[i], _ = eval.DocumentPath(key)
		}
	}
	return strings.Join(paths, ",")
}

// pathParts returns the keys of paths, sorted, and the problems of each path. keyOf returns the key of a path.
func pathParts(paths []string, keyOf func(path string) (string, error)) (keys []string, parts []IDPart) {
	for _, p := range paths {
		key, err := keyOf(p)
		if part := (IDPart{Name: "path", Value: p}); err != nil {
			parts = append(parts, IDPart{"path", p, []string{err.Error()}})
		} else if slices.ContainsFunc(keys, func(other string) bool { return eval.Overlap(key, other) }) {
			part.Problems = []string{"another path names it, or a part of it"}
			parts = append(parts, part)
		}
		keys = append(keys, key)
	}
	if len(paths) == 0 {
		parts = append(parts, IDPart{"list of paths", "", []string{"at least one field must be named"}})
	}
	slices.Sort(keys)
	return keys, parts
}
