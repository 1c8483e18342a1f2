package acceptance_test

import (
	"strings"
	"testing"
)

var rehearsedDataOps = map[string]rehearsedOp{
	"create": {after: dataBlock("it", `data = { foo = "refused", bar = "1" }`)},
	"create, with a guard": {
		found: data{"foo": "1", "guard": "open"},
		after: dataBlock("it", `data = { foo = "refused" }`, `expected_data = { foo = "1", guard = "open" }`),
	},
	"update": {
		before: dataBlock("it", `data = { foo = "2", bar = "1" }`), after: dataBlock("it", `data = { foo = "refused", bar = "2" }`),
	},
	"dropped key": {
		before: dataBlock("it", `data = { foo = "2", bar = "1" }`), after: dataBlock("it", `data = { bar = "1" }`), keeps: true,
	},
	"replace": {
		another: true, replaces: true,
		before: dataBlock("it", `name = "another"`, `data = { foo = "2" }`), after: dataBlock("it", `data = { foo = "refused", bar = "1" }`),
	},
	"removed block": {before: dataBlock("it", `data = { foo = "2", bar = "1" }`), keeps: true, removes: true},
	"destroy": {
		removes: true,
		before:  dataBlock("it", `data = { foo = "2", bar = "1" }`), after: dataBlock("it", `data = { foo = "2", bar = "1" }`),
		args: []string{"-destroy"}, keeps: true,
	},
	"destroy that restores": {
		removes: true,
		found:   data{"foo": "refused"},
		before:  dataBlock("it", `data = { foo = "2", bar = "1" }`, `expected_data = { foo = "refused" }`, `deletion_policy = "restore"`),
	},
}

func TestConfigMapDataPlanDryRunFindsWhatAPolicyRefuses(t *testing.T) {
	t.Parallel()
	for name, op := range rehearsedDataOps {
		t.Run(name, op.run)
	}
}

// What goes through is rehearsed and not written, in one request of all keys; what does not hold, or waits, is not even rehearsed.
func TestConfigMapDataPlanDryRunWritesNothing(t *testing.T) {
	p := newPipeline(t)
	p.create("testmap", data{"foo": "1", "bar": "1", "guard": "open"})
	proxy := p.proxied()
	p.writeRehearsed(dataBlock("it", `data = { foo = "2", bar = "2" }`, `expected_data = { foo = "9", bar = "1" }`))
	p.planRefused([]string{"Error: Expected Value Mismatch", "!" + dryRunAdvice})
	p.writeRehearsed(dataWaiter(`timeouts = { create = "1m" }`))
	p.set("testmap", "guard", "shut")
	p.wants(p.plan(), "Warning: Expectation Does Not Hold Yet")
	p.wantWrites(proxy, "what does not hold", 0, 0)

	p.set("testmap", "guard", "open")
	before := p.live("testmap")
	p.plan()
	p.wantWrites(proxy, "plan of a create", 1, 0)
	p.wantUnchanged(before)
	p.appliedAndRemoved(proxy, data{"foo": "2", "bar": "2", "guard": "open"})
	p.wantLive("testmap", data{"guard": "open"})
}

func TestConfigMapDataPlanDryRunNeedsThePermissionToWrite(t *testing.T) {
	p := newPipeline(t)
	p.testmap(contents{})
	block := func(name, value string) string { return dataBlock(name, `data = { `+name+` = "`+value+`" }`) }
	p.planned(block("updated", "1") + block("deleted", "1"))
	body := block("updated", "2") + block("created", "1")
	output := p.wants(p.notRehearsed(body), p.patchNotPermitted()...)
	if n := strings.Count(output, "Error: Not Permitted"); n != 3 {
		t.Errorf("%d errors:\n%s", n, output)
	}
}
