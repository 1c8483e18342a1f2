package commandlines

import (
	"fmt"
	"strings"
	"testing"

	"k8s.io/client-go/rest"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcli"
)

// flags is an entry of each of some keys of testmap, by for_each.
func flags(lines string, keys ...string) string {
	return strings.Replace(fixture.Entry("flags", "testmap", "KEY", fmt.Sprintf(`for_each = toset(["%s"])`, strings.Join(keys, `", "`)), lines), `"KEY"`, "each.key", 1)
}

// of are titles of warnings, one for each key, as one line of the output each.
func of(title string, p *fixture.Pipeline, keys ...string) (titles []string) {
	for _, key := range keys {
		titles = append(titles, title+": "+key+" in ConfigMap "+p.Namespace+"/testmap\n")
	}
	return titles
}

// wantsLines is Wants of texts that end with a line: nothing else is part of a title.
func wantsLines(p *fixture.Pipeline, r testcli.Result, texts ...string) {
	p.Helper()
	all := r.All()
	for _, text := range texts {
		if !strings.Contains(all, text) {
			p.Errorf("the output lacks %q:\n%s", text, all)
		}
	}
	if strings.Contains(all, "similar warning") {
		p.Errorf("warnings are folded:\n%s", all)
	}
}

// Other writers changed all keys of one configuration, or all keys existed before. Plan, refresh, apply and destroy name
// each key, also with -compact-warnings and -json.
func TestEveryKeyOfAWarningIsTold(t *testing.T) {
	p := fixture.NewCLIPipeline(t)
	four := []string{"dark-mode", "new-checkout", "search", "search-v2"}
	p.Create("testmap", fixture.Data{"old": "1", "older": "1"})
	others := strings.Replace(flags("adopt_existing = true\n  value = \"1\"", "old", "older"), `"flags"`, `"others"`, 1)
	p.Planned(flags("on_drift = \"overwrite\"\n  value = \"1\"", four...) + others)
	for _, key := range four {
		p.Set("testmap", key, "9")
	}

	changed, stays := of("Value Changed Since Last Apply", p, four...), of("Key Stays In Place", p, "old", "older")
	wantsLines(p, p.On.Plan(fixture.PlanFile), changed...)
	wantsLines(p, p.On.Run("plan", "-no-color", "-compact-warnings"), changed...)
	for _, title := range changed {
		if told := p.On.Run("plan", "-json").Stdout; strings.Count(told, fmt.Sprintf(`"summary":%q`, strings.TrimSpace(title))) != 1 {
			t.Errorf("%q is not one message of the JSON output:\n%s", title, told)
		}
	}
	stays = append(stays, of("Key Stays In Place", p, four...)...)
	wantsLines(p, p.On.Plan(fixture.PlanFile, "-destroy"), stays...)
	wantsLines(p, p.On.Destroy(), stays...)
	p.WantLive("testmap", fixture.Data{"old": "1", "older": "1", "dark-mode": "9", "new-checkout": "9", "search": "9", "search-v2": "9"})
}

// One message names all keys of a resource.
func TestOneMessageNamesAllKeysOfAResource(t *testing.T) {
	p := fixture.NewCLIPipeline(t)
	p.Create("testmap", fixture.Data{})
	var data, all []string
	for i := range 14 {
		all = append(all, fmt.Sprintf("key-%02d", i))
		data = append(data, all[i]+` = "1"`)
	}
	p.Planned(fixture.DataBlock("it", fixture.Overwrites, "data = {\n"+strings.Join(data, "\n")+"\n}"))
	for _, key := range all {
		p.Set("testmap", key, "9")
	}
	r := p.On.Plan(fixture.PlanFile)
	wantsLines(p, r, "Value Changed Since Last Apply: key-00 and 13 more in ConfigMap "+p.Namespace+"/testmap\n")
	_, facts, _ := strings.Cut(testcli.Flat(r.All()), "Key: ") // the first keys with their values, and the names of the others
	for _, key := range all {
		p.Wants(facts, key)
	}
}

// Given an API server that is down, and many resources; then one message has the cause, and the others say which key they are about.
func TestAServerThatIsDownIsToldOnce(t *testing.T) {
	const entries = 150
	p := fixture.NewCLIPipeline(t)
	p.Create("testmap", fixture.Data{})
	config, _ := fixture.Entries(entries, "1", "key")
	p.Planned(config)
	p.LeadTo(&rest.Config{Host: fixture.RefusedAddress})
	told := p.PlanRefused(nil)
	for text, want := range map[string]int{
		"Error: API Server Unreachable": entries, "Cause: ": 1, "connection refused": 1, "Check what the cause names": 1,
		"The API server could not be reached. Nothing was read.": entries, "Another message of this run tells the cause.": entries - 1,
		"Host: " + fixture.RefusedAddress: entries,
	} {
		if got := strings.Count(told, text); got != want {
			t.Errorf("%q is said %d times, want %d:\n%s", text, got, want, told)
		}
	}
	for i := range entries {
		p.Wants(told, fmt.Sprintf("Key: k%03d", i), fmt.Sprintf("with cas_configmap_entry.all[%d],", i))
	}
}
