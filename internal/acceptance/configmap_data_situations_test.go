package acceptance_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// dataOp brings testmap to where an operation on keys a and b begins, and saves the plan of it.
func (p *pipeline) dataOp(op string) {
	p.Helper()
	p.testmap(contents{})
	if op != "create" {
		p.planned(dataBlock("it", `data = { a = "1", b = "1" }`))
	}
	if op == "delete" {
		p.plan("-destroy")
		return
	}
	p.write(dataBlock("it", `data = { a = "2", b = "1" }`))
	p.plan()
}

func TestConfigMapDataSituations(t *testing.T) {
	t.Parallel()
	eachOp := func(t *testing.T, do func(p *pipeline, op string)) {
		t.Helper()
		for _, op := range []string{"create", "update", "delete"} {
			t.Run(op, func(t *testing.T) { do(newPipeline(t), op) })
		}
	}
	t.Run("unreachable", func(t *testing.T) {
		eachOp(t, func(p *pipeline, op string) {
			p.dataOp(op)
			p.leadTo(&rest.Config{Host: refusedAddress})
			wants := []string{"Error: API Server Unreachable", "The API server could not be reached. Nothing was ", "Host: " + refusedAddress}
			p.applyRefused(wants...)
			if op != "delete" { // whose configuration is as it is in the state
				p.planRefused(append(wants, "!"+planCheckAdvice), "-refresh=false")
			}
		})
	})
	t.Run("a response that is lost is found", func(t *testing.T) {
		eachOp(t, func(p *pipeline, op string) {
			proxy := p.proxied()
			p.dataOp(op)
			proxy.SetHook(onceFor(p, http.MethodPatch, testcluster.Fault{DropAfter: true}))
			p.apply()
			if op == "delete" {
				p.wantLive("testmap", nil)
			} else {
				p.wantLive("testmap", data{"a": "2", "b": "1"})
				p.planNothing()
			}
		})
	})
	t.Run("a response that is lost and cannot be", func(t *testing.T) {
		eachOp(t, func(p *pipeline, op string) {
			proxy := p.proxiedAs(p.user("cannot-watch", "configmaps", "patch", "get"))
			p.dataOp(op)
			proxy.SetHook(onceFor(p, http.MethodPatch, testcluster.Fault{DropAfter: true}))
			p.applyRefused("Error: Write Outcome Unknown", "The ConfigMap may have changed, or may change yet.", "!Nothing was")
		})
	})
	t.Run("being deleted", func(t *testing.T) {
		for _, op := range []string{"create", "update"} {
			t.Run(op, func(t *testing.T) {
				p := newPipeline(t)
				p.dataOp(op)
				p.change("testmap", func(cm *corev1.ConfigMap) { cm.Finalizers = []string{"example.com/held"} })
				p.remove("testmap")
				t.Cleanup(func() { p.change("testmap", func(cm *corev1.ConfigMap) { cm.Finalizers = nil }) })
				p.planRefused([]string{"Error: ConfigMap Is Being Deleted", "The ConfigMap is being deleted. Nothing was written.", planCheckAdvice})
			})
		}
	})
	t.Run("immutable", func(t *testing.T) {
		for _, op := range []string{"create", "update"} {
			t.Run(op, func(t *testing.T) {
				p := newPipeline(t)
				p.dataOp(op)
				p.change("testmap", freeze)
				p.planRefused([]string{"Error: ConfigMap Is Immutable", "The ConfigMap is immutable. Nothing was written.", planCheckAdvice})
			})
		}
	})
	t.Run("hidden", func(t *testing.T) {
		p := newPipeline(t)
		p.create("testmap", data{"a": "secret-live", "held": "secret-held"})
		p.write(dataBlock("it", `data = { a = "secret-new", held = "secret-held" }`, `expected_data = { a = "secret-expected" }`, `hide_values = true`))
		wants := []string{"Key: a Expected: (hidden, 15 bytes, sha256:", "Found: (hidden, 11 bytes, sha256:", "Key: held Found: (hidden, 11 bytes", `!Found: "secret`, `!Expected: "secret`}
		p.planRefused(wants)
		p.setenv("CAS_PLAN_CHECK", "off")
		p.plan()
		p.applyRefused(wants...)
	})
	t.Run("admission changes one of them", func(t *testing.T) {
		p := newPipeline(t)
		p.testmap(contents{})
		p.mutateFoo()
		p.write(dataBlock("it", `data = { foo = "2", bar = "2" }`))
		p.plan()
		p.wants(p.apply(), "Warning: Value Changed By Admission", "Admission changed foo while it was written.", `Key: foo Sent: "2" Stored: "2`+byPolicy+`"`, "!Key: bar")
		p.wantData("it", data{"foo": "2", "bar": "2"})
		p.wants(p.plan(), `~ "foo" = "2`+byPolicy+`" -> "2"`)
		p.wants(p.destroy(), "!Value Changed By Admission")
		p.wantLive("testmap", nil)
	})
	t.Run("admission refuses one of them, and so all", func(t *testing.T) {
		p := newPipeline(t)
		p.testmap(contents{})
		p.refuseFoo(metav1.StatusReasonInvalid)
		p.write(dataBlock("it", `data = { foo = "refused", bar = "2" }`) + dataBlock("sibling", `data = { x = "1", y = "2" }`))
		p.plan()
		p.applyRefused("Error: Request Refused", "foo must not be refused")
		p.wantLive("testmap", data{"x": "1", "y": "2"})
	})
	t.Run("plan_check", func(t *testing.T) {
		for _, check := range []string{"warning", "off"} {
			t.Run(check, func(t *testing.T) {
				p := newPipeline(t)
				p.create("testmap", data{"a": "9"})
				p.writeChecked(checkSource{configured: check}, dataBlock("it", `data = { a = "1", b = "1" }`))
				said := "Warning: Key Already Exists"
				if check == "off" {
					said = "!" + said
				}
				p.wants(p.plan(), said, "!Error:")
				p.applyRefused("Error: Key Already Exists", "!"+planCheckAdvice)
				p.wantState()
			})
		}
	})
}

