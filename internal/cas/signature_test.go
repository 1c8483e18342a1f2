package cas

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"unicode/utf8"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// take adds one to the number that foo holds, under a field manager of the engine alone, and gives what was there.
func take(ctx context.Context, e *Engine, ref Ref) (string, error) {
	next := func(live Entry) (Entry, error) {
		v, _ := live.Text()
		n, err := strconv.Atoi(v)
		return Text(strconv.Itoa(n + 1)), err
	}
	r, err := e.Commit(ctx, &Txn{Ref: ref, Keys: []KeySwap{{Key: "foo", Next: next}}, FieldManager: e.Signed("engine")})
	if err != nil {
		return "", err
	}
	was, _ := r.Previous["foo"].Text()
	return was, nil
}

// twin takes a number as another process does, past the proxy. It may be called from the proxy's hook.
func (f *fixture) twin(wants string) {
	e, err := New(f.cluster.Config, nil)
	if err != nil {
		f.Error(err)
		return
	}
	if got, err := take(context.Background(), e, f.ref); err != nil || got != wants {
		f.Errorf("the twin took %q (%v), want %q", got, err, wants)
	}
}

func TestSignedWriteIsToldFromATwins(t *testing.T) {
	tests := map[string]struct {
		managers int  // more than the API server keeps apart
		nobody   bool // is told to have written: the ConfigMap was made empty
		fault    func(f *fixture) testcluster.Fault
		took     string
		live     string
	}{
		"a twin wrote the same bytes instead": {
			fault: func(f *fixture) testcluster.Fault { f.twin("1"); return testcluster.Fault{DropBefore: true} },
			took:  "2", live: "3",
		},
		"a twin wrote the same bytes instead, where there are many managers": {
			managers: 12,
			fault:    func(f *fixture) testcluster.Fault { f.twin("1"); return testcluster.Fault{DropBefore: true} },
			took:     "2", live: "3",
		},
		"a twin wrote the same bytes before it, and it was refused": {
			fault: func(f *fixture) testcluster.Fault { f.twin("1"); return testcluster.Fault{DropAfter: true} },
			took:  "2", live: "3",
		},
		"a twin wrote the same bytes instead, where nobody is told to have written": {
			nobody: true,
			fault:  func(f *fixture) testcluster.Fault { f.twin("1"); return testcluster.Fault{DropBefore: true} },
			took:   "2", live: "3",
		},
		"it landed": {
			fault: func(*fixture) testcluster.Fault { return testcluster.Fault{DropAfter: true} },
			took:  "1", live: "2",
		},
		"it landed, where nobody is told to have written": {
			nobody: true,
			fault:  func(*fixture) testcluster.Fault { return testcluster.Fault{DropAfter: true} },
			took:   "1", live: "2",
		},
		"it landed, and a twin came after it": {
			fault: func(f *fixture) testcluster.Fault {
				return testcluster.Fault{Answered: func(*http.Response) { f.twin("2") }, DropAfter: true}
			},
			took: "1", live: "3",
		},
		"nothing landed": {
			fault: func(*fixture) testcluster.Fault { return testcluster.Fault{DropBefore: true} },
			took:  "1", live: "2",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "1"})
			f.crowd(test.managers)
			if test.nobody {
				f.remove()
				f.create(nil)
				f.set("foo", "1")
				if n := len(f.live().ManagedFields); n > 0 {
					t.Fatalf("the API server keeps account of %d managers", n)
				}
			}
			var patches atomic.Int32
			f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
				if r.Method == http.MethodPatch && patches.Add(1) == 1 {
					return test.fault(f)
				}
				return testcluster.Fault{}
			})
			took, err := take(t.Context(), f.engine, f.ref)
			f.want(Applied, err)
			if live := f.live().Data["foo"]; took != test.took || live != test.live {
				t.Errorf("took %q and left %q, want %q and %q", took, live, test.took, test.live)
			}
		})
	}
}

func (f *fixture) remove() {
	f.Helper()
	if err := f.objects().Delete(f.Context(), f.ref.Name, metav1.DeleteOptions{}); err != nil {
		f.Fatal(err)
	}
}

