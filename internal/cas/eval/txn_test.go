package eval_test

import (
	"testing"

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
		"a take":                          {eval.Txn{Keys: []eval.KeySwap{computed}}, true, true, "number"},
		"a take that is held to versions": {eval.Txn{Keys: []eval.KeySwap{computed}, RequireVersions: []eval.Version{v}}, true, false, "number"},
		"a take with a label":             {eval.Txn{Keys: []eval.KeySwap{computed, {Key: eval.LabelKey("app")}}}, true, false, "number,metadata.labels/app"},
		"a take beside another key":       {eval.Txn{Keys: []eval.KeySwap{plain, computed}}, true, false, "foo,number"},
		"a swap with a guard":             {eval.Txn{Keys: []eval.KeySwap{plain, guard}}, false, false, "foo,guard"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if test.txn.Computes() != test.computes || test.txn.OnlyComputes() != test.isTake || test.txn.KeyNames() != test.names {
				t.Errorf("computes %t, is a take %t, names %s", test.txn.Computes(), test.txn.OnlyComputes(), test.txn.KeyNames())
			}
			if !(&eval.Txn{Keys: []eval.KeySwap{plain, guard}}).IsGuard("guard") || test.txn.IsGuard("foo") || test.txn.IsGuard("none") {
				t.Error("which key is only compared is told wrongly")
			}
		})
	}
}
