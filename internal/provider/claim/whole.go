package claim

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Whole has the parts of a claim that only whole objects have.
type Whole struct {
	Parts        []string            // that it manages: what the claim does not name there is absent
	Unknown      []string            // those of Parts that a plan does not know
	Pending      map[string][]string // by part: names whose values a plan does not know
	Type         string              // of a Secret
	GenerateName string              // of a plan, where the name is made of it
	Declares     *Declared           // nil where that is not known
}

// Manages reports whether the claim is about all of a part.
func (w *Whole) Manages(part string) bool { return slices.Contains(w.Parts, part) }

// live returns the managed parts of an observation, without labels and annotations of the cluster that are not named.
func (w *Whole) live(seen *eval.Snapshot, named map[string]eval.Value) map[string]eval.Value {
	live := map[string]eval.Value{eval.ImmutableKey: eval.Bool(seen.Immutable())}
	for key, e := range seen.Entries() {
		if w.Manages(partOf(key, e)) {
			live[key] = e
		}
	}
	add := func(part string, all map[string]string, field func(string) string) {
		for name, value := range all {
			if _, isNamed := named[field(name)]; w.Manages(part) && (isNamed || !terms.IsInternalKey(name)) {
				live[field(name)] = eval.Text(value)
			}
		}
	}
	add(partLabels, seen.Labels(), eval.LabelKey)
	add(partAnnotations, seen.Annotations(), eval.AnnotationKey)
	return live
}

// Found is the claim with what an observation holds.
func (c *Claim) Found(seen *eval.Snapshot) *Claim { return c.with(c.live(seen)) }

// with is the claim with other values.
func (c *Claim) with(values map[string]eval.Value) *Claim {
	found := *c
	found.Values = values
	return &found
}

// Part returns the entries of a part, by the name there; nil if the part is left to others.
func (c *Claim) Part(name string) map[string]eval.Value {
	for _, p := range c.parts() {
		if p.name == name {
			return p.entries
		}
	}
	return nil
}

// The parts of an object. Resources of keys have the first one, and nothing is known there of keys that they do not name. Whole objects have the others: a field
// that is not there is absent.
const (
	partKeys        = "keys"
	partData        = "data"
	partBinaryData  = "binary_data"
	partLabels      = "labels"
	partAnnotations = "annotations"
	partImmutable   = "immutable"
)

// partOf is the part of a whole object that a field is in; empty for a key that is absent. The state of a Secret does not say what its keys hold.
func partOf(field string, holds eval.Value) string {
	_, isText := holds.Text()
	switch {
	case field == eval.ImmutableKey:
		return partImmutable
	case strings.HasPrefix(field, eval.LabelKey("")):
		return partLabels
	case strings.HasPrefix(field, eval.AnnotationKey("")):
		return partAnnotations
	case isText:
		return partData
	case holds.IsAbsent():
		return ""
	default:
		return partBinaryData
	}
}

// nameOf is the name that a field has in its part.
func nameOf(field string) string {
	for _, of := range []string{eval.LabelKey(""), eval.AnnotationKey(""), "/"} {
		if name, isIn := strings.CutPrefix(field, of); isIn {
			return name
		}
	}
	return field
}

// isMeta reports whether a part has no keys in it.
func isMeta(part string) bool { return part != partData && part != partBinaryData }

// isKey reports whether a field is a key of data or binaryData.
func isKey(field string) bool { return !strings.Contains(field, "/") }

// part is one of the parts of an object, and what is claimed of it. Entries are nil where it is left to others.
type part struct {
	name, noun string                // in memory, and of a field in diagnostics
	entries    map[string]eval.Value // by the name in the part
}

// parts are the parts that the claim is about, in the same order for all claims of a resource.
func (c *Claim) parts() []part {
	if c.Whole == nil {
		return []part{{name: partKeys, noun: diagnose.PartKey, entries: c.Values}}
	}
	all := []part{
		{name: partData, noun: diagnose.PartKey},
		{name: partBinaryData, noun: diagnose.PartKey},
		{name: partLabels, noun: diagnose.PartLabel},
		{name: partAnnotations, noun: diagnose.PartAnnotation},
		{name: partImmutable, noun: diagnose.PartImmutable},
	}
	for i, p := range all {
		if c.Whole.Manages(p.name) {
			all[i].entries = map[string]eval.Value{}
		}
		for field, e := range c.Values {
			if partOf(field, e) == p.name && c.Whole.Manages(p.name) {
				all[i].entries[nameOf(field)] = e
			}
		}
	}
	return all
}

