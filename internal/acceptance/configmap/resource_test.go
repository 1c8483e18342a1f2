package configmap

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver"
	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// counted has the pipeline go through a proxy, and gives a check of how many requests of each method there were since the last one.
func counted(p *fixture.Pipeline) func(what string, want map[string]int) {
	proxy := p.Proxied()
	return func(what string, want map[string]int) {
		p.Helper()
		fixture.WantRequests(p.T, proxy, what, want)
	}
}

func TestConfigMapIsCreatedUpdatedAndDestroyed(t *testing.T) {
	p := fixture.NewPipelineOf(t, driver.Terraform111)
	counted := counted(p)
	p.Write(fixture.WholeBlock("all", `labels = { app = "shop", tier = "web" }`, `annotations = { note = "a" }`,
		`data = { foo = "1", bar = "<b>", moves = "text", gone = "" }`, `binary_data = { raw = "/w==" }`))
	p.Plan()
	counted("the plan of a create", map[string]int{"GET": 1})
	p.Apply()
	counted("the apply of a create", map[string]int{"GET": 1, "POST": 1})
	first := fixture.Whole{
		Labels: fixture.Data{"app": "shop", "tier": "web"}, Annotations: fixture.Data{"note": "a"},
		Data: fixture.Data{"foo": "1", "bar": "<b>", "moves": "text", "gone": ""}, Bytes: map[string][]byte{"raw": {0xff}},
	}
	p.WantWhole("testmap", first)
	live := p.Live("testmap")
	got := p.WantState("all")["all"].Attributes
	for name, want := range map[string]any{
		"id": p.Namespace + "/testmap", "name": "testmap", "uid": string(live.UID), "resource_version": live.ResourceVersion,
		"immutable": false, "generate_name": nil,
	} {
		if got[name] != want {
			t.Errorf("the state's %s is %v, want %v", name, got[name], want)
		}
	}
	p.PlanNothing()
	counted("the plan of no change", map[string]int{"GET": 1})

	p.Write(fixture.WholeBlock("all", `labels = { app = "store", new = "" }`, `annotations = {}`,
		`data = { foo = "2", bar = "<b>", raw = "text now" }`, `binary_data = { moves = "AAE=" }`, `immutable = true`))
	p.Wants(p.Plan(), "1 to change, 0 to destroy", "!Unmanaged Keys")
	counted("the plan of an update", map[string]int{"GET": 1})
	p.Apply()
	counted("the apply of an update", map[string]int{"GET": 1, "PATCH": 1})
	p.WantWhole("testmap", fixture.Whole{
		Labels: fixture.Data{"app": "store", "new": ""}, Data: fixture.Data{"foo": "2", "bar": "<b>", "raw": "text now"},
		Bytes: map[string][]byte{"moves": {0, 1}}, Immutable: true,
	})
	if got := p.State()["all"].Attributes["resource_version"]; got != p.Live("testmap").ResourceVersion {
		t.Errorf("the state's version is %v, not the live one", got)
	}
	p.PlanNothing()
	counted("the plan of no change", map[string]int{"GET": 1})

	p.Plan("-destroy")
	counted("the plan of a destroy", map[string]int{"GET": 2}) // Terraform configures the provider again after its refresh
	p.Apply()
	counted("the apply of a destroy", map[string]int{"GET": 1, "DELETE": 1})
	p.WantNone("testmap")
	p.WantState()
}

func TestConfigMapChangesOfSettingsWriteNothing(t *testing.T) {
	p := fixture.NewPipelineOf(t, driver.Terraform111)
	counted := counted(p)
	p.Planned(fixture.WholeBlock("all", `data = { foo = "1" }`))
	before := p.Live("testmap")
	p.Set("testmap", "foo", "1") // which changes nothing
	counted("a create", map[string]int{"GET": 2, "POST": 1})
	p.Write(fixture.WholeBlock("all", `data = { foo = "1" }`, `hide_values = true`, `field_manager = "me"`, `timeouts = { create = "2m" }`))
	p.Wants(p.Plan(), "1 to change")
	p.Apply()
	counted("other settings", map[string]int{"GET": 1})
	p.WantUnchanged(before)
	p.PlanNothing()
	p.Planned(fixture.WholeBlock("all", `data = { foo = "2" }`, `field_manager = "me"`))
	managers := []string{}
	for _, m := range p.Live("testmap").ManagedFields {
		managers = append(managers, m.Manager)
	}
	if !slices.Contains(managers, "me") || !slices.Contains(managers, "terraform-provider-cas") {
		t.Errorf("written by %q", managers)
	}
}

