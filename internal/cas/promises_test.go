package cas

import (
	"net/http"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/rest"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// These tests check short promises of doc.go that no other test covers.

// Given a task that was answered; when it is answered again; then it keeps its first answer.
func TestTaskKeepsItsFirstAnswer(t *testing.T) {
	t.Parallel()
	task := txnTask(t, &eval.Txn{Ref: eval.Ref{Namespace: "shop", Name: "shared"}})
	task.answer(nil)
	task.answer(&eval.CanceledError{})
	if err := task.wait(Grace); err != nil {
		t.Errorf("%v, want that it was applied", err)
	}
}

// Given a swap, a snapshot and a conflict; then no read that they make names a version: one that does is answered from a cache.
func TestReadsNameNoVersion(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	_, err := f.do(f.swapping("foo", one, two))
	f.want(eval.Applied, err)
	f.observe()
	_, err = f.do(f.swapping("foo", one, two))
	f.wantReason(eval.ReasonKey, err)
	reads := 0
	for _, r := range f.proxy.Requests() {
		if r.Method != http.MethodGet {
			continue
		}
		reads++
		if r.Query.Get("resourceVersion") != "" {
			t.Errorf("a read of version %q: %v", r.Query.Get("resourceVersion"), r)
		}
		if r.Query.Has("watch") && r.Query.Get("sendInitialEvents") != "true" {
			t.Errorf("a watch that does not begin with what is there: %v", r)
		}
	}
	if reads != 3 {
		t.Errorf("%d reads, want 3", reads)
	}
}

// Given a creation; when a removal of one of its keys was planned on an older snapshot; then the removal
// is refused, because this process wrote the key.
func TestKeyThatACreationWroteIsNotRemovedForAnOlderObservation(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	v := f.version()
	f.want(eval.Applied, f.doRemove(v))
	_, err := f.doCreate(f.creation())
	f.want(eval.Applied, err)
	_, err = f.do(f.removing("foo", one, v))
	f.wantReason(eval.ReasonOwn, err)
	if got := f.live().Data["foo"]; got != "1" {
		t.Errorf("foo is %q, want 1", got)
	}
}

// Given something between that repeats the credentials of a request in its refusal; then they are not in the error.
func TestCredentialsAreRedactedWhereAnErrorRepeatsThem(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	for name, config := range map[string]rest.Config{
		"token":    {BearerToken: "s3cret-t0ken"},
		"password": {Username: "jane", Password: "s3cret-t0ken"},
	} {
		t.Run(name, func(t *testing.T) {
			config.Host, config.QPS = f.proxy.URL, -1
			f.proxy.SetHook(func(*http.Request) testcluster.Fault {
				return testcluster.Fault{Answer: status(http.StatusUnauthorized, "Unauthorized", "no such user: s3cret-t0ken")}
			})
			_, err := f.newEngine(&config).Observe(f.Context(), f.ref, "", 0)
			if err == nil || strings.Contains(err.Error(), "s3cret") || !strings.Contains(err.Error(), "no such user: ************") {
				t.Errorf("%v, want it with stars", err)
			}
		})
	}
}

// Given an immutable ConfigMap whose key holds something else; when a swap may wait for the key; then it is a conflict at once: no
// key of it will ever change.
func TestImmutableConfigMapIsNotWaitedFor(t *testing.T) {
	ofEachKind(t, func(of kinded) {
		t, kind := of.T, of.kind
		f := newFixtureOf(t, kind, map[string]string{"foo": "0"})
		f.change(func(cm *corev1.ConfigMap) { cm.Immutable = new(true) })
		_, err := f.wait(t.Context(), time.Minute)
		f.want(eval.Conflict, err)
		f.wantReason(eval.ReasonKey, err)
		if _, n := f.count(); n != 0 {
			t.Errorf("%d watches, want none", n)
		}
	})
}
