package acceptance_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

const (
	dryRun       = "  plan_dry_run = true"
	dryRunAdvice = "Request: a dry run of the write, because plan_dry_run (CAS_PLAN_DRY_RUN) is true"
)

// writeRehearsed is write with plan_dry_run, and further lines in the provider block.
func (p *pipeline) writeRehearsed(body string, lines ...string) {
	p.writeFor(p.kubeconfig, strings.Join(append(lines, dryRun), "\n"), body)
}

// writesOf are the writes among the requests: dry ones, and others.
func writesOf(p *testcluster.Proxy) (dry, wet int) {
	for _, r := range p.Requests() {
		switch {
		case r.Method == http.MethodGet:
		case r.Query.Get("dryRun") == metav1.DryRunAll:
			dry++
		default:
			wet++
		}
	}
	return dry, wet
}

// wantWrites fails the test unless there were so many writes since the proxy was last asked: dry ones, and others.
func (f *fixture) wantWrites(proxy *testcluster.Proxy, what string, wantDry, wantWet int) {
	f.Helper()
	if dry, wet := writesOf(proxy); dry != wantDry || wet != wantWet {
		f.Errorf("%s: %d dry runs, %d writes, want %d and %d: %v", what, dry, wet, wantDry, wantWet, proxy.Requests())
	}
	proxy.Reset()
}

// notRehearsed plans body as a user who may only read, which succeeds, and then rehearses it, which must be refused and write nothing. It returns
// what the rehearsal printed.
func (p *pipeline) notRehearsed(body string) (output string) {
	p.Helper()
	p.kubeconfig = p.cluster.Kubeconfig(p, p.user("reader", "configmaps", "get"))
	p.write(body)
	p.plan()
	before := p.configMaps()
	p.writeRehearsed(body)
	output = p.planRefused([]string{"Error: Not Permitted", dryRunAdvice})
	if diff := cmp.Diff(before, p.configMaps()); diff != "" {
		p.Errorf("ConfigMaps (-before +after):\n%s", diff)
	}
	return output
}

// patchNotPermitted is what a rehearsal of keys of testmap says to a user who may only read.
func (p *pipeline) patchNotPermitted() []string {
	return []string{
		"You do not have permission to patch this ConfigMap. Nothing was written.", "You do not have permission to patch this ConfigMap. Nothing was removed.",
		"ConfigMap: " + p.namespace + "/testmap", "API server: ", "Grant get and patch on configmaps in this namespace.",
	}
}

// rehearsedOp is an operation that a rehearsal finds refused.
type rehearsedOp struct {
	found         data   // in testmap
	another       bool   // there is a ConfigMap of this name besides
	before, after string // configurations
	args          []string
	keeps         bool // refused for that the key goes, not for its value
	replaces      bool
	halves        bool // one half of it can be made, as of a replace
	removes       bool // it is a removal that is refused
}

var rehearsedOps = map[string]rehearsedOp{
	"create":        {after: entryBlock("foo", `value = "refused"`)},
	"update":        {before: entryBlock("foo", `value = "2"`), after: entryBlock("foo", `value = "refused"`)},
	"replace":       {before: entryBlock("foo", `key = "bar"`, `value = "refused"`), after: entryBlock("foo", `key = "foo"`, `value = "refused"`), replaces: true},
	"removed block": {before: entryBlock("foo", `value = "2"`), keeps: true, removes: true},
	"destroy":       {before: entryBlock("foo", `value = "2"`), after: entryBlock("foo", `value = "2"`), args: []string{"-destroy"}, keeps: true, removes: true},
	"renamed key":   {before: entryBlock("foo", `value = "2"`), after: entryBlock("foo", `key = "bar"`, `value = "2"`), keeps: true, halves: true, removes: true},
}

// keepFoo has the cluster refuse ConfigMaps that lose their foo.
func (f *fixture) keepFoo() {
	f.Helper()
	reason := metav1.StatusReasonInvalid
	f.refuse(admissionv1.Validation{
		Expression: `oldObject == null || !has(oldObject.data) || !("foo" in oldObject.data) || has(object.data) && "foo" in object.data`,
		Message:    "foo must not be refused", Reason: &reason,
	})
}

func TestPlanDryRunFindsWhatAPolicyRefuses(t *testing.T) {
	t.Parallel()
	for name, op := range rehearsedOps {
		t.Run(name, op.run)
	}
}

