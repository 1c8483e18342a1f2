package cas

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// onOneRead asks for all of it, in this order, while a read is held that fails in the end, so that the next read begins after all of
// them, and they are evaluated on it together. It returns the result of each.
func (f *fixture) onOneRead(calls ...func() error) []error {
	f.Helper()
	arrived, release := make(chan struct{}), make(chan struct{})
	isFirst := true // of requests that come one at a time
	f.proxy.SetHook(func(*http.Request) testcluster.Fault {
		if !isFirst {
			return testcluster.Fault{}
		}
		isFirst = false
		close(arrived)
		return testcluster.Fault{HoldBefore: release, Answer: status(http.StatusForbidden, "Forbidden", "not now")}
	})
	go func() { _, _ = f.engine.Observe(f.Context(), f.ref, "", 0) }()
	<-arrived
	answers := make([]chan error, len(calls))
	for i, call := range calls {
		answers[i] = make(chan error, 1)
		go func() { answers[i] <- call() }()
		f.queued(i + 1)
	}
	close(release)
	errs := make([]error, len(calls))
	for i, answer := range answers {
		errs[i] = <-answer
	}
	return errs
}

// Given a key of 900 KiB; when its removal and another key of 900 KiB are asked for in this order, and are evaluated on the
// same read. Then both are applied: the second one is evaluated on the result of the first.
func TestRemovalMakesRoomForWhatIsAskedForBehindIt(t *testing.T) {
	const large = 900 << 10
	old, replacement := strings.Repeat("o", large), strings.Repeat("n", large)
	f := newFixture(t, map[string]string{"old": old})
	errs := f.onOneRead(
		func() error { _, err := f.do(f.swapping("old", eval.Text(old), eval.Value{})); return err },
		func() error { _, err := f.do(f.swapping("new", eval.Value{}, eval.Text(replacement))); return err },
	)
	f.want(eval.Applied, errs[0])
	f.want(eval.Applied, errs[1])
	if live := f.live().Data; len(live) != 1 || live["new"] != replacement {
		t.Errorf("%d keys, %d bytes in new", len(live), len(live["new"]))
	}
}

// Given the same in the other order; then the one that has no room is refused, and the removal is applied.
func TestWhatHasNoRoomDoesNotWaitForARemovalBehindIt(t *testing.T) {
	const large = 900 << 10
	old := strings.Repeat("o", large)
	f := newFixture(t, map[string]string{"old": old})
	errs := f.inOneBatch(
		func() error {
			_, err := f.do(f.swapping("new", eval.Value{}, eval.Text(strings.Repeat("n", large))))
			return err
		},
		func() error { _, err := f.do(f.swapping("old", eval.Text(old), eval.Value{})); return err },
	)
	var tooLarge *eval.TooLargeError
	if !errors.As(errs[0], &tooLarge) || tooLarge.New != large || tooLarge.Others != large {
		t.Errorf("%v, want that there is no room", errs[0])
	}
	f.want(eval.Applied, errs[1])
	f.wantData(nil)
}
