package cas

import (
	"context"
	"errors"
	"net/http"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// Several callers who compute the same key go in one request, each on what the one before it leaves.

// forwarded is a hook that leaves requests alone.
func forwarded(*http.Request) testcluster.Fault { return testcluster.Fault{} }

// Given ten numbers that are requested in order while a read is under way; then one request takes all of
// them, each caller gets one number, in that order, and the entry of the key after it.
func TestNumbersThatAreAskedForTogetherAreTakenInOneRequest(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "5"})
	arrived, release := f.observing(forwarded)
	<-arrived
	var answers []<-chan taken
	for n := range 10 {
		answers = append(answers, f.taking(t.Context(), "foo"))
		f.queued(n + 1)
	}
	close(release)
	stored := []string{"6", "7", "8", "9", "10", "11", "12", "13", "14", "15"}
	for n, answer := range answers {
		got := <-answer
		f.want(eval.Applied, got.err)
		if got.Number != int64(5+n) || got.Sent != eval.Text(stored[n]) || got.Stored != eval.Text(stored[n]) {
			t.Errorf("caller %d took %+v, want %d and %s after it", n, got.Taken, 5+n, stored[n])
		}
	}
	f.wantData(map[string]string{"foo": "15"})
	if n := f.proxy.Count(http.MethodPatch); n != 1 {
		t.Errorf("%d patches, want 1", n)
	}
}

// took fails the test where a caller did not get its number.
func (f *fixture) took(got taken, want int64) {
	f.Helper()
	f.want(eval.Applied, got.err)
	if got.Number != want {
		f.Errorf("took %d, want %d", got.Number, want)
	}
}

// numbering has a Txn compute foo as a counter does, and calls first when it does so for the first time.
func (f *fixture) numbering(first func()) *eval.Txn {
	txn := f.counter("foo").Computed().txn()
	next, isFirst := txn.Keys[0].Next, true
	txn.Keys[0].Next = func(live eval.Value) (eval.Value, error) {
		if isFirst {
			isFirst = false
			first()
		}
		return next(live)
	}
	return txn
}

// Given three callers who compute a key in one request; when the second one gives up before the request is sent;
// then the request is made again without its number, and the third caller gets that number.
func TestNumberOfWhoLeavesBeforeTheRequestIsSentGoesToTheNext(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "5"})
	_, err := f.do(f.swapping("bar", eval.Value{}, one)) // so that nothing has to be learned before the next write
	f.want(eval.Applied, err)
	f.proxy.Reset()
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	told := make(chan error, 1)
	var left error
	txns := []*eval.Txn{
		f.numbering(func() {}), f.numbering(func() {}),
		f.numbering(func() { // the two before it are in the batch already
			leave()
			left = <-told
		}),
	}
	arrived, release := f.observing(forwarded)
	<-arrived
	type answer struct {
		TxnResult
		err error
	}
	var answers []chan answer
	for i, txn := range txns {
		answers = append(answers, make(chan answer, 1))
		go func() {
			if i == 1 {
				_, err := f.engine.Commit(ctx, txn)
				told <- err
				return
			}
			result, err := f.commit(txn)
			answers[i] <- answer{result, err}
		}()
		f.queued(i + 1)
	}
	close(release)
	for i, want := range map[int]string{0: "5", 2: "6"} {
		got := <-answers[i]
		f.want(eval.Applied, got.err)
		if got.Previous["foo"] != eval.Text(want) {
			t.Errorf("caller %d computed of %v, want %s", i, got.Previous["foo"], want)
		}
	}
	var canceled *eval.CanceledError
	if !errors.As(left, &canceled) {
		t.Errorf("%v, want that nothing was written", left)
	}
	f.wantData(map[string]string{"foo": "7", "bar": "1"})
	if n := f.proxy.Count(http.MethodPatch); n != 1 {
		t.Errorf("%d patches, want 1", n)
	}
}

// Given four numbers that are asked for together, and between them a bad entry that the API server refuses; then the bad one alone
// is refused, and the numbers are taken in the order in which they were asked for.
func TestNumbersKeepTheirOrderWhereABadEntryIsAmongThem(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "5"})
	arrived, release := f.observing(forwarded)
	<-arrived
	var answers []<-chan taken
	for n, key := range []string{"foo", "foo", "not a key", "foo", "foo"} {
		answers = append(answers, f.taking(t.Context(), key))
		f.queued(n + 1)
	}
	close(release)
	for n, want := range []int64{5, 6, -1, 7, 8} {
		got := <-answers[n]
		if want < 0 {
			f.want(eval.Rejected, got.err)
			continue
		}
		f.took(got, want)
	}
	f.wantData(map[string]string{"foo": "9"})
}

// Given three numbers that are asked for together, the second under another field manager, so that it cannot go into the request of
// the first; then the third does not overtake it.
func TestNumberDoesNotOvertakeOneOfAnotherFieldManager(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "5"})
	arrived, release := f.observing(forwarded)
	<-arrived
	answers := make([]chan taken, 3)
	for n, manager := range []string{"engine", "other", "engine"} {
		c := f.counter("foo")
		c.FieldManager = manager
		answers[n] = make(chan taken, 1)
		go func() {
			got, err := f.engine.Take(t.Context(), c)
			answers[n] <- taken{got, err}
		}()
		f.queued(n + 1)
	}
	close(release)
	for n, want := range []int64{5, 6, 7} {
		f.took(<-answers[n], want)
	}
	f.wantData(map[string]string{"foo": "8"})
}

// Given a number, a swap of the entry that it leaves, and a number, requested in this order; then each is
// evaluated on the result of the one before it.
func TestNumberDoesNotOvertakeASwapOfItsKey(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "5"})
	arrived, release := f.observing(forwarded)
	<-arrived
	before := f.taking(t.Context(), "foo")
	f.queued(1)
	swapped := f.begin(f.swapping("foo", eval.Text("6"), eval.Text("100")))
	f.queued(2)
	after := f.taking(t.Context(), "foo")
	f.queued(3)
	close(release)
	for answer, want := range map[<-chan taken]int64{before: 5, after: 100} {
		f.took(<-answer, want)
	}
	f.want(eval.Applied, <-swapped)
	f.wantData(map[string]string{"foo": "101"})
}
