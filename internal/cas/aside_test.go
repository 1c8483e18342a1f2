package cas

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"

	"github.com/terraform-cas/terraform-provider-cas/internal/cas/judging"
	"github.com/terraform-cas/terraform-provider-cas/internal/cas/wire"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// One key's trouble does not hold up others.

// Answers to a write that do not tell whether it landed.
var (
	slowDown    = status(http.StatusTooManyRequests, "TooManyRequests", `admission webhook "rate.example.com" denied the request: slow down`)
	unavailable = status(http.StatusServiceUnavailable, "ServiceUnavailable", `admission webhook "x.example.com" denied the request`)
	timedOut    = status(http.StatusGatewayTimeout, "Timeout", "Timeout: request did not complete within the allotted timeout")
)

// trouble is what befalls each patch that writes 2 to one of the keys, until it is over.
type trouble struct {
	*fixture
	keys    []string
	fault   testcluster.Fault
	manager string // of what goes together; empty: that of any swap
	// before is called with the number of each patch, from 1 on, before the fault befalls it, and says what befalls it instead.
	before func(n int, r *http.Request, isBad bool) *testcluster.Fault

	mu      sync.Mutex
	over    bool
	patches int
	begun   chan struct{} // closed with the first that is befallen
}

// newTrouble is a fixture some of whose keys are in trouble, and whose Engine has little patience.
func newTrouble(t *testing.T, data map[string]string, fault testcluster.Fault, keys ...string) *trouble {
	t.Helper()
	f := newFixture(t, data)
	x := &trouble{fixture: f, keys: keys, fault: fault, begun: make(chan struct{})}
	x.hurried(f.engine)
	f.proxy.SetHook(x.hook)
	return x
}

// hurried has an Engine have little patience.
func (x *trouble) hurried(e *Engine) {
	e.limits = defaultLimits
	e.limits.patience = 100 * time.Millisecond
}

func (x *trouble) isBad(body string) bool {
	return slices.ContainsFunc(x.keys, func(key string) bool { return strings.Contains(body, `"`+key+`":"2"`) })
}