func (op rehearsedOp) run(t *testing.T) {
	t.Helper()
	p := newPipeline(t)
	if op.found == nil {
		op.found = map[string]string{"other": "kept"}
	}
	p.create("testmap", op.found)
	if op.another {
		p.create("another", nil)
	}
	proxy := p.proxied()
	if op.before != "" {
		p.planned(op.before)
	}
	if op.keeps {
		p.keepFoo()
		p.awaitRefusal("testmap", `{"data":{"foo":null}}`)
	} else {
		p.refuseFoo(metav1.StatusReasonInvalid)
	}
	before := p.live("testmap")

	proxy.Reset()
	p.writeRehearsed(op.after)
	advice := planCheckAdvice
	if op.removes { // of a removal: a destroy would be refused as well
		advice = "!" + advice
	}
	p.planRefused([]string{
		"Error: Request Refused", "The API server refused to patch the ConfigMap. Nothing was ", "Status: 422", "foo must not be refused",
		dryRunAdvice, advice,
	}, op.args...)
	if dry, wet := writesOf(proxy); dry == 0 || wet > 0 {
		t.Errorf("%d dry runs, %d writes: %v", dry, wet, proxy.Requests())
	}

	p.writeRehearsed(op.after, `  plan_check = "warning"`)
	output := p.plan(op.args...)
	if !op.replaces { // of whose second plan Terraform drops the warnings
		p.wants(output, "Warning: Request Refused", "foo must not be refused", "!Error:", "!"+planCheckAdvice)
	}
	proxy.Reset()
	p.writeRehearsed(op.after, `  plan_check = "off"`)
	p.wants(p.plan(op.args...), "!Request Refused")
	p.wantWrites(proxy, "without checks", 0, 0)
	p.write(op.after)
	p.wants(p.plan(op.args...), "!Request Refused")
	p.applyRefused("Error: Request Refused", "foo must not be refused", "!plan_dry_run")
	if !op.replaces && !op.halves {
		if after := p.live("testmap"); after.ResourceVersion != before.ResourceVersion {
			t.Errorf("version %s, was %s: %v", after.ResourceVersion, before.ResourceVersion, after.Data)
		}
	}
}

// awaitRefusal waits until the API server, which learns of policies through a watch, refuses a patch that is only tried.
func (f *fixture) awaitRefusal(name, patch string) {
	f.Helper()
	f.awaitTried(name, patch, func(_ *corev1.ConfigMap, err error) bool { return err != nil })
}

// What one entry is refused for fails no other, and what goes through is not written.
func TestPlanDryRunWritesNothing(t *testing.T) {
	p := newPipeline(t)
	p.create("testmap", data{"foo": "1", "bar": "1"})
	proxy := p.proxied()
	p.refuseFoo(metav1.StatusReasonForbidden)
	before := p.live("testmap")
	bar := entryBlock("bar", `key = "bar"`, `value = "2"`, `expected_value = "1"`, `deletion_policy = "restore"`)
	p.writeRehearsed(bar + entryBlock("foo", `value = "refused"`, `expected_value = "1"`))
	proxy.Reset()
	output := p.planRefused([]string{"Error: Not Permitted", "permission to patch this ConfigMap", "foo must not be refused", "with cas_configmap_entry.foo"})
	if n := strings.Count(output, "Error: "); n != 1 {
		t.Errorf("%d errors:\n%s", n, output)
	}
	p.writeRehearsed(bar)
	p.plan()
	if dry, wet := writesOf(proxy); dry < 2 || wet > 0 {
		t.Errorf("%d dry runs, %d writes: %v", dry, wet, proxy.Requests())
	}
	p.wantUnchanged(before)

	proxy.Reset()
	p.appliedAndRemoved(proxy, data{"foo": "1", "bar": "2"})
	p.wantLive("testmap", data{"foo": "1", "bar": "1"})
}

// appliedAndRemoved applies a plan that was rehearsed, after which testmap must hold just that, and destroys what it made. It counts the writes.
func (p *pipeline) appliedAndRemoved(proxy *testcluster.Proxy, holds data) {
	p.Helper()
	p.apply() // plans once more, and cannot tell: one dry run before the write
	p.wantWrites(proxy, "apply", 1, 1)
	p.wantLive("testmap", holds)
	p.planNothing()
	p.wantWrites(proxy, "without a change", 0, 0)

	// A removal is planned once, and goes by what was seen then.
	before := p.live("testmap")
	p.plan("-destroy")
	p.wantWrites(proxy, "plan of a removal", 1, 0)
	p.wantUnchanged(before)
	p.apply()
	p.wantWrites(proxy, "removal", 0, 1)
}

