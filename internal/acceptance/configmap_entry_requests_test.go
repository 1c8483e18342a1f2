package acceptance_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// nothing is a configuration without resources.
const nothing = "locals {}\n"

// wantRequests compares the number of requests of each method since the last Reset, and resets. A plan reuses a read for a second, so that
// reads may be more on a machine that takes longer between two of them.
func wantRequests(t *testing.T, p *testcluster.Proxy, what string, want map[string]int) {
	t.Helper()
	got, late := map[string]int{}, 0
	var last time.Time
	for _, r := range p.Requests() {
		got[r.Method]++
		if r.Method == http.MethodGet {
			if !last.IsZero() && r.At.Sub(last) >= time.Second {
				late++
			}
			last = r.At
		}
	}
	p.Reset()
	got[http.MethodGet] -= max(0, min(late, got[http.MethodGet]-want[http.MethodGet]))
	maps.DeleteFunc(got, func(_ string, n int) bool { return n == 0 })
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("requests of %s (-want +got):\n%s", what, diff)
	}
}

// counted makes checks of the requests since the last one, for any point between two commands.
func (f *fixture) counted(p *testcluster.Proxy) func(what string, gets, patches int) func() {
	return func(what string, gets, patches int) func() {
		want := map[string]int{http.MethodGet: gets, http.MethodPatch: patches}
		maps.DeleteFunc(want, func(_ string, n int) bool { return n == 0 })
		return func() { wantRequests(f.T, p, what, want) }
	}
}

// TestConfigMapEntryRequestsOfOne counts the requests of each command: the framework configures the provider anew for
// each, and runs them in a fixed order.
func TestConfigMapEntryRequestsOfOne(t *testing.T) {
	f := newFixture(t)
	p := f.proxied()
	f.create("testmap", data{"foo": "1"})
	counted := f.counted(p)
	// After a step's check come a plan without and a plan with a refresh.
	planned := func(s resource.TestStep) resource.TestStep {
		s.ConfigPlanChecks.PostApplyPreRefresh = []plancheck.PlanCheck{planCheckFunc(counted("plan of no change with -refresh=false", 0, 0))}
		s.ConfigPlanChecks.PostApplyPostRefresh = []plancheck.PlanCheck{planCheckFunc(counted("plan of no change", 1, 0))}
		return s
	}
	f.run(
		planned(resource.TestStep{
			Config: f.foo(`value = "2"`, `expected_value = "1"`), ConfigPlanChecks: between(counted("plan of a create", 1, 0)),
			Check: checked(counted("apply of a create", 1, 1)),
		}),
		planned(resource.TestStep{
			Config: f.foo(`value = "3"`), ConfigPlanChecks: between(counted("plan of an update", 1, 0)),
			Check: checked(counted("apply of an update", 1, 1)),
		}),
		planned(resource.TestStep{
			Config: f.foo(`value = "3"`, `conflict_scope = "key"`), ConfigPlanChecks: between(counted("plan of another scope", 1, 0)),
			Check: checked(counted("apply of another scope", 0, 0)),
		}),
		planned(resource.TestStep{
			Config: f.foo(`value = "4"`, `conflict_scope = "key"`), ConfigPlanChecks: between(counted("plan of an update in key scope", 1, 0)),
			Check: checked(counted("apply of an update in key scope", 1, 1)),
		}),
		resource.TestStep{
			Config: f.config(nothing), ConfigPlanChecks: between(counted("plan of a delete", 1, 0)),
			Check: checked(counted("apply of a delete", 0, 1)),
		},
	)
	f.wantLive("testmap", data{})
}

// entries is the configuration of n keys of one ConfigMap, and what they then hold. The framework reads no for_each.
func entries(n int, value, scope string) (config string, want data) {
	want = data{}
	for i := range n {
		want[fmt.Sprintf("k%03d", i)] = value
	}
	config = strings.Replace(entry("all", "testmap", "KEY", fmt.Sprintf("count = %d\nvalue = %q\nconflict_scope = %q", n, value, scope)),
		`"KEY"`, `format("k%03d", count.index)`, 1)
	return config, want
}

