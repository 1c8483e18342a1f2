package cas

import (
	"context"
	"errors"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// Given a check whose caller gives up while the committer answers it; then the caller receives an error or the object,
// and reads nothing that the committer still writes. The race detector checks the second part.
func TestCallerOfACheckGivesUpWhileItIsAnswered(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	for range 20 {
		f.engine = f.newEngine(f.proxy.Config)
		arrived, release := f.holdReads(testcluster.Fault{})
		ctx, cancel := context.WithCancel(t.Context())
		go func() { _, _ = f.engine.Observe(t.Context(), f.ref, "", 0) }()
		<-arrived
		var isEvaluated atomic.Bool
		f.engine.client.Now = func() time.Time { // after the read, only the evaluation of the check asks for the time
			if isEvaluated.Load() {
				cancel()
			}
			return time.Now()
		}
		type answer struct {
			seen *eval.Snapshot
			err  error
		}
		answers := make(chan answer)
		go func() {
			seen, err := f.engine.Check(ctx, f.swapping("foo", one, two).Txn(), ReadOnly)
			answers <- answer{seen, err}
		}()
		f.queued(1)
		isEvaluated.Store(true)
		close(release)
		got := <-answers
		if (got.seen == nil) != (got.err != nil) {
			t.Errorf("%v and %v, want an object or an error", got.seen, got.err)
		}
		f.engine.Close()
	}
}

// Given a check that only the dry run refuses; then its trace has one event, with the dry run and its verdict.
func TestTraceOfADryRun(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
		if r.Method == http.MethodPatch {
			return testcluster.Fault{Answer: status(http.StatusUnprocessableEntity, "Invalid", "bad")}
		}
		return testcluster.Fault{}
	})
	before := len(f.events.all)
	seen, err := f.engine.Check(t.Context(), f.swapping("foo", one, two).Txn(), DryRun)
	var refused *eval.RefusedError
	if !errors.As(err, &refused) || seen != nil {
		t.Errorf("%v and %v, want only a refusal", seen, err)
	}
	want := []Event{{Operation: "check", Ref: f.ref, Key: "foo", Attempts: 2, Batch: 1, Verdict: eval.Rejected}}
	if diff := cmp.Diff(want, f.events.all[before:], cmpopts.IgnoreFields(Event{}, "Duration")); diff != "" {
		t.Error(diff)
	}
}

// Given a batch of two tasks, one of them given up, so that no request is sent; when the context of the other ends;
// then the other was canceled, and not refused before.
func TestTaskThatWasNeverSentIsNotRetried(t *testing.T) {
	t.Parallel()
	kept, givenUpTask := txnTask(t, &eval.Txn{}), txnTask(t, &eval.Txn{})
	givenUpTask.state.Store(givenUp)
	r := &request{base: &eval.Snapshot{}, tasks: []*task{kept, givenUpTask}}
	if r.claim() {
		t.Fatal("the request was claimed")
	}
	var canceled *eval.CanceledError
	if !errors.As(kept.canceled(), &canceled) || canceled.Retried {
		t.Errorf("%+v, want a cancellation without a retry", canceled)
	}
}

// Given a removal of unknown outcome that restores a value; when another writer removes the key; then the result has
// the present value, and not the restored one.
func TestResultOfARemovalThatAnotherWriterCompleted(t *testing.T) {
	t.Parallel()
	r := &request{
		base: &eval.Snapshot{}, tasks: []*task{txnTask(t, &eval.Txn{})},
		changesOf: [][]eval.Change{{{Key: "foo", From: two, To: one}}},
	}
	got := r.resultOf(0, result{after: &eval.Snapshot{}}, nil)
	if stored := got.Stored["foo"]; !stored.IsAbsent() {
		t.Errorf("stored %v, want none", stored)
	}
}
