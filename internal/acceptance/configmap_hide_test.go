package acceptance_test

import (
	"crypto/sha256"
	"fmt"
	"testing"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var hidingWholePaths = map[string]hidingPath{
	"exists": {wants: []string{"Error: ConfigMap Already Exists"}, mute: true, run: func(h *hiding) {
		h.create("testmap", data{"foo": plantedValues["foreign"]})
		h.configure("", `data = { foo = var.new }`)
		h.planRefused(nil)
	}},
	"conflict at apply": {wants: []string{"Error: Compare-And-Swap Conflict", "Key: foo"}, run: func(h *hiding) {
		h.wrote(`data = { foo = var.old }`)
		h.configure(`  plan_check = "off"`, `data = { foo = var.new }`)
		h.plan()
		h.set("testmap", "foo", plantedValues["foreign"])
		h.applyRefused()
	}},
	"conflict of a destroy": {wants: []string{"Error: Compare-And-Swap Conflict", "Key: foo"}, run: func(h *hiding) {
		h.wrote(`data = { foo = var.old }`)
		h.plan("-destroy")
		h.set("testmap", "foo", plantedValues["foreign"])
		h.applyRefused()
	}},
	"unmanaged keys": {wants: []string{"Warning: Unmanaged Keys Will Change", "Key: foo"}, run: func(h *hiding) {
		h.wrote(`labels = { a = "b" }`)
		h.set("testmap", "foo", plantedValues["foreign"])
		h.configure("", `data = { foo = var.new }`)
		h.plan()
	}},
	"changed by admission": {wants: []string{"Warning: ConfigMap Changed By Admission"}, run: func(h *hiding) {
		h.testmap(contents{})
		h.mutateFoo()
		h.wrote(`name = "made"`, `data = { foo = var.new }`)
	}},
	"refused by a policy that quotes": {wants: []string{"Error: Request Refused"}, run: func(h *hiding) {
		h.testmap(contents{})
		reason := metav1.StatusReasonInvalid
		h.refuse(admissionv1.Validation{
			Expression: `!has(object.data) || !("foo" in object.data)`, Message: "foo is refused",
			MessageExpression: `"foo must not be " + object.data.foo`, Reason: &reason,
		})
		h.awaitPolicy("refused", func(_ string, err error) bool { return err != nil })
		h.configure("  plan_dry_run = true", `name = "made"`, `data = { foo = var.new }`)
		h.planRefused(nil)
	}},
}

func TestHiddenValuesOfAConfigMapArePrintedNowhere(t *testing.T) {
	t.Parallel()
	for way, hides := range hidingWays("hide_values") {
		for name, path := range hidingWholePaths {
			t.Run(way+"/"+name, func(t *testing.T) { newHiding(t, hides, wholeBlock).goes(path) })
		}
	}
}

// A counter has no attribute for it: the provider's hides.
func TestHiddenContentOfACounterIsPrintedNowhere(t *testing.T) {
	t.Parallel()
	path := hidingPath{wants: []string{"Error: Not A Counter"}, run: func(h *hiding) {
		h.create("testmap", data{"foo": plantedValues["foreign"]})
		h.configure("", `key = "foo"`)
		h.planRefused(nil)
	}}
	ways := hidingWays("hide_value")
	delete(ways, "by itself")
	for way, hides := range ways {
		t.Run(way, func(t *testing.T) { newHiding(t, hides, counterBlock).goes(path) })
	}
}

func digestOf(s string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(s))) }
