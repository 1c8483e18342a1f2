package cas

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/evaltest"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// A check gives what it has seen, also where it is a dry run.
func TestDryRunOfARemovalReturnsTheObject(t *testing.T) {
	for name, test := range map[string]struct {
		fault  func(*fixture)
		exists bool
	}{
		"as it was seen": {func(*fixture) {}, true},
		"gone meanwhile": {(*fixture).gone, false},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "1"})
			v := f.version()
			f.onSends(http.MethodDelete, func() testcluster.Fault { test.fault(f); return testcluster.Fault{} })
			o, err := f.engine.CheckRemove(t.Context(), &eval.Removal{Ref: f.ref, RequireVersions: []eval.Version{v}}, DryRun)
			f.want(eval.Applied, err)
			if o == nil || o.Exists() != test.exists {
				t.Errorf("observed %+v", o)
			}
		})
	}
}

func TestDryRunDoesNotChangeTheKnownObject(t *testing.T) {
	f := newEmptyFixture(t)
	_, err := f.engine.CheckCreate(t.Context(), f.creation(), DryRun)
	f.want(eval.Applied, err)
	o, err := f.engine.Observe(t.Context(), f.ref, "", Fresh)
	if err != nil || o.Exists() {
		t.Errorf("%v is there (%v)", o, err)
	}
	f.make(map[string]string{"foo": "1"})
	f.observe()
	_, err = f.engine.CheckRemove(t.Context(), &eval.Removal{Ref: f.ref}, DryRun)
	f.want(eval.Applied, err)
	o, err = f.engine.Observe(t.Context(), f.ref, "", Fresh)
	if err != nil || !o.Exists() {
		t.Errorf("it is gone (%v)", err)
	}
}

// Once it was seen that there is none, what is there after a creation was sent again can only be its.
func TestCreateThatLandsWhenItIsSentAgain(t *testing.T) {
	f := newEmptyFixture(t)
	f.onSends(http.MethodPost, plain(testcluster.Fault{DropBefore: true}), plain(testcluster.Fault{DropAfter: true}))
	result, err := f.doCreate(f.creation())
	f.want(eval.Applied, err)
	if err == nil && result.After.Version() != f.version() {
		t.Errorf("after %v, live %v", result.After.Version(), f.version())
	}
}

// As in a replacement.
func TestCreateAfterOurOwnRemovalWhoseAnswerGotLost(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	f.want(eval.Applied, f.doRemove(f.version()))
	f.onSends(http.MethodPost, plain(testcluster.Fault{DropAfter: true}))
	_, err := f.doCreate(f.creation())
	f.want(eval.Applied, err)
	if !f.exists() {
		t.Error("it is not there")
	}
}

func TestCreationThatIsTooLargeIsNotSent(t *testing.T) {
	f := newEmptyFixture(t)
	n := f.creation()
	n.Entries = map[string]eval.Value{"a": eval.Text(strings.Repeat("a", eval.MaxSize/2)), "b": eval.Binary(evaltest.Filler(eval.MaxSize/2 + 1))}
	for name, call := range map[string]func() error{
		"create":   func() error { _, err := f.doCreate(n); return err },
		"check":    func() error { _, err := f.engine.CheckCreate(t.Context(), n, ReadOnly); return err },
		"rehearse": func() error { _, err := f.engine.CheckCreate(t.Context(), n, DryRun); return err },
	} {
		var tooLarge *eval.TooLargeError
		if err := call(); !errors.As(err, &tooLarge) || tooLarge.New != eval.MaxSize+1 || tooLarge.Others != 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := f.proxy.Count(http.MethodPost); n != 0 {
		t.Errorf("it was sent %d times", n)
	}
}

// leavesWhenRefused answers each request of a method with a 409, as a webhook may, and gives the context of a caller who leaves at the fourth.
func (f *fixture) leavesWhenRefused(method string, reason string) context.Context {
	ctx, leave := context.WithCancel(f.Context())
	f.Cleanup(leave)
	f.onEach(method, func() testcluster.Fault {
		if f.proxy.Count(method) > 3 {
			leave()
		}
		return testcluster.Fault{Answer: status(http.StatusConflict, reason, "so says a webhook")}
	})
	return ctx
}

// A webhook may refuse a creation with AlreadyExists although the object is missing. Such a refusal is final.
func TestRefusalAsExistingOfWhatIsNotThereIsFinal(t *testing.T) {
	f := newEmptyFixture(t)
	_, err := f.engine.Create(f.leavesWhenRefused(http.MethodPost, "AlreadyExists"), f.creation())
	f.want(eval.Rejected, err)
	var refused *eval.RefusedError
	if !errors.As(err, &refused) || refused.Code != http.StatusConflict {
		t.Errorf("%v, want the refusal", err)
	}
	if n := f.proxy.Count(http.MethodPost); n > 2 {
		t.Errorf("it was sent %d times", n)
	}
}

func TestRemovalThatAWebhookRefusesIsARefusal(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	_, err := f.engine.Remove(f.leavesWhenRefused(http.MethodDelete, "Conflict"), &eval.Removal{Ref: f.ref, RequireVersions: []eval.Version{f.version()}})
	f.want(eval.Rejected, err)
	if !errors.As(err, new(*eval.RefusedError)) || f.proxy.Count(http.MethodDelete) != 1 {
		t.Errorf("%v after %d requests", err, f.proxy.Count(http.MethodDelete))
	}
}

// A removal that arrives late finds what was made meanwhile to be another one.
func TestDelayedRemovalLeavesWhatWasMadeSince(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	f.engine.limits.grace = 2*reportTime + f.engine.limits.read // it gives the first removal up soon
	release, landed := make(chan struct{}), make(chan struct{})
	sent := false
	ctx, cancel := context.WithCancel(t.Context())
	f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
		if r.Method != http.MethodDelete || sent {
			return testcluster.Fault{}
		}
		sent = true
		cancel()
		return testcluster.Fault{HoldBefore: release, Answered: func(*http.Response) { close(landed) }}
	})
	_, err := f.engine.Remove(ctx, &eval.Removal{Ref: f.ref, RequireVersions: []eval.Version{f.version()}})
	f.want(eval.Applied, err) // by the second
	f.make(map[string]string{"foo": "new"})
	close(release)
	<-landed
	f.wantData(map[string]string{"foo": "new"})
}

