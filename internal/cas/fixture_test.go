package cas

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// fixture is an Engine behind a proxy, and an object "shared" with foo=1 in a namespace that the test has to itself.
type fixture struct {
	*testing.T
	cluster *testcluster.Cluster
	proxy   *testcluster.Proxy
	engine  *Engine
	events  *events
	ref     eval.Ref
}

func newFixture(t *testing.T, data map[string]string) *fixture {
	t.Helper()
	return newFixtureOf(t, eval.ConfigMap, data)
}

func newFixtureOf(t *testing.T, kind eval.Kind, data map[string]string) *fixture {
	t.Helper()
	t.Parallel()
	f := in(t, testcluster.Shared(t))
	f.ref.Kind = kind
	f.create(data)
	return f
}

// in is the fixture of an object in a namespace that the test has to itself. It is not made yet.
func in(t *testing.T, c *testcluster.Cluster) *fixture {
	t.Helper()
	f := &fixture{T: t, cluster: c, events: &events{}, proxy: c.Proxy(t), ref: eval.Ref{Namespace: c.Namespace(t), Name: "shared"}}
	f.engine = f.newEngine(f.proxy.Config)
	return f
}

func (f *fixture) newEngine(config *rest.Config) *Engine {
	f.Helper()
	e, err := New(config, f.events.add)
	if err != nil {
		f.Fatal(err)
	}
	e.limits = patient
	return e
}

func (f *fixture) create(data map[string]string) {
	f.Helper()
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: f.ref.Name}, Data: data}
	if _, err := f.objects().Create(f.Context(), cm, metav1.CreateOptions{}); err != nil {
		f.Fatal(err)
	}
}

func (f *fixture) live() *corev1.ConfigMap {
	f.Helper()
	cm, err := f.objects().Get(context.Background(), f.ref.Name, metav1.GetOptions{})
	if err != nil {
		f.Fatal(err)
	}
	return cm
}

func (f *fixture) version() eval.Version {
	cm := f.live()
	return eval.Version{UID: string(cm.UID), ResourceVersion: cm.ResourceVersion}
}

// set writes a key as another writer. It may be called from a proxy's hook.
func (f *fixture) set(key, value string) { f.setAs("foreign", key, value) }

// setAs writes a key as another writer, under the name of a field manager. It may be called from a proxy's hook.
func (f *fixture) setAs(manager, key, value string) {
	cm := f.live()
	if cm.Data == nil {
		cm.Data = map[string]string{}
	}
	cm.Data[key] = value
	if _, err := f.objects().Update(context.Background(), cm, metav1.UpdateOptions{FieldManager: manager}); err != nil {
		f.Error(err)
	}
}

// unset removes a key and sets another one as another writer. It may be called from a proxy's hook.
func (f *fixture) unset(key, other string) {
	cm := f.live()
	delete(cm.Data, key)
	cm.Data[other] = "foreign"
	if _, err := f.objects().Update(context.Background(), cm, metav1.UpdateOptions{FieldManager: "foreign"}); err != nil {
		f.Error(err)
	}
}

// observe reads the object through the Engine.
func (f *fixture) observe() *eval.Snapshot {
	f.Helper()
	seen, err := f.engine.Observe(f.Context(), f.ref, "", 0)
	if err != nil {
		f.Fatal(err)
	}
	return seen
}

func (f *fixture) recreate(data map[string]string) {
	f.Helper()
	if err := f.objects().Delete(f.Context(), f.ref.Name, metav1.DeleteOptions{}); err != nil {
		f.Fatal(err)
	}
	f.create(data)
}

func (f *fixture) wantData(want map[string]string) {
	f.Helper()
	if got := f.live().Data; !maps.Equal(got, want) {
		f.Errorf("live data %q, want %q", got, want)
	}
}

// swapping is a swap of a key of the fixture's object.
func (f *fixture) swapping(key string, from, to eval.Value, at ...eval.Version) Swap {
	return Swap{Ref: f.ref, Key: key, Expect: from, New: to, RequireVersions: at, FieldManager: "engine"}
}

// removing is the removal of a key that was seen at a version.
func (f *fixture) removing(key string, from eval.Value, seen eval.Version, at ...eval.Version) Swap {
	s := f.swapping(key, from, eval.Value{}, at...)
	s.IgnoreMissing, s.ObservedAt = true, seen
	return s
}

// ample is how long a call may take on a busy machine.
const ample = 2 * time.Minute

// patient limits let the engine find out the outcome of a write whose caller has left, also on a busy machine.
var patient = limits{grace: reportTime + 2*ample, read: ample, settle: defaultLimits.settle}

func (f *fixture) do(s Swap) (Result, error) {
	f.Helper()
	ctx, cancel := context.WithTimeout(f.Context(), ample)
	defer cancel()
	return f.engine.Swap(ctx, s)
}

