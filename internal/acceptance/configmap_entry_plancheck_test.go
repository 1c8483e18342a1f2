package acceptance_test

import (
	"testing"
)

const planCheckAdvice = "If this blocks a destroy, run CAS_PLAN_CHECK=warning terraform destroy."

// checkSource is where plan_check comes from: the provider block, or the environment.
type checkSource struct{ configured, environment string }

var planCheckSettings = map[string]struct {
	set  checkSource
	want string
}{
	"default":                           {want: "error"},
	"error":                             {set: checkSource{configured: "error"}, want: "error"},
	"warning":                           {set: checkSource{configured: "warning"}, want: "warning"},
	"off":                               {set: checkSource{configured: "off"}, want: "off"},
	"warning by environment":            {set: checkSource{environment: "warning"}, want: "warning"},
	"off by environment":                {set: checkSource{environment: "off"}, want: "off"},
	"off, and error by the environment": {set: checkSource{configured: "off", environment: "error"}, want: "off"},
	"error, and off by the environment": {set: checkSource{configured: "error", environment: "off"}, want: "error"},
}

// writeChecked is write with plan_check as set says.
func (p *pipeline) writeChecked(set checkSource, body string) {
	lines := ""
	if set.configured != "" {
		lines = `  plan_check = "` + set.configured + `"`
	}
	p.setenv("CAS_PLAN_CHECK", set.environment)
	p.writeFor(p.kubeconfig, lines, body)
}

// terraform destroy first runs an ordinary plan, which finds that expected_value does not hold any more.
func TestPlanCheckDestroyAfterDrift(t *testing.T) {
	t.Parallel()
	for name, test := range planCheckSettings {
		t.Run(name, func(t *testing.T) {
			p := newPipeline(t)
			p.create("testmap", data{"foo": "1", "bar": "kept"})
			p.writeChecked(test.set, entryBlock("foo", `value = "2"`, `expected_value = "1"`))
			p.planApply()
			p.set("testmap", "foo", "foreign")
			const shows = "Warning: Value Changed Since Last Apply"
			switch test.want {
			case "error":
				p.destroyRefused([]string{"Error: Expected Value Mismatch", `Expected: "1"`, `Found: "foreign"`, planCheckAdvice})
				p.wantLive("testmap", data{"foo": "foreign", "bar": "kept"})
				p.wantState("foo")
				return
			case "warning":
				p.wants(p.plan(), "Warning: Expected Value Mismatch", `Found: "foreign"`, "!"+planCheckAdvice)
				p.wants(p.destroy(), shows, "!Error:")
			case "off":
				p.wants(p.destroy(), "!Expected Value Mismatch", "!"+shows, "!Error:")
			}
			p.wantLive("testmap", data{"bar": "kept"})
			p.wantState()
		})
	}
}

// What plan_check lets pass at plan is checked at apply all the same.
func TestPlanCheckLeavesApplyAsItIs(t *testing.T) {
	t.Parallel()
	for _, check := range []string{"warning", "off"} {
		t.Run(check, func(t *testing.T) {
			p := newPipeline(t)
			set := checkSource{configured: check}
			p.create("testmap", data{"foo": "1"})
			p.writeChecked(set, entryBlock("foo", `value = "2"`, `expected_value = "wrong"`))
			said := "Warning: Expected Value Mismatch"
			if check == "off" {
				said = "!" + said
			}
			p.wants(p.plan(), said, "!Error:")
			p.applyRefused("Error: Expected Value Mismatch", `Expected: "wrong"`, `Found: "1"`, "!"+planCheckAdvice)
			p.wantLive("testmap", data{"foo": "1"})
			p.wantState()
		})
	}
}

func TestPlanCheckOffMakesNoRequestForThePlansCheck(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		before, after string
		args          []string
	}{
		"create":        {after: entryBlock("foo", `value = "2"`, `expected_value = "1"`)},
		"update":        {before: entryBlock("foo", `value = "2"`), after: entryBlock("foo", `value = "3"`)},
		"replace":       {before: entryBlock("foo", `value = "2"`), after: entryBlock("foo", `value = "2"`, `key = "baz"`)},
		"removed block": {before: entryBlock("foo", `value = "2"`)},
		"destroy":       {before: entryBlock("foo", `value = "2"`), after: entryBlock("foo", `value = "2"`), args: []string{"-destroy"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPipeline(t)
			proxy := p.cluster.Proxy(t)
			kubeconfig := p.cluster.Kubeconfig(t, proxy.Config)
			found := map[string]string{}
			if test.before == "" {
				found["foo"] = "1"
			}
			p.create("testmap", found)
			if test.before != "" {
				p.writeFor(kubeconfig, "", test.before)
				p.planApply()
			}
			requests := func(check string) int {
				t.Helper()
				p.writeFor(kubeconfig, `  plan_check = "`+check+`"`, test.after)
				proxy.Reset()
				p.plan(append(test.args, "-refresh=false")...)
				return proxy.Count()
			}
			if requests("error") == 0 {
				t.Error("a plan that is checked makes no request either")
			}
			if n := requests("off"); n != 0 {
				t.Errorf("%d requests: %v", n, proxy.Requests())
			}
			p.apply()
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
			p := newPipeline(t)
			p.setenv("CAS_PLAN_CHECK", test.check)
			p.create("testmap", data{"bar": "kept"})
			scope := `conflict_scope = "` + test.scope + `"`
			p.planned(entryBlock("foo", scope, `value = "2"`))
			p.set("testmap", "bar", "foreign")
			args, want := []string{"-refresh=false"}, map[string]string{"bar": "foreign"}
			if test.op == "update" {
				p.write(entryBlock("foo", scope, `value = "3"`))
				want["foo"] = "3"
			} else {
				args = append(args, "-destroy")
			}
			wants := []string{"Error: Compare-And-Swap Conflict", aboutObject, `conflict_scope = "key"`}
			switch test.refusedAt {
			case "plan":
				p.planRefused(append(wants, planCheckAdvice), args...)
			case "apply":
				p.plan(args...)
				p.applyRefused(wants...)
			default:
				p.planApply(args...)
			}
			if test.refusedAt != "" {
				want["foo"] = "2"
			}
			p.wantLive("testmap", want)
		})
	}
}
