package cas

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// One failed read shows nothing about the object.

// failures are how a read can fail once.
func failures() map[string]testcluster.Fault {
	plain := &testcluster.Answer{Status: http.StatusServiceUnavailable, Body: "no healthy upstream"}
	return map[string]testcluster.Fault{
		"500":                            {Answer: internalError("etcdserver: leader changed")},
		"503":                            {Answer: plain},
		"502":                            {Answer: &testcluster.Answer{Status: http.StatusBadGateway, Body: "bad gateway"}},
		"504":                            {Answer: status(http.StatusGatewayTimeout, "Timeout", "request did not complete within the allotted timeout")},
		"429":                            {Answer: &testcluster.Answer{Status: http.StatusTooManyRequests, Body: "slow down"}},
		"the connection breaks":          {DropBefore: true},
		"the connection breaks after it": {DropAfter: true},
	}
}

// Given two swaps of different keys that go in one request, which is refused because another wrote first; when the read after it
// fails once; then both are applied.
func TestOneFailedLookAfterARefusalDoesNotFailTheSwaps(t *testing.T) {
	for name, fault := range failures() {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "1", "bar": "1"})
			refused, failed := false, false
			arrived, release := f.observing(func(r *http.Request) testcluster.Fault {
				switch {
				case r.Method == http.MethodPatch && !refused:
					refused = true
					f.set("other", "9")
				case r.Method == http.MethodGet && refused && !failed:
					failed = true
					return fault
				}
				return testcluster.Fault{}
			})
			<-arrived
			foo := f.begin(f.swapping("foo", one, two))
			f.queued(1)
			bar := f.begin(f.swapping("bar", one, two))
			f.queued(2)
			close(release)
			f.want(eval.Applied, <-foo)
			f.want(eval.Applied, <-bar)
			f.wantData(map[string]string{"foo": "2", "bar": "2", "other": "9"})
			if !failed {
				t.Error("no read failed")
			}
		})
	}
}

// Given two swaps that wait for one read; when it fails, as a watch that begins with what is there and then as a plain read; then both
// are applied.
func TestOneFailedReadDoesNotFailTheSwapsThatWaitForIt(t *testing.T) {
	for name, fault := range failures() {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "1", "bar": "1"})
			held, reads := make(chan struct{}), 0
			first := make(chan struct{})
			f.onEach(http.MethodGet, func() testcluster.Fault {
				switch reads++; reads {
				case 1:
					close(first)
					failing := fault
					failing.HoldBefore = held
					return failing
				case 2:
					return fault
				default:
					return testcluster.Fault{}
				}
			})
			foo := f.begin(f.swapping("foo", one, two))
			<-first
			bar := f.begin(f.swapping("bar", one, two))
			f.queued(1)
			close(held)
			f.want(eval.Applied, <-foo)
			f.want(eval.Applied, <-bar)
			f.wantData(map[string]string{"foo": "2", "bar": "2"})
			if reads < 3 {
				t.Errorf("%d reads, want two that fail and another", reads)
			}
		})
	}
}

// Given a removal and a creation that are refused because another came first; when the look after it fails once; then both are
// evaluated on what is there.
func TestOneFailedLookDoesNotFailWhatIsAboutTheObject(t *testing.T) {
	for name, fault := range failures() {
		failOnce := func(f *fixture, method string, before func()) {
			refused, failed := false, false
			f.Cleanup(func() {
				if !failed {
					f.Error("no read failed")
				}
			})
			f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
				switch {
				case r.Method == method && !refused:
					refused = true
					before()
				case r.Method == http.MethodGet && refused && !failed:
					failed = true
					return fault
				}
				return testcluster.Fault{}
			})
		}
		t.Run("removal, "+name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "1"})
			v := f.version()
			failOnce(f, http.MethodDelete, func() { f.set("other", "9") })
			f.wantReason(eval.ReasonObject, f.doRemove(v))
		})
		t.Run("creation, "+name, func(t *testing.T) {
			f := newEmptyFixture(t)
			failOnce(f, http.MethodPost, func() { f.make(map[string]string{"foo": "9"}) })
			_, err := f.doCreate(f.creation())
			f.want(eval.Conflict, err)
			if !errors.As(err, new(*eval.ExistsError)) {
				t.Errorf("%v, want that it exists", err)
			}
		})
	}
}