func (x *trouble) hook(r *http.Request) testcluster.Fault {
	if r.Method != http.MethodPatch || isDry(r) {
		return testcluster.Fault{}
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		x.Error(err)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	isBad := x.isBad(string(body))
	x.mu.Lock()
	x.patches++
	n, over := x.patches, x.over
	x.mu.Unlock()
	if x.before != nil {
		if fault := x.before(n, r, isBad); fault != nil {
			return *fault
		}
	}
	if over || !isBad {
		return testcluster.Fault{}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	select {
	case <-x.begun:
	default:
		close(x.begun)
	}
	return x.fault
}

// ends has the trouble be over.
func (x *trouble) ends() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.over = true
}

// enough is when a test gives up waiting for those that are held up.
const enough = 30 * time.Second

// goesOn fails the test where a swap of a key in trouble is told before one of another key is.
func (x *trouble) goesOn(bad, good <-chan error) {
	x.Helper()
	select {
	case err := <-good:
		x.want(Applied, err)
	case err := <-bad:
		x.Fatalf("the one in trouble is told first: %v", err)
	case <-time.After(enough):
		x.Fatalf("the one that is not in trouble is not told: %v", x.proxy.Requests())
	}
}

// Given a key whose writes are answered in a way that tells nothing, for as long as that lasts; when one of another key is asked for; then that
// is written, and the first once its trouble is over. Neither is a conflict with the other.
func TestKeyInTroubleDoesNotHoldUpAnother(t *testing.T) {
	forever := make(chan struct{}) // that is, until the test ends
	for name, fault := range map[string]testcluster.Fault{
		"a webhook answers 429":                      {Answer: slowDown},
		"a webhook answers 503":                      {Answer: unavailable},
		"the API server times out":                   {Answer: timedOut},
		"the connection breaks":                      {DropBefore: true},
		"the first is lost, then there is no answer": {HoldBefore: forever, DropBefore: true},
	} {
		t.Run(name, func(t *testing.T) {
			x := newTrouble(t, map[string]string{"bad": "1", "good": "1", "last": "1"}, fault, "bad")
			x.before = func(n int, _ *http.Request, _ bool) *testcluster.Fault {
				if n == 1 && fault.HoldBefore != nil {
					close(x.begun)
					return &testcluster.Fault{DropBefore: true}
				}
				return nil
			}
			v := x.version()
			bad := x.begin(x.swapping("bad", one, two, v))
			<-x.begun
			ctx, leave := context.WithTimeout(t.Context(), 10*time.Second) // before a request that is not answered ends by itself
			defer leave()
			x.goesOn(bad, x.beginFor(ctx, x.swapping("good", one, two, v)))
			x.ends()
			x.want(Applied, <-bad)
			_, err := x.do(x.swapping("last", one, two, v))
			x.want(Applied, err)
			x.wantData(map[string]string{"bad": "2", "good": "2", "last": "2"})
		})
	}
}

// together asks for swaps from 1 to 2 of keys, in this order, that go into one request.
func (x *trouble) together(keys []string, at ...Version) map[string]<-chan error {
	x.Helper()
	arrived, release := x.observing(x.hook)
	<-arrived
	told := map[string]<-chan error{}
	for n, key := range keys {
		s := x.swapping(key, one, two, at...)
		s.FieldManager = cmp.Or(x.manager, s.FieldManager)
		told[key] = x.begin(s)
		x.queued(n + 1)
	}
	close(release)
	return told
}

// eight are keys of one request, and ones what they hold.
var eight = []string{"a", "b", "c", "d", "e", "f", "g", "h"}

func all(value string) map[string]string {
	data := map[string]string{}
	for _, key := range eight {
		data[key] = value
	}
	return data
}

// Given eight keys that go into one request, two of which are in trouble; then the others are written, though nobody else waits, and these two
// once their trouble is over.
func TestKeysInTroubleDoNotHoldUpThoseOfTheirRequest(t *testing.T) {
	for name, test := range map[string]struct {
		fault testcluster.Fault
		bad   []string
	}{
		"a webhook answers 429":          {testcluster.Fault{Answer: slowDown}, []string{"c", "d"}},
		"the connection breaks":          {testcluster.Fault{DropBefore: true}, []string{"a", "h"}},
		"neighbours, connection breaks":  {testcluster.Fault{DropBefore: true}, []string{"b", "c"}},
		"there is no answer for seconds": {testcluster.Fault{Answer: timedOut}, []string{"d", "e"}},
	} {
		t.Run(name, func(t *testing.T) {
			x := newTrouble(t, all("1"), test.fault, test.bad...)
			told := x.together(eight, x.version())
			for _, key := range eight {
				if !slices.Contains(test.bad, key) {
					x.goesOn(told[test.bad[0]], told[key])
				}
			}
			x.ends()
			for _, key := range test.bad {
				x.want(Applied, <-told[key])
			}
			x.wantData(all("2"))
		})
	}
}

// Given two keys in trouble, each of which is tried by itself; when the trouble of the one is over; then that is written, though the other's lasts and its
// caller stays.
func TestKeyInTroubleDoesNotHoldUpOneWhoseTroubleIsOver(t *testing.T) {
	for over, bad := range map[string]string{"a": "b", "b": "a"} {
		t.Run(over, func(t *testing.T) {
			x := newTrouble(t, map[string]string{"a": "1", "b": "1"}, testcluster.Fault{DropBefore: true}, "a", "b")
			var isOver atomic.Bool
			var alone atomic.Int64
			tried := make(chan struct{})
			x.before = func(_ int, r *http.Request, _ bool) *testcluster.Fault {
				body, _ := io.ReadAll(r.Body)
				r.Body = io.NopCloser(bytes.NewReader(body))
				if strings.Count(string(body), `":"2"`) > 1 {
					return nil
				}
				if alone.Add(1) == 10 {
					close(tried)
				}
				if isOver.Load() && strings.Contains(string(body), `"`+over+`":"2"`) {
					return &testcluster.Fault{}
				}
				return nil
			}
			told := x.together([]string{"a", "b"}, x.version())
			<-tried
			isOver.Store(true)
			x.goesOn(told[bad], told[over])
			x.ends()
			x.want(Applied, <-told[bad])
			x.wantData(map[string]string{"a": "2", "b": "2"})
		})
	}
}

// lands is a write whose connection breaks, and which arrives later.
func (x *trouble) late() *delay {
	d := x.delayed()
	x.hurried(x.engine)
	d.armed.Store(true)
	return d
}

// arrive has a write arrive that was on its way, and waits for the answer to it. It may be called from a hook.
func (d *delay) arrive() {
	close(d.release)
	<-d.landed
}

// Given a write that was set aside; when it lands late, before a sibling's arrives or after one has landed, which fences it; then it is applied, and
// written once, and no sibling is in conflict with it, though they are held to the version before.
func TestWriteThatWasSetAsideAndLandsLate(t *testing.T) {
	for name, isBefore := range map[string]bool{"before a sibling's": true, "after a sibling's": false} {
		t.Run(name, func(t *testing.T) {
			x := newTrouble(t, map[string]string{"bad": "1", "good": "1", "free": "1", "last": "1"}, testcluster.Fault{DropBefore: true}, "bad")
			d := x.late()
			arrive := sync.OnceFunc(d.arrive)
			x.before = func(n int, _ *http.Request, isBad bool) *testcluster.Fault {
				switch {
				case n == 1:
					close(x.begun)
					fault := d.fault()
					return &fault
				case !isBad && isBefore:
					arrive()
				case !isBad:
					return &testcluster.Fault{Answered: func(*http.Response) { arrive() }}
				}
				return nil
			}
			v := x.version()
			bad := x.begin(x.swapping("bad", one, two, v))
			<-x.begun
			good := x.begin(x.swapping("good", one, two, v))
			if isBefore {
				x.want(Applied, <-bad)
				x.want(Applied, <-good)
			} else {
				x.goesOn(bad, good)
				x.ends()
				x.want(Applied, <-bad)
			}
			_, err := x.do(x.swapping("free", one, two)) // which is not to go by its key alone, for nobody else is busy
			x.want(Applied, err)
			_, err = x.do(x.swapping("last", one, two, v))
			x.want(Applied, err)
			x.wantData(map[string]string{"bad": "2", "good": "2", "free": "2", "last": "2"})
			if n := x.written("bad"); n != 1 {
				t.Errorf("bad was written %d times", n)
			}
		})
	}
}

// written is how many patches of a key were answered with 200.
func (f *fixture) written(key string) (n int) {
	for _, r := range f.proxy.Requests() {
		if r.Method == http.MethodPatch && r.Status == http.StatusOK && strings.Contains(string(r.Body), `"`+key+`"`) {
			n++
		}
	}
	return n
}

// Given eight keys of one request that was set aside, all of which were this process's before; when it lands late, before one of its halves arrives,
// which is refused or lost, or after one has landed; then each is applied and written once.
func TestRequestThatWasHalvedAndLandsLate(t *testing.T) {
	for name, half := range map[string]struct {
		isAfter, isLost bool
	}{"before a half": {}, "before a half, which is lost": {isLost: true}, "after a half": {isAfter: true}} {
		for _, isSigned := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, signed %t", name, isSigned), func(t *testing.T) {
				x := newTrouble(t, all("0"), testcluster.Fault{DropBefore: true}, "a", "h")
				d := x.late()
				d.armed.Store(false)
				if isSigned {
					x.manager = x.engine.Signed("engine")
				}
				begin := x.txn()
				begin.FieldManager = cmp.Or(x.manager, begin.FieldManager)
				for _, key := range eight {
					begin.Keys = append(begin.Keys, KeySwap{Key: key, Expect: Text("0"), New: one})
				}
				_, err := x.commit(begin)
				x.want(Applied, err)
				x.proxy.Reset()
				x.patches = 0
				d.armed.Store(true)
				arrive, lost := sync.OnceFunc(d.arrive), half.isLost
				x.before = func(n int, r *http.Request, _ bool) *testcluster.Fault {
					body, _ := io.ReadAll(r.Body)
					isHalf := !strings.Contains(string(body), `"h"`) || !strings.Contains(string(body), `"a"`)
					switch {
					case n == 1:
						fault := d.fault()
						return &fault
					case !isHalf:
						return nil
					case half.isAfter:
						return &testcluster.Fault{Answered: func(*http.Response) { arrive() }}
					}
					arrive()
					fault := &testcluster.Fault{DropBefore: lost}
					lost = false
					return fault
				}
				told := x.together(eight, x.version())
				for _, key := range eight {
					x.want(Applied, <-told[key])
				}
				x.wantData(all("2"))
				for _, key := range eight {
					if n := x.written(key); n > 1 { // the answer to one may not be seen: on a slow machine the client is gone by then
						t.Errorf("%s was written %d times", key, n)
					}
				}
			})
		}
	}
}