func TestConfigMapDataNotPermitted(t *testing.T) {
	f := newFixture(t)
	f.create("testmap", data{"foo": "1"})
	reader := f.cluster.Kubeconfig(f, f.user("reader", "configmaps", "get"))
	planned := false
	f.runRefused(func(got failures) {
		got.want(f, "it", "Error: Not Permitted", "permission to patch this ConfigMap", "ConfigMap: "+f.namespace+"/testmap", "API server: ", "Grant get and patch on configmaps in this namespace.")
	}, resource.TestStep{
		Config: f.configFor(reader, "", dataResource("it", "testmap", `data = { a = "1", b = "2" }`)), ConfigPlanChecks: between(func() { planned = true }),
	})
	f.wantLive("testmap", data{"foo": "1"})
	if !planned {
		f.Error("the plan failed, which only needs get")
	}
}

func TestConfigMapDataTooLarge(t *testing.T) {
	f := newFixture(t)
	other, otherValue := kib(200, "a")
	half, halfValue := kib(450, "b")
	f.create("testmap", data{"other": otherValue})
	planned := false
	block := "data = { a = " + half + ", b = " + half + " }"
	f.runRefused(func(got failures) {
		got.want(f, "it", "Error: ConfigMap Too Large", "The ConfigMap would be too large. Nothing was written.",
			"New values: 921600 bytes Other values: 204800 bytes Limit: 1048576 bytes for all values together", "Shorten a value")
		f.wantLive("testmap", data{"other": otherValue})
	},
		resource.TestStep{Config: f.config(dataResource("it", "testmap", block)), ConfigPlanChecks: between(func() { planned = true })},
		resource.TestStep{ // what frees the space may come in the same apply
			Config: f.config(dataResource("it", "testmap", block, "depends_on = [cas_configmap_entry.other]") +
				entry("other", "testmap", "other", `value = "small"`, "expected_value = "+other)),
			Check: checked(func() { f.wantLive("testmap", data{"other": "small", "a": halfValue, "b": halfValue}) }),
		})
	if !planned {
		f.Error("refused at plan, where a sibling might free the space")
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
			p := newPipeline(t)
			p.create("testmap", data{"guard": "x"})
			p.planned(it("x") + dataBlock("it", block))
			p.planNothing()
			p.wants(fmt.Sprint(p.state()["it"].Attributes["id"]), p.namespace+"/testmap:")
			p.set("testmap", "guard", "y")
			p.planned(it("y") + dataBlock("it", block))
			p.planNothing()
			p.destroy()
			p.wantLive("testmap", data{"guard": "y"})
		})
	}
	t.Run("is checked at apply", func(t *testing.T) {
		p := newPipeline(t)
		p.create("testmap", data{"a": "9", "b": "8"})
		p.write(it("1") + dataBlock("it", `data = { a = "0", b = `+output+` }`, `expected_data = { a = "7" }`))
		p.plan()
		p.applyRefused("Error: Compare-And-Swap Conflict", `Key: a Expected: "7" Found: "9"`, `Key: b Expected: (absent) Found: "8"`)
		p.wantLive("testmap", data{"a": "9", "b": "8"})
	})
	t.Run("provider", func(t *testing.T) {
		p := newPipeline(t)
		p.create("testmap", data{"x": "y"})
		p.writeUnknown(1, dataBlock("it", `data = { a = "1", b = "1" }`))
		p.planApply()
		p.writeUnknown(2, dataBlock("it", `data = { a = "2" }`))
		p.planApply()
		p.wantLive("testmap", data{"a": "2", "x": "y"})
		p.set("testmap", "a", "foreign")
		p.writeUnknown(3, dataBlock("it", `data = { a = "3" }`))
		p.plan()
		p.applyRefused("Error: Compare-And-Swap Conflict", `Key: a Expected: "2" Found: "foreign"`)
	})
}

