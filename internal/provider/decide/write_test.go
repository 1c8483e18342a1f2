package decide

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

// Given a write; then the memory has the stored values as the baseline, and the former values as the originals.
func TestRecord(t *testing.T) {
	t.Parallel()
	equal := cmp.Comparer(func(a, b eval.Value) bool { return a == b })
	created := Record(stateOf(nil), &Claim{}, Memory{}, Create(stateOf(nil), nil).Txn, Result{
		Wrote: true, After: reads("u", map[string]string{"foo": "1"}), Stored: texts("foo", "1"),
		Previous: map[string]eval.Value{"foo": {}},
	})
	if diff := cmp.Diff(memoryOf(texts("foo", "1"), map[string]eval.Value{"foo": {}}), created, equal); diff != "" {
		t.Errorf("after a create (-want +got):\n%s", diff)
	}

	// An update adds bar, and leaves foo as another writer set it: that stays drift.
	prior := stateOf(func(c *Claim) { c.Values = texts("foo", "other") })
	plan := stateOf(func(c *Claim) { c.Values = texts("foo", "1", "bar", "2") })
	txn := &eval.Txn{Keys: []eval.KeySwap{{Key: "foo", IsGuard: true}, {Key: "bar"}}}
	updated := Record(plan, prior, created, txn, Result{
		Wrote: true, After: reads("u", map[string]string{"foo": "other", "bar": "2"}),
		Stored: texts("foo", "other", "bar", "2"), Previous: map[string]eval.Value{"bar": {}},
	})
	want := memoryOf(texts("foo", "1", "bar", "2"), map[string]eval.Value{"foo": {}, "bar": {}})
	if diff := cmp.Diff(want, updated, equal); diff != "" {
		t.Errorf("after an update (-want +got):\n%s", diff)
	}

	// An update that writes nothing accepts drift, and forgets what the plan no longer names.
	accepting := stateOf(func(c *Claim) { c.Values = texts("foo", "other") })
	accepted := Record(accepting, prior, updated, &eval.Txn{}, Result{})
	want = memoryOf(texts("foo", "other"), map[string]eval.Value{"foo": {}})
	if diff := cmp.Diff(want, accepted, equal); diff != "" {
		t.Errorf("after drift was accepted (-want +got):\n%s", diff)
	}
}

// Given a field that the API server stores in another form; then the memory has the form, and no warning follows.
func TestRecordOfAStoredForm(t *testing.T) {
	t.Parallel()
	plan := stateOf(inVersion("apps/v1"))
	t1 := Create(plan, nil).Txn
	result := Result{
		Wrote: true, After: reads("u", map[string]string{"foo": "1000m"}), Stored: texts("foo", "1000m"),
		Previous: map[string]eval.Value{"foo": {}},
	}
	m := Record(plan, &Claim{}, Memory{}, t1, result)
	if m.Forms["foo"] != eval.Text("1000m") || len(NotStored(t1, result)) > 0 {
		t.Errorf("forms: %v, not stored: %v", m.Forms, NotStored(t1, result))
	}
}

// Given an entry that admission changed; then the difference is reported, except after a lost response.
func TestNotStored(t *testing.T) {
	t.Parallel()
	txn := Create(stateOf(nil), nil).Txn
	result := Result{
		Wrote: true, After: reads("u", map[string]string{"foo": "2"}), Previous: map[string]eval.Value{"foo": {}},
	}
	if changed := NotStored(txn, result); len(changed) != 1 || changed[0].Stored != eval.Text("2") {
		t.Errorf("not stored: %v", changed)
	}
	result.IsShared = true
	if changed := NotStored(txn, result); len(changed) > 0 {
		t.Errorf("after a lost response: %v", changed)
	}
}
