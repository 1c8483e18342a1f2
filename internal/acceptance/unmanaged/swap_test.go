package unmanaged

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver"
	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// swapBody is the body of a swap of the ConfigMap testmap.
func swapBody(f *fixture.Fixture, lines ...string) string {
	return fmt.Sprintf("namespace = %q\nname = \"testmap\"\n%s\n", f.Namespace, strings.Join(lines, "\n"))
}

// swapTests are swaps of a ConfigMap with the text foo=1 and bar=1, and the byte 1 under bytes.
var swapTests = map[string]struct {
	body    []string
	refused []string // nil: it goes through
	at      string   // the attribute at fault
	after   fixture.Data
	bytes   bool     // whether bytes stays
	wrote   []string // of each progress event after the first
}{
	"keys that hold what is expected": {
		body:  []string{`data = { foo = "2", bar = "2" }`, `expected_data = { foo = "1", bar = "1" }`},
		after: fixture.Data{"foo": "2", "bar": "2"}, bytes: true, wrote: []string{"Wrote bar, foo to "},
	},
	"a key that does not hold what is expected, beside one that does": {
		body:    []string{`data = { foo = "2", bar = "2" }`, `expected_data = { foo = "1", bar = "9" }`},
		refused: []string{"Expected Value Mismatch", `expected_data["bar"] is "9", but bar holds "1". Nothing was written.`, `To replace "1", set "bar" = "1" in expected_data.`, "!keep"},
		at:      `AttributeName("expected_data").ElementKeyString("bar")`,
	},
	"several keys that do not hold what is expected": {
		body:    []string{`data = { foo = "2", bar = "2" }`, `expected_data = { foo = "9", bar = "9" }`},
		refused: []string{"Expected Value Mismatch", "bar and foo do not hold what expected_data says.", "To replace these values, copy them to expected_data.", "!keep"},
	},
	"a key that holds its value already, where another was expected": {
		body:    []string{`data = { foo = "1" }`, `expected_data = { foo = "0" }`},
		refused: []string{"Expected Value Mismatch", `expected_data["foo"] is "0", but foo holds "1".`},
	},
	"a new key": {body: []string{`data = { new = "1" }`}, after: fixture.Data{"foo": "1", "bar": "1", "new": "1"}, bytes: true, wrote: []string{"Wrote new to "}},
	"a new key that must be absent": {
		body: []string{`data = { new = "1" }`, `expected_data = { new = null }`}, after: fixture.Data{"foo": "1", "bar": "1", "new": "1"}, bytes: true, wrote: []string{"Wrote new to "},
	},
	"a key that exists, without an expectation": {
		body:    []string{`data = { foo = "2" }`},
		refused: []string{"Key Already Exists", "foo already exists with another value. Nothing was written.", `To replace it, set "foo" = "1" in expected_data.`, "!import", "!taint"},
		at:      `AttributeName("data").ElementKeyString("foo")`,
	},
	"a key that must be absent, and is not": {
		body:    []string{`data = { foo = "2" }`, `expected_data = { foo = null }`},
		refused: []string{"Expected Value Mismatch", `expected_data["foo"] says that foo is absent, but it holds "1".`},
	},
	"keys that hold their values, without an expectation": {
		body: []string{`data = { foo = "1", bar = "1" }`}, after: fixture.Data{"foo": "1", "bar": "1"}, bytes: true, wrote: []string{"is as expected"},
	},
	"a key that changes, beside one that holds its value": {
		body:  []string{`data = { foo = "2", bar = "1" }`, `expected_data = { foo = "1", bar = "1" }`},
		after: fixture.Data{"foo": "2", "bar": "1"}, bytes: true, wrote: []string{"Wrote foo to "},
	},
	"a removal": {
		body: []string{`data = { foo = null }`, `expected_data = { foo = "1" }`}, after: fixture.Data{"bar": "1"}, bytes: true, wrote: []string{"Removed foo from "},
	},
	"a removal of what is not there": {
		body:    []string{`data = { gone = null }`, `expected_data = { gone = "1" }`},
		refused: []string{"Expected Value Mismatch", `The ConfigMap has no key "gone".`, "Existing keys: foo, bar, bytes", "gone is not there. Remove it from data and from expected_data.", "!create"},
	},
	"bytes": {
		body:  []string{`binary_data = { bytes = null, foo = "Ag==" }`, `expected_binary_data = { bytes = "AQ==" }`, `expected_data = { foo = "1" }`},
		after: fixture.Data{"bar": "1"}, wrote: []string{"Removed bytes from ", "Wrote foo to "},
	},
	"a guard that holds": {
		body: []string{`data = { new = "1" }`, `expected_data = { foo = "1", absent = null }`}, after: fixture.Data{"foo": "1", "bar": "1", "new": "1"}, bytes: true, wrote: []string{"Wrote new to "},
	},
	"a guard that does not hold": {
		body:    []string{`data = { new = "1" }`, `expected_data = { foo = "2" }`},
		refused: []string{"Expected Value Mismatch", `expected_data["foo"] is "2", but foo holds "1".`},
	},
	"guards alone": {body: []string{`expected_data = { foo = "1" }`}, after: fixture.Data{"foo": "1", "bar": "1"}, bytes: true, wrote: []string{"is as expected"}},
	"guards alone that do not hold": {
		body: []string{`expected_data = { foo = "2" }`}, refused: []string{"Expected Value Mismatch", "Run terraform plan again when foo is as expected"},
	},
	"faults of several kinds": {
		body:    []string{`data = { foo = "2", bar = "2" }`, `expected_data = { foo = "9" }`},
		refused: []string{"Compare-And-Swap Conflict", "do not hold what this action expects.", `expected_data["foo"] does not match`, `it already exists; to replace it, set expected_data["bar"]`},
	},
	"another version": {
		body:    []string{`data = { foo = "2" }`, `expected_data = { foo = "1" }`, `expected_resource_version = "1"`},
		refused: []string{"Compare-And-Swap Conflict", "which expected_resource_version names", "Run terraform plan again with expected_resource_version from a data source"},
		at:      `AttributeName("expected_resource_version")`,
	},
}