// begin is do in a goroutine of its own.
func (f *fixture) begin(s Swap) <-chan error {
	ctx, cancel := context.WithTimeout(f.Context(), ample)
	f.Cleanup(cancel)
	return f.beginFor(ctx, s)
}

// beginFor swaps in a goroutine of its own, for a caller who leaves when ctx ends, and not before.
func (f *fixture) beginFor(ctx context.Context, s Swap) <-chan error {
	told := make(chan error, 1)
	go func() {
		_, err := f.engine.Swap(ctx, s)
		told <- err
	}()
	return told
}

func (f *fixture) want(verdict eval.Verdict, err error) {
	f.Helper()
	if got := eval.VerdictOf(err); got != verdict {
		f.Errorf("verdict %s, want %s (%v)", got, verdict, err)
	}
}

func (f *fixture) wantReason(reason eval.Reason, err error) {
	f.Helper()
	var conflict *eval.ConflictError
	if !errors.As(err, &conflict) || conflict.Reason != reason {
		f.Errorf("%v, want a conflict with reason %d", err, reason)
	}
}

// holdReads holds every read until release is closed, and closes arrived when the first read arrives. Other
// requests have the fault other. All calls that are made while the reads are held go into one batch.
func (f *fixture) holdReads(other testcluster.Fault) (arrived <-chan struct{}, release chan<- struct{}) {
	first, held := make(chan struct{}), make(chan struct{})
	var once sync.Once
	f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
		if r.Method != http.MethodGet {
			return other
		}
		once.Do(func() { close(first) })
		return testcluster.Fault{HoldBefore: held}
	})
	return first, held
}

// onPatches has what happens to the n-th patch from now on, counted from 0, decided by faults[n].
func (f *fixture) onPatches(faults ...testcluster.Fault) {
	var mu sync.Mutex
	n := 0
	f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
		mu.Lock()
		defer mu.Unlock()
		if r.Method != http.MethodPatch || n >= len(faults) {
			return testcluster.Fault{}
		}
		n++
		return faults[n-1]
	})
}

// onEach sets the function that decides the fault of each request of a method from now on.
func (f *fixture) onEach(method string, fate func() testcluster.Fault) {
	f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
		if r.Method != method {
			return testcluster.Fault{}
		}
		return fate()
	})
}

// holdAnswer holds the response to the next patch until release is closed. The first channel is closed when the API
// server has answered the patch.
func (f *fixture) holdAnswer() (landed <-chan struct{}, release chan<- struct{}) {
	answered, held := make(chan struct{}), make(chan struct{})
	f.onPatches(testcluster.Fault{Answered: func(*http.Response) { close(answered) }, HoldAfter: held})
	return answered, held
}

// unanswered sends a swap of foo from "1" to "2", and waits until the swap is applied. The response is held until
// release is closed.
func (f *fixture) unanswered() (written <-chan error, release chan<- struct{}) {
	landed, release := f.holdAnswer()
	written = f.begin(f.swapping("foo", one, two))
	<-landed
	return written, release
}

// beforePatch has something happen before the first patch from now on reaches the API server.
func (f *fixture) beforePatch(happens func()) {
	var once sync.Once
	f.onEach(http.MethodPatch, func() testcluster.Fault {
		once.Do(happens)
		return testcluster.Fault{}
	})
}

// events collects what an Engine traces.
type events struct {
	mu  sync.Mutex
	all []Event
}

func (e *events) add(_ context.Context, event Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.all = append(e.all, event)
}

func (e *events) last() Event {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.all[len(e.all)-1]
}

// wantRequests compares the requests since the last Reset.
func (f *fixture) wantRequests(want string) {
	f.Helper()
	var got []string
	for _, r := range f.proxy.Requests() {
		if r.Query.Has("watch") {
			r.Method = "WATCH"
		}
		got = append(got, r.Method)
	}
	if strings.Join(got, " ") != want {
		f.Errorf("requests %v, want %s", got, want)
	}
}

// takes takes a number of the counter foo.
func (f *fixture) takes() (Taken, error) {
	ctx, cancel := context.WithTimeout(f.Context(), ample)
	defer cancel()
	return f.engine.Take(ctx, f.counter("foo"))
}

// mayOnly has the engine act as a user who has these verbs and no others.
func (f *fixture) mayOnly(verbs ...string) {
	f.Helper()
	f.proxy = f.cluster.ProxyFor(f.T, f.cluster.User(f.T, "user-"+f.ref.Namespace, f.ref.Namespace,
		rbacv1.PolicyRule{APIGroups: []string{""}, Resources: bothKinds, Verbs: verbs}))
	f.engine = f.newEngine(f.proxy.Config)
}
