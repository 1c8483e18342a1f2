package cas

import (
	"net/http"
	"testing"
	"time"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// polls is so many requests that nobody doubts that it polls.
const polls = 20

// waitsWithout has CommitWithin wait for foo, gives it polls requests or a while to come to rest, sets foo, and fails the test where
// more than a handful of requests have been sent until then.
func (f *fixture) waitsWithout(polling int) {
	f.Helper()
	done := make(chan error, 1)
	go func() { _, err := f.wait(f.Context(), ample); done <- err }()
	<-waitFor(func() bool { return f.proxy.Count() >= 2 })
	enough := waitFor(func() bool { time.Sleep(time.Millisecond); return f.proxy.Count() >= polls || f.Context().Err() != nil })
	select {
	case <-enough:
	case <-time.After(1500 * time.Millisecond):
	}
	waited, watches := f.count()
	f.set("foo", "1")
	f.want(eval.Applied, <-done)
	if waited > polling {
		f.Errorf("%d requests while it waited, of which %d watches; want %d at most", waited, watches, polling)
	}
	f.wantData(map[string]string{"foo": "2"})
	if n := f.proxy.Count(); n > polling+2 {
		f.Errorf("%d requests in all, want %d at most", n, polling+2) // a read and the write
	}
}

// Given a ConfigMap that is older than what the API server remembers, so that a watch from its version is answered with 410; when a
// value is waited for; then it is watched, and not read again and again.
func waitsWithoutPolling(f *fixture, forget func()) {
	f.create(map[string]string{"foo": "0"})
	forget()
	f.waitsWithout(6)
}

// Given an API server that answers a watch from any version with 410, and none that begins with what is there; when a value is
// waited for; then it is watched, and not read again and again.
func TestWaitDoesNotPollWhereEveryVersionIsForgotten(t *testing.T) {
	for name, gone := range map[string]*testcluster.Answer{
		"as the answer": {
			Status: http.StatusGone, Header: http.Header{"Content-Type": {"application/json"}},
			Body: `{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old resource version: 1 (2)","reason":"Expired","code":410}`,
		},
		"as an event": {
			Status: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}},
			Body: `{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",` +
				`"message":"too old resource version: 1 (2)","reason":"Expired","code":410}}` + "\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "0"})
			f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
				if v := r.URL.Query().Get("resourceVersion"); isWatch(r.URL.Query()) && v != "" && v != "0" {
					return testcluster.Fault{Answer: gone}
				}
				return testcluster.Fault{}
			})
			f.waitsWithout(6)
		})
	}
}

// Given the same; when the value comes between what was read and the next watch; then it is not missed.
func TestWaitMissesNothingWhereTheVersionIsForgotten(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "0"})
	f.onWatches(func(n int) testcluster.Fault {
		if n == 0 {
			return testcluster.Fault{Answer: status(http.StatusGone, "Expired", "too old resource version: 1 (2)")}
		}
		if n == 1 {
			f.set("foo", "1")
		}
		return testcluster.Fault{}
	})
	_, err := f.wait(t.Context(), ample)
	f.want(eval.Applied, err)
	f.wantData(map[string]string{"foo": "2"})
}
