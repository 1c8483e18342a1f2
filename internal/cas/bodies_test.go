package cas

import (
	"net/http"
	"testing"
	"time"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/evaltest"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// Given a write whose outcome is unknown; when the object is observed, however old the answer may be; then the engine reads it again: the state before
// the write may have changed.
func TestWhatWasKnownBeforeAnUnknownWriteIsForgotten(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	sent := false
	f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
		switch {
		case r.Method == http.MethodPatch:
			sent = true
			return testcluster.Fault{DropAfter: true}
		case sent:
			return testcluster.Fault{Answer: status(http.StatusForbidden, "Forbidden", "no")}
		}
		return testcluster.Fault{}
	})
	_, err := f.do(f.swapping("foo", one, two))
	f.want(eval.Unknown, err)
	f.proxy.SetHook(nil)
	seen, err := f.engine.Observe(t.Context(), f.ref, "", time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	if got := seen.Value("foo"); got != two {
		t.Errorf("foo is observed as %v, want what the write made of it", got)
	}
}

// Given a committer that is chosen to forget its object; when something came to its queue meanwhile; then it keeps the object, with which it is at work.
func TestOnlyWhoIdlesForgets(t *testing.T) {
	t.Parallel()
	for name, running := range map[string]bool{"idle": false, "at work": true} {
		c := &committer{running: running}
		c.recordRead(eval.NewSnapshot(evaltest.ConfigMapOf(map[string]eval.Value{"foo": one}), time.Now()))
		c.forgetIdle()
		if knows := c.snapshot != nil; knows != running {
			t.Errorf("%s: it knows its object: %t, want %t", name, knows, running)
		}
	}
}
