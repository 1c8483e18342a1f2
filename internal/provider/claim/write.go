package claim

import (
	"context"
	"time"

	"github.com/hashicorp/terraform-plugin-framework/diag"
	"github.com/hashicorp/terraform-plugin-framework/types"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/diagnose"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Written is the result of a write.
type Written struct {
	Ref      eval.Ref
	Version  eval.Version          // of the object after it
	Previous map[string]eval.Value // what the keys that it changed held before; nil where it changed nothing
	After    *eval.Snapshot        // nil where nothing was asked of the API server
}

// Create writes fields that the state does not have, or makes a whole object. A conflict has written nothing.
func (ch *Change) Create(ctx context.Context) (Written, diag.Diagnostics) {
	timeout, diags := ch.Plan.Timeouts.Create(ctx, terms.DefaultTimeout)
	if !ch.Run.Configured() {
		diags.Append(NotConfigured())
	}
	if diags.HasError() {
		return Written{}, diags
	}
	ch.about = ch.subject(terms.OpCreate)
	t, ref := ch.Run.createTxn(ch.Plan), ch.Plan.Ref
	var result cas.TxnResult
	var err error
	if ch.Plan.Whole != nil && (!ch.Plan.isPinned() || ch.Run.registry.isDeleted(ref)) {
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		ref, result, err = ch.Run.createObject(ctx, ch.Plan)
		ch.about.ID.Ref = ref
	} else if result, err = ch.Run.commit(ctx, t, ch.about, timeout); err == nil && ch.Plan.Whole != nil {
		ch.Run.registry.take(ref, []string{objectPath}, "")
	}
	written, more := ch.take(ref, t, result, err)
	return written, append(diags, more...)
}

// Update writes what differs from what the state has. A conflict has written nothing.
func (ch *Change) Update(ctx context.Context) (Written, diag.Diagnostics) {
	timeout, diags := ch.Plan.Timeouts.Update(ctx, terms.DefaultTimeout)
	ch.Memory.ForgetPlan()
	if ch.about = ch.subject(terms.OpUpdate); ch.Writes() || ch.changesVersion() {
		if !ch.Run.Configured() {
			diags.Append(NotConfigured())
		}
	}
	if diags.HasError() {
		return Written{}, diags
	}
	checked, done := context.WithTimeout(ctx, timeout)
	defer done()
	if err := ch.checkVersion(checked); err != nil {
		return Written{}, append(diags, ch.about.Diagnose(err))
	}
	t, more := ch.updateTxn()
	if diags.Append(more...); t == nil {
		ch.account(&eval.Txn{}, cas.TxnResult{})
		return Written{Ref: ch.Prior.Ref, Version: ch.Prior.Version}, diags
	}
	if diags.HasError() {
		return Written{}, diags
	}
	gone := ch.gone() // in case plan_check let the plan pass
	diags.Append(ch.Plan.refusals(ch.Plan.removals(gone, gone, ch.Memory), gone, nil, ch.about)...)
	diags.Append(ch.checkDrift(ctx)...)
	if diags.HasError() {
		return Written{}, diags
	}
	result, err := ch.Run.commit(ctx, t, ch.about, timeout)
	written, more := ch.take(ch.Plan.Ref, t, result, err)
	return written, append(diags, more...)
}

// take records the result of a write.
func (ch *Change) take(ref eval.Ref, t *eval.Txn, result cas.TxnResult, err error) (Written, diag.Diagnostics) {
	diags := ch.report(t, result, err)
	if err != nil {
		return Written{}, diags
	}
	ch.account(t, result)
	w := written(t, result)
	w.Ref = ref
	return w, diags
}

// txnOf is a transaction about nothing yet.
func (r *Run) txnOf(c *Claim) *eval.Txn {
	return &eval.Txn{Ref: c.Ref, APIVersion: c.APIVersion, FieldManager: r.FieldManagerOr(c.FieldManager)}
}

// createTxn builds the transaction of a create. It compares values only.
func (r *Run) createTxn(c *Claim) *eval.Txn {
	t := r.txnOf(c)
	t.RequireVersions = c.pinned(nil)
	t.Maps, t.Others = c.maps(), c.firstSwap("")
	for _, key := range sortedKeys(c.Values, c.Expected) {
		if _, writes := c.Values[key]; writes {
			t.Keys = append(t.Keys, c.firstSwap(key))
		} else {
			t.Keys = append(t.Keys, eval.KeySwap{Key: key, Expect: c.Expected[key], IsGuard: true})
		}
	}
	return t
}

// firstSwap returns the swap of a key that the state does not have. Without an expectation, the key must be absent.
func (c *Claim) firstSwap(key string) eval.KeySwap {
	expect, isNamed := c.Expected[key]
	if !isNamed && c.isPinned() {
		expect = eval.Anything()
	}
	k := eval.KeySwap{Key: key, Expect: expect, New: c.Values[key], IfEqual: eval.Reject}
	if key == eval.TypeKey { // which cannot be changed
		return eval.KeySwap{Key: key, Expect: c.Values[key], IsGuard: true}
	}
	if c.Adopt || c.isPinned() || expect.Matches(k.New) {
		k.IfEqual = eval.Adopt
	}
	return k
}

// updateTxn builds the transaction of an update; nil where there is nothing to write. It compares with the prior
// state, which is what the plan saw even when another process applies a saved plan. Keys that do not change are
// compared as well.
func (ch *Change) updateTxn() (t *eval.Txn, diags diag.Diagnostics) {
	c, prior := ch.Plan, ch.Prior
	if !ch.Writes() {
		return nil, nil
	}
	dropped := ch.dropped()
	become := c.removals(dropped, dropped, ch.Memory)
	t = ch.Run.txnOf(c)
	t.Ref, t.ObservedAt = prior.Ref, prior.Version
	t.Maps, t.Others = c.maps(), c.firstSwap("")
	if !t.ObservedAt.Valid() {
		diags.Append(ch.about.VersionNotKnown())
	}
	if tangled := ch.tangled(dropped); len(tangled) > 0 {
		diags.Append(ch.about.Tangled(tangled, prior.APIVersion))
	}
	if c.Scope != terms.ScopeKey || c.IsSecret() && len(dropped) > 0 {
		t.RequireVersions = append(t.RequireVersions, t.ObservedAt)
	}
	t.RequireVersions = c.pinned(t.RequireVersions)

	drifted := map[string]bool{}
	if overwritten, _ := ch.drift(); !ch.about.Wait.IsNull() {
		for _, d := range overwritten {
			drifted[d.Key] = true
		}
	}
	var open []string // nothing says what a key must hold
	for _, key := range sortedKeys(c.Values, prior.Values, c.Expected) {
		value, names := c.Values[key]
		before, has := prior.Values[key]
		_, drops := dropped[key]
		want, named := c.Expected[key]
		if !named && !drifted[key] { // with wait_for_match, drift must be removed first, as before a create
			want = before
		}
		_, isForm := ch.Memory.Forms[key]
		isCompared := named && c.Configured[key] != prior.Configured[key]
		// Another version of the API has another form, so the object's version is compared.
		if isForm = isForm && has && c.APIVersion != prior.APIVersion && !isCompared; isForm {
			want, t.RequireVersions = eval.Anything(), append(t.RequireVersions, t.ObservedAt)
		}
		switch {
		case ch.keepsValue(key):
			t.Keys = append(t.Keys, eval.KeySwap{Key: key, Expect: before, IsGuard: true})
		case names && has && (!prior.isImported() || !eval.IsEntry(key)):
			t.Keys = append(t.Keys, eval.KeySwap{Key: key, Expect: want, New: value})
			if want.IsAnything() && c.Scope == terms.ScopeKey && !isForm && !c.isPinned() {
				open = append(open, key)
			}
		case names:
			t.Keys = append(t.Keys, c.firstSwap(key))
		case drops:
			// A key that is already missing, or already put back, needs no write.
			t.Keys = append(t.Keys, eval.KeySwap{Key: key, Expect: want, New: c.target(ch.Memory, become[key], key), IfEqual: eval.Adopt})
		case named:
			t.Keys = append(t.Keys, eval.KeySwap{Key: key, Expect: want, IsGuard: true})
		}
	}
	if len(open) > 0 {
		diags.Append(ch.about.ExpectationMissing(open))
	}
	return t, diags
}

// commit sends a transaction within the timeout. wait_for_match adds to the timeout: commit then waits until every expectation holds.
func (r *Run) commit(ctx context.Context, t *eval.Txn, about diagnose.Subject, timeout time.Duration) (result cas.TxnResult, err error) {
	r.writes.Add(1)
	wait := waitFor(about.Wait)
	ctx, cancel := context.WithTimeout(ctx, timeout+wait)
	defer cancel()
	result, err = r.Once(t, about.Op, func() (cas.TxnResult, error) { return r.Engine.CommitWithin(ctx, t, wait) })
	return result, r.located(ctx, about.APIVersion, err)
}

// report returns the diagnostics of a write: why it failed, or what was stored differently.
func (ch *Change) report(t *eval.Txn, result cas.TxnResult, err error) diag.Diagnostics {
	if err != nil {
		return diag.Diagnostics{ch.about.Of(t).Diagnose(err)}
	}
	if result.IsShared { // another writer may have made a difference
		return nil
	}
	var changed []diagnose.KeyChange
	for _, k := range t.Keys {
		stored := result.After.Value(k.Key)
		previous, touched := result.Previous[k.Key]
		if t.APIVersion != "" && (stored != previous || stored.Contains(k.New)) {
			continue // the API server has its own forms of values, and defaults
		}
		if touched && result.Wrote && !k.IsGuard && !stored.Matches(k.New) {
			changed = append(changed, diagnose.KeyChange{Key: k.Key, Sent: k.New, Stored: stored})
		}
	}
	if len(changed) == 0 {
		return nil
	}
	return diag.Diagnostics{ch.about.NotStoredAsSent(changed)}
}

func written(t *eval.Txn, result cas.TxnResult) Written {
	w := Written{Version: result.After.Version(), After: result.After}
	if !result.Wrote {
		return w
	}
	w.Previous = map[string]eval.Value{}
	for _, k := range t.Keys {
		if previous, touched := result.Previous[k.Key]; touched && !k.IsGuard && (k.IfEqual != eval.Adopt || !previous.Matches(k.New)) {
			w.Previous[k.Key] = previous
		}
	}
	return w
}

// account records a write: the digest of each field as it is now, and the original of each key. A field that the write
// left as it was, and not as planned, keeps its baseline: a change by somebody else stays drift.
func (ch *Change) account(t *eval.Txn, result cas.TxnResult) {
	c, m, before := ch.Plan, ch.Memory, ch.Memory.Written
	written := map[string]string{}
	first, observed, touched := map[string]eval.Value{}, map[string]string{}, map[string]bool{}
	for _, k := range t.Keys {
		touched[k.Key] = !k.IsGuard
	}
	if ch.Prior != nil && result.After != nil && isAnother(ch.Prior.Version, result.After.Version()) { // no refresh has seen it
		m.beginAnew(sortedKeys(touched), func(key string) eval.Value {
			if was, changed := result.Previous[key]; changed {
				return was
			}
			return result.After.Value(key)
		})
	}
	for key, value := range c.Values {
		if value.IsAbsent() && c.hasMapOf(key, value) { // as any other entry that the plan does not name
			continue
		}
		var was eval.Value
		had := false
		if ch.Prior != nil {
			was, had = ch.Prior.Values[key]
		}
		digest, wrote := before[key]
		if original, known := m.First[key]; known {
			first[key] = original
		} else if !had && !wrote && !m.wroteIn(key) && (c.Whole == nil || !eval.IsEntry(key)) {
			first[key] = m.entry(result.Previous[key])
		}
		switch tag, isSeen := m.Observed[key]; {
		case touched[key]:
			written[key] = m.digest(result.Stored[key])
			observed[key] = written[key]
			continue
		case isSeen:
			observed[key] = tag
		}
		switch {
		case m.same(key, value, was): // perhaps since somebody else wrote it
			written[key] = m.digest(value)
		case wrote:
			written[key] = digest
		case observed[key] != "" && c.hasMapOf(key, value): // else the next refresh takes it for an entry of others
			written[key] = observed[key]
		}
	}
	m.newToken()
	m.noteForms(c, t, result)
	m.Written, m.First, m.Unnamed = written, first, nil
	if m.kind == eval.Secret {
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
