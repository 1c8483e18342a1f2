package kinds

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

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
