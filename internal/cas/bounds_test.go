package cas

import (
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/pace"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// unknownWithinSeconds swaps for a caller that would wait longer than a verdict may take.
func (f *fixture) unknownWithinSeconds(s Swap) {
	f.Helper()
	ctx, cancel := context.WithTimeout(f.Context(), ample)
	defer cancel()
	_, err := f.engine.Swap(ctx, s)
	f.Logf("%d gets and %d patches: %v", f.proxy.Count(http.MethodGet), f.proxy.Count(http.MethodPatch), err)
	f.want(eval.Unknown, err)
	if ctx.Err() != nil {
		f.Error("it looked, or sent again, until its caller left")
	}
}

// Given a write that is lost; when the API server refuses each repetition; then the caller gets a verdict
// within seconds.
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

// Given a write of thousands of new keys whose response is lost, and a later write of another writer; then one read
// settles the verdict, which may take a second.
func TestManyKeysAreSettledByOneRead(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	txn := f.txn()
	for n := range 4000 {
		txn.Keys = append(txn.Keys, eval.KeySwap{Key: fmt.Sprintf("key-of-some-length-%d", n), New: one})
	}
	f.onPatches(testcluster.Fault{Answered: func(*http.Response) { f.set("foo", "9") }, DropAfter: true})
	f.proxy.Reset()
	_, err := f.commit(txn)
	f.want(eval.Applied, err)
	f.wantRequests("GET PATCH GET")
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

// Given a creation whose outcome is unknown; when it is applied in place of a later one of the same content; then
// the later one is not applied.
func TestCreationThatAnUnknownOneMadeIsNotAnothersToo(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	f.gone()
	l := f.late()
	l.holds(http.MethodPost, testcluster.Fault{DropBefore: true})
	n := f.creation()
	n.FieldManager = "engine"
	f.observe()
	f.want(eval.Unknown, l.leaves(func(ctx context.Context) error {
		_, err := f.engine.Create(ctx, n)
		return err
	}))
	f.observe()
	_, err := f.doCreate(n)
	if verdict := eval.VerdictOf(err); verdict == eval.Applied || verdict == eval.Rejected {
		t.Errorf("told %s: the unknown one's creation is taken for its own, or for none", verdict)
	}
	t.Log(err)
}
