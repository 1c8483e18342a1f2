package cas

import (
	"context"
	"net/http"
	"slices"
	"sync"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/eval"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// A write whose verdict was unknown may be applied later. It then has the same signature as the next write of the
// Engine on the same base.

// late is the writes that were on their way when their caller gave up.
type late struct {
	*fixture
	mu      sync.Mutex
	over    bool // their caller has its answer
	held    int
	release chan struct{}
	sent    chan struct{} // closed when the first of them is on its way
	came    sync.WaitGroup
	landed  int
}

func (f *fixture) late() *late {
	return &late{fixture: f, release: make(chan struct{}), sent: make(chan struct{})}
}

// holds has requests of a method held for as long as their caller waits. They land just before the first one after that, which the fault
// befalls.
func (l *late) holds(method string, fault testcluster.Fault) {
	var once sync.Once
	l.proxy.SetHook(func(r *http.Request) (next testcluster.Fault) {
		if r.Method != method {
			return next
		}
		if held, isLate := l.hold(); isLate {
			return held
		}
		once.Do(func() {
			l.land()
			next = fault
		})
		return next
	})
}

// leaves makes a call whose caller gives up once its request is on its way, and returns the error of the
// call.
func (l *late) leaves(call func(context.Context) error) error {
	l.engine.limits.grace = 2 * reportTime
	ctx, leave := context.WithCancel(l.Context())
	told := make(chan error, 1)
	go func() { told <- call(ctx) }()
	<-l.sent
	leave()
	err := <-told
	l.mu.Lock()
	l.over = true
	l.mu.Unlock()
	return err
}

// swaps makes a swap of foo whose caller leaves, so that it is unknown.
func (l *late) swaps() {
	l.Helper()
	l.want(eval.Unknown, l.leaves(func(ctx context.Context) error {
		_, err := l.engine.Swap(ctx, l.swapping("foo", one, two))
		return err
	}))
}

// hold holds a request before the API server, for as long as their caller waits.
func (l *late) hold() (fault testcluster.Fault, isLate bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return testcluster.Fault{}, false
	}
	if l.held++; l.held == 1 {
		close(l.sent)
	}
	l.came.Add(1)
	return testcluster.Fault{HoldBefore: l.release, Answered: func(r *http.Response) {
		l.mu.Lock()
		if r.StatusCode == http.StatusOK || r.StatusCode == http.StatusCreated {
			l.landed++
		}
		l.mu.Unlock()
		l.came.Done()
	}}, true
}

// land releases all held requests, and one of them is applied. It may be called from a hook.
func (l *late) land() {
	close(l.release)
	l.came.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.landed != 1 {
		l.Errorf("%d of the late writes landed: the interleaving was not forced", l.landed)
	}
}

// Given a number whose write is held until its caller has given up; when that write is applied just before the next
// write of the same base, which is refused or lost; then no number is given twice.
func TestNumberThatAnUnknownWriteTookIsNotGivenAgain(t *testing.T) {
	for name, test := range map[string]struct {
		fault testcluster.Fault
		want  []int64
		live  string
	}{
		"one comes after it, and is refused":          {testcluster.Fault{}, []int64{6}, "7"},
		"one comes after it, and is lost":             {testcluster.Fault{DropBefore: true}, []int64{6}, "7"},
		"three come after it, and are refused":        {testcluster.Fault{}, []int64{6, 7, 8}, "9"},
		"three come after it, and are lost":           {testcluster.Fault{DropBefore: true}, []int64{6, 7, 8}, "9"},
		"three come after it, and the answer is lost": {testcluster.Fault{DropAfter: true}, []int64{6, 7, 8}, "9"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "5"})
			l := f.late()
			l.holds(http.MethodPatch, testcluster.Fault{})
			err := l.leaves(func(ctx context.Context) error { return (<-f.taking(ctx, "foo")).err })
			f.want(eval.Unknown, err)

			var once sync.Once
			arrived, release := f.observing(func(r *http.Request) testcluster.Fault {
				fault := testcluster.Fault{}
				if r.Method == http.MethodPatch {
					once.Do(func() {
						l.land()
						fault = test.fault
					})
				}
				return fault
			})
			<-arrived
			var answers []<-chan taken
			for n := range test.want {
				answers = append(answers, f.taking(t.Context(), "foo"))
				f.queued(n + 1)
			}
			close(release)
			var got []int64
			for _, answer := range answers {
				a := <-answer
				f.want(eval.Applied, a.err)
				got = append(got, a.Number)
			}
			slices.Sort(got)
			if !slices.Equal(got, test.want) {
				t.Errorf("took %d after 5, which an unknown write took: want %d", got, test.want)
			}
			f.wantData(map[string]string{"foo": test.live})
		})
	}
}

// Given a swap whose outcome is unknown; when it is applied just before another swap of the same values arrives,
// which is refused or lost; then the verdict of the other swap is not applied. Only one of the two can have had the
// key.
func TestSwapThatAnUnknownOneMadeIsNotAnothersToo(t *testing.T) {
	for name, fault := range map[string]testcluster.Fault{"the other is refused": {}, "the other is lost": {DropBefore: true}} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "1"})
			l := f.late()
			l.holds(http.MethodPatch, fault)
			l.swaps()
			_, err := f.do(f.swapping("foo", one, two))
			if verdict := eval.VerdictOf(err); verdict == eval.Applied || verdict == eval.Rejected {
				t.Errorf("%s, want a conflict, or that it is unknown: %v", verdict, err)
			}
			f.wantData(map[string]string{"foo": "2"})
		})
	}
}

// Given a swap whose outcome is unknown; when admission changes it to the value of another swap, and it is applied
// just before the other swap arrives, which is lost; then the verdict of the other swap is not applied. The first
// swap may have written the value.
func TestSwapThatAdmissionMadeOfAnUnknownOneIsNotTheNext(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1", "trigger": "yes"})
	f.mutates()
	l := f.late()
	l.holds(http.MethodPatch, testcluster.Fault{DropBefore: true})
	l.swaps() // from 1 to 2, which admission changes to 7
	_, err := f.do(f.swapping("foo", one, eval.Text("7")))
	if verdict := eval.VerdictOf(err); verdict == eval.Applied || verdict == eval.Rejected {
		t.Errorf("%s, want a conflict, or that it is unknown", verdict)
	}
	f.wantData(map[string]string{"foo": "7", "trigger": "yes"})
}
