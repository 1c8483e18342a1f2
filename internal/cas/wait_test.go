package cas

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// isWatch reports whether the request is a watch.
func isWatch(query url.Values) bool { return query.Has("watch") }

// count is how many requests there were, and how many of them watches.
func (f *fixture) count() (all, watches int) {
	for _, r := range f.proxy.Requests() {
		all++
		if isWatch(r.Query) {
			watches++
		}
	}
	return all, watches
}

// Whichever key is named first, one that holds the new entry already is nothing to wait for.
func TestWaitingEndsWhereAKeyIsHeld(t *testing.T) {
	for name, order := range map[string][]int{"the held one first": {0, 1}, "the held one last": {1, 0}} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"held": "2", "foo": "0"})
			keys := []eval.KeySwap{{Key: "held", Expect: one, New: two, IfEqual: eval.Reject}, {Key: "foo", Expect: one, New: two}}
			txn := &eval.Txn{Ref: f.ref, FieldManager: "engine", Keys: []eval.KeySwap{keys[order[0]], keys[order[1]]}}
			f.onWatches(func(int) testcluster.Fault {
				return testcluster.Fault{Answered: func(*http.Response) {
					f.Error("it waits")
					f.set("foo", "1") // which ends that
				}}
			})
			_, err := f.engine.CommitWithin(t.Context(), txn, time.Minute)
			f.want(eval.Conflict, err)
			f.wantData(map[string]string{"held": "2", "foo": "0"})
		})
	}
}

// The API server serves a watch from a cache. Given a watch that shows a ConfigMap that is already deleted; then
// the wait continues, and the engine limits the rate of its requests.
func TestWaitingOnAWatchThatLagsBehind(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	was := f.live()
	was.TypeMeta = metav1.TypeMeta{Kind: "ConfigMap", APIVersion: "v1"}
	object, err := json.Marshal(was)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.objects().Delete(t.Context(), f.ref.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	const most = 5 // watches
	passed := &deadline{Context: t.Context(), done: make(chan struct{})}
	f.onWatches(func(n int) testcluster.Fault {
		if n == most {
			close(passed.done)
			return testcluster.Fault{HoldBefore: t.Context().Done()}
		}
		return testcluster.Fault{Answer: &testcluster.Answer{
			Status: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, Body: `{"type":"ADDED","object":` + string(object) + "}\n",
		}}
	})
	_, err = f.engine.CommitWithin(passed, f.swapping("foo", one, two).Txn(), ample)
	var ended *eval.WaitError
	var notFound *eval.NotFoundError
	if !errors.As(err, &ended) || !errors.As(ended.Last, &notFound) || !errors.Is(ended.Err, context.DeadlineExceeded) || ended.Waited < most*lookApart {
		t.Errorf("%v", err)
	}
	if all, watches := f.count(); watches > most+1 || all > 2*watches+1 {
		t.Errorf("%d requests, %d watches", all, watches)
	}
}

// A watch that begins at what was refused shows all that came after it, also what came before it was begun.
func TestWaitingMissesNothingBeforeItsWatch(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "0"})
	f.onWatches(func(n int) testcluster.Fault {
		f.set("foo", "1")
		if n == 0 {
			f.set("foo", "9")
		}
		return testcluster.Fault{}
	})
	result, err := f.engine.CommitWithin(t.Context(), f.swapping("foo", one, two).Txn(), time.Minute)
	f.want(eval.Applied, err)
	if result.Of("foo") != (Result{Version: f.version(), Previous: one, Stored: two, Wrote: true}) {
		t.Errorf("%+v", result.Of("foo"))
	}
	// A read, a watch and a read again, twice, and the write. The first watch showed what did not last.
	if all, watches := f.count(); watches != 2 || all != 6 {
		t.Errorf("%d requests, %d watches: %v", all, watches, f.proxy.Requests())
	}
}

// An API server that was started again does not know what came before: it answers a watch from there with 410.
func waitOutlivesIt(f *fixture, forget func()) {
	f.create(map[string]string{"foo": "0"})

	begun := make(chan struct{})
	var watches atomic.Int64
	var expired atomic.Bool
	f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
		if !isWatch(r.URL.Query()) {
			return testcluster.Fault{}
		}
		if watches.Add(1) == 1 {
			return testcluster.Fault{Answered: func(*http.Response) { close(begun) }}
		}
		return testcluster.Fault{Answered: func(r *http.Response) {
			r.Body = &listener{ReadCloser: r.Body, text: "too old resource version", heard: &expired}
		}}
	})
	var result TxnResult
	done := make(chan error, 1)
	go func() {
		var err error
		result, err = f.wait(f.Context(), ample)
		done <- err
	}()
	select {
	case <-begun:
	case err := <-done:
		f.Fatalf("it has not watched: %v", err)
	}
	forget()
	f.set("foo", "1")
	if err := <-done; err != nil {
		f.Fatal(err)
	}
	if result.Of("foo").Previous != one || !result.Wrote {
		f.Errorf("%+v", result)
	}
	f.wantData(map[string]string{"foo": "2"})
	if !expired.Load() {
		f.Errorf("of %d watches none was told that its history is gone", watches.Load())
	}
}

// listener reports whether a text comes by, within one read.
type listener struct {
	io.ReadCloser
	text  string
	heard *atomic.Bool
}

// Read implements [io.Reader].
func (l *listener) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	if bytes.Contains(p[:n], []byte(l.text)) {
		l.heard.Store(true)
	}
	return n, err
}
