package eval

import (
	"bytes"
	"encoding/json"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/fieldpaths"
)

// Owners returns the managers that own a key in managedFields: the manager that changed its value last and, with
// server-side apply, every manager that applied the same value since. It returns none for an absent key, or if
// managedFields do not show the owner. A field that consists of parts has the owners of all its parts.
func (o *Snapshot) Owners(key string) (owners []Writer) {
	e := o.Value(key)
	if e.IsAbsent() {
		return nil
	}
	every := o.owned(func(managed) bool { return true })
	if every == nil {
		return nil
	}
	isKnown, path := true, o.kind.path(key, e)
	every.Leaves().Iterate(func(leaf fieldpath.Path) {
		if !o.isPart(leaf, path) {
			return
		}
		for _, m := range o.managers() {
			switch {
			case !m.fields.Has(leaf) || slices.Contains(owners, m.Writer):
			case m.Manager == manyManagers, m.isOtherVersion:
				isKnown = false
			default:
				owners = append(owners, m.Writer)
			}
		}
	})
	if !isKnown {
		return nil
	}
	return owners
}

// isPart reports whether a path of managedFields names a part of a field, or contains the field. managedFields
// name an element of a list by its keys, and the path of a field may select the element by other members.
func (o *Snapshot) isPart(leaf, path fieldpath.Path) bool {
	for i := range min(len(leaf), len(path)) {
		if leaf[i].FieldName != nil || path[i].FieldName != nil {
			if leaf[i].FieldName == nil || path[i].FieldName == nil || *leaf[i].FieldName != *path[i].FieldName {
				return false
			}
			continue
		}
		at, err := find(o.object, path[:i+1])
		switch {
		case err != nil || at.value == nil:
			return fieldpaths.MayOverlap(leaf, path)
		case !fieldpaths.Selects(leaf[i], at.value):
			return false
		}
	}
	return true
}

// gained reports whether the entries of managedFields for which is returns true gained a path since before,
// or have another timestamp.
func (o *Snapshot) gained(before *Snapshot, is func(managed) bool) bool {
	had := &fieldpath.Set{}
	times := map[string]bool{}
	for _, m := range before.managers() {
		if is(m) {
			had, times[m.Time.String()] = union(had, m.fields), true
		}
	}
	for _, m := range o.managers() {
		if is(m) && (!times[m.Time.String()] || m.fields != nil && had != nil && !m.fields.Difference(had).Empty()) {
			return true
		}
	}
	return false
}

// owned returns the paths that the entries of managedFields for which is returns true own; nil if one of the
// entries cannot be read.
func (o *Snapshot) owned(is func(managed) bool) *fieldpath.Set {
	all := &fieldpath.Set{}
	for _, m := range o.managers() {
		if is(m) {
			all = union(all, m.fields)
		}
	}
	return all
}

// union returns the union of two sets; nil if one of them is nil.
func union(a, b *fieldpath.Set) *fieldpath.Set {
	if a == nil || b == nil {
		return nil
	}
	return a.Union(b)
}

// isOwned reports whether an entry of managedFields has the path, or cannot be read.
func (o *Snapshot) isOwned(path fieldpath.Path) bool {
	return slices.ContainsFunc(o.managers(), func(m managed) bool { return m.fields == nil || m.fields.Has(path) })
}

// fieldsOf returns the paths that a manager owns; nil if they cannot be read.
func fieldsOf(f metav1.ManagedFieldsEntry) *fieldpath.Set {
	fields := &fieldpath.Set{}
	if f.FieldsV1 == nil || fields.FromJSON(bytes.NewReader(f.FieldsV1.GetRawBytes())) != nil {
		return nil
	}
	return fields
}

// Applier is a manager that applies a key server-side.
type Applier struct {
	Manager    string `json:"manager"`
	APIVersion string `json:"api_version"`
	// OverwrittenBy is the field manager that wrote the key last; empty if the key was adopted without a write.
	OverwrittenBy string `json:"overwritten_by,omitempty"`
}

// Applier returns the manager, except for the given one, that applies a key; nil if there is none. A field that
// consists of parts has the applier of any of its parts.
func (o *Snapshot) Applier(key string, except string) *Applier {
	if !o.Exists() {
		return nil
	}
	for _, m := range o.managers() {
		isApplier := m.Operation == string(metav1.ManagedFieldsOperationApply) && m.Manager != except && m.subresource == ""
		if !isApplier || m.fields == nil {
			continue
		}
		e := o.Value(key)
		if !e.IsAbsent() && !o.partsOf(o.kind.path(key, e), m.fields).Empty() {
			return &Applier{Manager: m.Manager, APIVersion: m.apiVersion}
		}
	}
	return nil
}

