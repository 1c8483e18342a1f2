package eval

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Creation asks for an object to be created if none of its name exists.
type Creation struct {
	Ref                 Ref
	GenerateName        string // metadata.generateName, from which the caller made Ref.Name; empty if it did not
	Labels, Annotations map[string]string
	Entries             map[string]Value // none is absent
	Immutable           *bool
	Type                string // of a Secret; empty means Opaque
	FieldManager        string // required
}

// Object returns the object to send.
func (n *Creation) Object() runtime.Object {
	meta := metav1.ObjectMeta{
		Namespace: n.Ref.Namespace, Name: n.Ref.Name, GenerateName: n.GenerateName,
		Labels: n.Labels, Annotations: n.Annotations,
	}
	texts, bytes := map[string]string{}, map[string][]byte{}
	for key, e := range n.Entries {
		if v, ok := e.Text(); ok {
			texts[key] = v
		} else if b, ok := e.Binary(); ok {
			bytes[key] = b
		}
	}
	if n.Ref.Kind == Secret {
		return &corev1.Secret{ObjectMeta: meta, Data: bytes, Immutable: n.Immutable, Type: corev1.SecretType(n.Type)}
	}
	return &corev1.ConfigMap{ObjectMeta: meta, Data: texts, BinaryData: bytes, Immutable: n.Immutable}
}

// Evaluate evaluates the creation on a snapshot.
func (n *Creation) Evaluate(o *Snapshot) Decision {
	if o.Exists() {
		return Decision{Action: Refuse, Err: &ExistsError{Ref: n.Ref, Live: o}}
	}
	if err := n.TooLarge(); err != nil {
		return Decision{Action: Refuse, Err: err}
	}
	return Decision{Action: Write}
}

// TooLarge returns an error if the values together are larger than MaxSize.
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

// IsCreated reports whether an object that a read found after a lost response is the result of the creation:
// it has the content that was sent, and managedFields with at least one entry, all of the creation's field
// manager.
func (n *Creation) IsCreated(o *Snapshot) bool {
	sent, entries := LostWrite{Manager: n.FieldManager}, o.managers()
	return n.GenerateName == o.meta.GenerateName && maps.Equal(n.Entries, o.Entries()) &&
		maps.Equal(o.Labels(), n.Labels) && maps.Equal(o.Annotations(), n.Annotations) &&
		(n.Immutable != nil && *n.Immutable) == o.Immutable() && n.Type == o.Type() &&
		len(o.meta.Finalizers) == 0 && len(o.meta.OwnerReferences) == 0 &&
		len(entries) > 0 && !slices.ContainsFunc(entries, func(m managed) bool { return !sent.isOurs(m) })
}

// Removal asks for an object to be deleted if, for each version of RequireVersions, the object is at that version or
// the chain leads from it. An object that is missing or being deleted is a success.
type Removal struct {
	Ref             Ref
	RequireVersions []Version
	// Refuse returns why the object must not be deleted as it was observed, or nil. The request is conditional on the
	// version that Refuse has seen. A nil Refuse refuses nothing.
	Refuse func(*Snapshot) error
}

// Evaluate evaluates the removal on a snapshot.
func (r *Removal) Evaluate(o *Snapshot, h History) Decision {
	if !o.Exists() || o.Terminating() {
		return Decision{Action: NoOp}
	}
	for _, v := range r.RequireVersions {
		if !h.LeadsFrom(v) {
			return Decision{Action: Refuse, Err: &ConflictError{Reason: ReasonObject, Ref: r.Ref, At: v, Live: o}}
		}
	}
	if r.Refuse != nil {
		if err := r.Refuse(o); err != nil {
			return Decision{Action: Refuse, Err: err}
		}
	}
	return Decision{Action: Write}
}
