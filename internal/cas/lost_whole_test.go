package cas

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// recreates deletes the object and creates one with data, under a field manager.
func recreates(manager string, data map[string]string) func(*fixture) {
	return func(f *fixture) {
		f.gone()
		f.makeAs(manager, data)
	}
}

func TestLostCreation(t *testing.T) {
	t.Parallel()
	nothing, foo := func(*fixture) {}, map[string]string{"foo": "1"}
	for name, test := range map[string]struct {
		isEmpty, isDelivered bool
		interfere            func(*fixture)
		applied              int // requests
		want                 eval.Verdict
	}{
		"a lost request":                     {false, false, nothing, 1, eval.Applied},
		"a lost response":                    {false, true, nothing, 1, eval.Applied},
		"a lost request of an empty object":  {true, false, nothing, 1, eval.Applied},
		"a lost response of an empty object": {true, true, nothing, 1, eval.Unknown},
		"another writer changes the object":  {false, true, setBy("other", "foo", "2"), 1, eval.Unknown},
		"another writer adds a key":          {false, true, setBy("other", "bar", "2"), 1, eval.Unknown},
		"another writer changes the object and restores it": {
			false, true, follows(setBy("other", "foo", "2"), setBy("other", "foo", "1")), 1, eval.Unknown,
		},
		"managedFields are stripped":                        {false, true, strips, 1, eval.Unknown},
		"the created object is deleted":                     {false, true, (*fixture).gone, 2, eval.Applied},
		"the created object is recreated by another writer": {false, true, recreates("other", foo), 1, eval.Unknown},
		"another writer creates the same object": {
			false, false, func(f *fixture) { f.makeAs("other", foo) }, 0, eval.Unknown,
		},
		"another writer creates the same empty object": {
			true, false, func(f *fixture) { f.makeAs("other", nil) }, 0, eval.Unknown,
		},
		"another writer creates another object": {
			false, false, func(f *fixture) { f.makeAs("other", map[string]string{"foo": "2"}) }, 0, eval.Unknown,
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newEmptyFixture(t)
			f.engine.limits.settle = ample
			n := &eval.Creation{Ref: f.ref, FieldManager: "engine"}
			if !test.isEmpty {
				n.Entries = map[string]eval.Value{"foo": one}
			}
			f.lose(http.MethodPost, test.isDelivered, func() { test.interfere(f) })
			_, err := f.doCreate(n)
			f.want(test.want, err)
			if got := f.applied(); got != test.applied {
				t.Errorf("the API server applied %d requests, want %d", got, test.applied)
			}
		})
	}
}

// A creation of unknown outcome may have created the object in the place of a later creation.
func TestLostCreationAfterAnUnknownOne(t *testing.T) {
	f := newEmptyFixture(t)
	f.engine.limits.settle = ample
	l := f.late()
	// the first request arrives just before the second one, which is lost
	l.holds(http.MethodPost, testcluster.Fault{DropBefore: true})
	n := &eval.Creation{Ref: f.ref, FieldManager: "engine", Entries: map[string]eval.Value{"foo": one}}
	f.want(eval.Unknown, l.leaves(func(ctx context.Context) error {
		_, err := f.engine.Create(ctx, n)
		return err
	}))
	_, err := f.doCreate(n)
	f.want(eval.Unknown, err)
}

