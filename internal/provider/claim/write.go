package claim

import (
	"context"
	"slices"
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
	Stored   map[string]cas.Entry // what the keys that it is about hold after it; nil where nothing was asked of the API server
	Previous map[string]cas.Entry // what the keys that it changed held before; nil where it changed nothing
}

// Create writes keys that the state does not have. A conflict has written nothing.
func (r *Run) Create(ctx context.Context, ch *Change) (Written, diag.Diagnostics) {
	timeout, diags := ch.Plan.Timeouts.Create(ctx, terms.DefaultTimeout)
	if !r.Configured() {
		diags.Append(NotConfigured())
	}
	if diags.HasError() {
		return Written{}, diags
	}
	t := r.createTxn(ch.Plan)
	if diags.Append(bind(ctx, t)...); diags.HasError() {
		return Written{}, diags
	}
	result, more, err := r.commit(ctx, t, ch.Plan.About(terms.OpCreate), timeout)
	if diags.Append(more...); err != nil {
		return Written{}, diags
	}
	ch.account(t, result)
	return written(t, result), diags
}

// Update writes what differs from what the state has. A conflict has written nothing.
func (r *Run) Update(ctx context.Context, ch *Change) (Written, diag.Diagnostics) {
	timeout, diags := ch.Plan.Timeouts.Update(ctx, terms.DefaultTimeout)
	ch.Memory.ForgetPlan()
	if !ch.Writes() {
		ch.account(&cas.Txn{}, cas.TxnResult{})
		return Written{Version: ch.Prior.Version}, diags
	}
	if !r.Configured() {
		diags.Append(NotConfigured())
		return Written{}, diags
	}
	ch.about = ch.Plan.About(terms.OpUpdate)
	t, more := r.updateTxn(ch)
	diags.Append(more...)
	if ch.Plan.keepsDrift() { // in case plan_check let the plan pass
		if refused := ch.Plan.removesChanged(ch.dropped(), ch.Memory, nil, ch.about); refused != nil {
			diags.Append(refused)
		}
	}
	diags.Append(r.checkDrift(ctx, ch)...)
	if diags.HasError() {
		return Written{}, diags
	}
	result, more, err := r.commit(ctx, t, ch.about, timeout)
	if diags.Append(more...); err != nil {
		ch.Memory.doubtOf(err, ch.Memory.left(t))
		return Written{}, diags
	}
	ch.account(t, result)
	return written(t, result), diags
}

// txnOf is a transaction about nothing yet.
func (r *Run) txnOf(c *Claim) *cas.Txn {
	return &cas.Txn{Ref: c.Ref, APIVersion: c.APIVersion, Hides: c.APIVersion != "" && c.Hides, FieldManager: r.FieldManagerOr(c.FieldManager)}
}