// crowd has so many managers write a key each.
func (f *fixture) crowd(managers int) {
	f.Helper()
	for i := range managers {
		cm := f.live()
		cm.Data[fmt.Sprintf("crowd%d", i)] = "1"
		if _, err := f.objects().Update(f.Context(), cm,
			metav1.UpdateOptions{FieldManager: fmt.Sprintf("crowd%d", i)}); err != nil {
			f.Fatal(err)
		}
	}
	isCrowded := slices.ContainsFunc(f.live().ManagedFields, func(m metav1.ManagedFieldsEntry) bool { return m.Manager == ancient })
	if managers > 0 && !isCrowded {
		f.Fatal("the API server keeps all managers apart")
	}
}

func TestSignedWriteIsSettledWithoutWatch(t *testing.T) {
	other := func(f *fixture) { f.set("bar", "foreign") }
	tests := map[string]struct {
		landed  bool
		then    func(*fixture)
		verdict Verdict
	}{
		"it landed":                                {landed: true, verdict: Applied},
		"it landed, and another key was written":   {landed: true, then: other, verdict: Applied},
		"it landed, and a twin came after it":      {landed: true, then: func(f *fixture) { f.twin("2") }, verdict: Unknown},
		"a twin wrote the same bytes instead":      {then: func(f *fixture) { f.twin("1") }, verdict: Unknown},
		"nothing landed, another key was written":  {then: other, verdict: Unknown},
		"nothing landed, and nobody else has been": {verdict: Applied},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "1", "bar": "1"})
			user := f.cluster.User(t, "signs-"+f.ref.Namespace, f.ref.Namespace, rbacv1.PolicyRule{
				APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"get", "patch"},
			})
			f.proxy = f.cluster.ProxyFor(t, user)
			f.engine = f.newEngine(f.proxy.Config)
			v := f.version()
			f.observe()
			then := func(*http.Response) {
				if test.then != nil {
					test.then(f)
				}
			}
			if test.landed {
				f.onPatches(testcluster.Fault{Answered: then, DropAfter: true})
			} else {
				var patches atomic.Int32
				f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
					if r.Method != http.MethodPatch || patches.Add(1) > 1 {
						return testcluster.Fault{}
					}
					then(nil)
					return testcluster.Fault{DropBefore: true}
				})
			}
			took, err := take(t.Context(), f.engine, f.ref)
			f.want(test.verdict, err)
			if err != nil {
				return
			}
			if took != "1" || f.live().Data["foo"] != "2" {
				t.Errorf("took %q and left %q, want 1 and 2", took, f.live().Data["foo"])
			}
			if test.then != nil { // somewhere between there was another's write
				_, err = f.do(f.swapping("bar", Text("foreign"), one, v))
				f.wantReason(ReasonObject, err)
			}
		})
	}
}

// Given a signed write whose answer got lost, and a watch that breaks off; when another watch would answer; then the version that the write
// made is found out, and not only that it landed: a swap that names the version before it is no conflict.
func TestSignedWriteIsSettledByAnotherWatchWhereOneBreaksOff(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1", "bar": "1"})
	v := f.version()
	f.observe()
	var patches, watches atomic.Int32
	f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
		switch {
		case r.Method == http.MethodPatch && patches.Add(1) == 1:
			return testcluster.Fault{DropAfter: true}
		case patches.Load() > 0 && isWatch(r.URL.Query()) && watches.Add(1) == 1:
			return testcluster.Fault{Answer: &testcluster.Answer{Status: 500, Body: "oops"}}
		}
		return testcluster.Fault{}
	})
	if _, err := take(t.Context(), f.engine, f.ref); err != nil {
		t.Fatal(err)
	}
	_, err := f.do(f.swapping("bar", one, two, v))
	f.want(Applied, err)
	if n := watches.Load(); n < 2 {
		t.Errorf("%d watches after the write, want one that fails and another", n)
	}
}

