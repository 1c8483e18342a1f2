package eval

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/fieldpaths"
)

// A key names one value of an object: an entry of a ConfigMap or a Secret, a label, an annotation, or any other
// field, or a value in a document. Each key has one path. All keys except those of entries contain a slash, which no
// key of a ConfigMap's maps can contain. Two keys may name one value, or one element of a list, in different ways.

// LabelKey returns the key of a label.
func LabelKey(name string) string { return inLabels + name }

// AnnotationKey returns the key of an annotation.
func AnnotationKey(name string) string { return inAnnotations + name }

const (
	// ImmutableKey is the key of the member immutable. Its value is Bool(true) or absent: false means the same as no
	// member.
	ImmutableKey = "/immutable"
	// TypeKey is the key of the type of a Secret, which cannot be changed.
	TypeKey = "/type"
	// DataKey and BinaryDataKey are the keys of all entries of one map. They are keys of Txn.Maps only.
	DataKey, BinaryDataKey = "/data", "/binaryData"
)

const (
	inLabels      = "metadata.labels/"
	inAnnotations = "metadata.annotations/"
	inFields      = "fields/"
)

// FieldKey returns the key of a field of a kind that is written. Two spellings of one path have the same key. It
// returns an error if the field must not be written.
func FieldKey(kind Kind, path string) (string, error) {
	return fieldKey(kind, path, fieldpaths.Writing)
}

// ReadKey is FieldKey for a field that is only compared or read.
func ReadKey(kind Kind, path string) (string, error) { return fieldKey(kind, path, fieldpaths.Reading) }

func fieldKey(kind Kind, path string, use fieldpaths.Use) (string, error) {
	p, err := fieldpaths.Parse(path)
	if err == nil {
		err = fieldpaths.Check(kind.Group(), kind.String(), p, use)
	}
	if err != nil {
		return "", err
	}
	return inFields + fieldpaths.Text(p), nil
}

// FieldPath returns the path of a key that FieldKey made, in its canonical spelling, and false for any other
// key.
func FieldPath(key string) (path string, isField bool) { return strings.CutPrefix(key, inFields) }

// FieldNames returns the names that lead to the field of a key, and false if the path selects an element of a list.
func FieldNames(key string) (names []string, isPlain bool) {
	for _, element := range pathOf(key) {
		if element.FieldName == nil {
			return nil, false
		}
		names = append(names, *element.FieldName)
	}
	return names, true
}

// IsEntry reports whether a key names an entry of a ConfigMap or a Secret. Only entries count towards MaxSize.
func IsEntry(key string) bool { return !strings.Contains(key, "/") }

// pathOf returns the path of a key. The value of an entry may also be in binaryData: see Kind.path.
func pathOf(key string) fieldpath.Path {
	if _, path, isDocument := documentOf(key); isDocument {
		return path
	}
	if path, isField := FieldPath(key); isField {
		return parsed(path)
	}
	if name, isLabel := strings.CutPrefix(key, inLabels); isLabel {
		return fieldpath.MakePathOrDie("metadata", "labels", name)
	}
	if name, isAnnotation := strings.CutPrefix(key, inAnnotations); isAnnotation {
		return fieldpath.MakePathOrDie("metadata", "annotations", name)
	}
	if name, isMember := strings.CutPrefix(key, "/"); isMember {
		return fieldpath.MakePathOrDie(name)
	}
	return fieldpath.MakePathOrDie("data", key)
}

// path returns the path at which an object of the kind stores a value of a key. A ConfigMap stores bytes in
// binaryData and text in data, and never has a key in both. An absent value has the path in data. A key in a document
// has the path of the text.
func (k Kind) path(key string, e Value) fieldpath.Path {
	key = textKey(key)
	if k == ConfigMap && IsEntry(key) && e.kind == binary {
		return fieldpath.MakePathOrDie("binaryData", key)
	}
	return pathOf(key)
}

// IsInMap reports whether an object of the kind stores a value of an entry in the map that DataKey or BinaryDataKey
// names. An absent value is in the map data, as is an unknown one.
func (k Kind) IsInMap(key string, e Value, mapKey string) bool {
	return strings.HasPrefix(mapKey, "/") && IsEntry(key) && "/"+*k.path(key, e)[0].FieldName == mapKey
}

