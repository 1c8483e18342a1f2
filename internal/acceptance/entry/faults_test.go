package entry

import (
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"k8s.io/client-go/rest"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// faultOp is one operation, from an entry foo = "2" (or, for a create, from nothing) on.
type faultOp struct {
	before, after string
	done          fixture.Data
}

// faultOps are the operations of an entry that has these lines besides.
func faultOps(lines ...string) map[string]faultOp {
	two, three := fixture.EntryBlock("foo", append(lines, `value = "2"`)...), fixture.EntryBlock("foo", append(lines, `value = "3"`)...)
	return map[string]faultOp{
		"create": {after: three, done: fixture.Data{"foo": "3"}},
		"update": {before: two, after: three, done: fixture.Data{"foo": "3"}},
		"delete": {before: two, done: fixture.Data{}},
	}
}

// planOp brings testmap to where the operation begins, and saves the plan of it.
func planOp(p *fixture.Pipeline, op faultOp) {
	p.Helper()
	p.Testmap(fixture.Contents{})
	if op.before != "" {
		p.Planned(op.before)
	}
	p.Write(op.after)
	p.Plan()
}

func TestAPIServerThatRefusesConnections(t *testing.T) {
	t.Parallel()
	wants := []string{
		"Error: API Server Unreachable", "The API server could not be reached. Nothing was ", "Host: " + fixture.RefusedAddress,
		"connect: connection refused", "Check what the cause names: the address or the certificate of the server, the command that gives the credentials, or the network.",
	}
	// An operation that waited for its timeout would not end before the test does.
	for name, op := range faultOps(`timeouts = { create = "9h", read = "9h", update = "9h", delete = "9h" }`) {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			planOp(p, op)
			stateBefore, liveBefore := p.State(), p.Live("testmap")
			p.LeadTo(&rest.Config{Host: fixture.RefusedAddress})
			p.ApplyRefused(wants...)
			p.PlanRefused(append(wants, "!Plan:"))
			p.PlanRefused(append(wants, "!"+fixture.PlanCheckAdvice), "-refresh=false")
			p.Export("CAS_PLAN_CHECK", "off")
			p.Plan("-refresh=false") // a plan where the cluster cannot be reached
			p.ApplyRefused(wants...)

			if diff := cmp.Diff(stateBefore, p.State(), cmpopts.EquateEmpty(), cmpopts.IgnoreFields(fixture.Tracked{}, "Private")); diff != "" {
				t.Errorf("the state changed (-before +after):\n%s", diff)
			}
			p.WantUnchanged(liveBefore)
			p.LeadTo(p.Cluster.Config)
			p.PlanApply()
			p.WantLive("testmap", op.done)
		})
	}
}

// An apply gets over one fault, such as a response that asks for a later try.
func TestOneFaultThatAnApplyGetsOver(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		method string
		fault  testcluster.Fault
	}{
		"response lost after the write landed":       {http.MethodPatch, testcluster.Fault{DropAfter: true}},
		"connection dropped before the write landed": {http.MethodPatch, testcluster.Fault{DropBefore: true}},
		"429 before the write landed":                {http.MethodPatch, testcluster.Fault{Answer: testcluster.Busy(http.StatusTooManyRequests)}},
		"503 before the write landed":                {http.MethodPatch, testcluster.Fault{Answer: testcluster.Busy(http.StatusServiceUnavailable)}},
		"429 after the write landed":                 {http.MethodPatch, testcluster.Fault{Answered: testcluster.BusyAfter(http.StatusTooManyRequests)}},
		"503 after the write landed":                 {http.MethodPatch, testcluster.Fault{Answered: testcluster.BusyAfter(http.StatusServiceUnavailable)}},
		"429 to a read":                              {http.MethodGet, testcluster.Fault{Answer: testcluster.Busy(http.StatusTooManyRequests)}},
		"503 to a read":                              {http.MethodGet, testcluster.Fault{Answer: testcluster.Busy(http.StatusServiceUnavailable)}},
		"connection dropped in a read":               {http.MethodGet, testcluster.Fault{DropBefore: true}},
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			proxy := p.Proxied()
			for _, op := range []string{"create", "update", "delete"} {
				p.Remove("testmap")
				proxy.SetHook(nil)
				planOp(p, faultOps()[op])
				proxy.Reset()
				proxy.SetHook(fixture.OnceFor(t, test.method, test.fault))
				p.Apply()
				p.WantLive("testmap", faultOps()[op].done)
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
				p.PlanNothing()
				p.Write("")
				p.On.Destroy()
			}
		})
	}
}

