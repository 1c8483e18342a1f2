package cas

import (
	"context"
	"net/http"
	"sync"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// The caller of a write leaves while the request or its response is slow. The engine waits for the response, so the write is sent once.
func TestSwapThatIsSlowAfterItsCallerGaveUpIsSentOnce(t *testing.T) {
	for name, held := range map[string]func(until <-chan struct{}) testcluster.Fault{
		"slow request":  func(until <-chan struct{}) testcluster.Fault { return testcluster.Fault{HoldBefore: until} },
		"slow response": func(until <-chan struct{}) testcluster.Fault { return testcluster.Fault{HoldAfter: until} },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "1"})
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			sent, answers := make(chan struct{}), make(chan struct{})
			isSent := sync.OnceFunc(func() { close(sent) })
			f.onEach(http.MethodPatch, func() testcluster.Fault {
				isSent()
				return held(answers)
			})
			done := f.beginFor(ctx, f.swapping("foo", one, two))
			<-sent
			leave()
			rounds := 0
			<-waitFor(func() bool { rounds++; return rounds == 1000 || f.proxy.Count() > 2 })
			close(answers)
			f.want(eval.Applied, <-done)
			if n := f.proxy.Count(http.MethodPatch); n != 1 {
				t.Errorf("%d patches, want 1", n)
			}
			f.wantData(map[string]string{"foo": "2"})
		})
	}
}
