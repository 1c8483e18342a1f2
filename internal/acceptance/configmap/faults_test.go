package configmap

import (
	"net/http"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

type wholeOp struct{ before, after, verb, method string }

// plan brings about where the operation begins, and saves the plan of it.
func (op wholeOp) plan(p *fixture.Pipeline) {
	p.Helper()
	if op.before != "" {
		p.Planned(op.before)
	}
	p.Write(op.after)
	p.Plan()
}

// wholeOps are one operation each, from a ConfigMap { foo = "1" } (or, for a create, from none) on.
var wholeOps = map[string]wholeOp{
	"create": {after: fixture.WholeBlock("all", `data = { foo = "2" }`), verb: "create", method: http.MethodPost},
	"update": {
		before: fixture.WholeBlock("all", `data = { foo = "1" }`), after: fixture.WholeBlock("all", `data = { foo = "2" }`), verb: "patch", method: http.MethodPatch,
	},
	"delete": {before: fixture.WholeBlock("all", `data = { foo = "1" }`), after: fixture.Nothing, verb: "delete", method: http.MethodDelete},
}

// onWhole runs a test of each operation.
func onWhole(t *testing.T, test func(p *fixture.Pipeline, name string, op wholeOp)) {
	t.Helper()
	for name, op := range wholeOps {
		t.Run(name, func(t *testing.T) { test(fixture.NewPipeline(t), name, op) })
	}
}

// wantUndone fails the test unless live and state are as the operation found them.
func wantUndone(p *fixture.Pipeline, before string) {
	p.Helper()
	if before == "" {
		p.WantState()
		p.WantNone("testmap")
		return
	}
	p.WantState("all")
	p.WantLive("testmap", fixture.Data{"foo": "1"})
}

func TestConfigMapNotPermitted(t *testing.T) {
	t.Parallel()
	onWhole(t, func(p *fixture.Pipeline, _ string, op wholeOp) {
		reader := p.Cluster.Kubeconfig(p, p.User("reader", "configmaps", "get"))
		noOne := p.Cluster.Kubeconfig(p, p.User("no-one", "secrets", "get"))
		if op.before != "" {
			p.Planned(op.before)
		}
		p.WriteFor(reader, "", op.after)
		p.Plan()
		facts := []string{"Error: Not Permitted", "ConfigMap: " + p.Namespace + "/testmap", "Grant get, create, patch and delete on configmaps in this namespace."}
		p.ApplyRefused(append(facts, "permission to "+op.verb+" this ConfigMap")...)
		wantUndone(p, op.before)
		p.WriteFor(noOne, "", op.after)
		p.PlanRefused(append(facts, "permission to get this ConfigMap"))
		p.Planned(op.after)
	})
}

func TestConfigMapAPIServerThatRefusesConnections(t *testing.T) {
	t.Parallel()
	onWhole(t, func(p *fixture.Pipeline, _ string, op wholeOp) {
		op.plan(p)
		p.LeadTo(&rest.Config{Host: fixture.RefusedAddress})
		unreachable := []string{"Error: API Server Unreachable", "Host: " + fixture.RefusedAddress}
		p.ApplyRefused(unreachable...)
		p.PlanRefused(unreachable)
		wantUndone(p, op.before)
	})
}

// The outcome of a write without a response is unknown once the timeout has passed, and the next plan goes on.
func TestConfigMapWriteThatIsHeldEndsWithTheTimeout(t *testing.T) {
	t.Parallel()
	onWhole(t, func(p *fixture.Pipeline, name string, op wholeOp) {
		proxy := p.Proxied()
		op.plan(p)
		proxy.SetHook(func(r *http.Request) testcluster.Fault {
			if r.Method == op.method {
				p.PassDeadlines()
				return testcluster.Fault{HoldBefore: r.Context().Done(), DropBefore: true}
			}
			return testcluster.Fault{}
		})
		p.ApplyRefused("Error: Write Outcome Unknown", map[string]string{
			"create": "If it says that the ConfigMap already exists, import it.", "update": "it shows what is left to do.", "delete": "it shows what is left to remove.",
		}[name])
		wantUndone(p, op.before)
		proxy.SetHook(nil)
		p.PlanApply()
	})
}

// The provider finds out the outcome of a write whose response was lost.
func TestConfigMapAnswerThatIsLost(t *testing.T) {
	t.Parallel()
	onWhole(t, func(p *fixture.Pipeline, name string, op wholeOp) {
		proxy := p.Proxied()
		op.plan(p)
		proxy.SetHook(fixture.OnceFor(p, op.method, testcluster.Fault{DropAfter: true}))
		p.Apply()
		if name == "delete" {
			p.WantState()
			return
		}
		p.WantLive("testmap", fixture.Data{"foo": "2"})
		p.PlanNothing()
	})
}

func TestConfigMapReadThatIsHeldEndsWithTheTimeout(t *testing.T) {
	p := fixture.NewPipeline(t)
	proxy := p.Proxied()
	p.Planned(fixture.WholeBlock("all", `data = { foo = "1" }`))
	proxy.SetHook(func(r *http.Request) testcluster.Fault {
		p.PassDeadlines()
		return testcluster.Fault{HoldBefore: r.Context().Done(), DropBefore: true}
	})
	p.PlanRefused([]string{"Error: Operation Timed Out", "raise timeouts.read"})
	p.WantState("all")
}
