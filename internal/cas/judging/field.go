package judging

import (
	"bytes"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Field names a place in an object that this package writes: a key of one of a ConfigMap's maps, immutable,
// or a path. The data of a Secret is in binaryData.
type Field struct{ in, key string }

// A Txn also names labels, annotations and immutable. Their keys contain a slash, which no key of a ConfigMap's
// maps can contain, and their entries are Text. FieldKey makes the keys of fields.

// LabelKey returns the key of a label.
func LabelKey(name string) string { return inLabels + name }

// AnnotationKey returns the key of an annotation.
func AnnotationKey(name string) string { return inAnnotations + name }

// ImmutableKey is the key of the member immutable, whose entry is "true" or "false".
const ImmutableKey = "/immutable"

const (
	inLabels      = "metadata.labels/"
	inAnnotations = "metadata.annotations/"
	inFields      = "fields/"
)

// metaField returns the field of a key that does not name an entry of an object's maps.
func metaField(key string) (f Field, isMeta bool) {
	if key == ImmutableKey {
		return Field{in: "immutable"}, true
	}
	if name, isLabel := strings.CutPrefix(key, inLabels); isLabel {
		return Field{"labels", name}, true
	}
	if path, isField := strings.CutPrefix(key, inFields); isField {
		return Field{inFields, path}, true
	}
	name, isAnnotation := strings.CutPrefix(key, inAnnotations)
	return Field{"annotations", name}, isAnnotation
}

// IsMeta reports whether a key names a label, an annotation, immutable or a field. Such a key does not count
// towards MaxSize.
func IsMeta(key string) bool {
	_, isMeta := metaField(key)
	return isMeta
}

// Field returns the place of a key with this entry. For an absent entry, it is a place in data.
func (e Entry) Field(key string) Field {
	if f, isMeta := metaField(key); isMeta {
		return f
	}
	if e.kind == binary {
		return Field{"binaryData", key}
	}
	return Field{"data", key}
}

// at returns the entry of a field.
func (o *Observation) at(f Field) Entry {
	var texts map[string]string
	switch f.in {
	case inFields:
		return o.field(f.key)
	case "binaryData":
		if v, ok := o.Object().BinaryData[f.key]; ok {
			return Binary(v)
		}
		return Entry{}
	case "immutable":
		if o.Object().Immutable == nil {
			return Entry{}
		}
		return Text(strconv.FormatBool(*o.Object().Immutable))
	case "data":
		texts = o.Object().Data
	case "labels":
		texts = o.Object().Labels
	case "annotations":
		texts = o.Object().Annotations
	}
	if v, ok := texts[f.key]; ok {
		return Text(v)
	}
	return Entry{}
}

// Fields returns all fields of an object that was read as entries.
func (o *Observation) Fields() map[Field]Entry {
	all := map[Field]Entry{}
	for key, e := range o.Entries() {
		all[e.Field(key)] = e
	}
	for key, v := range o.Labels() {
		all[Field{"labels", key}] = Text(v)
	}
	for key, v := range o.Annotations() {
		all[Field{"annotations", key}] = Text(v)
	}
	if e := o.Entry(ImmutableKey); !e.IsAbsent() {
		all[Field{in: "immutable"}] = e
	}
	return all
}

// fieldsOf returns the paths that a manager owns; nil if they cannot be read.
func fieldsOf(f metav1.ManagedFieldsEntry) *fieldpath.Set {
	fields := &fieldpath.Set{}
	if f.FieldsV1 == nil || fields.FromJSON(bytes.NewReader(f.FieldsV1.GetRawBytes())) != nil {
		return nil
	}
	return fields
}
