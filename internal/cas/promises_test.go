package cas

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// What doc.go promises in a word, and what nothing else here would notice.

// Given a task that was answered; when it is answered again; then it keeps its first answer.
func TestTaskKeepsItsFirstAnswer(t *testing.T) {
	t.Parallel()
	task := newTask(t.Context(), writeTask, Ref{Namespace: "shop", Name: "shared"}, time.Now())
	task.answer(nil)
	task.answer(&CanceledError{})
	if err := task.wait("host", Grace); err != nil {
		t.Errorf("%v, want that it was applied", err)
	}
}

// Given a swap, an observation and a conflict; then no read that they make names a version: one that does is answered from a cache.
func TestReadsNameNoVersion(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	_, err := f.do(f.swapping("foo", one, two))
	f.want(Applied, err)
	f.observe()
	_, err = f.do(f.swapping("foo", one, two))
	f.wantReason(ReasonKey, err)
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

// Given a creation; when one of its keys is to be removed for what was seen before it; then that is refused: this process wrote it.
func TestKeyThatACreationWroteIsNotRemovedForAnOlderObservation(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	v := f.version()
	f.want(Applied, f.doRemove(v))
	_, err := f.doCreate(f.creation())
	f.want(Applied, err)
	_, err = f.do(f.removing("foo", one, v))
	f.wantReason(ReasonOwn, err)
	if got := f.live().Data["foo"]; got != "1" {
		t.Errorf("foo is %q, want 1", got)
	}
}

// Given an object that others are busy with; when a key that no ConfigMap may have is asked for; then it is refused, after one
// JSON Patch, whose 422 may have been that of a test, and one merge patch.
func TestBadKeyIsRefusedWhereOthersAreBusy(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	f.contend()
	enough := f.givesUpAfter(6, http.MethodPatch)
	_, err := f.engine.Swap(enough, f.swapping("not a key", Entry{}, one))
	f.want(Rejected, err)
	var refused *RefusedError
	if !errors.As(err, &refused) || refused.Code != http.StatusUnprocessableEntity {
		t.Errorf("%v, want the refusal", err)
	}
	if all, byKey := f.proxy.Count(http.MethodPatch), f.jsonPatches(); all != 2 || byKey != 1 {
		t.Errorf("%d patches, of which %d JSON Patches, want 2 and 1", all, byKey)
	}
}

// Given an object that others are busy with; when another deletes it, but for a finalizer, and a key of it is swapped; then nothing is
// written to it.
func TestWhatIsBeingDeletedIsNotWrittenWhereOthersAreBusy(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	f.contend()
	f.change(func(cm *corev1.ConfigMap) { cm.Finalizers = []string{"example.com/foreign"} })
	t.Cleanup(func() { f.change(func(cm *corev1.ConfigMap) { cm.Finalizers = nil }) })
	f.gone()
	_, err := f.do(f.swapping("foo", one, two))
	if !errors.As(err, new(*TerminatingError)) {
		t.Errorf("%v, want that it is being deleted", err)
	}
	if got := f.live().Data["foo"]; got != "1" || f.jsonPatches() != 1 {
		t.Errorf("foo is %q after %d JSON Patches, want 1 after 1", got, f.jsonPatches())
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
			_, err := f.newEngine(&config).Observe(f.Context(), f.ref, 0)
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
		_, err := f.wait(f.givesUpAfter(1, watches), time.Minute)
		f.want(Conflict, err)
		f.wantReason(ReasonKey, err)
		if _, n := f.count(); n != 0 {
			t.Errorf("%d watches, want none", n)
		}
	})
}

// Given a swap that learned from where on it could be looked for; when the next ones come; then it is learned anew where that is more
// than a minute ago, and not before. (What a write itself has seen counts as well.)
func TestHorizonIsLearnedAnewBeforeAWrite(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	begun := time.Now()
	for _, test := range []struct {
		at       time.Duration
		from, to Entry
		requests string
	}{
		{0, one, two, "WATCH PATCH"},
		{59 * time.Second, two, three, "PATCH"},
		{61 * time.Second, three, two, "PATCH"}, // the one before it was 2 seconds ago
		{3 * time.Minute, two, one, "WATCH PATCH"},
	} {
		c := f.engine.committer(f.ref)
		<-waitFor(func() bool { c.mu.Lock(); defer c.mu.Unlock(); return !c.running }) // nobody looks at the clock
		f.engine.client.Now = func() time.Time { return begun.Add(test.at) }
		f.proxy.Reset()
		_, err := f.do(f.swapping("foo", test.from, test.to))
		f.want(Applied, err)
		f.wantRequests(test.requests)
	}
}

// ages gives what a manager wrote a time long ago, as another writer.
func (f *fixture) ages(manager string) {
	f.change(func(cm *corev1.ConfigMap) {
		cm.Data["aged"] = "yes"
		for i := range cm.ManagedFields {
			if cm.ManagedFields[i].Manager == manager {
				cm.ManagedFields[i].Time = new(metav1.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC))
			}
		}
	})
	for _, w := range f.live().ManagedFields {
		if w.Manager == manager && w.Time.Year() != 2020 {
			f.Errorf("%s wrote at %v: it was not made old", manager, w.Time)
		}
	}
}
