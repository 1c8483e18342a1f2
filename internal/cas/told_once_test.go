package cas

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"sync"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// Each caller is told once, and the truth, also where it gave up while the Engine was finding out.

// sendAhead sends the request of a hook by itself, as something on the way that sends twice would. The hook's own is refused then.
func (f *fixture) sendAhead(r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		f.Error(err)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	ahead, err := http.NewRequestWithContext(context.Background(), r.Method, f.proxy.URL+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		f.Error(err)
		return
	}
	ahead.Header = r.Header.Clone()
	response, err := http.DefaultClient.Do(ahead)
	if err != nil {
		f.Error(err)
		return
	}
	if response.StatusCode != http.StatusOK {
		f.Errorf("the first of the two was answered %s", response.Status)
	}
	_ = response.Body.Close()
}

// counter is one of the fixture's ConfigMap.
func (f *fixture) counter(key string) Counter {
	return Counter{Ref: f.ref, Key: key, Step: 1, FieldManager: "engine"}
}

// taken is what a call of Take gave.
type taken struct {
	Taken
	err error
}

// taking calls Take in a goroutine of its own.
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
	go func() { _, _ = f.engine.Observe(f.Context(), f.ref, 0) }()
	return first, held
}

// gaveUp fails the test where a caller who gave up was told wrong: its write landed, and took the number.
func (f *fixture) gaveUp(got taken, number int64) {
	f.Helper()
	switch verdict := VerdictOf(got.err); {
	case verdict == Applied && got.Number != number:
		f.Errorf("the one who gave up got %d, want %d", got.Number, number)
	case verdict != Applied && verdict != Unknown:
		f.Errorf("the one who gave up was told %s of a write that landed: %v", verdict, got.err)
	}
}

// Given two counters of one ConfigMap that go in one request, which something on the way sends twice, so that a 409 is
// passed on though it landed; when one of the two callers gives up before it is found out; then both are told the truth.
func TestCallersOfAWriteThatLandedAreToldOnceThoughOneOfThemGaveUp(t *testing.T) {
	for _, when := range []string{"before the refusal", "during the look"} {
		t.Run(when, func(t *testing.T) {
			f := newFixture(t, map[string]string{"stays": "5", "leaves": "70"})
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			looks, look, patches := make(chan struct{}), make(chan struct{}), 0
			var once sync.Once
			arrived, release := f.observing(func(r *http.Request) testcluster.Fault {
				switch r.Method {
				case http.MethodGet:
					if patches == 0 {
						return testcluster.Fault{} // a read before the write
					}
					once.Do(func() { close(looks) })
					return testcluster.Fault{HoldBefore: look}
				case http.MethodPatch:
					if patches++; patches > 1 {
						return testcluster.Fault{}
					}
					f.sendAhead(r)
					if when == "before the refusal" {
						leave()
					}
				}
				return testcluster.Fault{}
			})
			<-arrived
			stays := f.taking(t.Context(), "stays")
			f.queued(1)
			leaves := f.taking(ctx, "leaves")
			f.queued(2)
			close(release)
			<-looks
			leave()
			close(look)
			got := <-stays
			f.want(Applied, got.err)
			if got.Number != 5 {
				t.Errorf("the one who stayed got %d, want 5", got.Number)
			}
			f.gaveUp(<-leaves, 70)
			f.wantData(map[string]string{"stays": "6", "leaves": "71"})
			if patches != 2 {
				t.Errorf("%d patches, want one that was sent twice", patches)
			}
		})
	}
}

// Given the same for a counter alone; when its caller gives up before it is found out; then it is not told that nothing was
// written.
func TestLoneCallerWhoGaveUpIsNotToldThatNothingWasWritten(t *testing.T) {
	for _, when := range []string{"before the refusal", "during the look"} {
		t.Run(when, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "5"})
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			patched, looks, look := false, make(chan struct{}, 100), make(chan struct{})
			f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
				switch {
				case r.Method == http.MethodPatch && !patched:
					patched = true
					f.sendAhead(r)
					if when == "before the refusal" {
						leave()
					}
				case r.Method == http.MethodGet && patched:
					looks <- struct{}{}
					return testcluster.Fault{HoldBefore: look}
				}
				return testcluster.Fault{}
			})
			answer := f.taking(ctx, "foo")
			var got taken
			select {
			case got = <-answer: // without a look
			case <-looks:
				leave()
				close(look)
				got = <-answer
			}
			f.gaveUp(got, 5)
			f.wantData(map[string]string{"foo": "6"})
		})
	}
}
