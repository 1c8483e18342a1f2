package cas

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/wire"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// interruption is one run of a scenario, on a ConfigMap and with an Engine of its own.
type interruption struct {
	*fixture
	interrupted
	name string
	at   point

	base *eval.Snapshot // of the object before the swaps
	swap []Swap
	errs []error
	got  []Result
	ctx  context.Context //nolint:containedctx // the test is about its end
	end  func()

	mu      sync.Mutex
	n       int
	hold    chan struct{} // holds the request at which the context ends
	reached chan struct{} // closed when the API server has answered that request
}

// newInterruption prepares a run.
func newInterruption(f *fixture, s interrupted, name string, at point) *interruption {
	f.Helper()
	own := *f
	own.ref.Name = "shared-" + strings.ToLower(rand.Text())
	own.proxy = f.cluster.Proxy(f.T)
	own.engine = own.newEngine(own.proxy.Config)
	data := map[string]string{"other": "1"}
	for _, key := range []string{"foo", "bar", "baz", "warm", "after", "last"} {
		data[key] = "1"
	}
	own.create(data)
	i := &interruption{
		fixture: &own, interrupted: s, name: name, at: at, hold: make(chan struct{}), reached: make(chan struct{}),
	}
	i.ctx, i.end = context.WithCancel(f.Context())
	if errors.Is(at.err, context.DeadlineExceeded) {
		passed := &deadline{Context: f.Context(), done: make(chan struct{})}
		i.ctx, i.end = passed, sync.OnceFunc(func() { close(passed.done) })
	}
	f.Cleanup(i.end)
	if i.prepare != nil {
		i.prepare(i.fixture)
	}
	i.base = eval.NewSnapshot(i.live(), time.Now())
	i.swap = i.swaps(i.fixture, i.base.Version())
	i.engine.limits.settle = ample
	if at.late { // the caller receives its verdict only when the grace is over
		i.engine.limits.read, i.engine.limits.grace = reportTime, 3*reportTime
	}
	return i
}

func (i *interruption) run() {
	i.errs, i.got = make([]error, len(i.swap)), make([]Result, len(i.swap))
	done := make([]chan struct{}, len(i.swap))
	ask := func(n int) {
		done[n] = make(chan struct{})
		ctx := i.Context()
		if n == i.ends {
			ctx = i.ctx
		}
		go func() {
			defer close(done[n])
			i.got[n], i.errs[n] = i.engine.Swap(ctx, i.swap[n])
		}()
	}

	if i.at.request == -1 {
		i.end()
	}
	if !i.at.late {
		close(i.hold)
	}
	if len(i.swap) == 1 {
		i.proxy.Reset()
		i.proxy.SetHook(i.hook)
		ask(0)
	} else { // a read that fails holds the committer until all of them are in its queue
		arrived, release, failed := make(chan struct{}), make(chan struct{}), make(chan struct{})
		var once sync.Once // an Observe call that waits for longer than Fresh makes a read of its own
		i.proxy.SetHook(func(*http.Request) testcluster.Fault {
			once.Do(func() { close(arrived) })
			return testcluster.Fault{HoldBefore: release, Answer: status(http.StatusForbidden, "Forbidden", "not now")}
		})
		go func() {
			defer close(failed)
			_, _ = i.engine.Observe(i.Context(), i.ref, "", 0)
		}()
		<-arrived
		for n := range i.swap {
			ask(n)
			<-waitFor(func() bool { return len(i.engine.committer(i.ref).waiting()) == n+1 })
		}
		i.proxy.Reset()
		i.proxy.SetHook(i.hook)
		close(release)
		<-failed
	}

	<-done[i.ends]
	if i.at.late {
		if len(i.swap) == 1 && !i.idles() {
			i.Errorf("%s, %s: the committer is still busy", i.name, i.at)
		}
		close(i.hold)
	}
	for _, d := range done {
		<-d
	}
	if i.at.request >= 0 {
		select {
		case <-i.reached:
		case <-time.After(ample):
			i.Fatalf("%s, %s: that point was never reached: %v", i.name, i.at, i.proxy.Requests())
		}
	}
}

// idles reports whether nothing of the committer's is under way, or ends of itself.
func (i *interruption) idles() bool {
	c := i.engine.committer(i.ref)
	ctx, cancel := context.WithTimeout(i.Context(), ample)
	defer cancel()
	for busy := true; busy && ctx.Err() == nil; {
		c.mu.Lock()
		busy = c.running
		c.mu.Unlock()
		wire.Sleep(ctx, time.Millisecond)
	}
	return ctx.Err() == nil
}

