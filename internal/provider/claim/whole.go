package claim

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Whole has the parts of a claim that only whole objects have. Labels, annotations, immutable and type are values like
// entries. A map, data or binary_data, is a value for each of its entries; Maps says that it has no others.
type Whole struct {
	Maps         []string // eval.DataKey and eval.BinaryDataKey, for the maps that the claim has
	GenerateName string   // of a plan, where the name is made of it
}

// creation returns the creation of a whole object.
func (r *Run) creation(c *Claim, ref eval.Ref) *eval.Creation {
	n := &eval.Creation{
		Ref: ref, GenerateName: c.Whole.GenerateName, Entries: map[string]eval.Value{}, Labels: map[string]string{},
		Annotations: map[string]string{}, FieldManager: r.FieldManagerOr(c.FieldManager),
	}
	for key, e := range c.Values {
		if name, isLabel := strings.CutPrefix(key, eval.LabelKey("")); isLabel {
			n.Labels[name] = e.Raw()
		}
		if name, isAnnotation := strings.CutPrefix(key, eval.AnnotationKey("")); isAnnotation {
			n.Annotations[name] = e.Raw()
		}
		switch {
		case eval.IsEntry(key):
			n.Entries[key] = e
		case key == eval.ImmutableKey && !e.IsAbsent():
			n.Immutable = new(true)
		case key == eval.TypeKey:
			n.Type = e.Raw()
		}
	}
	return n
}

// isGenerated reports whether the apply makes the object's name.
func (c *Claim) isGenerated() bool {
	return c.Whole != nil && c.Ref.Name == "" && c.Whole.GenerateName != ""
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
	planned := use{owns: c.paths(), writes: c.Keys(), values: c.Values}
	if c.Pin.IsNull() { // a version says that the object exists
		planned.writes = append(planned.writes, objectPath)
	}
	diags := ch.Run.planUse(ctx, ref, planned, instance, ch.about)
	switch {
	case ch.Run.IsApply(ctx): // Create judges
		return nil
	case ch.Memory.removalOf(c.ID) != nil:
		return ch.planRemovalFirst(ctx, c, ch.Memory.Removal.Policy)
	case diags.HasError(), !c.Pin.IsNull() && (!c.Known.Values || c.Pin.IsUnknown()):
		return diags
	case !c.Pin.IsNull():
		t := ch.Run.createTxn(c)
		checked := ch.Run.checkTxn(ctx, c, t, ch.about)
		if diags.Append(checked...); len(checked) == 0 {
			diags.Append(ch.replaced(ctx, t)...)
		}
		return diags
	}
	return append(diags, ch.Run.check(ctx, ch.about, c.Timeouts, func(ctx context.Context) error {
		_, err := ch.Run.Engine.CheckCreate(ctx, ch.Run.creation(c, ref), how)
		if c.isGenerated() && is[*eval.ExistsError](err) {
			return nil // another name is made then
		}
		return err
	})...)
}

// createObject makes the object under its name, or under a generated name: another one if that is taken. The result is
// as if a Txn had found nothing and written all values.
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
	if err != nil {
		return ref, result, err
	}
	result.Wrote, result.Previous, result.Stored = true, map[string]eval.Value{}, map[string]eval.Value{}
	for key := range c.Values {
		result.Previous[key], result.Stored[key] = eval.Value{}, result.After.Value(key)
	}
	return ref, result, nil
}

// planDeleteWhole is PlanDelete for a whole object: it records the version. If it records nothing, the removal compares
// with the prior state.
func (ch *Change) planDeleteWhole(ctx context.Context) diag.Diagnostics {
	prior := ch.Prior
	if prior.Policy == terms.PolicyAbandon {
		return nil
	}
	diags := ch.Run.planUse(ctx, prior.Ref, use{removes: []string{objectPath}}, ch.Memory.token(), ch.about)
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
	isDrift := func(key string) bool { return c.hasMapOf(key, seen.Value(key)) }
	return &diagnose.OtherKeysError{
		Keys: keys, Live: seen, IsDrift: slices.ContainsFunc(keys, isDrift), NotKnown: m.Written == nil,
		IsDeleted: c.Policy == terms.PolicyDelete,
	}
}

// unowned returns the entries, sorted, that do not contain what the resource of a whole object last wrote or imported.
// If private state does not have that, it returns all entries.
func (m *Memory) unowned(values map[string]eval.Value) []string {
	return slices.DeleteFunc(sortedKeys(values), func(key string) bool {
		digest, isSeen := m.found(key, values[key])
		written, wrote := m.Written[key]
		return !eval.IsEntry(key) || wrote && (!isSeen || digest == written)
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
		if conflict, isConflict := errors.AsType[*eval.ConflictError](err); isConflict {
			for _, key := range sortedKeys(prior.live(conflict.Live)) {
				conflict.Keys = append(conflict.Keys, eval.KeyConflict{Key: key, Reason: conflict.Reason, Expected: prior.Values[key]})
			}
		}
		return diag.Diagnostics{ch.about.Diagnose(err)}
	}
	ch.Run.registry.delete(ch.Prior.Ref)
	return ch.about.StillExists(result.After)
}
