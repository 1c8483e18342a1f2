package acceptance_test

import "testing"

const (
	twiceRefused = "Error: Key Written Twice"
	twiceWarned  = "Warning: Key Written Twice"
)

// Two resources of one run write the same key. Whichever comes second would undo the first, or be refused at apply.
func TestTwoResourcesWriteOneKey(t *testing.T) {
	t.Parallel()
	foo := func(name string, lines ...string) string { return entryBlock(name, append(lines, `key = "foo"`)...) }
	tests := map[string]struct {
		live data
		body string
	}{
		"two entries": {nil, foo("a", `value = "1"`) + foo("b", `value = "2"`)},
		"both adopt": {
			data{"foo": "1"}, foo("a", `value = "1"`, `adopt_existing = true`) + foo("b", `value = "1"`, `adopt_existing = true`),
		},
		"an entry and data": {nil, foo("a", `value = "1"`) + dataBlock("b", `data = { foo = "2", bar = "3" }`)},
		"both expect the same": {
			data{"foo": "0"}, foo("a", `value = "1"`, `expected_value = "0"`) + foo("b", `value = "2"`, `expected_value = "0"`),
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := newPipeline(t)
			p.create("testmap", test.live)
			p.write(test.body)
			p.planRefused([]string{twiceRefused, "foo"})
			p.wantLive("testmap", test.live)

			p.setenv("CAS_PLAN_CHECK", "warning")
			p.wants(p.plan(), twiceWarned)
			p.setenv("CAS_PLAN_CHECK", "off")
			p.wants(p.plan(), "!"+twiceWarned)
		})
	}
}

// A ConfigMap that declares a key, and an entry of the same key.
func TestAWholeConfigMapAndAnEntryWriteOneKey(t *testing.T) {
	p := newPipeline(t)
	whole := func(foo string, lines ...string) string {
		return wholeBlock("it", append(lines, `data = { foo = "`+foo+`", bar = "1" }`)...)
	}
	const entry = `depends_on = [cas_configmap.it]`
	p.write(whole("1") + entryBlock("a", `key = "foo"`, `value = "2"`, `expected_value = "1"`, entry))
	p.wants(p.plan(), "!"+twiceWarned) // the ConfigMap gives it its first value

	p.planned(whole("1"))
	p.write(whole("2") + entryBlock("a", `key = "foo"`, `value = "3"`, `expected_value = "1"`, entry))
	p.planRefused([]string{twiceRefused})
	p.write(whole("1", `labels = { a = "b" }`) + entryBlock("a", `key = "foo"`, `value = "3"`, `expected_value = "1"`, entry))
	p.wants(p.plan(), "!"+twiceWarned) // the ConfigMap does not write foo in this run
}

// Two resources of one run create the same ConfigMap. One of them would be refused at apply.
func TestTwoResourcesCreateOneConfigMap(t *testing.T) {
	const refused, warned = "Error: ConfigMap Created Twice", "Warning: ConfigMap Created Twice"
	p := newPipeline(t)
	one, two := wholeBlock("one", `data = { a = "1" }`), wholeBlock("two", `data = { b = "1" }`)
	p.write(one + two)
	p.planRefused([]string{refused, "Another resource creates this ConfigMap in the same run.", "ConfigMap: " + p.namespace + "/testmap"})
	p.setenv("CAS_PLAN_CHECK", "warning")
	p.wants(p.plan(), warned)
	p.setenv("CAS_PLAN_CHECK", "off")
	p.wants(p.plan(), "!"+warned)
	p.setenv("CAS_PLAN_CHECK", "error")

	p.planned(one)
	p.write(one + wholeBlock("two", `name = "second"`, `data = { b = "1" }`))
	p.wants(p.plan(), "!Created Twice")
	p.apply()
}

