package eval

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// Kind is the kind of an object, in any version of its API group: ConfigMap, which is the zero value, Secret,
// or a result of KindOf.
type Kind string

// The kinds whose objects have entries.
const (
	ConfigMap Kind = ""
	Secret    Kind = "Secret"
)

// KindOf returns the kind of an API group. The group is empty for the core group.
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

// String returns the name of the kind without its group.
func (k Kind) String() string {
	if k == ConfigMap {
		return "ConfigMap"
	}
	name, _, _ := strings.Cut(string(k), ".")
	return name
}

// Group returns the API group of the kind; empty for the core group.
func (k Kind) Group() string {
	_, group, _ := strings.Cut(string(k), ".")
	return group
}

// HasEntries reports whether the kind is ConfigMap or Secret.
func (k Kind) HasEntries() bool { return k == ConfigMap || k == Secret }

// Hides reports whether error texts must not quote values.
func (k Kind) Hides() bool { return k == Secret }

// Resource returns the name of a kind with entries in URLs, roles and responses of the API server; empty for
// another kind.
func (k Kind) Resource() string {
	if !k.HasEntries() {
		return ""
	}
	return strings.ToLower(k.String()) + "s"
}

// Normalize returns a value in the form that objects of the kind have. A Secret has bytes only, so that text
// becomes Binary. Entries that this package returns have that form; entries that it accepts need not have it.
func (k Kind) Normalize(e Value) Value {
	if e.kind == text && k == Secret {
		e.kind = binary
	}
	return e
}

// Stored returns the Txn with its entries in the form that the object has.
func (t *Txn) Stored() *Txn {
	kind, stored := t.Ref.Kind, *t
	stored.Keys = slices.Clone(t.Keys)
	for i, k := range t.Keys {
		if !IsEntry(k.Key) {
			continue
		}
		k.Expect, k.New = kind.Normalize(k.Expect), kind.Normalize(k.New)
		if next := k.Next; next != nil {
			k.Next = func(live Value) (Value, error) {
				e, err := next(live)
				return kind.Normalize(e), err
			}
		}
		stored.Keys[i] = k
	}
	return &stored
}

// Stored returns the Creation with its entries and its type as the API server stores them.
func (n *Creation) Stored() *Creation {
	stored := *n
	stored.Entries = make(map[string]Value, len(n.Entries))
	for key, e := range n.Entries {
		stored.Entries[key] = n.Ref.Kind.Normalize(e)
	}
	if n.Ref.Kind == Secret {
		stored.Type = cmp.Or(n.Type, string(corev1.SecretTypeOpaque))
	}
	return &stored
}
