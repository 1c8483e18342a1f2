package behavior

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// Rehearsal is an operation that a rehearsal finds refused.
type Rehearsal struct {
	Found         fixture.Data // in testmap
	Another       bool         // there is a ConfigMap of this name besides
	Before, After string       // configurations
	Args          []string
	Keeps         bool // refused for that the key goes, not for its value
	Replaces      bool
	Halves        bool // it consists of two requests, and one may succeed, for example in a replace
	Removes       bool // it is a removal that is refused
}

// Run runs it.
func (op Rehearsal) Run(t *testing.T) {
	t.Helper()
	p := fixture.NewPipeline(t)
	if op.Found == nil {
		op.Found = map[string]string{"other": "kept"}
	}
	p.Create("testmap", op.Found)
	if op.Another {
		p.Create("another", nil)
	}
	proxy := p.Proxied()
	if op.Before != "" {
		p.Planned(op.Before)
	}
	if op.Keeps {
		keepFoo(p.Fixture)
		p.AwaitRefusal("testmap", `{"data":{"foo":null}}`)
	} else {
		p.RefuseFoo(metav1.StatusReasonInvalid)
	}
	before := p.Live("testmap")

	proxy.Reset()
	p.WriteRehearsed(op.After)
	advice := fixture.PlanCheckAdvice
	if op.Removes || op.Replaces || op.Before == "" { // a destroy would be refused as well, or there is nothing to destroy
		advice = "!" + advice
	}
	p.PlanRefused([]string{
		"Error: Request Refused", "The API server refused to patch the ConfigMap. Nothing was ", "Status: 422", "foo must not be refused",
		DryRunAdvice, advice,
	}, op.Args...)
	if dry, wet := fixture.WritesOf(proxy); dry == 0 || wet > 0 {
		t.Errorf("%d dry runs, %d writes: %v", dry, wet, proxy.Requests())
	}

	p.WriteRehearsed(op.After, `  plan_check = "warning"`)
	output := p.Plan(op.Args...)
	if !op.Replaces { // Terraform drops the warnings of the second plan of a replace
		p.Wants(output, "Warning: Request Refused", "foo must not be refused", "!Error:", "!"+fixture.PlanCheckAdvice)
	}
	proxy.Reset()
	p.WriteRehearsed(op.After, `  plan_check = "off"`)
	p.Wants(p.Plan(op.Args...), "!Request Refused")
	p.WantWrites(proxy, "without checks", 0, 0)
	p.Write(op.After)
	p.Wants(p.Plan(op.Args...), "!Request Refused")
	p.ApplyRefused("Error: Request Refused", "foo must not be refused", "!plan_dry_run")
	if !op.Replaces && !op.Halves {
		if after := p.Live("testmap"); after.ResourceVersion != before.ResourceVersion {
			t.Errorf("version %s, was %s: %v", after.ResourceVersion, before.ResourceVersion, after.Data)
		}
	}
}

// keepFoo has the cluster refuse ConfigMaps that lose their foo.
func keepFoo(f *fixture.Fixture) {
	f.Helper()
	reason := metav1.StatusReasonInvalid
	f.Refuse(admissionv1.Validation{
		Expression: `oldObject == null || !has(oldObject.data) || !("foo" in oldObject.data) || has(object.data) && "foo" in object.data`,
		Message:    "foo must not be refused", Reason: &reason,
	})
}

// DryRunAdvice is the additional fact of a refused rehearsal.
const DryRunAdvice = "Request: a dry run of the write, because plan_dry_run (CAS_PLAN_DRY_RUN) is true"

// NotRehearsed plans body as a user who may only read, which succeeds, and then rehearses it, which must be refused and write nothing. It returns
// what the rehearsal printed.
func NotRehearsed(p *fixture.Pipeline, body string) (output string) {
	p.Helper()
	p.Kubeconfig = p.Cluster.Kubeconfig(p, p.User("reader", "configmaps", "get"))
	p.Write(body)
	p.Plan()
	before := p.ConfigMaps()
	p.WriteRehearsed(body)
	output = p.PlanRefused([]string{"Error: Not Permitted", DryRunAdvice})
	if diff := cmp.Diff(before, p.ConfigMaps()); diff != "" {
		p.Errorf("ConfigMaps (-before +after):\n%s", diff)
	}
	return output
}

// PatchNotPermitted returns the texts of a rehearsal of keys of testmap, for a user who may only read.
func PatchNotPermitted(p *fixture.Pipeline) []string {
	return []string{
		"You do not have permission to patch this ConfigMap. Nothing was written.", "You do not have permission to patch this ConfigMap. Nothing was removed.",
		"ConfigMap: " + p.Namespace + "/testmap", "API server: ", "Grant get and patch on configmaps in this namespace.",
	}
}

// AppliedAndRemoved applies a plan that was rehearsed, after which testmap must hold just that, and destroys what it made. It counts the writes.
func AppliedAndRemoved(p *fixture.Pipeline, proxy *testcluster.Proxy, holds fixture.Data) {
	p.Helper()
	p.Apply()
	p.WantWrites(proxy, "apply", 0, 1)
	p.WantLive("testmap", holds)
	p.PlanNothing()
	p.WantWrites(proxy, "without a change", 0, 0)

	// A removal is planned once, and compares with the version of that plan.
	before := p.Live("testmap")
	p.Plan("-destroy")
	p.WantWrites(proxy, "plan of a removal", 1, 0)
	p.WantUnchanged(before)
	p.Apply()
	p.WantWrites(proxy, "removal", 0, 1)
}
