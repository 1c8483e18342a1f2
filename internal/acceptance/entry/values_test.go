package entry

import (
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

var emptyPlan = resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}

// TestConfigMapEntryValues creates each value, updates it to the next one, and deletes it.
func TestConfigMapEntryValues(t *testing.T) {
	f := fixture.New(t)
	values := []string{
		"plain", "", "a<b&c>d", `"quoted" 'quoted'`, `back\slash\\n`, "line\u2028and\u2029paragraph", "tab\tand\vmore", "dos\r\nlines\r\n", "unix\nlines\n\n",
		"emoji 👩‍👩‍👧 🏳️‍🌈", " spaces ", "null", "true", "1", "{\"json\": [null]}", "${not.interpolated} %{if}", "%s %d", "ünï", "\ufeffbom", "nul\x00byte", "~0~1/path",
	}
	f.Create("testmap", fixture.Data{"other": "kept"})
	step := func(shift int) resource.TestStep {
		config, want := "", fixture.Data{"other": "kept"}
		for i := range values {
			label, value := fmt.Sprintf("e%d", i), values[(i+shift)%len(values)]
			config += fixture.Entry(label, "testmap", label, "value = "+fixture.Quoted(value))
			want[label] = value
		}
		return resource.TestStep{Config: f.Config(config), Check: fixture.Checked(func() { f.WantLive("testmap", want) })}
	}
	again := step(1)
	again.ConfigPlanChecks = emptyPlan
	f.RunSteps(step(0), step(1), again)
	f.WantLive("testmap", fixture.Data{"other": "kept"})
}

// TestConfigMapEntryExpectsSpecialValues expects and adopts values that the provider neither normalizes nor encodes as JSON.
func TestConfigMapEntryExpectsSpecialValues(t *testing.T) {
	f := fixture.New(t)
	const nfd, nfc = "cafe\u0301 A\u030a", "caf\u00e9 \u00c5"
	seed := fixture.Data{"nfd": nfd, "html": "a<b&c>d", "separator": "\u2028", "empty": "", "crlf": "\r\n"}
	f.Create("expected", seed)
	f.Create("adopted", seed)
	f.Create("removed", seed)
	config, checks, want := "", []resource.TestCheckFunc{}, fixture.Data{}
	for key, value := range seed {
		if key == "nfd" {
			value = nfc
		}
		config += fixture.Entry("expected-"+key, "expected", key, fixture.Deletes, `value = "new"`, "expected_value = "+fixture.Quoted(value)) +
			fixture.Entry("adopted-"+key, "adopted", key, "value = "+fixture.Quoted(value), "adopt_existing = true", `deletion_policy = "abandon"`) +
			fixture.Entry("removed-"+key, "removed", key, fixture.Deletes, "value = "+fixture.Quoted(value), "adopt_existing = true")
		checks = append(checks,
			resource.TestCheckResourceAttr("cas_configmap_entry.expected-"+key, "previous_value", value),
			resource.TestCheckResourceAttr("cas_configmap_entry.adopted-"+key, "value", value))
		want[key] = "new"
	}
	f.RunSteps(
		resource.TestStep{Config: f.Config(config), Check: resource.ComposeAggregateTestCheckFunc(append(checks, fixture.Checked(func() {
			f.WantLive("expected", want)
			f.WantLive("adopted", seed) // byte for byte: adoption writes nothing
		}))...)},
		resource.TestStep{Config: f.Config(config), ConfigPlanChecks: emptyPlan},
	)
	f.WantLive("adopted", seed)
	f.WantLive("removed", fixture.Data{})
}

// TestConfigMapEntryDecomposedValueIsUpdated replaces a live NFD value that the state knows as NFC.
func TestConfigMapEntryDecomposedValueIsUpdated(t *testing.T) {
	f := fixture.New(t)
	f.Create("testmap", fixture.Data{"foo": "cafe\u0301"})
	config := func(value string) string { return f.Foo("value = "+fixture.Quoted(value), `adopt_existing = true`) }
	f.RunSteps(
		resource.TestStep{Config: config("caf\u00e9")},
		resource.TestStep{Config: config("the\u0301"), Check: fixture.Checked(func() { f.WantLive("testmap", fixture.Data{"foo": "th\u00e9"}) })},
		resource.TestStep{
			PreConfig: func() { f.Set("testmap", "foo", "the\u0301") }, // the same, for Terraform
			Config:    config("th\u00e9"), ConfigPlanChecks: emptyPlan,
		},
	)
}

