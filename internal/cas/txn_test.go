package cas

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// txn is a Txn of the fixture's ConfigMap.
func (f *fixture) txn(keys ...eval.KeySwap) *eval.Txn {
	return &eval.Txn{Ref: f.ref, Keys: keys, FieldManager: "engine"}
}

func (f *fixture) commit(t *eval.Txn) (TxnResult, error) {
	f.Helper()
	ctx, cancel := context.WithTimeout(f.Context(), ample)
	defer cancel()
	return f.engine.Commit(ctx, t)
}

// wantFailed fails the test unless the conflict names just these keys.
func (f *fixture) wantFailed(err error, keys ...string) {
	f.Helper()
	var conflict *eval.ConflictError
	if !errors.As(err, &conflict) {
		f.Errorf("%v, want a conflict", err)
		return
	}
	var got []string
	for _, k := range conflict.Keys {
		got = append(got, k.Key)
	}
	if !slices.Equal(got, keys) {
		f.Errorf("the conflict names %q, want %q", got, keys)
	}
}

func guard(key string, expect eval.Value) eval.KeySwap {
	return eval.KeySwap{Key: key, Expect: expect, IsGuard: true}
}

func TestTxnIsOneWrite(t *testing.T) {
	ofEachKind(t, func(of kinded) {
		t, kind := of.T, of.kind
		f := newFixtureOf(t, kind, map[string]string{"foo": "1", "bar": "1", "gone": "1", "guard": "1"})
		v := f.version()
		result, err := f.commit(f.txn(
			eval.KeySwap{Key: "foo", Expect: one, New: two}, eval.KeySwap{Key: "bar", Expect: one, New: eval.Binary([]byte{1})},
			eval.KeySwap{Key: "gone", Expect: one}, eval.KeySwap{Key: "new", New: two}, guard("guard", one), guard("nothing", eval.Value{})))
		f.want(eval.Applied, err)
		live := map[string]string{"foo": "2", "new": "2", "guard": "1"}
		if kind == eval.Secret {
			live["bar"] = "\x01"
		}
		f.wantData(live)
		if patches := f.proxy.Count(http.MethodPatch); patches != 1 {
			t.Errorf("%d patches, want 1", patches)
		}
		if !result.Wrote || result.After.Version() != f.version() || result.After.Value("bar") != eval.Binary([]byte{1}) {
			t.Errorf("result %+v", result)
		}
		held := f.holding("1")
		want := map[string]eval.Value{"foo": held, "bar": held, "gone": held, "new": {}, "guard": held, "nothing": {}}
		if !maps.Equal(result.Previous, want) {
			t.Errorf("previous %v, want %v", result.Previous, want)
		}
		_, err = f.do(f.swapping("foo", two, three, v))
		f.want(eval.Applied, err) // the chain goes on
	})
}

func TestTxnTellsEveryKeyThatDoesNotHoldAndWritesNothing(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1", "bar": "3", "held": "2", "guard": "9"})
	v := f.version()
	_, err := f.commit(f.txn(
		eval.KeySwap{Key: "foo", Expect: one, New: two}, eval.KeySwap{Key: "bar", Expect: one, New: two},
		eval.KeySwap{Key: "held", New: two, IfEqual: eval.Reject}, guard("guard", one), guard("absent", eval.Value{})))
	f.wantFailed(err, "bar", "held", "guard")
	var conflict *eval.ConflictError
	if errors.As(err, &conflict) && len(conflict.Keys) == 3 && (conflict.Keys[0].Reason != eval.ReasonKey || conflict.Keys[1].Reason != eval.ReasonEqual) {
		t.Errorf("reasons %+v", conflict.Keys)
	}
	if f.version() != v {
		t.Error("something was written")
	}
}

func TestTxnOfWhatIsHeldAlreadyIsNoWrite(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "2", "guard": "1"})
	v := f.version()
	txn := f.txn(eval.KeySwap{Key: "foo", New: two, IfEqual: eval.Adopt}, guard("guard", one))
	result, err := f.commit(txn)
	f.want(eval.Applied, err)
	if result.Wrote || f.version() != v {
		t.Errorf("it was written: %+v", result)
	}
	f.set("guard", "3")
	_, err = f.commit(txn)
	f.wantFailed(err, "guard")
}

func TestGuardThatChangesBeforeTheWriteLandsIsAConflict(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1", "guard": "1"})
	f.beforePatch(func() { f.set("guard", "2") })
	_, err := f.commit(f.txn(eval.KeySwap{Key: "foo", Expect: one, New: two}, guard("guard", one)))
	f.wantFailed(err, "guard")
	f.wantData(map[string]string{"foo": "1", "guard": "2"})
}

