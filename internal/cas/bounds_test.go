package cas

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/pace"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// unknownWithinSeconds swaps for a caller who would wait longer than it may take to be told.
func (f *fixture) unknownWithinSeconds(s Swap) {
	f.Helper()
	ctx, cancel := context.WithTimeout(f.Context(), ample)
	defer cancel()
	_, err := f.engine.Swap(ctx, s)
	f.Logf("%d gets and %d patches: %v", f.proxy.Count(http.MethodGet), f.proxy.Count(http.MethodPatch), err)
	f.want(Unknown, err)
	if ctx.Err() != nil {
		f.Error("it looked, or sent again, until its caller left")
	}
}

// Given an answer that got lost; when the read after it is forbidden; then that ends as unknown, and is not repeated for ever.
func TestForbiddenLookIsNotRepeatedForEver(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1", "bar": "1"})
	v := f.version()
	f.proxy = f.cluster.ProxyFor(f.T, f.cluster.User(f.T, "patches-"+f.ref.Namespace, f.ref.Namespace,
		rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"patch"}}))
	f.engine = f.newEngine(f.proxy.Config)
	f.onPatches(testcluster.Fault{DropAfter: true})
	f.unknownWithinSeconds(f.removing("foo", one, v, v))
}

// Given a write that got lost; when the API server refuses each repeat for good; then the caller is told within seconds.
func TestRefusedRepeatIsNotRepeatedForEver(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1", "bar": "1"})
	f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
		switch {
		case r.Method != http.MethodPatch:
			return testcluster.Fault{}
		case f.proxy.Count(http.MethodPatch) == 1:
			return testcluster.Fault{DropBefore: true}
		}
		return testcluster.Fault{Answer: status(403, "Forbidden", "admission webhook denied the request")}
	})
	f.unknownWithinSeconds(f.swapping("foo", one, two))
}

// Given an answer that got lost; when the watch that is to tell shows nothing; then a sibling of another key goes on within seconds.
func TestSilentWatchDoesNotHoldUpSiblings(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1", "bar": "1"})
	_, err := f.do(f.swapping("warm", Entry{}, one))
	f.want(Applied, err)
	held := make(chan struct{})
	defer close(held)
	patches := make(chan struct{})
	var once sync.Once
	f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
		switch {
		case r.Method == http.MethodPatch:
			first := false
			once.Do(func() { first = true; close(patches) })
			if first {
				return testcluster.Fault{Answered: func(*http.Response) { f.set("other", "9") }, DropAfter: true}
			}
		case r.URL.Query().Get("watch") != "":
			return testcluster.Fault{HoldAfter: held}
		}
		return testcluster.Fault{}
	})
	signed := f.swapping("foo", one, two)
	signed.FieldManager = f.engine.Signed("engine") // what a read alone would prove
	ctx, cancel := context.WithTimeout(t.Context(), 40*time.Second)
	defer cancel()
	begun := time.Now()
	done := f.beginFor(ctx, signed)
	<-patches
	other, end := context.WithTimeout(t.Context(), 25*time.Second)
	defer end()
	_, err = f.engine.Swap(other, f.swapping("bar", one, two))
	t.Logf("sibling after %v: %v", time.Since(begun), err)
	f.want(Applied, err)
	cancel()
	t.Logf("the first: %v", <-done)
}

// forgetful is what an API server does that has forgotten what came after a base: 410. This user may not list.
func forgetful(r *http.Request, base func() string) *testcluster.Answer {
	q := r.URL.Query()
	switch {
	case r.Method != http.MethodGet || q.Get("fieldSelector") == "":
	case q.Get("watch") == "":
		return status(403, "Forbidden", "may not list")
	case q.Get("resourceVersion") == base():
		return status(http.StatusGone, "Expired", "too old resource version")
	}
	return nil
}

// loses has the answer to the next patch of foo get lost, and another write bar.
func (f *fixture) losesForgetful() (Result, error) {
	v := f.version()
	n := 0
	f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
		if a := forgetful(r, func() string { return v.ResourceVersion }); a != nil {
			return testcluster.Fault{Answer: a}
		}
		if r.Method == http.MethodPatch {
			if n++; n == 1 {
				return testcluster.Fault{Answered: func(*http.Response) { f.set("foo", "9") }, DropAfter: true}
			}
		}
		return testcluster.Fault{}
	})
	return f.do(f.swapping("foo", one, two))
}

func TestHorizonControl(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	f.set("foo", "1")
	f.bump()
	_, err := f.losesForgetful()
	f.want(Applied, err)
}

// bump has the kind's resourceVersion go on, past the object's.
func (f *fixture) bump() { f.others() }

