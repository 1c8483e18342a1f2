package cas

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/wire"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// An API server that was started again keeps no history from before in its cache: a watch that begins there is answered with 410.

// ownCluster is a control plane of the test's own, and a namespace in it.
func ownCluster(t *testing.T, options ...testcluster.Option) (c *testcluster.Cluster, namespace string) {
	t.Helper()
	t.Parallel()
	c = testcluster.Own(t, options...)
	return c, c.Namespace(t)
}

// alone is the shared control plane, and a namespace in it, for a test that starts its API server again. Such a test must not be parallel: go test
// begins the parallel ones when all others have ended. A control plane of its own would take as long to start as the rest of the test.
func alone(t *testing.T) (c *testcluster.Cluster, namespace string) {
	t.Helper()
	c = testcluster.Shared(t)
	return c, c.Namespace(t)
}

// in is the fixture of an object. It is not made yet.
func in(t *testing.T, c *testcluster.Cluster, ref Ref) *fixture {
	t.Helper()
	f := &fixture{T: t, cluster: c, events: &events{}, proxy: c.Proxy(t), ref: ref}
	f.engine = f.newEngine(f.proxy.Config)
	return f
}

// forgets restarts the API server, whose history begins later then than all that was written before.
func (f *fixture) forgets() {
	f.others()
	if err := restarted(f.cluster); err != nil {
		f.Error(err)
	}
	f.hasForgotten(f.version())
}

func restarted(c *testcluster.Cluster) error {
	return errors.Join(c.KillAPIServer(), c.StartAPIServer())
}

// others makes other objects' versions, for a history to begin with.
func (f *fixture) others() {
	for range 3 {
		if _, err := f.objects().Create(context.Background(),
			&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "other-"}}, metav1.CreateOptions{}); err != nil {
			f.Error(err)
		}
	}
}

// hasForgotten fails the test where the API server still knows what came after a version.
func (f *fixture) hasForgotten(v Version) {
	w, err := f.objects().Watch(context.Background(), metav1.ListOptions{
		FieldSelector: "metadata.name=" + f.ref.Name, ResourceVersion: v.ResourceVersion, TimeoutSeconds: new(int64(10)),
	})
	if err != nil {
		if !wire.IsExpired(err) {
			f.Error(err)
		}
		return
	}
	defer w.Stop()
	if status, isStatus := (<-w.ResultChan()).Object.(*metav1.Status); !isStatus || status.Code != http.StatusGone {
		f.Error("the API server remembers what came before: the interleaving was not forced")
	}
}

// lostAnswers is what can come between a swap of foo from 1 to 2 and the look that finds out about it.
var lostAnswers = map[string]struct {
	fault   testcluster.Fault
	key     string // which another writer sets to 9
	may     []rbacv1.PolicyRule
	verdict Verdict
	foo     string
}{
	"it landed, then another key was written":        {testcluster.Fault{DropAfter: true}, "other", nil, Applied, "2"},
	"it landed, then the same key was written":       {testcluster.Fault{DropAfter: true}, "foo", nil, Applied, "9"},
	"it did not land, then another key was written":  {testcluster.Fault{DropBefore: true}, "other", nil, Applied, "2"},
	"it did not land, then the same key was written": {testcluster.Fault{DropBefore: true}, "foo", nil, Conflict, "9"},
	"it landed, but only reading is permitted":       {testcluster.Fault{DropAfter: true}, "other", getAndPatch, Unknown, "2"},
}

// lostThenSet has the fault befall the first patch, and another writer set a key to 9 before the next read.
func (f *fixture) lostThenSet(fault testcluster.Fault, key string) {
	lost := false
	f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
		switch {
		case r.Method == http.MethodPatch && f.proxy.Count(http.MethodPatch) == 1:
			lost = true
			return fault
		case r.Method == http.MethodGet && lost:
			lost = false
			f.set(key, "9")
		}
		return testcluster.Fault{}
	})
}