// A swap is invoked with what its plan was made for, or after another writer came.
func TestSwapWritesAllOrNothing(t *testing.T) {
	t.Parallel()
	for name, test := range swapTests {
		t.Run(name, func(t *testing.T) {
			f := fixture.New(t)
			before := fixture.Data{"foo": "1", "bar": "1"}
			f.CreateObject(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "testmap"}, Data: before, BinaryData: map[string][]byte{"bytes": {1}}})
			c, body := f.Calls(), swapBody(f, test.body...)
			planned := c.PlanAction(t.Context(), fixture.Swap, body)
			said, diags := c.InvokeAction(t.Context(), fixture.Swap, body)
			if test.refused == nil {
				f.WantSaid(planned)
				f.WantSaid(diags)
				bytes := []string{"bytes"}
				if !test.bytes {
					bytes = []string{"foo"}
				}
				f.WantLive("testmap", test.after, bytes...)
				if len(said) != 1+len(test.wrote) {
					t.Fatalf("said %q, want %q", said, test.wrote)
				}
				for i, wrote := range test.wrote {
					if s := said[1+i]; !strings.Contains(s, wrote) || !strings.Contains(s, "resourceVersion "+f.Live("testmap").ResourceVersion) {
						t.Errorf("said %q, want %q and the version", s, wrote)
					}
				}
				return
			}
			for _, refusal := range []driver.Diagnostics{planned, diags} {
				f.WantSaid(refusal, test.refused...)
				if test.at != "" && (len(refusal) == 0 || refusal[0].Attribute() != test.at) {
					t.Errorf("want it said of %s:\n%s", test.at, refusal)
				}
			}
			f.WantLive("testmap", before, "bytes")
			if len(said) != 1 {
				t.Errorf("said %q", said)
			}
		})
	}
}

