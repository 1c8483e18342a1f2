package sizes

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// Each dry run is a request of its own, and all of them share few reads.
func TestPlanDryRunOfManySharesReads(t *testing.T) {
	const many = 200
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{"other": "kept"})
	proxy := p.Proxied()
	body := func(value string) string {
		config, _ := fixture.Entries(many, value, "key")
		return config
	}
	counted := func(what string, want int) { // on a busy machine, fewer entries share a read
		t.Helper()
		dry, wet := fixture.WritesOf(proxy)
		t.Logf("%s: %d reads, %d dry runs, %d writes for %d entries", what, proxy.Count(http.MethodGet), dry, wet, many)
		if dry != want || proxy.Count(http.MethodGet) > many/2 || wet > 0 {
			t.Errorf("%s: %d reads, %d dry runs, %d writes for %d entries", what, proxy.Count(http.MethodGet), dry, wet, many)
		}
		proxy.Reset()
	}
	p.WriteRehearsed(body("1"))
	p.Plan()
	counted("create", many)
	p.Apply()
	p.WriteRehearsed(body("2"))
	proxy.Reset()
	p.Plan()
	counted("update", many)
	p.Plan("-destroy")
	counted("destroy", 2*many) // plan -destroy makes an ordinary plan first
	if got := p.Live("testmap").Data; got["k000"] != "1" || got[fmt.Sprintf("k%03d", many-1)] != "1" {
		t.Errorf("live: %v", got)
	}
}

// TestConfigMapEntryValidExtremes has what the rules just allow.
func TestConfigMapEntryValidExtremes(t *testing.T) {
	f := fixture.New(t)
	name := strings.Repeat("n", 249) + ".map"
	keys := []string{"a", ".a", "-", "_._", strings.Repeat("k", 253), "A.b-C_1"}
	f.Create(name, nil)
	config, want := "", fixture.Data{}
	for i, key := range keys {
		config += fixture.Entry(fmt.Sprintf("e%d", i), name, key, `value = "1"`, `timeouts = { create = "1m30s", delete = "2h" }`, `conflict_scope = "key"`, `wait_for_match = "1ms"`)
		want[key] = "1"
	}
	f.RunSteps(resource.TestStep{Config: f.Config(config), Check: fixture.Checked(func() { f.WantLive(name, want) })})
	f.WantLive(name, fixture.Data{})
}

func TestConfigMapEntryLargeValue(t *testing.T) {
	f := fixture.New(t)
	f.Create("testmap", fixture.Data{"other": "kept"})
	step := func(line, want string) resource.TestStep {
		return resource.TestStep{Config: f.Foo(line), Check: fixture.Checked(func() {
			live := f.Live("testmap")
			if got := live.Data["foo"] + string(live.BinaryData["foo"]); got != want || live.Data["other"] != "kept" {
				f.Errorf("live: %d bytes, want %d others", len(got), len(want))
			}
		})}
	}
	ascii, asciiValue := fixture.KiB(900, "a")
	wide, wideValue := fixture.KiB(900, "é")
	f.RunSteps(
		step("value = "+ascii, asciiValue),
		step("value_base64 = base64encode("+wide+")", wideValue),
	)
	f.WantLive("testmap", fixture.Data{"other": "kept"})
}

// TestConfigMapEntryTooLarge fills a ConfigMap with values that fit by themselves and not together.
func TestConfigMapEntryTooLarge(t *testing.T) {
	f := fixture.New(t)
	other, otherValue := fixture.KiB(200, "a")
	foo, fooValue := fixture.KiB(900, "b")
	f.Create("testmap", fixture.Data{"other": otherValue})
	planned := false
	f.RunRefused(func(got fixture.Failures) {
		got.Want(f, "foo", "Error: ConfigMap Too Large", "value = ", "Nothing was written.",
			"New values: 921600 bytes Other values: 204800 bytes Limit: 1048576 bytes for all values together")
		f.WantLive("testmap", fixture.Data{"other": otherValue})
	},
		resource.TestStep{Config: f.Foo("value = " + foo), ConfigPlanChecks: fixture.Between(func() { planned = true })},
		resource.TestStep{ // what frees the space may come in the same apply
			Config: f.Config(fixture.Entry("foo", "testmap", "foo", "value = "+foo, "depends_on = [cas_configmap_entry.other]") +
				fixture.Entry("other", "testmap", "other", `value = "small"`, "expected_value = "+other)),
			Check: fixture.Checked(func() { f.WantLive("testmap", fixture.Data{"other": "small", "foo": fooValue}) }),
		})
	if !planned {
		f.Error("refused at plan, where a sibling might free the space")
	}
}
