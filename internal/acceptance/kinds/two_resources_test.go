package kinds

import (
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

const (
	twiceRefused = "Error: Key Written Twice"
	twiceWarned  = "Warning: Key Written Twice"
)

// Two resources of one run write the same key. Whichever comes second would undo the first, or be refused at apply.
func TestTwoResourcesWriteOneKey(t *testing.T) {
	t.Parallel()
	foo := func(name string, lines ...string) string {
		return fixture.EntryBlock(name, append(lines, `key = "foo"`)...)
	}
	tests := map[string]struct {
		live fixture.Data
		body string
	}{
		"two entries": {nil, foo("a", `value = "1"`) + foo("b", `value = "2"`)},
		"both adopt": {
			fixture.Data{"foo": "1"}, foo("a", `value = "1"`, `adopt_existing = true`) + foo("b", `value = "1"`, `adopt_existing = true`),
		},
		"an entry and data": {nil, foo("a", `value = "1"`) + fixture.DataBlock("b", `data = { foo = "2", bar = "3" }`)},
		"both expect the same": {
			fixture.Data{"foo": "0"}, foo("a", `value = "1"`, `expected_value = "0"`) + foo("b", `value = "2"`, `expected_value = "0"`),
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Create("testmap", test.live)
			p.Write(test.body)
			p.PlanRefused([]string{twiceRefused, "foo"})
			p.WantLive("testmap", test.live)

			p.Export("CAS_PLAN_CHECK", "warning")
			p.Wants(p.Plan(), twiceWarned)
			p.Export("CAS_PLAN_CHECK", "off")
			p.Wants(p.Plan(), "!"+twiceWarned)
		})
	}
}

// Two resources of one run create the same ConfigMap. One of them would be refused at apply.
func TestTwoResourcesCreateOneConfigMap(t *testing.T) {
	const refused, warned = "Error: ConfigMap Created Twice", "Warning: ConfigMap Created Twice"
	p := fixture.NewPipeline(t)
	one, two := fixture.WholeBlock("one", `data = { a = "1" }`), fixture.WholeBlock("two", `data = { b = "1" }`)
	p.Write(one + two)
	p.PlanRefused([]string{refused, "Another resource creates this ConfigMap in the same run.", "ConfigMap: " + p.Namespace + "/testmap"})
	p.Export("CAS_PLAN_CHECK", "warning")
	p.Wants(p.Plan(), warned)
	p.Export("CAS_PLAN_CHECK", "off")
	p.Wants(p.Plan(), "!"+warned)
	p.Export("CAS_PLAN_CHECK", "error")

	p.Planned(one)
	p.Write(one + fixture.WholeBlock("two", `name = "second"`, `data = { b = "1" }`))
	p.Wants(p.Plan(), "!Created Twice")
	p.Apply()
}

// One instance would delete the object that another one has: after a new address without a moved block, and after an import of it there.
func TestAWholeObjectMovesBetweenInstances(t *testing.T) {
	t.Parallel()
	for _, kind := range fixture.ObjectKinds {
		t.Run(kind.Name, func(t *testing.T) {
			fixture.OnEachProfile(t, func(p *fixture.Pipeline) {
				of := "cas_" + strings.ToLower(kind.Name)
				named := func(label string, lines ...string) string {
					return strings.Replace(fixture.WholeBlock(label, append(lines, `data`+kind.Suffix+` = { foo = "1" }`)...), "cas_configmap", of, 1)
				}
				moves := kind.Name + " Moves Between Instances"
				p.Planned(named("a"))
				p.Write(named("b"))
				p.PlanRefused([]string{"Error: " + moves, "One instance deletes this " + kind.Name + ", and another one has it", "add a moved block"})
				p.Write("moved {\n  from = " + of + ".a\n  to = " + of + ".b\n}\n" + named("b"))
				p.Wants(p.Plan(), "0 to add, 0 to change, 0 to destroy.")
				p.Apply()

				labeled := named("a", `labels = { team = "x" }`)
				p.Write(labeled + named("b"))
				p.Do("import", of+".a", p.Namespace+"/testmap")
				p.PlanRefused([]string{"Key Written Twice"})
				for _, left := range []string{named("a"), named("a", `immutable = true`), labeled} {
					p.Write(left)
					p.PlanRefused([]string{"Error: " + moves, "run terraform state rm"})
				}
				p.Export("CAS_PLAN_CHECK", "off")
				p.Wants(p.Plan(), "!"+moves)
				p.Export("CAS_PLAN_CHECK", "error")
				p.Do("state", "rm", of+".b")
				p.Wants(p.Plan(), "!"+moves)
			})
		})
	}
}

