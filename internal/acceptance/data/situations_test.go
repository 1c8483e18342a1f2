package data

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/behavior"
	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// dataOp brings testmap to where an operation on keys a and b begins, and saves the plan of it.
func dataOp(p *fixture.Pipeline, op string) {
	p.Helper()
	p.Testmap(fixture.Contents{})
	if op != "create" {
		p.Planned(fixture.DataBlock("it", `data = { a = "1", b = "1" }`))
	}
	if op == "delete" {
		p.Plan("-destroy")
		return
	}
	p.Write(fixture.DataBlock("it", `data = { a = "2", b = "1" }`))
	p.Plan()
}

func TestConfigMapDataSituations(t *testing.T) {
	t.Parallel()
	eachOp := func(t *testing.T, do func(p *fixture.Pipeline, op string)) {
		t.Helper()
		for _, op := range []string{"create", "update", "delete"} {
			t.Run(op, func(t *testing.T) { do(fixture.NewPipeline(t), op) })
		}
	}
	t.Run("unreachable", func(t *testing.T) {
		eachOp(t, func(p *fixture.Pipeline, op string) {
			dataOp(p, op)
			p.LeadTo(&rest.Config{Host: fixture.RefusedAddress})
			wants := []string{"Error: API Server Unreachable", "The API server could not be reached. Nothing was ", "Host: " + fixture.RefusedAddress}
			p.ApplyRefused(wants...)
			if op != "delete" { // whose configuration is as it is in the state
				p.PlanRefused(append(wants, "!"+fixture.PlanCheckAdvice), "-refresh=false")
			}
		})
	})
	t.Run("a lost response whose outcome a read shows", func(t *testing.T) {
		eachOp(t, func(p *fixture.Pipeline, op string) {
			proxy := p.Proxied()
			dataOp(p, op)
			proxy.SetHook(fixture.OnceFor(p, http.MethodPatch, testcluster.Fault{DropAfter: true}))
			p.Apply()
			if op == "delete" {
				p.WantLive("testmap", nil)
			} else {
				p.WantLive("testmap", fixture.Data{"a": "2", "b": "1"})
				p.PlanNothing()
			}
		})
	})
	t.Run("a lost response of unknown outcome", func(t *testing.T) {
		eachOp(t, func(p *fixture.Pipeline, op string) {
			proxy := p.Proxied()
			dataOp(p, op)
			overwrites := func(*http.Response) { p.Set("testmap", "a", "9") }
			proxy.SetHook(fixture.OnceFor(p, http.MethodPatch, testcluster.Fault{Answered: overwrites, DropAfter: true}))
			p.ApplyRefused("Error: Write Outcome Unknown", "The ConfigMap may have changed, or may change yet.", "!Nothing was")
		})
	})
	t.Run("being deleted", func(t *testing.T) {
		for _, op := range []string{"create", "update"} {
			t.Run(op, func(t *testing.T) {
				p := fixture.NewPipeline(t)
				dataOp(p, op)
				p.Change("testmap", func(cm *corev1.ConfigMap) { cm.Finalizers = []string{"example.com/held"} })
				p.Remove("testmap")
				t.Cleanup(func() { p.Change("testmap", func(cm *corev1.ConfigMap) { cm.Finalizers = nil }) })
				advice := fixture.PlanCheckAdvice
				if op == "create" { // there is nothing to destroy
					advice = "!" + advice
				}
				p.PlanRefused([]string{"Error: ConfigMap Is Being Deleted", "The ConfigMap is being deleted. Nothing was written.", advice})
			})
		}
	})
	t.Run("immutable", func(t *testing.T) {
		for _, op := range []string{"create", "update"} {
			t.Run(op, func(t *testing.T) {
				p := fixture.NewPipeline(t)
				dataOp(p, op)
				p.Change("testmap", fixture.Freeze)
				advice := "!" + fixture.PlanCheckAdvice
				if op == "update" { // a destroy is refused, too
					advice = `If this blocks a destroy, set data to what the ConfigMap holds, apply deletion_policy = "abandon", then destroy.`
				}
				p.PlanRefused([]string{"Error: ConfigMap Is Immutable", "The ConfigMap is immutable. Nothing was written.", advice})
			})
		}
	})
	t.Run("hidden", func(t *testing.T) {
		p := fixture.NewPipeline(t)
		p.Create("testmap", fixture.Data{"a": "secret-live", "held": "secret-held"})
		p.Write(fixture.DataBlock("it", `data = { a = "secret-new", held = "secret-held" }`, `expected_data = { a = "secret-expected" }`, `hide_values = true`))
		wants := []string{"Key: a Expected: (hidden, 15 bytes, sha256:", "Found: (hidden, 11 bytes, sha256:", "Key: held Found: (hidden, 11 bytes", `!Found: "secret`, `!Expected: "secret`}
		p.PlanRefused(wants)
		p.Export("CAS_PLAN_CHECK", "off")
		p.Plan()
		p.ApplyRefused(wants...)
	})
	t.Run("admission changes one of them", func(t *testing.T) {
		p := fixture.NewPipeline(t)
		p.Testmap(fixture.Contents{})
		p.MutateFoo()
		p.Write(fixture.DataBlock("it", `data = { foo = "2", bar = "2" }`))
		p.Plan()
		p.Wants(p.Apply(), "Warning: Value Not Stored As Sent", "The API server did not store foo as it was sent.", `Key: foo Sent: "2" Stored: "2`+fixture.ByPolicy+`"`, "!Key: bar")
		wantData(p, "it", fixture.Data{"foo": "2", "bar": "2"})
		p.Wants(p.Plan(), `~ "foo" = "2`+fixture.ByPolicy+`" -> "2"`)
		p.Wants(p.Destroy(), "!Value Not Stored As Sent")
		p.WantLive("testmap", nil)
	})
	t.Run("admission refuses one of them, and so all", func(t *testing.T) {
		p := fixture.NewPipeline(t)
		p.Testmap(fixture.Contents{})
		p.RefuseFoo(metav1.StatusReasonInvalid)
		p.Write(fixture.DataBlock("it", `data = { foo = "refused", bar = "2" }`) + fixture.DataBlock("sibling", `data = { x = "1", y = "2" }`))
		p.Plan()
		p.ApplyRefused("Error: Request Refused", "foo must not be refused")
		p.WantLive("testmap", fixture.Data{"x": "1", "y": "2"})
	})
	t.Run("plan_check", func(t *testing.T) {
		for _, check := range []string{"warning", "off"} {
			t.Run(check, func(t *testing.T) {
				p := fixture.NewPipeline(t)
				p.Create("testmap", fixture.Data{"a": "9"})
				behavior.WriteChecked(p, behavior.PlanCheckSource{Configured: check}, fixture.DataBlock("it", `data = { a = "1", b = "1" }`))
				said := "Warning: Key Already Exists"
				if check == "off" {
					said = "!" + said
				}
				p.Wants(p.Plan(), said, "!Error:")
				p.ApplyRefused("Error: Key Already Exists", "!"+fixture.PlanCheckAdvice)
				p.WantState()
			})
		}
	})
}

