package counter

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/knownvalue"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/statecheck"
	"github.com/hashicorp/terraform-plugin-testing/tfjsonpath"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

const counterN = "cas_configmap_counter.n"

// counter is the configuration of the counter n, of key port in ConfigMap testmap.
func counter(f *fixture.Fixture, lines ...string) string {
	return f.Config(fixture.CounterBlock("n", append([]string{`key = "port"`}, lines...)...))
}

// takes is a step that is to do something to n, in which a number is taken.
func takes(config string, action plancheck.ResourceActionType, number int64) resource.TestStep {
	return resource.TestStep{
		Config: config,
		ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
			plancheck.ExpectResourceAction(counterN, action), plancheck.ExpectUnknownValue(counterN, tfjsonpath.New("value")),
		}},
		ConfigStateChecks: []statecheck.StateCheck{isNumber(number)},
	}
}

// keeps is a step that is to do something to n, in which the number stays.
func keeps(config string, action plancheck.ResourceActionType, number int64) resource.TestStep {
	return resource.TestStep{
		Config: config,
		ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
			plancheck.ExpectResourceAction(counterN, action),
			plancheck.ExpectKnownValue(counterN, tfjsonpath.New("value"), knownvalue.Int64Exact(number)),
		}},
		ConfigStateChecks: []statecheck.StateCheck{isNumber(number)},
	}
}

func isNumber(number int64) statecheck.StateCheck {
	return statecheck.ExpectKnownValue(counterN, tfjsonpath.New("value"), knownvalue.Int64Exact(number))
}

func TestCounterTakesANumberWhenTriggersChange(t *testing.T) {
	f := fixture.New(t)
	p := f.Proxied()
	f.Create("testmap", fixture.Data{"bar": "kept"})
	live := func(step resource.TestStep, port string, patches int) resource.TestStep {
		step.Check = fixture.Checked(func() {
			f.WantLive("testmap", fixture.Data{"port": port, "bar": "kept"})
			if n := p.Count(http.MethodPatch); n != patches {
				f.Errorf("%d patches, want %d", n, patches)
			}
			p.Reset()
		})
		return step
	}
	const none, update = plancheck.ResourceActionNoop, plancheck.ResourceActionUpdate
	f.RunSteps(
		live(takes(counter(f, "initial = 8000"), plancheck.ResourceActionCreate, 8000), "8001", 1),
		live(keeps(counter(f, "initial = 8000"), none, 8000), "8001", 0),
		live(keeps(counter(f, "initial = 9000", "step = 10"), update, 8000), "8001", 0),
		live(keeps(counter(f, "step = 10", "triggers = {}", `field_manager = "me"`, `timeouts = { create = "2m" }`), update, 8000), "8001", 0),
		live(keeps(counter(f, "step = 10"), update, 8000), "8001", 0),
		live(takes(counter(f, "step = 10", `triggers = { version = "1" }`), update, 8001), "8011", 1),
		live(takes(counter(f, "step = -1", `triggers = { version = "2" }`), update, 8011), "8010", 1),
		live(keeps(counter(f, "step = -1", `triggers = { version = "2" }`), none, 8011), "8010", 0),
		live(takes(counter(f), update, 8010), "8011", 1),
	)
	f.WantLive("testmap", fixture.Data{"port": "8011", "bar": "kept"}) // the destroy leaves it
	if n := p.Count(http.MethodPatch); n != 0 {
		f.Errorf("the destroy sent %d patches", n)
	}
}

