package secret

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// TestApplyMayBeGivenOtherWriteOnlyValues: no plan has write-only values. So the apply may have another expectation
// than the plan, and may name keys that the plan did not read.
func TestApplyMayBeGivenOtherWriteOnlyValues(t *testing.T) {
	type given struct {
		body          string // with var.given
		planned, then string // its value at plan, and at apply
		refused       []string
		live          fixture.Data
	}
	entry := fixture.SecretEntry(`value_wo = "2"`, "expected_value_wo = var.given")
	keys := fixture.SecretData(`data_wo = { (var.given) = "2" }`)
	all := map[string]given{
		"the same expectation":         {entry, "1", "1", nil, fixture.Data{"password": "2", "bar": "kept"}},
		"another expectation":          {entry, "1", "9", []string{"Error: Expected Value Mismatch", "password does not hold what expected_value_wo says. Nothing was written."}, nil},
		"the same key":                 {keys, "new", "new", nil, fixture.Data{"password": "1", "bar": "kept", "new": "2"}},
		"another key, which exists":    {keys, "new", "bar", []string{"Error: Key Already Exists", "bar already exists with another value. Nothing was written."}, nil},
		"another key, which is absent": {keys, "new", "newer", nil, fixture.Data{"password": "1", "bar": "kept", "newer": "2"}},
	}
	run := func(p *fixture.Pipeline, test given) {
		p.Helper()
		p.CreateSecret("database", fixture.Data{"password": "1", "bar": "kept"})
		p.Write(test.body + "variable \"given\" {\n  type = string\n  ephemeral = true\n}\n")
		p.Export("TF_VAR_given", test.planned)
		p.Plan()
		p.Export("TF_VAR_given", test.then)
		if test.refused != nil {
			p.ApplyRefused(test.refused...)
			test.live = fixture.Data{"password": "1", "bar": "kept"}
		} else {
			p.Apply()
		}
		p.WantSecret("database", test.live)
	}
	for name, test := range all {
		t.Run(name, func(t *testing.T) {
			fixture.OnEachProfile(t, func(p *fixture.Pipeline) { run(p, test) })
		})
	}
	for _, name := range []string{"the same expectation", "another expectation"} {
		t.Run(name+" on the command line", func(t *testing.T) { run(fixture.NewCLIPipeline(t), all[name]) })
	}
}

// deleting gives up keys that somebody else wrote as well.
func deleting(lines ...string) string {
	return fixture.SecretData(append([]string{fixture.Deletes}, lines...)...)
}

// Given an update that writes no value; when the apply is given another key than the plan, or one key less; then it writes what it is given.
func TestApplyMayBeGivenOtherKeysThanItsPlan(t *testing.T) {
	keys := func(value string) string {
		return fmt.Sprintf(`data_wo = { for key in split(",", var.given) : key => %q }`, value)
	}
	test := func(p *fixture.Pipeline, block func(...string) string, change, then string) {
		p.Helper()
		const variable = "variable \"given\" {\n  type = string\n  ephemeral = true\n}\n"
		live := fixture.Data{}
		if !strings.Contains(block(), `"cas_secret"`) {
			live["kept"] = "yes"
			p.CreateSecret("database", live)
		}
		p.Export("TF_VAR_given", "a,b")
		p.Planned(variable + block(keys("1"), fixture.Overwrites))
		value := "1"
		if change == "" { // the configuration says what somebody else has written
			value = "2"
			p.Rotate("database", "a", value)
			p.Rotate("database", "b", value)
		}
		p.Write(variable + block(keys(value), cmp.Or(change, fixture.Overwrites)))
		p.Wants(p.Plan(), "0 to add, 1 to change, 0 to destroy")
		p.Export("TF_VAR_given", then)
		p.Apply()
		for key := range strings.SplitSeq(then, ",") {
			live[key] = value
		}
		p.WantSecret("database", live)
		p.PlanNothing()
	}
	for form, block := range map[string]func(...string) string{"whole": fixture.SecretBlock, "data": deleting} {
		for what, change := range map[string]string{"timeouts": `timeouts = { read = "30s" }`, "on_drift": `on_drift = "error"`, "accepted drift": ""} {
			for more, then := range map[string]string{"a key more": "a,b,c", "a key less": "a", "another key": "a,c", "the same keys": "b,a"} {
				t.Run(form+"/"+what+"/"+more, func(t *testing.T) {
					fixture.OnEachProfile(t, func(p *fixture.Pipeline) { test(p, block, change, then) })
				})
			}
		}
		t.Run(form+"/command line", func(t *testing.T) { test(fixture.NewCLIPipeline(t), block, `on_drift = "error"`, "a,b,c") })
	}
}

// Given a lost response, while another writer writes the same value and more, or other keys; then the write is
// reported as applied only if it was, and the next entry of the same run does not conflict with it.
func TestLostResponseOfASecretThatWasJustPlanned(t *testing.T) {
	entry := func(name string, lines ...string) string {
		return fixture.BlockOf("cas_secret_entry", name, append(lines, "key = "+fixture.Quoted(name), "value_wo_version = 2"))
	}
	for name, test := range map[string]struct {
		fault   testcluster.Fault
		another func(o fixture.Object)
		refused []string
		live    fixture.Data
	}{
		"it was applied": {
			testcluster.Fault{DropAfter: true}, func(fixture.Object) {}, nil, fixture.Data{"a": "2", "b": "2", "c": "1"},
		},
		"another wrote the same and more": {
			testcluster.Fault{DropBefore: true},
			func(o fixture.Object) { o.SetAs("operator", fixture.Data{"a": "2", "c": "9"}) },
			[]string{"Write Outcome Unknown", "!Modifications complete"},
			fixture.Data{"a": "2", "b": "1", "c": "9"},
		},
		"another wrote other keys": {
			testcluster.Fault{DropBefore: true},
			func(o fixture.Object) { o.Set("c", "9") },
			[]string{"Write Outcome Unknown", "!Modifications complete"},
			fixture.Data{"a": "1", "b": "1", "c": "9"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			fixture.OnEachProfile(t, func(p *fixture.Pipeline) {
				o := fixture.Object{Fixture: p.Fixture, Kind: fixture.ObjectKinds[1]}
				proxy := p.Proxied()
				o.Create(fixture.Data{"a": "0", "b": "0", "c": "1"})
				first := []string{`value_wo = "1"`, `expected_value_wo = "0"`}
				p.Planned(strings.ReplaceAll(entry("a", first...)+entry("b", append(first, "depends_on = [cas_secret_entry.a]")...), "version = 2", "version = 1"))
				p.Write(entry("a", `value_wo = "2"`) + entry("b", `value_wo = "2"`, "depends_on = [cas_secret_entry.a]"))
				p.Plan()
				proxy.SetHook(func(r *http.Request) testcluster.Fault {
					if r.Method != http.MethodPatch {
						return testcluster.Fault{}
					}
					proxy.SetHook(nil)
					test.another(o)
					return test.fault
				})
				if test.refused == nil {
					p.Apply()
				} else {
					p.ApplyRefused(test.refused...)
				}
				if got := o.Live().Data; !maps.Equal(got, test.live) {
					t.Errorf("live %q, want %q", got, test.live)
				}
			})
		})
	}
}
