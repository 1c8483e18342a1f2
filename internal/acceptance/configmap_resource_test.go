package acceptance_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// wholeBlock is a resource block of a ConfigMap, which is named testmap where lines say nothing else.
func wholeBlock(name string, lines ...string) string {
	body := strings.Join(lines, "\n  ")
	defaults := "namespace = NAMESPACE\n  "
	if !nameLine.MatchString(body) && !strings.Contains(body, "generate_name") {
		defaults += "name = \"testmap\"\n  "
	}
	return fmt.Sprintf("resource \"cas_configmap\" %q {\n  %s%s\n}\n", name, defaults, body)
}

// whole is all of a ConfigMap that can be written.
type whole struct {
	Labels, Annotations, Data data
	Bytes                     map[string][]byte
	Immutable                 bool
}

func wholeOf(cm *corev1.ConfigMap) whole {
	return whole{cm.Labels, cm.Annotations, cm.Data, cm.BinaryData, cm.Immutable != nil && *cm.Immutable}
}

// wantWhole fails the test unless the live ConfigMap is just that.
func (f *fixture) wantWhole(name string, want whole) {
	f.Helper()
	if diff := cmp.Diff(want, wholeOf(f.live(name)), cmpopts.EquateEmpty()); diff != "" {
		f.Errorf("live configmap %s (-want +got):\n%s", name, diff)
	}
}

// makeWhole makes a ConfigMap as another writer.
func (f *fixture) makeWhole(name string, w whole) *corev1.ConfigMap {
	f.Helper()
	cm := &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: w.Labels, Annotations: w.Annotations}, Data: w.Data, BinaryData: w.Bytes,
	}
	if w.Immutable {
		freeze(cm)
	}
	return f.createObject(cm)
}

// counted has the pipeline go through a proxy, and gives a check of how many requests of each method there were since the last one.
func (p *pipeline) counted() func(what string, want map[string]int) {
	proxy := p.proxied()
	return func(what string, want map[string]int) {
		p.Helper()
		wantRequests(p.T, proxy, what, want)
	}
}

func TestConfigMapIsCreatedUpdatedAndDestroyed(t *testing.T) {
	p := newPipeline(t)
	counted := p.counted()
	p.write(wholeBlock("all", `labels = { app = "shop", tier = "web" }`, `annotations = { note = "a" }`,
		`data = { foo = "1", bar = "<b>", moves = "text", gone = "" }`, `binary_data = { raw = "/w==" }`))
	p.plan()
	counted("the plan of a create", map[string]int{"GET": 1})
	p.apply()
	counted("the apply of a create", map[string]int{"GET": 1, "POST": 1})
	first := whole{
		Labels: data{"app": "shop", "tier": "web"}, Annotations: data{"note": "a"},
		Data: data{"foo": "1", "bar": "<b>", "moves": "text", "gone": ""}, Bytes: map[string][]byte{"raw": {0xff}},
	}
	p.wantWhole("testmap", first)
	live := p.live("testmap")
	got := p.wantState("all")["all"].Attributes
	for name, want := range map[string]any{
		"id": p.namespace + "/testmap", "name": "testmap", "uid": string(live.UID), "resource_version": live.ResourceVersion,
		"immutable": false, "generate_name": nil,
	} {
		if got[name] != want {
			t.Errorf("the state's %s is %v, want %v", name, got[name], want)
		}
	}
	p.planNothing()
	counted("the plan of no change", map[string]int{"GET": 1})

	p.write(wholeBlock("all", `labels = { app = "store", new = "" }`, `annotations = {}`,
		`data = { foo = "2", bar = "<b>", raw = "text now" }`, `binary_data = { moves = "AAE=" }`, `immutable = true`))
	p.wants(p.plan(), "1 to change, 0 to destroy", "!Unmanaged Keys")
	counted("the plan of an update", map[string]int{"GET": 1})
	p.apply()
	counted("the apply of an update", map[string]int{"GET": 1, "PATCH": 1})
	p.wantWhole("testmap", whole{
		Labels: data{"app": "store", "new": ""}, Data: data{"foo": "2", "bar": "<b>", "raw": "text now"},
		Bytes: map[string][]byte{"moves": {0, 1}}, Immutable: true,
	})
	if got := p.state()["all"].Attributes["resource_version"]; got != p.live("testmap").ResourceVersion {
		t.Errorf("the state's version is %v, not the live one", got)
	}
	p.planNothing()
	counted("the plan of no change", map[string]int{"GET": 1})

	p.plan("-destroy")
	counted("the plan of a destroy", map[string]int{"GET": 2}) // Terraform configures the provider anew after its refresh
	p.apply()
	counted("the apply of a destroy", map[string]int{"DELETE": 1})
	p.wantNone("testmap")
	p.wantState()
}