// An invalid configuration sends no request.
func TestSwapInvalidConfiguration(t *testing.T) {
	f := fixture.New(t)
	p := f.Proxied()
	c := f.Calls()
	for body, wants := range map[string][]string{
		``: {"Missing Keys", "there must be at least one key in data, binary_data, expected_data or expected_binary_data"},
		`data = { foo = null }`: {
			"Invalid Attribute Combination", `Attribute data["foo"]: null removes the key, so expected_data or expected_binary_data must name it, too.`,
		},
		`binary_data = { foo = null }`:                                     {"Invalid Attribute Combination", `Attribute binary_data["foo"]: null removes the key`},
		"data = { foo = \"1\" }\nbinary_data = { foo = \"AQ==\" }":         {"Key In Both Maps", `Attribute binary_data["foo"]: the key must not be in data as well.`},
		"data = { \"a/b\" = \"1\" }":                                       {"Invalid ConfigMap Key", `Attribute data["a/b"]`},
		"binary_data = { a = \"1\" }":                                      {"Invalid Base64", `Attribute binary_data["a"]`},
		"expected_data = { a = \"1\" }\ntimeouts = { invoke = \"0s\" }":    {"Invalid Timeout", "Attribute timeouts.invoke"},
		"expected_data = { a = \"1\" }\nexpected_resource_version = \"x\"": {"Invalid Resource Version", "Attribute expected_resource_version"},
		"expected_data = { a = \"1\" }\nfield_manager = \"\"":              {"Invalid Field Manager"},
		"expected_data = { a = \"1\" }\nwait_for_match = \"2m\"\nexpected_resource_version = \"7\"": {
			"Invalid Attribute Combination", `Attribute "expected_resource_version" cannot be specified when "wait_for_match" is specified`,
		},
	} {
		f.WantSaid(c.PlanAction(t.Context(), fixture.Swap, swapBody(f, body)), wants...)
	}
	f.WantSaid(c.PlanAction(t.Context(), fixture.Swap, "name = \"A\"\nnamespace = \"B\"\nexpected_data = { a = \"1\" }"), "Invalid ConfigMap Name", "Invalid Namespace")
	if p.Count() > 0 {
		t.Errorf("requests: %v", p.Requests())
	}
}

// plan_check decides whether a failed check is an error, a warning, or is skipped. A plan does not check unknown values.
func TestSwapIsCheckedAtPlan(t *testing.T) {
	f := fixture.New(t)
	f.Create("testmap", fixture.Data{"foo": "9"})
	p := f.Proxied()
	body := swapBody(f, `data = { foo = "2" }`, `expected_data = { foo = "1" }`)
	for check, wants := range map[string][]string{
		"error":   {"Error: Expected Value Mismatch", "Nothing was written."},
		"warning": {"Warning: Expected Value Mismatch", "The apply will fail unless this changes."},
		"off":     nil,
	} {
		c := f.Calls(fmt.Sprintf("plan_check = %q", check))
		p.Reset()
		f.WantSaid(c.PlanAction(t.Context(), fixture.Swap, body), wants...)
		if (p.Count() == 0) != (check == "off") {
			t.Errorf("%s: %v", check, p.Requests())
		}
	}
	c := f.Calls()
	p.Reset()
	f.WantSaid(c.PlanAction(t.Context(), fixture.Swap, swapBody(f, `data = { foo = unknown }`, `expected_data = { foo = "1" }`)))
	if p.Count() > 0 {
		t.Errorf("of what is not known: %v", p.Requests())
	}
	f.WantSaid(c.PlanAction(t.Context(), fixture.Swap, strings.Replace(body, "testmap", "missing", 1)),
		"Warning: ConfigMap Does Not Exist Yet", "If this run creates the ConfigMap, trigger the action after that.")
	_, diags := c.InvokeAction(t.Context(), fixture.Swap, strings.Replace(body, "testmap", "missing", 1))
	f.WantSaid(diags, "Error: ConfigMap Not Found", "Nothing was written.")
	f.WantLive("testmap", fixture.Data{"foo": "9"})
}

