package secret

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// secretForms are the resources of Secrets. Each sets password of the Secret database to a number, which is the
// version as well.
var secretForms = map[string]func(number string, lines ...string) string{
	"entry": func(number string, lines ...string) string {
		return fixture.SecretEntry(append(lines, "value_wo = "+fixture.Quoted(number), "value_wo_version = "+number)...)
	},
	"data": func(number string, lines ...string) string {
		return fixture.SecretData(append(lines, "data_wo = { password = "+fixture.Quoted(number)+" }", "data_wo_version = "+number)...)
	},
	"whole": func(number string, lines ...string) string {
		return fixture.SecretBlock(append(lines, "data_wo = { password = "+fixture.Quoted(number)+" }", "data_wo_version = "+number)...)
	},
}

// lostResponse is a fault of the first write of an apply, and what the apply may report.
type lostResponse struct {
	fault     testcluster.Fault
	rotates   string // when an operator overwrites the password: before or after the write
	isUnknown bool   // the outcome may be unknown
	isRefused bool   // the write must not be reported as applied
}

var lostResponses = map[string]lostResponse{
	"after the write":                       {fault: testcluster.Fault{DropAfter: true}},
	"before the write":                      {fault: testcluster.Fault{DropBefore: true}},
	"after the write, which is overwritten": {fault: testcluster.Fault{DropAfter: true}, rotates: "after", isUnknown: true},
	"before the write, after another's":     {fault: testcluster.Fault{DropBefore: true}, rotates: "before", isUnknown: true, isRefused: true},
}

// Given a write whose response is lost; then it is reported as applied only if it was, as not written only if it was
// not, and otherwise as unknown.
func TestSecretLostResponses(t *testing.T) {
	t.Parallel()
	methods := map[string]string{"whole create": http.MethodPost, "whole delete": http.MethodDelete}
	for form, block := range secretForms {
		for _, op := range []string{"create", "update", "delete"} {
			for name, lost := range lostResponses {
				t.Run(form+"/"+op+"/"+name, func(t *testing.T) {
					p := fixture.NewPipeline(t)
					if form != "whole" {
						p.CreateSecret("database", fixture.Data{"other": "kept"})
					}
					proxy := p.Proxied()
					if op != "create" {
						p.Planned(block("1"))
					}
					after := "2"
					if op == "delete" {
						p.Write("")
					} else {
						p.Write(block(after))
					}
					p.Plan()
					stateBefore := p.State()
					proxy.SetHook(loses(t, p, lost, methods[form+" "+op]))
					r := p.On.Apply(fixture.PlanFile)
					proxy.SetHook(nil)

					said, live := r.All(), p.Password()
					isDone := live == nil
					if op != "delete" {
						isDone = live != nil && *live == after
					}
					isUnknown := strings.Contains(said, "Write Outcome Unknown")
					switch {
					case r.ExitCode == 0:
						if lost.isRefused || !isDone && lost.rotates != "after" {
							t.Errorf("it is said to be done, and the password is %v", live)
						}
						if op != "delete" {
							if got := p.State()["it"].Attributes; got["value_wo_version"] != 2.0 && got["data_wo_version"] != 2.0 {
								t.Errorf("the state has %v", got)
							}
						}
					case isUnknown && lost.isUnknown:
						p.Wants(said, "!Nothing was")
					case !isUnknown && lost.isRefused:
						p.Wants(said, "Nothing was")
						if live == nil || *live != "theirs" {
							t.Errorf("it is said to be refused, and the password is %v", live)
						}
					default:
						t.Errorf("a false verdict, and the password is %v:\n%s", live, said)
					}
					if r.ExitCode != 0 {
						for address, was := range stateBefore {
							if diff := cmp.Diff(was.Attributes, p.State()[address].Attributes); diff != "" {
								t.Errorf("the state changed (-before +after):\n%s", diff)
							}
						}
						return
					}
					if lost.rotates == "" {
						p.PlanNothing()
					}
				})
			}
		}
	}
}

// loses returns a hook that loses the response to the first write.
func loses(t *testing.T, p *fixture.Pipeline, lost lostResponse, method string) func(*http.Request) testcluster.Fault {
	t.Helper()
	var met atomic.Bool
	t.Cleanup(func() {
		if !met.Load() {
			t.Error("no write met the fault")
		}
	})
	if method == "" {
		method = http.MethodPatch
	}
	return func(r *http.Request) testcluster.Fault {
		if r.Method != method || !met.CompareAndSwap(false, true) {
			return testcluster.Fault{}
		}
		fault := lost.fault
		switch lost.rotates {
		case "before":
			p.Rotated("theirs")
		case "after":
			fault.Answered = func(*http.Response) { p.Rotated("theirs") }
		}
		return fault
	}
}