// Given a write that was set aside; when another writes to the object; then what came first after its base tells that it did not land: it is judged
// again, and so is its sibling.
func TestWriteThatWasSetAsideIsJudgedAgainAfterAForeignWrite(t *testing.T) {
	for name, test := range map[string]struct {
		key  string // that is another's by then
		held bool   // to the version that they were planned on
		bad  Verdict
		good Verdict
	}{
		"another key":                           {"other", false, Applied, Applied},
		"another key, and a version is named":   {"other", true, Conflict, Conflict},
		"the key in trouble":                    {"bad", false, Conflict, Applied},
		"the key in trouble, to the same value": {"bad=2", false, Conflict, Applied},
	} {
		t.Run(name, func(t *testing.T) {
			x := newTrouble(t, map[string]string{"bad": "1", "good": "1", "other": "1"}, testcluster.Fault{Answer: slowDown}, "bad")
			var once sync.Once
			x.before = func(_ int, _ *http.Request, isBad bool) *testcluster.Fault {
				if !isBad {
					once.Do(func() {
						key, value, _ := strings.Cut(test.key, "=")
						x.set(key, cmp.Or(value, "9"))
						x.ends()
					})
				}
				return nil
			}
			var at []Version
			if test.held {
				at = append(at, x.version())
			}
			bad := x.begin(x.swapping("bad", one, two, at...))
			<-x.begun
			good := x.begin(x.swapping("good", one, two, at...))
			x.want(test.good, <-good)
			x.want(test.bad, <-bad)
		})
	}
}

