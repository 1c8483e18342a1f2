package judging_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
)

func TestKinds(t *testing.T) {
	t.Parallel()
	for kind, want := range map[judging.Kind]struct {
		name, resource, noun string
		hides                bool
		text                 judging.Entry // that a text becomes
	}{
		judging.ConfigMap: {"ConfigMap", "configmaps", "configmap shop/x", false, judging.Text("1")},
		judging.Secret:    {"Secret", "secrets", "secret shop/x", true, judging.Binary([]byte("1"))},
	} {
		t.Run(want.name, func(t *testing.T) {
			t.Parallel()
			noun := judging.Ref{Kind: kind, Namespace: "shop", Name: "x"}.Noun()
			if kind.String() != want.name || kind.Resource() != want.resource || noun != want.noun || kind.Hides() != want.hides {
				t.Errorf("%s, %s, %s, hides %t: want %+v", kind, kind.Resource(), noun, kind.Hides(), want)
			}
			for given, stored := range map[judging.Entry]judging.Entry{
				judging.Text("1"): want.text, judging.Binary([]byte{1}): judging.Binary([]byte{1}), {}: {}, judging.Anything(): judging.Anything(),
			} {
				if got := kind.Entry(given); got != stored {
					t.Errorf("%#v is stored as %#v, want %#v", given, got, stored)
				}
			}
		})
	}
}

// Given a transaction in text; when it is about a Secret; then all that it expects, writes and computes is bytes, and it itself stays as it is.
func TestTransactionIsStoredAsItsKindHoldsIt(t *testing.T) {
	t.Parallel()
	one, two, three := judging.Text("1"), judging.Text("2"), judging.Text("3")
	refused := errors.New("refused")
	txn := &judging.Txn{Ref: judging.Ref{Kind: judging.Secret}, FieldManager: "engine", Keys: []judging.KeySwap{
		{Key: "foo", Expect: one, New: two},
		{Key: "next", Next: func(judging.Entry) (judging.Entry, error) { return three, nil }},
		{Key: "none", Next: func(judging.Entry) (judging.Entry, error) { return judging.Entry{}, refused }},
	}}
	stored := txn.Stored()
	bytes := func(s string) judging.Entry { return judging.Binary([]byte(s)) }
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
	for _, given := range []judging.Creation{{Ref: judging.Ref{Kind: judging.Secret}}, {Ref: judging.Ref{Kind: judging.Secret}, Type: "example.com/x"}, {}} {
		got[given.Ref.Kind.String()+" "+given.Type] = given.Stored().Type
	}
	want := map[string]string{"Secret ": "Opaque", "Secret example.com/x": "example.com/x", "ConfigMap ": ""}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
