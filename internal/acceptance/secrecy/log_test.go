package secrecy

import (
	"encoding/base64"
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// TestLogTellsWhatWasDoneAndNeverValues plants values in all places, makes every kind of call succeed and fail, and looks for the
// values in the trace log of the provider and of its libraries. The log has diagnostics as the user gets them; hide_values hides
// their values. The test skips the lines of Terraform about its plans.
func TestLogTellsWhatWasDoneAndNeverValues(t *testing.T) {
	p := fixture.NewCLIPipeline(t)
	planted := []string{
		"planted-live-one", "planted-live-two", "planted-expected", "planted-new", "planted-newer", "planted-sibling",
		base64.StdEncoding.EncodeToString([]byte("planted-binary")),
	}
	p.Create("testmap", fixture.Data{"foo": "planted-live-one", "other": "planted-live-two"})
	proxy := p.Proxied()
	log := filepath.Join(t.TempDir(), "log")
	p.CLI.Env = append(p.CLI.Env, "TF_LOG=JSON", "TF_LOG_PATH="+log)
	siblings := fixture.EntryBlock("sibling", `key = "sibling"`, `value = "planted-sibling"`) +
		fixture.EntryBlock("binary", `key = "binary"`, `value_base64 = "`+planted[len(planted)-1]+`"`)

	p.Write(fixture.EntryBlock("foo", `value = "planted-new"`, `expected_value = "planted-expected"`))
	p.PlanRefused([]string{"planted-expected"}) // diagnostics are for the user
	p.Write(fixture.EntryBlock("foo", `value = "planted-new"`, `expected_value = "planted-live-one"`) + siblings)
	p.Plan()
	proxy.SetHook(fixture.OnceFor(t, http.MethodPatch, testcluster.Fault{DropAfter: true})) // found out by reading and watching
	p.Apply()
	proxy.SetHook(nil)
	p.Write(fixture.EntryBlock("foo", `value = "planted-newer"`, fixture.Overwrites) + siblings)
	p.Plan()
	p.Set("testmap", "foo", "planted-live-two")
	p.Export("CAS_PLAN_CHECK", "off") // or the plan that the apply makes refuses, without a swap
	p.ApplyRefused("Compare-And-Swap Conflict")
	p.Do("apply", "-auto-approve")
	p.Destroy()

	raw, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]bool{} // operation and verdict
	own, shown := 0, false
	for _, line := range strings.Split(strings.TrimSpace(string(raw)), "\n") {
		var entry map[string]any
		if err := json.Unmarshal([]byte(line), &entry); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		module, _ := entry["@module"].(string)
		if !strings.HasPrefix(module, "provider") && !strings.HasPrefix(module, "cas") && !strings.HasPrefix(module, "sdk") {
			continue
		}
		own++
		shown = shown || strings.Contains(line, "planted-expected")
		delete(entry, "diagnostic_detail")
		rest, err := json.Marshal(entry)
		if err != nil {
			t.Fatal(err)
		}
		for _, value := range planted {
			if strings.Contains(string(rest), value) {
				t.Errorf("%s is in the log: %s", value, line)
			}
		}
		if !strings.HasSuffix(module, ".cas") {
			continue
		}
		for _, field := range []string{"configmap", "key", "attempts", "batch", "verdict", "ms"} {
			if _, ok := entry[field]; !ok {
				t.Errorf("the log lacks %s: %s", field, line)
			}
		}
		if entry["configmap"] != p.Namespace+"/testmap" {
			t.Errorf("of %v: %s", entry["configmap"], line)
		}
		operation, _ := entry["@message"].(string)
		verdict, _ := entry["verdict"].(string)
		said[operation+" "+verdict] = true
	}
	want := []string{"check applied", "check conflict", "observe applied", "swap applied", "swap conflict"}
	if diff := cmp.Diff(want, slices.Sorted(maps.Keys(said))); diff != "" {
		t.Errorf("the log tells of (-want +got):\n%s", diff)
	}
	if !shown {
		t.Error("not even the diagnostics in the log show a value")
	}
	t.Logf("%d lines are the provider's", own)
}
