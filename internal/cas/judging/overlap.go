package judging

import (
	"fmt"
	"slices"
	"sync"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/fieldpaths"
)

// Two keys of fields may name one value, or one element of a list, in different ways.

// Overlap reports whether two keys name the same thing in every object, one names a part of the other, or one
// names a field by which the other selects an element.
func Overlap(a, b string) bool { return overlap(a, b, fieldpaths.Overlap) }

// MayOverlap reports whether two keys do so in some object.
func MayOverlap(a, b string) bool { return overlap(a, b, fieldpaths.MayOverlap) }

func overlap(a, b string, paths func(a, b fieldpath.Path) bool) bool {
	path, isField := FieldPath(oneName(a))
	other, areFields := FieldPath(oneName(b))
	return a == b || isField && areFields && paths(parsed(path), parsed(other))
}

// Overlap is the function Overlap for the elements that this object has.
func (o *Observation) Overlap(a, b string) bool {
	path, _ := FieldPath(oneName(a))
	other, _ := FieldPath(oneName(b))
	p, q := parsed(path), parsed(other)
	return Overlap(a, b) || MayOverlap(a, b) && fieldpaths.OverlapBy(p, q, func(i int) bool {
		if fieldpaths.Overlap(p[i:i+1], q[i:i+1]) {
			return true
		}
		parent, err := find(o.fields, p[:i])
		list, _ := parent.value.([]any)
		return err == nil && slices.ContainsFunc(list, func(element any) bool {
			return fieldpaths.Selects(p[i], element) && fieldpaths.Selects(q[i], element)
		})
	})
}

// ambiguous returns an error if two changes would change one element of a list that their paths select by different
// members: after all changes, each path must lead to its own value.
func (o *Observation) ambiguous(t *Txn, changes []Change) error {
	var after *Observation
	for _, c := range changes {
		for _, other := range changes {
			if !other.Writes() || c.Key == other.Key || !MayOverlap(c.Key, other.Key) {
				continue
			}
			if after == nil {
				after = &Observation{kind: o.kind, configMap: o.configMap, fields: o.with(changes)}
			}
			if found, err := after.Field(c.Key); err != nil || !found.Holds(c.To) {
				path, _ := FieldPath(c.Key)
				same, _ := FieldPath(other.Key)
				return &FieldError{Ref: t.Ref, Key: c.Key, Err: fmt.Errorf("%s and %s lead to one element: "+
					"select the element in the same way in both", path, same)}
			}
		}
	}
	return nil
}

// SelectsIn reports whether a key leads into an element that another key names, if the element holds an entry.
func SelectsIn(key, other string, e Entry) bool {
	path, _ := FieldPath(key)
	outer, _ := FieldPath(other)
	p, q := parsed(path), parsed(outer)
	last := len(q) - 1
	return MayBeIn(key, other) && last >= 0 && (last == 0 || fieldpaths.Overlap(p[:last], q[:last])) &&
		fieldpaths.Selects(p[last], e.fieldValue())
}

// oneName returns the key by which keys are compared: a label or an annotation has a key that LabelKey or
// AnnotationKey made, or the key of its path.
func oneName(key string) string {
	if f, isMeta := metaField(key); isMeta && (f.in == "labels" || f.in == "annotations") {
		return inFields + fieldpaths.Text(fieldpath.MakePathOrDie("metadata", f.in, f.key))
	}
	return key
}

// IsIn reports whether a key names what another key names, or a part of it.
func IsIn(key, other string) bool { return Overlap(key, other) && depth(key) >= depth(other) }

// MayBeIn reports whether a key may do so in some object.
func MayBeIn(key, other string) bool { return MayOverlap(key, other) && depth(key) >= depth(other) }

func depth(key string) int {
	path, _ := FieldPath(key)
	return len(parsed(path))
}

// paths caches parsed paths by their text.
var paths sync.Map

// parsed returns the path of a key.
func parsed(text string) fieldpath.Path {
	if known, ok := paths.Load(text); ok {
		p, _ := known.(fieldpath.Path) // nothing else is in it
		return p
	}
	p, err := fieldpaths.Parse(text)
	if err != nil { // FieldKey did not make the key
		return fieldpath.Path{fieldpath.IndexElement(-1)} // selects nothing
	}
	paths.Store(text, p)
	return p
}
