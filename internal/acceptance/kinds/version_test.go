package kinds

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// seenBlock reads the version of testmap, of any kind, and none of its values.
func seenBlock(kind fixture.ObjectKind) string {
	return fixture.SourceBlock("cas_object_fields", "seen", "testmap", `api_version = "v1"`, "kind = "+fixture.Quoted(kind.Name),
		`paths = ["metadata.resourceVersion"]`)
}

// seenVersion is the line of a resource that expects the version that the data source has read.
const seenVersion = `expected_resource_version_wo = data.cas_object_fields.seen.values["metadata.resourceVersion"]`

// onEverything runs a test with each resource of keys of each kind, and with the resource of fields.
func onEverything(t *testing.T, test func(p *fixture.Pipeline, o fixture.Object, form string)) {
	t.Helper()
	onKinds(t, test)
	onFields(t, test)
}

// Given a key that exists; when a new resource expects the version that a data source has read; then one apply replaces
// whatever the key holds, and a write by somebody else after the plan is a conflict.
func TestVersionPermitsACreateOverAnExistingKey(t *testing.T) {
	onEverything(t, func(p *fixture.Pipeline, o fixture.Object, form string) {
		o.Create(fixture.Data{"foo": "unknown", "bar": "kept"})
		p.Write(o.Kind.Block(form, "1", ""))
		p.PlanRefused([]string{"Error: " + o.Kind.InWords("Key ") + "Already Exists"})

		p.Write(seenBlock(o.Kind) + o.Kind.Block(form, "1", "", seenVersion))
		p.Plan()
		o.Set("bar", "foreign")
		p.ApplyRefused("Error: Compare-And-Swap Conflict", "which expected_resource_version_wo names. Nothing was written",
			" expected, ", "Run terraform plan again")
		wantHolds(o, fixture.Data{"foo": "unknown", "bar": "foreign"})
		p.PlanApply()
		wantHolds(o, fixture.Data{"foo": "1", "bar": "foreign"})
		p.PlanNothing()

		// The key existed before the resource, so it stays.
		p.Destroy()
		wantHolds(o, fixture.Data{"foo": "1", "bar": "foreign"})
	})
}

// Given a key that holds the value already; when a new resource names the version; then it is adopted without a write.
func TestVersionPermitsAnAdoption(t *testing.T) {
	onEverything(t, func(p *fixture.Pipeline, o fixture.Object, form string) {
		o.Create(fixture.Data{"foo": "1"})
		before := o.Live().Metadata.ResourceVersion
		p.Planned(seenBlock(o.Kind) + o.Kind.Block(form, "1", "", seenVersion))
		if now := o.Live().Metadata.ResourceVersion; now != before {
			t.Errorf("the version was %s and is %s: something was written", before, now)
		}
	})
}

// A version that is null expects nothing, and permits nothing. An expected value counts beside a version.
func TestVersionThatPermitsNothing(t *testing.T) {
	onEverything(t, func(p *fixture.Pipeline, o fixture.Object, form string) {
		o.Create(fixture.Data{"foo": "unknown"})
		p.Write(o.Kind.Block(form, "1", "", "expected_resource_version_wo = null"))
		p.PlanRefused([]string{"Error: " + o.Kind.InWords("Key ") + "Already Exists"})
		p.Write(seenBlock(o.Kind) + o.Kind.Block(form, "1", "other", seenVersion))
		p.PlanRefused([]string{"Error: Expected Value Mismatch"})
		wantHolds(o, fixture.Data{"foo": "unknown"})
	})
}

// Given a version that the object no longer has; then the plan says which one it has, and a plan with that one passes.
func TestVersionThatIsOld(t *testing.T) {
	onEverything(t, func(p *fixture.Pipeline, o fixture.Object, form string) {
		o.Create(fixture.Data{"foo": "unknown"})
		old := o.Live().Metadata.ResourceVersion
		o.Set("foo", "changed")
		block := func(version string) string {
			return o.Kind.Block(form, "1", "", "expected_resource_version_wo = "+fixture.Quoted(version))
		}
		now := o.Live().Metadata.ResourceVersion
		p.Write(block(old))
		p.PlanRefused([]string{
			"Error: Compare-And-Swap Conflict", fmt.Sprintf("%s expected, %s now", old, now),
			"Run terraform plan again with expected_resource_version_wo from a data source, or with the version that you have reviewed.",
		})
		p.Planned(block(now))
		wantHolds(o, fixture.Data{"foo": "1"})
	})
}

