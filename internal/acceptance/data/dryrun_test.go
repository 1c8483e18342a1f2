package data

import (
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/behavior"
	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver"
	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

var rehearsedDataOps = map[string]behavior.Rehearsal{
	"create": {After: fixture.DataBlock("it", `data = { foo = "refused", bar = "1" }`)},
	"create, with a guard": {
		Found: fixture.Data{"foo": "1", "guard": "open"},
		After: fixture.DataBlock("it", `data = { foo = "refused" }`, `expected_data = { foo = "1", guard = "open" }`),
	},
	"update": {
		Before: fixture.DataBlock("it", `data = { foo = "2", bar = "1" }`), After: fixture.DataBlock("it", `data = { foo = "refused", bar = "2" }`),
	},
	"dropped key": {
		Before: fixture.DataBlock("it", `data = { foo = "2", bar = "1" }`), After: fixture.DataBlock("it", `data = { bar = "1" }`), Keeps: true,
	},
	"replace": {
		Another: true, Replaces: true,
		Before: fixture.DataBlock("it", `name = "another"`, `data = { foo = "2" }`), After: fixture.DataBlock("it", `data = { foo = "refused", bar = "1" }`),
	},
	"removed block": {Before: fixture.DataBlock("it", `data = { foo = "2", bar = "1" }`), Keeps: true, Removes: true},
	"destroy": {
		Removes: true,
		Before:  fixture.DataBlock("it", `data = { foo = "2", bar = "1" }`), After: fixture.DataBlock("it", `data = { foo = "2", bar = "1" }`),
		Args: []string{"-destroy"}, Keeps: true,
	},
	"destroy that restores": {
		Removes: true,
		Found:   fixture.Data{"foo": "refused"},
		Before:  fixture.DataBlock("it", `data = { foo = "2", bar = "1" }`, `expected_data = { foo = "refused" }`, `deletion_policy = "restore"`),
	},
}

func TestConfigMapDataPlanDryRunFindsWhatAPolicyRefuses(t *testing.T) {
	t.Parallel()
	for name, op := range rehearsedDataOps {
		t.Run(name, op.Run)
	}
}

// A write that passes its checks is rehearsed, in one request of all keys. A write that is refused or waits is not rehearsed.
func TestConfigMapDataPlanDryRunWritesNothing(t *testing.T) {
	p := fixture.NewPipelineOf(t, driver.Terraform111)
	p.Create("testmap", fixture.Data{"foo": "1", "bar": "1", "guard": "open"})
	proxy := p.Proxied()
	p.WriteRehearsed(fixture.DataBlock("it", fixture.Deletes, `data = { foo = "2", bar = "2" }`, `expected_data = { foo = "9", bar = "1" }`))
	p.PlanRefused([]string{"Error: Expected Value Mismatch", "!" + behavior.DryRunAdvice})
	p.WriteRehearsed(dataWaiter(fixture.Deletes, `timeouts = { create = "1m" }`))
	p.Set("testmap", "guard", "shut")
	p.Wants(p.Plan(), "Warning: Expectation Does Not Hold Yet")
	p.WantWrites(proxy, "what does not hold", 0, 0)

	p.Set("testmap", "guard", "open")
	before := p.Live("testmap")
	p.Plan()
	p.WantWrites(proxy, "plan of a create", 1, 0)
	p.WantUnchanged(before)
	behavior.AppliedAndRemoved(p, proxy, fixture.Data{"foo": "2", "bar": "2", "guard": "open"})
	p.WantLive("testmap", fixture.Data{"guard": "open"})
}

func TestConfigMapDataPlanDryRunNeedsThePermissionToWrite(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Testmap(fixture.Contents{})
	block := func(name, value string) string { return fixture.DataBlock(name, `data = { `+name+` = "`+value+`" }`) }
	p.Planned(block("updated", "1") + block("deleted", "1"))
	body := block("updated", "2") + block("created", "1")
	output := p.Wants(behavior.NotRehearsed(p, body), behavior.PatchNotPermitted(p)...)
	if n := strings.Count(output, "Error: Not Permitted"); n != 3 {
		t.Errorf("%d errors:\n%s", n, output)
	}
}

func TestConfigMapDataSignsWithItsOwnFieldManager(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{"bar": "kept"})
	p.Planned(fixture.DataBlock("foo", `data = { foo = "1" }`, `field_manager = "mine"`))
	p.WantOwner("mine")
}
