package cas

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// inOneBatch makes all calls in this order while a read is held, and returns their errors.
func (f *fixture) inOneBatch(calls ...func() error) []error {
	f.Helper()
	arrived, release := f.holdReads(testcluster.Fault{})
	answers := make([]chan error, len(calls))
	for i, call := range calls {
		answers[i] = make(chan error, 1)
		go func() { answers[i] <- call() }()
		if i == 0 {
			<-arrived
		} else {
			f.queued(i)
		}
	}
	close(release)
	errs := make([]error, len(calls))
	for i, answer := range answers {
		errs[i] = <-answer
	}
	return errs
}

func (f *fixture) committing(t *eval.Txn) func() error {
	return func() error { _, err := f.commit(t); return err }
}

// A removal removes its keys, and compares its guards without a write, with and without a version that was
// seen.
func TestGuardOfARemovalIsComparedAndStays(t *testing.T) {
	ofEachKind(t, func(of kinded) {
		t, kind := of.T, of.kind
		for name, test := range map[string]struct {
			data map[string]string
			want []string // keys of the conflict
			left map[string]string
		}{
			"holds":                {map[string]string{"foo": "1", "guard": "1"}, nil, map[string]string{"guard": "1"}},
			"does not hold":        {map[string]string{"foo": "1", "guard": "9"}, []string{"guard"}, map[string]string{"foo": "1", "guard": "9"}},
			"is gone":              {map[string]string{"foo": "1"}, []string{"guard"}, map[string]string{"foo": "1"}},
			"nothing to remove":    {map[string]string{"guard": "9"}, nil, map[string]string{"guard": "9"}},
			"nothing of all these": {nil, nil, nil},
		} {
			for _, isSeen := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s, seen %t", name, isSeen), func(t *testing.T) {
					f := newFixtureOf(t, kind, map[string]string{"foo": "1", "guard": "1"})
					txn := f.txn(eval.KeySwap{Key: "foo", Expect: one}, guard("guard", one))
					txn.IgnoreMissing, txn.ObservedAt = true, f.version()
					if !isSeen {
						txn.ObservedAt = eval.Version{}
					}
					if len(test.left) != 1 || test.want != nil || test.data["foo"] == "" {
						f.change(func(cm *corev1.ConfigMap) { cm.Data = test.data })
					}
					_, err := f.commit(txn)
					if test.want == nil {
						f.want(eval.Applied, err)
					} else {
						f.wantFailed(err, test.want...)
					}
					f.wantData(test.left)
				})
			}
		}
	})
}

// A removal that was planned before its key was adopted is refused, also after a write of unknown outcome,
// when the engine has forgotten the object.
func TestAdoptedKeyIsNotRemovedWithoutARead(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1", "bar": "1"})
	v := f.version()
	adopt := f.swapping("foo", eval.Text("x"), one)
	adopt.IfEqual = eval.Adopt
	_, err := f.do(adopt)
	f.want(eval.Applied, err)
	f.engine.limits.grace = 2 * reportTime
	ctx, cancel := context.WithCancel(t.Context())
	f.proxy.SetHook(func(*http.Request) testcluster.Fault {
		cancel()
		return testcluster.Fault{DropBefore: true}
	})
	_, err = f.engine.Swap(ctx, f.swapping("bar", one, two))
	f.want(eval.Unknown, err)
	f.proxy.SetHook(nil)
	_, err = f.do(f.removing("foo", one, v, v))
	f.wantReason(eval.ReasonOwn, err)
	f.wantData(map[string]string{"foo": "1", "bar": "1"})
}

// A write waits for the tasks ahead that compare its key, and the tasks behind that compare the key wait for
// the write.
func TestGuardsAndWritesOfOneKeyAreJudgedInTheirOrder(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	errs := f.inOneBatch(
		f.committing(f.txn(eval.KeySwap{Key: "a", New: one}, guard("foo", one))),
		f.committing(f.txn(eval.KeySwap{Key: "foo", Expect: one, New: two}, guard("a", one))),
		f.committing(f.txn(eval.KeySwap{Key: "b", New: one}, guard("foo", one))),
		f.committing(f.txn(eval.KeySwap{Key: "b", New: one}, guard("foo", two))),
	)
	f.want(eval.Applied, errs[0])
	f.want(eval.Applied, errs[1])
	f.wantFailed(errs[2], "foo")
	f.want(eval.Applied, errs[3])
	f.wantData(map[string]string{"foo": "2", "a": "1", "b": "1"})
}