func TestLostDeletion(t *testing.T) {
	t.Parallel()
	nothing, foo := func(*fixture) {}, map[string]string{"foo": "1"}
	isDeleting := func(f *fixture) {
		f.change(func(cm *corev1.ConfigMap) { cm.Finalizers = []string{"example.com/hold"} })
		f.Cleanup(func() { f.change(func(cm *corev1.ConfigMap) { cm.Finalizers = nil }) })
	}
	for name, test := range map[string]struct {
		arrange     func(*fixture)
		isDelivered bool
		interfere   func(*fixture)
		want        eval.Verdict
	}{
		"a lost request":                             {nothing, false, nothing, eval.Applied},
		"a lost response":                            {nothing, true, nothing, eval.Applied},
		"a lost response, and a finalizer":           {isDeleting, true, nothing, eval.Applied},
		"another writer deletes the object":          {nothing, false, (*fixture).gone, eval.Applied},
		"another writer deletes it, and a finalizer": {isDeleting, false, (*fixture).gone, eval.Applied},
		"another writer recreates the object":        {nothing, false, recreates("other", foo), eval.Applied},
		"another writer creates the object again": {
			nothing, true, func(f *fixture) { f.makeAs("other", foo) }, eval.Applied,
		},
		"another writer changes the object": {nothing, false, setBy("other", "foo", "2"), eval.Conflict},
		"another writer changes the object, and undoes": {
			nothing, false, follows(setBy("other", "foo", "2"), setBy("other", "foo", "1")), eval.Conflict,
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, foo)
			f.engine.limits.settle = ample
			test.arrange(f)
			v := f.version()
			f.lose(http.MethodDelete, test.isDelivered, func() { test.interfere(f) })
			err := f.doRemove(v)
			f.want(test.want, err)
			isThere := f.exists() && f.live().UID == types.UID(v.UID) && f.live().DeletionTimestamp == nil
			if isThere == (eval.VerdictOf(err) == eval.Applied) {
				t.Errorf("verdict %s, and the object is there: %t", eval.VerdictOf(err), isThere)
			}
		})
	}
}

// The API server refuses a deletion of another object with 409. No response is lost, so nothing was deleted.
func TestDeletionOfARecreatedObjectIsAConflict(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	v := f.version()
	f.onSends(http.MethodDelete, func() testcluster.Fault {
		recreates("other", map[string]string{"foo": "1"})(f)
		return testcluster.Fault{}
	})
	f.want(eval.Conflict, f.doRemove(v))
	if !f.exists() {
		t.Error("another object was deleted")
	}
}

// together makes calls while a read is held, so that they go into one request, and returns their errors.
func (f *fixture) together(hook func(*http.Request) testcluster.Fault, calls ...func() error) []error {
	f.Helper()
	arrived, release := f.observing(hook)
	<-arrived
	answers := make([]chan error, len(calls))
	for n, call := range calls {
		answers[n] = make(chan error, 1)
		go func() { answers[n] <- call() }()
		f.queued(n + 1)
	}
	f.proxy.Reset()
	close(release)
	errs := make([]error, len(calls))
	for n, answer := range answers {
		errs[n] = <-answer
	}
	return errs
}

// Numbers may be skipped, and are never given out twice.
func TestLostResponseOfACounter(t *testing.T) {
	t.Parallel()
	nothing := func(*fixture) {}
	for name, test := range map[string]struct {
		callers     int
		isDelivered bool
		interfere   func(*fixture)
		want        []int64 // none: the outcome is unknown
		foo         string
	}{
		"a lost request":                             {1, false, nothing, []int64{5}, "6"},
		"a lost response":                            {1, true, nothing, []int64{6}, "7"},
		"three callers, a lost request":              {3, false, nothing, []int64{5, 6, 7}, "8"},
		"three callers, a lost response":             {3, true, nothing, []int64{8, 9, 10}, "11"},
		"another process took a number":              {1, false, setBy("other", "foo", "6"), []int64{6}, "7"},
		"another process took the number after ours": {1, true, setBy("other", "foo", "7"), []int64{7}, "8"},
		"another process took a number under our name": {
			1, false, setBy("engine", "foo", "6"), []int64{6}, "7",
		},
		"another key changes after an applied request":        {1, true, setBy("other", "bar", "2"), []int64{6}, "7"},
		"another key changes in the place of a lost request":  {1, false, setBy("other", "bar", "2"), []int64{5}, "6"},
		"the key contains no number after an applied request": {1, true, setBy("other", "foo", "x"), nil, "x"},
		"the key contains no number, and the request is lost": {1, false, setBy("other", "foo", "x"), nil, "x"},
		"the object is deleted after an applied request":      {1, true, (*fixture).gone, nil, ""},
		"the object becomes immutable after an applied request": {1, true, updates(func(cm *corev1.ConfigMap) {
			cm.Immutable = new(true)
		}), nil, "6"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "5", "bar": "1"})
			f.engine.limits.settle = ample
			numbers := make([]Taken, test.callers)
			var calls []func() error
			for n := range test.callers {
				calls = append(calls, func() (err error) {
					numbers[n], err = f.takes()
					return err
				})
			}
			var got []int64
			for n, err := range f.together(loses(http.MethodPatch, test.isDelivered,
				func() { test.interfere(f) }), calls...) {
				if test.want == nil {
					f.want(eval.Unknown, err)
					continue
				}
				f.want(eval.Applied, err)
				got = append(got, numbers[n].Number)
			}
			if slices.Sort(got); !slices.Equal(got, test.want) {
				t.Errorf("numbers %d, want %d", got, test.want)
			}
			if test.foo != "" && f.live().Data["foo"] != test.foo {
				t.Errorf("foo is %s, want %s", f.live().Data["foo"], test.foo)
			}
		})
	}
}

