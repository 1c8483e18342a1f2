package acceptance_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/client-go/rest"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// faultOp is one operation, from an entry foo = "2" (or, for a create, from nothing) on.
type faultOp struct {
	before, after string
	done          data
}

// faultOps are the operations of an entry that has these lines besides.
func faultOps(lines ...string) map[string]faultOp {
	two, three := entryBlock("foo", append(lines, `value = "2"`)...), entryBlock("foo", append(lines, `value = "3"`)...)
	return map[string]faultOp{
		"create": {after: three, done: data{"foo": "3"}},
		"update": {before: two, after: three, done: data{"foo": "3"}},
		"delete": {before: two, done: data{}},
	}
}

// planOp brings testmap to where the operation begins, and saves the plan of it.
func (p *pipeline) planOp(op faultOp) {
	p.Helper()
	p.testmap(contents{})
	if op.before != "" {
		p.planned(op.before)
	}
	p.write(op.after)
	p.plan()
}

// refusedAddress refuses connections: nothing listens on port 1.
const refusedAddress = "http://127.0.0.1:1"

func TestAPIServerThatRefusesConnections(t *testing.T) {
	t.Parallel()
	wants := []string{
		"Error: API Server Unreachable", "The API server could not be reached. Nothing was ", "Host: " + refusedAddress,
		"connect: connection refused", "Check what the cause names: the address or the certificate of the server, the command that gives the credentials, or the network.",
	}
	// Who waits for a timeout does not end before the test is ended.
	for name, op := range faultOps(`timeouts = { create = "9h", read = "9h", update = "9h", delete = "9h" }`) {
		t.Run(name, func(t *testing.T) {
			p := newPipeline(t)
			p.planOp(op)
			stateBefore, liveBefore := p.state(), p.live("testmap")
			p.leadTo(&rest.Config{Host: refusedAddress})
			p.applyRefused(wants...)
			p.planRefused(append(wants, "!Plan:"))
			p.planRefused(append(wants, "!"+planCheckAdvice), "-refresh=false")
			p.setenv("CAS_PLAN_CHECK", "off")
			p.plan("-refresh=false") // a plan where the cluster cannot be reached
			p.applyRefused(wants...)

			if diff := cmp.Diff(stateBefore, p.state(), cmpopts.EquateEmpty(), cmpopts.IgnoreFields(tracked{}, "Private")); diff != "" {
				t.Errorf("the state changed (-before +after):\n%s", diff)
			}
			p.wantUnchanged(liveBefore)
			p.leadTo(p.cluster.Config)
			p.planApply()
			p.wantLive("testmap", op.done)
		})
	}
}

// onceFor makes a hook that puts the fault into the first request with the method, without which the test fails.
func onceFor(t testing.TB, method string, fault testcluster.Fault) func(*http.Request) testcluster.Fault {
	t.Helper()
	var met atomic.Bool
	t.Cleanup(func() {
		if !met.Load() {
			t.Errorf("no %s met the fault", method)
		}
	})
	return func(r *http.Request) testcluster.Fault {
		if r.Method == method && met.CompareAndSwap(false, true) {
			return fault
		}
		return testcluster.Fault{}
	}
}

// busy is the answer of an API server, or of what stands in front of it, that asks for a later try.
func busy(status int) *testcluster.Answer {
	return &testcluster.Answer{Status: status, Header: http.Header{"Retry-After": {"1"}}, Body: "busy\n"}
}

// busyAfter has the server do what was asked, and then say that it was busy.
func busyAfter(status int) func(*http.Response) {
	return func(r *http.Response) {
		r.StatusCode, r.Status = status, http.StatusText(status)
		r.Header = http.Header{"Retry-After": {"1"}, "Content-Type": {"text/plain"}}
		_ = r.Body.Close()
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader([]byte("busy\n"))), 5
	}
}

func TestOneFaultThatAnApplyGetsOver(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		method string
		fault  testcluster.Fault
	}{
		"response lost after the write landed":       {http.MethodPatch, testcluster.Fault{DropAfter: true}},
		"connection dropped before the write landed": {http.MethodPatch, testcluster.Fault{DropBefore: true}},
		"429 before the write landed":                {http.MethodPatch, testcluster.Fault{Answer: busy(http.StatusTooManyRequests)}},
		"503 before the write landed":                {http.MethodPatch, testcluster.Fault{Answer: busy(http.StatusServiceUnavailable)}},
		"429 after the write landed":                 {http.MethodPatch, testcluster.Fault{Answered: busyAfter(http.StatusTooManyRequests)}},
		"503 after the write landed":                 {http.MethodPatch, testcluster.Fault{Answered: busyAfter(http.StatusServiceUnavailable)}},
		"429 to a read":                              {http.MethodGet, testcluster.Fault{Answer: busy(http.StatusTooManyRequests)}},
		"503 to a read":                              {http.MethodGet, testcluster.Fault{Answer: busy(http.StatusServiceUnavailable)}},
		"connection dropped in a read":               {http.MethodGet, testcluster.Fault{DropBefore: true}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPipeline(t)
			proxy := p.proxied()
			for _, op := range []string{"create", "update", "delete"} {
				if test.method == http.MethodGet && op == "delete" {
					continue // it begins with the write
				}
				p.remove("testmap")
				proxy.SetHook(nil)
				p.planOp(faultOps()[op])
				proxy.Reset()
				proxy.SetHook(onceFor(t, test.method, test.fault))
				p.apply()
				p.wantLive("testmap", faultOps()[op].done)
				wrote := 0
				for _, r := range proxy.Requests() {
					if r.Method == http.MethodPatch && r.Status == http.StatusOK {
						wrote++
					}
				}
				if wrote != 1 {
					t.Errorf("%s: %d effective writes: %v", op, wrote, proxy.Requests())
				}
				proxy.SetHook(nil)
				p.planNothing()
				p.write("")
				p.on.Destroy()
			}
		})
	}
}

