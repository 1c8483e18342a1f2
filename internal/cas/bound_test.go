package cas

import "testing"

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
