package entry

import (
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/behavior"
	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver"
	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

var rehearsedOps = map[string]behavior.Rehearsal{
	"create":        {After: fixture.EntryBlock("foo", `value = "refused"`)},
	"update":        {Before: fixture.EntryBlock("foo", `value = "2"`), After: fixture.EntryBlock("foo", `value = "refused"`)},
	"replace":       {Before: fixture.EntryBlock("foo", `key = "bar"`, `value = "refused"`), After: fixture.EntryBlock("foo", `key = "foo"`, `value = "refused"`), Replaces: true},
	"removed block": {Before: fixture.EntryBlock("foo", `value = "2"`), Keeps: true, Removes: true},
	"destroy":       {Before: fixture.EntryBlock("foo", `value = "2"`), After: fixture.EntryBlock("foo", `value = "2"`), Args: []string{"-destroy"}, Keeps: true, Removes: true},
	"renamed key":   {Before: fixture.EntryBlock("foo", `value = "2"`), After: fixture.EntryBlock("foo", `key = "bar"`, `value = "2"`), Keeps: true, Halves: true, Removes: true},
}

func TestPlanDryRunFindsWhatAPolicyRefuses(t *testing.T) {
	t.Parallel()
	for name, op := range rehearsedOps {
		t.Run(name, op.Run)
	}
}

// A refused entry fails no other entry. The dry run of an accepted entry writes nothing.
func TestPlanDryRunWritesNothing(t *testing.T) {
	p := fixture.NewPipelineOf(t, driver.Terraform111)
	p.Create("testmap", fixture.Data{"foo": "1", "bar": "1"})
	proxy := p.Proxied()
	p.RefuseFoo(metav1.StatusReasonForbidden)
	before := p.Live("testmap")
	bar := fixture.EntryBlock("bar", `key = "bar"`, `value = "2"`, `expected_value = "1"`, `deletion_policy = "restore"`)
	p.WriteRehearsed(bar + fixture.EntryBlock("foo", `value = "refused"`, `expected_value = "1"`))
	proxy.Reset()
	output := p.PlanRefused([]string{"Error: Request Refused", "refused to patch the ConfigMap", "foo must not be refused", "with cas_configmap_entry.foo"})
	if n := strings.Count(output, "Error: "); n != 1 {
		t.Errorf("%d errors:\n%s", n, output)
	}
	p.WriteRehearsed(bar)
	p.Plan()
	if dry, wet := fixture.WritesOf(proxy); dry < 2 || wet > 0 {
		t.Errorf("%d dry runs, %d writes: %v", dry, wet, proxy.Requests())
	}
	p.WantUnchanged(before)

	proxy.Reset()
	behavior.AppliedAndRemoved(p, proxy, fixture.Data{"foo": "1", "bar": "2"})
	p.WantLive("testmap", fixture.Data{"foo": "1", "bar": "1"})
}

func TestPlanDryRunNeedsThePermissionToWrite(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Testmap(fixture.Contents{})
	p.Planned(fixture.EntryBlock("updated", `key = "updated"`, `value = "1"`) + fixture.EntryBlock("deleted", `key = "deleted"`, `value = "1"`))
	body := fixture.EntryBlock("updated", `key = "updated"`, `value = "2"`) + fixture.EntryBlock("created", `key = "created"`, `value = "1"`)
	output := p.Wants(behavior.NotRehearsed(p, body), behavior.PatchNotPermitted(p)...)
	for _, key := range []string{"updated", "created", "deleted"} {
		if n := strings.Count(output, "Key: "+key+" "); n != 1 {
			t.Errorf("%d errors about %s:\n%s", n, key, output)
		}
	}
	p.Write(body)
	p.Export("CAS_PLAN_DRY_RUN", "true")
	p.PlanRefused([]string{"Error: Not Permitted", "permission to patch this ConfigMap"})
}

// The apply plans its first update again, with a dry run. After its first write, it sends no dry runs.
func TestPlanDryRunEndsWithTheFirstWrite(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Testmap(fixture.Contents{})
	entries := func(value string) string {
		return fixture.EntryBlock("first", `key = "first"`, value) +
			fixture.EntryBlock("second", `key = "second"`, value, `depends_on = [cas_configmap_entry.first]`) +
			fixture.EntryBlock("third", `key = "third"`, value, `depends_on = [cas_configmap_entry.second]`)
	}
	p.Planned(entries(`value = "1"`))
	proxy := p.Proxied()
	p.WriteRehearsed(entries(`value = "2"`))
	p.Plan()
	proxy.Reset()
	p.Apply()
	p.WantWrites(proxy, "apply", 1, 3)
}

// A plan sends no dry run if the ConfigMap is missing, or if the apply has nothing to write.
func TestPlanDryRunOfNothing(t *testing.T) {
	p := fixture.NewPipeline(t)
	proxy := p.Proxied()
	p.WriteRehearsed(fixture.EntryBlock("foo", `value = "1"`))
	p.Wants(p.Plan(), "Warning: ConfigMap Does Not Exist Yet")
	p.Create("testmap", fixture.Data{"foo": "0"})
	p.WriteRehearsed(fixture.EntryBlock("foo", `value = "2"`, `expected_value = "1"`))
	p.PlanRefused([]string{"Error: Expected Value Mismatch", "!" + behavior.DryRunAdvice})
	p.WriteRehearsed(fixture.Waiter())
	p.Wants(p.Plan(), "Warning: Expectation Does Not Hold Yet")
	p.WriteRehearsed(fixture.EntryBlock("foo", `value = "0"`, `adopt_existing = true`, `deletion_policy = "abandon"`))
	p.PlanApply()
	p.Plan("-destroy")
	p.WriteRehearsed(fixture.Nothing)
	p.Plan()
	p.Unset("testmap", "foo")
	p.Apply()
	p.WantWrites(proxy, "of nothing", 0, 0)
	p.WriteRehearsed(fixture.EntryBlock("foo", `value = "1"`))
	p.Plan()
	p.WantWrites(proxy, "of something", 1, 0)
}
