package decide

import (
	"slices"
	"strings"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// CreateDecision says what a create writes.
type CreateDecision struct {
	// Txn compares values only, except for the version that the plan requires. Without keys, there is nothing to check.
	Txn      *eval.Txn
	Keys     []string // that the create writes or adopts
	Needs    []string // the keys that must exist before
	Findings []Finding
}

// Create decides about fields that the state does not have. removal is the note of a plan for the removal that comes
// first, in a replacement: the decision leaves out the keys that the removal may change. An apply has none, since the
// removal is over.
func Create(plan *Claim, removal *RemovalNote) CreateDecision {
	t := plan.txn()
	t.RequireVersions = plan.withRequired(nil)
	t.Maps, t.Others = plan.Maps(), plan.firstSwap("")
	for _, key := range sortedKeys(plan.Values, plan.Expected) {
		if _, writes := plan.Values[key]; writes {
			t.Keys = append(t.Keys, plan.firstSwap(key))
		} else {
			t.Keys = append(t.Keys, eval.KeySwap{Key: key, Expect: plan.Expected[key], IsGuard: true})
		}
	}
	d := CreateDecision{Txn: t, Keys: plan.Keys(), Needs: append(plan.adopts(), plan.expects()...)}
	if removal == nil {
		return d
	}
	isRemoved := func(key string) bool { return slices.Contains(removal.Keys, key) }
	d.Keys = slices.DeleteFunc(d.Keys, isRemoved)
	t.Keys = slices.DeleteFunc(t.Keys, func(k eval.KeySwap) bool { return isRemoved(k.Key) })
	for _, finding := range []Finding{
		{FindReplacesAdopted, common(plan.adopts(), removal.Keys)},
		{FindReplacesExpected, common(plan.expects(), removal.Keys)},
		{FindReplacesKept, common(plan.Keys(), removal.Keeps)},
	} {
		permits := finding.Kind == FindReplacesKept && plan.Required != Required{}
		if len(finding.Keys) > 0 && !permits {
			d.Findings = []Finding{finding}
			return d
		}
	}
	return d
}

// Swap returns the transaction of an action, which has no state. A key without an expectation must be absent, or
// contain its value already: a swap overwrites only what its configuration names.
func Swap(c *Claim) *eval.Txn {
	t := c.txn()
	t.RequireVersions = c.withRequired(nil)
	for _, key := range sortedKeys(c.Values, c.Expected) {
		value, writes := c.Values[key]
		want, named := c.Expected[key]
		switch {
		case !writes:
			t.Keys = append(t.Keys, eval.KeySwap{Key: key, Expect: want, IsGuard: true})
		case named:
			t.Keys = append(t.Keys, eval.KeySwap{Key: key, Expect: want, New: value})
		default:
			t.Keys = append(t.Keys, eval.KeySwap{Key: key, New: value, IfEqual: eval.Adopt})
		}
	}
	return t
}

// firstSwap returns the swap of a key that the state does not have. Without an expectation, the key must be absent.
func (c *Claim) firstSwap(key string) eval.KeySwap {
	requires := c.Required.Version != ""
	expect, isNamed := c.Expected[key]
	if !isNamed && requires {
		expect = eval.Anything()
	}
	k := eval.KeySwap{Key: key, Expect: expect, New: c.Values[key], IfEqual: eval.Reject}
	if key == eval.TypeKey { // which cannot be changed
		return eval.KeySwap{Key: key, Expect: c.Values[key], IsGuard: true}
	}
	if c.Adopt || requires || expect.Matches(k.New) {
		k.IfEqual = eval.Adopt
	}
	return k
}

// Object returns the creation of a whole object.
func Object(c *Claim, ref eval.Ref) *eval.Creation {
	n := &eval.Creation{
		Ref: ref, GenerateName: c.Whole.GenerateName, Entries: map[string]eval.Value{}, Labels: map[string]string{},
		Annotations: map[string]string{}, FieldManager: c.FieldManager,
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

// Permitted returns the values that a transaction replaces only because the plan requires a version. prior is empty for
// a create.
func Permitted(prior *Claim, t *eval.Txn, live *eval.Snapshot) (values []Drift) {
	for _, k := range t.Complete(live).Keys {
		if before := prior.Values[k.Key]; !prior.isImported() && !before.IsAbsent() {
			continue
		}
		found := live.Value(k.Key)
		if k.Expect.IsAnything() && !k.IsGuard && !found.IsAbsent() && !k.New.Matches(found) {
			values = append(values, Drift{Key: k.Key, Found: found, ToWrite: k.New})
		}
	}
	return values
}

// MayPermit reports whether a write of the plan may replace values because the plan requires a version. Values of
// Secrets are not shown, so a Secret has none, except for a whole one, which may lose keys.
func (c *Claim) MayPermit() bool {
	return c.Required.Version != "" && (!c.IsSecret() || c.Whole != nil)
}
