package cas

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

var one, two, three = eval.Text("1"), eval.Text("2"), eval.Text("3")

func TestSwapThatHoldsIsWritten(t *testing.T) {
	ofEachKind(t, func(of kinded) {
		t, kind := of.T, of.kind
		f := newFixtureOf(t, kind, map[string]string{"foo": "1", "bar": "kept"})
		result, err := f.do(f.swapping("foo", one, two))
		f.want(eval.Applied, err)
		f.wantData(map[string]string{"foo": "2", "bar": "kept"})
		if want := (Result{Version: f.version(), Previous: f.holding("1"), Stored: f.holding("2"), Wrote: true}); result != want {
			t.Errorf("result %+v, want %+v", result, want)
		}
		if gets, patches := f.proxy.Count(http.MethodGet), f.proxy.Count(http.MethodPatch); gets != 1 || patches != 1 {
			t.Errorf("%d reads and %d writes, want 1 and 1", gets, patches)
		}
	})
}

func TestSwapThatDoesNotHoldWritesNothing(t *testing.T) {
	ofEachKind(t, func(of kinded) {
		t, kind := of.T, of.kind
		f := newFixtureOf(t, kind, map[string]string{"foo": "3"})
		_, err := f.do(f.swapping("foo", one, two))
		f.wantReason(eval.ReasonKey, err)
		f.wantData(map[string]string{"foo": "3"})
		if n := f.proxy.Count(http.MethodPatch); n != 0 {
			t.Errorf("%d writes were sent", n)
		}
	})
}

func TestRemovalAfterAForeignWriteIsAConflict(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	v := f.version()
	f.set("bar", "foreign")
	_, err := f.do(f.removing("foo", one, v, v))
	f.wantReason(eval.ReasonObject, err)
	f.wantData(map[string]string{"foo": "1", "bar": "foreign"})

	_, err = f.do(f.removing("foo", one, v)) // judged by value
	f.want(eval.Applied, err)
	f.wantData(map[string]string{"bar": "foreign"})
}

func TestRecreatedObjectIsAConflictByVersionAndJudgedByValueOtherwise(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	v := f.version()
	f.recreate(map[string]string{"foo": "1"})
	_, err := f.do(f.swapping("foo", one, two, v))
	f.wantReason(eval.ReasonObject, err)
	_, err = f.do(f.removing("foo", one, eval.Version{UID: v.UID, ResourceVersion: f.version().ResourceVersion}, v))
	f.wantReason(eval.ReasonObject, err)
	f.wantData(map[string]string{"foo": "1"})
	_, err = f.do(f.swapping("foo", one, two))
	f.want(eval.Applied, err)
}

func TestAdoptionIsToldFromAReadOfItsOwn(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	if _, err := f.engine.Observe(t.Context(), f.ref, "", Fresh); err != nil {
		t.Fatal(err)
	}
	f.set("foo", "3")
	adopt := f.swapping("foo", eval.Value{}, one)
	adopt.IfEqual = eval.Adopt
	_, err := f.do(adopt)
	f.wantReason(eval.ReasonKey, err)

	// The same applies to a removal that has nothing left to do.
	f.set("bar", "back")
	_, err = f.do(f.removing("bar", eval.Text("back"), eval.Version{}))
	f.want(eval.Applied, err)
	f.wantData(map[string]string{"foo": "3"})
}

func TestWriteIsConditionalOnWhatWasJudged(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	// Another writer changes the same key between the read that the swap is evaluated on and the write.
	f.beforePatch(func() { f.set("foo", "foreign") })
	_, err := f.do(f.swapping("foo", one, two))
	f.wantReason(eval.ReasonKey, err)
	f.wantData(map[string]string{"foo": "foreign"})
}

func TestForeignWriteOfAnotherKeyIsNoConflictByValue(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	f.beforePatch(func() { f.set("bar", "foreign") })
	_, err := f.do(f.swapping("foo", one, two))
	f.want(eval.Applied, err)
	f.wantData(map[string]string{"foo": "2", "bar": "foreign"})
}

