package judging

import (
	"maps"
	"reflect"
	"slices"

	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/fieldpaths"
)

// Who owns the fields of an object of any kind. managedFields name an element of a list by what makes it the only one there, which need not be
// what a path selects it by. A map or a list that is written as a whole is owned as a whole. So what a field is owned by is told by all that
// managers own of it: its parts or, where it has none that are owned by themselves, the nearest one that it is in.

// leaf is the least that is owned by itself.
type leaf struct {
	path   fieldpath.Path
	owners []managed
	told   bool
}

// leaves are all that managers own of a field, or that the field is in. other is the same object at another time, in which an element may be
// found that is not in o.
func (o *Observation) leaves(other *Observation, f Field) (all []leaf) {
	every, told := &fieldpath.Set{}, true
	for _, m := range o.managers() {
		if m.fields == nil {
			told = false
			continue
		}
		every = every.Union(m.fields)
	}
	every.Leaves().Iterate(func(path fieldpath.Path) {
		if !o.isPart(other, path, parsed(f.key)) {
			return
		}
		l := leaf{path: path.Copy(), told: told}
		for _, m := range o.managers() {
			switch {
			case m.fields == nil || !m.fields.Has(path):
			case m.Manager == manyManagers, m.isForeign:
				l.told = false
			default:
				l.owners = append(l.owners, m)
			}
		}
		all = append(all, l)
	})
	return all
}

// isPart reports whether what managedFields name is a part of a field, or contains it.
func (o *Observation) isPart(other *Observation, named, path fieldpath.Path) bool {
	for i := range min(len(named), len(path)) {
		if named[i].FieldName != nil || path[i].FieldName != nil {
			if named[i].FieldName == nil || path[i].FieldName == nil || *named[i].FieldName != *path[i].FieldName {
				return false
			}
			continue
		}
		at, err := find(o.fields, path[:i+1])
		if err == nil && at.value == nil && other != nil {
			at, err = find(other.fields, path[:i+1])
		}
		switch {
		case err != nil || at.value == nil:
			return fieldpaths.Overlap(named, path)
		case !fieldpaths.Selects(named[i], at.value):
			return false
		}
	}
	return true
}

// ownersOfField is OwnersOf of a field: of all its parts.
func (o *Observation) ownersOfField(f Field) (owners []Writer, told bool) {
	all := o.leaves(nil, f)
	if o.at(f).IsAbsent() {
		return nil, len(o.managers()) > 0
	}
	for _, l := range all {
		if !l.told {
			return nil, false
		}
		for _, m := range l.owners {
			if !slices.Contains(owners, m.Writer) {
				owners = append(owners, m.Writer)
			}
		}
	}
	return owners, len(all) > 0
}

// holds is what is at a path that managedFields name; nil where it is not there.
func (o *Observation) holds(path fieldpath.Path) any {
	at, err := find(o.fields, path)
	if err != nil {
		return nil
	}
	return at.value
}

// isOwned reports whether somebody owns what is at a path; as it may be where that is not told of one.
func (o *Observation) isOwned(path fieldpath.Path) bool {
	return slices.ContainsFunc(o.managers(), func(m managed) bool { return m.fields == nil || m.fields.Has(path) })
}

// hidesWriters reports whether somebody may have written some of this since before, and managedFields do not tell. Where an API server cannot make them, as
// of an object that fits its definition no more, or that cannot be converted, it keeps those of before; up to Kubernetes 1.36 it drops them all, and so owners
// are not told. And who applies stringData of a Secret owns that, and not the data that becomes of it.
func (o *Observation) hidesWriters(before *Observation, writes map[Field]Entry) bool {
	if o.fields != nil {
		return slices.EqualFunc(before.managers(), o.managers(), managed.equals)
	}
	for f := range writes {
		if o.kind == Secret && f.in == "binaryData" && o.isOwned(fieldpath.MakePathOrDie("stringData", f.key)) {
			return true
		}
	}
	return false
}

// inParts is what holds as a whole what it held before, when it was owned in parts: of a list or a map that the kind's definition makes one since, the
// API server says so in anybody's next write.
func (o *Observation) inParts(before *Observation, gained, had *fieldpath.Set) *fieldpath.Set {
	wholes := &fieldpath.Set{}
	gained.Iterate(func(path fieldpath.Path) {
		hasParts := false
		had.Iterate(func(part fieldpath.Path) {
			hasParts = hasParts || len(part) > len(path) && part[:len(path)].Equals(path)
		})
		if hasParts && o.fields != nil && reflect.DeepEqual(before.holds(path), o.holds(path)) {
			wholes.Insert(path.Copy())
		}
	})
	return wholes
}

// standing is whose a field is.
type standing uint8

const (
	isUntold standing = iota
	isKept            // ours, or nothing was added to it, and all that is there of it is as it was: what is gone leaves no trace
	isOwn
	isOthers
)

