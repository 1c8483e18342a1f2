package cas

import (
	"context"
	"errors"
	"net/http"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// newEmptyFixture is a fixture whose ConfigMap is not there.
func newEmptyFixture(t *testing.T) *fixture {
	t.Helper()
	return newEmptyFixtureOf(t, eval.ConfigMap)
}

func newEmptyFixtureOf(t *testing.T, kind eval.Kind) *fixture {
	t.Helper()
	f := newFixtureOf(t, kind, nil)
	f.gone()
	return f
}

// gone deletes the ConfigMap as another writer. It may be called from a proxy's hook.
func (f *fixture) gone() {
	err := f.objects().Delete(context.Background(), f.ref.Name, metav1.DeleteOptions{})
	if err != nil {
		f.Error(err)
	}
}

// make creates the ConfigMap as another writer, of the same field manager. It may be called from a proxy's hook.
func (f *fixture) make(data map[string]string) {
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: f.ref.Name}, Data: data}
	_, err := f.objects().Create(context.Background(), cm, metav1.CreateOptions{FieldManager: "engine"})
	if err != nil {
		f.Error(err)
	}
}

func (f *fixture) exists() bool {
	f.Helper()
	_, err := f.objects().Get(context.Background(), f.ref.Name, metav1.GetOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		f.Fatal(err)
	}
	return err == nil
}

func (f *fixture) creation() *eval.Creation {
	return &eval.Creation{
		Ref: f.ref, FieldManager: "engine", Entries: map[string]eval.Value{"foo": one, "bytes": eval.Binary([]byte{1})},
		Labels: map[string]string{"a": "b"}, Annotations: map[string]string{"c": "d"},
	}
}

func (f *fixture) doCreate(n *eval.Creation) (TxnResult, error) {
	f.Helper()
	ctx, cancel := context.WithTimeout(f.Context(), ample)
	defer cancel()
	return f.engine.Create(ctx, n)
}

func (f *fixture) doRemove(at ...eval.Version) error {
	f.Helper()
	ctx, cancel := context.WithTimeout(f.Context(), ample)
	defer cancel()
	_, err := f.engine.Remove(ctx, &eval.Removal{Ref: f.ref, RequireVersions: at})
	return err
}

// onSends has what happens to the n-th request of a method from now on, counted from 0, decided by faults[n].
func (f *fixture) onSends(method string, faults ...func() testcluster.Fault) {
	n := 0
	f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
		if r.Method != method || n >= len(faults) {
			return testcluster.Fault{}
		}
		n++
		return faults[n-1]()
	})
}

func plain(fault testcluster.Fault) func() testcluster.Fault {
	return func() testcluster.Fault { return fault }
}

func TestCreateReadsFirstAndBeginsTheLineage(t *testing.T) {
	ofEachKind(t, func(of kinded) {
		t, kind := of.T, of.kind
		f := newEmptyFixtureOf(t, kind)
		result, err := f.doCreate(f.creation())
		f.want(eval.Applied, err)
		live := f.live()
		if live.Data["foo"] != "1" || live.Data["bytes"]+string(live.BinaryData["bytes"]) != "\x01" ||
			live.Labels["a"] != "b" || live.Annotations["c"] != "d" {
			t.Errorf("live %+v", live)
		}
		v := result.After.Version()
		if v != f.version() || f.proxy.Count() != 2 {
			t.Errorf("version %v after %d requests", v, f.proxy.Count())
		}
		_, err = f.do(f.swapping("foo", one, two, v))
		f.want(eval.Applied, err)
		f.want(eval.Applied, f.doRemove(v)) // through the swap
		if f.exists() || f.proxy.Count() != 4 {
			t.Errorf("exists %t after %d requests", f.exists(), f.proxy.Count())
		}
	})
}

func TestCreateOfWhatExistsIsAConflict(t *testing.T) {
	ofEachKind(t, func(of kinded) {
		t, kind := of.T, of.kind
		f := newFixtureOf(t, kind, map[string]string{"foo": "9"})
		v := f.version()
		_, err := f.doCreate(f.creation())
		f.want(eval.Conflict, err)
		var exists *eval.ExistsError
		if !errors.As(err, &exists) || exists.Live.Version() != v || f.version() != v {
			t.Errorf("%v", err)
		}
		_, err = f.engine.CheckCreate(t.Context(), f.creation(), ReadOnly)
		f.want(eval.Conflict, err)
	})
}