// Guards are compared again after each conflict, also guards that expect a missing key.
func TestGuardsAreComparedWhereOthersAreBusy(t *testing.T) {
	ofEachKind(t, func(of kinded) {
		t, kind := of.T, of.kind
		for name, test := range map[string]struct {
			guard  eval.KeySwap
			change func(*corev1.ConfigMap)
			holds  bool
		}{
			"another key changes":               {guard("guard", one), func(cm *corev1.ConfigMap) { cm.Data["other"] = "9" }, true},
			"the guard changes":                 {guard("guard", one), func(cm *corev1.ConfigMap) { cm.Data["guard"] = "9" }, false},
			"the guard goes":                    {guard("guard", one), func(cm *corev1.ConfigMap) { delete(cm.Data, "guard") }, false},
			"one that is to be absent stays so": {guard("none", eval.Value{}), func(cm *corev1.ConfigMap) { cm.Data["other"] = "9" }, true},
			"one that is to be absent comes":    {guard("none", eval.Value{}), func(cm *corev1.ConfigMap) { cm.Data["none"] = "9" }, false},
			"one that is to be absent comes as bytes": {
				guard("none", eval.Value{}), func(cm *corev1.ConfigMap) { cm.BinaryData = map[string][]byte{"none": {1}} }, false,
			},
		} {
			t.Run(name, func(t *testing.T) {
				f := newFixtureOf(t, kind, map[string]string{"foo": "1", "guard": "1"})
				patches := 0
				f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
					if r.Method != http.MethodPatch {
						return testcluster.Fault{}
					}
					patches++
					switch patches {
					case 1:
						f.set("other", "1")
					case 2:
						f.change(test.change)
					}
					return testcluster.Fault{}
				})
				_, err := f.commit(f.txn(eval.KeySwap{Key: "foo", Expect: one, New: two}, test.guard))
				if test.holds {
					f.want(eval.Applied, err)
					if patches != 3 {
						t.Errorf("%d patches, want 3", patches)
					}
					return
				}
				f.wantFailed(err, test.guard.Key)
				if got := f.live().Data["foo"]; got != "1" {
					t.Errorf("foo holds %q", got)
				}
			})
		}
	})
}

func TestTxnWhoseAnswerGotLostIsFoundOut(t *testing.T) {
	ofEachKind(t, func(of kinded) {
		t, kind := of.T, of.kind
		f := newFixtureOf(t, kind, map[string]string{"foo": "1", "bar": "1", "guard": "1"})
		v := f.version()
		txn := f.txn(eval.KeySwap{Key: "foo", Expect: one, New: two}, eval.KeySwap{Key: "bar", Expect: one}, guard("guard", one))
		f.onPatches(testcluster.Fault{Answered: func(*http.Response) { f.set("other", "3") }, DropAfter: true})
		_, err := f.commit(txn)
		f.want(eval.Applied, err)
		f.wantData(map[string]string{"foo": "2", "guard": "1", "other": "3"})
		_, err = f.do(f.swapping("guard", one, two, v))
		f.wantReason(eval.ReasonObject, err)
	})
}

func TestTxnsThatShareAKeyAreJudgedInTheirOrder(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1", "bar": "1"})
	for _, err := range f.inOneBatch(
		f.committing(f.txn(eval.KeySwap{Key: "foo", Expect: one, New: two})),
		f.committing(f.txn(eval.KeySwap{Key: "bar", Expect: one, New: two}, guard("foo", two))),
		f.committing(f.txn(eval.KeySwap{Key: "bar", Expect: two, New: three}, eval.KeySwap{Key: "foo", Expect: two, New: three})),
	) {
		f.want(eval.Applied, err)
	}
	f.wantData(map[string]string{"foo": "3", "bar": "3"})
}

// queued waits until so many tasks are in the queue.
func (f *fixture) queued(n int) {
	f.Helper()
	c := f.engine.committer(f.ref)
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		c.mu.Lock()
		have := len(c.queue)
		c.mu.Unlock()
		if have >= n {
			return
		}
		if time.Now().After(deadline) {
			f.Fatalf("%d tasks in the queue, want %d", have, n)
		}
	}
}

func TestNextIsMadeOfWhatIsThereAtTheTimeOfTheWrite(t *testing.T) {
	f := newFixture(t, map[string]string{"n": "1"})
	count := func(live eval.Value) (eval.Value, error) {
		s, _ := live.Text()
		n, err := strconv.Atoi(s)
		return eval.Text(strconv.Itoa(n + 1)), err
	}
	f.beforePatch(func() { f.set("n", "7") })
	result, err := f.commit(f.txn(eval.KeySwap{Key: "n", Next: count}))
	f.want(eval.Applied, err)
	if result.Previous["n"] != eval.Text("7") || result.After.Value("n") != eval.Text("8") {
		t.Errorf("result %+v", result)
	}
	f.set("n", "x")
	_, err = f.commit(f.txn(eval.KeySwap{Key: "n", Next: count}))
	f.want(eval.Rejected, err)
	var number *strconv.NumError
	if !errors.As(err, &number) {
		t.Errorf("%v is not what Next said", err)
	}
}

