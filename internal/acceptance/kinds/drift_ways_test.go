package kinds

import (
	"net/http"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// A key that vanished and that the configuration no longer names belongs to another writer when it comes back.
func TestAKeyThatVanishedAndIsNamedNoLongerIsForgotten(t *testing.T) {
	for _, onDrift := range []string{"error", "overwrite"} {
		t.Run(onDrift, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Testmap(fixture.Contents{})
			block := func(values string) string {
				return fixture.DataBlock("it", "data = { "+values+" }", `on_drift = "`+onDrift+`"`)
			}
			p.Planned(block(`a = "1", b = "1"`))
			p.Unset("testmap", "b")
			p.Planned(block(`a = "1"`))
			if got, want := p.State()["it"].Attributes["id"], p.Namespace+"/testmap:a"; got != want {
				t.Errorf("id is %v, want %s", got, want)
			}
			p.PlanNothing()
			p.Set("testmap", "b", "1")
			p.PlanNothing()
			p.Planned("")
			p.WantLive("testmap", fixture.Data{"b": "1"})
		})
	}
}

// The apply reports drift that no plan could know.
func TestDriftThatNoPlanCouldTell(t *testing.T) {
	overwrites := `on_drift = "overwrite"`
	drifting(t, []string{overwrites}, func(p *fixture.Pipeline, block func(string, ...string) string) {
		p.Export("CAS_PLAN_CHECK", "off")
		p.Set("testmap", "foo", "9")
		p.Write(block("2", overwrites))
		p.Wants(p.Plan(), "!"+fixture.DriftWarned)
		p.Wants(p.Apply(), fixture.DriftWarned)
		p.WantLive("testmap", fixture.Data{"foo": "2"})
	})
}

// The removal of a replace uses the on_drift of its plan, and the drift that its plan accepts.
func TestDriftOfAReplace(t *testing.T) {
	refuses := `on_drift = "error"`
	frozen := func(value, label, onDrift string) string {
		return fixture.WholeBlock("it", `data = { foo = "`+value+`" }`, `labels = { l = "`+label+`" }`, "immutable = true", onDrift)
	}
	label := func(cm *corev1.ConfigMap) { cm.Labels["l"] = "9" }
	tests := map[string]func(p *fixture.Pipeline){
		"a ConfigMap, with a warning": func(p *fixture.Pipeline) {
			p.Planned(frozen("1", "1", refuses))
			p.Change("testmap", label)
			p.Write(frozen("2", "1", refuses))
			p.PlanRefused([]string{fixture.DriftRefused})
			p.Planned(frozen("2", "1", `on_drift = "overwrite"`))
		},
		"a ConfigMap that accepts": func(p *fixture.Pipeline) {
			p.Planned(frozen("1", "1", refuses))
			p.Change("testmap", label)
			p.Planned(frozen("2", "9", refuses))
		},
		"an entry that goes elsewhere, with a warning": func(p *fixture.Pipeline) {
			p.Testmap(fixture.Contents{})
			p.Planned(fixture.EntryBlock("it", fixture.Deletes, `key = "old"`, `value = "1"`, refuses))
			p.Set("testmap", "old", "9")
			p.Write(fixture.EntryBlock("it", fixture.Deletes, `key = "foo"`, `value = "2"`, refuses))
			p.PlanRefused([]string{fixture.DriftRefused})
			p.Planned(fixture.EntryBlock("it", fixture.Deletes, `key = "foo"`, `value = "2"`, `on_drift = "overwrite"`))
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			test(p)
			if got := p.Live("testmap").Data; len(got) != 1 || got["foo"] != "2" {
				t.Errorf("live: %v", got)
			}
		})
	}
}

// Given on_drift = "error" and an update of unknown outcome; then the value that it wrote counts as a change by
// somebody else, until an apply of the same configuration records it.
func TestDriftAfterAWriteOfUnknownOutcome(t *testing.T) {
	lines := []string{`on_drift = "error"`}
	drifting(t, lines, func(p *fixture.Pipeline, block func(string, ...string) string) {
		proxy := p.Proxied()
		proxy.SetHook(fixture.OnceFor(p.T, http.MethodPatch, testcluster.Fault{
			Answered: func(*http.Response) { p.Set("testmap", "foo", "9") }, DropAfter: true,
		}))
		p.Write(block("2", lines...))
		p.Plan()
		p.ApplyRefused("Error: Write Outcome Unknown")
		p.Set("testmap", "foo", "2")

		p.Write(block("3", lines...))
		p.PlanRefused([]string{fixture.DriftRefused, `"2"`, `"3"`})
		p.Write(block("2", lines...))
		proxy.Reset()
		p.PlanApply()
		if n := proxy.Count(http.MethodPatch); n != 0 {
			p.Errorf("%d writes", n)
		}
		p.PlanNothing()
		p.Planned(block("3", lines...))
		p.WantLive("testmap", fixture.Data{"foo": "3"})
	})
}

// A value that somebody put back already counts as restored.
func TestRestoreOfWhatSomebodyPutBack(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{"foo": "0"})
	p.Planned(fixture.EntryBlock("it", `value = "1"`, `expected_value = "0"`, `deletion_policy = "restore"`, `on_drift = "error"`))
	p.Set("testmap", "foo", "0")
	p.Planned("")
	p.WantLive("testmap", fixture.Data{"foo": "0"})
	p.WantState()
}

// A counter and an entry on one key.
func TestACounterAndAnEntryWriteOneKey(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{"foo": "7"})
	counters := fixture.CounterBlock("a", `key = "foo"`) + fixture.CounterBlock("b", `key = "foo"`)
	p.Write(counters + fixture.EntryBlock("e", `key = "foo"`, `value = "9"`, `expected_value = "7"`))
	p.PlanRefused([]string{twiceRefused})
	p.Planned(counters) // which share a key
	p.WantLive("testmap", fixture.Data{"foo": "9"})
}

// With abandon a destroy would go ahead, so the message says how.
func TestDriftThatBlocksADestroy(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Testmap(fixture.Contents{})
	p.Planned(fixture.EntryBlock("it", `value = "1"`, `on_drift = "error"`, `deletion_policy = "abandon"`))
	p.Set("testmap", "foo", "9")
	p.DestroyRefused([]string{fixture.DriftRefused, "CAS_PLAN_CHECK=warning terraform destroy"})
	p.Export("CAS_PLAN_CHECK", "warning")
	p.Destroy()
	p.WantLive("testmap", fixture.Data{"foo": "9"})
}
