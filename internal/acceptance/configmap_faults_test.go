package acceptance_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

type wholeOp struct{ before, after, verb, method string }

// plan brings about where the operation begins, and saves the plan of it.
func (op wholeOp) plan(p *pipeline) {
	p.Helper()
	if op.before != "" {
		p.planned(op.before)
	}
	p.write(op.after)
	p.plan()
}

// wholeOps are one operation each, from a ConfigMap { foo = "1" } (or, for a create, from none) on.
var wholeOps = map[string]wholeOp{
	"create": {after: wholeBlock("all", `data = { foo = "2" }`), verb: "create", method: http.MethodPost},
	"update": {
		before: wholeBlock("all", `data = { foo = "1" }`), after: wholeBlock("all", `data = { foo = "2" }`), verb: "patch", method: http.MethodPatch,
	},
	"delete": {before: wholeBlock("all", `data = { foo = "1" }`), after: nothing, verb: "delete", method: http.MethodDelete},
}

// onWhole runs a test of each operation.
func onWhole(t *testing.T, test func(p *pipeline, name string, op wholeOp)) {
	t.Helper()
	for name, op := range wholeOps {
		t.Run(name, func(t *testing.T) { test(newPipeline(t), name, op) })
	}
}

// wantUndone fails the test unless live and state are as the operation found them.
func (p *pipeline) wantUndone(before string) {
	p.Helper()
	if before == "" {
		p.wantState()
		p.wantNone("testmap")
		return
	}
	p.wantState("all")
	p.wantLive("testmap", data{"foo": "1"})
}

func TestConfigMapNotPermitted(t *testing.T) {
	t.Parallel()
	onWhole(t, func(p *pipeline, _ string, op wholeOp) {
		reader := p.cluster.Kubeconfig(p, p.user("reader", "configmaps", "get"))
		noOne := p.cluster.Kubeconfig(p, p.user("no-one", "secrets", "get"))
		if op.before != "" {
			p.planned(op.before)
		}
		p.writeFor(reader, "", op.after)
		p.plan()
		facts := []string{"Error: Not Permitted", "ConfigMap: " + p.namespace + "/testmap", "Grant get, create, patch and delete on configmaps in this namespace."}
		p.applyRefused(append(facts, "permission to "+op.verb+" this ConfigMap")...)
		p.wantUndone(op.before)
		p.writeFor(noOne, "", op.after)
		p.planRefused(append(facts, "permission to get this ConfigMap"))
		p.planned(op.after)
	})
}

func TestConfigMapAPIServerThatRefusesConnections(t *testing.T) {
	t.Parallel()
	onWhole(t, func(p *pipeline, _ string, op wholeOp) {
		op.plan(p)
		p.leadTo(&rest.Config{Host: refusedAddress})
		unreachable := []string{"Error: API Server Unreachable", "Host: " + refusedAddress}
		p.applyRefused(unreachable...)
		p.planRefused(unreachable)
		p.wantUndone(op.before)
	})
}

// A write that gets no answer, which was not made, ends with the timeout; it is told as what it is, and the next plan goes on.
func TestConfigMapWriteThatIsHeldEndsWithTheTimeout(t *testing.T) {
	t.Parallel()
	onWhole(t, func(p *pipeline, name string, op wholeOp) {
		proxy := p.proxied()
		const timeouts = "timeouts = { create = \"2s\", update = \"2s\", delete = \"2s\" }\n}\n"
		timed := func(body string) string { return strings.Replace(body, "\n}\n", "\n  "+timeouts, 1) }
		op.before, op.after = timed(op.before), timed(op.after)
		op.plan(p)
		proxy.SetHook(func(r *http.Request) testcluster.Fault {
			if r.Method == op.method {
				return testcluster.Fault{HoldBefore: r.Context().Done(), DropBefore: true}
			}
			return testcluster.Fault{}
		})
		p.applyRefused("Error: Write Outcome Unknown", map[string]string{
			"create": "If it says that the ConfigMap already exists, import it.", "update": "it shows what is left to do.", "delete": "it shows what is left to remove.",
		}[name])
		p.wantUndone(op.before)
		proxy.SetHook(nil)
		p.planApply()
	})
}

// An answer that gets lost, after the write was made, is found out about.
func TestConfigMapAnswerThatIsLost(t *testing.T) {
	t.Parallel()
	onWhole(t, func(p *pipeline, name string, op wholeOp) {
		proxy := p.proxied()
		op.plan(p)
		proxy.SetHook(onceFor(p, op.method, testcluster.Fault{DropAfter: true}))
		p.apply()
		if name == "delete" {
			p.wantState()
			return
		}
		p.wantLive("testmap", data{"foo": "2"})
		p.planNothing()
	})
}

func TestConfigMapReadThatIsHeldEndsWithTheTimeout(t *testing.T) {
	p := newPipeline(t)
	proxy := p.proxied()
	p.planned(wholeBlock("all", `data = { foo = "1" }`, `timeouts = { read = "1s" }`))
	proxy.SetHook(func(r *http.Request) testcluster.Fault {
		return testcluster.Fault{HoldBefore: r.Context().Done(), DropBefore: true}
	})
	p.planRefused([]string{"Error: Operation Timed Out", "raise timeouts.read"})
	p.wantState("all")
}

// labelAll has every ConfigMap of the fixture's namespace that is written get a label.
func (f *fixture) labelAll() {
	f.Helper()
	f.mutate(admissionv1.MutatingAdmissionPolicySpec{
		MatchConstraints: f.writesHere(), ReinvocationPolicy: admissionv1.NeverReinvocationPolicy,
		Mutations: []admissionv1.Mutation{{
			PatchType: admissionv1.PatchTypeApplyConfiguration,
			ApplyConfiguration: &admissionv1.ApplyConfiguration{
				Expression: `Object{metadata: Object.metadata{labels: {"team": "policy"}}}`,
			},
		}},
	})
	err := wait.PollUntilContextTimeout(f.Context(), 50*time.Millisecond, time.Minute, true, func(ctx context.Context) (bool, error) {
		cm, err := f.cluster.Client().CoreV1().ConfigMaps(f.namespace).Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "probe"}},
			metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		return err == nil && cm.Labels["team"] != "", nil
	})
	if err != nil {
		f.Fatalf("waiting for the policy: %v", err)
	}
}

func TestAdmissionThatChangesAConfigMapIsToldOf(t *testing.T) {
	p := newPipeline(t)
	p.labelAll()
	const warning = "Warning: ConfigMap Changed By Admission"
	p.write(wholeBlock("all", `labels = { app = "shop" }`))
	p.plan()
	p.wants(p.apply(), warning, `Label: team Sent: (absent) Stored: "policy"`, "ignore_labels")
	p.wants(p.plan(), `- "team" = "policy" -> null`)
	p.wants(p.apply(), warning)

	p.writeFor(p.kubeconfig, `ignore_labels = ["^team$"]`, wholeBlock("all", `labels = { app = "store" }`))
	p.plan()
	p.wants(p.apply(), "!"+warning)
	p.wantWhole("testmap", whole{Labels: data{"app": "store", "team": "policy"}})
	p.planNothing()
	p.write(wholeBlock("other", `name = "other"`)) // nor where labels are left to others
	p.plan()
	p.wants(p.apply(), "!"+warning)
}