// findsOut makes ConfigMaps and Secrets, has the API server forget them, and runs lostAnswers.
func findsOut(t *testing.T, c *testcluster.Cluster, namespace string, forget func(*fixture)) {
	t.Helper()
	names := map[string]string{}
	for name := range lostAnswers {
		names[name] = fmt.Sprint("shared-", len(names))
	}
	kinds := []Kind{ConfigMap, Secret}
	var last *fixture
	for _, kind := range kinds {
		for _, name := range names {
			last = in(t, c, Ref{Kind: kind, Namespace: namespace, Name: name})
			last.create(map[string]string{"foo": "1", "bar": "1"})
		}
	}
	forget(last)
	for _, kind := range kinds {
		for name, test := range lostAnswers {
			t.Run(kind.String()+", "+name, func(t *testing.T) {
				f := in(t, c, Ref{Kind: kind, Namespace: namespace, Name: names[name]})
				if test.may != nil {
					f.proxy = c.ProxyFor(t, c.User(t, "restricted-"+kind.Resource(), namespace, test.may...))
					f.engine = f.newEngine(f.proxy.Config)
				}
				v := f.version()
				f.hasForgotten(v)
				f.lostThenSet(test.fault, test.key)
				_, err := f.do(f.swapping("foo", one, two))
				f.want(test.verdict, err)
				if live := f.live().Data; live["foo"] != test.foo {
					t.Errorf("live data %q, want foo=%s", live, test.foo)
				}
				f.proxy.SetHook(nil)
				_, err = f.do(f.swapping("bar", one, two, v))
				f.wantReason(ReasonObject, err) // another writer has been there
			})
		}
	}
}

// Given ConfigMaps that are older than what the API server remembers; when the answer to a swap is lost, or the swap itself, and
// another writer comes before the Engine looks; then it is found out what became of it.
func TestLostAnswerIsFoundOutWhereTheAPIServerHasForgottenTheBase(t *testing.T) {
	c, namespace := alone(t)
	findsOut(t, c, namespace, (*fixture).forgets)
}

// Given a write that was judged elsewhere before the API server was started again, and is sent without a read; when its answer is lost, or the
// write itself, and another writer comes before the Engine looks; then it is found out what became of it.
func TestLostAnswerOfAWriteThatWasJudgedBeforeTheAPIServerWasStartedAgain(t *testing.T) {
	c, namespace := alone(t)
	made := map[string]*fixture{}
	txns := map[string]*Txn{}
	var last *fixture
	for name := range lostAnswers {
		f := in(t, c, Ref{Namespace: namespace, Name: fmt.Sprint("shared-", len(made))})
		f.create(map[string]string{"foo": "1", "bar": "1"})
		txns[name] = f.judgedElsewhere(f.swapping("foo", one, two))
		made[name], last = f, f
	}
	last.forgets()
	for name, test := range lostAnswers {
		if test.may != nil {
			continue
		}
		f := made[name]
		f.hasForgotten(f.version())
		f.lostThenSet(test.fault, test.key)
		f.proxy.Reset()
		txn := txns[name]
		txn.SeenSince.At = time.Now()
		_, err := f.engine.Commit(t.Context(), txn)
		f.proxy.SetHook(nil)
		if got := VerdictOf(err); got != test.verdict {
			t.Errorf("%s: verdict %v, want %v (%v)", name, got, test.verdict, err)
		}
		if live := f.live().Data; live["foo"] != test.foo {
			t.Errorf("%s: live data %q, want foo=%s", name, live, test.foo)
		}
		if first := f.proxy.Requests()[0]; first.Method != http.MethodPatch {
			t.Errorf("%s: began with %v", name, first)
		}
	}
}

// Given the same where the API server has no cache, and etcd has dropped what came before.
func TestLostAnswerIsFoundOutWhereEtcdHasForgottenTheBase(t *testing.T) {
	var plane *envtest.ControlPlane
	c, namespace := ownCluster(t, func(p *envtest.ControlPlane) {
		plane = p
		p.GetAPIServer().Configure().Set("watch-cache-sizes", "configmaps#0,secrets#0")
	})
	findsOut(t, c, namespace, func(f *fixture) {
		f.others()
		other, err := c.Client().CoreV1().ConfigMaps(namespace).Create(t.Context(),
			&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "other-"}}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
		compact(t, plane, other.ResourceVersion)
		f.hasForgotten(f.version())
	})
}

// compact has etcd drop what came before a revision.
func compact(t *testing.T, plane *envtest.ControlPlane, revision string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, plane.Etcd.URL.String()+"/v3/kv/compaction",
		strings.NewReader(`{"revision":"`+revision+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	_ = response.Body.Close()
	if response.StatusCode != http.StatusOK {
		t.Fatal(response.Status)
	}
}

var getAndPatch = []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: bothKinds, Verbs: []string{"get", "patch"}}}

// restart is one restart of the API server for several calls. It comes after each call has sent its write, which is lost, or whose answer is, and
// before the call looks what became of it.
type restart struct {
	*testing.T
	cluster   *testcluster.Cluster
	namespace string
	fixtures  int

	under sync.WaitGroup // calls that are on their way to their look
	over  chan struct{}  // closed when the API server is there again, and has forgotten what came before
	ended sync.WaitGroup // the calls
}

