package claim

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/decide"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// planObject checks a creation at plan. In a replacement, the old object still exists, and planObject checks its
// removal instead. It records the object, so that keys planned in it cause no warning, and refuses an object that
// another resource of the plan creates.
func (ch *Change) planObject(ctx context.Context, about diagnose.Subject) diag.Diagnostics {
	c, how := ch.Plan, ch.Run.CheckMode()
	if !c.Known.Values {
		how = cas.ReadOnly
	}
	ref := c.Ref
	if c.IsGenerated() && how == cas.DryRun && ref.Namespace != "" {
		ref.Name = terms.GenerateName(c.Whole.GenerateName) // only for the dry run
	}
	if !c.Known.Place && ref.Name == c.Ref.Name {
		return nil
	}
	about.ID.Ref = ref
	instance := ch.Memory.newToken()
	planned := use{owns: c.paths(), writes: c.Keys(), values: c.Values}
	isRequired := c.Required != decide.Required{} // then the object exists
	if !isRequired {
		planned.writes = append(planned.writes, objectPath)
	}
	diags := ch.Run.planUse(ctx, ref, planned, instance, about)
	switch {
	case ch.Run.IsApply(ctx): // the apply decides
		return nil
	case ch.Memory.RemovalOf(c.ID) != nil:
		return ch.planRemovalFirst(ctx, c, ch.Memory.Plan.Removal.Policy)
	case diags.HasError(), isRequired && (!c.Known.Values || c.Required.IsUnknown):
		return diags
	case isRequired:
		t := decide.Create(&c.Claim, nil).Txn
		checked := ch.Run.checkTxn(ctx, c, t, about)
		if diags.Append(checked...); len(checked) == 0 {
			diags.Append(ch.permitted(ctx, t, about)...)
		}
		return diags
	}
	return append(diags, ch.Run.check(ctx, about, c.Timeouts, func(ctx context.Context) error {
		_, err := ch.Run.Engine.CheckCreate(ctx, decide.Object(&c.Claim, ref), how)
		if c.IsGenerated() && is[*eval.ExistsError](err) {
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
	if c.IsGenerated() {
		attempts = terms.NameAttempts
	}
	for range attempts {
		if c.IsGenerated() {
			ref.Name = terms.GenerateName(c.Whole.GenerateName)
		}
		result, err = r.Engine.Create(ctx, decide.Object(&c.Claim, ref))
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
func (ch *Change) planDeleteWhole(ctx context.Context, about diagnose.Subject) diag.Diagnostics {
	prior := ch.Prior
	if prior.Policy == terms.PolicyAbandon {
		return nil
	}
	diags := ch.Run.planUse(ctx, prior.Ref, use{removes: []string{objectPath}}, ch.Memory.token(), about)
	if diags.HasError() {
		return diags
	}
	var unowned diag.Diagnostics
	diags.Append(ch.Run.check(ctx, about, prior.Timeouts, func(ctx context.Context) error {
		seen, others, err := ch.observeOthers(ctx, prior, prior.Policy)
		if err != nil || !seen.Exists() {
			return err
		}
		ch.Memory.Memory = decide.NoteObject(&prior.Claim, ch.Memory.Memory, seen)
		if unowned = about.KeysOfOthers(others); unowned.HasError() {
			return nil
		}
		if ch.Run.CheckMode() == cas.DryRun {
			removal := &eval.Removal{Ref: prior.Ref, RequireVersions: []eval.Version{seen.Version()}}
			_, err = ch.Run.Engine.CheckRemove(ctx, removal, cas.DryRun)
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
	return append(ch.Run.check(ctx, about, c.Timeouts, func(ctx context.Context) error {
		_, others, err := ch.observeOthers(ctx, c, policy)
		unowned = about.KeysOfOthers(others)
		return err
	}), unowned...)
}

// observeOthers reads the object of a claim, and returns the keys that the resource did not write and that matter to
// the removal of the object; nil if there are none.
func (ch *Change) observeOthers(
	ctx context.Context, c *Claim, policy string,
) (seen *eval.Snapshot, others *diagnose.OtherKeysError, err error) {
	seen, err = ch.Run.observe(ctx, &c.Claim, []time.Duration{cas.Fresh, 0}, func(seen *eval.Snapshot) bool {
		others = ch.others(c, policy, seen)
		return others != nil
	})
	return seen, others, err
}

// others returns the keys of an object that matter to its removal; nil if there are none.
func (ch *Change) others(c *Claim, policy string, seen *eval.Snapshot) *diagnose.OtherKeysError {
	others := decide.RemoveObject(&c.Claim, policy, ch.Memory.Memory, seen)
	if others == nil {
		return nil
	}
	return &diagnose.OtherKeysError{Others: *others, Live: seen}
}

// deleteWhole deletes the object if it is still at the version, and if nothing in it keeps the removal from deleting
// it.
func (ch *Change) deleteWhole(ctx context.Context, at eval.Version, about diagnose.Subject) diag.Diagnostics {
	prior := ch.Prior
	refuse := func(seen *eval.Snapshot) error {
		if others := ch.others(prior, prior.Policy, seen); others != nil && !others.IsDeleted {
			return others
		}
		return nil
	}
	removal := &eval.Removal{Ref: prior.Ref, RequireVersions: []eval.Version{at}, Refuse: refuse}
	result, err := ch.Run.Engine.Remove(ctx, removal)
	if err != nil {
		if conflict, isConflict := errors.AsType[*eval.ConflictError](err); isConflict {
			for _, key := range slices.Sorted(maps.Keys(prior.Live(conflict.Live))) {
				of := eval.KeyConflict{Key: key, Reason: conflict.Reason, Expected: prior.Values[key]}
				conflict.Keys = append(conflict.Keys, of)
			}
		}
		return diag.Diagnostics{about.Diagnose(err)}
	}
	ch.Run.registry.delete(prior.Ref)
	return about.StillExists(result.After)
}
