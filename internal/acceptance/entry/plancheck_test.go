package entry

import (
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/behavior"
	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// terraform destroy first runs an ordinary plan, which finds that expected_value does not hold any more.
func TestPlanCheckDestroyAfterDrift(t *testing.T) {
	t.Parallel()
	for name, test := range behavior.PlanCheckSettings {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Create("testmap", fixture.Data{"foo": "1", "bar": "kept"})
			behavior.WriteChecked(p, test.Set, fixture.EntryBlock("foo", fixture.Deletes, fixture.Overwrites, `value = "2"`, `expected_value = "1"`))
			p.PlanApply()
			p.Set("testmap", "foo", "foreign")
			const shows = "Warning: Value Changed Since Last Apply"
			switch test.Want {
			case "error":
				p.DestroyRefused([]string{"Error: Expected Value Mismatch", `Expected: "1"`, `Found: "foreign"`, fixture.PlanCheckAdvice + " deletion_policy says what becomes of foo."})
				p.WantLive("testmap", fixture.Data{"foo": "foreign", "bar": "kept"})
				p.WantState("foo")
				return
			case "warning":
				p.Wants(p.Plan(), "Warning: Expected Value Mismatch", `Found: "foreign"`, "!"+fixture.PlanCheckAdvice)
				p.Wants(p.Destroy(), shows, "!Error:")
			case "off":
				p.Wants(p.Destroy(), "!Expected Value Mismatch", "!"+shows, "!Error:")
			}
			p.WantLive("testmap", fixture.Data{"bar": "kept"})
			p.WantState()
		})
	}
}

// The apply repeats each check that plan_check has softened.
func TestPlanCheckLeavesApplyAsItIs(t *testing.T) {
	t.Parallel()
	for _, check := range []string{"warning", "off"} {
		t.Run(check, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			set := behavior.PlanCheckSource{Configured: check}
			p.Create("testmap", fixture.Data{"foo": "1"})
			behavior.WriteChecked(p, set, fixture.EntryBlock("foo", `value = "2"`, `expected_value = "wrong"`))
			said := "Warning: Expected Value Mismatch"
			if check == "off" {
				said = "!" + said
			}
			p.Wants(p.Plan(), said, "!Error:")
			p.ApplyRefused("Error: Expected Value Mismatch", `Expected: "wrong"`, `Found: "1"`, "!"+fixture.PlanCheckAdvice)
			p.WantLive("testmap", fixture.Data{"foo": "1"})
			p.WantState()
		})
	}
}

func TestPlanCheckOffMakesNoRequestForThePlansCheck(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before, after string
		args          []string
	}{
		"create":        {after: fixture.EntryBlock("foo", `value = "2"`, `expected_value = "1"`)},
		"update":        {before: fixture.EntryBlock("foo", `value = "2"`), after: fixture.EntryBlock("foo", `value = "3"`)},
		"replace":       {before: fixture.EntryBlock("foo", `value = "2"`), after: fixture.EntryBlock("foo", `value = "2"`, `key = "baz"`)},
		"removed block": {before: fixture.EntryBlock("foo", `value = "2"`)},
		"destroy":       {before: fixture.EntryBlock("foo", `value = "2"`), after: fixture.EntryBlock("foo", `value = "2"`), args: []string{"-destroy"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			proxy := p.Cluster.Proxy(t)
			kubeconfig := p.Cluster.Kubeconfig(t, proxy.Config)
			found := map[string]string{}
			if test.before == "" {
				found["foo"] = "1"
			}
			p.Create("testmap", found)
			if test.before != "" {
				p.WriteFor(kubeconfig, "", test.before)
				p.PlanApply()
			}
			requests := func(check string) int {
				t.Helper()
				p.WriteFor(kubeconfig, `  plan_check = "`+check+`"`, test.after)
				proxy.Reset()
				p.Plan(append(test.args, "-refresh=false")...)
				return proxy.Count()
			}
			if requests("error") == 0 {
				t.Error("a plan that is checked makes no request either")
			}
			if n := requests("off"); n != 0 {
				t.Errorf("%d requests: %v", n, proxy.Requests())
			}
			p.Apply()
			if n := proxy.Count("PATCH"); n == 0 {
				t.Error("the apply wrote nothing")
			}
		})
	}
}

// The versions in the state are old where nothing was refreshed.
func TestWithoutRefreshObjectScopeFailsClosed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, scope, check, op string
		refusedAt              string // "plan", "apply" or neither
	}{
		{"update, object scope", "object", "error", "update", "plan"},
		{"update, object scope, unchecked plan", "object", "off", "update", "apply"},
		{"update, key scope", "key", "error", "update", ""},
		{"update, key scope, unchecked plan", "key", "off", "update", ""},
		{"destroy, object scope, by the plan's own read", "object", "error", "destroy", ""},
		{"destroy, object scope, unchecked plan", "object", "off", "destroy", "apply"},
		{"destroy, key scope, unchecked plan", "key", "off", "destroy", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Export("CAS_PLAN_CHECK", test.check)
			p.Create("testmap", fixture.Data{"bar": "kept"})
			scope := `conflict_scope = "` + test.scope + `"`
			p.Planned(fixture.EntryBlock("foo", scope, `value = "2"`))
			p.Set("testmap", "bar", "foreign")
			args, want := []string{"-refresh=false"}, map[string]string{"bar": "foreign"}
			if test.op == "update" {
				p.Write(fixture.EntryBlock("foo", scope, `value = "3"`))
				want["foo"] = "3"
			} else {
				args = append(args, "-destroy")
			}
			wants := []string{"Error: Compare-And-Swap Conflict", aboutObject, `conflict_scope = "key"`}
			switch test.refusedAt {
			case "plan":
				p.PlanRefused(append(wants, fixture.PlanCheckAdvice), args...)
			case "apply":
				p.Plan(args...)
				p.ApplyRefused(wants...)
			default:
				p.PlanApply(args...)
			}
			if test.refusedAt != "" {
				want["foo"] = "2"
			}
			p.WantLive("testmap", want)
		})
	}
}
