package decide

import (
	"strings"
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

// Given an entry or a value in a document that admission changed; then the difference is reported, except after a lost
// response. The text of a document has one form only.
func TestNotStored(t *testing.T) {
	t.Parallel()
	txn := Create(stateOf(nil), nil).Txn
	result := Result{
		Wrote: true, After: reads("u", map[string]string{"foo": "2"}), Previous: map[string]eval.Value{"foo": {}},
	}
	if changed := NotStored(txn, result); len(changed) != 1 || changed[0].Stored != eval.Text("2") {
		t.Errorf("not stored: %v", changed)
	}
	level, err := eval.DocumentKey(eval.Holder{Key: "a.yaml", Format: "yaml"}, "level")
	if err != nil {
		t.Fatal(err)
	}
	inDocument := stateOf(func(c *Claim) {
		c.APIVersion, c.Document, c.Values = "v1", "a.yaml", map[string]eval.Value{level: eval.Text("2")}
	})
	txn2, result2 := Create(inDocument, nil).Txn, Result{
		Wrote: true, After: reads("u", map[string]string{"a.yaml": "level: '3'"}), Previous: map[string]eval.Value{level: {}},
		Stored: map[string]eval.Value{level: eval.Text("3")},
	}
	if changed := NotStored(txn2, result2); len(changed) != 1 {
		t.Errorf("not stored in a document: %v", changed)
	}
	if forms := Record(inDocument, &Claim{}, Memory{}, txn2, result2).Forms; len(forms) > 0 {
		t.Errorf("forms of a document: %v", forms)
	}
	result.IsShared = true
	if changed := NotStored(txn, result); len(changed) > 0 {
		t.Errorf("after a lost response: %v", changed)
	}
}

// The memory has the manager that applied a key before the resource overwrote the key, also if the write was no first
// one. A key that leaves the resource is handed back, unless another instance has taken the key.
func TestHandsBack(t *testing.T) {
	t.Parallel()
	helm, argo := eval.Applier{Manager: "helm", APIVersion: "v1"}, eval.Applier{Manager: "argo", APIVersion: "v1"}
	overwritten := func(a eval.Applier, by string) eval.Applier {
		a.OverwrittenBy = by
		return a
	}
	plan := stateOf(func(c *Claim) { c.Values = texts("foo", "1", "bar", "1", "baz", "1") })
	write := Result{
		Wrote: true, After: reads("u", map[string]string{"foo": "1", "bar": "1", "baz": "1"}),
		Stored: texts("foo", "1", "bar", "1", "baz", "1"), Appliers: map[string]eval.Applier{"foo": helm, "bar": helm},
	}
	txn := Create(plan, nil).Txn
	txn.FieldManager = "ci-a"
	created := Record(plan, &Claim{}, Memory{}, txn, write)
	if want := overwritten(helm, "ci-a"); created.Appliers["foo"] != want || created.Appliers["bar"] != want {
		t.Errorf("appliers: %v", created.Appliers)
	}
	write.Appliers = map[string]eval.Applier{"baz": argo} // which applied after the first write, as after an import
	txn.FieldManager = "ci-b"
	updated := Record(plan, plan, created, txn, write)
	ofHelm, ofArgo := overwritten(helm, "ci-b"), overwritten(argo, "ci-b")
	if want := (map[string]eval.Applier{"foo": ofHelm, "bar": ofHelm, "baz": ofArgo}); !cmp.Equal(updated.Appliers, want) {
		t.Errorf("appliers: %v", updated.Appliers)
	}
	write.Appliers = map[string]eval.Applier{"foo": helm} // which applied the same value, and the update leaves the value
	guarded := Record(plan, plan, updated, &eval.Txn{FieldManager: "ci-b", Keys: []eval.KeySwap{{Key: "foo", IsGuard: true}}}, write)
	if guarded.Appliers["foo"] != ofHelm {
		t.Errorf("after an update of another key: %v", guarded.Appliers["foo"])
	}
	isTaken := func(key string) bool { return key == "bar" }
	left := stateOf(func(c *Claim) { c.Values = texts("baz", "1") })
	if got := updated.HandsBack(plan, left, isTaken); !cmp.Equal(got, map[string]eval.Applier{"foo": ofHelm}) {
		t.Errorf("handed back: %v", got)
	}
	if got := updated.HandsBack(plan, plan, isTaken); len(got) > 0 {
		t.Errorf("keys that stay are handed back: %v", got)
	}
}

// A memory stores a short tag of a Secret value, never a digest that a reader of the state could test guesses against.
func TestDigest(t *testing.T) {
	t.Parallel()
	value := eval.Binary([]byte("1"))
	ofSecret, other := Memory{Kind: eval.Secret, Tags: Tags{Key: []byte("a")}}, Memory{Kind: eval.Secret, Tags: Tags{Key: []byte("b")}}
	switch tag, digest := ofSecret.digest(value), (Memory{}).digest(value); {
	case len(tag) != 2*tagBytes, tag == other.digest(value):
		t.Errorf("the tag is %s, and %s with another key", tag, other.digest(value))
	case len(digest) < baselineDigits, strings.Contains(digest, tag):
		t.Errorf("the digest is %s, the tag %s", digest, tag)
	case ofSecret.digest(eval.Value{}) != Memory{}.digest(eval.Value{}):
		t.Error("an absent key has a tag")
	}
}

// The former values are those of keys that the write changed: no guard, and no key that the write adopted.
func TestReplaced(t *testing.T) {
	t.Parallel()
	txn := &eval.Txn{Keys: []eval.KeySwap{
		{Key: "foo", New: eval.Text("2")},
		{Key: "adopted", New: eval.Text("1"), IfEqual: eval.Adopt},
		{Key: "guard", Expect: eval.Text("1"), IsGuard: true},
		{Key: "untouched", New: eval.Text("2")},
	}}
	result := Result{Wrote: true, Previous: texts("foo", "1", "adopted", "1", "guard", "1")}
	if got := Replaced(txn, result); len(got) != 1 || got["foo"] != eval.Text("1") {
		t.Errorf("%v", got)
	}
	if result.Wrote = false; Replaced(txn, result) != nil {
		t.Error("a transaction that wrote nothing replaced values")
	}
}

// A plan of a map removes the entries of the state that it does not name.
func TestWithRemoved(t *testing.T) {
	t.Parallel()
	prior := stateOf(func(c *Claim) { c.Values = texts("foo", "1", "bar", "1") })
	plan := stateOf(nil)
	if got := WithRemoved(plan, prior); len(got) != 1 {
		t.Errorf("without a map: %v", got)
	}
	plan.Whole = &Whole{Maps: []string{eval.DataKey}}
	if got := WithRemoved(plan, prior); len(got) != 2 || !got["bar"].IsAbsent() {
		t.Errorf("with a map: %v", got)
	}
}