// hook ends the context where it is to end.
func (i *interruption) hook(*http.Request) testcluster.Fault {
	i.mu.Lock()
	n := i.n
	i.n++
	i.mu.Unlock()
	var fault testcluster.Fault
	if i.fault != nil {
		fault = i.fault(i.fixture, n)
	}
	if n != i.at.request {
		return fault
	}
	answered := fault.Answered
	fault.Answered = func(r *http.Response) {
		if answered != nil {
			answered(r)
		}
		if i.at.landed {
			i.end()
		}
		close(i.reached)
	}
	if i.at.landed {
		fault.HoldAfter = i.hold
		return fault
	}
	i.end()
	fault.HoldBefore = i.hold
	if fault.DropBefore {
		close(i.reached)
	}
	return fault
}

// judge compares the verdicts with the versions of the object, after all requests and responses were
// released.
func (i *interruption) judge(undisturbed []error) eval.Verdict {
	wrong := func(format string, args ...any) {
		i.Errorf("%s, %s: %s\n%v", i.name, i.at, fmt.Sprintf(format, args...), i.proxy.Requests())
	}
	i.proxy.SetHook(nil)
	past := i.since()
	told, ours := 0, 0 // versions that our swaps made: with the verdict applied, and all
	foreign := false   // whether another made one
	losesResponse := i.loses || i.at.late
	for n, s := range i.swap {
		verdict, err := eval.VerdictOf(i.errs[n]), i.errs[n]
		var wrote []eval.Version
		for at, o := range past {
			if at > 0 && o.Value(s.Key) == s.New && past[at-1].Value(s.Key) != s.New {
				wrote = append(wrote, o.Version())
			}
		}
		if len(wrote) > 1 {
			wrong("%s was written %d times", s.Key, len(wrote))
		}
		switch verdict {
		case eval.Applied:
			told++
			if len(wrote) != 1 || i.got[n].Version != wrote[0] && !losesResponse || i.got[n].Stored != s.New || i.got[n].Previous != s.Expect {
				wrong("%s: %+v, and it was written in %v", s.Key, i.got[n], wrote)
			}
		case eval.Conflict, eval.Rejected:
			if len(wrote) > 0 {
				wrong("%s: %v, and it was written", s.Key, err)
			}
		case eval.Unknown:
			if n != i.ends || !losesResponse || undisturbed == nil {
				wrong("%s: the outcome is unknown: %v", s.Key, err)
			}
		}
		ours += len(wrote)
		if n != i.ends && undisturbed != nil && verdict != eval.VerdictOf(undisturbed[n]) {
			wrong("%s: %v, and another's context ended", s.Key, err)
		}
		var canceled *eval.CanceledError
		if n == i.ends && verdict == eval.Rejected && (!errors.As(err, &canceled) || !errors.Is(canceled.Err, i.at.err)) {
			wrong("%s: %v is not about the context", s.Key, err)
		}
		if i.at.request == -1 && n == i.ends && verdict != eval.Rejected {
			wrong("%s: %s, and its context had ended", s.Key, verdict)
		}
	}
	for at, o := range past {
		foreign = foreign || at > 0 && o.Value("other") != past[at-1].Value("other")
	}

	// A swap that names the version from before all this knows what came since, and one that names the present one goes through.
	_, err := i.do(i.swapping("after", one, two, i.base.Version()))
	var conflict *eval.ConflictError
	switch isConflict := errors.As(err, &conflict) && conflict.Reason == eval.ReasonObject; {
	case foreign && !isConflict, !foreign && !losesResponse && ours == told && err != nil, err != nil && !isConflict:
		wrong("a sibling afterwards: %v; foreign writes: %v", err, foreign)
	}
	if _, err := i.do(i.swapping("last", one, two, i.version())); err != nil {
		wrong("a swap of the present version: %v", err)
	}
	i.engine.Close() // returns when nothing is left of it
	return eval.VerdictOf(i.errs[i.ends])
}

// since is every state of the object from the base to the present one, in order.
func (i *interruption) since() []*eval.Snapshot {
	i.Helper()
	now := i.version()
	w, err := i.objects().Watch(context.Background(), metav1.ListOptions{
		FieldSelector: "metadata.name=" + i.ref.Name, ResourceVersion: i.base.Version().ResourceVersion,
	})
	if err != nil {
		i.Fatal(err)
	}
	defer w.Stop()
	past := []*eval.Snapshot{i.base}
	for past[len(past)-1].Version() != now {
		cm, ok := (<-w.ResultChan()).Object.(*corev1.ConfigMap)
		if !ok {
			i.Fatalf("%s, %s: the watch ended", i.name, i.at)
		}
		past = append(past, eval.NewSnapshot(cm, time.Now()))
	}
	return past
}

// deadline is a context whose deadline passes when done is closed.
type deadline struct {
	context.Context
	done chan struct{}
}

// Done implements [context.Context].
func (d *deadline) Done() <-chan struct{} { return d.done }

// Err implements [context.Context].
func (d *deadline) Err() error {
	select {
	case <-d.done:
		return context.DeadlineExceeded
	default:
		return nil
	}
}

// Value implements [context.Context]: that it wraps another must not show.
func (d *deadline) Value(any) any { return nil }