// Given a caller who leaves while the horizon is learned; then the next swap learns it all the same.
func TestHorizonIsNotLostWithACaller(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	f.bump()
	held, first := make(chan struct{}), make(chan struct{})
	defer close(held)
	var once sync.Once
	f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
		if r.URL.Query().Get("watch") != "" {
			once.Do(func() { close(first) })
			return testcluster.Fault{HoldBefore: held}
		}
		return testcluster.Fault{}
	})
	ctx, leave := context.WithCancel(t.Context())
	told := f.beginFor(ctx, f.swapping("foo", one, two))
	<-first
	leave()
	f.want(Rejected, <-told)
	c := f.engine.committer(f.ref)
	<-waitFor(func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return !c.running
	})
	_, err := f.losesForgetful()
	f.want(Applied, err)
}

// Given a user who may not watch in another namespace; then the horizon is learned in this one.
func TestHorizonIsNotLostWithAForbiddenNamespace(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	f.bump()
	elsewhere := f.ref
	elsewhere.Namespace = "elsewhere"
	f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
		if strings.Contains(r.URL.Path, "/namespaces/elsewhere/") {
			return testcluster.Fault{Answer: status(403, "Forbidden", "may not watch there")}
		}
		return testcluster.Fault{}
	})
	s := f.swapping("foo", one, two)
	s.Ref = elsewhere
	_, err := f.do(s)
	f.want(Rejected, err)
	_, err = f.losesForgetful()
	f.want(Applied, err)
}

type slow struct {
	io.ReadCloser
	once sync.Once
}

func (s *slow) Read(p []byte) (int, error) {
	s.once.Do(func() { time.Sleep(2500 * time.Millisecond) })
	return s.ReadCloser.Read(p)
}

// Given one watch that is slow, or that is refused for what has nothing to do with horizons; then the horizon is not given up for as long as the
// process lives. It is, where the API server says that it cannot begin a watch with the present state.
func TestHorizonIsNotLostForEverWithOneWatch(t *testing.T) {
	slowly := func(r *http.Response) { r.Body = &slow{ReadCloser: r.Body} }
	for name, test := range map[string]struct {
		fault    testcluster.Fault
		requests string
		isGiven  bool // up
	}{
		"slow":                        {testcluster.Fault{Answered: slowly}, "WATCH GET PATCH", false},
		"the token has just expired":  {testcluster.Fault{Answer: status(http.StatusUnauthorized, "Unauthorized", "expired")}, "WATCH GET PATCH", false},
		"a load balancer has no path": {testcluster.Fault{Answer: &testcluster.Answer{Status: http.StatusNotFound, Body: "<html>"}}, "WATCH GET PATCH", false},
		"a conflict":                  {testcluster.Fault{Answer: status(http.StatusConflict, "Conflict", "no")}, "WATCH GET PATCH", false},
		"the version is forgotten":    {testcluster.Fault{Answer: status(http.StatusGone, "Expired", "too old resource version")}, "WATCH GET PATCH", false},
		"too busy":                    {testcluster.Fault{Answer: testcluster.Busy(http.StatusTooManyRequests)}, "WATCH WATCH PATCH", false},
		"the connection breaks":       {testcluster.Fault{DropBefore: true}, "WATCH WATCH PATCH", false},
		"the feature is off":          {testcluster.Fault{Answer: status(http.StatusUnprocessableEntity, "Invalid", "sendInitialEvents")}, "WATCH GET PATCH", true},
		"the parameter is not known":  {testcluster.Fault{Answer: status(http.StatusBadRequest, "BadRequest", "sendInitialEvents")}, "WATCH GET PATCH", true},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "1", "bar": "1"})
			var once sync.Once
			f.proxy.SetHook(func(r *http.Request) (fault testcluster.Fault) {
				if r.URL.Query().Has("watch") {
					once.Do(func() { fault = test.fault })
				}
				return fault
			})
			_, err := f.do(f.swapping("bar", one, two))
			f.want(Applied, err)
			f.wantRequests(test.requests)
			if isGiven := f.engine.client.IsRefused(f.ref); isGiven || test.isGiven {
				if isGiven != test.isGiven {
					t.Errorf("the horizon is given up: %t", isGiven)
				}
				return
			}
			f.engine.client.Now = func() time.Time { return time.Now().Add(10 * time.Minute) } // idle: nobody else looks
			f.bump()
			_, err = f.losesForgetful()
			f.want(Applied, err)
		})
	}
}

// Given that the way back through etcd fails once; then it is tried again.
func TestOneFailedListDoesNotMakeItUnknown(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	lists, patches := 0, 0
	f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
		q := r.URL.Query()
		switch {
		case r.Method == http.MethodPatch:
			if patches++; patches == 1 {
				return testcluster.Fault{Answered: func(*http.Response) { f.set("foo", "9") }, DropAfter: true}
			}
		case r.Method == http.MethodGet && q.Get("watch") != "" && patches > 0:
			return testcluster.Fault{Answer: status(http.StatusGone, "Expired", "too old resource version")}
		case r.Method == http.MethodGet && q.Get("fieldSelector") != "" && patches > 0:
			if lists++; lists == 1 {
				return testcluster.Fault{Answer: internalError("etcdserver: leader changed")}
			}
		}
		return testcluster.Fault{}
	})
	_, err := f.do(f.swapping("foo", one, two))
	f.want(Applied, err)
	if lists < 2 {
		t.Errorf("%d lists, want one that fails and another", lists)
	}
}

