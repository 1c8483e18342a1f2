package cas

import (
	"errors"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestBoundIsJudgedLast(t *testing.T) {
	t.Parallel()
	var (
		v1, v2      = Version{"u", "1"}, Version{"u", "2"}
		immutable   = func(cm *corev1.ConfigMap) { yes := true; cm.Immutable = &yes }
		terminating = func(cm *corev1.ConfigMap) { now := metav1.Now(); cm.DeletionTimestamp = &now }
		large       = func(cm *corev1.ConfigMap) { cm.BinaryData = map[string][]byte{"large": make([]byte, MaxSize)} }
		one         = map[string]string{"foo": "1"}
		create      = KeySwap{Key: "foo", New: Text("1"), Held: HeldIsRefused}
		adopt       = KeySwap{Key: "foo", New: Text("1"), Held: HeldIsDone}
	)
	own, foreign := lineage{}, lineage{}
	own.observed(v1)
	own.wrote(v1, v2, "bar")
	foreign.observed(v1)
	foreign.observed(v2)

	tests := map[string]struct {
		key     KeySwap
		bound   Version
		at      []Version
		live    *Observation
		lineage lineage
		want    decision
		reason  Reason // of a conflict
		err     error  // of another type
	}{
		"at the bound":                 {create, v2, nil, configMapAt(v2, nil), foreign, decideWrite, 0, nil},
		"own writes led on":            {create, v1, nil, configMapAt(v2, nil), own, decideWrite, 0, nil},
		"a foreign write":              {create, v1, nil, configMapAt(v2, nil), foreign, decideRefuse, ReasonObject, nil},
		"another object":               {create, Version{"x", "2"}, nil, configMapAt(v2, nil), own, decideRefuse, ReasonObject, nil},
		"no bound":                     {create, Version{}, nil, configMapAt(v2, nil), foreign, decideWrite, 0, nil},
		"adoption at the bound":        {adopt, v2, nil, configMapAt(v2, one), foreign, decideDone, 0, nil},
		"adoption and a foreign write": {adopt, v1, nil, configMapAt(v2, one), foreign, decideRefuse, ReasonObject, nil},
		"the key is told first":        {create, v1, nil, configMapAt(v2, map[string]string{"foo": "2"}), foreign, decideRefuse, ReasonKey, nil},
		"held is told first":           {create, v1, nil, configMapAt(v2, one), foreign, decideRefuse, ReasonHeld, nil},
		"a named version is told first": {
			create, v1, []Version{{ResourceVersion: "9"}}, configMapAt(v2, nil), foreign, decideRefuse, ReasonVersion, nil,
		},
		"immutable is told first":   {create, v1, nil, configMapAt(v2, nil, immutable), foreign, decideRefuse, 0, &ImmutableError{}},
		"terminating is told first": {create, v1, nil, configMapAt(v2, nil, terminating), foreign, decideRefuse, 0, &TerminatingError{}},
		"the size is told first":    {create, v1, nil, configMapAt(v2, nil, large), foreign, decideRefuse, 0, &TooLargeError{}},
		"absence is told first":     {create, v1, nil, &Observation{}, foreign, decideRefuse, 0, &NotFoundError{}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			j := judge(&Txn{Keys: []KeySwap{test.key}, At: test.at, Bound: test.bound}, test.live, &test.lineage)
			var conflict *ConflictError
			switch {
			case j.decision != test.want:
				t.Errorf("decided %d (%v), want %d", j.decision, j.err, test.want)
			case test.err != nil:
				if !sameType(j.err, test.err) {
					t.Errorf("refused with %T, want %T", j.err, test.err)
				}
			case j.decision == decideRefuse:
				if !errors.As(j.err, &conflict) || conflict.Reason != test.reason {
					t.Errorf("refused with %v, want reason %d", j.err, test.reason)
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
