package eval

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	exactly "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Version is one state of one object. An empty UID matches every object: a version that a user expects has
// none. Versions are compared for equality, except in Chain.WroteSince.
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

// Snapshot contains what one read found of an object. It does not change.
type Snapshot struct {
	kind       Kind
	apiVersion string         // empty for a ConfigMap and a Secret
	object     map[string]any // the content without managedFields; nil if the object is missing
	meta       metav1.ObjectMeta
	size       int
	documents  *documents
	managers   func() []managed // the entries of managedFields
	// survivesJSON reports whether the object stays the same when the API server encodes it as JSON, as it does to apply
	// a JSON merge patch: text that is not UTF-8 becomes U+FFFD. Such text and U+FFFD itself look alike in the response.
	// status does not matter, because a write outside status leaves it unchanged.
	survivesJSON func() bool
	Begun        time.Time // when the request was sent whose response this is
}

// NewSnapshot returns the snapshot of a ConfigMap or a Secret in a response; nil if it is another object.
func NewSnapshot(answer runtime.Object, begun time.Time) *Snapshot {
	o := &Snapshot{Begun: begun}
	switch answer := answer.(type) {
	case *corev1.ConfigMap:
		o.kind, o.meta, o.object = ConfigMap, answer.ObjectMeta, map[string]any{}
		o.size = setMembers(o.object, "data", answer.Data) + setMembers(o.object, "binaryData", answer.BinaryData)
		setImmutable(o.object, answer.Immutable)
	case *corev1.Secret:
		o.kind, o.meta, o.object = Secret, answer.ObjectMeta, map[string]any{"type": string(answer.Type)}
		o.size = setMembers(o.object, "data", answer.Data)
		setImmutable(o.object, answer.Immutable)
	default:
		return nil
	}
	about := o.meta
	about.ManagedFields = nil
	metadata, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&about)
	if err == nil {
		_, err = normal(metadata, "metadata", dropsNulls)
	}
	if err != nil {
		return nil // cannot happen: every ObjectMeta has a form in JSON
	}
	o.object["apiVersion"], o.object["kind"], o.object["metadata"] = "v1", o.kind.String(), metadata
	return o.prepared()
}

// setMembers sets a member of an object to a map, unless that is empty. It returns the size of the values.
func setMembers[V string | []byte](object map[string]any, name string, all map[string]V) (size int) {
	members := make(map[string]any, len(all))
	for key, v := range all {
		members[key] = v
		size += len(v)
	}
	if len(all) > 0 {
		object[name] = members
	}
	return size
}

func setImmutable(object map[string]any, immutable *bool) {
	if immutable != nil {
		object["immutable"] = *immutable
	}
}

// DecodeSnapshot returns the snapshot of an object of any other kind in a response, which has JSON in one API
// version.
func DecodeSnapshot(kind Kind, apiVersion string, answer []byte, begun time.Time) (*Snapshot, error) {
	var about struct {
		Metadata metav1.ObjectMeta `json:"metadata"`
	}
	if err := exactly.Unmarshal(answer, &about); err != nil { // unlike encoding/json, it distinguishes "Metadata"
		return nil, err
	}
	value, err := decoded(answer)
	if err == nil {
		value, err = normal(value, "the object", dropsNulls)
	}
	object, isObject := value.(map[string]any)
	if err != nil || !isObject {
		return nil, errors.Join(errors.New("the response is not an object"), err)
	}
	object["apiVersion"], object["kind"] = apiVersion, kind.String() // an item of a list has neither
	if metadata, isMap := object["metadata"].(map[string]any); isMap {
		delete(metadata, "managedFields")
	}
	o := &Snapshot{kind: kind, apiVersion: apiVersion, object: object, meta: about.Metadata, Begun: begun}
	return o.prepared(), nil
}

// prepared sets the functions that compute a part of the snapshot at their first call.
func (o *Snapshot) prepared() *Snapshot {
	o.documents = &documents{}
	o.managers = sync.OnceValue(o.managedFields)
	o.survivesJSON = sync.OnceValue(func() bool {
		var all []Value
		for name, v := range o.object {
			if name != "status" {
				all = appendParts(all, v)
			}
		}
		return !slices.ContainsFunc(all, func(e Value) bool { return strings.ContainsRune(e.content, utf8.RuneError) })
	})
	return o
}

// Metadata returns the metadata of the object, which must not be changed. For a missing object, it is empty.
func (o *Snapshot) Metadata() *metav1.ObjectMeta { return &o.meta }

// APIVersion returns the API version in which the object was read; empty for a ConfigMap and a Secret.
func (o *Snapshot) APIVersion() string { return o.apiVersion }