func newRestart(t *testing.T) *restart {
	t.Helper()
	c, namespace := alone(t)
	return &restart{T: t, cluster: c, namespace: namespace, over: make(chan struct{})}
}

// next is the fixture of another object, which holds data.
func (r *restart) next(data map[string]string) *fixture {
	r.Helper()
	r.fixtures++
	f := in(r.T, r.cluster, Ref{Namespace: r.namespace, Name: fmt.Sprint("shared-", r.fixtures)})
	f.create(data)
	return f
}

// spans begins a call that the restart is to come into. then is done between the restart and the look.
func (r *restart) spans(f *fixture, fault testcluster.Fault, then func(), call func(context.Context)) {
	r.under.Add(1)
	arrive := sync.OnceFunc(r.under.Done)
	var looked atomic.Bool
	ended := f.Context().Done() // where the test fails before the restart
	f.proxy.SetHook(func(q *http.Request) testcluster.Fault {
		switch {
		case q.Method == http.MethodPatch && f.proxy.Count(http.MethodPatch) == 1:
			return fault
		case q.Method == http.MethodGet && f.proxy.Count(http.MethodPatch) == 1 && looked.CompareAndSwap(false, true):
			f.others()
			arrive()
			select {
			case <-r.over:
			case <-ended:
				return testcluster.Fault{}
			}
			f.hasForgotten(f.version())
			then()
		}
		return testcluster.Fault{}
	})
	r.ended.Go(func() {
		ctx, cancel := context.WithTimeout(f.Context(), ample)
		defer cancel()
		call(ctx)
		arrive() // also where it has ended without a look
		if !looked.Load() {
			f.Error("it has not looked what became of its write: the interleaving was not forced")
		}
	})
}

// happens starts the API server again when all calls are about to look, and returns when they have ended.
func (r *restart) happens() {
	r.Helper()
	r.under.Wait()
	err := restarted(r.cluster)
	close(r.over)
	r.ended.Wait()
	if err != nil {
		r.Fatal(err)
	}
}

// Given a number that is taken; when the API server forgets what came before it between the write, whose answer is lost, or which
// is lost itself, and the look, and another key is written meanwhile; then it is found out which number was taken.
func TestNumberIsFoundOutWhereTheAPIServerForgetsBetweenWriteAndLook(t *testing.T) {
	r := newRestart(t)
	type taking struct {
		*fixture
		got Taken
		err error
	}
	takings := map[string]*taking{}
	for name, fault := range map[string]testcluster.Fault{"it landed": {DropAfter: true}, "it did not land": {DropBefore: true}} {
		f := &taking{fixture: r.next(map[string]string{"foo": "5", "bar": "1"})}
		takings[name] = f
		r.spans(f.fixture, fault, func() { f.set("other", "9") }, func(ctx context.Context) { f.got, f.err = f.engine.Take(ctx, f.counter("foo")) })
	}
	r.happens()
	for name, f := range takings {
		t.Run(name, func(t *testing.T) {
			f.T = t
			f.want(Applied, f.err)
			if f.got.Number != 5 {
				t.Errorf("took %d, want 5", f.got.Number)
			}
			f.wantData(map[string]string{"foo": "6", "bar": "1", "other": "9"})
		})
	}
}

// Given the same; when a twin takes a number between; then no number is given twice.
func TestNoNumberIsGivenTwiceWhereTheAPIServerForgetsBetweenWriteAndLook(t *testing.T) {
	r := newRestart(t)
	tests := map[string]*struct {
		fault  testcluster.Fault
		twin   int64
		number int64

		got Taken
		err error
	}{
		"it landed":       {fault: testcluster.Fault{DropAfter: true}, twin: 6, number: 5},
		"it did not land": {fault: testcluster.Fault{DropBefore: true}, twin: 5, number: 6},
	}
	for _, test := range tests {
		f := r.next(map[string]string{"foo": "5"})
		r.spans(f, test.fault, func() {
			twin := f.newEngine(r.cluster.Config)
			if got, err := twin.Take(context.Background(), f.counter("foo")); err != nil || got.Number != test.twin {
				f.Errorf("the twin took %d (%v), want %d", got.Number, err, test.twin)
			}
		}, func(ctx context.Context) { test.got, test.err = f.engine.Take(ctx, f.counter("foo")) })
	}
	r.happens()
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var unknown *UnknownNumberError
			switch {
			case errors.As(test.err, &unknown): // it may not be found out, but which number it is about is known
				if unknown.Number != 5 {
					t.Errorf("whether %d was taken is unknown, want 5", unknown.Number)
				}
			case test.err != nil:
				t.Error(test.err)
			case test.got.Number != test.number:
				t.Errorf("took %d, want %d", test.got.Number, test.number)
			}
		})
	}
}

