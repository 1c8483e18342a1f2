package cas

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// The context ends with each of the requests, before it is sent on or when it was answered: all of the transaction is there, or
// nothing, and the verdict says which.
func TestContextThatEndsAtEveryPointOfATransaction(t *testing.T) {
	for name, s := range map[string]struct {
		prepare func(*fixture)
		foo     string // what it holds at first
		lost    int    // answers
		waits   bool
	}{
		"quiet":                 {func(*fixture) {}, "1", 0, false},
		"answer lost":           {func(*fixture) {}, "1", 1, false},
		"two answers lost":      {func(*fixture) {}, "1", 2, false},
		"waits":                 {func(*fixture) {}, "0", 0, true},
		"waits, an answer lost": {func(*fixture) {}, "0", 1, true},
	} {
		for at := range 6 {
			for _, isAfter := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, request %d, answered %t", name, at, isAfter), func(t *testing.T) {
					f := newFixture(t, map[string]string{"foo": s.foo, "bar": "1", "guard": "1"})
					s.prepare(f)
					ctx, cancel := context.WithCancel(t.Context())
					var mu sync.Mutex
					n, lost, waits := 0, s.lost, s.waits
					f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
						mu.Lock()
						defer mu.Unlock()
						var fault testcluster.Fault
						if isWatch(r.URL.Query()) && waits {
							waits = false // a lost answer is watched for too
							f.set("foo", "1")
						}
						if r.Method == http.MethodPatch && lost > 0 {
							lost--
							fault.DropAfter = true
						}
						if n == at && isAfter {
							fault.Answered = func(*http.Response) { cancel() }
						} else if n == at {
							cancel()
						}
						n++
						return fault
					})
					txn := f.txn(eval.KeySwap{Key: "foo", Expect: one, New: two}, eval.KeySwap{Key: "bar", Expect: one, New: two}, guard("guard", one))
					_, err := f.engine.CommitWithin(ctx, txn, time.Minute)
					cancel()
					f.engine.Close()
					data, verdict := f.live().Data, eval.VerdictOf(err)
					isThere := data["foo"] == "2"
					if isThere != (data["bar"] == "2") || isThere != (verdict == eval.Applied) || verdict == eval.Unknown || verdict == eval.Conflict {
						t.Errorf("verdict %s (%v), live %v: %v", verdict, err, data, f.proxy.Requests())
					}
				})
			}
		}
	}
}
