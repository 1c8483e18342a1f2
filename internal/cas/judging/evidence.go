package judging

// What became of a write whose answer got lost. A timeline, with times in milliseconds:
//
//	   0  The object is at version 7: foo = "1", which kubectl owns. That is the base, B, on which our write of foo = "2" was judged.
//	   2  The patch leaves: foo = "2", if the object is at version 7. The connection breaks. Did it land?
//	  25  A look at the object: it is at version 9. So something came after B, and the patch can land no more.
//	  27  A watch from B shows each version since. The first one after B, F, is version 8. It is one write, ours or another's:
//	      foo = "2" owned by us, nobody else gained anything     -> landed (rule 3); version 9 came after it
//	      foo = "2" owned by kubectl                             -> did not land (rule 1): kubectl wrote the same value
//	      foo = "1", and bar = "5" by helm                       -> did not land (rules 1 and 2): helm came first
//	      foo = "7" owned by us                                  -> unknown (rule 5): ours as admission changed it, or a twin's
//	      foo is gone, and nobody owns it                        -> did not land (rule 1): another removed it
//	      foo is gone, and we own it                             -> unknown (rule 5): ours, which admission removed, or a twin's
//
// The API server makes managedFields before admission. So what we set is ours in F, whatever admission made of its value; and that a
// value of another's changed as well disproves nothing, since admission may have changed it along with ours. What we remove leaves no such trace.
// Two writes leave managedFields as they are: any to an object of which the API server cannot make them, and what was applied as stringData of a Secret.