// An action runs after the resource that triggers it. The plan cannot compare values that this resource will write.
func TestSwapOfWhatThePlanItselfChangesIsNotCheckedAtPlan(t *testing.T) {
	f := fixture.New(t)
	f.Create("testmap", fixture.Data{"foo": "0", "bar": "0"})
	c := f.Calls()
	place := fmt.Sprintf("namespace = %q\n", f.Namespace)
	body := func(configMap, key string) string {
		return fmt.Sprintf("%sname = %q\ndata = { new = \"1\" }\nexpected_data = { %s = \"1\" }", place, configMap, key)
	}
	f.WantSaid(c.PlanAction(t.Context(), fixture.Swap, body("testmap", "foo")), "Error: Expected Value Mismatch")
	f.WantSaid(c.PlanCreate(t.Context(), "cas_configmap_entry", place+"name = \"testmap\"\nkey = \"foo\"\nvalue = \"1\"\nexpected_value = \"0\""), "!Error")
	f.WantSaid(c.PlanCreate(t.Context(), "cas_configmap", place+"name = \"made\"\ndata = { foo = \"1\" }"), "!Error")
	f.WantSaid(c.PlanAction(t.Context(), fixture.Swap, body("testmap", "foo")))
	f.WantSaid(c.PlanAction(t.Context(), fixture.Swap, body("made", "foo")))
	f.WantSaid(c.PlanAction(t.Context(), fixture.Swap, body("testmap", "bar")), "Error: Expected Value Mismatch")
}

// The actions of one run can follow each other, such as one that locks and one that unlocks. The plan checks the first alone, also where that
// is not all known.
func TestSwapOfWhatAnotherSwapOfThePlanWritesIsNotCheckedAtPlan(t *testing.T) {
	f := fixture.New(t)
	f.Create("testmap", fixture.Data{"foo": "0"})
	unlock := swapBody(f, `data = { lock = null }`, `expected_data = { lock = "mine" }`)
	f.WantSaid(f.Calls().PlanAction(t.Context(), fixture.Swap, unlock), `Error: Expected Value Mismatch`, `The ConfigMap has no key "lock".`)
	for _, more := range []string{"", ", at = unknown"} {
		c := f.Calls()
		lock := swapBody(f, `data = { lock = "mine"`+more+` }`, `expected_data = { lock = null }`)
		f.WantSaid(c.PlanAction(t.Context(), fixture.Swap, lock))
		f.WantSaid(c.PlanAction(t.Context(), fixture.Swap, unlock))
	}
	c := f.Calls()
	f.WantSaid(c.PlanAction(t.Context(), fixture.Swap, swapBody(f, `expected_data = { lock = null }`))) // a guard changes nothing
	f.WantSaid(c.PlanAction(t.Context(), fixture.Swap, unlock), `Error: Expected Value Mismatch`)
}

// Where the plan rehearses, what the API server would refuse fails it; the invocation sends the write once.
func TestSwapIsRehearsedWherePlansAre(t *testing.T) {
	f := fixture.New(t)
	f.Create("testmap", fixture.Data{"foo": "1"})
	f.ProxiedAs(f.User("reader", "configmaps", "get"))
	body := swapBody(f, `data = { foo = "2" }`, `expected_data = { foo = "1" }`)
	f.WantSaid(f.Calls().PlanAction(t.Context(), fixture.Swap, body))
	f.WantSaid(f.Calls("plan_dry_run = true").PlanAction(t.Context(), fixture.Swap, body),
		"Error: Not Permitted", "You do not have permission to patch this ConfigMap.", "a dry run of the write")

	p := f.Proxied()
	c := f.Calls("plan_dry_run = true")
	f.WantSaid(c.PlanAction(t.Context(), fixture.Swap, body))
	f.WantWrites(p, "plan", 1, 0)
	_, diags := c.InvokeAction(t.Context(), fixture.Swap, body)
	f.WantSaid(diags)
	f.WantWrites(p, "invocation", 0, 1)
}

