package entry

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	"github.com/hashicorp/terraform-plugin-testing/terraform"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// TestConfigMapEntryRequestsOfOne counts the requests of each command: the framework configures the provider again for
// each, and runs them in a fixed order.
func TestConfigMapEntryRequestsOfOne(t *testing.T) {
	f := fixture.New(t)
	p := f.Proxied()
	f.Create("testmap", fixture.Data{"foo": "1"})
	counted := f.Counted(p)
	// After a step's check come a plan without and a plan with a refresh.
	planned := func(s resource.TestStep) resource.TestStep {
		s.ConfigPlanChecks.PostApplyPreRefresh = []plancheck.PlanCheck{fixture.PlanCheckFunc(counted("plan of no change with -refresh=false", 0, 0))}
		s.ConfigPlanChecks.PostApplyPostRefresh = []plancheck.PlanCheck{fixture.PlanCheckFunc(counted("plan of no change", 1, 0))}
		return s
	}
	f.RunSteps(
		planned(resource.TestStep{
			Config: f.Foo(fixture.Deletes, `value = "2"`, `expected_value = "1"`), ConfigPlanChecks: fixture.Between(counted("plan of a create", 1, 0)),
			Check: fixture.Checked(counted("apply of a create", 1, 1)),
		}),
		planned(resource.TestStep{
			Config: f.Foo(fixture.Deletes, `value = "3"`), ConfigPlanChecks: fixture.Between(counted("plan of an update", 1, 0)),
			Check: fixture.Checked(counted("apply of an update", 1, 1)),
		}),
		planned(resource.TestStep{
			Config: f.Foo(fixture.Deletes, `value = "3"`, `conflict_scope = "key"`), ConfigPlanChecks: fixture.Between(counted("plan of another scope", 1, 0)),
			Check: fixture.Checked(counted("apply of another scope", 0, 0)),
		}),
		planned(resource.TestStep{
			Config: f.Foo(fixture.Deletes, `value = "4"`, `conflict_scope = "key"`), ConfigPlanChecks: fixture.Between(counted("plan of an update in key scope", 1, 0)),
			Check: fixture.Checked(counted("apply of an update in key scope", 1, 1)),
		}),
		resource.TestStep{
			Config: f.Config(fixture.Nothing), ConfigPlanChecks: fixture.Between(counted("plan of a delete", 1, 0)),
			Check: fixture.Checked(counted("apply of a delete", 1, 1)),
		},
	)
	f.WantLive("testmap", fixture.Data{})
}

