package eval

import (
	"bytes"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
