package cas

import (
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
)

func TestBoundIsJudgedLast(t *testing.T) {
	t.Parallel()
	var (
		v1, v2      = Version{UID: "u", ResourceVersion: "1"}, Version{UID: "u", ResourceVersion: "2"}
		immutable   = func(cm *corev1.ConfigMap) { yes := true; cm.Immutable = &yes }
		terminating = func(cm *corev1.ConfigMap) { now := metav1.Now(); cm.DeletionTimestamp = &now }
		large       = func(cm *corev1.ConfigMap) { cm.BinaryData = map[string][]byte{"large": make([]byte, MaxSize)} }
		one         = map[string]string{"foo": "1"}
		create      = KeySwap{Key: "foo", New: Text("1"), Held: HeldIsRefused}
		adopt       = KeySwap{Key: "foo", New: Text("1"), Held: HeldIsDone}
	)
	own, foreign := judging.Lineage{}, judging.Lineage{}
	own.Observed(v1)
	own.Wrote(v1, v2, "bar")
	foreign.Observed(v1)
	foreign.Observed(v2)

	tests := map[string]struct {
		key     KeySwap
		bound   Version
		at      []Version
		live    *Observation
		lineage judging.Lineage
		want    judging.Decision
		reason  Reason // of a conflict
		err     error  // of another type
	}{
		"at the bound":                 {create, v2, nil, configMapAt(v2, nil), foreign, judging.DecideWrite, 0, nil},
		"own writes led on":            {create, v1, nil, configMapAt(v2, nil), own, judging.DecideWrite, 0, nil},
		"a foreign write":              {create, v1, nil, configMapAt(v2, nil), foreign, judging.DecideRefuse, ReasonObject, nil},
		"another object":               {create, Version{UID: "x", ResourceVersion: "2"}, nil, configMapAt(v2, nil), own, judging.DecideRefuse, ReasonObject, nil},
		"no bound":                     {create, Version{}, nil, configMapAt(v2, nil), foreign, judging.DecideWrite, 0, nil},
		"adoption at the bound":        {adopt, v2, nil, configMapAt(v2, one), foreign, judging.DecideDone, 0, nil},
		"adoption and a foreign write": {adopt, v1, nil, configMapAt(v2, one), foreign, judging.DecideRefuse, ReasonObject, nil},
		"the key is told first":        {create, v1, nil, configMapAt(v2, map[string]string{"foo": "2"}), foreign, judging.DecideRefuse, ReasonKey, nil},
		"held is told first":           {create, v1, nil, configMapAt(v2, one), foreign, judging.DecideRefuse, ReasonHeld, nil},
		"a named version is told first": {
			create, v1, []Version{{ResourceVersion: "9"}}, configMapAt(v2, nil), foreign, judging.DecideRefuse, ReasonVersion, nil,
		},
		"immutable is told first":   {create, v1, nil, configMapAt(v2, nil, immutable), foreign, judging.DecideRefuse, 0, &ImmutableError{}},
		"terminating is told first": {create, v1, nil, configMapAt(v2, nil, terminating), foreign, judging.DecideRefuse, 0, &TerminatingError{}},
		"the size is told first":    {create, v1, nil, configMapAt(v2, nil, large), foreign, judging.DecideRefuse, 0, &TooLargeError{}},
		"absence is told first":     {create, v1, nil, &Observation{}, foreign, judging.DecideRefuse, 0, &NotFoundError{}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := judging.Judge(&Txn{Keys: []KeySwap{test.key}, At: test.at, Bound: test.bound}, test.live, &test.lineage)
			var conflict *ConflictError
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
				if test.reason == ReasonObject && conflict.At != test.bound {
					t.Errorf("the conflict names version %v, want the bound", conflict.At)
				}
			}
		})
	}
}

func TestBoundHoldsWhereOthersAreBusy(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	f.contend()
	txn := f.swapping("foo", one, two).Txn()
	txn.Bound = f.version()
	f.set("other", "between") // the engine does not know
	_, err := f.engine.Commit(t.Context(), txn)
	f.wantReason(ReasonObject, err)
	f.wantData(map[string]string{"foo": "1", "other": "between", "contended": "yes"})
}

func TestSiblingsOfOneBoundDoNotConflict(t *testing.T) {
	f := newFixture(t, map[string]string{"other": "kept"})
	bound, want := f.version(), map[string]string{"other": "kept"}
	for _, key := range []string{"a", "b", "c"} { // one after the other, each in a request of its own
		txn := f.swapping(key, Entry{}, one).Txn()
		txn.Bound, want[key] = bound, "1"
		_, err := f.engine.Commit(t.Context(), txn)
		f.want(Applied, err)
	}
	f.wantData(want)
	f.set("foreign", "here")
	txn := f.swapping("d", Entry{}, one).Txn()
	txn.Bound = bound
	_, err := f.engine.Commit(t.Context(), txn)
	f.wantReason(ReasonObject, err)
}