func TestCounterRefreshAndDestroyMakeNoRequestAndChangeNothing(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{"foo": "41"})
	proxy := p.Proxied()
	p.Planned(fixture.CounterBlock("n"))
	requests := proxy.Requests()
	if len(requests) != 3 || requests[2].Method != http.MethodPatch { // the plan's check, and what the apply judges and writes
		t.Errorf("%v, want two reads and a patch", requests)
	}
	proxy.Reset()
	for _, row := range []struct {
		name   string
		change func()
	}{
		{"nothing", func() {}},
		{"another number", func() { p.Set("testmap", "foo", "3") }},
		{"no number", func() { p.Set("testmap", "foo", "three") }},
		{"no key", func() { p.Unset("testmap", "foo") }},
		{"another ConfigMap", func() { fixture.MadeAgain(p.Fixture, "testmap") }},
		{"no ConfigMap", func() { p.Remove("testmap") }},
		{"no API server", func() {
			proxy.SetHook(func(*http.Request) testcluster.Fault { return testcluster.Fault{DropBefore: true} })
		}},
	} {
		row.change()
		p.PlanNothing()
		p.Do("refresh")
		if got := p.WantState("n")["n"].Attributes["value"]; got != 41.0 {
			t.Errorf("%s: the state holds %v", row.name, got)
		}
	}
	p.Destroy()
	p.WantState()
	if proxy.Count() > 0 {
		t.Errorf("requests: %v", proxy.Requests())
	}
}

func TestCounterIsReplacedByOneOfAnotherKey(t *testing.T) {
	f := fixture.New(t)
	f.Create("testmap", fixture.Data{"foo": "1", "port": "10"})
	f.Create("other", fixture.Data{"port": "20"})
	f.RunSteps(
		takes(f.Config(fixture.CounterBlock("n")), plancheck.ResourceActionCreate, 1),
		takes(counter(f), plancheck.ResourceActionDestroyBeforeCreate, 10),
		takes(counter(f, `name = "other"`), plancheck.ResourceActionDestroyBeforeCreate, 20),
	)
	f.WantLive("testmap", fixture.Data{"foo": "2", "port": "11"})
	f.WantLive("other", fixture.Data{"port": "21"})
}

// A write between a plan and its apply is no conflict: the apply takes the number that it finds.
func TestCounterBetweenPlanAndApply(t *testing.T) {
	for name, test := range map[string]struct {
		between func(*fixture.Fixture)
		number  float64
		live    fixture.Data
		refused []string
	}{
		"another took a number":    {between: func(f *fixture.Fixture) { f.Set("testmap", "foo", "9") }, number: 9, live: fixture.Data{"foo": "10"}},
		"another key was written":  {between: func(f *fixture.Fixture) { f.Set("testmap", "bar", "1") }, number: 5, live: fixture.Data{"foo": "6", "bar": "1"}},
		"the key was removed":      {between: func(f *fixture.Fixture) { f.Unset("testmap", "foo") }, number: 3, live: fixture.Data{"foo": "4"}},
		"the ConfigMap is another": {between: func(f *fixture.Fixture) { fixture.MadeAgain(f, "testmap") }, number: 5, live: fixture.Data{"foo": "6"}},
		"the key is no number": {
			between: func(f *fixture.Fixture) { f.Set("testmap", "foo", "5 ") }, live: fixture.Data{"foo": "5 "},
			refused: []string{"Error: Not A Counter", `key = "foo"`, "Key: foo", `Found: "5 "`},
		},
		"the ConfigMap is gone": {
			between: func(f *fixture.Fixture) { f.Remove("testmap") },
			refused: []string{"Error: ConfigMap Not Found", "Create the ConfigMap first, and let this resource depend on it."},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Create("testmap", fixture.Data{"foo": "5"})
			p.Write(fixture.CounterBlock("n", "initial = 3"))
			p.Plan()
			test.between(p.Fixture)
			if test.refused != nil {
				p.ApplyRefused(test.refused...)
				p.WantState()
			} else {
				p.Apply()
				if got := p.WantState("n")["n"].Attributes["value"]; got != test.number {
					t.Errorf("the state holds %v, want %v", got, test.number)
				}
			}
			if test.live != nil {
				p.WantLive("testmap", test.live)
			} else {
				p.WantNone("testmap")
			}
		})
	}
}