func TestConfigMapDataNotPermitted(t *testing.T) {
	f := fixture.New(t)
	f.Create("testmap", fixture.Data{"foo": "1"})
	reader := f.Cluster.Kubeconfig(f, f.User("reader", "configmaps", "get"))
	planned := false
	f.RunRefused(func(got fixture.Failures) {
		got.Want(f, "it", "Error: Not Permitted", "permission to patch this ConfigMap", "ConfigMap: "+f.Namespace+"/testmap", "API server: ", "Grant get and patch on configmaps in this namespace.")
	}, resource.TestStep{
		Config: f.ConfigFor(reader, "", fixture.DataBlock("it", `data = { a = "1", b = "2" }`)), ConfigPlanChecks: fixture.Between(func() { planned = true }),
	})
	f.WantLive("testmap", fixture.Data{"foo": "1"})
	if !planned {
		f.Error("the plan failed, which only needs get")
	}
}

func TestConfigMapDataUnknownUntilApply(t *testing.T) {
	t.Parallel()
	it := func(value string) string {
		return fmt.Sprintf("resource \"terraform_data\" \"it\" {\ninput = %q\n}\n", value)
	}
	const output = "terraform_data.it.output"
	for name, block := range map[string]string{
		"value":       `data = { a = ` + output + `, b = "2" }`,
		"key":         `data = { (` + output + `) = "1", b = "2" }`,
		"map":         `data = tomap({ for k in [` + output + `] : k => "1" })`,
		"expectation": "data = { a = \"1\" }\nexpected_data = { guard = " + output + " }",
		"scope":       "data = { a = \"1\" }\nconflict_scope = " + output + " == \"x\" ? \"key\" : \"object\"",
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Create("testmap", fixture.Data{"guard": "x"})
			p.Planned(it("x") + fixture.DataBlock("it", block))
			p.PlanNothing()
			p.Wants(fmt.Sprint(p.State()["it"].Attributes["id"]), p.Namespace+"/testmap:")
			p.Set("testmap", "guard", "y")
			p.Planned(it("y") + fixture.DataBlock("it", block))
			p.PlanNothing()
			p.Destroy()
			p.WantLive("testmap", fixture.Data{"guard": "y"})
		})
	}
	t.Run("expectations", func(t *testing.T) {
		p := fixture.NewPipeline(t)
		p.Create("testmap", fixture.Data{"a": "0"})
		p.Write(it("a") + fixture.DataBlock("it", `data = { a = "1" }`, `expected_data = tomap({ for k in [`+output+`] : k => "0" })`))
		p.PlanApply()
		p.WantLive("testmap", fixture.Data{"a": "1"})
	})
	t.Run("is checked at apply", func(t *testing.T) {
		p := fixture.NewPipeline(t)
		p.Create("testmap", fixture.Data{"a": "9", "b": "8"})
		p.Write(it("1") + fixture.DataBlock("it", `data = { a = "0", b = `+output+` }`, `expected_data = { a = "7" }`))
		p.Plan()
		p.ApplyRefused("Error: Compare-And-Swap Conflict", `Key: a Expected: "7" Found: "9"`, `Key: b Expected: (absent) Found: "8"`)
		p.WantLive("testmap", fixture.Data{"a": "9", "b": "8"})
	})
	t.Run("provider", func(t *testing.T) {
		p := fixture.NewPipeline(t)
		p.Create("testmap", fixture.Data{"x": "y"})
		p.WriteUnknown(1, fixture.DataBlock("it", `data = { a = "1", b = "1" }`))
		p.PlanApply()
		p.WriteUnknown(2, fixture.DataBlock("it", `data = { a = "2" }`))
		p.PlanApply()
		p.WantLive("testmap", fixture.Data{"a": "2", "x": "y"})
		p.Set("testmap", "a", "foreign")
		p.WriteUnknown(3, fixture.DataBlock("it", `data = { a = "3" }`))
		p.Plan()
		p.ApplyRefused("Error: Compare-And-Swap Conflict", `Key: a Expected: "2" Found: "foreign"`)
	})
}

