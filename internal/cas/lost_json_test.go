package cas

import (
	"context"
	"net/http"
	"net/url"
	"sync/atomic"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// watches stands for the method of watches that wait.
const watches = "WATCH"

// givesUpAfter is the context of a caller who gives up with the n-th request of a method, so that a test ends where it would not.
func (f *fixture) givesUpAfter(n int32, method string) context.Context {
	f.Helper()
	ctx, leave := context.WithCancel(f.Context())
	f.Cleanup(leave)
	var sent atomic.Int32
	f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
		is := r.Method
		if isWatch(r.URL.Query()) {
			is = watches
		}
		if is == method && sent.Add(1) == n {
			leave()
		}
		return testcluster.Fault{}
	})
	return ctx
}

// isLook tells whether a read is one of the object, and no watch.
func isLook(query url.Values) bool { return !query.Has("watch") }

// Given an object that others are busy with; when a swap of one of its keys is lost on its way for good, while another key is written or
// nobody writes; then it is sent once, looked for again and again, and unknown within seconds, though its caller would wait on.
func TestJSONPatchThatNeverArrivesIsUnknownAfterAWhile(t *testing.T) {
	const enough = 24 // looks; then the caller gives up, so that the test ends
	for name, isBusy := range map[string]bool{"another key is written": true, "nobody writes": false} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "1"})
			f.contend()
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			var looks atomic.Int32
			f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
				switch {
				case r.Method == http.MethodPatch:
					return testcluster.Fault{DropBefore: true}
				case isLook(r.URL.Query()):
					n := looks.Add(1)
					if n == 1 && isBusy {
						f.set("other", "9")
					}
					if n == enough {
						leave()
					}
				}
				return testcluster.Fault{}
			})
			_, err := f.engine.Swap(ctx, f.swapping("foo", one, two))
			f.want(Unknown, err)
			if ctx.Err() != nil {
				t.Error("it was told only because its caller gave up")
			}
			if patches, n := f.proxy.Count(http.MethodPatch), looks.Load(); patches != 1 || n < 2 {
				t.Errorf("%d patches and %d looks, want 1 and several", patches, n)
			}
		})
	}
}