// standings are those of all that the write makes.
func (s Sent) standings(before, next *Observation, writes map[Field]Entry) map[Field]standing {
	all, sets := map[Field]standing{}, &Observation{}
	if next.fields != nil {
		sets.fields = before.with(s.Changes)
	}
	for f, to := range writes {
		all[f] = s.standing(before, next, sets, f, to)
	}
	return all
}

// standing is whose a field became that differs between before and next, or that the write was to make differ. It is another's where another owns what
// the write would have left its name on, or would have removed; and where nobody owns a key that the write would have set. What the write leaves as it is
// tells nothing where it differs: admission may have changed it along. Nor does what the write sets or removes, where it is not seen to be stored in that
// form: it may be another form of what was there. sets is what the write makes of before.
func (s Sent) standing(before, next, sets *Observation, f Field, to Entry) standing {
	if next.fields == nil {
		switch owners, told := next.OwnersOf(f); {
		case !told || len(owners) == 0 && to.IsAbsent():
			return isUntold
		case to.IsAbsent() || !slices.ContainsFunc(owners, s.isOurWriter):
			return isOthers
		}
		return isOwn
	}
	allOwn, anyOwn, differs := true, false, false
	for _, l := range next.leaves(before, f) {
		owns := slices.ContainsFunc(l.owners, s.isOurs)
		anyOwn = anyOwn || owns
		was, is, shall := before.holds(l.path), next.holds(l.path), sets.holds(l.path)
		isLeft, isChanged := was != nil && reflect.DeepEqual(was, shall), !reflect.DeepEqual(was, is)
		if isChanged && !isLeft {
			differs, allOwn = true, allOwn && owns
		}
		isStored := reflect.DeepEqual(shall, is) && shall != nil || s.Normal != nil && reflect.DeepEqual(shall, s.Normal.holds(l.path)) &&
			(shall != nil || !s.Normal.isOwned(l.path)) // else it is gone there by itself
		isMade := was != nil && shall == nil || adds(was, shall)
		if isMade && isStored && !owns && l.told && len(l.owners) > 0 {
			return isOthers
		}
	}
	switch {
	case anyOwn && allOwn && differs:
		return isOwn
	case allOwn && (anyOwn || !adds(before.holds(parsed(f.key)), to.fieldValue())): // of what only goes, there is nothing to own
		return isKept
	}
	return isUntold
}

// adds reports whether a value holds something that another one does not: of what only goes, nobody becomes the owner, but for what is owned as a whole.
func adds(was, v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case map[string]any:
		members, wasMap := was.(map[string]any)
		for name, member := range v {
			if held, isThere := members[name]; !isThere || adds(held, member) {
				return true
			}
		}
		return !wasMap
	case []any:
		elements, wasList := was.([]any)
		return !wasList || slices.ContainsFunc(v, func(element any) bool {
			return !slices.ContainsFunc(elements, func(held any) bool { return !adds(held, element) })
		})
	default:
		return !reflect.DeepEqual(was, v)
	}
}

// ownsWhatRemovedFrom reports whether what the write removes was in what is written as a whole, and is the write's manager's since.
func (s Sent) ownsWhatRemovedFrom(before, next *Observation, writes map[Field]Entry) bool {
	return !slices.ContainsFunc(slices.Collect(maps.Values(s.standings(before, next, writes))), func(became standing) bool { return became != isOwn })
}

// sameBut reports whether two states of an object hold the same, but for what the API server keeps account of by itself.
func sameBut(a, b *Observation) bool {
	return reflect.DeepEqual(withoutAccounts(a.fields), withoutAccounts(b.fields))
}

func withoutAccounts(object map[string]any) map[string]any {
	object = maps.Clone(object)
	if metadata, isMap := object["metadata"].(map[string]any); isMap {
		metadata = maps.Clone(metadata)
		object["metadata"] = metadata
		for _, name := range []string{"resourceVersion", "generation", "managedFields"} {
			delete(metadata, name)
		}
	}
	return object
}

// gained is what a manager came to own between before and o, and whether it has another time, later or not: an API server's clock may be behind that of
// another. Where it is not told what the manager owns, it gained nothing.
func (o *Observation) gained(before *Observation, is func(managed) bool) (gained *fieldpath.Set, isRetimed bool) {
	had, has := before.owned(is), o.owned(is)
	isRetimed = !has.Time.IsZero() && !has.Time.Equal(had.Time)
	if had.fields == nil || has.fields == nil {
		return &fieldpath.Set{}, isRetimed
	}
	gained = has.fields.Difference(had.fields)
	return gained.Difference(o.inParts(before, gained, had.fields)), isRetimed
}

// owned is what managers own together, and the last time of any of them. fields is nil where that is not told of one.
func (o *Observation) owned(is func(managed) bool) managed {
	all := managed{fields: &fieldpath.Set{}}
	for _, m := range o.managers() {
		if !is(m) {
			continue
		}
		if m.fields == nil || all.fields == nil {
			all.fields = nil
		} else {
			all.fields = all.fields.Union(m.fields)
		}
		if m.Time.After(all.Time) {
			all.Time = m.Time
		}
	}
	return all
}