// A swap that waits writes when another writer has brought about what it expects. Its plan warns.
func TestSwapWaits(t *testing.T) {
	f := fixture.New(t)
	f.Create("testmap", fixture.Data{"foo": "0", "bar": "0"})
	p := f.Cluster.Proxy(t)
	f.Kubeconfig = f.Cluster.Kubeconfig(t, p.Config)
	c := f.Calls()
	body := swapBody(f, `data = { foo = "2" }`, `expected_data = { foo = "1", bar = "0" }`, `wait_for_match = "2m"`)
	f.WantSaid(c.PlanAction(t.Context(), fixture.Swap, body), "Warning: Expectation Does Not Hold Yet", "for up to 2m")
	f.OnWatches(p, func() testcluster.Fault { return fixture.Watched(func() { f.Set("testmap", "foo", "1") }) })
	said, diags := c.InvokeAction(t.Context(), fixture.Swap, body)
	f.WantSaid(diags)
	f.WantLive("testmap", fixture.Data{"foo": "2", "bar": "0"})
	if len(said) != 2 || said[0] != "Waiting up to 2m for the expected state of "+f.Namespace+"/testmap" {
		t.Errorf("said %q", said)
	}

	p.SetHook(nil)
	_, diags = f.Calls().InvokeAction(t.Context(), fixture.Swap, swapBody(f, `expected_data = { foo = "9" }`, `wait_for_match = "1ms"`))
	f.WantSaid(diags, "Error: Wait Ended Without A Match", `Expected: "9"`, `Found: "2"`)
}

// Hidden values are in no diagnostic and in no progress event.
func TestSwapHidesValues(t *testing.T) {
	f := fixture.New(t)
	f.Create("testmap", fixture.Data{"foo": "live-secret"})
	for name, c := range map[string]*driver.Calls{"hide_values = true": f.Calls(), "": f.Calls("hide_values = true")} {
		said, diags := c.InvokeAction(t.Context(), fixture.Swap, swapBody(f, `data = { foo = "new-secret" }`, `expected_data = { foo = "old-secret" }`, name))
		f.WantSaid(diags, "Error: Expected Value Mismatch", "Expected: (hidden, 10 bytes, sha256:", "!secret")
		if slices.ContainsFunc(said, func(s string) bool { return strings.Contains(s, "secret") }) {
			t.Errorf("said %q", said)
		}
	}
}

// An action has one timeout, and its own field manager where it names one.
func TestSwapHasItsOwnTimeoutAndFieldManager(t *testing.T) {
	f := fixture.New(t)
	f.Create("testmap", fixture.Data{"foo": "1"})
	p := f.Proxied()
	held := make(chan struct{})
	p.SetHook(func(*http.Request) testcluster.Fault { return testcluster.Fault{HoldBefore: held} })
	body := []string{`data = { foo = "2" }`, `expected_data = { foo = "1" }`}
	c := f.Calls()
	late := swapBody(f, append(body, `timeouts = { invoke = "1ms" }`)...)
	f.WantSaid(c.PlanAction(t.Context(), fixture.Swap, late), "Error: Operation Timed Out", "raise timeouts.invoke")
	_, diags := c.InvokeAction(t.Context(), fixture.Swap, late)
	f.WantSaid(diags, "Error: Operation Timed Out", "raise timeouts.invoke")
	close(held)
	p.SetHook(nil)
	_, diags = c.InvokeAction(t.Context(), fixture.Swap, swapBody(f, append(body, `field_manager = "releaser"`)...))
	f.WantSaid(diags)
	if !slices.ContainsFunc(f.Live("testmap").ManagedFields, func(m metav1.ManagedFieldsEntry) bool { return m.Manager == "releaser" }) {
		t.Errorf("written by %v", f.Live("testmap").ManagedFields)
	}
}
