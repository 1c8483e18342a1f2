package acceptance_test

import (
	"io"
	"net/http"
	"testing"

	corev1 "k8s.io/api/core/v1"

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

// What is expected comes while no watch is open, again and again the connection is cut, and history is gone.
func TestWaitForMatchOutlivesItsWatches(t *testing.T) {
	p := newPipeline(t)
	p.create("testmap", data{"foo": "0"})
	proxy := p.proxied()
	p.write(waiter())
	p.plan()
	answers := func(status int, body string) func() testcluster.Fault {
		return func() testcluster.Fault {
			return testcluster.Fault{Answer: &testcluster.Answer{
				Status: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: body,
			}}
		}
	}
	const gone = `{"kind":"Status","apiVersion":"v1","status":"Failure","message":"too old resource version","reason":"Expired","code":410}`
	p.onWatches(
		proxy,
		func() testcluster.Fault { return testcluster.Fault{DropBefore: true} },
		func() testcluster.Fault { return testcluster.Fault{DropAfter: true} },
		answers(http.StatusServiceUnavailable, `{"kind":"Status","apiVersion":"v1","status":"Failure","code":503}`),
		func() testcluster.Fault { // ends after an event
			return testcluster.Fault{Answered: func(r *http.Response) {
				p.set("testmap", "other", "1")
				r.Body = &cutBody{ReadCloser: r.Body}
			}}
		},
		answers(http.StatusGone, gone),
		answers(http.StatusOK, `{"type":"ERROR","object":`+gone+`}`+"\n"),
		func() testcluster.Fault { // comes and goes while there is no watch: the next one must show both
			p.set("testmap", "other", "2")
			p.set("testmap", "foo", "1")
			return testcluster.Fault{DropBefore: true}
		},
		func() testcluster.Fault { return testcluster.Fault{} },
	)
	proxy.Reset()
	p.apply()
	p.wantLive("testmap", data{"foo": "2", "other": "2"})
	// The plan's read in the apply, and one before the write. A 410 costs a watch.
	if got, want := countsOf(proxy), (requestCounts{Gets: 3, Watches: 8, Patches: 1}); got != want {
		t.Errorf("%+v, want %+v: %v", got, want, proxy.Requests())
	}
}

func TestWaitForMatchNeedsThePermissionToWatch(t *testing.T) {
	p := newPipeline(t)
	p.create("testmap", data{"foo": "0"})
	p.kubeconfig = p.cluster.Kubeconfig(t, p.user("blind", "configmaps", "get", "patch"))
	p.write(waiter())
	p.wants(p.plan(), "Warning: Expectation Does Not Hold Yet")
	p.applyRefused("Error: Not Permitted To Wait", "You do not have permission to watch this ConfigMap", "ConfigMap: "+p.namespace+"/testmap",
		`cannot watch resource "configmaps"`, `Found: "0"`, "Grant get, patch and watch on configmaps in this namespace.")
	p.wantLive("testmap", data{"foo": "0"})
	p.wantState()

	p.set("testmap", "foo", "1") // where there is nothing to wait for, it is not needed
	p.planApply()
	p.wantLive("testmap", data{"foo": "2"})
}

func TestWaitForMatchIsInterruptedAtOnce(t *testing.T) {
	p := newCLIPipeline(t)
	p.create("testmap", data{"foo": "0"})
	proxy := p.proxied()
	p.write(waiter(`wait_for_match = "24h"`))
	p.plan()
	waits := make(chan struct{})
	p.onWatches(proxy, func() testcluster.Fault { return watched(func() { close(waits) }) })
	proxy.Reset()
	running := p.cli.Start("apply", planFile)
	<-waits
	if err := running.Interrupt(); err != nil {
		t.Fatal(err)
	}
	p.wants(p.ended(running.Wait(), 1, "apply"), "Error: Operation Canceled", "The operation was canceled while it waited. Nothing was written.",
		`Expected: "1"`, `Found: "0"`, "Waited: ", "!Write Outcome Unknown")
	want := requestCounts{Gets: 2, Watches: 1}
	if p.storesPlannedPrivate() {
		want.Gets = 1 // the plan that the apply makes does not read
	}
	if got := countsOf(proxy); got != want {
		t.Errorf("%+v, want %+v: %v", got, want, proxy.Requests())
	}
	p.wantLive("testmap", data{"foo": "0"})
	p.wantState()
}

// A wait is for writes: it is no write itself, nothing that a removal does, and nothing that a plan's other refusals pass for.
func TestWaitForMatchOnlyWaitsForWrites(t *testing.T) {
	p := newPipeline(t)
	p.create("testmap", data{"foo": "1"})
	proxy := p.proxied()
	p.planned(entryBlock("foo", `value = "2"`, `expected_value = "1"`, `conflict_scope = "key"`))
	for _, wait := range []string{`wait_for_match = "1h"`, `wait_for_match = "2h"`, ``} {
		p.write(entryBlock("foo", `value = "2"`, `expected_value = "1"`, `conflict_scope = "key"`, wait))
		p.wants(p.plan(), "wait_for_match", "0 to add, 1 to change, 0 to destroy", "!Expectation Does Not Hold Yet")
		proxy.Reset()
		p.apply()
		if proxy.Count() > 0 {
			t.Errorf("%q: %v", wait, proxy.Requests())
		}
	}
	p.planned(waiter(`wait_for_match = "2s"`))
	p.planNothing()

	p.plan("-destroy")
	p.set("testmap", "foo", "foreign")
	proxy.Reset()
	p.applyRefused("Error: Compare-And-Swap Conflict", `Found: "foreign"`)
	if n := countsOf(proxy); n.Patches == 0 || n.Watches > 0 {
		t.Errorf("a removal waited, or was not sent: %v", proxy.Requests())
	}

	p.change("testmap", func(cm *corev1.ConfigMap) { cm.Immutable = new(true) })
	p.write(waiter(`value = "3"`, `expected_value = "foreign"`))
	p.planRefused([]string{"Error: ConfigMap Is Immutable"})
}

// toldOfWaits fails the test unless a plan of a resource that waits warns of that with these texts. Only plan_check = "off" silences it.
func toldOfWaits(t *testing.T, found data, waits string, told ...string) {
	t.Helper()
	for name, test := range planCheckSettings {
		t.Run(name, func(t *testing.T) {
			p := newPipeline(t)
			p.create("testmap", found)
			p.writeChecked(test.set, waits)
			wants := append([]string{"Warning: Expectation Does Not Hold Yet", "!Error:", "!" + planCheckAdvice}, told...)
			if test.want == "off" {
				wants = []string{"!Expectation Does Not Hold Yet", "!Error:"}
			}
			p.wants(p.plan(), wants...)
		})
	}
}

// waitsForUnknown applies a block that swaps foo from 1 to 2, and waits for as long as terraform_data.limit says, which no plan knows.
func waitsForUnknown(t *testing.T, block string) {
	t.Helper()
	p := newPipeline(t)
	p.create("testmap", data{"foo": "0"})
	proxy := p.proxied()
	p.write("resource \"terraform_data\" \"limit\" {\n  input = \"10m\"\n}\n" + block)
	p.wants(p.plan(), "Warning: Expectation Does Not Hold Yet", "for as long as wait_for_match says", "!Error:")
	p.onWatches(proxy, then(sets("1"))(p.fixture)...)
	p.apply()
	p.wantLive("testmap", data{"foo": "2"})
}

// What plan_check says does not soften or harden it, but for "off".
func TestWaitForMatchInPlans(t *testing.T) {
	t.Parallel()
	toldOfWaits(t, data{"foo": "0"}, waiter(), `Found: "0"`)
	t.Run("unknown", func(t *testing.T) {
		waitsForUnknown(t, entryBlock("foo", `value = "2"`, `expected_value = "1"`, `conflict_scope = "key"`, `wait_for_match = terraform_data.limit.output`))
	})
	t.Run("an import has none", func(t *testing.T) {
		p := newPipeline(t)
		p.create("testmap", data{"foo": "2"})
		p.write(waiter())
		p.do("import", "cas_configmap_entry.foo", p.namespace+"/testmap/foo")
		if got := p.wantState("foo")["foo"].Attributes["wait_for_match"]; got != nil {
			t.Errorf("wait_for_match: %v", got)
		}
		proxy := p.proxied()
		p.write(waiter())
		p.wants(p.plan(), "0 to add, 1 to change, 0 to destroy")
		p.apply()
		if n := proxy.Count(http.MethodPatch); n > 0 || proxy.Count() == 0 {
			t.Errorf("%d writes of %d requests", n, proxy.Count())
		}
	})
}
