package eval

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/fieldpaths"
)

// The content of an object is a map of names to values: maps, lists, texts, bools, and numbers in their canonical form
// (see number). The bytes of a ConfigMap's binaryData and of a Secret are []byte, which JSON encodes in base64.

// place is the end of a path in an object.
type place struct {
	value   any // nil if the path is missing
	missing int // index of the first element of the path that is missing; the length of the path if none is
}

// find follows a path in an object or a document. A missing path is not an error.
func find(root any, p fieldpath.Path) (place, error) {
	if root == nil { // a document without content
		return place{}, nil
	}
	at := place{value: root}
	for i, e := range p {
		at.missing = i
		next, err := step(at.value, e)
		if err != nil {
			return place{}, fmt.Errorf("%s %w", cmp.Or(fieldpaths.Text(p[:i]), "the root"), err)
		}
		if next == nil {
			return place{missing: i}, nil
		}
		at.value = next
	}
	at.missing = len(p)
	return at, nil
}

// step returns what one element of a path selects in a value; nil if it selects nothing.
func step(v any, e fieldpath.PathElement) (any, error) {
	switch v := v.(type) {
	case map[string]any:
		if e.FieldName == nil {
			return nil, errors.New("is no list, of which an element could be selected")
		}
		return v[*e.FieldName], nil
	case []any:
		if e.FieldName != nil {
			if len(v) > 0 && !slices.ContainsFunc(v, fieldpaths.CanSelect) {
				return nil, errors.New("is a list whose elements have no member to select by: set the whole list")
			}
			return nil, errors.New("is a list: select one of its elements, as [name=web], or [=web] in a list of texts")
		}
		found := -1
		for i := range v {
			if !fieldpaths.Selects(e, v[i]) {
				continue
			}
			if found >= 0 {
				return nil, several(e, v[found], v[i])
			}
			found = i
		}
		if found < 0 {
			return nil, nil
		}
		return v[found], nil
	default:
		return nil, errors.New("holds a value, which has no fields")
	}
}

// several returns the error of a selector that selects two elements of a list.
func several(e fieldpath.PathElement, a, b any) error {
	selector := fieldpaths.Text(fieldpath.Path{e})
	first, isMap := a.(map[string]any)
	second, areMaps := b.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(first)) {
		value := fieldpaths.Scalar(first[name])
		if isMap && areMaps && value != "" && value != fieldpaths.Scalar(second[name]) {
			return fmt.Errorf("has several elements that %s selects: select by %s as well, as [key=a,effect=b]", selector, name)
		}
	}
	return fmt.Errorf("has several elements that %s selects, and no member that is a text, a number or a bool "+
		"distinguishes them: set the whole list", selector)
}

// apply returns the content of the object after changes that were evaluated on it, without those in documents: see
// Texts.
func (o *Snapshot) apply(changes []Change) map[string]any {
	object, _ := clone(o.object).(map[string]any) // clone returns the type of its argument
	for _, c := range changes {
		if _, _, isDocument := documentOf(c.Key); isDocument || !c.Writes() {
			continue
		}
		from, to := o.kind.path(c.Key, c.From), o.kind.path(c.Key, c.To)
		if !from.Equals(to) && !c.From.IsAbsent() { // a key never is in both maps of a ConfigMap
			put(object, from, Value{})
			if c.To.IsAbsent() {
				continue
			}
		}
		put(object, to, c.To)
	}
	return object
}

// clone returns a copy of a value. Bytes are shared, since nothing changes them.
func clone(v any) any {
	switch v := v.(type) {
	case map[string]any:
		members := make(map[string]any, len(v))
		for name, member := range v {
			members[name] = clone(member)
		}
		return members
	case []any:
		elements := make([]any, len(v))
		for i, element := range v {
			elements[i] = clone(element)
		}
		return elements
	default:
		return v
	}
}

// put sets the field at a path within a value to a value, and returns the new value. It creates maps that are
// missing, and a list for its first element.
func put(v any, p fieldpath.Path, to Value) any {
	if len(p) == 0 {
		return to.decode()
	}
	removes := len(p) == 1 && to.IsAbsent()
	if name := p[0].FieldName; name != nil {
		members, isMap := v.(map[string]any)
		if !isMap {
			members = map[string]any{}
		}
		switch _, isThere := members[*name]; {
		case removes:
			delete(members, *name)
		case isThere || !to.IsAbsent():
			members[*name] = put(members[*name], p[1:], to)
		}
		return members
	}
	list, _ := v.([]any)
	i := indexOf(list, p[0])
	switch {
	case i >= 0 && removes:
		return slices.Delete(list, i, i+1)
	case i >= 0:
		list[i] = put(list[i], p[1:], to)
	case !to.IsAbsent():
		list = append(list, put(nil, p[1:], to))
	}
	return list
}

// indexOf returns the index of the element of a list that an element of a path selects; -1 if there is none.
func indexOf(list []any, e fieldpath.PathElement) int {
	return slices.IndexFunc(list, func(element any) bool { return fieldpaths.Selects(e, element) })
}

// difference returns the merge patch (RFC 7386) that turns one map into another.
func difference(from, to map[string]any) map[string]any {
	patch := map[string]any{}
	for name := range from {
		if _, stays := to[name]; !stays {
			patch[name] = nil
		}
	}
	for name, v := range to {
		was, isThere := from[name]
		before, wasMap := was.(map[string]any)
		after, isMap := v.(map[string]any)
		switch {
		case isThere && isEqual(was, v):
		case wasMap && isMap:
			patch[name] = difference(before, after)
		default:
			patch[name] = v
		}
	}
	return patch
}

// isEqual reports whether two values of contents are equal. reflect.DeepEqual allocates memory for each text.
func isEqual(a, b any) bool {
	switch a := a.(type) {
	case map[string]any:
		other, isMap := b.(map[string]any)
		return isMap && maps.EqualFunc(a, other, isEqual)
	case []any:
		other, isList := b.([]any)
		return isList && slices.EqualFunc(a, other, isEqual)
	case []byte:
		other, isBinary := b.([]byte)
		return isBinary && bytes.Equal(a, other)
	default:
		return a == b
	}
}