// Given a write that was set aside for one who only asks; when its caller leaves before it is sent again, and it has landed meanwhile or not; then a
// last look tells that it was applied, and otherwise it is unknown: it may land yet.
func TestCallerOfAWriteThatWasSetAsideLeaves(t *testing.T) {
	for name, hasLanded := range map[string]bool{"it has landed": true, "it has not": false} {
		t.Run(name, func(t *testing.T) {
			x := newTrouble(t, map[string]string{"bad": "1", "good": "1"}, testcluster.Fault{DropBefore: true}, "bad")
			d := x.late()
			x.engine.limits.patience = 3 * time.Second // so long it is not sent again, for which the rest of this does not take
			arrive := sync.OnceFunc(d.arrive)
			x.before = func(n int, _ *http.Request, _ bool) *testcluster.Fault {
				if n == 1 {
					close(x.begun)
					fault := d.fault()
					return &fault
				}
				return nil
			}
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			bad := x.beginFor(ctx, x.swapping("bad", one, two))
			<-x.begun
			_, err := x.engine.Check(t.Context(), x.swapping("good", three, two).Txn(), ReadOnly)
			x.want(Conflict, err)
			if hasLanded {
				arrive()
			}
			leave()
			if hasLanded {
				x.want(Applied, <-bad)
				return
			}
			x.want(Unknown, <-bad)
			c := x.engine.committer(x.ref)
			<-waitFor(func() bool {
				c.mu.Lock()
				defer c.mu.Unlock()
				return !c.running
			})
			if n := len(c.aside); n > 0 {
				t.Errorf("%d batches are kept of which nobody waits", n)
			}
			x.before = func(int, *http.Request, bool) *testcluster.Fault { // it lands in place of the next write of the same, which is lost
				arrive()
				return nil
			}
			_, err = x.do(x.swapping("bad", one, two))
			if verdict := VerdictOf(err); verdict != Conflict && verdict != Unknown {
				t.Errorf("%s, want a conflict, or that it is unknown: %v", verdict, err)
			}
			x.wantData(map[string]string{"bad": "2", "good": "1"})
		})
	}
}

// named is how many patches there were of a key.
func (f *fixture) named(key string) (n int) {
	for _, r := range f.proxy.Requests() {
		if r.Method == http.MethodPatch && strings.Contains(string(r.Body), `"`+key+`"`) {
			n++
		}
	}
	return n
}

// Given writes that were set aside; when the Engine is closed; then they are unknown, and no request is sent afterwards.
func TestCloseEndsWhatWasSetAside(t *testing.T) {
	x := newTrouble(t, map[string]string{"bad": "1", "worse": "1"}, testcluster.Fault{DropBefore: true}, "bad", "worse")
	bad := x.begin(x.swapping("bad", one, two))
	<-x.begun
	worse := x.begin(x.swapping("worse", one, two))
	<-waitFor(func() bool { return x.named("worse") > 0 })
	x.engine.Close()
	n := x.proxy.Count()
	x.want(Unknown, <-bad)
	if verdict := VerdictOf(<-worse); verdict != Unknown && verdict != Rejected {
		t.Errorf("%s of the other", verdict)
	}
	if x.proxy.Count() > n {
		t.Errorf("after Close: %v", x.proxy.Requests()[n:])
	}
}

// Given a swap of a key whose write was set aside; then it waits for that, and is judged on what it leaves.
func TestSwapOfAKeyInTroubleWaitsForIt(t *testing.T) {
	x := newTrouble(t, map[string]string{"bad": "1", "good": "1"}, testcluster.Fault{Answer: slowDown}, "bad")
	first := x.begin(x.swapping("bad", one, two))
	<-x.begun
	second := x.begin(x.swapping("bad", two, three))
	x.queued(1)
	x.goesOn(first, x.begin(x.swapping("good", one, two)))
	x.ends()
	x.want(Applied, <-first)
	x.want(Applied, <-second)
	x.wantData(map[string]string{"bad": "3", "good": "2"})
}

// Given numbers of two counters that go into one request, which lands late, after it was halved; then each number is given once.
func TestNumbersOfARequestThatWasHalvedAndLandsLate(t *testing.T) {
	x := newTrouble(t, map[string]string{"n": "5", "m": "70"}, testcluster.Fault{})
	d := x.late()
	arrive := sync.OnceFunc(d.arrive)
	var sizes []int
	x.before = func(n int, r *http.Request, _ bool) *testcluster.Fault {
		body, _ := io.ReadAll(r.Body)
		sizes = append(sizes, len(body))
		switch {
		case n == 1:
			fault := d.fault()
			return &fault
		case len(body) == sizes[0]:
			return &testcluster.Fault{DropBefore: true}
		default: // a half
			arrive()
			return &testcluster.Fault{}
		}
	}
	arrived, release := x.observing(x.hook)
	<-arrived
	told := map[string][]<-chan taken{}
	for n := range 6 {
		key := []string{"n", "m"}[n%2]
		told[key] = append(told[key], x.taking(t.Context(), key))
		x.queued(n + 1)
	}
	close(release)
	for key, first := range map[string]int64{"n": 5, "m": 70} {
		for n, answer := range told[key] {
			x.took(<-answer, first+int64(n))
		}
	}
	x.wantData(map[string]string{"n": "8", "m": "73"})
}

// Given two numbers of a counter and one of another that go into one request, whose answer is lost, so that it is halved; when the first caller leaves,
// and the second's number is sent anew as the first one, and he leaves; then he is told both that it may be: either request may land yet.
func TestUnknownNumberIsOneOfThoseThatWereSent(t *testing.T) {
	x := newTrouble(t, map[string]string{"n": "5", "m": "70"}, testcluster.Fault{})
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	var isSecond atomic.Bool
	sentAlone, sentAnew := make(chan struct{}), make(chan struct{})
	alone, anew := sync.OnceFunc(func() { close(sentAlone) }), sync.OnceFunc(func() { close(sentAnew) })
	x.before = func(_ int, r *http.Request, _ bool) *testcluster.Fault {
		if body, _ := io.ReadAll(r.Body); strings.Contains(string(body), `"n":"6"`) {
			alone()
			if isSecond.Load() {
				anew()
			}
		}
		return &testcluster.Fault{DropBefore: true}
	}
	arrived, release := x.observing(x.hook)
	<-arrived
	firstCtx, firstLeaves := context.WithCancel(t.Context())
	first := x.taking(firstCtx, "n")
	x.queued(1)
	second := x.taking(ctx, "n")
	x.queued(2)
	other := x.taking(ctx, "m")
	x.queued(3)
	close(release)
	<-sentAlone
	firstLeaves()
	x.unknownNumbers(<-first, 5)
	isSecond.Store(true)
	<-sentAnew
	leave()
	x.unknownNumbers(<-second, 5, 6)
	x.unknownNumbers(<-other, 70)
}

