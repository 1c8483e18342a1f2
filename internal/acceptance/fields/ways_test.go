package fields

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// All command lines run the life of a resource alike.
func TestFieldsOnEachProfile(t *testing.T) {
	t.Parallel()
	fixture.OnEachProfile(t, func(p *fixture.Pipeline) {
		o := on(p, deployment)
		o.Planned(swapsImage(o, `deletion_policy = "restore"`))
		o.PlanNothing()
		o.Planned(o.block(fmt.Sprintf(`fields = { %q = "web:3", "spec.replicas" = 3 }`, image), `expected_fields = { "spec.replicas" = 2 }`,
			`deletion_policy = "restore"`, fixture.Overwrites))
		o.wantLive(`"web:3"`, imageSteps...)
		o.PlanNothing()
		o.merge(otherImage)
		o.Wants(o.Plan(), "Warning: Value Changed Since Last Apply")
		o.Apply()
		o.wantLive(`"web:3"`, imageSteps...)
		o.PlanNothing()

		was := o.live()
		o.PlanRefused([]string{"Error: Replacement Would Fail", "Change fields instead of replacing the resource."}, "-replace=cas_object_fields.it")
		o.unchanged(was)

		o.Destroy()
		o.wantLive(`"web:1"`, imageSteps...)
		o.wantLive(`2`, "spec", "replicas")
		o.WantState()
	})
}

// So they do where the API server adds defaults, to an object of a built-in kind and of a custom one.
func TestDefaultsOnEachProfile(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a port of a Service, to which defaults are added", "an element of a custom resource, to which defaults are added"} {
		t.Run(name, func(t *testing.T) {
			l := lifetimes[name]
			fixture.OnEachProfile(t, func(p *fixture.Pipeline) { l.passes(on(p, l.of)) })
		})
	}
}

// A field that holds its value is taken over without a write, and a destroy by release leaves it.
func TestAdoption(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		lines  []string
		writes bool
	}{
		"all of them":            {lines: []string{`fields = { "spec.replicas" = 2 }`}},
		"an element, as stored":  {lines: []string{`fields = { "metadata.labels.team" = "a", "spec.template.spec.containers[name=side].image" = "side:1" }`}},
		"one, and one is added":  {lines: []string{`fields = { "spec.replicas" = 2, "metadata.labels.new" = "1" }`}, writes: true},
		"one that is not to be":  {lines: []string{`fields = { "metadata.labels.none" = null }`}},
		"one, beside a guard":    {lines: []string{`fields = { "spec.replicas" = 2 }`, `expected_fields = { "metadata.labels.team" = "a" }`}},
		"one that has a default": {lines: []string{`fields = { "spec.revisionHistoryLimit" = 10 }`}},
	} {
		t.Run(name, func(t *testing.T) {
			o := made(t, deployment)
			was := o.live()
			o.Planned(o.block(append(test.lines, `adopt_existing = true`)...))
			if !test.writes {
				o.unchanged(was)
			}
			o.PlanNothing()
			o.Destroy()
			o.wantLive("2", "spec", "replicas")
			o.wantLive(`{"team":"a"}`, "metadata", "labels")
			o.wantLive("10", "spec", "revisionHistoryLimit")
		})
	}
}

// With hide_values, neither what was replaced nor what the API server made of a value is in the state, and normal forms are no drift all the same.
func TestHiddenValuesHaveNoStoredForm(t *testing.T) {
	o := made(t, deployment)
	const path = `spec.template.spec.containers[name=web].resources.limits.cpu`
	hidden := o.block(fmt.Sprintf(`fields = { %q = "1000m" }`, path), `hide_values = true`)
	o.Planned(hidden)
	o.wantLive(`"1"`, "spec", "template", "spec", "containers", "name=web", "resources", "limits", "cpu")
	o.wantAttribute("stored_fields", "null")
	o.wantAttribute("previous_fields", "null")
	o.PlanNothing()
	o.Planned(o.block(fmt.Sprintf(`fields = { %q = "1000m" }`, path))) // shown from now on
	o.wantAttribute("stored_fields", fmt.Sprintf(`{%q:"1"}`, path))
	o.PlanNothing()
	o.Planned(hidden)
	o.wantAttribute("stored_fields", "null")
	o.PlanNothing()
	o.Planned(o.block(fmt.Sprintf(`fields = { %q = "2000m" }`, path), `hide_values = true`)) // expects what was stored
	o.wantLive(`"2"`, "spec", "template", "spec", "containers", "name=web", "resources", "limits", "cpu")
	o.PlanNothing()
}

