package judging

import (
	"bytes"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Field names a field that this package writes: a key in one of a ConfigMap's maps, or immutable, or a path. What a Secret holds is in binaryData.
type Field struct{ in, key string }

// Beside the keys of an object's maps, a Txn names these, which no such key can be: a key has no slash. What they hold is Text. Those of fields
// are named by FieldKey.

// LabelKey names a label.
func LabelKey(name string) string { return inLabels + name }

// AnnotationKey names an annotation.
func AnnotationKey(name string) string { return inAnnotations + name }

// ImmutableKey names whether the object is immutable: "true" or "false".
const ImmutableKey = "/immutable"

const (
	inLabels      = "metadata.labels/"
	inAnnotations = "metadata.annotations/"
	inFields      = "fields/"
)

// metaField is the field of a key that is no entry.
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

// IsMeta reports whether a key names no entry, but a label, an annotation, immutable or a field. It adds nothing to the size that is limited.
func IsMeta(key string) bool {
	_, isMeta := metaField(key)
	return isMeta
}

// Field is where what a key holds is stored. An absent entry is stored nowhere.
func (e Entry) Field(key string) Field {
	if f, isMeta := metaField(key); isMeta {
		return f
	}
	if e.kind == binary {
		return Field{"binaryData", key}
	}
	return Field{"data", key}
}

// at is what a field holds.
func (o *Observation) at(f Field) Entry {
	var of map[string]string
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
		of = o.Object().Data
	case "labels":
		of = o.Object().Labels
	case "annotations":
		of = o.Object().Annotations
	}
	if v, ok := of[f.key]; ok {
		return Text(v)
	}
	return Entry{}
}

// Fields is all that an object holds that was read by its keys.
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

// fieldsOf is what a manager owns; nil where that is not told.
func fieldsOf(f metav1.ManagedFieldsEntry) *fieldpath.Set {
	fields := &fieldpath.Set{}
	if f.FieldsV1 == nil || fields.FromJSON(bytes.NewReader(f.FieldsV1.GetRawBytes())) != nil {
		return nil
	}
	return fields
}