// One resource that Terraform plans in two calls is no second creation.
func TestAReplaceCreatesOneConfigMap(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ first, second []string }{
		"of the same name": {[]string{`data = { a = "1" }`}, []string{`data = { a = "2" }`}},
		"of another name":  {[]string{`data = { a = "1" }`}, []string{`name = "second"`, `data = { a = "1" }`}},
		"created first":    {[]string{`data = { a = "1" }`, fixture.CreateFirst}, []string{`name = "second"`, `data = { a = "1" }`, fixture.CreateFirst}},
		"of a name that is generated": {
			[]string{`generate_name = "m-"`, `data = { a = "1" }`, fixture.CreateFirst}, []string{`generate_name = "m-"`, `data = { a = "2" }`, fixture.CreateFirst},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Planned(fixture.WholeBlock("it", test.first...))
			p.Write(fixture.WholeBlock("it", test.second...))
			p.Wants(p.On.Plan(fixture.PlanFile, "-replace=cas_configmap.it").All(), "!Created Twice")
			p.Apply()
		})
	}
}

// A key that does not change counts as well. If both resources have the key already, the plan refuses either write, and both may release the key.
func TestTwoResourcesOfOneKeyOfWhichOneIsUnchanged(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Testmap(fixture.Contents{})
	first := fixture.EntryBlock("a", `key = "foo"`, `value = "1"`)
	p.Planned(first)
	second := fixture.EntryBlock("b", `key = "foo"`, `value = "1"`, `adopt_existing = true`)
	p.Write(first + second)
	p.PlanRefused([]string{twiceRefused})
	p.Export("CAS_PLAN_CHECK", "warning")
	p.Wants(p.Plan(), twiceWarned)
	p.Apply()
	p.Export("CAS_PLAN_CHECK", "error")

	// Both change it.
	p.Write(fixture.EntryBlock("a", `key = "foo"`, `value = "2"`) + fixture.EntryBlock("b", `key = "foo"`, `value = "3"`))
	p.PlanRefused([]string{twiceRefused})
	// Both release the key: there is nothing to undo.
	p.Planned("")
	p.WantLive("testmap", nil)
}

// One resource that Terraform plans in two calls is no second resource.
func TestAReplaceIsOneResource(t *testing.T) {
	t.Parallel()
	for name, lifecycle := range map[string]string{"destroy first": "", "create first": fixture.CreateFirst} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Testmap(fixture.Contents{})
			p.Planned(fixture.DataBlock("it", `data = { foo = "1" }`, lifecycle))
			p.Write(fixture.DataBlock("it", `data = { foo = "2" }`, `adopt_existing = true`, lifecycle))
			out := p.On.Plan(fixture.PlanFile, "-replace=cas_configmap_data.it")
			p.Wants(out.All(), "!Key Written Twice")
		})
	}
}

// To destroy what was there before deletes more than Terraform made.
func TestDestroyOfAKeyThatExistedBeforeTerraform(t *testing.T) {
	t.Parallel()
	const warned = "Warning: Key Existed Before Terraform"
	tests := map[string]struct {
		body   string
		warned bool
	}{
		"entry":                   {fixture.EntryBlock("it", fixture.Deletes, `value = "2"`, `expected_value = "1"`), true},
		"adopted":                 {fixture.EntryBlock("it", fixture.Deletes, `value = "1"`, `adopt_existing = true`), true},
		"restored":                {fixture.EntryBlock("it", `value = "2"`, `expected_value = "1"`, `deletion_policy = "restore"`), false},
		"abandoned":               {fixture.EntryBlock("it", `value = "2"`, `expected_value = "1"`, `deletion_policy = "abandon"`), false},
		"a key of our own":        {fixture.EntryBlock("it", fixture.Deletes, `key = "new"`, `value = "2"`), false},
		"data":                    {fixture.DataBlock("it", fixture.Deletes, `data = { foo = "2", new = "1" }`, `expected_data = { foo = "1" }`), true},
		"data of keys of our own": {fixture.DataBlock("it", fixture.Deletes, `data = { new = "1" }`), false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Create("testmap", fixture.Data{"foo": "1"})
			p.Planned(test.body)
			wants := []string{"!" + warned}
			if test.warned {
				wants = []string{warned, "foo", `deletion_policy = "restore"`, "!Key: new"}
			}
			p.Wants(p.Plan("-destroy"), wants...)
			p.Apply()
		})
	}
	t.Run("a key that is dropped from data", func(t *testing.T) {
		p := fixture.NewPipeline(t)
		p.Create("testmap", fixture.Data{"foo": "1"})
		p.Planned(fixture.DataBlock("it", fixture.Deletes, `data = { foo = "2", new = "1" }`, `expected_data = { foo = "1" }`))
		p.Write(fixture.DataBlock("it", fixture.Deletes, `data = { new = "1" }`))
		p.Wants(p.Plan(), warned)
	})
}