// A caller leaves after the response of its number was lost, at once or at the next request. The error says that the
// outcome is unknown.
func TestCallerOfACounterLeavesAfterALostResponse(t *testing.T) {
	t.Parallel()
	t.Run("at the lost response", func(t *testing.T) {
		f := newFixture(t, map[string]string{"foo": "5"})
		ctx, leave := context.WithCancel(t.Context())
		f.lose(http.MethodPatch, true, leave)
		f.want(eval.Unknown, (<-f.taking(ctx, "foo")).err)
	})
	t.Run("at the next request", func(t *testing.T) {
		f := newFixture(t, map[string]string{"foo": "5"})
		ctx, leave := context.WithCancel(t.Context())
		lost, arrived, release := loses(http.MethodPatch, true, func() {}), make(chan struct{}), make(chan struct{})
		f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
			if f.proxy.Count(http.MethodPatch) < 2 {
				return lost(r)
			}
			close(arrived)
			return testcluster.Fault{HoldBefore: release}
		})
		answer := f.taking(ctx, "foo")
		<-arrived
		leave()
		for range 1000 {
			if len(answer) > 0 {
				t.Error("the caller did not wait for the response")
				break
			}
			runtime.Gosched()
		}
		close(release)
		got := <-answer
		f.want(eval.Applied, got.err)
		if got.Number != 6 {
			t.Errorf("took %d, want 6", got.Number)
		}
	})
}

// A caller leaves after the read that follows a lost response. The number may be taken, and the error says only that.
func TestCallerOfACounterLeavesBeforeTheNextRequest(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "5"})
	f.engine.limits.settle = ample
	ctx, leave := context.WithCancel(t.Context())
	f.lose(http.MethodPatch, true, func() {
		f.onEach(http.MethodGet, func() testcluster.Fault {
			return testcluster.Fault{Answered: func(*http.Response) { leave() }}
		})
	})
	got := <-f.taking(ctx, "foo")
	f.want(eval.Unknown, got.err)
	if strings.Contains(got.err.Error(), "nothing was written") {
		t.Error(got.err)
	}
}

var errFull = errors.New("all places are taken")

// seat returns an allocation of one of three places in the key foo. It first looks for its own id.
func (f *fixture) seat(id string) Computed {
	return Computed{Ref: f.ref, Key: "foo", FieldManager: "engine", Next: func(live eval.Value) (eval.Value, error) {
		taken := strings.Fields(live.Raw())
		switch {
		case slices.Contains(taken, id):
			return live, nil
		case len(taken) == 3:
			return eval.Value{}, errFull
		}
		return eval.Text(strings.Join(append(taken, id), " ")), nil
	}}
}

func TestLostResponseOfAnAllocation(t *testing.T) {
	t.Parallel()
	nothing := func(*fixture) {}
	for name, test := range map[string]struct {
		isDelivered bool
		interfere   func(*fixture)
		want        eval.Verdict
		foo         string
	}{
		"a lost request":  {false, nothing, eval.Applied, "a me"},
		"a lost response": {true, nothing, eval.Applied, "a me"},
		"another allocation comes first": {
			false, setBy("other", "foo", "a b"), eval.Applied, "a b me",
		},
		"another allocation comes after ours": {
			true, setBy("other", "foo", "a me b"), eval.Applied, "a me b",
		},
		"ours is released by another writer": {true, setBy("other", "foo", "a"), eval.Applied, "a me"},
		"ours is replaced": {
			true, setBy("other", "foo", "a b c"), eval.Unknown, "a b c",
		},
		"others take all places, and the request is lost": {
			false, setBy("other", "foo", "a b c"), eval.Unknown, "a b c",
		},
		"the object is deleted after an applied request": {true, (*fixture).gone, eval.Unknown, ""},
		"another key changes after an applied request":   {true, setBy("other", "bar", "2"), eval.Applied, "a me"},
		"another process allocates our id under our name, before": {
			false, setBy("engine", "foo", "a me"), eval.Applied, "a me",
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "a"})
			f.engine.limits.settle = ample
			f.lose(http.MethodPatch, test.isDelivered, func() { test.interfere(f) })
			_, err := f.engine.Compute(t.Context(), f.seat("me"))
			f.want(test.want, err)
			if test.foo != "" && f.live().Data["foo"] != test.foo {
				t.Errorf("foo is %q, want %q", f.live().Data["foo"], test.foo)
			}
		})
	}
}