// Given a lost answer about thousands of keys; then what became of them is found out by one look, which may take a second.
func TestManyKeysAreFoundOutAboutByOneLook(t *testing.T) {
	for _, signed := range []bool{false, true} {
		t.Run(fmt.Sprint("signed ", signed), func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "1"})
			txn := f.txn()
			for n := range 4000 {
				txn.Keys = append(txn.Keys, KeySwap{Key: fmt.Sprintf("key-of-some-length-%d", n), New: one})
			}
			if signed {
				txn.FieldManager = f.engine.Signed("engine")
			}
			_, err := f.commit(txn)
			f.want(Applied, err)
			for i := range txn.Keys {
				txn.Keys[i].Expect, txn.Keys[i].New = one, two
			}
			f.onPatches(testcluster.Fault{Answered: func(*http.Response) { f.set("foo", "9") }, DropAfter: true})
			f.proxy.Reset()
			_, err = f.commit(txn)
			f.want(Applied, err)
			f.wantRequests("PATCH GET WATCH")
		})
	}
}

// Given swaps that come one after the other; then none of them waits.
func TestSwapWithoutSiblingsDoesNotWait(t *testing.T) {
	p, now, most := &pace.Pace{}, time.Now(), time.Duration(0)
	at := 0
	for n := range 100 {
		p.Arrives(now)
		begun := now
		for d := p.Wait(1, begun, now); d > 0; d = p.Wait(1, begun, now) {
			now = now.Add(d)
		}
		if now.Sub(begun) > most {
			most, at = now.Sub(begun), n
		}
		p.Sends(1)
		now = now.Add(5 * time.Millisecond)
		p.Leaves(now)
		now = now.Add(300 * time.Millisecond)
	}
	t.Logf("waited %v, first at swap %d", most, at)
	if most > 50*time.Millisecond {
		t.Error("a lone swap waits for siblings that there are not")
	}
}

// Given a signed write that something on the way sent twice; when the read after the 409 fails; then it is not told as rejected.
func TestSignedWriteThatLandedIsNotRejectedWhereTheLookFails(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "5"})
	patched := false
	f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
		switch {
		case r.Method == http.MethodPatch && !patched:
			patched = true
			f.sendAhead(r)
		case r.Method == http.MethodGet && patched:
			return testcluster.Fault{DropBefore: true}
		}
		return testcluster.Fault{}
	})
	got, err := f.engine.Take(t.Context(), f.counter("foo"))
	t.Log(err)
	f.gaveUp(taken{got, err}, 5)
	f.wantData(map[string]string{"foo": "6"})
}

// Given a JSON Patch whose outcome is unknown; when it lands in place of a later one that writes the same, and that got lost; then the
// later one is not told that it was applied.
func TestSwapThatAnUnknownJSONPatchMadeIsNotAnothersToo(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	f.contend()
	l := f.late()
	l.holds(http.MethodPatch, testcluster.Fault{DropBefore: true})
	l.swaps()
	f.set("another", "9")
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	_, err := f.engine.Swap(ctx, f.swapping("foo", one, two))
	if verdict := VerdictOf(err); verdict == Applied || verdict == Rejected {
		t.Errorf("told %s: the unknown one's write is taken for its own, or for none", verdict)
	}
	t.Log(err)
}

// Given a JSON Patch whose outcome is unknown, and which landed; when the answer to a write of another key gets lost; then that one is
// known to have landed, since the JSON Patch cannot have made what it made.
func TestUnknownJSONPatchDoesNotCastDoubtOnWritesOfOtherKeys(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1", "bar": "1"})
	f.contend()
	l := f.late()
	l.holds(http.MethodPatch, testcluster.Fault{})
	l.swaps()
	l.land()
	f.onPatches(testcluster.Fault{DropAfter: true})
	_, err := f.do(f.swapping("bar", one, two))
	f.want(Applied, err)
	if live := f.live().Data; live["foo"] != "2" || live["bar"] != "2" {
		t.Errorf("foo is %q and bar %q, want 2 and 2", live["foo"], live["bar"])
	}
}

// Given a creation whose outcome is unknown; when it lands in place of a later one of the same content; then the later one is not applied.
func TestCreationThatAnUnknownOneMadeIsNotAnothersToo(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	f.remove()
	l := f.late()
	l.holds(http.MethodPost, testcluster.Fault{DropBefore: true})
	n := f.creation()
	n.FieldManager = f.engine.Signed("engine")
	f.observe()
	f.want(Unknown, l.leaves(func(ctx context.Context) error {
		_, err := f.engine.Create(ctx, n)
		return err
	}))
	f.observe()
	_, err := f.doCreate(n)
	if verdict := VerdictOf(err); verdict == Applied || verdict == Rejected {
		t.Errorf("told %s: the unknown one's creation is taken for its own, or for none", verdict)
	}
	t.Log(err)
}
