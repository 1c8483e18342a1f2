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

// Version is one state of one object. A resourceVersion is opaque: versions are compared for equality only. An empty
// UID stands for any: what a user writes down as expected has none.
type Version struct {
	UID             string
	ResourceVersion string
}

// Matches reports whether v is the version that want asks for.
func (v Version) Matches(want Version) bool {
	return v.ResourceVersion == want.ResourceVersion && (want.UID == "" || v.UID == want.UID)
}

// Valid reports whether a request conditional on v is conditional at all: the API server takes a resourceVersion of ""
// or "0" in a patch as none, and overwrites.
func (v Version) Valid() bool { return v.ResourceVersion != "" && v.ResourceVersion != "0" }

// Writer is what managedFields tells of a writer. It is a hint: the time is that of the manager's last write to any
// field, in seconds, and a removal leaves no trace.
type Writer struct {
	Manager   string
	Operation string
	Time      time.Time // UTC
}

// Observation is what one read saw of an object. It is never changed after it was made.
type Observation struct {
	kind       Kind
	configMap  *corev1.ConfigMap // nil: there was none; of a Secret, the ConfigMap that holds the same as binaryData; of fields, metadata alone
	fields     map[string]any    // all of the object, where it was read as fields
	apiVersion string            // of the fields
	secretType string
	size       int
	managers   func() []managed // the entries of managedFields
	Begun      time.Time        // when the request that read it was sent
}

// Observed is what was seen of an answer; nil where that is no object of any kind.
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

// nothing is what was seen where there is none.
var nothing = &corev1.ConfigMap{}

// Object is what was seen, which is not to be changed: a ConfigMap; of a Secret one that holds the same as binaryData; an empty one where there was none.
func (o *Observation) Object() *corev1.ConfigMap {
	if o.configMap == nil {
		return nothing
	}
	return o.configMap
}

// APIVersion is that in which the object was read by its fields; empty where it was read by its entries.
func (o *Observation) APIVersion() string { return o.apiVersion }

// Path is where managedFields have a field.
func (o *Observation) Path(f Field) fieldpath.Path { return o.kind.path(f) }

// Exists reports whether there was an object.
func (o *Observation) Exists() bool { return o.configMap != nil }

// Version is the zero Version where there was no object.
func (o *Observation) Version() Version {
	return Version{UID: string(o.Object().UID), ResourceVersion: o.Object().ResourceVersion}
}

// Entry is what key held.
func (o *Observation) Entry(key string) Entry {
	if f, isMeta := metaField(key); isMeta {
		return o.at(f)
	}
	return cmp.Or(o.at(Field{"data", key}), o.at(Field{"binaryData", key}))
}

// Entries is what all keys held, in a map of its own.
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

// Labels is metadata.labels, which is not to be changed.
func (o *Observation) Labels() map[string]string { return o.Object().Labels }

// Annotations is metadata.annotations, which is not to be changed.
func (o *Observation) Annotations() map[string]string { return o.Object().Annotations }

// Type is the type of a Secret, and empty for a ConfigMap.
func (o *Observation) Type() string { return o.secretType }

// Immutable reports whether the object refuses every change of its entries.
func (o *Observation) Immutable() bool {
	return o.Object().Immutable != nil && *o.Object().Immutable
}

// SurvivesJSON reports whether the object is the same after it was written and parsed as JSON, as the API server does for a JSON
// Patch, and for any patch of fields: text that is no UTF-8 becomes U+FFFD there, and could not be told from U+FFFD itself. What status holds, no
// such write changes.
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

// Size is the number of bytes of all values together, which the API server limits to MaxSize.
func (o *Observation) Size() int { return o.size }

// MaxSize is how many bytes the values of a ConfigMap or a Secret may have together (validation in k8s.io/kubernetes counts
// values, not keys, and has one limit for both).
const MaxSize = corev1.MaxSecretSize

// Writers are all managers that managedFields name, in their order there.
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

// LastWriters are the managers with the latest time: several where they wrote in the same second, and none where managedFields
// tell of none.
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

// manyManagers is the manager under which the API server puts the oldest together where there are many (managedfields in
// k8s.io/apimachinery). Who is among them is not told.
const manyManagers = "ancient-changes"

// managed is an entry of managedFields. fields is nil where what the manager owns is not told.
type managed struct {
	Writer

	apiVersion, subresource string
	fields                  *fieldpath.Set
	// isOtherVersion: the entry is of another API version than the one that the fields were read in, and may name them differently.
	isOtherVersion bool
}

// isSame reports whether two entries are of the same manager.
func (m managed) isSame(other managed) bool {
	return m.Manager == other.Manager && m.Operation == other.Operation && m.apiVersion == other.apiVersion && m.subresource == other.subresource
}

func (o *Observation) managedFields() (all []managed) {
	for _, f := range o.configMap.ManagedFields {
		isOtherVersion := o.fields != nil && f.APIVersion != o.apiVersion
		all = append(all, managed{writerOf(f), f.APIVersion, f.Subresource, fieldsOf(f), isOtherVersion})
	}
	return all
}

// IsVersioned reports whether a write on what was answered can be conditional.
func (o *Observation) IsVersioned() bool {
	return o != nil && o.Version().UID != "" && o.Version().Valid()
}