import (
	"errors"
	"maps"
	"reflect"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// Answer says what became of a write.
type Answer uint8

const (
	IsUnknown Answer = iota
	HasLanded
	HasNotLanded
)

// Sent is a conditional write whose answer got lost.
type Sent struct {
	// Manager is its field manager. It writes by Update, and to no subresource.
	Manager string
	// IsSigned: no other process writes under that name.
	IsSigned bool
	// Changes are what the write does to keys. Those that it only compares do not count.
	Changes []Change
	// GoneIsDone: what it removes shall be gone, whoever removes it.
	GoneIsDone bool
	// Base is what the changes were judged on. A JSON Patch can land on a later version.
	Base *Observation
	// Normal, of fields, is what the API server makes of the changes of Base, as a dry run told; nil where it is not known. A field counts in the form
	// that it has there.
	Normal *Observation
	// Earlier are this process's writes in doubt that may yet land, or may have landed, before it.
	Earlier []Doubt
}

// Doubt is a write of which it could not be found out whether it landed. It may have made a version where all that it changes
// differs from its base, and where nothing shows another writer.
type Doubt struct {
	Base    Version
	Manager string
	Changes []Change
	// ByKey: it is conditional on keys alone, and can land on any version.
	ByKey bool
}

// The causes of an unknown outcome.
var (
	errAltered = errors.New("the key was changed to something else: by admission on the way in, or by another writer of the same name")
	errRemoved = errors.New("the key is gone, and nothing tells who removed it")
	errUnowned = errors.New("managedFields do not tell who wrote it")
	errEarlier = errors.New("an earlier write of this process, whose outcome is unknown too, may have made it")
)

// Tell says whether a write led from before to next, which are versions of one object with none in between; and where it is unknown, why.
// The first rule that fits decides.
func (s Sent) Tell(before, next *Observation) (Answer, error) {
	if next.Version().UID != before.Version().UID {
		return HasNotLanded, nil
	}
	writes := s.writes(before)

	// 0. Could it land on before at all? Where a key shall be gone whoever removes it, that does not matter.
	if !s.GoneIsDone && !canLandOn(before, s.Changes) {
		return HasNotLanded, nil
	}

	// 1. Would our write have left others as they are, and what it sets to us?
	if s.isAnothers(before, next, writes) {
		return HasNotLanded, nil
	}

	// 2. Does anything differ that it changes, or show that it was changed, and not just as an earlier write of ours changes it?
	gains, beside, isRetimed := s.gained(before, next, writes)
	touched, made, onlyRemoves := gains || isRetimed && !s.hasChanged(before, next), true, len(writes) > 0
	for f, to := range writes {
		touched = touched || next.at(f) != before.at(f)
		made = made && next.at(f) == to
		onlyRemoves = onlyRemoves && to.IsAbsent()
		was, _ := before.OwnersOf(f)
		owners, told := next.OwnersOf(f)
		touched = touched || to.IsAbsent() && len(was) > 0 && told && len(owners) == 0
	}
	switch {
	case !touched && s.showsOurs(before, next): // to which a dry run was another
		return IsUnknown, errAltered
	case !touched, s.isEarliers(before, next, made):
		return HasNotLanded, nil
	}

	// 3. Is all as it makes it, and ours? 4. Is it ours, and can only be of this write?
	mayBeTwins := !s.IsSigned && (beside || s.gainsWhatStays(before, next)) // or a default came along
	isEarlier := slices.ContainsFunc(s.Earlier, func(d Doubt) bool { return d.leads(before, next) })
	isSigners := slices.ContainsFunc(s.Earlier, func(d Doubt) bool { return d.Manager == s.Manager })
	isGone := len(writes) > 0 // all that is sent, which is removals, but for what comes back by default: in a dry run, that keeps its owner
	for f, to := range FieldsOf(s.Changes) {
		comesBack := s.Normal != nil && next.at(f) == before.at(f) && slices.ContainsFunc(s.Normal.leaves(nil, f), func(l leaf) bool {
			return len(l.owners) > 0 && len(l.path) >= len(parsed(f.key))
		})
		isGone = isGone && to.IsAbsent() && (next.at(f).IsAbsent() || comesBack)
	}
	switch {
	case isGone && s.GoneIsDone:
		return HasLanded, nil
	case onlyRemoves && made && (gains || isRetimed) && !mayBeTwins && s.ownsWhatRemovedFrom(before, next, writes):
		return HasLanded, nil
	case onlyRemoves && made: // which leaves no trace
		return IsUnknown, errRemoved
	case onlyRemoves:
		return IsUnknown, errAltered
	case !s.Owns(before, next):
		return IsUnknown, errUnowned
	case mayBeTwins:
		return IsUnknown, errAltered
	case made && !isEarlier && (gains || isRetimed || s.isAllOf(before, next)):
		return HasLanded, nil
	case s.IsSigned && !isSigners && (gains || isRetimed):
		return HasLanded, nil
	case isEarlier || s.IsSigned && isSigners:
		return IsUnknown, errEarlier
	}
	return IsUnknown, errAltered // 5.
}

// gained reports whether our name has gained a field that the write changes, or what that is in, or one beside what is sent that the write does not bring along
// as a default, and whether it has another time. A dry run tells defaults: they have an owner after it, whatever admission makes of them. While that is
// not known, what is beside may be either.
func (s Sent) gained(before, next *Observation, writes map[Field]Entry) (gains, beside, isRetimed bool) {
	gained, isRetimed := next.gained(before, s.isOurs)
	sent := map[string]Field{} // by path: a write may be of thousands, of which none overlap
	for f, to := range FieldsOf(s.Changes) {
		if next.fields != nil || !to.IsAbsent() {
			sent[next.kind.path(f).String()] = f
		}
	}
	gained.Leaves().Iterate(func(path fieldpath.Path) {
		isSent, near := false, sent
		if f, is := sent[path.String()]; is {
			near = map[string]Field{"": f}
		}
		for _, f := range near {
			if next.isPart(before, path, next.kind.path(f)) {
				_, counts := writes[f]
				isSent, gains = true, gains || counts
			}
		}
		brings := s.Normal != nil && s.Normal.isOwned(path)
		beside = beside || !isSent && !brings
	})
	return gains, beside, isRetimed
}

// gainsWhatStays reports whether our name has gained something that a dry run leaves as it was in the base: a twin changed it or, where admission undid that in
// the dry run, our write did. That it has an owner there tells nothing: a dry run sets back what a twin changed, and owns it for that.
func (s Sent) gainsWhatStays(before, next *Observation) (gains bool) {
	if s.Normal == nil {
		return false
	}
	gained, _ := next.gained(before, s.isOurs)
	gained.Leaves().Iterate(func(path fieldpath.Path) {
		was := s.Base.holds(path)
		gains = gains || was != nil && reflect.DeepEqual(was, s.Normal.holds(path))
	})
	return gains
}

// showsOurs reports whether something of what is sent, whatever form it is stored in, is ours since, or differs and is not seen to be another's.
func (s Sent) showsOurs(before, next *Observation) bool {
	sent := FieldsOf(s.Changes)
	shows, _, _ := s.gained(before, next, sent)
	for f := range sent {
		owners, told := next.OwnersOf(f)
		isOthers := told && len(owners) > 0 && !slices.ContainsFunc(owners, s.isOurWriter)
		shows = shows || next.at(f) != before.at(f) && !isOthers
	}
	return shows
}

// hasChanged reports whether something that is ours in next was another before, which another time of ours may be of.
func (s Sent) hasChanged(before, next *Observation) (has bool) {
	if next.fields == nil {
		for f, e := range next.Fields() {
			owners, _ := next.OwnersOf(f)
			has = has || before.at(f) != e && slices.ContainsFunc(owners, s.isOurWriter)
		}
	} else if owned := next.owned(s.isOurs).fields; owned != nil {
		owned.Leaves().Iterate(func(path fieldpath.Path) { has = has || !reflect.DeepEqual(before.holds(path), next.holds(path)) })
	}
	return has
}

// IsProven reports whether the object, as it is now, shows that a signed write landed on before, whatever came since: what it sets is ours, and was
// written under our name since, or else is all that differs. That it holds what was sent proves nothing: a policy may set that along with another's write.
func (s Sent) IsProven(before, now *Observation) bool {
	gains, _, isRetimed := s.gained(before, now, s.writes(before))
	return s.Owns(before, now) && (gains || isRetimed || s.isAllOf(before, now) && !s.HasAnother(before, now))
}

// TellUnread is Tell of a removal whose base this process has not read: of what a plan saw.
func (s Sent) TellUnread(next *Observation) (Answer, error) {
	for _, c := range s.Changes {
		live := next.Entry(c.Key)
		owners, told := next.OwnersOf(live.Field(c.Key))
		switch {
		case !c.Writes() || live.IsAbsent():
		case !c.From.IsAnything() && live.Holds(c.From), told && len(owners) > 0: // it was removed nowhere, or set by another
			return HasNotLanded, nil
		default:
			return IsUnknown, errAltered
		}
	}
	return HasLanded, nil
}

// writes is what the write makes of fields, in the form in which they are stored. What stays as it is counts for nothing.
func (s Sent) writes(before *Observation) map[Field]Entry {
	all := FieldsOf(s.Changes)
	if s.Normal == nil {
		return all
	}
	for f := range all {
		if all[f] = s.Normal.at(f); all[f] == before.at(f) {
			delete(all, f)
		}
	}
	return all
}

// isAllOf reports whether next is just what the write makes of before, and nobody can have made that without his name.
func (s Sent) isAllOf(before, next *Observation) bool {
	if next.hidesWriters(before, s.writes(before)) {
		return false
	}
	if s.Normal != nil && canLandOn(before, s.Changes) && sameBut(next, s.Normal) {
		return true
	}
	return next.DiffersOnlyBy(before, s.Changes)
}

// HasAnother reports whether another manager's entry shows that another write led from before to next.
func (s Sent) HasAnother(before, next *Observation) bool {
	for _, m := range next.managers() {
		if m.Manager == manyManagers || s.isOurs(m) {
			continue
		}
		if gained, isRetimed := next.gained(before, m.isSame); isRetimed || !gained.Empty() {
			return true
		}
	}
	return false
}

// isAnothers reports whether managedFields show that another write led from before to next: another has gained something or, as far as defaults are
// told, a twin; or what the write sets is another's, or what it removes is anybody's.
func (s Sent) isAnothers(before, next *Observation, writes map[Field]Entry) bool {
	_, beside, _ := s.gained(before, next, writes)
	if s.HasAnother(before, next) || beside && (next.fields == nil || s.Normal != nil) {
		return true
	}
	if next.fields != nil && next.hidesWriters(before, writes) { // ours too
		return false
	}
	for f, became := range s.standings(before, next, writes) {
		isGone := next.fields != nil && writes[f].IsAbsent() && next.at(f).IsAbsent()
		if !isGone && became == isOthers {
			return true
		}
	}
	return false
}

// isEarliers reports whether all that differs is just what an earlier write in doubt changes, as one that shared a request with this one does. Of
// fields, this one may have made the same, unless it is known in what form they are stored.
func (s Sent) isEarliers(before, next *Observation, made bool) bool {
	isOurs := next.DiffersOnlyBy(before, s.Changes)
	if next.fields != nil {
		isOurs = made || s.Normal == nil
	}
	return !isOurs &&
		slices.ContainsFunc(s.Earlier, func(d Doubt) bool { return d.leads(before, next) && next.DiffersOnlyBy(before, d.Changes) })
}

// Owns reports whether all that the write sets is its manager's, and some of it shows that it was changed.
func (s Sent) Owns(before, next *Observation) bool {
	shows, writes := false, s.writes(before)
	for f, became := range s.standings(before, next, writes) {
		if writes[f].IsAbsent() {
			if next.fields != nil && slices.ContainsFunc(next.leaves(before, f), func(l leaf) bool {
				return len(l.owners) > 0 && before.holds(l.path) != nil && next.holds(l.path) == nil
			}) {
				return false // it went by itself: a removal takes the owners along
			}
			continue
		}
		if shows = shows || became == isOwn; became != isOwn && became != isKept {
			return false
		}
	}
	return shows
}

func (s Sent) isOurs(m managed) bool {
	return m.subresource == "" && !m.isForeign && s.isOurWriter(m.Writer)
}

func (s Sent) isOurWriter(w Writer) bool {
	return w.Manager == s.Manager && w.Operation == string(metav1.ManagedFieldsOperationUpdate)
}

// leads reports whether a write in doubt can have led from one state to the next, whatever admission made of what it sets.
func (d Doubt) leads(before, next *Observation) bool {
	isBase := d.ByKey || before.Version() == d.Base
	isOfOtherShape := slices.ContainsFunc(d.Changes, func(c Change) bool {
		_, isField := FieldPath(c.Key)
		return isField != (before.fields != nil)
	})
	switch {
	case isBase && isOfOtherShape: // what it makes is not told here
		return true
	case !isBase || !canLandOn(before, d.Changes):
		return false
	}
	writes := FieldsOf(d.Changes)
	for f := range writes {
		if next.at(f) == before.at(f) {
			return false
		}
	}
	return !Sent{Manager: d.Manager, Changes: d.Changes}.isAnothers(before, next, writes)
}

// canLandOn reports whether every key holds what changes expect of it. Of a JSON Patch, which lands on any version, nothing else tells.
func canLandOn(before *Observation, changes []Change) bool {
	return !slices.ContainsFunc(changes, func(c Change) bool { return before.Entry(c.Key) != c.From })
}

// DiffersOnlyBy reports whether all that o and before differ by is what changes make of keys.
func (o *Observation) DiffersOnlyBy(before *Observation, changes []Change) bool {
	if o.fields != nil {
		return sameBut(o, &Observation{fields: before.with(changes)})
	}
	want := before.Fields()
	for f, to := range FieldsOf(changes) {
		if delete(want, f); !to.IsAbsent() {
			want[f] = to
		}
	}
	return maps.Equal(want, o.Fields()) && slices.Equal(before.configMap.Finalizers, o.configMap.Finalizers) &&
		equality.Semantic.DeepEqual(before.configMap.OwnerReferences, o.configMap.OwnerReferences) &&
		before.configMap.DeletionTimestamp.Equal(o.configMap.DeletionTimestamp)
}

// FieldsOf is what changes make of fields; absent where they remove one. What stays as it is is left out.
func FieldsOf(changes []Change) map[Field]Entry {
	all := map[Field]Entry{}
	for _, c := range changes {
		if !c.Writes() {
			continue
		}
		if !c.From.IsAbsent() {
			all[c.From.Field(c.Key)] = Entry{}
		}
		if !c.To.IsAbsent() {
			all[c.To.Field(c.Key)] = c.To
		}
	}
	return all
}
