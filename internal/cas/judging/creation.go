package judging

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Creation asks for an object to be made if, and only if, there is none of its name.
type Creation struct {
	Ref                 Ref
	GenerateName        string // what Ref.Name was made of, stored as the API server would store it; empty where it was given
	Labels, Annotations map[string]string
	Entries             map[string]Entry // none is absent
	Immutable           *bool
	Type                string // of a Secret; empty is Opaque
	FieldManager        string // required
}

// Object is what is sent.
func (n *Creation) Object() runtime.Object {
	cm := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: n.Ref.Namespace, Name: n.Ref.Name, GenerateName: n.GenerateName, Labels: n.Labels, Annotations: n.Annotations,
		},
		Data:       map[string]string{},
		BinaryData: map[string][]byte{},
		Immutable:  n.Immutable,
	}
	for key, e := range n.Entries {
		if v, ok := e.Text(); ok {
			cm.Data[key] = v
		} else if b, ok := e.Binary(); ok {
			cm.BinaryData[key] = b
		}
	}
	return n.Ref.Kind.encoded(cm, n.Type)
}

// Judge holds the creation against an observation.
func (n *Creation) Judge(o *Observation) Judgement {
	if o.Exists() {
		return Judgement{Decision: DecideRefuse, Err: &ExistsError{Ref: n.Ref, Live: o}}
	}
	if err := n.TooLarge(); err != nil {
		return Judgement{Decision: DecideRefuse, Err: err}
	}
	return Judgement{Decision: DecideWrite}
}

// TooLarge is an error where the values are over MaxSize together.
func (n *Creation) TooLarge() error {
	size := 0
	for _, e := range n.Entries {
		size += e.Size()
	}
	if size > MaxSize {
		return &TooLargeError{Ref: n.Ref, New: size}
	}
	return nil
}

// Made reports whether the object, of which there was none before, is what the creation made: it has the same content, but for metadata that
// admission added, of which nobody is told to be the writer, and no writer but ours. An empty object tells no writers, and so is nobody's.
func (n *Creation) Made(o *Observation) bool {
	ours := Sent{Manager: n.FieldManager}
	writers := o.managers()
	return !n.isMore(o.owned(ours.isOurs).fields) && n.GenerateName == o.configMap.GenerateName &&
		maps.Equal(n.Entries, o.Entries()) && hasAll(o.Labels(), n.Labels) && hasAll(o.Annotations(), n.Annotations) &&
		(n.Immutable != nil && *n.Immutable) == o.Immutable() && n.Type == o.Type() &&
		len(writers) > 0 && !slices.ContainsFunc(writers, func(m managed) bool { return !ours.isOurs(m) })
}

// isMore reports whether what our name owns has metadata that the creation does not set. It is nil where that is not told.
func (n *Creation) isMore(owned *fieldpath.Set) bool {
	if owned == nil {
		return false
	}
	sets := fieldpath.NewSet(fieldpath.MakePathOrDie("generateName"))
	for of, values := range map[string]map[string]string{"labels": n.Labels, "annotations": n.Annotations} {
		for name := range values {
			sets.Insert(fieldpath.MakePathOrDie(of, name))
		}
	}
	return !owned.WithPrefix(fieldpath.FieldNameElement("metadata")).Leaves().Difference(sets).Empty()
}

func hasAll(all, some map[string]string) bool {
	for key, value := range some {
		if has, ok := all[key]; !ok || has != value {
			return false
		}
	}
	return true
}

// Removal asks for an object to be deleted if, and only if, it is at the versions that are named, or where the lineage
// leads from them. One that is gone, or being deleted, is a success.
type Removal struct {
	Ref Ref
	At  []Version
}

// Judge holds the removal against an observation.
func (r *Removal) Judge(o *Observation, h History) Judgement {
	if !o.Exists() || o.Terminating() {
		return Judgement{Decision: DecideDone}
	}
	for _, v := range r.At {
		if !h.LeadsFrom(v) {
			return Judgement{Decision: DecideRefuse, Err: &ConflictError{Reason: ReasonObject, Ref: r.Ref, At: v, Live: o}}
		}
	}
	return Judgement{Decision: DecideWrite}
}