// A plan that rehearses finds what the API server refuses, and writes nothing.
func TestPlanDryRunOfFields(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before []string
		lines  []string
		wants  []string // nil: it goes through
	}{
		"a create that goes through": {lines: []string{`fields = { "spec.replicas" = 5 }`, `expected_fields = { "spec.replicas" = 2 }`}},
		"a create that is refused":   {lines: []string{`fields = { "spec.replicas" = -1 }`, `expected_fields = { "spec.replicas" = 2 }`}, wants: []string{"Error: Request Refused", "spec.replicas"}},
		"an unknown field":           {lines: []string{`fields = { "spec.replica" = 5 }`}, wants: []string{"Error: Request Refused", "unknown field"}},
		"an update that is refused": {
			before: []string{`fields = { "metadata.labels.a" = "1" }`}, lines: []string{`fields = { "metadata.labels.a" = "not a label!" }`},
			wants: []string{"Error: Request Refused", "metadata.labels"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := made(t, deployment)
			if test.before != nil {
				o.Planned(o.block(test.before...))
			}
			was, proxy := o.live(), o.Proxied()
			o.WriteRehearsed(o.block(test.lines...))
			if test.wants == nil {
				o.Plan()
			} else {
				o.PlanRefused(append(test.wants, "Nothing was written.", "!side:1"))
			}
			o.WantWrites(proxy, "the plan", 1, 0)
			o.unchanged(was)
		})
	}
}

// Each step names the missing role of a user who may not read the discovery API.
func TestDiscoveryIsForbidden(t *testing.T) {
	o := made(t, deployment)
	tracks := o.block(`fields = { "metadata.labels.a" = "1" }`)
	o.Planned(tracks)
	o.Proxied().SetHook(func(r *http.Request) testcluster.Fault {
		if r.URL.Path != "/apis/apps/v1" {
			return testcluster.Fault{}
		}
		return testcluster.Fault{Answer: &testcluster.Answer{
			Status: http.StatusForbidden, Header: http.Header{"Content-Type": {"application/json"}},
			Body: `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Forbidden","code":403,"message":"forbidden: User \"x\" cannot get path \"/apis/apps/v1\""}`,
		}}
	})
	o.Write(tracks)
	o.PlanRefused([]string{"Error: ", "system:discovery"})
	o.Write(tracks + o.labeled("new", `fields = { "metadata.labels.b" = "1" }`))
	o.PlanRefused([]string{"Error: ", "system:discovery"}, "-refresh=false")
	o.DestroyRefused([]string{"Error: ", "system:discovery"})
	o.wantLive(`"1"`, "metadata", "labels", "a")
}

// A variable without a type comes from a command line as text.
func TestNumberThatComesAsText(t *testing.T) {
	o := on(cli(t), deployment)
	body := func(value string) string {
		return "variable \"n\" {}\n" + o.block(`fields = { "spec.replicas" = `+value+` }`, `expected_fields = { "spec.replicas" = 2 }`)
	}
	o.Write(body("var.n"))
	o.Plan("-var", "n=5")
	o.ApplyRefused("Error: Request Refused", "wants a number, not text")
	o.wantLive("2", "spec", "replicas")
	o.Write(body("tonumber(var.n)"))
	o.Plan("-var", "n=5")
	o.Apply()
	o.wantLive("5", "spec", "replicas")
	o.PlanNothing("-var", "n=5")
}

// The action swaps where a command line invokes it, and refuses where the fields hold something else.
func TestActionOnACommandLine(t *testing.T) {
	p := cli(t)
	p.NeedsActionsAndLists()
	o := on(p, service)
	swap := func(label, from, to string) string {
		return fmt.Sprintf("action \"cas_object_swap\" %q {\n  config {\n    %s\n    fields = { \"spec.selector.color\" = %q }\n    expected_fields = { \"spec.selector.color\" = %q }\n  }\n}\n",
			label, strings.ReplaceAll(o.at(), "\n", "\n  "), to, from)
	}
	o.Write(swap("go", "blue", "green"))
	invoke := []string{"apply", "-auto-approve", "-invoke=action.cas_object_swap.go"}
	o.Wants(o.Do(invoke...), "Wrote spec.selector.color to ")
	o.wantLive(`"green"`, "spec", "selector", "color")
	was := o.live()
	o.Wants(o.Ended(o.On.Run(invoke...), 1, "apply"), `expected_fields["spec.selector.color"] is "blue", but spec.selector.color holds "green".`)
	o.unchanged(was)

	// An action that a resource triggers compares with the value that the resource wrote, in any spelling of the path. Its
	// plan refuses nothing.
	triggers := strings.Replace(o.block(`fields = { "spec.selector" = { app = "web", color = "red" } }`, `expected_fields = { "spec.selector" = { app = "web", color = "green" } }`),
		"\n}", "\n  lifecycle {\n    action_trigger {\n      events = [after_create]\n      actions = [action.cas_object_swap.go]\n    }\n  }\n}", 1)
	o.Write(swap("go", "red", "blue") + triggers)
	o.Plan()
	o.Apply()
	o.wantLive(`"blue"`, "spec", "selector", "color")
}
