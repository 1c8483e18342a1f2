package decide

import (
	"cmp"
	"maps"
	"slices"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// A resource releases a path by a destroy, by an update that names the path no longer, and by the removal of a
// replacement. Plan, dry run and apply ask decideRemoval about each path.

// Action is the decision about one path that a resource releases.
type Action string

// The actions of a removal.
const (
	Done           Action = "done" // there is nothing to do
	RemoveCreated  Action = "remove"
	RemoveExisting Action = "remove-existing" // the path existed before the resource wrote it
	RemoveChanged  Action = "remove-changed"  // another writer changed the value
	Restore        Action = "restore"
	Keep           Action = "keep"
	KeepExisting   Action = "keep-existing"
	KeepUnknown    Action = "keep-unknown" // it is not known whether the path existed before
	KeepChanged    Action = "keep-changed"
	KeepOmitted    Action = "keep-omitted" // the plan no longer has the map of a whole object
	Refuse         Action = "refuse"       // another writer changed the value
)

// decideRemoval returns the action for a path. isPresent: the path has a value. isWritten: the path is as the
// resource wrote, adopted or imported it, and absent if the resource removed it. first is the value before that; nil if
// it is not known. A policy that is not known yet counts as the one that writes most.
func decideRemoval(policy, onDrift string, isPresent, isWritten bool, first *eval.Value) Action {
	isExisting := first != nil && !first.IsAbsent()
	isCautious := policy == terms.PolicyRelease || policy == terms.PolicyRestore
	mayRestore := policy == terms.PolicyRestore || policy == ""
	isPutBack := mayRestore && isWritten && isExisting
	switch {
	case !isPresent && !isPutBack:
		return Done
	case policy == terms.PolicyAbandon:
		return Keep
	case isCautious && !isWritten:
		return KeepChanged
	case isCautious && first == nil:
		return KeepUnknown
	case policy == terms.PolicyRestore && isExisting:
		return Restore
	case policy == terms.PolicyRelease && isExisting:
		return KeepExisting
	case !isWritten && onDrift == terms.DriftError:
		return Refuse
	case !isWritten:
		return RemoveChanged
	case policy == terms.PolicyDelete && isExisting:
		return RemoveExisting
	default:
		return RemoveCreated
	}
}

// writes reports whether a path is written or removed, or would be if the removal were not refused.
func (a Action) writes() bool {
	return slices.Contains([]Action{RemoveCreated, RemoveExisting, RemoveChanged, Restore, Refuse}, a)
}

// Removal is the decision about a path that a resource releases.
type Removal struct {
	Key    string
	Action Action
	Live   eval.Value
	First  *eval.Value // the original; nil if it is not known
}

// target returns the value of the path after the removal.
func (r Removal) target() (after eval.Value) {
	if r.Action == Restore {
		after = *r.First
	}
	return after
}

// Removals are the decisions about all paths that a resource releases, sorted by path.
type Removals []Removal

// With returns the removals with one of the actions.
func (r Removals) With(actions ...Action) Removals {
	return r.where(func(each Removal) bool { return slices.Contains(actions, each.Action) })
}

func (r Removals) where(is func(Removal) bool) Removals {
	return slices.DeleteFunc(slices.Clone(r), func(each Removal) bool { return !is(each) })
}

// Keys returns the paths.
func (r Removals) Keys() []string {
	var keys []string
	for _, each := range r {
		keys = append(keys, each.Key)
	}
	return keys
}

// Drift returns the paths with what they contain.
func (r Removals) Drift() []Drift {
	drift := make([]Drift, len(r))
	for i, each := range r {
		drift[i] = Drift{Key: each.Key, Found: each.Live}
	}
	return drift
}

// Writes returns the removals that write or remove a path.
func (r Removals) Writes() Removals {
	return r.where(func(each Removal) bool { return each.Action.writes() })
}

// Restores returns the removals that write another value than the live value to a path.
func (r Removals) Restores() Removals {
	return r.where(func(each Removal) bool { return each.Action == Restore && !each.First.Matches(each.Live) })
}

// Stays returns the paths that exist after the removal.
func (r Removals) Stays() []string {
	return r.where(func(each Removal) bool {
		return each.Action == Restore || !each.Action.writes() && !each.Live.IsAbsent()
	}).Keys()
}

// decideRemovals decides about paths that the resource releases, with these live values. was has the values of the
// state. The claim gives the policy: an update has the policy of the plan, and a destroy the policy of the state.
func decideRemovals(c *Claim, was, live map[string]eval.Value, m Memory) Removals {
	var all Removals
	for _, key := range sortedKeys(live) {
		r := Removal{Key: key, Action: KeepOmitted, Live: live[key]}
		if first, isKnown := m.Originals[key]; isKnown {
			r.First = &first
		}
		if c.Whole == nil || !eval.IsEntry(key) {
			isWritten := m.isWritten(key, was[key], r.Live)
			r.Action = decideRemoval(c.Policy, c.OnDrift, !r.Live.IsAbsent(), isWritten, r.First)
		}
		all = append(all, r)
	}
	return all
}

// isWritten reports whether a path is as the resource wrote, adopted or imported it. Without a baseline, the value of
// the state is the baseline. A value of a Secret that no read has found counts as written.
func (m Memory) isWritten(path string, was, live eval.Value) bool {
	written, isKnown := m.Baseline[path]
	digest, isSeen := m.found(path, live)
	switch {
	case !isKnown:
		return live.IsAbsent() == was.IsAbsent() && live.Matches(was)
	case !isSeen:
		return true
	default:
		return digest == written
	}
}

// Removable returns the paths that a removal writes if no other writer has changed a path of the state. Any other path
// stays in any case.
func Removable(c *Claim, m Memory) []string {
	return decideRemovals(c, c.Values, c.Values, m.forgetting(c.Values)).Writes().Keys()
}

// forgetting returns the memory without the baseline of the values that exist: such a value counts as written.
func (m Memory) forgetting(values map[string]eval.Value) Memory {
	m.Baseline = maps.Clone(m.Baseline)
	maps.DeleteFunc(m.Baseline, func(key string, _ string) bool { return !values[key].IsAbsent() })
	return m
}

// removed returns the claim of a state with the on_drift of the plan of a replacement, if its note has one.
func (m Memory) removed(prior *Claim) *Claim {
	c := *prior
	if note := m.RemovalOf(prior.ID); note != nil {
		c.OnDrift = cmp.Or(note.OnDrift, prior.OnDrift)
	}
	return &c
}

// RemovalPlan is the decision of a plan about a removal.
type RemovalPlan struct {
	Removals    Removals
	IsImmutable bool // the object is immutable, and the removal changes it
	IsDeleted   bool // the object is being deleted: the removal succeeds
	// DependsOnOthers says that the decision rests on a change by another writer: a fresh read must confirm it.
	DependsOnOthers bool
	Memory          Memory // with the note for the apply
}

// IsRefused reports whether the removal would fail.
func (p *RemovalPlan) IsRefused() bool {
	return !p.IsDeleted && (p.IsImmutable || len(p.Removals.With(Refuse)) > 0)
}

// PlanRemove decides at plan about the removal of the keys of a state, and again at apply if the removal should have
// been refused. seen is nil if no read is necessary: nothing that
// the keys contain matters to a policy of abandon.
func PlanRemove(prior *Claim, m Memory, seen *eval.Snapshot) RemovalPlan {
	live := prior.Values
	if seen != nil {
		if isAnother(prior.Version, seen.Version()) { // Terraform may plan a removal without a refresh
			m = m.withNewOriginals(prior.Keys(), seen.Value)
		}
		m, live = m.observed(seen, prior.Keys()), prior.Live(seen)
	}
	p := RemovalPlan{Removals: decideRemovals(m.removed(prior), prior.Values, live, m), Memory: m}
	note := removalNote(prior, p.Removals)
	if p.Memory.Plan.Removal = note; seen == nil {
		return p
	}
	note.versionNote, note.Entries = versionNote(seen.Version()), make(map[string]eval.Value, len(live))
	for key, e := range live {
		note.Entries[key] = m.original(e)
	}
	changes := func(r Removal) bool { return r.Action.writes() && r.Live != r.target() }
	p.IsDeleted, p.IsImmutable = seen.Terminating(), seen.Immutable() && slices.ContainsFunc(p.Removals, changes)
	isAboutOthers := p.IsImmutable || len(p.Removals.With(RemoveChanged, KeepChanged, Refuse)) > 0
	p.DependsOnOthers = isAboutOthers && !p.IsDeleted
	return p
}

// removalNote returns the note of a plan for these removals.
func removalNote(c *Claim, removals Removals) *RemovalNote {
	note := &RemovalNote{ID: c.ID, OnDrift: c.OnDrift, Keeps: removals.Stays()}
	note.Keys = removals.where(func(r Removal) bool { return r.Action.writes() || !r.Live.IsAbsent() }).Keys()
	if c.Whole != nil {
		note.Policy = c.Policy
	}
	return note
}

// NoteReplacement returns the memory with the prior state as the note for the removal of a replacement in the same
// place, as with -replace. That is as good as a read: Terraform has refreshed the state. The on_drift is
// the plan's, and "overwrite" if no value has drifted.
func NoteReplacement(plan, prior *Claim, m Memory, hasDrift bool) Memory {
	removed := *prior
	if removed.OnDrift = plan.OnDrift; !hasDrift {
		removed.OnDrift = terms.DriftOverwrite
	}
	var removals Removals
	if prior.Whole == nil {
		removals = decideRemovals(&removed, prior.Values, prior.Values, m)
	}
	m.Plan.Removal = removalNote(&removed, removals)
	m.Plan.Removal.versionNote = versionNote(prior.Version)
	return m
}

// NoteObject returns the memory with the version of a whole object that the plan of its removal read.
func NoteObject(prior *Claim, m Memory, seen *eval.Snapshot) Memory {
	m.Plan.Removal = &RemovalNote{ID: prior.ID, versionNote: versionNote(seen.Version())}
	return m
}

// RemoveDecision says what a removal does.
type RemoveDecision struct {
	Removals   Removals
	Txn        *eval.Txn // without keys if there is nothing to write
	Findings   []Finding
	Version    eval.Version // of the plan, or else of the prior state
	IsReported bool         // the plan has reported what stays
}

// Remove decides about the removal of the keys of a state: which of them are removed or restored, by the values that
// the plan read, or else by the prior state. Keys that another instance wrote or adopted in the same apply are left to
// it: with create_before_destroy, that is the new resource.
func Remove(prior *Claim, m Memory, taken []string) RemoveDecision {
	note := m.RemovalOf(prior.ID)
	d := RemoveDecision{Txn: prior.txn(), Version: prior.Version, IsReported: note != nil}
	expect, isSeen := prior.Values, false
	if note != nil {
		d.Version = note.Version()
		if isSeen = note.Entries != nil; isSeen {
			expect, d.Txn.ObservedAt = note.Entries, d.Version
		}
	}
	live := map[string]eval.Value{}
	for _, key := range prior.Keys() {
		// If the plan found the key missing, and the refresh after it did not, the plan shows no removal.
		if seen, isExpected := expect[key]; isExpected && !slices.Contains(taken, key) {
			live[key] = seen
		}
	}
	d.Removals = decideRemovals(m.removed(prior), prior.Values, live, m)
	going := d.Removals.Writes()
	if needs := m.Plan.Needs; needs != nil && needs.ID == prior.ID && len(common(needs.Keys, going.Keys())) > 0 {
		d.Findings = []Finding{{Kind: FindTainted}}
		return d
	}
	d.Txn.IgnoreMissing = true
	// A Secret has nothing else to compare. If the plan found no object, there is no version, and the keys must be absent.
	byVersion := prior.Scope != terms.ScopeKey || prior.IsSecret()
	switch {
	case byVersion && d.Version.Valid():
		d.Txn.RequireVersions = []eval.Version{d.Version}
	case byVersion && !isSeen && len(going) > 0:
		d.Findings = []Finding{{Kind: FindVersionUnknown}}
	}
	for _, r := range going {
		k := eval.KeySwap{Key: r.Key, Expect: expect[r.Key], New: r.target()}
		if !k.New.IsAbsent() {
			k.IfEqual = eval.Adopt
		}
		k.RemovesEmpty = m.foundNoDocument(prior) && k.New.IsAbsent()
		d.Txn.Keys = append(d.Txn.Keys, k)
	}
	return d
}

// foundNoDocument reports whether the key with the document was missing before the resource wrote it: then the key is
// removed with its last field.
func (m Memory) foundNoDocument(c *Claim) bool {
	original, isKnown := m.Originals[c.Document]
	return isKnown && original.IsAbsent()
}

// Others are the entries of a whole object that the resource did not write.
type Others struct {
	Keys      []string
	IsDrift   bool // they are in a map that the resource has
	NotKnown  bool // private state was lost
	IsDeleted bool // the policy deletes the object with them
}

// RemoveObject returns the entries that matter to the removal of a whole object; nil if there are none, or if
// the policy leaves the object in place.
func RemoveObject(c *Claim, policy string, m Memory, seen *eval.Snapshot) *Others {
	keys := m.Unowned(seen.Entries())
	if policy == terms.PolicyAbandon || seen.Terminating() || len(keys) == 0 {
		return nil
	}
	isDrift := func(key string) bool { return c.HasMapOf(key, seen.Value(key)) }
	return &Others{keys, slices.ContainsFunc(keys, isDrift), m.Baseline == nil, policy == terms.PolicyDelete}
}

// RefusesDestroy reports whether a destroy would be refused because of the state.
func RefusesDestroy(prior *Claim, m Memory) bool {
	if prior.Whole == nil {
		return len(decideRemovals(prior, prior.Values, prior.Values, m).With(Refuse)) > 0
	}
	return prior.Policy == terms.PolicyRelease && len(m.Unowned(prior.Values)) > 0
}