// Given an imported key; when the configuration names the version; then the first apply writes another value.
func TestVersionAfterAnImport(t *testing.T) {
	onEverything(t, func(p *fixture.Pipeline, o fixture.Object, form string) {
		o.Create(fixture.Data{"foo": "unknown"})
		id := map[string]string{"entry": "%s/testmap/foo", "data": "%s/testmap:foo", "fields": "v1/ServiceAccount/%s/testmap/metadata.annotations.foo"}[form]
		p.Write(seenBlock(o.Kind) + o.Kind.Block(form, "1", "", `conflict_scope = "`+scopeOf(form)+`"`, seenVersion))
		p.Do("import", o.Kind.Address(form), fmt.Sprintf(id, p.Namespace))
		p.PlanApply()
		wantHolds(o, fixture.Data{"foo": "1"})
		p.PlanNothing()
	})
}

// Given conflict_scope = "key"; when the configuration names the version; then an update needs no expected value, not
// even of a Secret.
func TestVersionOfAnUpdateByKey(t *testing.T) {
	onEverything(t, func(p *fixture.Pipeline, o fixture.Object, form string) {
		o.Create(fixture.Data{})
		scope := `conflict_scope = "` + scopeOf(form) + `"`
		p.Planned(o.Kind.Block(form, "1", "", scope))
		o.Set("bar", "foreign")
		p.Write(seenBlock(o.Kind) + o.Kind.Block(form, "2", "", scope, seenVersion))
		p.Plan()
		o.Set("bar", "again")
		p.ApplyRefused("Error: Compare-And-Swap Conflict", "which expected_resource_version_wo names")
		p.PlanApply()
		wantHolds(o, fixture.Data{"foo": "2", "bar": "again"})
	})
}

// Given a resource that took a key over; when -replace makes it again; then the key that stays is no obstacle.
func TestVersionOfAReplacement(t *testing.T) {
	onEverything(t, func(p *fixture.Pipeline, o fixture.Object, form string) {
		o.Create(fixture.Data{"foo": "unknown"})
		p.Planned(seenBlock(o.Kind) + o.Kind.Block(form, "1", "", seenVersion))
		p.PlanApply("-replace=" + o.Kind.Address(form))
		wantHolds(o, fixture.Data{"foo": "1"})
		p.PlanNothing()
	})
}

// scopeOf is the narrow conflict_scope of a resource.
func scopeOf(form string) string {
	if form == "fields" {
		return "field"
	}
	return "key"
}

// wantHolds fails the test unless the object has these keys or annotations.
func wantHolds(o fixture.Object, want fixture.Data) {
	o.Helper()
	if diff := cmp.Diff(want, o.Live().Data, cmpopts.EquateEmpty()); diff != "" {
		o.Errorf("live (-want +got):\n%s", diff)
	}
}

// wholeBlock is a whole object that has foo, and lines.
func wholeBlock(kind fixture.ObjectKind, lines ...string) string {
	if kind.IsSecret() {
		return fixture.SecretBlock(append([]string{`name = "testmap"`, `data_wo = { foo = "1" }`}, lines...)...)
	}
	return fixture.WholeBlock("it", append([]string{`data = { foo = "1" }`}, lines...)...)
}

// onWholes runs a test with the resource of whole objects of each kind.
func onWholes(t *testing.T, test func(p *fixture.Pipeline, o fixture.Object)) {
	t.Helper()
	for _, kind := range fixture.ObjectKinds {
		t.Run(kind.Name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			test(p, fixture.Object{Fixture: p.Fixture, Kind: kind})
		})
	}
}

