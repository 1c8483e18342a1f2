package cas

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/wire"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster/controlplane"
)

// An API server that was started again keeps no history from before in its cache: a watch that begins there is answered with 410.

// part is a subtest of an object whose history is forgotten. forget returns when that has happened.
type part func(f *fixture, forget func())

// restart is one restart of the API server. It comes when all parts wait for it.
type restart struct {
	*testing.T
	cluster *controlplane.Cluster
	under   sync.WaitGroup // parts that are on their way to it
	over    chan struct{}  // closed when the API server is there again
	parts   sync.WaitGroup
}

// begins runs a part at the same time as the others. With t.Parallel, some of them would wait for the end of others, which wait for the restart.
func (r *restart) begins(name string, do part) {
	r.under.Add(1)
	arrive := sync.OnceFunc(r.under.Done)
	r.parts.Go(func() {
		defer arrive() // also where it failed before, or is not to run
		r.Run(name, func(t *testing.T) {
			f := in(t, r.cluster.Cluster)
			do(f, func() {
				f.others()
				arrive()
				select {
				case <-r.over:
				case <-t.Context().Done(): // the part ended, and a hook is left
					panic(http.ErrAbortHandler)
				}
				f.hasForgotten(f.version())
			})
		})
	})
}

// A restart takes seconds: there is one for all parts, on a control plane that no other test uses.
func TestAPIServerIsStartedAgain(t *testing.T) {
	t.Parallel()
	r := &restart{T: t, cluster: controlplane.Own(t), over: make(chan struct{})}
	findsOut(r.begins)
	findsOutNumber(r.begins)
	givesNoNumberTwice(r.begins)
	findsOutSwap(r.begins)
	r.begins("a lost answer is found out by who may not list", findsOutWithoutList)
	r.begins("a wait does not poll", waitsWithoutPolling)
	r.begins("a wait outlives it", waitOutlivesIt)
	r.under.Wait()
	if err := errors.Join(r.cluster.KillAPIServer(), r.cluster.StartAPIServer()); err != nil {
		t.Error(err)
	}
	close(r.over)
	r.parts.Wait()
}

// Given an API server that has no cache; when etcd drops what came before; then it is as where the API server was started again. A list goes on, too.
func TestEtcdDropsWhatCameBefore(t *testing.T) {
	t.Parallel()
	var plane *envtest.ControlPlane
	c := controlplane.Own(t, func(p *envtest.ControlPlane) {
		plane = p
		p.GetAPIServer().Configure().Set("watch-cache-sizes", "configmaps#0,secrets#0")
	})
	findsOut(func(name string, do part) {
		t.Run(name, func(t *testing.T) {
			f := in(t, c.Cluster)
			do(f, func() {
				compact(t, plane, f.others())
				f.hasForgotten(f.version())
			})
		})
	})
	t.Run("a list goes on", func(t *testing.T) { listGoesOn(in(t, c.Cluster), plane) })
}

