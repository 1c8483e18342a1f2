package cas

import (
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// Nothing that is ready waits for as long as others come.

// crowd is so many that come one after the other where somebody is starved; then no more come, so that the test ends.
const crowd = 12

// comes waits until so many are in the queue, or a condition holds without.
func (f *fixture) comes(n int, or func() bool) {
	c := f.engine.committer(f.ref)
	<-waitFor(func() bool { return len(c.waiting()) >= n || or() })
}

// newcomers is how many have come while the n-th of the requests is under way: with the first, the one that must not starve too.
func newcomers(n int32) int {
	if n == 1 {
		return 2
	}
	return 1
}

// Given a swap whose base is known; when another read is asked for while each read is under way; then it is written after three
// reads at most.
func TestWriteIsNotPutOffByReadsThatKeepComing(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	f.observe()
	var wg sync.WaitGroup
	look := func() {
		wg.Go(func() {
			if _, err := f.engine.Observe(t.Context(), f.ref, "", 0); err != nil {
				t.Error(err)
			}
		})
	}
	var asked, written atomic.Bool
	var reads, before atomic.Int32
	f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
		switch r.Method {
		case http.MethodPatch:
			written.Store(true)
		case http.MethodGet:
			n := reads.Add(1)
			if n == 1 {
				wg.Go(func() {
					asked.Store(true)
					_, err := f.do(f.swapping("foo", one, two))
					f.want(eval.Applied, err)
				})
				f.queued(1)
			}
			if written.Load() {
				break
			}
			before.Store(n)
			if n < crowd {
				look()
				f.comes(newcomers(n), func() bool { return written.Load() || reads.Load() > n })
			}
		}
		return testcluster.Fault{}
	})
	look()
	wg.Wait()
	if n := before.Load(); n > 3 {
		t.Errorf("written after %d reads, want 3 at most", n)
	}
	f.wantData(map[string]string{"foo": "2"})
}

// Given a read that was asked for; when another write is asked for while each write is under way, and each is applied or refused; then
// the read is sent after three writes at most. (The response to an applied write that was sent after the request for a read is
// as good as a read.)
func TestReadIsNotPutOffByWritesThatKeepComing(t *testing.T) {
	for name, test := range map[string]struct {
		fault   testcluster.Fault
		verdict eval.Verdict
	}{
		"they land":        {testcluster.Fault{}, eval.Applied},
		"they are refused": {testcluster.Fault{Answer: status(http.StatusForbidden, "Forbidden", "so says a policy")}, eval.Rejected},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "1"})
			_, err := f.do(f.swapping("foo", one, two)) // so that nothing has to be learned before the next write
			f.want(eval.Applied, err)
			var wg sync.WaitGroup
			write := func(n int32) {
				wg.Go(func() {
					_, err := f.do(f.swapping(fmt.Sprintf("k%d", n), eval.Value{}, one))
					f.want(test.verdict, err)
				})
			}
			var told atomic.Bool
			var writes, before atomic.Int32
			f.onEach(http.MethodPatch, func() testcluster.Fault {
				n := writes.Add(1)
				if n == 1 {
					wg.Go(func() {
						if _, err := f.engine.Observe(t.Context(), f.ref, "", 0); err != nil {
							t.Error(err)
						}
						told.Store(true)
					})
					f.queued(1)
				}
				if told.Load() {
					return test.fault
				}
				before.Store(n)
				if n < crowd {
					write(n)
					f.comes(newcomers(n), func() bool { return told.Load() || writes.Load() > n })
				}
				return test.fault
			})
			write(0)
			wg.Wait()
			if n := before.Load(); n > 3 {
				t.Errorf("told after %d writes, want 3 at most", n)
			}
		})
	}
}
