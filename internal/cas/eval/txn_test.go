package eval_test

import (
	"errors"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

func TestWhatATransactionIs(t *testing.T) {
	t.Parallel()
	v := eval.Version{UID: "u", ResourceVersion: "7"}
	computed := eval.KeySwap{Key: "number", Next: func(live eval.Value) (eval.Value, error) { return live, nil }}
	plain, guard := eval.KeySwap{Key: "foo"}, eval.KeySwap{Key: "guard", IsGuard: true}
	for name, test := range map[string]struct {
		txn              eval.Txn
		computes, isTake bool
		names            string
	}{
		"a take":                         {eval.Txn{Keys: []eval.KeySwap{computed}}, true, true, "number"},
		"a take that requires a version": {eval.Txn{Keys: []eval.KeySwap{computed}, RequireVersions: []eval.Version{v}}, true, false, "number"},
		"a take with a label":            {eval.Txn{Keys: []eval.KeySwap{computed, {Key: eval.LabelKey("app")}}}, true, false, "number,metadata.labels/app"},
		"a take beside another key":      {eval.Txn{Keys: []eval.KeySwap{plain, computed}}, true, false, "foo,number"},
		"a swap with a guard":            {eval.Txn{Keys: []eval.KeySwap{plain, guard}}, false, false, "foo,guard"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if test.txn.Computes() != test.computes || test.txn.OnlyComputes() != test.isTake || test.txn.KeyNames() != test.names {
				t.Errorf("computes %t, is a take %t, names %s", test.txn.Computes(), test.txn.OnlyComputes(), test.txn.KeyNames())
			}
			if !(&eval.Txn{Keys: []eval.KeySwap{plain, guard}}).IsGuard("guard") || test.txn.IsGuard("foo") || test.txn.IsGuard("none") {
				t.Error("IsGuard reports the wrong keys")
			}
		})
	}
}

// A Txn of a whole map compares or removes the entries that it does not name, and no entry of the other map.
func TestTxnOfAWholeMap(t *testing.T) {
	t.Parallel()
	o := configMapAt(eval.Version{UID: "u-1", ResourceVersion: "7"}, map[string]string{"a": "1", "b": "2"}, func(cm *corev1.ConfigMap) {
		cm.BinaryData = map[string][]byte{"raw": {1}}
	})
	of := func(others eval.KeySwap) *eval.Txn {
		return &eval.Txn{
			Ref: eval.Ref{Name: "settings"}, Maps: []string{eval.DataKey}, Others: others,
			Keys: []eval.KeySwap{{Key: "a", Expect: eval.Text("1"), IsGuard: true}},
		}
	}
	conflict, isConflict := errors.AsType[*eval.ConflictError](eval.Evaluate(of(eval.KeySwap{}), o, nil, &eval.Chain{}).Err)
	if !isConflict || len(conflict.Keys) != 1 || conflict.Keys[0].Key != "b" {
		t.Errorf("conflict: %v", conflict)
	}
	d := eval.Evaluate(of(eval.KeySwap{Expect: eval.Anything()}), o, nil, &eval.Chain{})
	want := []eval.Change{
		{Key: "a", From: eval.Text("1"), To: eval.Text("1"), IsGuard: true}, {Key: "b", From: eval.Text("2")},
	}
	if d.Action != eval.Write || !slices.Equal(d.Changes, want) {
		t.Errorf("%v %v, want %v", d.Action, d.Changes, want)
	}
}