func TestConfigMapEntryManyOfOneConfigMap(t *testing.T) {
	const many = 100
	for _, scope := range []string{"object", "key"} {
		t.Run(scope, func(t *testing.T) {
			f := fixture.New(t)
			p := f.Proxied()
			f.Create("testmap", fixture.Data{"other": "kept"})
			step := func(what, config string, want fixture.Data) resource.TestStep {
				want["other"] = "kept"
				return resource.TestStep{
					Config: f.Config(config),
					ConfigPlanChecks: fixture.Between(func() {
						f.Logf("plan of %s: %d requests for %d entries", what, p.Count(), many)
						if n := fixture.RequestsOf(p); n > many/4 {
							f.Errorf("plan of %s: %d requests for %d entries", what, n, many)
						}
						p.Reset()
					}),
					Check: fixture.Checked(func() {
						f.WantLive("testmap", want)
						f.Logf("apply of %s: %d GET and %d PATCH for %d entries", what, p.Count("GET"), p.Count("PATCH"), many)
						if n := fixture.RequestsOf(p); n == 0 || n > many+many/10 { // a write each, where none of them meet
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
			created, wantCreated := fixture.Entries(many, "1", scope)
			updated, wantUpdated := fixture.Entries(many, "2", scope)
			f.RunSteps(step("create", created, wantCreated), step("update", updated, wantUpdated), step("destroy", fixture.Nothing, fixture.Data{}))
		})
	}
}

// TestConfigMapEntryForeignWriteInTheMiddle lets another writer write as soon as the third write is applied, before
// the provider hears of that.
func TestConfigMapEntryForeignWriteInTheMiddle(t *testing.T) {
	const many, landed = 40, 3
	for _, scope := range []string{"object", "key"} {
		for _, what := range []string{"update", "delete"} {
			t.Run(scope+" "+what, func(t *testing.T) {
				f := fixture.New(t)
				p := f.Proxied()
				f.Create("testmap", fixture.Data{})
				var mu sync.Mutex
				patches := 0
				wrote := map[string]bool{} // keys of the requests before the write of the other writer
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
					return testcluster.Fault{Answered: func(*http.Response) { f.Set("testmap", "foreign", "here") }}
				}
				config, want := fixture.Entries(many, "1", scope)
				changed, after := fixture.Nothing, fixture.Data{}
				if what == "update" {
					changed, after = fixture.Entries(many, "2", scope)
				}
				step := resource.TestStep{
					Config:           f.Config(changed),
					ConfigPlanChecks: fixture.Between(func() { p.SetHook(hook) }),
				}
				after["foreign"] = "here"
				if scope == "key" {
					step.Check = fixture.Checked(func() { f.WantLive("testmap", after) })
					f.RunSteps(resource.TestStep{Config: f.Config(config)}, step)
					return
				}
				f.RunRefused(func(got fixture.Failures) {
					p.SetHook(nil)
					want["foreign"] = "here"
					for key := range wrote {
						if delete(want, key); what == "update" {
							want[key] = "2"
						}
					}
					f.WantLive("testmap", want)
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
				}, resource.TestStep{Config: f.Config(config)}, step)
			})
		}
	}
}

func TestConfigMapEntryVanished(t *testing.T) {
	f := fixture.New(t)
	config, creates := "", []plancheck.PlanCheck{}
	names := map[string]plancheck.ResourceActionType{
		"key": plancheck.ResourceActionCreate, "object": plancheck.ResourceActionCreate, "remade-without": plancheck.ResourceActionCreate,
		"remade": plancheck.ResourceActionNoop, "remade-other": plancheck.ResourceActionUpdate,
	}
	for name, action := range names {
		f.Create(name, fixture.Data{"bar": "kept"})
		config += fixture.Entry(name, name, "foo", `value = "1"`, fixture.Overwrites)
		creates = append(creates, plancheck.ExpectResourceAction("cas_configmap_entry."+name, action))
	}
	uid := ""
	f.RunSteps(
		resource.TestStep{Config: f.Config(config)},
		resource.TestStep{
			PreConfig: func() {
				f.Unset("key", "foo")
				f.Remove("object")
				recreated(fixture.Data{"bar": "kept"})(f, "remade-without")
				recreated(fixture.Data{"bar": "kept", "foo": "1"})(f, "remade")
				recreated(fixture.Data{"bar": "kept", "foo": "2"})(f, "remade-other")
				uid = string(f.Live("remade").UID)
			},
			Config: f.Config(config),
			ConfigPlanChecks: resource.ConfigPlanChecks{PreApply: append(creates,
				fixture.PlanCheckFunc(func() { f.Create("object", fixture.Data{"bar": "kept"}) }))},
			Check: resource.ComposeAggregateTestCheckFunc(
				fixture.Checked(func() {
					for name := range names {
						f.WantLive(name, fixture.Data{"bar": "kept", "foo": "1"})
					}
				}),
			),
		},
		resource.TestStep{ // the resource follows the object that there is now
			Config: f.Config(strings.Replace(config, "resource", "output \"uid\" {\nvalue = cas_configmap_entry.remade.uid\n}\nresource", 1)),
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
	f := fixture.New(t)
	p := f.Proxied()
	before := f.Create("testmap", fixture.Data{"foo": "1"})
	body := fixture.Entry("foo", "testmap", "foo", `value = "1"`, `adopt_existing = true`)
	f.RunRefused(func(got fixture.Failures) {
		got.Want(f, "foo", "Error: Request Refused", "Status: 404")
		if f.Live("testmap").ResourceVersion != before.ResourceVersion {
			f.Error("something was written")
		}
	},
		resource.TestStep{Config: f.Config(body)},
		resource.TestStep{Config: f.ConfigFor(f.Kubeconfig, fmt.Sprintf("host = %q", p.URL+"/nope"), body)},
		resource.TestStep{Config: f.Config(body), ConfigPlanChecks: emptyPlan}, // it is in the state still
	)
}

func TestConfigMapEntryNotPermitted(t *testing.T) {
	f := fixture.New(t)
	f.Create("testmap", fixture.Data{"foo": "1"})
	facts := func(verb string) []string {
		return []string{"Error: Not Permitted", "permission to " + verb + " this ConfigMap", "ConfigMap: " + f.Namespace + "/testmap", "API server: ", "Grant get and patch on configmaps in this namespace."}
	}
	body := func(value string) string {
		return fixture.Entry("foo", "testmap", "foo", fixture.Deletes, fmt.Sprintf("value = %q", value), `expected_value = "1"`)
	}
	noOne := f.Cluster.Kubeconfig(f, f.User("no-one", "secrets", "get"))
	reader := f.Cluster.Kubeconfig(f, f.User("reader", "configmaps", "get"))

	planned := false
	atApply := func(value string) resource.TestStep {
		return resource.TestStep{Config: f.ConfigFor(reader, "", body(value)), ConfigPlanChecks: fixture.Between(func() { planned = true })}
	}
	f.RunRefused(func(got fixture.Failures) { got.Want(f, "foo", facts("get")...) }, resource.TestStep{Config: f.ConfigFor(noOne, "", body("2"))})
	f.RunRefused(func(got fixture.Failures) { got.Want(f, "foo", facts("patch")...) }, atApply("2"))
	f.WantLive("testmap", fixture.Data{"foo": "1"})
	if !planned {
		f.Error("the plan failed, which only needs get")
	}

	f.RunRefused(func(got fixture.Failures) { got.Want(f, "foo", facts("get")...) }, // at refresh
		resource.TestStep{Config: f.Config(body("2"))},
		resource.TestStep{Config: f.ConfigFor(noOne, "", body("2"))},
		resource.TestStep{Config: f.Config(body("2")), ConfigPlanChecks: emptyPlan},
	)
	f.WantLive("testmap", fixture.Data{})

	f.Set("testmap", "foo", "1")
	f.RunRefused(func(got fixture.Failures) {
		got.Want(f, "", facts("patch")...) // what is removed from the configuration has no label
		f.WantLive("testmap", fixture.Data{"foo": "2"})
	},
		resource.TestStep{Config: f.Config(body("2"))},
		resource.TestStep{Config: f.ConfigFor(reader, "", fixture.Nothing)},
		resource.TestStep{Config: f.Config(body("2")), ConfigPlanChecks: emptyPlan},
	)
}