func TestCreateInNoNamespace(t *testing.T) {
	f := newEmptyFixture(t)
	n := f.creation()
	n.Ref.Namespace = "there-is-none"
	_, err := f.doCreate(n)
	f.want(eval.Rejected, err)
	var none *eval.NoNamespaceError
	if !errors.As(err, &none) {
		t.Errorf("%v, want that there is no namespace", err)
	}
	if _, err := f.engine.CheckCreate(t.Context(), n, ReadOnly); err != nil {
		t.Errorf("a look at what cannot be there: %v", err)
	}
}

func TestCreateWhoseAnswerGotLost(t *testing.T) {
	ofEachKind(t, func(of kinded) {
		t, kind := of.T, of.kind
		for name, test := range map[string]struct {
			checked bool // whether this process has seen that there was none
			fault   func(*fixture) testcluster.Fault
			want    eval.Verdict
		}{
			"it did not land": {false, func(*fixture) testcluster.Fault { return testcluster.Fault{DropBefore: true} }, eval.Applied},
			"503 before it landed": {false, func(*fixture) testcluster.Fault {
				return testcluster.Fault{Answer: testcluster.Busy(http.StatusServiceUnavailable)}
			}, eval.Applied},
			"it landed": {true, func(*fixture) testcluster.Fault { return testcluster.Fault{DropAfter: true} }, eval.Applied},
			"503 after it landed": {true, func(*fixture) testcluster.Fault {
				return testcluster.Fault{Answered: testcluster.BusyAfter(http.StatusServiceUnavailable)}
			}, eval.Applied},
			"it landed and was changed": {true, func(f *fixture) testcluster.Fault {
				return testcluster.Fault{Answered: func(*http.Response) { f.set("foo", "9") }, DropAfter: true}
			}, eval.Unknown},
			"it landed and nobody looked before": {false, func(*fixture) testcluster.Fault { return testcluster.Fault{DropAfter: true} }, eval.Applied},
			"another one came first": {true, func(f *fixture) testcluster.Fault {
				f.make(map[string]string{"foo": "9"})
				return testcluster.Fault{DropAfter: true}
			}, eval.Unknown},
			"it landed and was deleted": {true, func(f *fixture) testcluster.Fault {
				return testcluster.Fault{Answered: func(*http.Response) { f.gone() }, DropAfter: true}
			}, eval.Applied},
		} {
			t.Run(name, func(t *testing.T) {
				f := newEmptyFixtureOf(t, kind)
				if test.checked {
					if _, err := f.engine.CheckCreate(t.Context(), f.creation(), ReadOnly); err != nil {
						t.Fatal(err)
					}
				}
				f.onSends(http.MethodPost, func() testcluster.Fault { return test.fault(f) })
				result, err := f.doCreate(f.creation())
				f.want(test.want, err)
				if test.want == eval.Applied && err == nil && (result.After.Version() != f.version() || f.live().Data["foo"] != "1") {
					t.Errorf("result %v, live %+v", result.After.Version(), f.live())
				}
			})
		}
	})
}

func TestCreateThatIsOvertakenIsJudgedAgain(t *testing.T) {
	f := newEmptyFixture(t)
	f.onSends(http.MethodPost, func() testcluster.Fault {
		f.make(map[string]string{"foo": "9"})
		return testcluster.Fault{Answered: func(*http.Response) { f.gone() }} // gone again before anybody looks
	})
	_, err := f.doCreate(f.creation())
	f.want(eval.Applied, err)
}

func TestRemoveIsConditionalOnTheVersion(t *testing.T) {
	ofEachKind(t, func(of kinded) {
		t, kind := of.T, of.kind
		for name, seen := range map[string]bool{"seen by this process": true, "seen by another": false} {
			t.Run(name, func(t *testing.T) {
				f := newFixtureOf(t, kind, map[string]string{"foo": "1"})
				v := f.version()
				if seen {
					f.observe()
				}
				f.set("foo", "9")
				f.wantReason(eval.ReasonObject, f.doRemove(v))
				if !f.exists() {
					t.Error("it was deleted")
				}
				f.recreate(map[string]string{"foo": "1"})
				f.wantReason(eval.ReasonObject, f.doRemove(v))
				if !f.exists() {
					t.Error("another one was deleted")
				}
				f.want(eval.Applied, f.doRemove(f.version()))
				f.want(eval.Applied, f.doRemove(v)) // gone already
				if f.exists() {
					t.Error("it was not deleted")
				}
			})
		}
	})
}

