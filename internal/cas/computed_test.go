package cas

import (
	"errors"
	"net/http"
	"testing"
	"time"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

var errHeld = errors.New("held")

// slot is a key that one caller at a time acquires.
func (f *fixture) slot(who string, wait time.Duration) Computed {
	return Computed{Ref: f.ref, Key: "slot", FieldManager: "engine", Wait: wait, Next: func(live eval.Value) (eval.Value, error) {
		if live.IsAbsent() || live == eval.Text("") {
			return eval.Text(who), nil
		}
		return eval.Value{}, &eval.NotYetError{Err: errHeld}
	}}
}

func TestComputedKeyIsWaitedForUntilOthersLeaveIt(t *testing.T) {
	f := newFixture(t, map[string]string{"slot": "other"})
	f.onWatches(func(int) testcluster.Fault {
		return testcluster.Fault{Answered: func(*http.Response) { f.set("slot", "") }}
	})
	step, err := f.engine.Compute(t.Context(), f.slot("me", time.Minute))
	f.want(eval.Applied, err)
	if step.Previous != eval.Text("") || step.Stored != eval.Text("me") {
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
	f.want(eval.Rejected, err)
	var ended *eval.WaitError
	if !errors.As(err, &ended) || !errors.Is(ended.Last, errHeld) {
		t.Errorf("%v", err)
	}
	_, err = f.engine.Compute(t.Context(), f.slot("me", 0))
	f.want(eval.Rejected, err)
	if errors.As(err, &ended) || !errors.Is(err, errHeld) {
		t.Errorf("%v", err)
	}
	f.wantData(map[string]string{"slot": "other"})
}

// A function that returns its argument needs no write, such as a release of a missing member.
func TestComputedKeyThatStaysAsItIs(t *testing.T) {
	f := newFixture(t, map[string]string{"slot": "other"})
	f.proxy.Reset()
	step, err := f.engine.Compute(t.Context(), Computed{Ref: f.ref, Key: "slot", FieldManager: "engine", Next: func(live eval.Value) (eval.Value, error) { return live, nil }})
	f.want(eval.Applied, err)
	if step.Previous != eval.Text("other") || step.Stored != eval.Text("other") || f.proxy.Count(http.MethodPatch) > 0 {
		t.Errorf("%+v, %v", step, f.proxy.Requests())
	}
}
