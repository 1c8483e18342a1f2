package entry

import (
	"io"
	"net/http"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/behavior"
	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver"
	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// cutBody ends as a connection does that is cut after the first event.
type cutBody struct {
	io.ReadCloser
	read bool
}

// Read implements [io.Reader].
func (c *cutBody) Read(p []byte) (int, error) {
	if c.read {
		return 0, io.ErrUnexpectedEOF
	}
	c.read = true
	return c.ReadCloser.Read(p)
}

// The expected value is set while no watch is open, the connection breaks again and again, and the history is
// compacted.
func TestWaitForMatchOutlivesItsWatches(t *testing.T) {
	p := fixture.NewPipelineOf(t, driver.Terraform111)
	p.Create("testmap", fixture.Data{"foo": "0"})
	proxy := p.Proxied()
	p.Write(fixture.Waiter())
	p.Plan()
	answers := func(status int, body string) func() testcluster.Fault {
		return func() testcluster.Fault {
			return testcluster.Fault{Answer: &testcluster.Answer{
				Status: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: body,
			}}
		}
	}
	const gone = `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"too old resource version","reason":"Expired","code":410}`
	p.OnWatches(
		proxy,
		func() testcluster.Fault { return testcluster.Fault{DropBefore: true} },
		func() testcluster.Fault { return testcluster.Fault{DropAfter: true} },
		answers(http.StatusServiceUnavailable, `{"kind":"Status","apiVersion":"v1","status":"Failure","code":503}`),
		func() testcluster.Fault { // ends after an event
			return testcluster.Fault{Answered: func(r *http.Response) {
				p.Set("testmap", "other", "1")
				r.Body = &cutBody{ReadCloser: r.Body}
			}}
		},
		answers(http.StatusGone, gone),
		answers(http.StatusOK, `{"type":"ERROR","object":`+gone+`}`+"\n"),
		func() testcluster.Fault { // comes and goes while there is no watch: the next one must show both
			p.Set("testmap", "other", "2")
			p.Set("testmap", "foo", "1")
			return testcluster.Fault{DropBefore: true}
		},
		func() testcluster.Fault { return testcluster.Fault{} },
	)
	proxy.Reset()
	p.Apply()
	p.WantLive("testmap", fixture.Data{"foo": "2", "other": "2"})
	// The create reads, and reads again before the write. A 410 costs a watch.
	if got, want := fixture.CountsOf(proxy), (fixture.RequestCounts{Gets: 2, Watches: 8, Patches: 1}); got != want {
		t.Errorf("%+v, want %+v: %v", got, want, proxy.Requests())
	}
}

func TestWaitForMatchNeedsThePermissionToWatch(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{"foo": "0"})
	p.Kubeconfig = p.Cluster.Kubeconfig(t, p.User("blind", "configmaps", "get", "patch"))
	p.Write(fixture.Waiter())
	p.Wants(p.Plan(), "Warning: Expectation Does Not Hold Yet")
	p.ApplyRefused("Error: Not Permitted To Wait", "You do not have permission to watch this ConfigMap", "ConfigMap: "+p.Namespace+"/testmap",
		`cannot watch resource "configmaps"`, `Found: "0"`, "Grant get, patch and watch on configmaps in this namespace.")
	p.WantLive("testmap", fixture.Data{"foo": "0"})
	p.WantState()

	p.Set("testmap", "foo", "1") // where there is nothing to wait for, it is not needed
	p.PlanApply()
	p.WantLive("testmap", fixture.Data{"foo": "2"})
}

// A wait is for writes: it is no write itself, nothing that a removal does, and nothing that a plan's other refusals pass for.
func TestWaitForMatchOnlyWaitsForWrites(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{"foo": "1"})
	proxy := p.Proxied()
	p.Planned(fixture.EntryBlock("foo", fixture.Deletes, `value = "2"`, `expected_value = "1"`, `conflict_scope = "key"`))
	for _, wait := range []string{`wait_for_match = "1h"`, `wait_for_match = "2h"`, ``} {
		p.Write(fixture.EntryBlock("foo", fixture.Deletes, `value = "2"`, `expected_value = "1"`, `conflict_scope = "key"`, wait))
		p.Wants(p.Plan(), "wait_for_match", "0 to add, 1 to change, 0 to destroy", "!Expectation Does Not Hold Yet")
		proxy.Reset()
		p.Apply()
		if proxy.Count() > 0 {
			t.Errorf("%q: %v", wait, proxy.Requests())
		}
	}
	p.Planned(fixture.Waiter(fixture.Deletes, `wait_for_match = "2s"`))
	p.PlanNothing()

	p.Plan("-destroy")
	p.Set("testmap", "foo", "foreign")
	proxy.Reset()
	p.ApplyRefused("Error: Compare-And-Swap Conflict", `Found: "foreign"`)
	if n := fixture.CountsOf(proxy); n.Gets == 0 || n.Watches > 0 {
		t.Errorf("a removal waited, or did not read: %v", proxy.Requests())
	}

	p.Change("testmap", func(cm *corev1.ConfigMap) { cm.Immutable = new(true) })
	p.Write(fixture.Waiter(fixture.Deletes, `value = "3"`, `expected_value = "foreign"`))
	p.PlanRefused([]string{"Error: ConfigMap Is Immutable"})
}

// plan_check does not change the severity of the diagnostic, except for "off".
func TestWaitForMatchInPlans(t *testing.T) {
	t.Parallel()
	behavior.ToldOfWaits(t, fixture.Data{"foo": "0"}, fixture.Waiter(), `Found: "0"`)
	t.Run("unknown", func(t *testing.T) {
		behavior.WaitsForUnknown(t, fixture.EntryBlock("foo", `value = "2"`, `expected_value = "1"`, `conflict_scope = "key"`, `wait_for_match = terraform_data.limit.output`))
	})
	t.Run("an import has none", func(t *testing.T) {
		p := fixture.NewPipeline(t)
		p.Create("testmap", fixture.Data{"foo": "2"})
		p.Write(fixture.Waiter())
		p.Do("import", "cas_configmap_entry.foo", p.Namespace+"/testmap/foo")
		if got := p.WantState("foo")["foo"].Attributes["wait_for_match"]; got != nil {
			t.Errorf("wait_for_match: %v", got)
		}
		proxy := p.Proxied()
		p.Write(fixture.Waiter())
		p.Wants(p.Plan(), "0 to add, 1 to change, 0 to destroy")
		p.Apply()
		if n := proxy.Count(http.MethodPatch); n > 0 || proxy.Count() == 0 {
			t.Errorf("%d writes of %d requests", n, proxy.Count())
		}
	})
}
