package judging

import (
	"cmp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Version is one state of one object. An empty UID matches every object: a version that a user expects has
// none. Versions are compared for equality, except in Lineage.WroteSince.
type Version struct {
	UID             string
	ResourceVersion string
}

// Valid reports whether a request can be conditional on v. The API server treats a resourceVersion of "" or
// "0" in a patch as none, and overwrites.
func (v Version) Valid() bool { return v.ResourceVersion != "" && v.ResourceVersion != "0" }

// Writer is a manager in managedFields. It is a hint: Time is when the manager last wrote any field, in
// seconds, and a removal leaves no trace.
type Writer struct {
	Manager   string
	Operation string
	Time      time.Time // UTC
}

// Observation contains what one read found of an object. It does not change.
type Observation struct {
	kind Kind
	// configMap is nil if the object is missing. For a Secret, binaryData contains its data. For an object that was
	// read as fields, it has only the metadata.
	configMap  *corev1.ConfigMap
	fields     map[string]any // the whole object, if it was read as fields
	apiVersion string         // of the fields
	secretType string
	size       int
	managers   func() []managed // the entries of managedFields
	Begun      time.Time        // when the request was sent whose response this is
}

// Observed returns the observation of an object in a response; nil if it is no ConfigMap and no Secret.
func Observed(answer runtime.Object, begun time.Time) *Observation {
	kind, cm, secretType, ok := decode(answer)
	if !ok {
		return nil
	}
	o := &Observation{kind: kind, configMap: cm, secretType: secretType, Begun: begun}
	o.managers = sync.OnceValue(o.managedFields)
	for _, v := range cm.Data {
		o.size += len(v)
	}
	for _, v := range cm.BinaryData {
		o.size += len(v)
	}
	return o
}

// nothing is the ConfigMap of a missing object.
var nothing = &corev1.ConfigMap{}

// Object returns the object as a ConfigMap, which must not be changed. For a Secret, binaryData contains its
// data. For a missing object it is empty.
func (o *Observation) Object() *corev1.ConfigMap {
	if o.configMap == nil {
		return nothing
	}
	return o.configMap
}

// APIVersion returns the API version in which the object was read as fields; empty if it was read as entries.
func (o *Observation) APIVersion() string { return o.apiVersion }

// Path returns the path of a field in managedFields.
func (o *Observation) Path(f Field) fieldpath.Path { return o.kind.path(f) }

// Exists reports whether the read found an object.
func (o *Observation) Exists() bool { return o.configMap != nil }

// Version returns the version of the object; the zero Version if it is missing.
func (o *Observation) Version() Version {
	return Version{UID: string(o.Object().UID), ResourceVersion: o.Object().ResourceVersion}
}

// Entry returns the entry of a key.
func (o *Observation) Entry(key string) Entry {
	if f, isMeta := metaField(key); isMeta {
		return o.at(f)
	}
	return cmp.Or(o.at(Field{"data", key}), o.at(Field{"binaryData", key}))
}

// Entries returns the entries of all keys, in a new map.
func (o *Observation) Entries() map[string]Entry {
	all := map[string]Entry{}
	for k, v := range o.Object().Data {
		all[k] = Text(v)
	}
	for k, v := range o.Object().BinaryData {
		all[k] = Binary(v)
	}
	return all
}

// Labels returns metadata.labels, which must not be changed.
func (o *Observation) Labels() map[string]string { return o.Object().Labels }

// Annotations returns metadata.annotations, which must not be changed.
func (o *Observation) Annotations() map[string]string { return o.Object().Annotations }

// Type returns the type of a Secret; empty for any other object.
func (o *Observation) Type() string { return o.secretType }

// Immutable reports whether the API server refuses every change of the object's entries.
func (o *Observation) Immutable() bool {
	return o.Object().Immutable != nil && *o.Object().Immutable
}

// SurvivesJSON reports whether an object that was read as fields stays the same when the API server encodes
// it as JSON, as it does to apply a patch of fields: text that is not UTF-8 becomes U+FFFD. Such text and
// U+FFFD itself look alike in the response. status does not matter, because a write of fields outside status
// leaves it unchanged.
func (o *Observation) SurvivesJSON() bool {
	var all []Entry
	for name, v := range o.fields {
		if name != "status" {
			all = appendParts(all, v)
		}
	}
	return !slices.ContainsFunc(all, func(e Entry) bool { return strings.ContainsRune(e.content, utf8.RuneError) })
}

// Terminating reports whether the object is being deleted.
func (o *Observation) Terminating() bool { return o.Object().DeletionTimestamp != nil }

// Finalizers returns metadata.finalizers, which must not be changed.
func (o *Observation) Finalizers() []string { return o.Object().Finalizers }

// Size returns the number of bytes of all values together, which the API server limits to MaxSize. For an
// object that was read as fields, it is the length of the response.
func (o *Observation) Size() int { return o.size }

// MaxSize is the number of bytes that the values of a ConfigMap or a Secret may have together (validation in
// k8s.io/kubernetes counts values, not keys, and has one limit for both kinds).
const MaxSize = corev1.MaxSecretSize

// Writers returns all managers that managedFields name, in their order there.
func (o *Observation) Writers() (all []Writer) {
	for _, f := range o.Object().ManagedFields {
		all = append(all, writerOf(f))
	}
	return all
}

func writerOf(f metav1.ManagedFieldsEntry) Writer {
	w := Writer{Manager: f.Manager, Operation: string(f.Operation)}
	if f.Time != nil {
		w.Time = f.Time.UTC()
	}
	return w
}

// LastWriters returns the managers with the latest time: several if they wrote in the same second, and none
// if no entry of managedFields except ancient-changes has a time.
func (o *Observation) LastWriters() (last []Writer) {
	for _, w := range o.Writers() {
		if w.Manager == manyManagers || w.Time.IsZero() || len(last) > 0 && w.Time.Before(last[0].Time) {
			continue
		}
		if len(last) > 0 && w.Time.After(last[0].Time) {
			last = nil
		}
		last = append(last, w)
	}
	return last
}

// manyManagers is the manager under which the API server merges the oldest entries if there are more than ten
// (managedfields in k8s.io/apimachinery). Its entry does not show which managers it replaces.
const manyManagers = "ancient-changes"

// managed is an entry of managedFields. fields is nil if the paths that the manager owns cannot be read.
type managed struct {
	Writer

	apiVersion, subresource string
	fields                  *fieldpath.Set
	// isOtherVersion: the fields were read in another API version than the entry's, which may name them differently.
	isOtherVersion bool
}

// isSame reports whether two entries belong to the same manager.
func (m managed) isSame(other managed) bool {
	return m.Manager == other.Manager && m.Operation == other.Operation &&
		m.apiVersion == other.apiVersion && m.subresource == other.subresource
}

func (o *Observation) managedFields() (all []managed) {
	for _, f := range o.configMap.ManagedFields {
		isOtherVersion := o.fields != nil && f.APIVersion != o.apiVersion
		all = append(all, managed{writerOf(f), f.APIVersion, f.Subresource, fieldsOf(f), isOtherVersion})
	}
	return all
}

// IsVersioned reports whether the observation has a version that a write can be conditional on.
func (o *Observation) IsVersioned() bool {
	return o != nil && o.Version().UID != "" && o.Version().Valid()
}