// TestConfigMapDataPinnedVersion needs the pin: nothing else minds the other key.
func TestConfigMapDataPinnedVersion(t *testing.T) {
	p := newPipeline(t)
	p.create("testmap", data{"a": "1"})
	block := func(value, version string) string {
		return dataBlock("it", `data = { a = "`+value+`", b = "2" }`, `expected_data = { a = "1" }`, `conflict_scope = "key"`, `expected_resource_version_wo = "`+version+`"`)
	}
	wants := []string{"Error: Resource Version Mismatch", "expected_resource_version_wo", " expected, ", " now ", "!Key:"}
	pinned := p.live("testmap").ResourceVersion
	p.write(block("2", pinned))
	p.plan()
	p.set("testmap", "other", "foreign")
	p.applyRefused(wants...)
	p.planRefused(wants)
	p.wantLive("testmap", data{"a": "1", "other": "foreign"})
	p.planned(block("2", p.live("testmap").ResourceVersion))
	p.wantLive("testmap", data{"a": "2", "b": "2", "other": "foreign"})
	p.write(block("2", pinned))
	p.planNothing() // without a write it checks nothing
}

// What several resources of one ConfigMap write in one apply is not in each other's way, and comes in few requests.
func TestConfigMapDataBesideOthers(t *testing.T) {
	f := newFixture(t)
	p := f.proxied()
	f.create("testmap", data{"x": "y"})
	config := func(value string) (config string, want data) {
		want = data{"x": "y"}
		for i := range 4 {
			a, b, c := fmt.Sprintf("a%d", i), fmt.Sprintf("b%d", i), fmt.Sprintf("c%d", i)
			config += dataResource(a, "testmap", fmt.Sprintf("data = { %s = %q, %s = %q }", a, value, b, value)) + entry(c, "testmap", c, fmt.Sprintf("value = %q", value))
			want[a], want[b], want[c] = value, value, value
		}
		return config, want
	}
	step := func(value string) resource.TestStep {
		body, want := config(value)
		return resource.TestStep{Config: f.config(body), ConfigPlanChecks: between(p.Reset), Check: checked(func() {
			f.wantLive("testmap", want)
			if n := p.Count("PATCH"); n == 0 || n > 8 {
				f.Errorf("%d writes of 8 resources", n)
			}
		})}
	}
	f.run(step("1"), step("2"))
	f.wantLive("testmap", data{"x": "y"})
}

// One request for everything: a read and a patch, however many keys.
func TestConfigMapDataRequests(t *testing.T) {
	f := newFixture(t)
	p := f.proxied()
	f.create("testmap", nil)
	counted := f.counted(p)
	many := func(value string) string {
		return "data = { for i in range(50) : format(\"k%03d\", i) => " + quoted(value) + " }"
	}
	f.run(
		resource.TestStep{
			Config: f.config(dataResource("it", "testmap", many("1"))), ConfigPlanChecks: between(counted("plan of a create", 1, 0)),
			Check: checked(counted("apply of a create", 1, 1)),
		},
		resource.TestStep{
			PreConfig: p.Reset, Config: f.config(dataResource("it", "testmap", many("2"))), ConfigPlanChecks: between(counted("plan of an update", 1, 0)),
			Check: checked(counted("apply of an update", 1, 1)),
		},
		resource.TestStep{
			PreConfig: p.Reset, Config: f.config(nothing), ConfigPlanChecks: between(counted("plan of a delete", 1, 0)), Check: checked(counted("apply of a delete", 0, 1)),
		},
	)
	if live := f.live("testmap"); len(live.Data) > 0 {
		f.Errorf("live: %v", live.Data)
	}
}
