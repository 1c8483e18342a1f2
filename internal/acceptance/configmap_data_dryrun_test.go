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
	sends := func(what string, wantDry, wantWet int) {
		t.Helper()
		if dry, wet := writesOf(proxy); dry != wantDry || wet != wantWet {
			t.Errorf("%s: %d dry runs, %d writes, want %d and %d: %v", what, dry, wet, wantDry, wantWet, proxy.Requests())
		}
		proxy.Reset()
	}
	p.writeRehearsed(dataBlock("it", `data = { foo = "2", bar = "2" }`, `expected_data = { foo = "9", bar = "1" }`))
	p.planRefused([]string{"Error: Expected Value Mismatch", "!" + dryRunAdvice})
	p.writeRehearsed(dataWaiter(`timeouts = { create = "1m" }`))
	p.set("testmap", "guard", "shut")
	p.wants(p.plan(), "Warning: Expectation Does Not Hold Yet")
	sends("what does not hold", 0, 0)

	p.set("testmap", "guard", "open")
	before := p.live("testmap")
	p.plan()
	sends("plan of a create", 1, 0)
	p.wantUnchanged(before)
	p.apply() // plans once more, and cannot tell
	sends("create", 1, 1)
	p.planNothing()
	sends("without a change", 0, 0)

	before = p.live("testmap")
	p.plan("-destroy")
	sends("plan of a removal", 1, 0)
	p.wantUnchanged(before)
	p.apply()
	sends("removal", 0, 1)
	p.wantLive("testmap", data{"guard": "open"})
}

func TestConfigMapDataPlanDryRunNeedsThePermissionToWrite(t *testing.T) {
	p := newPipeline(t)
	p.testmap(contents{})
	block := func(name, value string) string { return dataBlock(name, `data = { `+name+` = "`+value+`" }`) }
	p.planned(block("updated", "1") + block("deleted", "1"))
	body := block("updated", "2") + block("created", "1")
	p.kubeconfig = p.cluster.Kubeconfig(t, p.cluster.User(t, "reader-"+p.namespace, p.namespace, readConfigMaps))
	p.write(body)
	p.plan()
	before := p.live("testmap")
	p.writeRehearsed(body)
	output := p.planRefused([]string{
		"Error: Not Permitted", "You do not have permission to patch this ConfigMap. Nothing was written.",
		"You do not have permission to patch this ConfigMap. Nothing was removed.", "ConfigMap: " + p.namespace + "/testmap",
		"API server: ", "Grant get and patch on configmaps in this namespace.", dryRunAdvice,
	})
	if n := strings.Count(output, "Error: Not Permitted"); n != 3 {
		t.Errorf("%d errors:\n%s", n, output)
	}
	p.wantUnchanged(before)
}