// partsOf returns the members of a set that are parts of a field, and the leaves that contain the field. A part can
// have parts of its own: a list element is a member beside its fields.
func (o *Snapshot) partsOf(path fieldpath.Path, all *fieldpath.Set) *fieldpath.Set {
	parts, leaves := fieldpath.NewSet(), all.Leaves()
	all.Iterate(func(member fieldpath.Path) {
		if (len(member) >= len(path) || leaves.Has(member)) && o.isPart(member, path) {
			parts.Insert(member.Copy())
		}
	})
	return parts
}

// HandBack returns the ownership of keys in managedFields to the managers that applied the keys before this provider
// wrote them. Otherwise the next apply of such a manager would conflict with Applier.OverwrittenBy. No value changes.
type HandBack struct {
	Ref          Ref
	APIVersion   string // as in Txn
	FieldManager string // of the request
	Keys         map[string]Applier
}

// Evaluate returns Write if the field manager that overwrote one of the keys still owns the key, and NoOp otherwise.
func (h *HandBack) Evaluate(o *Snapshot) Decision {
	isSafe := o.Exists() && !o.Terminating() && (o.kind.HasEntries() || o.survivesJSON())
	if !isSafe || managedFieldsAfter(o, []*HandBack{h}) == nil {
		return Decision{Action: NoOp}
	}
	return Decision{Action: Write}
}

// HandBackPatch returns a patch of managedFields, conditional on the version of base. As in Patch, a strategic one does
// not encode a ConfigMap or a Secret as JSON.
func HandBackPatch(base *Snapshot, all []*HandBack) (Request, error) {
	body, err := json.Marshal(map[string]any{"metadata": map[string]any{
		"uid": base.Version().UID, "resourceVersion": base.Version().ResourceVersion,
		"managedFields": managedFieldsAfter(base, all),
	}})
	if base.kind.HasEntries() {
		return Request{types.StrategicMergePatchType, body}, err
	}
	return Request{types.MergePatchType, body}, err
}

// managedFieldsAfter returns managedFields after all keys were handed back; nil if nothing changes. It creates the
// entry of an applier that has none, so the list is never empty: after a patch with an empty list, the next apply would
// conflict with "before-first-apply".
func managedFieldsAfter(o *Snapshot, all []*HandBack) []metav1.ManagedFieldsEntry {
	fields := slices.Clone(o.managers())
	isChanged := false
	for _, h := range all {
		for key, applier := range h.Keys {
			path := o.kind.path(key, o.Value(key))
			for i, m := range fields {
				isOurs := m.Manager == applier.OverwrittenBy && m.Operation == string(metav1.ManagedFieldsOperationUpdate) &&
					m.subresource == "" && m.apiVersion == applier.APIVersion && m.fields != nil
				if !isOurs || o.Value(key).IsAbsent() {
					continue
				}
				parts := o.partsOf(path, m.fields)
				if parts.Empty() {
					continue
				}
				isChanged = true
				fields[i].fields = m.fields.Difference(parts)
				fields = addTo(fields, applier, m.Writer, parts)
			}
		}
	}
	if !isChanged {
		return nil
	}
	var entries []metav1.ManagedFieldsEntry
	for i, m := range fields {
		var raw *metav1.FieldsV1
		switch {
		case m.fields == nil: // it cannot be read, and stays as it is
			raw = o.meta.ManagedFields[i].FieldsV1
		case m.fields.Empty():
			continue
		default:
			encoded, err := m.fields.ToJSON()
			if err != nil {
				return nil
			}
			raw = metav1.NewFieldsV1(string(encoded))
		}
		entry := metav1.ManagedFieldsEntry{
			Manager: m.Manager, Operation: metav1.ManagedFieldsOperationType(m.Operation), APIVersion: m.apiVersion,
			FieldsType: "FieldsV1", FieldsV1: raw, Subresource: m.subresource,
		}
		if entry.Time = (&metav1.Time{Time: m.Time}); i < len(o.meta.ManagedFields) { // not a new entry
			entry.Time = o.meta.ManagedFields[i].Time
		}
		entries = append(entries, entry)
	}
	return entries
}

// addTo adds paths to the entry of an applier, unless the entry cannot be read. A new entry has the time of the entry
// that the paths come from.
func addTo(fields []managed, to Applier, from Writer, paths *fieldpath.Set) []managed {
	apply := string(metav1.ManagedFieldsOperationApply)
	i := slices.IndexFunc(fields, func(m managed) bool {
		return m.Manager == to.Manager && m.Operation == apply && m.apiVersion == to.APIVersion && m.subresource == ""
	})
	if i >= 0 {
		fields[i].fields = union(fields[i].fields, paths)
		return fields
	}
	w := Writer{Manager: to.Manager, Operation: apply, Time: from.Time}
	return append(fields, managed{Writer: w, apiVersion: to.APIVersion, fields: paths})
}
