package cas

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

var one, two, three = Text("1"), Text("2"), Text("3")

func TestSwapThatHoldsIsWritten(t *testing.T) {
	ofEachKind(t, func(of kinded) {
		t, kind := of.T, of.kind
		f := newFixtureOf(t, kind, map[string]string{"foo": "1", "bar": "kept"})
		result, err := f.do(f.swapping("foo", one, two))
		f.want(Applied, err)
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
		f.wantReason(ReasonKey, err)
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
	f.wantReason(ReasonObject, err)
	f.wantData(map[string]string{"foo": "1", "bar": "foreign"})

	_, err = f.do(f.removing("foo", one, v)) // judged by value
	f.want(Applied, err)
	f.wantData(map[string]string{"bar": "foreign"})
}

func TestRecreatedObjectIsAConflictByVersionAndJudgedByValueOtherwise(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	v := f.version()
	f.recreate(map[string]string{"foo": "1"})
	_, err := f.do(f.swapping("foo", one, two, v))
	f.wantReason(ReasonObject, err)
	_, err = f.do(f.removing("foo", one, Version{UID: v.UID, ResourceVersion: f.version().ResourceVersion}, v))
	f.wantReason(ReasonObject, err)
	f.wantData(map[string]string{"foo": "1"})
	_, err = f.do(f.swapping("foo", one, two))
	f.want(Applied, err)
}

func TestAdoptionIsToldFromAReadOfItsOwn(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	if _, err := f.engine.Observe(t.Context(), f.ref, "", Fresh); err != nil {
		t.Fatal(err)
	}
	f.set("foo", "3")
	adopt := f.swapping("foo", Entry{}, one)
	adopt.Held = HeldIsDone
	_, err := f.do(adopt)
	f.wantReason(ReasonKey, err)

	// The same applies to a removal that has nothing left to do.
	f.set("bar", "back")
	_, err = f.do(f.removing("bar", Text("back"), Version{}))
	f.want(Applied, err)
	f.wantData(map[string]string{"foo": "3"})
}

func TestWriteIsConditionalOnWhatWasJudged(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	// Another writer changes the same key between the read that the swap is judged on and the write.
	f.beforePatch(func() { f.set("foo", "foreign") })
	_, err := f.do(f.swapping("foo", one, two))
	f.wantReason(ReasonKey, err)
	f.wantData(map[string]string{"foo": "foreign"})
}

func TestForeignWriteOfAnotherKeyIsNoConflictByValue(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	f.beforePatch(func() { f.set("bar", "foreign") })
	_, err := f.do(f.swapping("foo", one, two))
	f.want(Applied, err)
	f.wantData(map[string]string{"foo": "2", "bar": "foreign"})
}

func TestPlainNotFoundIsNotAbsence(t *testing.T) {
	ofEachKind(t, func(of kinded) {
		t, kind := of.T, of.kind
		f := newFixtureOf(t, kind, map[string]string{"foo": "1"})
		e := f.newEngine(&rest.Config{Host: f.proxy.URL + "/nowhere", QPS: -1})
		seen, err := e.Observe(t.Context(), f.ref, "", 0)
		var refused *RefusedError
		if !errors.As(err, &refused) || refused.Code != http.StatusNotFound {
			t.Errorf("observed %v (%v), want a refusal with 404", seen, err)
		}
		_, err = e.Swap(t.Context(), f.removing("foo", one, Version{}))
		f.want(Rejected, err)

		// As many proxies and other servers answer it.
		f.proxy.SetHook(func(*http.Request) testcluster.Fault {
			return testcluster.Fault{Answer: &testcluster.Answer{Status: http.StatusNotFound, Body: "404 page not found"}}
		})
		_, err = f.do(f.removing("foo", one, Version{}))
		f.want(Rejected, err)
		_, err = f.do(f.removing("foo", one, f.version()))
		f.want(Rejected, err)
		f.wantData(map[string]string{"foo": "1"})
	})
}

func TestAbsentConfigMap(t *testing.T) {
	ofEachKind(t, func(of kinded) {
		t, kind := of.T, of.kind
		f := newFixtureOf(t, kind, nil)
		other := Ref{Kind: kind, Namespace: f.ref.Namespace, Name: "none"}
		_, err := f.do(Swap{Ref: other, Key: "foo", New: two, FieldManager: "engine"})
		var notFound *NotFoundError
		if !errors.As(err, &notFound) || notFound.Ref != other {
			t.Errorf("%v, want a NotFoundError", err)
		}
		_, err = f.do(Swap{Ref: other, Key: "foo", Expect: one, GoneIsDone: true, Seen: f.version(), FieldManager: "engine"})
		f.want(Applied, err)
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
		all := func(from, to Entry, make func(key string) Swap) {
			t.Helper()
			f.proxy.Reset()
			var wg sync.WaitGroup
			slots := make10()
			for i := range n {
				wg.Go(func() {
					slots <- struct{}{}
					defer func() { <-slots }()
					_, err := f.do(make(fmt.Sprintf("k%d", i)))
					f.want(Applied, err)
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
		all(two, Entry{}, func(key string) Swap { return f.removing(key, two, v, v) })
		f.wantData(nil)
	})
}

// make10 is a semaphore of as many slots as Terraform has by default.
func make10() chan struct{} { return make(chan struct{}, 10) }

func TestForeignWriteStopsAllThatWasNotWrittenYet(t *testing.T) {
	f := newFixture(t, map[string]string{"a": "1", "b": "1"})
	v := f.version()
	_, err := f.do(f.swapping("a", one, two, v))
	f.want(Applied, err)
	f.set("c", "foreign")
	_, err = f.do(f.swapping("b", one, two, v))
	f.wantReason(ReasonObject, err)
	f.wantData(map[string]string{"a": "2", "b": "1", "c": "foreign"})
}

func TestSecondSwapOfOneKeyIsJudgedOnTheFirst(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	// Both wait behind a read, so that they are in one batch.
	arrived, release := f.holdReads(testcluster.Fault{})
	verdicts := make(chan Verdict, 2)
	for _, to := range []Entry{two, three} {
		go func() {
			_, err := f.do(f.swapping("foo", one, to))
			verdicts <- VerdictOf(err)
		}()
	}
	<-arrived
	close(release)
	got := map[Verdict]int{}
	got[<-verdicts]++
	got[<-verdicts]++
	if got[Applied] != 1 || got[Conflict] != 1 {
		t.Errorf("verdicts %v, want one applied and one conflict", got)
	}
}

func TestOneBadEntryDoesNotFailItsSiblings(t *testing.T) {
	ofEachKind(t, func(of kinded) {
		t, kind := of.T, of.kind
		f := newFixtureOf(t, kind, map[string]string{"foo": "1"})
		arrived, release := f.holdReads(testcluster.Fault{})
		keys := []string{"a", "b", "not/allowed", "c", "d"}
		verdicts := make([]Verdict, len(keys))
		var wg sync.WaitGroup
		for i, key := range keys {
			wg.Go(func() {
				_, err := f.do(f.swapping(key, Entry{}, one))
				verdicts[i] = VerdictOf(err)
			})
		}
		<-arrived
		close(release)
		wg.Wait()
		for i, key := range keys {
			want := Applied
			if key == "not/allowed" {
				want = Rejected
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
	f.want(Applied, err)
	_, err = f.do(f.removing("foo", two, v))
	f.wantReason(ReasonOwn, err)
	f.wantData(map[string]string{"foo": "2"})
	_, err = f.do(f.removing("foo", two, f.version()))
	f.want(Applied, err)
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
	f.want(Applied, err) // what would refuse is read afresh
	_, err = f.engine.Check(t.Context(), f.swapping("foo", one, two).Txn(), ReadOnly)
	f.wantReason(ReasonKey, err)
	f.wantData(map[string]string{"foo": "3"})
	if f.engine.HasSwapped() {
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
				from, _ := seen.Entry("n").Text()
				var n int
				if _, err := fmt.Sscan(from, &n); err != nil {
					t.Error(err)
					return
				}
				_, err = e.Swap(t.Context(), f.swapping("n", Text(from), Text(fmt.Sprint(n+1))))
				switch VerdictOf(err) {
				case Applied:
					done++
				case Conflict:
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
	var canceled *CanceledError
	if err := <-second; !errors.As(err, &canceled) {
		t.Errorf("%v, want a CanceledError", err)
	}
	close(release)
	f.want(Applied, <-first)
	f.wantData(map[string]string{"foo": "2", "bar": "1"})
}

// A strategic merge patch takes keys that begin with $ for directives. No ConfigMap may have one.
func TestKeyIsNeverTakenForADirective(t *testing.T) {
	ofEachKind(t, func(of kinded) {
		t, kind := of.T, of.kind
		f := newFixtureOf(t, kind, map[string]string{"foo": "1"})
		for _, key := range []string{"$patch", "$retainKeys", "$setElementOrder/foo", "$deleteFromPrimitiveList/foo"} {
			for _, value := range []string{"delete", "replace", "foo"} {
				_, err := f.do(f.swapping(key, Entry{}, Text(value)))
				f.want(Rejected, err)
			}
		}
		f.wantData(map[string]string{"foo": "1"})
	})
}