// A guard that expects a missing key is compared again after each conflict, also if the map of the key is
// missing.
func TestGuardThatIsToBeAbsentWhereAMapIsNot(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*corev1.ConfigMap)
		holds  bool
	}{
		"the map stays away":      {func(cm *corev1.ConfigMap) { cm.BinaryData["x"] = []byte{9} }, true},
		"the map comes":           {func(cm *corev1.ConfigMap) { cm.Data = map[string]string{"other": "9"} }, true},
		"it comes with the guard": {func(cm *corev1.ConfigMap) { cm.Data = map[string]string{"none": "9"} }, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, nil)
			f.change(func(cm *corev1.ConfigMap) { cm.BinaryData = map[string][]byte{"foo": {1}, "x": {0}} })
			patches := 0
			f.onEach(http.MethodPatch, func() testcluster.Fault {
				switch patches++; patches {
				case 1:
					f.change(func(cm *corev1.ConfigMap) { cm.BinaryData["x"] = []byte{1} })
				case 2:
					f.change(test.change)
				}
				return testcluster.Fault{}
			})
			txn := f.txn(eval.KeySwap{Key: "foo", Expect: eval.Binary([]byte{1}), New: eval.Binary([]byte{2})}, guard("none", eval.Value{}))
			_, err := f.commit(txn)
			if test.holds {
				f.want(eval.Applied, err)
			} else {
				f.wantFailed(err, "none")
			}
			if got := f.live().BinaryData["foo"][0]; (got == 2) != test.holds {
				t.Errorf("foo holds %d", got)
			}
		})
	}
}

// A write does not pass a transaction that compares its key and waits for a request of its own field manager.
func TestWriteDoesNotOvertakeWhatComparesItsKey(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	other := f.txn(eval.KeySwap{Key: "a", New: one}, guard("foo", one))
	other.FieldManager = "other"
	errs := f.inOneBatch(
		f.committing(f.txn(eval.KeySwap{Key: "b", New: one})),
		f.committing(other),
		f.committing(f.txn(eval.KeySwap{Key: "foo", Expect: one, New: two})),
	)
	for _, err := range errs {
		f.want(eval.Applied, err)
	}
	f.wantData(map[string]string{"foo": "2", "a": "1", "b": "1"})
}

func TestSizeIsThatOfAllKeysTogether(t *testing.T) {
	ofEachKind(t, func(of kinded) {
		t, kind := of.T, of.kind
		f := newFixtureOf(t, kind, map[string]string{"foo": "1", "old": strings.Repeat("o", eval.MaxSize/2)})
		half := eval.Text(strings.Repeat("h", eval.MaxSize/2))
		_, err := f.commit(f.txn(eval.KeySwap{Key: "a", New: half}, eval.KeySwap{Key: "b", New: half}))
		var tooLarge *eval.TooLargeError
		if !errors.As(err, &tooLarge) || tooLarge.New != eval.MaxSize || tooLarge.Others != eval.MaxSize/2+1 {
			t.Errorf("%v, want both sizes", err)
		}
		_, err = f.commit(f.txn(eval.KeySwap{Key: "a", New: half}, eval.KeySwap{Key: "old", Expect: eval.Text(strings.Repeat("o", eval.MaxSize/2))}))
		f.want(eval.Applied, err) // what goes makes room for what comes
	})
}

func TestGuardIsComparedAfterNFC(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1", "guard": "cafe\u0301"})
	_, err := f.commit(f.txn(eval.KeySwap{Key: "foo", Expect: one, New: two}, guard("guard", eval.Text("caf\u00e9"))))
	f.want(eval.Applied, err)
	if f.live().Data["guard"] != "cafe\u0301" {
		t.Errorf("guard %q", f.live().Data["guard"])
	}
}

// Whether one waits must not depend on which key is looked at first.
func TestWaitIsNotForWhatAnotherKeyRefuses(t *testing.T) {
	foo, held := eval.KeySwap{Key: "foo", Expect: one, New: two}, eval.KeySwap{Key: "held", New: two, IfEqual: eval.Reject}
	for _, keys := range [][]eval.KeySwap{{foo, held}, {held, foo}} {
		t.Run(keys[0].Key+" first", func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "0", "held": "2"})
			ctx, cancel := context.WithCancel(t.Context())
			f.onWatches(func(int) testcluster.Fault { cancel(); return testcluster.Fault{} })
			_, err := f.engine.CommitWithin(ctx, f.txn(keys...), time.Minute)
			f.wantFailed(err, keys[0].Key, keys[1].Key)
			if errors.As(err, new(*eval.WaitError)) {
				t.Errorf("it waited: %v", err)
			}
		})
	}
}

// Comparing is no writing: many may go by the same guard in one request.
func TestTxnsThatShareAGuardGoTogether(t *testing.T) {
	ofEachKind(t, func(of kinded) {
		t, kind := of.T, of.kind
		f := newFixtureOf(t, kind, map[string]string{"guard": "1"})
		var calls []func() error
		for n := range 10 {
			calls = append(calls, f.committing(f.txn(eval.KeySwap{Key: fmt.Sprint("k", n), New: one}, guard("guard", one), guard("none", eval.Value{}))))
		}
		for _, err := range f.inOneBatch(calls...) {
			f.want(eval.Applied, err)
		}
		if n := f.proxy.Count(http.MethodPatch); n != 1 {
			t.Errorf("%d patches, want 1", n)
		}
	})
}
