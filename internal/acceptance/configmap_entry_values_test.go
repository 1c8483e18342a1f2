package acceptance_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/hashicorp/terraform-plugin-testing/helper/resource"
	"github.com/hashicorp/terraform-plugin-testing/plancheck"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var emptyPlan = resource.ConfigPlanChecks{PreApply: []plancheck.PlanCheck{plancheck.ExpectEmptyPlan()}}

// TestConfigMapEntryValues creates each value, updates it to the next one, and deletes it.
func TestConfigMapEntryValues(t *testing.T) {
	f := newFixture(t)
	values := []string{
		"plain", "", "a<b&c>d", `"quoted" 'quoted'`, `back\slash\\n`, "line\u2028and\u2029paragraph", "tab\tand\vmore", "dos\r\nlines\r\n", "unix\nlines\n\n",
		"emoji 👩‍👩‍👧 🏳️‍🌈", " spaces ", "null", "true", "1", "{\"json\": [null]}", "${not.interpolated} %{if}", "%s %d", "ünï", "\ufeffbom", "nul\x00byte", "~0~1/path",
	}
	f.create("testmap", data{"other": "kept"})
	step := func(shift int) resource.TestStep {
		config, want := "", data{"other": "kept"}
		for i := range values {
			label, value := fmt.Sprintf("e%d", i), values[(i+shift)%len(values)]
			config += entry(label, "testmap", label, "value = "+quoted(value))
			want[label] = value
		}
		return resource.TestStep{Config: f.config(config), Check: checked(func() { f.wantLive("testmap", want) })}
	}
	again := step(1)
	again.ConfigPlanChecks = emptyPlan
	f.run(step(0), step(1), again)
	f.wantLive("testmap", data{"other": "kept"})
}

// TestConfigMapEntryExpectsSpecialValues expects and adopts values that no NFC and no JSON encoder of ours has touched.
func TestConfigMapEntryExpectsSpecialValues(t *testing.T) {
	f := newFixture(t)
	const nfd, nfc = "cafe\u0301 A\u030a", "caf\u00e9 \u00c5"
	seed := data{"nfd": nfd, "html": "a<b&c>d", "separator": "\u2028", "empty": "", "crlf": "\r\n"}
	f.create("expected", seed)
	f.create("adopted", seed)
	f.create("removed", seed)
	config, checks, want := "", []resource.TestCheckFunc{}, data{}
	for key, value := range seed {
		if key == "nfd" {
			value = nfc
		}
		config += entry("expected-"+key, "expected", key, `value = "new"`, "expected_value = "+quoted(value)) +
			entry("adopted-"+key, "adopted", key, "value = "+quoted(value), "adopt_existing = true", `deletion_policy = "abandon"`) +
			entry("removed-"+key, "removed", key, "value = "+quoted(value), "adopt_existing = true")
		checks = append(checks,
			resource.TestCheckResourceAttr("cas_configmap_entry.expected-"+key, "previous_value", value),
			resource.TestCheckResourceAttr("cas_configmap_entry.adopted-"+key, "value", value))
		want[key] = "new"
	}
	f.run(
		resource.TestStep{Config: f.config(config), Check: resource.ComposeAggregateTestCheckFunc(append(checks, checked(func() {
			f.wantLive("expected", want)
			f.wantLive("adopted", seed) // byte for byte: adoption writes nothing
		}))...)},
		resource.TestStep{Config: f.config(config), ConfigPlanChecks: emptyPlan},
	)
	f.wantLive("adopted", seed)
	f.wantLive("removed", data{})
}

// TestConfigMapEntryDecomposedValueIsUpdated replaces a live NFD value that the state knows as NFC.
func TestConfigMapEntryDecomposedValueIsUpdated(t *testing.T) {
	f := newFixture(t)
	f.create("testmap", data{"foo": "cafe\u0301"})
	config := func(value string) string { return f.foo("value = "+quoted(value), `adopt_existing = true`) }
	f.run(
		resource.TestStep{Config: config("caf\u00e9")},
		resource.TestStep{Config: config("the\u0301"), Check: checked(func() { f.wantLive("testmap", data{"foo": "th\u00e9"}) })},
		resource.TestStep{
			PreConfig: func() { f.set("testmap", "foo", "the\u0301") }, // the same, for Terraform
			Config:    config("th\u00e9"), ConfigPlanChecks: emptyPlan,
		},
	)
}

// kib is an expression for n KiB of a character, which is much faster than a literal of that size.
func kib(n int, character string) (expression, value string) {
	block := strings.Repeat(character, 1024/len(character))
	return fmt.Sprintf(`join("", [for _ in range(%d) : %s])`, n, quoted(block)), strings.Repeat(block, n)
}

func TestConfigMapEntryLargeValue(t *testing.T) {
	f := newFixture(t)
	f.create("testmap", data{"other": "kept"})
	step := func(line, want string) resource.TestStep {
		return resource.TestStep{Config: f.foo(line), Check: checked(func() {
			live := f.live("testmap")
			if got := live.Data["foo"] + string(live.BinaryData["foo"]); got != want || live.Data["other"] != "kept" {
				f.Errorf("live: %d bytes, want %d others", len(got), len(want))
			}
		})}
	}
	ascii, asciiValue := kib(900, "a")
	wide, wideValue := kib(900, "é")
	f.run(
		step("value = "+ascii, asciiValue),
		step("value_base64 = base64encode("+wide+")", wideValue),
	)
	f.wantLive("testmap", data{"other": "kept"})
}

