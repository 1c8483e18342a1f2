package judging

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/resourceversion"
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

// Basis is what was seen of an object before.
type Basis struct {
	Version

	// Digest is the Observation.Digest of all that was there; empty where that is not known.
	Digest string
}

// Moment is a version from which a watch shows what came after an observation, and when that was the present one.
type Moment struct {
	Version string
	At      time.Time
}

// Of is the moment of an observation of version, where m was known before the read began: the later of the two.
func (m Moment) Of(version string) Moment {
	if order, err := resourceversion.CompareResourceVersion(m.Version, version); err != nil || order < 0 {
		m.Version = version
	}
	return m
}

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
	digest     func() string
	managers   func() []managed // as managedFields have them
	Begun      time.Time        // when the request that saw it was sent
	Since      Moment           // from which a watch shows what came after it
}

// Observed is what was seen of an answer; nil where that is no object of any kind.
func Observed(answer runtime.Object, begun time.Time) *Observation {
	kind, cm, secretType, ok := decode(answer)
	if !ok {
		return nil
	}
	o := &Observation{kind: kind, configMap: cm, secretType: secretType, Begun: begun, Since: Moment{Version: cm.ResourceVersion}}
	o.managers = sync.OnceValue(o.managedFields)
	o.digest = sync.OnceValue(func() string { return o.DigestWith(o.Entries()) }) // asked for by every entry of a destroy
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
	for _, values := range []map[string]string{o.Object().Data, o.Annotations()} {
		for _, v := range values {
			all = append(all, Text(v))
		}
	}
	return !slices.ContainsFunc(all, func(e Entry) bool { return strings.ContainsRune(e.content, utf8.RuneError) })
}

// Terminating reports whether the object is being deleted.
func (o *Observation) Terminating() bool { return o.Object().DeletionTimestamp != nil }

// Size is the number of bytes of all values together, which the API server limits to MaxSize.
func (o *Observation) Size() int { return o.size }

// Digest is the hexadecimal SHA-256 of all that a write can change and managedFields may show no trace of: all keys and what they hold, to the byte,
// labels, annotations, immutable, finalizers and owners.
func (o *Observation) Digest() string {
	if !o.Exists() {
		return o.DigestWith(nil)
	}
	return o.digest()
}

// DigestWith is what Digest would give if the object held these entries.
func (o *Observation) DigestWith(entries map[string]Entry) string {
	h := sha256.New()
	for _, key := range slices.Sorted(maps.Keys(entries)) {
		e := entries[key]
		fmt.Fprintf(h, "%q %d %d\n%s\n", key, e.kind, len(e.content), e.content)
	}
	if o.Exists() {
		owners, _ := json.Marshal(o.configMap.OwnerReferences) // cannot fail: strings and booleans
		fmt.Fprintf(h, "%q %q %q %q %q %t\n", o.Labels(), o.Annotations(), o.Entry(ImmutableKey).content, o.configMap.Finalizers, owners, o.Terminating())
	}
	return hex.EncodeToString(h.Sum(nil))
}

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

// Owners are the managers that own a key by managedFields: whoever changed its value last, and with server-side apply everyone who applied
// the same value since. There are none for an absent key, and none where managedFields do not tell.
func (o *Observation) Owners(key string) []Writer {
	e := o.Entry(key)
	if e.IsAbsent() {
		return nil
	}
	owners, _ := o.OwnersOf(e.Field(key))
	return owners
}

// manyManagers is the manager under which the API server puts the oldest together where there are many (managedfields in
// k8s.io/apimachinery). Who is among them is not told.
const manyManagers = "ancient-changes"

// managed is an entry of managedFields. fields is nil where what the manager owns is not told.
type managed struct {
	Writer

	apiVersion, subresource string
	fields                  *fieldpath.Set
	// isForeign: it is of another version than the one in which the fields were read, and so may name them otherwise.
	isForeign bool
}

// isSame reports whether two entries are of the same manager.
func (m managed) isSame(other managed) bool {
	return m.Manager == other.Manager && m.Operation == other.Operation && m.apiVersion == other.apiVersion && m.subresource == other.subresource
}

// equals reports whether two entries are one, at two times.
func (m managed) equals(other managed) bool {
	isTold := m.fields != nil && other.fields != nil
	return m.isSame(other) && m.Time.Equal(other.Time) && (isTold && m.fields.Equals(other.fields) || !isTold && m.fields == other.fields)
}

func (o *Observation) managedFields() (all []managed) {
	for _, f := range o.configMap.ManagedFields {
		isForeign := o.fields != nil && f.APIVersion != o.apiVersion
		all = append(all, managed{writerOf(f), f.APIVersion, f.Subresource, fieldsOf(f), isForeign})
	}
	return all
}

// OwnersOf is who owns a field, and false where managedFields do not tell, as of one whose owner is among the many. Who changes
// a field owns it from then on, whatever admission makes of the value, and nobody else does. A field that was removed has no owner.
func (o *Observation) OwnersOf(f Field) (owners []Writer, told bool) {
	if o.fields != nil {
		return o.ownersOfField(f)
	}
	managers := o.managers()
	for _, m := range managers {
		switch {
		case m.fields == nil:
			return nil, false
		case !m.fields.Has(o.kind.path(f)):
		case m.Manager == manyManagers:
			return nil, false
		default:
			owners = append(owners, m.Writer)
		}
	}
	return owners, len(managers) > 0
}

// IsVersioned reports whether a write on what was answered can be conditional.
func (o *Observation) IsVersioned() bool {
	return o != nil && o.Version().UID != "" && o.Version().Valid()
}
