package cas

import (
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// One read that fails says nothing of what it was to read.

// failures are how a read can fail once.
func failures() map[string]testcluster.Fault {
	plain := &testcluster.Answer{Status: http.StatusServiceUnavailable, Body: "no healthy upstream"}
	return map[string]testcluster.Fault{
		"500":                            {Answer: internalError("etcdserver: leader changed")},
		"503":                            {Answer: plain},
		"502":                            {Answer: &testcluster.Answer{Status: http.StatusBadGateway, Body: "bad gateway"}},
		"504":                            {Answer: status(http.StatusGatewayTimeout, "Timeout", "request did not complete within the allotted timeout")},
		"429":                            {Answer: &testcluster.Answer{Status: http.StatusTooManyRequests, Body: "slow down"}},
		"the connection breaks":          {DropBefore: true},
		"the connection breaks after it": {DropAfter: true},
	}
}

// Given two swaps of different keys that go in one request, which is refused because another wrote first; when the read after it
// fails once; then both are applied.
func TestOneFailedLookAfterARefusalDoesNotFailTheSwaps(t *testing.T) {
	for name, fault := range failures() {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "1", "bar": "1"})
			refused, failed := false, false
			arrived, release := f.observing(func(r *http.Request) testcluster.Fault {
				switch {
				case r.Method == http.MethodPatch && !refused:
					refused = true
					f.set("other", "9")
				case r.Method == http.MethodGet && refused && !failed:
					failed = true
					return fault
				}
				return testcluster.Fault{}
			})
			<-arrived
			foo := f.begin(f.swapping("foo", one, two))
			f.queued(1)
			bar := f.begin(f.swapping("bar", one, two))
			f.queued(2)
			close(release)
			f.want(Applied, <-foo)
			f.want(Applied, <-bar)
			f.wantData(map[string]string{"foo": "2", "bar": "2", "other": "9"})
			if !failed {
				t.Error("no read failed")
			}
		})
	}
}

// Given two swaps that wait for one read; when it fails, as a watch that begins with what is there and then as a plain read; then both
// are applied.
func TestOneFailedReadDoesNotFailTheSwapsThatWaitForIt(t *testing.T) {
	for name, fault := range failures() {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "1", "bar": "1"})
			held, reads := make(chan struct{}), 0
			first := make(chan struct{})
			f.onEach(http.MethodGet, func() testcluster.Fault {
				switch reads++; reads {
				case 1:
					close(first)
					failing := fault
					failing.HoldBefore = held
					return failing
				case 2:
					return fault
				default:
					return testcluster.Fault{}
				}
			})
			foo := f.begin(f.swapping("foo", one, two))
			<-first
			bar := f.begin(f.swapping("bar", one, two))
			f.queued(1)
			close(held)
			f.want(Applied, <-foo)
			f.want(Applied, <-bar)
			f.wantData(map[string]string{"foo": "2", "bar": "2"})
			if reads < 3 {
				t.Errorf("%d reads, want two that fail and another", reads)
			}
		})
	}
}

// Given a removal and a creation that are refused because another came first; when the look after it fails once; then both are
// judged on what is there.
func TestOneFailedLookDoesNotFailWhatIsAboutTheObject(t *testing.T) {
	for name, fault := range failures() {
		failOnce := func(f *fixture, method string, before func()) {
			refused, failed := false, false
			f.Cleanup(func() {
				if !failed {
					f.Error("no read failed")
				}
			})
			f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
				switch {
				case r.Method == method && !refused:
					refused = true
					before()
				case r.Method == http.MethodGet && refused && !failed:
					failed = true
					return fault
				}
				return testcluster.Fault{}
			})
		}
		t.Run("removal, "+name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "1"})
			v := f.version()
			failOnce(f, http.MethodDelete, func() { f.set("other", "9") })
			f.wantReason(ReasonObject, f.doRemove(v))
		})
		t.Run("creation, "+name, func(t *testing.T) {
			f := newEmptyFixture(t)
			failOnce(f, http.MethodPost, func() { f.make(map[string]string{"foo": "9"}) })
			_, err := f.doCreate(f.creation())
			f.want(Conflict, err)
			if !errors.As(err, new(*ExistsError)) {
				t.Errorf("%v, want that it exists", err)
			}
		})
	}
}

// Given reads that always fail; when a swap is asked for, or refused because another wrote first; then it is told why, after ten
// reads at most, and nothing was written.
func TestReadsThatAlwaysFailAreToldAfterAFew(t *testing.T) {
	for name, isAfterARefusal := range map[string]bool{"before the write": false, "after a refusal": true} {
		t.Run(name, func(t *testing.T) {
			f := newFixture(t, map[string]string{"foo": "1"})
			fails, reads := !isAfterARefusal, 0
			f.proxy.SetHook(func(r *http.Request) testcluster.Fault {
				switch {
				case r.Method == http.MethodPatch && !fails:
					fails = true
					f.set("foo", "9")
				case r.Method == http.MethodGet && fails:
					reads++
					return testcluster.Fault{Answer: internalError("etcdserver: no leader")}
				}
				return testcluster.Fault{}
			})
			_, err := f.do(f.swapping("foo", one, two))
			f.want(Rejected, err)
			var refused *RefusedError
			if !errors.As(err, &refused) || refused.Code != http.StatusInternalServerError || !strings.Contains(err.Error(), "etcdserver: no leader") {
				t.Errorf("%v does not say why", err)
			}
			if reads < 2 || reads > 10 {
				t.Errorf("%d reads that failed, want a few", reads)
			}
		})
	}
}