// Only a 404 that the API server itself sends means that the ConfigMap is missing.
func TestAddressThatAnswers404ToEverythingDropsNothing(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Testmap(fixture.Contents{})
	p.Planned(fixture.EntryBlock("foo", `value = "2"`))
	before := p.State()
	config := rest.CopyConfig(p.Cluster.Config)
	config.Host += "/nowhere"
	p.LeadTo(config)
	wants := []string{"Error: Request Refused", "The API server refused to get the ConfigMap", "Status: 404"}
	p.PlanRefused(wants)
	p.PlanRefused(wants, "-destroy", "-refresh=false")
	if diff := cmp.Diff(before, p.State()); diff != "" {
		t.Errorf("the state changed (-before +after):\n%s", diff)
	}
	p.WantLive("testmap", fixture.Data{"foo": "2"})
}

func TestRequestThatIsHeldEndsWithTheTimeout(t *testing.T) {
	t.Parallel()
	const timedOut, unknown = "Error: Operation Timed Out", "Error: Write Outcome Unknown"
	before, after := fixture.EntryBlock("foo", `value = "2"`), fixture.EntryBlock("foo", `value = "3"`)
	for name, test := range map[string]struct {
		op     faultOp
		method string
		check  string
		wants  []string
	}{
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
		"read of a delete": {
			op: faultOp{before: before}, method: http.MethodGet,
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
			p := fixture.NewPipeline(t)
			if test.check != "" {
				p.Export("CAS_PLAN_CHECK", test.check)
			}
			proxy := p.Proxied()
			planOp(p, test.op)
			stateBefore, liveBefore := p.State(), p.Live("testmap")
			never := make(chan struct{})
			proxy.SetHook(func(r *http.Request) testcluster.Fault {
				if r.Method != test.method {
					return testcluster.Fault{}
				}
				p.PassDeadlines()
				return testcluster.Fault{HoldBefore: never}
			})

			p.ApplyRefused(test.wants...)
			if diff := cmp.Diff(stateBefore, p.State(), cmpopts.EquateEmpty(), cmpopts.IgnoreFields(fixture.Tracked{}, "Private")); diff != "" {
				t.Errorf("the state changed (-before +after):\n%s", diff)
			}
			p.WantUnchanged(liveBefore)
		})
	}
}

// Given an update whose response was lost before another writer changed the value; then the outcome is unknown, and
// the state keeps the old value. When the key contains the value of the configuration again, then the next apply
// writes nothing and records the value.
func TestUpdateOfUnknownOutcome(t *testing.T) {
	p := fixture.NewPipeline(t)
	proxy := p.Proxied()
	planOp(p, faultOps()["update"])
	proxy.SetHook(fixture.OnceFor(t, http.MethodPatch, testcluster.Fault{
		Answered: func(*http.Response) { p.Set("testmap", "foo", "9") }, DropAfter: true,
	}))
	output := p.ApplyRefused("Error: Write Outcome Unknown",
		"The write was sent, but its outcome is unknown. The ConfigMap may have changed, or may change yet.",
		"the object does not contain what was sent", "Run terraform plan again: it shows what is left to do.")
	if n := strings.Count(output, "Error: "); n != 1 {
		t.Errorf("%d errors", n)
	}
	if got := p.WantState("foo")["foo"].Attributes["value"]; got != "2" {
		t.Errorf("the state holds %v", got)
	}
	p.Set("testmap", "foo", "3")
	proxy.Reset()
	p.PlanApply()
	if n := proxy.Count(http.MethodPatch); n != 0 {
		t.Errorf("%d writes", n)
	}
	p.WantLive("testmap", fixture.Data{"foo": "3"})
	p.PlanNothing()
}

func TestAbsenceInARefreshIsToldFromAReadOfItsOwn(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", nil)
	proxy := p.Proxied()
	p.Planned(fixture.EntryBlock("a", `key = "a"`, `value = "2"`) + fixture.EntryBlock("b", `key = "b"`, `value = "2"`, "depends_on = [cas_configmap_entry.a]"))
	p.Unset("testmap", "b")
	var once sync.Once
	proxy.SetHook(func(r *http.Request) testcluster.Fault {
		if r.Method != http.MethodGet {
			return testcluster.Fault{}
		}
		return testcluster.Fault{Answered: func(*http.Response) { once.Do(func() { p.Set("testmap", "b", "2") }) }}
	})
	p.PlanNothing() // b came back after the read that a's refresh made
}