// unknownNumbers fails the test where it is not unknown whether one of these numbers was taken.
func (x *trouble) unknownNumbers(got taken, want ...int64) {
	x.Helper()
	var unknown *UnknownNumberError
	if !errors.As(got.err, &unknown) {
		x.Fatalf("%+v, want that it is unknown", got)
	}
	if numbers := slices.Sorted(slices.Values(unknown.Numbers)); !slices.Equal(numbers, want) {
		x.Errorf("it may be %d, want %d", numbers, want)
	}
}

// Given a creation, a swap or a removal whose answers are lost for as long as it lasts, or do not come; when somebody looks; then that is told what
// is there, and does not wait for the write.
func TestLookDoesNotWaitForAWriteInDoubt(t *testing.T) {
	forever := make(chan struct{})
	for fate, fault := range map[string]testcluster.Fault{
		"is lost":         {DropBefore: true},
		"is not answered": {HoldBefore: forever, DropBefore: true},
		"is turned away":  {Answer: slowDown},
	} {
		for method, call := range map[string]func(*fixture, context.Context) error{
			http.MethodPost: func(f *fixture, ctx context.Context) error {
				_, err := f.engine.Create(ctx, f.creation())
				return err
			},
			http.MethodPatch: func(f *fixture, ctx context.Context) error {
				_, err := f.engine.Swap(ctx, f.swapping("foo", one, two))
				return err
			},
			http.MethodDelete: func(f *fixture, ctx context.Context) error {
				_, err := f.engine.Remove(ctx, &Removal{Ref: f.ref, At: []Version{f.version()}})
				return err
			},
		} {
			t.Run(method+" "+fate, func(t *testing.T) {
				f := newEmptyFixture(t)
				f.engine.limits = defaultLimits
				if method != http.MethodPost {
					f.make(map[string]string{"foo": "1"})
				}
				begun := make(chan struct{})
				var once sync.Once
				f.onEach(method, func() testcluster.Fault {
					once.Do(func() { close(begun) })
					return fault
				})
				ctx, leave := context.WithCancel(t.Context())
				told := make(chan error, 1)
				go func() { told <- call(f, ctx) }()
				<-begun
				looked := make(chan error, 1)
				go func() {
					seen, err := f.engine.Observe(t.Context(), f.ref, 0)
					if err == nil && seen.Exists() == (method == http.MethodPost) {
						t.Error("it saw what is not so")
					}
					looked <- err
				}()
				select {
				case err := <-looked:
					f.want(Applied, err)
				case err := <-told:
					t.Errorf("the write is told first: %v", err)
				case <-time.After(enough):
					t.Error("nobody is told")
				}
				leave()
				if err := <-told; VerdictOf(err) == Conflict {
					t.Errorf("%v, though nobody else writes it", err)
				}
			})
		}
	}
}

// Given a swap, one that makes the object immutable, and another swap, asked for in this order; then the last is refused: it does not overtake the
// one before it. Nor does that one overtake a swap that waits for its key.
func TestSwapDoesNotOvertakeOneThatMakesTheObjectImmutable(t *testing.T) {
	seal := KeySwap{Key: ImmutableKey, New: Text("true")}
	t.Run("after it", func(t *testing.T) {
		f := newFixture(t, map[string]string{"foo": "1", "bar": "1", "baz": "1"})
		errs := f.inOneBatch(
			f.committing(f.txn(KeySwap{Key: "foo", Expect: one, New: two})),
			f.committing(f.txn(KeySwap{Key: "bar", Expect: one, New: two}, seal)),
			f.committing(f.txn(KeySwap{Key: "baz", Expect: one, New: two})),
		)
		f.want(Applied, errs[0])
		f.want(Applied, errs[1])
		f.want(Rejected, errs[2])
		f.wantData(map[string]string{"foo": "2", "bar": "2", "baz": "1"})
	})
	t.Run("before it", func(t *testing.T) {
		f := newFixture(t, map[string]string{"foo": "1", "bar": "1"})
		errs := f.inOneBatch(
			f.committing(f.txn(KeySwap{Key: "foo", Expect: one, New: two})),
			f.committing(f.txn(KeySwap{Key: "foo", Expect: two, New: three})),
			f.committing(f.txn(KeySwap{Key: "bar", Expect: one, New: two}, seal)),
		)
		for _, err := range errs {
			f.want(Applied, err)
		}
		f.wantData(map[string]string{"foo": "3", "bar": "2"})
	})
}

