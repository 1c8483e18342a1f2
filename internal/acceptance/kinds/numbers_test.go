package kinds

import (
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// A number that an attribute cannot have is an error that names the attribute.
func TestNumbersThatDoNotFit(t *testing.T) {
	t.Parallel()
	const whole = ": must be a whole number of 64 bits."
	for name, test := range map[string]struct{ settings, body, told string }{
		"a step":           {"", fixture.CounterBlock("n", "step = 1.5"), "Attribute step" + whole},
		"an initial":       {"", fixture.CounterBlock("n", "initial = 1e30"), "Attribute initial" + whole},
		"a range":          {"", fixture.BlockOf("cas_configmap_allocation", "a", []string{"numbers = { from = 1.5, to = 2 }"}), "Attribute numbers.from" + whole},
		"an exception":     {"", fixture.BlockOf("cas_configmap_allocation", "a", []string{"numbers = { from = 1, to = 2, except = [1.5] }"}), "must be a whole number of 64 bits."},
		"a prefix":         {"", fixture.BlockOf("cas_configmap_allocation", "a", []string{`cidr = { within = ["10.0.0.0/8"], prefix = 24.5 }`}), "Attribute cidr.prefix" + whole},
		"a version":        {"", fixture.SecretEntry(`value_wo = "1"`, "value_wo_version = 1.5"), "Attribute value_wo_version" + whole},
		"requests":         {"qps = 1e400", fixture.EntryBlock("foo", `value = "1"`), "Attribute qps: must be a number of 64 bits."},
		"a burst":          {"qps = 5\nburst_limit = 1.5", fixture.EntryBlock("foo", `value = "1"`), "Attribute burst_limit" + whole},
		"unknown at first": {"", "variable \"step\" {\n  default = 1.5\n}\n" + fixture.CounterBlock("n", "step = var.step"), "Attribute step" + whole},
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Create("testmap", fixture.Data{})
			p.WriteFor(p.Kubeconfig, test.settings, test.body)
			p.PlanRefused([]string{"Error: Invalid Number", test.told, "!error in the provider", "!Unexpected"})
		})
	}
}