func TestRemoveThatIsOvertakenIsAConflict(t *testing.T) {
	for name, drop := range map[string]bool{"the answer arrives": false, "the answer gets lost": true} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "1"})
			v := f.version()
			f.onSends(http.MethodDelete, func() testcluster.Fault {
				f.set("foo", "9")
				return testcluster.Fault{DropAfter: drop}
			})
			f.wantReason(eval.ReasonObject, f.doRemove(v))
			f.wantData(map[string]string{"foo": "9"})
		})
	}
}

func TestRemoveWhoseAnswerGotLost(t *testing.T) {
	ofEachKind(t, func(of kinded) {
		t, kind := of.T, of.kind
		for name, fault := range map[string]func(*fixture) testcluster.Fault{
			"it did not land": func(*fixture) testcluster.Fault { return testcluster.Fault{DropBefore: true} },
			"503 before it landed": func(*fixture) testcluster.Fault {
				return testcluster.Fault{Answer: testcluster.Busy(http.StatusServiceUnavailable)}
			},
			"it landed": func(*fixture) testcluster.Fault { return testcluster.Fault{DropAfter: true} },
			"429 after it landed": func(*fixture) testcluster.Fault {
				return testcluster.Fault{Answered: testcluster.BusyAfter(http.StatusTooManyRequests)}
			},
			"it landed and another one was made": func(f *fixture) testcluster.Fault {
				return testcluster.Fault{Answered: func(*http.Response) { f.make(map[string]string{"foo": "other"}) }, DropAfter: true}
			},
		} {
			t.Run(name, func(t *testing.T) {
				f := newFixtureOf(t, kind, map[string]string{"foo": "1"})
				v := f.version()
				f.onSends(http.MethodDelete, func() testcluster.Fault { return fault(f) })
				f.want(eval.Applied, f.doRemove(v))
				if f.exists() && f.live().Data["foo"] != "other" {
					t.Error("it was not deleted")
				}
			})
		}
	})
}

func TestRemoveOfWhatHasAFinalizerIsDoneWithItsDeletion(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	f.change(func(cm *corev1.ConfigMap) { cm.Finalizers = []string{"example.com/hold"} })
	f.want(eval.Applied, f.doRemove(f.version()))
	if f.live().DeletionTimestamp == nil {
		t.Error("it is not being deleted")
	}
	f.want(eval.Applied, f.doRemove(eval.Version{UID: f.version().UID, ResourceVersion: "1"})) // being deleted already
	f.change(func(cm *corev1.ConfigMap) { cm.Finalizers = nil })
}

// Entries of a ConfigMap are removed just before it, as in a destroy.
func TestRemoveFollowsItsEntriesRemovals(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1", "bar": "1"})
	v := f.version()
	f.engine = f.newEngine(f.proxy.Config)
	f.proxy.Reset()
	for _, key := range []string{"foo", "bar"} {
		s := f.removing(key, one, v, v)
		_, err := f.do(s)
		f.want(eval.Applied, err)
	}
	f.want(eval.Applied, f.doRemove(v))
	if f.exists() || f.proxy.Count() != 4 {
		t.Errorf("exists %t after %d requests", f.exists(), f.proxy.Count())
	}
}

func TestWholeObjectKeepsItsPlaceInTheQueue(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	for _, err := range f.inOneBatch(
		func() error { _, err := f.do(f.swapping("foo", one, two)); return err },
		func() error { return f.doRemove() },
		func() error { _, err := f.doCreate(f.creation()); return err },
		func() error { _, err := f.do(f.swapping("foo", one, three)); return err },
	) {
		f.want(eval.Applied, err)
	}
	f.wantData(map[string]string{"foo": "3"})
}

func TestCancelledCreateAndRemoveTellTheTruth(t *testing.T) {
	for name, sent := range map[string]bool{"before it is sent": false, "after it was sent": true} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "1"})
			v := f.version()
			ctx, cancel := context.WithCancel(t.Context())
			if !sent {
				cancel()
			}
			f.onEach(http.MethodDelete, func() testcluster.Fault {
				cancel()
				return testcluster.Fault{}
			})
			_, err := f.engine.Remove(ctx, &eval.Removal{Ref: f.ref, RequireVersions: []eval.Version{v}})
			if got := eval.VerdictOf(err); got == eval.Applied == f.exists() || got == eval.Unknown || sent && got != eval.Applied {
				t.Errorf("verdict %s (%v), exists %t", got, err, f.exists())
			}
		})
	}
}