func TestCounterIsCheckedAtPlan(t *testing.T) {
	rows := map[string]struct {
		live    fixture.Data
		line    string
		refused []string
	}{
		"word":    {live: fixture.Data{"foo": "eight"}, refused: []string{"Error: Not A Counter", `key = "foo"`, `Found: "eight"`}},
		"zeros":   {live: fixture.Data{"foo": "007"}, refused: []string{"Error: Not A Counter", `Found: "007"`}},
		"last":    {live: fixture.Data{"foo": "9223372036854775807"}, refused: []string{"Error: Counter Would Overflow", "Step: 1"}},
		"initial": {line: "initial = 9223372036854775806\nstep = 2", refused: []string{"Error: Counter Would Overflow", "step = 2", "Found: (absent)"}},
	}
	f := fixture.New(t)
	p := f.Proxied()
	config, labels := "", []string{}
	for name, row := range rows {
		f.Create(name, row.live)
		config += fixture.CounterBlock(name, fmt.Sprintf("name = %q", name), row.line)
		labels = append(labels, name)
	}
	f.RunRefused(func(got fixture.Failures) {
		for name, row := range rows {
			got.Want(f, name, row.refused...)
		}
		got.WantOnly(f, labels...)
	}, resource.TestStep{Config: f.Config(config)})
	if n := p.Count(http.MethodPatch); n != 0 || p.Count() == 0 {
		f.Errorf("%d patches of %d requests", n, p.Count())
	}
}

func TestCounterPlanCheckSettings(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{"foo": "eight"})
	proxy := p.Proxied()
	p.Write(fixture.CounterBlock("n"))
	p.PlanRefused([]string{"Error: Not A Counter"})
	p.Export("CAS_PLAN_CHECK", "warning")
	p.Wants(p.Plan(), "Warning: Not A Counter", "!Error:")
	proxy.Reset()
	p.Export("CAS_PLAN_CHECK", "off")
	p.Wants(p.Plan(), "!Not A Counter")
	if proxy.Count() > 0 {
		t.Errorf("requests: %v", proxy.Requests())
	}
	p.ApplyRefused("Error: Not A Counter", `Found: "eight"`)
	if proxy.Count() == 0 {
		t.Error("no request is seen")
	}
	p.WantState()
	p.WantLive("testmap", fixture.Data{"foo": "eight"})
}

func TestCounterOfAConfigMapThatDoesNotExistYet(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Write(fixture.CounterBlock("n"))
	p.Wants(p.Plan(), "Warning: ConfigMap Does Not Exist Yet", "If this run creates the ConfigMap, let this resource depend on it.")
	p.Create("testmap", nil)
	p.Apply()
	p.WantLive("testmap", fixture.Data{"foo": "1"})
	p.Remove("testmap")
	p.Write(fixture.CounterBlock("n", `triggers = { a = "1" }`))
	p.Wants(p.Plan(), "Warning: ConfigMap Does Not Exist Yet")
	p.ApplyRefused("Error: ConfigMap Not Found")
	if got := p.WantState("n")["n"].Attributes["value"]; got != 0.0 {
		t.Errorf("the state holds %v", got)
	}
}

func TestCounterHidesValuesAsTold(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{"foo": "secret"})
	p.WriteFor(p.Kubeconfig, "hide_values = true", fixture.CounterBlock("n"))
	p.PlanRefused([]string{"Error: Not A Counter", "Found: (hidden, 6 bytes, sha256:", "!secret"})
}

func TestCounterCannotBeImported(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{"port": "5"})
	p.Write(fixture.CounterBlock("n", `key = "port"`))
	p.Wants(p.Ended(p.On.Run("import", counterN, p.Namespace+"/testmap/port"), 1, "import"), "Resource Import Not Implemented")
}