// content is the claim as diagnostics compare it. The state of a Secret has no values.
func (c *Claim) content() diagnose.Content {
	content := diagnose.Content{}
	for _, p := range c.parts() {
		if !slices.ContainsFunc(slices.Collect(maps.Values(p.entries)), eval.Value.IsAnything) {
			content[p.name] = p.entries
		}
	}
	return content
}

// creation returns the creation of a whole object.
func (r *Run) creation(c *Claim, ref eval.Ref) *eval.Creation {
	n := &eval.Creation{
		Ref: ref, Type: c.Whole.Type, GenerateName: c.Whole.GenerateName, Labels: textsOf(c.Part(partLabels)), Annotations: textsOf(c.Part(partAnnotations)),
		Entries: maps.Clone(c.Values), FieldManager: r.FieldManagerOr(c.FieldManager),
	}
	maps.DeleteFunc(n.Entries, func(field string, _ eval.Value) bool { return !isKey(field) })
	if c.Values[eval.ImmutableKey] == eval.Bool(true) {
		n.Immutable = new(true)
	}
	return n
}

func textsOf(entries map[string]eval.Value) map[string]string {
	if entries == nil {
		return nil
	}
	texts := make(map[string]string, len(entries))
	for name, e := range entries {
		texts[name] = e.Raw()
	}
	return texts
}

// isGenerated reports whether the apply makes the object's name.
func (c *Claim) isGenerated() bool {
	return c.Whole != nil && c.Ref.Name == "" && c.Whole.GenerateName != ""
}

// planWhole records that an instance is planned to have an object, or to delete it. It refuses to delete the object of
// another instance: it would be missing in the end, with all its keys.
func (r *Run) planWhole(ctx context.Context, u objectUse, of token, about diagnose.Subject) diag.Diagnostics {
	if r.IsApply(ctx) || !r.registry.uses(u, of) || r.PlanCheck == terms.PlanCheckOff {
		return nil
	}
	return diag.Diagnostics{r.atPlan(ctx, about).ObjectMoves()}
}

// planObject checks a creation at plan. In a replacement, the old object still exists, and planObject checks its removal
// instead. It records the object, so that keys planned in it cause no warning, and refuses an object that another
// resource of the plan creates.
func (ch *Change) planObject(ctx context.Context) diag.Diagnostics {
	c, how := ch.Plan, ch.Run.CheckMode()
	if !c.Known.Values {
		how = cas.ReadOnly
	}
	ref := c.Ref
	if c.isGenerated() && how == cas.DryRun && ref.Namespace != "" {
		ref.Name = terms.GenerateName(c.Whole.GenerateName) // only for the dry run
	}
	if !c.Known.Place && ref.Name == c.Ref.Name {
		return nil
	}
	ch.about.ID.Ref = ref
	instance := ch.Memory.newToken()
	isTwice := c.Pin.IsNull() && ch.Run.registry.creates(ref, instance) // a version says that the object exists
	moves := ch.Run.planWhole(ctx, objectUse{Ref: ref}, ch.Memory.token(), ch.about)
	switch {
	case ch.Run.IsApply(ctx): // Create judges
		return nil
	case ch.Memory.removalOf(c.ID) != nil:
		return ch.planRemovalFirst(ctx, c, ch.Memory.Removal.Policy)
	case isTwice && ch.Run.PlanCheck != terms.PlanCheckOff:
		return diag.Diagnostics{ch.Run.atPlan(ctx, ch.about).CreatedTwice()}
	case len(moves) > 0:
		return moves
	case !c.Pin.IsNull():
		return ch.planTakeOver(ctx)
	}
	return ch.Run.check(ctx, ch.about, c.Timeouts, func(ctx context.Context) error {
		_, err := ch.Run.Engine.CheckCreate(ctx, ch.Run.creation(c, ref), how)
		if c.isGenerated() && is[*eval.ExistsError](err) {
			return nil // another name is made then
		}
		return err
	})
}

// createObject makes the object under its name, or under a generated name: another one if that is taken.
func (r *Run) createObject(ctx context.Context, c *Claim) (ref eval.Ref, result cas.TxnResult, err error) {
	r.writes.Add(1)
	ref = c.Ref
	attempts := 1
	if c.isGenerated() {
		attempts = terms.NameAttempts
	}
	for range attempts {
		if c.isGenerated() {
			ref.Name = terms.GenerateName(c.Whole.GenerateName)
		}
		result, err = r.Engine.Create(ctx, r.creation(c, ref))
		if !is[*eval.ExistsError](err) {
			break
		}
	}
	return ref, result, err
}