// Only a ConfigMap that the API server itself says is absent is gone.
func TestAddressThatAnswers404ToEverythingDropsNothing(t *testing.T) {
	p := newPipeline(t)
	p.testmap(contents{})
	p.planned(entryBlock("foo", `value = "2"`))
	before := p.state()
	config := rest.CopyConfig(p.cluster.Config)
	config.Host += "/nowhere"
	p.leadTo(config)
	wants := []string{"Error: Request Refused", "The API server refused to get the ConfigMap", "Status: 404"}
	p.planRefused(wants)
	p.planRefused(wants, "-destroy", "-refresh=false")
	if diff := cmp.Diff(before, p.state()); diff != "" {
		t.Errorf("the state changed (-before +after):\n%s", diff)
	}
	p.wantLive("testmap", data{"foo": "2"})
}

func TestRequestThatIsHeldEndsWithTheTimeout(t *testing.T) {
	t.Parallel()
	const timeouts = `timeouts = { create = "1s", read = "1s", update = "1s", delete = "1s" }`
	const timedOut, unknown = "Error: Operation Timed Out", "Error: Write Outcome Unknown"
	before, after := entryBlock("foo", timeouts, `value = "2"`), entryBlock("foo", timeouts, `value = "3"`)
	for name, test := range map[string]struct {
		op     faultOp
		method string
		check  string
		wants  []string
	}{
		"read of a create's check": {
			op: faultOp{after: after}, method: http.MethodGet,
			wants: []string{timedOut, "The API server did not answer in time. Nothing was written.", "raise timeouts.read"},
		},
		"read of a create": {
			op: faultOp{after: after}, method: http.MethodGet, check: "off",
			wants: []string{timedOut, "The API server did not answer in time. Nothing was written.", "raise timeouts.create"},
		},
		"read of an update's check": {
			op: faultOp{before: before, after: after}, method: http.MethodGet,
			wants: []string{timedOut, "Nothing was written.", "raise timeouts.read"},
		},
		"read of an update": {
			op: faultOp{before: before, after: after}, method: http.MethodGet, check: "off",
			wants: []string{timedOut, "Nothing was written.", "raise timeouts.update"},
		},
		"read of a delete": { // planned without an observation, so that it reads
			op: faultOp{before: before}, method: http.MethodGet, check: "off",
			wants: []string{timedOut, "Nothing was removed.", "raise timeouts.delete"},
		},
		"write of a create": {
			op: faultOp{after: after}, method: http.MethodPatch, wants: []string{unknown, "resourceVersion: ", " before the write"},
		},
		"write of an update": {
			op: faultOp{before: before, after: after}, method: http.MethodPatch, wants: []string{unknown, "resourceVersion: ", " before the write"},
		},
		"write of a delete": {
			op: faultOp{before: before}, method: http.MethodPatch, wants: []string{unknown, "resourceVersion: ", " before the write"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPipeline(t)
			if test.check != "" {
				p.setenv("CAS_PLAN_CHECK", test.check)
			}
			proxy := p.proxied()
			p.planOp(test.op)
			stateBefore, liveBefore := p.state(), p.live("testmap")
			never := make(chan struct{})
			proxy.SetHook(func(r *http.Request) testcluster.Fault {
				if r.Method != test.method {
					return testcluster.Fault{}
				}
				return testcluster.Fault{HoldBefore: never}
			})

			p.applyRefused(test.wants...)
			if diff := cmp.Diff(stateBefore, p.state(), cmpopts.EquateEmpty(), cmpopts.IgnoreFields(tracked{}, "Private")); diff != "" {
				t.Errorf("the state changed (-before +after):\n%s", diff)
			}
			p.wantUnchanged(liveBefore)
		})
	}
}

// Without the verb watch it cannot be told whose write ended the version that ours was conditional on.
func TestResponseThatIsLostWhereWatchIsNotPermitted(t *testing.T) {
	p := newPipeline(t)
	proxy := p.proxiedAs(p.user("cannot-watch", "configmaps", "patch", "get"))
	p.planOp(faultOps()["update"])
	proxy.SetHook(onceFor(t, http.MethodPatch, testcluster.Fault{DropAfter: true}))
	output := p.applyRefused("Error: Write Outcome Unknown",
		"The write was sent, but its outcome is unknown. The ConfigMap may have changed, or may change yet.",
		"cannot watch resource", "Run terraform plan again: it shows what is left to do.")
	if n := strings.Count(output, "Error: "); n != 1 {
		t.Errorf("%d errors", n)
	}
	if got := p.wantState("foo")["foo"].Attributes["value"]; got != "2" {
		t.Errorf("the state holds %v", got)
	}
	p.wantLive("testmap", data{"foo": "3"})
	p.planNothing()
}

func TestAbsenceInARefreshIsToldFromAReadOfItsOwn(t *testing.T) {
	p := newPipeline(t)
	p.create("testmap", nil)
	proxy := p.proxied()
	p.planned(entryBlock("a", `key = "a"`, `value = "2"`) + entryBlock("b", `key = "b"`, `value = "2"`, "depends_on = [cas_configmap_entry.a]"))
	p.unset("testmap", "b")
	var once sync.Once
	proxy.SetHook(func(r *http.Request) testcluster.Fault {
		if r.Method != http.MethodGet {
			return testcluster.Fault{}
		}
		return testcluster.Fault{Answered: func(*http.Response) { once.Do(func() { p.set("testmap", "b", "2") }) }}
	})
	p.planNothing() // b came back after the read that a's refresh made
}