func TestPlanDryRunNeedsThePermissionToWrite(t *testing.T) {
	p := newPipeline(t)
	p.testmap(contents{})
	p.planned(entryBlock("updated", `key = "updated"`, `value = "1"`) + entryBlock("deleted", `key = "deleted"`, `value = "1"`))
	body := entryBlock("updated", `key = "updated"`, `value = "2"`) + entryBlock("created", `key = "created"`, `value = "1"`)
	output := p.wants(p.notRehearsed(body), p.patchNotPermitted()...)
	for _, key := range []string{"updated", "created", "deleted"} {
		if n := strings.Count(output, "Key: "+key+" "); n != 1 {
			t.Errorf("%d errors about %s:\n%s", n, key, output)
		}
	}
	p.write(body)
	p.setenv("CAS_PLAN_DRY_RUN", "true")
	p.planRefused([]string{"Error: Not Permitted", "permission to patch this ConfigMap"})
}

// Once an apply has begun its first write, it sends no dry runs any more.
func TestPlanDryRunEndsWithTheFirstWrite(t *testing.T) {
	p := newPipeline(t)
	p.testmap(contents{})
	proxy := p.proxied()
	p.writeRehearsed(entryBlock("first", `key = "first"`, `value = "1"`) +
		entryBlock("second", `key = "second"`, `value = "1"`, `depends_on = [cas_configmap_entry.first]`) +
		entryBlock("third", `key = "third"`, `value = "1"`, `depends_on = [cas_configmap_entry.second]`))
	p.plan()
	proxy.Reset()
	p.apply()
	p.wantWrites(proxy, "apply", 1, 3)
}

// There is nothing to rehearse on where there is no ConfigMap, and nothing to rehearse where nothing is to be written.
func TestPlanDryRunOfNothing(t *testing.T) {
	p := newPipeline(t)
	proxy := p.proxied()
	p.writeRehearsed(entryBlock("foo", `value = "1"`))
	p.wants(p.plan(), "Warning: ConfigMap Does Not Exist Yet")
	p.create("testmap", data{"foo": "0"})
	p.writeRehearsed(entryBlock("foo", `value = "2"`, `expected_value = "1"`))
	p.planRefused([]string{"Error: Expected Value Mismatch", "!" + dryRunAdvice})
	p.writeRehearsed(waiter())
	p.wants(p.plan(), "Warning: Expectation Does Not Hold Yet")
	p.writeRehearsed(entryBlock("foo", `value = "0"`, `adopt_existing = true`, `deletion_policy = "abandon"`))
	p.planApply()
	p.plan("-destroy")
	p.writeRehearsed(nothing)
	p.plan()
	p.unset("testmap", "foo")
	p.apply()
	p.wantWrites(proxy, "of nothing", 0, 0)
	p.writeRehearsed(entryBlock("foo", `value = "1"`))
	p.plan()
	p.wantWrites(proxy, "of something", 1, 0)
}

func TestPlanDryRunOfManyIsAFewRequests(t *testing.T) {
	const many = 200
	p := newPipeline(t)
	p.create("testmap", data{"other": "kept"})
	proxy := p.proxied()
	body := func(value string) string {
		config, _ := entries(many, value, "key")
		return config
	}
	counted := func(what string, fewer int) {
		t.Helper()
		dry, wet := writesOf(proxy)
		t.Logf("%s: %d reads, %d dry runs, %d writes for %d entries", what, proxy.Count(http.MethodGet), dry, wet, many)
		if dry == 0 || dry+proxy.Count(http.MethodGet) > fewer || wet > 0 {
			t.Errorf("%s: %d reads, %d dry runs, %d writes for %d entries", what, proxy.Count(http.MethodGet), dry, wet, many)
		}
		proxy.Reset()
	}
	p.writeRehearsed(body("1"))
	p.plan()
	counted("create", many/3)
	p.apply()
	p.writeRehearsed(body("2"))
	proxy.Reset()
	p.plan()
	counted("update", many/3) // fewer where nothing else is busy
	p.plan("-destroy")
	counted("destroy", many/2)
	if got := p.live("testmap").Data; got["k000"] != "1" || got[fmt.Sprintf("k%03d", many-1)] != "1" {
		t.Errorf("live: %v", got)
	}
}
