package session

import (
	"errors"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/message"
	"github.com/terraform-cas/terraform-provider-cas/internal/provider/terms"
)

// Of two calls of one apply that write a key or take it over, the second one is refused, whatever the first one is, unless it took nothing.
func TestWhoTakesAKey(t *testing.T) {
	t.Parallel()
	ref := eval.Ref{Kind: eval.ConfigMap, Namespace: "shop", Name: "settings"}
	foo := eval.KeySwap{Key: "foo", New: eval.Text("1")}
	gone := eval.KeySwap{Key: "foo", Expect: eval.Text("1")}
	guard := eval.KeySwap{Key: "foo", Expect: eval.Text("1"), IsGuard: true}
	for name, test := range map[string]struct {
		op     terms.Operation
		key    eval.KeySwap
		err    error
		passes bool
	}{
		"after a write":                    {op: terms.OpCreate, key: foo},
		"after an update":                  {op: terms.OpUpdate, key: foo},
		"after a write of unknown outcome": {op: terms.OpUpdate, key: foo, err: &eval.UnknownError{}},
		"after a refusal":                  {op: terms.OpCreate, key: foo, err: &eval.NotFoundError{Ref: ref}, passes: true},
		"after a removal":                  {op: terms.OpDelete, key: foo, passes: true}, // which puts back what was there
		"after an update that gives it up": {op: terms.OpUpdate, key: gone, passes: true},
		"after one that compares it":       {op: terms.OpUpdate, key: guard, passes: true},
		"after an action":                  {op: terms.OpInvoke, key: foo, passes: true},
		"after a write of another key":     {op: terms.OpCreate, key: eval.KeySwap{Key: "bar", New: eval.Text("1")}, passes: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var g Registry
			sent := 0
			send := func(err error) func() (cas.TxnResult, error) {
				return func() (cas.TxnResult, error) {
					sent++
					return cas.TxnResult{}, err
				}
			}
			if _, err := g.sendOnce(&eval.Txn{Ref: ref, Keys: []eval.KeySwap{test.key}}, test.op, send(test.err)); !errors.Is(err, test.err) {
				t.Fatalf("the first one: %v", err)
			}
			_, err := g.sendOnce(&eval.Txn{Ref: ref, Keys: []eval.KeySwap{foo}}, terms.OpCreate, send(nil))
			var twice *message.WrittenTwiceError
			if refused := errors.As(err, &twice); refused == test.passes || sent == 2 != test.passes {
				t.Errorf("%d were sent, and the second one said %v", sent, err)
			}
		})
	}
}

// A swap is not checked against what the plan itself changes before it, whatever names the two have for that.
func TestSwapAfterAChangeOfThePlan(t *testing.T) {
	t.Parallel()
	field := func(path string) string {
		key, err := eval.ReadKey(eval.ConfigMap, path)
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	ref := eval.Ref{Kind: eval.ConfigMap, Namespace: "shop", Name: "settings"}
	for name, test := range map[string]struct {
		before, key string
		isChecked   bool
	}{
		"the same key":              {before: "foo", key: "foo"},
		"another key":               {before: "foo", key: "bar", isChecked: true},
		"the same path":             {before: field("metadata.labels.a"), key: field(`.metadata.labels["a"]`)},
		"a part of it":              {before: field("metadata.labels"), key: field("metadata.labels.a")},
		"what it is a part of":      {before: field("metadata.labels.a"), key: field("metadata.labels")},
		"elements that may be one":  {before: field("metadata.ownerReferences[name=a]"), key: field("metadata.ownerReferences[uid=b].kind")},
		"a label by its other name": {before: eval.LabelKey("a"), key: field("metadata.labels.a")},
		"another path":              {before: field("metadata.labels.a"), key: field("metadata.labels.b"), isChecked: true},
		"a path named as a key is":  {before: "labels", key: field("metadata.labels"), isChecked: true},
	} {
		for how, change := range map[string]func(*Registry){
			"by a swap": func(g *Registry) {
				g.PlanSwap(&eval.Txn{Ref: ref, Keys: []eval.KeySwap{{Key: test.before, New: eval.Text("1")}}})
			},
			"by a resource": func(g *Registry) {
				g.recordPlan(ref, Token("x"), Use{Owns: []string{test.before}, Writes: []string{test.before}}, eval.Overlap)
			},
			"by a removal": func(g *Registry) { g.recordPlan(ref, Token("x"), Use{Removes: []string{test.before}}, eval.Overlap) },
		} {
			t.Run(name+", "+how, func(t *testing.T) {
				t.Parallel()
				var g Registry
				change(&g)
				for _, isGuard := range []bool{true, false} {
					second := &eval.Txn{Ref: ref, Keys: []eval.KeySwap{{Key: test.key, Expect: eval.Text("1"), IsGuard: isGuard}}}
					if g.PlanSwap(second); len(second.Keys) == 1 != test.isChecked {
						t.Errorf("guard %t: left to check are %v", isGuard, second.Keys)
					}
				}
				elsewhere := &eval.Txn{Ref: eval.Ref{Kind: eval.ConfigMap, Namespace: "shop", Name: "other"}, Keys: []eval.KeySwap{{Key: test.key, IsGuard: true}}}
				if g.PlanSwap(elsewhere); len(elsewhere.Keys) != 1 {
					t.Error("the key of another object is not checked")
				}
			})
		}
	}
}