// TestConfigMapDataPinnedVersion needs the pin: nothing else minds the other key.
func TestConfigMapDataPinnedVersion(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{"a": "1"})
	block := func(value, version string) string {
		return fixture.DataBlock("it", `data = { a = "`+value+`", b = "2" }`, `expected_data = { a = "1" }`, `conflict_scope = "key"`, `expected_resource_version_wo = "`+version+`"`)
	}
	wants := []string{"Error: Compare-And-Swap Conflict", "expected_resource_version_wo", " expected, ", " now ", "!Key:"}
	pinned := p.Live("testmap").ResourceVersion
	p.Write(block("2", pinned))
	p.Plan()
	p.Set("testmap", "other", "foreign")
	p.ApplyRefused(wants...)
	p.PlanRefused(wants)
	p.WantLive("testmap", fixture.Data{"a": "1", "other": "foreign"})
	p.Planned(block("2", p.Live("testmap").ResourceVersion))
	p.WantLive("testmap", fixture.Data{"a": "2", "b": "2", "other": "foreign"})
	p.Write(block("2", pinned))
	p.PlanNothing() // without a write it checks nothing
}

// Several resources of one ConfigMap in one apply do not conflict with each other, and share requests.
func TestConfigMapDataBesideOthers(t *testing.T) {
	f := fixture.New(t)
	p := f.Proxied()
	f.Create("testmap", fixture.Data{"x": "y"})
	config := func(value string) (config string, want fixture.Data) {
		want = fixture.Data{"x": "y"}
		for i := range 4 {
			a, b, c := fmt.Sprintf("a%d", i), fmt.Sprintf("b%d", i), fmt.Sprintf("c%d", i)
			config += fixture.DataBlock(a, fmt.Sprintf("data = { %s = %q, %s = %q }", a, value, b, value)) + fixture.Entry(c, "testmap", c, fmt.Sprintf("value = %q", value))
			want[a], want[b], want[c] = value, value, value
		}
		return config, want
	}
	step := func(value string) resource.TestStep {
		body, want := config(value)
		return resource.TestStep{Config: f.Config(body), ConfigPlanChecks: fixture.Between(p.Reset), Check: fixture.Checked(func() {
			f.WantLive("testmap", want)
			if n := p.Count("PATCH"); n == 0 || n > 8 {
				f.Errorf("%d writes of 8 resources", n)
			}
		})}
	}
	f.RunSteps(step("1"), step("2"))
	f.WantLive("testmap", fixture.Data{"x": "y"})
}

// One request for everything: a read and a patch, however many keys.
func TestConfigMapDataRequests(t *testing.T) {
	f := fixture.New(t)
	p := f.Proxied()
	f.Create("testmap", nil)
	counted := f.Counted(p)
	many := func(value string) string {
		return "data = { for i in range(50) : format(\"k%03d\", i) => " + fixture.Quoted(value) + " }"
	}
	f.RunSteps(
		resource.TestStep{
			Config: f.Config(fixture.DataBlock("it", many("1"))), ConfigPlanChecks: fixture.Between(counted("plan of a create", 1, 0)),
			Check: fixture.Checked(counted("apply of a create", 1, 1)),
		},
		resource.TestStep{
			PreConfig: p.Reset, Config: f.Config(fixture.DataBlock("it", many("2"))), ConfigPlanChecks: fixture.Between(counted("plan of an update", 1, 0)),
			Check: fixture.Checked(counted("apply of an update", 1, 1)),
		},
		resource.TestStep{
			PreConfig: p.Reset, Config: f.Config(fixture.Nothing), ConfigPlanChecks: fixture.Between(counted("plan of a delete", 1, 0)),
			Check: fixture.Checked(counted("apply of a delete", 1, 1)),
		},
	)
	if live := f.Live("testmap"); len(live.Data) > 0 {
		f.Errorf("live: %v", live.Data)
	}
}
