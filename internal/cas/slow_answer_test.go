package cas

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// Given a swap that is slow, on its way or in being answered; when its caller gives up and it is answered 2.5 seconds later, within
// the grace of 5; then it was sent once, and is applied.
func TestSwapThatIsSlowAfterItsCallerGaveUpIsSentOnce(t *testing.T) {
	for name, held := range map[string]func(until <-chan struct{}) testcluster.Fault{
		"on its way":        func(until <-chan struct{}) testcluster.Fault { return testcluster.Fault{HoldBefore: until} },
		"in being answered": func(until <-chan struct{}) testcluster.Fault { return testcluster.Fault{HoldAfter: until} },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "1"})
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			answers := make(chan struct{})
			f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
				if r.Method != http.MethodPatch || f.proxy.Count(http.MethodPatch) > 1 {
					return testcluster.Fault{}
				}
				leave()
				time.AfterFunc(Grace/2, func() { close(answers) })
				return held(answers)
			})
			_, err := f.engine.Swap(ctx, f.swapping("foo", one, two))
			f.want(Applied, err)
			if n := f.proxy.Count(http.MethodPatch); n != 1 {
				t.Errorf("%d patches, want 1", n)
			}
			<-answers
			f.wantData(map[string]string{"foo": "2"})
		})
	}
}