func TestCounterInvalidConfiguration(t *testing.T) {
	f := fixture.New(t)
	rows := map[string]string{
		`namespace = "A"`:                "Attribute namespace: a lowercase RFC 1123 label must",
		`name = "Test_Map"`:              "Attribute name: a lowercase RFC 1123 subdomain must",
		`key = ".."`:                     "Attribute key: must not be '..'",
		`step = 0`:                       `Attribute step value must be none of: ["0"], got: 0`,
		`field_manager = ""`:             "Attribute field_manager: must be 1 to 128 bytes long, not 0",
		`timeouts = { create = "soon" }`: `timeouts.create: must be a duration above zero, such as "30s" or "2m", not "soon"`,
		`timeouts = { update = "0s" }`:   `timeouts.update: must be a duration above zero`,
		`value = 7`:                      "Invalid Configuration for Read-Only Attribute",
	}
	config, wants := "", map[string][]string{}
	for line, want := range rows {
		label := fmt.Sprintf("c%d", len(wants))
		wants[label] = []string{want}
		block := fixture.CounterBlock(label, line)
		if strings.HasPrefix(line, "namespace") {
			block = strings.Replace(block, "namespace = NAMESPACE\n", "", 1)
		}
		config += block
	}
	f.RunInvalidBlocks(config, wants)
}

// The name in managedFields is field_manager.
func TestCounterFieldManager(t *testing.T) {
	f := fixture.New(t)
	f.Create("testmap", nil)
	f.RunSteps(resource.TestStep{Config: counter(f, `field_manager = "numbers"`), Check: fixture.Checked(func() {
		if owners := f.OwnersOf("testmap", "port"); !slices.Equal(owners, []string{"numbers"}) {
			f.Errorf("the key is %q's", owners)
		}
	})})
}

func TestCounterOfUnknownArguments(t *testing.T) {
	f := fixture.New(t)
	p := f.Proxied()
	f.Create("testmap", fixture.Data{"port": "eight"}) // which a check would refuse
	const later = "resource \"terraform_data\" \"later\" {\n  input = INPUT\n}\n"
	config := func(input, line string) string {
		return counter(f, line) + strings.Replace(later, "INPUT", input, 1)
	}
	unknown := func(step resource.TestStep) resource.TestStep {
		step.ConfigPlanChecks.PreApply = append(step.ConfigPlanChecks.PreApply, fixture.PlanCheckFunc(func() {
			if p.Count() > 0 {
				f.Errorf("the plan made requests: %v", p.Requests())
			}
			f.Set("testmap", "port", "8")
		}))
		step.Check = fixture.Checked(func() {
			if p.Count(http.MethodPatch) != 1 {
				f.Errorf("the apply made requests: %v", p.Requests())
			}
			f.Set("testmap", "port", "eight")
			p.Reset()
		})
		return step
	}
	const create, update = plancheck.ResourceActionCreate, plancheck.ResourceActionUpdate
	f.RunSteps(
		unknown(takes(config("1", "initial = terraform_data.later.output"), create, 8)),
		unknown(takes(config("2", "step = terraform_data.later.output\ntriggers = { a = terraform_data.later.output }"), update, 8)),
		// Triggers that turn out to be what they were take no number.
		resource.TestStep{
			Config: strings.Replace(config("2", `triggers = { a = terraform_data.later.output }`), "later\" {", "later\" {\n  triggers_replace = 1", 1),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{
				plancheck.ExpectUnknownValue(counterN, tfjsonpath.New("value")),
			}},
			ConfigStateChecks: []statecheck.StateCheck{isNumber(8)},
		},
	)
	if n := p.Count(http.MethodPatch); n != 0 {
		f.Errorf("%d patches", n)
	}
}

func TestCounterOfAProviderThatIsUnknownAtPlan(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{"foo": "8"})
	p.WriteUnknown(1, fixture.CounterBlock("n"))
	p.PlanApply()
	p.WriteUnknown(2, fixture.CounterBlock("n", "step = 2"))
	p.PlanApply()
	if got := p.WantState("n")["n"].Attributes["value"]; got != 8.0 {
		t.Errorf("the state holds %v", got)
	}
	p.WantLive("testmap", fixture.Data{"foo": "9"})
}

func TestCounterWhoseNumberAdmissionChanges(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{"foo": "1"})
	p.MutateFoo()
	p.Write(fixture.CounterBlock("n"))
	p.Plan()
	p.ApplyRefused("Error: Number Changed By Admission", `Number: "1"`, `Sent: "2"`, "Stored: "+fixture.Quoted("2"+fixture.ByPolicy))
	p.WantState()
}
