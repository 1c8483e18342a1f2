package claim

import (
	"maps"
	"slices"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Change is one call of Terraform: one resource instance, its prior state, and its plan.
type Change struct {
	Run    *Run
	Prior  *Claim // of the state; nil for a creation
	Plan   *Claim // nil for a removal
	Memory *Memory

	about diagnose.Subject // describes the resource in diagnostics
	found *Claim           // Prior, with what a read found where the state does not say; nil before that read
}

// subject describes the resource in diagnostics about an operation.
func (ch *Change) subject(op terms.Operation) diagnose.Subject {
	c, prior := ch.Plan, ch.Prior
	if c == nil || op == terms.OpDelete {
		c = prior
	}
	about := ch.Run.about(c, op)
	if op == terms.OpCreate {
		about.Given = ch.Run.registry.givenIn(c.Keys())
		if c.Whole != nil && c.isPinned() {
			about.Ways.Missing = "To create it, remove expected_resource_version_wo."
		}
	}
	if op == terms.OpUpdate {
		about.DestroyRefused = ch.refusesDestroy()
	}
	if c.Whole != nil && prior != nil {
		about.Content = func(live *eval.Snapshot) (state, found diagnose.Content) {
			return prior.content(), prior.Found(live).content()
		}
	}
	return about
}

// refusesDestroy reports whether a destroy would be refused because of the state.
func (ch *Change) refusesDestroy() bool {
	if ch.Prior.Whole == nil {
		return len(ch.Prior.removals(ch.Prior.Values, ch.Prior.Values, ch.Memory).with(removalRefuse)) > 0
	}
	return ch.Prior.Policy == terms.PolicyRelease && len(ch.Memory.unowned(ch.Prior.Values)) > 0
}

// was returns the prior claim, with the values that a read found if the state lacks them.
func (ch *Change) was() *Claim {
	if ch.found != nil {
		return ch.found
	}
	return ch.Prior
}

// Writes reports whether an update needs a write. The apply asks again and must get the same answer, also if the live
// object has changed. So only the state and the configuration decide. An update writes values of a Secret if their
// revision changes, and always writes new and removed keys.
func (ch *Change) Writes() bool {
	if ch.takesOver() || ch.rewrites() {
		return true
	}
	if !ch.Plan.Known.Keys {
		return false
	}
	for field := range ch.Plan.Values {
		if !ch.keepsValue(ch.Prior, field) {
			return true
		}
	}
	return len(ch.dropped(ch.Prior)) > 0
}

// rewrites reports whether an update writes the values of a Secret that are there.
func (ch *Change) rewrites() bool {
	c := ch.Plan
	return c.IsSecret() && !c.Revision.Equal(ch.Prior.Revision) && (c.Whole == nil || c.Whole.Manages(partBinaryData))
}

// LeavesValues reports whether an update leaves the values of a Secret that are there.
func (ch *Change) LeavesValues() bool {
	return ch.Plan.IsSecret() && ch.Plan.Revision.Equal(ch.Prior.Revision) && (ch.Plan.Whole == nil || ch.Plan.Whole.Manages(partBinaryData) && !ch.takes(partBinaryData))
}

// gone gives the fields that were there and that the plan names no longer.
func (ch *Change) gone(was *Claim) map[string]eval.Value {
	gone := map[string]eval.Value{}
	for field, e := range was.Values {
		isIn := func(other string) bool { // a field that became a part of another
			return eval.IsIn(field, other) || eval.SelectsIn(other, field, e) && eval.MayBeIn(field, other)
		}
		_, names := ch.Plan.Values[field]
		if !names && ch.Plan.Known.Keys && (ch.Plan.APIVersion == "" || !slices.ContainsFunc(ch.Plan.Keys(), isIn)) {
			gone[field] = e
		}
	}
	return gone
}

// Releases reports whether the plan no longer names a field of the state.
func (ch *Change) Releases() bool { return len(ch.gone(ch.Prior)) > 0 }

// dropped gives those of them that an update removes or puts back: they neither stay nor are left to others.
func (ch *Change) dropped(was *Claim) map[string]eval.Value {
	dropped := ch.gone(was)
	become := ch.Plan.removals(dropped, dropped, ch.Memory)
	maps.DeleteFunc(dropped, func(field string, e eval.Value) bool {
		if ch.Plan.Whole != nil {
			return !ch.Plan.Whole.Manages(partOf(field, e))
		}
		return !become[field].writes()
	})
	return dropped
}

// tangled gives the fields that an update removes or puts back, and cannot: the plan names them in another version of the API, where their paths may lead
// elsewhere, or names a part of them.
func (ch *Change) tangled(dropped map[string]eval.Value) []string {
	return slices.DeleteFunc(sortedKeys(dropped), func(field string) bool {
		isPart := func(other string) bool { return eval.Overlap(field, other) }
		return ch.Plan.APIVersion == "" || ch.Plan.APIVersion == ch.Prior.APIVersion && !slices.ContainsFunc(ch.Plan.Keys(), isPart)
	})
}

// keepsValue reports whether an update leaves a field as it was.
func (ch *Change) keepsValue(was *Claim, field string) bool {
	value, names := ch.Plan.Values[field]
	before, has := was.Values[field]
	switch {
	case !names || !has:
		return false
	case ch.LeavesValues() && isKey(field):
		return true
	case ch.rewrites() && before.IsAnything():
		return false
	default:
		return value.Matches(before)
	}
}

// keeps reports whether an update leaves what drifted as it is.
func (ch *Change) keeps(d diagnose.Drift) bool {
	return d.Kind == diagnose.PartKey && ch.keepsValue(ch.was(), d.Key)
}

// takes reports whether a part of a whole object is managed from now on: the state has left it to others.
func (ch *Change) takes(part string) bool {
	has := ch.Prior.Whole.Manages(part) && (isMeta(part) || !ch.Prior.isImported())
	return ch.Plan.Whole.Manages(part) && !has
}

// takesOver reports whether a plan takes any part.
func (ch *Change) takesOver() bool {
	return ch.Plan.Whole != nil && slices.ContainsFunc(ch.Plan.Whole.Parts, ch.takes)
}

// LeavesToOthers reports whether an update leaves all keys of a Secret to others. They were its own.
func (ch *Change) LeavesToOthers() bool {
	prior := ch.Prior.Whole
	return prior != nil && ch.Prior.IsSecret() && !ch.Prior.isImported() && prior.Manages(partBinaryData) && !ch.Plan.Whole.Manages(partBinaryData)
}

// leftToOthers gives the names in the parts of a whole object that an update leaves to others.
func (ch *Change) leftToOthers() map[string][]string {
	left := map[string][]string{}
	for _, p := range ch.Prior.parts() {
		if len(p.entries) > 0 && ch.Plan.Whole != nil && !ch.Plan.Whole.Manages(p.name) {
			left[p.name] = sortedKeys(p.entries)
		}
	}
	return left
}

// looks reports whether a plan must read the live object to know the changes of an update: for parts that the update
// begins to manage, and for the values of a Secret.
func (ch *Change) looks() bool {
	return ch.takesOver() || ch.Plan.Whole != nil && ch.Plan.IsSecret() && ch.Plan.Whole.Manages(partBinaryData)
}

// find adds the values that a read found and that the state lacks. The version remains the version of the state.
func (ch *Change) find(seen *eval.Snapshot) {
	found, whole, live := *ch.Prior, *ch.Prior.Whole, ch.Plan.live(seen)
	found.Values, found.Whole = maps.Clone(ch.Prior.Values), &whole
	for _, part := range ch.Plan.Whole.Parts {
		isSealed := ch.Plan.IsSecret() && !isMeta(part)
		if !ch.takes(part) && !isSealed {
			continue
		}
		if !whole.Manages(part) {
			whole.Parts = append(slices.Clone(whole.Parts), part)
		}
		maps.DeleteFunc(found.Values, func(field string, e eval.Value) bool { return partOf(field, e) == part })
		for field, e := range live {
			if partOf(field, e) == part {
				found.Values[field] = e
			}
		}
	}
	ch.found = &found
}

// taken returns the values that a read found in the parts that the plan begins to manage.
func (ch *Change) taken() *Claim {
	taken, whole := *ch.found, *ch.found.Whole
	whole.Parts = slices.DeleteFunc(slices.Clone(whole.Parts), func(part string) bool { return !ch.takes(part) })
	taken.Whole = &whole
	return &taken
}

// isFound reports whether all is known that an update would change.
func (ch *Change) isFound() bool { return ch.found != nil || !ch.looks() }

// Replaces returns the attributes whose change makes an update a replacement, since the object is immutable. Values that
// are unknown at plan may turn out to be unchanged: they replace nothing, except for values of a Secret with another
// revision.
func (ch *Change) Replaces() (attributes []string) {
	was := ch.was()
	if ch.Plan.Whole == nil || was.Values[eval.ImmutableKey] != eval.Bool(true) {
		return nil
	}
	isUnknown := func(part string) bool { return slices.Contains(ch.Plan.Whole.Unknown, part) }
	if ch.Plan.Values[eval.ImmutableKey] != eval.Bool(true) && !isUnknown(partImmutable) {
		attributes = append(attributes, partImmutable)
	}
	before := was.parts()
	for i, p := range ch.Plan.parts() {
		if isMeta(p.name) || p.entries == nil || before[i].entries == nil {
			continue
		}
		pending := ch.Plan.Whole.Pending[p.name]
		isOther := func(key string) bool {
			if slices.Contains(pending, key) {
				_, had := before[i].entries[key]
				return !had
			}
			return !ch.keepsValue(was, key) || ch.Plan.Values[key].IsAnything() && !ch.LeavesValues()
		}
		differs := slices.ContainsFunc(append(sortedKeys(p.entries, before[i].entries), pending...), isOther)
		if isUnknown(p.name) {
			differs = ch.rewrites()
		}
		switch {
		case differs && ch.Plan.IsSecret():
			attributes = append(attributes, "keys") // Terraform sees no change of a write-only argument
		case differs:
			attributes = append(attributes, p.name)
		}
	}
	return attributes
}

// acknowledges reports whether the plan names another expectation of a key than the last apply did. The write checks that it holds. No
// state has the expectation of a Secret's key, so that one that holds counts: a plan that writes nothing checks none.
func (ch *Change) acknowledges(key string) bool {
	want, named := ch.Plan.Expected[key]
	if ch.Plan.IsSecret() {
		return named && ch.Memory.same(key, want, ch.Prior.Values[key])
	}
	was, had := ch.Prior.Expected[key]
	return named && (!had || !want.Matches(was))
}
