package eval_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
)

func TestKinds(t *testing.T) {
	t.Parallel()
	for kind, want := range map[eval.Kind]struct {
		name, resource, noun string
		hides                bool
		text                 eval.Value // that a text becomes
	}{
		eval.ConfigMap: {"ConfigMap", "configmaps", "configmap shop/x", false, eval.Text("1")},
		eval.Secret:    {"Secret", "secrets", "secret shop/x", true, eval.Binary([]byte("1"))},
	} {
		t.Run(want.name, func(t *testing.T) {
			t.Parallel()
			noun := eval.Ref{Kind: kind, Namespace: "shop", Name: "x"}.Noun()
			if kind.String() != want.name || kind.Resource() != want.resource || noun != want.noun || kind.Hides() != want.hides {
				t.Errorf("%s, %s, %s, hides %t: want %+v", kind, kind.Resource(), noun, kind.Hides(), want)
			}
			for given, stored := range map[eval.Value]eval.Value{
				eval.Text("1"): want.text, eval.Binary([]byte{1}): eval.Binary([]byte{1}), {}: {}, eval.Anything(): eval.Anything(),
			} {
				if got := kind.Normalize(given); got != stored {
					t.Errorf("%#v is stored as %#v, want %#v", given, got, stored)
				}
			}
		})
	}
}

// Given a transaction in text; when it is about a Secret; then all that it expects, writes and computes is bytes, and it itself stays as it is.
func TestTransactionIsStoredAsItsKindHoldsIt(t *testing.T) {
	t.Parallel()
	one, two, three := eval.Text("1"), eval.Text("2"), eval.Text("3")
	refused := errors.New("refused")
	txn := &eval.Txn{Ref: eval.Ref{Kind: eval.Secret}, FieldManager: "engine", Keys: []eval.KeySwap{
		{Key: "foo", Expect: one, New: two},
		{Key: "next", Next: func(eval.Value) (eval.Value, error) { return three, nil }},
		{Key: "none", Next: func(eval.Value) (eval.Value, error) { return eval.Value{}, refused }},
	}}
	stored := txn.Stored()
	bytes := func(s string) eval.Value { return eval.Binary([]byte(s)) }
	if k := stored.Keys[0]; k.Expect != bytes("1") || k.New != bytes("2") || stored.FieldManager != "engine" {
		t.Errorf("stored is %+v", stored)
	}
	if e, err := stored.Keys[1].Next(bytes("2")); e != bytes("3") || err != nil {
		t.Errorf("it computes %#v, %v", e, err)
	}
	if _, err := stored.Keys[2].Next(bytes("2")); !errors.Is(err, refused) {
		t.Errorf("%v, want what it refuses with", err)
	}
	if txn.Keys[0].Expect != one || txn.Keys[0].New != two {
		t.Errorf("the transaction itself became %+v", txn.Keys[0])
	}
}

func TestTypeOfASecretIsOpaqueUnlessItIsGiven(t *testing.T) {
	t.Parallel()
	got := map[string]string{}
	for _, given := range []eval.Creation{{Ref: eval.Ref{Kind: eval.Secret}}, {Ref: eval.Ref{Kind: eval.Secret}, Type: "example.com/x"}, {}} {
		got[given.Ref.Kind.String()+" "+given.Type] = given.Stored().Type
	}
	want := map[string]string{"Secret ": "Opaque", "Secret example.com/x": "example.com/x", "ConfigMap ": ""}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
