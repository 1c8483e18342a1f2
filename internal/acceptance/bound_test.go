package acceptance_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcli"
)

// Terraform from 1.16 hands what the first plan left in private state to the plan of the apply. So a create is held to what its plan saw.
// On any other client it goes by value.

// on is a pipeline on the protocol driver with a profile.
func on(t *testing.T, profile driver.Profile) *pipeline {
	t.Helper()
	f, s := newFixture(t), newSession(t)
	s.w.Profile = profile
	return &pipeline{fixture: f, on: s}
}

// onEach runs a test with each profile of which it is known whether planned private data is stored.
func onEach(t *testing.T, test func(p *pipeline, stores bool)) {
	t.Helper()
	for _, profile := range []driver.Profile{driver.Terraform111, driver.OpenTofu, driver.Terraform116} {
		t.Run(profile.Name, func(t *testing.T) { test(on(t, profile), profile.StoresPlannedPrivate) })
	}
}

// ofTestmap is a change of ConfigMap testmap by another writer.
type ofTestmap func(p *pipeline)

func setsFoo(values ...string) ofTestmap {
	return func(p *pipeline) {
		for _, value := range values {
			p.set("testmap", "foo", value)
		}
	}
}

func setsOther(p *pipeline) { p.set("testmap", "bar", "other") }

var heldCreates = map[string]struct {
	live    data // before the plan; nil: there is no ConfigMap
	config  string
	between ofTestmap
	refused []string // what the refusal says where the create is held to its plan; none: it is never refused
	after   string   // of foo, where it is not refused
}{
	"1, 9, 1": {
		data{"foo": "1", "bar": "kept"},
		entryBlock("foo", `value = "2"`, `expected_value = "1"`), setsFoo("9", "1"),
		[]string{"The ConfigMap changed after this plan was made. Nothing was written.", `set conflict_scope = "key" to ignore other keys.`},
		"2",
	},
	"an absent key that came and went": {
		data{"bar": "kept"},
		entryBlock("foo", `value = "2"`), func(p *pipeline) { setsFoo("9")(p); p.unset("testmap", "foo") },
		[]string{"The ConfigMap changed after this plan was made."},
		"2",
	},
	"another key": {data{"bar": "kept"}, entryBlock("foo", `value = "2"`), setsOther, []string{"The ConfigMap changed after this plan was made."}, "2"},
	"a label": {
		data{"bar": "kept"},
		entryBlock("foo", `value = "2"`),
		func(p *pipeline) {
			p.change("testmap", func(cm *corev1.ConfigMap) { cm.Labels = map[string]string{"a": "b"} })
		},
		[]string{"The ConfigMap changed after this plan was made."},
		"2",
	},
	"made again": {
		data{"foo": "1"},
		entryBlock("foo", `value = "2"`, `expected_value = "1"`),
		func(p *pipeline) { p.remove("testmap"); p.create("testmap", data{"foo": "1"}) },
		[]string{"The ConfigMap was deleted and created again after this plan was made.", "uid: "},
		"2",
	},
	"adoption": {
		data{"foo": "2"},
		entryBlock("foo", `value = "2"`, "adopt_existing = true"), setsOther,
		[]string{"The ConfigMap changed after this plan was made."},
		"2",
	},
	"a value that is known when it is applied": {
		data{"bar": "kept"},
		"resource \"terraform_data\" \"it\" {\n  input = \"2\"\n}\n" + entryBlock("foo", "value = terraform_data.it.output"), setsOther,
		[]string{"The ConfigMap changed after this plan was made."},
		"2",
	},
	"several keys": {
		data{"foo": "1", "guard": "up"},
		dataBlock("it", `data = { foo = "2" }`, `expected_data = { foo = "1", guard = "up" }`), setsFoo("9", "1"),
		[]string{"The ConfigMap changed after this plan was made."},
		"2",
	},
	"key scope: 1, 9, 1": {
		data{"foo": "1"}, entryBlock("foo", `value = "2"`, `expected_value = "1"`, `conflict_scope = "key"`), setsFoo("9", "1"), nil, "2",
	},
	"key scope: another key": {data{"bar": "kept"}, entryBlock("foo", `value = "2"`, `conflict_scope = "key"`), setsOther, nil, "2"},
	"key scope: what was to be taken over has gone": {
		data{"foo": "2"},
		entryBlock("foo", `value = "2"`, "adopt_existing = true", `conflict_scope = "key"`),
		func(p *pipeline) { p.unset("testmap", "foo") },
		[]string{"foo changed after this plan was made."},
		"2",
	},
	"several keys in key scope: what was to be taken over has gone": {
		data{"foo": "2"},
		dataBlock("it", `data = { foo = "2" }`, "adopt_existing = true", `conflict_scope = "key"`),
		func(p *pipeline) { p.unset("testmap", "foo") },
		[]string{"foo changed after this plan was made."},
		"2",
	},
	"no ConfigMap yet": {nil, entryBlock("foo", `value = "2"`), func(p *pipeline) { p.create("testmap", data{"bar": "kept"}) }, nil, "2"},
	"a plan that says the apply will fail": {
		data{"foo": "1"}, entryBlock("foo", `value = "2"`), func(p *pipeline) { p.unset("testmap", "foo") }, nil, "2",
	},
	"unknown key": {
		data{"bar": "kept"},
		"resource \"terraform_data\" \"it\" {\n  input = \"foo\"\n}\n" + entryBlock("foo", "key = terraform_data.it.output", `value = "2"`),
		setsOther, nil, "2",
	},
}

