package kinds

import (
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
)

// The removal of a tainted resource that is replaced gets what the plan of the creation noted: nothing of what was written. If it is refused, that is what the state
// has from then on. So whether somebody else changed a value is not known, until an apply finds what is there.

const (
	mayHaveChanged = "Value May Have Changed Since Last Apply"
	refusesDrift   = `on_drift = "error"`
)

// forgetting has each resource that keeps values hold "1", with on_drift = "error", and forget that it wrote it.
func forgetting(t *testing.T, test func(p *fixture.Pipeline, block func(value string, lines ...string) string)) {
	t.Helper()
	for name, kind := range driftKinds {
		t.Run(name, func(t *testing.T) {
			p, address, block := fixture.NewPipeline(t), "cas_configmap.it", kind.block
			if !kind.isWhole {
				p.Testmap(fixture.Contents{})
				address = "cas_configmap_" + name + ".it"
				block = func(value string, lines ...string) string {
					return kind.block(value, append(lines, fixture.Deletes)...)
				}
			}
			p.Planned(block("1", refusesDrift))
			p.Do("taint", address)
			p.Export("CAS_PLAN_CHECK", "warning")
			p.Plan()
			p.ApplyRefused("Error: "+mayHaveChanged, `It is not known whether somebody else changed foo after the last apply. on_drift = "error" protects it. Nothing was removed.`,
				"If this resource is tainted, first run terraform untaint with its address.")
			p.Export("CAS_PLAN_CHECK", "")
			p.WantLive("testmap", fixture.Data{"foo": "1"})
			p.Do("untaint", address)
			test(p, block)
		})
	}
}

// Given a resource that has forgotten what it wrote; when an update would overwrite what is there; then on_drift says what becomes of it, as of what somebody else
// changed.
func TestUpdateOfWhatIsForgotten(t *testing.T) {
	for name, test := range map[string]func(p *fixture.Pipeline, block func(string, ...string) string){
		"error": func(p *fixture.Pipeline, block func(string, ...string) string) {
			p.Set("testmap", "foo", "9")
			p.Write(block("2", refusesDrift))
			p.PlanRefused([]string{"Error: " + mayHaveChanged, "It is not known whether somebody else changed foo after the last apply.", `"9"`, `"2"`})
			p.Export("CAS_PLAN_CHECK", "off")
			p.Plan()
			p.ApplyRefused("Error: " + mayHaveChanged)
			p.Export("CAS_PLAN_CHECK", "")
			p.WantLive("testmap", fixture.Data{"foo": "9"})
			p.Planned(block("9", refusesDrift)) // the way out
			p.PlanNothing()
			p.Planned(block("2", refusesDrift))
			p.Set("testmap", "foo", "9")
			p.PlanRefused([]string{fixture.DriftRefused})
		},
		"warning": func(p *fixture.Pipeline, block func(string, ...string) string) {
			p.Write(block("2"))
			p.Wants(p.Plan(), "Warning: "+mayHaveChanged, "It is not known whether somebody else changed foo after the last apply. This update overwrites it.")
			p.Apply()
			p.WantLive("testmap", fixture.Data{"foo": "2"})
			p.Write(block("3"))
			p.Wants(p.Plan(), "!Warning: ")
		},
		"off": func(p *fixture.Pipeline, block func(string, ...string) string) {
			p.Planned(block("1", `on_drift = "off"`))
			p.Write(block("2", `on_drift = "off"`))
			p.Wants(p.Plan(), "!Warning: ")
		},
	} {
		t.Run(name, func(t *testing.T) {
			forgetting(t, test)
		})
	}
}

// Given the same; when the configuration has what is there, and is applied; then that writes nothing, and is remembered: what others change later is drift, and
// what they do not is removed.
func TestApplyFindsWhatIsForgotten(t *testing.T) {
	forgetting(t, func(p *fixture.Pipeline, _ func(string, ...string) string) {
		p.DestroyRefused([]string{"Error: " + mayHaveChanged, "Nothing was removed."})
		before := p.Live("testmap")
		p.Wants(p.Plan(), "0 to add, 1 to change, 0 to destroy", "!Warning: ")
		p.Apply()
		p.WantUnchanged(before)
		p.PlanNothing()
		p.Set("testmap", "foo", "9")
		p.DestroyRefused([]string{fixture.DriftRefused})
		p.Set("testmap", "foo", "1")
		p.Destroy()
		p.WantState()
	})
}

// Given a tainted entry that is replaced by one of another key, and is to be removed whatever it holds; then the apply says that somebody may have changed it.
func TestReplaceOfATaintedEntrySaysWhatIsNotKnown(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Testmap(fixture.Contents{})
	p.Planned(fixture.EntryBlock("it", `value = "1"`, fixture.Deletes, `on_drift = "warning"`))
	p.Do("taint", "cas_configmap_entry.it")
	p.Set("testmap", "foo", "9")
	p.Write(fixture.EntryBlock("it", `key = "baz"`, `value = "1"`, fixture.Deletes))
	p.Plan()
	p.Wants(p.Apply(), "Warning: "+mayHaveChanged+": foo in ConfigMap "+p.Namespace+"/testmap",
		"It is not known whether somebody else changed foo after the last apply. It is removed.", `Found: "9"`, "untaint such a resource first.")
	p.WantLive("testmap", fixture.Data{"baz": "1"})
}
