package cas

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

func TestTraceTellsWhatCameOfEachCall(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	want := func(event Event) {
		t.Helper()
		event.Ref = f.ref
		if diff := cmp.Diff(event, f.events.last(), cmpopts.IgnoreFields(Event{}, "Duration")); diff != "" {
			t.Error(diff)
		}
		if f.events.last().Duration <= 0 {
			t.Error("no duration")
		}
	}
	_, err := f.engine.Check(t.Context(), f.swapping("foo", two, three).Txn(), ReadOnly)
	f.want(eval.Conflict, err)
	want(Event{Operation: "check", Key: "foo", Attempts: 1, Verdict: eval.Conflict})

	f.onPatches(testcluster.Fault{DropBefore: true})
	_, err = f.do(f.swapping("foo", one, two))
	f.want(eval.Applied, err)
	want(Event{Operation: "swap", Key: "foo", Attempts: 2, Batch: 1, Verdict: eval.Applied})

	_, err = f.engine.Observe(t.Context(), f.ref, "", 0)
	f.want(eval.Applied, err)
	want(Event{Operation: "observe", Attempts: 1, Verdict: eval.Applied})
}