func TestConfigMapEntryManyOfOneConfigMap(t *testing.T) {
	const many = 100
	for _, scope := range []string{"object", "key"} {
		t.Run(scope, func(t *testing.T) {
			f := newFixture(t)
			p := f.proxied()
			f.create("testmap", data{"other": "kept"})
			step := func(what, config string, want data) resource.TestStep {
				want["other"] = "kept"
				return resource.TestStep{
					Config: f.config(config),
					ConfigPlanChecks: between(func() {
						f.Logf("plan of %s: %d requests for %d entries", what, p.Count(), many)
						if n := p.Count(); n == 0 || n > many/4 {
							f.Errorf("plan of %s: %d requests for %d entries", what, n, many)
						}
						p.Reset()
					}),
					Check: checked(func() {
						f.wantLive("testmap", want)
						f.Logf("apply of %s: %d GET and %d PATCH for %d entries", what, p.Count("GET"), p.Count("PATCH"), many)
						if n := p.Count(); n == 0 || n > many+many/10 { // a write each, where none of them meet
							f.Errorf("apply of %s: %d requests for %d entries", what, n, many)
						}
						for _, r := range p.Requests() {
							if r.Status != http.StatusOK {
								f.Errorf("apply of %s: %v", what, r)
							}
						}
						p.Reset()
					}),
				}
			}
			created, wantCreated := entries(many, "1", scope)
			updated, wantUpdated := entries(many, "2", scope)
			f.run(step("create", created, wantCreated), step("update", updated, wantUpdated), step("destroy", nothing, data{}))
		})
	}
}

// TestConfigMapEntryForeignWriteInTheMiddle lets another writer write as soon as the third write has landed, before the
// provider hears of that.
func TestConfigMapEntryForeignWriteInTheMiddle(t *testing.T) {
	const many, landed = 40, 3
	for _, scope := range []string{"object", "key"} {
		for _, what := range []string{"update", "delete"} {
			t.Run(scope+" "+what, func(t *testing.T) {
				f := newFixture(t)
				p := f.proxied()
				f.create("testmap", data{})
				var mu sync.Mutex
				patches := 0
				wrote := map[string]bool{} // keys of the requests before the foreign write
				hook := func(r *http.Request) testcluster.Fault {
					if r.Method != http.MethodPatch {
						return testcluster.Fault{}
					}
					mu.Lock()
					defer mu.Unlock()
					if patches++; patches > landed {
						return testcluster.Fault{}
					}
					var body struct{ Data map[string]*string }
					if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
						f.Error(err)
					}
					for key := range body.Data {
						wrote[key] = true
					}
					if patches < landed {
						return testcluster.Fault{}
					}
					return testcluster.Fault{Answered: func(*http.Response) { f.set("testmap", "foreign", "here") }}
				}
				config, want := entries(many, "1", scope)
				changed, after := nothing, data{}
				if what == "update" {
					changed, after = entries(many, "2", scope)
				}
				step := resource.TestStep{
					Config:           f.config(changed),
					ConfigPlanChecks: between(func() { p.SetHook(hook) }),
				}
				after["foreign"] = "here"
				if scope == "key" {
					step.Check = checked(func() { f.wantLive("testmap", after) })
					f.run(resource.TestStep{Config: f.config(config)}, step)
					return
				}
				f.runRefused(func(got failures) {
					p.SetHook(nil)
					want["foreign"] = "here"
					for key := range wrote {
						if delete(want, key); what == "update" {
							want[key] = "2"
						}
					}
					f.wantLive("testmap", want)
					refused := 0
					for _, text := range got { // what is removed from the configuration has no label
						refused += strings.Count(text, "Error: Compare-And-Swap Conflict")
						if strings.Count(text, "Error: ") != strings.Count(text, ", but the ConfigMap changed.") {
							f.Errorf("refused with\n%s", text)
						}
					}
					if len(wrote) < landed || refused == 0 || len(wrote)+refused != many {
						f.Errorf("%d were written before, %d were refused, of %d", len(wrote), refused, many)
					}
				}, resource.TestStep{Config: f.config(config)}, step)
			})
		}
	}
}

