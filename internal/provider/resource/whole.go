package resource

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
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/session"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// checkObject checks a creation at plan. In a replacement, the old object still exists, and checkObject checks its
// removal instead. It records the object, so that keys planned in it cause no warning, and refuses an object that
// another resource of the plan creates.
func (o *operation) checkObject(ctx context.Context, p session.Plan, about message.Subject) diag.Diagnostics {
	c, how := o.plan, p.CheckMode()
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
	instance := o.memory.NewToken()
	planned := session.Use{Owns: c.paths(), Writes: c.Keys(), Values: c.Values}
	isRequired := c.Required != decide.Required{} // then the object exists
	if !isRequired {
		planned.Writes = append(planned.Writes, session.ObjectPath)
	}
	diags := p.Use(ctx, ref, planned, instance, about)
	switch {
	case p.IsApply(): // the apply decides
		return nil
	case o.memory.RemovalOf(c.ID) != nil:
		return o.planRemovalFirst(ctx, p, c, o.memory.Plan.Removal.Policy)
	case diags.HasError(), isRequired && (!c.Known.Values || c.Required.IsUnknown):
		return diags
	case isRequired:
		t := decide.Create(&c.Claim, nil).Txn
		live, checked := p.CheckTxn(ctx, t, about, c.Timeouts)
		if diags.Append(checked...); len(checked) == 0 {
			diags.Append(o.warnings(p, t, live, about)...)
		}
		return diags
	}
	return append(diags, p.Check(ctx, about, c.Timeouts, func(ctx context.Context) error {
		_, err := p.Engine.CheckCreate(ctx, decide.Object(&c.Claim, ref), how)
		if c.IsGenerated() && isExisting(err) {
			return nil // another name is made then
		}
		return err
	})...)
}

// createObject makes the object under its name, or under a generated name: another one if that is taken. The result is
// as if a Txn had found nothing and written all values.
func createObject(
	ctx context.Context, s *session.Session, c *Claim,
) (ref eval.Ref, result cas.TxnResult, err error) {
	s.CountWrite()
	ref = c.Ref
	attempts := 1
	if c.IsGenerated() {
		attempts = terms.NameAttempts
	}
	for range attempts {
		if c.IsGenerated() {
			ref.Name = terms.GenerateName(c.Whole.GenerateName)
		}
		result, err = s.Engine.Create(ctx, decide.Object(&c.Claim, ref))
		if !isExisting(err) {
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

// planDeleteWhole is planDelete for a whole object: it records the version. If it records nothing, the removal compares
// with the prior state.
func (o *operation) planDeleteWhole(ctx context.Context, p session.Plan, about message.Subject) diag.Diagnostics {
	prior := o.prior
	if prior.Policy == terms.PolicyAbandon {
		return nil
	}
	diags := p.Use(ctx, prior.Ref, session.Use{Removes: []string{session.ObjectPath}}, o.memory.Token(), about)
	if diags.HasError() {
		return diags
	}
	var unowned diag.Diagnostics
	diags.Append(p.Check(ctx, about, prior.Timeouts, func(ctx context.Context) error {
		seen, others, err := o.observeOthers(ctx, prior, prior.Policy)
		if err != nil || !seen.Exists() {
			return err
		}
		o.memory.Memory = decide.NoteObject(&prior.Claim, o.memory.Memory, seen)
		if unowned = about.KeysOfOthers(others); unowned.HasError() {
			return nil
		}
		if p.CheckMode() == cas.DryRun {
			removal := &eval.Removal{Ref: prior.Ref, RequireVersions: []eval.Version{seen.Version()}}
			_, err = p.Engine.CheckRemove(ctx, removal, cas.DryRun)
		}
		return err
	})...)
	return append(diags, unowned...)
}

// planRemovalFirst checks the removal that precedes a creation in the same place. c is the claim of the state or, if
// the call does not have that, of the plan.
func (o *operation) planRemovalFirst(ctx context.Context, p session.Plan, c *Claim, policy string) diag.Diagnostics {
	about := p.At(c.about(o.session, terms.OpDelete))
	switch {
	case !p.Reports():
		return nil
	case policy == terms.PolicyAbandon:
		return diag.Diagnostics{about.ReplacesAbandoned()}
	}
	var unowned diag.Diagnostics
	return append(p.Check(ctx, about, c.Timeouts, func(ctx context.Context) error {
		_, others, err := o.observeOthers(ctx, c, policy)
		unowned = about.KeysOfOthers(others)
		return err
	}), unowned...)
}

// observeOthers reads the object of a claim, and returns the keys that the resource did not write and that matter to
// the removal of the object; nil if there are none.
func (o *operation) observeOthers(
	ctx context.Context, c *Claim, policy string,
) (seen *eval.Snapshot, others *message.OtherKeysError, err error) {
	seen, err = o.session.Observe(ctx, c.Ref, c.APIVersion, []time.Duration{cas.Fresh, 0}, func(seen *eval.Snapshot) bool {
		others = o.others(c, policy, seen)
		return others != nil
	})
	return seen, others, err
}

// others returns the keys of an object that matter to its removal; nil if there are none.
func (o *operation) others(c *Claim, policy string, seen *eval.Snapshot) *message.OtherKeysError {
	others := decide.RemoveObject(&c.Claim, policy, o.memory.Memory, seen)
	if others == nil {
		return nil
	}
	return &message.OtherKeysError{Others: *others, Live: seen}
}

// deleteWhole deletes the object if it is still at the version, and if nothing in it keeps the removal from deleting
// it.
func (o *operation) deleteWhole(ctx context.Context, at eval.Version, about message.Subject) diag.Diagnostics {
	prior := o.prior
	refuse := func(seen *eval.Snapshot) error {
		if others := o.others(prior, prior.Policy, seen); others != nil && !others.IsDeleted {
			return others
		}
		return nil
	}
	o.session.CountWrite()
	removal := &eval.Removal{Ref: prior.Ref, RequireVersions: []eval.Version{at}, Refuse: refuse}
	result, err := o.session.Engine.Remove(ctx, removal)
	if err != nil {
		if conflict, isConflict := errors.AsType[*eval.ConflictError](err); isConflict {
			for _, key := range slices.Sorted(maps.Keys(prior.Live(conflict.Live))) {
				of := eval.KeyConflict{Key: key, Reason: conflict.Reason, Expected: prior.Values[key]}
				conflict.Keys = append(conflict.Keys, of)
			}
		}
		return diag.Diagnostics{about.Diagnose(err)}
	}
	o.session.Registry.Delete(prior.Ref)
	return about.StillExists(result.After)
}

// isExisting reports whether an error says that an object exists.
func isExisting(err error) bool {
	_, isExisting := errors.AsType[*eval.ExistsError](err)
	return isExisting
}
