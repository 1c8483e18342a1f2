package judging_test

import (
	"errors"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
)

func TestBoundIsJudgedLast(t *testing.T) {
	t.Parallel()
	var (
		v1, v2      = judging.Version{UID: "u", ResourceVersion: "1"}, judging.Version{UID: "u", ResourceVersion: "2"}
		immutable   = func(cm *corev1.ConfigMap) { yes := true; cm.Immutable = &yes }
		terminating = func(cm *corev1.ConfigMap) { now := metav1.Now(); cm.DeletionTimestamp = &now }
		large       = func(cm *corev1.ConfigMap) { cm.BinaryData = map[string][]byte{"large": make([]byte, judging.MaxSize)} }
		one         = map[string]string{"foo": "1"}
		create      = judging.KeySwap{Key: "foo", New: judging.Text("1"), Held: judging.HeldIsRefused}
		adopt       = judging.KeySwap{Key: "foo", New: judging.Text("1"), Held: judging.HeldIsDone}
	)
	own, foreign := judging.Lineage{}, judging.Lineage{}
	own.Observed(v1)
	own.Wrote(v1, v2, "bar")
	foreign.Observed(v1)
	foreign.Observed(v2)

	tests := map[string]struct {
		key     judging.KeySwap
		bound   judging.Version
		at      []judging.Version
		live    *judging.Observation
		lineage judging.Lineage
		want    judging.Decision
		reason  judging.Reason // of a conflict
		err     error          // of another type
	}{
		"at the bound":                 {create, v2, nil, configMapAt(v2, nil), foreign, judging.DecideWrite, 0, nil},
		"own writes led on":            {create, v1, nil, configMapAt(v2, nil), own, judging.DecideWrite, 0, nil},
		"a foreign write":              {create, v1, nil, configMapAt(v2, nil), foreign, judging.DecideRefuse, judging.ReasonObject, nil},
		"another object":               {create, judging.Version{UID: "x", ResourceVersion: "2"}, nil, configMapAt(v2, nil), own, judging.DecideRefuse, judging.ReasonObject, nil},
		"no bound":                     {create, judging.Version{}, nil, configMapAt(v2, nil), foreign, judging.DecideWrite, 0, nil},
		"adoption at the bound":        {adopt, v2, nil, configMapAt(v2, one), foreign, judging.DecideDone, 0, nil},
		"adoption and a foreign write": {adopt, v1, nil, configMapAt(v2, one), foreign, judging.DecideRefuse, judging.ReasonObject, nil},
		"the key is told first":        {create, v1, nil, configMapAt(v2, map[string]string{"foo": "2"}), foreign, judging.DecideRefuse, judging.ReasonKey, nil},
		"held is told first":           {create, v1, nil, configMapAt(v2, one), foreign, judging.DecideRefuse, judging.ReasonHeld, nil},
		"a named version is told first": {
			create, v1, []judging.Version{{ResourceVersion: "9"}}, configMapAt(v2, nil), foreign, judging.DecideRefuse, judging.ReasonVersion, nil,
		},
		"immutable is told first":   {create, v1, nil, configMapAt(v2, nil, immutable), foreign, judging.DecideRefuse, 0, &judging.ImmutableError{}},
		"terminating is told first": {create, v1, nil, configMapAt(v2, nil, terminating), foreign, judging.DecideRefuse, 0, &judging.TerminatingError{}},
		"the size is told first":    {create, v1, nil, configMapAt(v2, nil, large), foreign, judging.DecideRefuse, 0, &judging.TooLargeError{}},
		"absence is told first":     {create, v1, nil, &judging.Observation{}, foreign, judging.DecideRefuse, 0, &judging.NotFoundError{}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := judging.Judge(&judging.Txn{Keys: []judging.KeySwap{test.key}, At: test.at, Bound: test.bound}, test.live, &test.lineage)
			var conflict *judging.ConflictError
			switch {
			case j.Decision != test.want:
				t.Errorf("decided %d (%v), want %d", j.Decision, j.Err, test.want)
			case test.err != nil:
				if !sameType(j.Err, test.err) {
					t.Errorf("refused with %T, want %T", j.Err, test.err)
				}
			case j.Decision == judging.DecideRefuse:
				if !errors.As(j.Err, &conflict) || conflict.Reason != test.reason {
					t.Errorf("refused with %v, want reason %d", j.Err, test.reason)
				}
				if test.reason == judging.ReasonObject && conflict.At != test.bound {
					t.Errorf("the conflict names version %v, want the bound", conflict.At)
				}
			}
		})
	}
}

// Given two keys that hold what they must, of which one is compared only, and a bound that is past; then the conflict tells of each what it holds and
// what it was to become.
func TestPastBoundTellsWhatEachKeyHolds(t *testing.T) {
	t.Parallel()
	past, now := judging.Version{UID: "u", ResourceVersion: "1"}, judging.Version{UID: "u", ResourceVersion: "2"}
	one, two := judging.Text("1"), judging.Text("2")
	j := judging.Judge(&judging.Txn{
		Keys: []judging.KeySwap{{Key: "foo", Expect: one, New: two}, {Key: "bar", Expect: two, IsGuard: true}}, Bound: past,
	}, configMapAt(now, map[string]string{"foo": "1", "bar": "2"}), &judging.Lineage{})
	var conflict *judging.ConflictError
	if !errors.As(j.Err, &conflict) {
		t.Fatalf("decided %d (%v), want a conflict", j.Decision, j.Err)
	}
	want := []judging.KeyConflict{
		{Key: "foo", Reason: judging.ReasonObject, Expected: one, New: two},
		{Key: "bar", Reason: judging.ReasonObject, Expected: two, New: two},
	}
	if !slices.Equal(conflict.Keys, want) {
		t.Errorf("conflict over %+v, want %+v", conflict.Keys, want)
	}
}