func TestConfigMapEntryVanished(t *testing.T) {
	f := newFixture(t)
	config, creates := "", []plancheck.PlanCheck{}
	names := map[string]plancheck.ResourceActionType{
		"key": plancheck.ResourceActionCreate, "object": plancheck.ResourceActionCreate, "remade-without": plancheck.ResourceActionCreate,
		"remade": plancheck.ResourceActionNoop, "remade-other": plancheck.ResourceActionUpdate,
	}
	for name, action := range names {
		f.create(name, data{"bar": "kept"})
		config += entry(name, name, "foo", `value = "1"`)
		creates = append(creates, plancheck.ExpectResourceAction("cas_configmap_entry."+name, action))
	}
	uid := ""
	f.run(
		resource.TestStep{Config: f.config(config)},
		resource.TestStep{
			PreConfig: func() {
				f.unset("key", "foo")
				f.remove("object")
				recreated(data{"bar": "kept"})(f, "remade-without")
				recreated(data{"bar": "kept", "foo": "1"})(f, "remade")
				recreated(data{"bar": "kept", "foo": "2"})(f, "remade-other")
				uid = string(f.live("remade").UID)
			},
			Config: f.config(config),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: append(creates,
				planCheckFunc(func() { f.create("object", data{"bar": "kept"}) }))},
			Check: resource.ComposeAggregateTestCheckFunc(
				checked(func() {
					for name := range names {
						f.wantLive(name, data{"bar": "kept", "foo": "1"})
					}
				}),
			),
		},
		resource.TestStep{ // the resource follows the object that there is now
			Config: f.config(strings.Replace(config, "resource", "output \"uid\" {\nvalue = cas_configmap_entry.remade.uid\n}\nresource", 1)),
			Check: func(s *terraform.State) error {
				if got := s.RootModule().Outputs["uid"].Value; got != uid {
					return fmt.Errorf("uid %v, want %s", got, uid)
				}
				return nil
			},
		},
	)
}

// TestConfigMapEntryOther404 asks a server that knows no such path: that says nothing about the ConfigMap.
func TestConfigMapEntryOther404(t *testing.T) {
	f := newFixture(t)
	p := f.proxied()
	before := f.create("testmap", data{"foo": "1"})
	body := entry("foo", "testmap", "foo", `value = "1"`, `adopt_existing = true`)
	f.runRefused(func(got failures) {
		got.want(f, "foo", "Error: Request Refused", "Status: 404")
		if f.live("testmap").ResourceVersion != before.ResourceVersion {
			f.Error("something was written")
		}
	},
		resource.TestStep{Config: f.config(body)},
		resource.TestStep{Config: f.configFor(f.kubeconfig, fmt.Sprintf("host = %q", p.URL+"/nope"), body)},
		resource.TestStep{Config: f.config(body), ConfigPlanChecks: emptyPlan}, // it is in the state still
	)
}

func TestConfigMapEntryNotPermitted(t *testing.T) {
	f := newFixture(t)
	f.create("testmap", data{"foo": "1"})
	facts := func(verb string) []string {
		return []string{"Error: Not Permitted", "permission to " + verb + " this ConfigMap", "ConfigMap: " + f.namespace + "/testmap", "API server: ", "Grant get and patch on configmaps in this namespace."}
	}
	body := func(value string) string {
		return entry("foo", "testmap", "foo", fmt.Sprintf("value = %q", value), `expected_value = "1"`)
	}
	noOne := f.cluster.Kubeconfig(f, f.user("no-one", "secrets", "get"))
	reader := f.cluster.Kubeconfig(f, f.user("reader", "configmaps", "get"))

	planned := false
	atApply := func(value string) resource.TestStep {
		return resource.TestStep{Config: f.configFor(reader, "", body(value)), ConfigPlanChecks: between(func() { planned = true })}
	}
	f.runRefused(func(got failures) { got.want(f, "foo", facts("get")...) }, resource.TestStep{Config: f.configFor(noOne, "", body("2"))})
	f.runRefused(func(got failures) { got.want(f, "foo", facts("patch")...) }, atApply("2"))
	f.wantLive("testmap", data{"foo": "1"})
	if !planned {
		f.Error("the plan failed, which only needs get")
	}

	f.runRefused(func(got failures) { got.want(f, "foo", facts("get")...) }, // at refresh
		resource.TestStep{Config: f.config(body("2"))},
		resource.TestStep{Config: f.configFor(noOne, "", body("2"))},
		resource.TestStep{Config: f.config(body("2")), ConfigPlanChecks: emptyPlan},
	)
	f.wantLive("testmap", data{})

	f.set("testmap", "foo", "1")
	f.runRefused(func(got failures) {
		got.want(f, "", facts("patch")...) // what is removed from the configuration has no label
		f.wantLive("testmap", data{"foo": "2"})
	},
		resource.TestStep{Config: f.config(body("2"))},
		resource.TestStep{Config: f.configFor(reader, "", nothing)},
		resource.TestStep{Config: f.config(body("2")), ConfigPlanChecks: emptyPlan},
	)
}
