package kinds

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver"
	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// defaults is the line of a provider block.
func defaults(lines string) string { return "defaults = { " + lines + " }" }

const guarded = `conflict_scope = "key", on_drift = "error", deletion_policy = "abandon"`

// holds fails the test unless a resource's state has the attributes.
func holds(p *fixture.Pipeline, name string, want map[string]string) {
	p.Helper()
	got := p.State()[name].Attributes
	for attribute, value := range want {
		if got[attribute] != value {
			p.Errorf("%s of %s is %v, want %q", attribute, name, got[attribute], value)
		}
	}
}

// A default counts wherever a resource sets nothing, and the plan shows it. A change of the default is an update of all resources that follow it, and
// sends nothing.
func TestDefaultsOfTheProvider(t *testing.T) {
	t.Parallel()
	for _, profile := range []driver.Profile{driver.Terraform111, driver.OpenTofu, driver.Terraform116} {
		t.Run(profile.Name, func(t *testing.T) {
			p := fixture.NewPipelineOf(t, profile)
			p.Create("testmap", fixture.Data{"old": "0"})
			body := fixture.EntryBlock("foo", `value = "1"`) + fixture.DataBlock("data", `data = { bar = "1" }`) +
				fixture.EntryBlock("own", `key = "own"`, `value = "1"`, `on_drift = "overwrite"`, `deletion_policy = "delete"`, `conflict_scope = "object"`) +
				fixture.WholeBlock("whole", `name = "whole"`, `data = { a = "1" }`)
			p.WriteFor(p.Kubeconfig, defaults(guarded), body)
			if p.Wants(p.Plan(), `on_drift = "error"`, `deletion_policy = "abandon"`, `conflict_scope = "key"`); p.Failed() {
				return // what nothing fills in stays unknown, and the driver stores no such state
			}
			p.Apply()
			p.PlanNothing()
			given := map[string]string{"conflict_scope": "key", "on_drift": "error", "deletion_policy": "abandon"}
			holds(p, "foo", given)
			holds(p, "data", given)
			holds(p, "own", map[string]string{"conflict_scope": "object", "on_drift": "overwrite", "deletion_policy": "delete"})
			holds(p, "whole", map[string]string{"on_drift": "error"})

			before, whole := p.Live("testmap"), p.Live("whole")
			p.WriteFor(p.Kubeconfig, defaults(`conflict_scope = "key", on_drift = "overwrite"`), body)
			p.Wants(p.Plan(), "0 to add, 3 to change, 0 to destroy", `"error" -> "overwrite"`)
			p.Apply()
			p.WantUnchanged(before)
			p.WantUnchanged(whole)
			p.PlanNothing()
			holds(p, "foo", map[string]string{"conflict_scope": "key", "on_drift": "overwrite", "deletion_policy": "release"})

			// Without a block, and with a value that changes as well.
			p.Planned(fixture.EntryBlock("foo", `value = "2"`) + fixture.DataBlock("data", `data = { bar = "1" }`))
			p.PlanNothing()
			holds(p, "foo", map[string]string{"conflict_scope": "object", "on_drift": "error", "deletion_policy": "release"})
		})
	}
}

// The plan shows the values in force: drift that a default forbids to overwrite is not overwritten, and what a default keeps is kept.
func TestDefaultsAreInForce(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{})
	config := func(value string) {
		p.WriteFor(p.Kubeconfig, defaults(guarded), fixture.EntryBlock("foo", "value = "+fixture.Quoted(value)))
	}
	config("1")
	p.PlanApply()
	fixture.SetsFoo("9")(p)
	config("2")
	p.PlanRefused([]string{fixture.DriftRefused, `on_drift = "error" protects it.`})
	fixture.SetsFoo("1")(p)
	fixture.SetsOther(p) // of no concern in key scope
	p.PlanApply()

	// A destroy uses the state, whatever the provider says now.
	p.WriteFor(p.Kubeconfig, defaults(`deletion_policy = "delete"`), fixture.Nothing)
	p.PlanApply()
	p.WantLive("testmap", fixture.Data{"foo": "2", "bar": "other"})
}

// An import and a move take the defaults, so that the plan after them has nothing to do.
func TestDefaultsOfImportsAndMoves(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{"foo": "1", "bar": "1"})
	body := fixture.EntryBlock("foo", `value = "1"`) + fixture.DataBlock("data", `data = { bar = "1" }`)
	p.WriteFor(p.Kubeconfig, defaults(guarded), body)
	p.Do("import", "cas_configmap_entry.foo", p.Namespace+"/testmap/foo")
	p.Do("import", "cas_configmap_data.data", p.Namespace+"/testmap:bar")
	p.PlanNothing()
	p.WriteFor(p.Kubeconfig, defaults(guarded), fixture.EntryBlock("renamed", `value = "1"`)+fixture.DataBlock("data", `data = { bar = "1" }`)+
		"moved {\n  from = cas_configmap_entry.foo\n  to = cas_configmap_entry.renamed\n}\n")
	p.Wants(p.On.Plan(fixture.PlanFile).All(), "0 to add, 0 to change, 0 to destroy")
}

