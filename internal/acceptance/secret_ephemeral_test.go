package acceptance_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// TestApplyMayBeGivenOtherWriteOnlyValues: no plan has them. So an expectation that held at plan need not be that of the apply, and the apply
// may name keys that the plan did not look at.
func TestApplyMayBeGivenOtherWriteOnlyValues(t *testing.T) {
	type given struct {
		body          string // with var.given
		planned, then string // its value at plan, and at apply
		refused       []string
		live          data
	}
	entry := secretEntry(`value_wo = "2"`, "expected_value_wo = var.given")
	keys := secretData(`data_wo = { (var.given) = "2" }`)
	all := map[string]given{
		"the same expectation":         {entry, "1", "1", nil, data{"password": "2", "bar": "kept"}},
		"another expectation":          {entry, "1", "9", []string{"Error: Expected Value Mismatch", "password does not hold what expected_value_wo says. Nothing was written."}, nil},
		"the same key":                 {keys, "new", "new", nil, data{"password": "1", "bar": "kept", "new": "2"}},
		"another key, which exists":    {keys, "new", "bar", []string{"Error: Key Already Exists", "bar already exists with another value. Nothing was written."}, nil},
		"another key, which is absent": {keys, "new", "newer", nil, data{"password": "1", "bar": "kept", "newer": "2"}},
	}
	run := func(p *pipeline, test given) {
		p.Helper()
		p.createSecret("database", data{"password": "1", "bar": "kept"})
		p.write(test.body + "variable \"given\" {\n  type = string\n  ephemeral = true\n}\n")
		p.setenv("TF_VAR_given", test.planned)
		p.plan()
		p.setenv("TF_VAR_given", test.then)
		if test.refused != nil {
			p.applyRefused(test.refused...)
			test.live = data{"password": "1", "bar": "kept"}
		} else {
			p.apply()
		}
		p.wantSecret("database", test.live)
	}
	for name, test := range all {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(p *pipeline, _ bool) { run(p, test) })
		})
	}
	for _, name := range []string{"the same expectation", "another expectation"} {
		t.Run(name+" on the command line", func(t *testing.T) { run(newCLIPipeline(t), all[name]) })
	}
}

// TestPlanOfASecretKeepsNothingToTestGuessesAgainst: whoever has the saved plan has its note.
func TestPlanOfASecretKeepsNothingToTestGuessesAgainst(t *testing.T) {
	for name, body := range map[string]string{
		"entry": secretEntry(`value_wo = "2"`, `expected_value_wo = "1"`),
		"data":  secretData(`data_wo = { password = "2", new = "2" }`, `expected_data_wo = { password = "1" }`),
	} {
		t.Run(name, func(t *testing.T) {
			p := on(t, driver.Terraform116)
			p.createSecret("database", data{"password": "1", "bar": "kept"})
			p.write(body)
			p.plan()
			s, ok := p.on.(*session)
			if !ok {
				t.Fatal("this is no driver")
			}
			var parts map[string][]byte
			var note map[string]any
			if err := json.Unmarshal(s.plans[planFile].Changes[0].Private(), &parts); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(parts["planned"], &note); err != nil {
				t.Fatal(err)
			}
			if kept := strings.Join(slices.Sorted(maps.Keys(note)), " "); kept != "resource_version uid" {
				t.Errorf("the note keeps %s", kept)
			}
		})
	}
}

// Given an answer that gets lost, while another writer under the same name writes the same value and more, or nobody; then the write is never told
// applied unless it is, and the next entry of the same run is no conflict with it.
func TestLostAnswerOfASecretThatWasJustPlanned(t *testing.T) {
	entry := func(name string, lines ...string) string {
		return blockOf("cas_secret_entry", name, append(lines, "key = "+quoted(name), "value_wo_version = 2"))
	}
	for name, test := range map[string]struct {
		fault   testcluster.Fault
		another func(o object)
		refused []string
		live    data
	}{
		"it landed": {
			testcluster.Fault{DropAfter: true}, func(object) {}, nil, data{"a": "2", "b": "2", "c": "1"},
		},
		"another wrote the same and more": {
			testcluster.Fault{DropBefore: true},
			func(o object) { o.setAs("terraform-provider-cas", data{"a": "2", "c": "9"}) },
			[]string{"!Modifications complete"},
			data{"a": "2", "b": "1", "c": "9"},
		},
		"another wrote other keys": {
			testcluster.Fault{DropBefore: true},
			func(o object) { o.set("c", "9") },
			[]string{"Compare-And-Swap Conflict", "Nothing was written."},
			data{"a": "1", "b": "1", "c": "9"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			onEach(t, func(p *pipeline, _ bool) {
				o := object{p.fixture, objectKinds[1]}
				proxy := p.proxied()
				o.create(data{"a": "0", "b": "0", "c": "1"})
				first := []string{`value_wo = "1"`, `expected_value_wo = "0"`}
				p.planned(strings.ReplaceAll(entry("a", first...)+entry("b", append(first, "depends_on = [cas_secret_entry.a]")...), "version = 2", "version = 1"))
				p.write(entry("a", `value_wo = "2"`) + entry("b", `value_wo = "2"`, "depends_on = [cas_secret_entry.a]"))
				p.plan()
				proxy.SetHook(func(r *http.Request) testcluster.Fault {
					if r.Method != http.MethodPatch {
						return testcluster.Fault{}
					}
					proxy.SetHook(nil)
					test.another(o)
					return test.fault
				})
				if test.refused == nil {
					p.apply()
				} else {
					p.applyRefused(test.refused...)
				}
				if got := o.live().Data; !maps.Equal(got, test.live) {
					t.Errorf("live %q, want %q", got, test.live)
				}
			})
		})
	}
}