// Path returns the path at which the object stores an entry of a key, as managedFields name it.
func (o *Snapshot) Path(key string, e Value) fieldpath.Path { return o.kind.path(key, e) }

// Exists reports whether the read found an object.
func (o *Snapshot) Exists() bool { return o.object != nil }

// Version returns the version of the object; the zero Version if it is missing.
func (o *Snapshot) Version() Version {
	return Version{UID: string(o.meta.UID), ResourceVersion: o.meta.ResourceVersion}
}

// Lookup returns the value of a key. It returns an error if the path of the key leads through a value without members.
func (o *Snapshot) Lookup(key string) (Value, error) {
	p, object := pathOf(key), o.object
	if !o.Exists() {
		return Value{}, nil
	}
	if _, _, isDocument := documentOf(key); isDocument {
		at, err := o.find(key, p)
		return newValue(at.value), err
	}
	if fieldpath.MakePathOrDie("metadata", "managedFields").Equals(p[:min(len(p), 2)]) {
		raw, _ := json.Marshal(map[string]any{"metadata": map[string]any{"managedFields": o.meta.ManagedFields}})
		all, _ := decoded(raw) // neither call can fail
		object, _ = all.(map[string]any)
	}
	at, err := find(object, p)
	if at.value == nil && err == nil && IsEntry(key) {
		at, err = find(object, o.kind.path(key, Binary(nil)))
	}
	if key == ImmutableKey && at.value == false {
		at.value = nil
	}
	return newValue(at.value), err
}

// Value returns the value of a key. If the key cannot be read, it is a value that no key can have.
func (o *Snapshot) Value(key string) Value {
	e, err := o.Lookup(key)
	if err != nil {
		return Value{structured, err.Error()}
	}
	return e
}

// Entries returns the entries of all keys of a ConfigMap or a Secret, in a new map.
func (o *Snapshot) Entries() map[string]Value {
	all := map[string]Value{}
	for _, in := range []string{"data", "binaryData"} {
		values, _ := o.object[in].(map[string]any)
		for key, v := range values {
			all[key] = newValue(v)
		}
	}
	return all
}

// Labels returns metadata.labels, which must not be changed.
func (o *Snapshot) Labels() map[string]string { return o.meta.Labels }

// Annotations returns metadata.annotations, which must not be changed.
func (o *Snapshot) Annotations() map[string]string { return o.meta.Annotations }

// Type returns the type of a Secret; empty for any other object.
func (o *Snapshot) Type() string {
	if o.kind != Secret {
		return ""
	}
	secretType, _ := o.object["type"].(string)
	return secretType
}

// Immutable reports whether the API server refuses every change of the object's entries.
func (o *Snapshot) Immutable() bool {
	return o.kind.HasEntries() && o.object["immutable"] == true
}

// Terminating reports whether the object is being deleted.
func (o *Snapshot) Terminating() bool { return o.meta.DeletionTimestamp != nil }

// Finalizers returns metadata.finalizers, which must not be changed.
func (o *Snapshot) Finalizers() []string { return o.meta.Finalizers }

// Size returns the number of bytes of all entries together, which the API server limits to MaxSize; 0 for other kinds.
func (o *Snapshot) Size() int { return o.size }

// MaxSize is the number of bytes that the values of a ConfigMap or a Secret may have together (validation in
// k8s.io/kubernetes counts values, not keys, and has one limit for both kinds).
const MaxSize = corev1.MaxSecretSize

// Writers returns all managers that managedFields name, in their order there.
func (o *Snapshot) Writers() (all []Writer) {
	for _, f := range o.meta.ManagedFields {
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
func (o *Snapshot) LastWriters() (last []Writer) {
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
	// isOtherVersion: the fields were written in another API version than the snapshot's, which may name them differently.
	isOtherVersion bool
}

// isSame reports whether two entries of managedFields belong to the same manager.
func (m managed) isSame(other managed) bool {
	return m.Manager == other.Manager && m.Operation == other.Operation &&
		m.apiVersion == other.apiVersion && m.subresource == other.subresource
}

func (o *Snapshot) managedFields() (all []managed) {
	for _, f := range o.meta.ManagedFields {
		isOtherVersion := o.apiVersion != "" && f.APIVersion != o.apiVersion
		all = append(all, managed{writerOf(f), f.APIVersion, f.Subresource, fieldsOf(f), isOtherVersion})
	}
	return all
}

// IsVersioned reports whether the snapshot has a version that a write can be conditional on.
func (o *Snapshot) IsVersioned() bool {
	return o != nil && o.Version().UID != "" && o.Version().Valid()
}
