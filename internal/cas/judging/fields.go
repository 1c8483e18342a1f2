package judging

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	exactly "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/fieldpaths"
)

// The fields of an object of any kind, which is read and written as JSON in one version of its API.

// FieldKey returns the key of a field of a kind. Two spellings of one path have the same key. It returns an
// error if the field must not be used in this way.
func FieldKey(kind Kind, path string, use fieldpaths.Use) (string, error) {
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
	path, isField := FieldPath(key)
	if !isField {
		return nil, false
	}
	for _, element := range parsed(path) {
		if element.FieldName == nil {
			return nil, false
		}
		names = append(names, *element.FieldName)
	}
	return names, true
}

// ObservedFields returns the observation of an object of any kind in a response, which has JSON in one API
// version.
func ObservedFields(kind Kind, apiVersion string, answer []byte, begun time.Time) (*Observation, error) {
	var about struct {
		Metadata metav1.ObjectMeta `json:"metadata"`
	}
	if err := exactly.Unmarshal(answer, &about); err != nil { // unlike encoding/json, it distinguishes "Metadata"
		return nil, err
	}
	object, err := decoded(answer)
	if err == nil {
		object, err = normal(object, "the object", dropsNulls)
	}
	fields, isObject := object.(map[string]any)
	if err != nil || !isObject {
		return nil, errors.Join(errors.New("the response is not an object"), err)
	}
	fields["apiVersion"], fields["kind"] = apiVersion, kind.String() // an item of a list has neither
	o := &Observation{
		kind: kind, configMap: &corev1.ConfigMap{ObjectMeta: about.Metadata}, fields: fields, apiVersion: apiVersion,
		Begun: begun,
	}
	o.managers = sync.OnceValue(o.managedFields)
	return o, nil
}

// field returns the entry of a field. If the field cannot be read, it is an entry that no field can have.
func (o *Observation) field(path string) Entry {
	e, err := o.read(path)
	if err != nil {
		return Entry{structured, err.Error()}
	}
	return e
}

func (o *Observation) read(path string) (Entry, error) {
	at, err := find(o.fields, parsed(path))
	if err != nil {
		return Entry{}, err
	}
	return fieldEntry(at.value), nil
}

var errShape = errors.New("an object is read as entries or as fields, not as both")

// Field returns the entry of a key that FieldKey made. It returns an error if the field cannot be read.
func (o *Observation) Field(key string) (Entry, error) {
	switch path, isField := FieldPath(key); {
	case !o.Exists():
		return Entry{}, nil
	case isField != (o.fields != nil):
		return Entry{}, errShape
	case isField:
		return o.read(path)
	default:
		return o.Entry(key), nil
	}
}

// place is the end of a path in an object.
type place struct {
	value   any // nil if the path is missing
	missing int // index of the first element of the path that is missing; the length of the path if none is
}

// find follows a path. A missing path is not an error.
func find(object map[string]any, p fieldpath.Path) (place, error) {
	at := place{value: object}
	for i, e := range p {
		at.missing = i
		next, err := step(at.value, e)
		if err != nil {
			return place{}, fmt.Errorf("%s %w", cmp.Or(fieldpaths.Text(p[:i]), "the object"), err)
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

// canHold returns an error if a field of the object cannot be set to an entry.
func (o *Observation) canHold(path string, to Entry) error {
	p := parsed(path)
	at, err := find(o.fields, p)
	switch {
	case err != nil:
		return err
	case to.IsAbsent() && at.missing < len(p): // the field is already missing
		return nil
	}
	for i := at.missing; i < len(p)-1; i++ {
		if p[i].FieldName == nil {
			return o.elementMissing(p[:i+1])
		}
	}
	if i := slices.IndexFunc(p, func(e fieldpath.PathElement) bool { return e.FieldName == nil }); i >= 0 {
		if list, _ := find(o.fields, p[:i]); list.value != nil && hasNull(list.value) {
			return fmt.Errorf("%s holds a null, which the API server would drop with a write of any element: "+
				"import %[1]s and set all of it", fieldpaths.Text(p[:i]))
		}
	}
	return CanSet(inFields+path, to)
}

// MissingElementError: a path names a part of an element that a list lacks.
type MissingElementError struct {
	Path     string   // of the element
	Elements []string // that the list has, selected by the same members
}

func (e *MissingElementError) Error() string {
	if len(e.Elements) == 0 {
		return fmt.Sprintf("%s is not there, and the list is empty: to add the element, set %[1]s as a whole", e.Path)
	}
	return fmt.Sprintf("%s is not there", e.Path)
}

// elementMissing returns the error of a path that leads to an element of a list that is missing.
func (o *Observation) elementMissing(p fieldpath.Path) error {
	missing := &MissingElementError{Path: fieldpaths.Text(p)}
	parent, _ := find(o.fields, p[:len(p)-1])
	list, _ := parent.value.([]any)
	for _, element := range list {
		if other, selects := fieldpaths.Selecting(p[len(p)-1], element); selects {
			missing.Elements = append(missing.Elements, fieldpaths.Text(fieldpath.Path{other}))
		}
	}
	return missing
}

// CanSet returns an error if the field cannot be set to an entry in any object: an element of a list must keep
// the values that its path selects by, and a patch drops nulls.
func CanSet(key string, to Entry) error {
	path, isField := FieldPath(key)
	if !isField {
		return nil
	}
	p, value := parsed(path), to.fieldValue()
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
	_, err := normal(value, "the value", refusesNulls)
	return err
}

// otherElement returns the error of a write that would make another element of the one that a path selects.
func otherElement(p fieldpath.Path, other fieldpath.PathElement) error {
	added := append(slices.Clone(p[:len(p)-1]), other)
	return fmt.Errorf("%s would become another element: set %[1]s = null, with its present value as the expectation, "+
		"to remove the old element, and set %s as a whole to add the new one", fieldpaths.Text(p), fieldpaths.Text(added))
}

// with returns the fields of the object after changes that were evaluated on it.
func (o *Observation) with(changes []Change) map[string]any {
	object := runtime.DeepCopyJSON(o.fields)
	for _, c := range changes {
		if path, isField := FieldPath(c.Key); isField && c.Writes() {
			put(object, parsed(path), c.To)
		}
	}
	return object
}

// put sets the field at a path within a value to an entry, and returns the new value. It creates maps that are
// missing, and a list for its first element.
func put(v any, p fieldpath.Path, to Entry) any {
	if len(p) == 0 {
		return to.fieldValue()
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
	i := slices.IndexFunc(list, func(element any) bool { return fieldpaths.Selects(p[0], element) })
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
		case isThere && reflect.DeepEqual(was, v):
		case wasMap && isMap:
			patch[name] = difference(before, after)
		default:
			patch[name] = v
		}
	}
	return patch
}
