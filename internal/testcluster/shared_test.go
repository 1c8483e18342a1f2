package testcluster

import (
	"errors"
	"fmt"
	"testing"
)

// ending is a test that keeps the words that it ends with.
type ending struct {
	testing.TB

	words string
}

func (e *ending) Helper() {}

func (e *ending) Fatal(args ...any) { e.words = fmt.Sprintln(args...) }

// Given a control plane that does not start; then the test ends with the words by which make rules tells it from one that found a defect.
func TestWhatFindsNoAPIServerSaysSo(t *testing.T) {
	t.Parallel()
	e := &ending{TB: t}
	MustRun(e, errors.New("it is broken"))
	if want := "no API server: it is broken\n"; e.words != want {
		t.Errorf("it says %q, want %q", e.words, want)
	}
}
