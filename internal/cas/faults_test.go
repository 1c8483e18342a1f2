package cas

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

func TestAnswerThatGotLostIsFoundOut(t *testing.T) {
	ofEachKind(t, func(of kinded) {
		t, kind := of.T, of.kind
		tests := map[string]testcluster.Fault{
			"connection dropped before the server saw it": {DropBefore: true},
			"connection dropped after the write landed":   {DropAfter: true},
			"429 before the server saw it":                {Answer: testcluster.Busy(http.StatusTooManyRequests)},
			"503 before the server saw it":                {Answer: testcluster.Busy(http.StatusServiceUnavailable)},
			"429 after the write landed":                  {Answered: testcluster.BusyAfter(http.StatusTooManyRequests)},
			"503 after the write landed":                  {Answered: testcluster.BusyAfter(http.StatusServiceUnavailable)},
		}
		for name, fault := range tests {
			t.Run(name, func(t *testing.T) {
				f := newFixtureOf(t, kind, map[string]string{"foo": "1", "bar": "1"})
				v := f.version()
				f.onPatches(fault)
				result, err := f.do(f.swapping("foo", one, two, v))
				f.want(eval.Applied, err)
				f.wantData(map[string]string{"foo": "2", "bar": "1"})
				if result.Version != f.version() {
					t.Errorf("version %v, want %v: it was written more than once", result.Version, f.version())
				}
				_, err = f.do(f.swapping("bar", one, two, v))
				f.want(eval.Applied, err) // the chain goes on
			})
		}
	})
}

// Given a ConfigMap that was created empty, so that managedFields show no update; when a write is lost on its way
// and another writer writes the same value first; then the outcome is unknown. The engine may have made the write,
// because admission may have removed the entry that the engine's write adds.
func TestSameWriteOfAnothersIsNotTakenForOursWhereNobodyIsNamed(t *testing.T) {
	for name, content := range map[string]map[string]string{"text": {"other": "1"}, "empty": nil} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, nil)
			for key, value := range content {
				f.set(key, value)
			}
			if managers := f.live().ManagedFields; len(managers) > 0 {
				t.Fatalf("managedFields: %v", managers)
			}
			f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
				if r.Method == http.MethodPatch && f.proxy.Count(http.MethodPatch) == 1 {
					f.set("foo", "1")
					return testcluster.Fault{DropBefore: true}
				}
				return testcluster.Fault{}
			})
			_, err := f.do(f.swapping("foo", eval.Value{}, one))
			f.want(eval.Unknown, err)
		})
	}
}

func TestLostAnswerOfARemovalIsFoundOut(t *testing.T) {
	ofEachKind(t, func(of kinded) {
		t, kind := of.T, of.kind
		f := newFixtureOf(t, kind, map[string]string{"foo": "1"})
		v := f.version()
		f.onPatches(testcluster.Fault{DropAfter: true})
		_, err := f.do(f.removing("foo", one, v, v))
		f.want(eval.Applied, err)
		f.wantData(nil)
	})
}

func TestSiblingsWriteThatLandedAndHasNotAnsweredIsNotForeign(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1", "bar": "1"})
	v := f.version()
	landed, release := f.holdAnswer()
	verdicts := make(chan error, 2)
	swap := func(key string) {
		_, err := f.do(f.swapping(key, one, two, v))
		verdicts <- err
	}
	go swap("foo")
	<-landed
	go swap("bar")
	select {
	case err := <-verdicts:
		t.Fatalf("told while a write was in flight: %v", err)
	case <-waitFor(staysWaiting(f.engine.committer(f.ref))):
	}
	close(release)
	f.want(eval.Applied, <-verdicts)
	f.want(eval.Applied, <-verdicts)
	f.wantData(map[string]string{"foo": "2", "bar": "2"})
}

// staysWaiting reports whether a task is in the queue time after time: nobody is about to take it.
func staysWaiting(c *committer) func() bool {
	times := 0
	return func() bool {
		if times++; len(c.waiting()) != 1 {
			times = 0
		}
		return times == 1000
	}
}

func TestCancelAfterTheWriteWasSentGetsTheTrueVerdict(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	landed, release := f.holdAnswer()
	ctx, cancel := context.WithCancel(t.Context())
	done := f.beginFor(ctx, f.swapping("foo", one, two))
	<-landed
	cancel()
	close(release)
	f.want(eval.Applied, <-done)
	f.wantData(map[string]string{"foo": "2"})
}

func TestCancelWhileTheServerNeverAnswersIsUnknownAfterGrace(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	f.engine.limits = defaultLimits
	never := make(chan struct{})
	sent := make(chan struct{})
	defer close(never)
	f.onEach(http.MethodPatch, func() testcluster.Fault {
		close(sent)
		return testcluster.Fault{HoldBefore: never}
	})
	ctx, cancel := context.WithCancel(t.Context())
	done := f.beginFor(ctx, f.swapping("foo", one, two))
	<-sent
	cancel()
	f.want(eval.Unknown, <-done)
}

func TestUnreachableServerIsToldAtOnce(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	f.observe()
	config := *f.proxy.Config
	config.Host = "http://127.0.0.1:1" // tcpmux: nobody listens
	e := f.newEngine(&config)
	for name, call := range map[string]func() error{
		"read":    func() error { _, err := e.Observe(t.Context(), f.ref, "", 0); return err },
		"swap":    func() error { _, err := e.Swap(t.Context(), f.swapping("foo", one, two)); return err },
		"removal": func() error { _, err := e.Swap(t.Context(), f.removing("foo", one, f.version())); return err },
	} {
		err := call()
		var unreachable *eval.UnreachableError
		if !errors.As(err, &unreachable) || unreachable.Host != config.Host {
			t.Errorf("%s: %v, want an UnreachableError that names %s", name, err, config.Host)
		}
	}
}

func TestNotPermitted(t *testing.T) {
	for _, missing := range []string{"get", "patch"} {
		t.Run(missing, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "1"})
			verbs := []string{"get"}
			if missing == "get" {
				verbs = []string{"patch"}
			}
			f.engine = f.newEngine(f.cluster.User(t, "no-"+missing, f.ref.Namespace, rbacv1.PolicyRule{
				APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: verbs,
			}))
			_, err := f.do(f.swapping("foo", one, two))
			f.want(eval.Rejected, err)
			var forbidden *eval.ForbiddenError
			if !errors.As(err, &forbidden) || forbidden.Verb != missing || forbidden.Ref != f.ref {
				t.Errorf("%v, want a ForbiddenError about %s of %s", err, missing, f.ref)
			}
			f.wantData(map[string]string{"foo": "1"})
		})
	}
}

// waiting returns the tasks in the queue, for tests that force an interleaving.
func (c *committer) waiting() []*task {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.queue
}

// waitFor is closed when the condition holds.
func waitFor(condition func() bool) <-chan struct{} {
	met := make(chan struct{})
	go func() {
		for !condition() {
			runtime.Gosched()
		}
		close(met)
	}()
	return met
}

// withinASecond calls once, then again, five times over, and goes on until both have written within one second, so that managedFields have one time for both.
func (f *fixture) withinASecond(once, again func()) {
	f.Helper()
	for times, isWithin := 0, false; times < 5 || !isWithin; times++ {
		f.proxy.SetHook(nil)
		once()
		before := f.live().ManagedFields
		again()
		after := f.live().ManagedFields
		isWithin = isWithin || after[len(after)-1].Time.Equal(before[len(before)-1].Time)
	}
}