// TestConfigMapEntryMovesBetweenMaps writes text where bytes are and bytes where text is, in one request each.
func TestConfigMapEntryMovesBetweenMaps(t *testing.T) {
	f := fixture.New(t)
	p := f.Proxied()
	f.CreateObject(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "testmap"}, BinaryData: map[string][]byte{"foo": {0xff, 0}}})
	step := func(text, bytes string, lines ...string) resource.TestStep {
		return resource.TestStep{
			Config: f.Foo(append(lines, fixture.Deletes)...), ConfigPlanChecks: fixture.Between(p.Reset),
			Check: fixture.Checked(func() {
				live := f.Live("testmap")
				got := fixture.Data{}
				maps.Copy(got, live.Data)
				for k, v := range live.BinaryData {
					got["binary "+k] = string(v)
				}
				want := fixture.Data{"foo": text}
				if bytes != "" {
					want = map[string]string{"binary foo": bytes}
				}
				if !maps.Equal(got, want) {
					f.Errorf("live: %q, want %q", got, want)
				}
				if n := p.Count("PATCH"); n != 1 || p.Count() > 2 {
					f.Errorf("requests: %v", p.Requests())
				}
			}),
		}
	}
	f.RunSteps(
		step("text", "", `value = "text"`, `expected_value_base64 = "/wA="`),
		step("", "text", `value_base64 = "dGV4dA=="`, `expected_value = "text"`), // the same bytes in the other map are a change
		step("text", "", `value = "text"`),
		step("", "\xfe", `value_base64 = "/g=="`),
		step("", "\xfd", `value_base64 = "/Q=="`, `expected_value_base64 = "/g=="`),
	)
	if live := f.Live("testmap"); len(live.Data)+len(live.BinaryData) > 0 {
		f.Errorf("after destroy: %v %v", live.Data, live.BinaryData)
	}
}

// TestConfigMapEntryInTheOtherMap expects and holds the same bytes, but in the other map.
func TestConfigMapEntryInTheOtherMap(t *testing.T) {
	f := fixture.New(t)
	for _, name := range []string{"expected", "adopted", "exists"} {
		f.CreateObject(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, BinaryData: map[string][]byte{"foo": []byte("1")}})
	}
	f.Create("text", fixture.Data{"foo": "1"})
	f.RunRefused(func(got fixture.Failures) {
		got.Want(f, "expected", "Error: Expected Value Mismatch", `Expected: "1" Found: base64 "MQ=="`)
		got.Want(f, "text", "Error: Expected Value Mismatch", `expected_value_base64 = "MQ=="`, `Expected: base64 "MQ==" Found: "1"`)
		got.Want(f, "adopted", "Error: Key Already Exists", `Found: base64 "MQ=="`)
		got.Want(f, "exists", "Error: Key Already Exists", `Found: base64 "MQ=="`)
		got.WantOnly(f, "expected", "text", "adopted", "exists")
	}, resource.TestStep{Config: f.Config(
		fixture.Entry("expected", "expected", "foo", `value = "2"`, `expected_value = "1"`) +
			fixture.Entry("text", "text", "foo", `value = "2"`, `expected_value_base64 = "MQ=="`) +
			fixture.Entry("adopted", "adopted", "foo", `value = "1"`, `adopt_existing = true`) +
			fixture.Entry("exists", "exists", "foo", `value = "1"`))})
}

// TestConfigMapEntryLastKey empties a ConfigMap and fills it again, so that it has no data at all in between.
func TestConfigMapEntryLastKey(t *testing.T) {
	f := fixture.New(t)
	f.Create("testmap", nil)
	with := func(keys ...string) resource.TestStep {
		config, want := "", fixture.Data{}
		for _, key := range keys {
			config += fixture.Entry(key, "testmap", key, `value = "1"`)
			want[key] = "1"
		}
		if len(keys) == 0 {
			config = "locals {}"
		}
		return resource.TestStep{Config: f.Config(config), Check: fixture.Checked(func() {
			f.WantLive("testmap", want)
			if live := f.Live("testmap"); len(keys) == 0 && live.Data != nil {
				f.Errorf("data is there still: %v", slices.Collect(maps.Keys(live.Data)))
			}
		})}
	}
	f.RunSteps(with("a", "b"), with("a"), with(), with("c"))
	f.WantLive("testmap", fixture.Data{})
}