// Given a removal that was set aside; when another removes its key; then it is unknown who did, and a sibling goes on.
func TestRemovalThatWasSetAsideIsUnknownWhereAnotherMadeIt(t *testing.T) {
	x := newTrouble(t, map[string]string{"bad": "1", "good": "1"}, testcluster.Fault{})
	var began, changed sync.Once
	x.before = func(_ int, r *http.Request, _ bool) *testcluster.Fault {
		if names(r, "bad") {
			began.Do(func() { close(x.begun) })
			return &testcluster.Fault{DropBefore: true}
		}
		changed.Do(func() { x.changeAs("kubectl-edit", func(cm *corev1.ConfigMap) { delete(cm.Data, "bad") }) })
		return nil
	}
	bad := x.begin(x.swapping("bad", one, Entry{}))
	<-x.begun
	x.want(Applied, <-x.begin(x.swapping("good", one, two)))
	x.want(Unknown, <-bad)
	x.wantData(map[string]string{"good": "2"})
}

// troubled has patches get lost, be turned away, be answered late or land late, at random. It returns those that are yet to land.
func (x *trouble) troubled() *sync.WaitGroup {
	arrivals := &sync.WaitGroup{}
	x.proxy.SetHook(func(r *http.Request) testcluster.Fault {
		if r.Method != http.MethodPatch {
			return testcluster.Fault{}
		}
		switch rand.IntN(10) {
		case 0:
			return testcluster.Fault{Answer: slowDown}
		case 1:
			return testcluster.Fault{DropBefore: true}
		case 2:
			return testcluster.Fault{DropAfter: true}
		case 3: // it lands late, after its sender was told that it timed out
			late := x.copied(r)
			arrivals.Go(func() {
				time.Sleep(rand.N(60 * time.Millisecond))
				late()
			})
			return testcluster.Fault{Answer: timedOut}
		case 4:
			if rand.IntN(3) == 0 {
				held := make(chan struct{})
				time.AfterFunc(rand.N(60*time.Millisecond), func() { close(held) })
				return testcluster.Fault{HoldBefore: held}
			}
		}
		return testcluster.Fault{}
	})
	return arrivals
}

// Given keys that several change at once, in one process; when their writes get lost, are turned away, land late or are halved at random; then each
// is told what became of it, and none is in conflict with another of its process, though all are held to the version before.
func TestKeysInTroubleAtRandom(t *testing.T) {
	for _, isSigned := range []bool{false, true} {
		t.Run(fmt.Sprint("signed ", isSigned), func(t *testing.T) {
			const keys, each = 10, 12
			data := map[string]string{}
			for k := range keys {
				data[fmt.Sprintf("k%d", k)] = "0"
			}
			x := newTrouble(t, data, testcluster.Fault{})
			x.engine.limits.patience = 15 * time.Millisecond
			arrivals := x.troubled()
			v := x.version()
			var workers sync.WaitGroup
			var mu sync.Mutex
			want := map[string]string{}
			for key := range data {
				workers.Go(func() {
					for n := range each {
						s := x.swapping(key, Text(fmt.Sprint(n)), Text(fmt.Sprint(n+1)), v)
						if isSigned {
							s.FieldManager = x.engine.Signed("engine")
						}
						_, err := x.do(s)
						x.want(Applied, err)
						mu.Lock()
						want[key] = fmt.Sprint(n + 1)
						mu.Unlock()
					}
				})
			}
			workers.Wait()
			arrivals.Wait()
			x.wantData(want)
		})
	}
}

// Given the same, where another writes to the object as well, and callers leave; then nobody is told what is not so.
func TestVerdictsOfKeysInTroubleWhereOthersWriteAndCallersLeave(t *testing.T) {
	const workers, each = 8, 20
	x := newTrouble(t, map[string]string{"other": "1"}, testcluster.Fault{})
	x.engine.limits.patience = 15 * time.Millisecond
	arrivals := x.troubled()
	var working sync.WaitGroup
	var mu sync.Mutex
	told, want, may := map[Verdict]int{}, map[string]string{}, map[string]string{}
	for w := range workers {
		working.Go(func() {
			key, held := fmt.Sprintf("k%d-0", w), Entry{}
			for n := range each {
				to := Text(fmt.Sprint(n))
				ctx, leave := context.WithTimeout(t.Context(), rand.N(4*time.Second))
				_, err := x.engine.Swap(ctx, x.swapping(key, held, to))
				leave()
				if VerdictOf(err) == Conflict {
					t.Errorf("%s: %v, though nobody else writes it", key, err)
				}
				mu.Lock()
				verdict := VerdictOf(err)
				told[verdict]++
				if verdict == Applied {
					want[key], held = fmt.Sprint(n), to
				}
				if verdict == Unknown {
					may[key] = fmt.Sprint(n)
					key, held = fmt.Sprintf("k%d-%d", w, n+1), Entry{}
				}
				mu.Unlock()
				if rand.IntN(20) == 0 {
					patch := fmt.Sprintf(`{"data":{"other":"%d"}}`, rand.Int())
					_, err := x.cluster.Client().CoreV1().ConfigMaps(x.ref.Namespace).Patch(t.Context(), x.ref.Name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
					x.want(Applied, err)
				}
			}
		})
	}
	working.Wait()
	arrivals.Wait()
	t.Logf("told: %v", told)
	live := x.live().Data
	for key, value := range want {
		if live[key] != value && (may[key] == "" || live[key] != may[key]) {
			t.Errorf("%s holds %q, want %s, or %q, which is unknown", key, live[key], value, may[key])
		}
	}
	for key, value := range live {
		if key != "other" && value != want[key] && value != may[key] {
			t.Errorf("%s holds %s, want %q, or %q, which is unknown", key, value, want[key], may[key])
		}
	}
}

// copied is a request of a hook, to be sent by itself later. It gets there or not.
func (f *fixture) copied(r *http.Request) func() {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		f.Error(err)
	}
	url, header := strings.TrimSuffix(f.cluster.Config.Host, "/")+r.URL.RequestURI(), r.Header.Clone()
	client, err := rest.HTTPClientFor(f.cluster.Config)
	if err != nil {
		f.Error(err)
	}
	return func() {
		late, err := http.NewRequestWithContext(context.Background(), r.Method, url, bytes.NewReader(body))
		if err != nil {
			f.Error(err)
			return
		}
		late.Header = header
		if response, err := client.Do(late); err == nil {
			_ = response.Body.Close()
		}
	}
}

