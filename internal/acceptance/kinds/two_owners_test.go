package kinds

import (
	"fmt"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// Two resources have one key, however many others there are, and whether those have a state, which Terraform reads meanwhile. Reads and plans come in any
// order, so that each plan is made several times.
func TestTwoOwnersOfOneKeyAreCaughtWhateverElseIsRefreshed(t *testing.T) {
	t.Parallel()
	twice := func(lines ...string) string {
		lines = append(lines, `key = "shared"`, `value = "1"`, `adopt_existing = true`)
		return fixture.EntryBlock("a", lines...) + fixture.EntryBlock("b", lines...)
	}
	for _, n := range []int{2, 40, 120} {
		others, want := fixture.Entries(n, "1", "key")
		for name, test := range map[string]struct{ before, after string }{
			"without state":              {"", others + twice()},
			"with state":                 {others, others + twice()},
			"with state that is changed": {others, others + twice(`conflict_scope = "key"`)},
			"one of them unchanged": {
				others, others + fixture.EntryBlock("b", `key = "k001"`, `value = "1"`, `adopt_existing = true`, `conflict_scope = "key"`),
			},
		} {
			t.Run(fmt.Sprintf("%d entries %s", n, name), func(t *testing.T) {
				p := fixture.NewPipeline(t)
				p.Testmap(fixture.Contents{})
				if test.before != "" {
					p.Planned(test.before)
					p.WantLive("testmap", want)
				}
				p.Write(test.after)
				before := p.Live("testmap")
				for range min(12, 480/n) {
					p.PlanRefused([]string{twiceRefused})
				}
				p.WantUnchanged(before)
			})
		}
	}
}

// Given a key that two resources have already; then each plan reports the key until one of them releases it. A removal
// of the key under the other resource is refused as well.
func TestTwoOwnersThatAreThereAlready(t *testing.T) {
	t.Parallel()
	fixture.OnEachProfile(t, func(p *fixture.Pipeline) {
		p.Testmap(fixture.Contents{})
		one := fixture.EntryBlock("a", `value = "1"`)
		both := one + fixture.EntryBlock("b", `value = "1"`, `adopt_existing = true`)
		p.Planned(one)
		p.Write(both)
		p.PlanRefused([]string{twiceRefused, "Another resource has foo in the same configuration."})
		p.WriteFor(p.Kubeconfig, defaults(fixture.Deletes), both)
		p.Do("import", "cas_configmap_entry.b", p.Namespace+"/testmap/foo")
		p.PlanRefused([]string{twiceRefused})

		p.Export("CAS_PLAN_CHECK", "warning")
		p.Write(fixture.EntryBlock("a", `value = "2"`, `conflict_scope = "key"`) + fixture.EntryBlock("b", `value = "3"`, `conflict_scope = "key"`, "depends_on = [cas_configmap_entry.a]"))
		p.Wants(p.Plan(), twiceWarned, "The apply refuses the second write.")
		p.ApplyRefused(twiceRefused)
		p.WantLive("testmap", fixture.Data{"foo": "2"})
		p.Export("CAS_PLAN_CHECK", "error")
		one = fixture.EntryBlock("a", `value = "2"`, `conflict_scope = "key"`)

		p.Write(one)
		p.PlanRefused([]string{"Error: Key Moves Between Instances", "another one keeps it", "To keep it, run terraform state rm"})
		p.WantLive("testmap", fixture.Data{"foo": "2"})
		p.Do("state", "rm", "cas_configmap_entry.b")
		p.PlanNothing()
	})
}

// Guards own nothing, nor does an action's swap.
func TestGuardsOwnNothing(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Testmap(fixture.Contents{})
	p.Planned(fixture.EntryBlock("a", `value = "1"`, `conflict_scope = "key"`))
	guarded := fixture.EntryBlock("a", `value = "1"`, `conflict_scope = "key"`) +
		fixture.DataBlock("b", `data = { bar = "1" }`, `expected_data = { foo = "1" }`, `conflict_scope = "key"`) +
		fixture.DataBlock("c", `data = { baz = "1" }`, `expected_data = { foo = "1" }`, `conflict_scope = "key"`)
	p.Planned(guarded)
	p.PlanNothing()
}

// Where the plan does not know the keys yet, or was let pass, the apply refuses the second one. It may neither write the key nor take it over.
func TestTheSecondOwnerIsRefusedAtApply(t *testing.T) {
	t.Parallel()
	const key = "resource \"terraform_data\" \"key\" {\n  input = \"foo\"\n}\n"
	entry := func(name string, lines ...string) string {
		return fixture.EntryBlock(name, append(lines, `key = terraform_data.key.output`)...)
	}
	adopts := []string{`value = "1"`, `adopt_existing = true`}
	for name, test := range map[string]struct {
		live        fixture.Data
		first, then string
	}{
		"both adopt":      {fixture.Data{"foo": "1"}, entry("a", adopts...), entry("b", append(adopts, "depends_on = [cas_configmap_entry.a]")...)},
		"one writes":      {fixture.Data{}, entry("a", `value = "1"`), entry("b", append(adopts, "depends_on = [cas_configmap_entry.a]")...)},
		"both write":      {fixture.Data{}, entry("a", `value = "1"`), entry("b", `value = "2"`, `expected_value = "1"`, "depends_on = [cas_configmap_entry.a]")},
		"data and entry":  {fixture.Data{"foo": "1"}, fixture.DataBlock("a", `data = { (terraform_data.key.output) = "1" }`, `adopt_existing = true`), entry("b", append(adopts, "depends_on = [cas_configmap_data.a]")...)},
		"a counter first": {fixture.Data{"foo": "1"}, fixture.CounterBlock("a", `key = terraform_data.key.output`), entry("b", `value = "2"`, `adopt_existing = true`, "depends_on = [cas_configmap_counter.a]")},
	} {
		t.Run(name, func(t *testing.T) {
			fixture.OnEachProfile(t, func(p *fixture.Pipeline) {
				p.Create("testmap", test.live)
				p.Write(key + test.first + test.then)
				p.Plan()
				p.ApplyRefused(twiceRefused, "Another resource of this run has written foo, or taken it over.", "Nothing was written for this resource.")
				p.WantState("a")
				p.Write(key + test.first)
				p.PlanNothing()
			})
		})
	}
}

// A replace removes the key first, and several counters share one.
func TestCountersAndAReplaceTakeNoKeyTwice(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{"n": "1"})
	body := fixture.EntryBlock("a", `value = "1"`) + fixture.CounterBlock("x", `key = "n"`) + fixture.CounterBlock("y", `key = "n"`)
	p.Planned(body)
	p.Plan("-replace=cas_configmap_entry.a")
	p.Apply()
	p.PlanNothing()
	p.WantLive("testmap", fixture.Data{"foo": "1", "n": "3"})
}
