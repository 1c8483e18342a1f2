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
		txn                      judging.Txn
		computes, isTake, isHeld bool
		names                    string
	}{
		"a take":                          {judging.Txn{Keys: []judging.KeySwap{computed}}, true, true, false, "number"},
		"a take that is held to versions": {judging.Txn{Keys: []judging.KeySwap{computed}, At: []judging.Version{v}}, true, false, true, "number"},
		"a take that is bound":            {judging.Txn{Keys: []judging.KeySwap{computed}, Bound: v}, true, false, true, "number"},
		"a take with a label":             {judging.Txn{Keys: []judging.KeySwap{computed, {Key: judging.LabelKey("app")}}}, true, false, false, "number,metadata.labels/app"},
		"a take beside another key":       {judging.Txn{Keys: []judging.KeySwap{plain, computed}}, true, false, false, "foo,number"},
		"a swap with a guard":             {judging.Txn{Keys: []judging.KeySwap{plain, guard}}, false, false, false, "foo,guard"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if test.txn.Computes() != test.computes || test.txn.IsTake() != test.isTake || test.txn.IsHeld() != test.isHeld || test.txn.KeyNames() != test.names {
				t.Errorf("computes %t, is a take %t, is held %t, names %s", test.txn.Computes(), test.txn.IsTake(), test.txn.IsHeld(), test.txn.KeyNames())
			}
			if !(&judging.Txn{Keys: []judging.KeySwap{plain, guard}}).IsGuard("guard") || test.txn.IsGuard("foo") || test.txn.IsGuard("none") {
				t.Error("which key is only compared is told wrongly")
			}
		})
	}
}

// A removal goes without a read where all that it expects was seen at one version, which it is held to at most, and this process has not written
// since.
func TestRemovalThatGoesWithoutARead(t *testing.T) {
	t.Parallel()
	v := judging.Version{UID: "u", ResourceVersion: "7"}
	removal := func(change func(*judging.Txn)) *judging.Txn {
		txn := &judging.Txn{GoneIsDone: true, Seen: judging.Basis{Version: v}, Keys: []judging.KeySwap{{Key: "foo", Expect: judging.Text("1")}}}
		change(txn)
		return txn
	}
	for name, test := range map[string]struct {
		txn  *judging.Txn
		own  bool
		want bool
	}{
		"as it was planned":                    {removal(func(*judging.Txn) {}), false, true},
		"at the version that was seen":         {removal(func(t *judging.Txn) { t.At = []judging.Version{v} }), false, true},
		"at that version of any object":        {removal(func(t *judging.Txn) { t.At = []judging.Version{{ResourceVersion: "7"}} }), false, true},
		"at another version":                   {removal(func(t *judging.Txn) { t.At = []judging.Version{v, {ResourceVersion: "8"}} }), false, false},
		"bound to a version":                   {removal(func(t *judging.Txn) { t.Bound = v }), false, false},
		"no version was seen":                  {removal(func(t *judging.Txn) { t.Seen = judging.Basis{} }), false, false},
		"of no object in particular":           {removal(func(t *judging.Txn) { t.Seen.UID = "" }), false, false},
		"of a version that means none":         {removal(func(t *judging.Txn) { t.Seen.ResourceVersion = "0" }), false, false},
		"of a key that this process wrote":     {removal(func(*judging.Txn) {}), true, false},
		"of a key that may hold anything":      {removal(func(t *judging.Txn) { t.Keys[0].Expect = judging.Anything() }), false, false},
		"of a Secret's that may hold anything": {removal(func(t *judging.Txn) { t.Keys[0].Expect, t.Ref.Kind = judging.Anything(), judging.Secret }), false, true},
		"that computes":                        {removal(func(t *judging.Txn) { t.Keys[0].Next = func(e judging.Entry) (judging.Entry, error) { return e, nil } }), false, false},
		"of a value that is put back":          {removal(func(t *judging.Txn) { t.Keys[0].New = judging.Text("0") }), false, false},
		"with a key that is only compared": {removal(func(t *judging.Txn) {
			t.Keys = append(t.Keys, judging.KeySwap{Key: "g", Expect: judging.Text("1"), IsGuard: true})
		}), false, true},
		"that is no removal": {removal(func(t *judging.Txn) { t.GoneIsDone = false }), false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := test.txn.CanGoBlind(told{own: test.own}); got != test.want {
				t.Errorf("it goes without a read: %t, want %t", got, test.want)
			}
		})
	}
}