// others makes other objects' versions, for a history to begin with, and returns the last one.
func (f *fixture) others() (resourceVersion string) {
	for range 3 {
		other, err := f.objects().Create(context.Background(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{GenerateName: "other-"}}, metav1.CreateOptions{})
		if err != nil {
			f.Error(err)
			continue
		}
		resourceVersion = other.ResourceVersion
	}
	return resourceVersion
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
	blind   bool   // may only read and write
	verdict Verdict
	foo     string
}{
	"it landed, then another key was written":        {testcluster.Fault{DropAfter: true}, "other", false, Applied, "2"},
	"it landed, then the same key was written":       {testcluster.Fault{DropAfter: true}, "foo", false, Applied, "9"},
	"it did not land, then another key was written":  {testcluster.Fault{DropBefore: true}, "other", false, Applied, "2"},
	"it did not land, then the same key was written": {testcluster.Fault{DropBefore: true}, "foo", false, Conflict, "9"},
	"it landed, but only reading is permitted":       {testcluster.Fault{DropAfter: true}, "other", true, Unknown, "2"},
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

// Given objects that are older than what the API server remembers; when the answer to a swap is lost, or the swap itself, and another
// writer comes before the Engine looks; then it is found out what became of it.
func findsOut(begins func(string, part)) {
	for _, kind := range []Kind{ConfigMap, Secret} {
		for name, test := range lostAnswers {
			begins("a lost answer is found out, "+kind.String()+", "+name, func(f *fixture, forget func()) {
				f.ref.Kind = kind
				f.create(map[string]string{"foo": "1", "bar": "1"})
				forget()
				if test.blind {
					f.mayNotWatch()
				}
				v := f.version()
				f.lostThenSet(test.fault, test.key)
				_, err := f.do(f.swapping("foo", one, two))
				f.want(test.verdict, err)
				if live := f.live().Data; live["foo"] != test.foo {
					f.Errorf("live data %q, want foo=%s", live, test.foo)
				}
				f.proxy.SetHook(nil)
				_, err = f.do(f.swapping("bar", one, two, v))
				f.wantReason(ReasonObject, err) // another writer has been there
			})
		}
	}
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

// spans has the fault befall the first patch, and the history forgotten before the look at what became of it. then is done between these two.
func (f *fixture) spans(forget func(), fault testcluster.Fault, then func()) {
	var looks, looked atomic.Bool
	f.proxy.SetHook(func(q *http.Request) testcluster.Fault {
		switch {
		case q.Method == http.MethodPatch && f.proxy.Count(http.MethodPatch) == 1:
			return fault
		case q.Method == http.MethodGet && f.proxy.Count(http.MethodPatch) == 1 && looks.CompareAndSwap(false, true):
			forget()
			then()
			looked.Store(true)
		}
		return testcluster.Fault{}
	})
	f.Cleanup(func() {
		if !looked.Load() {
			f.Error("it has not looked what became of its write: the interleaving was not forced")
		}
	})
}

// takes takes a number from foo.
func (f *fixture) takes() (Taken, error) {
	ctx, cancel := context.WithTimeout(f.Context(), ample)
	defer cancel()
	return f.engine.Take(ctx, f.counter("foo"))
}

// Given a number that is taken; when the API server forgets what came before it between the write, whose answer is lost, or which
// is lost itself, and the look, and another key is written meanwhile; then it is found out which number was taken.
func findsOutNumber(begins func(string, part)) {
	for name, fault := range map[string]testcluster.Fault{"it landed": {DropAfter: true}, "it did not land": {DropBefore: true}} {
		begins("a number is found out, "+name, func(f *fixture, forget func()) {
			f.create(map[string]string{"foo": "5", "bar": "1"})
			f.spans(forget, fault, func() { f.set("other", "9") })
			got, err := f.takes()
			f.want(Applied, err)
			if got.Number != 5 {
				f.Errorf("took %d, want 5", got.Number)
			}
			f.wantData(map[string]string{"foo": "6", "bar": "1", "other": "9"})
		})
	}
}

// Given the same; when a twin takes a number between; then no number is given twice.
func givesNoNumberTwice(begins func(string, part)) {
	for name, test := range map[string]struct {
		fault        testcluster.Fault
		twin, number int64
	}{
		"it landed":       {testcluster.Fault{DropAfter: true}, 6, 5},
		"it did not land": {testcluster.Fault{DropBefore: true}, 5, 6},
	} {
		begins("no number is given twice, "+name, func(f *fixture, forget func()) {
			f.create(map[string]string{"foo": "5"})
			twin := f.newEngine(f.cluster.Config)
			f.spans(forget, test.fault, func() {
				if got, err := twin.Take(context.Background(), f.counter("foo")); err != nil || got.Number != test.twin {
					f.Errorf("the twin took %d (%v), want %d", got.Number, err, test.twin)
				}
			})
			got, err := f.takes()
			var unknown *UnknownNumberError
			switch {
			case errors.As(err, &unknown): // it may not be found out, but which number it is about is known
				if !slices.Equal(unknown.Numbers, []int64{5}) {
					f.Errorf("whether %d was taken is unknown, want 5", unknown.Numbers)
				}
			case err != nil:
				f.Error(err)
			case got.Number != test.number:
				f.Errorf("took %d, want %d", got.Number, test.number)
			}
		})
	}
}

// Given a swap; when the API server forgets what came before it between the write, whose answer is lost, or which is lost itself, and
// the look, and another writes the same key meanwhile; then it is found out what became of it, through what etcd has kept.
func findsOutSwap(begins func(string, part)) {
	for name, test := range map[string]struct {
		fault   testcluster.Fault
		verdict Verdict
	}{
		"it landed":       {testcluster.Fault{DropAfter: true}, Applied},
		"it did not land": {testcluster.Fault{DropBefore: true}, Conflict},
	} {
		begins("a swap is found out, "+name, func(f *fixture, forget func()) {
			f.create(map[string]string{"foo": "1"})
			f.spans(forget, test.fault, func() { f.set("foo", "9") })
			_, err := f.do(f.swapping("foo", one, two))
			f.want(test.verdict, err)
			f.wantData(map[string]string{"foo": "9"})
		})
	}
}

// Given a ConfigMap that is older than what the API server remembers, and a user who may watch and may not list; when the answer to a
// swap is lost and another writes the same key before the Engine looks; then it is found out that it landed.
func findsOutWithoutList(f *fixture, forget func()) {
	f.create(map[string]string{"foo": "1"})
	forget()
	f.mayOnly("get", "watch", "patch")
	f.onPatches(testcluster.Fault{Answered: func(*http.Response) { f.set("foo", "9") }, DropAfter: true})
	_, err := f.do(f.swapping("foo", one, two))
	f.want(Applied, err)
	f.wantData(map[string]string{"foo": "9"})
}

// mayOnly has the Engine act as a user who has these verbs and no others.
func (f *fixture) mayOnly(verbs ...string) {
	f.Helper()
	f.proxy = f.cluster.ProxyFor(f.T, f.cluster.User(f.T, "user-"+f.ref.Namespace, f.ref.Namespace,
		rbacv1.PolicyRule{APIGroups: []string{""}, Resources: bothKinds, Verbs: verbs}))
	f.engine = f.newEngine(f.proxy.Config)
}

// mayNotWatch has the Engine act as a user who may read and write, and may not look at what came in between.
func (f *fixture) mayNotWatch() { f.mayOnly("get", "patch") }

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
// then it is unknown whether it landed: what came first after its base cannot be seen.
func TestKeyOfAnOwnerWhoHasNotWrittenSinceTellsNothing(t *testing.T) {
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
		f.want(Unknown, err)
		f.wantData(map[string]string{"foo": "1", "aged": "yes", "other": "9"})
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
