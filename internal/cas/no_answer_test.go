package cas

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// Given a write that is on its way, and an API server that answers nothing any more; when the caller is interrupted, or runs out of time.
// Then the outcome is unknown, and the cause says which of the two it was.
func TestWriteWithoutAnAnswerSaysWhyItsWaitEnded(t *testing.T) {
	for name, says := range map[string]string{"interrupted": "the run was interrupted", "out of time": "no answer came in time"} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "1"})
			f.engine.limits = defaultLimits
			written, silent := make(chan struct{}), make(chan struct{})
			once := sync.OnceFunc(func() { close(written) })
			f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
				if r.Method == http.MethodPatch {
					once()
				}
				select {
				case <-written:
					return testcluster.Fault{HoldBefore: silent}
				default:
					return testcluster.Fault{} // the read that the write rests on
				}
			})
			defer close(silent)
			ctx, end := context.WithCancel(t.Context())
			if name == "out of time" {
				passed := &deadline{Context: t.Context(), done: make(chan struct{})}
				ctx, end = passed, func() { close(passed.done) }
			}
			err := f.beginFor(ctx, f.swapping("foo", eval.Text("1"), eval.Text("2")))
			<-written
			end()
			var unknown *eval.UnknownError
			if got := <-err; !errors.As(got, &unknown) || !strings.Contains(unknown.Err.Error(), says) {
				t.Errorf("%v, want an unknown outcome since %s", got, says)
			}
		})
	}
}