func TestPlainNotFoundIsNotAbsence(t *testing.T) {
	ofEachKind(t, func(of kinded) {
		t, kind := of.T, of.kind
		f := newFixtureOf(t, kind, map[string]string{"foo": "1"})
		e := f.newEngine(&rest.Config{Host: f.proxy.URL + "/nowhere", QPS: -1})
		seen, err := e.Observe(t.Context(), f.ref, "", 0)
		var refused *eval.RefusedError
		if !errors.As(err, &refused) || refused.Code != http.StatusNotFound {
			t.Errorf("observed %v (%v), want a refusal with 404", seen, err)
		}
		_, err = e.Swap(t.Context(), f.removing("foo", one, eval.Version{}))
		f.want(eval.Rejected, err)

		// As many proxies and other servers answer it.
		f.proxy.SetHook(func(*http.Request) testcluster.Fault {
			return testcluster.Fault{Answer: &testcluster.Answer{Status: http.StatusNotFound, Body: "404 page not found"}}
		})
		_, err = f.do(f.removing("foo", one, eval.Version{}))
		f.want(eval.Rejected, err)
		_, err = f.do(f.removing("foo", one, f.version()))
		f.want(eval.Rejected, err)
		f.wantData(map[string]string{"foo": "1"})
	})
}

func TestAbsentConfigMap(t *testing.T) {
	ofEachKind(t, func(of kinded) {
		t, kind := of.T, of.kind
		f := newFixtureOf(t, kind, nil)
		other := eval.Ref{Kind: kind, Namespace: f.ref.Namespace, Name: "none"}
		_, err := f.do(Swap{Ref: other, Key: "foo", New: two, FieldManager: "engine"})
		var notFound *eval.NotFoundError
		if !errors.As(err, &notFound) || notFound.Ref != other {
			t.Errorf("%v, want a NotFoundError", err)
		}
		_, err = f.do(Swap{Ref: other, Key: "foo", Expect: one, IgnoreMissing: true, ObservedAt: f.version(), FieldManager: "engine"})
		f.want(eval.Applied, err)
	})
}

func TestSiblingsOfOneObjectNeverConflict(t *testing.T) {
	ofEachKind(t, func(of kinded) {
		t, kind := of.T, of.kind
		const n = 100
		data := map[string]string{}
		for i := range n {
			data[fmt.Sprintf("k%d", i)] = "1"
		}
		f := newFixtureOf(t, kind, data)
		v := f.version()
		all := func(from, to eval.Value, make func(key string) Swap) {
			t.Helper()
			f.proxy.Reset()
			var wg sync.WaitGroup
			slots := make10()
			for i := range n {
				wg.Go(func() {
					slots <- struct{}{}
					defer func() { <-slots }()
					_, err := f.do(make(fmt.Sprintf("k%d", i)))
					f.want(eval.Applied, err)
				})
			}
			wg.Wait()
			t.Logf("%v to %v: %d swaps, 10 at a time, in %d requests", from, to, n, f.proxy.Count())
			if got := f.proxy.Count(); got > n {
				t.Errorf("%d requests for %d swaps", got, n)
			}
		}
		all(one, two, func(key string) Swap { return f.swapping(key, one, two, v) })
		for key := range data {
			data[key] = "2"
		}
		f.wantData(data)
		f.engine = f.newEngine(f.proxy.Config)
		v = f.version()
		all(two, eval.Value{}, func(key string) Swap { return f.removing(key, two, v, v) })
		f.wantData(nil)
	})
}

// make10 is a semaphore of as many slots as Terraform has by default.
func make10() chan struct{} { return make(chan struct{}, 10) }

func TestForeignWriteStopsAllThatWasNotWrittenYet(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "1", "b": "1"})
	v := f.version()
	_, err := f.do(f.swapping("a", one, two, v))
	f.want(eval.Applied, err)
	f.set("c", "foreign")
	_, err = f.do(f.swapping("b", one, two, v))
	f.wantReason(eval.ReasonObject, err)
	f.wantData(map[string]string{"a": "2", "b": "1", "c": "foreign"})
}

func TestSecondSwapOfOneKeyIsJudgedOnTheFirst(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	// Both wait behind a read, so that they are in one batch.
	arrived, release := f.holdReads(testcluster.Fault{})
	verdicts := make(chan eval.Verdict, 2)
	for _, to := range []eval.Value{two, three} {
		go func() {
			_, err := f.do(f.swapping("foo", one, to))
			verdicts <- eval.VerdictOf(err)
		}()
	}
	<-arrived
	close(release)
	got := map[eval.Verdict]int{}
	got[<-verdicts]++
	got[<-verdicts]++
	if got[eval.Applied] != 1 || got[eval.Conflict] != 1 {
		t.Errorf("verdicts %v, want one applied and one conflict", got)
	}
}

