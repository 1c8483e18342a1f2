package cas

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

var errHeld = errors.New("held")

// slot is a key that is to be held, by one at a time.
func (f *fixture) slot(who string, wait time.Duration) Computed {
	return Computed{Ref: f.ref, Key: "slot", FieldManager: "engine", Wait: wait, Next: func(live Entry) (Entry, error) {
		if live.IsAbsent() || live == Text("") {
			return Text(who), nil
		}
		return Entry{}, &NotYetError{Err: errHeld}
	}}
}

func TestComputedKeyIsWaitedForUntilOthersLeaveIt(t *testing.T) {
	f := newFixture(t, map[string]string{"slot": "other"})
	f.onWatches(func(int) testcluster.Fault {
		return testcluster.Fault{Answered: func(*http.Response) { f.set("slot", "") }}
	})
	step, err := f.engine.Compute(t.Context(), f.slot("me", time.Minute))
	f.want(Applied, err)
	if step.Previous != Text("") || step.Stored != Text("me") {
		t.Errorf("%+v", step)
	}
	if _, watches := f.count(); watches != 1 {
		t.Errorf("%d watches, want 1", watches)
	}
	f.wantData(map[string]string{"slot": "me"})
}

func TestComputedKeyThatStaysHeld(t *testing.T) {
	f := newFixture(t, map[string]string{"slot": "other"})
	_, err := f.engine.Compute(t.Context(), f.slot("me", 200*time.Millisecond))
	f.want(Rejected, err)
	var ended *WaitError
	if !errors.As(err, &ended) || !errors.Is(ended.Last, errHeld) {
		t.Errorf("%v", err)
	}
	_, err = f.engine.Compute(t.Context(), f.slot("me", 0))
	f.want(Rejected, err)
	if errors.As(err, &ended) || !errors.Is(err, errHeld) {
		t.Errorf("%v", err)
	}
	f.wantData(map[string]string{"slot": "other"})
}

// What a function leaves as it is needs no write: a release of what is gone.
func TestComputedKeyThatStaysAsItIs(t *testing.T) {
	f := newFixture(t, map[string]string{"slot": "other"})
	f.proxy.Reset()
	step, err := f.engine.Compute(t.Context(), Computed{Ref: f.ref, Key: "slot", FieldManager: "engine", Next: func(live Entry) (Entry, error) { return live, nil }})
	f.want(Applied, err)
	if step.Previous != Text("other") || step.Stored != Text("other") || f.proxy.Count(http.MethodPatch) > 0 {
		t.Errorf("%+v, %v", step, f.proxy.Requests())
	}
}
