package cas

import (
	"context"
	"net/http"
	"sync"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// Each caller gets one verdict, and it is true, also if the caller gave up while the Engine was determining it.

// counter is one of the fixture's ConfigMap.
func (f *fixture) counter(key string) Counter {
	return Counter{Ref: f.ref, Key: key, Step: 1, FieldManager: "engine"}
}

// taken contains the results of a call of Take.
type taken struct {
	Taken
	err error
}

// taking calls Take from another goroutine.
func (f *fixture) taking(ctx context.Context, key string) <-chan taken {
	answer := make(chan taken, 1)
	go func() {
		got, err := f.engine.Take(ctx, f.counter(key))
		answer <- taken{got, err}
	}()
	return answer
}

// observing has the Engine read the object, and gives what is closed once the read is on its way, and what lets it go on. It is
// the first read from then on; what is asked for meanwhile is in one batch.
func (f *fixture) observing(hook func(*http.Request) testcluster.Fault) (arrived <-chan struct{}, release chan<- struct{}) {
	first, held := make(chan struct{}), make(chan struct{})
	var once sync.Once
	f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
		isFirst := false
		if r.Method == http.MethodGet {
			once.Do(func() { isFirst = true })
		}
		if isFirst {
			close(first)
			return testcluster.Fault{HoldBefore: held}
		}
		return hook(r)
	})
	go func() { _, _ = f.engine.Observe(f.Context(), f.ref, "", 0) }()
	return first, held
}
