package cas

import (
	"errors"
	"strings"
	"testing"
)

// Given a key of 900 KiB; when its removal and another key of 900 KiB are asked for in this order while a read is under way; then
// both are applied: what is judged second is judged on what the first leaves.
func TestRemovalMakesRoomForWhatIsAskedForBehindIt(t *testing.T) {
	const large = 900 << 10
	old, replacement := strings.Repeat("o", large), strings.Repeat("n", large)
	f := newFixture(t, map[string]string{"old": old})
	errs := f.inOneBatch(
		func() error { _, err := f.do(f.swapping("old", Text(old), Entry{})); return err },
		func() error { _, err := f.do(f.swapping("new", Entry{}, Text(replacement))); return err },
	)
	f.want(Applied, errs[0])
	f.want(Applied, errs[1])
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
		func() error { _, err := f.do(f.swapping("new", Entry{}, Text(strings.Repeat("n", large)))); return err },
		func() error { _, err := f.do(f.swapping("old", Text(old), Entry{})); return err },
	)
	var tooLarge *TooLargeError
	if !errors.As(errs[0], &tooLarge) || tooLarge.New != large || tooLarge.Others != large {
		t.Errorf("%v, want that there is no room", errs[0])
	}
	f.want(Applied, errs[1])
	f.wantData(nil)
}
