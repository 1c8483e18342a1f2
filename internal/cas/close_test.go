package cas

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

func TestCloseLeavesNoRequestBehind(t *testing.T) {
	for name, answered := range map[string]bool{"answered": true, "never answered": false} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "1", "bar": "1"})
			if !answered { // the engine gives the request up soon, and has all the time to read the outcome
				f.engine.limits.grace = 2*reportTime + f.engine.limits.read
			}
			sent, release := f.unanswered()
			waiting, closed := f.begin(f.swapping("bar", one, two)), make(chan struct{})
			<-waitFor(func() bool { return len(f.engine.committer(f.ref).waiting()) == 1 })
			go func() {
				f.engine.Close()
				close(closed)
			}()

			var canceled *eval.CanceledError
			if err := <-waiting; !errors.As(err, &canceled) || !errors.Is(err, ErrClosed) {
				t.Errorf("%v, want a CanceledError of ErrClosed", err)
			}
			select {
			case <-closed:
				t.Error("closed while a write was under way")
			default:
			}
			if answered {
				close(release)
			} else {
				defer close(release) // a look tells
			}
			f.want(eval.Applied, <-sent)
			<-closed

			f.proxy.Reset()
			_, err := f.do(f.swapping("bar", one, two))
			if !errors.Is(err, ErrClosed) || f.proxy.Count() != 0 {
				t.Errorf("%v after %d requests, want a refusal without one", err, f.proxy.Count())
			}
			f.wantData(map[string]string{"foo": "2", "bar": "1"})
		})
	}
}

// Given a request of any kind that is never answered; when the Engine is closed; then the request is ended, its call returns, and the same call sends
// nothing afterwards.
func TestCloseEndsRequestsOfEachKind(t *testing.T) {
	for name, test := range map[string]struct {
		call    func(context.Context, *fixture)
		isStuck func(*http.Request) bool
	}{
		"a read": {
			func(ctx context.Context, f *fixture) { _, _ = f.engine.Observe(ctx, f.ref, "", 0) },
			func(*http.Request) bool { return true },
		},
		"a check": {
			func(ctx context.Context, f *fixture) {
				_, _ = f.engine.Check(ctx, f.swapping("foo", one, two).Txn(), DryRun)
			},
			func(r *http.Request) bool { return r.Method == http.MethodPatch },
		},
		"a list": {
			func(_ context.Context, f *fixture) { _, _ = f.listed(Selection{}, 0) },
			func(*http.Request) bool { return true },
		},
		"a wait": {
			func(ctx context.Context, f *fixture) {
				_, _ = f.engine.CommitWithin(ctx, f.swapping("foo", two, three).Txn(), ample)
			},
			func(r *http.Request) bool { return isWatch(r.URL.Query()) },
		},
		"a look at a namespace": {
			func(ctx context.Context, f *fixture) { f.engine.LacksNamespace(ctx, "nowhere") },
			func(*http.Request) bool { return true },
		},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "1"})
			f.engine.limits.grace = 2 * reportTime
			stuck, held := make(chan struct{}), make(chan struct{})
			t.Cleanup(func() { close(held) })
			var once sync.Once
			f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
				if !test.isStuck(r) {
					return testcluster.Fault{}
				}
				once.Do(func() { close(stuck) })
				return testcluster.Fault{HoldBefore: held}
			})
			returned := make(chan struct{})
			go func() {
				test.call(context.Background(), f)
				close(returned)
			}()
			<-stuck
			go f.engine.Close()
			select {
			case <-returned:
			case <-time.After(ample):
				t.Fatal("its call is still under way")
			}
			f.engine.Close()
			f.proxy.Reset()
			test.call(t.Context(), f)
			if n := f.proxy.Count(); n != 0 {
				t.Errorf("%d requests after Close", n)
			}
		})
	}
}
