package cas

import (
	"bytes"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// field names a field that this package writes: a key in one of a ConfigMap's maps, or immutable. What a Secret holds is in binaryData.
type field struct{ in, key string }

func (f field) isMeta() bool { return f.in != "data" && f.in != "binaryData" }

// field is where the entry of a key is stored. An absent one is stored nowhere.
func (e Entry) field(key string) field {
	if e.kind == binary {
		return field{"binaryData", key}
	}
	return field{"data", key}
}

// fields is all that the object holds.
func (o *Observation) fields() map[field]string {
	all := map[field]string{}
	for key, e := range o.Entries() {
		all[e.field(key)] = e.content
	}
	for key, v := range o.Labels() {
		all[field{"labels", key}] = v
	}
	for key, v := range o.Annotations() {
		all[field{"annotations", key}] = v
	}
	if o.Exists() && o.configMap.Immutable != nil {
		all[field{in: "immutable"}] = strconv.FormatBool(*o.configMap.Immutable)
	}
	return all
}

// writes is what m makes of fields. What stays as it is is left out.
func (m *Meta) writes(before *Observation) map[field]*string {
	all := map[field]*string{}
	if m == nil {
		return all
	}
	was := before.fields()
	add := func(f field, to *string) {
		if is, had := was[f]; had != (to != nil) || had && is != *to {
			all[f] = to
		}
	}
	for key, to := range m.Labels {
		add(field{"labels", key}, to)
	}
	for key, to := range m.Annotations {
		add(field{"annotations", key}, to)
	}
	if m.Immutable != nil {
		add(field{in: "immutable"}, new(strconv.FormatBool(*m.Immutable)))
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
