package secrecy

import (
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

var hidingWholePaths = map[string]hidingPath{
	"exists": {wants: []string{"Error: ConfigMap Already Exists"}, mute: true, run: func(h *hiding) {
		h.Create("testmap", fixture.Data{"foo": plantedValues["foreign"]})
		h.configure("", `data = { foo = var.new }`)
		h.PlanRefused(nil)
	}},
	"conflict at apply": {wants: []string{"Error: Compare-And-Swap Conflict", "Key: foo"}, run: func(h *hiding) {
		h.wrote(`data = { foo = var.old }`)
		h.configure(`  plan_check = "off"`, `data = { foo = var.new }`)
		h.Plan()
		h.Set("testmap", "foo", plantedValues["foreign"])
		h.ApplyRefused()
	}},
	"conflict of a destroy": {wants: []string{"Error: Compare-And-Swap Conflict", "Key: foo"}, run: func(h *hiding) {
		h.wrote(`data = { foo = var.old }`)
		h.Plan("-destroy")
		h.Set("testmap", "foo", plantedValues["foreign"])
		h.ApplyRefused()
	}},
	"unmanaged keys": {wants: []string{"Error: Key Already Exists", "Warning: Unmanaged Keys Will Change", "Key: foo"}, run: func(h *hiding) {
		h.wrote(`labels = { a = "b" }`)
		h.Set("testmap", "foo", plantedValues["foreign"])
		h.configure("", `data = { foo = var.new }`)
		h.PlanRefused(nil)
		h.configure("", `data = { foo = var.new }`, `expected_resource_version_wo = `+fixture.Quoted(h.Live("testmap").ResourceVersion))
		h.Plan()
	}},
	"changed by admission": {wants: []string{"Warning: Value Not Stored As Sent"}, run: func(h *hiding) {
		h.Testmap(fixture.Contents{})
		h.MutateFoo()
		h.wrote(`name = "made"`, `data = { foo = var.new }`)
	}},
	"refused by a policy that quotes": {wants: []string{"Error: Request Refused"}, run: func(h *hiding) {
		h.Testmap(fixture.Contents{})
		reason := metav1.StatusReasonInvalid
		h.Refuse(admissionv1.Validation{
			Expression: `!has(object.data) || !("foo" in object.data)`, Message: "foo is refused",
			MessageExpression: `"foo must not be " + object.data.foo`, Reason: &reason,
		})
		h.AwaitPolicy("refused", func(_ string, err error) bool { return err != nil })
		h.configure("  plan_dry_run = true", `name = "made"`, `data = { foo = var.new }`)
		h.PlanRefused(nil)
	}},
}

func TestHiddenValuesOfAConfigMapArePrintedNowhere(t *testing.T) {
	t.Parallel()
	for way, hides := range hidingWays("hide_values") {
		for name, path := range hidingWholePaths {
			t.Run(way+"/"+name, func(t *testing.T) { newHiding(t, hides, fixture.WholeBlock).goes(path) })
		}
	}
}

// A counter has no attribute for it: the provider's hides.
func TestHiddenContentOfACounterIsPrintedNowhere(t *testing.T) {
	t.Parallel()
	path := hidingPath{wants: []string{"Error: Not A Counter"}, run: func(h *hiding) {
		h.Create("testmap", fixture.Data{"foo": plantedValues["foreign"]})
		h.configure("", `key = "foo"`)
		h.PlanRefused(nil)
	}}
	ways := hidingWays("hide_values")
	delete(ways, "by itself")
	for way, hides := range ways {
		t.Run(way, func(t *testing.T) { newHiding(t, hides, fixture.CounterBlock).goes(path) })
	}
}