// So does a move from another provider, wherever Terraform asks for it: the plan may show that it takes the defaults, and the apply writes nothing for them. They are
// in force from then on.
func TestDefaultsOfAMoveFromAnotherProvider(t *testing.T) {
	t.Parallel()
	for _, kind := range fixture.ObjectKinds {
		for _, profile := range []driver.Profile{driver.Terraform111, driver.OpenTofu, driver.Terraform116} {
			t.Run(kind.Name+" "+profile.Name, func(t *testing.T) {
				p := fixture.NewPipelineOf(t, profile)
				o := fixture.Object{Fixture: p.Fixture, Kind: kind}
				o.Create(one)
				before := o.Live()
				others, moved := ofKubernetes(o)
				p.Planned(others)
				body := kind.Block("data", "1", "", "adopt_existing = true")
				p.WriteFor(p.Kubeconfig, defaults(guarded), moved+body)
				p.PlanApply()
				given := map[string]string{"conflict_scope": "key", "on_drift": "error", "deletion_policy": "abandon"}
				holds(p, "it", given)
				if diff := cmp.Diff(before, o.Live()); diff != "" {
					t.Errorf("the object changed (-before +after):\n%s", diff)
				}
				p.PlanNothing()
				p.WriteFor(p.Kubeconfig, defaults(`deletion_policy = "delete"`), fixture.Nothing) // a destroy uses the state
				p.PlanApply()
				if diff := cmp.Diff(before, o.Live()); diff != "" {
					t.Errorf("the object changed (-before +after):\n%s", diff)
				}
			})
		}
	}
}

// Each alias has its own.
func TestDefaultsOfTwoAliases(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{})
	p.WriteFor(p.Kubeconfig, defaults(`on_drift = "error"`), fmt.Sprintf("provider \"cas\" {\n  alias = \"other\"\n  config_path = %q\n  %s\n}\n", p.Kubeconfig, defaults(`conflict_scope = "key"`))+
		fixture.EntryBlock("foo", `value = "1"`)+fixture.EntryBlock("bar", "provider = cas.other", `key = "bar"`, `value = "1"`))
	p.PlanApply()
	p.PlanNothing()
	holds(p, "foo", map[string]string{"on_drift": "error", "conflict_scope": "object"})
	holds(p, "bar", map[string]string{"on_drift": "error", "conflict_scope": "key"})
}

// A default must be known at plan, since each plan of a resource shows the values in force.
func TestDefaultsThatAreNotKnownYet(t *testing.T) {
	p := fixture.NewPipeline(t)
	const drift = "resource \"terraform_data\" \"drift\" {\n  input = \"error\"\n}\n"
	p.WriteFor(p.Kubeconfig, "defaults = { on_drift = terraform_data.drift.output }", drift+fixture.EntryBlock("foo", `value = "1"`))
	p.PlanRefused([]string{
		"Error: Invalid Provider Argument", "Attribute defaults.on_drift: the value must be known at plan; use a literal or an input variable",
	})
	p.WriteFor(p.Kubeconfig, `defaults = { on_drift = "error" }`, drift+fixture.EntryBlock("foo", `value = "1"`))
	p.Wants(p.Plan(), `on_drift = "error"`)
}

// A default that a resource cannot have is an error that names the default.
func TestDefaultsThatAResourceCannotHave(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{})
	p.WriteFor(p.Kubeconfig, defaults(`deletion_policy = "restore"`), fixture.SecretEntry(`value_wo = "1"`, `value_wo_version = 1`))
	p.PlanRefused([]string{"Error: Invalid Provider Argument", `The provider's defaults have deletion_policy = "restore", which a resource of a Secret cannot have`})
	p.WriteFor(p.Kubeconfig, "", fixture.EntryBlock("foo", `value = "2"`, `expected_value = "1"`, `wait_for_match = "1m"`))
	p.PlanRefused([]string{"Error: Invalid Attribute Combination", `conflict_scope must be "key"`})
	p.WriteFor(p.Kubeconfig, defaults(`conflict_scope = "key"`), fixture.EntryBlock("foo", `value = "2"`, `expected_value = "1"`, `wait_for_match = "1m"`))
	p.Wants(p.Plan(), "Warning: Expectation Does Not Hold Yet")

	// The message names the default, and its step works.
	waiting := []string{`value = "2"`, `expected_value = "1"`, `wait_for_match = "1m"`}
	p.WriteFor(p.Kubeconfig, defaults(`conflict_scope = "object"`), fixture.EntryBlock("foo", waiting...))
	p.PlanRefused([]string{
		"Error: Invalid Attribute Combination", `Attribute wait_for_match: the provider's defaults have conflict_scope = "object"`,
		`set conflict_scope = "key" on this resource.`,
	})
	p.WriteFor(p.Kubeconfig, defaults(`conflict_scope = "object"`), fixture.EntryBlock("foo", append(waiting, `conflict_scope = "key"`)...))
	p.Wants(p.Plan(), "Warning: Expectation Does Not Hold Yet")
	p.WriteFor(p.Kubeconfig, defaults(`on_drift = "never"`), fixture.EntryBlock("foo", `value = "2"`))
	p.PlanRefused([]string{"on_drift"})
}

// A missing object is a warning of a creation's plan, except for an object that the same plan creates.
func TestMissingObject(t *testing.T) {
	p := fixture.NewPipeline(t)
	for _, body := range []string{
		fixture.EntryBlock("foo", `value = "1"`), fixture.DataBlock("it", `data = { foo = "1" }`),
		fixture.SecretEntry(`value_wo = "1"`, `value_wo_version = 1`), fixture.CounterBlock("n"),
		fixture.BlockOf("cas_configmap_allocation", "a", []string{`names = ["a"]`}),
	} {
		p.Write(body)
		p.Wants(p.Plan(), "Does Not Exist Yet")
	}
	p.Write(fixture.WholeBlock("it") + fixture.EntryBlock("foo", "name = cas_configmap.it.name", `value = "1"`))
	p.Wants(p.Plan(), "!Not Found", "!Does Not Exist")
	p.Apply()
}