// paths caches parsed paths by their text.
var paths = struct {
	mu     sync.RWMutex
	byText map[string]fieldpath.Path
}{byText: map[string]fieldpath.Path{}}

// parsed returns the path of a text that FieldKey made.
func parsed(text string) fieldpath.Path {
	paths.mu.RLock()
	p, isKnown := paths.byText[text]
	paths.mu.RUnlock()
	if isKnown {
		return p
	}
	p, err := fieldpaths.ParseInDocument(text)
	if err != nil { // FieldKey did not make the key
		return fieldpath.Path{fieldpath.IndexElement(-1)} // selects nothing
	}
	paths.mu.Lock()
	paths.byText[text] = p
	paths.mu.Unlock()
	return p
}

// Overlap reports whether two keys name the same thing in every object, one names a part of the other, or one
// names a field by which the other selects an element.
func Overlap(a, b string) bool { return overlap(a, b, fieldpaths.Overlap) }

// MayOverlap reports whether two keys do so in some object.
func MayOverlap(a, b string) bool { return overlap(a, b, fieldpaths.MayOverlap) }

func overlap(a, b string, isOverlap func(a, b fieldpath.Path) bool) bool {
	if a == b || IsEntry(a) && IsEntry(b) {
		return a == b
	}
	first, _, _ := documentOf(a)
	second, _, _ := documentOf(b)
	if first != second { // a document is a part of its text
		return overlap(textKey(a), textKey(b), isOverlap)
	}
	return isOverlap(pathOf(a), pathOf(b))
}

// Overlap is the function Overlap for the elements that this object has.
func (o *Snapshot) Overlap(a, b string) bool {
	p, q := pathOf(a), pathOf(b)
	first, _, _ := documentOf(a)
	second, _, _ := documentOf(b)
	if first != second {
		return MayOverlap(a, b)
	}
	return Overlap(a, b) || MayOverlap(a, b) && fieldpaths.OverlapBy(p, q, func(i int) bool {
		if fieldpaths.Overlap(p[i:i+1], q[i:i+1]) {
			return true
		}
		parent, err := o.find(a, p[:i])
		list, _ := parent.value.([]any)
		return err == nil && slices.ContainsFunc(list, func(element any) bool {
			return fieldpaths.Selects(p[i], element) && fieldpaths.Selects(q[i], element)
		})
	})
}

// ambiguous returns an error if two changes would change one element of a list that their paths select by different
// members: after all changes, each path must lead to its own value.
func (o *Snapshot) ambiguous(t *Txn, changes []Change) error {
	var after *Snapshot
	fields := slices.DeleteFunc(slices.Clone(changes), func(c Change) bool { return IsEntry(c.Key) })
	for _, c := range fields {
		for _, other := range fields {
			if !other.Writes() || c.Key == other.Key || !MayOverlap(c.Key, other.Key) {
				continue
			}
			if after == nil {
				after = o.after(changes)
			}
			if found, err := after.Lookup(c.Key); err != nil || !found.Matches(c.To) {
				path, same := fieldpaths.Text(pathOf(c.Key)), fieldpaths.Text(pathOf(other.Key))
				return &FieldError{Ref: t.Ref, Key: c.Key, Err: fmt.Errorf("%s and %s lead to one element: "+
					"select the element in the same way in both", path, same)}
			}
		}
	}
	return nil
}

// SelectsIn reports whether a key leads into an element that another key names, if the element holds a value.
func SelectsIn(key, other string, e Value) bool {
	p, q := pathOf(key), pathOf(other)
	last := len(q) - 1
	return MayBeIn(key, other) && last >= 0 && (last == 0 || fieldpaths.Overlap(p[:last], q[:last])) &&
		fieldpaths.Selects(p[last], e.decode())
}

// IsIn reports whether a key names what another key names, or a part of it.
func IsIn(key, other string) bool { return Overlap(key, other) && depth(key) >= depth(other) }

// MayBeIn reports whether a key may do so in some object.
func MayBeIn(key, other string) bool { return MayOverlap(key, other) && depth(key) >= depth(other) }

func depth(key string) int {
	if text := textKey(key); text != key {
		return depth(text) + len(pathOf(key))
	}
	return len(pathOf(key))
}
