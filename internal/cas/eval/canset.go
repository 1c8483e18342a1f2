package eval

import (
	"fmt"
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/fieldpaths"
)

// canSet returns an error if a field of the object cannot be set to a value.
func (o *Snapshot) canSet(key string, to Value) error {
	p := pathOf(key)
	h, _, inDocument := documentOf(key)
	at, err := o.find(key, p)
	switch {
	case err != nil:
		return err
	case to.IsAbsent() && at.missing < len(p): // the field is already missing
		return nil
	}
	for i := at.missing; i < len(p)-1; i++ {
		if p[i].FieldName == nil {
			return o.elementMissing(key, p[:i+1])
		}
	}
	if inDocument {
		if err := o.document(h).canChange(h, p, to.IsAbsent()); err != nil {
			return err
		}
		return CanSet(key, to)
	}
	if i := slices.IndexFunc(p, func(e fieldpath.PathElement) bool { return e.FieldName == nil }); i >= 0 {
		if list, _ := find(o.object, p[:i]); list.value != nil && hasNull(list.value) {
			return fmt.Errorf("%s holds a null, which the API server would drop with a write of any element: "+
				"import %[1]s and set all of it", fieldpaths.Text(p[:i]))
		}
	}
	return CanSet(key, to)
}

// MissingElementError: a path names a part of an element that a list lacks.
type MissingElementError struct {
	Path     string   // of the element
	Elements []string // that the list has, selected by the same members
	IsEmpty  bool     // the list has no elements
}

func (e *MissingElementError) Error() string {
	switch {
	case e.IsEmpty:
		return fmt.Sprintf("%s is not there, and the list is empty: to add the element, set %[1]s as a whole", e.Path)
	case len(e.Elements) == 0:
		return fmt.Sprintf("%s is not there, and no element of the list has the member that selects: "+
			"to add the element, set %[1]s as a whole", e.Path)
	default:
		return fmt.Sprintf("%s is not there", e.Path)
	}
}

// elementMissing returns the error of a path that leads to an element of a list that is missing.
func (o *Snapshot) elementMissing(key string, p fieldpath.Path) error {
	missing := &MissingElementError{Path: fieldpaths.Text(p)}
	parent, _ := o.find(key, p[:len(p)-1])
	list, _ := parent.value.([]any)
	missing.IsEmpty = len(list) == 0
	for _, element := range list {
		if other, selects := fieldpaths.Selecting(p[len(p)-1], element); selects {
			missing.Elements = append(missing.Elements, fieldpaths.Text(fieldpath.Path{other}))
		}
	}
	return missing
}

// CanSet returns an error if the field cannot be set to a value in any object: an element of a list must keep
// the values that its path selects by, and a patch drops nulls, except in a document.
func CanSet(key string, to Value) error {
	_, isField := FieldPath(key)
	_, _, inDocument := documentOf(key)
	if !isField && !inDocument {
		return nil
	}
	p, value := pathOf(key), to.decode()
	path := fieldpaths.Text(p)
	last := p[len(p)-1]
	switch {
	case last.FieldName == nil && !to.IsAbsent() && !fieldpaths.Selects(last, value):
		other, selects := fieldpaths.Selecting(last, value)
		if !selects {
			return fmt.Errorf("the value lacks what %s selects by: add it to the value", path)
		}
		return otherElement(p, other)
	case last.FieldName != nil && len(p) > 1 && p[len(p)-2].Key != nil:
		for _, k := range *p[len(p)-2].Key {
			isKept := !to.IsAbsent() && fieldpaths.Scalar(value) == fieldpaths.Scalar(k.Value.Unstructured())
			if k.Name == *last.FieldName && !isKept {
				element := map[string]any{k.Name: value}
				for _, same := range *p[len(p)-2].Key {
					if same.Name != k.Name {
						element[same.Name] = same.Value.Unstructured()
					}
				}
				other, selects := fieldpaths.Selecting(p[len(p)-2], element)
				if !selects {
					return fmt.Errorf("%s selects its element: it cannot be removed alone", path)
				}
				return otherElement(p[:len(p)-1], other)
			}
		}
	}
	if inDocument {
		return nil
	}
	_, err := normal(value, "the value", refusesNulls)
	return err
}

// otherElement returns the error of a write that would make another element of the one that a path selects.
func otherElement(p fieldpath.Path, other fieldpath.PathElement) error {
	added := append(slices.Clone(p[:len(p)-1]), other)
	return fmt.Errorf("%s would become another element: set %[1]s = null, with its present value as the expectation, "+
		"to remove the old element, and set %s as a whole to add the new one", fieldpaths.Text(p), fieldpaths.Text(added))
}
