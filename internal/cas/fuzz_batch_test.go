package cas

import (
	"errors"
	"maps"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/wire"
	"github.com/terraform-cas/terraform-provider-cas/internal/evaltest"
)

// FuzzBatch has a committer bring a batch of transactions to its end, with the patches applied as the API server does. All of it
// must come out as if they had come one after the other, whatever went into one request.
func FuzzBatch(f *testing.F) {
	evaltest.Seeds(f, 1500)
	keys := []string{"a", "b", "c", "d"}
	f.Fuzz(func(t *testing.T, bytes []byte) {
		c := evaltest.Choices(bytes)
		was := c.Drawn(keys)
		model := &evaltest.Serial{Entries: maps.Clone(was), Own: map[string]bool{}}
		live := evaltest.ConfigMapOf(was)
		live.Labels = nil
		later := time.Now().Add(time.Hour) // than all that is asked for
		committer := (&Engine{client: &wire.Client{Now: time.Now}, committers: map[eval.Ref]*committer{}}).committer(eval.Ref{})
		committer.recordRead(eval.NewSnapshot(live, later))
		var batch []*task
		for len(batch) < 6 {
			batch = append(batch, txnTask(t, c.Txn(keys, was)))
		}
		all := slices.Clone(batch)
		requests := 0
		for len(batch) > 0 {
			g, mustRead := committer.evaluate(batch)
			if mustRead {
				t.Fatal("a read is asked for, and there was one")
			}
			if g == nil {
				batch = unanswered(batch)
				if len(batch) == 0 {
					break
				}
				if g, _ = committer.evaluate(batch); g == nil && len(unanswered(batch)) > 0 {
					t.Fatal("nothing goes on")
				}
				if g == nil {
					break
				}
			}
			requests++
			raw := evaltest.Marshal(t, live)
			r, err := eval.Patch(g.base, g.changes, g.firstOwner())
			if err != nil {
				t.Fatal(err)
			}
			after, err := jsonpatch.MergePatch(raw, r.Body)
			if err != nil {
				t.Fatalf("%s: %v", r.Body, err)
			}
			live = evaltest.Unmarshal(t, after)
			live.UID, live.ResourceVersion = "u", strconv.Itoa(100+requests)
			if !g.claim() {
				t.Fatal("nobody is left")
			}
			committer.answerApplied(g, result{outcome: wire.Applied, after: eval.NewSnapshot(live, later), isChained: true})
			batch = unanswered(batch)
		}
		for i, task := range all {
			want := model.Do(task.txn)
			var conflict *eval.ConflictError
			switch {
			case want.Computed:
				if !errors.Is(task.err, evaltest.ErrNext) {
					t.Errorf("transaction %d: %v, want what Next says", i, task.err)
				}
			case len(want.Failed) > 0:
				got := map[string]eval.Reason{}
				if errors.As(task.err, &conflict) {
					for _, k := range conflict.Keys {
						got[k.Key] = k.Reason
					}
				}
				if diff := cmp.Diff(want.Failed, got); diff != "" {
					t.Errorf("transaction %d, %+v: %v (-want +got):\n%s", i, task.txn, task.err, diff)
				}
			default:
				maps.DeleteFunc(task.result.Previous, func(_ string, e eval.Value) bool { return e.IsAbsent() })
				maps.DeleteFunc(want.Previous, func(_ string, e eval.Value) bool { return e.IsAbsent() })
				if task.err != nil || task.result.Wrote != want.Wrote || !maps.Equal(task.result.Previous, want.Previous) {
					t.Errorf("transaction %d, %+v: %+v (%v), want %+v", i, task.txn, task.result, task.err, want)
				}
			}
		}
		label, _ := model.Entries[evaltest.Label].Text()
		delete(model.Entries, evaltest.Label)
		if diff := cmp.Diff(evaltest.ConfigMapOf(model.Entries).Data, live.Data, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("after %d requests (-want +got):\n%s", requests, diff)
		}
		if diff := cmp.Diff(evaltest.ConfigMapOf(model.Entries).BinaryData, live.BinaryData, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("after %d requests (-want +got):\n%s", requests, diff)
		}
		if got := committer.snapshot.Labels()["l"]; got != label {
			t.Errorf("label %q, want %q", got, label)
		}
	})
}