// Given an object that exists; when the resource of the whole object expects the version that a data source has read;
// then one apply takes the object over, after a plan that lists the changes.
func TestVersionPermitsToTakeOverAWholeObject(t *testing.T) {
	onWholes(t, func(p *fixture.Pipeline, o fixture.Object) {
		o.Create(fixture.Data{"foo": "unknown", "bar": "dropped"})
		uid := o.Live().Metadata.UID
		p.Write(wholeBlock(o.Kind))
		p.PlanRefused([]string{
			"Error: " + o.Kind.Name + " Already Exists",
			fmt.Sprintf("set expected_resource_version_wo = %q to take it over", o.Live().Metadata.ResourceVersion),
		})

		p.Write(seenBlock(o.Kind) + wholeBlock(o.Kind, seenVersion))
		p.Wants(p.Plan(), "Warning: Unmanaged Keys Will Change", "Key: bar", "Key: foo")
		o.Label()
		p.ApplyRefused("Error: Compare-And-Swap Conflict", "which expected_resource_version_wo names. Nothing was written")
		wantHolds(o, fixture.Data{"foo": "unknown", "bar": "dropped"})
		p.PlanApply()
		wantHolds(o, fixture.Data{"foo": "1"})
		live := o.Live().Metadata
		if live.UID != uid || live.Labels["foreign"] != "label" {
			t.Errorf("the object is %+v, want the same with its label", live)
		}
		p.PlanNothing()

		// The version of a replaced object cannot come back, so the creation follows its removal.
		p.PlanApply("-replace=cas_" + strings.ToLower(o.Kind.Name) + ".it")
		wantHolds(o, fixture.Data{"foo": "1"})
		p.PlanNothing()
	})
}

// A version is also expected by an update of a whole object.
func TestVersionOfAWholeObject(t *testing.T) {
	onWholes(t, func(p *fixture.Pipeline, o fixture.Object) {
		line := `expected_resource_version_wo = "1"`
		p.Write(wholeBlock(o.Kind, line))
		p.Wants(p.Plan(), "Does Not Exist Yet", "To create it, remove expected_resource_version_wo.")
		p.ApplyRefused("Not Found", "To create it, remove expected_resource_version_wo.")
		p.Planned(wholeBlock(o.Kind))
		p.Write(wholeBlock(o.Kind, line, `labels = { a = "b" }`))
		p.PlanRefused([]string{"Error: Compare-And-Swap Conflict", "not at resourceVersion 1"})
		p.Planned(seenBlock(o.Kind) + wholeBlock(o.Kind, seenVersion, `labels = { a = "b" }`))
		p.PlanNothing()
	})
}

// Objects that no update can take over are refused at plan.
func TestVersionOfAnObjectThatCannotBeTakenOver(t *testing.T) {
	p := fixture.NewPipeline(t)
	frozen := p.CreateObject(&corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: "testmap"}, Data: fixture.Data{"foo": "unknown"}, Immutable: new(true),
	})
	secret := p.CreateSecret("testmap", fixture.Data{"foo": "unknown"}, func(s *corev1.Secret) { s.Type = "example.com/login" })
	version := func(of metav1.ObjectMeta) string {
		return "expected_resource_version_wo = " + fixture.Quoted(of.ResourceVersion)
	}
	p.Write(wholeBlock(fixture.ObjectKinds[0], version(frozen.ObjectMeta)))
	p.PlanRefused([]string{"Error: ConfigMap Is Immutable"})
	p.Write(wholeBlock(fixture.ObjectKinds[1], version(secret.ObjectMeta)))
	p.PlanRefused([]string{"Error: Secret Already Exists", `Set type = "example.com/login", or choose another name.`})
	p.Planned(wholeBlock(fixture.ObjectKinds[1], version(secret.ObjectMeta), `type = "example.com/login"`))
	p.WantSecret("testmap", fixture.Data{"foo": "1"})
}

// The plan shows the values that a create replaces because the configuration names a version.
func TestPlanShowsWhatAVersionPermitsToReplace(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{"foo": "1"})
	p.Change("testmap", func(cm *corev1.ConfigMap) { cm.Labels = fixture.Data{"app": "theirs"} })
	at := func() string {
		return "expected_resource_version_wo = " + fixture.Quoted(p.Live("testmap").ResourceVersion)
	}
	entry := fixture.EntryBlock("foo", `value = "2"`, at())
	p.Write(entry)
	p.Wants(p.Plan(), "Warning: Unmanaged Keys Will Change: foo", `Found: "1" Planned: "2"`)
	p.Apply()
	p.PlanNothing()
	p.Write(entry + "resource \"cas_object_fields\" \"app\" {\n  api_version = \"v1\"\n  kind = \"ConfigMap\"\n  namespace = NAMESPACE\n" +
		"  name = \"testmap\"\n  fields = { \"metadata.labels.app\" = null }\n  " + at() + "\n}\n")
	p.Wants(p.Plan(), "Warning: Unmanaged Fields Will Change: metadata.labels.app", `Found: "theirs" Planned: (absent)`)
	p.Apply()
	p.PlanNothing()
	if labels := p.Live("testmap").Labels; len(labels) > 0 {
		t.Errorf("labels: %v", labels)
	}
}