// The context ends with each of the requests, before the request is sent on or after it was answered. The verdict
// agrees with the object.
func TestContextThatEndsAtEveryPointOfAWholeObject(t *testing.T) {
	seen := func(f *fixture) {
		f.observe()
	}
	type scenario struct {
		prepare func(*fixture) // with the ConfigMap there
		call    func(context.Context, *fixture, eval.Version) error
		there   bool // what was asked for, where it is applied
		lost    int  // answers
	}
	create := func(ctx context.Context, f *fixture, _ eval.Version) error {
		_, err := f.engine.Create(ctx, f.creation())
		return err
	}
	remove := func(ctx context.Context, f *fixture, v eval.Version) error {
		_, err := f.engine.Remove(ctx, &eval.Removal{Ref: f.ref, RequireVersions: []eval.Version{v}})
		return err
	}
	for name, s := range map[string]scenario{
		"create":                             {prepare: (*fixture).gone, call: create, there: true},
		"create, looked before":              {prepare: func(f *fixture) { f.gone(); seen(f) }, call: create, there: true},
		"create whose answer got lost":       {prepare: func(f *fixture) { f.gone(); seen(f) }, call: create, there: true, lost: 1},
		"remove":                             {prepare: func(*fixture) {}, call: remove},
		"remove, looked before":              {prepare: seen, call: remove},
		"remove whose answer got lost":       {prepare: func(*fixture) {}, call: remove, lost: 1},
		"remove whose two answers got lost":  {prepare: seen, call: remove, lost: 2},
		"create whose two answers got lost":  {prepare: func(f *fixture) { f.gone(); seen(f) }, call: create, there: true, lost: 2},
		"remove of what was changed by then": {prepare: func(f *fixture) { seen(f); f.set("foo", "9") }, call: remove},
	} {
		for at := range 5 {
			for _, isAfter := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, request %d, answered %t", name, at, isAfter), func(t *testing.T) {
					f := newFixture(t, map[string]string{"foo": "1"})
					v := f.version()
					s.prepare(f)
					was := f.exists()
					ctx, cancel := context.WithCancel(t.Context())
					var mu sync.Mutex
					n, lost := 0, s.lost
					f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
						mu.Lock()
						defer mu.Unlock()
						var fault testcluster.Fault
						if r.Method != http.MethodGet && lost > 0 {
							lost--
							fault.DropAfter = true
						}
						if n == at {
							if isAfter {
								fault.Answered = func(*http.Response) { cancel() }
							} else {
								cancel()
							}
						}
						n++
						return fault
					})
					err := s.call(ctx, f, v)
					cancel()
					f.engine.Close()
					switch verdict := eval.VerdictOf(err); {
					case verdict == eval.Applied && f.exists() != s.there,
						(verdict == eval.Conflict || verdict == eval.Rejected) && f.exists() != was:
						t.Errorf("verdict %s (%v), exists %t: %v", verdict, err, f.exists(), f.proxy.Requests())
					case verdict == eval.Unknown && !strings.Contains(name, "create"):
						t.Errorf("unknown, which could be told: %v: %v", err, f.proxy.Requests())
					}
				})
			}
		}
	}
}
