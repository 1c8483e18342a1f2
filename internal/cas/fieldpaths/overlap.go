package fieldpaths

import (
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
	"sigs.k8s.io/structured-merge-diff/v6/value"
)

// Overlap reports whether in every object the two paths name the same field, one names a part of the other, or one
// names a field by which the other selects an element.
func Overlap(a, b fieldpath.Path) bool {
	return OverlapBy(a, b, func(i int) bool { return isOne(a[i], b[i]) })
}

// MayOverlap reports whether they do so in some object: one element may have the port 80 and the name "metrics".
func MayOverlap(a, b fieldpath.Path) bool {
	return OverlapBy(a, b, func(i int) bool { return mayBeOne(a[i], b[i]) })
}

// OverlapBy is Overlap, where isOne reports whether the elements at an index select the same. It is called only if all
// elements before them do.
func OverlapBy(a, b fieldpath.Path, isOne func(i int) bool) bool {
	for i := range min(len(a), len(b)) {
		if !isOne(i) {
			return i > 0 && (selectsBy(a[i-1], b[i]) || selectsBy(b[i-1], a[i]))
		}
	}
	return true
}

// isOne reports whether two elements of paths select the same in every object: one selects by all that the other
// selects by.
func isOne(a, b fieldpath.PathElement) bool {
	return mayBeOne(a, b) && (a.Key == nil || b.Key == nil || selectsAll(*a.Key, *b.Key) || selectsAll(*b.Key, *a.Key))
}

// selectsAll reports whether a selector names all members that another one names.
func selectsAll(a, b value.FieldList) bool {
	return !slices.ContainsFunc(b, func(f value.Field) bool {
		return !slices.ContainsFunc(a, func(other value.Field) bool { return other.Name == f.Name })
	})
}

// selectsBy reports whether an element of a path selects by the field that another element names.
func selectsBy(e, field fieldpath.PathElement) bool {
	return e.Key != nil && field.FieldName != nil &&
		slices.ContainsFunc(*e.Key, func(f value.Field) bool { return f.Name == *field.FieldName })
}

// mayBeOne reports whether two elements of paths may select the same.
func mayBeOne(a, b fieldpath.PathElement) bool {
	switch {
	case a.FieldName != nil || b.FieldName != nil:
		return a.FieldName != nil && b.FieldName != nil && *a.FieldName == *b.FieldName
	case a.Value != nil && b.Value != nil:
		return Scalar((*a.Value).Unstructured()) == Scalar((*b.Value).Unstructured())
	case a.Key == nil || b.Key == nil:
		// An index may select any element. A map is no text.
		return a.Key == nil && a.Value == nil || b.Key == nil && b.Value == nil
	}
	for _, key := range *a.Key {
		for _, other := range *b.Key {
			if key.Name == other.Name && Scalar(key.Value.Unstructured()) != Scalar(other.Value.Unstructured()) {
				return false
			}
		}
	}
	return true
}

// Selects reports whether an element of a path selects an element of a list.
func Selects(e fieldpath.PathElement, element any) bool {
	switch {
	case e.Value != nil:
		return holds(element, *e.Value)
	case e.Key == nil:
		return false
	}
	fields, isMap := element.(map[string]any)
	return isMap && !slices.ContainsFunc(*e.Key, func(f value.Field) bool { return !holds(fields[f.Name], f.Value) })
}

// holds reports whether a value is a scalar that equals the operand of a selector.
func holds(there any, selector value.Value) bool {
	switch there.(type) {
	case nil, map[string]any, []any:
		return false
	}
	return Scalar(there) == Scalar(selector.Unstructured())
}

// Selecting returns the element of a path that selects an element of a list by the same members as another element of
// a path, and false if the element of the list lacks one of them.
func Selecting(like fieldpath.PathElement, element any) (fieldpath.PathElement, bool) {
	if like.Value != nil {
		text := Scalar(element)
		return fieldpath.ValueElement(value.NewValueInterface(text)), text != ""
	}
	fields, isMap := element.(map[string]any)
	if like.Key == nil || !isMap {
		return fieldpath.PathElement{}, false
	}
	var keys value.FieldList
	for _, f := range *like.Key {
		text := Scalar(fields[f.Name])
		if text == "" {
			return fieldpath.PathElement{}, false
		}
		keys = append(keys, value.Field{Name: f.Name, Value: value.NewValueInterface(text)})
	}
	return fieldpath.KeyElement(keys...), true
}

// CanSelect reports whether a path can select an element of a list: it is a scalar, or has a member that is one.
func CanSelect(element any) bool {
	fields, isMap := element.(map[string]any)
	if !isMap {
		return Scalar(element) != ""
	}
	for _, member := range fields {
		if Scalar(member) != "" {
			return true
		}
	}
	return false
}
