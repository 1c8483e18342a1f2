package cas

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Version is one state of one object. A resourceVersion is opaque: versions are compared for equality only. An empty
// UID stands for any: what a user writes down as expected has none.
type Version struct {
	UID             string
	ResourceVersion string
}

// Matches tells whether v is the version that want asks for.
func (v Version) Matches(want Version) bool {
	return v.ResourceVersion == want.ResourceVersion && (want.UID == "" || v.UID == want.UID)
}

// Valid tells whether a request conditional on v is conditional at all: the API server takes a resourceVersion of ""
// or "0" in a patch as none, and overwrites.
func (v Version) Valid() bool { return v.ResourceVersion != "" && v.ResourceVersion != "0" }

// Writer is what managedFields tells of a writer. It is a hint: the time is that of the manager's last write to any
// field, in seconds, and a removal leaves no trace.
type Writer struct {
	Manager   string
	Operation string
	Time      time.Time // UTC
}

// Observation is what one read saw of a ConfigMap. It is never changed after it was made.
type Observation struct {
	configMap *corev1.ConfigMap // nil: there was none
	size      int
	begun     time.Time // when the request that saw it was sent
}

func observed(cm *corev1.ConfigMap, begun time.Time) *Observation {
	o := &Observation{configMap: cm, begun: begun}
	for _, v := range cm.Data {
		o.size += len(v)
	}
	for _, v := range cm.BinaryData {
		o.size += len(v)
	}
	return o
}

// Exists tells whether there was a ConfigMap.
func (o *Observation) Exists() bool { return o.configMap != nil }

// Version is the zero Version where there was no ConfigMap.
func (o *Observation) Version() Version {
	if !o.Exists() {
		return Version{}
	}
	return Version{UID: string(o.configMap.UID), ResourceVersion: o.configMap.ResourceVersion}
}

// Entry is what key held.
func (o *Observation) Entry(key string) Entry {
	if !o.Exists() {
		return Entry{}
	}
	return entryOf(o.configMap, key)
}

// Immutable tells whether the ConfigMap refuses every change of its entries.
func (o *Observation) Immutable() bool {
	return o.Exists() && o.configMap.Immutable != nil && *o.configMap.Immutable
}

// Terminating tells whether the ConfigMap is being deleted.
func (o *Observation) Terminating() bool { return o.Exists() && o.configMap.DeletionTimestamp != nil }

// Size is the number of bytes of all values together, which the API server limits to MaxSize.
func (o *Observation) Size() int { return o.size }

// MaxSize is how many bytes the values of a ConfigMap may have together (validation in k8s.io/kubernetes counts
// values, not keys).
const MaxSize = corev1.MaxSecretSize

// LastWriter is the manager with the latest time, and false where managedFields tell of none.
func (o *Observation) LastWriter() (Writer, bool) {
	if !o.Exists() {
		return Writer{}, false
	}
	var last *metav1.ManagedFieldsEntry
	for i := range o.configMap.ManagedFields {
		f := &o.configMap.ManagedFields[i]
		if f.Time != nil && (last == nil || f.Time.After(last.Time.Time)) {
			last = f
		}
	}
	if last == nil {
		return Writer{}, false
	}
	return Writer{Manager: last.Manager, Operation: string(last.Operation), Time: last.Time.UTC()}, true
}

// entries is all keys of both maps, in a map of its own.
func (o *Observation) entries() map[string]Entry {
	all := map[string]Entry{}
	if !o.Exists() {
		return all
	}
	for k, v := range o.configMap.Data {
		all[k] = Text(v)
	}
	for k, v := range o.configMap.BinaryData {
		all[k] = Binary(v)
	}
	return all
}

// managed is what managedFields tell of the updates of one manager, and of all else.
func (o *Observation) managed(manager string) (its, others []metav1.ManagedFieldsEntry) {
	for _, f := range o.configMap.ManagedFields {
		if f.Manager == manager && f.Operation == metav1.ManagedFieldsOperationUpdate {
			its = append(its, f)
		} else {
			others = append(others, f)
		}
	}
	return its, others
}
