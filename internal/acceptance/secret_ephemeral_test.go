package acceptance_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver"
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

// TestPlanOfASecretKeepsNothingToTestGuessesAgainst: whoever has the saved plan has its note, which lets the write go without a read.
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
			var parts map[string][]byte
			var note struct{ Judged map[string]any }
			s, ok := p.on.(*session)
			if !ok {
				t.Fatal("this is no driver")
			}
			raw := s.plans[planFile].Changes[0].Private()
			if err := json.Unmarshal(raw, &parts); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(parts["planned"], &note); err != nil {
				t.Fatal(err)
			}
			kept := strings.Join(slices.Sorted(maps.Keys(note.Judged)), " ")
			if want := map[string]string{"entry": "resource_version since uid", "data": "absent resource_version since uid"}[name]; kept != want {
				t.Errorf("the note keeps %s, want %s", kept, want)
			}
		})
	}
}
