package claim

import (
	"context"
	"errors"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Written is the result of a write.
type Written struct {
	Version  cas.Version          // of the object after it
	Previous map[string]cas.Entry // what the keys that it changed held before; nil where it changed nothing
}

// Create writes keys that the state does not have. A conflict has written nothing.
func (r *Run) Create(ctx context.Context, c *Claim, private Private) (Written, diag.Diagnostics) {
	timeout, diags := c.Timeouts.Create(ctx, terms.DefaultTimeout)
	if !r.Configured() {
		diags.Append(NotConfigured())
	}
	if diags.HasError() {
		return Written{}, diags
	}
	t := r.createTxn(c)
	if diags.Append(bind(ctx, t)...); diags.HasError() {
		return Written{}, diags
	}
	result, more, err := r.commit(ctx, t, c.About(terms.OpCreate), timeout)
	if diags.Append(more...); err != nil {
		return Written{}, diags
	}
	diags.Append(account(ctx, private, c, nil, t, result)...)
	return written(t, result), diags
}

// Update writes what differs from what the state has. A conflict has written nothing.
func (r *Run) Update(ctx context.Context, c, held *Claim, private Private) (Written, diag.Diagnostics) {
	timeout, diags := c.Timeouts.Update(ctx, terms.DefaultTimeout)
	diags.Append(Forget(ctx, private)...)
	if !c.Changes(held) {
		diags.Append(account(ctx, private, c, held, &cas.Txn{}, cas.TxnResult{})...)
		return Written{Version: held.Version}, diags
	}
	if !r.Configured() {
		diags.Append(NotConfigured())
		return Written{}, diags
	}
	about := c.About(terms.OpUpdate)
	t, more := r.updateTxn(ctx, c, held, private, about)
	diags.Append(more...)
	diags.Append(c.checkDropped(ctx, held, about, private)...)
	diags.Append(r.checkDrift(ctx, c, held, about, private)...)
	if diags.HasError() {
		return Written{}, diags
	}
	result, more, err := r.commit(ctx, t, about, timeout)
	if diags.Append(more...); err != nil {
		return Written{}, append(diags, noteDoubt(ctx, private, t, err)...)
	}
	diags.Append(account(ctx, private, c, held, t, result)...)
	return written(t, result), diags
}

// createTxn builds the transaction of a create. It compares values only.
func (r *Run) createTxn(c *Claim) *cas.Txn {
	t := &cas.Txn{Ref: c.Ref, FieldManager: r.FieldManagerOr(c.FieldManager), At: c.pinned(nil)}
	for _, key := range sortedKeys(c.Values, c.Expected) {
		if value, writes := c.Values[key]; writes {
			t.Keys = append(t.Keys, firstSwap(key, c.Expected[key], value, c.Adopt))
		} else {
			t.Keys = append(t.Keys, cas.KeySwap{Key: key, Expect: c.Expected[key], IsGuard: true})
		}
	}
	return t
}

// firstSwap is the swap of a key that the state does not have.
func firstSwap(key string, expect, value cas.Entry, adopt bool) cas.KeySwap {
	k := cas.KeySwap{Key: key, Expect: expect, New: value, Held: cas.HeldIsRefused}
	if adopt || expect.Holds(value) {
		k.Held = cas.HeldIsDone
	}
	return k
}

// updateTxn builds the transaction of an update. It compares with the prior state, which is the plan's observation even when another
// process applies a saved plan. Keys that do not change are compared as well.
func (r *Run) updateTxn(ctx context.Context, c, held *Claim, private privateReader, about diagnose.Subject) (*cas.Txn, diag.Diagnostics) {
	first, _, diags := getPrivate[originals](ctx, private, privateOriginal)
	t := &cas.Txn{Ref: c.Ref, FieldManager: r.FieldManagerOr(c.FieldManager), Seen: held.Version}
	if !t.Seen.Valid() {
		diags.Append(about.VersionNotKnown())
	}
	if c.Scope != terms.ScopeKey || c.IsSecret() && len(c.dropped(held)) > 0 {
		t.At = append(t.At, t.Seen)
	}
	t.At = c.pinned(t.At)

	var lost, open []string // nothing is known to restore; nothing says what a key must hold
	for _, key := range sortedKeys(c.Values, held.Values, c.Expected) {
		value, writes := c.Values[key]
		was, has := held.Values[key]
		want, named := c.Expected[key]
		if !named {
			want = was
		}
		switch {
		case writes && c.keepsValue(held, key):
			t.Keys = append(t.Keys, cas.KeySwap{Key: key, Expect: was, IsGuard: true})
		case writes && has && !held.isImported():
			t.Keys = append(t.Keys, cas.KeySwap{Key: key, Expect: want, New: value})
			if want.IsAnything() && c.Scope == terms.ScopeKey {
				open = append(open, key)
			}
		case writes:
			t.Keys = append(t.Keys, firstSwap(key, c.Expected[key], value, c.Adopt))
		case has && c.Policy != terms.PolicyAbandon:
			k := cas.KeySwap{Key: key, Expect: want, Held: cas.HeldIsDone} // what is gone already, or put back, is as it shall be
			if c.Policy == terms.PolicyRestore {
				original, known := first[key]
				if k.New = original; !known {
					lost = append(lost, key)
				}
			}
			t.Keys = append(t.Keys, k)
		case named:
			t.Keys = append(t.Keys, cas.KeySwap{Key: key, Expect: want, IsGuard: true})
		}
	}
	if len(lost) > 0 {
		diags.Append(about.NothingToRestore(lost))
	}
	if len(open) > 0 {
		diags.Append(about.ExpectationMissing(open))
	}
	return t, diags
}

// checkDropped refuses to remove a dropped key that holds a foreign value, in case plan_check let the plan pass.
func (c *Claim) checkDropped(ctx context.Context, held *Claim, about diagnose.Subject, private privateReader) diag.Diagnostics {
	if !c.keepsDrift() {
		return nil
	}
	kept, diags := getKept(ctx, private, c.Ref.Kind)
	if refused := c.removesChanged(c.dropped(held), kept, nil, about); refused != nil {
		diags.Append(refused)
	}
	return diags
}

// commit sends a transaction within the timeout, and warns if admission changed a value. wait_for_match adds to the timeout: commit then
// waits until every expectation holds.
func (r *Run) commit(ctx context.Context, t *cas.Txn, about diagnose.Subject, timeout time.Duration) (cas.TxnResult, diag.Diagnostics, error) {
	wait := waitFor(about.Wait)
	ctx, cancel := context.WithTimeout(ctx, timeout+wait)
	defer cancel()
	commit := r.Engine.Commit
	if wait > 0 {
		commit = func(ctx context.Context, t *cas.Txn) (cas.TxnResult, error) {
			return r.Engine.CommitWithin(ctx, t, wait)
		}
	}
	result, err := commit(ctx, t)
	if err != nil {
		return result, diag.Diagnostics{about.Of(t).Diagnose(r.located(ctx, err))}, err
	}
	var changed []diagnose.KeyChange
	for _, k := range t.Keys {
		stored := result.After.Entry(k.Key)
		if _, touched := result.Previous[k.Key]; touched && result.Wrote && !k.IsGuard && !stored.Holds(k.New) {
			changed = append(changed, diagnose.KeyChange{Key: k.Key, Sent: k.New, Stored: stored})
		}
	}
	if len(changed) > 0 {
		return result, diag.Diagnostics{about.ChangedByAdmission(changed)}, nil
	}
	return result, nil, nil
}

// noteDoubt notes what a write of unknown outcome may leave, so that it does not pass for drift.
func noteDoubt(ctx context.Context, private Private, t *cas.Txn, err error) diag.Diagnostics {
	var unknown *cas.UnknownError
	if !errors.As(err, &unknown) {
		return nil
	}
	inDoubt, _, diags := getPrivate[doubts](ctx, private, privateInDoubt)
	sealer, more := getSealer(ctx, private, t.Ref.Kind)
	diags.Append(more...)
	if inDoubt == nil {
		inDoubt = doubts{}
	}
	for _, k := range t.Keys {
		if !k.IsGuard {
			inDoubt[k.Key] = append(inDoubt[k.Key], sealer.digest(k.New))
		}
	}
	return append(diags, setPrivate(ctx, private, privateInDoubt, inDoubt)...)
}

func written(t *cas.Txn, result cas.TxnResult) Written {
	w := Written{Version: result.After.Version()}
	if !result.Wrote {
		return w
	}
	w.Previous = map[string]cas.Entry{}
	for _, k := range t.Keys {
		if previous, touched := result.Previous[k.Key]; touched && !k.IsGuard && (k.Held != cas.HeldIsDone || !previous.Holds(k.New)) {
			w.Previous[k.Key] = previous
		}
	}
	return w
}

// account updates private state after a write: for each key the original entry, and the digest of what was last written. held is nil for a
// create, whose private state is empty.
func account(ctx context.Context, private Private, c, held *Claim, t *cas.Txn, result cas.TxnResult) diag.Diagnostics {
	was, diags := getKept(ctx, private, c.Ref.Kind)
	now := kept{first: originals{}, written: digests{}, sealer: was.sealer}
	if c.IsSecret() {
		now.observed = digests{}
	}
	touched := map[string]bool{}
	for _, k := range t.Keys {
		touched[k.Key] = !k.IsGuard
	}
	for key := range c.Values {
		var before cas.Entry
		had := false
		if held != nil {
			before, had = held.Values[key]
		}
		_, wrote := was.written[key]
		if original, known := was.first[key]; known {
			now.first[key] = original
		} else if !had && !wrote {
			now.first[key] = was.sealer.entry(result.Previous[key])
		}
		switch {
		case touched[key]:
			now.written[key] = was.sealer.digest(result.After.Entry(key))
			now.note(key, now.written[key])
		case wrote:
			now.written[key] = was.written[key]
			if was.same(key, c.Values[key], before) { // perhaps since somebody else wrote it
				now.written[key] = was.sealer.digest(c.Values[key])
			}
			now.note(key, was.observed[key])
		}
	}
	diags.Append(setKept(ctx, private, now)...)
	_, more := instance(ctx, private)
	return append(diags, more...)
}

// waitFor is the duration of wait_for_match, or 0 without it.
func waitFor(configured types.String) time.Duration {
	d, err := time.ParseDuration(configured.ValueString())
	if err != nil {
		return 0 // null; the schema has validated it
	}
	return d
}