func TestLostResponseOfABatch(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		isDelivered bool
		interfere   func(*fixture)
		want        eval.Verdict
	}{
		"nothing else happens to a lost request": {false, func(*fixture) {}, eval.Applied},
		"nothing else happens to an applied one": {true, func(*fixture) {}, eval.Applied},
		"another key changes":                    {true, setBy("other", "bar", "2"), eval.Applied},
		"one key is overwritten":                 {true, setBy("other", "key-3", "3"), eval.Unknown},
		"another writer writes one value":        {false, setBy("other", "key-3", "2"), eval.Unknown},
		"another writer writes one value, afterwards": {
			true, follows(setBy("other", "key-3", "3"), setBy("other", "key-3", "2")), eval.Unknown,
		},
	} {
		t.Run(name, func(t *testing.T) {
			data := map[string]string{"bar": "1"}
			for n := range 5 {
				data[fmt.Sprintf("key-%d", n)] = "1"
			}
			f := newFixture(t, data)
			f.engine.limits.settle = ample
			var calls []func() error
			for n := range 5 {
				calls = append(calls, func() error {
					_, err := f.do(f.swapping(fmt.Sprintf("key-%d", n), one, two))
					return err
				})
			}
			for _, err := range f.together(loses(http.MethodPatch, test.isDelivered,
				func() { test.interfere(f) }), calls...) {
				f.want(test.want, err)
			}
			if applied := f.applied(); applied > 1 || test.want == eval.Applied && applied != 1 {
				t.Errorf("the API server applied %d requests", applied)
			}
		})
	}
}

// The chain of versions goes on through a lost response only if nothing else changed.
func TestChainThroughALostResponse(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		interfere func(*fixture)
		want      eval.Verdict
	}{
		"nothing else changes":                     {func(*fixture) {}, eval.Applied},
		"another key changes":                      {setBy("other", "baz", "2"), eval.Conflict},
		"another key changes by the creator of it": {setBy("cas.test", "baz", "2"), eval.Conflict},
		"another writer applies the same value":    {appliesText("foo", "2"), eval.Conflict},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "1", "bar": "1", "baz": "1"})
			v := f.version()
			f.lose(http.MethodPatch, true, func() { test.interfere(f) })
			_, err := f.do(f.swapping("foo", one, two, v))
			f.want(eval.Applied, err)
			_, err = f.do(f.swapping("bar", one, two, v))
			f.want(test.want, err)
		})
	}
}

// A write ends unknown, and its request is still on its way. A later write on the same version is applied, and
// its response is lost: the object does not show which of the two it was.
func TestLostWriteAfterAnUnknownOneOnTheSameVersion(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		between func(*fixture)
		fault   testcluster.Fault
		want    eval.Verdict
	}{
		"the later one is applied, and its response is lost": {
			func(*fixture) {}, testcluster.Fault{DropAfter: true}, eval.Unknown,
		},
		"the later one is applied": {func(*fixture) {}, testcluster.Fault{}, eval.Applied},
		"the later one is on another version": {
			setBy("other", "bar", "2"), testcluster.Fault{DropAfter: true}, eval.Applied,
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "1", "bar": "1"})
			f.engine.limits = limits{grace: 2 * reportTime, read: reportTime, settle: ample}
			held, sent := make(chan struct{}), make(chan struct{})
			f.onEach(http.MethodPatch, func() testcluster.Fault {
				select {
				case <-sent:
				default:
					close(sent)
				}
				return testcluster.Fault{HoldBefore: held}
			})
			ctx, leave := context.WithCancel(t.Context())
			unknown := f.beginFor(ctx, f.swapping("foo", one, two))
			<-sent
			leave()
			f.want(eval.Unknown, <-unknown)
			test.between(f)
			f.observe() // waits for the end of the first request, which is sent again while nothing has changed
			var once sync.Once
			f.onEach(http.MethodPatch, func() (fault testcluster.Fault) {
				once.Do(func() { fault = test.fault })
				return fault
			})
			f.proxy.Reset()
			_, err := f.do(f.swapping("foo", one, two))
			f.want(test.want, err)
			if applied := f.applied(); applied != 1 {
				t.Errorf("the API server applied %d requests, want 1", applied)
			}
			close(held)
		})
	}
}