// Given a swap; when the API server forgets what came before it between the write, whose answer is lost, or which is lost itself, and
// the look, and another writes the same key meanwhile; then it is found out what became of it, through what etcd has kept.
func TestSwapIsFoundOutWhereTheAPIServerForgetsBetweenWriteAndLook(t *testing.T) {
	r := newRestart(t)
	tests := map[string]*struct {
		fault   testcluster.Fault
		verdict Verdict

		*fixture
		err error
	}{
		"it landed":       {fault: testcluster.Fault{DropAfter: true}, verdict: Applied},
		"it did not land": {fault: testcluster.Fault{DropBefore: true}, verdict: Conflict},
	}
	for _, test := range tests {
		f := r.next(map[string]string{"foo": "1"})
		test.fixture = f
		r.spans(f, test.fault, func() { f.set("foo", "9") }, func(ctx context.Context) { _, test.err = f.engine.Swap(ctx, f.swapping("foo", one, two)) })
	}
	r.happens()
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			test.T = t
			test.want(test.verdict, test.err)
			test.wantData(map[string]string{"foo": "9"})
		})
	}
}

// Given a ConfigMap that is older than what the API server remembers, and a user who may watch and may not list; when the answer to a
// swap is lost and another writes the same key before the Engine looks; then it is found out that it landed.
func TestLostAnswerIsFoundOutByWhoMayNotListWhereTheBaseIsForgotten(t *testing.T) {
	c, namespace := alone(t)
	f := in(t, c, Ref{Namespace: namespace, Name: "shared"})
	f.create(map[string]string{"foo": "1"})
	f.forgets()
	f.proxy = c.ProxyFor(t, c.User(t, "watches", namespace, rbacv1.PolicyRule{
		APIGroups: []string{""}, Resources: bothKinds, Verbs: []string{"get", "watch", "patch"},
	}))
	f.engine = f.newEngine(f.proxy.Config)
	f.onPatches(testcluster.Fault{Answered: func(*http.Response) { f.set("foo", "9") }, DropAfter: true})
	_, err := f.do(f.swapping("foo", one, two))
	f.want(Applied, err)
	f.wantData(map[string]string{"foo": "9"})
}

// mayNotWatch has the Engine act as a user who may read and write, and may not look at what came in between.
func (f *fixture) mayNotWatch() {
	f.Helper()
	f.proxy = f.cluster.ProxyFor(f.T, f.cluster.User(f.T, "reads-"+f.ref.Namespace, f.ref.Namespace, getAndPatch...))
	f.engine = f.newEngine(f.proxy.Config)
}

// newOwned is a fixture whose foo is another's, who wrote last in 2020, and whose Engine may not watch.
func newOwned(t *testing.T, kind Kind) *fixture {
	t.Helper()
	f := newFixtureOf(t, kind, map[string]string{"foo": "0"})
	f.setAs("owner", "foo", "1")
	f.ages("owner")
	f.mayNotWatch()
	return f
}

// Given a key whose owner wrote last in 2020, and a user who may not watch; when a swap is lost on its way, and another key is written;
// then it is known that nothing landed: the key is as it was and its owner's, who has not written since. It is sent again.
func TestKeyOfAnOwnerWhoHasNotWrittenSinceTellsThatNothingLanded(t *testing.T) {
	ofEachKind(t, func(of kinded) {
		t, kind := of.T, of.kind
		f := newOwned(t, kind)
		f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
			if r.Method != http.MethodPatch || f.proxy.Count(http.MethodPatch) > 1 {
				return testcluster.Fault{}
			}
			f.set("other", "9")
			return testcluster.Fault{DropBefore: true}
		})
		_, err := f.do(f.swapping("foo", one, two))
		f.want(Applied, err)
		f.wantData(map[string]string{"foo": "2", "aged": "yes", "other": "9"})
		if n := f.proxy.Count(http.MethodPatch); n != 2 {
			t.Errorf("%d patches, want 2", n)
		}
	})
}

// Given the same; when the swap lands, its answer is lost, and the owner puts the key back to what it was; then it is not known that
// nothing landed.
func TestKeyOfAnOwnerWhoHasWrittenSinceTellsNothing(t *testing.T) {
	ofEachKind(t, func(of kinded) {
		t, kind := of.T, of.kind
		f := newOwned(t, kind)
		f.onPatches(testcluster.Fault{Answered: func(*http.Response) { f.setAs("owner", "foo", "1") }, DropAfter: true})
		_, err := f.do(f.swapping("foo", one, two))
		f.want(Unknown, err)
		f.wantData(map[string]string{"foo": "1", "aged": "yes"})
	})
}