// Given a write that was set aside; when it lands, and its caller leaves in the moment in which it is answered; then it is not told that nothing was
// written.
func TestCallerWhoLeavesAsAWriteThatWasSetAsideLands(t *testing.T) {
	f := newFixture(t, map[string]string{"foo": "1"})
	now := f.observe()
	lands := func(ctx context.Context) {
		ctx, leave := context.WithCancel(ctx)
		c := f.newEngine(f.proxy.Config).committer(f.ref)
		task := newTask(ctx, writeTask, f.ref, time.Now())
		task.txn = f.txn(KeySwap{Key: "foo", Expect: one, New: two})
		b := c.newBatch(Version{UID: "1", ResourceVersion: "1"})
		b.add(task, []judging.Change{{Key: "foo", From: one, To: two}})
		if !b.claim() {
			t.Fatal("its caller has not left")
		}
		c.setAside(b, result{outcome: wire.Pending, err: context.Canceled, now: now})
		c.finish(b, result{outcome: wire.Landed, after: now})
		leave()
		f.want(Applied, task.wait("", Grace))
	}
	for range 100 {
		lands(t.Context())
	}
}

// Given a write that was set aside; when a sibling is written of which admission makes nothing, so that there is no new version; then the first
// is applied where it lands late.
func TestSiblingThatMakesNoVersionEndsNoDoubt(t *testing.T) {
	x := newTrouble(t, nil, testcluster.Fault{DropBefore: true}, "bad")
	if err := x.objects().Delete(t.Context(), x.ref.Name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	made := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: x.ref.Name}, Data: map[string]string{"foo": "7", "bad": "1", "trigger": "yes"}}
	// By our name alone: managers are sorted by their times, and another order of them would be a version.
	if _, err := x.objects().Create(t.Context(), made, metav1.CreateOptions{FieldManager: "engine"}); err != nil {
		t.Fatal(err)
	}
	x.mutates()
	d := x.late()
	arrive := sync.OnceFunc(d.arrive)
	var isTime atomic.Bool
	x.before = func(n int, _ *http.Request, isBad bool) *testcluster.Fault {
		if n == 1 {
			close(x.begun)
			f := d.fault()
			return &f
		}
		if isBad && isTime.Load() {
			arrive()
		}
		return nil
	}
	bad := x.begin(x.swapping("bad", one, two))
	<-x.begun
	v := x.version()
	_, err := x.do(x.swapping("foo", Text("7"), Text("8")))
	x.want(Applied, err)
	if x.version() != v {
		t.Error("the sibling made a version")
	}
	isTime.Store(true)
	x.ends()
	x.want(Applied, <-bad)
}

// landsBeforeAHalf has a request of two keys land late, just before one of them alone arrives.
func (x *trouble) landsBeforeAHalf(d *delay, one, other string) {
	arrive := sync.OnceFunc(d.arrive)
	x.before = func(n int, r *http.Request, _ bool) *testcluster.Fault {
		body, _ := io.ReadAll(r.Body)
		isAll := strings.Contains(string(body), `"`+one+`"`) && strings.Contains(string(body), `"`+other+`"`)
		switch {
		case n == 1:
			f := d.fault()
			return &f
		case isAll:
			return &testcluster.Fault{DropBefore: true}
		}
		arrive()
		return nil
	}
}