// createTxn builds the transaction of a create. It compares values only.
func (r *Run) createTxn(c *Claim) *cas.Txn {
	t := r.txnOf(c)
	t.At = c.pinned(nil)
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
func (r *Run) updateTxn(ch *Change) (t *cas.Txn, diags diag.Diagnostics) {
	c, prior := ch.Plan, ch.Prior
	t = r.txnOf(c)
	t.Seen = cas.Basis{Version: prior.Version}
	if !t.Seen.Valid() {
		diags.Append(ch.about.VersionNotKnown())
	}
	if c.Scope != terms.ScopeKey || c.IsSecret() && len(ch.dropped()) > 0 {
		t.At = append(t.At, t.Seen.Version)
	}
	t.At = c.pinned(t.At)

	drops := sortedKeys(ch.dropped())
	var lost, open []string // nothing is known to restore; nothing says what a key must hold
	for _, key := range sortedKeys(c.Values, prior.Values, c.Expected) {
		value, writes := c.Values[key]
		was, has := prior.Values[key]
		want, named := c.Expected[key]
		if !named {
			want = was
		}
		switch {
		case writes && ch.keepsValue(key):
			t.Keys = append(t.Keys, cas.KeySwap{Key: key, Expect: was, IsGuard: true})
		case writes && has && !prior.isImported():
			t.Keys = append(t.Keys, cas.KeySwap{Key: key, Expect: want, New: value})
			if want.IsAnything() && c.Scope == terms.ScopeKey {
				open = append(open, key)
			}
		case writes:
			t.Keys = append(t.Keys, firstSwap(key, c.Expected[key], value, c.Adopt))
		case has && slices.Contains(drops, key):
			k := cas.KeySwap{Key: key, Expect: want, Held: cas.HeldIsDone} // what is gone already, or put back, is as it shall be
			if c.Policy == terms.PolicyRestore {
				original, known := ch.Memory.First[key]
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
		diags.Append(ch.about.NothingToRestore(lost))
	}
	if len(open) > 0 {
		diags.Append(ch.about.ExpectationMissing(open))
	}
	return t, diags
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
	result, err := r.Once(t, about.Op, func() (cas.TxnResult, error) { return commit(ctx, t) })
	if err != nil {
		return result, diag.Diagnostics{about.Of(t).Diagnose(r.located(ctx, err))}, err
	}
	var changed []diagnose.KeyChange
	for _, k := range t.Keys {
		stored := result.After.Entry(k.Key)
		previous, touched := result.Previous[k.Key]
		if t.APIVersion != "" && stored != previous { // the API server has a form of its own for many a value, and defaults
			continue
		}
		if touched && result.Wrote && !k.IsGuard && !stored.Holds(k.New) {
			changed = append(changed, diagnose.KeyChange{Key: k.Key, Sent: k.New, Stored: stored})
		}
	}
	if len(changed) > 0 {
		return result, diag.Diagnostics{about.ChangedByAdmission(changed)}, nil
	}
	return result, nil, nil
}

// left is what a write is to leave in the keys that it changes.
func (m *Memory) left(t *cas.Txn) digests {
	keys := map[string]string{}
	for _, k := range t.Keys {
		if !k.IsGuard {
			keys[k.Key] = m.digest(k.New)
		}
	}
	return digests{partKeys: keys}
}

func written(t *cas.Txn, result cas.TxnResult) Written {
	w := Written{Version: result.After.Version(), Stored: map[string]cas.Entry{}}
	for _, k := range t.Keys {
		w.Stored[k.Key] = result.After.Entry(k.Key)
	}
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

// account takes in a write: for each key the original entry, and the digest of what was last written. It ends all doubt.
func (ch *Change) account(t *cas.Txn, result cas.TxnResult) {
	m := ch.Memory
	m.newToken()
	first, written, observed := map[string]cas.Entry{}, map[string]string{}, map[string]string{}
	touched := map[string]bool{}
	m.noteForms(ch.Plan, t, result)
	for _, k := range t.Keys {
		touched[k.Key] = !k.IsGuard
	}
	for key, value := range ch.Plan.Values {
		var before cas.Entry
		had := false
		if ch.Prior != nil {
			before, had = ch.Prior.Values[key]
		}
		digest, wrote := m.Written[partKeys][key]
		if original, known := m.First[key]; known {
			first[key] = original
		} else if !had && !wrote {
			first[key] = m.entry(result.Previous[key])
		}
		switch {
		case touched[key]:
			written[key] = m.digest(result.After.Entry(key))
			observed[key] = written[key]
		case wrote:
			written[key] = digest
			if m.same(key, value, before) { // perhaps since somebody else wrote it
				written[key] = m.digest(value)
			}
			if tag, isSeen := m.Observed[key]; isSeen {
				observed[key] = tag
			}
		}
	}
	m.First, m.Written, m.Doubts = first, digests{partKeys: written}, nil
	if m.kind == cas.Secret {
		m.Observed = observed
	}
}

// waitFor is the duration of wait_for_match, or 0 without it.
func waitFor(configured types.String) time.Duration {
	d, err := time.ParseDuration(configured.ValueString())
	if err != nil {
		return 0 // null; the schema has validated it
	}
	return d
}