func TestCreateIsHeldToItsPlan(t *testing.T) {
	for name, test := range heldCreates {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(p *pipeline, stores bool) {
				if test.live != nil {
					p.create("testmap", test.live)
				}
				if strings.HasPrefix(name, "a plan that says") {
					p.setenv("CAS_PLAN_CHECK", "warning")
				}
				p.write(test.config)
				p.plan()
				planned := ""
				if test.live != nil {
					planned = p.live("testmap").ResourceVersion
				}
				test.between(p)
				before := p.live("testmap")
				if !stores || test.refused == nil {
					p.apply()
					if got := p.live("testmap").Data["foo"]; got != test.after {
						p.Errorf("foo holds %q, want %q", got, test.after)
					}
					return
				}
				out := p.applyRefused(append(test.refused, "Error: Compare-And-Swap Conflict")...)
				if !strings.Contains(test.refused[0], "foo changed") { // by value; and nobody is known to have removed a key
					p.wants(out, fmt.Sprintf("%s when planned, %s now", planned, before.ResourceVersion), "Changed by: another-writer")
				}
				p.wantUnchanged(before)
				p.plan()
				p.apply() // the next plan has seen it
			})
		})
	}
}

func TestPlanWithoutChecksHoldsNoCreate(t *testing.T) {
	p := on(t, driver.Terraform116)
	p.create("testmap", data{"bar": "kept"})
	p.setenv("CAS_PLAN_CHECK", "off")
	p.write(entryBlock("foo", `value = "2"`))
	p.plan()
	setsOther(p)
	p.apply()
	p.wantLive("testmap", data{"foo": "2", "bar": "other"})
}

// TestReplaceIsHeldToItsPlan has the removal go by value, so that only the create can be refused.
func TestReplaceIsHeldToItsPlan(t *testing.T) {
	inKeyScope := `conflict_scope = "key"`
	for name, test := range map[string]struct {
		made, replaced []string
		flags          []string
		isTainted      bool
		between        ofTestmap
		kept           data // where the create is refused
		state          []string
	}{
		"another key": {
			made: []string{inKeyScope}, replaced: []string{`key = "baz"`, `value = "2"`}, between: setsOther, kept: data{"bar": "other"},
		},
		"create_before_destroy": {
			made: []string{inKeyScope, createFirst}, replaced: []string{`key = "baz"`, `value = "2"`, createFirst}, between: setsOther,
			kept: data{"foo": "1", "bar": "other"}, state: []string{"foo"},
		},
		"tainted": {
			made: []string{inKeyScope}, replaced: []string{`key = "baz"`, `value = "2"`}, isTainted: true, between: setsOther, kept: data{"bar": "other"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(p *pipeline, stores bool) {
				p.made(test.made...)
				if test.isTainted {
					p.do("taint", entryAddress)
				}
				p.write(entryBlock("foo", test.replaced...))
				p.plan(test.flags...)
				test.between(p)
				if !stores {
					p.apply()
					p.wantLive("testmap", data{"baz": "2", "bar": "other"})
					return
				}
				p.applyRefused("The ConfigMap changed after this plan was made.")
				p.wantLive("testmap", test.kept)
				p.wantState(test.state...)
				p.planApply()
				p.wantLive("testmap", data{"baz": "2", "bar": "other"})
			})
		})
	}
}

