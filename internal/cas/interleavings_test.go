package cas

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// delay delays one patch, as the network may delay a packet: the caller receives a connection error once the proxy
// has the patch, and the patch reaches the API server when it is released.
type delay struct {
	armed            atomic.Bool
	arrived, release chan struct{}
	landed           chan struct{}
}

// delayed gives the fixture a new engine, and what delays a patch of it once it is armed.
func (f *fixture) delayed() *delay {
	f.Helper()
	d := &delay{arrived: make(chan struct{}), release: make(chan struct{}), landed: make(chan struct{})}
	config := rest.CopyConfig(f.proxy.Config)
	config.Wrap(func(rt http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			if r.Method != http.MethodPatch || !d.armed.CompareAndSwap(true, false) {
				return rt.RoundTrip(r)
			}
			go func() {
				if resp, err := rt.RoundTrip(r.Clone(context.WithoutCancel(r.Context()))); err == nil {
					_ = resp.Body.Close()
				}
			}()
			<-d.arrived
			return nil, errors.New("the connection broke")
		})
	})
	f.engine = f.newEngine(config)
	return d
}

// fault returns the fault of the delayed patch.
func (d *delay) fault() testcluster.Fault {
	close(d.arrived)
	return testcluster.Fault{HoldBefore: d.release, Answered: func(*http.Response) { close(d.landed) }}
}

func TestMergePatchThatIsSentAgainLandsOnce(t *testing.T) {
	for name, firstWins := range map[string]bool{"the first lands": true, "the second lands": false} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "1"})
			d := f.delayed()
			var patches atomic.Int32
			f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
				switch {
				case r.Method != http.MethodPatch:
				case patches.Add(1) == 1:
					return d.fault()
				case firstWins:
					close(d.release)
					<-d.landed
				}
				return testcluster.Fault{}
			})
			d.armed.Store(true)
			result, err := f.do(f.swapping("foo", one, two))
			f.want(eval.Applied, err)
			if !firstWins {
				close(d.release)
				<-d.landed
			}
			if n := patches.Load(); n != 2 {
				t.Errorf("%d patches, want 2", n)
			}
			if result.Version != f.version() {
				t.Errorf("version %v, want %v: it was written more than once", result.Version, f.version())
			}
			f.wantData(map[string]string{"foo": "2"})
		})
	}
}

func TestOneRequestAtATime(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1", "bar": "1"})
	landed, release := f.holdAnswer()
	var wg sync.WaitGroup
	call := func(do func() error) {
		wg.Go(func() {
			if err := do(); err != nil {
				t.Error(err)
			}
		})
	}
	call(func() error { _, err := f.do(f.swapping("foo", one, two)); return err })
	<-landed
	f.proxy.Reset()
	call(func() error { _, err := f.do(f.swapping("bar", one, two)); return err })
	call(func() error { _, err := f.engine.Observe(t.Context(), f.ref, "", 0); return err })
	call(func() error {
		_, err := f.engine.Check(t.Context(), f.swapping("foo", two, three).Txn(), ReadOnly)
		return err
	})
	<-waitFor(func() bool { return f.proxy.Count() > 0 || len(f.engine.committer(f.ref).waiting()) == 3 })
	if n := f.proxy.Count(); n > 0 {
		t.Errorf("%d requests beside the one that is under way", n)
	}
	close(release)
	wg.Wait()
}

func TestCancelOfOneCallerDoesNotEndTheRequestOfTheOthers(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1", "bar": "1"})
	f.engine.limits.grace = 2 * reportTime
	reading, read, sent, release := make(chan struct{}), make(chan struct{}), make(chan struct{}), make(chan struct{})
	var gets atomic.Int32
	f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
		switch {
		case r.Method == http.MethodPatch:
			close(sent)
			return testcluster.Fault{HoldBefore: release}
		case gets.Add(1) == 1:
			close(reading)
			return testcluster.Fault{HoldBefore: read}
		}
		return testcluster.Fault{}
	})
	go func() { _, _ = f.engine.Observe(t.Context(), f.ref, "", 0) }()
	<-reading
	ctx, cancel := context.WithCancel(t.Context())
	foo, bar := f.beginFor(ctx, f.swapping("foo", one, two)), f.begin(f.swapping("bar", one, two))
	<-waitFor(func() bool { return len(f.engine.committer(f.ref).waiting()) == 2 })
	close(read)
	<-sent // for both
	cancel()
	f.want(eval.Unknown, <-foo) // its grace is over
	close(release)
	f.want(eval.Applied, <-bar)
	f.wantData(map[string]string{"foo": "2", "bar": "2"})
}

func TestSameVersionOfAnotherObjectIsNotWritten(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	other := f.version()
	f.recreate(map[string]string{"foo": "1"})
	// As after a restore of etcd, which numbers versions again.
	seen := eval.Version{UID: other.UID, ResourceVersion: f.version().ResourceVersion}
	_, err := f.do(f.removing("foo", one, seen, seen)) // without a read
	f.wantReason(eval.ReasonObject, err)
	f.wantData(map[string]string{"foo": "1"})
}

func TestKeyThatASiblingWroteIsAConflictThoughTheLineageLeads(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	v := f.version()
	_, err := f.do(f.swapping("foo", one, two, v))
	f.want(eval.Applied, err)
	_, err = f.do(f.swapping("foo", one, three, v))
	f.wantReason(eval.ReasonKey, err)
	f.wantData(map[string]string{"foo": "2"})
}

func TestConflictIsToldFromAReadOfItsOwn(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	if _, err := f.engine.Observe(t.Context(), f.ref, "", Fresh); err != nil {
		t.Fatal(err)
	}
	f.set("foo", "3") // the engine does not know
	_, err := f.do(f.swapping("foo", three, two))
	f.want(eval.Applied, err)
	f.wantData(map[string]string{"foo": "2"})
}

func TestRemovalOfWhatNobodyKnowsTheRestOfEndsTheLineage(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1", "bar": "1"})
	v := f.version()
	f.onEach(http.MethodPatch, func() testcluster.Fault {
		f.unset("foo", "new") // the same removal, and something else
		return testcluster.Fault{DropAfter: true}
	})
	_, err := f.do(f.removing("foo", one, v, v))
	f.want(eval.Applied, err) // a removal of a missing key succeeds
	f.proxy.SetHook(nil)
	_, err = f.do(f.removing("bar", one, v, v))
	f.wantReason(eval.ReasonObject, err)
	f.wantData(map[string]string{"bar": "1", "new": "foreign"})
}