// sets sets a key, whatever it holds.
func sets(key string, to eval.Value) eval.KeySwap {
	return eval.KeySwap{Key: key, Expect: eval.Anything(), New: to}
}

func TestMetaIsWrittenWithTheKeys(t *testing.T) {
	ofEachKind(t, func(of kinded) {
		t, kind := of.T, of.kind
		f := newFixtureOf(t, kind, map[string]string{"foo": "1"})
		f.change(func(cm *corev1.ConfigMap) { cm.Labels = map[string]string{"old": "1", "theirs": "1"} })
		v := f.version()
		txn := f.txn(eval.KeySwap{Key: "foo", Expect: one, New: two})
		txn.RequireVersions = []eval.Version{v}
		txn.Keys = append(txn.Keys, sets(eval.LabelKey("old"), eval.Value{}), sets(eval.LabelKey("new"), one), sets(eval.AnnotationKey("note"), eval.Text("$patch")),
			sets(eval.ImmutableKey, eval.Bool(true)))
		f.onPatches(testcluster.Fault{DropAfter: true})
		result, err := f.commit(txn)
		f.want(eval.Applied, err)
		live := f.live()
		if !maps.Equal(live.Labels, map[string]string{"theirs": "1", "new": "1"}) || live.Annotations["note"] != "$patch" ||
			live.Immutable == nil || !*live.Immutable || live.Data["foo"] != "2" {
			t.Errorf("live: %+v", live)
		}
		if !maps.Equal(result.After.Labels(), live.Labels) || !maps.Equal(result.After.Annotations(), live.Annotations) {
			t.Errorf("after: %v %v", result.After.Labels(), result.After.Annotations())
		}

		// An immutable object still accepts changes of labels, and of nothing else.
		labels := &eval.Txn{Ref: f.ref, Keys: []eval.KeySwap{sets(eval.LabelKey("new"), two)}, RequireVersions: []eval.Version{v}, FieldManager: "engine"}
		_, err = f.commit(labels)
		f.want(eval.Applied, err)
		_, err = f.commit(f.txn(eval.KeySwap{Key: "foo", Expect: two, New: one}))
		var immutable *eval.ImmutableError
		if !errors.As(err, &immutable) {
			t.Errorf("%v, want that it is immutable", err)
		}
	})
}

func TestBadTxnDoesNotFailItsSiblings(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	errs := f.inOneBatch(
		f.committing(f.txn(eval.KeySwap{Key: "a", New: one}, guard("foo", one))),
		f.committing(f.txn(eval.KeySwap{Key: "b", New: one}, eval.KeySwap{Key: "not/valid", New: one})),
		f.committing(f.txn(eval.KeySwap{Key: "c", New: one}, eval.KeySwap{Key: "d", New: one})),
	)
	f.want(eval.Applied, errs[0])
	f.want(eval.Rejected, errs[1])
	f.want(eval.Applied, errs[2])
	f.wantData(map[string]string{"foo": "1", "a": "1", "c": "1", "d": "1"})
}

func TestRemovalOfSeveralKeysLeavesWhatIsGone(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1", "bar": "1", "other": "1"})
	v := f.version()
	remove := f.txn(eval.KeySwap{Key: "foo", Expect: one}, eval.KeySwap{Key: "bar", Expect: one}, eval.KeySwap{Key: "never", Expect: eval.Value{}})
	remove.IgnoreMissing, remove.ObservedAt, remove.RequireVersions = true, v, nil
	f.change(func(cm *corev1.ConfigMap) { delete(cm.Data, "bar") })
	_, err := f.commit(remove)
	f.want(eval.Applied, err)
	f.wantData(map[string]string{"other": "1"})
	f.set("foo", "9")
	_, err = f.commit(remove)
	f.wantFailed(err, "foo")
}

// Given a removal whose key was missing; when another writer creates the key again with the same value, and the
// removal is requested again; then the key is removed. This process has neither written the key nor adopted it.
func TestKeyThatWasGoneWasNotTakenOver(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	v := f.observe().Version()
	f.unset("foo", "other")
	for _, wrote := range []bool{false, true} {
		result, err := f.do(f.removing("foo", one, v))
		f.want(eval.Applied, err)
		if result.Wrote != wrote {
			t.Errorf("it was written: %t, want %t", result.Wrote, wrote)
		}
		if !wrote {
			f.set("foo", "1")
		}
	}
	f.wantData(map[string]string{"other": "foreign"})
}

// change changes the ConfigMap as another writer. It may be called from a proxy's hook.
func (f *fixture) change(change func(*corev1.ConfigMap)) {
	cm := f.live()
	change(cm)
	if _, err := f.objects().Update(context.Background(), cm, metav1.UpdateOptions{FieldManager: "foreign"}); err != nil {
		f.Error(err)
	}
}
