package judging

import (
	"bytes"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Field names a field that this package writes: a key in one of a ConfigMap's maps, or immutable. What a Secret holds is in binaryData.
type Field struct{ in, key string }

// IsMeta reports whether the field is no entry: a label, an annotation or immutable.
func (f Field) IsMeta() bool { return f.in != "data" && f.in != "binaryData" }

// Field is where the entry of a key is stored. An absent one is stored nowhere.
func (e Entry) Field(key string) Field {
	if e.kind == binary {
		return Field{"binaryData", key}
	}
	return Field{"data", key}
}

// Fields is all that the object holds.
func (o *Observation) Fields() map[Field]string {
	all := map[Field]string{}
	for key, e := range o.Entries() {
		all[e.Field(key)] = e.content
	}
	for key, v := range o.Labels() {
		all[Field{"labels", key}] = v
	}
	for key, v := range o.Annotations() {
		all[Field{"annotations", key}] = v
	}
	if o.Exists() && o.configMap.Immutable != nil {
		all[Field{in: "immutable"}] = strconv.FormatBool(*o.configMap.Immutable)
	}
	return all
}

// Writes is what m makes of fields. What stays as it is is left out.
func (m *Meta) Writes(before *Observation) map[Field]*string {
	all := map[Field]*string{}
	if m == nil {
		return all
	}
	was := before.Fields()
	add := func(f Field, to *string) {
		if is, had := was[f]; had != (to != nil) || had && is != *to {
			all[f] = to
		}
	}
	for key, to := range m.Labels {
		add(Field{"labels", key}, to)
	}
	for key, to := range m.Annotations {
		add(Field{"annotations", key}, to)
	}
	if m.Immutable != nil {
		add(Field{in: "immutable"}, new(strconv.FormatBool(*m.Immutable)))
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