// TestConfigMapEntryTooLarge fills a ConfigMap with values that fit by themselves and not together.
func TestConfigMapEntryTooLarge(t *testing.T) {
	f := newFixture(t)
	other, otherValue := kib(200, "a")
	foo, fooValue := kib(900, "b")
	f.create("testmap", data{"other": otherValue})
	planned := false
	f.runRefused(func(got failures) {
		got.want(f, "foo", "Error: ConfigMap Too Large", "value = ", "Nothing was written.",
			"New values: 921600 bytes Other values: 204800 bytes Limit: 1048576 bytes for all values together")
		f.wantLive("testmap", data{"other": otherValue})
	},
		resource.TestStep{Config: f.foo("value = " + foo), ConfigPlanChecks: between(func() { planned = true })},
		resource.TestStep{ // what frees the space may come in the same apply
			Config: f.config(entry("foo", "testmap", "foo", "value = "+foo, "depends_on = [cas_configmap_entry.other]") +
				entry("other", "testmap", "other", `value = "small"`, "expected_value = "+other)),
			Check: checked(func() { f.wantLive("testmap", data{"other": "small", "foo": fooValue}) }),
		})
	if !planned {
		f.Error("refused at plan, where a sibling might free the space")
	}
}

// TestConfigMapEntryMovesBetweenMaps writes text where bytes are and bytes where text is, in one request each.
func TestConfigMapEntryMovesBetweenMaps(t *testing.T) {
	f := newFixture(t)
	p := f.proxied()
	f.createObject(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "testmap"}, BinaryData: map[string][]byte{"foo": {0xff, 0}}})
	step := func(text, bytes string, lines ...string) resource.TestStep {
		return resource.TestStep{
			Config: f.foo(lines...), ConfigPlanChecks: between(p.Reset),
			Check: checked(func() {
				live := f.live("testmap")
				got := data{}
				maps.Copy(got, live.Data)
				for k, v := range live.BinaryData {
					got["binary "+k] = string(v)
				}
				want := data{"foo": text}
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
	f.run(
		step("text", "", `value = "text"`, `expected_value_base64 = "/wA="`),
		step("", "text", `value_base64 = "dGV4dA=="`, `expected_value = "text"`), // the same bytes in the other map are a change
		step("text", "", `value = "text"`),
		step("", "\xfe", `value_base64 = "/g=="`),
		step("", "\xfd", `value_base64 = "/Q=="`, `expected_value_base64 = "/g=="`),
	)
	if live := f.live("testmap"); len(live.Data)+len(live.BinaryData) > 0 {
		f.Errorf("after destroy: %v %v", live.Data, live.BinaryData)
	}
}

// TestConfigMapEntryInTheOtherMap expects and holds the same bytes, but in the other map.
func TestConfigMapEntryInTheOtherMap(t *testing.T) {
	f := newFixture(t)
	for _, name := range []string{"expected", "adopted", "exists"} {
		f.createObject(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, BinaryData: map[string][]byte{"foo": []byte("1")}})
	}
	f.create("text", data{"foo": "1"})
	f.runRefused(func(got failures) {
		got.want(f, "expected", "Error: Expected Value Mismatch", `Expected: "1" Found: base64 "MQ=="`)
		got.want(f, "text", "Error: Expected Value Mismatch", `expected_value_base64 = "MQ=="`, `Expected: base64 "MQ==" Found: "1"`)
		got.want(f, "adopted", "Error: Key Already Exists", `Found: base64 "MQ=="`)
		got.want(f, "exists", "Error: Key Already Exists", `Found: base64 "MQ=="`)
		got.wantOnly(f, "expected", "text", "adopted", "exists")
	}, resource.TestStep{Config: f.config(
		entry("expected", "expected", "foo", `value = "2"`, `expected_value = "1"`) +
			entry("text", "text", "foo", `value = "2"`, `expected_value_base64 = "MQ=="`) +
			entry("adopted", "adopted", "foo", `value = "1"`, `adopt_existing = true`) +
			entry("exists", "exists", "foo", `value = "1"`))})
}

// TestConfigMapEntryLastKey empties a ConfigMap and fills it again, so that it has no data at all in between.
func TestConfigMapEntryLastKey(t *testing.T) {
	f := newFixture(t)
	f.create("testmap", nil)
	with := func(keys ...string) resource.TestStep {
		config, want := "", data{}
		for _, key := range keys {
			config += entry(key, "testmap", key, `value = "1"`)
			want[key] = "1"
		}
		if len(keys) == 0 {
			config = "locals {}"
		}
		return resource.TestStep{Config: f.config(config), Check: checked(func() {
			f.wantLive("testmap", want)
			if live := f.live("testmap"); len(keys) == 0 && live.Data != nil {
				f.Errorf("data is there still: %v", slices.Collect(maps.Keys(live.Data)))
			}
		})}
	}
	f.run(with("a", "b"), with("a"), with(), with("c"))
	f.wantLive("testmap", data{})
}
