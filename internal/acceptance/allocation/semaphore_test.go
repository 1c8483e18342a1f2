package allocation

import (
	"testing"

	"github.com/terraform-cas/terraform-provider-cas/internal/acceptance/fixture"
	"github.com/terraform-cas/terraform-provider-cas/internal/testcluster"
)

const ofThree = `names = ["a", "b", "c"]`

// entered is three runs that have entered a semaphore, each with a state of its own.
func entered(p *fixture.Pipeline) (runs []*fixture.Session) {
	for range 3 {
		s := fixture.NewSession(p)
		s.Write("main.tf", p.ConfigFor(p.Cluster.Kubeconfig(p, p.Cluster.Config), "", block("run", ofThree, `claimant = "run"`)))
		if r := s.Run("apply"); r.ExitCode != 0 {
			p.Error(r.All())
		}
		runs = append(runs, s)
	}
	wantTaken(p.Fixture, "a", "b", "c")
	return runs
}

func TestFourthRunEntersASemaphoreOfThreeWhenOneLeaves(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", nil)
	runs := entered(p)
	proxy := p.Proxied()
	p.Write(block("a", ofThree, `wait_for_free = "10m"`))
	p.Wants(p.Plan(), "Warning: Nothing To Take Yet", "The apply waits for something to be free for up to 10m.", "Claimants: run (3)")
	p.OnWatches(proxy, func() testcluster.Fault {
		return fixture.Watched(func() {
			if r := runs[1].Destroy(); r.ExitCode != 0 {
				t.Error(r.All())
			}
		})
	})
	proxy.Reset()
	p.Apply()
	wantValues(p, "b")
	if got, want := fixture.CountsOf(proxy), (fixture.RequestCounts{Gets: 3, Watches: 1, Patches: 1}); got.Watches != want.Watches || got.Patches != want.Patches || got.Gets > want.Gets {
		t.Errorf("%+v, want %+v", got, want)
	}
	p.Destroy()
	wantTaken(p.Fixture, "a", "c")
}

func TestWaitForFreeThatEnds(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", nil)
	entered(p)
	p.Write(block("a", ofThree, `wait_for_free = "500ms"`))
	p.Plan()
	p.ApplyRefused("Error: Wait Ended Without A Value", "Nothing could be taken within wait_for_free. Nothing was written.", "Claimants: run (3)", "Waited: ")
	p.WantState()
	wantTaken(p.Fixture, "a", "b", "c")
}

func TestWaitForFreeIsInterruptedAtOnceAndLeavesNothing(t *testing.T) {
	p := fixture.NewCLIPipeline(t)
	p.Create("testmap", nil)
	entered(p)
	proxy := p.Proxied()
	p.Write(block("a", ofThree, `wait_for_free = "24h"`))
	p.Plan()
	waits := make(chan struct{})
	p.OnWatches(proxy, func() testcluster.Fault { return fixture.Watched(func() { close(waits) }) })
	running := p.CLI.Start("apply", fixture.PlanFile)
	<-waits
	if err := running.Interrupt(); err != nil {
		t.Fatal(err)
	}
	p.Wants(p.Ended(running.Wait(), 1, "apply"), "Error: Operation Canceled", "The operation was canceled while it waited. Nothing was written.")
	wantTaken(p.Fixture, "a", "b", "c")
	p.WantState()
}

func TestSemaphoreWhoseHoldersAreAllInOneRunIsNoWait(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", nil)
	p.Write(several(4, ofThree, `wait_for_free = "10s"`))
	p.Plan()
	p.ApplyRefused("Error: Pool Is Full", "Allocations of this configuration have all that there is")
	wantValues(p, "a", "b", "c")
}

// Only the plan sees slots that this configuration holds already and that the apply leaves. It warns, in any order of plans.
func TestSemaphoreWhoseHoldersStayInTheConfigurationIsToldByThePlan(t *testing.T) {
	const wait = `wait_for_free = "500ms"`
	const vain = "Allocations of this configuration have all that there is, and another one would wait for it."
	for name, row := range map[string]struct{ held, next string }{
		"the holders are planned first": {"", "depends_on = [cas_configmap_allocation.a]"},
		"the holders are planned last":  {"depends_on = [cas_configmap_allocation.next]", ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := fixture.NewPipeline(t)
			p.Create("testmap", nil)
			p.Planned(several(3, ofThree, wait))
			p.Write(several(3, ofThree, wait, row.held) + block("next", ofThree, wait, row.next))
			p.Wants(p.Plan(), "Warning: Pool Is Full", vain, "Taken: 3", "Claimants: team-0 (1), team-1 (1), team-2 (1)")
			p.ApplyRefused("Error: Wait Ended Without A Value", "Nothing could be taken within wait_for_free. Nothing was written.", "Claimants: team-0 (1), team-1 (1), team-2 (1)")
			wantValues(p, "a", "b", "c")

			// One that somebody else has may be released at any time.
			p.Do("state", "rm", "cas_configmap_allocation.a[1]")
			p.Write(several(1, ofThree, wait, row.held) + block("next", ofThree, wait, row.next))
			p.Wants(p.Plan(), "Warning: Nothing To Take Yet", "!"+vain)
		})
	}
}

func TestOnlyHolderOfASemaphoreIsReplacedThoughItWaits(t *testing.T) {
	p := fixture.NewPipeline(t)
	p.Create("testmap", nil)
	p.Planned(block("a", `names = ["only"]`, `wait_for_free = "10m"`))
	p.PlanApply("-replace=" + address)
	wantValues(p, "only")
}
