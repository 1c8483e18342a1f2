package cas

import (
	"net/http"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

func TestSwapsOfOneKeyAreJudgedInTheirOrder(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	arrived, release := f.holdReads(testcluster.Fault{})
	// Something holds the committer; two swaps queue behind it in order, both asked for before the read that they share.
	go func() { _, _ = f.engine.Observe(t.Context(), f.ref, "", 0) }()
	<-arrived
	errs := make([]<-chan error, 2)
	for i, s := range []Swap{f.swapping("foo", one, two), f.swapping("foo", two, three)} {
		errs[i] = f.begin(s)
		<-waitFor(func() bool { return len(f.engine.committer(f.ref).waiting()) == i+1 })
	}
	// The held read began before them; have a third wish force a new read for the whole batch.
	go func() { _, _ = f.engine.Observe(t.Context(), f.ref, "", 0) }()
	<-waitFor(func() bool { return len(f.engine.committer(f.ref).waiting()) == 3 })
	close(release)
	f.want(eval.Applied, <-errs[0])
	f.want(eval.Applied, <-errs[1])
	f.wantData(map[string]string{"foo": "3"})
}

func TestAdoptedKeyIsNotRemovedForAnOlderObservation(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	v := f.version()
	adopt := f.swapping("foo", eval.Value{}, one)
	adopt.IfEqual = eval.Adopt
	_, err := f.do(adopt)
	f.want(eval.Applied, err)
	_, err = f.do(f.removing("foo", one, v, v))
	f.wantReason(eval.ReasonOwn, err)
	_, err = f.do(f.swapping("foo", one, one)) // changes nothing, the version included
	f.want(eval.Applied, err)
	_, err = f.do(f.removing("foo", one, v, v))
	f.wantReason(eval.ReasonOwn, err)
	f.wantData(map[string]string{"foo": "1"})
}

func TestBadEntryStaysAlone(t *testing.T) {
	a := txnTask(t, (&Swap{Key: "bad"}).Txn())
	a.maxBatch = 1
	g := &request{base: &eval.Snapshot{}, limit: maxTasks}
	if !g.fits(a, nil) {
		t.Fatal("the first one does not fit")
	}
	g.add(a, nil)
	if b := txnTask(t, (&Swap{Key: "new"}).Txn()); g.fits(b, nil) {
		t.Error("a new task joins one that is to go alone")
	}
}

func TestRemovalThatAnotherMadeIsNotTakenForOurs(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1", "bar": "1"})
	v := f.version()
	f.onEach(http.MethodPatch, func() testcluster.Fault {
		f.unset("foo", "new") // the same removal, and something else
		return testcluster.Fault{DropAfter: true}
	})
	s := f.removing("foo", one, v, v)
	_, err := f.do(s)
	f.want(eval.Applied, err) // gone already is success
	f.proxy.SetHook(nil)
	s = f.removing("bar", one, v, v)
	_, err = f.do(s)
	f.wantReason(eval.ReasonObject, err)
}

func TestCheckThatPassesDoesNotWaitForAWrite(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1", "bar": "1"})
	written, release := f.unanswered()

	passes := make(chan error, 1)
	go func() {
		_, err := f.engine.Check(t.Context(), f.swapping("bar", one, two).Txn(), ReadOnly)
		passes <- err
	}()
	select {
	case err := <-passes:
		f.want(eval.Applied, err)
	case <-waitFor(func() bool { return len(f.engine.committer(f.ref).waiting()) > 0 }):
		t.Error("a check that passes waits for the write")
	}

	refused := make(chan error, 1)
	go func() { // the write is already applied, so the check passes after it
		_, err := f.engine.Check(t.Context(), f.swapping("foo", two, three).Txn(), ReadOnly)
		refused <- err
	}()
	select {
	case err := <-refused:
		t.Errorf("refused for what was known before the write: %v", err)
		refused <- nil
	case <-waitFor(func() bool { return len(f.engine.committer(f.ref).waiting()) > 0 }):
	}
	close(release)
	f.want(eval.Applied, <-written)
	f.want(eval.Applied, <-refused)
}