// One resource that Terraform plans in two calls is no second creation.
func TestAReplaceCreatesOneConfigMap(t *testing.T) {
	t.Parallel()
	tests := map[string]struct{ first, second []string }{
		"of the same name": {[]string{`data = { a = "1" }`}, []string{`data = { a = "2" }`}},
		"of another name":  {[]string{`data = { a = "1" }`}, []string{`name = "second"`, `data = { a = "1" }`}},
		"created first":    {[]string{`data = { a = "1" }`, createFirst}, []string{`name = "second"`, `data = { a = "1" }`, createFirst}},
		"of a name that is generated": {
			[]string{`generate_name = "m-"`, `data = { a = "1" }`, createFirst}, []string{`generate_name = "m-"`, `data = { a = "2" }`, createFirst},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := newPipeline(t)
			p.planned(wholeBlock("it", test.first...))
			p.write(wholeBlock("it", test.second...))
			p.wants(p.on.Plan(planFile, "-replace=cas_configmap.it").All(), "!Created Twice")
			p.apply()
		})
	}
}

// Only what is written in this run counts.
func TestTwoResourcesOfOneKeyOfWhichOneIsUnchanged(t *testing.T) {
	p := newPipeline(t)
	p.testmap(contents{})
	first := entryBlock("a", `key = "foo"`, `value = "1"`)
	p.planned(first)
	second := entryBlock("b", `key = "foo"`, `value = "1"`, `adopt_existing = true`)
	p.write(first + second)
	p.wants(p.plan(), "!"+twiceWarned)
	p.apply()

	// Both change it.
	p.write(entryBlock("a", `key = "foo"`, `value = "2"`) + entryBlock("b", `key = "foo"`, `value = "3"`))
	p.planRefused([]string{twiceRefused})
	// Both let go of it: there is nothing to undo.
	p.planned("")
	p.wantLive("testmap", nil)
}

// One resource that Terraform plans in two calls is no second resource.
func TestAReplaceIsOneResource(t *testing.T) {
	t.Parallel()
	for name, lifecycle := range map[string]string{"destroy first": "", "create first": createFirst} {
		t.Run(name, func(t *testing.T) {
			p := newPipeline(t)
			p.testmap(contents{})
			p.planned(dataBlock("it", `data = { foo = "1" }`, lifecycle))
			p.write(dataBlock("it", `data = { foo = "2" }`, `adopt_existing = true`, lifecycle))
			out := p.on.Plan(planFile, "-replace=cas_configmap_data.it")
			p.wants(out.All(), "!Key Written Twice")
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
		"entry":                   {entryBlock("it", `value = "2"`, `expected_value = "1"`), true},
		"adopted":                 {entryBlock("it", `value = "1"`, `adopt_existing = true`), true},
		"restored":                {entryBlock("it", `value = "2"`, `expected_value = "1"`, `deletion_policy = "restore"`), false},
		"abandoned":               {entryBlock("it", `value = "2"`, `expected_value = "1"`, `deletion_policy = "abandon"`), false},
		"a key of our own":        {entryBlock("it", `key = "new"`, `value = "2"`), false},
		"data":                    {dataBlock("it", `data = { foo = "2", new = "1" }`, `expected_data = { foo = "1" }`), true},
		"data of keys of our own": {dataBlock("it", `data = { new = "1" }`), false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := newPipeline(t)
			p.create("testmap", data{"foo": "1"})
			p.planned(test.body)
			wants := []string{"!" + warned}
			if test.warned {
				wants = []string{warned, "foo", `deletion_policy = "restore"`, "!Key: new"}
			}
			p.wants(p.plan("-destroy"), wants...)
			p.apply()
		})
	}
	t.Run("a key that is dropped from data", func(t *testing.T) {
		p := newPipeline(t)
		p.create("testmap", data{"foo": "1"})
		p.planned(dataBlock("it", `data = { foo = "2", new = "1" }`, `expected_data = { foo = "1" }`))
		p.write(dataBlock("it", `data = { new = "1" }`))
		p.wants(p.plan(), warned)
	})
}
