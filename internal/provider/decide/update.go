package decide

import (
	"slices"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// UpdateDecision says what an update writes. Only the state and the configuration decide, so that an apply decides like
// its plan, even if the live object has changed.
type UpdateDecision struct {
	Txn      *eval.Txn // nil if there is nothing to write
	Findings []Finding // why Txn cannot be sent
	Replaces []string  // attributes whose change makes the update a replacement: the object is immutable
	Changes  []string  // fields that the plan names, and that the update writes
	Released Removals  // fields of the state that the plan no longer names
	Dropped  []string  // of those, the fields that the update removes or puts back

	Overwrites []Drift // drift that the update would overwrite
	Leaves     []Drift // drift that it leaves as it is
	// AcceptsDrift says that an update has to be planned even if it writes nothing. It moves the baseline to a live value
	// that the plan has, or forgets a key that is missing and that the plan no longer names.
	AcceptsDrift bool
}

// update has what an update decides on. An update requires the prior state, which is what the plan read, even if
// another process applies a saved plan.
type update struct {
	plan, prior *Claim
	m           Memory
}

// Update decides about the change from a state to a plan.
func Update(plan, prior *Claim, m Memory) UpdateDecision {
	u := update{plan, prior, m}
	d := UpdateDecision{Replaces: u.replaces()}
	d.Changes = slices.DeleteFunc(plan.Keys(), u.keepsValue)
	released := u.released()
	d.Released = decideRemovals(plan, released, released, m)
	drops := d.Released.Writes()
	tangled := slices.DeleteFunc(drops.Keys(), func(key string) bool { return !u.isTangled(key) })
	if plan.Policy != "" { // else the fields may be abandoned
		d.Dropped = slices.DeleteFunc(drops.Keys(), func(key string) bool { return slices.Contains(tangled, key) })
	}
	drift, isAccepted := u.drift()
	for _, each := range drift {
		if u.keepsValue(each.Key) {
			d.Leaves = append(d.Leaves, each)
		} else {
			d.Overwrites = append(d.Overwrites, each)
		}
	}
	d.AcceptsDrift = plan.Known.Values && (isAccepted || u.forgets())
	isChanged := plan.Known.Keys && (len(d.Changes) > 0 || len(drops) > 0)
	if !u.rewrites() && !u.beginsMap() && !isChanged {
		return d
	}
	var open []string
	d.Txn, open = u.txn(drops, drift)
	if !prior.Version.Valid() {
		d.Findings = append(d.Findings, Finding{Kind: FindVersionUnknown})
	}
	if len(tangled) > 0 {
		d.Findings = append(d.Findings, Finding{FindTangled, tangled})
	}
	if len(open) > 0 {
		d.Findings = append(d.Findings, Finding{FindExpectationMissing, open})
	}
	return d
}

// rewrites reports whether an update writes the values of a Secret that exist.
func (u update) rewrites() bool {
	return u.plan.IsSecret() && u.plan.Revision != u.prior.Revision && (u.plan.Whole == nil || len(u.plan.Maps()) > 0)
}

// beginsMap reports whether a plan has all entries of a map that the state does not have: there may be others.
func (u update) beginsMap() bool {
	had := u.prior.Maps()
	return slices.ContainsFunc(u.plan.Maps(), func(mapKey string) bool { return !slices.Contains(had, mapKey) })
}

// released returns the fields of the state that the plan no longer names. A field that became a part of another one is
// not released.
func (u update) released() map[string]eval.Value {
	released := map[string]eval.Value{}
	for field, e := range u.prior.Values {
		isIn := func(other string) bool {
			return eval.IsIn(field, other) || eval.SelectsIn(other, field, e) && eval.MayBeIn(field, other)
		}
		_, names := u.plan.Values[field]
		isHad := !names && u.plan.Known.Keys && !slices.Contains(u.m.Unnamed, field)
		if isHad && (u.plan.APIVersion == "" || !slices.ContainsFunc(u.plan.Keys(), isIn)) {
			released[field] = e
		}
	}
	return released
}

// isTangled reports whether an update cannot remove or put back a field: the plan names its fields in another version
// of the API, where the path may lead elsewhere, or names a part of the field.
func (u update) isTangled(field string) bool {
	isPart := func(other string) bool { return eval.Overlap(field, other) }
	isMoved := u.plan.APIVersion != u.prior.APIVersion
	return u.plan.APIVersion != "" && (isMoved || slices.ContainsFunc(u.plan.Keys(), isPart))
}

// keepsValue reports whether an update leaves a field as it was. An update writes the values of a Secret if their
// revision changes, and always writes new and removed keys.
func (u update) keepsValue(field string) bool {
	value, names := u.plan.Values[field]
	before, has := u.prior.Values[field]
	switch {
	case !names || !has:
		return false
	case before.IsAnything() && value.IsAbsent():
		return false
	case u.plan.IsSecret() && u.plan.Revision == u.prior.Revision && eval.IsEntry(field):
		return true
	case u.rewrites() && before.IsAnything():
		return false
	default:
		return value.Matches(before)
	}
}

// replaces returns the attributes whose change makes an update a replacement, since the object is immutable. Values
// that are unknown at plan may turn out to be unchanged: they replace nothing, except for values of a Secret with
// another revision.
func (u update) replaces() (attributes []string) {
	if u.plan.Whole == nil || u.prior.Values[eval.ImmutableKey] != eval.Bool(true) {
		return nil
	}
	for _, key := range u.plan.Keys() {
		value := u.plan.Values[key]
		if value.IsAbsent() {
			value = u.prior.Values[key]
		}
		attribute := ""
		switch {
		case u.keepsValue(key):
		case key == eval.ImmutableKey:
			attribute = "immutable"
		case !eval.IsEntry(key) || u.prior.isImported(): // the first write after an import adopts equal values
		case u.plan.IsSecret():
			attribute = "keys" // Terraform sees no change of a write-only argument
		case u.plan.Ref.Kind.IsInMap(key, value, eval.DataKey):
			attribute = "data"
		default:
			attribute = "binary_data"
		}
		if attribute != "" && !slices.Contains(attributes, attribute) {
			attributes = append(attributes, attribute)
		}
	}
	return attributes
}

// drift compares the values of the prior state with the baseline. It returns the drift that the plan does not permit to
// overwrite, and whether the plan has the live value of a field that drifted.
func (u update) drift() (drift []Drift, isAccepted bool) {
	for _, key := range u.plan.Keys() {
		live, value := u.prior.Values[key], u.plan.Values[key]
		switch {
		case !u.m.isDrift(key, live):
		case !value.IsAnything() && u.m.same(key, value, live):
			isAccepted = true
		case live.IsAbsent(): // a missing key is created again: nothing is overwritten
		case !u.acknowledges(key):
			d := Drift{Key: key, Found: live, ToWrite: value}
			if former, isKept := u.m.Replaced[key]; isKept {
				d.Written = &former
			}
			drift = append(drift, d)
		}
	}
	return drift, isAccepted
}

// acknowledges reports whether the plan names another expectation of a key than the last apply did. The write checks
// that the expectation holds. No state has the expectation of a key of a Secret, so there an expectation that holds
// counts: a plan that writes nothing checks none.
func (u update) acknowledges(key string) bool {
	want, named := u.plan.Expected[key]
	if u.plan.IsSecret() {
		return named && u.m.same(key, want, u.prior.Values[key])
	}
	was, had := u.prior.Expected[key]
	return named && (!had || !want.Matches(was))
}

// forgets reports whether the baseline has the value of a key that is missing and that the plan does not name.
func (u update) forgets() bool {
	return slices.ContainsFunc(sortedKeys(u.m.Baseline), func(key string) bool {
		_, names := u.plan.Values[key]
		_, has := u.prior.Values[key]
		return !names && !has && u.m.isDrift(key, eval.Value{})
	})
}

// txn returns the transaction of an update, and the keys without a condition. It also compares keys that do not change.
func (u update) txn(drops Removals, drift []Drift) (t *eval.Txn, open []string) {
	c, prior := u.plan, u.prior
	t = c.txn()
	t.Ref, t.ObservedAt = prior.Ref, prior.Version
	t.Maps, t.Others = c.Maps(), c.firstSwap("")
	if c.Scope != terms.ScopeKey || c.IsSecret() && len(drops) > 0 {
		t.RequireVersions = append(t.RequireVersions, t.ObservedAt)
	}
	t.RequireVersions = c.withRequired(t.RequireVersions)
	targets := map[string]eval.Value{}
	for _, r := range drops {
		targets[r.Key] = r.target()
	}
	for _, key := range sortedKeys(c.Values, prior.Values, c.Expected) {
		value, names := c.Values[key]
		before, has := prior.Values[key]
		target, drops := targets[key]
		want, named := c.Expected[key]
		// With wait_for_match, another writer must remove drift first, as before a create.
		isAwaited := c.Waits && slices.ContainsFunc(drift, func(d Drift) bool { return d.Key == key })
		if !named && !isAwaited {
			want = before
		}
		_, isForm := u.m.Forms[key]
		isCompared := named && c.Configured[key] != prior.Configured[key]
		// Another version of the API has another form, so the version of the object is compared.
		if isForm = isForm && has && c.APIVersion != prior.APIVersion && !isCompared; isForm {
			want, t.RequireVersions = eval.Anything(), append(t.RequireVersions, t.ObservedAt)
		}
		isMissing := before.IsAbsent() && c.Whole == nil && !isForm // the rules for creates apply
		switch {
		case u.keepsValue(key):
			t.Keys = append(t.Keys, eval.KeySwap{Key: key, Expect: before, IsGuard: true})
		case names && has && !isMissing && (!prior.isImported() || !eval.IsEntry(key)):
			t.Keys = append(t.Keys, eval.KeySwap{Key: key, Expect: want, New: value})
			if want.IsAnything() && c.Scope == terms.ScopeKey && !isForm && c.Required.Version == "" {
				open = append(open, key)
			}
		case names:
			t.Keys = append(t.Keys, c.firstSwap(key))
		case drops:
			// A key that is already missing, or already put back, needs no write.
			isLast := target.IsAbsent() && u.m.foundNoDocument(u.prior)
			t.Keys = append(t.Keys, eval.KeySwap{Key: key, Expect: want, New: target, IfEqual: eval.Adopt, RemovesEmpty: isLast})
		case named:
			t.Keys = append(t.Keys, eval.KeySwap{Key: key, Expect: want, IsGuard: true})
		}
	}
	return t, open
}

// Lacking returns the fields that the API version of the plan does not have, or not with all of their values. before
// and now are reads of the same object in the two versions. An update to such a version may write nothing, and the next
// refresh would take the missing values for a change by another writer.
func Lacking(plan, prior *Claim, before, now *eval.Snapshot) []string {
	return slices.DeleteFunc(sortedKeys(prior.Values), func(key string) bool {
		value, names := plan.Configured[key]
		had, has := before.Value(key), now.Value(key)
		isLost := !had.IsAbsent() && has.IsAbsent()
		if value == prior.Configured[key] {
			isLost = had.Contains(value) && !has.Contains(value)
		}
		return !names || !isLost
	})
}