// TestUnchangedReplaceIsNoConflict: each half makes a version, and the other is not held up by it.
func TestUnchangedReplaceIsNoConflict(t *testing.T) {
	for name, lines := range map[string][]string{"removed first": nil, "created first": {createFirst}} {
		t.Run(name, func(t *testing.T) {
			p := on(t, driver.Terraform116)
			p.made(lines...)
			p.planApplyOf(lines, `key = "baz"`, `value = "2"`)
			p.wantLive("testmap", data{"bar": "kept", "baz": "2"})
			if lines == nil {
				p.planApply("-replace=" + entryAddress)
			}
			p.do("taint", entryAddress)
			p.planApplyOf(lines, `key = "foo"`, `value = "3"`)
			p.wantLive("testmap", data{"bar": "kept", "foo": "3"})
		})
	}
}

func (p *pipeline) planApplyOf(lines []string, more ...string) {
	p.Helper()
	p.planned(entryBlock("foo", append(more, lines...)...))
}

// TestSiblingsThatAreHeldToOnePlanDoNotConflict counts what 100 creates take, with and without planned private data.
func TestSiblingsThatAreHeldToOnePlanDoNotConflict(t *testing.T) {
	const many = 100
	for _, profile := range []driver.Profile{driver.Terraform111, driver.Terraform116} {
		t.Run(profile.Name, func(t *testing.T) {
			p := on(t, profile)
			proxy := p.proxied()
			p.create("testmap", data{"other": "kept"})
			body, want := entries(many, "1", "object")
			want["other"] = "kept"
			p.write(body)
			proxy.Reset()
			p.plan()
			planned := proxy.Count()
			p.apply()
			p.wantLive("testmap", want)
			t.Logf("%d requests for the plan and %d for the apply of %d entries", planned, proxy.Count()-planned, many)
			if planned > many/10 || proxy.Count()-planned > many/2 {
				t.Errorf("%d requests for the plan and %d for the apply of %d entries", planned, proxy.Count()-planned, many)
			}
			for _, r := range proxy.Requests() {
				if r.Status != http.StatusOK {
					t.Error(r)
				}
			}
		})
	}
}

// TestCreateInAConfigMapOfTheSameRunIsNotHeld: the plan sees another ConfigMap than the apply, or none.
func TestCreateInAConfigMapOfTheSameRunIsNotHeld(t *testing.T) {
	after := "depends_on = [cas_configmap.it]"
	p := on(t, driver.Terraform116)
	p.planned(wholeBlock("it", "data = { a = \"2\" }"))
	p.planned(wholeBlock("it", "data = { a = \"2\" }")+entryBlock("foo", `value = "2"`, after), "-replace=cas_configmap.it")
	p.wantLive("testmap", data{"a": "2", "foo": "2"})
	p.planned(wholeBlock("it", "labels = { a = \"b\" }") + entryBlock("foo", `value = "2"`, after) + entryBlock("b", `key = "b"`, `value = "2"`, after))
	p.wantLive("testmap", data{"a": "2", "foo": "2", "b": "2"})
	p.destroy()
}

// storesPlannedPrivate reports whether the command line is a Terraform that does.
func (p *pipeline) storesPlannedPrivate() bool {
	p.Helper()
	cli, err := testcli.Find()
	if err != nil {
		p.Fatal(err)
	}
	version, err := versionOf(p.Context(), cli)
	if err != nil {
		p.Fatal(err)
	}
	minor := 0
	_, err = fmt.Sscanf(version, "Terraform v1.%d.", &minor)
	return err == nil && minor >= 16
}

// TestCreateIsHeldToItsPlanOnTheCommandLine: the plan is saved, and another process applies it.
func TestCreateIsHeldToItsPlanOnTheCommandLine(t *testing.T) {
	p := newCLIPipeline(t)
	p.create("testmap", data{"foo": "1"})
	p.write(entryBlock("foo", `value = "2"`, `expected_value = "1"`))
	p.plan()
	planned := p.live("testmap").ResourceVersion
	setsFoo("9", "1")(p)
	if !p.storesPlannedPrivate() {
		p.apply()
		p.wantLive("testmap", data{"foo": "2"})
		return
	}
	now := p.live("testmap").ResourceVersion
	p.applyRefused("Error: Compare-And-Swap Conflict", "The ConfigMap changed after this plan was made.", "Changed by: another-writer",
		fmt.Sprintf("%s when planned, %s now", planned, now))
	p.wantLive("testmap", data{"foo": "1"})
	p.planApply()
	p.wantLive("testmap", data{"foo": "2"})
	p.state()
}