// Given reads that always fail; when a swap is asked for, or refused because another wrote first; then the error has
// the cause, after ten reads at most, whatever the API server asks to wait, and nothing was written.
func TestReadsThatAlwaysFailAreToldAfterAFew(t *testing.T) {
	for code, answer := range map[int]*testcluster.Answer{
		http.StatusInternalServerError: internalError("etcdserver: no leader"),
		http.StatusTooManyRequests:     testcluster.Busy(http.StatusTooManyRequests),
		http.StatusServiceUnavailable:  busyFor(time.Hour, http.StatusServiceUnavailable),
	} {
		for name, isAfterARefusal := range map[string]bool{"before the write": false, "after a refusal": true} {
			t.Run(fmt.Sprintf("%d %s", code, name), func(t *testing.T) {
				f := newFixture(t, map[string]string{"foo": "1"})
				fails, reads := !isAfterARefusal, 0
				f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
					switch {
					case r.Method == http.MethodPatch && !fails:
						fails = true
						f.set("foo", "9")
					case r.Method == http.MethodGet && fails:
						reads++
						return testcluster.Fault{Answer: answer}
					}
					return testcluster.Fault{}
				})
				_, err := f.do(f.swapping("foo", one, two))
				f.want(eval.Rejected, err)
				var refused *eval.RefusedError
				if !errors.As(err, &refused) || refused.Code != code || code == http.StatusInternalServerError && !strings.Contains(err.Error(), "etcdserver: no leader") {
					t.Errorf("%v does not say why", err)
				}
				if reads < 2 || reads > 10 {
					t.Errorf("%d reads that failed, want a few", reads)
				}
			})
		}
	}
}

// busyFor is the answer of a server that did nothing, and wants to be asked again after a while.
func busyFor(while time.Duration, status int) *testcluster.Answer {
	a := testcluster.Busy(status)
	a.Header.Set("Retry-After", fmt.Sprint(int(while.Seconds())))
	return a
}

// Given an API server that once asks to be asked again after an hour; then whatever reads is not put off for so long.
func TestNothingThatReadsWaitsForAnHour(t *testing.T) {
	for name, call := range map[string]func(context.Context, *fixture) error{
		"an observation": func(ctx context.Context, f *fixture) error { _, err := f.engine.Observe(ctx, f.ref, "", 0); return err },
		"a swap": func(ctx context.Context, f *fixture) error {
			_, err := f.engine.Swap(ctx, f.swapping("foo", one, two))
			return err
		},
		"a list": func(ctx context.Context, f *fixture) error {
			for _, err := range f.engine.List(ctx, Selection{Namespace: f.ref.Namespace}) {
				if err != nil {
					return err
				}
			}
			return nil
		},
		"a look for a namespace": func(ctx context.Context, f *fixture) error {
			f.engine.LacksNamespace(ctx, "nowhere")
			return ctx.Err()
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "1"})
			var once sync.Once
			f.onEach(http.MethodGet, func() (fault testcluster.Fault) {
				once.Do(func() { fault.Answer = busyFor(time.Hour, http.StatusTooManyRequests) })
				return fault
			})
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			if err := call(ctx, f); err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("a wait", func(t *testing.T) {
		f := newFixture(t, map[string]string{"foo": "0"})
		f.onWatches(func(n int) testcluster.Fault {
			if n == 0 {
				return testcluster.Fault{Answer: busyFor(time.Hour, http.StatusTooManyRequests)}
			}
			f.set("foo", "1")
			return testcluster.Fault{}
		})
		_, err := f.wait(t.Context(), time.Minute)
		f.want(eval.Applied, err)
	})
}
