package kinds

import (
	"net/http"
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver"
	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// TestRequestsOfALoneEntryInOneApply: where the plan's note reaches the apply, the write goes by what the plan has read.
func TestRequestsOfALoneEntryInOneApply(t *testing.T) {
	for name, config := range map[string]func(value, scope string) string{
		"entry": func(value, scope string) string {
			return fixture.EntryBlock("foo", "value = "+fixture.Quoted(value), "conflict_scope = "+fixture.Quoted(scope))
		},
		"data": func(value, scope string) string {
			return fixture.DataBlock("it", "data = { foo = "+fixture.Quoted(value)+`, stays = "1" }`, "conflict_scope = "+fixture.Quoted(scope))
		},
	} {
		for _, scope := range []string{"object", "key"} {
			t.Run(name+" "+scope, func(t *testing.T) {
				fixture.OnEachProfile(t, func(p *fixture.Pipeline, stores bool) {
					proxy := p.Proxied()
					p.Create("testmap", fixture.Data{"bar": "kept"})
					for _, value := range []string{"1", "2"} { // a create and an update
						p.Write(config(value, scope))
						proxy.Reset()
						p.Do("apply", "-auto-approve")
						want := map[string]int{http.MethodGet: 2, http.MethodPatch: 1}
						if stores {
							want[http.MethodGet] = 1
						}
						fixture.WantRequests(p.T, proxy, "apply of value "+value, want)
						if got := p.Live("testmap").Data["foo"]; got != value {
							p.Errorf("foo holds %q, want %q", got, value)
						}
					}
				})
			})
		}
	}
}

// TestWriteThatThePlanHasJudgedIsFoundOutAboutWhereItsAnswerIsLost cuts the connection of the first write.
func TestWriteThatThePlanHasJudgedIsFoundOutAboutWhereItsAnswerIsLost(t *testing.T) {
	for name, test := range map[string]struct {
		fault testcluster.Fault
		then  fixture.OfTestmap
	}{
		"it landed":                    {testcluster.Fault{DropAfter: true}, func(*fixture.Pipeline) {}},
		"it did not land":              {testcluster.Fault{DropBefore: true}, func(*fixture.Pipeline) {}},
		"it landed, and another wrote": {testcluster.Fault{DropAfter: true}, fixture.SetsOther},
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipelineOf(t, driver.Terraform116)
			proxy := p.Proxied()
			p.Create("testmap", fixture.Data{"bar": "kept"})
			for _, value := range []string{"1", "2"} {
				p.Write(fixture.EntryBlock("foo", "value = "+fixture.Quoted(value)))
				p.Plan()
				fired := false
				proxy.SetHook(func(r *http.Request) testcluster.Fault {
					switch {
					case r.Method == http.MethodPatch && !fired:
						fired = true
						return test.fault
					case fired:
						test.then(p)
					}
					return testcluster.Fault{}
				})
				proxy.Reset()
				p.Apply()
				proxy.SetHook(nil)
				if first := proxy.Requests()[0]; first.Method != http.MethodPatch {
					t.Errorf("the apply began with %v, not with the write", first)
				}
				if got := p.Live("testmap").Data["foo"]; got != value {
					t.Errorf("foo holds %q, want %q", got, value)
				}
				p.PlanNothing()
			}
		})
	}
}

// TestAdoptedKeyIsNoWriteThatThePlanHasJudged: nothing is written of a key that holds its value already, and of text that is the same after
// normalization nobody knows the bytes.
func TestAdoptedKeyIsNoWriteThatThePlanHasJudged(t *testing.T) {
	p := fixture.NewPipelineOf(t, driver.Terraform116)
	proxy := p.Proxied()
	p.Create("testmap", fixture.Data{"foo": "1", "nfd": "e\u0301"})
	p.Write(fixture.DataBlock("it", `data = { foo = "1", bar = "1" }`, "adopt_existing = true") +
		fixture.EntryBlock("nfd", `key = "nfd"`, `value = "2"`, `expected_value = "\u00e9"`, "depends_on = [cas_configmap_data.it]"))
	p.Plan()
	proxy.Reset()
	p.Apply()
	p.WantLive("testmap", fixture.Data{"foo": "1", "bar": "1", "nfd": "2"})
	if first := proxy.Requests()[0]; first.Method != http.MethodGet {
		t.Errorf("the apply began with %v, not with a read", first)
	}
}