func TestConfigMapChangesOfSettingsWriteNothing(t *testing.T) {
	p := newPipeline(t)
	counted := p.counted()
	p.planned(wholeBlock("all", `data = { foo = "1" }`))
	before := p.live("testmap")
	p.set("testmap", "foo", "1") // which changes nothing
	counted("a create", map[string]int{"GET": 2, "POST": 1})
	p.write(wholeBlock("all", `data = { foo = "1" }`, `hide_values = true`, `field_manager = "me"`, `timeouts = { create = "2m" }`))
	p.wants(p.plan(), "1 to change")
	p.apply()
	counted("other settings", map[string]int{"GET": 1})
	p.wantUnchanged(before)
	p.planNothing()
	p.planned(wholeBlock("all", `data = { foo = "2" }`, `field_manager = "me"`))
	managers := []string{}
	for _, m := range p.live("testmap").ManagedFields {
		managers = append(managers, m.Manager)
	}
	if !slices.Contains(managers, "me") || !slices.Contains(managers, "terraform-provider-cas") {
		t.Errorf("written by %q", managers)
	}
}

// What the configuration does not name is left to others; what it names as empty is to be empty.
func TestConfigMapManagesWhatItNames(t *testing.T) {
	p := newPipeline(t)
	counted := p.counted()
	others := func(cm *corev1.ConfigMap) {
		cm.Labels, cm.Annotations = data{"theirs": "1"}, data{"theirs": "1"}
		cm.Data, cm.BinaryData = data{"theirs": "1"}, map[string][]byte{"bytes": {1}}
	}
	p.planned(wholeBlock("all"))
	p.change("testmap", others)
	p.planNothing()
	theirs := wholeOf(p.live("testmap"))
	p.wantWhole("testmap", theirs)
	counted("a create and a plan of nothing", map[string]int{"GET": 3, "POST": 1})

	// Taken over: said in the plan, which cannot show it.
	p.write(wholeBlock("all", `labels = {}`, `annotations = { theirs = "2", mine = "1" }`, `data = { theirs = "1", mine = "1" }`, `binary_data = {}`))
	const warning = "Warning: Unmanaged Keys Will Change"
	p.wants(p.plan(), warning, `Key: bytes Found: base64 "AQ==" Planned: (absent)`, `Label: theirs Found: "1" Planned: (absent)`,
		`Annotation: mine Found: (absent) Planned: "1" Annotation: theirs Found: "1" Planned: "2"`, "!Key: theirs")
	p.apply()
	p.wantWhole("testmap", whole{Annotations: data{"theirs": "2", "mine": "1"}, Data: data{"theirs": "1", "mine": "1"}})
	p.planNothing()

	// Managed: all that others add is drift, which the next apply removes.
	p.change("testmap", others)
	p.wants(p.plan(), `- "bytes" = "AQ==" -> null`, `- "theirs" = "1" -> null`, `+ "mine" = "1"`, "!"+warning)
	p.apply()
	p.wantWhole("testmap", whole{Annotations: data{"theirs": "2", "mine": "1"}, Data: data{"theirs": "1", "mine": "1"}})
	p.planNothing()

	// Left to others again: all of it stays, and nothing is sent.
	p.change("testmap", others)
	before := p.live("testmap")
	counted("all of that", map[string]int{"GET": 8, "PATCH": 2}) // one learns the horizon
	p.write(wholeBlock("all"))
	p.wants(p.plan(), "1 to change", "!"+warning)
	p.apply()
	counted("leaving it to others", map[string]int{"GET": 1})
	p.wantUnchanged(before)
	p.planNothing()
}

func TestConfigMapTakesOverAtTheVersionOfThePlan(t *testing.T) {
	p := newPipeline(t)
	p.planned(wholeBlock("all"))
	p.set("testmap", "theirs", "1")
	p.write(wholeBlock("all", `data = { mine = "1" }`))
	p.wants(p.plan(), "Unmanaged Keys Will Change", "Key: theirs")
	p.set("testmap", "new", "1") // which the plan has not told of
	p.applyRefused("Error: Compare-And-Swap Conflict", " changed after ", "Nothing was written.")
	p.wantLive("testmap", data{"theirs": "1", "new": "1"})
	p.wants(p.plan(), "Key: new", "Key: theirs")
	p.apply()
	p.wantLive("testmap", data{"mine": "1"})
}