// Other writers keep what the configuration does not name.
func TestConfigMapManagesWhatItNames(t *testing.T) {
	p := fixture.NewPipelineOf(t, driver.Terraform111)
	counted := counted(p)
	others := func(cm *corev1.ConfigMap) {
		cm.Labels["theirs"], cm.Annotations = "1", fixture.Data{"theirs": "1"}
		cm.Data, cm.BinaryData = fixture.Data{"theirs": "1"}, map[string][]byte{"bytes": {1}}
	}
	p.Planned(fixture.WholeBlock("all", `labels = { mine = "1" }`))
	p.Change("testmap", others)
	p.PlanNothing()
	counted("a create and a plan of nothing", map[string]int{"GET": 3, "POST": 1})

	// A label, and all of data, that exist: refused like a key that exists.
	p.Write(fixture.WholeBlock("all", `labels = { mine = "1", theirs = "2" }`, `data = { mine = "1" }`))
	version := p.Live("testmap").ResourceVersion
	p.PlanRefused([]string{
		"Error: Key Already Exists", "label theirs and theirs already exist, with other values or without a value in the configuration.",
		`Label: theirs Expected: (absent) Found: "1"`, `Key: theirs Expected: (absent) Found: "1"`,
		"To keep them, set labels and data to what the ConfigMap holds. To replace them, set expected_resource_version_wo = " + fixture.Quoted(version) + ".",
	})
	// As they are, they are adopted.
	p.Planned(fixture.WholeBlock("all", `labels = { mine = "1", theirs = "1" }`, `data = { theirs = "1" }`))
	p.PlanNothing()
	p.Planned(fixture.WholeBlock("all", `labels = { mine = "1" }`))
	p.PlanNothing()
	p.WantWhole("testmap", fixture.Whole{
		Labels: fixture.Data{"mine": "1", "theirs": "1"}, Annotations: fixture.Data{"theirs": "1"}, Data: fixture.Data{"theirs": "1"},
		Bytes: map[string][]byte{"bytes": {1}},
	})
	// At a version, they are replaced.
	p.Write(fixture.WholeBlock("all", `labels = { mine = "1", theirs = "2" }`, `data = { mine = "1" }`, `binary_data = {}`,
		`expected_resource_version_wo = `+fixture.Quoted(p.Live("testmap").ResourceVersion)))
	p.Wants(p.Plan(), "Warning: Unmanaged Keys Will Change", `Key: bytes Found: base64 "AQ==" Planned: (absent)`,
		`Label: theirs Found: "1" Planned: "2"`, `Key: theirs Found: "1" Planned: (absent)`)
	p.Apply()
	p.WantWhole("testmap", fixture.Whole{
		Labels: fixture.Data{"mine": "1", "theirs": "2"}, Annotations: fixture.Data{"theirs": "1"}, Data: fixture.Data{"mine": "1"},
	})

	// A map that is managed has no other keys: what others add is drift.
	managed := []string{`labels = { mine = "1", theirs = "2" }`, `data = { mine = "1" }`, `binary_data = {}`}
	p.Write(fixture.WholeBlock("all", managed...))
	p.PlanNothing()
	p.Change("testmap", others)
	p.PlanRefused([]string{"Error: Value Changed Since Last Apply", `Key: theirs Found: "1" To write: (absent)`})
	p.Write(fixture.WholeBlock("all", append(managed, fixture.Overwrites)...))
	p.Wants(p.Plan(), `- "bytes" = "AQ==" -> null`, `- "theirs" = "1" -> null`, `+ "mine" = "1"`)
	p.Apply()
	p.WantWhole("testmap", fixture.Whole{
		Labels: fixture.Data{"mine": "1", "theirs": "2"}, Annotations: fixture.Data{"theirs": "1"}, Data: fixture.Data{"mine": "1"},
	})
	p.PlanNothing()

	// Omitted: the keys stay, and nothing is sent. The labels are removed like any field.
	p.Write(fixture.WholeBlock("all", `labels = { mine = "1", theirs = "2" }`, fixture.Overwrites))
	before := p.Live("testmap")
	p.Wants(p.Plan(), "1 to change", "Warning: Key Stays In Place", "The configuration does not set mine any more, so it stays as it is.")
	p.Apply()
	p.WantUnchanged(before)
	p.PlanNothing()
	p.Planned(fixture.WholeBlock("all", fixture.Overwrites))
	p.WantWhole("testmap", fixture.Whole{Labels: fixture.Data{"theirs": "2"}, Annotations: fixture.Data{"theirs": "1"}, Data: fixture.Data{"mine": "1"}})
	p.PlanNothing()
}

// Given a resource that begins to manage data; when somebody adds a key after its plan; then the apply writes nothing.
func TestConfigMapBeginsToManageDataAtTheVersionOfThePlan(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Planned(fixture.WholeBlock("all"))
	p.Write(fixture.WholeBlock("all", `data = { mine = "1" }`))
	p.Plan()
	p.Set("testmap", "new", "1")
	p.ApplyRefused("Error: Compare-And-Swap Conflict", "new changed after ", `Key: new Expected: (absent) Found: "1"`, "Nothing was written.")
	p.WantLive("testmap", fixture.Data{"new": "1"})
}

