package cas

import (
	"bytes"
	"context"
	bigendian "encoding/binary"
	"errors"
	"io"
	"net/http"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// onWatches calls begun with each watch that begins, counted from 0, and has happen to it what begun says.
func (f *fixture) onWatches(begun func(n int) testcluster.Fault) {
	n := 0
	f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
		if !isWatch(r.URL.Query()) {
			return testcluster.Fault{}
		}
		n++
		return begun(n - 1)
	})
}

// wait runs a swap of foo from "1" to "2" that may wait.
func (f *fixture) wait(ctx context.Context, wait time.Duration) (TxnResult, error) {
	return f.engine.CommitWithin(ctx, f.swapping("foo", one, two).Txn(), wait)
}

func TestWaitEndsWhenTheKeyHoldsWhatItMust(t *testing.T) {
	ofEachKind(t, func(of kinded) {
		t, kind := of.T, of.kind
		f := newFixtureOf(t, kind, map[string]string{"foo": "0"})
		f.onWatches(func(int) testcluster.Fault {
			f.set("other", "9")
			f.set("foo", "1")
			return testcluster.Fault{}
		})
		_, err := f.wait(t.Context(), time.Minute)
		f.want(eval.Applied, err)
		f.wantData(map[string]string{"foo": "2", "other": "9"})
	})
}

func TestWaitForAConfigMapThatIsNotThereYet(t *testing.T) {
	ofEachKind(t, func(of kinded) {
		t, kind := of.T, of.kind
		f := newEmptyFixtureOf(t, kind)
		f.onWatches(func(int) testcluster.Fault {
			f.make(map[string]string{"foo": "1"})
			return testcluster.Fault{}
		})
		_, err := f.wait(t.Context(), time.Minute)
		f.want(eval.Applied, err)
		f.wantData(map[string]string{"foo": "2"})
	})
}

func TestWaitOutlivesWatchesThatEnd(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "0"})
	gone := &testcluster.Answer{
		Status: http.StatusGone, Header: http.Header{"Content-Type": {"application/json"}},
		Body: `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Expired","code":410}`,
	}
	f.onWatches(func(n int) testcluster.Fault {
		switch n {
		case 0:
			return testcluster.Fault{DropBefore: true}
		case 1:
			return testcluster.Fault{Answer: gone}
		case 2:
			return testcluster.Fault{Answer: testcluster.Busy(http.StatusServiceUnavailable)}
		case 3:
			return testcluster.Fault{Answer: &testcluster.Answer{Status: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}}}
		}
		f.set("foo", "1") // between two watches, or within one
		return testcluster.Fault{}
	})
	_, err := f.wait(t.Context(), time.Minute)
	f.want(eval.Applied, err)
	f.wantData(map[string]string{"foo": "2"})
}

func TestWaitGoesOnWhereTheValueWasThereForAMomentOnly(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "0"})
	watches := 0
	f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
		switch {
		case isWatch(r.URL.Query()):
			watches++
			f.set("foo", "1")
		case r.Method == http.MethodPatch && watches == 1:
			f.set("foo", "5")
		}
		return testcluster.Fault{}
	})
	_, err := f.wait(t.Context(), time.Minute)
	f.want(eval.Applied, err)
	f.wantData(map[string]string{"foo": "2"})
	if watches != 2 {
		t.Errorf("%d watches, want 2", watches)
	}
}

// firstEvent is a watch that is cut off behind its first event. It is in protobuf: four bytes say how long the event is.
type firstEvent struct {
	from  io.ReadCloser
	event io.Reader
}

func (e *firstEvent) Read(p []byte) (int, error) {
	if e.event == nil {
		var length [4]byte
		if _, err := io.ReadFull(e.from, length[:]); err != nil {
			return 0, err
		}
		e.event = io.MultiReader(bytes.NewReader(length[:]), io.LimitReader(e.from, int64(bigendian.BigEndian.Uint32(length[:]))))
	}
	return e.event.Read(p)
}

func (e *firstEvent) Close() error { return e.from.Close() }

func TestWaitThatEndsTellsWhatWasSeenLast(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "0"})
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	f.onWatches(func(n int) testcluster.Fault {
		if n > 0 { // it goes on behind what it has seen
			cancel(enough)
			return testcluster.Fault{}
		}
		f.set("foo", "7")
		return testcluster.Fault{Answered: func(r *http.Response) { r.Body = &firstEvent{from: r.Body} }}
	})
	_, err := f.wait(ctx, time.Minute)
	f.want(eval.Rejected, err)
	var wait *eval.WaitError
	var conflict *eval.ConflictError
	if !errors.As(err, &wait) || !errors.As(wait.Last, &conflict) || conflict.Live.Value("foo") != eval.Text("7") || !errors.Is(wait.Err, enough) {
		t.Errorf("%#v does not tell what was seen last", err)
	}
	f.wantData(map[string]string{"foo": "7"})
	if reads := f.proxy.Count(http.MethodGet); reads > 3 {
		t.Errorf("%d reads: it polls", reads)
	}
}

func TestWaitNeedsToBePermittedToWatch(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "0"})
	user := f.cluster.User(t, "no-watch-wait", f.ref.Namespace, rbacv1.PolicyRule{
		APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"get", "patch"},
	})
	f.engine = f.newEngine(f.cluster.ProxyFor(t, user).Config)
	_, err := f.wait(t.Context(), time.Minute)
	var wait *eval.WaitError
	var forbidden *eval.ForbiddenError
	if !errors.As(err, &wait) || !errors.As(wait.Err, &forbidden) || forbidden.Verb != "watch" {
		t.Errorf("%v does not say that watch is not permitted", err)
	}
}

func TestWaitEndsWithTheEngine(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "0"})
	watching := make(chan struct{})
	f.onWatches(func(int) testcluster.Fault { close(watching); return testcluster.Fault{} })
	ended := make(chan error, 1)
	go func() { _, err := f.wait(t.Context(), time.Minute); ended <- err }()
	<-watching
	f.engine.Close()
	if err := <-ended; !errors.As(err, new(*eval.WaitError)) {
		t.Errorf("%v, want the end of the wait", err)
	}
}
