package secrecy

import (
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

var plantedDataWrite = []string{`data = { foo = var.new, bar = var.newer }`, `expected_data = { foo = var.old }`}

var hidingDataPaths = map[string]hidingPath{
	"mismatch at plan": {wants: []string{"Error: Expected Value Mismatch", "Key: foo", "Key: guard"}, run: func(h *hiding) {
		h.Create("testmap", fixture.Data{"foo": plantedValues["foreign"]})
		h.configure("", `data = { foo = var.new }`, `expected_data = { foo = var.wrong, guard = var.old }`)
		h.PlanRefused(nil)
	}},
	"mismatch at apply": {wants: []string{"Error: Expected Value Mismatch", "Key: guard"}, run: func(h *hiding) {
		h.Create("testmap", fixture.Data{"foo": plantedValues["old"], "guard": plantedValues["old"]})
		h.configure(`  plan_check = "off"`, `data = { foo = var.new }`, `expected_data = { foo = var.old, guard = var.old }`)
		h.Plan()
		h.Set("testmap", "guard", plantedValues["foreign"])
		h.ApplyRefused()
	}},
	"conflict at apply": {wants: []string{"Error: Compare-And-Swap Conflict"}, run: func(h *hiding) {
		h.Testmap(fixture.Contents{})
		h.wrote(`data = { foo = var.old, bar = var.old }`)
		h.configure(`  plan_check = "off"`, `data = { foo = var.new, bar = var.old }`)
		h.Plan()
		h.Set("testmap", "bar", plantedValues["foreign"])
		h.ApplyRefused()
	}},
	"conflict of bytes": {wants: []string{"Error: Expected Value Mismatch", "base64 "}, run: func(h *hiding) {
		h.Create("testmap", fixture.Data{"foo": plantedValues["lines"]})
		h.configure("", `binary_data = { foo = var.encoded }`, `expected_binary_data = { foo = base64encode(var.new) }`)
		h.PlanRefused(nil)
	}},
	"held": {wants: []string{"Error: Key Already Holds The Value"}, run: func(h *hiding) {
		h.Create("testmap", fixture.Data{"foo": plantedValues["new"]})
		h.configure("", `data = { foo = var.new, bar = var.new }`)
		h.PlanRefused(nil)
	}},
	"exists": {wants: []string{"Error: Key Already Exists"}, run: func(h *hiding) {
		h.Create("testmap", fixture.Data{"foo": plantedValues["foreign"]})
		h.configure("", `data = { foo = var.new, bar = var.new }`)
		h.PlanRefused(nil)
	}},
	"every key in a way of its own": {wants: []string{"Error: Compare-And-Swap Conflict"}, run: func(h *hiding) {
		h.Create("testmap", fixture.Data{"foo": plantedValues["new"], "bar": plantedValues["foreign"], "guard": plantedValues["foreign"]})
		h.configure("", `data = { foo = var.new, bar = var.new }`, `expected_data = { guard = var.wrong }`)
		h.PlanRefused(nil)
	}},
	"changed by admission": {wants: []string{"Warning: Value Not Stored As Sent"}, run: func(h *hiding) {
		h.Testmap(fixture.Contents{})
		h.MutateFoo()
		h.wrote(`data = { foo = var.new, bar = var.new }`)
	}},
	"waits in vain": {wants: []string{"Warning: Expectation Does Not Hold Yet", "Error: Wait Ended Without A Match"}, run: func(h *hiding) {
		h.Create("testmap", fixture.Data{"foo": plantedValues["foreign"], "guard": plantedValues["foreign"]})
		h.configure("", `data = { foo = var.new }`, `expected_data = { foo = var.wrong, guard = var.old }`, `conflict_scope = "key"`, `wait_for_match = "1ms"`)
		h.Plan()
		h.ApplyRefused()
	}},
	"delete of what changed":  {wants: []string{"Warning: Value Changed Since Last Apply"}, run: deletesPlanted(fixture.Deletes, fixture.Overwrites, `data = { foo = var.old, bar = var.old }`)},
	"release of what changed": {wants: []string{"Warning: Key Stays In Place", "so it stays as it is."}, run: releasesPlanted(fixture.Overwrites, `data = { foo = var.old, bar = var.old }`)},
	"restore of what changed": {wants: []string{"Warning: Key Stays In Place"}, run: releasesPlanted(fixture.Overwrites, `data = { foo = var.old, bar = var.old }`, `deletion_policy = "restore"`)},
	"a dropped key that changed": {wants: []string{"Warning: Key Stays In Place"}, run: func(h *hiding) {
		h.Testmap(fixture.Contents{})
		h.wrote(`data = { foo = var.old, bar = var.old }`)
		h.Set("testmap", "foo", plantedValues["foreign"])
		h.configure("", `data = { bar = var.old }`)
		h.Plan()
	}},
	"refused in words that quote nothing": {wants: []string{"Error: Request Refused"}, mute: true, run: func(h *hiding) {
		h.refusedPlanted(`"foo is not to be written"`, plantedDataWrite...)
	}},
	"refused in words that quote a key": {wants: []string{"Error: Request Refused"}, run: func(h *hiding) {
		h.refusedPlanted(`"foo must not be " + object.data.foo`, plantedDataWrite...)
	}},
	"refused in words that quote all": {wants: []string{"Error: Request Refused"}, run: func(h *hiding) {
		h.refusedPlanted(`"not " + object.data.foo + (has(object.data.bar) ? object.data.bar : "") + " over " + oldObject.data.foo`, plantedDataWrite...)
	}},
	"an update, refused in words that quote what another key was": {wants: []string{"Error: Request Refused"}, run: func(h *hiding) {
		h.Testmap(fixture.Contents{})
		h.wrote(`data = { foo = var.old, bar = var.apart }`)
		reason := metav1.StatusReasonInvalid
		h.Refuse(admissionv1.Validation{
			Expression: `has(object.data) && has(object.data.bar) && object.data.bar == oldObject.data.bar`, MessageExpression: `"bar must stay " + oldObject.data.bar`, Reason: &reason,
		})
		h.AwaitRefusal("testmap", `{"data":{"bar":"probe-probe"}}`)
		h.configure(fixture.DryRun, `data = { foo = var.new }`) // which drops it
		h.PlanRefused([]string{"Error: Request Refused"})
		h.configure("", `data = { foo = var.new }`)
		h.Plan()
		h.ApplyRefused()
		h.configure(fixture.DryRun, `data = { foo = var.old, bar = var.apart }`)
		h.PlanRefused([]string{"Error: Request Refused"}, "-destroy")
	}},
	"an update, and what it replaces": {wants: []string{"previous_data"}, unlogged: true, run: func(h *hiding) {
		h.Testmap(fixture.Contents{})
		h.wrote(`data = { foo = var.old, bar = var.old }`)
		h.wrote(`data = { foo = var.new, bar = var.new }`)
		h.wrote(`data = { foo = var.newer }`)
		h.Destroy()
	}},
}

func TestConfigMapDataHiddenValuesArePrintedNowhere(t *testing.T) {
	t.Parallel()
	for way, hides := range hidingWays("hide_values") {
		for name, path := range hidingDataPaths {
			t.Run(way+"/"+name, func(t *testing.T) { newHiding(t, hides, fixture.DataBlock).goes(path) })
		}
		const replaces = "an update, and what it replaces" // a command line shows more of it than the driver
		t.Run(way+"/"+replaces+", on a command line", func(t *testing.T) { newCLIHiding(t, hides, fixture.DataBlock).goes(hidingDataPaths[replaces]) })
	}
}

// Values that were stored while they were shown leave the state when they are hidden, even if only the apply knows it.
func TestConfigMapDataHidingForgetsWhatWasReplaced(t *testing.T) {
	t.Parallel()
	forgetsWhatWasReplaced(t, "previous_data", map[string]any{"foo": planted}, fixture.DataBlock("foo", `data = { foo = "2" }`, `expected_data = { foo = "`+planted+`" }`),
		func(hide string) string {
			return fixture.DataBlock("foo", `data = { foo = "2" }`, "hide_values = "+hide)
		})
}