func TestConfigMapVanishedOrMadeAgain(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Planned(fixture.WholeBlock("all", `data = { foo = "1" }`, fixture.Overwrites))
	p.Remove("testmap")
	p.Wants(p.Plan(), "1 to add, 0 to change, 0 to destroy")
	p.Apply()
	p.WantLive("testmap", fixture.Data{"foo": "1"})

	fixture.MadeAgain(p.Fixture, "testmap")
	p.Set("testmap", "foo", "foreign")
	p.Wants(p.Plan(), "0 to add, 1 to change, 0 to destroy")
	p.Apply()
	p.WantLive("testmap", fixture.Data{"foo": "1"})
	if got, want := p.State()["all"].Attributes["uid"], string(p.Live("testmap").UID); got != want {
		t.Errorf("the state follows %v, not the object that there is, %s", got, want)
	}
}

// A resource is dropped from the state only after a fresh read: the refresh of another resource has just seen no
// ConfigMap, and now there is one.
func TestConfigMapAbsenceIsToldFromAReadOfItsOwn(t *testing.T) {
	p := fixture.NewPipeline(t)
	proxy := p.Proxied()
	p.Planned(fixture.WholeBlock("all", `data = { foo = "1" }`))
	p.Remove("testmap")
	proxy.Reset()
	p.Plan("-refresh-only")
	if got := proxy.Count("GET"); got < 2 {
		t.Errorf("%d reads before it was dropped, want one of its own after the first", got)
	}
	host := proxy.URL + "/nope"
	p.Create("testmap", fixture.Data{"foo": "1"})
	p.WriteFor(p.Kubeconfig, fmt.Sprintf("host = %q", host), fixture.WholeBlock("all", `data = { foo = "1" }`))
	p.PlanRefused([]string{"Error: Request Refused", "Status: 404"})
	p.WantState("all")
}

func TestConfigMapUnknownUntilApply(t *testing.T) {
	p := fixture.NewPipeline(t)
	source := func(value string) string {
		return fmt.Sprintf("resource \"terraform_data\" \"x\" {\n  input = %q\n}\n", value)
	}
	p.Planned(source("one") + fixture.WholeBlock("all", `data = { foo = terraform_data.x.output }`, `labels = { "l" = terraform_data.x.output }`))
	p.WantWhole("testmap", fixture.Whole{Labels: fixture.Data{"l": "one"}, Data: fixture.Data{"foo": "one"}})
	p.PlanNothing()
	p.Write(source("two") + fixture.WholeBlock("all", `data = { foo = terraform_data.x.output }`, `labels = { "l" = terraform_data.x.output }`))
	p.Wants(p.Plan(), "(known after apply)")
	p.Apply()
	p.WantWhole("testmap", fixture.Whole{Labels: fixture.Data{"l": "two"}, Data: fixture.Data{"foo": "two"}})
	p.PlanNothing()

	// The whole map, and a write of another writer meanwhile.
	p.Write(source("three") + fixture.WholeBlock("all", `data = tomap({ (terraform_data.x.output) = "1" })`, `labels = { "l" = "two" }`, fixture.Overwrites))
	p.Plan()
	p.Set("testmap", "foo", "foreign")
	p.ApplyRefused("Error: Compare-And-Swap Conflict", `Key: foo Expected: "two" Found: "foreign"`)
	p.PlanApply()
	p.WantLive("testmap", fixture.Data{"three": "1"})

	// The name: nothing can be checked, and it is created all the same.
	p.Create("taken", nil)
	p.Write(source("three") + fixture.WholeBlock("all", `data = { three = "1" }`, `labels = { "l" = "two" }`) +
		"resource \"terraform_data\" \"y\" {\n  input = \"taken\"\n}\n" +
		fixture.WholeBlock("other", `name = terraform_data.y.output`))
	p.Plan()
	p.ApplyRefused("Error: ConfigMap Already Exists", p.Text("Import id: NAMESPACE/taken "))
	p.WantState("all")
}

func TestConfigMapProviderUnknownAtPlan(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.WriteUnknown(1, fixture.WholeBlock("all", `data = { foo = "1" }`))
	p.PlanApply()
	p.WriteUnknown(2, fixture.WholeBlock("all", `data = { foo = "2" }`))
	p.Plan()
	p.Set("testmap", "foo", "foreign")
	p.ApplyRefused("Error: Compare-And-Swap Conflict")
	p.WantLive("testmap", fixture.Data{"foo": "foreign"})
	p.Write("resource \"terraform_data\" \"cluster\" {\n  input = { config_path = " + fixture.Quoted(p.Kubeconfig) + ", revision = 2 }\n}\n" +
		fixture.WholeBlock("all", `data = { foo = "2" }`, fixture.Overwrites))
	p.PlanApply()
	p.WriteUnknown(3, "")
	p.Plan()
	p.Apply() // by the prior state
	p.WantNone("testmap")
}

func digestOf(s string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(s))) }
