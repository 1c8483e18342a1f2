package judging

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Kind is the kind of an object, of any version of its API group: ConfigMap, which is the zero value, Secret, or what KindOf gives.
type Kind string

// The kinds whose objects hold entries.
const (
	ConfigMap Kind = ""
	Secret    Kind = "Secret"
)

// KindOf is a kind of an API group, which is empty for the core group.
func KindOf(group, kind string) Kind {
	switch {
	case group != "":
		return Kind(kind + "." + group)
	case kind == "ConfigMap":
		return ConfigMap
	default:
		return Kind(kind)
	}
}

// In here an object of either kind has the shape of a ConfigMap: what a Secret holds is binaryData.

// encoded is what is sent to create an object.
func (k Kind) encoded(cm *corev1.ConfigMap, secretType string) runtime.Object {
	if k == Secret {
		return &corev1.Secret{ObjectMeta: cm.ObjectMeta, Data: cm.BinaryData, Immutable: cm.Immutable, Type: corev1.SecretType(secretType)}
	}
	return cm
}

// maps hold entries, by our names.
func (k Kind) maps() []string {
	if k == Secret {
		return []string{"binaryData"}
	}
	return []string{"data", "binaryData"}
}

// wire is the name that the API server has for one of our maps.
func (k Kind) wire(in string) string {
	if k == Secret && in == "binaryData" {
		return "data"
	}
	return in
}

// decode is the inverse of encoded. It is false for what is of no kind.
func decode(object runtime.Object) (kind Kind, cm *corev1.ConfigMap, secretType string, ok bool) {
	switch o := object.(type) {
	case *corev1.ConfigMap:
		return ConfigMap, o, "", true
	case *corev1.Secret:
		return Secret, &corev1.ConfigMap{ObjectMeta: o.ObjectMeta, BinaryData: o.Data, Immutable: o.Immutable}, string(o.Type), true
	}
	return "", nil, "", false
}

// String is the kind without its group.
func (k Kind) String() string {
	if k == ConfigMap {
		return "ConfigMap"
	}
	name, _, _ := strings.Cut(string(k), ".")
	return name
}

// Group is the API group of the kind; empty for the core group.
func (k Kind) Group() string {
	_, group, _ := strings.Cut(string(k), ".")
	return group
}

// HoldsEntries reports whether the kind is ConfigMap or Secret.
func (k Kind) HoldsEntries() bool { return k == ConfigMap || k == Secret }

// Hides reports whether error texts must not quote values.
func (k Kind) Hides() bool { return k == Secret }

// Resource is the name of a kind that holds entries in URLs, in roles and in the API server's answers; empty for another kind.
func (k Kind) Resource() string {
	if !k.HoldsEntries() {
		return ""
	}
	return strings.ToLower(k.String()) + "s"
}

// Entry is what an entry becomes in an object of the kind. A Secret holds bytes alone, so that text becomes Binary there. Entries that
// this package returns are of that form; those that it takes need not be.
func (k Kind) Entry(e Entry) Entry {
	if e.kind == text && k == Secret {
		e.kind = binary
	}
	return e
}

// path is where managedFields have a field.
func (k Kind) path(f Field) fieldpath.Path {
	switch f.in {
	case "immutable":
		return fieldpath.MakePathOrDie(f.in)
	case "labels", "annotations":
		return fieldpath.MakePathOrDie("metadata", f.in, f.key)
	case inFields:
		return parsed(f.key)
	default:
		return fieldpath.MakePathOrDie(k.wire(f.in), f.key)
	}
}

// location is where an entry stands in its object, as a JSON pointer, and its JSON value; nowhere for an absent one.
func (k Kind) location(key string, e Entry) (string, any) {
	if e.IsAbsent() {
		return "", nil
	}
	return "/" + k.wire(e.Field(key).in) + "/" + key, e.value()
}

// Stored is the Txn with entries as its object holds them.
func (t *Txn) Stored() *Txn {
	kind, stored := t.Ref.Kind, *t
	stored.Keys = slices.Clone(t.Keys)
	for i, k := range t.Keys {
		if IsMeta(k.Key) {
			continue
		}
		k.Expect, k.New = kind.Entry(k.Expect), kind.Entry(k.New)
		if next := k.Next; next != nil {
			k.Next = func(live Entry) (Entry, error) {
				e, err := next(live)
				return kind.Entry(e), err
			}
		}
		stored.Keys[i] = k
	}
	return &stored
}

// Stored is the Creation with its entries and its type as the API server stores them.
func (n *Creation) Stored() *Creation {
	stored := *n
	stored.Entries = make(map[string]Entry, len(n.Entries))
	for key, e := range n.Entries {
		stored.Entries[key] = n.Ref.Kind.Entry(e)
	}
	if n.Ref.Kind == Secret {
		stored.Type = cmp.Or(n.Type, string(corev1.SecretTypeOpaque))
	}
	return &stored
}