// planDeleteWhole is PlanDelete for a whole object: it records the version. If it records nothing, the removal compares
// with the prior state.
func (ch *Change) planDeleteWhole(ctx context.Context) diag.Diagnostics {
	prior := ch.Prior
	if prior.Policy == terms.PolicyAbandon {
		return nil
	}
	diags := ch.Run.planWhole(ctx, objectUse{prior.Ref, true}, ch.Memory.token(), ch.about)
	if diags.HasError() {
		return diags
	}
	var unowned diag.Diagnostics
	diags.Append(ch.Run.check(ctx, ch.about, prior.Timeouts, func(ctx context.Context) error {
		seen, keys, err := ch.observeUnowned(ctx, prior)
		if err != nil || !seen.Exists() {
			return err
		}
		ch.Memory.Removal = &removalNote{ID: prior.ID, versionNote: versionNote(seen.Version())}
		if unowned = ch.about.KeysOfOthers(keys); unowned.HasError() {
			return nil
		}
		if ch.Run.CheckMode() == cas.DryRun {
			_, err = ch.Run.Engine.CheckRemove(ctx, &eval.Removal{Ref: prior.Ref, RequireVersions: []eval.Version{seen.Version()}}, cas.DryRun)
		}
		return err
	})...)
	return append(diags, unowned...)
}

// planRemovalFirst checks the removal that precedes a creation in the same place. c is the claim of the state or, if
// the call does not have that, of the plan.
func (ch *Change) planRemovalFirst(ctx context.Context, c *Claim, policy string) diag.Diagnostics {
	about := ch.Run.atPlan(ctx, ch.Run.about(c, terms.OpDelete))
	switch {
	case !ch.Run.Checks() || ch.Run.IsApply(ctx):
		return nil
	case policy == terms.PolicyAbandon:
		return diag.Diagnostics{about.ReplacesAbandoned()}
	}
	var unowned diag.Diagnostics
	removed := *c
	removed.Policy = policy
	return append(ch.Run.check(ctx, about, c.Timeouts, func(ctx context.Context) error {
		_, keys, err := ch.observeUnowned(ctx, &removed)
		unowned = about.KeysOfOthers(keys)
		return err
	}), unowned...)
}

// observeUnowned reads the object of c, and returns the keys that the resource did not write and that matter to the
// removal of the object; nil if there are none. A finding about other writers rests on a fresh read.
func (ch *Change) observeUnowned(ctx context.Context, c *Claim) (seen *eval.Snapshot, keys *diagnose.OtherKeysError, err error) {
	for _, age := range []time.Duration{cas.Fresh, 0} {
		if seen, err = ch.Run.Engine.Observe(ctx, c.Ref, "", age); err != nil {
			return nil, nil, err
		}
		if keys = c.unowned(ch.Memory, seen); keys == nil {
			break
		}
	}
	return seen, keys, nil
}

// unowned returns the keys of the observed object that the resource did not write; nil if there are none, or if
// deletion_policy leaves the object in place.
func (c *Claim) unowned(m *Memory, seen *eval.Snapshot) *diagnose.OtherKeysError {
	keys := m.unowned(seen.Entries())
	if c.Policy == terms.PolicyAbandon || seen.Terminating() || len(keys) == 0 {
		return nil
	}
	isManaged := func(key string) bool { return c.Whole.Manages(partOf(key, seen.Value(key))) }
	return &diagnose.OtherKeysError{
		Keys: keys, Live: seen, IsDrift: slices.ContainsFunc(keys, isManaged), NotKnown: m.Written == nil,
		IsDeleted: c.Policy == terms.PolicyDelete,
	}
}

// unowned returns the keys, sorted, that do not contain what the resource of a whole object last wrote or imported. If
// private state does not have that, it returns all keys.
func (m *Memory) unowned(entries map[string]eval.Value) []string {
	return slices.DeleteFunc(sortedKeys(entries), func(field string) bool {
		e := entries[field]
		return !isKey(field) || m.Written != nil && !m.isDrift(partOf(field, e), field, e)
	})
}

// deleteWhole deletes the object if it is still at the version, and if nothing in it keeps the removal from deleting it.
func (ch *Change) deleteWhole(ctx context.Context, at eval.Version) diag.Diagnostics {
	prior := ch.Prior
	result, err := ch.Run.Engine.Remove(ctx, &eval.Removal{Ref: prior.Ref, RequireVersions: []eval.Version{at}, Refuse: func(seen *eval.Snapshot) error {
		if keys := prior.unowned(ch.Memory, seen); keys != nil && !keys.IsDeleted {
			return keys
		}
		return nil
	}})
	if err != nil {
		return diag.Diagnostics{ch.about.Diagnose(err)}
	}
	ch.Run.registry.deleted.Store(ch.Prior.Ref, true)
	return ch.about.StillExists(result.After)
}

// OwnsValues reports whether a resource of a whole Secret had its values at the last write or import.
func (m *Memory) OwnsValues() bool { return m.Written[partBinaryData] != nil }
