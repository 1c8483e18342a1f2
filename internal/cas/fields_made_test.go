package cas

import (
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// made writes a field of a map that is not there, and to which the API server adds a default. It gives the removal of the field, with what it has made.
func (f *fieldsFixture) made() *Txn {
	f.Helper()
	result, err := f.commit(f.txn(change{"spec.mode.limit", "", "3"}))
	f.want(Applied, err)
	f.wantField("spec.mode", `{"kind":"slow","limit":3}`)
	return f.emptying(result, "spec.mode", change{"spec.mode.limit", "3", ""})
}

// emptying removes fields, and with them what a write has made.
func (f *fieldsFixture) emptying(made TxnResult, path string, changes ...change) *Txn {
	f.Helper()
	rest, isMade := made.Made[f.key(path)]
	if !isMade || len(made.Made) != 1 {
		f.Fatalf("made %v", made.Made)
	}
	txn := f.txn(changes...)
	txn.GoneIsDone, txn.Seen = true, Basis{Version: made.After.Version()}
	txn.Keys = append(txn.Keys, KeySwap{Key: f.key(path), IsGuard: true, Rest: rest})
	return txn
}

// Given a map that a write made; when what was written into it is removed, then the map goes with it in one request, also where others are busy with the object,
// and where the answer is lost.
func TestMapThatAWriteMadeGoesWithTheLast(t *testing.T) {
	widget := newWidgets(t)
	for name, before := range map[string]func(*fieldsFixture){
		"by merge patch":           func(*fieldsFixture) {},
		"by JSON Patch":            func(f *fieldsFixture) { f.busy(change{"spec.size", `"small"`, `"large"`}) },
		"where the answer is lost": func(f *fieldsFixture) { f.lost(func() testcluster.Fault { return testcluster.Fault{DropAfter: true} }) },
	} {
		t.Run(name, func(t *testing.T) {
			f := newFields(t, widget)
			removal := f.made()
			before(f)
			_, err := f.commit(removal)
			f.want(Applied, err)
			f.wantField("spec.mode", "")
			f.wantField("spec.number", "9007199254740993")
		})
	}
}

// Given a map that a write made; when a sibling writes into it at the same time, then what the sibling writes is there afterwards.
func TestMapThatASiblingWritesIntoStays(t *testing.T) {
	f := newFields(t, newWidgets(t))
	removal := f.made()
	f.engine = f.newEngine(f.proxy.Config) // which has read nothing
	sibling := f.txn(change{"spec.mode.kind", `"slow"`, `"fast"`})
	errs := f.inOneBatch(
		func() error { _, err := f.commit(sibling); return err },
		func() error { _, err := f.commit(removal); return err },
	)
	f.want(Applied, errs[0])
	f.want(Applied, errs[1])
	f.wantField("spec.mode", `{"kind":"fast"}`)
}

// A map that two swaps have made in one request is neither's, and what the API server does not keep empty need not be told.
func TestMapThatIsMadeForTwo(t *testing.T) {
	f := newFields(t, newWidgets(t))
	var made [2]TxnResult
	committing := func(i int, changes ...change) func() error {
		txn := f.txn(changes...)
		return func() (err error) { made[i], err = f.commit(txn); return err }
	}
	for _, err := range f.inOneBatch(
		committing(0, change{"spec.mode.limit", "", "3"}, change{"metadata.labels.a", "", `"1"`}),
		committing(1, change{"spec.mode.kind", "", `"fast"`}),
	) {
		f.want(Applied, err)
	}
	f.wantField("spec.mode", `{"kind":"fast","limit":3}`)
	if n := f.writes(); n != 1 || len(made[0].Made)+len(made[1].Made) > 0 {
		t.Errorf("%d writes made %v and %v", n, made[0].Made, made[1].Made)
	}
}
