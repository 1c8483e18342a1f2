package judging_test

import (
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
)

func TestWhatATransactionIs(t *testing.T) {
	t.Parallel()
	v := judging.Version{UID: "u", ResourceVersion: "7"}
	computed := judging.KeySwap{Key: "number", Next: func(live judging.Entry) (judging.Entry, error) { return live, nil }}
	plain, guard := judging.KeySwap{Key: "foo"}, judging.KeySwap{Key: "guard", IsGuard: true}
	for name, test := range map[string]struct {
		txn              judging.Txn
		computes, isTake bool
		names            string
	}{
		"a take":                          {judging.Txn{Keys: []judging.KeySwap{computed}}, true, true, "number"},
		"a take that is held to versions": {judging.Txn{Keys: []judging.KeySwap{computed}, At: []judging.Version{v}}, true, false, "number"},
		"a take with a label":             {judging.Txn{Keys: []judging.KeySwap{computed, {Key: judging.LabelKey("app")}}}, true, false, "number,metadata.labels/app"},
		"a take beside another key":       {judging.Txn{Keys: []judging.KeySwap{plain, computed}}, true, false, "foo,number"},
		"a swap with a guard":             {judging.Txn{Keys: []judging.KeySwap{plain, guard}}, false, false, "foo,guard"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if test.txn.Computes() != test.computes || test.txn.IsTake() != test.isTake || test.txn.KeyNames() != test.names {
				t.Errorf("computes %t, is a take %t, names %s", test.txn.Computes(), test.txn.IsTake(), test.txn.KeyNames())
			}
			if !(&judging.Txn{Keys: []judging.KeySwap{plain, guard}}).IsGuard("guard") || test.txn.IsGuard("foo") || test.txn.IsGuard("none") {
				t.Error("which key is only compared is told wrongly")
			}
		})
	}
}