// Given a removal and a swap, or two removals, that go into one request, under a name that owns both keys; when it is halved, and lands late just
// before the removal alone arrives; then both are applied, and so is a sibling that is held to the version from before.
func TestRemovalThatSharedARequestThatLandsLate(t *testing.T) {
	for name, to := range map[string]Entry{"a swap": two, "another removal": {}} {
		t.Run(name, func(t *testing.T) {
			x := newTrouble(t, map[string]string{"gone": "0", "kept": "0", "last": "1"}, testcluster.Fault{DropBefore: true})
			x.changeAs("engine", func(cm *corev1.ConfigMap) { cm.Data["gone"], cm.Data["kept"] = "1", "1" })
			d := x.late()
			x.landsBeforeAHalf(d, "gone", "kept")
			v := x.version()
			arrived, release := x.observing(x.hook)
			<-arrived
			gone := x.begin(x.removing("gone", one, v))
			x.queued(1)
			s := x.swapping("kept", one, to)
			if to == (Entry{}) {
				s = x.removing("kept", one, v)
			}
			kept := x.begin(s)
			x.queued(2)
			close(release)
			x.want(Applied, <-gone)
			x.want(Applied, <-kept)
			_, err := x.do(x.swapping("last", one, two, v))
			x.want(Applied, err)
		})
	}
}

// Given two swaps that go into one request, under a name that owns both keys; when it is halved, and lands late just before the first of them alone
// arrives; then both are applied, and so is a sibling that is held to the version from before.
func TestSwapOfAnOwnKeyThatSharedARequestThatLandsLate(t *testing.T) {
	x := newTrouble(t, map[string]string{"a": "0", "b": "0", "last": "1"}, testcluster.Fault{DropBefore: true})
	x.changeAs("engine", func(cm *corev1.ConfigMap) { cm.Data["a"], cm.Data["b"] = "1", "1" })
	d := x.late()
	x.landsBeforeAHalf(d, "a", "b")
	v := x.version()
	told := x.together([]string{"a", "b"}, v)
	x.want(Applied, <-told["a"])
	x.want(Applied, <-told["b"])
	_, err := x.do(x.swapping("last", one, two, v))
	x.want(Applied, err)
}

// Given a key of a Secret that is to be removed whatever it holds, or holds a value, without a read; when that is set aside, and lands late just before a
// sibling's write arrives; then both are applied, though the sibling is held to the version from before.
func TestRemovalWithoutAReadThatWasSetAsideAndLandsLate(t *testing.T) {
	for name, expect := range map[string]Entry{"anything": Anything(), "a value": Text("1")} {
		t.Run(name, func(t *testing.T) {
			f := newFixtureOf(t, Secret, map[string]string{"gone": "1", "good": "1"})
			x := &trouble{fixture: f, begun: make(chan struct{})}
			d := x.late()
			arrive := sync.OnceFunc(d.arrive)
			x.before = func(n int, r *http.Request, _ bool) *testcluster.Fault {
				body, _ := io.ReadAll(r.Body)
				switch {
				case n == 1:
					close(x.begun)
					f := d.fault()
					return &f
				case !strings.Contains(string(body), `"good"`):
					return &testcluster.Fault{DropBefore: true}
				}
				arrive()
				return nil
			}
			x.proxy.SetHook(x.hook)
			v := x.version()
			gone := x.begin(x.removing("gone", expect, v))
			<-x.begun
			good := x.begin(x.swapping("good", one, two, v))
			x.want(Applied, <-good)
			x.want(Applied, <-gone)
		})
	}
}

// Given a key whose write is in doubt for as long as a webhook answers 429; when a label of the object is swapped by its path, then that is
// written, and what became of the key is unknown: one that is about the object in another shape cannot go ahead of it.
func TestKeyInTroubleDoesNotHoldUpAField(t *testing.T) {
	x := newTrouble(t, map[string]string{"bad": "1", "good": "1"}, testcluster.Fault{Answer: slowDown}, "bad")
	f := &fieldsFixture{fixture: x.fixture, apiVersion: "v1"}
	bad := x.begin(x.swapping("bad", one, two))
	<-x.begun
	told := make(chan error, 1)
	go func() {
		_, err := f.commit(f.txn(change{"metadata.labels.a", "", `"1"`}))
		told <- err
	}()
	select {
	case err := <-told:
		x.want(Applied, err)
	case <-time.After(enough):
		t.Error("the field waits for the key")
		x.ends()
	}
	x.want(Unknown, <-bad)
}

// Given a key whose write is in doubt for as long as a webhook answers 429; when one comes that waits for all ahead of it; then that is
// done, and what became of the key is unknown.
func TestKeyInTroubleDoesNotHoldUpThoseThatWaitForAll(t *testing.T) {
	for name, do := range map[string]func(x *trouble) error{
		"a removal of the object": func(x *trouble) error {
			_, err := x.engine.Remove(x.Context(), &Removal{Ref: x.ref, At: []Version{x.version()}})
			return err
		},
		"a swap that makes it immutable": func(x *trouble) error {
			_, err := x.commit(x.txn(KeySwap{Key: ImmutableKey, New: Text("true")}))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			x := newTrouble(t, map[string]string{"bad": "1", "good": "1"}, testcluster.Fault{Answer: slowDown}, "bad")
			bad := x.begin(x.swapping("bad", one, two))
			<-x.begun
			told := make(chan error, 1)
			go func() { told <- do(x) }()
			select {
			case err := <-told:
				x.want(Applied, err)
			case <-time.After(enough):
				t.Error("it waits for the key")
				x.ends()
			}
			x.want(Unknown, <-bad)
			_, err := x.do(x.swapping("good", one, two))
			x.want(Rejected, err)
		})
	}
}