// A caller leaves in the moment in which its write is applied. It never learns that nothing was written.
func TestCallerLeavesWhenItsWriteIsApplied(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]testcluster.Fault{
		"its response arrives": {},
		"its response is lost": {DropAfter: true},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "0", "bar": "0"})
			f.engine.limits.settle = ample
			for n := range 30 {
				ctx, leave := context.WithCancel(t.Context())
				from, to := eval.Text(fmt.Sprint(n)), eval.Text(fmt.Sprint(n+1))
				var once sync.Once
				leaves := func(r *http.Request) (lost testcluster.Fault) {
					if r.Method == http.MethodPatch {
						once.Do(func() {
							lost = fault
							lost.Answered = func(*http.Response) { go leave() }
						})
					}
					return lost
				}
				for _, err := range f.together(leaves, func() error {
					_, err := f.engine.Swap(ctx, f.swapping("foo", from, to))
					return err
				}, func() error {
					_, err := f.do(f.swapping("bar", from, to))
					return err
				}) {
					f.want(eval.Applied, err)
				}
				leave()
			}
		})
	}
}

// delay loses the first request of a method. It arrives just before the repeated one.
func (f *fixture) delay(method string) {
	client, err := rest.HTTPClientFor(f.cluster.Config)
	if err != nil {
		f.Fatal(err)
	}
	var first *http.Request
	f.proxy.Reset()
	f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
		switch {
		case r.Method != method:
		case f.proxy.Count(method) == 1:
			body, _ := io.ReadAll(r.Body)
			first, err = http.NewRequestWithContext(f.Context(), method,
				strings.TrimSuffix(f.cluster.Config.Host, "/")+r.URL.RequestURI(),
				bytes.NewReader(body))
			if err != nil {
				f.Error(err)
			}
			first.Header = r.Header
			return testcluster.Fault{DropBefore: true}
		case f.proxy.Count(method) == 2:
			response, err := client.Do(first)
			if err != nil {
				f.Error(err)
				break
			}
			if _ = response.Body.Close(); response.StatusCode >= http.StatusBadRequest {
				f.Errorf("the delayed request was not applied: %s", response.Status)
			}
		}
		return testcluster.Fault{}
	})
}

func TestLostRequestThatArrivesBeforeItsRepeat(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		method string
		call   func(*fixture) error
		want   eval.Verdict
	}{
		"a swap": {
			http.MethodPatch, func(f *fixture) error { _, err := f.do(f.swapping("foo", one, two)); return err },
			eval.Applied,
		},
		"a removal": {
			http.MethodPatch, func(f *fixture) error {
				_,
					err := f.do(f.swapping("foo", one, eval.Value{}))
				return err
			}, eval.Unknown,
		},
		"a removal that ignores a missing key": {
			http.MethodPatch, func(f *fixture) error {
				_,
					err := f.do(f.removing("foo", one, f.version()))
				return err
			}, eval.Applied,
		},
		"a creation": {
			http.MethodPost, func(f *fixture) error {
				f.ref.Name = "other"
				_,
					err := f.doCreate(f.creation())
				return err
			}, eval.Applied,
		},
		"a deletion": {
			http.MethodDelete, func(f *fixture) error { return f.doRemove(f.version()) }, eval.Applied,
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "1", "bar": "1"})
			f.engine.limits.settle = ample
			f.delay(test.method)
			f.want(test.want, test.call(f))
			if n := f.proxy.Count(test.method); n != 2 {
				t.Errorf("%d requests, want 2", n)
			}
		})
	}
}