// Given a signed write that a look has shown to have landed, though the watch broke off; when another overwrites the key before the next
// look, and no watch is permitted any more; then the write is told as applied.
func TestWhatALookHasProvenStaysProven(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	f.observe()
	var patches, watches atomic.Int32
	f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
		switch {
		case r.Method == http.MethodPatch && patches.Add(1) == 1:
			return testcluster.Fault{DropAfter: true}
		case patches.Load() == 0 || !isWatch(r.URL.Query()):
			return testcluster.Fault{}
		case watches.Add(1) == 1:
			f.set("foo", "9")
			return testcluster.Fault{Answer: &testcluster.Answer{Status: 500, Body: "oops"}}
		default:
			return testcluster.Fault{Answer: &testcluster.Answer{Status: 403, Body: "no"}}
		}
	})
	took, err := take(t.Context(), f.engine, f.ref)
	f.want(Applied, err)
	if took != "1" || f.live().Data["foo"] != "9" || watches.Load() < 2 {
		t.Errorf("took %q, left %q, %d watches, want 1, 9 and two at least", took, f.live().Data["foo"], watches.Load())
	}
}

// Something between here and the API server may send a request again by itself.
func TestSignedWriteThatIsSentTwiceOnTheWayIsFoundOut(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	var patches atomic.Int32
	f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
		if r.Method != http.MethodPatch || patches.Add(1) > 1 {
			return testcluster.Fault{}
		}
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		again, err := http.NewRequestWithContext(context.Background(), r.Method, f.proxy.URL+r.URL.RequestURI(), bytes.NewReader(body))
		if err != nil {
			t.Error(err)
			return testcluster.Fault{}
		}
		again.Header = r.Header
		if response, err := http.DefaultClient.Do(again); err != nil || response.StatusCode != http.StatusOK {
			t.Errorf("%v, %v", response, err)
		} else {
			_ = response.Body.Close()
		}
		return testcluster.Fault{} // whose answer is a 409
	})
	took, err := take(t.Context(), f.engine, f.ref)
	f.want(Applied, err)
	if took != "1" || patches.Load() != 2 {
		t.Errorf("took %q with %d patches, want 1 with 2", took, patches.Load())
	}
	f.wantData(map[string]string{"foo": "2"})
}

func TestWhatIsComputedIsNeverAJSONPatch(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	f.contend()
	took, err := take(t.Context(), f.engine, f.ref)
	f.want(Applied, err)
	if n := f.jsonPatches(); took != "1" || n != 0 {
		t.Errorf("took %q with %d JSON Patches, want 1 with none", took, n)
	}
}

func TestWhatNextRefusesIsNotWritten(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "one"})
	_, err := take(t.Context(), f.engine, f.ref)
	f.want(Rejected, err)
	if !errors.Is(err, strconv.ErrSyntax) || f.proxy.Count(http.MethodPatch) != 0 {
		t.Errorf("%v, with %d patches", err, f.proxy.Count(http.MethodPatch))
	}
}

func TestSignature(t *testing.T) {
	t.Parallel()
	a, b := newSignature(), newSignature()
	if a == b {
		t.Errorf("two Engines sign with %s", a)
	}
	for _, name := range []string{"engine", "", strings.Repeat("m", 128), strings.Repeat("é", 64)} {
		manager := a.sign(name)
		if len(manager) > 128 || !utf8.ValidString(manager) || !strings.HasSuffix(manager, string(a)) || strings.HasSuffix(manager, string(b)) {
			t.Errorf("%q is signed as %q", name, manager)
		}
	}
}

// Given a signed key that is ours since before; when another key is written before our next write, which is refused; then that the key is ours
// does not prove that it landed: it does not hold what was sent.
func TestSignedKeyThatIsOursSinceBeforeProvesNothing(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	_, err := take(t.Context(), f.engine, f.ref)
	f.want(Applied, err)
	f.proxy.Reset()
	f.onSends(http.MethodPatch, func() testcluster.Fault {
		f.set("bar", "9")
		return testcluster.Fault{}
	})
	took, err := take(t.Context(), f.engine, f.ref)
	f.want(Applied, err)
	if took != "2" || f.live().Data["foo"] != "3" {
		t.Errorf("took %q and left %q, want 2 and 3", took, f.live().Data["foo"])
	}
}
