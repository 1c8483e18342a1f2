package behavior

import (
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/driver"
	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

// Wait is the story of a resource that waits, from its plan to the end of its apply.
type Wait struct {
	Before  fixture.Data // nil: no ConfigMap
	Applied string       // a resource that was applied before; "" for none
	Waits   string
	Between func(f *fixture.Fixture) // plan and apply
	Watches func(f *fixture.Fixture) []func() testcluster.Fault
	Reads   func(f *fixture.Fixture) // with the first read after a watch was begun, which sees it
	Silent  bool                     // the plan warns of nothing
	Ends    bool                     // the time to wait passes when the watch has begun
	Refused []string                 // nil: it is applied
	After   fixture.Data             // nil: no ConfigMap
	Counts  fixture.RequestCounts    // of the apply
}

// Run runs it.
func (story Wait) Run(t *testing.T) {
	t.Helper()
	p := fixture.NewPipelineOf(t, driver.Terraform111)
	if story.Before != nil {
		p.Create("testmap", story.Before)
	}
	proxy := p.Proxied()
	if story.Applied != "" {
		p.Planned(story.Applied)
	}
	p.Write(story.Waits)
	const warns = "Warning: Expectation Does Not Hold Yet"
	if output := p.Plan(); story.Silent {
		p.Wants(output, "!"+warns)
	} else {
		p.Wants(output, warns, "The expected state has not been reached yet. The apply waits for it for up to ", "ConfigMap: "+p.Namespace+"/testmap", "!Error:")
	}
	state := p.State()
	if story.Between != nil {
		story.Between(p.Fixture)
	}
	var faults []func() testcluster.Fault
	if story.Watches != nil {
		faults = story.Watches(p.Fixture)
	}
	reads := story.Reads
	if reads == nil {
		reads = func(*fixture.Fixture) {}
	}
	if story.Ends {
		faults = []func() testcluster.Fault{func() testcluster.Fault { return fixture.Watched(p.PassDeadlines) }}
	}
	p.AfterWatch(proxy, reads, faults...)
	proxy.Reset()
	if story.Refused == nil {
		p.Wants(p.Apply(), "!Error:")
	} else {
		p.ApplyRefused(story.Refused...)
		p.WantState(keysOf(state)...)
	}
	if story.After != nil {
		p.WantLive("testmap", story.After)
	} else {
		p.WantNone("testmap")
	}
	if counts := fixture.CountsOf(proxy); counts != story.Counts {
		t.Errorf("%+v, want %+v: %v", counts, story.Counts, proxy.Requests())
	}
	if story.Refused == nil {
		p.PlanNothing()
	}
}

func keysOf(state map[string]fixture.Tracked) (names []string) {
	for name := range state {
		names = append(names, name)
	}
	return names
}

// Then is a watch during which another writer does something.
func Then(do func(f *fixture.Fixture)) func(f *fixture.Fixture) []func() testcluster.Fault {
	return func(f *fixture.Fixture) []func() testcluster.Fault {
		return []func() testcluster.Fault{func() testcluster.Fault { return fixture.Watched(func() { do(f) }) }}
	}
}

// Sets sets foo.
func Sets(value string) func(*fixture.Fixture) {
	return func(f *fixture.Fixture) { f.Set("testmap", "foo", value) }
}

// The requests of an apply of Terraform: a conflict needs a read, and the write needs another one. With OpenTofu, the plan of
// the apply reads once more.
var (
	WaitedOnce  = fixture.RequestCounts{Gets: 2, Watches: 1, Patches: 1}
	UpdatedOnce = fixture.RequestCounts{Gets: 3, Watches: 1, Patches: 1} // of an update, which the apply plans again
	RefusedThen = fixture.RequestCounts{Gets: 2, Watches: 1}
)

// ToldOfWaits fails the test unless a plan of a resource that waits warns of that with these texts. Only plan_check = "off" silences it.
func ToldOfWaits(t *testing.T, found fixture.Data, waits string, told ...string) {
	t.Helper()
	for name, test := range PlanCheckSettings {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Create("testmap", found)
			WriteChecked(p, test.Set, waits)
			wants := append([]string{"Warning: Expectation Does Not Hold Yet", "!Error:", "!" + fixture.PlanCheckAdvice}, told...)
			if test.Want == "off" {
				wants = []string{"!Expectation Does Not Hold Yet", "!Error:"}
			}
			p.Wants(p.Plan(), wants...)
		})
	}
}

// WaitsForUnknown applies a block that swaps foo from 1 to 2, and waits for as long as terraform_data.limit says, which no plan knows.
func WaitsForUnknown(t *testing.T, block string) {
	t.Helper()
	p := fixture.NewPipeline(t)
	p.Create("testmap", fixture.Data{"foo": "0"})
	proxy := p.Proxied()
	p.Write("resource \"terraform_data\" \"limit\" {\n  input = \"10m\"\n}\n" + block)
	p.Wants(p.Plan(), "Warning: Expectation Does Not Hold Yet", "for as long as wait_for_match says", "!Error:")
	p.OnWatches(proxy, Then(Sets("1"))(p.Fixture)...)
	p.Apply()
	p.WantLive("testmap", fixture.Data{"foo": "2"})
}