func TestConfigMapVanishedOrMadeAgain(t *testing.T) {
	p := newPipeline(t)
	p.planned(wholeBlock("all", `data = { foo = "1" }`))
	p.remove("testmap")
	p.wants(p.plan(), "1 to add, 0 to change, 0 to destroy")
	p.apply()
	p.wantLive("testmap", data{"foo": "1"})

	madeAgain(p.fixture, "testmap")
	p.set("testmap", "foo", "foreign")
	p.wants(p.plan(), "0 to add, 1 to change, 0 to destroy")
	p.apply()
	p.wantLive("testmap", data{"foo": "1"})
	if got, want := p.state()["all"].Attributes["uid"], string(p.live("testmap").UID); got != want {
		t.Errorf("the state follows %v, not the object that there is, %s", got, want)
	}
}

// What drops a resource from the state is read afresh: a sibling's refresh has just seen no ConfigMap, and now there is one.
func TestConfigMapAbsenceIsToldFromAReadOfItsOwn(t *testing.T) {
	p := newPipeline(t)
	proxy := p.proxied()
	p.planned(wholeBlock("all", `data = { foo = "1" }`))
	p.remove("testmap")
	proxy.Reset()
	p.plan("-refresh-only")
	if got := proxy.Count("GET"); got < 2 {
		t.Errorf("%d reads before it was dropped, want one of its own after the first", got)
	}
	host := proxy.URL + "/nope"
	p.create("testmap", data{"foo": "1"})
	p.writeFor(p.kubeconfig, fmt.Sprintf("host = %q", host), wholeBlock("all", `data = { foo = "1" }`))
	p.planRefused([]string{"Error: Request Refused", "Status: 404"})
	p.wantState("all")
}

func TestConfigMapUnknownUntilApply(t *testing.T) {
	p := newPipeline(t)
	source := func(value string) string {
		return fmt.Sprintf("resource \"terraform_data\" \"x\" {\n  input = %q\n}\n", value)
	}
	p.planned(source("one") + wholeBlock("all", `data = { foo = terraform_data.x.output }`, `labels = { "l" = terraform_data.x.output }`))
	p.wantWhole("testmap", whole{Labels: data{"l": "one"}, Data: data{"foo": "one"}})
	p.planNothing()
	p.write(source("two") + wholeBlock("all", `data = { foo = terraform_data.x.output }`, `labels = { "l" = terraform_data.x.output }`))
	p.wants(p.plan(), "(known after apply)")
	p.apply()
	p.wantWhole("testmap", whole{Labels: data{"l": "two"}, Data: data{"foo": "two"}})
	p.planNothing()

	// The whole map, and a foreign write meanwhile.
	p.write(source("three") + wholeBlock("all", `data = tomap({ (terraform_data.x.output) = "1" })`, `labels = { "l" = "two" }`))
	p.plan()
	p.set("testmap", "foo", "foreign")
	p.applyRefused("Error: Compare-And-Swap Conflict", `Key: foo Expected: "two" Found: "foreign"`)
	p.planApply()
	p.wantLive("testmap", data{"three": "1"})

	// The name: nothing can be checked, and it is created all the same.
	p.create("taken", nil)
	p.write(source("three") + wholeBlock("all", `data = { three = "1" }`, `labels = { "l" = "two" }`) +
		"resource \"terraform_data\" \"y\" {\n  input = \"taken\"\n}\n" +
		wholeBlock("other", `name = terraform_data.y.output`))
	p.plan()
	p.applyRefused("Error: ConfigMap Already Exists", p.text("Import id: NAMESPACE/taken "))
	p.wantState("all")
}

func TestConfigMapProviderUnknownAtPlan(t *testing.T) {
	p := newPipeline(t)
	p.writeUnknown(1, wholeBlock("all", `data = { foo = "1" }`))
	p.planApply()
	p.writeUnknown(2, wholeBlock("all", `data = { foo = "2" }`))
	p.plan()
	p.set("testmap", "foo", "foreign")
	p.applyRefused("Error: Compare-And-Swap Conflict")
	p.wantLive("testmap", data{"foo": "foreign"})
	p.write("resource \"terraform_data\" \"cluster\" {\n  input = { config_path = " + quoted(p.kubeconfig) + ", revision = 2 }\n}\n" +
		wholeBlock("all", `data = { foo = "2" }`))
	p.planApply()
	p.writeUnknown(3, "")
	p.plan()
	p.apply() // by the prior state
	p.wantNone("testmap")
}