func TestOneBadEntryDoesNotFailItsSiblings(t *testing.T) {
	ofEachKind(t, func(of kinded) {
		t, kind := of.T, of.kind
		f := newFixtureOf(t, kind, map[string]string{"foo": "1"})
		arrived, release := f.holdReads(testcluster.Fault{})
		keys := []string{"a", "b", "not/allowed", "c", "d"}
		verdicts := make([]eval.Verdict, len(keys))
		var wg sync.WaitGroup
		for i, key := range keys {
			wg.Go(func() {
				_, err := f.do(f.swapping(key, eval.Value{}, one))
				verdicts[i] = eval.VerdictOf(err)
			})
		}
		<-arrived
		close(release)
		wg.Wait()
		for i, key := range keys {
			want := eval.Applied
			if key == "not/allowed" {
				want = eval.Rejected
			}
			if verdicts[i] != want {
				t.Errorf("%s: %s, want %s", key, verdicts[i], want)
			}
		}
		f.wantData(map[string]string{"foo": "1", "a": "1", "b": "1", "c": "1", "d": "1"})
	})
}

func TestKeyThatThisProcessWroteIsNotRemovedForAnOlderObservation(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	v := f.version()
	_, err := f.do(f.swapping("foo", one, two, v))
	f.want(eval.Applied, err)
	_, err = f.do(f.removing("foo", two, v))
	f.wantReason(eval.ReasonOwn, err)
	f.wantData(map[string]string{"foo": "2"})
	_, err = f.do(f.removing("foo", two, f.version()))
	f.want(eval.Applied, err)
}

func TestChecksWriteNothingAndShareReads(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	for range 20 {
		if _, err := f.engine.Check(t.Context(), f.swapping("foo", one, two).Txn(), ReadOnly); err != nil {
			t.Fatal(err)
		}
	}
	if n := f.proxy.Count(); n != 1 {
		t.Errorf("%d requests for 20 checks, want 1", n)
	}
	f.set("foo", "3")
	_, err := f.engine.Check(t.Context(), f.swapping("foo", three, two).Txn(), ReadOnly)
	f.want(eval.Applied, err) // what would refuse is read afresh
	_, err = f.engine.Check(t.Context(), f.swapping("foo", one, two).Txn(), ReadOnly)
	f.wantReason(eval.ReasonKey, err)
	f.wantData(map[string]string{"foo": "3"})
	if f.engine.HasWritten() {
		t.Error("a check counts as a swap")
	}
}

func TestCounterUnderContentionLosesNothing(t *testing.T) {
	const processes, each = 4, 10
	f := newFixture(t, map[string]string{"n": "0"})
	var wg sync.WaitGroup
	for range processes {
		e := f.newEngine(f.proxy.Config) // a writer of its own
		wg.Go(func() {
			for done := 0; done < each; {
				seen, err := e.Observe(t.Context(), f.ref, "", 0)
				if err != nil {
					t.Error(err)
					return
				}
				from, _ := seen.Value("n").Text()
				var n int
				if _, err := fmt.Sscan(from, &n); err != nil {
					t.Error(err)
					return
				}
				_, err = e.Swap(t.Context(), f.swapping("n", eval.Text(from), eval.Text(fmt.Sprint(n+1))))
				switch eval.VerdictOf(err) {
				case eval.Applied:
					done++
				case eval.Conflict:
				default:
					t.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	f.wantData(map[string]string{"n": fmt.Sprint(processes * each)})
}

func TestCallerWhoGivesUpWhileWaitingHasWrittenNothing(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1", "bar": "1"})
	first, release := f.unanswered()
	ctx, cancel := context.WithCancel(t.Context())
	second := f.beginFor(ctx, f.swapping("bar", one, two))
	cancel()
	var canceled *eval.CanceledError
	if err := <-second; !errors.As(err, &canceled) {
		t.Errorf("%v, want a CanceledError", err)
	}
	close(release)
	f.want(eval.Applied, <-first)
	f.wantData(map[string]string{"foo": "2", "bar": "1"})
}

// A strategic merge patch takes keys that begin with $ for directives. No ConfigMap may have one.
func TestKeyIsNeverTakenForADirective(t *testing.T) {
	ofEachKind(t, func(of kinded) {
		t, kind := of.T, of.kind
		f := newFixtureOf(t, kind, map[string]string{"foo": "1"})
		for _, key := range []string{"$patch", "$retainKeys", "$setElementOrder/foo", "$deleteFromPrimitiveList/foo"} {
			for _, value := range []string{"delete", "replace", "foo"} {
				_, err := f.do(f.swapping(key, eval.Value{}, eval.Text(value)))
				f.want(eval.Rejected, err)
			}
		}
		f.wantData(map[string]string{"foo": "1"})
	})
}
